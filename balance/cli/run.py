"""`balance run`: play games of a scenario and show what happened in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from balance.cli.duration import refuse_long_run, yes_option
from balance.cli.options import check_tables, chosen_format, format_options, scenario_options
from balance.cli.progress import announce_compiling, games_progress

EXAMPLES = """
\b
Examples:
  balance run city-services
  balance run city-services --policy greedy --players 2 --games 20000 --out reports/greedy-2p
  balance run city-services --set services.police.range=4 --without waste
  balance run city-services --policy greedy,random,random-fire,random+parks
  balance run city-services --csv --table tiles > tiles.csv
"""


@click.command(epilog=EXAMPLES)
@scenario_options
@click.option("--games", type=int, default=100_000, show_default=True, help="Games to play.")
@click.option("--players", type=int, help="2 to 4; the scenario says how many by default.")
@click.option(
    "--policy",
    default="random",
    show_default=True,
    help="random or greedy, with -tile (never builds it) or +tile "
    "(builds it whenever it can); one for all seats, or one for each, separated by commas.",
)
@click.option("--fixed-seats", is_flag=True, help="Unequal policies keep their seats instead of rotating.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same games.")
@click.option("--jobs", type=int, help="Workers; all cores by default. Results do not depend on it.")
@click.option("--backend", type=click.Choice(["threads", "processes"]), default="threads", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Keep the run in this folder; goes on with it if unfinished."
)
@click.option(
    "--report", "with_report", is_flag=True, help="Also write charts and an HTML report (see balance report)."
)
@click.option("--table", "tables", multiple=True, metavar="KEY", help="Print only this table (repeatable).")
@format_options
@yes_option
def run(scenario: str, changes: tuple[str, ...], without: tuple[str, ...], **options: Any) -> None:
    """Play games of SCENARIO (a name or a TOML file) and show who scored what, through which tile and rule."""
    from balance.cli.output import show, write_page
    from balance.report.run import run_document
    from balance.report.sections import section_keys
    from balance.runs.engine import engine_of
    from balance.runs.plan import check_games, make_plan
    from balance.runs.spread import Interrupted, play_plan
    from balance.scenario.load import load_scenario
    from balance.studies.run import run_of

    output = chosen_format(options)
    plan = make_plan(
        load_scenario(scenario, changes=changes, without=without),
        players=options["players"],
        policy=options["policy"],
        seed=options["seed"],
        fixed_seats=options["fixed_seats"],
    )
    check_games(options["games"])
    check_tables(options["tables"], section_keys(plan))
    folder = options["out"] or (_default_folder(scenario, plan) if options["with_report"] else None)
    announce_compiling(is_compiled=engine_of(plan).is_compiled())
    if not options["yes"]:
        refuse_long_run([plan], options["games"], options["jobs"])
    try:
        with games_progress() as progress:
            tallies = play_plan(
                plan,
                options["games"],
                jobs=options["jobs"],
                backend=options["backend"],
                folder=folder,
                progress=progress,
            )
    except Interrupted as stop:
        if stop.done:
            show(run_document(run_of(plan, stop.tallies), options["tables"]), output)
        raise
    finished = run_of(plan, tallies)
    if options["with_report"] and folder is not None:
        write_page(run_document(finished), folder)
    show(run_document(finished, options["tables"]), output)
    _say_next(folder, with_report=options["with_report"])


def _default_folder(scenario: str, plan: Any) -> Path:
    """Return reports/NAME-PLAYERSp-POLICY-seedN, told apart by a digest where values were changed."""
    import hashlib
    import json

    name = Path(scenario).stem
    digest = hashlib.sha256(json.dumps(plan.as_data()).encode()).hexdigest()[:6]
    policy = plan.policy.replace(",", "_")
    return Path("reports") / f"{name}-{plan.players}p-{policy}-seed{plan.seed}-{digest}"


def _say_next(folder: Path | None, *, with_report: bool) -> None:
    """Say on standard error what was kept, and what to do next."""
    if folder is None:
        click.echo("\nNot kept. Add --out FOLDER to keep the run, or --report for charts and a page.", err=True)
        return
    click.echo(f"\nKept in {folder}.", err=True)
    if with_report:
        click.echo(f"Report: {folder / 'report.html'}", err=True)
    else:
        click.echo(f"Next: balance report {folder}", err=True)
