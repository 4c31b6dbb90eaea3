"""A document: what a command has to say, ready for the terminal, for other programs, and for a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from balance.report.section import Section
from balance.scenario.load import Scenario

if TYPE_CHECKING:
    from balance.charts.chart import Chart


def no_charts() -> list[Chart]:
    """Draw nothing."""
    return []


@dataclass(frozen=True)
class Document:
    """Answers, the numbers behind them, and how they were found.

    Attributes
    ----------
    title : str
    headline : str
        What was asked of what, in a sentence.
    caveats : list of str
        What to bear in mind before believing anything.
    sections : list of Section
    facts : mapping
        What JSON says besides: plans, settings, tests.
    scenarios : sequence of Scenario
        What was played, for a list of what differs from the packaged games.
    method : list of (str, str)
        What a reader needs to repeat it, and to judge it; a page adds the versions.
    draw : callable
        Draws the charts; called only where they are wanted, as it takes a while.
    """

    title: str
    headline: str
    caveats: list[str]
    sections: list[Section]
    facts: Mapping[str, Any]
    scenarios: Sequence[Scenario]
    method: list[tuple[str, str]]
    draw: Callable[[], list[Chart]] = no_charts
