"""One visual language for all charts: colours, sizes, grid, and how figures become files."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colorbar import Colorbar
from matplotlib.figure import Figure
from matplotlib.typing import RcKeyType

WIDTH = 16 / 2.54
"""Inches: the text width of a page of A4."""

NORMAL = 9
SMALL = 8
TITLE = 10.5

INK = "#1a1a1a"
QUIET = "#595959"
GRID = "#d9d9d9"
BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#00805C"  # a little darker than Okabe and Ito's, for contrast with white
HEAT = "viridis_r"
"""Perceptually uniform, for colour-blind eyes too, and its greys run in order: light is little."""
NO_DATA = "#f2f2f2"

_RC: dict[RcKeyType, object] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so that charts are the same everywhere
    "font.size": NORMAL,
    "axes.titlesize": NORMAL,
    "axes.labelsize": NORMAL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.edgecolor": QUIET,
    "hatch.color": "white",
    "svg.hashsalt": "balance",  # the same chart is the same file, byte for byte
    "svg.fonttype": "path",
}


class Look(NamedTuple):
    """How one seat, policy or kind of tile is drawn: different in grey as well, by its marker and dashes."""

    colour: str
    marker: str
    dashes: str | tuple[float, tuple[float, ...]]


LOOKS = (
    Look(BLUE, "o", "solid"),
    Look(VERMILION, "s", (0, (5, 1.5))),
    Look(GREEN, "^", (0, (5, 1.2, 1, 1.2))),
    Look("#000000", "D", (0, (1.2, 1.2))),
)


@contextmanager
def drawing_style() -> Iterator[None]:
    """Draw in our style, whatever the user's own matplotlib settings are."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        yield


def new_figure(title: str, height: float, *, rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """Return an empty figure of the width of a page.

    Parameters
    ----------
    title : str
        What is shown, in words; broken into lines as needed.
    height : float
        Inches.
    rows, columns : int
        Panels.

    Returns
    -------
    Figure
    list of Axes
        The panels, row by row.
    """
    figure = Figure(figsize=(WIDTH, height), layout="constrained", facecolor="white")
    figure.suptitle(textwrap.fill(title, 66), x=0.005, ha="left", fontsize=TITLE, fontweight="bold")
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_axisbelow(True)
    return figure, panels


def light_grid(axes: Axes, direction: str) -> None:
    """Draw thin lines to read values by, along "x" or "y"."""
    axes.grid(visible=True, axis="x" if direction == "x" else "y", color=GRID, linewidth=0.6)


def name_lines(figure: Figure) -> None:
    """Name the lines of all panels once, below them."""
    named: dict[str, Artist] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        named.update(zip(labels, handles, strict=True))
    labels = sorted(named)
    handles = [named[label] for label in labels]
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)


def colour_bar(figure: Figure, axes: Axes, mesh: QuadMesh, words: str) -> Colorbar:
    """Hang the scale of a heat map beside it."""
    bar = figure.colorbar(mesh, ax=axes, shrink=0.8, pad=0.02)
    if bar.solids is not None:  # as a picture inside the SVG it would bring ids that repeat
        bar.solids.set(rasterized=False, edgecolor="face")
    bar.set_label(words, fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL - 1)
    return bar


def end_labels(axes: Axes, ends: list[tuple[float, str, str]]) -> None:
    """Write (height, text, colour) beside the right edge, moved apart where they would overlap."""
    low, high = axes.get_ylim()
    gap = 0.085 * (high - low)
    order = np.argsort([height for height, _, _ in ends])
    heights = np.array([ends[place][0] for place in order])
    steps = gap * np.arange(len(heights))
    pushed_up = np.maximum.accumulate(heights - steps) + steps
    pushed_down = np.minimum.accumulate((heights - steps)[::-1])[::-1] + steps
    for place, height in zip(order, (pushed_up + pushed_down) / 2, strict=True):
        _, text, colour = ends[place]
        beside = axes.get_yaxis_transform()
        axes.text(1.01, height, text, transform=beside, color=colour, fontsize=SMALL, va="center")


def as_png(figure: Figure) -> bytes:
    """Return a figure as a PNG of 150 dots per inch."""
    content = io.BytesIO()
    with drawing_style():
        figure.savefig(content, format="png", dpi=150, metadata={"Software": None})
    return content.getvalue()


def as_svg(figure: Figure) -> str:
    """Return a figure as SVG without date, so that the same chart is the same text."""
    content = io.StringIO()
    with drawing_style():
        figure.savefig(content, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return content.getvalue()
