"""Corrections and tests of verdicts equal scipy's, R's and a computation by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from balance.stats.estimates import Estimate
from balance.stats.tests import (
    bonferroni,
    chi_square,
    each_against_its_pool,
    each_against_the_others,
    equivalence_p,
    holm,
)
from tests.stats.test_tests import means_of

NA = math.nan


def draws(rows: int, columns: int, seed: int = 1) -> np.ndarray:
    """Return correlated whole numbers around 0."""
    luck = np.random.default_rng(seed)
    return luck.integers(-20, 21, (rows, columns)) + luck.integers(-20, 21, (rows, 1))


# Bonferroni


@pytest.mark.parametrize(
    ("p", "adjusted"),
    [
        # R 4: p.adjust(p, "bonferroni")
        ([0.01, 0.02, 0.03, 0.04, 0.05], [0.05, 0.1, 0.15, 0.2, 0.25]),
        ([0.01, NA, 0.03, 0.04], [0.03, NA, 0.09, 0.12]),
        ([0.5, 0.6, 0.9], [1, 1, 1]),
        ([0.04], [0.04]),
        ([0, 1], [0, 1]),
        ([NA, NA], [NA, NA]),
        ([], []),
    ],
)
def test_bonferroni_equals_r(p: list[float], adjusted: list[float]) -> None:
    assert bonferroni(np.array(p)) == pytest.approx(np.array(adjusted), nan_ok=True)


@given(st.lists(st.one_of(st.floats(0, 1), st.just(NA)), max_size=20))
def test_bonferroni_is_never_below_holm_and_equals_it_for_the_smallest(p: list[float]) -> None:
    raw = np.array(p, dtype=float)
    strict, less_strict = bonferroni(raw), holm(raw)
    defined = ~np.isnan(raw)
    assert (np.isnan(strict) == ~defined).all()
    assert (strict[defined] >= less_strict[defined]).all()
    if defined.any():
        assert strict[defined].min() == less_strict[defined].min()


# Equivalence


@pytest.mark.parametrize("blocks", [4, 25, 240])
@pytest.mark.parametrize("margin", [0.5, 3.0, 12.0])
def test_equivalence_is_the_worse_of_two_one_sided_t_tests(blocks: int, margin: float) -> None:
    values = draws(blocks, 6)
    p = equivalence_p(means_of(values), margin)
    for column in range(6):
        above = stats.ttest_1samp(values[:, column], -margin, alternative="greater").pvalue
        below = stats.ttest_1samp(values[:, column], margin, alternative="less").pvalue
        assert p[column] == pytest.approx(max(above, below))


def test_a_value_is_equivalent_where_its_wider_interval_lies_inside_the_margin() -> None:
    margin, alpha = 4.0, 0.05
    estimate = means_of(np.random.default_rng(2).integers(-20, 21, (60, 400)))
    low, high = estimate.interval(1 - 2 * alpha)
    inside = (-margin < low) & (high < margin)
    assert 20 < inside.sum() < 380
    assert ((equivalence_p(estimate, margin) < alpha) == inside).all()


def test_a_value_at_the_margin_is_called_equivalent_at_most_as_often_as_promised() -> None:
    luck, runs = np.random.default_rng(8), 20_000
    values = luck.normal(1.0, 1.0, (40, runs))
    p = equivalence_p(Estimate(values.mean(axis=0), (values.sum(axis=0) - values) / 39), 1.0)
    assert (p < 0.05).mean() == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / runs))


def test_a_value_beyond_the_margin_is_not_equivalent() -> None:
    assert (equivalence_p(means_of(draws(60, 5) + 100), 3.0) > 0.999).all()


@pytest.mark.parametrize("values", [np.full((10, 1), 2), np.full((1, 1), 2)])
def test_there_is_no_equivalence_test_where_nothing_varies(values: np.ndarray) -> None:
    assert np.isnan(equivalence_p(means_of(values), 3.0)).all()


# Chi-square


@pytest.mark.parametrize(
    ("observed", "shares"),
    [
        ([44.0, 56.0], [0.5, 0.5]),
        ([10.0, 20.0, 30.0], [0.2, 0.3, 0.5]),
        ([251.0, 260.0, 240.0, 249.0], [0.25] * 4),
        ([0.0, 9.0], [0.1, 0.9]),
        ([5.0, 5.0], [0.5, 0.5]),
        ([900.0, 100.0], [0.5, 0.5]),
    ],
)
def test_chi_square_equals_scipy(observed: list[float], shares: list[float]) -> None:
    test = chi_square(np.array(observed), np.array(shares))
    expected = stats.chisquare(observed, np.array(shares) * sum(observed))
    assert test.chi2 == pytest.approx(expected.statistic)
    assert test.p == pytest.approx(expected.pvalue)
    assert test.df == len(observed) - 1


@pytest.mark.parametrize(
    ("observed", "shares"),
    [([], []), ([7.0], [1.0]), ([0.0, 0.0], [0.5, 0.5]), ([3.0, 4.0], [0.0, 1.0])],
)
def test_there_is_no_chi_square_test_without_counts_to_expect(observed: list[float], shares: list[float]) -> None:
    test = chi_square(np.array(observed), np.array(shares))
    assert np.isnan(test.p)
    assert np.isnan(test.chi2)
    assert test.df == 0


def test_fair_winners_are_called_unfair_as_often_as_promised() -> None:
    winners = np.random.default_rng(5).multinomial(400, [0.25] * 4, 4_000).astype(float)
    p = np.array([chi_square(observed, np.full(4, 0.25)).p for observed in winners])
    assert (p < 0.05).mean() == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 4_000))


# Each against its pool


def test_each_value_is_compared_with_the_plain_mean_of_the_others_of_its_pool() -> None:
    values, pools = draws(50, 7), ["a", "b", "a", "b", "a", "c", "c"]
    found = each_against_its_pool(means_of(values), pools, np.ones(7, dtype=bool))
    for number in range(7):
        others = [other for other in range(7) if other != number and pools[other] == pools[number]]
        differences = values[:, number] - values[:, others].mean(axis=1)
        assert found.value[number] == pytest.approx(differences.mean())
        assert found.se[number] == pytest.approx(stats.sem(differences))


def test_what_is_not_known_is_no_other_and_has_no_difference() -> None:
    values, pools = draws(50, 5), ["a"] * 5
    is_known = np.array([True, False, True, True, False])
    found = each_against_its_pool(means_of(values), pools, is_known)
    alone = each_against_the_others(means_of(values[:, is_known]))
    assert found.value[is_known] == pytest.approx(alone.value)
    assert found.se[is_known] == pytest.approx(alone.se)
    assert np.isnan(found.value[~is_known]).all()
    assert np.isnan(found.se[~is_known]).all()


def test_unknown_values_that_are_nan_spoil_no_other() -> None:
    values = draws(50, 4)
    estimate = means_of(values)
    spoilt = Estimate(np.append(estimate.value, NA), np.column_stack([estimate.replicates, np.full(50, NA)]))
    found = each_against_its_pool(spoilt, ["a"] * 5, np.array([True] * 4 + [False]))
    assert found.value[:4] == pytest.approx(each_against_the_others(estimate).value)
    assert found.se[:4] == pytest.approx(each_against_the_others(estimate).se)


def test_a_value_alone_in_its_pool_has_no_difference() -> None:
    values = draws(50, 3)
    found = each_against_its_pool(means_of(values), ["a", "a", "b"], np.ones(3, dtype=bool))
    assert np.isfinite(found.value[:2]).all()
    assert np.isnan(found.value[2])
    known_alone = each_against_its_pool(means_of(values), ["a"] * 3, np.array([True, False, False]))
    assert np.isnan(known_alone.value).all()


def test_differences_within_a_pool_add_up_to_nothing() -> None:
    found = each_against_its_pool(means_of(draws(50, 6)), ["a", "a", "a", "b", "b", "b"], np.ones(6, dtype=bool))
    assert found.value[:3].sum() == pytest.approx(0, abs=1e-12)
    assert found.value[3:].sum() == pytest.approx(0, abs=1e-12)


def test_all_of_one_pool_is_each_against_the_others() -> None:
    estimate = means_of(draws(50, 6))
    found, expected = (
        each_against_its_pool(estimate, ["a"] * 6, np.ones(6, dtype=bool)),
        each_against_the_others(estimate),
    )
    assert (found.value == expected.value).all()
    assert (found.replicates == expected.replicates).all()
