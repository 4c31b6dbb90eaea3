"""`simulate` plays what it is told and hands out tables; `read_run` hands out the same from a folder."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import balance
from balance.errors import BalanceError, InputError, RunFolderError
from balance.runs.tallies import same_tallies
from balance.scenario.load import Scenario
from balance.studies.city_services import CityServicesRun
from balance.studies.run import read_run, simulate
from balance.studies.tables import Run

TABLES = [
    name
    for name, method in inspect.getmembers(CityServicesRun, inspect.isfunction)
    if method.__annotations__.get("return") == "pd.DataFrame"
]


def test_a_scenario_is_given_by_name_path_or_itself(printed: Scenario) -> None:
    path = Path(__file__).parents[2] / "scenarios" / "city-services.toml"
    one = simulate("city-services", 2, seed=3)
    assert same_tallies(one.tallies, simulate(printed, 2, seed=3).tallies)
    assert same_tallies(one.tallies, simulate(path, 2, seed=3).tallies)
    assert same_tallies(one.tallies, simulate(str(path), 2, seed=3).tallies)


def test_a_run_that_is_kept_is_read_back_the_same(small: Scenario, tmp_path: Path) -> None:
    run = simulate(small, 6, policy="random,random-fire", seed=5, out=tmp_path / "run")
    again = read_run(tmp_path / "run")
    assert again.plan == run.plan
    assert same_tallies(again.tallies, run.tallies)
    assert (again.games, again.policies) == (6, ["random", "random-fire"])
    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(again, name)(), getattr(run, name)())


def test_nothing_is_written_unless_asked_for(small: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    simulate(small, 3)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"games": 0}, "--games 0"),
        ({"games": -5}, "--games -5"),
        ({"players": 1}, "--players 1"),
        ({"players": 5}, "--players 5"),
        ({"policy": "gredy"}, "Did you mean greedy"),
        ({"policy": "random,random,random"}, "3 policies for 2 players"),
        ({"seed": -1}, "--seed -1"),
        ({"jobs": 0}, "--jobs 0"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    small: Scenario, tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError) as refused:
        simulate(small, **{"games": 3, "out": tmp_path / "run", **options})
    assert words in str(refused.value)
    assert not (tmp_path / "run").exists()


def test_a_missing_folder_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="no such run folder"):
        read_run(tmp_path / "missing")


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_a_data_frame_with_rows(small_run: Run, name: str) -> None:
    table = getattr(small_run, name)()
    assert isinstance(table, pd.DataFrame)
    assert len(table) > 0


def test_the_tables_are_those_that_the_readme_names() -> None:
    names = ["arc", "board", "by_policy", "histogram", "margins", "rules", "scores", "seats", "services", "tiles"]
    assert names == TABLES


def test_the_package_is_a_door_to_all_that_the_readme_names() -> None:
    for name in balance.__all__:
        assert getattr(balance, name) is not None
    assert issubclass(balance.ScenarioError, BalanceError)
    with pytest.raises(AttributeError, match="has no attribute 'simulat'"):
        balance.simulat  # noqa: B018


def test_policies_of_two_players_share_all_wins(small: Scenario) -> None:
    table = simulate(small, 12, policy="random,greedy").by_policy()
    assert table["win_share"].sum() == pytest.approx(1, abs=1e-12)
