"""The document of a run: every question that its games answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from balance.report.document import Document
from balance.report.export import plain
from balance.report.method import how_it_was_made
from balance.report.sections import caveats, headline, sections
from balance.stats.tests import WaldTest

if TYPE_CHECKING:
    from balance.charts.chart import Chart
    from balance.studies.run import AnyRun


def run_document(run: AnyRun, keys: Sequence[str] = ()) -> Document:
    """Return what a run tells: the sections with the given keys, or all."""

    def draw() -> list[Chart]:
        from balance.charts.catalogue import charts

        return charts(run)

    return Document(
        title=f"{run.plan.scenario.title}: balance report",
        headline=headline(run),
        caveats=caveats(run),
        sections=sections(run, keys),
        facts={"run": {**run.plan.as_data(), "games": run.games}, "tests": _tests(run.tests())},
        scenarios=[run.plan.scenario],
        method=how_it_was_made(run),
        draw=draw,
    )


def _tests(tests: Mapping[str, WaldTest]) -> dict[str, Any]:
    return {name: {"f": plain(test.f), "df": list(test.df), "p": plain(test.p)} for name, test in tests.items()}
