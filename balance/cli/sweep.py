"""`balance sweep`: what does a number of the game do, and which value is best."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from balance.cli.duration import LONG_RUN_GAMES, LONG_RUN_SECONDS, takes_too_long, yes_option
from balance.cli.options import chosen_format, format_options, scenario_options
from balance.cli.output import finish, nothing_is_kept
from balance.cli.progress import announce_compiling, games_progress

if TYPE_CHECKING:
    from balance.runs.plan import Plan
    from balance.scenario.load import Scenario

EXAMPLES = """
\b
Examples:
  balance sweep city-services --vary services.roads.range=1:4
  balance sweep city-services --vary "services.{roads,power}.range=1:3" --vary players=2:4
  balance sweep quadropolis-expert --vary pool.capitol.count=0:3 --policy greedy --games 2000
  balance sweep city-services --vary "services.{fire,police,parks}.range=1:5" --one-at-a-time
  balance sweep city-services --vary "services.{fire,police}.range=1:5" --out reports/ranges --report
"""


@click.command(epilog=EXAMPLES)
@scenario_options
@click.option(
    "--vary",
    multiple=True,
    metavar="KEY=VALUES",
    help="2,3,5 or 1:4 or 0:10:2; several keys as a.{b,c}.d (repeatable).",
)
@click.option("--one-at-a-time", is_flag=True, help="Each key by itself, the others as they are; not the full grid.")
@click.option("--measure", "measures", multiple=True, metavar="KEY", help="A measure to keep (repeatable).")
@click.option("--best-by", metavar="KEY", help="Lowest is best; by default how uneven the tiles are.")
@click.option("--games", type=int, default=20_000, show_default=True, help="Games of each point.")
@click.option("--players", type=int, help="2 to 4; the scenario says how many by default.")
@click.option("--policy", default="random", show_default=True, help="One for all seats, or one for each.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same games.")
@click.option("--jobs", type=int, help="Workers; all cores by default. Results do not depend on it.")
@click.option("--out", type=click.Path(path_type=Path), help="Keep finished points in this folder, and use them again.")
@click.option("--report", "with_report", is_flag=True, help="Also write charts and an HTML page.")
@format_options
@yes_option
def sweep(scenario: str, changes: tuple[str, ...], without: tuple[str, ...], **options: Any) -> None:
    """Play every point of a grid of values of SCENARIO on the same luck: response curves, and the best point."""
    from balance.report.sweep import sweep_document
    from balance.runs.engine import engine_of
    from balance.runs.plan import make_plan
    from balance.scenario.load import load_scenario
    from balance.studies.sweep import sweep as run_sweep

    output = chosen_format(options)
    with_report, yes = options.pop("with_report"), options.pop("yes")
    loaded = load_scenario(scenario, changes=changes, without=without)
    plan = make_plan(loaded, players=options["players"], policy=options["policy"], seed=options["seed"])
    announce_compiling(is_compiled=engine_of(plan).is_compiled())
    if not yes:
        _refuse_large_grid(loaded, plan, options)
    folder = options["out"] or (Path("reports") / f"sweep-{Path(scenario).stem}" if with_report else None)
    with nothing_is_kept(folder), games_progress("Points") as progress:
        found = run_sweep(loaded, **{**options, "out": folder}, progress=progress)
    finish(sweep_document(found), output, folder, with_report=with_report)


def _refuse_large_grid(scenario: Scenario, plan: Plan, options: dict[str, Any]) -> None:
    """Refuse more points than anybody looks at, and hours of work, with an estimate."""
    from balance.runs.pace import seconds_needed
    from balance.runs.plan import check_games, make_plan
    from balance.studies.sweep import MOST_POINTS, axes_of, size_of_sweep

    check_games(options["games"])
    axes = axes_of(options["vary"], scenario, one_at_a_time=options["one_at_a_time"])
    points = size_of_sweep(axes, one_at_a_time=options["one_at_a_time"])
    if points * options["games"] <= 2 * LONG_RUN_GAMES and points <= MOST_POINTS:
        return
    varied = {key: axis.values for axis in axes for key in axis.keys}
    plans = [
        make_plan(scenario, players=players, policy=policy)  # type: ignore[arg-type]  # as they are written
        for players in varied.get("players", (plan.players,))
        for policy in varied.get("policy", (plan.policy,))
    ]
    seconds = points / len(plans) * sum(seconds_needed(each, options["games"], options["jobs"]) for each in plans)
    if points > MOST_POINTS or seconds > LONG_RUN_SECONDS:
        raise takes_too_long(f"--vary: a grid of {points:,} points", seconds)
