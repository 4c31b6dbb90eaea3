"""`balance replay`: one game of a run, move by move."""

from __future__ import annotations

import json
from pathlib import Path

import click

from balance.cli.options import folder_argument

EXAMPLES = """
\b
Examples:
  balance replay reports/first --game 0
  balance replay reports/first --game 17 --json > game-17.json
"""


@click.command(epilog=EXAMPLES)
@folder_argument
@click.option("--game", type=int, required=True, help="Number of the game; the first one is 0.")
@click.option("--json", "as_json", is_flag=True, help="Print data that a referee can verify (see the README).")
def replay(run_folder: Path, game: int, *, as_json: bool) -> None:
    """Play a game of RUN again, move by move: what lies there, what is placed, and the points with their rules."""
    from balance.studies.replay import replay as replay_from
    from balance.studies.replay import replay_lines

    data = replay_from(run_folder, game)
    if as_json:
        click.echo(json.dumps(data))
    else:
        click.echo("\n".join(replay_lines(data)))
