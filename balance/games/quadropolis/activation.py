"""Which buildings a city activates: the exact maximum of its score (rules: Quadropolis, part 3).

Branch and bound over the buildings that need something. A node of the search has kept some of them for certain
and dropped others; the rest are open. What only grows with activation, scored with all open buildings active, what is
left of the means, used as well as they can be at all, and what dropping buildings costs at least (see `worth`) bound
the score of all assignments below the node. A node whose open buildings can all be paid is an assignment; otherwise
one of them is dropped in one branch and kept in the other.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from balance.games.bits import bit, has, lowest, popcount, without_lowest
from balance.games.quadropolis.components import (
    BUILDINGS,
    NOTHING,
    SHARE,
    SPACES,
    Building,
    Rules,
    State,
)
from balance.games.quadropolis.scoring import score_gains, score_penalties, score_shops, score_surplus
from balance.games.quadropolis.worth import weigh
from balance.games.record import Ints, Record, Words, shape
from balance.jit import njit, small

LOWEST, HIGHEST = -(1 << 40), 1 << 40
_NODES = 2 * SPACES + 2
_UNKNOWN = -(1 << 41)


class Search(Record):
    """Working room of the search, and what it found."""

    # The buildings that need something
    inhabitants: Ints = shape(SPACES)  # what the building on a space needs
    energy: Ints = shape(SPACES)
    worth: Ints = shape(SPACES)  # what dropping it costs at least, in shares of a point (see `worth`)
    paid: np.uint64  # spaces whose building needs something
    free: np.uint64  # spaces whose building needs nothing
    # Nodes to look at
    waiting: int
    kept: Words = shape(_NODES)
    dropped: Words = shape(_NODES)
    gains: Ints = shape(_NODES)  # of all but the dropped ones, or _UNKNOWN
    # What was found
    best: int
    active: np.uint64
    for_ties: int  # active buildings that count for ties


class Aim(IntEnum):
    """What the search is for."""

    SCORE = 0  # the highest score
    ACTIVATION = 1  # also the assignment that the rules name among the best ones
    BOUND = 2  # a bound: a TV Station need not be paid from the inhabitants at hand


class Means(NamedTuple):
    """What a city may use."""

    inhabitants: int
    energy: int
    aim: int  # an Aim
    floor: int  # scores below are of no interest
    enough: int  # no score is higher, so that the search may stop there


class Node(NamedTuple):
    """A node of the search: what it needs, and what it has for it."""

    active: np.uint64  # all that is not dropped
    open: np.uint64  # of these, what is not kept for certain
    inhabitants: int  # left after the kept buildings, with what a TV Station brings
    energy: int
    open_inhabitants: int  # what the open buildings need
    open_energy: int


@njit
def best_activation(rules: Rules, state: State, search: Search, seat: int, means: Means) -> int:
    """Return the highest score that a city reaches with the given means.

    With the aim ACTIVATION, `search.active` is the assignment that the rules name: among the best ones most active
    buildings that need an inhabitant, then most active buildings, then the smallest set of spaces; else any best one.
    """
    prepare(rules, state, search, seat)
    search.best = means.floor - 1
    search.active = NOTHING
    search.for_ties = -1
    _push(search, NOTHING, NOTHING, _UNKNOWN)
    while search.waiting > 0 and search.best < means.enough:
        search.waiting -= 1
        _look_at(rules, state, search, seat, means)
    return search.best


@small
def best_score(rules: Rules, state: State, search: Search, seat: int) -> int:
    """Return what a city scores if the game ends now."""
    means = Means(state.inhabitants[seat], state.energy[seat], Aim.SCORE, LOWEST, HIGHEST)
    return best_activation(rules, state, search, seat, means)


@njit
def score_when_active(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Return what a city scores with these buildings active, or LOWEST if its means do not pay for them."""
    brought = tv_inhabitants(rules, state, seat, active)
    inhabitants, energy = state.inhabitants[seat], state.energy[seat]
    stations = popcount(state.of[seat, Building.TV_STATION] & active)
    if stations * rules.needs_inhabitants[Building.TV_STATION] > inhabitants:
        return LOWEST
    inhabitants += brought
    spaces = active
    while spaces != NOTHING:
        building = state.building[seat, lowest(spaces)]
        spaces = without_lowest(spaces)
        inhabitants -= rules.needs_inhabitants[building]
        energy -= rules.needs_energy[building]
    if inhabitants < 0 or energy < 0:
        return LOWEST
    parks = popcount(state.of[seat, Building.PARK] & active)
    plants = popcount(state.of[seat, Building.REPROCESSING_PLANT] & active)
    points = score_gains(rules, state, seat, active) + score_penalties(rules, state, seat, active)
    points += _value_of_inhabitants(rules, _shops_of(state, seat, active), inhabitants, brought)
    return points + score_surplus(rules, parks, plants, energy)


