"""Which ranges of the Services are fair? All 14 of them from 1 to 5, for 2, 3 and 4 players, random and greedy.

`python reports/service-ranges/study.py` makes the page, tables and charts beside this file again, to the last digit.
"""

from __future__ import annotations

from pathlib import Path

import click
from page import study_document
from ranges import FOR_ALL, Case, measure_all

from balance.errors import BalanceError
from balance.report.html import write_report
from balance.studies.tune import save_tuned


@click.command()
@click.option("--games", default=4800, show_default=True, help="Games of each point.")
@click.option("--trials", default=400, show_default=True, help="Points that each search tries.")
@click.option("--policy", "policies", multiple=True, default=("random", "greedy"), show_default=True)
@click.option("--players", type=int, multiple=True, default=(2, 3, 4), show_default=True)
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the games here; goes on with them if there.")
@click.option("--out", type=click.Path(path_type=Path), default=Path(__file__).parent, help="Where the page goes.")
def main(
    games: int, trials: int, policies: tuple[str, ...], players: tuple[int, ...], keep: Path | None, out: Path
) -> None:
    """Make the study of the ranges of the Services again."""
    cases = [Case(policy, count) for policy in policies for count in players]
    try:
        study = measure_all(cases, games, trials, keep, lambda text: click.echo(text, err=True))
        for path in write_report(study_document(study), out)[:1]:
            click.echo(path)
        if FOR_ALL in study.tuned:
            save_tuned(study.tuned[FOR_ALL], "city-services", out / "even-ranges.toml")
    except BalanceError as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
