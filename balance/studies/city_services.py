"""A run of City Services, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from balance.scenario.city_services import CityServices
from balance.stats import city_services
from balance.stats.estimates import Floats, Statistic
from balance.stats.outcome import By, Measured
from balance.stats.tests import WaldTest
from balance.studies.tables import Run


@dataclass(frozen=True)
class CityServicesRun(Run):
    """Games of City Services that were played, as tables."""

    @property
    def scenario(self) -> CityServices:
        """The plan's scenario."""
        scenario = self.plan.scenario
        assert isinstance(scenario, CityServices)
        return scenario

    def tiles(self, by: By | None = None) -> pd.DataFrame:
        """What each tile type did; see `balance.stats.city_services.tiles_table`."""
        return city_services.tiles_table(self.blocks, self.scenario, self.policies, by)

    def tile_values(self, tiles: Sequence[str]) -> dict[str, Statistic]:
        """What is known of tiles on the board; see `balance.stats.city_services.tile_values`."""
        return city_services.tile_values(self.scenario, tiles)

    def services(self) -> pd.DataFrame:
        """Each Service against the mean of the others; see `balance.stats.city_services.services_table`."""
        return city_services.services_table(self.blocks, self.scenario)

    def services_test(self) -> WaldTest:
        """Test that all Services score alike."""
        return city_services.services_test(self.blocks, self.scenario)

    def tests(self) -> dict[str, WaldTest]:
        """All tests that things are alike, by what these are."""
        return {**super().tests(), "services": self.services_test()}

    def tiles_counted(self, tiles: Sequence[str]) -> Floats:
        """How many of each of these tiles were placed."""
        return city_services.tiles_placed(self.blocks, self.scenario, tiles)

    def rule_measures(self) -> dict[str, Measured]:
        """Shares that rules give and take; see `balance.stats.city_services.rule_measures`."""
        return city_services.rule_measures(self.blocks)

    def rules(self) -> pd.DataFrame:
        """What the rules gave, denied and forbade; see `balance.stats.city_services.rules_table`."""
        return city_services.rules_table(self.blocks, self.scenario)

    def board(self) -> pd.DataFrame:
        """Where tiles are placed and score; see `balance.stats.city_services.board_table`."""
        return city_services.board_table(self.blocks, self.scenario)
