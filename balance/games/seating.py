"""Who plays: the distinct policies, and which of them sits where; the same in every game."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from balance.games.outcome import BLOCKS, SEATS, Course
from balance.games.record import Ints, Record, Words, shape
from balance.jit import small


class Brain(IntEnum):
    """How a policy values what it can do."""

    RANDOM = 0
    GREEDY = 1


class Seating(Record):
    """Who plays, and which of their games are followed."""

    seats: int
    seed: np.uint64
    brain: Ints = shape(SEATS)  # by policy: a Brain
    withheld: Words = shape(SEATS)  # by policy: tiles, or buildings, that it never uses, as a set
    preferred: Words = shape(SEATS)  # by policy: tiles, or buildings, that it builds whenever it can, as a set
    policy_of_slot: Ints = shape(SEATS)  # policy of each seat before rotation
    rotates: bool  # every 240 games, each policy moves to the seat before its own
    followed_every: int  # the course of one round of 240 games in so many is followed


@small
def seat_policies(course: Course, seating: Seating, game: int) -> None:
    """Give each seat of a game its policy; tell whether the course of the game is followed."""
    rotation = game // BLOCKS
    course.is_followed = course.is_counted and rotation % seating.followed_every == 0
    for seat in range(seating.seats):
        slot = (seat + rotation) % seating.seats if seating.rotates else seat
        policy = seating.policy_of_slot[slot]
        course.policy[seat] = policy
        course.withheld[seat] = seating.withheld[policy]
        course.preferred[seat] = seating.preferred[policy]
