"""Tables of Quadropolis: tiles, rounds, rules, turns, spaces of the city, and who feeds whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from balance.games.outcome import WIN_UNITS, ByGame, BySeat
from balance.games.quadropolis.components import BUILDINGS, Building
from balance.games.quadropolis.shares import PART, Rule
from balance.games.quadropolis.tally import ByBuilding, ByOffer, ByRule, BySpace, ByTaken, ByTurn
from balance.scenario.quadropolis import POOL_BUILDINGS, Quadropolis
from balance.stats.estimates import Blocks, Floats, Statistic, Sums, evidence, put, ratio
from balance.stats.outcome import AXES_SUMMED, By, Measured, groups_of, index_by, measures_table

_NAMES = [building.name.lower() for building in Building]


def tiles_table(blocks: Blocks, scenario: Quadropolis, policies: Sequence[str], by: By | None = None) -> pd.DataFrame:
    """Return what each tile did; a tile is named by the building that it becomes.

    Parameters
    ----------
    blocks : Blocks
    scenario : Quadropolis
    policies : sequence of str
        Names of the distinct policies.
    by : {"policy", "seat"}, optional
        One row for each policy, or seat, and tile; "per game" then means per game and player.

    Returns
    -------
    DataFrame
        Index tile (after policy or seat). Columns, each estimate with _se, _low and _high: kind ("base" or
        "expansion"), n (tiles built), revealed_per_game (face up on the site, or visible), built_per_game, pick_rate
        (built of revealed), declined_per_game, exchanged_per_game (given up for a Public Service of the pool),
        discarded_per_game (visible, discarded by choice), buildings_per_game, active_share (of the buildings),
        vp_per_building and vp_per_game (own VP), share_of_vp, marginal_vp (per tile built: the score less that of the
        same city without it), holders (seats that had one), valued (tiles whose marginal VP was worked out), win_rate
        (of holders), expected_win_rate (of the same seats and policies whether or not they had one: indirect
        standardisation), win_rate_gain (their difference: an association), evidence.
    """
    axes, groups = AXES_SUMMED[by], groups_of(blocks, policies, by)

    def taken(sums: Sums, column: ByTaken) -> Floats:
        return _flat(sums("taken")[..., column].sum(axis=3).sum(axis=axes))

    def held(sums: Sums, column: ByBuilding) -> Floats:
        return _flat(sums("buildings")[..., column].sum(axis=axes))

    def games(sums: Sums) -> Floats:
        if by is None:
            return sums("games")[:, [ByGame.GAMES]]
        return np.repeat(sums("seats")[..., BySeat.GAMES].sum(axis=axes), BUILDINGS, axis=1)

    def revealed(sums: Sums) -> Floats:
        per_game = ratio(sums("offers")[..., ByOffer.REVEALED].sum(axis=1), sums("games")[:, [ByGame.GAMES]])
        return np.tile(per_game, len(groups)) * games(sums)

    def expected_wins(sums: Sums) -> Floats:
        seats = sums("seats")
        rate = ratio(seats[..., BySeat.WINS], WIN_UNITS * seats[..., BySeat.GAMES])[..., np.newaxis]
        holders = sums("buildings")[..., ByBuilding.HOLDERS]
        return _flat(np.nansum(holders * rate, axis=axes))

    def vp(sums: Sums) -> Floats:
        return held(sums, ByBuilding.OWN_VP) / PART

    def share_of_vp(sums: Sums) -> Floats:
        by_group = vp(sums).reshape(-1, len(groups), BUILDINGS)
        return ratio(by_group, by_group.sum(axis=2, keepdims=True)).reshape(-1, len(groups) * BUILDINGS)

    def win_rate(sums: Sums) -> Floats:
        return ratio(held(sums, ByBuilding.HOLDERS_WINS), WIN_UNITS * held(sums, ByBuilding.HOLDERS))

    def expected(sums: Sums) -> Floats:
        return ratio(expected_wins(sums), held(sums, ByBuilding.HOLDERS))

    built, buildings = taken(blocks.total, ByTaken.BUILT)[0], held(blocks.total, ByBuilding.BUILDINGS)[0]
    holders = held(blocks.total, ByBuilding.HOLDERS)[0]
    valued = held(blocks.total, ByBuilding.TILES_VALUED)[0]
    offered = revealed(blocks.total)[0]
    estimates: dict[str, tuple[Statistic, Floats, bool]] = {
        "revealed_per_game": (lambda sums: ratio(revealed(sums), games(sums)), offered, False),
        "built_per_game": (lambda sums: ratio(taken(sums, ByTaken.BUILT), games(sums)), built, False),
        "pick_rate": (lambda sums: ratio(taken(sums, ByTaken.BUILT), revealed(sums)), offered, True),
        "declined_per_game": (lambda sums: ratio(taken(sums, ByTaken.DECLINED), games(sums)), offered, False),
        "exchanged_per_game": (lambda sums: ratio(taken(sums, ByTaken.EXCHANGED), games(sums)), offered, False),
        "discarded_per_game": (lambda sums: ratio(taken(sums, ByTaken.DISCARDED), games(sums)), offered, False),
        "buildings_per_game": (lambda sums: ratio(held(sums, ByBuilding.BUILDINGS), games(sums)), buildings, False),
        "active_share": (
            lambda sums: ratio(held(sums, ByBuilding.ACTIVE), held(sums, ByBuilding.BUILDINGS)),
            buildings,
            True,
        ),
        "vp_per_building": (lambda sums: ratio(vp(sums), held(sums, ByBuilding.BUILDINGS)), buildings, False),
        "vp_per_game": (lambda sums: ratio(vp(sums), games(sums)), buildings, False),
        "share_of_vp": (share_of_vp, buildings, False),
        "marginal_vp": (
            lambda sums: ratio(held(sums, ByBuilding.MARGINAL_VP), held(sums, ByBuilding.TILES_VALUED)),
            valued,
            False,
        ),
        "win_rate": (win_rate, holders, True),
        "expected_win_rate": (expected, holders, True),
        "win_rate_gain": (lambda sums: win_rate(sums) - expected(sums), holders, False),
    }
    columns: dict[str, Any] = {
        "kind": ["expansion" if name in POOL_BUILDINGS else "base" for name in _NAMES] * len(groups),
        "n": built.astype(np.int64),
    }
    for name, (statistic, n, is_share) in estimates.items():
        put(columns, name, blocks.estimate(statistic), n, share=is_share)
    columns["holders"] = holders.astype(np.int64)
    columns["valued"] = valued.astype(np.int64)
    columns["evidence"] = evidence(built)
    return _in_play(pd.DataFrame(columns, index=index_by(groups, _NAMES, by)), scenario)


def tile_values(tiles: Sequence[str]) -> dict[str, Statistic]:
    """Return what is known of each tile in the city: own VP per building, and marginal VP per tile."""
    numbers = [Building[tile.upper()] for tile in tiles]

    def of(sums: Sums, column: ByBuilding) -> Floats:
        return sums("buildings")[..., column].sum(axis=(1, 2))[:, numbers]

    return {
        "own_vp": lambda sums: ratio(of(sums, ByBuilding.OWN_VP) / PART, of(sums, ByBuilding.BUILDINGS)),
        "marginal_vp": lambda sums: ratio(of(sums, ByBuilding.MARGINAL_VP), of(sums, ByBuilding.TILES_VALUED)),
    }


def tiles_valued(blocks: Blocks, tiles: Sequence[str]) -> Floats:
    """Return how many of each tile had their marginal VP worked out."""
    valued = blocks.total("buildings")[0, ..., ByBuilding.TILES_VALUED].sum(axis=(0, 1))
    counted: Floats = valued[[Building[tile.upper()] for tile in tiles]]
    return counted


def rounds_table(blocks: Blocks, scenario: Quadropolis) -> pd.DataFrame:
    """Return what was offered and taken of each tile in each round.

    Returns
    -------
    DataFrame
        Index (tile, round), rounds from 1. Columns, each estimate with _se, _low and _high: n (tiles revealed),
        revealed_per_game, built_per_game, pick_rate, evidence.
    """

    def games(sums: Sums) -> Floats:
        return sums("games")[:, [ByGame.GAMES]]

    def revealed(sums: Sums) -> Floats:
        return _flat(sums("offers")[..., ByOffer.REVEALED].transpose(0, 2, 1))

    def built(sums: Sums) -> Floats:
        return _flat(sums("taken")[..., ByTaken.BUILT].sum(axis=(1, 2)).transpose(0, 2, 1))

    n = revealed(blocks.total)[0]
    columns: dict[str, Any] = {"n": n.astype(np.int64)}
    put(columns, "revealed_per_game", blocks.estimate(lambda sums: ratio(revealed(sums), games(sums))), n)
    put(columns, "built_per_game", blocks.estimate(lambda sums: ratio(built(sums), games(sums))), n)
    put(columns, "pick_rate", blocks.estimate(lambda sums: ratio(built(sums), revealed(sums))), n, share=True)
    columns["evidence"] = evidence(n)
    levels = [_NAMES, range(1, scenario.rounds + 1)]
    index = pd.MultiIndex.from_product(levels, names=["tile", "round"])
    return _in_play(pd.DataFrame(columns, index=index), scenario)


def rules_table(blocks: Blocks, scenario: Quadropolis) -> pd.DataFrame:
    """Return what each rule gave or took; the rows add up to the score.

    Returns
    -------
    DataFrame
        Index rule, the last row being "score" (without handicaps). Columns, each estimate with _se, _low and _high:
        vp (per player and game), vp_of_winners (per win), share (of the score), n (games and players), evidence.
    """
    names = [*(rule.name.lower() for rule in Rule), "score"]

    def of(sums: Sums, column: ByRule) -> Floats:
        rules = sums("rules")[..., column].sum(axis=(1, 2))
        return np.hstack([rules, rules.sum(axis=1, keepdims=True)])

    def wins(sums: Sums) -> Floats:
        return sums("seats")[..., BySeat.WINS].sum(axis=(1, 2))[:, np.newaxis]

    n = np.repeat(_players(blocks.total)[0], len(names))
    columns: dict[str, Any] = {}
    put(columns, "vp", blocks.estimate(lambda sums: ratio(of(sums, ByRule.VP), _players(sums))), n)
    put(columns, "vp_of_winners", blocks.estimate(lambda sums: ratio(of(sums, ByRule.VP_OF_WINNERS), wins(sums))), n)
    put(columns, "share", blocks.estimate(lambda sums: ratio(of(sums, ByRule.VP), of(sums, ByRule.VP)[:, -1:])), n)
    columns["n"] = n.astype(np.int64)
    columns["evidence"] = evidence(n)
    table = pd.DataFrame(columns, index=pd.Index(names, name="rule"))
    absent = [name for name in POOL_BUILDINGS if name not in scenario.buildings]
    absent += ["capitol_penalties"] if "capitol" in absent else []
    absent += [rule for rule, tile in _RULES_OF.items() if tile not in scenario.buildings]
    return table[~table.index.isin(absent)]


_RULES_OF = {"office_towers": "office_tower", "monuments": "monument", "monument_penalties": "monument"}


def rule_measures(blocks: Blocks) -> dict[str, Measured]:
    """Return each rule's share of all VP, penalties as negative shares."""

    def shares(sums: Sums) -> Floats:
        vp = sums("rules")[..., ByRule.VP].sum(axis=(1, 2))
        return ratio(vp, vp.sum(axis=1, keepdims=True))

    def of(rule: Rule) -> Statistic:
        return lambda sums: shares(sums)[:, [rule]]

    n = float(_players(blocks.total)[0, 0])
    return {
        f"VP from {rule.name.lower()}".replace("_", " "): Measured(
            of(rule), "share of VP", n, key=f"rules.{rule.name.lower()}.share"
        )
        for rule in Rule
    }


