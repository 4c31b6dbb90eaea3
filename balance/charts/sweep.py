"""Charts of a sweep: curves of each measure along one axis, a heat map over two, curves along each of several."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from balance.charts.chart import Chart
from balance.charts.style import BLUE, HEAT, INK, SMALL, colour_bar, drawing_style, light_grid, new_figure
from balance.scenario.describe import with_capital
from balance.scenario.vary import Axis, Value
from balance.stats.estimates import Estimate
from balance.studies.sweep import Sweep

_MOST_CURVES = 6


def charts_of_sweep(found: Sweep, table: pd.DataFrame) -> list[Chart]:
    """Draw what a sweep found."""
    with drawing_style():
        if len(found.axes) == 1:
            return [_measures(found)]
        if len(found.axes) == 2 and not found.one_at_a_time:
            return [_map(found, table)]
        return [_axes(found)]


def _axes(found: Sweep) -> Chart:
    """Draw the measure that judges along each axis, all on one scale."""
    words = found.words[found.best_by]
    others = "the others as they are" if found.one_at_a_time else "on average over the others"
    title = f"{with_capital(words)}, by each value; {others}"
    columns = min(4, len(found.axes))
    rows = -(-len(found.axes) // columns)
    figure, panels = new_figure(title, 0.9 + 1.35 * rows, rows=rows, columns=columns)
    said = []
    names = short_names([axis.name for axis in found.axes])
    for place, (panel, axis) in enumerate(zip(panels, found.axes, strict=False)):
        if place > 0:
            panel.sharey(panels[0])
        along = found.along(place, found.best_by)
        draw_curve(panel, axis, along, float(found.base.estimates[found.best_by].value[0]))
        panel.set_title(names[place], loc="left", fontsize=SMALL)
        said.append(f"{axis.name} {_said(along)}")
    for panel in panels[len(found.axes) :]:
        panel.set_visible(False)
    figure.supxlabel("bands: 95% intervals; dashed: the scenario as it is", fontsize=SMALL)
    return Chart("responses", "responses", title, f"{title}. {'; '.join(said)}.", figure)


def short_names(names: Sequence[str]) -> list[str]:
    """Leave out of dotted names the parts that they have in common.

    Examples
    --------
    >>> short_names(["services.fire.range", "services.parks.range"])
    ['fire', 'parks']
    """
    parts = [name.split(".") for name in names]
    if len(names) < 2 or len({len(part) for part in parts}) > 1:
        return list(names)
    differing = [place for place, column in enumerate(zip(*parts, strict=True)) if len(set(column)) > 1]
    return [".".join(part[place] for place in differing) for part in parts]


def _measures(found: Sweep) -> Chart:
    keys = list(found.words)[:_MOST_CURVES]
    axis = found.axes[0]
    title = f"How the game responds to {axis.name}"
    rows = -(-len(keys) // 2)
    figure, panels = new_figure(title, 0.7 + 2.0 * rows, rows=rows, columns=2)
    for panel, key in zip(panels, keys, strict=False):
        draw_curve(panel, axis, found.along(0, key), float(found.base.estimates[key].value[0]))
        words = found.words[key] if found.units[key] == "relative" else f"{found.words[key]}, {found.units[key]}"
        panel.set_title(textwrap.fill(with_capital(words), 40), loc="left", fontsize=SMALL)
    for panel in panels[len(keys) :]:
        panel.set_visible(False)
    figure.supxlabel(f"{axis.name} (bands: 95% intervals; dashed: the scenario as it is)", fontsize=SMALL)
    said = _said(found.along(0, found.best_by))
    return Chart("responses", "responses", title, f"{title}. {found.words[found.best_by]}: {said}.", figure)


def _said(along: Sequence[tuple[Value, Estimate]]) -> str:
    return ", ".join(f"{value}: {float(each.value[0]):.3f}" for value, each in along)


def draw_curve(axes: Axes, axis: Axis, along: Sequence[tuple[Value, Estimate]], base: float) -> None:
    """Draw one measure along one axis.

    Parameters
    ----------
    axes : Axes
    axis : Axis
    along : sequence of (value, Estimate)
        See `Sweep.along`.
    base : float
        The value of the scenario as it is.
    """
    x = np.array(axis.values if axis.is_numeric else range(len(axis.values)), dtype=float)
    low, high = np.array([[limit[0] for limit in each.interval()] for _, each in along]).T
    axes.fill_between(x, low, high, color=BLUE, alpha=0.2, linewidth=0)
    axes.plot(x, [each.value[0] for _, each in along], color=BLUE, marker="o", markersize=3.5, linewidth=1.4)
    if not np.isnan(base):
        axes.axhline(base, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.set_xticks(x, [str(value) for value in axis.values])
    light_grid(axes, "y")


def _map(found: Sweep, table: pd.DataFrame) -> Chart:
    first, second = found.axes
    title = f"{with_capital(found.words[found.best_by])} over {first.name} and {second.name}"
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
