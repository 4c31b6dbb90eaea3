"""The report as one self-contained HTML file, with its charts as PNG and its tables as CSV beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from balance.charts.chart import Chart
from balance.charts.style import as_png
from balance.errors import RunFolderError
from balance.report.document import Document
from balance.report.method import scenario_changes, versions
from balance.report.section import Section
from balance.report.svg import inline_svg
from balance.runs.sealed import write_atomically

_NUMBER = re.compile(r"(<\s*)?[+\-\N{MINUS SIGN}±]?\d|no data|too few|no test|-$")


class Cell(NamedTuple):
    """A cell of a table as HTML shows it."""

    text: str
    is_name: bool
    is_number: bool


class Part(NamedTuple):
    """A section with its charts, ready for the page."""

    section: Section
    columns: list[Cell]
    rows: list[list[Cell]]
    figures: list[tuple[Chart, Markup]]


def write_report(document: Document, folder: Path) -> list[Path]:
    """Write report.html, charts/*.png and tables/*.csv into a folder.

    Parameters
    ----------
    document : Document
    folder : Path
        Made if it does not exist; files of an earlier report are replaced, each as a whole.

    Returns
    -------
    list of Path
        The files written, the page first.

    Raises
    ------
    RunFolderError
        If a file cannot be written.
    """
    for place in (folder, folder / "charts", folder / "tables"):
        _make_folder(place)
    drawn = document.draw()
    page = folder / "report.html"
    content = {folder / "charts" / f"{chart.name}.png": as_png(chart.figure) for chart in drawn}
    content |= {folder / "tables" / f"{section.key}.csv": _csv(section.table) for section in document.sections}
    content[page] = report_html(document, drawn).encode()  # last: where there is a page, all else is there
    for path, data in content.items():
        write_atomically(path, data)
    return [page, *(path for path in content if path != page)]


def report_html(document: Document, drawn: Sequence[Chart]) -> str:
    """Return the page: answers first, then tables and charts, then how it was made."""
    here = files("balance.report")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(here.joinpath("report.html.j2").read_text(encoding="utf-8"))
    return template.render(
        title=document.title,
        css=Markup(here.joinpath("report.css").read_text(encoding="utf-8")),
        headline=document.headline,
        caveats=document.caveats,
        parts=[_part(section, drawn) for section in document.sections],
        all_changes=[scenario_changes(scenario) for scenario in document.scenarios],
        method=[*document.method, ("Versions", versions())],
    )


def _part(section: Section, drawn: Sequence[Chart]) -> Part:
    shown = section.shown
    names = 1 if section.table.index.nlevels == 1 else _text_columns(shown, section.table.index.nlevels)
    numeric = [_is_numeric(shown.iloc[:, place]) for place in range(shown.shape[1])]
    columns = [Cell(str(name), place < names, numeric[place]) for place, name in enumerate(shown.columns)]
    rows = [
        [Cell(str(text), place < names, numeric[place]) for place, text in enumerate(row)]
        for row in shown.itertuples(index=False)
    ]
    figures = [(chart, inline_svg(chart)) for chart in drawn if chart.section == section.key]
    return Part(section, columns, rows, figures)


def _text_columns(shown: pd.DataFrame, most: int) -> int:
    """Return how many of the first columns name the row: those that the first measured column does not end."""
    known = ("policy", "seat", "tile", "part", "rule", "turn", "measure")
    named = 0
    while named < min(most, shown.shape[1]) and str(shown.columns[named]).lower() in known:
        named += 1
    return max(1, named)


def _is_numeric(cells: pd.Series) -> bool:
    texts = [str(cell) for cell in cells]
    return any(text[-1:].isdigit() or text[:1].isdigit() for text in texts) and all(map(_NUMBER.match, texts))


def _csv(table: pd.DataFrame) -> bytes:
    text: str = table.to_csv(lineterminator="\n")
    return text.encode()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be made: {error.strerror}", "Choose another folder.") from None
