"""`balance bench`: how fast games are played on this machine."""

from __future__ import annotations

import json

import click

from balance.cli.progress import announce_compiling

EXAMPLES = """
\b
Examples:
  balance bench
  balance bench --repeats 3 --no-compile --json
"""


@click.command(epilog=EXAMPLES)
@click.option("--repeats", type=click.IntRange(1, 100), default=5, show_default=True, help="The median counts.")
@click.option("--jobs", type=int, help="Workers for the column of many; all cores by default.")
@click.option(
    "--compile/--no-compile", "with_compile", default=True, show_default=True, help="Measure a cold start too."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench(repeats: int, jobs: int | None, *, with_compile: bool, as_json: bool) -> None:
    """Measure games per second by game, policy and players, the cost of tallies, and compile time."""
    from balance.report.export import records
    from balance.report.terminal import console, print_table
    from balance.runs.engine import engine_of
    from balance.runs.plan import make_plan
    from balance.scenario.load import load_scenario
    from balance.studies.bench import COMPILED, compile_seconds, speed_table

    announce_compiling(is_compiled=engine_of(make_plan(load_scenario("city-services"))).is_compiled())
    table = speed_table(repeats, jobs, lambda what: click.echo(f"Measuring {what} ...", err=True))
    compiling = {name: compile_seconds(name) for name in COMPILED} if with_compile else {}
    if as_json:
        click.echo(json.dumps({"speed": records(table), "compile_seconds": compiling}, indent=1))
        return
    shown = table.reset_index()
    workers = shown.pop("jobs")[0]
    for name in ("games_per_second", "slowest", "fastest", "without_tallies", "with_jobs"):
        shown[name] = [f"{value:,.0f}" for value in shown[name]]
    shown["tally_overhead"] = [f"{value:.0%}" for value in shown["tally_overhead"]]
    shown["speedup"] = [f"{value:.2f}" for value in shown["speedup"]]
    of_one = ["Games/s", "Slowest", "Fastest", "Bare", "Tallies"]
    shown.columns = ["Scenario", "Policy", "Players", *of_one, f"{workers} jobs", "Speedup"]
    out = console()
    print_table(shown, out)
    out.print(f"Games per second: on one core, and with {workers} jobs.")
    out.print("Bare: without tallies. Tallies: their share of the time.")
    for name, seconds in compiling.items():
        out.print(f"Compiling {name} from nothing takes {seconds:.1f} s, once on each machine.")
