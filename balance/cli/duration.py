"""Runs of many hours are refused with an estimate, unless the user says yes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from balance.errors import InputError

if TYPE_CHECKING:
    from balance.runs.plan import Plan

LONG_RUN_GAMES = 1_000_000
LONG_RUN_SECONDS = 3600.0

yes_option = click.option("--yes", is_flag=True, help="Start even if it will take hours.")


def refuse_long_run(plans: Sequence[Plan], games: int, jobs: int | None, few: int = LONG_RUN_GAMES) -> None:
    """Refuse games that take many hours.

    Parameters
    ----------
    plans : sequence of Plan
        What is played, one after another.
    games : int
        Of each.
    jobs : int, optional
        Workers.
    few : int
        Games that are never refused, and so need no estimate.

    Raises
    ------
    InputError
        With an estimate of the duration.
    """
    from balance.runs.plan import check_games
    from balance.runs.spread import seconds_needed

    check_games(games)
    if games <= few:
        return
    seconds = sum(seconds_needed(plan, games, jobs) for plan in plans)
    if seconds > LONG_RUN_SECONDS:
        raise InputError(
            f"--games {games:,} would take about {duration(seconds)} on this machine",
            "Ask for fewer, or add --yes to start anyway.",
        )


def duration(seconds: float) -> str:
    """Return a long duration as people say it."""
    hours = seconds / 3600
    if hours < 48:
        return f"{hours:,.1f} hours"
    return f"{hours / 24:,.0f} days" if hours < 24 * 730 else f"{hours / 24 / 365:,.0f} years"
