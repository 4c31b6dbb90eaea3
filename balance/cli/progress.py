"""Progress with the time left, on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def games_progress(things: str = "Games") -> Iterator[Callable[[int, int], None]]:
    """Show a bar of games played, or other things, with the time left; nothing where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _games: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(things), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("games", total=None)
        yield lambda done, games: bar.update(task, completed=done, total=games)


def announce_compiling(*, is_compiled: bool) -> None:
    """Say, once, why the first run takes longer."""
    if not is_compiled:
        click.echo("Compiling the rules for this machine: once, about a minute ...", err=True)
