"""A whole game of City Services, and many of them (rulebook, Setup and Turn Sequence)."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from balance.games.bits import bit, has
from balance.games.city_services.components import Kind, Moment, Rules, State
from balance.games.city_services.cups import clear_hands, cups_are_empty, fill_cups, take_from_cup
from balance.games.city_services.placement import clear_board, place_tile, types_to_place
from balance.games.city_services.policies import (
    Choice,
    Sight,
    greedy_placement,
    random_placement,
    types_to_choose,
)
from balance.games.city_services.revenue import (
    NO_REVENUE,
    Revenue,
    clear_coverage,
    cover,
    points,
    take_revenue,
)
from balance.games.city_services.tally import (
    Tally,
    book_denials,
    book_game,
    book_limits,
    book_placement,
    book_revenue,
)
from balance.games.interventions import (
    Act,
    Change,
    Study,
    book_change,
    change_of,
    change_policy,
    list_changes,
    start_study,
)
from balance.games.luck import DECISIONS, decision_key, game_key
from balance.games.outcome import (
    BLOCKS,
    Course,
    Outcome,
    book_result,
    book_turn,
    mark_halftime,
    share_win,
    start_course,
)
from balance.games.record import Ints, new_record
from balance.games.seating import Brain, Seating, seat_policies
from balance.jit import njit, small


class Move(IntEnum):
    """Columns of a recorded placement."""

    TURN = 0
    SEAT = 1
    TILE = 2
    SQUARE = 3
    GIVEN = 4
    DENIED_BY_COVERAGE = 5
    DENIED_BY_LIMIT = 6
    IS_BLANK = 7


class Script(NamedTuple):
    """One game written down; without room for moves nothing is written."""

    moves: Ints  # (tiles, len(Move)) placements in order
    size: Ints  # (2,) placements and turns written


class Table(NamedTuple):
    """All that lies on the table while games are played."""

    rules: Rules
    seating: Seating
    state: State
    course: Course
    sight: Sight
    study: Study


class Books(NamedTuple):
    """Where games are counted and written down; `counting` is off only to measure what counting costs."""

    outcome: Outcome
    tally: Tally
    script: Script
    changes: Ints  # interventions; see `balance.games.interventions`
    counting: bool


def new_table(rules: Rules, seating: Seating, study: Study) -> Table:
    """Return a table at which games can be played, one after another."""
    words = len(rules.board)
    state, sight = new_record(State, words=words), new_record(Sight, words=words)
    return Table(rules, seating, state, new_record(Course), sight, study)


@njit
def play_games(table: Table, books: Books, first: int, last: int) -> int:
    """Play the games from number `first` to before `last`; return the sum of all scores."""
    checksum = 0
    course, study = table.course, table.study
    for start in range(first, min(first + BLOCKS, last)):  # a block's games in a row keep its tally at hand
        for game in range(start, last, BLOCKS):
            start_study(study)
            number = 0
            while number < study.changes:
                play_game(table, books, game, change_of(study, number))
                if number > 0:
                    book_change(books.changes, study, course, number, game % BLOCKS)
                elif study.studied > 0:
                    list_changes(study, course, game)
                number += 1
            for seat in range(table.seating.seats):
                checksum += course.score[seat]
    return checksum


@small
def play_game(table: Table, books: Books, game: int, change: Change) -> None:
    """Play turns in order until both cups are empty and nobody has placed a tile for a whole round."""
    rules, state, course = table.rules, table.state, table.course
    seats = table.seating.seats
    block = game % BLOCKS
    key = game_key(table.seating.seed, game, DECISIONS)
    course.is_counted = books.counting and change.act == Act.NONE
    set_up(table, game, change)
    turn, idle_turns, last_placement = 0, 0, 0
    while not (cups_are_empty(state) and idle_turns >= seats):
        seat = turn % seats
        moment = Moment(block, turn, seat, course.policy[seat])
        placed_before = state.placed
        take_turn(table, books, moment, key)
        turn += 1
        if state.placed > placed_before:
            idle_turns, last_placement = 0, turn
        else:
            idle_turns += 1
        if turn == rules.halftime:
            mark_halftime(course)
        if course.is_counted:
            book_turn(books.outcome, course, block, seat, turn - 1)
    share_win(course)
    if course.is_counted:
        book_result(books.outcome, course, block, turn, last_placement)
        book_game(books.tally, rules, state, course, block)
    if table.study.studied > 0:
        note_held(table)
    books.script.size[1] = turn


@small
def note_held(table: Table) -> None:
    """Note the tiles that each seat drew; it could have no others."""
    state, course = table.state, table.course
    for seat in range(course.seats):
        course.held[seat] = state.in_hand[seat]
        for tile in range(table.rules.types):
            if state.placements[seat, tile] > 0:
                course.held[seat] |= bit(tile)
        course.offered[seat] = course.held[seat]


@small
def set_up(table: Table, game: int, change: Change) -> None:
    """Seat the policies, clear the board and deal the starting hands (rulebook, Setup)."""
    rules, state, course = table.rules, table.state, table.course
    seats = table.seating.seats
    start_course(course, seats, rules.handicap)
    seat_policies(course, table.seating, game)
    change_policy(course, change)
    mark_blanks(table, change)
    fill_cups(rules, state, table.seating.seed, game)
    clear_board(rules, state)
    clear_coverage(rules, state, seats)
    clear_hands(rules, state, seats)
    for seat in range(seats):
        for kind in (Kind.ZONE, Kind.SERVICE):
            take_from_cup(state, seat, kind, rules.start[kind])


@small
def mark_blanks(table: Table, change: Change) -> None:
    """Mark the tiles that each seat places blank: what it may not use, or nobody may (rules: Experiments)."""
    course, state = table.course, table.state
    for seat in range(course.seats):
        state.blank[seat] = np.uint64(0)
        if table.rules.withheld_is_blank:
            state.blank[seat] = course.withheld[seat]
            course.withheld[seat] = np.uint64(0)
        if change.act == Act.BLANK:
            state.blank[seat] |= bit(change.tile)


@small
def take_turn(table: Table, books: Books, moment: Moment, key: np.uint64) -> None:
    """Take the three phases of a turn: Plan, Build and, with each Service placed, Revenue."""
    rules = table.rules
    for kind in (Kind.SERVICE, Kind.ZONE):
        take_from_cup(table.state, moment.seat, kind, rules.draw[kind])
    step = 0
    for kind in (Kind.ZONE, Kind.SERVICE):
        for _ in range(rules.place[kind]):
            move = choose_placement(table, books, moment, kind, decision_key(key, moment.seat, moment.turn, step))
            step += 1
            if move[0] < 0:
                break  # nothing has changed, so the next tile of this kind finds no square either
            place_tile(rules, table.state, moment.seat, move[0], move[1])
            revenue = NO_REVENUE
            if not has(table.state.blank[moment.seat], move[0]):
                if table.course.is_counted:
                    book_placement(books.tally, moment, move)
                if kind == Kind.SERVICE:
                    revenue = gain_points(table, books, moment, move)
            record_move(table, books.script, moment, move, revenue)


@small
def choose_placement(table: Table, books: Books, moment: Moment, kind: int, key: np.uint64) -> tuple[int, int]:
    """Let the seat's policy choose a tile of one kind and its square; NO_PLACEMENT where nothing is legal."""
    rules, state, course = table.rules, table.state, table.course
    types = types_to_choose(rules, state, course, moment, kind)
    if course.is_counted:
        book_limits(books.tally, rules, state, moment, kind)
    unused = course.withheld[moment.seat] | state.blank[moment.seat]
    services = types_to_place(rules, state, moment.seat, Kind.SERVICE) & ~unused
    choice = Choice(moment.seat, types_to_place(rules, state, moment.seat, kind), types, services, key)
    if table.seating.brain[moment.policy] == Brain.RANDOM:
        return random_placement(state, choice)
    return greedy_placement(rules, state, table.sight, choice, kind)


