"""`balance price`: which value of a tile makes it fair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from balance.cli.duration import refuse_long_run, yes_option
from balance.cli.options import chosen_format, format_options, scenario_options
from balance.cli.output import finish_page, nothing_is_kept
from balance.cli.progress import announce_compiling, games_progress

EXAMPLES = """
\b
Examples:
  balance price city-services --tile roads
  balance price quadropolis-expert --tile maternity_ward
  balance price quadropolis-expert --tile capitol --vary pool.capitol.energy=0:4 --report reports/capitol-price
"""


_CHECKS = 8
"""About so many values are checked: two ends, some halvings, and twice for the confirmation."""


@click.command(epilog=EXAMPLES)
@scenario_options
@click.option("--tile", required=True, metavar="TILE", help="The tile to bring level with its pool.")
@click.option("--vary", metavar="KEY=VALUES", help="The value to change; the printed VP from 0 to 12 by default.")
@click.option("--games", type=int, default=2400, show_default=True, help="Games of each value.")
@click.option("--policy", default="greedy", show_default=True, help="Who plays, at all seats.")
@click.option("--players", type=int, help="2 to 4; the scenario says how many by default.")
@click.option("--margin", type=float, default=1.0, show_default=True, help="VP below which nothing matters.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same games.")
@click.option("--jobs", type=int, help="Workers; all cores by default. Results do not depend on it.")
@click.option(
    "--report", "folder", type=click.Path(path_type=Path), help="Write charts and an HTML page into this folder."
)
@format_options
@yes_option
def price(scenario: str, changes: tuple[str, ...], without: tuple[str, ...], **options: Any) -> None:
    """Find the printed VP, or other value, that brings a tile of SCENARIO level with its pool, and its side effects."""
    from balance.report.price import price_document
    from balance.runs.engine import engine_of
    from balance.scenario.load import load_scenario
    from balance.studies.check import ask, plans_of
    from balance.studies.price import price as run_price

    output = chosen_format(options)
    folder = options.pop("folder")
    loaded = load_scenario(scenario, changes=changes, without=without)
    tile, players = options.pop("tile"), options["players"]
    asked = ask(loaded, [tile], policies=[options["policy"]], players=[] if players is None else [players])
    plans = plans_of(asked, options["seed"])
    announce_compiling(is_compiled=engine_of(plans[0]).is_compiled())
    if not options.pop("yes"):
        refuse_long_run(plans, options["games"], options["jobs"], times=_CHECKS, few=60_000)
    with nothing_is_kept(), games_progress("Values") as progress:
        found = run_price(loaded, tile, **options, progress=progress)
    finish_page(price_document(found), output, folder)
