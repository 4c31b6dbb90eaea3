"""Cups and hands: shuffling, the deal and the Plan phase."""

from __future__ import annotations

import numpy as np

from balance.games.bits import bit
from balance.games.city_services.components import KINDS, Kind, Rules, State
from balance.games.luck import DRAWS, below, combine, game_key, insert_in_order
from balance.jit import njit, small


@njit
def fill_cups(rules: Rules, state: State, seed: np.uint64, game: int) -> None:
    """Place each set in a separate cup, in the order of drawing (rulebook, Setup).

    Tiles lie in the order of hash(seed, game, tile, copy), so that the order of the others stays when
    copies are added or removed.
    """
    key = game_key(seed, game, DRAWS)
    state.cup_size[Kind.ZONE] = 0
    state.cup_size[Kind.SERVICE] = 0
    for tile in range(rules.types):
        kind: int = Kind.ZONE if tile < rules.zone_types else Kind.SERVICE
        tile_key = combine(key, rules.tile_key[tile])
        for copy in range(rules.count[tile]):
            place = state.cup_size[kind]
            state.unsorted_tile[kind, place] = tile
            state.unsorted_key[kind, place] = combine(tile_key, np.uint64(copy))
            state.cup_size[kind] = place + 1
    for kind in range(KINDS):
        state.drawn[kind] = 0
        _sort_cup(state, kind)


@small
def _sort_cup(state: State, kind: int) -> None:
    """Sort a cup by key: spread the tiles over as many shelves as there are tiles, then mend the order."""
    size = state.cup_size[kind]
    for shelf in range(size + 1):
        state.shelf[shelf] = 0
    for tile in range(size):
        state.shelf[below(state.unsorted_key[kind, tile], size) + 1] += 1
    for shelf in range(size):
        state.shelf[shelf + 1] += state.shelf[shelf]
    for tile in range(size):
        key = state.unsorted_key[kind, tile]
        shelf = below(key, size)
        place = state.shelf[shelf]
        state.shelf[shelf] = place + 1
        state.cup_key[kind, place] = key
        state.cup[kind, place] = state.unsorted_tile[kind, tile]
    keys, tiles = state.cup_key[kind], state.cup[kind]
    for tile in range(1, size):
        insert_in_order(keys, tiles, tile, keys[tile], tiles[tile])


@small
def clear_hands(rules: Rules, state: State, seats: int) -> None:
    """Start with empty hands."""
    for seat in range(seats):
        state.in_hand[seat] = np.uint64(0)
        for tile in range(rules.types):
            state.hand[seat, tile] = 0
            state.placements[seat, tile] = 0


@small
def take_from_cup(state: State, seat: int, kind: int, tiles: int) -> int:
    """Draw tiles into a hand, or what the cup still has; return how many (rules: City Services, Plan)."""
    first = state.drawn[kind]
    last = min(first + tiles, state.cup_size[kind])
    for place in range(first, last):
        tile = state.cup[kind, place]
        state.hand[seat, tile] += 1
        state.in_hand[seat] |= bit(tile)
    state.drawn[kind] = last
    return last - first


@small
def cups_are_empty(state: State) -> bool:
    """Tell whether both cups are empty."""
    return state.drawn[0] == state.cup_size[0] and state.drawn[1] == state.cup_size[1]