@small
def gain_points(table: Table, books: Books, moment: Moment, move: tuple[int, int]) -> Revenue:
    """Gain points for a placed Service, then cover its range (rulebook, Revenue Phase)."""
    rules, state, course = table.rules, table.state, table.course
    tile, square = move
    revenue = take_revenue(rules, state, moment.seat, tile, square)
    course.score[moment.seat] += points(rules, tile, revenue.given)
    if course.is_counted:
        book_revenue(books.tally, moment, move, revenue)
        if revenue.denied_by_coverage > 0:
            book_denials(books.tally, rules, state, course, moment, move)
    cover(rules, state, moment.seat, tile, square)
    return revenue


@small
def record_move(table: Table, script: Script, moment: Moment, move: tuple[int, int], revenue: Revenue) -> None:
    """Write a placement down, where there is room to write."""
    if script.moves.shape[0] == 0:
        return
    row = script.moves[script.size[0]]
    script.size[0] += 1
    row[Move.TURN] = moment.turn
    row[Move.SEAT] = moment.seat
    row[Move.TILE] = move[0]
    row[Move.SQUARE] = move[1]
    row[Move.GIVEN] = revenue.given
    row[Move.DENIED_BY_COVERAGE] = revenue.denied_by_coverage
    row[Move.DENIED_BY_LIMIT] = revenue.denied_by_limit
    row[Move.IS_BLANK] = has(table.state.blank[moment.seat], move[0])
