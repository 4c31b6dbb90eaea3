"""`balance calibrate`: is the instrument right."""

from __future__ import annotations

from typing import Any

import click

from balance.cli.options import chosen_format, format_options, scenario_options
from balance.cli.output import nothing_is_kept, show
from balance.cli.progress import announce_compiling, games_progress

EXAMPLES = """
\b
Examples:
  balance calibrate city-services
  balance calibrate city-services --repeats 1000 --games 480 --margin 0.5
  balance calibrate quadropolis-classic --policy greedy --players 2 --repeats 100
"""


@click.command(epilog=EXAMPLES)
@scenario_options
@click.option("--repeats", type=int, default=400, show_default=True, help="Checks, each on a seed of its own.")
@click.option("--games", type=int, default=240, show_default=True, help="Games of each check.")
@click.option("--policy", default="random", show_default=True, help="Who plays, at all seats.")
@click.option("--players", type=int, help="2 to 4; the scenario says how many by default.")
@click.option("--margin", type=float, default=1.0, show_default=True, help="VP below which nothing matters.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Chance of a wrong verdict.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same games.")
@click.option("--jobs", type=int, help="Workers; all cores by default. Results do not depend on it.")
@format_options
def calibrate(scenario: str, changes: tuple[str, ...], without: tuple[str, ...], **options: Any) -> None:
    """Measure on SCENARIO how often verdicts are wrong where the truth is known.

    Checks are repeated on fresh seeds and judged as if tiles were off by nothing or by exactly the margin; a tile
    with more printed VP has to be found as often as foretold.
    """
    from balance.report.calibration import calibration_document
    from balance.runs.engine import engine_of
    from balance.runs.plan import make_plan
    from balance.scenario.load import load_scenario
    from balance.studies.calibrate import calibrate as run_calibrate

    output = chosen_format(options)
    loaded = load_scenario(scenario, changes=changes, without=without)
    announce_compiling(is_compiled=engine_of(make_plan(loaded)).is_compiled())
    with nothing_is_kept(), games_progress() as progress:
        found = run_calibrate(loaded, **options, progress=progress)
    show(calibration_document(found), output)
