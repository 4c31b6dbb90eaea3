"""A whole game of Quadropolis, and many of them (rules: Quadropolis, part 2)."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from balance.games.bits import bit, popcount
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
from balance.games.luck import DECISIONS, DRAWS, decision_key, game_key
from balance.games.outcome import (
    BLOCKS,
    Course,
    Outcome,
    book_arc,
    book_result,
    follow_leader,
    mark_halftime,
    share_win,
    start_course,
)
from balance.games.quadropolis.activation import Search, activate_city, best_score
from balance.games.quadropolis.blanks import Blanked, blank_building, unblank
from balance.games.quadropolis.bounds import Values
from balance.games.quadropolis.city import build, clear_city
from balance.games.quadropolis.components import (
    BUILDINGS,
    FIRST_OF_POOL,
    NO_KIND,
    NO_SPACE,
    NOTHING,
    SPACES,
    SQUARES,
    Building,
    Moment,
    Rules,
    State,
)
from balance.games.quadropolis.construction_site import place_architect, set_up_round, take_tile
from balance.games.quadropolis.policies import (
    Choice,
    Move,
    Survey,
    greedy_move,
    kind_built,
    prefers,
    random_move,
    random_preferred_move,
)
from balance.games.quadropolis.public_services import discard, form_stack, reveal_services, take_visible
from balance.games.quadropolis.shares import Shares, share_points
from balance.games.quadropolis.tally import (
    Tally,
    book_city,
    book_discard,
    book_marginal_vp,
    book_offers,
    book_turn_taken,
)
from balance.games.record import Ints, new_record
from balance.games.seating import Brain, Seating, seat_policies
from balance.jit import njit, small

_TIE_UNIT = 64


class Line(IntEnum):
    """Columns of a recorded turn."""

    ROUND = 0
    SEAT = 1
    NUMBER = 2
    SLOT = 3
    SQUARE = 4
    REACHED = 5  # kind, or NO_KIND
    BUILT = 6  # kind, or NO_KIND
    DISCARDED = 7  # kind of the visible tile discarded by choice, or NO_KIND
    SPACE = 8
    INHABITANTS = 9
    ENERGY = 10
    VALUE = 11  # of the city after the turn


class Script(NamedTuple):
    """One game written down; without room for turns nothing is written."""

    turns: Ints  # (turns, len(Line))
    sites: Ints  # (rounds, squares) kinds at the start of each round
    mayors: Ints  # (rounds, 2) who starts, and the square of the Mayor icon
    visible: Ints  # (rounds, visible) kinds, or NO_KIND
    active: Ints  # (seats, spaces) 1 for an active building
    customers: Ints  # (seats, spaces)
    rules: Ints  # (seats, RULES) VP
    size: Ints  # (1,) turns written


class Table(NamedTuple):
    """All that lies on the table while games are played."""

    rules: Rules
    seating: Seating
    state: State
    course: Course
    search: Search
    values: Values
    survey: Survey
    shares: Shares
    study: Study
    blanked: Blanked


class Books(NamedTuple):
    """Where games are counted and written down; `counting` is off only to measure what counting costs."""

    outcome: Outcome
    tally: Tally
    script: Script
    changes: Ints  # interventions; see `balance.games.interventions`
    counting: bool


def new_table(rules: Rules, seating: Seating, study: Study) -> Table:
    """Return a table at which games can be played, one after another."""
    return Table(
        rules,
        seating,
        new_record(State),
        new_record(Course),
        new_record(Search),
        new_record(Values),
        new_record(Survey),
        new_record(Shares),
        study,
        new_record(Blanked),
    )


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
    """Play all rounds, then score the cities."""
    rules, seating, state, course = table.rules, table.seating, table.state, table.course
    course.is_counted = books.counting and change.act == Act.NONE
    if change.act == Act.BLANK:
        blank_building(rules, table.blanked, change.tile)
    block = game % BLOCKS
    draws = game_key(seating.seed, game, DRAWS)
    decisions = game_key(seating.seed, game, DECISIONS)
    set_up(table, game, draws, change)
    turn, last_build = 0, 0
    for number in range(rules.rounds):
        set_up_round(rules, seating, state, draws, number)
        reveal_services(rules, state, draws)
        note_offers(table)
        if course.is_counted:
            book_offers(books.tally, rules, state, block, number)
        record_round(table, books.script, number)
        for index in range(rules.placements * seating.seats):
            seat = (state.mayor + index) % seating.seats
            moment = Moment(block, number, turn, seat, course.policy[seat])
            turn += 1
            if take_turn(table, books, moment, decisions):
                last_build = turn
        state.mayor = state.next_mayor
        if course.is_followed and number < rules.rounds - 1:
            follow_round(table, books, block, number)
    score_cities(table)
    share_win(course)
    note_held(table)
    if course.is_counted:
        book_result(books.outcome, course, block, turn, last_build)
    finish_cities(table, books, block)
    if change.act == Act.BLANK:
        unblank(rules, table.blanked)


@small
def note_offers(table: Table) -> None:
    """Note the buildings that could be had so far: all of the base game, and what was visible of the pool."""
    rules, state, course = table.rules, table.state, table.course
    offered = bit(FIRST_OF_POOL) - bit(0)
    for place in range(state.visible_size):
        offered |= bit(rules.building[rules.pool_kind[state.visible[place]]])
    for seat in range(course.seats):
        course.offered[seat] |= offered


@small
def note_held(table: Table) -> None:
    """Note the buildings that each seat has."""
    for seat in range(table.course.seats):
        table.course.held[seat] = NOTHING
        for building in range(BUILDINGS):
            if table.state.of[seat, building] != NOTHING:
                table.course.held[seat] |= bit(building)


@small
def set_up(table: Table, game: int, draws: np.uint64, change: Change) -> None:
    """Seat the policies, clear the cities, shuffle the Public Services; seat 1 is the first Mayor (part 2)."""
    rules, seating, state, course = table.rules, table.seating, table.state, table.course
    start_course(course, seating.seats, rules.handicap)
    seat_policies(course, seating, game)
    change_policy(course, change)
    for seat in range(seating.seats):
        clear_city(state, seat)
        course.offered[seat] = NOTHING
    state.mayor = 0
    form_stack(rules, state, draws)


@small
def take_turn(table: Table, books: Books, moment: Moment, decisions: np.uint64) -> bool:
    """Place an Architect, move the Urbanist, and build what is reached, or not; tell whether a tile was built."""
    rules, state, seat = table.rules, table.state, moment.seat
    move = choose_move(table, moment, decisions)
    square = place_architect(rules, state, seat, move.number, move.slot)
    reached = take_tile(rules, state, seat, square)
    built, discarded = NO_KIND, NO_KIND
    if reached != NO_KIND and move.space != NO_SPACE:
        built = kind_built(rules, state, move, reached)
        build(rules, state, seat, built, move.space)
        if move.option >= 0:
            tile = take_visible(state, move.option)
            if not move.builds_visible:
                discard(state, tile)
                discarded = rules.pool_kind[tile]
                if table.course.is_counted:
                    book_discard(books.tally, rules, moment, tile)
    if table.course.is_counted:
        book_turn_taken(books.tally, rules, moment, reached, built)
    record_turn(table, books.script, moment, move, (square, reached, built, discarded))
    return built != NO_KIND


@small
def choose_move(table: Table, moment: Moment, decisions: np.uint64) -> Move:
    """Let the seat's policy choose its complete move."""
    rules, seating, state, course = table.rules, table.seating, table.state, table.course
    first = decision_key(decisions, moment.seat, moment.turn, 0)
    choice = Choice(moment.seat, course.withheld[moment.seat], course.preferred[moment.seat], first)
    if seating.brain[moment.policy] == Brain.GREEDY:
        return greedy_move(rules, state, table.search, table.values, table.survey, choice)
    if prefers(rules, state, table.survey, choice):
        return random_preferred_move(rules, state, table.survey, choice)
    later = (
        decision_key(decisions, moment.seat, moment.turn, 1),
        decision_key(decisions, moment.seat, moment.turn, 2),
    )
    return random_move(rules, state, choice, later)


