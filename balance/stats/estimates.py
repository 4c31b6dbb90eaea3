"""Estimates with honest errors: the delete-one-block jackknife over statistical blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from balance.games.outcome import ByGame

Floats = NDArray[np.float64]
Sums = Callable[[str], Floats]
"""Gives the named sums with a leading axis: one row for the whole run, or one for each block left out."""

Statistic = Callable[[Sums], Floats]

CONFIDENCE = 0.95
TOO_FEW = 100
"""Below this number of occurrences a row says "too few"."""


@dataclass(frozen=True)
class Estimate:
    """A statistic with its jackknife.

    Attributes
    ----------
    value : (k,) float64
        NaN where there is nothing to divide by.
    replicates : (blocks, k) float64
        The statistic with each block left out.
    """

    value: Floats
    replicates: Floats

    @property
    def blocks(self) -> int:
        """Blocks with games in them."""
        return len(self.replicates)

    @cached_property
    def covariance(self) -> Floats:
        r"""The jackknife covariance, (k, k).

        .. math:: \frac{B - 1}{B} \sum_b (\theta_{(b)} - \bar\theta) (\theta_{(b)} - \bar\theta)^T

        References
        ----------
        Efron & Stein 1981, doi:10.1214/aos/1176345462.
        """
        if self.blocks < 2:
            return np.full((len(self.value), len(self.value)), np.nan)
        deviations = self.replicates - self.replicates.mean(axis=0)
        covariance: Floats = (self.blocks - 1) / self.blocks * deviations.T @ deviations
        return covariance

    @cached_property
    def se(self) -> Floats:
        """The standard error, (k,)."""
        if self.blocks < 2:
            return np.full(len(self.value), np.nan)
        deviations = self.replicates - self.replicates.mean(axis=0)
        se: Floats = np.sqrt((self.blocks - 1) / self.blocks * np.square(deviations).sum(axis=0))
        return se

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
        """Return the limits of the t interval with blocks - 1 degrees of freedom."""
        half = t_quantile(self.blocks, confidence) * self.se
        return self.value - half, self.value + half

    def share_interval(self, trials: Floats, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
        """Return limits for shares: Wilson with the effective n, Clopper-Pearson at 0 and 1.

        Parameters
        ----------
        trials : (k,) float64
            Number of trials, for the shares of exactly 0 or 1.

        References
        ----------
        Wilson 1927, doi:10.1080/01621459.1927.10502953; effective n: Korn & Graubard 1998.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            effective = self.value * (1 - self.value) / np.square(self.se)
        low, high = wilson(self.value, effective, t_quantile(self.blocks, confidence))
        exact = np.isin(self.value, (0.0, 1.0))
        alpha = (1 - confidence) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            bound = np.where(trials > 0, 1 - alpha ** (1 / np.maximum(trials, 1)), np.nan)
        low = np.where(exact, np.where(self.value == 0, 0.0, 1 - bound), low)
        high = np.where(exact, np.where(self.value == 0, bound, 1.0), high)
        return low, high

    def minus(self, other: Estimate) -> Estimate:
        """Return the difference from another estimate, block by block: of games that share their luck."""
        return Estimate(self.value - other.value, self.replicates - other.replicates)

    def contrast(self, weights: Floats) -> Estimate:
        """Return linear combinations of the values; `weights` is (m, k)."""
        return Estimate(weights @ self.value, self.replicates @ weights.T)


def weighted(estimates: Sequence[Estimate], weights: Floats) -> Estimate:
    """Return the weighted sum of estimates on the same blocks."""
    value = np.tensordot(weights, [estimate.value for estimate in estimates], 1)
    return Estimate(value, np.tensordot(weights, [estimate.replicates for estimate in estimates], 1))


def mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of estimates on the same blocks."""
    return weighted(estimates, np.full(len(estimates), 1 / len(estimates)))


class Blocks:
    """The tallies of a run, ready for jackknifing; blocks without games are left aside.

    Parameters
    ----------
    tallies : mapping of str to (blocks, ...) int64 arrays
        At least "games", as `balance.games.outcome.Outcome` has it.
    """

    def __init__(self, tallies: Mapping[str, NDArray[np.int64]]) -> None:
        self._tallies = tallies
        self._without_each: dict[str, Floats] = {}
        self._filled = tallies["games"][:, ByGame.GAMES] > 0

    @property
    def games(self) -> int:
        """Games played."""
        return int(self._tallies["games"][:, ByGame.GAMES].sum())

    def total(self, name: str) -> Floats:
        """Return sums over all games, (1, ...)."""
        total: Floats = self._tallies[name].sum(axis=0, dtype=np.int64)[np.newaxis].astype(np.float64)
        return total

    def without_each(self, name: str) -> Floats:
        """Return sums over all games but those of one block, (blocks with games, ...)."""
        if name not in self._without_each:
            tally = self._tallies[name]
            left = tally.sum(axis=0, dtype=np.int64) - tally[self._filled]
            self._without_each[name] = left.astype(np.float64)
        return self._without_each[name]

    def estimate(self, statistic: Statistic) -> Estimate:
        """Jackknife a statistic.

        Parameters
        ----------
        statistic : callable
            From sums (a function of their name) to (rows, k) values; a row for each row of the sums.

        Examples
        --------
        >>> games = np.zeros((240, len(ByGame)), dtype=np.int64)
        >>> games[:4, ByGame.GAMES], games[:4, ByGame.TURNS] = 1, [10, 12, 14, 16]
        >>> mean = Blocks({"games": games}).estimate(
        ...     lambda sums: ratio(sums("games")[:, [ByGame.TURNS]], sums("games")[:, [ByGame.GAMES]])
        ... )
        >>> mean.value, mean.se.round(4)  # the standard error of a mean: SD / sqrt(n) = 2.5820 / 2
        (array([13.]), array([1.291]))
        """
        return Estimate(statistic(self.total)[0], statistic(self.without_each))


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide, with NaN where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Floats = np.where(denominator != 0, numerator / denominator, np.nan)
    return quotient


def t_quantile(blocks: int, confidence: float = CONFIDENCE) -> float:
    """Return the two-sided quantile of Student's t with blocks - 1 degrees of freedom (NaN below 2 blocks)."""
    return float(special.stdtrit(blocks - 1, (1 + confidence) / 2)) if blocks > 1 else float("nan")


def put(
    columns: dict[str, Any],
    name: str,
    estimate: Estimate,
    n: Floats,
    *,
    share: bool = False,
    confidence: float = CONFIDENCE,
) -> None:
    """Put an estimate among the columns of a table: `name`, `name_se`, `name_low` and `name_high`.

    Rows with fewer than TOO_FEW occurrences keep the value and its error, but get no interval.
    """
    low, high = estimate.share_interval(n, confidence) if share else estimate.interval(confidence)
    enough = n >= TOO_FEW
    columns[name] = estimate.value
    columns[f"{name}_se"] = estimate.se
    columns[f"{name}_low"] = np.where(enough, low, np.nan)
    columns[f"{name}_high"] = np.where(enough, high, np.nan)


def evidence(n: Floats) -> list[str]:
    """Say of each row whether there is enough of it: "enough", "too few" or "no data"."""
    return ["no data" if count == 0 else "too few" if count < TOO_FEW else "enough" for count in n]


def wilson(share: Floats, trials: Floats, z: float) -> tuple[Floats, Floats]:
    """Return Wilson's limits of shares; see `Estimate.share_interval`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
        half = z / (1 + z**2 / trials) * np.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    return centre - half, centre + half
