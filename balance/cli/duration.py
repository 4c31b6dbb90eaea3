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


def refuse_long_run(
    plans: Sequence[Plan],
    games: int,
    jobs: int | None,
    *,
    times: int = 1,
    few: int = LONG_RUN_GAMES,
    asked: str | None = None,
) -> None:
    """Refuse games that take many hours.

    Parameters
    ----------
    plans : sequence of Plan
        What is played, one after another.
    games : int
        Of each.
    jobs : int, optional
        Workers.
    times : int
        How often each plan is played, or one like it.
    few : int
        Games that are never refused, and so need no estimate.
    asked : str, optional
        What takes so long; the games, if nothing is said.

    Raises
    ------
    InputError
        With an estimate of the duration.
    """
    from balance.runs.pace import seconds_needed
    from balance.runs.plan import check_games

    check_games(games)
    if games * times <= few:
        return

    def estimate() -> float:
        return times * sum(seconds_needed(plan, games, jobs) for plan in plans)

    seconds = estimate()
    if seconds > LONG_RUN_SECONDS:
        seconds = min(seconds, estimate())  # nothing is refused because of one bad moment
    if seconds > LONG_RUN_SECONDS:
        raise takes_too_long(asked or f"--games {games:,}", seconds)


def takes_too_long(asked: str, seconds: float) -> InputError:
    """Return the refusal of what would take so many seconds."""
    return InputError(
        f"{asked} would take about {duration(seconds)} on this machine", "Ask for fewer, or add --yes to start anyway."
    )


def duration(seconds: float) -> str:
    """Return a long duration as people say it."""
    hours = seconds / 3600
    if hours < 48:
        return f"{hours:,.1f} hours"
    return f"{hours / 24:,.0f} days" if hours < 24 * 730 else f"{hours / 24 / 365:,.0f} years"
