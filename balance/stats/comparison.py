"""Two runs against each other: differences with jackknifed intervals, paired where the games share their luck."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from balance.games.outcome import BySeat
from balance.stats.estimates import TOO_FEW, Blocks, Estimate, Floats, Statistic, Sums, evidence, put, ratio
from balance.stats.outcome import Measured
from balance.stats.tests import holm, two_sided_p

SUPERIORITY = "a player of A scores more than one of B"

Joint = Callable[[Sums, Sums], Floats]


@dataclass(frozen=True)
class Pair:
    """Two runs.

    Attributes
    ----------
    a, b : Blocks
    is_paired : bool
        Their games share their luck: the same seed, players, and number of games.
    """

    a: Blocks
    b: Blocks
    is_paired: bool

    def joint(self, statistic: Joint) -> Estimate:
        r"""Jackknife a statistic of both runs.

        Paired games leave out the same block of both at a time; independent ones a block of either, each run
        being a stratum, so that the variances add up:

        .. math:: \sum_{r \in \{a, b\}} \frac{B_r - 1}{B_r} \sum_i (\theta_{r (i)} - \bar\theta_r)^2

        References
        ----------
        Jones 1974, doi:10.1093/biomet/61.1.125 (stratified jackknife).
        """
        value = statistic(self.a.total, self.b.total)[0]
        if self.is_paired:
            return Estimate(value, statistic(self.a.without_each, self.b.without_each))
        parts = [statistic(self.a.without_each, self.b.total), statistic(self.a.total, self.b.without_each)]
        blocks = sum(len(part) for part in parts)
        scaled = [
            value + (part - part.mean(axis=0)) * np.sqrt((len(part) - 1) / len(part) * blocks / (blocks - 1))
            for part in parts
        ]
        return Estimate(value, np.vstack(scaled))

    def difference(self, of_a: Statistic, of_b: Statistic) -> Estimate:
        """Jackknife the difference a - b of a statistic."""
        return self.joint(lambda a, b: of_a(a) - of_b(b))


def measures_compared(pair: Pair, of_a: Mapping[str, Measured], of_b: Mapping[str, Measured]) -> pd.DataFrame:
    """Compare all measures that two runs have, and who of them scores more.

    Returns
    -------
    DataFrame
        Index measure. Columns: key; unit; a, b and difference (a - b; each with _se, _low, _high); size and size_of
        (what the difference is measured in: see `standardised`); p, p_holm (Holm over the table); n, evidence.
    """
    deviation = _pooled_sd(pair)
    rows = []
    names = [name for name in of_a if name in of_b and _is_somewhere(pair, of_a[name], of_b[name])]
    for name in names:
        a, b = of_a[name], of_b[name]
        n = np.array([min(a.n, b.n)])
        row: dict[str, Any] = {}
        put(row, "a", pair.a.estimate(a.statistic), n)
        put(row, "b", pair.b.estimate(b.statistic), n)
        difference = pair.difference(a.statistic, b.statistic)
        put(row, "difference", difference, n)
        values = {column: float(value[0]) for column, value in row.items()}
        size, size_of = standardised(a.unit, values["a"], values["b"], deviation)
        rows.append(
            {
                "key": a.key,
                "unit": a.unit,
                **values,
                "size": size,
                "size_of": size_of,
                "p": _p(difference, n),
                "n": int(n[0]),
            }
        )
    rows.append(_superiority_row(pair))
    table = pd.DataFrame(rows, index=pd.Index([*names, SUPERIORITY], name="measure"))
    table["p_holm"] = holm(table["p"].to_numpy(dtype=np.float64))
    table["evidence"] = evidence(table["n"].to_numpy(dtype=np.float64))
    return table


def standardised(unit: str, a: float, b: float, deviation: float) -> tuple[float, str]:
    r"""Return a difference in a unit that does not depend on the game.

    VP in standard deviations of a player's score (Cohen's d); shares of games as :math:`2 \arcsin \sqrt a -
    2 \arcsin \sqrt b` (Cohen's h); everything else relative to b.

    References
    ----------
    Cohen 1988, doi:10.4324/9780203771587.

    Examples
    --------
    >>> standardised("VP", 50.0, 46.0, 8.0)
    (0.5, 'SD of a score')
    >>> round(standardised("share of games", 0.5, 0.25, 8.0)[0], 4)  # R: pwr::ES.h(0.5, 0.25)
    0.5236
    """
    if unit == "VP":
        return (a - b) / deviation if deviation > 0 else float("nan"), "SD of a score"
    if unit.startswith("share of games") and 0 <= a <= 1 and 0 <= b <= 1:
        return float(2 * np.arcsin(np.sqrt(a)) - 2 * np.arcsin(np.sqrt(b))), "h"
    return (a - b) / abs(b) if b else float("nan"), "relative"


def values_compared(pair: Pair, of_a: Statistic, of_b: Statistic, n: Floats, index: pd.Index) -> pd.DataFrame:
    """Compare values one by one, such as those of tiles or seats.

    Parameters
    ----------
    pair : Pair
    of_a, of_b : callable
        Statistics of k values.
    n : (k,) float64
        Occurrences.
    index : Index
        Names of the values.

    Returns
    -------
    DataFrame
        Columns a, b, difference (each with _se, _low, _high), p, p_holm, n, evidence.
    """
    columns: dict[str, Any] = {}
    put(columns, "a", pair.a.estimate(of_a), n)
    put(columns, "b", pair.b.estimate(of_b), n)
    difference = pair.difference(of_a, of_b)
    put(columns, "difference", difference, n)
    columns["p"] = np.where(n >= TOO_FEW, p_of(difference), np.nan)
    columns["p_holm"] = holm(columns["p"])
    columns["n"] = n.astype(np.int64)
    columns["evidence"] = evidence(n)
    return pd.DataFrame(columns, index=index)


def _is_somewhere(pair: Pair, a: Measured, b: Measured) -> bool:
    """Tell whether a rule is anything but 0 in one of the runs: one that neither game has is not compared."""
    return not a.key.startswith("rules.") or any(
        blocks.estimate(of.statistic).value[0] != 0 for blocks, of in ((pair.a, a), (pair.b, b))
    )


def _p(difference: Estimate, n: Floats) -> float:
    return float(p_of(difference)[0]) if n[0] >= TOO_FEW else float("nan")


def p_of(difference: Estimate) -> Floats:
    """Return p-values; 0 for a difference that is the same in every block: on the same luck it is certain."""
    is_certain = (difference.se == 0) & (difference.value != 0)
    return np.where(is_certain, 0.0, two_sided_p(difference))


def _pooled_sd(pair: Pair) -> float:
    """Return the standard deviation of a player's score within the runs."""
    variances = []
    for blocks in (pair.a, pair.b):
        seats = blocks.total("seats")[0].sum(axis=(0, 1))
        mean = seats[BySeat.SCORE] / seats[BySeat.GAMES]
        variances.append(seats[BySeat.SCORE_SQUARED] / seats[BySeat.GAMES] - mean**2)
    return float(np.sqrt(np.mean(variances)))


def _superiority_row(pair: Pair) -> dict[str, Any]:
    """Return how likely a player of A scores more than one of B, ties counting half (McGraw & Wong 1992)."""
    n = np.array([float(min(pair.a.games, pair.b.games))])
    row: dict[str, Any] = {}
    a = pair.joint(_superiority)
    put(row, "a", a, n)
    put(row, "b", Estimate(1 - a.value, 1 - a.replicates), n)
    difference = Estimate(2 * a.value - 1, 2 * a.replicates - 1)
    put(row, "difference", difference, n)
    values = {column: value[0] for column, value in row.items()}
    cliffs_delta = values["difference"]
    return {
        "key": "score.superiority", "unit": "probability", **values, "size": cliffs_delta, "size_of": "Cliff's delta",
        "p": _p(difference, n), "n": int(n[0]),
    }  # fmt: skip


def _superiority(a: Sums, b: Sums) -> Floats:
    """Return P(A > B) + P(A = B) / 2 for a score of each, drawn independently, from the histograms.

    References
    ----------
    McGraw & Wong 1992, doi:10.1037/0033-2909.111.2.361.
    """
    of_a, of_b = a("scores").sum(axis=(1, 2)), b("scores").sum(axis=(1, 2))
    bins = max(of_a.shape[1], of_b.shape[1])
    of_a, of_b = (np.pad(counts, ((0, 0), (0, bins - counts.shape[1]))) for counts in (of_a, of_b))
    below = np.cumsum(of_b, axis=1) - of_b / 2
    wins = (of_a * below).sum(axis=1, keepdims=True)
    return ratio(wins, of_a.sum(axis=1, keepdims=True) * of_b.sum(axis=1, keepdims=True))
