"""What a city loses at least by leaving buildings inactive: the other half of the search's bound (see `activation`).

Each open building has a worth such that the gains of the rest are never more than those of all less the worth of what
is dropped, whichever buildings these are. What two buildings earn together is split between them, or given to one; what
a table gives to several is shared by its flattest step, so that the shares of the dropped ones never add up to more
than is lost. What is active for certain has no share in anything.
"""

from __future__ import annotations

import numpy as np

from balance.games.bits import bit, has, lowest, popcount, without_lowest
from balance.games.quadropolis.components import FIRST_OF_POOL, NOTHING, SHARE, Building, Rules, State
from balance.games.quadropolis.scoring import (
    beside_any,
    districts_served,
    first_line,
    longest_column,
    longest_row,
    monuments_of,
    office_group,
    office_group_size,
    score_expansion_tile,
    score_monument,
)
from balance.games.record import Ints
from balance.jit import njit, small

_HALF = SHARE // 2


@njit
def weigh(rules: Rules, state: State, worth: Ints, seat: int, active: np.uint64, undecided: np.uint64) -> int:
    """Work out the worth of the undecided buildings, with all of `active` active; return what is lost in any case."""
    certain = active & ~undecided
    monuments = monuments_of(state, seat) & certain
    spaces = undecided
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        building = state.building[seat, space]
        own = SHARE * state.printed[seat, space]
        if building == Building.TOWER_BLOCK:
            own += SHARE * rules.tower_block[state.floors[seat, space]]
            own += _of_parks(rules, state, seat, active, certain, space)
        elif building == Building.OFFICE_TOWER:
            own += SHARE * rules.office_tower[0, state.floors[seat, space]]
            own += _of_parks(rules, state, seat, active, certain, space)
            own += _of_factories(rules, state, seat, active, certain, space)
        elif building == Building.SHOP or building == Building.HARBOR:
            own += _of_factories(rules, state, seat, active, certain, space)
        elif building == Building.FACTORY:
            own += _of_a_factory(rules, state, seat, active, certain, space)
        elif building == Building.MONUMENT or building == Building.CAPITOL:
            own += SHARE * score_monument(rules, state, seat, active, space)
        elif building == Building.PARK:
            towers = popcount(rules.neighbours[space] & state.towers[seat] & active)
            own += _HALF * rules.park[towers]
        elif building >= FIRST_OF_POOL:
            own += SHARE * score_expansion_tile(rules, state, seat, active, space)
        if monuments != NOTHING and rules.monument_per[building] > 0:
            own += SHARE * rules.monument_per[building] * popcount(rules.neighbours[space] & monuments)
        worth[space] = own
    _add_districts(rules, state, worth, seat, active, undecided)
    _add_harbors(rules, worth, state.of[seat, Building.HARBOR] & active, undecided)
    if state.of[seat, Building.OFFICE_TOWER] & active != NOTHING:
        _add_offices(rules, state, worth, seat, active, undecided)
    return _sink(rules, state, worth, seat, monuments, undecided)


@small
def find_loose(rules: Rules, state: State, seat: int, active: np.uint64, undecided: np.uint64) -> np.uint64:
    """Return undecided buildings that cost exactly their worth when dropped, whatever else is dropped.

    These earn nothing together with another undecided one. Harbors and Public Services are left out.
    """
    of = state.of[seat]
    if of[Building.CITY_PLANNING] & active != NOTHING and not rules.planning_counts_inactive:
        return NOTHING
    monuments = monuments_of(state, seat) & active
    factories = of[Building.FACTORY] & undecided
    parks = of[Building.PARK] & active
    sellers = (of[Building.SHOP] | of[Building.HARBOR] | of[Building.OFFICE_TOWER]) & undecided
    fire_stations = of[Building.FIRE_STATION] & active
    loose = of[Building.FACTORY] & ~beside_any(rules, sellers | monuments | fire_stations)
    loose |= of[Building.SHOP] & ~beside_any(rules, factories | (monuments & undecided))
    if of[Building.POLICE_STATION] & active == NOTHING:
        offices = (of[Building.OFFICE_TOWER] | of[Building.CONGRESS_CENTER]) & active
        loose |= of[Building.OFFICE_TOWER] & ~beside_any(rules, offices | parks | factories)
        if of[Building.SCHOOL] & active == NOTHING:
            loose |= of[Building.TOWER_BLOCK] & ~beside_any(rules, parks)
    return loose & undecided


@small
def _of_parks(rules: Rules, state: State, seat: int, active: np.uint64, certain: np.uint64, space: int) -> int:
    """Return a Tower's share of the Parks beside it; half of it where a Park may be inactive too."""
    share = 0
    parks = rules.neighbours[space] & state.of[seat, Building.PARK] & active
    while parks != NOTHING:
        park = lowest(parks)
        parks = without_lowest(parks)
        towers = rules.neighbours[park] & state.towers[seat] & active
        of_park = rules.park_share[popcount(towers), popcount(towers & ~certain)]
        share += of_park if has(certain, park) else of_park // 2
    return share


