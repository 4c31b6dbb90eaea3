"""Tables of City Services: tiles, Services against each other, rules, and squares of the board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balance.games.city_services.tally import ByPair, BySquare, ByTile
from balance.games.outcome import WIN_UNITS, ByGame, BySeat
from balance.scenario.city_services import CityServices
from balance.scenario.city_services_rules import placement_limits
from balance.stats.estimates import TOO_FEW, Blocks, Floats, Statistic, Sums, evidence, put, ratio
from balance.stats.outcome import AXES_SUMMED, By, Measured, groups_of, index_by
from balance.stats.tests import WaldTest, all_equal, each_against_the_others, holm, two_sided_p


def tiles_table(blocks: Blocks, scenario: CityServices, policies: Sequence[str], by: By | None = None) -> pd.DataFrame:
    """Return what each tile type did.

    Parameters
    ----------
    blocks : Blocks
    scenario : CityServices
    policies : sequence of str
        Names of the distinct policies.
    by : {"policy", "seat"}, optional
        One row for each policy, or seat, and tile; "per game" then means per game and player.

    Returns
    -------
    DataFrame
        Index tile (after policy or seat). Columns, each estimate with _se, _low and _high:
        kind, n (tiles placed), placed_per_game, vp_per_tile, vp_per_game, share_of_vp, turn (1 is the first of the
        game), win_share_per_copy (slope of the win share on the copies placed, within policy and seat: an
        association), denied_to_opponents (VP that the coverage of one tile placed denied to later tiles of opponents),
        blank_per_game (placed blank, by policies that may not use the tile), stuck_per_game, evidence.
    """
    groups = groups_of(blocks, policies, by)
    counts = _TileCounts(scenario, by, len(groups))
    placed = counts.column(blocks.total, ByTile.PLACED)[0]
    kinds = (["Zone"] * len(scenario.zones) + ["Service"] * len(scenario.services)) * counts.groups
    columns: dict[str, Any] = {"kind": kinds, "n": placed.astype(np.int64)}
    statistics: dict[str, Statistic] = {
        "placed_per_game": lambda sums: ratio(counts.column(sums, ByTile.PLACED), counts.games(sums)),
        "vp_per_tile": lambda sums: ratio(counts.vp(sums), counts.column(sums, ByTile.PLACED)),
        "vp_per_game": lambda sums: ratio(counts.vp(sums), counts.games(sums)),
        "share_of_vp": counts.share_of_vp,
        "turn": lambda sums: ratio(counts.column(sums, ByTile.TURNS), counts.column(sums, ByTile.PLACED)),
        "win_share_per_copy": lambda sums: _win_slope(sums, by),
        "denied_to_opponents": lambda sums: ratio(counts.denied(sums), counts.column(sums, ByTile.PLACED)),
        "blank_per_game": lambda sums: ratio(counts.column(sums, ByTile.BLANK), counts.games(sums)),
        "stuck_per_game": lambda sums: ratio(counts.column(sums, ByTile.STUCK), counts.games(sums)),
    }
    for name, statistic in statistics.items():
        put(columns, name, blocks.estimate(statistic), placed)
    is_zone = np.array(kinds) == "Zone"
    for name in ("vp_per_tile", "vp_per_game", "share_of_vp", "denied_to_opponents"):
        for end in ("", "_se", "_low", "_high"):
            columns[f"{name}{end}"] = np.where(is_zone, np.nan, columns[f"{name}{end}"])
    columns["evidence"] = evidence(placed)
    return pd.DataFrame(columns, index=index_by(groups, scenario.tiles, by))


@dataclass(frozen=True)
class _TileCounts:
    """What was counted of the tiles, for all games or by policy or seat; columns are (group, tile)."""

    scenario: CityServices
    by: By | None
    groups: int

    def column(self, sums: Sums, measure: ByTile) -> Floats:
        counted = sums("tiles")[..., measure].sum(axis=AXES_SUMMED[self.by])
        return counted.reshape(len(counted), -1)

    def games(self, sums: Sums) -> Floats:
        """Return the games, or the games and players of each group."""
        if self.by is None:
            return sums("games")[:, [ByGame.GAMES]]
        played = sums("seats")[..., BySeat.GAMES].sum(axis=AXES_SUMMED[self.by])
        return np.repeat(played, len(self.scenario.tiles), axis=1)

    def vp(self, sums: Sums) -> Floats:
        per_zone, printed = (np.tile(points, self.groups) for points in _points_by_tile(self.scenario))
        return self.column(sums, ByTile.GIVEN) * per_zone + self.column(sums, ByTile.PLACED) * printed

    def share_of_vp(self, sums: Sums) -> Floats:
        vp = self.vp(sums)
        by_group = vp.reshape(len(vp), self.groups, -1)
        return ratio(by_group, by_group.sum(axis=2, keepdims=True)).reshape(vp.shape)

    def denied(self, sums: Sums) -> Floats:
        per_zone, _ = _points_by_tile(self.scenario)
        return self.column(sums, ByTile.DENIED_TO_OPPONENTS) * np.tile(per_zone, self.groups)


def tile_values(scenario: CityServices, tiles: Sequence[str]) -> dict[str, Statistic]:
    """Return what is known of each tile on the board: own VP per tile placed."""
    numbers = [scenario.tiles.index(tile) for tile in tiles]
    return {"own_vp": lambda sums: _vp_per_tile(sums, scenario)[:, numbers]}


def tiles_placed(blocks: Blocks, scenario: CityServices, tiles: Sequence[str]) -> Floats:
    """Return how many of each tile were placed."""
    placed = blocks.total("tiles")[0, ..., ByTile.PLACED].sum(axis=(0, 1))
    counted: Floats = placed[[scenario.tiles.index(tile) for tile in tiles]]
    return counted


def services_table(blocks: Blocks, scenario: CityServices) -> pd.DataFrame:
    """Return how far the VP per tile of each Service lies from the mean of the others.

    Returns
    -------
    DataFrame
        Index tile, the Services that were placed. Columns: n, vp_per_tile and difference (with _se, _low,
        _high), p, p_holm, evidence.
    """
    placed, services = _placed_services(blocks, scenario)
    estimate = blocks.estimate(lambda sums: _vp_per_tile(sums, scenario)[:, services])
    columns: dict[str, Any] = {"n": placed.astype(np.int64)}
    put(columns, "vp_per_tile", estimate, placed)
    difference = each_against_the_others(estimate)
    put(columns, "difference", difference, placed)
    columns["p"] = np.where(placed >= TOO_FEW, two_sided_p(difference), np.nan)
    columns["p_holm"] = holm(columns["p"])
    columns["evidence"] = evidence(placed)
    return pd.DataFrame(columns, index=pd.Index(np.array(scenario.tiles)[services], name="tile"))


def services_test(blocks: Blocks, scenario: CityServices) -> WaldTest:
    """Test that all Services score alike, per tile placed."""
    _, services = _placed_services(blocks, scenario)
    return all_equal(blocks.estimate(lambda sums: _vp_per_tile(sums, scenario)[:, services]))


def rules_table(blocks: Blocks, scenario: CityServices) -> pd.DataFrame:
    """Return what the rules gave, denied and forbade.

    Returns
    -------
    DataFrame
        Index (part, rule). Columns: unit, per_game and share (each with _se, _low, _high), n, evidence. Revenue
        rows count Zones in range of a Service as it is placed (the three parts add up to the last row), placement rows
        count (type in hand, open square) pairs before each placement.
    """
    parts = [_revenue_rows(blocks), _placement_rows(blocks, scenario), _stuck_row(blocks)]
    table = pd.concat(parts)
    table["evidence"] = evidence(table["n"].to_numpy(dtype=np.float64))
    return table


def rule_measures(blocks: Blocks) -> dict[str, Measured]:
    """Return the shares of the Zones in range that gave points, or were denied by a rule."""
    columns = {
        "points given": (ByTile.GIVEN, "given"),
        "points denied by coverage": (ByTile.DENIED_BY_COVERAGE, "denied_by_coverage"),
        "points denied by the scoring limits": (ByTile.DENIED_BY_LIMIT, "denied_by_limits"),
    }
    all_columns = [column for column, _ in columns.values()]

    def share(column: ByTile) -> Statistic:
        def of_range(sums: Sums) -> Floats:
            tiles = sums("tiles").sum(axis=(1, 2, 3))
            return ratio(tiles[:, [column]], tiles[:, all_columns].sum(axis=1, keepdims=True))

        return of_range

    n = float(blocks.total("tiles")[0, ..., all_columns].sum())
    return {
        words: Measured(share(column), "share of Zones", n, is_share=True, key=f"rules.{key}")
        for words, (column, key) in columns.items()
    }


def board_table(blocks: Blocks, scenario: CityServices) -> pd.DataFrame:
    """Return where tiles are placed and where they score.

    Returns
    -------
    DataFrame
        Index (tile, row, column), rows and columns from 1; columns placed_per_game, vp_per_tile.
    """
    size = scenario.board.size
    counted = blocks.total("squares")[0]
    levels = [scenario.tiles, range(1, size + 1), range(1, size + 1)]
    table = pd.DataFrame(index=pd.MultiIndex.from_product(levels, names=["tile", "row", "column"]))
    placed = counted[..., BySquare.PLACED]
    per_zone, printed = _points_by_tile(scenario)
    vp = counted[..., BySquare.GIVEN] * per_zone[:, np.newaxis] + placed * printed[:, np.newaxis]
    table["placed_per_game"] = (placed / blocks.games).ravel()
    table["vp_per_tile"] = ratio(vp, placed).ravel()
    return table


def _placed_services(blocks: Blocks, scenario: CityServices) -> tuple[Floats, NDArray[np.intp]]:
    """Return how often each Service that was placed at all was placed, and their positions among the tiles."""
    placed = blocks.total("tiles")[0, ..., ByTile.PLACED].sum(axis=(0, 1))
    services = np.flatnonzero(placed > 0)
    services = services[services >= len(scenario.zones)]
    return placed[services], services


def _vp_per_tile(sums: Sums, scenario: CityServices) -> Floats:
    tiles = sums("tiles").sum(axis=(1, 2))
    per_zone, printed = _points_by_tile(scenario)
    return ratio(tiles[..., ByTile.GIVEN] * per_zone, tiles[..., ByTile.PLACED]) + printed


def _points_by_tile(scenario: CityServices) -> tuple[Floats, Floats]:
    """Return the points of each tile for a Zone that it scores, and for being placed."""
    zones = [0.0] * len(scenario.zones)
    services = scenario.services.values()
    per_zone = np.array(zones + [service.vp_per_zone for service in services])
    return per_zone, np.array(zones + [service.printed_vp for service in services])


def _win_slope(sums: Sums, by: By | None) -> Floats:
    """Return the slope of the win share on the copies placed, within policy and seat."""
    tiles = sums("tiles")
    seats = sums("seats")[..., np.newaxis, :]
    games, wins = seats[..., BySeat.GAMES], seats[..., BySeat.WINS] / WIN_UNITS
    copies = tiles[..., ByTile.PLACED]
    together = tiles[..., ByTile.PLACED_WINS] / WIN_UNITS - ratio(copies * wins, games)
    spread = tiles[..., ByTile.PLACED_SQUARED] - ratio(copies**2, games)
    axes = AXES_SUMMED[by]
    slope = ratio(np.nansum(together, axis=axes), np.nansum(spread, axis=axes))
    return slope.reshape(len(slope), -1)


def _rows(blocks: Blocks, names: Sequence[tuple[str, str]], unit: str, columns: Statistic) -> pd.DataFrame:
    """Return rows with each part per game and as a share of the last one."""
    n = columns(blocks.total)[0]
    table: dict[str, Any] = {"unit": unit}
    put(table, "per_game", blocks.estimate(lambda sums: ratio(columns(sums), sums("games")[:, [ByGame.GAMES]])), n)
    put(table, "share", blocks.estimate(lambda sums: ratio(columns(sums), columns(sums)[:, -1:])), n)
    table["n"] = n.astype(np.int64)
    return pd.DataFrame(table, index=pd.MultiIndex.from_tuples(names, names=["part", "rule"]))


def _revenue_rows(blocks: Blocks) -> pd.DataFrame:
    def parts(sums: Sums) -> Floats:
        tiles = sums("tiles").sum(axis=(1, 2, 3))
        three = tiles[:, [ByTile.GIVEN, ByTile.DENIED_BY_COVERAGE, ByTile.DENIED_BY_LIMIT]]
        return np.hstack([three, three.sum(axis=1, keepdims=True)])

    names = ["points given", "denied by coverage", "denied by the scoring limits", "all Zones in range"]
    return _rows(blocks, [("revenue", name) for name in names], "Zones in range", parts)


def _placement_rows(blocks: Blocks, scenario: CityServices) -> pd.DataFrame:
    def parts(sums: Sums) -> Floats:
        pairs = sums("pairs")
        several, alone = pairs[:, [ByPair.FORBIDDEN_BY_SEVERAL]], pairs[:, ByPair.FIRST_LIMIT :]
        forbidden = alone.sum(axis=1, keepdims=True) + several
        return np.hstack([alone, several, forbidden, pairs[:, [ByPair.OPEN]]])

    limits = [f"{tile} beside {other}" for tile, other in placement_limits(scenario)]
    names = [*limits, "several limits at once", "all forbidden pairs", "all pairs, allowed or not"]
    return _rows(blocks, [("placement limits", name) for name in names], "(type, square) pairs", parts)


def _stuck_row(blocks: Blocks) -> pd.DataFrame:
    def parts(sums: Sums) -> Floats:
        tiles = sums("tiles").sum(axis=(1, 2, 3))
        stuck = tiles[:, [ByTile.STUCK]]
        placed = tiles[:, [ByTile.PLACED, ByTile.BLANK]].sum(axis=1, keepdims=True)
        return np.hstack([stuck, placed, stuck + placed])

    names = ["left in hand at the end", "placed", "all tiles drawn"]
    return _rows(blocks, [("hands", name) for name in names], "tiles", parts)
