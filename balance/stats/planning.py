"""How many games an answer takes: sample sizes for intervals that shrink with the square root of the games."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from balance.stats.estimates import Floats

POWER = 0.9
MOST_GAMES_PLANNED = 1e12


def games_to_decide(distance: Floats, se: Floats, games: float, alpha: float, power: float = 0.5) -> Floats:
    r"""Return how many games make an interval end before a limit, with a given probability.

    .. math:: n = n_0 \left( \frac{(z_{1 - \alpha / 2} + z_{power}) \, se}{|distance|} \right)^2

    Parameters
    ----------
    distance : (k,) float64
        From the true value to the limit; where it is 0 no number of games is enough.
    se : (k,) float64
        Standard errors at `games` games.
    games : float
    alpha : float
        1 less the confidence of the interval.
    power : float
        0.5: as likely as not, that is if the values stay as they are.

    Returns
    -------
    (k,) float64
        Infinite beyond MOST_GAMES_PLANNED; NaN where nothing is known.

    References
    ----------
    Chow, Shao, Wang & Lokhnygina 2017, chapter 3, doi:10.1201/9781315183084.

    Examples
    --------
    >>> n = games_to_decide(np.array([0.5]), np.array([0.1]), 1000, alpha=0.05, power=0.9)
    >>> n.round()  # 1000 * ((1.95996 + 1.28155) * 0.1 / 0.5)**2
    array([420.])
    """
    z = _quantile(1 - alpha / 2) + _quantile(power)
    with np.errstate(divide="ignore", invalid="ignore"):
        needed: Floats = games * np.square(z * np.asarray(se) / np.abs(distance))
    return np.where((np.asarray(distance) == 0) | (needed > MOST_GAMES_PLANNED), np.inf, needed)


def smallest_distance(se: Floats, games: float, planned: float, alpha: float, power: float = POWER) -> Floats:
    """Return what `planned` games can tell apart with a given probability: the inverse of `games_to_decide`.

    Examples
    --------
    >>> smallest_distance(np.array([0.1]), 1000, 420.30, alpha=0.05).round(4)
    array([0.5])
    """
    z = _quantile(1 - alpha / 2) + _quantile(power)
    distance: Floats = z * np.asarray(se) * math.sqrt(games / planned)
    return distance


def power_to_decide(distance: Floats, se: Floats, alpha: float) -> Floats:
    """Return the probability that an interval ends before a limit.

    Examples
    --------
    >>> power_to_decide(np.array([0.324151]), np.array([0.1]), alpha=0.05).round(3)
    array([0.9])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        power: Floats = special.ndtr(np.asarray(distance) / np.asarray(se) - _quantile(1 - alpha / 2))
    return power


def _quantile(share: float) -> float:
    return float(special.ndtri(share))
