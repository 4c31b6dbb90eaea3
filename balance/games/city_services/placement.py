"""Where a tile may go, and what placing it does to the board (rulebook, Build Phase and Placement Limits)."""

from __future__ import annotations

import numpy as np

from balance.games.bits import bit, lowest, popcount, without_lowest
from balance.games.city_services.components import Kind, Rules, State
from balance.jit import small

_NOTHING = np.uint64(0)


@small
def clear_board(rules: Rules, state: State) -> None:
    """Start with an empty board: the first tile must be placed in one of the centre spaces."""
    state.placed = 0
    for word in range(len(rules.board)):
        state.occupied[word] = _NOTHING
        state.zones[word] = _NOTHING
        state.open[word] = rules.first_squares[word]
        for tile in range(rules.types):
            state.beside[tile, word] = _NOTHING
            state.blocked[tile, word] = _NOTHING
            state.blocked_twice[tile, word] = _NOTHING
        for group in range(rules.groups):
            state.scorable[group, word] = _NOTHING


@small
def legal_word(state: State, tile: int, word: int) -> np.uint64:
    """Return one word of the squares where a tile may be placed."""
    return state.open[word] & ~state.blocked[tile, word]


@small
def count_legal(rules: Rules, state: State, tile: int) -> int:
    """Count the squares where a tile may be placed."""
    squares = 0
    for word in range(len(rules.board)):
        squares += popcount(legal_word(state, tile, word))
    return squares


@small
def count_open(rules: Rules, state: State) -> None:
    """Count the squares where a tile without placement limits may be placed."""
    state.open_squares = 0
    for word in range(len(rules.board)):
        state.open_squares += popcount(state.open[word])


@small
def open_word_after(rules: Rules, state: State, square: int, word: int) -> np.uint64:
    """Return one word of the squares beside a placed tile, once a tile lies on `square`."""
    if rules.needs_neighbour:
        before = state.open[word] if state.placed > 0 else _NOTHING
        after = before | rules.neighbours[square, word]
    else:
        after = rules.board[word]
    if word == square >> 6:
        after &= ~bit(square)
    return after & ~state.occupied[word]


@small
def place_tile(rules: Rules, state: State, seat: int, tile: int, square: int) -> None:
    """Put a tile from a hand on a square and open, or forbid, the squares beside it."""
    state.hand[seat, tile] -= 1
    if state.hand[seat, tile] == 0:
        state.in_hand[seat] &= ~bit(tile)
    state.placements[seat, tile] += 1
    word_of_square = square >> 6
    square_bit = bit(square)
    for word in range(len(rules.board)):
        state.open[word] = open_word_after(rules, state, square, word)
    state.occupied[word_of_square] |= square_bit
    state.placed += 1
    _forbid_beside(rules, state, tile, square)
    if tile < rules.zone_types:
        state.zones[word_of_square] |= square_bit
        for group in range(rules.groups):
            if rules.group_scores[group] & bit(tile) != _NOTHING:
                state.scorable[group, word_of_square] |= square_bit


@small
def _forbid_beside(rules: Rules, state: State, tile: int, square: int) -> None:
    """Forbid the squares beside a placed tile to the types that may not stand there."""
    for word in range(len(rules.board)):
        first_beside = rules.neighbours[square, word] & ~state.beside[tile, word]
        state.beside[tile, word] |= first_beside
        forbidden = rules.blocks[tile]
        while forbidden != _NOTHING:
            other = lowest(forbidden)
            forbidden = without_lowest(forbidden)
            state.blocked_twice[other, word] |= state.blocked[other, word] & first_beside
            state.blocked[other, word] |= first_beside


@small
def types_to_place(rules: Rules, state: State, seat: int, kind: int) -> np.uint64:
    """Return the types of one kind in a hand, as a set of types."""
    zones = bit(rules.zone_types) - np.uint64(1)
    return state.in_hand[seat] & (zones if kind == Kind.ZONE else ~zones)
