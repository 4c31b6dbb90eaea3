"""A run of Quadropolis, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from balance.scenario.quadropolis import Quadropolis
from balance.stats import quadropolis
from balance.stats.estimates import Floats, Statistic
from balance.stats.outcome import By, Measured
from balance.studies.tables import Run


@dataclass(frozen=True)
class QuadropolisRun(Run):
    """Games of Quadropolis that were played, as tables."""

    @property
    def scenario(self) -> Quadropolis:
        """The plan's scenario."""
        scenario = self.plan.scenario
        assert isinstance(scenario, Quadropolis)
        return scenario

    def tiles(self, by: By | None = None) -> pd.DataFrame:
        """What each tile did; see `balance.stats.quadropolis.tiles_table`."""
        return quadropolis.tiles_table(self.blocks, self.scenario, self.policies, by)

    def tile_values(self, tiles: Sequence[str]) -> dict[str, Statistic]:
        """What is known of tiles in the city; see `balance.stats.quadropolis.tile_values`."""
        return quadropolis.tile_values(tiles)

    def rounds(self) -> pd.DataFrame:
        """What was offered and taken in each round; see `balance.stats.quadropolis.rounds_table`."""
        return quadropolis.rounds_table(self.blocks, self.scenario)

    def tiles_counted(self, tiles: Sequence[str]) -> Floats:
        """How many of each of these tiles were valued."""
        return quadropolis.tiles_valued(self.blocks, tiles)

    def rule_measures(self) -> dict[str, Measured]:
        """Shares that rules give and take; see `balance.stats.quadropolis.rule_measures`."""
        return quadropolis.rule_measures(self.blocks)

    def rules(self) -> pd.DataFrame:
        """What each rule gave or took; see `balance.stats.quadropolis.rules_table`."""
        return quadropolis.rules_table(self.blocks, self.scenario)

    def turns(self) -> pd.DataFrame:
        """What turns came to, and what was left over; see `balance.stats.quadropolis.turns_table`."""
        return quadropolis.turns_table(self.blocks)

    def spaces(self) -> pd.DataFrame:
        """Where tiles are built and what they score there; see `balance.stats.quadropolis.spaces_table`."""
        return quadropolis.spaces_table(self.blocks, self.scenario)

    def feeds(self) -> pd.DataFrame:
        """Who makes whom earn; see `balance.stats.quadropolis.feeds_table`."""
        return quadropolis.feeds_table(self.blocks, self.scenario)
