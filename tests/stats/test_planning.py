"""Sample sizes: exact formulas, the inverse of each other, and kept in simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from balance.stats.planning import MOST_GAMES_PLANNED, POWER, games_to_decide, power_to_decide, smallest_distance

RUNS = 40_000

POSITIVE = st.floats(0.05, 20)
ALPHAS = st.floats(1e-6, 0.5)
POWERS = st.floats(0.5, 0.999)


def test_the_power_planned_for_is_090() -> None:
    assert POWER == 0.9


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.5), (0.05, 0.8), (0.05, 0.9), (0.01, 0.95), (0.001, 0.99)])
def test_games_follow_from_the_quantiles_of_the_normal_distribution(alpha: float, power: float) -> None:
    z = stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power)
    needed = games_to_decide(np.array([0.4, -0.4, 2.0]), np.array([0.3, 0.3, 0.7]), 500, alpha, power)
    assert needed == pytest.approx([500 * (z * 0.3 / 0.4) ** 2] * 2 + [500 * (z * 0.7 / 2.0) ** 2])


def test_a_textbook_sample_size_comes_out() -> None:
    # a mean against a value, SD 1, difference 0.5, alpha 0.05, power 0.8: (1.959964 + 0.841621)**2 / 0.25
    assert games_to_decide(np.array([0.5]), np.array([1.0]), 1, 0.05, 0.8)[0] == pytest.approx(31.3955, abs=5e-5)


@given(POSITIVE, POSITIVE, st.integers(1, 10**6), ALPHAS, POWERS)
def test_the_smallest_distance_is_the_inverse_of_the_games(
    distance: float, se: float, games: int, alpha: float, power: float
) -> None:
    needed = games_to_decide(np.array([distance]), np.array([se]), games, alpha, power)
    if needed[0] < MOST_GAMES_PLANNED:
        told = smallest_distance(np.array([se]), games, float(needed[0]), alpha, power)
        assert told[0] == pytest.approx(distance, rel=1e-9)


@given(POSITIVE, POSITIVE, st.integers(1, 10**6), ALPHAS, POWERS)
def test_the_planned_games_have_the_planned_power(
    distance: float, se: float, games: int, alpha: float, power: float
) -> None:
    needed = games_to_decide(np.array([distance]), np.array([se]), games, alpha, power)
    if needed[0] < MOST_GAMES_PLANNED:
        se_then = np.array([se]) * np.sqrt(games / needed)
        assert power_to_decide(np.array([distance]), se_then, alpha)[0] == pytest.approx(power, rel=1e-7)


@given(POSITIVE, POSITIVE, ALPHAS, st.floats(1.1, 50))
def test_four_times_the_games_tell_half_the_distance(se: float, games: float, alpha: float, factor: float) -> None:
    once = smallest_distance(np.array([se]), games, 100.0, alpha)
    assert smallest_distance(np.array([se]), games, 100.0 * factor**2, alpha) == pytest.approx(once / factor)


def test_the_error_at_any_number_of_games_plans_the_same() -> None:
    few = games_to_decide(np.array([0.5]), np.array([0.4]), 100, 0.05, 0.9)
    many = games_to_decide(np.array([0.5]), np.array([0.4 / math.sqrt(50)]), 5_000, 0.05, 0.9)
    assert few == pytest.approx(many)


# By simulation


def ended_before(distance: float, games: int, alpha: float, sd: float, luck: np.random.Generator) -> np.ndarray:
    """Tell for many runs whether the interval of a mean of so many games ends before a limit."""
    mean = luck.normal(0, sd / math.sqrt(games), RUNS)
    variance = sd**2 / games * luck.chisquare(games - 1, RUNS) / (games - 1)
    half = stats.t.ppf(1 - alpha / 2, games - 1) * np.sqrt(variance)
    return mean + half < distance


@pytest.mark.parametrize("power", [0.5, 0.8, 0.9])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 13])
def test_the_planned_power_is_reached(alpha: float, power: float) -> None:
    sd, pilot = 6.0, 480
    needed = games_to_decide(np.array([0.3]), np.array([sd / math.sqrt(pilot)]), pilot, alpha, power)
    ended = ended_before(0.3, round(float(needed[0])), alpha, sd, np.random.default_rng(3))
    error = math.sqrt(power * (1 - power) / RUNS)
    assert ended.mean() == pytest.approx(power, abs=4 * error + 0.002)  # 0.002: t instead of z


@pytest.mark.parametrize("games", [500, 2_000, 6_000])
def test_the_power_foretold_is_reached(games: int) -> None:
    sd, distance = 8.0, 0.5
    foretold = float(power_to_decide(np.array([distance]), np.array([sd / math.sqrt(games)]), 0.05)[0])
    ended = ended_before(distance, games, 0.05, sd, np.random.default_rng(4))
    assert 0.02 < foretold < 0.999
    assert ended.mean() == pytest.approx(foretold, abs=4 * math.sqrt(foretold * (1 - foretold) / RUNS) + 0.003)


# At the edges


def test_no_games_tell_a_value_from_a_limit_it_lies_on() -> None:
    assert games_to_decide(np.array([0.0]), np.array([0.1]), 1_000, 0.05)[0] == math.inf


def test_more_games_than_anybody_plays_are_no_number() -> None:
    assert games_to_decide(np.array([1e-7]), np.array([1.0]), 1_000, 0.05)[0] == math.inf
    assert games_to_decide(np.array([1e-4]), np.array([1.0]), 1_000, 0.05)[0] < MOST_GAMES_PLANNED


@pytest.mark.parametrize(("distance", "se"), [(math.nan, 0.1), (0.5, math.nan), (math.nan, math.nan)])
def test_nothing_is_planned_where_nothing_is_known(distance: float, se: float) -> None:
    assert np.isnan(games_to_decide(np.array([distance]), np.array([se]), 1_000, 0.05)).all()
    assert np.isnan(power_to_decide(np.array([distance]), np.array([se]), 0.05)).all()


def test_what_is_known_exactly_needs_no_games() -> None:
    assert games_to_decide(np.array([0.5]), np.array([0.0]), 1_000, 0.05)[0] == 0
    assert smallest_distance(np.array([0.0]), 1_000, 50, 0.05)[0] == 0


def test_what_is_known_exactly_is_decided_for_sure() -> None:
    assert power_to_decide(np.array([0.5]), np.array([0.0]), 0.05)[0] == 1


def test_at_the_limit_itself_an_interval_ends_before_it_only_by_mistake() -> None:
    assert power_to_decide(np.array([0.0]), np.array([0.3]), 0.05)[0] == pytest.approx(0.025)
