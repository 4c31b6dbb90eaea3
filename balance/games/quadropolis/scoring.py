"""What a city scores, rule by rule (rules: Quadropolis, parts 4 and 5).

Each rule is a function of the city and of the set of its active spaces; what is not active counts as absent.
`score_gains` adds up what can only grow when another building is activated, `score_penalties` what can only sink.
"""

from __future__ import annotations

import numpy as np

from balance.games.bits import bit, lowest, popcount, without_lowest
from balance.games.quadropolis.components import NOTHING, Building, Rules, State
from balance.jit import njit, small


@small
def score_tower_blocks(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Score each Tower Block by its floors."""
    points = 0
    stacks = state.of[seat, Building.TOWER_BLOCK] & active
    while stacks != NOTHING:
        points += rules.tower_block[state.floors[seat, lowest(stacks)]]
        stacks = without_lowest(stacks)
    return points


@small
def districts_served(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Count the districts that have a Public Service."""
    services = state.services[seat] & active
    served = 0
    while services != NOTHING:
        served += 1
        services &= ~rules.district[rules.district_of[lowest(services)]]
    return served


@small
def score_parks(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Score each Park by the Tower Blocks and Office Towers beside it."""
    points = 0
    towers = state.towers[seat] & active
    parks = state.of[seat, Building.PARK] & active
    while parks != NOTHING:
        points += rules.park[popcount(rules.neighbours[lowest(parks)] & towers)]
        parks = without_lowest(parks)
    return points


@small
def score_factories(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Score each Factory for the Shops, Harbors and Office Towers beside it."""
    points = 0
    factories = state.of[seat, Building.FACTORY] & active
    while factories != NOTHING:
        beside = rules.neighbours[lowest(factories)] & active
        factories = without_lowest(factories)
        points += rules.factory_per[Building.SHOP] * popcount(beside & state.of[seat, Building.SHOP])
        points += rules.factory_per[Building.HARBOR] * popcount(beside & state.of[seat, Building.HARBOR])
        points += rules.factory_per[Building.OFFICE_TOWER] * popcount(beside & state.of[seat, Building.OFFICE_TOWER])
    return points


@small
def longest_row(rules: Rules, spaces: np.uint64) -> int:
    """Return the length of the longest unbroken row of spaces."""
    length = 0
    while spaces != NOTHING:
        length += 1
        spaces &= (spaces & ~rules.first_column) >> np.uint64(1)
    return length


@small
def longest_column(rules: Rules, spaces: np.uint64) -> int:
    """Return the length of the longest unbroken column of spaces."""
    length = 0
    while spaces != NOTHING:
        length += 1
        spaces &= spaces >> np.uint64(rules.columns)
    return length


@small
def first_line(rules: Rules, spaces: np.uint64, length: int, is_column: bool) -> np.uint64:
    """Return the first unbroken row, or column, of a length."""
    step = np.uint64(rules.columns if is_column else 1)
    starts = spaces
    for _ in range(1, length):
        starts = spaces & ((starts if is_column else starts & ~rules.first_column) >> step)
    line = bit(lowest(starts))
    for _ in range(1, length):
        line |= line << step
    return line


@small
def score_harbors(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Score the longest row of Harbors and the longest column."""
    harbors = state.of[seat, Building.HARBOR] & active
    return rules.harbor_row[longest_row(rules, harbors)] + rules.harbor_column[longest_column(rules, harbors)]


@small
def score_monument(rules: Rules, state: State, seat: int, active: np.uint64, space: int) -> int:
    """Score a Monument, or the Capitol as one, for the Parks, Shops and Public Services beside it."""
    beside = rules.neighbours[space] & active
    return (
        rules.monument_per[Building.PARK] * popcount(beside & state.of[seat, Building.PARK])
        + rules.monument_per[Building.SHOP] * popcount(beside & state.of[seat, Building.SHOP])
        + rules.monument_per[Building.PUBLIC_SERVICE] * popcount(beside & state.services[seat])
    )


@small
def score_monument_penalty(rules: Rules, state: State, seat: int, active: np.uint64, space: int) -> int:
    """Score what the Factories and Harbors beside a Monument, or the Capitol, cost it: at most 0."""
    beside = rules.neighbours[space] & active
    return rules.monument_per[Building.FACTORY] * popcount(
        beside & state.of[seat, Building.FACTORY]
    ) + rules.monument_per[Building.HARBOR] * popcount(beside & state.of[seat, Building.HARBOR])


@small
def monuments_of(state: State, seat: int) -> np.uint64:
    """Return the spaces with a Monument, or the Capitol, which counts as one (part 5)."""
    return state.of[seat, Building.MONUMENT] | state.of[seat, Building.CAPITOL]


@small
def score_monuments(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Score all Monuments and Capitols."""
    points = 0
    spaces = monuments_of(state, seat) & active
    while spaces != NOTHING:
        points += score_monument(rules, state, seat, active, lowest(spaces))
        spaces = without_lowest(spaces)
    return points


@small
def beside_any(rules: Rules, spaces: np.uint64) -> np.uint64:
    """Return all spaces that share a side with one of `spaces`."""
    one, width = np.uint64(1), np.uint64(rules.columns)
    sideways = ((spaces & ~rules.last_column) << one) | ((spaces & ~rules.first_column) >> one)
    return (sideways | (spaces << width) | (spaces >> width)) & rules.board


@small
def office_group(rules: Rules, offices: np.uint64, centers: np.uint64, start: np.uint64) -> np.uint64:
    """Return the group of Office Towers around those in `start`: connected side by side, or by a Congress Center."""
    group = start
    grown = NOTHING
    while grown != group:
        grown = group
        beside = beside_any(rules, group)
        group |= beside & offices
        if rules.bridges:
            group |= beside_any(rules, beside & centers) & offices
    return group


@small
def office_group_size(rules: Rules, group: np.uint64, centers: np.uint64) -> int:
    """Return the size of a group, and of Congress Centers that touch it, capped at the last row of the table."""
    return min(popcount(group) + popcount(beside_any(rules, group) & centers), rules.group_sizes)


@small
def score_office_towers(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Score each Office Tower by the size of its group and its floors."""
    points = 0
    offices = state.of[seat, Building.OFFICE_TOWER] & active
    centers = state.of[seat, Building.CONGRESS_CENTER] & active
    left = offices
    while left != NOTHING:
        group = office_group(rules, offices, centers, left & ~(left - np.uint64(1)))
        left &= ~group
        size = office_group_size(rules, group, centers)
        while group != NOTHING:
            points += rules.office_tower[size - 1, state.floors[seat, lowest(group)]]
            group = without_lowest(group)
    return points


@small
def score_printed(state: State, seat: int, active: np.uint64) -> int:
    """Score the VP printed on active tiles."""
    points = 0
    while active != NOTHING:
        points += state.printed[seat, lowest(active)]
        active = without_lowest(active)
    return points


@small
def full_line(rules: Rules, spaces: np.uint64) -> np.uint64:
    """Return the first row that `spaces` fill, or else column, of the city."""
    for row in range(rules.rows):
        if rules.row[row] & ~spaces == NOTHING:
            return rules.row[row]
    for column in range(rules.columns):
        if rules.column[column] & ~spaces == NOTHING:
            return rules.column[column]
    return NOTHING


@small
def highest_tower(rules: Rules, state: State, seat: int, active: np.uint64) -> tuple[int, np.uint64]:
    """Return the floors of the highest Tower Block, or Office Tower in Expert, and the space of the first such one."""
    towers = state.towers[seat] if rules.police_counts_office_towers else state.of[seat, Building.TOWER_BLOCK]
    towers &= active
    highest, found = 0, NOTHING
    while towers != NOTHING:
        space = lowest(towers)
        towers = without_lowest(towers)
        if state.floors[seat, space] > highest:
            highest, found = state.floors[seat, space], bit(space)
    return highest, found


@small
def full_districts(rules: Rules, built: np.uint64) -> int:
    """Count the districts without an empty space."""
    full = 0
    for district in range(rules.districts):
        full += 1 if rules.district[district] & ~built == NOTHING else 0
    return full


@small
def score_city_planning(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Score 1 VP for each full district, and 1 more for a full city."""
    built = state.occupied[seat] if rules.planning_counts_inactive else active
    whole = rules.vp_full_city if rules.board & ~built == NOTHING else 0
    return rules.vp[Building.CITY_PLANNING] * full_districts(rules, built) + whole


@small
def score_fire_station(rules: Rules, state: State, seat: int, active: np.uint64, space: int) -> int:
    """Score the Factories beside a Fire Station."""
    beside = rules.neighbours[space] & active & state.of[seat, Building.FACTORY]
    return rules.vp[Building.FIRE_STATION] * popcount(beside)


@njit
def score_expansion_tile(rules: Rules, state: State, seat: int, active: np.uint64, space: int) -> int:
    """Score one active tile of the expansion, all but Capitol and Reprocessing Plant (part 5)."""
    building = state.building[seat, space]
    vp = rules.vp[building]
    if building == Building.CITY_HALL:
        return vp * popcount(state.services[seat] & active)
    if building == Building.CUSTOMS_OFFICE:
        return vp if full_line(rules, state.of[seat, Building.HARBOR] & active) != NOTHING else 0
    if building == Building.CITY_PLANNING:
        return score_city_planning(rules, state, seat, active)
    if building == Building.FIRE_STATION:
        return score_fire_station(rules, state, seat, active, space)
    if building == Building.PARK_DISTRICT:
        return vp * popcount(state.of[seat, Building.PARK] & active)
    if building == Building.POLICE_STATION:
        return vp * highest_tower(rules, state, seat, active)[0]
    if building == Building.SCHOOL:
        return vp * popcount(state.of[seat, Building.TOWER_BLOCK] & active)
    return 0


@small
def expansion_tiles(state: State, seat: int) -> np.uint64:
    """Return the spaces with tiles of the expansion."""
    return state.services[seat] & ~state.of[seat, Building.PUBLIC_SERVICE]


@njit
def score_gains(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Score all that can only grow when another building is activated, without Shops and leftovers."""
    points = (
        score_tower_blocks(rules, state, seat, active)
        + rules.by_districts[districts_served(rules, state, seat, active)]
        + score_parks(rules, state, seat, active)
        + score_factories(rules, state, seat, active)
        + score_harbors(rules, state, seat, active)
        + score_office_towers(rules, state, seat, active)
        + score_monuments(rules, state, seat, active)
        + score_printed(state, seat, active)
    )
    tiles = expansion_tiles(state, seat) & active
    while tiles != NOTHING:
        points += score_expansion_tile(rules, state, seat, active, lowest(tiles))
        tiles = without_lowest(tiles)
    return points


@small
def score_penalties(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Score all that can only sink when another building is activated: at most 0."""
    points = 0
    spaces = monuments_of(state, seat) & active
    while spaces != NOTHING:
        points += score_monument_penalty(rules, state, seat, active, lowest(spaces))
        spaces = without_lowest(spaces)
    return points


@small
def score_shops(rules: Rules, shops: int, inhabitants: int) -> int:
    """Score so many active Shops with so many inhabitants for them, and what is left over of these (parts 3 and 4)."""
    seated = min(inhabitants, shops * rules.customers)
    return rules.shops[shops, seated] + rules.leftover_inhabitant * (inhabitants - seated)


@small
def score_surplus(rules: Rules, parks: int, plants: int, energy: int) -> int:
    """Score surplus energy: a Reprocessing Plant takes all of it, else Parks absorb some (parts 3 and 5)."""
    if plants > 0:
        return rules.vp[Building.REPROCESSING_PLANT] * (energy // rules.energy_per_vp)
    return rules.leftover_energy * max(0, energy - parks * rules.park_absorbs)
