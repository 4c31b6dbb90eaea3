"""Errors and intervals equal the textbook's, scipy's and plain Python's."""

from __future__ import annotations

import math
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from balance.games.outcome import BLOCKS, ByGame
from balance.stats.estimates import TOO_FEW, Blocks, Estimate, Floats, Sums, evidence, put, ratio, t_quantile
from tests.naive.estimates import jackknife, mean, standard_error_of_mean

Pairs = list[list[tuple[int, int]]]  # by block: (above, below) of each game


def blocks_of(games: Pairs) -> Blocks:
    """Return tallies of games that count an `above` and a `below`."""
    by_game = np.zeros((BLOCKS, len(ByGame)), dtype=np.int64)
    x = np.zeros((BLOCKS, 2), dtype=np.int64)
    for number, block in enumerate(games):
        by_game[number, ByGame.GAMES] = len(block)
        x[number] = np.array(block).reshape(-1, 2).sum(axis=0)
    return Blocks({"games": by_game, "x": x})


def per_game(sums: Sums) -> Floats:
    """Return the mean of `above` over games."""
    return ratio(sums("x")[:, [0]], sums("games")[:, [ByGame.GAMES]])


def above_by_below(sums: Sums) -> Floats:
    """Return the ratio of the sums."""
    return ratio(sums("x")[:, [0]], sums("x")[:, [1]])


def estimate_with(value: float, se: float, blocks: int = BLOCKS) -> Estimate:
    """Return an estimate with a given standard error."""
    deviations = np.resize([1.0, -1.0], blocks)
    deviations *= se / math.sqrt((blocks - 1) / blocks * np.square(deviations).sum())
    return Estimate(np.array([value]), value + deviations[:, np.newaxis])


def confidence_of_z(z: float, blocks: int) -> float:
    """Return the confidence at which the t quantile is z, to compare with formulas that use the normal one."""
    return float(2 * stats.t.cdf(z, blocks - 1) - 1)


Z = float(stats.norm.ppf(0.975))

# The jackknife


def test_the_error_of_a_mean_is_sd_by_root_n() -> None:
    values = [3, 7, 7, 19, 24, 0, 5]
    estimate = blocks_of([[(value, 1)] for value in values]).estimate(per_game)
    assert estimate.value[0] == pytest.approx(mean(values), rel=1e-14)
    assert estimate.se[0] == pytest.approx(standard_error_of_mean(values), rel=1e-12)
    assert estimate.se[0] == pytest.approx(stats.sem(values), rel=1e-12)


def test_the_error_of_a_ratio_is_that_of_leaving_each_block_out() -> None:
    games: Pairs = [[(3, 1), (5, 2)], [(0, 0)], [(8, 3)], [(2, 2), (9, 2), (4, 1)], [(7, 5)]]
    estimate = blocks_of(games).estimate(above_by_below)
    value, error = jackknife(games, lambda block: sum(a for a, _ in block) / sum(b for _, b in block))
    assert estimate.value[0] == pytest.approx(value, rel=1e-14)
    assert estimate.se[0] == pytest.approx(error, rel=1e-12)


def test_the_error_of_a_ratio_of_two_blocks_by_hand() -> None:
    estimate = blocks_of([[(6, 2)], [(4, 4)]]).estimate(above_by_below)
    assert estimate.value[0] == 10 / 6
    assert estimate.replicates[:, 0].tolist() == [1.0, 3.0]
    assert estimate.se[0] == pytest.approx(math.sqrt(1 / 2 * (1 + 1)))


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 50)), max_size=4), min_size=2, max_size=12).filter(
        lambda blocks: sum(map(bool, blocks)) >= 2
    )
)
def test_the_jackknife_equals_plain_python(games: Pairs) -> None:
    for statistic, naive in (
        (per_game, lambda block: sum(a for a, _ in block) / len(block)),
        (above_by_below, lambda block: sum(a for a, _ in block) / sum(b for _, b in block)),
    ):
        estimate = blocks_of(games).estimate(statistic)
        value, error = jackknife(games, naive)
        assert estimate.value[0] == pytest.approx(value, rel=1e-12, abs=1e-12)
        assert estimate.se[0] == pytest.approx(error, rel=1e-9, abs=1e-9)


def test_blocks_without_games_are_left_aside() -> None:
    games: Pairs = [[(3, 1)], [], [(8, 1)], [], [], [(2, 1)]]
    estimate = blocks_of(games).estimate(per_game)
    assert estimate.blocks == 3
    assert estimate.se[0] == pytest.approx(standard_error_of_mean([3, 8, 2]))
    assert blocks_of(games).games == 3


def test_the_covariance_is_that_of_the_replicates_and_its_diagonal_the_squared_error() -> None:
    replicates = np.random.default_rng(1).normal(size=(50, 3))
    estimate = Estimate(replicates.mean(axis=0), replicates)
    expected = 49**2 / 50 * np.cov(replicates.T, ddof=1)
    assert estimate.covariance == pytest.approx(expected)
    assert np.sqrt(np.diag(estimate.covariance)) == pytest.approx(estimate.se)


def test_a_contrast_has_the_error_of_the_difference_not_of_independent_values() -> None:
    luck = random.Random(2)
    pairs = [(value, value + luck.randint(0, 2)) for value in (luck.randint(0, 100) for _ in range(60))]
    games: Pairs = [[pair] for pair in pairs]
    both = blocks_of(games).estimate(lambda sums: ratio(sums("x"), sums("games")[:, [ByGame.GAMES]]))
    difference = both.contrast(np.array([[-1.0, 1.0]]))
    assert difference.value[0] == pytest.approx(mean([b - a for a, b in pairs]))
    assert difference.se[0] == pytest.approx(standard_error_of_mean([b - a for a, b in pairs]))
    assert difference.se[0] < 0.1 * both.se.min()


