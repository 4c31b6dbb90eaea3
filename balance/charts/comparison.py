"""Charts of a comparison: differences in sizes that can be compared, and what each tile brings in both games."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from balance.charts.chart import Chart
from balance.charts.rows import Measure, draw_intervals, draw_rows, row_order, rows_height, value_axis
from balance.charts.style import INK, LOOKS, SMALL, drawing_style, light_grid, name_lines, new_figure
from balance.scenario.describe import tile_name
from balance.studies.compare import Comparison

_TILE_VP = Measure("a", "VP that a tile brings", lambda value: f"{value:+.2f}")


def charts_of_comparison(found: Comparison, measures: pd.DataFrame, tiles: pd.DataFrame) -> list[Chart]:
    """Draw the charts of a comparison that there are data for."""
    with drawing_style():
        drawn = [_rules(found, measures[measures["key"].str.startswith("rules.")])]
        if not tiles.empty:
            drawn.append(_tiles(found, tiles))
        return drawn


def _rules(found: Comparison, rules: pd.DataFrame) -> Chart:
    title = "Where the points come from: shares in A less shares in B"
    ordered = rules.sort_values("difference", ascending=False)
    figure, (axes,) = new_figure(title, rows_height(len(ordered)))
    draw_differences(axes, ordered, [name.removeprefix("VP from ").capitalize() for name in ordered.index])
    most, least = ordered.iloc[0], ordered.iloc[-1]
    text = (
        f"{title}. {ordered.index[0]}: {100 * most['difference']:+.1f} points; {ordered.index[-1]}: "
        f"{100 * least['difference']:+.1f} points. A: {found.names[0]}. B: {found.names[1]}."
    )
    return Chart("rules-compared", "rules", title, text, figure)


def draw_differences(axes: Axes, table: pd.DataFrame, labels: list[str]) -> None:
    """Draw the difference of each row with its interval, in hundredths.

    Parameters
    ----------
    axes : Axes
    table : DataFrame
        `balance.stats.comparison.measures_compared`.
    labels : list of str
        Names of the rows.
    """
    hundredths = table.assign(**{name: 100 * table[name] for name in table if name.startswith("difference")})
    measure = Measure("difference", "percentage points", lambda value: f"{value:+.2f}")
    axes.axvline(0.0, color=INK, linewidth=0.9, zorder=1)
    row_order(axes, labels)
    draw_rows(axes, hundredths, measure, range(len(table)))
    value_axis(axes, measure, hundredths, from_zero=False)


def _tiles(found: Comparison, tiles: pd.DataFrame) -> Chart:
    title = "What each tile brings in both games"
    ordered = tiles.sort_values("a", ascending=False)
    figure, (axes,) = new_figure(title, rows_height(len(ordered), 2) + 0.3)
    draw_tiles(axes, ordered, found.names)
    name_lines(figure)
    words = [f"{tile_name(tile)} {row['a']:.2f} and {row['b']:.2f}" for tile, row in ordered.iterrows()]
    text = f"{title}, in VP, A and B: {'; '.join(words)}. A: {found.names[0]}. B: {found.names[1]}."
    return Chart("tiles-compared", "tiles", title, text, figure)


def draw_tiles(axes: Axes, tiles: pd.DataFrame, names: tuple[str, str]) -> None:
    """Draw both values of each tile, A above B.

    Parameters
    ----------
    axes : Axes
    tiles : DataFrame
        `Comparison.tiles`.
    names : tuple of str
        What to call A and B.
    """
    row_order(axes, [tile_name(tile) for tile in tiles.index])
    for column, name, shift, look in zip("ab", names, (-0.16, 0.16), LOOKS, strict=False):
        rows = [place + shift for place in range(len(tiles))]
        draw_intervals(axes, tiles, column, rows, look.colour)
        axes.plot(
            tiles[column],
            rows,
            linestyle="none",
            marker=look.marker,
            markersize=5,
            color=look.colour,
            label=f"{column.upper()}: {name}",
            zorder=3,
        )
    axes.set_xlabel(
        "VP that a tile brings (marginal VP, or own VP where there is none); lines: 95% intervals", fontsize=SMALL
    )
    light_grid(axes, "x")
