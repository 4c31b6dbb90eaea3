"""How uneven tiles and seats are: the spread of what the tiles of a pool bring, and of how often seats win."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from balance.games.outcome import WIN_UNITS, BySeat
from balance.stats.estimates import Blocks, Floats, Statistic, Sums, ratio
from balance.stats.outcome import Measured

_POOLS = {"services": "the Services", "expansion": "the expansion tiles", "base": "the base tiles"}
_WORDS = {"own_vp": "own VP", "marginal_vp": "marginal VP"}

TileValues = Callable[[Sequence[str]], Mapping[str, Statistic]]


def evenness_measures(blocks: Blocks, pools: Mapping[str, Sequence[str]], values: TileValues) -> dict[str, Measured]:
    """Return, for each pool, the standard deviation over its tiles of what they bring, and that over the mean.

    Parameters
    ----------
    blocks : Blocks
    pools : mapping of str to sequence of str
        Tiles, by the name of their pool.
    values : callable
        From tiles to the statistics known of them, by measure.
    """
    measures: dict[str, Measured] = {}
    for pool, tiles in pools.items():
        for name, statistic in (values(tiles) if tiles else {}).items():
            what, words, key = _POOLS[pool], _WORDS[name], f"tiles.{pool}.{name}"
            spread, relative = spread_of(blocks, statistic)
            measures[f"spread of {words} over {what} (SD)"] = Measured(spread, "VP", blocks.games, key=f"{key}.sd")
            measures[f"unevenness of {what} (SD over mean of {words})"] = Measured(
                relative, "relative", blocks.games, key=f"{key}.cv"
            )
    return measures


def spread_of(blocks: Blocks, statistic: Statistic) -> tuple[Statistic, Statistic]:
    r"""Return the standard deviation over the values of a statistic, and that over their mean.

    .. math:: \sqrt{\max(0, s^2 - (\operatorname{tr} V - 1^T V 1 / k) / (k - 1))}

    s² being the variance over the k values and V their covariance: what chance alone would make is taken out (the
    method of moments of random-effects models; DerSimonian & Laird 1986, doi:10.1016/0197-2456(86)90046-2). Values
    without data count nowhere. Near 0 its interval is rough, as no spread is below 0; relative to a mean that is not
    above 0 it is undefined.
    """
    estimate = blocks.estimate(statistic)
    known = np.isfinite(estimate.value)
    sure = known & np.isfinite(estimate.se)
    chance = _variance_by_chance(estimate.covariance[np.ix_(sure, sure)])

    def values(sums: Sums) -> Floats:
        return statistic(sums)[:, known]

    def spread(sums: Sums) -> Floats:
        of = values(sums)
        if of.shape[1] < 2:
            return np.full((len(of), 1), np.nan)
        deviation: Floats = np.sqrt(np.maximum(of.var(axis=1, ddof=1, keepdims=True) - chance, 0.0))
        return deviation

    def relative(sums: Sums) -> Floats:
        of = values(sums)
        if of.shape[1] < 2:
            return np.full((len(of), 1), np.nan)
        mean = of.mean(axis=1, keepdims=True)
        return np.where(mean > 0, spread(sums) / np.where(mean > 0, mean, 1.0), np.nan)

    return spread, relative


def _variance_by_chance(covariance: Floats) -> float:
    """Return the variance over k equal values that their errors alone make: (tr V - 1'V1 / k) / (k - 1)."""
    k = len(covariance)
    return float((np.trace(covariance) - covariance.sum() / k) / (k - 1)) if k > 1 else 0.0


def seat_evenness(blocks: Blocks) -> dict[str, Measured]:
    """Return the standard deviation of the share of wins over the seats, chance taken out."""

    def wins(sums: Sums) -> Floats:
        seats = sums("seats").sum(axis=1)
        return ratio(seats[..., BySeat.WINS], WIN_UNITS * seats[..., BySeat.GAMES])

    spread, _ = spread_of(blocks, wins)
    words = "unevenness of the seats (SD of their shares of wins)"
    return {words: Measured(spread, "relative", blocks.games, key="seats.win_share.sd")}
