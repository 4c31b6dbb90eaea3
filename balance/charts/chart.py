"""A chart and what it says."""

from __future__ import annotations

from typing import NamedTuple

from matplotlib.figure import Figure


class Chart(NamedTuple):
    """A chart and what it says.

    Attributes
    ----------
    name : str
        For file names.
    section : str
        The key of the report's section that it belongs to.
    title : str
    alt : str
        The finding with its numbers, for whoever cannot see the chart.
    figure : Figure
    """

    name: str
    section: str
    title: str
    alt: str
    figure: Figure
