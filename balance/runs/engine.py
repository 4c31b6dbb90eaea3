"""Which engine plays the games of a plan; the kernels of other games are not imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from balance.runs.plan import Plan
from balance.scenario.city_services import CityServices

if TYPE_CHECKING:
    from balance.runs.city_services import CityServicesEngine
    from balance.runs.quadropolis import QuadropolisEngine

Engine: TypeAlias = "CityServicesEngine | QuadropolisEngine"


def engine_of(plan: Plan) -> Engine:
    """Return what plays the games of a plan."""
    if isinstance(plan.scenario, CityServices):
        from balance.runs.city_services import CityServicesEngine

        return CityServicesEngine(plan, plan.scenario)
    from balance.runs.quadropolis import QuadropolisEngine

    return QuadropolisEngine(plan, plan.scenario)
