"""Interventions: the same game played again with one thing changed, to see what a tile brings (design: Verdicts).

A game is played as it is. Then, for each tile that is studied and each seat that held it, the game is played again
on the same luck without that seat using the tile; and once for each tile held by anybody with the tile there but
doing nothing. A game in which nobody held the tile would come out the same, and is not played again.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from balance.games.bits import bit, has
from balance.games.outcome import BLOCKS, SEATS, Course
from balance.games.record import Ints, Record, Words, shape
from balance.jit import small

MOST_TILES = 64
TAKE_EVERY = 8
"""For must-take every seat plays a game again with every tile: one game in so many does."""

_MOST_CHANGES = 1 + (2 * SEATS + 1) * MOST_TILES


class Act(IntEnum):
    """What is changed."""

    OMIT = 0  # one seat may not use the tile
    BLANK = 1  # the tile is there for everybody, but does nothing
    TAKE = 2  # one seat builds the tile whenever it can
    NONE = 3  # the game as it is


ACTS: int = Act.NONE


class Change(NamedTuple):
    """One thing changed in a game."""

    act: int
    tile: int  # number of a tile, or building
    seat: int  # whose; 0 where it is everybody's


class ByChange(IntEnum):
    """Columns of the tally `changes`: sums over the games played again, of the seats that held the tile.

    With Act.TAKE a seat counts wherever the tile was to be had. A difference is the game as it is less the game
    played again.
    """

    HOLDINGS = 0  # games, once for each such seat
    SCORE = 1  # VP in the game as it is
    SCORE_SQUARED = 2
    WINS = 3  # twelfths of the win in the game as it is
    DIFFERENCE = 4  # VP
    DIFFERENCE_SQUARED = 5
    WINS_DIFFERENCE = 6  # twelfths of a win
    CHANGED_SQUARED = 7  # squares of the VP in the game played again


class Study(Record):
    """Which tiles are studied; then the changes for which one game is played, and how it ended as it is."""

    tiles: Ints = shape(MOST_TILES)
    studied: int  # how many tiles
    act: Ints = shape(_MOST_CHANGES)
    column: Ints = shape(_MOST_CHANGES)  # place among the tiles
    seat: Ints = shape(_MOST_CHANGES)
    changes: int  # how many; the first is none
    held: Words = shape(SEATS)  # the game as it is: tiles that the seat held, as a set
    score: Ints = shape(SEATS)
    wins: Ints = shape(SEATS)


def new_changes(policies: int, seats: int, tiles: int) -> Ints:
    """Return an empty tally: (blocks, policies, seats, acts, tiles, ByChange)."""
    return np.zeros((BLOCKS, policies, seats, ACTS, tiles, len(ByChange)), dtype=np.int64)


@small
def change_policy(course: Course, change: Change) -> None:
    """Let a seat not use a tile, or build it whenever it can."""
    if change.act == Act.OMIT:
        course.withheld[change.seat] |= bit(change.tile)
    elif change.act == Act.TAKE:
        course.preferred[change.seat] |= bit(change.tile)


@small
def change_of(study: Study, number: int) -> Change:
    """Return one of the changes of the list."""
    return Change(study.act[number], study.tiles[study.column[number]], study.seat[number])


@small
def start_study(study: Study) -> None:
    """Start with the game as it is."""
    study.changes = 0
    _add_change(study, Act.NONE, 0, 0)


@small
def list_changes(study: Study, course: Course, game: int) -> None:
    """Note how a game ended as it is, and list the changes that could have made it end otherwise."""
    for seat in range(course.seats):
        study.held[seat] = course.held[seat]
        study.score[seat] = course.score[seat]
        study.wins[seat] = course.wins[seat]
    takes = (game + game // BLOCKS) % TAKE_EVERY == 0  # of each block alike
    for column in range(study.studied):
        tile = study.tiles[column]
        is_held = False
        for seat in range(course.seats):
            if has(course.held[seat], tile):
                is_held = True
                _add_change(study, Act.OMIT, column, seat)
            if takes and has(course.offered[seat], tile):
                _add_change(study, Act.TAKE, column, seat)
        if is_held:
            _add_change(study, Act.BLANK, column, 0)


@small
def _add_change(study: Study, act: int, column: int, seat: int) -> None:
    study.act[study.changes] = act
    study.column[study.changes] = column
    study.seat[study.changes] = seat
    study.changes += 1


@small
def book_change(changes: Ints, study: Study, course: Course, number: int, block: int) -> None:
    """Book how a game that was played again differs, for the seats whose tile it was."""
    act, column = study.act[number], study.column[number]
    for seat in range(course.seats):
        is_concerned = has(study.held[seat], study.tiles[column]) if act == Act.BLANK else seat == study.seat[number]
        if is_concerned:
            difference = study.score[seat] - course.score[seat]
            row = changes[block, course.policy[seat], seat, act, column]
            row[ByChange.HOLDINGS] += 1
            row[ByChange.SCORE] += study.score[seat]
            row[ByChange.SCORE_SQUARED] += study.score[seat] * study.score[seat]
            row[ByChange.WINS] += study.wins[seat]
            row[ByChange.DIFFERENCE] += difference
            row[ByChange.DIFFERENCE_SQUARED] += difference * difference
            row[ByChange.WINS_DIFFERENCE] += study.wins[seat] - course.wins[seat]
            row[ByChange.CHANGED_SQUARED] += course.score[seat] * course.score[seat]
