"""`balance ablate`: what is a rule worth, to which seat, policy and tile."""

from __future__ import annotations

from typing import Any

import click

from balance.cli.duration import refuse_long_run, yes_option
from balance.cli.options import chosen_format, format_options, pair_options, scenario_options
from balance.cli.output import finish_page, nothing_is_kept
from balance.cli.progress import announce_compiling, games_progress

EXAMPLES = """
\b
Examples:
  balance ablate quadropolis-expert --rule urbanist
  balance ablate quadropolis-classic --rule score.harbor_row --policy greedy --players 2
  balance ablate city-services --rule coverage --policy random --report reports/coverage
"""


@click.command(epilog=EXAMPLES)
@scenario_options
@click.option("--rule", required=True, metavar="NAME", help="A key of balance show that has an Off value.")
@pair_options
@format_options
@yes_option
def ablate(scenario: str, changes: tuple[str, ...], without: tuple[str, ...], rule: str, **options: Any) -> None:
    """Find what a rule of SCENARIO is worth: games with it (A) and without it (B), on the same luck.

    The rules are the keys of balance show SCENARIO that have an Off value.
    """
    from balance.report.compare import comparison_document
    from balance.runs.engine import engine_of
    from balance.runs.plan import make_plan
    from balance.scenario.load import load_scenario
    from balance.studies.compare import ablate as run_ablate

    output = chosen_format(options)
    folder = options.pop("folder")
    loaded = load_scenario(scenario, changes=changes, without=without)
    plan = make_plan(loaded, players=options["players"], policy=options["policy"], seed=options["seed"])
    announce_compiling(is_compiled=engine_of(plan).is_compiled())
    if not options.pop("yes"):
        refuse_long_run([plan, plan], options["games"], options["jobs"], few=100_000)
    with nothing_is_kept(), games_progress() as progress:
        found = run_ablate(loaded, rule, **options, progress=progress)
    finish_page(comparison_document(found), output, folder)
