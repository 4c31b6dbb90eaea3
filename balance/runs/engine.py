"""Which engine plays the games of a plan."""

from __future__ import annotations

from balance.runs.city_services import CityServicesEngine
from balance.runs.plan import Plan


def engine_of(plan: Plan) -> CityServicesEngine:
    """Return what plays the games of a plan."""
    return CityServicesEngine(plan)
