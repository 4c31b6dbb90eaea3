"""`plan` foretells from a pilot what `check` then needs, by the formulas of sample sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from balance.errors import InputError
from balance.runs.tallies import same_tallies
from balance.scenario.load import Scenario, load_scenario
from balance.stats.planning import power_to_decide
from balance.stats.verdicts import DECIDES_FROM, Verdict
from balance.studies.check import check
from balance.studies.plan import Forecast, plan

pytestmark = pytest.mark.jitted

SERVICES = list(load_scenario("city-services").services)
PLANNED = 2_000


def of_services(*names: str, copies: int = 12, changes: tuple[str, ...] = ()) -> Scenario:
    """Return City Services for 2 with these Services alone."""
    counts = [f"services.{name}.count={copies if name in names else 0}" for name in SERVICES]
    return load_scenario("city-services", changes=["players=2", *counts, *changes])


@pytest.fixture(scope="module")
def forecast() -> Forecast:
    return plan("city-services", policies=["random"], players=[2, 4], pilot=480, games=PLANNED, jobs=1)


def quantile(probability: float) -> float:
    return float(stats.norm.ppf(probability))


def test_the_pilot_is_the_check_of_its_games(forecast: Forecast) -> None:
    judged = check("city-services", policies=["random"], players=[2, 4], games=480)
    for pilot, run in zip(forecast.runs, judged.runs, strict=True):
        assert same_tallies(pilot.tallies, run.tallies)
    table, checked = forecast.table(), judged.table()
    assert list(table.index) == list(checked.index)
    for column in ("holdings", "holdings_per_game", "contrast", "contrast_se"):
        assert table[column].to_numpy() == pytest.approx(checked[column].to_numpy())


def test_games_are_those_of_the_formulas(forecast: Forecast) -> None:
    table, margin, z = forecast.table(), 1.0, quantile(1 - 0.05 / (14 * 2) / 2)
    at_least = 480 * DECIDES_FROM / table["holdings"]

    def games(distance: Any, power: float) -> np.ndarray:
        needed = 480 * ((z + quantile(power)) * table["contrast_se"] / distance) ** 2
        return np.maximum(needed, at_least).to_numpy()

    # balanced: the interval ends before both limits, so that either misses in one of 20
    assert table["games_if_equal"].to_numpy() == pytest.approx(games(margin, 0.95))
    assert table["games_if_double"].to_numpy() == pytest.approx(games(margin, 0.9))
    off = (table["contrast"].abs() - margin).abs()
    assert table["games_as_pilot"].to_numpy() == pytest.approx(games(off, 0.9))


def test_minutes_are_the_games_by_their_seconds(forecast: Forecast) -> None:
    table = forecast.table()
    assert len(forecast.seconds_per_game) == 2
    for players, seconds in zip((2, 4), forecast.seconds_per_game, strict=True):
        assert 0 < seconds < 1
        rows = table.xs(players, level="players")
        for of in ("if_equal", "if_double", "as_pilot"):
            assert rows[f"minutes_{of}"].to_numpy() == pytest.approx((rows[f"games_{of}"] * seconds / 60).to_numpy())


def test_what_planned_games_can_tell_is_the_inverse(forecast: Forecast) -> None:
    table, z = forecast.table(), quantile(1 - 0.05 / (14 * 2) / 2)
    se = table["contrast_se"] * math.sqrt(480 / PLANNED)
    assert table["smallest"].to_numpy() == pytest.approx(((z + quantile(0.9)) * se).to_numpy())
    double = stats.norm.cdf(1 / se - z)
    assert table["power_if_double"].to_numpy() == pytest.approx(double)
    assert table["power_if_equal"].to_numpy() == pytest.approx(np.maximum(2 * double - 1, 0))
    assert power_to_decide(table["smallest"].to_numpy(), se.to_numpy(), 0.05 / 28) == pytest.approx(0.9)


def test_without_a_number_of_games_nothing_is_said_of_it() -> None:
    table = plan(of_services("fire", "health"), policies=["random"], pilot=60).table()
    assert not {"smallest", "power_if_equal", "power_if_double"} & set(table.columns)
    assert table.notna().all(axis=None)


def test_planned_games_at_the_power_foretold_are_the_games_planned(forecast: Forecast) -> None:
    games = round(float(forecast.table()["games_if_double"].iloc[0]))
    again = Forecast(forecast.question, forecast.runs, forecast.seconds_per_game, games).table().iloc[0]
    assert again["power_if_double"] == pytest.approx(0.9, abs=1e-3)
    assert again["smallest"] == pytest.approx(1, abs=1e-2)


def test_as_many_games_as_planned_call_twins_balanced_about_as_often_as_foretold() -> None:
    twins = of_services("fire", "health")
    foretold = plan(twins, ["fire"], policies=["random"], margin=0.25, pilot=2_400).table()["games_if_equal"].iloc[0]
    games, repeats = round(float(foretold)), 40
    assert games > 300
    said = [
        check(twins, ["fire"], policies=["random"], margin=0.25, games=games, seed=seed).table()["verdict"]
        for seed in range(100, 100 + repeats)
    ]
    balanced = np.mean([words.iloc[0] == Verdict.BALANCED for words in said])
    assert balanced == pytest.approx(0.9, abs=4 * math.sqrt(0.9 * 0.1 / repeats))


# Little or nothing to go by


def test_a_pilot_without_a_tile_knows_nothing_of_it() -> None:
    table = plan("quadropolis-classic", policies=["random"], players=[2], pilot=1, games=100).table()
    missing = table["holdings"] == 0
    assert missing.any()
    assert table.loc[missing, ["games_if_equal", "games_if_double", "games_as_pilot", "smallest"]].isna().all(axis=None)


def test_tiles_that_bring_exactly_the_same_take_no_more_games_than_300_holdings() -> None:
    exact = [f"services.{name}.{value}" for name in ("fire", "health") for value in ("vp_per_zone=0", "printed_vp=1")]
    scenario = of_services("fire", "health", copies=1, changes=tuple(exact))
    table = plan(scenario, policies=["random"], pilot=480, games=300).table()
    assert (table["contrast_se"] == 0).all()
    assert (table["games_if_equal"] == 480 * DECIDES_FROM / table["holdings"]).all()
    assert (table[["power_if_equal", "power_if_double"]] == 1).all(axis=None)
    assert (table["smallest"] == 0).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tiles": ["fyre"]}, "Did you mean fire?"),
        ({"margin": 0}, "--margin 0"),
        ({"alpha": 2}, "--alpha 2"),
        ({"policies": ["random,random"]}, "one policy for all seats"),
        ({"games": 0}, "--games 0"),
        ({"pilot": 0}, "0: a run has 1 to"),
        ({"jobs": 0}, "--jobs 0"),
        ({"players": [1]}, "--players 1"),
    ],
    ids=str,
)
def test_a_question_that_makes_no_sense_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as refused:
        plan("city-services", **{"policies": ["random"], "pilot": 2, **options})
    assert words in str(refused.value)
