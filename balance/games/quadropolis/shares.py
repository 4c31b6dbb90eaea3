"""Whose points they are: a finished city's score by rule, by building, and by who made whom earn (own VP).

What a rule gives jointly is split equally among the buildings that earned it, in 720ths of a point, so that all rows
add up to the score: the districts' VP over the districts and then over the Public Services of each; the longest row
and column over their Harbors (the first one found, if several). Leftovers belong to no building.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from balance.games.bits import bit, lowest, popcount, without_lowest
from balance.games.quadropolis.activation import needs_of, seat_customers
from balance.games.quadropolis.components import (
    BUILDINGS,
    FIRST_OF_POOL,
    NOTHING,
    SPACES,
    Building,
    Rules,
    State,
)
from balance.games.quadropolis.scoring import (
    beside_any,
    districts_served,
    first_line,
    full_line,
    highest_tower,
    longest_column,
    longest_row,
    office_group,
    office_group_size,
    score_expansion_tile,
    score_monument,
    score_monument_penalty,
)
from balance.games.record import Ints, Record, shape
from balance.jit import njit, small

PART = 720
"""Points are counted in 720ths, which 2 to 6, 8, 9, 10 and 12 divide."""

_MOST_FED = 4096


class Rule(IntEnum):
    """The lines of a score."""

    TOWER_BLOCKS = 0
    SHOPS = 1
    DISTRICTS = 2
    PARKS = 3
    FACTORIES = 4
    HARBOR_ROWS = 5
    HARBOR_COLUMNS = 6
    MONUMENTS = 7
    MONUMENT_PENALTIES = 8
    OFFICE_TOWERS = 9
    PRINTED_VP = 10
    CITY_HALL = 11
    CUSTOMS_OFFICE = 12
    CITY_PLANNING = 13
    FIRE_STATION = 14
    PARK_DISTRICT = 15
    POLICE_STATION = 16
    REPROCESSING_PLANT = 17
    SCHOOL = 18
    CAPITOL = 19
    CAPITOL_PENALTIES = 20
    LEFTOVER_INHABITANTS = 21
    LEFTOVER_ENERGY = 22


RULES = len(Rule)

_RULE_OF = np.full(BUILDINGS, -1, dtype=np.int64)
for _name in (
    "CITY_HALL",
    "CUSTOMS_OFFICE",
    "CITY_PLANNING",
    "FIRE_STATION",
    "PARK_DISTRICT",
    "POLICE_STATION",
    "SCHOOL",
):
    _RULE_OF[Building[_name]] = Rule[_name]


class Shares(Record):
    """A finished city taken apart."""

    active: np.uint64  # active spaces
    customers: Ints = shape(SPACES)  # of each Shop
    left_inhabitants: int
    left_energy: int  # that neither Parks nor a Reprocessing Plant take
    rule: Ints = shape(RULES)  # VP of each line
    own: Ints = shape(SPACES)  # 720ths of VP of the building on each space
    fed: int  # entries of the following lists
    giver: Ints = shape(_MOST_FED)  # buildings
    scorer: Ints = shape(_MOST_FED)
    given: Ints = shape(_MOST_FED)  # 720ths of VP


@njit
def share_points(rules: Rules, state: State, shares: Shares, seat: int) -> None:
    """Take a city apart as it was activated at the end."""
    shares.active = state.active[seat]
    shares.fed = 0
    for rule in range(RULES):
        shares.rule[rule] = 0
    for space in range(rules.spaces):
        shares.own[space] = 0
        shares.customers[space] = 0
    _share_means(rules, state, shares, seat)
    _share_by_space(rules, state, shares, seat)
    _share_districts(rules, state, shares, seat)
    _share_harbors(rules, state, shares, seat)
    _share_office_towers(rules, state, shares, seat)


@small
def _give(shares: Shares, rule: int, space: int, points: int) -> None:
    """Give the points of a rule to one building."""
    shares.rule[rule] += points
    shares.own[space] += PART * points


@small
def _feed(state: State, shares: Shares, seat: int, giver: int, scorer: int, parts: int) -> None:
    """Note that the building on one space made that on another earn so many 720ths of a point."""
    if shares.fed < _MOST_FED and parts != 0:
        shares.giver[shares.fed] = state.building[seat, giver]
        shares.scorer[shares.fed] = state.building[seat, scorer]
        shares.given[shares.fed] = parts
        shares.fed += 1


@small
def _feed_equally(state: State, shares: Shares, seat: int, givers: np.uint64, scorer: int, points: int) -> None:
    """Note that several buildings together made another earn points."""
    count = popcount(givers)
    while givers != NOTHING:
        _feed(state, shares, seat, lowest(givers), scorer, PART * points // count)
        givers = without_lowest(givers)


@small
def _share_means(rules: Rules, state: State, shares: Shares, seat: int) -> None:
    """Share out inhabitants and energy: customers, surplus and leftovers (part 3)."""
    active = shares.active
    needed_inhabitants, needed_energy = needs_of(rules, state, seat, active)
    inhabitants = state.inhabitants[seat] - needed_inhabitants
    shares.left_inhabitants = seat_customers(rules, state, seat, active, inhabitants, shares.customers)
    shares.rule[Rule.LEFTOVER_INHABITANTS] = rules.leftover_inhabitant * shares.left_inhabitants
    energy = state.energy[seat] - needed_energy
    plants = state.of[seat, Building.REPROCESSING_PLANT] & active
    if plants != NOTHING:
        _give(
            shares,
            Rule.REPROCESSING_PLANT,
            lowest(plants),
            rules.vp[Building.REPROCESSING_PLANT] * (energy // rules.energy_per_vp),
        )
        energy = 0
    parks = popcount(state.of[seat, Building.PARK] & active)
    shares.left_energy = max(0, energy - parks * rules.park_absorbs)
    shares.rule[Rule.LEFTOVER_ENERGY] = rules.leftover_energy * shares.left_energy


@small
def _share_by_space(rules: Rules, state: State, shares: Shares, seat: int) -> None:
    """Give each building what its own rule gives it, and the VP printed on it."""
    active = shares.active
    spaces = active
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        building = state.building[seat, space]
        _give(shares, Rule.PRINTED_VP, space, state.printed[seat, space])
        if building == Building.TOWER_BLOCK:
            _give(shares, Rule.TOWER_BLOCKS, space, rules.tower_block[state.floors[seat, space]])
        elif building == Building.SHOP:
            _give(shares, Rule.SHOPS, space, rules.shop[shares.customers[space]])
        elif building == Building.PARK:
            towers = rules.neighbours[space] & state.towers[seat] & active
            points = rules.park[popcount(towers)]
            _give(shares, Rule.PARKS, space, points)
            _feed_equally(state, shares, seat, towers, space, points)
        elif building == Building.FACTORY:
            _share_factory(rules, state, shares, seat, space)
        elif building == Building.MONUMENT:
            _share_monument(rules, state, shares, seat, space, Rule.MONUMENTS, Rule.MONUMENT_PENALTIES)
        elif building == Building.CAPITOL:
            _share_monument(rules, state, shares, seat, space, Rule.CAPITOL, Rule.CAPITOL_PENALTIES)
        elif building >= FIRST_OF_POOL and _RULE_OF[building] >= 0:
            _share_expansion_tile(rules, state, shares, seat, space)


@small
def _share_factory(rules: Rules, state: State, shares: Shares, seat: int, space: int) -> None:
    """Give a Factory its points for each building beside it."""
    beside = rules.neighbours[space] & shares.active
    while beside != NOTHING:
        other = lowest(beside)
        beside = without_lowest(beside)
        points = rules.factory_per[state.building[seat, other]]
        _give(shares, Rule.FACTORIES, space, points)
        _feed(state, shares, seat, other, space, PART * points)


@small
def _share_monument(rules: Rules, state: State, shares: Shares, seat: int, space: int, rule: int, penalty: int) -> None:
    """Give a Monument, or the Capitol, its points and penalties for each building beside it."""
    _give(shares, rule, space, score_monument(rules, state, seat, shares.active, space))
    _give(shares, penalty, space, score_monument_penalty(rules, state, seat, shares.active, space))
    beside = rules.neighbours[space] & shares.active
    while beside != NOTHING:
        other = lowest(beside)
        beside = without_lowest(beside)
        _feed(state, shares, seat, other, space, PART * rules.monument_per[state.building[seat, other]])


@small
def _share_expansion_tile(rules: Rules, state: State, shares: Shares, seat: int, space: int) -> None:
    """Give a tile of the expansion what it scores; note what it scores for."""
    building = state.building[seat, space]
    active = shares.active
    points = score_expansion_tile(rules, state, seat, active, space)
    _give(shares, _RULE_OF[building], space, points)
    givers = NOTHING
    if building == Building.CITY_HALL:
        givers = state.services[seat] & active
    elif building == Building.FIRE_STATION:
        givers = rules.neighbours[space] & active & state.of[seat, Building.FACTORY]
    elif building == Building.PARK_DISTRICT:
        givers = active & state.of[seat, Building.PARK]
    elif building == Building.SCHOOL:
        givers = active & state.of[seat, Building.TOWER_BLOCK]
    elif building == Building.POLICE_STATION and points > 0:
        givers = highest_tower(rules, state, seat, active)[1]
    elif building == Building.CUSTOMS_OFFICE and points > 0:
        givers = full_line(rules, active & state.of[seat, Building.HARBOR])
    _feed_equally(state, shares, seat, givers, space, points)


@small
def _share_districts(rules: Rules, state: State, shares: Shares, seat: int) -> None:
    """Share the districts' VP equally over the districts, then over the Public Services of each."""
    active = shares.active
    served = districts_served(rules, state, seat, active)
    points = rules.by_districts[served]
    shares.rule[Rule.DISTRICTS] = points
    for district in range(rules.districts):
        services = state.services[seat] & active & rules.district[district]
        count = popcount(services)
        while services != NOTHING:
            shares.own[lowest(services)] += PART * points // (served * count)
            services = without_lowest(services)


