"""How a seat chooses its move (rules: Policies).

A complete move is an Architect's number and slot, what to do with the Public Service tiles where an exchange is
possible, and a space; or to build nothing. `random` chooses step by step, `greedy` what its city would score most with
if the game ended now. A restricted policy never builds some buildings, or builds others whenever it can.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from balance.games.bits import bit, has, lowest, nth, popcount, without_lowest
from balance.games.luck import below, combine
from balance.games.quadropolis.activation import LOWEST, Aim, Means, Search, best_activation, score_when_active
from balance.games.quadropolis.bounds import Values, bound_of_building, most_with, rest_beside, start_bounds
from balance.games.quadropolis.city import build, legal_spaces, take_down
from balance.games.quadropolis.components import (
    KINDS,
    NO_KIND,
    NO_SPACE,
    NOTHING,
    NUMBERS,
    SEATS,
    SPACES,
    Rules,
    State,
)
from balance.games.quadropolis.construction_site import has_architect, legal_slots, reached_square
from balance.games.record import Ints, Record, Words, shape
from balance.jit import njit, small

_LAST_KEY = np.uint64(0xFFFFFFFFFFFFFFFF)
_BUILD_NOTHING = np.uint64(0)
_THE_STANDARD = np.uint64(1)
_AGAIN = np.uint64(1)
NO_OPTION = -1


class Choice(NamedTuple):
    """Who chooses, and what it may build."""

    seat: int
    withheld: np.uint64  # buildings, as a set
    preferred: np.uint64  # buildings, as a set
    key: np.uint64  # key of the decision


class Move(NamedTuple):
    """A complete move."""

    number: int
    slot: int
    option: int  # place of the visible tile that is discarded, or that is built instead, or NO_OPTION
    builds_visible: bool  # the visible tile is built, the standard one discarded
    space: int  # NO_SPACE to build nothing


class Survey(Record):
    """Working room of greedy: what may be built where, and what the city would score then."""

    spaces: Words = shape(NUMBERS, KINDS)  # legal spaces of a kind for a number
    wanted: Words = shape(KINDS)  # spaces where a kind may be built now
    best_spaces: Words = shape(KINDS)  # of these, where the city scores most
    candidates: int
    kind: Ints = shape(KINDS * SPACES)
    space: Ints = shape(KINDS * SPACES)
    bound: Ints = shape(KINDS * SPACES)
    # What is left inactive, to try first
    idle: Words = shape(SEATS)  # in the city of a seat as it stands
    idle_beside: Words = shape(KINDS)  # in a city with one more tile of a kind
    is_idle: Ints = shape(KINDS)  # 1 where this tile is left inactive


@small
def can_exchange(rules: Rules, state: State, kind: int) -> bool:
    """A face-up standard Public Service can be exchanged while Public Services are visible (part 5)."""
    return rules.is_standard[kind] == 1 and state.visible_size > 0


@small
def visible_kind(rules: Rules, state: State, place: int) -> int:
    """Return the kind of a visible Public Service."""
    return rules.pool_kind[state.visible[place]]


@small
def kind_built(rules: Rules, state: State, move: Move, reached: int) -> int:
    """Return the kind that a move builds."""
    return visible_kind(rules, state, move.option) if move.builds_visible else reached


@small
def may_build(rules: Rules, choice: Choice, kind: int) -> bool:
    """Tell whether a policy ever builds a kind."""
    return not has(choice.withheld, rules.building[kind])


@njit
def random_move(rules: Rules, state: State, choice: Choice, step_keys: tuple[np.uint64, np.uint64]) -> Move:
    """Choose uniformly a (number, slot), then an option of the exchange, then a legal space."""
    numbers = NOTHING
    for number in range(1, rules.highest_architect + 1):
        if has_architect(rules, state, choice.seat, number):
            numbers |= bit(number)
    slots = legal_slots(rules, state)
    pair = below(choice.key, popcount(numbers) * popcount(slots))
    number = nth(numbers, pair // popcount(slots))
    slot = nth(slots, pair % popcount(slots))
    reached = state.square[reached_square(slot, number)]
    nothing = Move(number, slot, NO_OPTION, False, NO_SPACE)
    if reached == NO_KIND:
        return nothing
    spaces = legal_spaces(rules, state, choice.seat, rules.building[reached], number)
    if spaces == NOTHING:
        return nothing
    option, builds_visible = NO_OPTION, False
    if can_exchange(rules, state, reached):
        options = _options(rules, state, choice, reached)
        if options == NOTHING:
            return nothing
        # first among all options, so that a restricted policy parts from the others only where it must
        chosen = below(step_keys[0], 2 * state.visible_size)
        if not has(options, chosen):
            chosen = nth(options, below(combine(step_keys[0], _AGAIN), popcount(options)))
        option, builds_visible = chosen // 2, chosen % 2 == 1
    elif not may_build(rules, choice, reached):
        return nothing
    space = nth(spaces, below(step_keys[1], popcount(spaces)))
    return Move(number, slot, option, builds_visible, space)


@small
def _options(rules: Rules, state: State, choice: Choice, reached: int) -> np.uint64:
    """Return the options of an exchange, as a set: 2 p discards visible tile p, 2 p + 1 builds it (part 5)."""
    options = NOTHING
    for place in range(state.visible_size):
        if may_build(rules, choice, reached):
            options |= bit(2 * place)
        if may_build(rules, choice, visible_kind(rules, state, place)):
            options |= bit(2 * place + 1)
    return options


@njit
def survey_moves(rules: Rules, state: State, survey: Survey, seat: int, buildings: np.uint64) -> bool:
    """List where each kind in reach that becomes one of `buildings` may be built; tell whether any may."""
    for kind in range(rules.kinds):
        survey.wanted[kind] = NOTHING
        survey.best_spaces[kind] = NOTHING
    slots = legal_slots(rules, state)
    for number in range(1, rules.highest_architect + 1):
        if not has_architect(rules, state, seat, number):
            continue
        in_reach = NOTHING
        left = slots
        while left != NOTHING:
            kind = state.square[reached_square(lowest(left), number)]
            left = without_lowest(left)
            if kind != NO_KIND:
                in_reach |= bit(kind)
                if can_exchange(rules, state, kind):
                    for place in range(state.visible_size):
                        in_reach |= bit(visible_kind(rules, state, place))
        while in_reach != NOTHING:
            kind = lowest(in_reach)
            in_reach = without_lowest(in_reach)
            spaces = NOTHING
            if has(buildings, rules.building[kind]):
                spaces = legal_spaces(rules, state, seat, rules.building[kind], number)
            survey.spaces[number, kind] = spaces
            survey.wanted[kind] |= spaces
    anything = NOTHING
    for kind in range(rules.kinds):
        anything |= survey.wanted[kind]
    return anything != NOTHING


@njit
def greedy_move(rules: Rules, state: State, search: Search, values: Values, survey: Survey, choice: Choice) -> Move:
    """Choose the complete move after which the city would score most; ties by the smallest hash."""
    seat = choice.seat
    nothing_is_best = not prefers(rules, state, survey, choice)
    best = LOWEST
    start_bounds(rules, state, search, values, seat)
    if nothing_is_best:
        survey_moves(rules, state, survey, seat, ~choice.withheld)
        best = _score_now(rules, state, search, values, survey, seat)
    _list_candidates(rules, state, search, values, survey, seat, best)
    bound = _highest_bound(survey)
    while bound >= best:
        for candidate in range(survey.candidates):
            if survey.bound[candidate] != bound:
                continue
            kind, space = survey.kind[candidate], survey.space[candidate]
            value = value_of_building(rules, state, search, survey, seat, (kind, space), (best, bound))
            if value > best:
                best = value
                nothing_is_best = False
                for other in range(rules.kinds):
                    survey.best_spaces[other] = NOTHING
            if value == best:
                survey.best_spaces[kind] |= bit(space)
        bound -= 1
    move = _first_of_best(rules, state, survey, choice, nothing_is_best)
    if move.space != NO_SPACE:
        kind = kind_built(rules, state, move, state.square[reached_square(move.slot, move.number)])
        survey.idle[seat] = survey.idle_beside[kind]
        if survey.is_idle[kind] == 1:
            survey.idle[seat] |= bit(move.space) & ~state.occupied[seat]
    return move


@small
def prefers(rules: Rules, state: State, survey: Survey, choice: Choice) -> bool:
    """Tell whether a policy builds what it prefers; `survey` holds these moves alone then."""
    return choice.preferred != NOTHING and survey_moves(rules, state, survey, choice.seat, choice.preferred)


@njit
def random_preferred_move(rules: Rules, state: State, survey: Survey, choice: Choice) -> Move:
    """Choose uniformly among the complete moves that build a preferred building; `prefers` comes first."""
    for kind in range(rules.kinds):
        survey.best_spaces[kind] = survey.wanted[kind]
    return _first_of_best(rules, state, survey, choice, False)


@njit
def value_of_building(
    rules: Rules,
    state: State,
    search: Search,
    survey: Survey,
    seat: int,
    tile: tuple[int, int],
    limits: tuple[int, int],
) -> int:
    """Return what a city would score with one more tile (kind, space), if at least the lower one of the limits.

    It is never more than the higher one: what was best on another space is often that good, and spares the search.
    """
    kind, space = tile
    before = state.occupied[seat]
    build(rules, state, seat, kind, space)
    here = bit(space) & ~before
    idle = survey.idle_beside[kind]
    if survey.is_idle[kind] == 1:
        idle |= here
    value = score_when_active(rules, state, seat, state.occupied[seat] & ~idle)
    if value < limits[1]:
        floor = max(limits[0], value + 1)
        means = Means(state.inhabitants[seat], state.energy[seat], Aim.SCORE, floor, limits[1])
        better = best_activation(rules, state, search, seat, means)
        if better >= floor:
            value = better
            survey.idle_beside[kind] = before & ~search.active
            survey.is_idle[kind] = 1 if here & ~search.active != NOTHING else 0
    take_down(rules, state, seat, space, state.floors[seat, space] - 1)
    return value


@small
def _score_now(rules: Rules, state: State, search: Search, values: Values, survey: Survey, seat: int) -> int:
    """Return what a city scores if the game ends now: mostly with what was seen to be best when the last tile came."""
    value = score_when_active(rules, state, seat, state.occupied[seat] & ~survey.idle[seat])
    most = most_with(rules, state, search, values, seat, (0, 0))
    if value < most:
        means = Means(state.inhabitants[seat], state.energy[seat], Aim.SCORE, value + 1, most)
        better = best_activation(rules, state, search, seat, means)
        if better > value:
            value = better
            survey.idle[seat] = state.occupied[seat] & ~search.active
    for kind in range(rules.kinds):
        survey.idle_beside[kind] = survey.idle[seat]
        survey.is_idle[kind] = 0
    return value


@small
def _list_candidates(
    rules: Rules, state: State, search: Search, values: Values, survey: Survey, seat: int, best: int
) -> None:
    """List the tiles, and spaces for them, that may be among the best moves."""
    survey.candidates = 0
    for kind in range(rules.kinds):
        spaces = survey.wanted[kind]
        if spaces == NOTHING:
            continue
        rest = rest_beside(rules, state, search, values, seat, kind)
        while spaces != NOTHING:
            space = lowest(spaces)
            spaces = without_lowest(spaces)
            bound = bound_of_building(rules, state, seat, (kind, space), rest)
            if bound >= best:
                survey.kind[survey.candidates] = kind
                survey.space[survey.candidates] = space
                survey.bound[survey.candidates] = bound
                survey.candidates += 1


@small
def _highest_bound(survey: Survey) -> int:
    highest = LOWEST - 1
    for candidate in range(survey.candidates):
        highest = max(highest, survey.bound[candidate])
    return highest


@njit
def _first_of_best(rules: Rules, state: State, survey: Survey, choice: Choice, nothing_is_best: bool) -> Move:
    """Return the one of the best complete moves whose hash is smallest."""
    first_key = _LAST_KEY
    first = Move(0, 0, NO_OPTION, False, NO_SPACE)
    slots = legal_slots(rules, state)
    for number in range(1, rules.highest_architect + 1):
        if not has_architect(rules, state, choice.seat, number):
            continue
        left = slots
        while left != NOTHING:
            slot = lowest(left)
            left = without_lowest(left)
            key = combine(choice.key, np.uint64(32 * number + slot))
            if nothing_is_best:
                move_key = combine(key, _BUILD_NOTHING)
                if move_key < first_key:
                    first_key, first = move_key, Move(number, slot, NO_OPTION, False, NO_SPACE)
            reached = state.square[reached_square(slot, number)]
            if reached == NO_KIND:
                continue
            if not can_exchange(rules, state, reached):
                space, move_key = _first_space(survey, number, reached, combine(key, _THE_STANDARD))
                if move_key < first_key:
                    first_key, first = move_key, Move(number, slot, NO_OPTION, False, space)
                continue
            for place in range(state.visible_size):
                tile_key = combine(key, rules.pool_key[state.visible[place]])
                space, move_key = _first_space(survey, number, reached, combine(tile_key, _THE_STANDARD))
                if move_key < first_key:
                    first_key, first = move_key, Move(number, slot, place, False, space)
                kind = visible_kind(rules, state, place)
                space, move_key = _first_space(survey, number, kind, tile_key)
                if move_key < first_key:
                    first_key, first = move_key, Move(number, slot, place, True, space)
    return first


@small
def _first_space(survey: Survey, number: int, kind: int, key: np.uint64) -> tuple[int, np.uint64]:
    """Return the space of smallest hash among the best ones of a kind, with its hash."""
    first, first_key = NO_SPACE, _LAST_KEY
    spaces = survey.best_spaces[kind]
    if spaces != NOTHING:
        spaces &= survey.spaces[number, kind]
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        space_key = combine(key, np.uint64(space))
        if space_key < first_key:
            first, first_key = space, space_key
    return first, first_key
