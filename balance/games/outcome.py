"""What every game tallies alike: scores, wins, margins, length and the arc, by block, policy and seat."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from balance.games.record import Ints, Record, Words, shape
from balance.jit import small

BLOCKS = 240
"""Game i belongs to statistical block i mod 240, however the work is cut up."""

WIN_UNITS = 12
"""A win counts 12, so that a win shared by 2, 3 or 4 seats is a whole number."""

NO_LEADER = -1

LOWEST_SCORE = -100
"""Where histograms of scores start; what is lower counts there."""

SEATS = 4
_NO_SCORE = -(1 << 40)


class ByGame(IntEnum):
    """Columns of `Outcome.games`: sums over games."""

    GAMES = 0
    SHARED_WINS = 1  # games without a sole winner
    TURNS = 2
    TURNS_SQUARED = 3
    TURNS_TO_LAST_PLACEMENT = 4
    LEAD_CHANGES = 5  # times that the sole leader differed from the one before
    HALFTIME_WINS = 6  # 144ths of a win for the leader (or leaders, equally) at half-time
    FOLLOWED = 7  # games whose course was followed: arc, lead changes and half-time are of these


class BySeat(IntEnum):
    """Columns of `Outcome.seats`: sums over the games that a policy played from a seat."""

    GAMES = 0
    SCORE = 1  # VP
    SCORE_SQUARED = 2
    WINS = 3  # twelfths of a win
    FOLLOWED = 4  # games whose course was followed


class Outcome(NamedTuple):
    """Sums over games, by statistical block; int64 throughout."""

    games: Ints  # (blocks, ByGame)
    seats: Ints  # (blocks, policies, seats, BySeat)
    scores: Ints  # (blocks, policies, seats, bins) games by final score, from `LOWEST_SCORE` on
    margins: Ints  # (blocks, bins) games by the winner's lead over the next, in VP
    arc: Ints  # (blocks, policies, seats, rounds) VP after each turn, or round, of the seat; the final VP after the end


class Course(Record):
    """The course of the game being played."""

    score: Ints = shape(SEATS)  # VP so far
    tie_breaker: Ints = shape(SEATS)  # what decides between equal scores at the end, the higher the better
    policy: Ints = shape(SEATS)  # which policy sits there, as an index into the distinct policies
    withheld: Words = shape(SEATS)  # tiles, or buildings, that the seat never uses, as a set
    preferred: Words = shape(SEATS)  # tiles, or buildings, that it builds whenever it can, as a set
    held: Words = shape(SEATS)  # at the end: tiles, or buildings, that the seat had, as a set
    offered: Words = shape(SEATS)  # at the end: tiles, or buildings, that it could have had, as a set
    wins: Ints = shape(SEATS)  # twelfths of this game's win
    halftime_leads: Ints = shape(SEATS)  # 1 for a leader at half-time
    leader: int  # the last sole leader, or NO_LEADER
    seats: int
    is_counted: bool  # this game is booked
    is_followed: bool  # so is its course


def new_outcome(policies: int, seats: int, bins: int, rounds: int) -> Outcome:
    """Return an empty tally."""

    def zeros(*lengths: int) -> Ints:
        return np.zeros((BLOCKS, *lengths), dtype=np.int64)

    return Outcome(
        games=zeros(len(ByGame)),
        seats=zeros(policies, seats, len(BySeat)),
        scores=zeros(policies, seats, bins),
        margins=zeros(bins),
        arc=zeros(policies, seats, rounds),
    )


@small
def start_course(course: Course, seats: int, handicap: Ints) -> None:
    """Start a game: every seat has its handicap, nobody leads; its course is followed."""
    course.seats = seats
    course.is_followed = True
    for seat in range(seats):
        course.score[seat] = handicap[seat]
        course.tie_breaker[seat] = 0
        course.halftime_leads[seat] = 0
    course.leader = NO_LEADER


@small
def book_turn(outcome: Outcome, course: Course, block: int, seat: int, turn: int) -> None:
    """Book the score after a turn, and a lead change where the sole leader is a new one."""
    book_arc(outcome, course, block, seat, turn // course.seats)
    follow_leader(outcome, course, block)


@small
def book_arc(outcome: Outcome, course: Course, block: int, seat: int, round_: int) -> None:
    """Book a seat's score after a turn, or round, of its own; the last one comes with the result."""
    if round_ < outcome.arc.shape[3] - 1:
        outcome.arc[block, course.policy[seat], seat, round_] += course.score[seat]


