"""The chart of a search: every point tried, and the best one so far."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from balance.charts.chart import Chart
from balance.charts.style import BLUE, GRID, SMALL, VERMILION, drawing_style, light_grid, new_figure
from balance.studies.tune import Tuned


def charts_of_tune(found: Tuned) -> list[Chart]:
    """Draw the course of a search."""
    with drawing_style():
        title = f"How the search for {found.objective.name} went"
        figure, (axes,) = new_figure(title, 3.0)
        draw_search(axes, found)
        text = f"{title}. {len(found.trials)} points; from {found.searched[0]:.3f} to {found.searched[1]:.3f}."
        return [Chart("search", "trials", title, text, figure)]


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
