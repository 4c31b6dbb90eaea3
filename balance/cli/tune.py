"""`balance tune`: which numbers would make the game fair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from balance.cli.duration import refuse_long_run, yes_option
from balance.cli.options import chosen_format, format_options, scenario_options
from balance.cli.output import StoppedError, nothing_is_kept, show
from balance.cli.progress import announce_compiling, games_progress

EXAMPLES = """
\b
Examples:
  balance tune city-services --vary "services.{roads,power,water,sewage}.range=1:5" --objective even-services
  balance tune city-services --vary services.roads.range=1:5 --vary services.fire.range=1:5 --objective even-services
  balance tune city-services --vary "services.{fire,parks}.range=1:4" --objective even-services --players 2 --players 4
  balance tune quadropolis-classic --vary pool.school.vp=0:3 --objective even-tiles --policy greedy --games 500
  balance tune city-services --vary services.fire.range=1:5 --objective target:score.mean=50 --keep "score.sd=11+-3"
"""


@click.command(epilog=EXAMPLES)
@scenario_options
@click.option(
    "--vary", multiple=True, metavar="KEY=VALUES", help="Values to try; a.{b,c}.d=1:5 is a value for each (repeatable)."
)
@click.option("--objective", required=True, help="even-services, even-tiles, even-seats, or target:MEASURE=VALUE.")
@click.option("--keep", multiple=True, metavar="MEASURE=VALUE+-TOLERANCE", help="What must be kept (repeatable).")
@click.option("--games", type=int, default=20_000, show_default=True, help="Games of the points not given up early.")
@click.option("--trials", type=int, default=400, show_default=True, help="Points to try.")
@click.option("--time", "minutes", type=float, help="Minutes after which the search stops.")
@click.option("--players", type=int, multiple=True, help="2 to 4 (repeatable); the scenario's by default.")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    default=("random",),
    show_default=True,
    help="One for all seats, or one for each (repeatable).",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same search.")
@click.option("--jobs", type=int, help="Workers; all cores by default. Results do not depend on it.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write tuned.toml and a page here; go on with a search kept here.",
)
@format_options
@yes_option
def tune(scenario: str, changes: tuple[str, ...], without: tuple[str, ...], **options: Any) -> None:
    """Search for the values of SCENARIO that make it fair, and confirm them on fresh seeds.

    With several policies or numbers of players the objective is the mean over all of them, and each of them keeps what
    is to be kept. The winner is written as a scenario that extends SCENARIO and can be run at once.
    """
    from balance.report.html import write_report
    from balance.report.tune import tuned_document
    from balance.runs.engine import engine_of
    from balance.scenario.load import load_scenario
    from balance.scenario.vary import separate
    from balance.studies.tune import plans_for, save_tuned
    from balance.studies.tune import tune as run_tune

    output = chosen_format(options)
    loaded = load_scenario(scenario, changes=changes, without=without)
    plans = plans_for(loaded, options["policies"], options["players"], options["seed"])
    announce_compiling(is_compiled=engine_of(plans[0]).is_compiled())
    minutes, yes = options.pop("minutes"), options.pop("yes")
    if minutes is None and not yes:
        trials, games = options["trials"], options["games"]
        asked = f"--trials {trials:,} of {games:,} games, without a --time,"
        refuse_long_run(plans, games, options["jobs"], times=trials, few=8_000_000, asked=asked)
    vary = [axis for text in options.pop("vary") for axis in separate(text)]
    with nothing_is_kept(options["out"]), games_progress("Points") as progress:
        found = run_tune(loaded, vary, **options, seconds=None if minutes is None else 60 * minutes, progress=progress)
    document = tuned_document(found)
    folder = options["out"]
    if folder is None:
        show(document, output)
        click.echo("\nAdd --out FOLDER for the tuned scenario, charts and a page.", err=True)
        _say_if_stopped(is_stopped=found.is_stopped)
        return
    save_tuned(found, scenario, folder / "tuned.toml")
    write_report(document, folder)
    show(document, output)
    click.echo(f"\nReport: {folder / 'report.html'}", err=True)
    click.echo(f"Next: balance run {folder / 'tuned.toml'}", err=True)
    _say_if_stopped(is_stopped=found.is_stopped)


def _say_if_stopped(*, is_stopped: bool) -> None:
    if is_stopped:
        raise StoppedError("Stopped before the end of the search. The best so far was confirmed and is shown above.")