@small
def _shared(spaces: np.uint64, certain: np.uint64) -> int:
    """Count in halves how many of the buildings on these spaces earn something together with an undecided one.

    The undecided one has all of it where the other is active for certain, else half.
    """
    return popcount(spaces) + popcount(spaces & certain)


@small
def _of_factories(rules: Rules, state: State, seat: int, active: np.uint64, certain: np.uint64, space: int) -> int:
    """Return a building's share of what it makes the Factories beside it earn."""
    factories = rules.neighbours[space] & state.of[seat, Building.FACTORY] & active
    return _HALF * rules.factory_per[state.building[seat, space]] * _shared(factories, certain)


@small
def _of_a_factory(rules: Rules, state: State, seat: int, active: np.uint64, certain: np.uint64, space: int) -> int:
    """Return a Factory's share of what it earns."""
    beside = rules.neighbours[space] & active
    earned = 0
    for building in (Building.SHOP, Building.HARBOR, Building.OFFICE_TOWER):
        earned += rules.factory_per[building] * _shared(beside & state.of[seat, building], certain)
    return _HALF * earned


@small
def _sink(rules: Rules, state: State, worth: Ints, seat: int, monuments: np.uint64, undecided: np.uint64) -> int:
    """Lower the worth of Factories and Harbors beside active Monuments by what they cost these; return by how much.

    Active, such a building costs its penalty, dropped, its worth: the smaller one is lost in any case.
    """
    sunk = 0
    while monuments != NOTHING:
        beside = rules.neighbours[lowest(monuments)] & undecided
        monuments = without_lowest(monuments)
        while beside != NOTHING:
            space = lowest(beside)
            beside = without_lowest(beside)
            less = min(worth[space], max(0, -SHARE * rules.monument_per[state.building[seat, space]]))
            worth[space] -= less
            sunk += less
    return sunk


@small
def _add_districts(rules: Rules, state: State, worth: Ints, seat: int, active: np.uint64, undecided: np.uint64) -> None:
    """Add its district to the only Public Service of a district."""
    services = state.services[seat] & active
    left = services & undecided
    alone = NOTHING
    while left != NOTHING:
        space = lowest(left)
        left = without_lowest(left)
        if services & rules.district[rules.district_of[space]] == bit(space):
            alone |= bit(space)
    if alone != NOTHING:
        _add(worth, alone, rules.district_share[districts_served(rules, state, seat, active), popcount(alone)])


@small
def _add_harbors(rules: Rules, worth: Ints, harbors: np.uint64, undecided: np.uint64) -> None:
    """Add to the Harbors of the longest row, and column, what each of them keeps up."""
    if harbors == NOTHING:
        return
    length = longest_row(rules, harbors)
    if length > 1:
        line = first_line(rules, harbors, length, False)
        may_drop = line & undecided
        _add(worth, may_drop, rules.row_share[length, longest_row(rules, harbors & ~line), popcount(may_drop)])
    length = longest_column(rules, harbors)
    if length > 1:
        line = first_line(rules, harbors, length, True)
        may_drop = line & undecided
        _add(worth, may_drop, rules.column_share[length, longest_column(rules, harbors & ~line), popcount(may_drop)])


@small
def _add(worth: Ints, spaces: np.uint64, share: int) -> None:
    while spaces != NOTHING:
        worth[lowest(spaces)] += share
        spaces = without_lowest(spaces)


@small
def _add_offices(rules: Rules, state: State, worth: Ints, seat: int, active: np.uint64, undecided: np.uint64) -> None:
    """Add its share of what the Office Towers of a group add to each other; a Congress Center has all that it adds."""
    offices = state.of[seat, Building.OFFICE_TOWER] & active
    centers = state.of[seat, Building.CONGRESS_CENTER] & active
    certain = active & ~undecided
    left = offices
    while left != NOTHING:
        group = office_group(rules, offices, centers, left & ~(left - np.uint64(1)))
        left &= ~group
        touching = beside_any(rules, group) & centers
        if popcount(group) + popcount(touching) > office_group_size(rules, group, centers):
            continue  # a group beyond the table loses nothing at once
        steps, halves, members = 0, 0, group
        while members != NOTHING:
            step = rules.office_flattest[state.floors[seat, lowest(members)]]
            steps += step
            halves += step * _shared(members & ~without_lowest(members), certain)
            members = without_lowest(members)
        _add(worth, touching & undecided, SHARE * steps)
        others = _shared(group, certain) - 1
        members = group & undecided
        while members != NOTHING:
            space = lowest(members)
            members = without_lowest(members)
            mine = rules.office_flattest[state.floors[seat, space]]
            worth[space] += _HALF * (others * mine + halves - mine)
