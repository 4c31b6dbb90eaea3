"""Every column of every table equals a plain count over single games, as a referee wrote them down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from balance.games.city_services.show import replay_data
from balance.jit import JIT_IS_DISABLED
from balance.runs.engine import engine_of
from balance.scenario.city_services import CityServices
from balance.scenario.load import Scenario
from balance.stats.estimates import TOO_FEW
from balance.studies.run import simulate
from balance.studies.tables import Run
from tests.studies.referee import Facts, facts_of

GAMES = 12 if JIT_IS_DISABLED else 260
ENDS = ("", "_se", "_low", "_high")
OF_SERVICES = ["vp_per_tile", "vp_per_game", "share_of_vp", "denied_to_opponents"]


class Played(NamedTuple):
    """A run and its games one by one."""

    run: Run
    games: list[Facts]


@pytest.fixture(scope="module")
def played(small: Scenario) -> Played:
    """Three unequal players; points that differ by tile; seats that change after 240 games."""
    data = small.model_dump()
    data["services"]["fire"] |= {"vp_per_zone": 3, "printed_vp": 2}
    data["services"]["parks"] |= {"printed_vp": 1}
    data["seats"]["handicap"] = [1, 0, 2, 0]
    scenario = CityServices.model_validate(data)
    run = simulate(scenario, GAMES, players=3, policy="random,random-roads,random", seed=12)
    engine = engine_of(run.plan)
    games = []
    for game in range(GAMES):
        replayed = replay_data(engine.rules, scenario.board.size, scenario.tiles, engine.record(game))
        games.append(facts_of({**run.plan.as_data(), "game": game, **replayed}))
    return Played(run, games)


def rows(games: Iterable[Facts], *, policy: str | None = None, seat: int | None = None) -> list[tuple[Facts, int]]:
    """Return (game, seat) for every seat that played, or those of a policy or seat."""
    return [
        (facts, number)
        for facts in games
        for number, name in enumerate(facts.policies)
        if policy in (None, name) and seat in (None, number + 1)
    ]


def summed(counters: Iterable[Counter[str]]) -> Counter[str]:
    """Add counters up."""
    total: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
    return total


def divided(above: float, below: float) -> float:
    """Divide; nothing by nothing is undefined."""
    return above / below if below else np.nan


def plain_tiles(scenario: Scenario, chosen: list[tuple[Facts, int]], games: int) -> pd.DataFrame:
    """Count the tiles of some seats."""
    placed = summed(facts.placed[seat] for facts, seat in chosen)
    blank = summed(facts.blank[seat] for facts, seat in chosen)
    points = summed(facts.points[seat] for facts, seat in chosen)
    turns = summed(facts.turns_placed[seat] for facts, seat in chosen)
    denied = summed(facts.denied_to_opponents[seat] for facts, seat in chosen)
    stuck = summed(facts.left[seat] for facts, seat in chosen)
    all_points = sum(points.values())
    table = {}
    for tile in scenario.tiles:
        n = placed[tile]
        table[tile] = {
            "n": n,
            "placed_per_game": n / games,
            "turn": divided(turns[tile], n),
            "blank_per_game": blank[tile] / games,
            "stuck_per_game": stuck[tile] / games,
        }
        if tile in scenario.services:
            per_zone = scenario.services[tile].vp_per_zone
            table[tile] |= {
                "vp_per_tile": divided(points[tile], n),
                "vp_per_game": points[tile] / games,
                "share_of_vp": divided(points[tile], all_points),
                "denied_to_opponents": divided(per_zone * denied[tile], n),
            }
    return pd.DataFrame(table).T.reindex(scenario.tiles)


def assert_same_columns(table: pd.DataFrame, plain: pd.DataFrame) -> None:
    """Compare the columns that a plain count has."""
    assert list(table.index) == list(plain.index)
    for column in plain:
        assert table[column].to_numpy(dtype=float) == pytest.approx(
            plain[column].to_numpy(dtype=float), rel=1e-12, nan_ok=True
        ), column


# Tiles


def test_the_tiles_table_equals_a_plain_count(played: Played) -> None:
    scenario = played.run.plan.scenario
    assert_same_columns(played.run.tiles(), plain_tiles(scenario, rows(played.games), GAMES))


def test_the_tiles_table_by_policy_equals_a_plain_count_per_game_and_player(played: Played) -> None:
    table = played.run.tiles(by="policy")
    for policy in ("random", "random-roads"):
        chosen = rows(played.games, policy=policy)
        assert_same_columns(table.loc[policy], plain_tiles(played.run.plan.scenario, chosen, len(chosen)))
    assert table.loc["random-roads"].loc["roads", "n"] == 0
    assert table.loc["random-roads"].loc["roads", "blank_per_game"] > 0


def test_the_tiles_table_by_seat_equals_a_plain_count_per_game(played: Played) -> None:
    table = played.run.tiles(by="seat")
    for seat in (1, 2, 3):
        chosen = rows(played.games, seat=seat)
        assert_same_columns(table.loc[seat], plain_tiles(played.run.plan.scenario, chosen, len(chosen)))


def ordinary_least_squares(chosen: list[tuple[Facts, int]], tile: str) -> float:
    """Regress the win share on the copies placed, with a constant for each policy and seat."""
    groups = sorted({(facts.policies[seat], seat) for facts, seat in chosen})
    design = np.zeros((len(chosen), 1 + len(groups)))
    wins = np.array([facts.win_shares[seat] for facts, seat in chosen])
    for number, (facts, seat) in enumerate(chosen):
        design[number, 0] = facts.placed[seat][tile]
        design[number, 1 + groups.index((facts.policies[seat], seat))] = 1
    if np.ptp(design[:, 0]) == 0:
        return np.nan
    return float(np.linalg.lstsq(design, wins, rcond=None)[0][0])


def test_the_win_share_per_copy_is_a_regression_within_policy_and_seat(played: Played) -> None:
    table = played.run.tiles()["win_share_per_copy"]
    for tile in ("residential", "industrial", "roads", "fire", "parks", "waste"):
        assert table[tile] == pytest.approx(ordinary_least_squares(rows(played.games), tile), rel=1e-8), tile
    by_seat = played.run.tiles(by="seat")["win_share_per_copy"]
    by_policy = played.run.tiles(by="policy")["win_share_per_copy"]
    fire_of_seat_2 = ordinary_least_squares(rows(played.games, seat=2), "fire")
    assert by_seat[2, "fire"] == pytest.approx(fire_of_seat_2, rel=1e-8)
    fire_of_random = ordinary_least_squares(rows(played.games, policy="random"), "fire")
    assert by_policy["random", "fire"] == pytest.approx(fire_of_random, rel=1e-8)


def test_one_seat_alone_is_an_ordinary_fit_of_a_line(played: Played) -> None:
    run = simulate(played.run.plan.scenario, GAMES, players=3, seed=12)
    engine = engine_of(run.plan)
    chosen = []
    for game in range(GAMES):
        counted = engine.play(game, game + 1)
        copies = counted["tiles"][game % 240, 0, 0, run.plan.scenario.tiles.index("fire"), 0]
        chosen.append((copies, counted["seats"][game % 240, 0, 0, 3] / 12))
    slope = np.polyfit(*np.array(chosen).T, 1)[0]
    assert run.tiles(by="seat").loc[(1, "fire"), "win_share_per_copy"] == pytest.approx(slope, rel=1e-8)


def test_shares_of_vp_add_up_to_one_and_zones_have_none(played: Played) -> None:
    table = played.run.tiles()
    assert table["share_of_vp"].sum() == pytest.approx(1, abs=1e-12)
    zones = table[table["kind"] == "Zone"]
    assert zones[[f"{name}{end}" for name in OF_SERVICES for end in ENDS]].isna().all(axis=None)
    for by in ("policy", "seat"):
        shares = played.run.tiles(by=by)["share_of_vp"].groupby(level=0).sum()
        assert shares.to_numpy() == pytest.approx(1, abs=1e-12)


def test_vp_of_all_tiles_and_handicaps_add_up_to_the_scores(played: Played) -> None:
    seats = played.run.seats()
    all_scores = (seats["games"] * seats["score"]).sum() / GAMES
    assert played.run.tiles()["vp_per_game"].sum() == pytest.approx(all_scores - (1 + 0 + 2))


def test_what_is_dealt_is_placed_or_stuck(played: Played) -> None:
    table, scenario = played.run.tiles(), played.run.plan.scenario
    counts = {name: tile.count for name, tile in {**scenario.zones, **scenario.services}.items()}
    everywhere = table["placed_per_game"] + table["blank_per_game"] + table["stuck_per_game"]
    assert everywhere.to_dict() == pytest.approx(counts)


def test_rows_by_policy_or_seat_add_up_to_all(played: Played) -> None:
    table = played.run.tiles()
    for by in ("policy", "seat"):
        assert played.run.tiles(by=by)["n"].groupby(level="tile").sum().to_dict() == table["n"].to_dict()


def test_rows_with_fewer_than_100_occurrences_have_no_interval(played: Played) -> None:
    table = played.run.tiles(by="policy")
    few = table["n"] < TOO_FEW
    assert few.any()
    assert table.loc[few, "turn_low"].isna().all()
    assert table.loc[~few, "turn_low"].notna().all()
    assert (table["evidence"] == "enough").tolist() == (~few).tolist()
    assert (table["evidence"] == "no data").tolist() == (table["n"] == 0).tolist()


# Services


def test_services_are_compared_with_the_plain_mean_of_the_others(played: Played) -> None:
    table, tiles = played.run.services(), played.run.tiles()
    assert list(table.index) == [
        tile for tile in tiles.index if tiles.loc[tile, "kind"] == "Service" and tiles.loc[tile, "n"]
    ]
    for tile in table.index:
        others = tiles["vp_per_tile"].loc[table.index.drop(tile)].mean()
        assert table.loc[tile, "difference"] == pytest.approx(tiles.loc[tile, "vp_per_tile"] - others)


# Rules


def test_given_and_denied_zones_add_up_to_those_in_range(played: Played) -> None:
    table = played.run.rules()
    parts = table.loc["revenue"]
    plain = {
        "points given": sum(facts.given for facts in played.games),
        "denied by coverage": sum(facts.denied_by_coverage for facts in played.games),
        "denied by the scoring limits": sum(facts.denied_by_limit for facts in played.games),
    }
    plain["all Zones in range"] = sum(plain.values())
    assert parts["n"].to_dict() == plain
    for rule, zones in plain.items():
        assert parts.loc[rule, "per_game"] == pytest.approx(zones / GAMES)
        assert parts.loc[rule, "share"] == pytest.approx(zones / plain["all Zones in range"])
    assert parts["share"].iloc[:-1].sum() == pytest.approx(1, abs=1e-12)


def test_forbidden_pairs_add_up(played: Played) -> None:
    parts = played.run.rules().loc["placement limits", "n"]
    *limits, together, everything = parts.index
    assert parts[limits].sum() == parts[together]
    assert 0 < parts[together] < parts[everything]
    assert [name for name in limits if " beside " in name] == [
        "residential beside industrial",
        "transportation beside residential",
        "entertainment beside residential",
        "waste beside residential",
    ]


def test_tiles_in_hand_and_placed_add_up_to_all_drawn(played: Played) -> None:
    parts = played.run.rules().loc["hands", "n"]
    assert parts["left in hand at the end"] == sum(facts.left[seat].total() for facts, seat in rows(played.games))
    assert parts["left in hand at the end"] + parts["placed"] == parts["all tiles drawn"]
    assert parts["all tiles drawn"] == GAMES * played.run.plan.scenario.tile_total


# Squares


def test_the_board_table_equals_a_plain_count(played: Played) -> None:
    squares: Counter[tuple[str, tuple[int, int]]] = Counter()
    for facts in played.games:
        squares.update(facts.squares)
    table = played.run.board()
    for tile, row, column in table.index:
        placed = table.loc[(tile, row, column), "placed_per_game"]
        assert placed == pytest.approx(squares[tile, (row, column)] / GAMES)
    per_tile = (table["placed_per_game"] * table["vp_per_tile"].fillna(0)).groupby("tile", sort=False).sum()
    services = played.run.tiles().query("kind == 'Service'")["vp_per_game"]
    assert per_tile[services.index].to_dict() == pytest.approx(services.to_dict())


# Seats, policies, scores


def test_scores_and_win_shares_by_policy_and_seat_equal_a_plain_count(played: Played) -> None:
    table = played.run.seats()
    for policy, seat in table.index:
        chosen = rows(played.games, policy=policy, seat=seat)
        row = table.loc[(policy, seat)]
        assert row["games"] == len(chosen) > 0
        assert row["score"] == pytest.approx(np.mean([facts.scores[number] for facts, number in chosen]))
        assert row["win_share"] == pytest.approx(np.mean([facts.win_shares[number] for facts, number in chosen]))
    by_policy = played.run.by_policy()
    for policy in by_policy.index:
        chosen = rows(played.games, policy=policy)
        assert by_policy.loc[policy, "games"] == len(chosen)
        assert by_policy.loc[policy, "score"] == pytest.approx(np.mean([f.scores[number] for f, number in chosen]))
        assert by_policy.loc[policy, "win_share"] == pytest.approx(
            np.mean([facts.win_shares[number] for facts, number in chosen])
        )


def test_the_shares_of_all_wins_add_up_to_one_a_game(played: Played) -> None:
    for table in (played.run.seats(), played.run.by_policy()):
        assert (table["games"] * table["win_share"]).sum() == pytest.approx(GAMES)


MEASURES: dict[str, Callable[[list[Facts]], float]] = {
    "mean score": lambda games: float(np.mean([facts.scores for facts in games])),
    "spread of scores (SD)": lambda games: float(np.std([facts.scores for facts in games])),
    "margin of victory": lambda games: float(np.mean([np.diff(sorted(facts.scores))[-1] for facts in games])),
    "shared wins": lambda games: float(np.mean([max(facts.win_shares) < 1 for facts in games])),
    "length": lambda games: float(np.mean([facts.turns for facts in games])),
    "length to the last placement": lambda games: float(np.mean([facts.last_placement for facts in games])),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_scores_and_length_equal_a_plain_count(played: Played, measure: str) -> None:
    row = played.run.scores().loc[measure]
    assert row["value"] == pytest.approx(MEASURES[measure](played.games))
    assert row["n"] == GAMES


def test_the_histogram_and_the_margins_equal_a_plain_count(played: Played) -> None:
    histogram = played.run.histogram()
    assert histogram.sum().to_numpy() == pytest.approx(1)
    for policy, seat in histogram.columns:
        scores = [facts.scores[number] for facts, number in rows(played.games, policy=policy, seat=seat)]
        for score in histogram.index:
            assert histogram.loc[score, (policy, seat)] == pytest.approx(scores.count(score) / len(scores))
    margins = played.run.margins()
    plain = Counter(int(np.diff(sorted(facts.scores))[-1]) for facts in played.games)
    assert {margin: games for margin, games in margins["games"].items() if games} == dict(plain)
    assert margins["share"].sum() == pytest.approx(1)


def test_the_arc_ends_at_the_final_score_and_never_falls(played: Played) -> None:
    arc, seats = played.run.arc()["score"].unstack("turn"), played.run.seats()["score"]
    assert (arc.diff(axis=1).iloc[:, 1:] >= -1e-9).all(axis=None)
    assert arc.iloc[:, -1].to_dict() == pytest.approx(seats.to_dict(), abs=0.01)


# Errors come from the blocks


@pytest.mark.jitted
def test_errors_of_columns_are_the_jackknife_over_games_by_number(played: Played) -> None:
    scores = np.array([facts.scores for facts in played.games], dtype=float).sum(axis=1)
    total, blocks = scores.sum(), np.arange(GAMES) % 240
    left_out = [(total - scores[blocks == block].sum()) / (GAMES - (blocks == block).sum()) / 3 for block in range(240)]
    error = np.sqrt(239 / 240 * np.square(np.array(left_out) - np.mean(left_out)).sum())
    assert played.run.scores().loc["mean score", "value_se"] == pytest.approx(error)


@pytest.mark.jitted
def test_errors_shrink_with_the_root_of_the_games(printed: Scenario, random_run: Run) -> None:
    more = simulate(printed, 4 * random_run.games).scores()["value_se"]
    assert (random_run.scores()["value_se"] / more).to_numpy() == pytest.approx(2, rel=0.25)


@pytest.mark.jitted
def test_unequal_policies_are_told_apart_and_equal_ones_are_not(mixed_run: Run, printed: Scenario) -> None:
    assert mixed_run.policies_test().p < 1e-9
    assert mixed_run.by_policy()["win_share"].idxmax() == "greedy"
    alike = simulate(printed, 960, policy="random,random,random,random", seed=5)
    assert np.isnan(alike.policies_test().p)
