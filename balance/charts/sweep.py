"""Charts of a sweep: response curves with bands along one axis, a heat map over two."""

from __future__ import annotations

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from balance.charts.chart import Chart
from balance.charts.style import BLUE, HEAT, INK, SMALL, colour_bar, drawing_style, light_grid, new_figure
from balance.studies.sweep import Sweep

_MOST_CURVES = 6


def charts_of_sweep(found: Sweep, table: pd.DataFrame) -> list[Chart]:
    """Draw what a sweep of one or two axes found; more axes have no chart."""
    with drawing_style():
        if len(found.axes) == 1:
            return [_curves(found, table)]
        return [_map(found, table)] if len(found.axes) == 2 else []


def _curves(found: Sweep, table: pd.DataFrame) -> Chart:
    keys = list(found.words)[:_MOST_CURVES]
    axis = found.axes[0]
    title = f"How the game responds to {axis.name}"
    rows = -(-len(keys) // 2)
    figure, panels = new_figure(title, 0.7 + 2.0 * rows, rows=rows, columns=2)
    for panel, key in zip(panels, keys, strict=False):
        rows_of_key = table[table["measure"] == key]
        draw_curve(panel, rows_of_key, axis.name, float(found.base.estimates[key].value[0]))
        words = found.words[key] if found.units[key] == "relative" else f"{found.words[key]}, {found.units[key]}"
        panel.set_title(textwrap.fill(words[:1].upper() + words[1:], 40), loc="left", fontsize=SMALL)
    for panel in panels[len(keys) :]:
        panel.set_visible(False)
    figure.supxlabel(f"{axis.name} (bands: 95% intervals; dashed: the scenario as it is)", fontsize=SMALL)
    of_best = table[table["measure"] == found.best_by]
    words = ", ".join(f"{row[axis.name]}: {row['value']:.3f}" for row in of_best.to_dict("records"))
    return Chart("responses", "responses", title, f"{title}. {found.words[found.best_by]}: {words}.", figure)


def draw_curve(axes: Axes, rows: pd.DataFrame, name: str, base: float) -> None:
    """Draw one measure along one axis.

    Parameters
    ----------
    axes : Axes
    rows : DataFrame
        Rows of `Sweep.table` of one measure.
    name : str
        The column of the axis.
    base : float
        The value of the scenario as it is.
    """
    is_numeric = pd.api.types.is_numeric_dtype(rows[name]) and not pd.api.types.is_bool_dtype(rows[name])
    x = rows[name].to_numpy() if is_numeric else np.arange(len(rows))
    axes.fill_between(x.astype(float), rows["value_low"], rows["value_high"], color=BLUE, alpha=0.2, linewidth=0)
    axes.plot(x, rows["value"], color=BLUE, marker="o", markersize=3.5, linewidth=1.4)
    if not np.isnan(base):
        axes.axhline(base, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.set_xticks(x, [str(value) for value in rows[name]])
    light_grid(axes, "y")


def _map(found: Sweep, table: pd.DataFrame) -> Chart:
    first, second = found.axes
    title = (
        f"{found.words[found.best_by][:1].upper()}{found.words[found.best_by][1:]} over {first.name} and {second.name}"
    )
    figure, (axes,) = new_figure(title, 1.5 + 0.42 * max(4, len(first.values)))
    values = table[table["measure"] == found.best_by]["value"].to_numpy().reshape(len(first.values), len(second.values))
    mesh = axes.pcolormesh(values, cmap=HEAT, edgecolors="white", linewidth=0.5)
    axes.set_xticks(np.arange(len(second.values)) + 0.5, [str(value) for value in second.values])
    axes.set_yticks(np.arange(len(first.values)) + 0.5, [str(value) for value in first.values])
    axes.set_xlabel(second.name)
    axes.set_ylabel(first.name)
    colour_bar(figure, axes, mesh, found.words[found.best_by])
    place = np.unravel_index(np.nanargmin(values), values.shape)
    axes.plot([place[1] + 0.5], [place[0] + 0.5], marker="*", color="white", markeredgecolor=INK, markersize=12)
    best = f"{first.name} {first.values[place[0]]}, {second.name} {second.values[place[1]]}"
    return Chart("map", "best", title, f"{title}. Lowest, {values[place]:.3f}, at {best} (star).", figure)
