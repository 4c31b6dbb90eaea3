"""Charts of rows: one name, dot, interval and number a row, so that no two labels can meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from balance.charts.style import INK, LOOKS, QUIET, SMALL, Look, light_grid

_AROUND = 1.05  # inches for title and axis
_TALLEST = 9.0  # inches of rows that still fit a page of A4


class Measure(NamedTuple):
    """A column of a table, and how people read it.

    Attributes
    ----------
    column : str
        The table has it with _low and _high.
    words : str
        The label of its axis, with the unit.
    form : callable
        From a value to its label.
    percent : str, optional
        The symbol behind the axis' numbers if they are hundredths; None if they are plain.
    """

    column: str
    words: str
    form: Callable[[float], str]
    percent: str | None = None


def rows_height(rows: int, lines: int = 1) -> float:
    """Return the height in inches of a chart of so many rows, whose names take so many lines."""
    return _AROUND + rows * float(np.clip(_TALLEST / max(rows, 1), 0.155 * lines, 0.17 + 0.1 * lines))


def row_order(axes: Axes, labels: Sequence[str]) -> None:
    """Name the rows, from the top."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0, pad=7)
    axes.spines["left"].set_visible(False)


def draw_rows(axes: Axes, table: pd.DataFrame, measure: Measure, rows: Sequence[float], look: Look = LOOKS[0]) -> None:
    """Draw dots with their intervals; rows of too few games are hollow and say so.

    Parameters
    ----------
    axes : Axes
    table : DataFrame
        The measure's columns and "evidence".
    measure : Measure
    rows : sequence of float
        The height of each of the table's rows.
    look : Look
    """
    values = table[measure.column].to_numpy(dtype=np.float64)
    draw_intervals(axes, table, measure.column, rows, look.colour)
    enough = (table["evidence"] == "enough").to_numpy()
    for chosen, fill in ((enough, look.colour), (~enough, "white")):
        if chosen.any():
            axes.plot(
                values[chosen],
                np.asarray(rows)[chosen],
                linestyle="none",
                marker=look.marker,
                markersize=5,
                color=look.colour,
                markerfacecolor=fill,
                zorder=3,
                clip_on=False,
            )
    evidence = table["evidence"]
    write_values(axes, [value_label(value, word, measure) for value, word in zip(values, evidence, strict=True)], rows)


def value_label(value: float, evidence: str, measure: Measure) -> str:
    """Return the number behind a row, with a word where it rests on too little."""
    if np.isnan(value):
        return "no data"
    return measure.form(value) if evidence == "enough" else f"{measure.form(value)} {evidence}"


def draw_kinds(axes: Axes, table: pd.DataFrame, measure: Measure, kinds: Mapping[str, str]) -> None:
    """Draw the rows of a table from the top, each kind (column "kind") in a look of its own, named for a legend.

    Parameters
    ----------
    axes : Axes
    table : DataFrame
        As for `draw_rows`.
    measure : Measure
    kinds : mapping of str to str
        The words for each kind.
    """
    rows = pd.Series(range(len(table)), index=table.index)
    for (kind, words), look in zip(kinds.items(), LOOKS, strict=False):
        chosen = table["kind"] == kind
        if chosen.any():
            draw_rows(axes, table[chosen], measure, rows[chosen].to_list(), look)
            axes.plot([], [], color=look.colour, marker=look.marker, linestyle="none", markersize=5, label=words)


def draw_intervals(axes: Axes, table: pd.DataFrame, column: str, rows: Sequence[float], colour: str) -> None:
    """Draw the intervals of the rows that have one."""
    low, high = (table[f"{column}_{end}"].to_numpy(dtype=np.float64) for end in ("low", "high"))
    known = ~(np.isnan(low) | np.isnan(high))
    if known.any():
        axes.hlines(np.asarray(rows)[known], low[known], high[known], color=colour, linewidth=2, zorder=2)


def write_values(axes: Axes, texts: Sequence[str], rows: Sequence[float]) -> None:
    """Write a column of numbers at the right of the rows."""
    for text, row in zip(texts, rows, strict=True):
        axes.text(1.015, row, text, transform=axes.get_yaxis_transform(), fontsize=SMALL, va="center")


def reading_note(table: pd.DataFrame, column: str) -> str:
    """Say what lines and hollow dots mean, as far as there are any."""
    notes = []
    if table[f"{column}_low"].notna().any():
        notes.append("lines: 95% intervals, where wider than the mark")
    if (table["evidence"] == "too few").any():
        notes.append("too few: under 100 occurrences, no interval")
    return "; ".join(notes)


def value_axis(
    axes: Axes, measure: Measure, table: pd.DataFrame, *, from_zero: bool = True, with_note: bool = True
) -> None:
    """Label and limit the axis of values."""
    note = reading_note(table, measure.column) if with_note else ""
    axes.set_xlabel(f"{measure.words}\n{note}".strip(), fontsize=SMALL)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    if measure.percent is not None:
        axes.xaxis.set_major_formatter(hundredths(measure.percent))
    if from_zero:
        axes.set_xlim(0.0, 1.06 * _highest(table, measure.column))
    light_grid(axes, "x")


def hundredths(symbol: str) -> FuncFormatter:
    """Return what writes shares at an axis in hundredths, with no more decimals than it takes."""
    return FuncFormatter(lambda share, _: f"{100 * share:g}{symbol}".replace("-", "\N{MINUS SIGN}"))


def draw_reference(axes: Axes, value: float, words: str) -> None:
    """Draw the value that all rows are compared with, named above the rows."""
    axes.axvline(value, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    low, high = axes.get_xlim()
    place = (value - low) / (high - low)
    side = "right" if place > 0.65 else "left" if place < 0.35 else "center"
    axes.annotate(
        words,
        (value, 1.0),
        xycoords=axes.get_xaxis_transform(),
        xytext=(0, 2),
        textcoords="offset points",
        ha=side,
        va="bottom",
        fontsize=SMALL,
        color=QUIET,
    )


def _highest(table: pd.DataFrame, column: str) -> float:
    """Return the largest value or upper limit; 1 where there is none above 0, so that a scale exists."""
    largest = np.nanmax(np.append(table[[column, f"{column}_high"]].to_numpy(dtype=np.float64), 0.0))
    return float(largest) if largest > 0 else 1.0


def plain(value: float) -> str:
    """Two decimals."""
    return f"{value:.2f}"


def one_decimal(value: float) -> str:
    """One decimal."""
    return f"{value:,.1f}"


def percent(value: float) -> str:
    """A share in percent."""
    return f"{value:.1%}"


def percentage_points(value: float) -> str:
    """A difference of shares, signed, in hundredths."""
    text = f"{100 * value:+.2f}"
    return "0.00" if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")
