"""Significance tests on jackknifed estimates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from balance.stats.estimates import Estimate, Floats


@dataclass(frozen=True)
class WaldTest:
    """A test that several estimates are equal.

    Attributes
    ----------
    f : float
        The F-corrected Wald statistic; NaN where nothing varies.
    df : tuple of int
        Degrees of freedom.
    p : float
        NaN where there is no test.
    """

    f: float
    df: tuple[int, int]
    p: float


NO_TEST = WaldTest(float("nan"), (0, 0), float("nan"))


def all_equal(estimate: Estimate) -> WaldTest:
    r"""Test that all values of an estimate are the same.

    .. math:: F = \frac{B - m}{m (B - 1)} d^T V^{-1} d \sim F(m, B - m)

    with the m = k - 1 contrasts d between neighbours, their jackknife covariance V and B blocks.

    References
    ----------
    Korn & Graubard 1990, doi:10.1080/00031305.1990.10475737 (Hotelling 1931, doi:10.1214/aoms/1177732979).

    Examples
    --------
    >>> replicates = np.array([[0.0, 1.0], [1.0, 0.5], [0.5, 0.0], [0.2, 0.9]])
    >>> test = all_equal(Estimate(np.array([0.4, 0.6]), replicates))
    >>> round(test.f, 4), test.df  # t squared: 0.2**2 / (3/4 * 1.8675), the squared deviations
    (0.0286, (1, 3))
    """
    m, blocks = len(estimate.value) - 1, estimate.blocks
    if m < 1 or blocks <= m or not np.isfinite(estimate.replicates).all():
        return NO_TEST
    differences = estimate.contrast(np.eye(m, m + 1) - np.eye(m, m + 1, 1))
    covariance = differences.covariance
    if np.linalg.matrix_rank(covariance) < m:
        return NO_TEST
    wald = float(differences.value @ np.linalg.solve(covariance, differences.value))
    f = (blocks - m) / (m * (blocks - 1)) * wald
    return WaldTest(f, (m, blocks - m), float(special.fdtrc(m, blocks - m, f)))


def two_sided_p(estimate: Estimate, expected: float = 0.0) -> Floats:
    """Return the p-values of t tests with blocks - 1 degrees of freedom; NaN where nothing varies."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(estimate.se > 0, (estimate.value - expected) / estimate.se, np.nan)
    p: Floats = 2 * special.stdtr(max(estimate.blocks - 1, 1), -np.abs(t))
    return p


def holm(p: Floats) -> Floats:
    """Adjust p-values for their number; undefined ones stay undefined and do not count.

    References
    ----------
    Holm 1979, https://www.jstor.org/stable/4615733.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03, np.nan]))  # R: p.adjust(c(0.01, 0.04, 0.03), "holm")
    array([0.03, 0.06, 0.06,  nan])
    """
    p = np.asarray(p, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(p))
    order = defined[np.argsort(p[defined], kind="stable")]
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted


def each_against_the_others(estimate: Estimate) -> Estimate:
    """Return each value's difference from the unweighted mean of the others; NaN where there are none."""
    k = len(estimate.value)
    if k < 2:
        return Estimate(estimate.value * np.nan, estimate.replicates * np.nan)
    return estimate.contrast((np.eye(k) * k - 1) / (k - 1))
