"""Quadropolis for the workers: from a plan to the arrays of its kernel, and back to tallies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from balance.games.luck import seed_key
from balance.games.outcome import LOWEST_SCORE, Outcome, new_outcome
from balance.games.quadropolis.components import NO_KIND, SPACES, SQUARES, Building, Rules, Seating
from balance.games.quadropolis.play import Books, Line, Script, new_table, play_games
from balance.games.quadropolis.policies import Brain
from balance.games.quadropolis.shares import RULES
from balance.games.quadropolis.show import Recording
from balance.games.quadropolis.tally import Tally, new_tally
from balance.games.record import new_record
from balance.jit import is_compiled
from balance.runs.plan import Plan
from balance.runs.tallies import Tallies
from balance.scenario.quadropolis import Quadropolis
from balance.scenario.quadropolis_rules import quadropolis_rules

HIGHEST_SCORE = 400
"""Where histograms of scores end, above the handicap; what is higher counts there."""

FOLLOWED_EVERY_OF_RANDOM = 64
"""Working out the marginal VP of all tiles takes longer than a whole game of random players (measured)."""


@dataclass(frozen=True)
class QuadropolisEngine:
    """Plays the games of a plan.

    Attributes
    ----------
    plan : Plan
    scenario : Quadropolis
        The plan's.
    """

    plan: Plan
    scenario: Quadropolis

    @cached_property
    def rules(self) -> Rules:
        """The scenario as arrays."""
        return quadropolis_rules(self.scenario, self.plan.players)

    @cached_property
    def seating(self) -> Seating:
        """The policies as arrays."""
        policies, seats = self.plan.policies, self.plan.seat_policies
        return new_record(
            Seating,
            seats=self.plan.players,
            seed=seed_key(self.plan.seed),
            brain=[Brain[policy.brain.upper()] for policy in policies],
            withheld=[_building_set(policy.withheld) for policy in policies],
            preferred=[_building_set(policy.preferred) for policy in policies],
            policy_of_slot=[policies.index(policy) for policy in seats],
            rotates=len(policies) > 1 and not self.plan.fixed_seats,
            followed_every=FOLLOWED_EVERY_OF_RANDOM if any(p.brain == "random" for p in policies) else 1,
        )

    def is_compiled(self) -> bool:
        """Tell whether the kernel is ready to run."""
        return is_compiled("balance.games.quadropolis.play", "play_games")

    def play(self, first: int, last: int, *, counting: bool = True) -> Tallies:
        """Play the games from number `first` to before `last` and return what was counted."""
        books = self._new_books(recording=False, counting=counting)
        play_games(new_table(self.rules, self.seating), books, first, last)
        return self._tallies(books)

    def empty_tallies(self) -> Tallies:
        """Return tallies of no games."""
        return self._tallies(self._new_books(recording=False, counting=True))

    def record(self, game: int) -> Recording:
        """Play one game again and write it down."""
        books = self._new_books(recording=True, counting=True)
        table = new_table(self.rules, self.seating)
        play_games(table, books, game, game + 1)
        course, seats = table.course, range(self.plan.players)
        return Recording(
            script=books.script,
            policies=[self.plan.policies[course.policy[seat]].name for seat in seats],
            scores=[int(course.score[seat]) for seat in seats],
            wins=[int(course.wins[seat]) for seat in seats],
        )

    def _new_books(self, *, recording: bool, counting: bool) -> Books:
        scenario, players, policies = self.scenario, self.plan.players, len(self.plan.policies)
        rounds, spaces = scenario.rounds, scenario.city.rows * scenario.city.columns
        bins = HIGHEST_SCORE + max(scenario.seats.handicap) - LOWEST_SCORE
        turns = rounds * players * scenario.site.placements if recording else 0
        visible = scenario.public_services.visible

        def room(*lengths: int) -> np.ndarray:
            return np.full(lengths, NO_KIND, dtype=np.int64)

        return Books(
            outcome=new_outcome(policies, players, bins, rounds),
            tally=new_tally(policies, players, rounds, spaces),
            script=Script(
                turns=room(turns, len(Line)),
                sites=room(rounds, SQUARES),
                mayors=room(rounds, 2),
                visible=room(rounds, visible),
                active=room(players, SPACES),
                customers=room(players, SPACES),
                rules=room(players, RULES),
                size=np.zeros(1, dtype=np.int64),
            ),
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


def _building_set(names: tuple[str, ...]) -> np.uint64:
    return np.uint64(sum(1 << Building[name.upper()] for name in set(names)))
