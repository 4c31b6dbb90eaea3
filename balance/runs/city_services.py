"""City Services for the workers: from a plan to the arrays of its kernel, and back to tallies."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from balance.games.city_services.components import Kind, Rules
from balance.games.city_services.play import Books, Move, Script, Table, new_table, play_games
from balance.games.city_services.show import Recording
from balance.games.city_services.tally import new_tally
from balance.games.outcome import LOWEST_SCORE, new_outcome
from balance.jit import is_compiled
from balance.runs.game_engine import GameEngine
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


class CityServicesEngine(GameEngine[CityServices]):
    """Plays the games of a plan of City Services."""

    @cached_property
    def rules(self) -> Rules:
        """The scenario as arrays."""
        return city_services_rules(self.scenario, self.plan.players)

    def is_compiled(self) -> bool:
        """Tell whether the kernel is ready to run."""
        return is_compiled("balance.games.city_services.play", "play_games")

    def record(self, game: int) -> Recording:
        """Play one game again and write it down."""
        books = self._new_books(recording=True, counting=True)
        table = self._play(books, game, game + 1)
        state = table.state
        placements, turns = (int(size) for size in books.script.size)
        return Recording(
            moves=books.script.moves[:placements],
            turns=turns,
            cups=[state.cup[kind, : state.cup_size[kind]].tolist() for kind in (Kind.ZONE, Kind.SERVICE)],
            **self._results(table),
        )

    def _number(self, name: str) -> int:
        return self.scenario.tiles.index(name)

    def _play(self, books: Books, first: int, last: int) -> Table:
        recording = len(books.script.moves) > 0
        table = new_table(self.rules, self.seating, self._new_study(recording=recording))
        play_games(table, books, first, last)
        return table

    def _new_books(self, *, recording: bool, counting: bool) -> Books:
        scenario, players, policies = self.scenario, self.plan.players, len(self.plan.policies)
        bins = min(highest_score(scenario) + 1, MOST_BINS) - LOWEST_SCORE
        rounds = min(-(-drawing_turns(scenario, players) // players) + ROUNDS_WITHOUT_DRAWS, MOST_ROUNDS)
        limits = len(placement_limits(scenario))
        moves = max(1, scenario.tile_total) if recording else 0
        return Books(
            outcome=new_outcome(policies, players, bins, rounds),
            tally=new_tally(policies, players, len(scenario.tiles), limits, scenario.board.size**2),
            script=Script(np.zeros((moves, len(Move)), dtype=np.int64), np.zeros(2, dtype=np.int64)),
            changes=self._new_changes(),
            counting=counting,
        )
