"""Which engine plays the games of a plan."""

from __future__ import annotations

from balance.runs.city_services import CityServicesEngine
from balance.runs.plan import Plan
from balance.runs.quadropolis import QuadropolisEngine
from balance.scenario.city_services import CityServices

Engine = CityServicesEngine | QuadropolisEngine


def engine_of(plan: Plan) -> Engine:
    """Return what plays the games of a plan."""
    if isinstance(plan.scenario, CityServices):
        return CityServicesEngine(plan, plan.scenario)
    return QuadropolisEngine(plan, plan.scenario)
