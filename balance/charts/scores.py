"""Charts of scores: how often each came, by how much games were won, and how scores grow."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from balance.charts.rows import hundredths
from balance.charts.style import BLUE, LOOKS, SMALL, end_labels, light_grid

_WIDTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_MOST_STEPS = 60  # more are too thin to see on paper


def step_width(scores: pd.Index[int]) -> int:
    """Return how many VP a step of the chart takes together, so that few enough remain."""
    span = int(scores.max() - scores.min()) + 1
    return next((width for width in _WIDTHS if span / width <= _MOST_STEPS), _WIDTHS[-1])


def draw_scores(axes: Axes, histogram: pd.DataFrame, width: int) -> None:
    """Draw how often each final score came, a line for each seat; the legend is left to the figure.

    Parameters
    ----------
    axes : Axes
    histogram : DataFrame
        Index score, a column of shares for each seat: one policy of `balance.stats.outcome.histogram_table`.
    width : int
        VP that a step takes together; its height is the sum of the table's shares.
    """
    steps, edges = _in_steps(histogram, width)
    for seat in steps.columns:
        look = LOOKS[(int(seat) - 1) % len(LOOKS)]
        axes.stairs(
            steps[seat].to_numpy(), edges, color=look.colour, linestyle=look.dashes, linewidth=1.5, label=f"seat {seat}"
        )
    axes.set_xlim(edges[0] - width, edges[-1] + width)
    _share_axis(axes, "share of games", width)


def draw_margins(axes: Axes, margins: pd.DataFrame, width: int) -> None:
    """Draw by how many VP games were won; the table is `balance.stats.outcome.margins_table`."""
    steps, edges = _in_steps(margins[["share"]], width)
    axes.stairs(steps["share"].to_numpy(), edges, fill=True, color=BLUE, edgecolor="white", linewidth=0.5)
    axes.set_xlim(edges[0], edges[-1] + width)
    _share_axis(axes, "share of games", width)
    axes.set_xlabel("VP by which the winner led the next")


def draw_arc(axes: Axes, arc: pd.DataFrame) -> None:
    """Draw the mean score after each turn, a line for each seat, named at its end.

    Parameters
    ----------
    axes : Axes
    arc : DataFrame
        Index (seat, turn): one policy of `balance.stats.outcome.arc_table`.
    """
    ends = []
    for seat, line in arc.groupby(level="seat"):
        look = LOOKS[(int(str(seat)) - 1) % len(LOOKS)]
        turns = line.index.get_level_values("turn").to_numpy()
        mean = line["score"].to_numpy()
        marker = look.marker if len(turns) < 3 else ""
        axes.plot(turns, mean, color=look.colour, linestyle=look.dashes, linewidth=1.5, marker=marker)
        if line["score_low"].notna().any():
            axes.fill_between(turns, line["score_low"], line["score_high"], color=look.colour, alpha=0.2, linewidth=0)
        ends.append((float(mean[-1]), f"seat {seat}: {mean[-1]:.1f}", look.colour))
    axes.set_ylim(bottom=0)
    axes.margins(x=0.02)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("mean score, VP")
    light_grid(axes, "y")
    end_labels(axes, ends)


def _in_steps(table: pd.DataFrame, width: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the shares summed over steps of `width` VP, and the edges of the steps."""
    values = table.index.to_numpy()
    first, last = int(values.min()) // width, int(values.max()) // width
    steps = table.groupby(values // width).sum().reindex(range(first, last + 1), fill_value=0.0)
    return steps, np.arange(first, last + 2) * width


def _share_axis(axes: Axes, words: str, width: int) -> None:
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(hundredths("%"))
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))
    axes.set_ylabel(f"{words}, per {width} VP" if width > 1 else f"{words}, per VP", fontsize=SMALL)
    light_grid(axes, "y")
