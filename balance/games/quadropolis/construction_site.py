"""The Construction Site: tiles on squares, slots, Architects, Urbanist and Mayor (rules: Quadropolis, part 2).

Slots are numbered side by side: left, right, top, bottom, five each from the top or from the left.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from balance.games.bits import bit
from balance.games.luck import combine, insert_in_order
from balance.games.quadropolis.components import (
    NO_KIND,
    NO_SQUARE,
    SIDES,
    SQUARES,
    Rules,
    State,
)
from balance.games.seating import Seating
from balance.jit import small

SIZE = 5
SLOTS = SIDES * SIZE
_ALL_SLOTS = np.uint64((1 << SLOTS) - 1)


class Side(IntEnum):
    """Where a slot lies."""

    LEFT = 0
    RIGHT = 1
    TOP = 2
    BOTTOM = 3


@small
def set_up_round(rules: Rules, seating: Seating, state: State, key: np.uint64, number: int) -> None:
    """Put the round's 25 tiles at random onto the squares; free all slots, take the Urbanist off (part 2).

    Tiles lie in the order of hash(seed, game, round, tile, copy).
    """
    round_key = combine(key, np.uint64(number))
    state.mayor_square = NO_SQUARE
    for tile in range(SQUARES):
        tile_key = combine(round_key, rules.site_key[number, tile])
        insert_in_order(state.order_key, state.square, tile, tile_key, tile)
    for square in range(SQUARES):
        tile = state.square[square]
        state.square[square] = rules.site_kind[number, tile]
        if rules.site_mayor[number, tile] == 1:
            state.mayor_square = square
    state.free_slots = _ALL_SLOTS
    state.urbanist = NO_SQUARE
    state.next_mayor = state.mayor
    hand_out_architects(rules, seating, state)


@small
def hand_out_architects(rules: Rules, seating: Seating, state: State) -> None:
    """Give each player one Architect of each number, or fill a shared pool with as many (part 1)."""
    for number in range(1, rules.highest_architect + 1):
        for seat in range(seating.seats):
            state.numbers_left[seat, number] = 1
        if rules.architects_are_shared:
            state.numbers_left[0, number] = seating.seats


@small
def architects_of(rules: Rules, seat: int) -> int:
    """Return whose Architects a seat uses."""
    return 0 if rules.architects_are_shared else seat


@small
def has_architect(rules: Rules, state: State, seat: int, number: int) -> bool:
    """Tell whether an Architect of this number is available to a seat."""
    return state.numbers_left[architects_of(rules, seat), number] > 0


@small
def legal_slots(rules: Rules, state: State) -> np.uint64:
    """Return the free slots, but those of the Urbanist's row and column, at both ends (part 2)."""
    slots = state.free_slots
    if rules.has_urbanist and state.urbanist != NO_SQUARE:
        row, column = state.urbanist // SIZE, state.urbanist % SIZE
        slots &= ~(bit(row) | bit(SIZE + row) | bit(2 * SIZE + column) | bit(3 * SIZE + column))
    return slots


@small
def reached_square(slot: int, number: int) -> int:
    """Return the n-th square from a slot."""
    side, line = slot // SIZE, slot % SIZE
    if side == Side.LEFT:
        return line * SIZE + number - 1
    if side == Side.RIGHT:
        return line * SIZE + SIZE - number
    if side == Side.TOP:
        return (number - 1) * SIZE + line
    return (SIZE - number) * SIZE + line


@small
def place_architect(rules: Rules, state: State, seat: int, number: int, slot: int) -> int:
    """Place an Architect on a slot and move the Urbanist to the square reached; return that square (part 2)."""
    state.numbers_left[architects_of(rules, seat), number] -= 1
    state.free_slots &= ~bit(slot)
    square = reached_square(slot, number)
    state.urbanist = square
    return square


@small
def take_tile(rules: Rules, state: State, seat: int, square: int) -> int:
    """Take what lies on a square, its Mayor icon too; NO_KIND where it is empty or face down (part 2)."""
    kind = state.square[square]
    state.square[square] = NO_KIND
    if square == state.mayor_square and rules.has_mayor:
        state.next_mayor = seat
        state.mayor_square = NO_SQUARE
    return kind