@small
def follow_round(table: Table, books: Books, block: int, number: int) -> None:
    """Book what the cities would score after a round, and who leads."""
    course = table.course
    for seat in range(course.seats):
        course.score[seat] = table.rules.handicap[seat] + best_score(table.rules, table.state, table.search, seat)
        book_arc(books.outcome, course, block, seat, number)
    follow_leader(books.outcome, course, block)
    if number == max(1, table.rules.rounds // 2) - 1:
        mark_halftime(course)


@small
def score_cities(table: Table) -> None:
    """Score all cities; ties go to more active buildings that need an inhabitant, then more active ones (part 4)."""
    state, course, search = table.state, table.course, table.search
    for seat in range(course.seats):
        course.score[seat] = table.rules.handicap[seat] + activate_city(table.rules, state, search, seat)
        course.tie_breaker[seat] = _TIE_UNIT * search.for_ties + popcount(
            search.active & ~state.of[seat, Building.BLANK]
        )


@small
def finish_cities(table: Table, books: Books, block: int) -> None:
    """Take the cities apart and book them; `score_cities` and the win come first."""
    rules, state, course, search = table.rules, table.state, table.course, table.search
    if not course.is_counted and books.script.turns.shape[0] == 0:
        return
    for seat in range(course.seats):
        value = course.score[seat] - rules.handicap[seat]
        share_points(rules, state, table.shares, seat)
        if course.is_counted:
            book_city(books.tally, state, course, table.shares, block, seat)
            if course.is_followed:
                book_marginal_vp(books.tally, rules, state, search, course, block, seat, value)
        record_city(table, books.script, seat)


@small
def record_round(table: Table, script: Script, number: int) -> None:
    """Write down how a round starts, where there is room to write."""
    if script.turns.shape[0] == 0:
        return
    state = table.state
    for square in range(SQUARES):
        script.sites[number, square] = state.square[square]
    script.mayors[number, 0] = state.mayor
    script.mayors[number, 1] = state.mayor_square
    for place in range(script.visible.shape[1]):
        shown = place < state.visible_size
        script.visible[number, place] = table.rules.pool_kind[state.visible[place]] if shown else NO_KIND
    if number == 0:
        script.size[0] = 0


@small
def record_turn(table: Table, script: Script, moment: Moment, move: Move, happened: tuple[int, int, int, int]) -> None:
    """Write a turn down, where there is room to write."""
    if script.turns.shape[0] == 0:
        return
    row = script.turns[script.size[0]]
    script.size[0] += 1
    square, reached, built, discarded = happened
    row[Line.ROUND] = moment.round
    row[Line.SEAT] = moment.seat
    row[Line.NUMBER] = move.number
    row[Line.SLOT] = move.slot
    row[Line.SQUARE] = square
    row[Line.REACHED] = reached
    row[Line.BUILT] = built
    row[Line.DISCARDED] = discarded
    row[Line.SPACE] = move.space if built != NO_KIND else NO_SPACE
    row[Line.INHABITANTS] = table.state.inhabitants[moment.seat]
    row[Line.ENERGY] = table.state.energy[moment.seat]
    row[Line.VALUE] = best_score(table.rules, table.state, table.search, moment.seat)


@small
def record_city(table: Table, script: Script, seat: int) -> None:
    """Write down how a city was activated and scored, where there is room to write."""
    if script.turns.shape[0] == 0:
        return
    shares = table.shares
    for space in range(SPACES):
        is_active = (shares.active >> np.uint64(space)) & np.uint64(1) == np.uint64(1)
        script.active[seat, space] = 1 if is_active else 0
        script.customers[seat, space] = shares.customers[space]
    for rule in range(script.rules.shape[1]):
        script.rules[seat, rule] = shares.rule[rule]
