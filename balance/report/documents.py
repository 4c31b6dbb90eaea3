"""The document of anything that the library returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from balance.report.calibration import calibration_document
from balance.report.check import check_document
from balance.report.compare import comparison_document
from balance.report.document import Document
from balance.report.plan import forecast_document
from balance.report.price import price_document
from balance.report.run import run_document
from balance.report.sweep import sweep_document
from balance.report.tune import tuned_document
from balance.studies.calibrate import Calibration
from balance.studies.check import Check
from balance.studies.compare import Comparison
from balance.studies.plan import Forecast
from balance.studies.price import Price
from balance.studies.sweep import Sweep
from balance.studies.tables import Run
from balance.studies.tune import Tuned

_KINDS: tuple[tuple[type, Callable[[Any], Document]], ...] = (
    (Run, run_document),
    (Check, check_document),
    (Comparison, comparison_document),
    (Forecast, forecast_document),
    (Calibration, calibration_document),
    (Sweep, sweep_document),
    (Price, price_document),
    (Tuned, tuned_document),
)


def document(result: Any) -> Document:
    """Return what a run, or a study, tells: for `write_report`, or for its sections.

    Raises
    ------
    TypeError
        If it is nothing that the library returns.
    """
    for kind, make in _KINDS:
        if isinstance(result, kind):
            return make(result)
    raise TypeError(f"nothing to tell about a {type(result).__name__}")
