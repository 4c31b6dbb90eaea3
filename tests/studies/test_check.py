"""`check` finds what was planted, calls twins balanced, looks when it says, and goes on from a folder."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from balance.errors import InputError
from balance.games.interventions import Act, ByChange
from balance.runs.folder import load_run
from balance.runs.spread import Interrupted
from balance.runs.tallies import same_tallies
from balance.scenario.load import Scenario, load_scenario
from balance.stats.estimates import t_quantile
from balance.stats.tests import holm
from balance.stats.verdicts import DECIDED
from balance.studies import check as check_module
from balance.studies.check import MOST_LOOKS, Check, Judged, ask, check
from balance.studies.run import simulate

pytestmark = pytest.mark.jitted

SERVICES = list(load_scenario("city-services").services)
PLANTED_VP = 4
FEW = ("fire", "health", "education")
ESTIMATES = ("", "_se", "_low", "_high")


def of_services(*names: str, changes: tuple[str, ...] = ()) -> Scenario:
    """Return City Services for 2 with these Services alone, 12 of each."""
    counts = [f"services.{name}.count={12 if name in names else 0}" for name in SERVICES]
    return load_scenario("city-services", changes=["players=2", *counts, *changes])


@pytest.fixture(scope="module")
def twins() -> Scenario:
    """Two Services of the same range and limits."""
    return of_services("fire", "health")


@pytest.fixture(scope="module")
def planted() -> Check:
    scenario = load_scenario("city-services", changes=[f"services.fire.printed_vp={PLANTED_VP}"])
    return check(scenario, policies=["random"], players=[2], games=1_200)


@pytest.fixture(scope="module")
def few_policies() -> Check:
    """Three Services, one of them planted, of which two are judged; for random and greedy."""
    scenario = of_services(*FEW, changes=("services.fire.printed_vp=3",))
    return check(scenario, ["fire", "health"], policies=["random", "greedy"], players=[2, 3], games=240)


def words(found: Check) -> dict[str, str]:
    return found.table()["verdict"].droplevel(["policy", "players"]).to_dict()


# What is true is found


def test_a_planted_tile_is_found_overpowered(planted: Check) -> None:
    assert words(planted)["fire"] == "overpowered"
    row = planted.table().loc[("random", 2, "fire")]
    assert row["decision_low"] > 1
    plain = check("city-services", policies=["random"], players=[2], games=1_200).table().loc[("random", 2, "fire")]
    copies = row["own_vp"] - plain["own_vp"]
    assert copies == pytest.approx(PLANTED_VP)  # for each tile placed
    assert row["omit_vp"] > plain["omit_vp"] + PLANTED_VP / 2  # holders cannot place all they draw


def test_what_confirms_a_verdict_says_the_same_of_a_planted_tile(planted: Check) -> None:
    row = planted.table().loc[("random", 2, "fire")]
    for measure in ("blank_contrast", "own_vp_contrast", "win_share_contrast", "win_rate_gain_contrast"):
        assert row[f"{measure}_low"] > 0, measure
    assert row["p_holm"] < 1e-6
    assert row["p_equivalence"] > 0.999


def test_twins_are_balanced_given_games_enough(twins: Scenario) -> None:
    found = check(twins, policies=["random"], games=1_200)
    assert words(found) == {"fire": "balanced", "health": "balanced"}
    contrast = found.table()["contrast"]
    assert contrast.iloc[0] == pytest.approx(-contrast.iloc[1])
    assert (found.table()["p_equivalence"] < 0.001).all()


def test_twins_are_not_called_balanced_too_soon(twins: Scenario) -> None:
    found = check(twins, policies=["random"], games=1_200, margin=0.01)
    assert words(found) == {"fire": "undecided", "health": "undecided"}
    assert (found.table()["games_to_decide"] > 1_200).all()


# The table


def test_a_contrast_is_a_tile_less_the_mean_of_the_others(planted: Check) -> None:
    table = planted.table()
    for of, contrast in (("omit_vp", "contrast"), ("blank_vp", "blank_contrast"), ("own_vp", "own_vp_contrast")):
        others = (table[of].sum() - table[of]) / (len(table) - 1)
        assert table[contrast].to_numpy() == pytest.approx((table[of] - others).to_numpy())


def test_effects_are_those_of_the_tally(planted: Check) -> None:
    changes = planted.runs[0].tallies["changes"].sum(axis=(0, 1, 2))
    table = planted.table()
    for act, sign in ((Act.OMIT, 1), (Act.BLANK, 1), (Act.TAKE, -1)):
        held, vp = changes[act, :, ByChange.HOLDINGS], changes[act, :, ByChange.DIFFERENCE]
        assert (table[f"{act.name.lower()}_n"] == held).all()
        assert table[f"{act.name.lower()}_vp"].to_numpy() == pytest.approx(sign * vp / held)
    assert (table["holdings"] == table["omit_n"]).all()
    assert table["holdings_per_game"].to_numpy() == pytest.approx(table["holdings"].to_numpy() / 1_200)


def test_the_interval_that_decides_has_the_alpha_of_each(planted: Check) -> None:
    table, question = planted.table(), planted.question
    assert question.alpha_of_each == pytest.approx(0.05 / 14)
    half = t_quantile(240, 1 - 0.05 / 14) * table["contrast_se"]
    assert table["decision_high"].to_numpy() == pytest.approx((table["contrast"] + half).to_numpy())
    assert (table["decision_low"] < table["contrast_low"]).all()


def test_there_is_a_number_wherever_there_is_data(planted: Check) -> None:
    table = planted.table()
    assert table["holdings"].min() > 300
    assert table.notna().all(axis=None)


def test_the_games_are_those_of_a_run_without_interventions(planted: Check) -> None:
    plain = simulate(planted.runs[0].scenario, 1_200, players=2).tallies
    studied = dict(planted.runs[0].tallies)
    del plain["changes"], studied["changes"]
    assert same_tallies(studied, plain)


def test_p_is_adjusted_over_the_whole_table(few_policies: Check) -> None:
    table = few_policies.table()
    assert len(table) == 2 * 2 * 2
    assert table["p_holm"].to_numpy() == pytest.approx(holm(table["p"].to_numpy()))


def test_only_judged_tiles_have_a_row_but_their_pool_is_what_they_are_compared_with(few_policies: Check) -> None:
    assert set(few_policies.table().index.get_level_values("tile")) == {"fire", "health"}
    assert few_policies.runs[0].plan.studied == FEW
    run = few_policies.runs[0]
    vp = Judged(few_policies.question, run).effects.vp(Act.OMIT).value
    row = few_policies.table().loc[(run.plan.policy, run.plan.players, "fire")]
    assert row["contrast"] == pytest.approx(vp[0] - vp[1:].mean())


def test_alpha_is_shared_by_tiles_policies_players_and_looks(twins: Scenario) -> None:
    question = ask(twins, policies=["random", "greedy"], players=[2, 3, 4], alpha=0.12, looks=5)
    assert question.alpha_of_each == pytest.approx(0.12 / (2 * 2 * 3 * 5))
    assert ask(twins, ["fire"]).alpha_of_each == pytest.approx(0.05)


# Whose verdict


def test_the_strongest_policy_leads(few_policies: Check) -> None:
    assert list(dict.fromkeys(few_policies.table().index.droplevel(["players", "tile"]))) == ["greedy", "random"]
    verdicts = few_policies.verdicts()
    assert list(verdicts.index) == [("fire", 2), ("health", 2), ("fire", 3), ("health", 3)]
    assert (verdicts["policy"] == "greedy").all()
    for tile, players in verdicts.index:
        expected = few_policies.table().loc[("greedy", players, tile), "verdict"]
        assert verdicts.loc[(tile, players), "verdict"] == expected


@pytest.mark.parametrize(
    ("said", "is_dependent"),
    [
        ({"greedy": "balanced", "random": "overpowered"}, False),  # random never vetoes
        ({"greedy": "undecided", "random": "overpowered"}, False),
        ({"greedy": "balanced"}, False),
        ({"random": "balanced"}, False),
        ({"greedy": "overpowered", "greedy-roads": "balanced"}, True),
        ({"greedy": "overpowered", "greedy-roads": "overpowered", "random": "balanced"}, False),
        ({"greedy": "overpowered", "greedy-roads": "undecided"}, False),
        ({"greedy": "strong", "greedy-roads": "weak"}, False),  # neither decides
    ],
    ids=str,
)
def test_a_verdict_depends_on_the_policy_where_two_decide_and_differ_but_random_never_vetoes(
    few_policies: Check, monkeypatch: pytest.MonkeyPatch, said: dict[str, str], is_dependent: bool
) -> None:
    index = pd.MultiIndex.from_product([said, [2, 3], ["fire", "health"]], names=["policy", "players", "tile"])
    table = pd.DataFrame({"verdict": [said[policy] for policy, _, _ in index]}, index=index)
    monkeypatch.setattr(Check, "table", lambda _self: table)
    verdicts = few_policies.verdicts()
    assert (verdicts["is_policy_dependent"] == is_dependent).all()
    assert (verdicts["verdict"] == next(iter(said.values()))).all()
    assert (verdicts["policy"] == next(iter(said))).all()


# Where there is little


def test_a_tile_that_can_never_come_is_not_listed() -> None:
    assert ask(of_services(*FEW)).tiles == FEW
    classic = ask("quadropolis-classic")
    assert "school" in classic.tiles
    assert "capitol" not in classic.tiles
    with pytest.raises(InputError, match='no tile "capitol" to judge'):
        ask("quadropolis-classic", ["capitol"])


def test_a_single_game_gives_words_and_no_intervals() -> None:
    found = check("quadropolis-classic", policies=["random"], players=[2], games=1)
    table = found.table()
    assert set(table["verdict"]) == {"too few", "no data"}
    assert (table["verdict"] == "no data").equals(table["holdings"] == 0)
    for name in ("contrast", "decision", "omit_vp", "own_vp"):
        assert table[[f"{name}_low", f"{name}_high"]].isna().all(axis=None)
    assert table["p"].isna().all()
    assert table.loc[table["holdings"] > 0, "omit_vp"].notna().all()
    assert table.loc[table["holdings"] == 0, ["omit_vp", "omit_win_share"]].isna().all(axis=None)
    assert found.verdicts()["verdict"].tolist() == table["verdict"].tolist()


def test_between_100_and_300_holdings_nothing_is_decided(twins: Scenario) -> None:
    found = check(twins, policies=["random"], games=120, margin=50)
    assert found.table()["holdings"].between(100, 299).all()
    assert words(found) == {"fire": "undecided", "health": "undecided"}
    assert (found.table()["games_to_decide"] > 120).all()
    assert set(words(check(twins, policies=["random"], games=150, margin=50)).values()) == {"balanced"}


def test_the_base_tiles_are_judged_against_each_other() -> None:
    question = ask("quadropolis-classic", ["shop"])
    assert list(question.pools) == ["base"]
    assert question.tiles == ("shop",)
    assert set(question.studied) == {"tower_block", "shop", "public_service", "park", "factory", "harbor"}
    assert ask("quadropolis-classic-base").tiles == tuple(question.studied)  # where there is no other pool


# Until decided


def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note the numbers of games at which a check looks."""
    looks: list[int] = []
    play = check_module.play_plan

    def noted(plan: Any, games: int, **options: Any) -> Any:
        looks.append(games)
        return play(plan, games, **options)

    monkeypatch.setattr(check_module, "play_plan", noted)
    return looks


