"""Tests and corrections equal scipy's, R's and the textbook's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from balance.games.outcome import BLOCKS, ByGame
from balance.stats.estimates import Blocks, Estimate, ratio
from balance.stats.tests import NO_TEST, all_equal, each_against_the_others, holm, two_sided_p


def means_of(values: np.ndarray) -> Estimate:
    """Return the means of columns, a row a block."""
    games = np.zeros((len(values), len(ByGame)), dtype=np.int64)
    games[:, ByGame.GAMES] = 1
    return Blocks({"games": games, "x": values}).estimate(
        lambda sums: ratio(sums("x"), sums("games")[:, [ByGame.GAMES]])
    )


def draws(rows: int, columns: int, seed: int = 1) -> np.ndarray:
    """Return correlated whole numbers."""
    luck = np.random.default_rng(seed)
    return luck.integers(0, 50, (rows, columns)) + luck.integers(0, 50, (rows, 1))


# All equal


@pytest.mark.parametrize(("blocks", "k"), [(12, 2), (30, 3), (240, 4), (240, 14)])
def test_all_equal_is_hotellings_test_of_the_differences(blocks: int, k: int) -> None:
    values = draws(blocks, k)
    test = all_equal(means_of(values))
    differences = values[:, 1:] - values[:, [0]]
    centre = differences.mean(axis=0)
    t_squared = blocks * centre @ np.linalg.inv(np.cov(differences.T, ddof=1).reshape(k - 1, k - 1)) @ centre
    f = t_squared * (blocks - (k - 1)) / ((k - 1) * (blocks - 1))
    assert test.f == pytest.approx(f)
    assert test.df == (k - 1, blocks - (k - 1))
    assert test.p == pytest.approx(stats.f.sf(f, k - 1, blocks - (k - 1)))


def test_two_values_are_compared_by_a_paired_t_test_squared() -> None:
    values = draws(40, 2)
    test = all_equal(means_of(values))
    paired = stats.ttest_rel(values[:, 0], values[:, 1])
    assert test.f == pytest.approx(paired.statistic**2)
    assert test.p == pytest.approx(paired.pvalue)
    difference = means_of(values).contrast(np.array([[1.0, -1.0]]))
    assert two_sided_p(difference)[0] == pytest.approx(paired.pvalue)


def test_the_order_of_the_values_does_not_matter() -> None:
    values = draws(60, 5)
    turned = all_equal(means_of(values[:, [3, 0, 4, 1, 2]]))
    assert turned.f == pytest.approx(all_equal(means_of(values)).f)


def test_equal_values_are_called_different_at_most_as_often_as_promised() -> None:
    p = np.array([all_equal(means_of(draws(60, 4, seed))).p for seed in range(1_000)])
    assert 0.05 - 4 * 0.0069 < (p < 0.05).mean() < 0.05 + 4 * 0.0069
    assert stats.kstest(p, "uniform").pvalue > 0.001


@pytest.mark.parametrize(
    "replicates",
    [
        np.zeros((10, 1)),  # one value
        np.zeros((1, 3)),  # one block
        np.random.default_rng(1).normal(size=(3, 5)),  # fewer blocks than values
        np.ones((10, 3)),  # nothing varies
        np.full((10, 3), np.nan),  # nothing is defined
        np.repeat(np.random.default_rng(1).normal(size=(10, 1)), 3, axis=1),  # the differences do not vary
        np.zeros((10, 0)),  # no values
    ],
)
def test_there_is_no_test_where_nothing_can_be_compared(replicates: np.ndarray) -> None:
    assert all_equal(Estimate(replicates.mean(axis=0), replicates)) is NO_TEST
    assert np.isnan(NO_TEST.p)


# One against a value


def test_one_value_is_compared_by_a_t_test() -> None:
    values = draws(25, 1)
    expected = stats.ttest_1samp(values[:, 0], 45).pvalue
    assert two_sided_p(means_of(values), 45)[0] == pytest.approx(expected)


def test_there_is_no_p_where_nothing_varies() -> None:
    values = np.column_stack([np.full(10, 3), np.arange(10)])
    p = two_sided_p(means_of(values))
    assert np.isnan(p[0])
    assert 0 < p[1] < 1


@pytest.mark.parametrize("blocks", [0, 1])
def test_there_is_no_p_from_a_single_block(blocks: int) -> None:
    assert np.isnan(two_sided_p(Estimate(np.array([3.0]), np.full((blocks, 1), 3.0)))).all()


# Each against the others


def test_each_value_is_compared_with_the_plain_mean_of_the_others() -> None:
    values = draws(30, 4)
    estimate = each_against_the_others(means_of(values))
    for number in range(4):
        others = np.delete(values, number, axis=1)
        differences = values[:, number] - others.mean(axis=1)
        assert estimate.value[number] == pytest.approx(differences.mean())
        assert estimate.se[number] == pytest.approx(stats.sem(differences))


def test_a_single_value_has_no_others() -> None:
    assert np.isnan(each_against_the_others(means_of(draws(30, 1))).value).all()


def test_no_values_have_no_differences() -> None:
    none = Estimate(np.zeros(0), np.zeros((30, 0)))
    assert each_against_the_others(none).value.shape == (0,)
    assert each_against_the_others(none).se.shape == (0,)


# Many tests at once

NA = np.nan


@pytest.mark.parametrize(
    ("p", "adjusted"),
    [
        # R 4: p.adjust(p, "holm")
        ([0.01, 0.02, 0.03, 0.04, 0.05], [0.05, 0.08, 0.09, 0.09, 0.09]),
        ([0.05, 0.01, 0.04, 0.02, 0.03], [0.09, 0.05, 0.09, 0.08, 0.09]),
        ([0.01, NA, 0.03, 0.04], [0.03, NA, 0.06, 0.06]),
        ([0.5, 0.6, 0.9], [1, 1, 1]),
        ([0.001, 0.001], [0.002, 0.002]),
        ([0.04], [0.04]),
        ([0, 1], [0, 1]),
        ([NA, NA], [NA, NA]),
        ([], []),
    ],
)
def test_holm_equals_r(p: list[float], adjusted: list[float]) -> None:
    assert holm(np.array(p)) == pytest.approx(np.array(adjusted), nan_ok=True)


@given(st.lists(st.one_of(st.floats(0, 1), st.just(NA)), max_size=20))
def test_holm_keeps_the_order_raises_every_p_and_leaves_the_undefined_alone(p: list[float]) -> None:
    raw, adjusted = np.array(p, dtype=float), holm(np.array(p, dtype=float))
    defined = ~np.isnan(raw)
    assert (np.isnan(adjusted) == np.isnan(raw)).all()
    assert (adjusted[defined] >= raw[defined]).all()
    assert (adjusted[defined] <= 1).all()
    order = np.argsort(raw[defined], kind="stable")
    assert (np.diff(adjusted[defined][order]) >= 0).all()
    assert holm(raw[defined]) == pytest.approx(adjusted[defined])


def test_holm_stops_at_the_first_that_is_not_significant() -> None:
    luck = np.random.default_rng(3)
    for _ in range(200):
        p = luck.uniform(0, 0.2, 8) ** 2
        rejected = np.zeros(8, dtype=bool)
        for rank, number in enumerate(np.argsort(p)):
            if p[number] > 0.05 / (8 - rank):
                break
            rejected[number] = True
        assert ((holm(p) <= 0.05) == rejected).all()


def test_as_many_blocks_as_the_tallies_have_are_used() -> None:
    assert all_equal(means_of(draws(BLOCKS, 3))).df == (2, 238)