@small
def _share_harbors(rules: Rules, state: State, shares: Shares, seat: int) -> None:
    """Share the VP of the longest row, and of the longest column, over its Harbors: the first one found."""
    harbors = state.of[seat, Building.HARBOR] & shares.active
    if harbors == NOTHING:
        return
    for is_column in range(2):
        length = longest_column(rules, harbors) if is_column == 1 else longest_row(rules, harbors)
        points = rules.harbor_column[length] if is_column == 1 else rules.harbor_row[length]
        line = first_line(rules, harbors, length, is_column == 1)
        shares.rule[Rule.HARBOR_COLUMNS if is_column == 1 else Rule.HARBOR_ROWS] = points
        scorers = line
        while scorers != NOTHING:
            space = lowest(scorers)
            scorers = without_lowest(scorers)
            shares.own[space] += PART * points // length
            others = line & ~bit(space)
            while others != NOTHING:
                _feed(state, shares, seat, lowest(others), space, PART * points // (length * (length - 1)))
                others = without_lowest(others)


@small
def _share_office_towers(rules: Rules, state: State, shares: Shares, seat: int) -> None:
    """Give each Office Tower its points; note what those of its group add to it."""
    offices = state.of[seat, Building.OFFICE_TOWER] & shares.active
    centers = state.of[seat, Building.CONGRESS_CENTER] & shares.active
    left = offices
    while left != NOTHING:
        group = office_group(rules, offices, centers, left & ~(left - np.uint64(1)))
        left &= ~group
        size = office_group_size(rules, group, centers)
        members = group
        while members != NOTHING:
            space = lowest(members)
            members = without_lowest(members)
            floors = state.floors[seat, space]
            _give(shares, Rule.OFFICE_TOWERS, space, rules.office_tower[size - 1, floors])
            more = rules.office_tower[size - 1, floors] - rules.office_tower[0, floors]
            _feed_group(rules, state, shares, seat, (group, centers), space, more)


@small
def _feed_group(
    rules: Rules, state: State, shares: Shares, seat: int, group: tuple[np.uint64, np.uint64], space: int, more: int
) -> None:
    """Note that the others of a group, and the Congress Centers beside it, add to an Office Tower."""
    offices, centers = group
    touching = beside_any(rules, offices) & centers
    _feed_equally(state, shares, seat, (offices | touching) & ~bit(space), space, more)
