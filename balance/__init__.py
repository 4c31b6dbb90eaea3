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
    from balance.report.documents import document
    from balance.report.html import write_report
    from balance.scenario.load import load_scenario, scenario_names
    from balance.studies.calibrate import Calibration, calibrate
    from balance.studies.check import Check, check
    from balance.studies.compare import Comparison, ablate, compare
    from balance.studies.plan import Forecast, plan
    from balance.studies.price import Price, price
    from balance.studies.replay import replay
    from balance.studies.run import read_run, simulate
    from balance.studies.score import score_city
    from balance.studies.sweep import Sweep, sweep
    from balance.studies.tables import Run
    from balance.studies.tune import Tuned, tune

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
    "ablate": "balance.studies.compare",
    "check": "balance.studies.check",
    "calibrate": "balance.studies.calibrate",
    "Calibration": "balance.studies.calibrate",
    "compare": "balance.studies.compare",
    "plan": "balance.studies.plan",
    "price": "balance.studies.price",
    "Price": "balance.studies.price",
    "sweep": "balance.studies.sweep",
    "tune": "balance.studies.tune",
    "Tuned": "balance.studies.tune",
    "Sweep": "balance.studies.sweep",
    "Forecast": "balance.studies.plan",
    "Comparison": "balance.studies.compare",
    "Check": "balance.studies.check",
    "document": "balance.report.documents",
    "write_report": "balance.report.html",
}

__all__ = [
    "BalanceError",
    "Calibration",
    "Check",
    "Comparison",
    "Forecast",
    "InputError",
    "Price",
    "Run",
    "RunFolderError",
    "ScenarioError",
    "Sweep",
    "Tuned",
    "__version__",
    "ablate",
    "calibrate",
    "check",
    "compare",
    "document",
    "load_scenario",
    "plan",
    "price",
    "read_run",
    "replay",
    "scenario_names",
    "score_city",
    "simulate",
    "sweep",
    "tune",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for only now, so that starting is quick."""
    if name == "__version__":
        return import_module("importlib.metadata").version("balance")
    if name in _DOORS:
        return getattr(import_module(_DOORS[name]), name)
    raise AttributeError(f"module 'balance' has no attribute {name!r}")