def turns_table(blocks: Blocks) -> pd.DataFrame:
    """Return what turns came to, what was left over, and which buildings stayed inactive.

    Returns
    -------
    DataFrame
        Index measure. Columns: value (with _se, _low, _high), unit, n (games and players), evidence.
    """

    def per_player(column: ByTurn) -> Measured:
        return row_of(lambda sums: ratio(sums("turns")[..., column].sum(axis=(1, 2))[:, np.newaxis], _players(sums)))

    def row_of(statistic: Statistic) -> Measured:
        return Measured(statistic, "per player", float(_players(blocks.total)[0, 0]))

    def inactive(sums: Sums) -> Floats:
        buildings = sums("buildings").sum(axis=(1, 2, 3))
        missing = buildings[:, [ByBuilding.BUILDINGS]] - buildings[:, [ByBuilding.ACTIVE]]
        return ratio(missing, _players(sums))

    rows = {
        "turns": per_player(ByTurn.TURNS),
        "turns that reached nothing": per_player(ByTurn.NOTHING_REACHED),
        "tiles declined": per_player(ByTurn.DECLINED),
        "inhabitants left over": per_player(ByTurn.LEFT_INHABITANTS),
        "energy left over": per_player(ByTurn.LEFT_ENERGY),
        "buildings left inactive": row_of(inactive),
    }
    return measures_table(blocks, rows)


