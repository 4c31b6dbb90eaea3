"""The chart of a price: how far a tile is from its pool at each value."""

from __future__ import annotations

from matplotlib.axes import Axes

from balance.charts.chart import Chart
from balance.charts.style import BLUE, GRID, INK, SMALL, VERMILION, drawing_style, light_grid, new_figure
from balance.scenario.describe import tile_name
from balance.studies.price import Price


def charts_of_price(found: Price) -> list[Chart]:
    """Draw what was tried."""
    with drawing_style():
        title = f"{tile_name(found.tile)} beyond its pool, by {found.axis.name}"
        figure, (axes,) = new_figure(title, 3.2)
        draw_price(axes, found)
        table = found.table().loc["search"]
        words = ", ".join(f"{value}: {row['contrast']:+.2f} VP" for value, row in table.iterrows())
        return [Chart("price", "price", title, f"{title}. {words}. Level at {found.level}.", figure)]


def draw_price(axes: Axes, found: Price) -> None:
    """Draw the contrast of each value tried with its interval, the margin, and the value found on fresh seeds."""
    table = found.table()
    search, fresh = table.loc["search"], table.loc[("fresh", found.level)]
    margin = found.question.margin
    axes.axhspan(-margin, margin, color=GRID, alpha=0.55, linewidth=0, zorder=0)
    axes.axhline(0.0, color=INK, linewidth=0.9, zorder=1)
    values = search.index.to_numpy().astype(float)
    axes.vlines(values, search["contrast_low"], search["contrast_high"], color=BLUE, linewidth=2, zorder=2)
    axes.plot(values, search["contrast"], color=BLUE, marker="o", markersize=5, linewidth=1.0, zorder=3, label="search")
    axes.plot(
        [float(found.level)],
        [fresh["contrast"]],
        color=VERMILION,
        marker="s",
        markersize=6,
        linestyle="none",
        zorder=4,
        label="fresh seeds",
    )
    axes.set_xlabel(f"{found.axis.name} (lines: 95% intervals; grey: the margin of {margin:g} VP)", fontsize=SMALL)
    axes.set_ylabel("VP per holding, less the others", fontsize=SMALL)
    axes.legend(frameon=False)
    light_grid(axes, "y")