@njit
def activate_city(rules: Rules, state: State, search: Search, seat: int) -> int:
    """Activate a city as the rules say, and return its score."""
    means = Means(state.inhabitants[seat], state.energy[seat], Aim.ACTIVATION, LOWEST, HIGHEST)
    score = best_activation(rules, state, search, seat, means)
    state.active[seat] = search.active
    return score


@small
def prepare(rules: Rules, state: State, search: Search, seat: int) -> None:
    """List what the buildings of a city need."""
    search.waiting = 0
    search.paid = NOTHING
    search.free = NOTHING
    spaces = state.occupied[seat]
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        building = state.building[seat, space]
        search.inhabitants[space] = rules.needs_inhabitants[building]
        search.energy[space] = rules.needs_energy[building]
        if rules.is_free[building] == 1:
            search.free |= bit(space)
        else:
            search.paid |= bit(space)


@small
def _push(search: Search, kept: np.uint64, dropped: np.uint64, gains: int) -> None:
    search.kept[search.waiting] = kept
    search.dropped[search.waiting] = dropped
    search.gains[search.waiting] = gains
    search.waiting += 1


@small
def tv_inhabitants(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Return the inhabitants that the active TV Stations may bring: so many per Shop in the city (part 5)."""
    stations = popcount(state.of[seat, Building.TV_STATION] & active)
    shops = state.of[seat, Building.SHOP]
    if not rules.tv_counts_inactive:
        shops &= active
    return stations * rules.inhabitants_per_shop * popcount(shops)


@small
def _look_at(rules: Rules, state: State, search: Search, seat: int, means: Means) -> None:
    """Look at the node on top: bound it, take its assignment, or branch."""
    kept, dropped, gains = search.kept[search.waiting], search.dropped[search.waiting], search.gains[search.waiting]
    with_ties = means.aim == Aim.ACTIVATION
    before = dropped
    node, dropped = _without_too_dear(rules, state, search, seat, means, kept, dropped)
    if dropped != before:
        gains = _UNKNOWN
    if node.inhabitants < 0 or node.energy < 0:
        return  # what is kept cannot be paid
    if gains == _UNKNOWN:
        gains = score_gains(rules, state, seat, node.active)
    sunk = weigh(rules, state, search.worth, seat, node.active, node.open)
    bound = gains + score_penalties(rules, state, seat, kept | search.free)
    bound += (bound_of_means(rules, state, search, search.worth, seat, node) - sunk) // SHARE
    if bound < search.best or (bound == search.best and not (with_ties and _may_win_tie(rules, search, state, seat, node))):
        return
    can_pay = node.open_inhabitants <= node.inhabitants and node.open_energy <= node.energy
    if can_pay and _tv_is_paid(rules, state, seat, means, node.active):
        value = gains + score_penalties(rules, state, seat, node.active) + _value_of_means(rules, state, seat, node)
        _take(rules, state, search, seat, node.active, value, with_ties)
        if value == bound or (bound <= search.best and not with_ties):
            return
    if node.open != NOTHING:
        space = _space_to_decide(state, search, seat, node)
        _push(search, kept | bit(space), dropped, gains)
        _push(search, kept, dropped | bit(space), _UNKNOWN)


@small
def root_of(rules: Rules, state: State, search: Search, seat: int, means: Means) -> Node:
    """Return the node in which everything that can be paid is open; `prepare` comes first."""
    return _without_too_dear(rules, state, search, seat, means, NOTHING, NOTHING)[0]


@small
def _without_too_dear(
    rules: Rules, state: State, search: Search, seat: int, means: Means, kept: np.uint64, dropped: np.uint64
) -> tuple[Node, np.uint64]:
    """Return a node after dropping what cannot be paid even alone, and what is dropped then."""
    node = _node(rules, state, search, seat, means, kept, dropped)
    too_dear = _too_dear(search, node)
    while too_dear != NOTHING:
        dropped |= too_dear
        node = _node(rules, state, search, seat, means, kept, dropped)
        too_dear = _too_dear(search, node)
    return node, dropped


@small
def _node(
    rules: Rules, state: State, search: Search, seat: int, means: Means, kept: np.uint64, dropped: np.uint64
) -> Node:
    active = state.occupied[seat] & ~dropped
    undecided = search.paid & ~kept & ~dropped
    inhabitants = means.inhabitants
    if state.of[seat, Building.TV_STATION] != NOTHING:
        inhabitants += tv_inhabitants(rules, state, seat, active)
    energy = means.energy
    spaces = kept
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        inhabitants -= search.inhabitants[space]
        energy -= search.energy[space]
    open_inhabitants, open_energy = 0, 0
    spaces = undecided
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        open_inhabitants += search.inhabitants[space]
        open_energy += search.energy[space]
    return Node(active, undecided, inhabitants, energy, open_inhabitants, open_energy)


@small
def _too_dear(search: Search, node: Node) -> np.uint64:
    """Return the open buildings that cannot be paid even alone."""
    dear = NOTHING
    if node.open_inhabitants <= node.inhabitants and node.open_energy <= node.energy:
        return dear
    spaces = node.open
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        if search.inhabitants[space] > node.inhabitants or search.energy[space] > node.energy:
            dear |= bit(space)
    return dear


@small
def _tv_is_paid(rules: Rules, state: State, seat: int, means: Means, active: np.uint64) -> bool:
    """Tell whether the TV Stations are activated from the inhabitants at hand before (part 5)."""
    stations = popcount(state.of[seat, Building.TV_STATION] & active)
    return means.aim == Aim.BOUND or stations * rules.needs_inhabitants[Building.TV_STATION] <= max(
        means.inhabitants, 0
    )


@small
def _shops_of(state: State, seat: int, active: np.uint64) -> int:
    return popcount(state.of[seat, Building.SHOP] & active)


@small
def _value_of_inhabitants(rules: Rules, shops: int, inhabitants: int, brought: int) -> int:
    """Score the inhabitants left for Shops; of those that a TV Station brings, only as many as are of use are taken."""
    unused = max(0, min(brought, inhabitants - shops * rules.customers))
    return score_shops(rules, shops, inhabitants - unused)


@small
def _value_of_means(rules: Rules, state: State, seat: int, node: Node) -> int:
    """Score what is left when all open buildings are paid."""
    inhabitants = _value_of_inhabitants(
        rules,
        _shops_of(state, seat, node.active),
        node.inhabitants - node.open_inhabitants,
        tv_inhabitants(rules, state, seat, node.active),
    )
    parks = popcount(state.of[seat, Building.PARK] & node.active)
    plants = popcount(state.of[seat, Building.REPROCESSING_PLANT] & node.active)
    return inhabitants + score_surplus(rules, parks, plants, node.energy - node.open_energy)


@small
def bound_of_means(rules: Rules, state: State, search: Search, worth: Ints, seat: int, node: Node) -> int:
    """Bound what is left of the means, less what is lost by dropping open buildings for it, in shares of a point.

    Inhabitants and energy are looked at apart; of a building that both are short for, each has half the worth. Only
    how many Shops stay active is the same for both: these need the energy, and the inhabitants score there.
    """
    parks = popcount(state.of[seat, Building.PARK] & node.active)
    plants = popcount(state.of[seat, Building.REPROCESSING_PLANT] & node.active)
    open_shops = state.of[seat, Building.SHOP] & node.open
    others = node.open & ~open_shops
    shops = _shops_of(state, seat, node.active)
    inhabitants, energy = node.inhabitants - node.open_inhabitants, node.energy - node.open_energy
    best, lost = _UNKNOWN, 0
    while True:
        energy_is_short = energy < 0 or plants > 0
        both = energy_is_short and inhabitants < shops * rules.customers
        split = 2 if both or rules.needs_inhabitants[Building.SHOP] > 0 else 1
        bound = _bound_of_energy(rules, search, worth, others, energy, (parks, plants), split) - lost
        if bound > _UNKNOWN // 2:
            brought = tv_inhabitants(rules, state, seat, node.active)
            bound += _bound_of_inhabitants(rules, search, worth, node, shops, brought, split)
        best = max(best, bound)
        if not energy_is_short or open_shops == NOTHING:
            return best
        space = _cheapest(worth, open_shops, search.energy, search.inhabitants, split)
        if space < 0:
            return best
        open_shops &= ~bit(space)
        shops -= 1
        energy += search.energy[space]
        lost += worth[space] // 2 if search.inhabitants[space] > 0 else worth[space]


@small
def _bound_of_inhabitants(rules: Rules, search: Search, worth: Ints, node: Node, shops: int, brought: int, split: int) -> int:
    """Bound what so many Shops and leftover inhabitants score, less what is dropped for it."""
    left = node.inhabitants - node.open_inhabitants
    best, lost = _UNKNOWN, 0
    if left >= 0:
        best = SHARE * _value_of_inhabitants(rules, shops, left, brought)
    candidates = node.open
    while left < shops * rules.customers or left < 0:
        space = _cheapest(worth, candidates, search.inhabitants, search.energy, split)
        if space < 0:
            return best
        candidates &= ~bit(space)
        share = worth[space] // split if search.energy[space] > 0 else worth[space]
        for _ in range(search.inhabitants[space]):
            left += 1
            lost += share // search.inhabitants[space]
            if left >= 0:
                best = max(best, SHARE * _value_of_inhabitants(rules, shops, left, brought) - lost)
    return best


@small
def _bound_of_energy(
    rules: Rules, search: Search, worth: Ints, candidates: np.uint64, left: int, takers: tuple[int, int], split: int
) -> int:
    """Bound what surplus energy scores with so many Parks and Reprocessing Plants, less what is dropped for it."""
    parks, plants = takers
    best, lost = _UNKNOWN, 0
    if left >= 0:
        best = SHARE * max(score_surplus(rules, parks, 0, left), score_surplus(rules, parks, plants, left))
    while plants > 0 or left < 0:
        space = _cheapest(worth, candidates, search.energy, search.inhabitants, split)
        if space < 0:
            return best
        candidates &= ~bit(space)
        share = worth[space] // split if search.inhabitants[space] > 0 else worth[space]
        for _ in range(search.energy[space]):
            left += 1
            lost += share // search.energy[space]
            if left >= 0:
                value = max(score_surplus(rules, parks, 0, left), score_surplus(rules, parks, plants, left))
                best = max(best, SHARE * value - lost)
    return best


@small
def _cheapest(worth: Ints, candidates: np.uint64, needs: Ints, other_needs: Ints, split: int) -> int:
    """Return the candidate worth least for each unit that it needs; split where it needs the other means too."""
    chosen, least = -1, 0
    while candidates != NOTHING:
        space = lowest(candidates)
        candidates = without_lowest(candidates)
        if needs[space] > 0:
            share = worth[space] // split if other_needs[space] > 0 else worth[space]
            if chosen < 0 or share * needs[chosen] < least * needs[space]:
                chosen, least = space, share
    return chosen


@small
def _counting_for_ties(rules: Rules, state: State, seat: int) -> np.uint64:
    """Return the spaces of the buildings that need an inhabitant; not Shops (part 4)."""
    spaces = NOTHING
    for building in range(BUILDINGS):
        if rules.counts_for_ties[building] == 1:
            spaces |= state.of[seat, building]
    return spaces


@small
def _count_for_ties(rules: Rules, state: State, seat: int, active: np.uint64) -> int:
    """Count the active buildings that need an inhabitant; not Shops."""
    return popcount(_counting_for_ties(rules, state, seat) & active)


@small
def _may_win_tie(rules: Rules, search: Search, state: State, seat: int, node: Node) -> bool:
    """Tell whether an assignment below a node could come before the one found, at the same score (part 3)."""
    certain = node.active & ~node.open
    counting = _counting_for_ties(rules, state, seat) & node.open
    for_ties = _count_for_ties(rules, state, seat, certain)
    for_ties += _most_payable(counting, search.inhabitants, node.inhabitants)
    if for_ties != search.for_ties:
        return for_ties > search.for_ties
    active = popcount(certain) + _most_payable(counting, search.inhabitants, node.inhabitants)
    active += _most_payable(node.open & ~counting, search.energy, node.energy)
    wanted = popcount(search.active)
    if active != wanted:
        return active > wanted
    smallest, left = certain, node.open
    for _ in range(wanted - popcount(certain)):
        smallest |= left & ~without_lowest(left)
        left = without_lowest(left)
    return smallest <= search.active


@small
def _most_payable(spaces: np.uint64, needs: Ints, means: int) -> int:
    """Return how many of some buildings can be paid at most."""
    count, need = 0, 0
    while spaces != NOTHING and need <= means:
        left = spaces
        while left != NOTHING:
            space = lowest(left)
            left = without_lowest(left)
            if needs[space] == need:
                spaces &= ~bit(space)
                if need <= means:
                    means -= need
                    count += 1
        need += 1
    return count


@small
def _take(
    rules: Rules, state: State, search: Search, seat: int, active: np.uint64, value: int, with_ties: bool
) -> None:
    """Remember an assignment if it comes before the one found (part 3)."""
    for_ties = _count_for_ties(rules, state, seat, active) if with_ties else 0
    if value < search.best or (value == search.best and not with_ties):
        return
    if value == search.best:
        if for_ties < search.for_ties:
            return
        if for_ties == search.for_ties:
            more = popcount(active) - popcount(search.active)
            if more < 0 or (more == 0 and active > search.active):
                return
    search.best = value
    search.active = active
    search.for_ties = for_ties


@small
def _space_to_decide(state: State, search: Search, seat: int, node: Node) -> int:
    """Return the open building that seems worth least, among those that need what is short."""
    lacks_inhabitants = node.open_inhabitants > node.inhabitants
    lacks_energy = node.open_energy > node.energy
    shops = state.of[seat, Building.SHOP]
    chosen, least = -1, 0
    spaces = node.open
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        helps = (lacks_inhabitants and search.inhabitants[space] > 0) or (lacks_energy and search.energy[space] > 0)
        worth = search.worth[space]
        if not lacks_inhabitants and not lacks_energy:
            helps = True
            worth += 0 if search.inhabitants[space] > 0 else 100 * SHARE
        if has(shops, space):
            worth += 2 * SHARE
        if helps and (chosen < 0 or worth < least):
            chosen, least = space, worth
    return chosen


@small
def seat_customers(rules: Rules, state: State, search: Search, seat: int, customers: Ints) -> int:
    """Fill the active Shops of the assignment found, shop by shop in the order of spaces; return who is left over.

    Among the distributions with the highest score the one that is largest, space by space (part 3).
    """
    shops = state.of[seat, Building.SHOP] & search.active
    brought = tv_inhabitants(rules, state, seat, search.active)
    inhabitants = state.inhabitants[seat] + brought
    spaces = search.active & search.paid
    while spaces != NOTHING:
        inhabitants -= search.inhabitants[lowest(spaces)]
        spaces = without_lowest(spaces)
    inhabitants -= max(0, min(brought, inhabitants - popcount(shops) * rules.customers))
    left = popcount(shops)
    while shops != NOTHING:
        space = lowest(shops)
        shops = without_lowest(shops)
        best = score_shops(rules, left, inhabitants)
        left -= 1
        seated = min(rules.customers, inhabitants)
        while rules.shop[seated] + score_shops(rules, left, inhabitants - seated) < best:
            seated -= 1
        customers[space] = seated
        inhabitants -= seated
    return inhabitants


@small
def surplus_energy(state: State, search: Search, seat: int) -> int:
    """Return the energy that the assignment found leaves."""
    energy = state.energy[seat]
    spaces = search.active & search.paid
    while spaces != NOTHING:
        energy -= search.energy[lowest(spaces)]
        spaces = without_lowest(spaces)
    return energy
