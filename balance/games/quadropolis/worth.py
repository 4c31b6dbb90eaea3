"""What a city loses at least by leaving buildings inactive: the other half of the search's bound (see `activation`).

Each open building has a worth such that the gains of the rest are never more than those of all less the worth of what
is dropped, whichever buildings these are. What two buildings earn together is split between them, or given to one; what
a table gives to several is shared by its flattest step, so that the shares of the dropped ones never add up to more
than is lost.
"""

from __future__ import annotations

import numpy as np

from balance.games.bits import bit, lowest, popcount, without_lowest
from balance.games.quadropolis.components import FIRST_OF_POOL, NOTHING, SHARE, Building, Rules, State
from balance.games.quadropolis.scoring import (
    beside_any,
    districts_served,
    first_line,
    longest_column,
    longest_row,
    office_group,
    office_group_size,
    score_expansion_tile,
    score_monument,
)
from balance.games.record import Ints
from balance.jit import njit, small

_HALF = SHARE // 2


@njit
def weigh(rules: Rules, state: State, worth: Ints, seat: int, active: np.uint64, undecided: np.uint64) -> None:
    """Work out the worth of the undecided buildings, with all of `active` active."""
    spaces = undecided
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        building = state.building[seat, space]
        own = SHARE * state.printed[seat, space]
        if building == Building.TOWER_BLOCK:
            own += SHARE * rules.tower_block[state.floors[seat, space]] + _of_parks(rules, state, seat, active, space)
        elif building == Building.OFFICE_TOWER:
            own += SHARE * rules.office_tower[0, state.floors[seat, space]]
            own += _of_parks(rules, state, seat, active, space) + _of_factories(rules, state, seat, active, space)
        elif building == Building.SHOP or building == Building.HARBOR:
            own += _of_factories(rules, state, seat, active, space)
        elif building == Building.FACTORY:
            own += _of_a_factory(rules, state, seat, active, space)
        elif building == Building.MONUMENT or building == Building.CAPITOL:
            own += SHARE * score_monument(rules, state, seat, active, space)
        elif building == Building.PARK:
            towers = popcount(rules.neighbours[space] & state.towers[seat] & active)
            own += _HALF * rules.park[towers]
        elif building >= FIRST_OF_POOL:
            own += SHARE * score_expansion_tile(rules, state, seat, active, space)
        if rules.is_free[Building.MONUMENT] == 1 and rules.monument_per[building] > 0:
            monuments = popcount(rules.neighbours[space] & state.of[seat, Building.MONUMENT])
            own += SHARE * rules.monument_per[building] * monuments
        worth[space] = own
    _add_districts(rules, state, worth, seat, active, undecided)
    _add_harbors(rules, worth, state.of[seat, Building.HARBOR] & active, undecided)
    if state.of[seat, Building.OFFICE_TOWER] & active != NOTHING:
        _add_offices(rules, state, worth, seat, active, undecided)


@small
def _of_parks(rules: Rules, state: State, seat: int, active: np.uint64, space: int) -> int:
    """Return a Tower's share of the Parks beside it; half of it where a Park may be inactive too."""
    share = 0
    parks = rules.neighbours[space] & state.of[seat, Building.PARK] & active
    while parks != NOTHING:
        share += rules.park_share[popcount(rules.neighbours[lowest(parks)] & state.towers[seat] & active)]
        parks = without_lowest(parks)
    return share if rules.is_free[Building.PARK] == 1 else share // 2


@small
def _of_factories(rules: Rules, state: State, seat: int, active: np.uint64, space: int) -> int:
    """Return half of what a building makes the Factories beside it earn."""
    factories = popcount(rules.neighbours[space] & state.of[seat, Building.FACTORY] & active)
    return _HALF * rules.factory_per[state.building[seat, space]] * factories


@small
def _of_a_factory(rules: Rules, state: State, seat: int, active: np.uint64, space: int) -> int:
    """Return half of what a Factory earns."""
    beside = rules.neighbours[space] & active
    earned = 0
    for building in (Building.SHOP, Building.HARBOR, Building.OFFICE_TOWER):
        earned += rules.factory_per[building] * popcount(beside & state.of[seat, building])
    return _HALF * earned


@small
def _add_districts(rules: Rules, state: State, worth: Ints, seat: int, active: np.uint64, undecided: np.uint64) -> None:
    """Add its district to the only Public Service of a district."""
    services = state.services[seat] & active
    share = rules.district_share[districts_served(rules, state, seat, active)]
    left = services & undecided
    while left != NOTHING:
        space = lowest(left)
        left = without_lowest(left)
        if services & rules.district[rules.district_of[space]] == bit(space):
            worth[space] += share


@small
def _add_harbors(rules: Rules, worth: Ints, harbors: np.uint64, undecided: np.uint64) -> None:
    """Add to the Harbors of the longest row, and column, what each of them keeps up."""
    if harbors == NOTHING:
        return
    length = longest_row(rules, harbors)
    if length > 1:
        line = first_line(rules, harbors, length, False)
        share = rules.row_share[length, longest_row(rules, harbors & ~line)]
        _add(worth, line & undecided, share)
    length = longest_column(rules, harbors)
    if length > 1:
        line = first_line(rules, harbors, length, True)
        share = rules.column_share[length, longest_column(rules, harbors & ~line)]
        _add(worth, line & undecided, share)


@small
def _add(worth: Ints, spaces: np.uint64, share: int) -> None:
    while spaces != NOTHING:
        worth[lowest(spaces)] += share
        spaces = without_lowest(spaces)


@small
def _add_offices(rules: Rules, state: State, worth: Ints, seat: int, active: np.uint64, undecided: np.uint64) -> None:
    """Add what the Office Towers of a group add to each other, half to each; a Congress Center has all that it adds."""
    offices = state.of[seat, Building.OFFICE_TOWER] & active
    centers = state.of[seat, Building.CONGRESS_CENTER] & active
    left = offices
    while left != NOTHING:
        group = office_group(rules, offices, centers, left & ~(left - np.uint64(1)))
        left &= ~group
        touching = beside_any(rules, group) & centers
        if popcount(group) + popcount(touching) > office_group_size(rules, group, centers):
            continue  # a group beyond the table loses nothing at once
        steps, members = 0, group
        while members != NOTHING:
            steps += rules.office_flattest[state.floors[seat, lowest(members)]]
            members = without_lowest(members)
        _add(worth, touching & undecided, SHARE * steps)
        others = popcount(group) - 1
        members = group & undecided
        while members != NOTHING:
            space = lowest(members)
            members = without_lowest(members)
            mine = rules.office_flattest[state.floors[seat, space]]
            worth[space] += _HALF * (others * mine + steps - mine)
