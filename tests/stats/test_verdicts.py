"""Verdict words: the first that fits, at their limits too; and the games that a verdict takes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from balance.stats.estimates import TOO_FEW, Estimate
from balance.stats.verdicts import ALPHA, DECIDED, DECIDES_FROM, MARGIN, Verdict, games_for_verdict, verdict, verdicts

NAN, INF = math.nan, math.inf
ENOUGH = 1_000.0


def with_error(value: float, se: float, blocks: int = 240) -> Estimate:
    """Return an estimate with a given standard error."""
    deviations = np.resize([1.0, -1.0], blocks)
    deviations *= se / math.sqrt((blocks - 1) / blocks * np.square(deviations).sum())
    return Estimate(np.array([value]), value + deviations[:, np.newaxis])


# The words


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (-0.5, 0.5, "balanced"),
        (0.2, 0.9, "balanced"),  # although it excludes 0
        (-0.9, -0.2, "balanced"),
        (0.0, 0.0, "balanced"),
        (1.1, 3.0, "overpowered"),
        (-3.0, -1.1, "underpowered"),
        (0.1, 1.5, "strong"),
        (-1.5, -0.1, "weak"),
        (-0.5, 1.5, "undecided"),
        (-1.5, 0.5, "undecided"),
        (-2.0, 2.0, "undecided"),
        (-INF, INF, "undecided"),
        (1.5, INF, "overpowered"),
    ],
)
def test_the_first_word_that_fits_is_said(low: float, high: float, word: str) -> None:
    assert str(verdict(low, high, ENOUGH, 1.0)) == word


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (-1.0, 0.5, "undecided"),  # reaches the margin: neither inside nor outside
        (-0.5, 1.0, "undecided"),
        (0.5, 1.0, "strong"),
        (-1.0, -0.5, "weak"),
        (1.0, 2.0, "strong"),
        (-2.0, -1.0, "weak"),
        (0.0, 2.0, "undecided"),  # does not exclude 0
        (-2.0, 0.0, "undecided"),
        (math.nextafter(1.0, 2), 2.0, "overpowered"),
        (-2.0, math.nextafter(-1.0, -2), "underpowered"),
        (math.nextafter(-1.0, 0), math.nextafter(1.0, 0), "balanced"),
        (math.nextafter(0.0, 1), 2.0, "strong"),
        (-2.0, math.nextafter(0.0, -1), "weak"),
    ],
)
def test_an_interval_that_touches_a_limit_is_on_neither_side(low: float, high: float, word: str) -> None:
    assert str(verdict(low, high, ENOUGH, 1.0)) == word


@pytest.mark.parametrize(
    ("occurrences", "word"),
    [
        (0, "no data"),
        (1, "too few"),
        (TOO_FEW - 1, "too few"),
        (TOO_FEW, "undecided"),
        (DECIDES_FROM - 1, "undecided"),
        (DECIDES_FROM, "overpowered"),
        (INF, "overpowered"),
    ],
)
def test_nothing_is_decided_below_300_occurrences(occurrences: float, word: str) -> None:
    assert (TOO_FEW, DECIDES_FROM) == (100, 300)
    assert str(verdict(5.0, 6.0, occurrences)) == word


@pytest.mark.parametrize(("low", "high"), [(NAN, NAN), (NAN, 5.0), (5.0, NAN), (NAN, -5.0), (0.1, NAN)])
def test_without_an_interval_nothing_is_decided(low: float, high: float) -> None:
    assert verdict(low, high, ENOUGH) == Verdict.UNDECIDED
    assert verdict(low, high, 0) == Verdict.NO_DATA
    assert verdict(low, high, 50) == Verdict.TOO_FEW


LIMITS = st.floats(-4, 4)


@given(LIMITS, LIMITS, st.floats(0.01, 3))
def test_the_mirror_image_of_an_interval_has_the_opposite_word(one: float, other: float, margin: float) -> None:
    opposite = {
        Verdict.OVERPOWERED: Verdict.UNDERPOWERED,
        Verdict.UNDERPOWERED: Verdict.OVERPOWERED,
        Verdict.STRONG: Verdict.WEAK,
        Verdict.WEAK: Verdict.STRONG,
    }
    low, high = sorted((one, other))
    said = verdict(low, high, ENOUGH, margin)
    assert verdict(-high, -low, ENOUGH, margin) == opposite.get(said, said)


@given(LIMITS, LIMITS, st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 3))
def test_a_narrower_interval_never_takes_back_what_was_decided(
    one: float, other: float, left: float, right: float, margin: float
) -> None:
    low, high = sorted((one, other))
    said = verdict(low, high, ENOUGH, margin)
    assume(said in DECIDED)
    inner_low, inner_high = sorted((low + left * (high - low), low + right * (high - low)))
    assert verdict(max(low, inner_low), min(high, inner_high), ENOUGH, margin) == said


def test_each_value_is_judged_by_its_own_interval_and_occurrences() -> None:
    values = [0.0, 3.0, -3.0, 1.1, -1.1, 1.0, 3.0, 3.0, 3.0]
    occurrences = np.array([300.0] * 6 + [299, 99, 0])
    estimate = Estimate(np.array(values), np.array(values) + with_error(0.0, 0.3).replicates)
    said = [str(word) for word in verdicts(estimate, occurrences, 0.05, 1.0)]
    assert said == [
        "balanced",
        "overpowered",
        "underpowered",
        "strong",
        "weak",
        "strong",
        "undecided",
        "too few",
        "no data",
    ]


def test_a_smaller_alpha_needs_a_narrower_error() -> None:
    estimate, enough = with_error(1.6, 0.25), np.array([ENOUGH])
    # half the interval: 1.97 errors at 95%, 3.3 at 99.9%
    assert verdicts(estimate, enough, 0.05, 1.0) == [Verdict.OVERPOWERED]
    assert verdicts(estimate, enough, 0.001, 1.0) == [Verdict.STRONG]
    assert verdicts(estimate, enough, 1e-12, 1.0) == [Verdict.UNDECIDED]


def test_a_value_of_one_block_is_undecided() -> None:
    assert verdicts(Estimate(np.array([5.0]), np.array([[5.0]])), np.array([ENOUGH]), 0.05) == [Verdict.UNDECIDED]


def test_the_margin_is_1_vp_and_alpha_5_percent_unless_said_otherwise() -> None:
    assert (MARGIN, ALPHA) == (1.0, 0.05)
    assert verdict(1.01, 2, ENOUGH) == Verdict.OVERPOWERED
    assert verdict(0.99, 2, ENOUGH) == Verdict.STRONG


# How many games it takes


def after(value: float, se: float, games: float, more: float) -> Estimate:
    """Return the estimate as it would be after more games: the error shrinks with their square root."""
    return with_error(value, se * math.sqrt(games / more), blocks=100_000)  # so many that t is z


@pytest.mark.parametrize(
    ("value", "se", "alpha"),
    list(itertools.product([0.0, 0.3, -0.6, 0.95, 1.1, -1.4, 2.5, -4.0], [0.5, 2.0], [0.05, 0.004])),
)
def test_as_many_games_as_told_decide_even_where_luck_is_as_bad_as_one_time_in_ten(
    value: float, se: float, alpha: float
) -> None:
    games, plenty = 1_000, np.array([1e9])
    expected = Verdict.BALANCED if abs(value) < 1 else Verdict.OVERPOWERED if value > 0 else Verdict.UNDERPOWERED
    needed = float(games_for_verdict(with_error(value, se), plenty, games, alpha, 1.0)[0])
    towards_the_limit = math.copysign(1.0, value) * (1.0 if abs(value) < 1 else -1.0)
    value += towards_the_limit * float(stats.norm.ppf(0.9)) * se * math.sqrt(games / needed)
    assert verdicts(after(value, se, games, 1.001 * needed), plenty, alpha, 1.0) == [expected]
    assert verdicts(after(value, se, games, 0.999 * needed), plenty, alpha, 1.0)[0] not in DECIDED


def test_the_games_needed_by_hand() -> None:
    # (1.959964 + 1.281552) * 0.2 = 0.648303 has to shrink to the distance of 0.5: (0.648303 / 0.5)**2 = 1.681188
    assert games_for_verdict(with_error(1.5, 0.2), np.array([1e9]), 1_000, 0.05, 1.0)[0] == pytest.approx(1681.188)


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_no_number_of_games_decides_a_value_at_the_margin(value: float) -> None:
    assert games_for_verdict(with_error(value, 0.2), np.array([1e4]), 1_000, 0.05, 1.0)[0] == INF


def test_games_are_played_until_there_are_300_occurrences() -> None:
    needed = games_for_verdict(with_error(5.0, 0.01), np.array([30.0]), 1_000, 0.05, 1.0)
    assert needed[0] == 10_000
    assert games_for_verdict(with_error(5.0, 0.01), np.array([3_000.0]), 1_000, 0.05, 1.0)[0] == 100


def test_nothing_is_foretold_without_data() -> None:
    nothing = Estimate(np.array([NAN]), np.full((240, 1), NAN))
    assert np.isnan(games_for_verdict(nothing, np.array([0.0]), 1_000, 0.05)).all()


def test_where_there_is_no_interval_yet_it_takes_300_occurrences_at_least() -> None:
    nothing, one_block = Estimate(np.array([NAN]), np.full((240, 1), NAN)), Estimate(np.array([3.0]), np.array([[3.0]]))
    assert games_for_verdict(nothing, np.array([50.0]), 1_000, 0.05)[0] == 6_000
    assert games_for_verdict(one_block, np.array([2.0]), 1, 0.05)[0] == 150


def test_values_are_foretold_one_by_one() -> None:
    together = Estimate(np.array([0.2, 2.0]), np.array([0.2, 2.0]) + with_error(0.0, 0.3).replicates)
    occurrences = np.array([500.0, 20.0])
    alone = [
        games_for_verdict(with_error(value, 0.3), np.array([n]), 700, 0.01)[0]
        for value, n in zip((0.2, 2.0), occurrences, strict=True)
    ]
    assert games_for_verdict(together, occurrences, 700, 0.01).tolist() == pytest.approx(alone)
