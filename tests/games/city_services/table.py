"""A table to play City Services at in tests: scenario variants, seats, boards as text, games and their records."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from balance.games.bits import has
from balance.games.city_services.components import Rules, State
from balance.games.city_services.placement import clear_board, legal_word, place_tile
from balance.games.city_services.play import Books, Move, Script, Table, new_table, play_games
from balance.games.city_services.revenue import Revenue, clear_coverage, cover, points, take_revenue
from balance.games.city_services.tally import ByPair, BySquare, ByTile, Tally, new_tally
from balance.games.interventions import Study, new_changes
from balance.games.luck import seed_key
from balance.games.outcome import BLOCKS, ByGame, BySeat, Outcome, new_outcome
from balance.games.record import Ints, new_record
from balance.games.seating import Brain, Seating
from balance.jit import JIT_IS_DISABLED
from balance.scenario.city_services import CityServices
from balance.scenario.city_services_rules import city_services_rules, placement_limits
from tests.naive.city_services import Counts, Diary, Placement, Square, policy_named

SCENARIO_FILE = Path(__file__).parents[3] / "scenarios" / "city-services.toml"
PRINTED = tomllib.loads(SCENARIO_FILE.read_text(encoding="utf-8"))
SEED = 1
BINS = 120
ROUNDS = 10

LETTERS = {
    "R": "residential",
    "C": "commercial",
    "I": "industrial",
    "r": "roads",
    "f": "fire",
    "p": "parks",
    "w": "waste",
    "t": "transportation",
    "e": "entertainment",
    "o": "police",
    "g": "religious",
}


def games(jitted: int, plain: int) -> int:
    """Return how many games to play: fewer where nothing is compiled."""
    return plain if JIT_IS_DISABLED else jitted


# Scenarios


def variant(changes: dict[str, Any] | None = None) -> CityServices:
    """Return the printed game with some values changed, each by its dotted key."""
    tree = deepcopy(PRINTED)
    for key, value in (changes or {}).items():
        *sections, name = key.split(".")
        section = tree
        for part in sections:
            section = section.setdefault(part, {})
        section[name] = value
    return CityServices.model_validate(tree)


def box(counts: dict[str, int], changes: dict[str, Any] | None = None) -> CityServices:
    """Return the printed game with just these tiles in the box."""
    every_tile = {
        f"{kind}.{tile}.count": counts.get(tile, 0) for kind in ("zones", "services") for tile in PRINTED[kind]
    }
    return variant({**every_tile, **(changes or {})})


def rules_of(scenario: CityServices, players: int) -> Rules:
    """Return the rules of a scenario; the last ones are kept, as large boards take long."""
    return _rules_of_json(scenario.model_dump_json(), players)


@functools.lru_cache(maxsize=4)
def _rules_of_json(scenario: str, players: int) -> Rules:
    return city_services_rules(CityServices.model_validate_json(scenario), players)


# Boards as text


def squares_marked(mark: str, text: str) -> set[Square]:
    """Return the squares that carry a mark in a drawing of the board."""
    rows = [line.split() for line in text.split("\n") if line.strip()]
    return {(row, column) for row, line in enumerate(rows) for column, letter in enumerate(line) if letter == mark}


class Position:
    """A board filled tile by tile through the kernel's own functions, one for each rule."""

    def __init__(self, scenario: CityServices) -> None:
        self.scenario = scenario
        table = seat_players(scenario, ["random", "random"]).table
        self.rules: Rules = table.rules
        self.state: State = table.state
        clear_board(self.rules, self.state)
        clear_coverage(self.rules, self.state, 2)

    @classmethod
    def drawn(cls, text: str, changes: dict[str, Any] | None = None) -> Position:
        """Return the board of a drawing: its tiles are placed by seat 0, row by row; other marks are empty."""
        size = len([line for line in text.split("\n") if line.strip()])
        ranges = {
            f"services.{name}.range": min(service["range"], size - 1) for name, service in PRINTED["services"].items()
        }
        position = cls(variant({"board.size": size, **ranges, **(changes or {})}))
        placed = {square: letter for letter in LETTERS for square in squares_marked(letter, text)}
        for square in sorted(placed):
            position.place(LETTERS[placed[square]], square)
        return position

    def legal(self, tile: str) -> set[Square]:
        """Return the squares where a tile may be placed."""
        size = self.scenario.board.size
        number = self.scenario.tiles.index(tile)
        return {
            divmod(square, size)
            for square in range(size * size)
            if has(np.uint64(legal_word(self.state, number, square // 64)), square)
        }

    def place(self, tile: str, square: Square, seat: int = 0) -> int:
        """Place a tile and return the points for it."""
        return self.place_and_sort(tile, square, seat)[0]

    def place_and_sort(self, tile: str, square: Square, seat: int = 0) -> tuple[int, Revenue]:
        """Place a tile; return the points for it and the Zones in its range, given and denied."""
        number = self.scenario.tiles.index(tile)
        cell = square[0] * self.scenario.board.size + square[1]
        assert not has(np.uint64(self.state.occupied[cell // 64]), cell), f"{square} is taken"
        self.state.hand[seat, number] += 1
        place_tile(self.rules, self.state, seat, number, cell)
        if tile in self.scenario.zones:
            return 0, Revenue(0, 0, 0)
        revenue = Revenue(*take_revenue(self.rules, self.state, seat, number, cell))
        cover(self.rules, self.state, seat, number, cell)
        return int(points(self.rules, number, revenue.given)), revenue


# Games


class Played(NamedTuple):
    """Games played, and what was counted of them."""

    table: Table
    books: Books
    policies: list[str]  # the distinct ones
    scenario: CityServices

    @property
    def scores(self) -> tuple[int, ...]:
        """The final scores of the last game."""
        return tuple(int(score) for score in self.table.course.score[: self.table.seating.seats])

    @property
    def turns(self) -> int:
        """The turns of the last game."""
        return int(self.books.script.size[1])

    def hand(self, seat: int) -> dict[str, int]:
        """Return the tiles left in a hand after the last game."""
        copies = self.table.state.hand[seat]
        return {tile: int(copies[number]) for number, tile in enumerate(self.scenario.tiles) if copies[number]}


def seating_of(scenario: CityServices, slots: Sequence[str], seed: int = SEED, rotates: bool = True) -> Seating:
    """Return who plays: `slots` names the policy of each seat before rotation."""
    names = list(dict.fromkeys(slots))
    policies = [policy_named(name) for name in names]
    seating: Seating = new_record(
        Seating,
        seats=len(slots),
        seed=seed_key(seed),
        brain=np.array([Brain[policy.brain.upper()] for policy in policies]),
        withheld=np.array([_set_of_types(scenario, policy.never) for policy in policies], dtype=np.uint64),
        preferred=np.array([_set_of_types(scenario, policy.whenever) for policy in policies], dtype=np.uint64),
        policy_of_slot=np.array([names.index(name) for name in slots]),
        rotates=rotates,
        followed_every=1,
    )
    return seating


def _set_of_types(scenario: CityServices, tiles: Iterable[str]) -> int:
    return sum(1 << scenario.tiles.index(tile) for tile in tiles)


def seat_players(
    scenario: CityServices, slots: Sequence[str], seed: int = SEED, rotates: bool = True, moves: int = 0
) -> Played:
    """Return a table with its books, before the first game; there is room to record `moves` placements."""
    players, policies = len(slots), list(dict.fromkeys(slots))
    tiles, squares = len(scenario.tiles), scenario.board.size**2
    limits = len(placement_limits(scenario))
    table = new_table(rules_of(scenario, players), seating_of(scenario, slots, seed, rotates), new_record(Study))
    script = Script(np.zeros((moves, len(Move)), dtype=np.int64), np.zeros(2, dtype=np.int64))
    books = Books(
        new_outcome(len(policies), players, BINS, ROUNDS),
        new_tally(len(policies), players, tiles, limits, squares),
        script,
        new_changes(len(policies), players, 0),
        True,
    )
    return Played(table, books, policies, scenario)


def play(
    scenario: CityServices, slots: Sequence[str], numbers: Iterable[int], seed: int = SEED, rotates: bool = True
) -> Played:
    """Play games of these numbers."""
    played = seat_players(scenario, slots, seed, rotates)
    for number in numbers:
        play_games(played.table, played.books, number, number + 1)
    return played


def record(
    scenario: CityServices, slots: Sequence[str], number: int = 0, seed: int = SEED, rotates: bool = True
) -> Played:
    """Play one game and record it."""
    played = seat_players(scenario, slots, seed, rotates, moves=scenario.tile_total)
    play_recorded(played, number)
    return played


def play_recorded(played: Played, number: int) -> None:
    """Play one more game at a table and record it over the one before."""
    played.books.script.size[:] = 0
    play_games(played.table, played.books, number, number + 1)


class RecordedMove(NamedTuple):
    """One placement as the kernel wrote it down, in words."""

    turn: int
    seat: int
    tile: str
    square: Square
    given: int
    denied: int
    limited: int
    is_blank: bool


def moves_of(played: Played) -> list[RecordedMove]:
    """Return the placements of a recorded game."""
    script, scenario = played.books.script, played.scenario
    return [
        RecordedMove(
            turn=int(row[Move.TURN]),
            seat=int(row[Move.SEAT]),
            tile=scenario.tiles[row[Move.TILE]],
            square=divmod(int(row[Move.SQUARE]), scenario.board.size),
            given=int(row[Move.GIVEN]),
            denied=int(row[Move.DENIED_BY_COVERAGE]),
            limited=int(row[Move.DENIED_BY_LIMIT]),
            is_blank=bool(row[Move.IS_BLANK]),
        )
        for row in script.moves[: script.size[0]]
    ]


def moves_in(diary: Diary) -> list[RecordedMove]:
    """Return the placements of a naive game in the same words."""
    return [_in_words(placement) for placement in diary.placements]


def _in_words(placement: Placement) -> RecordedMove:
    return RecordedMove(
        placement.turn,
        placement.seat,
        placement.tile,
        placement.square,
        placement.given,
        len(placement.denied_by),
        placement.limited,
        placement.is_blank,
    )


def digest(played: Played) -> tuple[object, ...]:
    """Return what tells a recorded game from others."""
    return (*moves_of(played), played.scores, played.turns)


def counts_of(played: Played) -> dict[str, Counts]:
    """Return all that was counted, by table and then by names, without the zeros."""
    outcome: Outcome = played.books.outcome
    tally: Tally = played.books.tally
    blocks, policies = range(BLOCKS), played.policies
    seats, tiles = range(played.table.seating.seats), played.scenario.tiles
    limits = [frozenset(pair) for pair in placement_limits(played.scenario)]
    pair_columns = [ByPair.OPEN.name.lower(), ByPair.FORBIDDEN_BY_SEVERAL.name.lower(), *limits]
    return {
        "games": _named(outcome.games, blocks, _columns(ByGame)),
        "seats": _named(outcome.seats, blocks, policies, seats, _columns(BySeat)),
        "scores": _named(outcome.scores, blocks, policies, seats, range(BINS)),
        "margins": _named(outcome.margins, blocks, range(BINS)),
        "arc": _named(outcome.arc, blocks, policies, seats, range(ROUNDS)),
        "tiles": _named(tally.tiles, blocks, policies, seats, tiles, _columns(ByTile)),
        "pairs": _named(tally.pairs, blocks, pair_columns),
        "squares": _named(tally.squares, blocks, tiles, range(tally.squares.shape[2]), _columns(BySquare)),
    }


def _columns(names: Iterable[Any]) -> list[str]:
    return [name.name.lower() for name in names]


def _named(array: Ints, *labels: Sequence[object]) -> Counts:
    assert array.shape == tuple(len(names) for names in labels)
    counts = Counts()
    for index in zip(*np.nonzero(array), strict=True):
        counts[tuple(names[number] for names, number in zip(labels, index, strict=True))] = int(array[index])
    return counts
