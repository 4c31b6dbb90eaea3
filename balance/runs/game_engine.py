"""What the engines of all games share: seats, playing a stretch of games, and the way to another process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from balance.games.interventions import Study, new_changes
from balance.games.luck import seed_key
from balance.games.record import Ints, new_record
from balance.games.seating import Brain, Seating
from balance.runs.plan import Plan
from balance.runs.tallies import Tallies

S = TypeVar("S")


@dataclass(frozen=True)
class GameEngine(ABC, Generic[S]):
    """Plays the games of a plan.

    Attributes
    ----------
    plan : Plan
    scenario : a scenario of the game
        The plan's.
    """

    plan: Plan
    scenario: S

    @cached_property
    def seating(self) -> Seating:
        """The policies as arrays."""
        policies, seats = self.plan.policies, self.plan.seat_policies
        return new_record(
            Seating,
            seats=self.plan.players,
            seed=seed_key(self.plan.seed),
            brain=[Brain[policy.brain.upper()] for policy in policies],
            withheld=[self._set_of(policy.withheld) for policy in policies],
            preferred=[self._set_of(policy.preferred) for policy in policies],
            policy_of_slot=[policies.index(policy) for policy in seats],
            rotates=len(policies) > 1 and not self.plan.fixed_seats,
            followed_every=self._followed_every,
        )

    def _new_study(self, *, recording: bool) -> Study:
        """Return which tiles are studied; none while a game is written down."""
        tiles = [] if recording else [self._number(name) for name in self.plan.studied]
        return new_record(Study, tiles=tiles, studied=len(tiles))

    def _new_changes(self) -> Ints:
        """Return an empty tally of interventions."""
        return new_changes(len(self.plan.policies), self.plan.players, len(self.plan.studied))

    @abstractmethod
    def is_compiled(self) -> bool:
        """Tell whether the kernel is ready to run."""

    def play(self, first: int, last: int, *, counting: bool = True) -> Tallies:
        """Play the games from number `first` to before `last` and return what was counted."""
        books = self._new_books(recording=False, counting=counting)
        self._play(books, first, last)
        return _tallies(books)

    def empty_tallies(self) -> Tallies:
        """Return tallies of no games."""
        return _tallies(self._new_books(recording=False, counting=True))

    @property
    def _followed_every(self) -> int:
        """One round of 240 games in so many has its course followed."""
        return 1

    @abstractmethod
    def _number(self, name: str) -> int:
        """Return the number of a tile, or building, that a policy names."""

    @abstractmethod
    def _new_books(self, *, recording: bool, counting: bool) -> Any:
        """Return books with nothing in them, with room to write a game down or without."""

    @abstractmethod
    def _play(self, books: Any, first: int, last: int) -> Any:
        """Play games and return the table as it is after the last one."""

    def _set_of(self, names: tuple[str, ...]) -> np.uint64:
        return np.uint64(sum(1 << self._number(name) for name in set(names)))

    def _results(self, table: Any) -> dict[str, list[Any]]:
        """Return the policies, scores and wins of the last game, by seat."""
        course, seats = table.course, range(self.plan.players)
        return {
            "policies": [self.plan.policies[course.policy[seat]].name for seat in seats],
            "scores": [int(course.score[seat]) for seat in seats],
            "wins": [int(course.wins[seat]) for seat in seats],
        }

    def __getstate__(self) -> dict[str, Any]:
        """Send the plan alone to another process: records stay where they are."""
        return {"plan": self.plan, "scenario": self.scenario}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the plan as it was sent."""
        self.__dict__.update(state)


def _tallies(books: Any) -> Tallies:
    tallies = {name: sums for part in (books.outcome, books.tally) for name, sums in part._asdict().items()}
    return {**tallies, "changes": books.changes}
