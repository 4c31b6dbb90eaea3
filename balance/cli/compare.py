"""`balance compare`: what differs between two games, or two finished runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from balance.cli.options import chosen_format, format_options, pair_options
from balance.cli.output import finish_pair
from balance.cli.progress import announce_compiling, games_progress

if TYPE_CHECKING:
    from balance.scenario.load import Scenario
    from balance.studies.run import AnyRun

EXAMPLES = """
\b
Examples:
  balance compare quadropolis-expert quadropolis-expert-classic-pool
  balance compare quadropolis-classic quadropolis-expert --players 2 --report reports/pools
  balance compare city-services city-services --set services.police.range=4 --policy random
  balance compare reports/first reports/second --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a value of B (repeatable).")
@click.option("--without", multiple=True, metavar="TILE", help="Leave a tile out of B (repeatable).")
@pair_options
@format_options
def compare(a: str, b: str, changes: tuple[str, ...], without: tuple[str, ...], **options: Any) -> None:
    """Compare A with B: two scenarios, played on the same luck, or two run folders."""
    from balance.studies.compare import compare as run_compare

    output = chosen_format(**{name: options.pop(name) for name in ("as_json", "as_csv", "as_md")})
    folder = options.pop("folder")
    sides = (_side(a, (), ()), _side(b, changes, without))
    announce_compiling(is_compiled=_is_compiled(sides[0]))
    with games_progress() as progress:
        found = run_compare(*sides, **options, progress=progress)
    finish_pair(found, output, folder)


def _side(name: str, changes: tuple[str, ...], without: tuple[str, ...]) -> AnyRun | Scenario:
    """Return a finished run where the name is that of a folder, else a scenario."""
    from balance.errors import InputError
    from balance.scenario.load import load_scenario
    from balance.studies.run import read_run

    if not Path(name).is_dir():
        return load_scenario(name, changes=changes, without=without)
    if changes or without:
        raise InputError(f"{name} is a finished run: --set and --without cannot change it", "Give a scenario.")
    return read_run(name)


def _is_compiled(side: AnyRun | Scenario) -> bool:
    from balance.runs.engine import engine_of
    from balance.runs.plan import make_plan
    from balance.scenario.load import Scenario

    return not isinstance(side, Scenario) or engine_of(make_plan(side)).is_compiled()
