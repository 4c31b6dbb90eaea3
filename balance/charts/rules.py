"""Charts of rules: the points they give and deny, and the placements they forbid."""

from __future__ import annotations

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from balance.charts.rows import (
    Measure,
    draw_intervals,
    one_decimal,
    percent,
    row_order,
    value_axis,
    write_values,
)
from balance.charts.style import BLUE, INK, VERMILION
from balance.scenario.describe import with_capital

PER_GAME = Measure("per_game", "Zones in range of a Service as it is placed, per game", one_decimal)
FORBIDDEN = Measure("share", "share of all (type in hand, open square) pairs", percent, "%")
MOST_LIMITS = 30
SUMS = 2
"""Rows at the end of the placement limits: all forbidden pairs, all pairs."""


def draw_revenue(axes: Axes, rules: pd.DataFrame) -> None:
    """Draw how many Zones in range gave points, and how many each rule denied.

    Parameters
    ----------
    axes : Axes
    rules : DataFrame
        `balance.stats.city_services.rules_table`.
    """
    table = rules_of(rules, "revenue").iloc[:-1]
    colours = [BLUE] + [VERMILION] * (len(table) - 1)
    _draw_bars(axes, table, PER_GAME, colours)
    texts = [
        f"{one_decimal(amount)} ({percent(share)})" if np.isfinite(share) else "no data"
        for amount, share in zip(table["per_game"], table["share"], strict=True)
    ]
    write_values(axes, _with_evidence(texts, table), range(len(table)))
    value_axis(axes, PER_GAME, table)


def draw_placement_limits(axes: Axes, limits: pd.DataFrame) -> None:
    """Draw what share of the placements each limit forbids; the table is `placement_limit_rows`."""
    _draw_bars(axes, limits, FORBIDDEN, [BLUE] * len(limits))
    texts = [percent(share) if np.isfinite(share) else "no data" for share in limits["share"]]
    write_values(axes, _with_evidence(texts, limits), range(len(limits)))
    value_axis(axes, FORBIDDEN, limits)


def placement_limit_rows(rules: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of single placement limits and their overlap, the highest first, at most MOST_LIMITS."""
    table = rules_of(rules, "placement limits").iloc[:-SUMS]
    if len(table) == 1:
        return table.iloc[:0]  # no limits, so no overlap of several
    return table.sort_values("share", ascending=False, kind="stable").head(MOST_LIMITS)


def rules_of(rules: pd.DataFrame, part: str) -> pd.DataFrame:
    """Return the rules of one part of the table."""
    return rules.xs(part, level="part")


def limit_name(rule: str) -> str:
    """Return a limit's name, in two lines if it is long."""
    return textwrap.fill(with_capital(rule.removesuffix(", alone").replace("_", " ")), 36)


def _draw_bars(axes: Axes, table: pd.DataFrame, measure: Measure, colours: list[str]) -> None:
    hatches = ["" if colour == BLUE else "///" for colour in colours]
    values = table[measure.column].fillna(0.0)
    axes.barh(range(len(table)), values, height=0.6, color=colours, hatch=hatches)
    draw_intervals(axes, table, measure.column, range(len(table)), INK)
    row_order(axes, [limit_name(str(rule)) for rule in table.index])


def _with_evidence(texts: list[str], table: pd.DataFrame) -> list[str]:
    return [
        f"{text} too few" if evidence == "too few" else text
        for text, evidence in zip(texts, table["evidence"], strict=True)
    ]
