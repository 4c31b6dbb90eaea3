"""`balance`: whether the tiles, rules and seats of a tile-laying game are balanced.

The library's door; every command of the command line is one such call plus printing.

>>> import balance
>>> run = balance.simulate("city-services", games=240, policy="greedy", players=2)
>>> bool(run.tiles().loc["fire", "vp_per_tile"] > 5)
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from balance.errors import BalanceError, InputError, RunFolderError, ScenarioError
    from balance.report.html import write_report
    from balance.report.sections import sections
    from balance.scenario.load import load_scenario, scenario_names
    from balance.studies.replay import replay
    from balance.studies.run import read_run, simulate
    from balance.studies.score import score_city
    from balance.studies.tables import Run

_DOORS = {
    "BalanceError": "balance.errors",
    "InputError": "balance.errors",
    "RunFolderError": "balance.errors",
    "ScenarioError": "balance.errors",
    "load_scenario": "balance.scenario.load",
    "scenario_names": "balance.scenario.load",
    "Run": "balance.studies.tables",
    "simulate": "balance.studies.run",
    "read_run": "balance.studies.run",
    "replay": "balance.studies.replay",
    "score_city": "balance.studies.score",
    "sections": "balance.report.sections",
    "write_report": "balance.report.html",
}

__all__ = [
    "BalanceError",
    "InputError",
    "Run",
    "RunFolderError",
    "ScenarioError",
    "__version__",
    "load_scenario",
    "read_run",
    "replay",
    "scenario_names",
    "score_city",
    "sections",
    "simulate",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for only now, so that starting is quick."""
    if name == "__version__":
        return import_module("importlib.metadata").version("balance")
    if name in _DOORS:
        return getattr(import_module(_DOORS[name]), name)
    raise AttributeError(f"module 'balance' has no attribute {name!r}")
