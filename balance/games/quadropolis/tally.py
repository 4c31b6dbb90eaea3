"""What is counted of Quadropolis besides the outcome: tiles, buildings, spaces, rules, and who feeds whom."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from balance.games.bits import lowest, popcount, without_lowest
from balance.games.outcome import BLOCKS, Course
from balance.games.quadropolis.activation import Search, best_score
from balance.games.quadropolis.city import build, take_down
from balance.games.quadropolis.components import (
    BUILDINGS,
    NO_KIND,
    NOTHING,
    SQUARES,
    Moment,
    Rules,
    State,
)
from balance.games.quadropolis.shares import RULES, Shares
from balance.games.record import Ints
from balance.jit import njit, small


class ByOffer(IntEnum):
    """Columns of `Tally.offers`."""

    REVEALED = 0  # face-up tiles of the site, and visible Public Services


class ByTaken(IntEnum):
    """Columns of `Tally.taken`: tiles, by policy, seat and round."""

    BUILT = 0
    DECLINED = 1  # reached, but not built, nor exchanged
    EXCHANGED = 2  # standard Public Services discarded for one of the pool
    DISCARDED = 3  # visible Public Services discarded by choice


class ByTurn(IntEnum):
    """Columns of `Tally.turns`."""

    TURNS = 0
    NOTHING_REACHED = 1
    DECLINED = 2
    LEFT_INHABITANTS = 3  # inhabitants without a use at the end
    LEFT_ENERGY = 4  # energy without a use at the end


class ByBuilding(IntEnum):
    """Columns of `Tally.buildings`: buildings at the end, a stack counting once."""

    BUILDINGS = 0
    ACTIVE = 1
    OWN_VP = 2  # 720ths
    TILES_VALUED = 3  # tiles whose marginal VP was worked out
    MARGINAL_VP = 4
    HOLDERS = 5  # games in which the seat had one
    HOLDERS_WINS = 6  # twelfths of the win in these


class BySpace(IntEnum):
    """Columns of `Tally.spaces`."""

    BUILDINGS = 0
    OWN_VP = 1  # 720ths


class ByRule(IntEnum):
    """Columns of `Tally.rules`."""

    VP = 0
    VP_OF_WINNERS = 1  # times twelfths of the win


class Tally(NamedTuple):
    """Sums over games, by statistical block; int64 throughout."""

    offers: Ints  # (blocks, rounds, buildings, ByOffer)
    taken: Ints  # (blocks, policies, seats, rounds, buildings, ByTaken)
    turns: Ints  # (blocks, policies, seats, ByTurn)
    buildings: Ints  # (blocks, policies, seats, buildings, ByBuilding)
    spaces: Ints  # (blocks, buildings, spaces, BySpace)
    feeds: Ints  # (blocks, givers, scorers) 720ths of VP that one building made another earn
    rules: Ints  # (blocks, policies, seats, rules, ByRule)


def new_tally(policies: int, seats: int, rounds: int, spaces: int) -> Tally:
    """Return an empty tally."""

    def zeros(*lengths: int) -> Ints:
        return np.zeros((BLOCKS, *lengths), dtype=np.int64)

    return Tally(
        offers=zeros(rounds, BUILDINGS, len(ByOffer)),
        taken=zeros(policies, seats, rounds, BUILDINGS, len(ByTaken)),
        turns=zeros(policies, seats, len(ByTurn)),
        buildings=zeros(policies, seats, BUILDINGS, len(ByBuilding)),
        spaces=zeros(BUILDINGS, spaces, len(BySpace)),
        feeds=zeros(BUILDINGS, BUILDINGS),
        rules=zeros(policies, seats, RULES, len(ByRule)),
    )


@small
def book_offers(tally: Tally, rules: Rules, state: State, block: int, number: int) -> None:
    """Book the face-up tiles of a round, and the visible Public Services."""
    rows = tally.offers[block, number]
    for square in range(SQUARES):
        if state.square[square] != NO_KIND:
            rows[rules.building[state.square[square]], ByOffer.REVEALED] += 1
    for place in range(state.visible_size):
        rows[rules.building[rules.pool_kind[state.visible[place]]], ByOffer.REVEALED] += 1


@small
def book_turn_taken(tally: Tally, rules: Rules, moment: Moment, reached: int, built: int) -> None:
    """Book a turn: what was reached and what was built of it."""
    turns = tally.turns[moment.block, moment.policy, moment.seat]
    taken = tally.taken[moment.block, moment.policy, moment.seat, moment.round]
    turns[ByTurn.TURNS] += 1
    if reached == NO_KIND:
        turns[ByTurn.NOTHING_REACHED] += 1
        return
    if built == NO_KIND:
        turns[ByTurn.DECLINED] += 1
        taken[rules.building[reached], ByTaken.DECLINED] += 1
        return
    taken[rules.building[built], ByTaken.BUILT] += 1
    if rules.building[built] != rules.building[reached]:
        taken[rules.building[reached], ByTaken.EXCHANGED] += 1


@small
def book_discard(tally: Tally, rules: Rules, moment: Moment, tile: int) -> None:
    """Book a visible Public Service discarded by choice."""
    building = rules.building[rules.pool_kind[tile]]
    tally.taken[moment.block, moment.policy, moment.seat, moment.round, building, ByTaken.DISCARDED] += 1


@njit
def book_city(tally: Tally, state: State, course: Course, shares: Shares, block: int, seat: int) -> None:
    """Book a finished city; `share_points` and the win come first."""
    policy = course.policy[seat]
    wins = course.wins[seat]
    rows = tally.buildings[block, policy, seat]
    spaces = state.occupied[seat]
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        building = state.building[seat, space]
        rows[building, ByBuilding.OWN_VP] += shares.own[space]
        tally.spaces[block, building, space, BySpace.BUILDINGS] += 1
        tally.spaces[block, building, space, BySpace.OWN_VP] += shares.own[space]
    for building in range(BUILDINGS):
        held = state.of[seat, building]
        if held != NOTHING:
            rows[building, ByBuilding.BUILDINGS] += popcount(held)
            rows[building, ByBuilding.ACTIVE] += popcount(held & shares.active)
            rows[building, ByBuilding.HOLDERS] += 1
            rows[building, ByBuilding.HOLDERS_WINS] += wins
    rules = tally.rules[block, policy, seat]
    for rule in range(RULES):
        points = shares.rule[rule]
        if points != 0:
            rules[rule, ByRule.VP] += points
            rules[rule, ByRule.VP_OF_WINNERS] += points * wins
    turns = tally.turns[block, policy, seat]
    turns[ByTurn.LEFT_INHABITANTS] += shares.left_inhabitants
    turns[ByTurn.LEFT_ENERGY] += shares.left_energy
    for fed in range(shares.fed):
        tally.feeds[block, shares.giver[fed], shares.scorer[fed]] += shares.given[fed]


@njit
def book_marginal_vp(
    tally: Tally, rules: Rules, state: State, search: Search, course: Course, block: int, seat: int, value: int
) -> None:
    """Book what each tile of a city adds: its score less that of the same city without the tile and its resources."""
    rows = tally.buildings[block, course.policy[seat], seat]
    spaces = state.occupied[seat]
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        building = state.building[seat, space]
        for _ in range(state.floors[seat, space]):
            rows[building, ByBuilding.TILES_VALUED] += 1
            rows[building, ByBuilding.MARGINAL_VP] += value - value_without(rules, state, search, seat, space)


@njit
def value_without(rules: Rules, state: State, search: Search, seat: int, space: int) -> int:
    """Return the score of a city without the tile on the ground of a space, which comes back as the highest floor."""
    kind = take_down(rules, state, seat, space, 0)
    value = best_score(rules, state, search, seat)
    build(rules, state, seat, kind, space)
    return value
