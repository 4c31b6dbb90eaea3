"""Options that several commands share, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from balance.errors import InputError, nearest

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("json", "csv", "md")


def scenario_options(function: F) -> F:
    """Add SCENARIO, --set and --without."""
    for add in (
        click.option("--without", multiple=True, metavar="TILE", help="Leave a tile out (repeatable)."),
        click.option(
            "--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a value of the scenario (repeatable)."
        ),
        click.argument("scenario"),
    ):
        function = add(function)
    return function


def judging_options(function: F) -> F:
    """Add for whom tiles are judged, and how strictly."""
    for add in (
        click.option("--jobs", type=int, help="Workers; all cores by default. Results do not depend on it."),
        click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same games."),
        click.option(
            "--alpha", type=float, default=0.05, show_default=True, help="Chance that any of the verdicts is wrong."
        ),
        click.option("--margin", type=float, default=1.0, show_default=True, help="VP below which nothing matters."),
        click.option("--players", type=int, multiple=True, help="2 to 4 (repeatable); the scenario's by default."),
        click.option(
            "--policy",
            "policies",
            multiple=True,
            default=("greedy",),
            show_default=True,
            help="Who plays, at all seats (repeatable).",
        ),
    ):
        function = add(function)
    return function


def pair_options(function: F) -> F:
    """Add what playing two games on the same luck takes."""
    for add in (
        click.option(
            "--report",
            "folder",
            type=click.Path(path_type=Path),
            help="Write charts and an HTML page into this folder.",
        ),
        click.option("--jobs", type=int, help="Workers; all cores by default. Results do not depend on it."),
        click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same games."),
        click.option("--policy", default="greedy", show_default=True, help="One for all seats, or one for each."),
        click.option("--players", type=int, help="2 to 4; the scenario says how many by default."),
        click.option("--games", type=int, default=10_000, show_default=True, help="Games of each."),
    ):
        function = add(function)
    return function


def format_options(function: F) -> F:
    """Add --json, --csv and --md."""
    for name, words in (("md", "Markdown"), ("csv", "CSV, unrounded"), ("json", "JSON, unrounded")):
        function = click.option(f"--{name}", f"as_{name}", is_flag=True, help=f"Print {words}.")(function)
    return function


def chosen_format(options: dict[str, Any]) -> str | None:
    """Take the formats out of a command's options; return the one that was asked for, or None for the terminal.

    Raises
    ------
    InputError
        If there are several.
    """
    chosen = [name for name in FORMATS if options.pop(f"as_{name}")]
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(f'--{name}' for name in chosen)} contradict each other", "Choose one.")
    return chosen[0] if chosen else None


def check_tables(keys: Sequence[str], known: Sequence[str]) -> None:
    """Refuse unknown tables before anything is played.

    Raises
    ------
    InputError
        If one is unknown.
    """
    for key in keys:
        if key not in known:
            raise InputError(f"--table {key}: unknown table", nearest(key, known))


def folder_argument(function: F) -> F:
    """Add RUN, a run folder."""
    return click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path))(function)
