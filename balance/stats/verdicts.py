"""Verdicts: what an interval says about a difference, given a margin of practical importance (design: Verdicts)."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from balance.stats.estimates import TOO_FEW, Estimate, Floats
from balance.stats.planning import POWER, games_to_decide

MARGIN = 1.0
"""VP below which a difference does not matter."""

ALPHA = 0.05
DECIDES_FROM = 300
"""Occurrences from which on intervals hold what they promise (measured: `balance calibrate`)."""


class Verdict(StrEnum):
    """What can be said of a tile, from the most to the least certain."""

    BALANCED = "balanced"
    OVERPOWERED = "overpowered"
    UNDERPOWERED = "underpowered"
    STRONG = "strong"
    WEAK = "weak"
    UNDECIDED = "undecided"
    TOO_FEW = "too few"
    NO_DATA = "no data"


DECIDED = (Verdict.BALANCED, Verdict.OVERPOWERED, Verdict.UNDERPOWERED)


def verdict(low: float, high: float, occurrences: float, margin: float = MARGIN) -> Verdict:
    """Judge a difference by its interval; the first word that fits.

    *balanced*: wholly inside the margin (equivalence by two one-sided tests); *overpowered*, *underpowered*: wholly
    outside; *strong*, *weak*: excludes 0; else *undecided*. Below 300 occurrences nothing is decided.

    References
    ----------
    Schuirmann 1987, doi:10.1007/BF01068419; Berger & Hsu 1996, doi:10.1214/ss/1032280304.

    Examples
    --------
    >>> str(verdict(-0.5, 0.75, 1000)), str(verdict(1.25, 2, 1000)), str(verdict(0.25, 2, 1000)), str(verdict(1, 2, 50))
    ('balanced', 'overpowered', 'strong', 'too few')
    """
    if occurrences == 0:
        return Verdict.NO_DATA
    if occurrences < TOO_FEW:
        return Verdict.TOO_FEW
    if occurrences < DECIDES_FROM or np.isnan(low) or np.isnan(high):
        return Verdict.UNDECIDED
    if -margin < low and high < margin:
        return Verdict.BALANCED
    if low > margin:
        return Verdict.OVERPOWERED
    if high < -margin:
        return Verdict.UNDERPOWERED
    if low > 0:
        return Verdict.STRONG
    return Verdict.WEAK if high < 0 else Verdict.UNDECIDED


def verdicts(estimate: Estimate, occurrences: Floats, alpha: float, margin: float = MARGIN) -> list[Verdict]:
    """Judge each value of an estimate by its interval at 1 - alpha."""
    low, high = estimate.interval(1 - alpha)
    return [verdict(*judged, margin) for judged in zip(low, high, occurrences, strict=True)]


def games_for_verdict(
    estimate: Estimate, occurrences: Floats, games: int, alpha: float, margin: float = MARGIN
) -> Floats:
    """Return how many games decide each value, with a chance of 0.9, if it is what it seems.

    Where it is outside the margin until the interval leaves the margin, where it is inside until the interval does
    not; at least until there are 300 occurrences, and just that where there is no interval yet. Infinite where it
    lies at the margin, NaN without data.
    """
    distance = np.abs(np.abs(estimate.value) - margin)
    needed = games_to_decide(distance, estimate.se, games, alpha, POWER)
    with np.errstate(divide="ignore", invalid="ignore"):
        for_occurrences = np.where(occurrences > 0, games * DECIDES_FROM / occurrences, np.nan)
    is_unknown = (occurrences == 0) | (np.isnan(estimate.value) & (occurrences >= TOO_FEW))
    return np.where(is_unknown, np.nan, np.fmax(needed, for_occurrences))
