"""Charts of seats and policies: how often each wins, and what it scores."""

from __future__ import annotations

import textwrap

import pandas as pd
from matplotlib.axes import Axes

from balance.charts.rows import (
    Measure,
    draw_reference,
    draw_rows,
    one_decimal,
    percent,
    row_order,
    value_axis,
)
from balance.charts.style import LOOKS

WIN_SHARE = Measure("win_share", "share of games won", percent, "%")
SCORE = Measure("score", "mean score, VP", one_decimal)


def draw_seats(win_share: Axes, score: Axes, seats: pd.DataFrame) -> None:
    """Draw win share and score of each seat, by policy where there are several.

    Parameters
    ----------
    win_share, score : Axes
        Two panels beside each other.
    seats : DataFrame
        `balance.stats.outcome.seats_table`.
    """
    policies = list(dict.fromkeys(seats.index.get_level_values("policy")))
    labels: list[str] = []
    for number, policy in enumerate(policies):
        own = seats.loc[[policy]]
        if len(policies) > 1:
            labels.append("")
            _head_group(win_share, str(policy), len(labels) - 1)
        rows = range(len(labels), len(labels) + len(own))
        labels += [f"seat {seat}" for seat in own.index.get_level_values("seat")]
        for axes, measure in ((win_share, WIN_SHARE), (score, SCORE)):
            draw_rows(axes, own, measure, rows, LOOKS[number % len(LOOKS)])
    _finish(win_share, score, seats, labels)


def draw_policies(win_share: Axes, score: Axes, policies: pd.DataFrame) -> None:
    """Draw win share and score of each policy over all its seats; the table is `policies_table`."""
    for number, policy in enumerate(policies.index):
        for axes, measure in ((win_share, WIN_SHARE), (score, SCORE)):
            draw_rows(axes, policies.loc[[policy]], measure, [number], LOOKS[number % len(LOOKS)])
    _finish(win_share, score, policies, [textwrap.fill(str(policy), 26) for policy in policies.index])


def rows_of_seats(seats: pd.DataFrame) -> int:
    """Return how many rows `draw_seats` needs: with several policies each has a heading."""
    policies = seats.index.get_level_values("policy").nunique()
    return len(seats) + (policies if policies > 1 else 0)


def _head_group(axes: Axes, policy: str, row: int) -> None:
    white = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    axes.text(
        0.0, row, policy, transform=axes.get_yaxis_transform(), va="center", fontweight="bold", bbox=white, zorder=4
    )


def _finish(win_share: Axes, score: Axes, table: pd.DataFrame, labels: list[str]) -> None:
    row_order(win_share, labels)
    row_order(score, [""] * len(labels))
    value_axis(win_share, WIN_SHARE, table, with_note=False)
    value_axis(score, SCORE, table, with_note=False)
    equal = float(table["equal_share"].iloc[0])
    draw_reference(win_share, equal, f"equal share {percent(equal)}")
