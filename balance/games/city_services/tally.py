"""What is counted of City Services besides the outcome: tiles, points given and denied, limits, squares."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from balance.games.bits import has, lowest, popcount, without_lowest
from balance.games.city_services.components import Coverage, Moment, Rules, State
from balance.games.city_services.placement import types_to_place
from balance.games.city_services.revenue import Revenue, denied_word
from balance.games.outcome import BLOCKS, Course
from balance.games.record import Ints
from balance.jit import small

_NOTHING = np.uint64(0)


class ByTile(IntEnum):
    """Columns of `Tally.tiles`: sums over the games that a policy played from a seat."""

    PLACED = 0
    GIVEN = 1  # Zones that gave points
    DENIED_BY_COVERAGE = 2  # Zones in range, but covered before
    DENIED_BY_LIMIT = 3  # Zones in range that this Service never scores
    DENIED_TO_OPPONENTS = 4  # Zones that its coverage denied to later tiles of others
    TURNS = 5  # turns placed, the first turn of a game being 1
    PLACED_SQUARED = 6  # squares of the copies placed in a game
    PLACED_WINS = 7  # copies placed in a game times twelfths of a win
    STUCK = 8  # tiles left in hand at the end
    BLANK = 9  # copies placed blank; they count nowhere else


class ByPair(IntEnum):
    """Columns of `Tally.pairs` before those of the single placement limits."""

    OPEN = 0  # (type in hand, open square) pairs before each placement
    FORBIDDEN_BY_SEVERAL = 1  # pairs that several placement limits forbid
    FIRST_LIMIT = 2  # pairs that the first placement limit alone forbids; then the other limits


class BySquare(IntEnum):
    """Columns of `Tally.squares`."""

    PLACED = 0
    GIVEN = 1  # Zones that gave points to a Service standing there


class Tally(NamedTuple):
    """Sums over games, by statistical block; int64 throughout."""

    tiles: Ints  # (blocks, policies, seats, types, ByTile)
    pairs: Ints  # (blocks, ByPair and limits)
    squares: Ints  # (blocks, types, squares, BySquare)


def new_tally(policies: int, seats: int, types: int, limits: int, squares: int) -> Tally:
    """Return an empty tally."""

    def zeros(*lengths: int) -> Ints:
        return np.zeros((BLOCKS, *lengths), dtype=np.int64)

    return Tally(
        tiles=zeros(policies, seats, types, len(ByTile)),
        pairs=zeros(ByPair.FIRST_LIMIT + limits),
        squares=zeros(types, squares, len(BySquare)),
    )


@small
def book_placement(tally: Tally, moment: Moment, move: tuple[int, int]) -> None:
    """Book a tile placed on a square; how many there are is booked at the end."""
    tile, square = move
    tally.tiles[moment.block, moment.policy, moment.seat, tile, ByTile.TURNS] += moment.turn + 1
    tally.squares[moment.block, tile, square, BySquare.PLACED] += 1


@small
def book_revenue(tally: Tally, moment: Moment, move: tuple[int, int], revenue: Revenue) -> None:
    """Book the Zones in range of a placed Service, given and denied."""
    tile, square = move
    row = tally.tiles[moment.block, moment.policy, moment.seat, tile]
    row[ByTile.GIVEN] += revenue.given
    row[ByTile.DENIED_BY_COVERAGE] += revenue.denied_by_coverage
    row[ByTile.DENIED_BY_LIMIT] += revenue.denied_by_limit
    tally.squares[moment.block, tile, square, BySquare.GIVEN] += revenue.given


@small
def book_denials(
    tally: Tally, rules: Rules, state: State, course: Course, moment: Moment, move: tuple[int, int]
) -> None:
    """Book the Zones that a Service is denied by the opponents whose Service covered them first."""
    if rules.coverage != Coverage.EVERYONE:
        return  # only a seat's own Services deny
    tile, square = move
    rows = tally.tiles[moment.block]
    for word in range(len(rules.board)):
        denied = denied_word(rules, state, moment.seat, tile, square, word)
        if denied != _NOTHING:
            for owner in range(course.seats):
                if owner != moment.seat:
                    zones = popcount(denied & state.covered_first[owner, tile, word])
                    rows[course.policy[owner], owner, tile, ByTile.DENIED_TO_OPPONENTS] += zones


@small
def book_limits(tally: Tally, rules: Rules, state: State, moment: Moment, kind: int) -> None:
    """Book the (type in hand, open square) pairs that placement limits forbid, before a placement."""
    pairs = tally.pairs[moment.block]
    types = types_to_place(rules, state, moment.seat, kind)
    pairs[ByPair.OPEN] += popcount(types) * state.open_squares
    types &= rules.limited
    while types != _NOTHING:
        tile = lowest(types)
        types = without_lowest(types)
        if state.legal[tile] < state.open_squares:
            _book_forbidden(pairs, rules, state, tile, state.open_squares - state.legal[tile])


@small
def _book_forbidden(pairs: Ints, rules: Rules, state: State, tile: int, forbidden: int) -> None:
    """Book the forbidden squares of a type: those of one limit alone, and the rest."""
    partners = rules.forbidden_beside[tile]
    if without_lowest(partners) == _NOTHING:
        pairs[ByPair.FIRST_LIMIT + rules.limit[tile, lowest(partners)]] += forbidden
        return
    by_one = 0
    while partners != _NOTHING:
        partner = lowest(partners)
        partners = without_lowest(partners)
        alone = 0
        for word in range(len(rules.board)):
            once = state.open[word] & ~state.blocked_twice[tile, word]
            alone += popcount(once & state.beside[partner, word])
        pairs[ByPair.FIRST_LIMIT + rules.limit[tile, partner]] += alone
        by_one += alone
    pairs[ByPair.FORBIDDEN_BY_SEVERAL] += forbidden - by_one


@small
def book_game(tally: Tally, rules: Rules, state: State, course: Course, block: int) -> None:
    """Book what is known at the end: copies placed, also against the win, and tiles stuck in hand."""
    for seat in range(course.seats):
        policy = course.policy[seat]
        rows = tally.tiles[block, policy, seat]
        for tile in range(rules.types):
            copies = state.placements[seat, tile]
            if has(state.blank[seat], tile):
                rows[tile, ByTile.BLANK] += copies
            elif copies > 0:
                rows[tile, ByTile.PLACED] += copies
                rows[tile, ByTile.PLACED_SQUARED] += copies * copies
                rows[tile, ByTile.PLACED_WINS] += copies * course.wins[seat]
            if state.hand[seat, tile] > 0:
                rows[tile, ByTile.STUCK] += state.hand[seat, tile]
