"""Charts of Quadropolis: tiles at the margin, rules, who feeds whom, and the map of the city."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from balance.charts import alt
from balance.charts.board import Heat, draw_boards
from balance.charts.chart import Chart
from balance.charts.rows import (
    Measure,
    draw_kinds,
    draw_reference,
    draw_rows,
    plain,
    row_order,
    rows_height,
    value_axis,
)
from balance.charts.style import NO_DATA, SMALL, colour_bar, new_figure
from balance.scenario.describe import tile_name
from balance.studies.quadropolis import QuadropolisRun

MARGINAL_VP = Measure("marginal_vp", "VP that one tile adds to the score of its owner", plain)
RULE_VP = Measure("vp", "VP per player and game", plain)
VP = Heat("vp_per_building", "")  # what it is stands below all maps
FEEDS = "RdBu"
MAPS_IN_A_ROW = 4


def charts(run: QuadropolisRun) -> list[Chart]:
    """Draw the charts that only Quadropolis has, in the order of the report."""
    return [chart for draw in (_tiles, _map, _rules, _feeds) for chart in draw(run)]


def _tiles(run: QuadropolisRun) -> list[Chart]:
    tiles = run.tiles()
    tiles = tiles[tiles["marginal_vp"].notna()].sort_values("marginal_vp", ascending=False, kind="stable")
    if tiles.empty:
        return []
    tiles = tiles.assign(evidence=np.where(tiles["valued"] >= 100, "enough", "too few"))
    title = "What each tile adds at the margin"
    figure, (axes,) = new_figure(title, rows_height(len(tiles)) + 0.2)
    draw_marginal_vp(axes, tiles)
    text = alt.marginal_alt(tiles, MARGINAL_VP)
    return [Chart("marginal-vp", "tiles", title, text, figure)]


def draw_marginal_vp(axes: Axes, tiles: pd.DataFrame) -> None:
    """Draw the marginal VP of each tile, base tiles and Public Services of the pool in two looks.

    Parameters
    ----------
    axes : Axes
    tiles : DataFrame
        `balance.stats.quadropolis.tiles_table`, in the order of the rows.
    """
    draw_kinds(axes, tiles, MARGINAL_VP, {"base": "base tile", "expansion": "Public Service of the pool"})
    row_order(axes, [tile_name(tile) for tile in tiles.index])
    value_axis(axes, MARGINAL_VP, tiles, from_zero=False)
    of_pool = tiles[tiles["kind"] == "expansion"]
    compared, words = (of_pool, "mean of the pool") if len(of_pool) else (tiles, "mean of all tiles")
    mean = float(compared["marginal_vp"].mean())
    draw_reference(axes, mean, f"{words} {plain(mean)}")
    axes.legend(loc="lower right", frameon=False, fontsize=SMALL)  # the rows get shorter downwards


def _map(run: QuadropolisRun) -> list[Chart]:
    tiles = run.tiles()
    spaces = run.spaces()
    shown = [str(tile) for tile in tiles.index if tiles.loc[tile, "kind"] == "base" and tiles.loc[tile, "n"] > 0]
    if not shown:
        return []
    title = "The map of the city: what a building scores on each space"
    rows = -(-len(shown) // MAPS_IN_A_ROW)
    figure, panels = new_figure(title, 1.75 * rows + 0.4, rows=rows, columns=MAPS_IN_A_ROW)
    draw_boards(figure, panels[: len(shown)], spaces, shown, (VP,))
    for axes in panels:
        axes.set_xlabel("")
        axes.set_ylabel("")
    for axes in panels[len(shown) :]:
        axes.set_axis_off()
    figure.supxlabel("own VP per building; rows and columns as the city lies on the table", fontsize=SMALL)
    return [Chart("city-map", "tiles", title, alt.city_map_alt(spaces, shown), figure)]


def _rules(run: QuadropolisRun) -> list[Chart]:
    rules = run.rules().drop("score").sort_values("vp", ascending=False, kind="stable")
    title = "Where the points come from"
    figure, (axes,) = new_figure(title, rows_height(len(rules)))
    draw_rows(axes, rules, RULE_VP, range(len(rules)))
    row_order(axes, [tile_name(rule) for rule in rules.index])
    value_axis(axes, RULE_VP, rules, from_zero=False)
    draw_reference(axes, 0.0, "no points")
    return [Chart("rules", "rules", title, alt.rules_alt(rules, RULE_VP), figure)]


def _feeds(run: QuadropolisRun) -> list[Chart]:
    feeds = run.feeds()
    feeds = feeds.loc[(feeds.abs() > 0.005).any(axis=1), (feeds.abs() > 0.005).any(axis=0)]
    if feeds.empty:
        return []
    title = "Who feeds whom: what tiles (rows) make other tiles (columns) earn"
    figure, (axes,) = new_figure(title, 1.5 + 0.21 * len(feeds))
    draw_feeds(figure, axes, feeds)
    return [Chart("feeds", "feeds", title, alt.feeds_alt(feeds), figure)]


def draw_feeds(figure: Figure, axes: Axes, feeds: pd.DataFrame) -> None:
    """Draw a map of givers (rows) and scorers (columns), blue for points earned, red for points lost.

    Parameters
    ----------
    figure : Figure
    axes : Axes
    feeds : DataFrame
        `balance.stats.quadropolis.feeds_table`.
    """
    values = feeds.to_numpy(dtype=np.float64)
    most = float(np.abs(values).max())
    colours = matplotlib.colormaps[FEEDS].with_extremes(bad=NO_DATA)
    shown = np.ma.masked_where(np.abs(values) <= 0.005, values)
    mesh = axes.pcolormesh(shown, cmap=colours, vmin=-most, vmax=most, edgecolor="white", linewidth=0.5)
    axes.set_facecolor(NO_DATA)
    for row, column in zip(*np.nonzero(np.abs(values) > 0.005), strict=True):
        strength = abs(values[row, column]) / most
        axes.text(
            column + 0.5,
            row + 0.5,
            f"{values[row, column]:.1f}" if abs(values[row, column]) >= 0.05 else f"{values[row, column]:.2f}",
            ha="center",
            va="center",
            fontsize=SMALL - 1.5,
            color="white" if strength > 0.6 else "black",
        )
    axes.set_xticks(
        np.arange(feeds.shape[1]) + 0.5, [tile_name(name) for name in feeds.columns], rotation=40, ha="right"
    )
    axes.set_yticks(np.arange(len(feeds)) + 0.5, [tile_name(name) for name in feeds.index])
    axes.tick_params(length=0, labelsize=SMALL - 0.5)
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    colour_bar(figure, axes, mesh, "VP a game, all players together")
