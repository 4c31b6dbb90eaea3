"""Which buildings a city activates: the exact maximum of its score (rules: Quadropolis, part 3).

Branch and bound over the buildings that need something. A node of the search has kept some of them for certain
and dropped others; the rest are open. What only grows with activation, scored with all open buildings active, what is
left of the means, used as well as they can be at all, and what dropping buildings costs at least (see `worth`) bound
the score of all assignments below the node. A node whose open buildings can all be paid is an assignment. Open
buildings without which the bound is too low are kept; one of the others is dropped in one branch and kept in the other.
Where buildings can stand in for each other, no branch drops one and keeps another that is worth less.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from balance.games.bits import bit, has, lowest, popcount, without_lowest
from balance.games.quadropolis.components import (
    MOST_RESOURCES,
    NOTHING,
    SHARE,
    SPACES,
    Building,
    Rules,
    State,
)
from balance.games.quadropolis.scoring import score_gains, score_penalties, score_shops, score_surplus
from balance.games.quadropolis.worth import find_loose, weigh
from balance.games.record import Ints, Record, Words, shape
from balance.jit import njit, small

LOWEST, HIGHEST = -(1 << 40), 1 << 40
_NODES = 2 * SPACES + 2
_NEEDS = MOST_RESOURCES + 2  # of the last one nothing needs so much
_UNKNOWN = -(1 << 41)
_NO_HELP, _CUSTOMERS = 100 * SHARE, 2 * SHARE  # added to the worth where a building to decide is chosen


class Search(Record):
    """Working room of the search, and what it found."""

    # The buildings that need something
    inhabitants: Ints = shape(SPACES)  # what the building on a space needs
    energy: Ints = shape(SPACES)
    worth: Ints = shape(SPACES)  # what dropping it costs at least, in shares of a point (see `worth`)
    paid: np.uint64  # spaces whose building needs something
    free: np.uint64  # spaces whose building needs nothing
    counting: np.uint64  # spaces whose building needs an inhabitant and is no Shop: these decide ties (part 4)
    need_inhabitants: Words = shape(_NEEDS)  # spaces whose building needs at least so many
    need_energy: Words = shape(_NEEDS)
    people: Ints = shape(9 * SPACES)  # what each inhabitant freed costs, in shares of a point, cheapest first
    power: Ints = shape(9 * SPACES)  # what each energy freed costs
    idle_shops: Ints = shape(SPACES)  # what each Shop dropped costs, besides its customers
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


class Supply(NamedTuple):
    """What the means of a node are once all open buildings are paid, and what dropping some of these would free."""

    inhabitants: int  # left, or lacking
    energy: int
    people: int  # inhabitants that open buildings need, in `Search.people`
    power: int  # energy that they need, without Shops, in `Search.power`
    shops: int  # active Shops
    idle: int  # of these, the open ones, in `Search.idle_shops`
    brought: int  # inhabitants that TV Stations bring
    parks: int
    plants: int  # Reprocessing Plants


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
    """Return what a city scores with these buildings active, or LOWEST if it cannot be so.

    Its means may not pay for them, or one is left out that needs nothing and so is always active.
    """
    left_out = state.occupied[seat] & ~active
    while left_out != NOTHING:
        if rules.is_free[state.building[seat, lowest(left_out)]] == 1:
            return LOWEST
        left_out = without_lowest(left_out)
    brought = tv_inhabitants(rules, state, seat, active)
    inhabitants, energy = state.inhabitants[seat], state.energy[seat]
    stations = popcount(state.of[seat, Building.TV_STATION] & active)
    if stations * rules.needs_inhabitants[Building.TV_STATION] > inhabitants:
        return LOWEST
    needed_inhabitants, needed_energy = needs_of(rules, state, seat, active)
    inhabitants += brought - needed_inhabitants
    energy -= needed_energy
    if inhabitants < 0 or energy < 0:
        return LOWEST
    parks = popcount(state.of[seat, Building.PARK] & active)
    plants = popcount(state.of[seat, Building.REPROCESSING_PLANT] & active)
    points = score_gains(rules, state, seat, active) + score_penalties(rules, state, seat, active)
    points += _value_of_inhabitants(rules, _shops_of(state, seat, active), inhabitants, brought)
    return points + score_surplus(rules, parks, plants, energy)


@small
def needs_of(rules: Rules, state: State, seat: int, spaces: np.uint64) -> tuple[int, int]:
    """Add up the inhabitants, and the energy, that the buildings on some spaces need."""
    inhabitants, energy = 0, 0
    while spaces != NOTHING:
        building = state.building[seat, lowest(spaces)]
        spaces = without_lowest(spaces)
        inhabitants += rules.needs_inhabitants[building]
        energy += rules.needs_energy[building]
    return inhabitants, energy


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
    search.free = NOTHING
    search.counting = NOTHING
    for need in range(_NEEDS):
        search.need_inhabitants[need] = NOTHING
        search.need_energy[need] = NOTHING
    spaces = state.occupied[seat]
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        building = state.building[seat, space]
        search.inhabitants[space] = rules.needs_inhabitants[building]
        search.energy[space] = rules.needs_energy[building]
        for need in range(1, search.inhabitants[space] + 1):
            search.need_inhabitants[need] |= bit(space)
        for need in range(1, search.energy[space] + 1):
            search.need_energy[need] |= bit(space)
        if rules.is_free[building] == 1:
            search.free |= bit(space)
        if rules.counts_for_ties[building] == 1:
            search.counting |= bit(space)
    search.paid = state.occupied[seat] & ~search.free


@small
def _needs(needing: Words, spaces: np.uint64) -> int:
    """Add up what the buildings on some spaces need; `needing` is `Search.need_inhabitants` or `need_energy`."""
    needs, need = 0, 1
    while needing[need] & spaces != NOTHING:
        needs += popcount(needing[need] & spaces)
        need += 1
    return needs


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
    if node.inhabitants < 0 or node.energy < 0:
        return  # what is kept cannot be paid
    can_pay = _can_pay(node)
    if dropped != before:
        gains = _UNKNOWN
    has_to_beat = search.best >= LOWEST  # else bounds are of no use yet
    if gains == _UNKNOWN and (can_pay or has_to_beat):
        gains = score_gains(rules, state, seat, node.active)
    certain = gains + score_penalties(rules, state, seat, kept | search.free)
    if can_pay and _tv_is_paid(rules, state, seat, means, node.active):
        rest = _value_of_means(rules, state, seat, node)
        value = gains + score_penalties(rules, state, seat, node.active) + rest
        _take(search, node.active, value, with_ties)
        if value >= means.enough or node.open == NOTHING:
            return
        if value == certain + rest and not _can_use_more(rules, state, seat, node):
            return
    worth = search.worth[:]  # the type that `bounds` passes, else all this is compiled twice
    sunk = weigh(rules, state, worth, seat, node.active, node.open)
    left = node.open
    if can_pay or has_to_beat:
        supply = supply_of(rules, state, search, worth, seat, node)
        most = most_of(rules, search, supply)
        bound = certain + (most - sunk) // SHARE
        if bound < search.best:
            return
        if bound == search.best and not (with_ties and _may_win_tie(search, node)):
            return
        wanted = search.best if with_ties else search.best + 1
        needed = _indispensable(rules, search, node, supply, most, SHARE * (wanted - certain) + sunk)
        kept |= needed
        left &= ~needed
    space = _space_to_decide(state, search, seat, node, left)
    if space >= 0:
        loose = find_loose(rules, state, seat, node.active, node.open)
        sooner, later = NOTHING, NOTHING
        if has(loose, space):
            sooner, later = _order_of_dropping(state, search, seat, loose, space)
        _push(search, kept | bit(space) | later, dropped, gains)
        _push(search, kept, dropped | bit(space) | sooner, _UNKNOWN)


@small
def _order_of_dropping(
    state: State, search: Search, seat: int, loose: np.uint64, space: int
) -> tuple[np.uint64, np.uint64]:
    """Return which loose buildings are dropped sooner, and which later, than the loose one on a space.

    Of two that need the same, dropping the one worth more scores less; where they are worth the same, dropping the
    one on the lower space leaves the larger set (part 3). A Shop can stand in only for another one.
    """
    shops = state.of[seat, Building.SHOP]
    others = loose & (shops if has(shops, space) else ~shops) & ~bit(space)
    sooner, later = NOTHING, NOTHING
    while others != NOTHING:
        other = lowest(others)
        others = without_lowest(others)
        same_inhabitants = search.inhabitants[other] == search.inhabitants[space]
        if same_inhabitants and search.energy[other] == search.energy[space]:
            more = search.worth[other] - search.worth[space]
            if more < 0 or (more == 0 and other > space):
                sooner |= bit(other)
            else:
                later |= bit(other)
    return sooner, later


@small
def _can_use_more(rules: Rules, state: State, seat: int, node: Node) -> bool:
    """Tell whether what dropping a building would free could score: with a customer, or on a Reprocessing Plant."""
    customers = rules.customers * _shops_of(state, seat, node.active)
    has_plant = state.of[seat, Building.REPROCESSING_PLANT] & node.active != NOTHING
    return has_plant or node.inhabitants - node.open_inhabitants < customers


@small
def _indispensable(rules: Rules, search: Search, node: Node, supply: Supply, most: int, wanted: int) -> np.uint64:
    """Return the open buildings without which no assignment below a node scores as much as is wanted.

    Dropping one costs its worth, and what it needs is free then; both in shares of a point.
    """
    needed, left = NOTHING, node.open
    inhabitants, energy, then = 0, 0, most
    while left != NOTHING:
        space = lowest(left)
        left = without_lowest(left)
        if most - search.worth[space] >= wanted:
            continue
        if search.inhabitants[space] != inhabitants or search.energy[space] != energy:
            inhabitants, energy = search.inhabitants[space], search.energy[space]
            then = most_of(rules, search, _with_more(supply, inhabitants, energy))
        if then - search.worth[space] < wanted:
            needed |= bit(space)
    return needed


@small
def _with_more(supply: Supply, inhabitants: int, energy: int) -> Supply:
    return Supply(
        supply.inhabitants + inhabitants,
        supply.energy + energy,
        supply.people,
        supply.power,
        supply.shops,
        supply.idle,
        supply.brought,
        supply.parks,
        supply.plants,
    )


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
    inhabitants -= _needs(search.need_inhabitants, kept)
    energy = means.energy - _needs(search.need_energy, kept)
    open_inhabitants = _needs(search.need_inhabitants, undecided)
    open_energy = _needs(search.need_energy, undecided)
    return Node(active, undecided, inhabitants, energy, open_inhabitants, open_energy)


@small
def _can_pay(node: Node) -> bool:
    """Tell whether all open buildings can be paid."""
    return node.open_inhabitants <= node.inhabitants and node.open_energy <= node.energy


@small
def _too_dear(search: Search, node: Node) -> np.uint64:
    """Return the open buildings that cannot be paid even alone."""
    if _can_pay(node):
        return NOTHING
    if node.inhabitants < 0 or node.energy < 0:
        return node.open
    people = search.need_inhabitants[min(node.inhabitants + 1, _NEEDS - 1)]
    return node.open & (people | search.need_energy[min(node.energy + 1, _NEEDS - 1)])


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
def supply_of(rules: Rules, state: State, search: Search, worth: Ints, seat: int, node: Node) -> Supply:
    """Sort what the open buildings would free by what it costs to drop them.

    Of a building that both means are short for, each has half the worth.
    """
    open_shops = state.of[seat, Building.SHOP] & node.open
    shops = _shops_of(state, seat, node.active)
    plants = popcount(state.of[seat, Building.REPROCESSING_PLANT] & node.active)
    inhabitants, energy = node.inhabitants - node.open_inhabitants, node.energy - node.open_energy
    energy_is_short = energy < 0 or plants > 0
    people_wanted = shops * rules.customers - inhabitants
    needs_both = NOTHING
    if (energy_is_short and people_wanted > 0) or rules.needs_inhabitants[Building.SHOP] > 0:
        needs_both = search.need_inhabitants[1] & search.need_energy[1]
    people, power, idle = 0, 0, 0
    if people_wanted > 0:
        people = _sort_units(search.people, people_wanted, worth, node.open, search.need_inhabitants, needs_both)
    if energy_is_short:
        power_wanted = search.power.size if plants > 0 else -energy
        others = node.open & ~open_shops
        power = _sort_units(search.power, power_wanted, worth, others, search.need_energy, needs_both)
        idle = _sort_shops(rules, search.idle_shops, worth, open_shops)
    return Supply(
        inhabitants,
        energy,
        people,
        power,
        shops,
        idle,
        tv_inhabitants(rules, state, seat, node.active),
        popcount(state.of[seat, Building.PARK] & node.active),
        plants,
    )


@small
def _sort_units(units: Ints, wanted: int, worth: Ints, spaces: np.uint64, needing: Words, needs_both: np.uint64) -> int:
    """List what each unit costs that some buildings would free, the cheapest first, as many as are wanted.

    Return how many there are.
    """
    count = 0
    spaces &= needing[1]
    while spaces != NOTHING:
        space = lowest(spaces)
        here = bit(space)
        spaces = without_lowest(spaces)
        cost = worth[space] >> (1 if needs_both & here != NOTHING else 0)
        if needing[2] & here == NOTHING:
            count = _insert(units, count, wanted, cost)
            continue
        need = _needs(needing, here)
        for _ in range(need):
            count = _insert(units, count, wanted, cost // need)
    return count


@small
def _sort_shops(rules: Rules, costs: Ints, worth: Ints, spaces: np.uint64) -> int:
    """List what each open Shop costs to drop, cheapest first; return how many there are."""
    count = 0
    halves = 1 if rules.needs_inhabitants[Building.SHOP] > 0 else 0
    while spaces != NOTHING:
        count = _insert(costs, count, costs.size, worth[lowest(spaces)] >> halves)
        spaces = without_lowest(spaces)
    return count


@small
def _insert(numbers: Ints, count: int, most: int, number: int) -> int:
    """Insert a number into a sorted list of at most so many, where the highest get lost; return how many it has."""
    place = count
    if count == most:
        place -= 1
        if numbers[place] <= number:
            return count
    count = place + 1
    while place > 0 and numbers[place - 1] > number:
        numbers[place] = numbers[place - 1]
        place -= 1
    numbers[place] = number
    return count


@njit
def most_of(rules: Rules, search: Search, supply: Supply) -> int:
    """Return what the means score at most, less what is dropped for it, in shares of a point.

    Inhabitants and energy are looked at apart. Only how many Shops stay active is the same for both: these need the
    energy, and the inhabitants score there.
    """
    best, lost = _UNKNOWN, 0
    energy = supply.energy
    for idle in range(supply.idle + 1):
        of_energy = _most_of_energy(rules, search.power, supply, energy)
        if of_energy > _UNKNOWN:
            best = max(best, of_energy + _most_of_people(rules, search.people, supply, supply.shops - idle) - lost)
        if energy >= 0 and supply.plants == 0:
            break
        energy += rules.needs_energy[Building.SHOP]
        if idle < supply.idle:
            lost += search.idle_shops[idle]
    return best


@small
def _most_of_people(rules: Rules, units: Ints, supply: Supply, shops: int) -> int:
    """Bound what so many Shops and leftover inhabitants score, less what is dropped for it."""
    left, lost, best = supply.inhabitants, 0, _UNKNOWN
    if left >= 0:
        best = SHARE * _value_of_inhabitants(rules, shops, left, supply.brought)
    for unit in range(supply.people):
        if left >= 0 and left >= shops * rules.customers:
            break
        left += 1
        lost += units[unit]
        if left >= 0:
            best = max(best, SHARE * _value_of_inhabitants(rules, shops, left, supply.brought) - lost)
    return best


@small
def _most_of_energy(rules: Rules, units: Ints, supply: Supply, left: int) -> int:
    """Bound what surplus energy scores, less what is dropped for it."""
    lost, best = 0, _UNKNOWN
    if left >= 0:
        best = SHARE * _most_of_surplus(rules, supply, left)
    for unit in range(supply.power):
        if left >= 0 and supply.plants == 0:
            break
        left += 1
        lost += units[unit]
        if left >= 0:
            best = max(best, SHARE * _most_of_surplus(rules, supply, left) - lost)
    return best


@small
def _most_of_surplus(rules: Rules, supply: Supply, energy: int) -> int:
    """Bound what surplus energy scores where a Reprocessing Plant may be dropped."""
    return max(score_surplus(rules, supply.parks, 0, energy), score_surplus(rules, supply.parks, supply.plants, energy))


@small
def _may_win_tie(search: Search, node: Node) -> bool:
    """Tell whether an assignment below a node could come before the one found, at the same score (part 3)."""
    certain = node.active & ~node.open
    counting = search.counting & node.open
    payable = _most_payable(counting, search.need_inhabitants, node.inhabitants)
    for_ties = popcount(search.counting & certain) + payable
    if for_ties != search.for_ties:
        return for_ties > search.for_ties
    active = popcount(certain) + payable
    active += _most_payable(node.open & ~counting, search.need_energy, node.energy)
    wanted = popcount(search.active)
    if active != wanted:
        return active > wanted
    smallest, left = certain, node.open
    for _ in range(wanted - popcount(certain)):
        smallest |= left & ~without_lowest(left)
        left = without_lowest(left)
    return bool(smallest < search.active)


@small
def _most_payable(spaces: np.uint64, needing: Words, means: int) -> int:
    """Return how many of some buildings can be paid at most."""
    count, need = popcount(spaces & ~needing[1]), 1
    while need <= means and needing[need] & spaces != NOTHING:
        paid = min(popcount(spaces & needing[need] & ~needing[need + 1]), means // need)
        count += paid
        means -= need * paid
        need += 1
    return count


@small
def _take(search: Search, active: np.uint64, value: int, with_ties: bool) -> None:
    """Remember an assignment if it comes before the one found (part 3)."""
    for_ties = popcount(search.counting & active) if with_ties else 0
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
def _space_to_decide(state: State, search: Search, seat: int, node: Node, spaces: np.uint64) -> int:
    """Return the one of some open buildings that seems worth least, among those that need what is short, or -1.

    Where none of them needs it, what is short cannot be paid for the others.
    """
    lacks_inhabitants = node.open_inhabitants > node.inhabitants
    lacks_energy = node.open_energy > node.energy
    lacks_nothing = not lacks_inhabitants and not lacks_energy
    if not lacks_nothing:
        of_help = search.need_inhabitants[1] if lacks_inhabitants else NOTHING
        spaces &= of_help | (search.need_energy[1] if lacks_energy else NOTHING)
    chosen, least = -1, 0
    while spaces != NOTHING:
        space = lowest(spaces)
        spaces = without_lowest(spaces)
        worth = search.worth[space]
        if lacks_nothing and search.inhabitants[space] == 0:
            worth += _NO_HELP  # only a customer for a Shop can be worth more
        if state.building[seat, space] == Building.SHOP:
            worth += _CUSTOMERS
        if chosen < 0 or worth <= least:
            chosen, least = space, worth
    return chosen


@small
def seat_customers(rules: Rules, state: State, seat: int, active: np.uint64, inhabitants: int, customers: Ints) -> int:
    """Fill the active Shops with the inhabitants not needed, shop by shop in the order of spaces; return who is left.

    Among the distributions with the highest score the one that is largest, space by space (part 3).
    """
    shops = state.of[seat, Building.SHOP] & active
    brought = tv_inhabitants(rules, state, seat, active)
    inhabitants += brought
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
