"""Charts of the board: where tiles are placed, and where they score."""

from __future__ import annotations

from typing import NamedTuple

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from balance.charts.style import HEAT, NO_DATA, SMALL


class Heat(NamedTuple):
    """A column of the board's table, and the words of its colour bar."""

    column: str
    words: str


PLACED = Heat("placed_per_game", "tiles placed\nper game")
VP = Heat("vp_per_tile", "VP per\ntile placed")


def draw_board(axes: Axes, board: pd.DataFrame, tile: str, heat: Heat, highest: float) -> QuadMesh:
    """Draw one measure of one tile on the squares of the board; squares without data stay grey.

    Parameters
    ----------
    axes : Axes
    board : DataFrame
        `balance.stats.city_services.board_table`.
    tile : str
    heat : Heat
    highest : float
        The value of the darkest colour, shared by panels that are to be compared.

    Returns
    -------
    QuadMesh
        To hang a colour bar on.
    """
    squares = board.loc[tile, heat.column].unstack("column")
    size = len(squares)
    edges = np.arange(size + 1) + 0.5
    colours = matplotlib.colormaps[HEAT].with_extremes(bad=NO_DATA)
    values = np.ma.masked_invalid(squares.to_numpy(dtype=np.float64))
    mesh = axes.pcolormesh(edges, edges, values, cmap=colours, vmin=0, vmax=highest, edgecolor="white", linewidth=0.3)
    axes.set_facecolor(NO_DATA)
    axes.set_aspect("equal")
    axes.invert_yaxis()
    every = 1 if size <= 10 else 2
    axes.set_xticks(range(1, size + 1, every))
    axes.set_yticks(range(1, size + 1, every))
    axes.tick_params(length=0, labelsize=SMALL - 1)
    axes.spines[:].set_visible(False)
    axes.set_title(tile, fontsize=SMALL)
    return mesh


def draw_boards(figure: Figure, panels: list[Axes], board: pd.DataFrame, tiles: list[str]) -> None:
    """Draw where tiles are placed (first row of panels) and where they score (second row), a column for each tile."""
    for row, heat in enumerate((PLACED, VP)):
        own = panels[row * len(tiles) : (row + 1) * len(tiles)]
        highest = _highest(board.loc[tiles, heat.column])
        meshes = [draw_board(axes, board, tile, heat, highest) for axes, tile in zip(own, tiles, strict=True)]
        bar = figure.colorbar(meshes[-1], ax=own, shrink=0.85, pad=0.02)
        bar.set_label(heat.words, fontsize=SMALL)
        bar.ax.tick_params(labelsize=SMALL)
        bar.locator = MaxNLocator(5)
        bar.update_ticks()
        own[0].set_ylabel("row", fontsize=SMALL)
    for axes in panels[len(tiles) :]:
        axes.set_xlabel("column", fontsize=SMALL)


def _highest(values: pd.Series[float]) -> float:
    """Return the largest value; 1 where there is none above 0, so that a scale exists."""
    largest = values.max()
    return float(largest) if largest > 0 else 1.0
