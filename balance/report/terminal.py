"""Tables and sentences on the terminal."""

from __future__ import annotations

import re
from typing import Literal

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from balance.report.document import Document
from balance.report.section import Section

WIDTH = 100
LONGEST_NAME = 48
_NUMBER = re.compile(r"[-<]?\s?\d|no data|-$")


def console() -> Console:
    """Return standard output: 100 columns where it is no terminal, colour only on one."""
    out = Console(highlight=False)
    if not out.is_terminal or out.width > WIDTH:
        out = Console(highlight=False, width=WIDTH)
    return out


def print_document(document: Document, out: Console) -> None:
    """Print what a document says."""
    out.print(Text(document.headline, style="bold"))
    for caveat in document.caveats:
        out.print(Text(f"Note: {caveat}", style="yellow"))
    for section in document.sections:
        print_section(section, out)


def print_section(section: Section, out: Console) -> None:
    """Print a section: title, findings, table, how to read it."""
    out.print()
    out.print(Text(section.title, style="bold cyan"))
    for finding in section.findings:
        out.print(Text(finding))
    print_table(section.shown, out)
    for line in (section.explanation, *section.notes):
        out.print(Text(line, style="dim"))


def print_table(shown: pd.DataFrame, out: Console) -> None:
    """Print a table of cells: names to the left, numbers to the right."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1))
    for position, column in enumerate(shown.columns):
        cells = [str(cell) for cell in shown[column]]
        is_number = all(map(_NUMBER.match, cells))
        is_name = position == 0 and max(map(len, cells), default=0) <= LONGEST_NAME
        justify: Literal["left", "right"] = "right" if is_number else "left"
        table.add_column(Text(str(column)), justify=justify, overflow="fold", no_wrap=is_name)
    for row in shown.astype(str).itertuples(index=False):
        table.add_row(*(Text(cell) for cell in row))
    out.print(table)
