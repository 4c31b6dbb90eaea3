"""A city: where a tile may be built, and building it (rules: Quadropolis, part 2)."""

from __future__ import annotations

import numpy as np

from balance.games.bits import bit, has, lowest, without_lowest
from balance.games.quadropolis.components import (
    BUILDINGS,
    FIRST_OF_POOL,
    NOTHING,
    Building,
    Rules,
    State,
)
from balance.jit import small


@small
def clear_city(state: State, seat: int) -> None:
    """Start with an empty city and no resources."""
    state.occupied[seat] = NOTHING
    state.services[seat] = NOTHING
    state.towers[seat] = NOTHING
    state.inhabitants[seat] = 0
    state.energy[seat] = 0
    for building in range(BUILDINGS):
        state.of[seat, building] = NOTHING


@small
def legal_spaces(rules: Rules, state: State, seat: int, building: int, number: int) -> np.uint64:
    """Return the spaces where an Architect of this number builds a tile (part 2).

    An empty space that matches the number; for a Tower also a Tower of the same sort where the space matches or the
    new floor's number is the Architect's.
    """
    spaces = rules.match[number] & ~state.occupied[seat]
    if rules.most_floors[building] > 1:
        stacks = state.of[seat, building]
        while stacks != NOTHING:
            space = lowest(stacks)
            stacks = without_lowest(stacks)
            floor = state.floors[seat, space] + 1
            if floor <= rules.most_floors[building] and (floor == number or has(rules.match[number], space)):
                spaces |= bit(space)
    return spaces


@small
def is_public_service(building: int) -> bool:
    """Every expansion tile is a Public Service (part 5)."""
    return building == Building.PUBLIC_SERVICE or building >= FIRST_OF_POOL


@small
def build(rules: Rules, state: State, seat: int, kind: int, space: int) -> None:
    """Build a tile on a space, as a new building or as the next floor, and take the resources it gives (part 2)."""
    building = rules.building[kind]
    here = bit(space)
    if state.occupied[seat] & here == NOTHING:
        state.occupied[seat] |= here
        state.of[seat, building] |= here
        if is_public_service(building):
            state.services[seat] |= here
        if building == Building.TOWER_BLOCK or building == Building.OFFICE_TOWER:
            state.towers[seat] |= here
        state.building[seat, space] = building
        state.floors[seat, space] = 0
        state.printed[seat, space] = 0
    state.kind[seat, space, state.floors[seat, space]] = kind
    state.floors[seat, space] += 1
    _take_resources(rules, state, seat, space, kind, 1)


@small
def take_down(rules: Rules, state: State, seat: int, space: int, floor: int) -> int:
    """Take one floor's tile away with its resources, as if it had never been built; return its kind."""
    kind = state.kind[seat, space, floor]
    top = state.floors[seat, space] - 1
    for above in range(floor, top):
        state.kind[seat, space, above] = state.kind[seat, space, above + 1]
    state.floors[seat, space] = top
    _take_resources(rules, state, seat, space, kind, -1)
    if top == 0:
        here = bit(space)
        state.occupied[seat] &= ~here
        state.services[seat] &= ~here
        state.towers[seat] &= ~here
        state.of[seat, state.building[seat, space]] &= ~here
    return kind


@small
def _take_resources(rules: Rules, state: State, seat: int, space: int, kind: int, times: int) -> None:
    state.printed[seat, space] += times * rules.printed_vp[kind]
    state.inhabitants[seat] += times * rules.gives_inhabitants[kind]
    state.energy[seat] += times * rules.gives_energy[kind]
