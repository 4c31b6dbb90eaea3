"""Quadropolis for the workers: from a plan to the arrays of its kernel, and back to tallies."""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

import numpy as np

from balance.games.outcome import LOWEST_SCORE, new_outcome
from balance.games.quadropolis.components import NO_KIND, SPACES, SQUARES, Building, Rules
from balance.games.quadropolis.play import Books, Line, Script, Table, new_table, play_games
from balance.games.quadropolis.shares import RULES
from balance.games.quadropolis.show import Recording
from balance.games.quadropolis.tally import new_tally
from balance.jit import is_compiled
from balance.runs.game_engine import GameEngine
from balance.scenario.quadropolis import Quadropolis
from balance.scenario.quadropolis_rules import quadropolis_rules

HIGHEST_SCORE = 400
"""Where histograms of scores end, above the handicap; what is higher counts there."""

FOLLOWED_EVERY_OF_RANDOM = 64
"""Working out the marginal VP of all tiles takes longer than a whole game of random players (measured)."""


class QuadropolisEngine(GameEngine[Quadropolis]):
    """Plays the games of a plan of Quadropolis."""

    @property
    def rules(self) -> Rules:
        """The scenario as arrays, each time a copy: interventions change it for a while."""
        copy: Rules = cast("Any", self._rules).copy()
        return copy

    @cached_property
    def _rules(self) -> Rules:
        return quadropolis_rules(self.scenario, self.plan.players)

    def is_compiled(self) -> bool:
        """Tell whether the kernel is ready to run."""
        return is_compiled("balance.games.quadropolis.play", "play_games")

    def record(self, game: int) -> Recording:
        """Play one game again and write it down."""
        books = self._new_books(recording=True, counting=True)
        table = self._play(books, game, game + 1)
        return Recording(script=books.script, **self._results(table))

    @property
    def _followed_every(self) -> int:
        return FOLLOWED_EVERY_OF_RANDOM if any(p.brain == "random" for p in self.plan.policies) else 1

    def _number(self, name: str) -> int:
        return Building[name.upper()]

    def _play(self, books: Books, first: int, last: int) -> Table:
        recording = len(books.script.turns) > 0
        table = new_table(self.rules, self.seating, self._new_study(recording=recording))
        play_games(table, books, first, last)
        return table

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
            changes=self._new_changes(),
            counting=counting,
        )
