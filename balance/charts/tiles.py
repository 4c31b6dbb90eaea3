"""Charts of tiles: what each Service scores, and how the win share goes with each copy."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from balance.charts.rows import (
    Measure,
    draw_kinds,
    draw_reference,
    draw_rows,
    percentage_points,
    plain,
    row_order,
    value_axis,
)
from balance.charts.style import SMALL
from balance.scenario.describe import tile_name

VP_PER_TILE = Measure("vp_per_tile", "VP per tile placed", plain)
WIN_SHARE_PER_COPY = Measure(
    "win_share_per_copy", "change of the win share with each copy placed, percentage points", percentage_points, ""
)


def draw_vp_per_tile(axes: Axes, services: pd.DataFrame, mean: float) -> None:
    """Draw what each Service scores, the highest first, against the mean of all.

    Parameters
    ----------
    axes : Axes
    services : DataFrame
        `balance.stats.city_services.services_table`.
    mean : float
        VP per tile, the mean of the Services.
    """
    table = services.sort_values("vp_per_tile", ascending=False, kind="stable")
    draw_rows(axes, table, VP_PER_TILE, range(len(table)))
    row_order(axes, [tile_name(tile) for tile in table.index])
    value_axis(axes, VP_PER_TILE, table)
    draw_reference(axes, mean, f"mean of all Services {plain(mean)}")


def draw_win_share_per_copy(axes: Axes, tiles: pd.DataFrame) -> None:
    """Draw how the win share of a seat goes with the copies it placed, the highest first; Zones look different."""
    table = tiles.dropna(subset="win_share_per_copy")
    table = table.sort_values("win_share_per_copy", ascending=False, kind="stable")
    draw_kinds(axes, table, WIN_SHARE_PER_COPY, {"Service": "Service", "Zone": "Zone"})
    row_order(axes, [tile_name(tile) for tile in table.index])
    value_axis(axes, WIN_SHARE_PER_COPY, table, from_zero=False)
    draw_reference(axes, 0.0, "no change")
    low, high = axes.get_xlim()
    at_left = -low > high  # away from the name of the line at 0
    axes.legend(
        loc="lower left" if at_left else "lower right",
        bbox_to_anchor=(0.0 if at_left else 1.0, 1.0),
        borderaxespad=0,
        ncols=2,
        frameon=False,
        fontsize=SMALL,
    )
