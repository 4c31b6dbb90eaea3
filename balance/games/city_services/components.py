"""What is in the box of City Services: tiles, board and rules as arrays, and the state of a game.

Tile types are numbered: Zones first, then Services. Sets of types are bit masks in one word, sets of
squares are bit masks over as many words as the board needs (see `balance.games.bits`). Other arrays have
room for the largest scenario; the first `types`, `groups` and so on are used.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from balance.games.record import WORDS, Ints, Record, Words, shape

KINDS = 2
SEATS = 4
TYPES = 64
SQUARES = 256
RANGES = 16
TILES = 1024
NO_LIMIT = -1


class Kind(IntEnum):
    """The two tile sets, in the order in which a turn places them."""

    ZONE = 0
    SERVICE = 1


class Coverage(IntEnum):
    """Whose earlier Services of the same type deny the point for a Zone."""

    OFF = 0
    OWN = 1
    EVERYONE = 2


class Rules(Record):
    """A scenario as the kernels read it."""

    types: int
    zone_types: int  # types 0 .. zone_types - 1 are Zones, the others Services
    tile_key: Words = shape(TYPES)  # what tells this type from others in random numbers
    count: Ints = shape(TYPES)  # copies in the cups
    start: Ints = shape(KINDS)  # tiles dealt to each player before the first turn
    draw: Ints = shape(KINDS)  # tiles drawn in a turn
    place: Ints = shape(KINDS)  # tiles placed in a turn
    neighbours: Words = shape(SQUARES, WORDS)  # squares that share a side
    in_range: Words = shape(RANGES, SQUARES, WORDS)  # squares within each range, the square itself excluded
    board: Words = shape(WORDS)  # all squares
    first_squares: Words = shape(WORDS)  # where the first tile may go
    needs_neighbour: bool  # every later tile goes beside a placed one
    service_range: Ints = shape(TYPES)  # 0 for Zones
    vp_per_zone: Ints = shape(TYPES)  # points for each Zone that a Service scores
    printed_vp: Ints = shape(TYPES)  # points for placing a Service at all
    groups: int  # scoring groups: Services that score the same Zones
    scoring_group: Ints = shape(TYPES)  # the group of a Service
    group_scores: Words = shape(TYPES)  # Zone types that a group scores, as a set of types
    coverage: int  # a Coverage
    covers_later_zones: bool  # a Zone placed later into a range counts as covered
    forbidden_beside: Words = shape(TYPES)  # types beside which a tile may not be placed, as a set
    blocks: Words = shape(TYPES)  # types that may not be placed beside it, as a set
    limited: np.uint64  # types with a placement limit, as a set
    limit: Ints = shape(TYPES, TYPES)  # number of the placement limit of a tile beside a placed one, or NO_LIMIT
    handicap: Ints = shape(SEATS)  # points at the start
    halftime: int  # turns after which half of the rounds with draws are over
    withheld_is_blank: bool  # a tile that a policy may not use is placed blank (else it stays in hand)


class State(Record):
    """A game in progress."""

    hand: Ints = shape(SEATS, TYPES)  # copies in hand
    in_hand: Words = shape(SEATS)  # types in hand, as a set
    cup: Ints = shape(KINDS, TILES)  # types in the order of drawing
    cup_key: Words = shape(KINDS, TILES)  # what the order goes by
    unsorted_tile: Ints = shape(KINDS, TILES)  # the same before sorting
    unsorted_key: Words = shape(KINDS, TILES)
    shelf: Ints = shape(TILES + 1)
    cup_size: Ints = shape(KINDS)  # tiles that were in the cup
    drawn: Ints = shape(KINDS)  # tiles drawn so far
    placed: int  # tiles placed so far
    occupied: Words = shape(WORDS)
    open: Words = shape(WORDS)  # empty squares where a tile without placement limits may go
    beside: Words = shape(TYPES, WORDS)  # squares beside a placed tile of the type
    blocked: Words = shape(TYPES, WORDS)  # squares where placement limits forbid the type
    blocked_twice: Words = shape(TYPES, WORDS)  # squares where several placement limits forbid the type
    zones: Words = shape(WORDS)  # squares with a Zone
    scorable: Words = shape(TYPES, WORDS)  # Zones that a Service of a scoring group scores
    covered: Words = shape(SEATS, TYPES, WORDS)  # squares covered for Services of the type, by coverage slot
    covered_first: Words = shape(SEATS, TYPES, WORDS)  # squares that the seat's Services were the first to cover
    placements: Ints = shape(SEATS, TYPES)  # tiles placed in this game
    blank: Words = shape(SEATS)  # types whose copies a seat places blank, as a set (rules: Experiments)
    legal: Ints = shape(TYPES)  # legal squares of each type in hand, counted before each placement
    open_squares: int  # the same for a tile without placement limits
    pairs: int  # all pairs of a type in hand and a square where it may be placed


class Moment(NamedTuple):
    """When something happens, and to whom."""

    block: int  # statistical block of the game
    turn: int  # turns before this one
    seat: int
    policy: int  # index of the policy that sits there
