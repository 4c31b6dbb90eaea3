"""Printing what a command found, in the form that was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from balance.errors import BalanceError

if TYPE_CHECKING:
    from balance.report.document import Document


class StoppedError(BalanceError):
    """The user stopped a command that keeps nothing (exit code 130)."""

    exit_code = 130


@contextmanager
def nothing_is_kept(folder: Path | None = None) -> Iterator[None]:
    """Say so, where the user stops a command whose games only count together; or in which folder its parts are."""
    from balance.runs.spread import Interrupted

    try:
        yield
    except (Interrupted, KeyboardInterrupt):
        if folder is None:
            raise StoppedError("Stopped before there was an answer. Nothing is kept.") from None
        problem = f"Stopped before there was an answer. What is finished is kept in {folder}."
        raise StoppedError(problem, "The same command goes on from there.") from None


def show(document: Document, output: str | None) -> None:
    """Print a document: as "json", "csv" or "md", or for the terminal."""
    from balance.report.export import as_csv, as_json, as_markdown

    if output == "json":
        click.echo(as_json(document))
    elif output == "csv":
        click.echo(as_csv(document.sections), nl=False)
    elif output == "md":
        click.echo(as_markdown(document))
    else:
        from balance.report.terminal import console, print_document

        print_document(document, console())


def finish(document: Document, output: str | None, folder: Path | None, *, with_report: bool) -> None:
    """Write a study's page where one is wanted, print its document, and say on standard error what was kept."""
    if folder is not None and with_report:
        write_page(document, folder)
    show(document, output)
    if folder is None:
        click.echo("\nNot kept. Add --out FOLDER to keep the games, or --report for charts and a page.", err=True)
        return
    click.echo(f"\nKept in {folder}.", err=True)
    if with_report:
        click.echo(f"Report: {folder / 'report.html'}", err=True)


def finish_page(document: Document, output: str | None, folder: Path | None) -> None:
    """Write a study's page where a folder is given, and print its document."""
    if folder is not None:
        write_page(document, folder)
    show(document, output)
    if folder is None:
        click.echo("\nAdd --report FOLDER for charts and a page.", err=True)
    else:
        click.echo(f"\nReport: {folder / 'report.html'}", err=True)


def write_page(document: Document, folder: Path) -> None:
    """Write a document's page, charts and tables into a folder."""
    from balance.report.html import write_report

    write_report(document, folder)