def spaces_table(blocks: Blocks, scenario: Quadropolis) -> pd.DataFrame:
    """Return where tiles are built and what they score there.

    Returns
    -------
    DataFrame
        Index (tile, row, column), rows and columns from 1; columns buildings_per_game (all players), vp_per_building.
    """
    counted = blocks.total("spaces")[0]
    levels = [_NAMES, range(1, scenario.city.rows + 1), range(1, scenario.city.columns + 1)]
    buildings = counted[..., BySpace.BUILDINGS]
    columns = {
        "buildings_per_game": (buildings / blocks.games).ravel(),
        "vp_per_building": ratio(counted[..., BySpace.OWN_VP] / PART, buildings).ravel(),
    }
    index = pd.MultiIndex.from_product(levels, names=["tile", "row", "column"])
    return _in_play(pd.DataFrame(columns, index=index), scenario)


def feeds_table(blocks: Blocks, scenario: Quadropolis) -> pd.DataFrame:
    """Return how many points each tile makes each other one earn.

    Returns
    -------
    DataFrame
        Index giver, columns scorer, tiles in the order of the scenario: VP per game, all players together.
    """
    vp = blocks.total("feeds")[0] / PART / blocks.games
    table = pd.DataFrame(vp, index=pd.Index(_NAMES, name="giver"), columns=pd.Index(_NAMES, name="scorer"))
    return table.loc[scenario.buildings, scenario.buildings]


def _in_play(table: pd.DataFrame, scenario: Quadropolis) -> pd.DataFrame:
    """Return the rows of the tiles that the scenario has."""
    return table[table.index.get_level_values("tile").isin(scenario.buildings)]


def _players(sums: Sums) -> Floats:
    """Return games and players, (rows, 1)."""
    return sums("seats")[..., BySeat.GAMES].sum(axis=(1, 2))[:, np.newaxis]


def _flat(sums: Floats) -> Floats:
    return sums.reshape(len(sums), -1)
