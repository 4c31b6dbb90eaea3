"""Charts of a search: every point tried, and what each change of the best one buys."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from balance.charts.chart import Chart
from balance.charts.style import BLUE, GRID, SMALL, VERMILION, drawing_style, light_grid, new_figure
from balance.studies.tune import Tuned


def charts_of_tune(found: Tuned) -> list[Chart]:
    """Draw what each change buys, and the course of the search."""
    with drawing_style():
        return [*([_steps(found)] if len(found.path) > 1 else []), _search(found)]


def _steps(found: Tuned) -> Chart:
    steps = found.steps()
    title = f"What each change adds to {found.objective.name}"
    figure, (axes,) = new_figure(title, 1.0 + 0.26 * len(steps))
    draw_steps(axes, steps)
    axes.set_xlabel(f"{found.objective.name}, with this change and those above it (lower is better)", fontsize=SMALL)
    said = ", ".join(f"{row['key'] or 'as it is'} {row['objective']:.3f}" for row in steps.to_dict("records"))
    return Chart("steps", "steps", title, f"{title}: {said}.", figure)


def draw_steps(axes: Axes, steps: pd.DataFrame) -> None:
    """Draw the objective after each change, from the top down; `steps` is from `Tuned.steps`."""
    rows = steps.to_dict("records")
    values, heights = steps["objective"].to_numpy(), np.arange(len(steps))
    axes.hlines(heights, 0, values, color=GRID, linewidth=1.2)
    axes.plot(values, heights, "o", color=BLUE, markersize=4.5)
    for height, value in zip(heights, values, strict=True):
        axes.annotate(
            f"{value:.3f}", (value, height), xytext=(5, 0), textcoords="offset points", va="center", fontsize=SMALL
        )
    names = [f"{row['key']}, {row['old']} to {row['new']}" if row["key"] else "as it is" for row in rows]
    axes.set_yticks(heights, names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.12 * values.max())
    light_grid(axes, "x")


def _search(found: Tuned) -> Chart:
    title = f"How the search for {found.objective.name} went"
    figure, (axes,) = new_figure(title, 3.0)
    draw_search(axes, found)
    text = f"{title}. {len(found.trials)} points; from {found.searched[0]:.3f} to {found.searched[1]:.3f}."
    return Chart("search", "trials", title, text, figure)


def draw_search(axes: Axes, found: Tuned) -> None:
    """Draw the objective of each point in the order of trying, and the best that got all games so far."""
    values = np.array([trial.value for trial in found.trials])
    is_full = np.array([trial.is_feasible and trial.games == found.games for trial in found.trials])
    numbers = np.arange(1, len(values) + 1)
    best = np.fmin.accumulate(np.where(is_full, values, np.nan))
    axes.plot(numbers[~is_full], values[~is_full], ".", color=GRID, markersize=4, label="given up early")
    axes.plot(numbers[is_full], values[is_full], ".", color=BLUE, markersize=5, label="all games")
    axes.plot(numbers, best, color=VERMILION, linewidth=1.4, label="best so far")
    axes.set_xlabel("points tried", fontsize=SMALL)
    axes.set_ylabel(found.objective.name)
    axes.legend(frameon=False)
    light_grid(axes, "y")
