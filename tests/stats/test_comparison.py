"""Differences of two runs equal a computation by hand: paired by block where they share their luck, else added up."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from balance.games.outcome import BLOCKS, ByGame, BySeat
from balance.stats.comparison import SUPERIORITY, Pair, measures_compared, standardised, values_compared
from balance.stats.estimates import Blocks, Estimate, Floats, Sums, ratio
from balance.stats.outcome import Measured
from balance.studies.tables import Run

RUNS = 4_000
BATCHES = 4
NOISE = 0.0017  # standard error of a coverage near 0.95 over all runs


def blocks_of(x: np.ndarray, games: int = 1, **more: np.ndarray) -> Blocks:
    """Return tallies with whole numbers x, a row a block of so many games each."""
    by_game = np.zeros((len(x), len(ByGame)), dtype=np.int64)
    by_game[:, ByGame.GAMES] = games
    return Blocks({"games": by_game, "x": x, **more})


def mean_x(sums: Sums) -> Floats:
    """Return the means of x over games."""
    return ratio(sums("x"), sums("games")[:, [ByGame.GAMES]])


def draws(rows: int, columns: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 60, (rows, columns))


# Differences


def test_a_paired_difference_is_that_of_the_values_block_by_block() -> None:
    a, b = draws(40, 3, 1), draws(40, 3, 2)
    found = Pair(blocks_of(a), blocks_of(b), True).difference(mean_x, mean_x)
    assert found.value == pytest.approx((a - b).mean(axis=0))
    assert found.se == pytest.approx(stats.sem(a - b))
    low, high = found.interval()
    for column in range(3):
        expected = stats.ttest_rel(a[:, column], b[:, column]).confidence_interval(0.95)
        assert (low[column], high[column]) == pytest.approx(expected)


def test_a_paired_difference_of_ratios_leaves_the_same_block_of_both_out() -> None:
    a, b = draws(12, 2, 3) + 1, draws(12, 2, 4) + 1

    def quotient(sums: Sums) -> Floats:
        return ratio(sums("x")[:, [0]], sums("x")[:, [1]])

    found = Pair(blocks_of(a), blocks_of(b), True).difference(quotient, quotient)
    for block in range(12):
        others = np.arange(12) != block
        left = [x[others, 0].sum() / x[others, 1].sum() for x in (a, b)]
        assert found.replicates[block, 0] == pytest.approx(left[0] - left[1])


@pytest.mark.parametrize(("rows_a", "rows_b"), [(40, 40), (240, 30), (3, 17)])
def test_the_variances_of_runs_of_their_own_luck_add_up(rows_a: int, rows_b: int) -> None:
    a, b = draws(rows_a, 3, 1), draws(rows_b, 3, 2)
    pair = Pair(blocks_of(a), blocks_of(b), False)
    found = pair.difference(mean_x, mean_x)
    each = [blocks.estimate(mean_x).se for blocks in (pair.a, pair.b)]
    assert found.value == pytest.approx(a.mean(axis=0) - b.mean(axis=0))
    assert found.se**2 == pytest.approx(each[0] ** 2 + each[1] ** 2)
    assert found.se**2 == pytest.approx(stats.sem(a) ** 2 + stats.sem(b) ** 2)
    assert found.blocks == rows_a + rows_b


def test_pairing_takes_the_shared_luck_out() -> None:
    base = draws(240, 1, 1) * 10
    a, b = base + draws(240, 1, 2) // 10, base + draws(240, 1, 3) // 10
    errors = [Pair(blocks_of(a), blocks_of(b), paired).difference(mean_x, mean_x).se[0] for paired in (True, False)]
    assert errors[0] < errors[1] / 20


@pytest.mark.parametrize("is_paired", [True, False])
def test_b_against_a_is_a_against_b_with_the_other_sign(is_paired: bool) -> None:
    a, b = blocks_of(draws(50, 4, 5)), blocks_of(draws(50, 4, 6))
    there, back = (Pair(*both, is_paired).difference(mean_x, mean_x) for both in ((a, b), (b, a)))
    assert there.value == pytest.approx(-back.value)
    assert there.se == pytest.approx(back.se)
    assert [limit.tolist() for limit in there.interval()] == [
        pytest.approx((-limit).tolist()) for limit in reversed(back.interval())
    ]


def test_the_difference_from_a_single_game_has_no_error() -> None:
    one, many = blocks_of(draws(1, 1, 1)), blocks_of(draws(50, 1, 2))
    assert np.isnan(Pair(one, one, True).difference(mean_x, mean_x).se).all()
    assert np.isnan(Pair(one, many, False).difference(mean_x, mean_x).se).all()


# Coverage


def filled(sums: np.ndarray) -> np.ndarray:
    return (sums * 2**20).round().astype(np.int64)


def covered(pair: Pair, truth: float) -> float:
    """Return how often the interval of a difference of ratios holds the truth."""

    def quotient(sums: Sums) -> Floats:
        return ratio(sums("x"), sums("below"))

    low, high = pair.difference(quotient, quotient).interval()
    return float(((low <= truth) & (truth <= high)).mean())


def test_intervals_of_paired_differences_hold_the_truth_as_often_as_they_say() -> None:
    # VP per tile: blocks share their luck, both place tiles unequally often, B's tiles bring 0.5 less
    luck = np.random.default_rng(11)
    rates = []
    for _ in range(BATCHES):
        shared = luck.normal(0, 3, (BLOCKS, RUNS))
        sides = []
        for worth in (4.5, 4.0):
            below = luck.poisson(6, (BLOCKS, RUNS)) + 1.0
            above = worth * below + np.sqrt(below) * luck.normal(0, 1, (BLOCKS, RUNS)) + shared
            sides.append(blocks_of(filled(above), below=filled(below)))
        rates.append(covered(Pair(sides[0], sides[1], True), 0.5))
    assert 0.94 - NOISE <= np.mean(rates) <= 0.96 + NOISE


def test_intervals_of_unpaired_differences_hold_the_truth_as_often_as_they_say() -> None:
    luck = np.random.default_rng(12)
    rates = []
    for _ in range(BATCHES):
        sides = []
        for worth, blocks in ((4.5, BLOCKS), (4.0, 100)):
            below = luck.poisson(6, (blocks, RUNS)) + 1.0
            above = worth * below + np.sqrt(below) * luck.normal(0, 2, (blocks, RUNS))
            sides.append(blocks_of(filled(above), below=filled(below)))
        rates.append(covered(Pair(sides[0], sides[1], False), 0.5))
    assert 0.94 - NOISE <= np.mean(rates) <= 0.96 + NOISE


# Who scores more


def scores_of(scores: np.ndarray, bins: int) -> Blocks:
    """Return tallies of one score a block: histogram, and sums by seat."""
    histogram = np.zeros((len(scores), 1, 1, bins), dtype=np.int64)
    histogram[np.arange(len(scores)), 0, 0, scores] = 1
    seats = np.zeros((len(scores), 1, 1, len(BySeat)), dtype=np.int64)
    seats[:, 0, 0, BySeat.GAMES] = 1
    seats[:, 0, 0, BySeat.SCORE] = scores
    seats[:, 0, 0, BySeat.SCORE_SQUARED] = scores**2
    return blocks_of(scores[:, np.newaxis], scores=histogram, seats=seats)


def superiority(pair: Pair) -> pd.Series:
    return measures_compared(pair, {}, {}).loc[SUPERIORITY]


@pytest.mark.parametrize("is_paired", [True, False])
@pytest.mark.parametrize(("bins_a", "bins_b"), [(30, 30), (30, 45), (45, 30), (2, 60)])
def test_the_chance_to_score_more_is_that_of_all_pairs_of_scores(is_paired: bool, bins_a: int, bins_b: int) -> None:
    luck = np.random.default_rng(4)
    a, b = luck.integers(0, bins_a, 120), luck.integers(0, bins_b, 120)
    row = superiority(Pair(scores_of(a, bins_a), scores_of(b, bins_b), is_paired))
    more, equal = (a[:, np.newaxis] > b).mean(), (a[:, np.newaxis] == b).mean()
    assert row["a"] == pytest.approx(more + equal / 2)
    assert row["b"] == pytest.approx(1 - row["a"])
    assert row["difference"] == pytest.approx(2 * row["a"] - 1)
    assert row["size"] == pytest.approx(more - (a[:, np.newaxis] < b).mean())  # Cliff's delta
    u = stats.mannwhitneyu(a, b).statistic
    assert row["a"] == pytest.approx(u / len(a) / len(b))


def test_the_error_of_the_chance_to_score_more_is_jackknifed() -> None:
    luck = np.random.default_rng(4)
    a, b = luck.integers(0, 30, 40), luck.integers(5, 35, 40)

    def chance(x: np.ndarray, y: np.ndarray) -> float:
        return float(((x[:, np.newaxis] > y) + (x[:, np.newaxis] == y) / 2).mean())

    both = np.array([chance(np.delete(a, block), np.delete(b, block)) for block in range(40)])
    row = superiority(Pair(scores_of(a, 40), scores_of(b, 40), True))
    assert row["a_se"] == pytest.approx(np.sqrt(39 / 40 * np.square(both - both.mean()).sum()))
    of_a = np.array([chance(np.delete(a, block), b) for block in range(40)])
    of_b = np.array([chance(a, np.delete(b, block)) for block in range(40)])
    row = superiority(Pair(scores_of(a, 40), scores_of(b, 40), False))
    variance = sum(39 / 40 * np.square(part - part.mean()).sum() for part in (of_a, of_b))
    assert row["a_se"] == pytest.approx(np.sqrt(variance))


@pytest.mark.parametrize(("score_a", "score_b", "chance"), [(3, 5, 0.0), (5, 3, 1.0), (4, 4, 0.5)])
def test_scores_that_never_cross_leave_no_doubt(score_a: int, score_b: int, chance: float) -> None:
    row = superiority(Pair(scores_of(np.full(120, score_a), 9), scores_of(np.full(120, score_b), 9), True))
    assert (row["a"], row["a_se"], row["difference"]) == (chance, 0, 2 * chance - 1)


# Tables


def measured(unit: str, column: int, n: float, key: str = "") -> Measured:
    return Measured(lambda sums: mean_x(sums)[:, [column]], unit, n, key=key)


def two_runs(is_paired: bool) -> tuple[Pair, np.ndarray, np.ndarray]:
    """Return runs of scores, with four more columns of numbers."""
    luck = np.random.default_rng(9)
    a, b = (luck.integers(low, low + 25, (150, 5)) for low in (20, 24))
    a[:, 3], b[:, 3], a[:, 4] = 0, 0, 0
    sides = []
    for x in (a, b):
        of = scores_of(x[:, 0], 60)
        sides.append(blocks_of(x, scores=of._tallies["scores"], seats=of._tallies["seats"]))
    return Pair(sides[0], sides[1], is_paired), a, b


@pytest.mark.parametrize("is_paired", [True, False])
def test_the_table_of_measures_by_hand(is_paired: bool) -> None:
    pair, a, b = two_runs(is_paired)
    of: Mapping[str, Measured] = {"score": measured("VP", 0, 600, "s"), "length": measured("turns", 1, 150)}
    of_a, of_b = {**of, "only in A": measured("VP", 1, 9)}, {**of, "only in B": measured("VP", 2, 9)}
    table = measures_compared(pair, of_a, of_b)
    assert list(table.index) == ["score", "length", SUPERIORITY]
    for column, name in enumerate(of):
        row, x, y = table.loc[name], a[:, column], b[:, column]
        test = stats.ttest_rel(x, y) if is_paired else None
        assert row["a"] == pytest.approx(x.mean())
        assert row["b_se"] == pytest.approx(stats.sem(y))
        assert row["difference"] == pytest.approx(x.mean() - y.mean())
        if test is not None:
            assert row["p"] == pytest.approx(test.pvalue)
            assert (row["difference_low"], row["difference_high"]) == pytest.approx(test.confidence_interval(0.95))
        else:
            error = math.hypot(stats.sem(x), stats.sem(y))
            assert row["difference_se"] == pytest.approx(error)
            assert row["p"] == pytest.approx(2 * stats.t.sf(abs(row["difference"]) / error, 299))
    deviation = math.sqrt((a[:, 0].var() + b[:, 0].var()) / 2)
    assert table.loc["score", "size"] == pytest.approx((a[:, 0].mean() - b[:, 0].mean()) / deviation)
    assert table.loc["length", "size"] == pytest.approx(a[:, 1].mean() / b[:, 1].mean() - 1)
    assert table["size_of"].tolist() == ["SD of a score", "relative", "Cliff's delta"]
    assert table.loc["score", ["key", "unit", "n", "evidence"]].tolist() == ["s", "VP", 600, "enough"]


def test_a_rule_that_neither_run_has_is_not_compared_but_one_that_only_one_has_is() -> None:
    pair, _, _ = two_runs(True)
    of = {
        "in neither": measured("VP", 3, 150)._replace(key="rules.neither.share"),
        "in B alone": measured("VP", 4, 150)._replace(key="rules.alone.share"),
        "no rule": measured("VP", 3, 150)._replace(key="score.mean"),
    }
    assert list(measures_compared(pair, of, of).index) == ["in B alone", "no rule", SUPERIORITY]


def test_a_measure_of_few_occurrences_has_no_interval_and_no_p() -> None:
    pair, _, _ = two_runs(True)
    rare, often = {"x": measured("VP", 1, 99)}, {"x": measured("VP", 1, 100)}
    row = measures_compared(pair, rare, often).loc["x"]
    assert (row["n"], row["evidence"]) == (99, "too few")
    assert row[["p", "p_holm", "difference_low", "difference_high", "a_low", "b_high"]].isna().all()
    assert row[["a", "difference", "difference_se"]].notna().all()
    assert measures_compared(pair, often, often).loc["x"].notna().all()


def test_values_are_compared_one_by_one() -> None:
    pair, a, b = two_runs(True)
    n = np.array([150.0, 150.0, 150.0, 0.0, 99.0])
    table = values_compared(pair, mean_x, mean_x, n, pd.Index(list("abcde"), name="tile"))
    for column, name in enumerate("abc"):
        test = stats.ttest_rel(a[:, column], b[:, column])
        assert table.loc[name, "difference"] == pytest.approx((a - b)[:, column].mean())
        assert table.loc[name, "p"] == pytest.approx(test.pvalue)
        assert table.loc[name, "difference_low"] == pytest.approx(test.confidence_interval(0.95).low)
    assert table["evidence"].tolist() == ["enough"] * 3 + ["no data", "too few"]
    assert table.loc[["d", "e"], ["p", "p_holm", "difference_low", "difference_high"]].isna().all(axis=None)
    p = np.sort(table["p"].dropna().to_numpy())
    assert table["p_holm"].min() == pytest.approx(3 * p[0])


@pytest.mark.parametrize(
    ("unit", "a", "b", "size", "size_of"),
    [
        ("VP", 46.0, 50.0, -0.5, "SD of a score"),
        ("share of games", 0.25, 0.5, -0.5235988, "h"),
        ("share of games", 1.0, 0.0, math.pi, "h"),
        ("share of games won", 0.3, 0.3, 0.0, "h"),
        ("share of games", -0.1, 0.1, -2.0, "relative"),  # a difference of shares is no share
        ("turns", 30.0, 20.0, 0.5, "relative"),
        ("turns", 1.0, -2.0, 1.5, "relative"),
    ],
)
def test_a_difference_has_a_size_that_does_not_depend_on_the_game(
    unit: str, a: float, b: float, size: float, size_of: str
) -> None:
    found, of = standardised(unit, a, b, 8.0)
    assert found == pytest.approx(size)
    assert of == size_of


def test_there_is_no_size_where_there_is_nothing_to_measure_in() -> None:
    assert math.isnan(standardised("VP", 1.0, 2.0, 0.0)[0])
    assert math.isnan(standardised("turns", 1.0, 0.0, 8.0)[0])


# Runs


@pytest.mark.parametrize("run", ["random_run", "mixed_run"])
def test_a_run_against_itself_differs_by_exactly_nothing(run: str, request: pytest.FixtureRequest) -> None:
    same: Run = request.getfixturevalue(run)
    table = measures_compared(Pair(same.blocks, same.blocks, True), same.measures(), same.measures())
    assert len(table) > 15
    assert (table[["difference", "difference_se", "difference_low", "difference_high", "size"]] == 0).all(axis=None)
    assert table["p"].isna().all()  # nothing varies
    assert (table["a"] == table["b"]).all()
    assert table[["a_se", "a_low", "a_high"]].notna().all(axis=None)
    assert table.loc[SUPERIORITY, "a"] == 0.5


def test_two_different_runs_turned_round_differ_by_the_opposite(random_run: Run, mixed_run: Run) -> None:
    one, other = (random_run.blocks, random_run.measures()), (mixed_run.blocks, mixed_run.measures())
    there = measures_compared(Pair(one[0], other[0], False), one[1], other[1])
    back = measures_compared(Pair(other[0], one[0], False), other[1], one[1])
    assert list(there.index) == list(back.index)
    assert there["difference"].to_numpy() == pytest.approx(-back["difference"].to_numpy())
    assert there["difference_low"].to_numpy() == pytest.approx(-back["difference_high"].to_numpy())
    assert there["p"].to_numpy() == pytest.approx(back["p"].to_numpy())
    assert there["a"].to_numpy() == pytest.approx(back["b"].to_numpy())
    signed = there["size_of"] != "relative"
    assert signed.sum() > 3
    assert there["size"][signed].to_numpy() == pytest.approx(-back["size"][signed].to_numpy())
    assert there["p"].notna().all()


def test_a_joint_statistic_of_one_run_alone_is_its_own_estimate(random_run: Run, mixed_run: Run) -> None:
    def per_game(sums: Sums) -> Floats:
        return ratio(sums("games")[:, [ByGame.TURNS]], sums("games")[:, [ByGame.GAMES]])

    alone: Estimate = random_run.blocks.estimate(per_game)
    for is_paired in (True, False):
        joint = Pair(random_run.blocks, mixed_run.blocks, is_paired).joint(lambda a, _b: per_game(a))
        assert joint.value == pytest.approx(alone.value)
        assert joint.se == pytest.approx(alone.se)
