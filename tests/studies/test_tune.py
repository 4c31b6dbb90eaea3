"""The search for fair numbers finds the optimum of a full grid, repeats itself, keeps constraints, is confirmed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from balance.errors import InputError
from balance.report.tune import tuned_document
from balance.scenario.load import load_scenario
from balance.scenario.vary import separate
from balance.studies.run import simulate
from balance.studies.sweep import sweep
from balance.studies.tune import Tuned, save_tuned, tune

pytestmark = pytest.mark.jitted

THREE = separate("services.{roads,fire,entertainment}.range=1:4")
GAMES = 1_200


@pytest.fixture(scope="module")
def found() -> Tuned:
    """Three ranges, searched with fewer points than the grid has."""
    return tune("city-services", THREE, objective="even-services", games=GAMES, trials=45)


def test_the_search_finds_what_the_whole_grid_says(found: Tuned) -> None:
    grid = sweep("city-services", THREE, games=GAMES, measures=["score.mean"])
    best = grid.best()
    columns = [axis.name for axis in found.axes]
    assert found.values in [tuple(row) for row in best[columns].to_numpy().tolist()]
    assert found.searched[1] <= 1.02 * best["value"].iloc[0]
    assert len(found.trials) < 64


def test_hopeless_points_get_few_games(found: Tuned) -> None:
    assert sum(trial.games == GAMES for trial in found.trials) < len(found.trials) / 2


def test_the_winner_is_confirmed_on_fresh_seeds(found: Tuned) -> None:
    assert {run.plan.seed for pair in found.confirmed for run in pair} == {2}
    before, after = found.before_after()
    assert after.value[0] < before.value[0]
    assert "on fresh seeds" in tuned_document(found).sections[0].findings[0]


def test_the_same_seed_gives_the_same_search_for_any_number_of_workers_and_from_disk(tmp_path: Path) -> None:
    searches = [
        tune("city-services", THREE, objective="even-services", games=240, trials=20, jobs=jobs, out=out)
        for jobs, out in ((1, tmp_path), (2, None), (1, tmp_path))
    ]
    assert searches[0].trials == searches[1].trials == searches[2].trials
    assert len({search.values for search in searches}) == 1


def test_a_damaged_file_of_a_search_is_made_again(tmp_path: Path) -> None:
    words = {"objective": "even-services", "games": 24, "trials": 3}
    first = tune("city-services", THREE[:1], out=tmp_path, **words)  # type: ignore[arg-type]
    for path in (tmp_path / "trials").iterdir():
        path.write_bytes(b"nothing")
    assert tune("city-services", THREE[:1], out=tmp_path, **words).trials == first.trials  # type: ignore[arg-type]


def test_constraints_are_kept() -> None:
    def values(keep: str) -> tuple[object, ...]:
        aim = "target:score.mean=0"
        return tune("city-services", THREE[:1], objective=aim, keep=[keep], games=240, trials=9).values

    assert values("score.mean=0+-99") == (1,)  # Roads of range 1 score least
    assert values("score.mean=48+-1") != (1,)


def test_constraints_that_nothing_keeps_are_named() -> None:
    with pytest.raises(InputError, match=r"--keep score\.mean=500\+-1 \(4 of 4\)"):
        tune("city-services", THREE[:1], objective="even-services", keep=["score.mean=500+-1"], games=24, trials=9)


def test_among_equals_the_fewest_changes_win() -> None:
    scenario = load_scenario("city-services", without=["waste"])  # so that its range changes nothing
    found = tune(scenario, ["services.waste.range=1:5"], objective="even-services", games=48, trials=9)
    assert len(found.trials) == 5
    assert found.changes == ()


def test_fewer_changes_give_up_at_most_a_hundredth_of_the_gain(found: Tuned) -> None:
    last = [trial for trial in found.trials if trial.is_feasible and trial.games == GAMES]
    best = min(trial.value for trial in last)
    assert best <= found.searched[1] <= best + 0.01 * (found.searched[0] - best)


def test_seats_are_evened_by_handicaps(tmp_path: Path) -> None:
    keep = ["score.mean=50+-99"]
    found = tune("city-services", ["seats.handicap.4=0:8:4"], objective="even-seats", keep=keep, games=1_200, trials=9)
    assert found.changes == ("seats.handicap.4=4",)  # seat 4 has one turn fewer, and scores some 5 VP less
    before, after = found.before_after()
    assert after.value[0] < before.value[0]


def test_the_changes_are_taken_back_one_by_one(found: Tuned) -> None:
    steps = found.steps()
    assert steps["objective"].iloc[0] == found.searched[0]
    assert steps["key"].iloc[0] == ""
    assert steps["key"].iloc[1:].is_unique
    assert steps["objective"].is_monotonic_decreasing
    last = [axis.values[place] for axis, place in zip(found.axes, found.path[-1].choice, strict=True)]
    assert dict(zip(steps["key"][1:], steps["new"][1:], strict=True)) == {
        axis.name: new for axis, old, new in zip(found.axes, found.now(), last, strict=True) if old != new
    }


def test_one_set_of_values_for_several_policies_and_numbers_of_players() -> None:
    found = tune(
        "city-services",
        THREE[:2],
        objective="even-services",
        players=[2, 3],
        policies=["random", "greedy"],
        games=240,
        trials=12,
    )
    cases = found.cases()
    assert cases.index.to_list() == [("random", 2), ("random", 3), ("greedy", 2), ("greedy", 3)]
    _, after = found.before_after()
    assert after.value[0] == pytest.approx(cases["objective.after"].mean())
    change = cases["objective.after"] - cases["objective.before"]
    assert cases["objective.change"].to_numpy() == pytest.approx(change.to_numpy())
    scenario = load_scenario("city-services", changes=list(found.changes))
    alone = simulate(scenario, 240, players=3, policy="greedy", seed=2)
    assert alone.scores().loc["mean score", "value"] == cases.loc[("greedy", 3), "score.mean.after"]


def test_each_policy_and_number_of_players_keeps_the_constraints() -> None:
    keep = ["score.mean=48+-3"]  # random players of four score that, of two they score more
    with pytest.raises(InputError, match=r"score\.mean=48"):
        tune("city-services", THREE[:1], objective="even-services", players=[4, 2], keep=keep, games=240, trials=4)


def test_the_winner_is_a_scenario_that_can_be_run(found: Tuned, tmp_path: Path) -> None:
    path = tmp_path / "new" / "tuned.toml"
    save_tuned(found, "city-services", path)
    assert tomllib.loads(path.read_text())["extends"] == "city-services"
    scenario = load_scenario(path)
    assert tuple(scenario.services[tile].range for tile in ("roads", "fire", "entertainment")) == found.values


def test_an_objective_that_the_game_does_not_have_is_refused() -> None:
    with pytest.raises(InputError, match="no such tiles"):
        tune("city-services", THREE[:1], objective="even-tiles", games=24, trials=1)


@pytest.mark.parametrize(
    ("objective", "keep", "message"),
    [
        ("even-servces", [], "even-services"),
        ("target:score.meen=5", [], r"score\.mean"),
        ("even-services", ["score.mean=5"], "not of the form"),
        ("even-services", ["score.meen=5+-1"], r"score\.mean"),
    ],
)
def test_what_cannot_be_aimed_at_is_refused(objective: str, keep: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tune("city-services", THREE[:1], objective=objective, keep=keep, games=24, trials=1)
