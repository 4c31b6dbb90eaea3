"""Tables for other programs: JSON, CSV and Markdown."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from balance.report.document import Document
from balance.report.section import Section


def as_json(document: Document) -> str:
    """Return facts, findings and full tables as JSON; what is undefined is null."""
    content = {
        **document.facts,
        "summary": document.headline,
        "caveats": document.caveats,
        "sections": {
            part.key: {"title": part.title, "findings": part.findings, "rows": records(part.table)}
            for part in document.sections
        },
    }
    return json.dumps(content, indent=1, allow_nan=False)


def as_csv(parts: Sequence[Section]) -> str:
    """Return full tables as CSV; each has its title in a line that starts with #, where there are several."""
    texts = []
    for part in parts:
        title = f"# {part.key}: {part.title}\n" if len(parts) > 1 else ""
        texts.append(title + part.table.to_csv(lineterminator="\n"))
    return "\n".join(texts)


def as_markdown(document: Document) -> str:
    """Return findings and rounded tables as Markdown."""
    lines = [f"# {document.headline}", ""]
    for caveat in document.caveats:
        lines += [f"> {caveat}", ""]
    for part in document.sections:
        lines += [f"## {part.title}", "", *part.findings, "", *markdown_rows(part.shown), ""]
        lines += [part.explanation, ""]
    return "\n".join(lines)


def markdown_rows(shown: pd.DataFrame) -> list[str]:
    """Return a table of cells as lines of Markdown."""
    rows = [list(map(str, shown.columns)), ["---"] * len(shown.columns)]
    rows += [[str(cell) for cell in row] for row in shown.itertuples(index=False)]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a table's rows as plain data, index first."""
    flat = table.reset_index() if table.index.names != [None] else table
    return [{str(name): plain(value) for name, value in row.items()} for row in flat.to_dict("records")]


def plain(value: Any) -> Any:
    """Return a value as JSON has it: null where it is undefined."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_as(table: pd.DataFrame, output: str | None) -> None:
    """Print one table: as "json", "csv" or "md", or for the terminal."""
    if output == "json":
        print(json.dumps(records(table), indent=1))
        return
    if output == "csv":
        print(table.to_csv(lineterminator="\n"), end="")
        return
    shown = table.reset_index().map(_cell)
    shown.columns = [str(column).capitalize() for column in shown.columns]
    if output == "md":
        print("\n".join(markdown_rows(shown)))
    else:
        from balance.report.terminal import console, print_table

        print_table(shown, console())


def _cell(value: Any) -> str:
    """Return a value as it stands in a scenario; nothing where there is none."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else str(value)
