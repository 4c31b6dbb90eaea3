"""City Services for the workers: from a plan to the arrays of its kernel, and back to tallies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from balance.games.city_services.components import Kind, Rules, Seating
from balance.games.city_services.play import Books, Move, Script, new_table, play_games
from balance.games.city_services.policies import Brain
from balance.games.city_services.show import Recording
from balance.games.city_services.tally import Tally, new_tally
from balance.games.luck import seed_key
from balance.games.outcome import LOWEST_SCORE, Outcome, new_outcome
from balance.games.record import new_record
from balance.jit import is_compiled
from balance.runs.plan import Plan
from balance.runs.tallies import Tallies
from balance.scenario.city_services import CityServices
from balance.scenario.city_services_rules import (
    city_services_rules,
    drawing_turns,
    highest_score,
    placement_limits,
)

MOST_BINS = 2048
ROUNDS_WITHOUT_DRAWS = 8
MOST_ROUNDS = 64


@dataclass(frozen=True)
class CityServicesEngine:
    """Plays the games of a plan.

    Attributes
    ----------
    plan : Plan
    scenario : CityServices
        The plan's.
    """

    plan: Plan
    scenario: CityServices

    @cached_property
    def rules(self) -> Rules:
        """The scenario as arrays."""
        return city_services_rules(self.scenario, self.plan.players)

    @cached_property
    def seating(self) -> Seating:
        """The policies as arrays."""
        policies, seats = self.plan.policies, self.plan.seat_policies
        return new_record(
            Seating,
            seats=self.plan.players,
            seed=seed_key(self.plan.seed),
            brain=[Brain[policy.brain.upper()] for policy in policies],
            withheld=[self._type_set(policy.withheld) for policy in policies],
            preferred=[self._type_set(policy.preferred) for policy in policies],
            policy_of_slot=[policies.index(policy) for policy in seats],
            rotates=len(policies) > 1 and not self.plan.fixed_seats,
        )

    def is_compiled(self) -> bool:
        """Tell whether the kernel is ready to run."""
        return is_compiled("balance.games.city_services.play", "play_games")

    def play(self, first: int, last: int, *, counting: bool = True) -> Tallies:
        """Play the games from number `first` to before `last` and return what was counted."""
        books = self._new_books(moves=0, counting=counting)
        play_games(new_table(self.rules, self.seating), books, first, last)
        return self._tallies(books)

    def empty_tallies(self) -> Tallies:
        """Return tallies of no games."""
        return self._tallies(self._new_books(moves=0, counting=True))

    def record(self, game: int) -> Recording:
        """Play one game again and write it down."""
        books = self._new_books(moves=max(1, self.scenario.tile_total), counting=True)
        table = new_table(self.rules, self.seating)
        play_games(table, books, game, game + 1)
        state, course, seats = table.state, table.course, range(self.plan.players)
        placements, turns = (int(size) for size in books.script.size)
        return Recording(
            moves=books.script.moves[:placements],
            turns=turns,
            cups=[state.cup[kind, : state.cup_size[kind]].tolist() for kind in (Kind.ZONE, Kind.SERVICE)],
            policies=[self.plan.policies[course.policy[seat]].name for seat in seats],
            scores=[int(course.score[seat]) for seat in seats],
            wins=[int(course.wins[seat]) for seat in seats],
        )

    def _type_set(self, names: tuple[str, ...]) -> np.uint64:
        return np.uint64(sum(1 << self.scenario.tiles.index(name) for name in set(names)))

    def _new_books(self, *, moves: int, counting: bool) -> Books:
        scenario, players, policies = self.scenario, self.plan.players, len(self.plan.policies)
        bins = min(highest_score(scenario) + 1, MOST_BINS) - LOWEST_SCORE
        rounds = min(-(-drawing_turns(scenario, players) // players) + ROUNDS_WITHOUT_DRAWS, MOST_ROUNDS)
        limits = len(placement_limits(scenario))
        return Books(
            outcome=new_outcome(policies, players, bins, rounds),
            tally=new_tally(policies, players, len(scenario.tiles), limits, scenario.board.size**2),
            script=Script(np.zeros((moves, len(Move)), dtype=np.int64), np.zeros(2, dtype=np.int64)),
            counting=counting,
        )

    def _tallies(self, books: Books) -> Tallies:
        parts: tuple[Outcome | Tally, ...] = (books.outcome, books.tally)
        return {name: sums for part in parts for name, sums in part._asdict().items()}

    def __getstate__(self) -> dict[str, Any]:
        """Send the plan alone to another process: records stay where they are."""
        return {"plan": self.plan, "scenario": self.scenario}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the plan as it was sent."""
        self.__dict__.update(state)
