"""Significance tests on jackknifed estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from balance.stats.estimates import Estimate, Floats, ratio


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


@dataclass(frozen=True)
class ChiSquareTest:
    """A test that independent counts come in given shares.

    Attributes
    ----------
    chi2 : float
    df : int
        Degrees of freedom.
    p : float
        NaN where there is no test.
    """

    chi2: float
    df: int
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


def bonferroni(p: Floats) -> Floats:
    """Adjust p-values for their number by Bonferroni's inequality; undefined ones stay undefined and do not count.

    References
    ----------
    Dunn 1961, doi:10.1080/01621459.1961.10482090.

    Examples
    --------
    >>> bonferroni(np.array([0.01, 0.04, 0.03, np.nan]))  # R: p.adjust(c(0.01, 0.04, 0.03), "bonferroni")
    array([0.03, 0.12, 0.09,  nan])
    """
    p = np.asarray(p, dtype=np.float64)
    adjusted: Floats = np.minimum(1.0, p * np.count_nonzero(~np.isnan(p)))
    return adjusted


def equivalence_p(estimate: Estimate, margin: float) -> Floats:
    r"""Return the p-values of two one-sided t tests that a value lies within a margin around 0.

    .. math:: p = 1 - T_{B - 1}\left(\frac{margin - |\theta|}{se}\right)

    It is below alpha where the interval at 1 - 2 alpha lies inside the margin.

    References
    ----------
    Schuirmann 1987, doi:10.1007/BF01068419.

    Examples
    --------
    >>> replicates = np.array([[0.0], [0.1], [0.2], [0.3]])
    >>> equivalence_p(Estimate(np.array([0.15]), replicates), 1.0).round(4)  # R: pt(-(1 - 0.15) / 0.1936492, 3)
    array([0.011])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(estimate.se > 0, (margin - np.abs(estimate.value)) / estimate.se, np.nan)
    p: Floats = special.stdtr(max(estimate.blocks - 1, 1), -t)
    return p


def chi_square(observed: Floats, expected_shares: Floats) -> ChiSquareTest:
    r"""Test that independent counts come in the given shares.

    .. math:: \chi^2 = \sum_i (o_i - n s_i)^2 / (n s_i) \sim \chi^2_{k - 1}

    Only for counts of independent things, such as the winners of games without shared wins; else see `all_equal`.

    References
    ----------
    Pearson 1900, doi:10.1080/14786440009463897.

    Examples
    --------
    >>> test = chi_square(np.array([44.0, 56.0]), np.array([0.5, 0.5]))
    >>> round(test.chi2, 4), test.df, round(test.p, 4)  # R: chisq.test(c(44, 56))
    (1.44, 1, 0.2301)
    """
    expected = observed.sum() * expected_shares
    if len(observed) < 2 or not (expected > 0).all():
        return ChiSquareTest(float("nan"), 0, float("nan"))
    chi2 = float(np.square(observed - expected) @ (1 / expected))
    df = len(observed) - 1
    return ChiSquareTest(chi2, df, float(special.chdtrc(df, chi2)))


def each_against_the_others(estimate: Estimate) -> Estimate:
    """Return each value's difference from the unweighted mean of the others; NaN where there are none."""
    k = len(estimate.value)
    return each_against_its_pool(estimate, [""] * k, np.ones(k, dtype=bool))


def each_against_its_pool(estimate: Estimate, pools: Sequence[str], is_known: NDArray[np.bool_]) -> Estimate:
    """Return each value's difference from the unweighted mean of the others of its pool.

    Parameters
    ----------
    estimate : Estimate
        Of k values.
    pools : sequence of str
        The pool of each value.
    is_known : (k,) bool
        Values that count among the others; the rest has no difference either.

    Returns
    -------
    Estimate
        NaN where a value is not known or has no known others.
    """
    pool = np.asarray(pools)
    others = (pool[:, np.newaxis] == pool) & is_known & ~np.eye(len(pool), dtype=bool)
    weights = -ratio(others.astype(np.float64), others.sum(axis=1, keepdims=True)) + np.eye(len(pool))
    known = Estimate(np.where(is_known, estimate.value, 0.0), np.where(is_known, estimate.replicates, 0.0))
    differences = known.contrast(weights)
    return Estimate(np.where(is_known, differences.value, np.nan), np.where(is_known, differences.replicates, np.nan))
