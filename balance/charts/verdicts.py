"""The chart of verdicts: each tile against the others of its pool, and the margin of practical importance."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from balance.charts.chart import Chart
from balance.charts.rows import row_order, rows_height, write_values
from balance.charts.style import BLUE, GREEN, GRID, INK, QUIET, SMALL, VERMILION, drawing_style, light_grid, new_figure
from balance.scenario.describe import tile_name

_COLOURS = {"overpowered": VERMILION, "strong": VERMILION, "underpowered": BLUE, "weak": BLUE, "balanced": GREEN}
_MARKERS = {"overpowered": "^", "strong": "^", "underpowered": "v", "weak": "v", "balanced": "o"}
_DECIDED = ("overpowered", "underpowered", "balanced")


def charts_of_check(table: pd.DataFrame, margin: float) -> list[Chart]:
    """Draw the verdicts of `Check.table`, a chart for each policy and number of players."""
    with drawing_style():
        return [
            _chart(table.loc[key], str(key[0]), int(key[1]), margin)
            for key in dict.fromkeys(table.index.droplevel("tile"))
        ]


def _chart(table: pd.DataFrame, policy: str, players: int, margin: float) -> Chart:
    title = f"What each tile brings beyond the others of its pool: {policy}, {players} players"
    figure, (axes,) = new_figure(title, rows_height(len(table)) + 0.15)
    ordered = table.sort_values("contrast", ascending=False, na_position="last")
    draw_verdicts(axes, ordered, margin)
    words = [f"{tile_name(tile)} {_vp(row['contrast'])}, {row['verdict']}" for tile, row in ordered.iterrows()]
    text = f"{title}. {'; '.join(words)}. The margin is {margin:g} VP either way."
    return Chart(f"verdicts-{policy}-{players}p", "verdicts", title, text, figure)


def _vp(value: float) -> str:
    return "no data" if np.isnan(value) else f"{value:+.2f} VP"


def draw_verdicts(axes: Axes, table: pd.DataFrame, margin: float) -> None:
    """Draw dots with the interval that decides (thin) and the 95% interval (thick) over the margin's band.

    Parameters
    ----------
    axes : Axes
    table : DataFrame
        Rows of `Check.table` of one policy and number of players, from the top; index tile.
    margin : float
    """
    axes.axvspan(-margin, margin, color=GRID, alpha=0.55, linewidth=0, zorder=0)
    axes.axvline(0.0, color=INK, linewidth=0.9, zorder=1)
    row_order(axes, [tile_name(tile) for tile in table.index])
    for place, row in enumerate(table.to_dict("records")):
        _draw_row(axes, place, row)
    words = [row["verdict"] for row in table.to_dict("records")]
    write_values(axes, words, range(len(words)))
    axes.set_xlabel(
        "VP per holding, less the mean of the others: thick 95% interval, thin the interval that decides;\n"
        f"grey: the margin of {margin:g} VP; hollow: not decided",
        fontsize=SMALL,
    )
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, -1.3 * margin), max(high, 1.3 * margin))
    light_grid(axes, "x")


def _draw_row(axes: Axes, place: int, row: dict[str, float]) -> None:
    verdict = str(row["verdict"])
    colour = _COLOURS.get(verdict, QUIET)
    if np.isnan(row["contrast"]):
        return
    for low, high, width in (("decision_low", "decision_high", 0.9), ("contrast_low", "contrast_high", 2.6)):
        if not np.isnan(row[low]):
            axes.hlines(place, row[low], row[high], color=colour, linewidth=width, zorder=2)
    axes.plot(
        [row["contrast"]],
        [place],
        linestyle="none",
        marker=_MARKERS.get(verdict, "o"),
        markersize=6,
        color=colour,
        markerfacecolor=colour if verdict in _DECIDED else "white",
        zorder=3,
    )