def test_sums_are_exact_beyond_what_floats_add_up() -> None:
    by_game = np.zeros((BLOCKS, len(ByGame)), dtype=np.int64)
    by_game[:, ByGame.GAMES] = 1
    large = np.full((BLOCKS, 1), 2**53 // BLOCKS, dtype=np.int64)
    large[0] += 1
    blocks = Blocks({"games": by_game, "x": large})
    assert blocks.total("x")[0, 0] == 2**53 // BLOCKS * BLOCKS + 1
    assert blocks.without_each("x")[0, 0] == 2**53 // BLOCKS * (BLOCKS - 1)


# Intervals


@pytest.mark.parametrize("blocks", [2, 3, 12, 240])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_t_quantiles_have_blocks_minus_1_degrees_of_freedom(blocks: int, confidence: float) -> None:
    assert t_quantile(blocks, confidence) == pytest.approx(stats.t.ppf((1 + confidence) / 2, blocks - 1))


@pytest.mark.parametrize("blocks", [0, 1])
def test_there_is_no_interval_from_a_single_block(blocks: int) -> None:
    assert math.isnan(t_quantile(blocks))
    estimate = Estimate(np.array([3.0]), np.full((blocks, 1), 3.0))
    assert np.isnan(estimate.se).all()
    assert np.isnan(estimate.covariance).all()
    assert np.isnan(estimate.interval()).all()
    assert np.isnan(estimate.share_interval(np.array([10.0]))).all()


def test_the_interval_of_a_mean_is_that_of_scipy() -> None:
    values = [3, 7, 7, 19, 24, 0, 5]
    low, high = blocks_of([[(value, 1)] for value in values]).estimate(per_game).interval()
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(("wins", "n"), [(1, 30), (15, 30), (29, 30), (3, 1000), (250, 1000), (6000, 20000)])
@pytest.mark.parametrize("blocks", [12, 240])
def test_the_interval_of_independent_shares_is_wilsons(wins: int, n: int, blocks: int) -> None:
    share = wins / n
    estimate = estimate_with(share, math.sqrt(share * (1 - share) / n), blocks)
    low, high = estimate.share_interval(np.array([float(n)]), confidence_of_z(Z, blocks))
    expected = stats.binomtest(wins, n).proportion_ci(method="wilson")
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_the_effective_number_of_trials_is_that_of_the_same_error() -> None:
    # 40 independent trials have the error of 160 trials that always come in fours alike
    estimate = estimate_with(0.3, math.sqrt(0.3 * 0.7 / 40))
    low, high = estimate.share_interval(np.array([160.0]), confidence_of_z(Z, BLOCKS))
    expected = stats.binomtest(12, 40).proportion_ci(method="wilson")
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("n", [1, 3, 30, 1000])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_shares_of_none_and_all_have_the_exact_interval_of_clopper_and_pearson(n: int, confidence: float) -> None:
    for wins in (0, n):
        estimate = Estimate(np.array([wins / n]), np.full((BLOCKS, 1), wins / n))
        low, high = estimate.share_interval(np.array([float(n)]), confidence)
        expected = stats.binomtest(wins, n).proportion_ci(confidence, method="exact")
        assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_none_of_30_is_no_certainty() -> None:
    estimate = Estimate(np.array([0.0]), np.zeros((BLOCKS, 1)))
    low, high = estimate.share_interval(np.array([30.0]))
    assert low[0] == 0
    assert high[0] == pytest.approx(0.1157, abs=1e-4)


def test_limits_of_shares_are_shares() -> None:
    values = np.array([0.0, 0.001, 0.5, 0.999, 1.0])
    errors = np.random.default_rng(1).normal(size=(BLOCKS, 5)) * [0, 1e-4, 0.01, 1e-4, 0]
    low, high = Estimate(values, values + errors).share_interval(np.full(5, 200.0))
    assert ((low >= 0) & (low <= values) & (values <= high) & (high <= 1)).all()


# What a table shows


def shown_with(n: int, *, share: bool = False) -> pd.Series:
    """Put an estimate of n occurrences into a table."""
    table = pd.DataFrame(index=["row"])
    put(table, "x", estimate_with(0.4, 0.01), np.array([float(n)]), share=share)
    return table.loc["row"]


@pytest.mark.parametrize("share", [False, True])
def test_below_100_occurrences_a_value_has_no_interval(share: bool) -> None:
    few, enough = shown_with(TOO_FEW - 1, share=share), shown_with(TOO_FEW, share=share)
    assert TOO_FEW == 100
    assert few["x"] == enough["x"] == 0.4
    assert few["x_se"] == pytest.approx(0.01)
    assert math.isnan(few["x_low"])
    assert math.isnan(few["x_high"])
    assert enough["x_low"] < 0.4 < enough["x_high"]


def test_means_and_shares_have_their_own_intervals() -> None:
    mean_row, share_row = shown_with(500), shown_with(500, share=True)
    assert mean_row["x_high"] - 0.4 == pytest.approx(0.4 - mean_row["x_low"])
    assert share_row["x_high"] - 0.4 > 0.4 - share_row["x_low"]


def test_evidence_is_said_in_words() -> None:
    assert evidence(np.array([0.0, 1.0, 99.0, 100.0, 1e9])) == ["no data", "too few", "too few", "enough", "enough"]


def test_a_ratio_of_nothing_is_undefined_and_no_warning() -> None:
    result = ratio(np.array([0.0, 1.0, 6.0]), np.array([0.0, 0.0, 3.0]))
    assert np.isnan(result[:2]).all()
    assert result[2] == 2
