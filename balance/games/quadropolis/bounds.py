"""How much a city can score at most once a tile is built: what spares greedy most of the exact activations.

With the tile active, the rest of the city pays with what the tile leaves of the means, and the tile adds at most
what it adds where everything helps it. With the tile inactive, only its resources help. Both are bounds on the exact
value, whatever is activated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from balance.games.bits import bit, lowest, popcount, without_lowest
from balance.games.quadropolis.activation import (
    HIGHEST,
    LOWEST,
    Aim,
    Means,
    Search,
    most_of,
    prepare,
    root_of,
    supply_of,
)
from balance.games.quadropolis.city import is_public_service
from balance.games.quadropolis.components import FIRST_OF_POOL, NOTHING, SHARE, SPACES, Building, Rules, State
from balance.games.quadropolis.scoring import (
    beside_any,
    full_districts,
    full_line,
    highest_tower,
    monuments_of,
    office_group,
    score_gains,
    score_monument,
    score_penalties,
)
from balance.games.quadropolis.worth import weigh
from balance.games.record import Ints, Record, Words, shape
from balance.jit import njit, small

_FEWER_INHABITANTS, _INHABITANTS = 40, 128  # how far the means may differ, and in how many ways
_FEWER_ENERGY, _ENERGY = 32, 64
_SETS = 16


class Values(Record):
    """Bounds on the value of the city as it stands, with other means: each worked out once per move."""

    bound: Ints = shape(_INHABITANTS, _ENERGY)
    stamp: Ints = shape(_INHABITANTS, _ENERGY)
    now: int  # stamp of this move
    # What does not depend on the means, for each set of buildings that are not too dear
    sets: int
    active: Words = shape(_SETS)
    certain: Ints = shape(_SETS)  # shares of a point that are gained, or lost, in any case
    worth: Ints = shape(_SETS, SPACES)


@small
def start_bounds(rules: Rules, state: State, search: Search, values: Values, seat: int) -> None:
    """Get ready for the bounds of a move of a seat."""
    prepare(rules, state, search, seat)
    values.now += 1
    values.sets = 0


@njit
def most_with(rules: Rules, state: State, search: Search, values: Values, seat: int, change: tuple[int, int]) -> int:
    """Return at most the value of the city as it stands with more, or fewer, inhabitants and energy.

    The exact value would take many times longer, and spares few of the tiles that this bound does not.
    """
    inhabitants, energy = change
    row, column = inhabitants + _FEWER_INHABITANTS, energy + _FEWER_ENERGY
    if values.stamp[row, column] != values.now:
        means = Means(state.inhabitants[seat] + inhabitants, state.energy[seat] + energy, Aim.BOUND, LOWEST, HIGHEST)
        values.bound[row, column] = _most_with(rules, state, search, values, seat, means)
        values.stamp[row, column] = values.now
    return values.bound[row, column]


@small
def _most_with(rules: Rules, state: State, search: Search, values: Values, seat: int, means: Means) -> int:
    """Bound the value of a city at the root of the search."""
    node = root_of(rules, state, search, seat, means)
    if node.inhabitants < 0 or node.energy < 0:
        return LOWEST
    found = 0
    while found < values.sets and values.active[found] != node.active:
        found += 1
    if found == values.sets:
        found = min(found, _SETS - 1)
        values.sets = found + 1
        sunk = weigh(rules, state, values.worth[found], seat, node.active, node.open)
        gains = score_gains(rules, state, seat, node.active) + score_penalties(rules, state, seat, search.free)
        values.active[found] = node.active
        values.certain[found] = SHARE * gains - sunk
    bound = most_of(rules, search, supply_of(rules, state, search, values.worth[found], seat, node))
    return (values.certain[found] + bound) // SHARE


class Rest(NamedTuple):
    """What the rest of a city scores at most once a tile of a kind is built, wherever that is."""

    as_floor: int  # the tile only brings its resources
    as_active: int  # as a new building that is active
    as_idle: int  # as a new building that is not, or LOWEST for one that needs nothing


@njit
def rest_beside(rules: Rules, state: State, search: Search, values: Values, seat: int, kind: int) -> Rest:
    """Return what the rest of the city scores at most beside a kind of tile; `start_bounds` comes first."""
    building = rules.building[kind]
    inhabitants, energy = rules.gives_inhabitants[kind], rules.gives_energy[kind]
    brought = 0
    if building == Building.SHOP and state.of[seat, Building.TV_STATION] != NOTHING:
        brought = rules.inhabitants_per_shop * popcount(state.of[seat, Building.TV_STATION])
    if building == Building.TV_STATION:
        brought = rules.inhabitants_per_shop * popcount(state.of[seat, Building.SHOP])
    left = (inhabitants - rules.needs_inhabitants[building], energy - rules.needs_energy[building])
    as_active = _bound_when_active(rules, state, search, values, seat, building, left, brought)
    as_floor = most_with(rules, state, search, values, seat, (inhabitants, energy))
    as_idle = LOWEST
    if rules.is_free[building] == 0:
        for used in range(brought + 1):
            as_idle = max(as_idle, most_with(rules, state, search, values, seat, (inhabitants + used, energy)))
    return Rest(as_floor, as_active, as_idle)


@njit
def bound_of_building(rules: Rules, state: State, seat: int, tile: tuple[int, int], rest: Rest) -> int:
    """Return at most what the city scores once a tile (kind, space) is built, with the rest of the city beside it."""
    kind, space = tile
    building = rules.building[kind]
    if state.occupied[seat] & bit(space) != NOTHING:
        return rest.as_floor + rules.printed_vp[kind] + _more_for_a_floor(rules, state, seat, building, space)
    more = rules.printed_vp[kind] + _more_for(rules, state, seat, building, space)
    filled = _more_for_planning(rules, state, seat, space)
    bound = rest.as_active + more + filled
    if is_public_service(building):
        new_district, replaces = _district(rules, state, seat, building, space)
        bound += new_district
        if replaces:
            bound = max(bound, rest.as_floor + more + filled)
    return max(bound, rest.as_idle + (filled if rules.planning_counts_inactive else 0))


@small
def _bound_when_active(
    rules: Rules,
    state: State,
    search: Search,
    values: Values,
    seat: int,
    building: int,
    left: tuple[int, int],
    brought: int,
) -> int:
    """Return at most what the rest of the city scores beside an active building, with the customers of a Shop."""
    inhabitants, energy = left
    bound = most_with(rules, state, search, values, seat, left)
    for used in range(1, brought + 1):
        bound = max(bound, most_with(rules, state, search, values, seat, (inhabitants + used, energy)))
    if building == Building.SHOP:
        for customers in range(rules.customers + 1):
            for used in range(brought + 1):
                rest = (inhabitants + used - customers, energy)
                served = rules.shop[customers] + most_with(rules, state, search, values, seat, rest)
                bound = max(bound, served)
    elif building == Building.PARK:
        for absorbed in range(1, rules.park_absorbs + 1):
            bound = max(bound, most_with(rules, state, search, values, seat, (inhabitants, energy - absorbed)))
    elif building == Building.REPROCESSING_PLANT:
        surplus = max(0, state.energy[seat] + energy)
        bound += rules.vp[building] * (surplus // rules.energy_per_vp) - rules.leftover_energy * surplus
    return bound


@small
def _more_for_a_floor(rules: Rules, state: State, seat: int, building: int, space: int) -> int:
    """Return at most what one more floor adds to a stack."""
    floors = state.floors[seat, space]
    police = rules.vp[Building.POLICE_STATION] * popcount(state.of[seat, Building.POLICE_STATION])
    if building == Building.OFFICE_TOWER:
        return rules.office_floor_step[floors] + police
    return rules.tower_block[floors + 1] - rules.tower_block[floors] + police


@small
def _more_for(rules: Rules, state: State, seat: int, building: int, space: int) -> int:
    """Return at most what a new building adds, with all others active; without districts and full districts."""
    beside = rules.neighbours[space]
    factories = popcount(beside & state.of[seat, Building.FACTORY])
    monuments = popcount(beside & monuments_of(state, seat))
    more = rules.factory_per[building] * factories
    if rules.monument_per[building] > 0:
        more += rules.monument_per[building] * monuments
    elif rules.is_free[Building.MONUMENT] == 1:  # a Capitol may be left inactive, a Monument is not
        more += rules.monument_per[building] * popcount(beside & state.of[seat, Building.MONUMENT])
    if building == Building.TOWER_BLOCK or building == Building.OFFICE_TOWER:
        more += _more_for_parks(rules, state, seat, space)
        more += rules.vp[Building.POLICE_STATION] * popcount(state.of[seat, Building.POLICE_STATION])
        if building == Building.OFFICE_TOWER:
            return (
                more
                + rules.office_tower[rules.group_sizes - 1, 1]
                + _more_for_offices(rules, state, seat, building, space)
            )
        schools = popcount(state.of[seat, Building.SCHOOL])
        return more + rules.tower_block[1] + rules.vp[Building.SCHOOL] * schools
    if building == Building.HARBOR:
        return more + _more_for_harbors(rules, state, seat, space)
    if building == Building.FACTORY:
        more += rules.vp[Building.FIRE_STATION] * popcount(beside & state.of[seat, Building.FIRE_STATION])
        for other in (Building.SHOP, Building.HARBOR, Building.OFFICE_TOWER):
            more += rules.factory_per[other] * popcount(beside & state.of[seat, other])
        return more
    if building == Building.PARK:
        districts = rules.vp[Building.PARK_DISTRICT] * popcount(state.of[seat, Building.PARK_DISTRICT])
        return more + districts + rules.park[popcount(beside & state.towers[seat])]
    if building == Building.MONUMENT:
        return more + score_monument(rules, state, seat, state.occupied[seat], space)
    if is_public_service(building):
        return more + _more_for_service(rules, state, seat, building, space)
    return more


@small
def _more_for_parks(rules: Rules, state: State, seat: int, space: int) -> int:
    more = 0
    parks = rules.neighbours[space] & state.of[seat, Building.PARK]
    while parks != NOTHING:
        more += rules.park_step[popcount(rules.neighbours[lowest(parks)] & state.towers[seat])]
        parks = without_lowest(parks)
    return more


@small
def _more_for_offices(rules: Rules, state: State, seat: int, building: int, space: int) -> int:
    """Return at most what a new Office Tower, or Congress Center, adds to the Office Towers that it joins."""
    offices = state.of[seat, Building.OFFICE_TOWER]
    centers = state.of[seat, Building.CONGRESS_CENTER]
    beside = rules.neighbours[space]
    start = beside & offices
    if rules.bridges:
        start |= beside_any(rules, beside & centers) & offices
    if start == NOTHING:
        return 0
    joined = office_group(rules, offices, centers, start)
    touching = beside_any(rules, joined) | (beside if building == Building.OFFICE_TOWER else NOTHING)
    size = popcount(joined) + popcount(touching & centers) + 1
    more = 0
    left = joined
    while left != NOTHING:
        group = office_group(rules, offices, centers, left & ~(left - np.uint64(1)))
        left &= ~group
        grows = size - popcount(group)
        while group != NOTHING:
            floors = state.floors[seat, lowest(group)]
            group = without_lowest(group)
            most = rules.office_tower[rules.group_sizes - 1, floors] - rules.office_tower[0, floors]
            more += min(most, grows * rules.office_step[floors])
    return more


@small
def _run(harbors: np.uint64, line: np.uint64, space: int, step: int) -> tuple[int, int]:
    """Return how many Harbors follow each other before and after a space, along a row or a column."""
    before, after = 0, 0
    harbors &= line
    other = space - step
    while other >= 0 and harbors & bit(other) != NOTHING:
        before += 1
        other -= step
    other = space + step
    while other < 64 and harbors & bit(other) != NOTHING:
        after += 1
        other += step
    return before, after


@small
def _more_for_harbors(rules: Rules, state: State, seat: int, space: int) -> int:
    harbors = state.of[seat, Building.HARBOR]
    row = rules.row[space // rules.columns]
    column = rules.column[space % rules.columns]
    left, right = _run(harbors, row, space, 1)
    above, below = _run(harbors, column, space, rules.columns)
    more = rules.row_step[left, right] + rules.column_step[above, below]
    customs = state.of[seat, Building.CUSTOMS_OFFICE]
    with_it = harbors | bit(space)
    if customs != NOTHING and (row & ~with_it == NOTHING or column & ~with_it == NOTHING):
        more += rules.vp[Building.CUSTOMS_OFFICE] * popcount(customs)
    return more


@small
def _more_for_service(rules: Rules, state: State, seat: int, building: int, space: int) -> int:
    """Return at most what a Public Service adds, besides its district and the Monuments beside it."""
    more = rules.vp[Building.CITY_HALL] * popcount(state.of[seat, Building.CITY_HALL])
    if building < FIRST_OF_POOL:
        return more
    vp = rules.vp[building]
    everything = state.occupied[seat]
    if building == Building.CITY_HALL:
        return more + vp * (popcount(state.services[seat]) + 1)
    if building == Building.CUSTOMS_OFFICE:
        return more + (vp if full_line(rules, state.of[seat, Building.HARBOR]) != NOTHING else 0)
    if building == Building.CITY_PLANNING:
        built = everything | bit(space)
        whole = rules.vp_full_city if rules.board & ~built == NOTHING else 0
        return more + vp * full_districts(rules, built) + whole
    if building == Building.FIRE_STATION:
        return more + vp * popcount(rules.neighbours[space] & state.of[seat, Building.FACTORY])
    if building == Building.PARK_DISTRICT:
        return more + vp * popcount(state.of[seat, Building.PARK])
    if building == Building.POLICE_STATION:
        return more + vp * highest_tower(rules, state, seat, everything)[0]
    if building == Building.SCHOOL:
        return more + vp * popcount(state.of[seat, Building.TOWER_BLOCK])
    if building == Building.CAPITOL:
        return more + score_monument(rules, state, seat, everything, space)
    if building == Building.CONGRESS_CENTER:
        return more + _more_for_offices(rules, state, seat, building, space)
    return more


@small
def _more_for_planning(rules: Rules, state: State, seat: int, space: int) -> int:
    """Return at most what a new building adds to the City Planning tiles of the city, by filling its district."""
    tiles = popcount(state.of[seat, Building.CITY_PLANNING])
    if tiles == 0:
        return 0
    built = state.occupied[seat] | bit(space)
    more = 0
    if rules.district[rules.district_of[space]] & ~built == NOTHING:
        more += rules.vp[Building.CITY_PLANNING]
    if rules.board & ~built == NOTHING:
        more += rules.vp_full_city
    return tiles * more


@small
def _district(rules: Rules, state: State, seat: int, building: int, space: int) -> tuple[int, bool]:
    """Return at most what a Public Service adds to the districts served, and whether it can stand in for another.

    Where its district already has one that needs as much, the two can only take each other's place.
    """
    services = state.services[seat]
    served = 0
    left = services
    here = rules.district[rules.district_of[space]]
    while left != NOTHING:
        district = rules.district[rules.district_of[lowest(left)]]
        served += 1 if district != here else 0
        left &= ~district
    alike = services & here & ~state.of[seat, Building.CAPITOL]
    if building == Building.REPROCESSING_PLANT or building == Building.TV_STATION:
        alike = NOTHING  # another Public Service would not do for the means what these do
    while alike != NOTHING:
        other = state.building[seat, lowest(alike)]
        alike = without_lowest(alike)
        same_inhabitants = rules.needs_inhabitants[other] == rules.needs_inhabitants[building]
        if same_inhabitants and rules.needs_energy[other] == rules.needs_energy[building]:
            return 0, True
    return rules.district_step[served], False
