"""How a seat chooses among its legal placements (rules: Policies).

`random` takes any (tile type in hand, legal square) with equal chance. `greedy` places a Service where it
scores most at once, and a Zone where it prepares the best Service in its hand. A restricted policy narrows
the types to choose from, before either of them chooses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from balance.games.bits import bit, has, lowest, nth, popcount, without_lowest
from balance.games.city_services.components import SQUARES, TYPES, Kind, Moment, Rules, State
from balance.games.city_services.placement import (
    count_legal,
    count_open,
    legal_word,
    open_word_after,
    types_to_place,
)
from balance.games.city_services.revenue import coverage_slot, points, scored_zones
from balance.games.luck import below, candidate_key, combine
from balance.games.outcome import Course
from balance.games.record import WORDS, Ints, Record, Words, shape
from balance.jit import njit, small

_NOTHING = np.uint64(0)
_LAST_KEY = np.uint64(0xFFFFFFFFFFFFFFFF)
_AGAIN = np.uint64(1)
NO_PLACEMENT = (-1, -1)


class Sight(Record):
    """Working room of greedy's look ahead: the squares for a Service by the Zones it would score there."""

    squares: Words = shape(TYPES, SQUARES, WORDS)  # by type and number of Zones
    most: Ints = shape(TYPES)  # the highest number of Zones, or -1 where the type has no square
    reachable: Words = shape(WORDS)  # squares that are open now or after one more tile


class Choice(NamedTuple):
    """What a seat chooses from."""

    seat: int
    in_hand: np.uint64  # types in hand of the kind to be placed, as a set
    types: np.uint64  # those of them that the policy places, as a set
    services: np.uint64  # Services in hand that score, as a set
    key: np.uint64  # key of the decision


@small
def types_to_choose(rules: Rules, state: State, course: Course, moment: Moment, kind: int) -> np.uint64:
    """Return the types that a policy chooses from, as a set; counts their legal squares, and all pairs, on the way."""
    in_hand = types_to_place(rules, state, moment.seat, kind)
    types = in_hand & ~course.withheld[moment.seat]
    count_open(rules, state)
    preferred = _NOTHING
    state.pairs = 0
    while in_hand != _NOTHING:
        tile = lowest(in_hand)
        in_hand = without_lowest(in_hand)
        state.legal[tile] = state.open_squares
        if has(rules.limited, tile):
            state.legal[tile] = count_legal(rules, state, tile)
        state.pairs += state.legal[tile]
        if state.legal[tile] > 0:
            preferred |= types & course.preferred[moment.seat] & bit(tile)
    return preferred if preferred != _NOTHING else types


@small
def random_placement(state: State, choice: Choice) -> tuple[int, int]:
    """Choose uniformly over all pairs (tile type in hand, legal square).

    A restricted policy first chooses like the others, and again where it may not: so it parts from them only there.
    """
    move = _random_pair(state, choice.in_hand, state.pairs, choice.key)
    if move[0] >= 0 and not has(choice.types, move[0]):
        return _random_pair(state, choice.types, _count_pairs(state, choice.types), combine(choice.key, _AGAIN))
    return move


@small
def _count_pairs(state: State, types: np.uint64) -> int:
    pairs = 0
    while types != _NOTHING:
        pairs += state.legal[lowest(types)]
        types = without_lowest(types)
    return pairs


@small
def _random_pair(state: State, types: np.uint64, pairs: int, key: np.uint64) -> tuple[int, int]:
    if pairs == 0:
        return NO_PLACEMENT
    pair = below(key, pairs)
    tile = lowest(types)
    while pair >= state.legal[tile]:
        pair -= state.legal[tile]
        types = without_lowest(types)
        tile = lowest(types)
    word = 0
    squares = popcount(legal_word(state, tile, word))
    while pair >= squares:
        pair -= squares
        word += 1
        squares = popcount(legal_word(state, tile, word))
    return tile, 64 * word + nth(legal_word(state, tile, word), pair)


