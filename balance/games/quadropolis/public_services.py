"""The Public Services beside the Construction Site: stack, visible tiles, discards (rulebook, Setup; part 5)."""

from __future__ import annotations

import numpy as np

from balance.games.luck import combine, insert_in_order
from balance.games.quadropolis.components import Rules, State
from balance.jit import small

_STACKS = np.uint64(1 << 20)  # keeps the numbers of stacks apart from those of rounds


@small
def form_stack(rules: Rules, state: State, key: np.uint64) -> None:
    """Shuffle all tiles of the pool and form the stack."""
    state.reshuffles = 0
    state.visible_size = 0
    for tile in range(rules.pool):
        state.discards[tile] = tile
    state.discarded = rules.pool if rules.visible > 0 else 0
    _shuffle_discards(rules, state, key)


@small
def _shuffle_discards(rules: Rules, state: State, key: np.uint64) -> None:
    """Make the discards the stack, in the order of hash(seed, game, reshuffle number, tile, copy)."""
    stack_key = combine(key, _STACKS + np.uint64(state.reshuffles))
    for index in range(state.discarded):
        tile = state.discards[index]
        tile_key = combine(stack_key, rules.pool_key[tile])
        insert_in_order(state.order_key, state.stack, index, tile_key, tile)
    state.stack_size = state.discarded
    state.drawn = 0
    state.discarded = 0


@small
def reveal_services(rules: Rules, state: State, key: np.uint64) -> None:
    """Discard what is still visible and reveal new tiles, as far as stack and discards go (rulebook, Setup)."""
    for place in range(state.visible_size):
        discard(state, state.visible[place])
    state.visible_size = 0
    for _ in range(rules.visible):
        if state.drawn == state.stack_size:
            state.reshuffles += 1
            _shuffle_discards(rules, state, key)
            if state.stack_size == 0:
                return
        state.visible[state.visible_size] = state.stack[state.drawn]
        state.drawn += 1
        state.visible_size += 1


@small
def discard(state: State, tile: int) -> None:
    """Put a tile of the pool onto the discards."""
    state.discards[state.discarded] = tile
    state.discarded += 1


@small
def take_visible(state: State, place: int) -> int:
    """Take a visible tile away, the others keep their order; return it."""
    tile = state.visible[place]
    state.visible_size -= 1
    for later in range(place, state.visible_size):
        state.visible[later] = state.visible[later + 1]
    return tile
