"""What a run tells, section by section: findings in plain words, the numbers beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from balance.report.numbers import counted
from balance.report.section import Section
from balance.runs.plan import Plan
from balance.scenario.city_services import CityServices
from balance.scenario.load import Scenario
from balance.studies.tables import Run


def section_keys(plan: Plan) -> list[str]:
    """Return the keys of the sections that a run of this plan has, the broadest question first."""
    return [key for key in _builders(plan) if key != "policies" or len(plan.policies) > 1]


def sections(run: Run, keys: Sequence[str] = ()) -> list[Section]:
    """Return the sections of a run with the given keys, or all."""
    return [_builders(run.plan)[key](run) for key in section_keys(run.plan) if not keys or key in keys]


def _builders(plan: Plan) -> Mapping[str, Callable[[Any], Section]]:
    """Return what makes the sections of a game, by key; those of other games are not imported."""
    if isinstance(plan.scenario, CityServices):
        from balance.report import city_services

        return city_services.SECTIONS
    from balance.report import quadropolis

    return quadropolis.SECTIONS


def headline(run: Run) -> str:
    """Return what was played, in a sentence."""
    plan = run.plan
    seats = "" if len(run.policies) == 1 else " (seats fixed)" if plan.fixed_seats else " (rotating over the seats)"
    return (
        f"{plan.scenario.title}: {counted(run.games, 'game')}, {plan.players} players, "
        f"policy {plan.policy}{seats}, seed {plan.seed}."
    )


def caveats(run: Run) -> list[str]:
    """Return what to bear in mind before believing anything."""
    few = [] if run.games >= 300 else [f"{counted(run.games, 'game')}: too few for sound intervals, which take 300."]
    return [*few, *caveats_of_brains(run.plan.scenario, [run.plan])]


def caveats_of_brains(scenario: Scenario, plans: Sequence[Plan]) -> list[str]:
    """Return what to bear in mind of a scenario, and of how those who play it do."""
    brains = {policy.brain for plan in plans for policy in plan.policies}
    return [*scenario.remarks, *(_BRAINS[brain] for brain in sorted(brains))]


_BRAINS = {
    "random": "random plays anything that is legal: a floor to compare with, not how people play.",
    "greedy": "greedy takes the most points at once, like a beginner: what it finds holds for such players.",
}
