"""`balance compare`: what differs between two games, or two finished runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from balance.cli.duration import refuse_long_run, yes_option
from balance.cli.options import chosen_format, format_options, pair_options
from balance.cli.output import finish_page, nothing_is_kept
from balance.cli.progress import announce_compiling, games_progress

if TYPE_CHECKING:
    from balance.runs.plan import Plan
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
@yes_option
def compare(a: str, b: str, changes: tuple[str, ...], without: tuple[str, ...], **options: Any) -> None:
    """Compare A with B: two scenarios, played on the same luck, or two run folders."""
    from balance.report.compare import comparison_document
    from balance.runs.engine import engine_of
    from balance.studies.compare import compare as run_compare

    output = chosen_format(options)
    folder = options.pop("folder")
    sides = (_side(a, (), ()), _side(b, changes, without))
    plans = _plans(sides, **{name: options[name] for name in ("players", "policy", "seed")})
    for plan in plans:
        announce_compiling(is_compiled=engine_of(plan).is_compiled())
    if not options.pop("yes"):
        refuse_long_run(plans, options["games"], options["jobs"], few=100_000)
    with nothing_is_kept(), games_progress() as progress:
        found = run_compare(*sides, **options, progress=progress)
    finish_page(comparison_document(found), output, folder)


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


def _plans(sides: tuple[AnyRun | Scenario, ...], **how: Any) -> list[Plan]:
    """Return what has to be played: nothing for a finished run."""
    from balance.runs.plan import make_plan
    from balance.scenario.load import Scenario

    return [make_plan(side, **how) for side in sides if isinstance(side, Scenario)]
