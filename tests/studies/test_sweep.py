"""Sweeps: every point equals a run of its own, differences are paired, finished points are used again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from balance.errors import InputError
from balance.report.sweep import sweep_document
from balance.runs.city_services import CityServicesEngine
from balance.runs.tallies import Tallies
from balance.scenario.load import load_scenario
from balance.studies.run import simulate
from balance.studies.sweep import Sweep, sweep

pytestmark = pytest.mark.jitted


@pytest.fixture(scope="module")
def roads() -> Sweep:
    """The range of the Roads, from 1 to 4."""
    return sweep("city-services", ["services.roads.range=1:4"], games=960, seed=5)


def test_a_point_is_the_run_of_its_scenario(roads: Sweep) -> None:
    run = simulate(load_scenario("city-services", changes=["services.roads.range=3"]), 960, seed=5)
    table = roads.table().set_index(["services.roads.range", "measure"])
    assert table.loc[(3, "score.mean"), "value"] == run.scores().loc["mean score", "value"]
    assert table.loc[(3, "tiles.roads.own_vp"), "value"] == run.tiles().loc["roads", "vp_per_tile"]


def test_the_printed_value_does_not_differ_from_the_base(roads: Sweep) -> None:
    same = roads.table().set_index("services.roads.range").loc[2]
    assert (same["difference"] == 0).all()
    assert same["p"].isna().all()


def test_differences_on_the_same_luck_are_surer_than_the_values(roads: Sweep) -> None:
    row = roads.table().set_index(["services.roads.range", "measure"]).loc[(3, "score.mean")]
    assert row["difference_se"] < row["value_se"] / 2


def test_the_best_point_comes_first_and_worse_ones_are_left_out(roads: Sweep) -> None:
    best = roads.best()
    values = roads.table().query("measure == @roads.best_by")["value"]
    assert best["value"].iloc[0] == values.min()
    assert best["difference"].iloc[0] == 0
    assert 1 not in best["services.roads.range"].to_list()  # Roads of range 1 are surely the least even


def test_a_slope_is_that_of_least_squares(roads: Sweep) -> None:
    rows = roads.table().query("measure == 'score.sd'")
    slope = np.polyfit(rows["services.roads.range"], rows["value"], 1)[0]
    assert roads.slope(0, "score.sd").value[0] == pytest.approx(slope)


def test_finished_points_are_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sweep("city-services", ["services.roads.range=1:2"], games=240, out=tmp_path)
    played: list[int] = []
    play = CityServicesEngine.play

    def noted(self: CityServicesEngine, first: int, last: int, **options: Any) -> Tallies:
        played.append(last - first)
        return play(self, first, last, **options)

    monkeypatch.setattr(CityServicesEngine, "play", noted)
    again = sweep("city-services", ["services.roads.range=1:3"], games=240, out=tmp_path).table()
    assert sum(played) == 240  # the new point alone
    known = again[again["services.roads.range"] < 3]
    assert known["value"].to_list() == first.table()["value"].to_list()


def test_players_and_policies_are_axes_too() -> None:
    found = sweep("city-services", ["players=2:3", "policy=random,greedy"], games=48, measures=["score.mean"])
    assert found.table()[["players", "policy"]].drop_duplicates().to_numpy().tolist() == [
        [2, "random"],
        [2, "greedy"],
        [3, "random"],
        [3, "greedy"],
    ]


def test_one_at_a_time_changes_one_value_of_the_base(tmp_path: Path) -> None:
    vary = ["services.{roads,fire}.range=2:4"]
    found = sweep("city-services", vary, one_at_a_time=True, games=240, measures=["score.mean"])
    assert [point.values for point in found.points] == [(2, 3), (3, 3), (4, 3), (2, 2), (2, 4)]
    fire = load_scenario("city-services", changes=["services.fire.range=4"])
    alone = simulate(fire, 240).scores().loc["mean score", "value"]
    assert [float(each.value[0]) for _, each in found.along(1, "score.mean")][2] == alone
    values = [float(each.value[0]) for _, each in found.along(0, "score.mean")]
    assert values[0] == found.base.estimates["score.mean"].value[0]
    assert found.slope(0, "score.mean").value[0] == pytest.approx((values[2] - values[0]) / 2)
    text = "".join(sweep_document(found).sections[0].findings)
    assert "services.roads.range" in text or "services.fire.range" in text or "as it is" in text


def test_in_a_grid_an_axis_averages_over_the_others() -> None:
    found = sweep("city-services", ["services.roads.range=1:2", "players=2:3"], games=48, measures=["score.mean"])
    table = found.table()
    means = table[table["measure"] == "score.mean"].groupby("services.roads.range")["value"].mean()
    assert [float(each.value[0]) for _, each in found.along(0, "score.mean")] == pytest.approx(means.to_list())


def test_an_unknown_measure_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"score\.mean"):
        sweep("city-services", ["players=2:3"], games=24, measures=["score.meen"])
