"""How a report was made: what differs from the printed game, what was played, with which versions."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any, NamedTuple

from balance.errors import BalanceError
from balance.runs.versions import rules_digest
from balance.scenario.load import Scenario, load_scenario, scenario_names
from balance.stats.estimates import CONFIDENCE, TOO_FEW
from balance.studies.tables import Run

_WORDS = ("title", "description")
_BASES = {"city-services": "city-services", "quadropolis": "quadropolis-classic"}
_PACKAGES = ("numpy", "numba", "scipy", "pandas", "matplotlib")


class Change(NamedTuple):
    """A value that differs from the packaged scenario."""

    key: str
    packaged: str
    here: str


class Changes(NamedTuple):
    """What was changed, and from which packaged scenario."""

    title: str  # of the changed scenario
    base: str
    changes: list[Change]


def scenario_changes(scenario: Scenario) -> Changes:
    """Return how a scenario differs from the packaged one of its title, or else of its game."""
    packaged = dict(_packaged())
    titled = [name for name, other in packaged.items() if other.title == scenario.title]
    base = titled[0] if titled else _BASES[scenario.game]
    if base not in packaged:
        return Changes(scenario.title, "no packaged scenario", [])
    there, here = (dict(_flat(other.model_dump(), "")) for other in (packaged[base], scenario))
    keys = [key for key in {**there, **here} if there.get(key) != here.get(key)]
    return Changes(scenario.title, base, [Change(key, _said(there, key), _said(here, key)) for key in keys])


def how_it_was_made(run: Run) -> list[tuple[str, str]]:
    """Return what a reader needs to repeat the run, and to judge it: (what, value)."""
    plan = run.plan
    several = len(run.policies) > 1
    seats = "keep their seats" if plan.fixed_seats else "rotate over the seats, block by block"
    return [
        ("Scenario", f"{plan.scenario.title}. {plan.scenario.description}".strip()),
        ("Players", str(plan.players)),
        ("Policies", f"{plan.policy}; they {seats}" if several else plan.policy),
        ("Games", f"{run.games:,}"),
        ("Seed", f"{plan.seed}: the same seed gives the same games"),
        ("Intervals", f"{CONFIDENCE:.0%}, by the jackknife that leaves out one block of games at a time"),
        ("Too few", f"Rows of fewer than {TOO_FEW} occurrences have no interval"),
    ]


def _packaged() -> Iterator[tuple[str, Scenario]]:
    for name in scenario_names():
        try:
            yield name, load_scenario(name)
        except BalanceError:  # a broken scenario file must not keep a report of another one from being written
            continue


def _flat(table: Mapping[str, Any], start: str) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{start}{key}.")
        elif start or key not in _WORDS:
            yield f"{start}{key}", value


def _said(values: Mapping[str, Any], key: str) -> str:
    if key not in values:
        return "absent"
    value = values[key]
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def versions() -> str:
    """Return the versions of all that numbers depend on."""
    packages = ", ".join(f"{name} {_version(name)}" for name in _PACKAGES)
    return f"balance {_version('balance')} (rules {rules_digest()}), Python {platform.python_version()}, {packages}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "from a checkout"
