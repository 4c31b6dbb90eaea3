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

from balance.charts.style import HEAT, NO_DATA, SMALL, colour_bar
from balance.scenario.describe import tile_name


class Heat(NamedTuple):
    """A column of the board's table, and the words of its colour bar."""

    column: str
    words: str


PLACED = Heat("placed_per_game", "tiles placed per game")
VP = Heat("vp_per_tile", "VP per tile placed")


def draw_board(axes: Axes, board: pd.DataFrame, tile: str, heat: Heat) -> QuadMesh:
    """Draw one measure of one tile on the squares of the board; squares without data stay grey.

    Parameters
    ----------
    axes : Axes
    board : DataFrame
        `balance.stats.city_services.board_table`, or `balance.stats.quadropolis.spaces_table`.
    tile : str
    heat : Heat

    Returns
    -------
    QuadMesh
        To hang a colour bar on. Colours start at 0, so that an even board looks even.
    """
    squares = board[heat.column].xs(tile, level="tile").unstack("column")
    rows, columns = squares.shape
    colours = matplotlib.colormaps[HEAT].with_extremes(bad=NO_DATA)
    values = np.ma.masked_invalid(squares.to_numpy(dtype=np.float64))
    darkest = float(values.max()) if values.count() and values.max() > 0 else 1.0
    mesh = axes.pcolormesh(
        np.arange(columns + 1) + 0.5,
        np.arange(rows + 1) + 0.5,
        values,
        cmap=colours,
        vmin=0,
        vmax=darkest,
        edgecolor="white",
        linewidth=0.3,
    )
    _name_squares(axes, rows, columns)
    axes.set_title(tile_name(tile), fontsize=SMALL)
    return mesh


def draw_boards(
    figure: Figure, panels: list[Axes], board: pd.DataFrame, tiles: list[str], heats: tuple[Heat, ...] = (PLACED, VP)
) -> None:
    """Draw where each tile is placed, then where each scores, a panel each with a colour bar of its own."""
    shown = [(heat, tile) for heat in heats for tile in tiles]
    for axes, (heat, tile) in zip(panels, shown, strict=True):
        bar = colour_bar(figure, axes, draw_board(axes, board, tile, heat), heat.words)
        bar.locator = MaxNLocator(5)
        bar.update_ticks()


def _name_squares(axes: Axes, rows: int, columns: int) -> None:
    """Number rows and columns from 1, the first row on top."""
    every = 1 if max(rows, columns) <= 10 else 3
    axes.set_xticks(range(1, columns + 1, every))
    axes.set_yticks(range(1, rows + 1, every))
    axes.set_xlabel("column", fontsize=SMALL)
    axes.set_ylabel("row", fontsize=SMALL)
    axes.tick_params(length=0, labelsize=SMALL - 1)
    axes.set_facecolor(NO_DATA)
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