def until(twins: Scenario, **options: Any) -> Check:
    """Check twins until they are decided, which takes several looks."""
    asked = {"policies": ["random"], "games": 50, "margin": 0.45, "until_decided": True, **options}
    return check(twins, **asked)


def test_it_looks_at_1_2_4_times_the_games_and_stops_at_the_first_look_that_decides(
    twins: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = looked_at(monkeypatch)
    found = until(twins)
    assert looks == [50 * 2**look for look in range(len(looks))]
    assert len(looks) >= 3
    assert found.runs[0].games == looks[-1]
    assert all(word in DECIDED for word in words(found).values())
    for games in looks[:-1]:
        earlier = Check(found.question, (simulate_studied(twins, games),))
        assert not all(word in DECIDED for word in words(earlier).values())


def simulate_studied(scenario: Scenario, games: int) -> Any:
    return check(scenario, policies=["random"], games=games).runs[0]


def test_each_look_has_its_share_of_alpha(twins: Scenario) -> None:
    found = until(twins)
    assert found.question.looks == MOST_LOOKS == 12
    assert found.question.alpha_of_each == pytest.approx(0.05 / 2 / 12)
    row = found.table().iloc[0]
    half = t_quantile(min(240, found.runs[0].games), 1 - 0.05 / 24) * row["contrast_se"]
    assert row["decision_high"] - row["contrast"] == pytest.approx(half)


def test_games_looked_at_step_by_step_are_those_played_at_once(twins: Scenario) -> None:
    found = until(twins)
    assert same_tallies(found.runs[0].tallies, simulate_studied(twins, found.runs[0].games).tallies)


def test_it_stops_at_max_games_decided_or_not(twins: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = looked_at(monkeypatch)
    found = until(twins, margin=0.001, max_games=330)
    assert looks == [50, 100, 200, 330]
    assert set(words(found).values()) == {"undecided"}


def test_there_are_at_most_12_looks(twins: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = looked_at(monkeypatch)
    until(twins, games=1, margin=1e-6)
    assert looks == [2**look for look in range(12)]


def test_each_policy_stops_for_itself(twins: Scenario) -> None:
    found = until(twins, policies=["random", "greedy"], players=[2, 3], games=40, margin=0.3)
    games = {(run.plan.policy, run.plan.players): run.games for run in found.runs}
    assert list(games) == [("random", 2), ("random", 3), ("greedy", 2), ("greedy", 3)]
    assert len(set(games.values())) > 1
    for run in found.runs:
        assert math.log2(run.games / 40) % 1 == 0
        assert Judged(found.question, run).all_decided


# From a folder


def test_the_same_is_found_with_a_folder_and_without(twins: Scenario, tmp_path: Path) -> None:
    alone, kept = until(twins), until(twins, out=tmp_path / "c")
    pd.testing.assert_frame_equal(alone.table(), kept.table())
    again = until(twins, out=tmp_path / "c")
    pd.testing.assert_frame_equal(alone.table(), again.table())
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["random-2p"]
    assert load_run(tmp_path / "c" / "random-2p").done == alone.runs[0].games


def stop_at(games: int) -> Callable[[int, int], None]:
    def progress(done: int, _games: int) -> None:
        if done >= games:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("stop", [1, 60, 399])
def test_an_interrupted_check_goes_on_to_the_same_end(twins: Scenario, tmp_path: Path, stop: int) -> None:
    straight = until(twins, margin=0.2)
    assert straight.runs[0].games >= 400
    with pytest.raises(Interrupted) as interrupted:
        until(twins, margin=0.2, out=tmp_path, progress=stop_at(stop))
    result = interrupted.value.result
    assert isinstance(result, Check)
    assert result.runs[0].games == load_run(tmp_path / "random-2p").done >= stop
    pd.testing.assert_frame_equal(until(twins, margin=0.2, out=tmp_path).table(), straight.table())


def test_a_check_of_more_games_goes_on_from_fewer(twins: Scenario, tmp_path: Path) -> None:
    check(twins, policies=["random"], games=60, out=tmp_path)
    found = check(twins, policies=["random"], games=200, out=tmp_path)
    pd.testing.assert_frame_equal(found.table(), check(twins, policies=["random"], games=200).table())


def test_what_was_finished_of_several_policies_is_handed_over(twins: Scenario) -> None:
    done = 0

    def progress(_done: int, _games: int) -> None:
        nonlocal done
        done += 1
        if done > 4:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as interrupted:
        check(twins, policies=["random"], players=[2, 3, 4, 2], games=60, progress=progress)
    result = interrupted.value.result
    assert isinstance(result, Check)
    assert [run.plan.players for run in result.runs] == [2, 3, 4][: len(result.runs)]
    assert len(result.runs) > 1
    assert len(result.table()) == 2 * len(result.runs)


# Bad questions


@pytest.mark.parametrize(
    ("options", "problem", "remedy"),
    [
        ({"tiles": ["helth"]}, '--tile helth: no tile "helth" to judge', "Did you mean health?"),
        ({"tiles": ["fire", "roads"]}, '--tile roads: no tile "roads" to judge', "Known: fire, health."),
        ({"tiles": ["residential"]}, 'no tile "residential" to judge', "Known: fire, health."),
        ({"margin": 0}, "--margin 0: a margin is more than 0 VP", "The default is 1."),
        ({"margin": -1.5}, "--margin -1.5", ""),
        ({"margin": math.nan}, "--margin nan", ""),
        ({"alpha": 2}, "--alpha 2: a chance lies between 0 and 1", "The default is 0.05."),
        ({"alpha": 0}, "--alpha 0", ""),
        ({"alpha": 1}, "--alpha 1", ""),
        (
            {"policies": ["random,random-fire"]},
            "--policy random,random-fire: one policy for all seats",
            "Repeat --policy",
        ),
        ({"policies": ["randm"]}, 'unknown policy "randm"', "Did you mean random?"),
        ({"players": [5]}, "--players 5", ""),
        ({"games": 0}, "--games 0", ""),
        (
            {"games": 100, "max_games": 50, "until_decided": True},
            "--max-games 50 is less than --games 100",
            "fewer games",
        ),
        ({"games": 2, "max_games": 0, "until_decided": True}, "--max-games 0 is less than --games 2", ""),
        ({"jobs": 0}, "--jobs 0", ""),
        ({"seed": -1}, "--seed -1", ""),
    ],
    ids=str,
)
def test_a_question_that_makes_no_sense_is_refused_and_nothing_is_written(
    twins: Scenario, tmp_path: Path, options: dict[str, Any], problem: str, remedy: str
) -> None:
    with pytest.raises(InputError) as refused:
        check(twins, **{"policies": ["random"], "games": 2, "out": tmp_path / "c", **options})
    assert problem in refused.value.problem
    assert remedy in refused.value.remedy
    assert not (tmp_path / "c").exists()


def test_a_tile_alone_in_its_pool_has_nothing_to_be_compared_with() -> None:
    with pytest.raises(InputError, match=r"fire is alone in its pool \(services\)"):
        ask(of_services("fire"))


def test_a_game_without_tiles_to_judge_is_refused() -> None:
    with pytest.raises(InputError):
        check(of_services(), policies=["random"], games=2)


def test_what_is_asked_twice_is_judged_once(twins: Scenario) -> None:
    question = ask(twins, ["fire", "fire"], policies=["random", "random"], players=[2, 2])
    assert (question.tiles, question.policies, question.players) == (("fire",), ("random",), (2,))


def test_tiles_that_bring_exactly_the_same_are_balanced_without_a_doubt() -> None:
    single = [f"services.{name}.count={name in ('fire', 'health'):d}" for name in SERVICES]
    exact = [f"services.{name}.{value}" for name in ("fire", "health") for value in ("vp_per_zone=0", "printed_vp=1")]
    scenario = load_scenario("city-services", changes=["players=2", *single, *exact])
    found = check(scenario, policies=["random"], games=400)
    assert (found.table()[["contrast", "contrast_se", "decision_low", "decision_high"]] == 0).all(axis=None)
    assert words(found) == {"fire": "balanced", "health": "balanced"}