@njit
def greedy_placement(rules: Rules, state: State, sight: Sight, choice: Choice, kind: int) -> tuple[int, int]:
    """Choose the type and square of the highest value; ties by the smallest hash."""
    if kind == Kind.ZONE:
        look_ahead(rules, state, sight, choice)
    chosen = NO_PLACEMENT
    best, best_key = 0, _LAST_KEY
    types = choice.types
    while types != _NOTHING:
        tile = lowest(types)
        types = without_lowest(types)
        for word in range(len(rules.board)):
            squares = legal_word(state, tile, word)
            while squares != _NOTHING:
                square = 64 * word + lowest(squares)
                squares = without_lowest(squares)
                value = greedy_value(rules, state, sight, choice, (tile, square), best)
                if value >= best:
                    tie_key = candidate_key(choice.key, rules.tile_key[tile], square)
                    if value > best or tie_key < best_key:
                        chosen, best, best_key = (tile, square), value, tie_key
    return chosen


@small
def greedy_value(rules: Rules, state: State, sight: Sight, choice: Choice, move: tuple[int, int], floor: int) -> int:
    """Value a Service by what it scores at once, a Zone by the best Service in hand after it."""
    tile, square = move
    if tile < rules.zone_types:
        return best_service_after(rules, state, sight, choice, move, floor)
    if has(choice.services, tile):
        return points(rules, tile, scored_zones(rules, state, choice.seat, tile, square))
    return 0


@small
def look_ahead(rules: Rules, state: State, sight: Sight, choice: Choice) -> None:
    """Sort the squares where a Service may stand now, or after one more Zone, by the Zones it would score."""
    _find_reachable(rules, state, sight)
    services = choice.services
    while services != _NOTHING:
        tile = lowest(services)
        services = without_lowest(services)
        for zones in range(sight.most[tile] + 1):
            sight.squares[tile, zones] = _NOTHING
        sight.most[tile] = -1
        for word in range(len(rules.board)):
            squares = sight.reachable[word] & ~state.blocked[tile, word]
            while squares != _NOTHING:
                square = 64 * word + lowest(squares)
                squares = without_lowest(squares)
                zones = scored_zones(rules, state, choice.seat, tile, square)
                sight.squares[tile, zones, word] |= bit(square)
                sight.most[tile] = max(sight.most[tile], zones)


@small
def _find_reachable(rules: Rules, state: State, sight: Sight) -> None:
    for word in range(len(rules.board)):
        sight.reachable[word] = state.open[word]
    for word in range(len(rules.board)):
        squares = state.open[word]
        while squares != _NOTHING:
            square = 64 * word + lowest(squares)
            squares = without_lowest(squares)
            for other in range(len(rules.board)):
                sight.reachable[other] |= open_word_after(rules, state, square, other)


@small
def best_service_after(
    rules: Rules, state: State, sight: Sight, choice: Choice, zone: tuple[int, int], floor: int
) -> int:
    """Return the best points of one of `services` once a Zone lies on a square; exact where at least `floor`."""
    tile, square = zone
    best = 0
    services = choice.services
    while services != _NOTHING:
        service = lowest(services)
        services = without_lowest(services)
        scores_zone = rules.group_scores[rules.scoring_group[service]] & bit(tile) != _NOTHING
        is_covered = has(state.covered[coverage_slot(rules, choice.seat), service, square >> 6], square)
        gain = 1 if scores_zone and not is_covered else 0
        zones = sight.most[service]
        while zones >= 0 and points(rules, service, zones + gain) >= max(floor, best + 1):
            near, anywhere = _squares_after(rules, state, sight, service, zones, zone)
            if near:
                best = points(rules, service, zones + gain)
            elif anywhere:
                best = max(best, points(rules, service, zones))
            zones = -1 if near or anywhere else zones - 1
    return best


@small
def _squares_after(
    rules: Rules, state: State, sight: Sight, service: int, zones: int, zone: tuple[int, int]
) -> tuple[bool, bool]:
    """Tell whether a Service that scores `zones` old Zones can stand in range of a new one, and at all."""
    tile, square = zone
    near, anywhere = _NOTHING, _NOTHING
    is_forbidden_beside = has(rules.forbidden_beside[service], tile)
    for word in range(len(rules.board)):
        squares = sight.squares[service, zones, word] & open_word_after(rules, state, square, word)
        if is_forbidden_beside:
            squares &= ~rules.neighbours[square, word]
        anywhere |= squares
        near |= squares & rules.in_range[rules.service_range[service], square, word]
    return near != _NOTHING, anywhere != _NOTHING