@small
def follow_leader(outcome: Outcome, course: Course, block: int) -> None:
    """Book a lead change where the sole leader is a new one."""
    best = highest_score(course)
    leader, leaders = 0, 0
    for seat in range(course.seats):  # sums, as the branches of who leads cannot be foretold
        leads = int(course.score[seat] == best)
        leader += leads * seat
        leaders += leads
    if leaders == 1 and leader != course.leader:
        if course.leader != NO_LEADER:
            outcome.games[block, ByGame.LEAD_CHANGES] += 1
        course.leader = leader


@small
def highest_score(course: Course) -> int:
    """Return the score of the leader or leaders."""
    best = course.score[0]
    for seat in range(1, course.seats):
        best = max(best, course.score[seat])
    return best


@small
def mark_halftime(course: Course) -> None:
    """Remember who leads at half-time."""
    best = highest_score(course)
    for seat in range(course.seats):
        course.halftime_leads[seat] = 1 if course.score[seat] == best else 0


@small
def share_win(course: Course) -> int:
    """Give the win to the highest score, then tie-breaker, in equal parts where several have both; return how many."""
    best, best_breaker = highest_score(course), -1
    for seat in range(course.seats):
        if course.score[seat] == best:
            best_breaker = max(best_breaker, course.tie_breaker[seat])
    winners = 0
    for seat in range(course.seats):
        course.wins[seat] = 0
        if course.score[seat] == best and course.tie_breaker[seat] == best_breaker:
            winners += 1
            course.wins[seat] = 1
    for seat in range(course.seats):
        course.wins[seat] *= WIN_UNITS // winners
    return winners


@small
def book_result(outcome: Outcome, course: Course, block: int, turns: int, last_placement: int) -> None:
    """Book a finished game; `share_win` comes first."""
    bins = outcome.margins.shape[1]
    best, second = _NO_SCORE, _NO_SCORE
    winners, leaders, leaders_wins = 0, 0, 0
    for seat in range(course.seats):
        score = course.score[seat]
        _book_score(outcome, course, block, seat, turns)
        if score > best:
            best, second = score, best
        elif score > second:
            second = score
        winners += 1 if course.wins[seat] > 0 else 0
        leaders += course.halftime_leads[seat]
        leaders_wins += course.halftime_leads[seat] * course.wins[seat]
    outcome.margins[block, min(best - second, bins - 1)] += 1
    games = outcome.games[block]
    games[ByGame.GAMES] += 1
    games[ByGame.SHARED_WINS] += 1 if winners > 1 else 0
    games[ByGame.TURNS] += turns
    games[ByGame.TURNS_SQUARED] += turns * turns
    games[ByGame.TURNS_TO_LAST_PLACEMENT] += last_placement
    if course.is_followed:
        games[ByGame.FOLLOWED] += 1
        if leaders > 0:
            games[ByGame.HALFTIME_WINS] += leaders_wins * WIN_UNITS // leaders


@small
def _book_score(outcome: Outcome, course: Course, block: int, seat: int, turns: int) -> None:
    """Book a seat's final score, also as the score after the turns that it no longer took."""
    score, policy = course.score[seat], course.policy[seat]
    row = outcome.seats[block, policy, seat]
    row[BySeat.GAMES] += 1
    row[BySeat.SCORE] += score
    row[BySeat.SCORE_SQUARED] += score * score
    row[BySeat.WINS] += course.wins[seat]
    bins = outcome.scores.shape[3]
    outcome.scores[block, policy, seat, max(0, min(score - LOWEST_SCORE, bins - 1))] += 1
    if not course.is_followed:
        return
    row[BySeat.FOLLOWED] += 1
    turns_taken = (turns - seat + course.seats - 1) // course.seats
    rounds = outcome.arc.shape[3]
    for later in range(min(turns_taken, rounds - 1), rounds):
        outcome.arc[block, policy, seat, later] += score
