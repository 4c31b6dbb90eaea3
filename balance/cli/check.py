"""`balance check`: is this tile balanced, for whom, and how sure are we."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from balance.cli.duration import refuse_long_run, yes_option
from balance.cli.options import chosen_format, format_options, judging_options, scenario_options
from balance.cli.output import finish, show
from balance.cli.progress import announce_compiling, games_progress

if TYPE_CHECKING:
    from balance.studies.check import Check

EXAMPLES = """
\b
Examples:
  balance check quadropolis-expert --tile capitol
  balance check quadropolis-expert --until-decided --max-games 20000 --out reports/expert --report
  balance check city-services --policy greedy --policy random --players 2 --players 4
  balance check quadropolis-classic --set pool.school.vp=2 --tile school --margin 0.5
"""


@click.command(epilog=EXAMPLES)
@scenario_options
@click.option("--tile", "tiles", multiple=True, metavar="TILE", help="Judge this tile (repeatable); all by default.")
@judging_options
@click.option("--games", type=int, default=2400, show_default=True, help="Games; the first batch of --until-decided.")
@click.option("--until-decided", is_flag=True, help="Go on, looking at 1, 2, 4, ... times the games.")
@click.option("--max-games", type=int, help="Where --until-decided stops.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Keep the games in this folder; goes on with them if there."
)
@click.option("--report", "with_report", is_flag=True, help="Also write charts and an HTML page.")
@format_options
@yes_option
def check(scenario: str, changes: tuple[str, ...], without: tuple[str, ...], **options: Any) -> None:
    """Judge the tiles of SCENARIO against the others of their pool.

    Games are played, and played again without each tile that was held: what it brings beyond the other tiles, with a
    verdict that says for whom it holds, and the evidence beside it.
    """
    from balance.report.check import check_document
    from balance.runs.engine import engine_of
    from balance.runs.spread import Interrupted
    from balance.scenario.load import load_scenario
    from balance.studies.check import ask, plans_of
    from balance.studies.check import check as run_check

    output = chosen_format(options)
    with_report, out = options.pop("with_report"), options.pop("out")
    loaded = load_scenario(scenario, changes=changes, without=without)
    asked = {name: options[name] for name in ("policies", "players", "margin", "alpha")}
    plans = plans_of(ask(loaded, options["tiles"], **asked), options["seed"])
    folder = out or (Path("reports") / f"check-{Path(scenario).stem}" if with_report else None)
    announce_compiling(is_compiled=engine_of(plans[0]).is_compiled())
    if not options.pop("yes"):
        refuse_long_run(plans, options["games"], options["jobs"], few=10_000)
    try:
        with games_progress() as progress:
            found = run_check(loaded, **options, out=folder, progress=progress)
    except Interrupted as stop:
        if stop.result is not None:
            show(check_document(_partial(stop.result)), output)
        raise
    finish(check_document(found), output, folder, with_report=with_report)


def _partial(result: object) -> Check:
    from balance.studies.check import Check

    assert isinstance(result, Check)
    return result
