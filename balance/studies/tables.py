"""What was counted in a run, as tables: those that every game has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from balance.runs.plan import Plan
from balance.runs.tallies import Tallies
from balance.scenario.load import Scenario, pooled_tiles
from balance.stats import outcome
from balance.stats.estimates import Blocks, Estimate, Floats, Statistic
from balance.stats.evenness import evenness_measures, seat_evenness
from balance.stats.outcome import Measured
from balance.stats.tests import WaldTest


@dataclass(frozen=True)
class Run(ABC):
    """Games that were played, as tables.

    Attributes
    ----------
    plan : Plan
        Scenario, players, policies and seed.
    tallies : dict of (blocks, ...) int64 arrays
        All that was counted; see `balance.games.outcome` and the game's `tally`.
    """

    plan: Plan
    tallies: Tallies

    @cached_property
    def blocks(self) -> Blocks:
        """The tallies, ready for jackknifing."""
        return Blocks(self.tallies)

    @property
    def games(self) -> int:
        """Games played."""
        return self.blocks.games

    @property
    def policies(self) -> list[str]:
        """Names of the distinct policies."""
        return [policy.name for policy in self.plan.policies]

    def seats(self) -> pd.DataFrame:
        """Score and win share by policy and seat; see `balance.stats.outcome.seats_table`."""
        return outcome.seats_table(self.blocks, self.policies)

    def seats_test(self) -> WaldTest:
        """Test that all seats win equally often."""
        return outcome.seats_test(self.blocks)

    def by_policy(self) -> pd.DataFrame:
        """Score and win share by policy; see `balance.stats.outcome.policies_table`."""
        return outcome.policies_table(self.blocks, self.policies)

    def policies_test(self) -> WaldTest:
        """Test that all policies win equally often."""
        return outcome.policies_test(self.blocks)

    def tests(self) -> dict[str, WaldTest]:
        """All tests that things are alike, by what these are."""
        return {"seats": self.seats_test(), "policies": self.policies_test()}

    def scores(self) -> pd.DataFrame:
        """Level and spread of the scores, length and leads; see `balance.stats.outcome.scores_table`."""
        return outcome.scores_table(self.blocks)

    def histogram(self) -> pd.DataFrame:
        """How often each score came; see `balance.stats.outcome.histogram_table`."""
        return outcome.histogram_table(self.blocks, self.policies)

    def margins(self) -> pd.DataFrame:
        """How often the winner led by how much; see `balance.stats.outcome.margins_table`."""
        return outcome.margins_table(self.blocks)

    def measures(self) -> dict[str, Measured]:
        """All that a run comes to in single numbers, by name: scores, seats, rules, how uneven the tiles are."""
        evenness = evenness_measures(self.blocks, self.scenario.pools, self.tile_values)
        scores, seats = outcome.score_measures(self.blocks), outcome.seat_measures(self.blocks)
        return {**scores, **seats, **seat_evenness(self.blocks), **evenness, **self.rule_measures()}

    @cached_property
    def measures_by_key(self) -> dict[str, Measured]:
        """These and what each tile brings, by the short names that objectives use."""
        return {measured.key: measured for measured in [*self.measures().values(), *self.tile_measures().values()]}

    def measure(self, key: str) -> Estimate:
        """Return one of these, measured."""
        return self.blocks.estimate(self.measures_by_key[key].statistic)

    def tile_measures(self) -> dict[str, Measured]:
        """What each tile of the pools brings, as single numbers by name."""
        tiles = pooled_tiles(self.scenario)
        counted = self.tiles_counted(tiles)

        def of(statistic: Statistic, place: int) -> Statistic:
            return lambda sums: statistic(sums)[:, [place]]

        return {
            f"{name.replace('_vp', ' VP')} of {tile}": Measured(
                of(statistic, place), "VP", float(counted[place]), key=f"tiles.{tile}.{name}"
            )
            for name, statistic in self.tile_values(tiles).items()
            for place, tile in enumerate(tiles)
        }

    @property
    @abstractmethod
    def scenario(self) -> Scenario:
        """The plan's scenario."""

    @abstractmethod
    def tile_values(self, tiles: Sequence[str]) -> dict[str, Statistic]:
        """What is known of each of these tiles, by measure."""

    @abstractmethod
    def tiles_counted(self, tiles: Sequence[str]) -> Floats:
        """How many of each of these tiles `tile_values` rests on."""

    @abstractmethod
    def rule_measures(self) -> dict[str, Measured]:
        """Shares that rules give and take."""

    def arc(self) -> pd.DataFrame:
        """Mean score after each turn; see `balance.stats.outcome.arc_table`."""
        return outcome.arc_table(self.blocks, self.policies)
