"""What is in the box of Quadropolis: tiles, Construction Site and city as arrays, and the state of a game.

A *kind* is a tile as printed (a Tower Block with 2 inhabitants, a Harbor with 3 VP); a *building* is what it becomes in
a city. Kinds are numbered: those of the Construction Site first, then the tiles of the Public Services pool. Sets of
spaces are bit masks in one word: space s of a city, row by row, is bit s.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from balance.games.record import Ints, Record, Words, shape

SEATS = 4
SPACES = 32
FLOORS = 8
KINDS = 64
ROUNDS = 8
SQUARES = 25
SIDES = 4
NUMBERS = 6
POOL = 64
VISIBLE = 8
DISTRICTS = 16
NEIGHBOURS = 5
CUSTOMERS = 10
PEOPLE = SPACES * (CUSTOMERS - 1) + 1
GROUPS = 9
LINE = SPACES + 1
MOST_RESOURCES = 9  # that a building may need

SHARE = 120
"""Shares of a point in bounds are counted in 120ths."""

NOTHING = np.uint64(0)
NO_KIND = -1
NO_SQUARE = -1
NO_SPACE = -1


class Building(IntEnum):
    """What can stand in a city; from CITY_HALL on the tiles of the expansion.

    BLANK is a tile of the base game that does nothing, for experiments.
    """

    TOWER_BLOCK = 0
    SHOP = 1
    PUBLIC_SERVICE = 2
    PARK = 3
    FACTORY = 4
    HARBOR = 5
    OFFICE_TOWER = 6
    MONUMENT = 7
    BLANK = 8
    CITY_HALL = 9
    CUSTOMS_OFFICE = 10
    CITY_PLANNING = 11
    ELECTRIC_UTILITY = 12
    FIRE_STATION = 13
    MATERNITY_WARD = 14
    PARK_DISTRICT = 15
    POLICE_STATION = 16
    REPROCESSING_PLANT = 17
    SCHOOL = 18
    TV_STATION = 19
    CAPITOL = 20
    CONGRESS_CENTER = 21


BUILDINGS = len(Building)
FIRST_OF_POOL: int = Building.CITY_HALL


class Rules(Record):
    """A scenario as the kernels read it, for a number of players."""

    # The city
    rows: int
    columns: int
    spaces: int
    board: np.uint64  # all spaces
    first_column: np.uint64  # spaces of the first column
    last_column: np.uint64
    row: Words = shape(SPACES)  # spaces of each row
    column: Words = shape(SPACES)  # spaces of each column
    districts: int
    district: Words = shape(DISTRICTS)  # spaces of each district
    district_of: Ints = shape(SPACES)
    neighbours: Words = shape(SPACES)  # spaces that share a side
    match: Words = shape(NUMBERS)  # spaces where an Architect of this number builds
    most_floors: Ints = shape(BUILDINGS)  # 1 where nothing is stacked
    # The Construction Site
    rounds: int
    placements: int  # Architects that each player places in a round
    highest_architect: int
    architects_are_shared: bool
    has_urbanist: bool
    has_mayor: bool
    kinds: int  # of the site and the pool
    site_kind: Ints = shape(ROUNDS, SQUARES)  # the tiles of a round; NO_KIND for face-down ones and empty squares
    site_mayor: Ints = shape(ROUNDS, SQUARES)  # 1 where the tile has the Mayor icon
    site_key: Words = shape(ROUNDS, SQUARES)  # what tells the tile from others in random numbers
    building: Ints = shape(KINDS)  # what a kind becomes
    is_standard: Ints = shape(KINDS)  # 1 for a standard Public Service, which can be exchanged
    gives_inhabitants: Ints = shape(KINDS)
    gives_energy: Ints = shape(KINDS)
    printed_vp: Ints = shape(KINDS)
    # The pool of Public Services
    visible: int  # tiles revealed each round
    pool: int  # tiles in the pool
    pool_kind: Ints = shape(POOL)
    pool_key: Words = shape(POOL)
    # Activation
    needs_inhabitants: Ints = shape(BUILDINGS)
    needs_energy: Ints = shape(BUILDINGS)
    is_free: Ints = shape(BUILDINGS)  # 1 where a building needs nothing and is always active
    counts_for_ties: Ints = shape(BUILDINGS)  # 1 for a building that needs an inhabitant; not for Shops
    leftover_inhabitant: int  # VP, at most 0
    leftover_energy: int  # VP, at most 0
    park_absorbs: int  # energy
    energy_per_vp: int  # surplus energy on a Reprocessing Plant
    inhabitants_per_shop: int  # what a TV Station brings
    tv_counts_inactive: bool
    # Scoring
    tower_block: Ints = shape(FLOORS + 1)  # by floors
    customers: int  # that a Shop holds
    shop: Ints = shape(CUSTOMERS)  # by customers
    shops: Ints = shape(SPACES + 1, PEOPLE)  # most VP of so many Shops with so many inhabitants
    by_districts: Ints = shape(DISTRICTS + 1)
    park: Ints = shape(NEIGHBOURS)
    factory_per: Ints = shape(BUILDINGS)
    monument_per: Ints = shape(BUILDINGS)
    harbor_row: Ints = shape(SPACES + 1)  # by the length of the row, from 0
    harbor_column: Ints = shape(SPACES + 1)
    group_sizes: int  # rows of `office_tower`; larger groups score as the last one
    office_tower: Ints = shape(GROUPS, FLOORS + 1)  # by size of the group and floors
    vp: Ints = shape(BUILDINGS)  # of an expansion tile, for each thing that it scores
    vp_full_city: int
    police_counts_office_towers: bool
    bridges: bool  # a Congress Center joins the groups that it touches
    planning_counts_inactive: bool
    handicap: Ints = shape(SEATS)
    # Upper bounds for greedy: the most that one more thing can add
    park_step: Ints = shape(NEIGHBOURS)  # one more Tower beside a Park that has at most so many
    district_step: Ints = shape(DISTRICTS + 1)  # one more district, with at most so many others
    row_step: Ints = shape(SPACES + 1, SPACES + 1)  # a Harbor between at most so many on either side
    column_step: Ints = shape(SPACES + 1, SPACES + 1)
    office_step: Ints = shape(FLOORS + 1)  # one more in the group of an Office Tower of so many floors
    office_floor_step: Ints = shape(FLOORS + 1)  # one more floor on an Office Tower of so many
    # Lower bounds for activation, in shares of a point: the least that each one dropped takes with it
    park_share: Ints = shape(NEIGHBOURS, NEIGHBOURS)  # of so many Towers beside a Park, so many of them undecided
    district_share: Ints = shape(DISTRICTS + 1, DISTRICTS + 1)  # of so many districts, so many of them undecided
    row_share: Ints = shape(LINE, LINE, LINE)  # of so many Harbors in a row, the next longest, and how many undecided
    column_share: Ints = shape(LINE, LINE, LINE)
    office_flattest: Ints = shape(FLOORS + 1)  # VP that one more in its group adds at least to an Office Tower


class State(Record):
    """A game in progress: the Construction Site, and a city for each seat."""

    # The Construction Site
    square: Ints = shape(SQUARES)  # the kind on each square, or NO_KIND
    mayor_square: int  # where the tile with the Mayor icon lies, or NO_SQUARE
    free_slots: np.uint64  # slots without an Architect, as a set
    urbanist: int  # the Urbanist's square, or NO_SQUARE
    numbers_left: Ints = shape(SEATS, NUMBERS)  # Architects of each number; a shared pool is that of seat 0
    mayor: int  # who starts this round
    next_mayor: int
    order_key: Words = shape(POOL)  # working room of shuffling
    # The Public Services
    stack: Ints = shape(POOL)  # tiles of the pool in the order of drawing
    stack_size: int
    drawn: int  # tiles drawn from the stack
    discards: Ints = shape(POOL)
    discarded: int
    reshuffles: int
    visible: Ints = shape(VISIBLE)  # tiles of the pool
    visible_size: int
    # The cities
    of: Words = shape(SEATS, BUILDINGS)  # spaces with each building
    occupied: Words = shape(SEATS)
    services: Words = shape(SEATS)  # spaces with any Public Service
    towers: Words = shape(SEATS)  # spaces with a Tower Block or an Office Tower
    building: Ints = shape(SEATS, SPACES)
    floors: Ints = shape(SEATS, SPACES)
    printed: Ints = shape(SEATS, SPACES)  # VP
    kind: Ints = shape(SEATS, SPACES, FLOORS)  # the tile of each floor
    inhabitants: Ints = shape(SEATS)
    energy: Ints = shape(SEATS)
    active: Words = shape(SEATS)  # active spaces at the end of the game


class Moment(NamedTuple):
    """When something happens, and to whom."""

    block: int  # statistical block of the game
    round: int
    turn: int  # turns of the game before this one
    seat: int
    policy: int  # index of the policy that sits there
