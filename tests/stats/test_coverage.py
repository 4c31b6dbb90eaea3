"""95% intervals hold the truth in 94 to 96 of 100 simulated runs; thousands at once, as columns of one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from balance.games.outcome import BLOCKS, ByGame
from balance.stats.estimates import Blocks, Floats, Sums, put, ratio

RUNS = 4_000
BATCHES = 4
NOISE = 0.0017  # standard error of a coverage near 0.95 over all runs

Luck = np.random.Generator


class Simulated(NamedTuple):
    """Sums by block and run."""

    above: Floats  # (blocks, runs)
    below: Floats  # (blocks, runs)
    games: np.ndarray  # (blocks,)
    n: Floats  # (runs,) occurrences


def games_of(total: int) -> np.ndarray:
    """Return the games of each block: the first games fill the first blocks."""
    return np.bincount(np.arange(total) % BLOCKS, minlength=BLOCKS)


def by_block(total: int, draw: Callable[[int], Floats]) -> tuple[Floats, np.ndarray]:
    """Add up draws, (runs,) each, into blocks."""
    sums = np.zeros((BLOCKS, RUNS))
    for game in range(total):
        sums[game % BLOCKS] += draw(game)
    return sums, games_of(total)


def correlated_players(luck: Luck) -> Simulated:
    """300 games of 4 players whose scores share the game's level: the mean score is 12."""
    sums, games = by_block(
        300, lambda _: 4 * luck.poisson(8, RUNS).astype(float) + luck.poisson(16, RUNS).astype(float)
    )
    return Simulated(sums, np.repeat(4.0 * games[:, np.newaxis], RUNS, axis=1), games, np.full(RUNS, 1200.0))


def rare_tile(luck: Luck) -> Simulated:
    """A tile placed 0.12 times a game, 350 times in all; its VP are skewed with mean 3, and alike on a board."""
    games = games_of(3_000)
    placed = luck.poisson(350 / 3_000 * games[:, np.newaxis], (BLOCKS, RUNS))
    together = luck.gamma(4, 0.25, (BLOCKS, RUNS))  # what a board is worth to all tiles on it
    points = luck.poisson(3 * placed * together).astype(float)
    return Simulated(points, placed.astype(float), games, placed.sum(axis=0).astype(float))


def skewed_scores(luck: Luck) -> Simulated:
    """480 games whose scores are exponential with mean 5: most are low, some very high."""
    sums, games = by_block(480, lambda _: luck.exponential(5, RUNS))
    return Simulated(sums, np.repeat(1.0 * games[:, np.newaxis], RUNS, axis=1), games, np.full(RUNS, 480.0))


def unequal_blocks(luck: Luck) -> Simulated:
    """300 games: 60 blocks have two, the others one."""
    sums, games = by_block(300, lambda _: luck.normal(50, 10, RUNS))
    return Simulated(sums, np.repeat(1.0 * games[:, np.newaxis], RUNS, axis=1), games, np.full(RUNS, 300.0))


def paired_difference(luck: Luck) -> Simulated:
    """The difference of two variants that share their luck: 0.5, though each varies by 20."""
    base, games = by_block(300, lambda _: luck.normal(0, 20, RUNS))
    change, _ = by_block(300, lambda _: luck.normal(0.5, 2, RUNS))
    return Simulated(
        (base + change) - base, np.repeat(1.0 * games[:, np.newaxis], RUNS, axis=1), games, np.full(RUNS, 300.0)
    )


def win_share(luck: Luck) -> Simulated:
    """600 games, a quarter of them won."""
    games = games_of(600)
    won = luck.binomial(games[:, np.newaxis], 0.25, (BLOCKS, RUNS)).astype(float)
    return Simulated(won, np.repeat(1.0 * games[:, np.newaxis], RUNS, axis=1), games, np.full(RUNS, 600.0))


def rare_share(luck: Luck) -> Simulated:
    """15,000 games, one of 50 with a shared win."""
    games = games_of(15_000)
    shared = luck.binomial(games[:, np.newaxis], 0.02, (BLOCKS, RUNS)).astype(float)
    return Simulated(shared, np.repeat(1.0 * games[:, np.newaxis], RUNS, axis=1), games, np.full(RUNS, 15_000.0))


def clustered_share(luck: Luck) -> Simulated:
    """1,200 seats in 300 games; the 4 seats of a game succeed together or not at all, half of the time."""
    games = games_of(300)
    together = luck.binomial(games[:, np.newaxis], 0.15, (BLOCKS, RUNS))
    alone = luck.binomial(4 * (games[:, np.newaxis] - together), 0.3 / 0.85 / 2, (BLOCKS, RUNS))
    return Simulated(
        4.0 * together + alone, np.repeat(4.0 * games[:, np.newaxis], RUNS, axis=1), games, np.full(RUNS, 1200.0)
    )


CASES = {
    "correlated players": (correlated_players, 12.0, False),
    "a rare tile": (rare_tile, 3.0, False),
    "skewed scores": (skewed_scores, 5.0, False),
    "unequal blocks": (unequal_blocks, 50.0, False),
    "paired differences": (paired_difference, 0.5, False),
    "win shares": (win_share, 0.25, True),
    "rare shares": (rare_share, 0.02, True),
    "clustered shares": (clustered_share, 0.3, True),
}


def table_of(simulated: Simulated, *, share: bool) -> pd.DataFrame:
    """Estimate the ratio in every run, by the code that makes the tables."""
    by_game = np.zeros((BLOCKS, len(ByGame)), dtype=np.int64)
    by_game[:, ByGame.GAMES] = simulated.games
    scale = 2**20  # tallies are whole numbers
    sums = np.stack([simulated.above * scale, simulated.below * scale]).round().astype(np.int64)
    blocks = Blocks({"games": by_game, "x": sums.transpose(1, 0, 2)})

    def estimated(sums: Sums) -> Floats:
        return ratio(sums("x")[:, 0], sums("x")[:, 1])

    table = pd.DataFrame(index=range(RUNS))
    put(table, "x", blocks.estimate(estimated), simulated.n, share=share)
    return table


@pytest.mark.parametrize(("simulate", "truth", "share"), CASES.values(), ids=CASES)
def test_intervals_hold_the_truth_as_often_as_they_say(
    simulate: Callable[[Luck], Simulated], truth: float, share: bool
) -> None:
    luck = np.random.default_rng(20240)
    covered, too_low, too_high = 0, 0, 0
    for _ in range(BATCHES):
        simulated = simulate(luck)
        assert simulated.n.mean() >= 300
        table = table_of(simulated, share=share)
        assert table.notna().all(axis=None)
        too_low += int((table["x_high"] < truth).sum())
        too_high += int((table["x_low"] > truth).sum())
        covered += int(((table["x_low"] <= truth) & (truth <= table["x_high"])).sum())
    coverage = covered / (RUNS * BATCHES)
    assert too_low + too_high + covered == RUNS * BATCHES
    assert 0.94 - NOISE <= coverage <= 0.96 + NOISE


def test_players_of_a_game_taken_for_independent_would_be_covered_too_seldom() -> None:
    luck = np.random.default_rng(1)
    simulated = correlated_players(luck)
    table = table_of(simulated, share=False)
    independent = np.sqrt((8 + 16 / 4) / 1200)  # variance of a score by the number of scores
    falsely_covered = (abs(table["x"] - 12) < 1.96 * independent).mean()
    assert falsely_covered < 0.85
