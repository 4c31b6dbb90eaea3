"""The instrument keeps its promises where the truth is known, and this test would notice one that did not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from balance.errors import InputError
from balance.report.calibration import calibration_document
from balance.scenario.load import Scenario, load_scenario
from balance.stats import estimates
from balance.studies.calibrate import Calibration, calibrate

pytestmark = pytest.mark.jitted


@pytest.fixture(scope="module")
def few_services() -> Scenario:
    """A game of 5 Services, so that checks are quick."""
    left_out = ("power", "water", "sewage", "waste", "police", "health", "government", "education", "transportation")
    return load_scenario("city-services", without=left_out)


@pytest.fixture(scope="module")
def found(few_services: Scenario) -> Calibration:
    """80 checks, each on a seed of its own."""
    return calibrate(few_services, players=2, repeats=80, games=240)


def row(found: Calibration, case: str, what: str) -> pd.Series:
    """Return the row of a case whose verdict starts so."""
    rows = found.rates.loc[case]
    return rows[rows.index.str.startswith(what)].iloc[0]


def test_every_promise_is_kept(found: Calibration) -> None:
    assert found.rates["kept"].all(), found.rates.to_string()


@pytest.mark.parametrize("side", ["above", "below"])
def test_a_tile_at_the_margin_is_seldom_called_either_way(found: Calibration, side: str) -> None:
    called = "called overpowered" if side == "above" else "called underpowered"
    for what in (called, "called balanced"):
        assert row(found, f"exactly the margin {side}", what)["rate"] < 0.05 + 3 * 0.0109  # 400 verdicts


def test_intervals_cover_the_truth(found: Calibration) -> None:
    assert row(found, "95% intervals", "cover")["rate"] == pytest.approx(0.95, abs=0.03)


def test_a_planted_tile_is_found_as_often_as_foretold(found: Calibration) -> None:
    planted = row(found, "roads with 1 VP more", "called overpowered")
    assert planted["promised"] == pytest.approx(0.8)
    assert planted["rate"] == pytest.approx(0.8, abs=0.15)


def test_intervals_that_are_too_narrow_would_be_noticed(
    few_services: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    quantile = estimates.t_quantile
    monkeypatch.setattr(estimates, "t_quantile", lambda *arguments: quantile(*arguments) / 2)
    narrow = calibrate(few_services, players=2, repeats=40, games=240)
    assert not row(narrow, "95% intervals", "cover")["kept"]
    assert "Not kept" in calibration_document(narrow).sections[0].findings[0]


def test_the_same_seed_gives_the_same_rates_for_any_number_of_workers(few_services: Scenario) -> None:
    first, second = (calibrate(few_services, players=2, repeats=8, games=48, jobs=jobs) for jobs in (1, 2))
    pd.testing.assert_frame_equal(first.rates, second.rates)
    assert np.array_equal(first.truth["contrast"], second.truth["contrast"])


@pytest.mark.parametrize("repeats", [0, 7, 10**9])
def test_a_senseless_number_of_repeats_is_refused(repeats: int) -> None:
    with pytest.raises(InputError, match="--repeats"):
        calibrate("city-services", repeats=repeats)
