"""`compare` pairs games that share their luck; `ablate` is a comparison with a rule switched off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from balance.errors import InputError
from balance.games.outcome import BLOCKS, BySeat
from balance.runs.tallies import same_tallies
from balance.scenario.describe import values_table
from balance.scenario.load import Scenario, load_scenario
from balance.stats.comparison import SUPERIORITY
from balance.studies.compare import Comparison, ablate, compare, without_rule
from balance.studies.run import read_run, simulate

pytestmark = pytest.mark.jitted

GAMES = 480
CHANGED = ["revenue.coverage=off"]


@pytest.fixture(scope="module")
def uncovered() -> Scenario:
    return load_scenario("city-services", changes=CHANGED)


@pytest.fixture(scope="module")
def found(printed: Scenario, uncovered: Scenario) -> Comparison:
    return compare(printed, uncovered, games=GAMES, players=2, policy="random")


def same_tables(one: Comparison, other: Comparison) -> None:
    for name in ("measures", "seats", "tiles"):
        pd.testing.assert_frame_equal(getattr(one, name)(), getattr(other, name)())


# Paired or not


def test_scenarios_are_played_on_the_same_luck_and_paired(
    found: Comparison, printed: Scenario, uncovered: Scenario
) -> None:
    assert found.pair.is_paired
    for run, scenario in ((found.a, printed), (found.b, uncovered)):
        alone = simulate(scenario, GAMES, players=2, policy="random")
        assert same_tallies(run.tallies, alone.tallies)
        assert run.plan == alone.plan


def test_a_paired_difference_of_scores_is_that_of_the_blocks(found: Comparison) -> None:
    by_block = [
        run.tallies["seats"][..., BySeat.SCORE].sum(axis=(1, 2)) / (GAMES // BLOCKS * 2) for run in (found.a, found.b)
    ]
    differences = by_block[0] - by_block[1]
    row = found.measures().loc["mean score"]
    assert row["difference"] == pytest.approx(differences.mean())
    assert row["difference_se"] == pytest.approx(differences.std(ddof=1) / np.sqrt(BLOCKS))
    unpaired = np.sqrt(sum(scores.var(ddof=1) for scores in by_block) / BLOCKS)
    assert row["difference_se"] < unpaired


@pytest.mark.parametrize(
    ("other", "is_paired"),
    [
        ({}, True),
        ({"seed": 2}, False),
        ({"games": 300}, False),
        ({"players": 3}, True),
        ({"policy": "random-fire"}, True),
    ],
    ids=str,
)
def test_runs_are_paired_where_they_share_seed_and_number_of_games(
    printed: Scenario, uncovered: Scenario, tmp_path: Path, other: dict[str, Any], is_paired: bool
) -> None:
    options: dict[str, Any] = {"games": 240, "players": 2, "policy": "random"}
    simulate(printed, **options, out=tmp_path / "a")
    simulate(uncovered, **{**options, **other}, out=tmp_path / "b")
    of_folders = compare(read_run(tmp_path / "a"), read_run(tmp_path / "b"))
    assert of_folders.pair.is_paired == is_paired
    row = of_folders.measures().loc["mean score"]
    errors = np.hypot(row["a_se"], row["b_se"])
    assert (row["difference_se"] == pytest.approx(errors)) == (not is_paired)


def test_a_run_is_compared_with_a_scenario_that_is_played_here(found: Comparison, uncovered: Scenario) -> None:
    mixed = compare(found.a, uncovered, games=GAMES, players=2, policy="random")
    assert mixed.pair.is_paired
    same_tables(mixed, found)


def test_a_game_against_itself_differs_by_nothing(printed: Scenario) -> None:
    same = compare(printed, printed, games=240, players=2, policy="random")
    for table in (same.measures(), same.seats(), same.tiles()):
        assert (table[["difference", "difference_se", "difference_low", "difference_high"]] == 0).all(axis=None)
        assert table["p"].isna().all()
    assert same.measures().loc[SUPERIORITY, "a"] == 0.5


def test_the_other_way_round_all_differences_change_their_sign(
    found: Comparison, printed: Scenario, uncovered: Scenario
) -> None:
    back = compare(uncovered, printed, games=GAMES, players=2, policy="random")
    for there, turned in ((found.seats(), back.seats()), (found.tiles(), back.tiles())):
        assert there["difference"].to_numpy() == pytest.approx(-turned["difference"].to_numpy())
        assert there["difference_high"].to_numpy() == pytest.approx(-turned["difference_low"].to_numpy())
        assert there["p"].to_numpy() == pytest.approx(turned["p"].to_numpy())
    assert back.names == tuple(reversed(found.names))


# Tables


def test_there_is_a_number_wherever_there_is_data(found: Comparison) -> None:
    for table in (found.measures(), found.seats(), found.tiles()):
        assert len(table) > 0
        known = table[table["difference_se"] > 0]
        assert len(known) > 0
        assert known.drop(columns="size", errors="ignore").notna().all(axis=None)


def test_seats_are_compared_by_policy(printed: Scenario, uncovered: Scenario) -> None:
    unequal = compare(printed, uncovered, games=480, players=2, policy="random,random-fire")
    seats = unequal.seats()
    assert list(seats.index) == [("random", 1), ("random", 2), ("random-fire", 1), ("random-fire", 2)]
    for (policy, seat), row in seats.iterrows():
        for side, run in (("a", unequal.a), ("b", unequal.b)):
            assert row[side] == pytest.approx(run.seats().loc[(policy, seat), "score"])
    assert (seats["n"] == 240).all()


def test_seats_that_a_policy_never_had_are_not_listed(printed: Scenario, uncovered: Scenario) -> None:
    unequal = compare(printed, uncovered, games=120, players=2, policy="random,random-fire")  # no rotation yet
    assert list(unequal.seats().index) == [("random", 1), ("random-fire", 2)]


def test_seats_of_other_players_or_policies_are_not_compared(found: Comparison, uncovered: Scenario) -> None:
    for options in ({"players": 3}, {"players": 2, "policy": "random-fire"}):
        assert compare(found.a, simulate(uncovered, 240, **options)).seats().empty


def test_tiles_are_those_that_both_games_have(printed: Scenario) -> None:
    without = load_scenario("city-services", without=["fire", "roads"])
    tiles = compare(printed, without, games=240, players=2, policy="random").tiles()
    assert list(tiles.index) == [name for name in printed.pools["services"] if name not in ("fire", "roads")]


def test_tiles_differ_by_what_they_print(printed: Scenario) -> None:
    more = load_scenario("city-services", changes=["services.parks.printed_vp=3"])
    tiles = compare(more, printed, games=240, players=2, policy="random").tiles()
    assert tiles["difference"].drop("parks").abs().max() == 0
    assert tiles.loc["parks", "difference"] == pytest.approx(3)
    assert tiles.loc["parks", "n"] == more_placed(more)


def more_placed(scenario: Scenario) -> int:
    return int(simulate(scenario, 240, players=2).tiles().loc["parks", "n"])


def test_tiles_of_quadropolis_differ_by_their_marginal_vp() -> None:
    both = compare("quadropolis-classic", "quadropolis-expert-classic-pool", games=40, players=2, policy="greedy")
    tiles = both.tiles()
    assert {"school", "shop"} <= set(tiles.index)
    assert "monument" not in tiles.index
    marginal = both.a.tiles()["marginal_vp"][list(tiles.index)]
    assert tiles["a"].to_numpy() == pytest.approx(marginal.to_numpy(), nan_ok=True)


def test_a_few_games_give_words_instead_of_intervals(printed: Scenario, uncovered: Scenario) -> None:
    few = compare(printed, uncovered, games=1, players=2, policy="random")
    measures, seats, tiles = few.measures(), few.seats(), few.tiles()
    rare = measures["n"] < 100
    assert rare.any()
    assert measures.loc[rare, ["p", "difference_low", "difference_high"]].isna().all(axis=None)
    for table in (seats, tiles):
        assert set(table["evidence"]) <= {"too few", "no data"}
        assert table[["p", "difference_low", "difference_high"]].isna().all(axis=None)
    assert (seats["evidence"] == "too few").all()


# A rule


def test_ablating_a_rule_is_comparing_with_its_off_value(printed: Scenario, found: Comparison) -> None:
    for rule in ("coverage", "revenue.coverage"):
        ablated = ablate(printed, rule, games=GAMES, players=2, policy="random")
        assert ablated.rule == "revenue.coverage"
        assert ablated.names == ("with revenue.coverage", "without revenue.coverage")
        assert ablated.pair.is_paired
        assert same_tallies(ablated.a.tallies, found.a.tallies)
        assert same_tallies(ablated.b.tallies, found.b.tallies)
        same_tables(ablated, found)
    assert ablated.measures().loc["mean score", "difference"] < 0  # what is covered scores no second time


@pytest.mark.parametrize("name", ["city-services", "city-services-one-way", "quadropolis-expert"])
def test_every_rule_can_be_switched_off_and_nothing_else_changes(name: str) -> None:
    scenario = load_scenario(name)
    before = values_table(scenario)
    rules = before[before["off"].notna()]
    switched = 0
    for key in rules.index:
        if rules.loc[key, "value"] == rules.loc[key, "off"]:
            with pytest.raises(InputError, match=f"--rule {key}: it is off already in"):
                without_rule(scenario, key)
            continue
        found, without = without_rule(scenario, key)
        after = values_table(without)
        assert found == key
        assert [other for other in before.index if before.loc[other, "value"] != after.loc[other, "value"]] == [key]
        assert after.loc[key, "value"] == rules.loc[key, "off"]
        switched += 1
    assert switched > 10


def test_a_rule_is_named_by_its_last_part_where_only_one_ends_so(printed: Scenario) -> None:
    assert without_rule(printed, "beside_a_tile")[0] == "placement.beside_a_tile"
    assert without_rule(printed, "parks")[0] == "revenue.never_score.parks"
    assert without_rule(printed, "parks")[1].revenue.never_score["parks"] == []
    assert without_rule(load_scenario("quadropolis-expert"), "urbanist")[1].site.urbanist is False


@pytest.mark.parametrize(
    ("rule", "problem", "remedy"),
    [
        ("coverag", 'no rule "coverag" that can be off', "Did you mean coverage"),
        ("board.size", 'no rule "board.size" that can be off', ""),  # a value, but no rule
        ("fire", 'no rule "fire"', ""),
        ("", 'no rule ""', ""),
        (
            "entertainment",
            "--rule entertainment: several rules end so",
            "Say which: placement.forbidden_beside.entertainment, revenue.never_score.entertainment.",
        ),
    ],
)
def test_a_rule_that_is_not_there_or_not_the_only_one_is_refused(
    printed: Scenario, rule: str, problem: str, remedy: str
) -> None:
    with pytest.raises(InputError) as refused:
        ablate(printed, rule, games=10)
    assert problem in refused.value.problem
    assert remedy in refused.value.remedy


def test_a_rule_that_is_off_already_is_refused(uncovered: Scenario) -> None:
    with pytest.raises(InputError, match=r"--rule revenue\.coverage: it is off already in City Services"):
        ablate(uncovered, "coverage", games=10)
    with pytest.raises(InputError, match=r"--rule placement\.both_ways: it is off already"):
        ablate("city-services-one-way", "both_ways", games=10)


# Bad questions


def test_two_different_games_are_not_compared(found: Comparison) -> None:
    with pytest.raises(InputError, match="A is city-services and B is quadropolis: different games"):
        compare("city-services", "quadropolis-classic", games=10)
    with pytest.raises(InputError, match="A is quadropolis and B is city-services"):
        compare("quadropolis-classic", found.a, games=10)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"games": 0}, "--games 0"),
        ({"players": 5}, "--players 5"),
        ({"policy": "rnd"}, 'unknown policy "rnd"'),
        ({"policy": "random,random,random"}, "3 policies for 2 players"),
        ({"seed": -1}, "--seed -1"),
        ({"jobs": 0}, "--jobs 0"),
    ],
    ids=str,
)
def test_bad_input_is_refused(printed: Scenario, uncovered: Scenario, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as refused:
        compare(printed, uncovered, **{"games": 2, "players": 2, "policy": "random", **options})
    assert words in str(refused.value)
