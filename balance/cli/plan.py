"""`balance plan`: how many games does an answer take, and how long is that."""

from __future__ import annotations

from typing import Any

import click

from balance.cli.duration import refuse_long_run, yes_option
from balance.cli.options import chosen_format, format_options, judging_options, scenario_options
from balance.cli.output import nothing_is_kept, show
from balance.cli.progress import announce_compiling, games_progress

EXAMPLES = """
\b
Examples:
  balance plan quadropolis-expert
  balance plan quadropolis-expert --tile capitol --margin 0.5
  balance plan city-services --policy greedy --policy random --games 20000
"""


@click.command(epilog=EXAMPLES)
@scenario_options
@click.option("--tile", "tiles", multiple=True, metavar="TILE", help="Plan for this tile (repeatable); all by default.")
@judging_options
@click.option("--games", type=int, help="Say what this number of games can tell.")
@click.option("--pilot", type=int, default=480, show_default=True, help="Games to plan from.")
@format_options
@yes_option
def plan(scenario: str, changes: tuple[str, ...], without: tuple[str, ...], **options: Any) -> None:
    """Foretell how many games, and minutes, balance check takes to decide each tile of SCENARIO."""
    from balance.report.plan import forecast_document
    from balance.runs.engine import engine_of
    from balance.scenario.load import load_scenario
    from balance.studies.check import ask, plans_of
    from balance.studies.plan import plan as run_plan

    output = chosen_format(options)
    loaded = load_scenario(scenario, changes=changes, without=without)
    asked = {name: options[name] for name in ("policies", "players", "margin", "alpha")}
    plans = plans_of(ask(loaded, options["tiles"], **asked), options["seed"])
    announce_compiling(is_compiled=engine_of(plans[0]).is_compiled())
    if not options.pop("yes"):
        refuse_long_run(plans, options["pilot"], options["jobs"], few=10_000, asked=f"--pilot {options['pilot']:,}")
    with nothing_is_kept(), games_progress() as progress:
        found = run_plan(loaded, **options, progress=progress)
    show(forecast_document(found), output)
