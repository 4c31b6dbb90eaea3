"""Quadropolis as obviously as possible: a city is a dict of spaces, a space is (row, column) from 0.

Written from the rules texts, for tests only, with nothing of `balance`. Scenarios are plain data as in their files.
"""

from __future__ import annotations

import functools
import itertools
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

Data = dict[str, Any]
Space = tuple[int, int]
Slot = tuple[str, int]  # side, position from 0
CityKey = tuple[frozenset[tuple[Space, str, int, int]], int, int]

SCENARIOS = Path(__file__).parent.parent.parent / "scenarios"
SIDES = ("left", "right", "top", "bottom")

STANDARD = "public_service"
TOWER, OFFICE, SHOP, PARK, FACTORY, HARBOR, MONUMENT = (
    "tower_block",
    "office_tower",
    "shop",
    "park",
    "factory",
    "harbor",
    "monument",
)


# The scenario


def load_data(name: str) -> Data:
    """Read a scenario and what it extends: tables are merged key by key, lists replaced."""
    data = tomllib.loads((SCENARIOS / f"{name}.toml").read_text(encoding="utf-8"))
    base = data.pop("extends", None)
    return data if base is None else merged(load_data(base), data)


def merged(base: Data, changes: Data) -> Data:
    """Return a scenario with changes."""
    result = dict(base)
    for key, value in changes.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        result[key] = merged(base[key], value) if both else value
    return result


def entry(table: list[int], number: int) -> int:
    """Return a number of a score table; what goes beyond the table counts as its end."""
    return table[min(number, len(table) - 1)]


# A city


@dataclass
class Stack:
    """A building; only Tower Blocks and Office Towers ever have more than one floor."""

    building: str
    floors: int
    printed_vp: int


@dataclass
class City:
    """What a player built and gained so far; nothing is spent before the end of the game."""

    stacks: dict[Space, Stack] = field(default_factory=dict)
    inhabitants: int = 0
    energy: int = 0


def key_of(city: City) -> CityKey:
    """Tell cities apart."""
    stacks = frozenset((space, stack.building, stack.floors, stack.printed_vp) for space, stack in city.stacks.items())
    return stacks, city.inhabitants, city.energy


def all_spaces(data: Data) -> list[Space]:
    """List the spaces of a city row by row."""
    return [(row, column) for row, line in enumerate(data["city"]["districts"]) for column in range(len(line))]


def lines_of(data: Data) -> tuple[list[list[Space]], list[list[Space]]]:
    """List the rows and the columns of a city."""
    spaces = all_spaces(data)
    rows = [[space for space in spaces if space[0] == row] for row in sorted({row for row, _ in spaces})]
    columns = [[space for space in spaces if space[1] == column] for column in sorted({column for _, column in spaces})]
    return rows, columns


def district_of(data: Data, space: Space) -> str:
    """Return the district of a space."""
    return data["city"]["districts"][space[0]][space[1]]


def neighbours(space: Space) -> list[Space]:
    """List the spaces that share a side, also those beyond the edge."""
    row, column = space
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]


def is_public_service(data: Data, building: str) -> bool:
    """Every expansion tile is a Public Service too."""
    return building == STANDARD or building in data["pool"]


def cost_of(data: Data, building: str) -> tuple[int, int]:
    """Return the inhabitants and the energy that a building needs to be active."""
    table = data["pool"] if building in data["pool"] else data["cost"]
    costs = table.get(building, {})
    return costs.get("inhabitants", 0), costs.get("energy", 0)


def counts_at_all(data: Data, building: str) -> bool:
    """Tell whether a building is one of the rules; a base tile that was blanked counts for nothing."""
    return building in data["cost"] or building in data["pool"]


# Building


def matches(data: Data, space: Space, number: int) -> bool:
    """A space has to match the Architect's number."""
    row, column = space
    if data["city"]["match"] == "row or column":
        return number in (row + 1, column + 1)
    if data["city"]["match"] == "district or number":
        return str(number) in (district_of(data, space), data["city"]["numbers"][row][column])
    raise ValueError(data["city"]["match"])


def legal_spaces(data: Data, city: City, building: str, number: int) -> set[Space]:
    """Build on an empty space that matches, or a Tower Block (Office Tower) on one: there the floor may match."""
    legal = {space for space in all_spaces(data) if space not in city.stacks and matches(data, space, number)}
    if building in (TOWER, OFFICE):
        highest = data["city"][f"highest_{building}"]
        for space, stack in city.stacks.items():
            new_floor = stack.floors + 1
            may = number == new_floor or matches(data, space, number)
            if stack.building == building and new_floor <= highest and may:
                legal.add(space)
    return legal


def city_after(data: Data, city: City, built: str, space: Space) -> City:
    """Return the city with one more tile: a kind of `tiles`, or a tile of the pool."""
    if built in data["pool"]:
        tile = data["pool"][built]
        building, gains = built, (tile.get("gives_inhabitants", 0), tile.get("gives_energy", 0))
    else:
        tile = data["tiles"][built]
        building, gains = tile["building"], (tile.get("inhabitants", 0), tile.get("energy", 0))
    below = city.stacks.get(space, Stack(building, 0, 0))
    stack = Stack(building, below.floors + 1, below.printed_vp + tile.get("printed_vp", 0))
    return City({**city.stacks, space: stack}, city.inhabitants + gains[0], city.energy + gains[1])


# The Construction Site


def slots(size: int = 5) -> list[Slot]:
    """List the slots around the Construction Site."""
    return [(side, position) for side in SIDES for position in range(size)]


def reached_square(side: str, position: int, number: int, size: int) -> Space:
    """Count squares from the slot, as many as the Architect's number."""
    return {
        "left": (position, number - 1),
        "right": (position, size - number),
        "top": (number - 1, position),
        "bottom": (size - number, position),
    }[side]


def forbidden_slots(urbanist_square: Space | None) -> set[Slot]:
    """Slots of the Urbanist's row and of its column are forbidden, at both ends."""
    if urbanist_square is None:
        return set()
    row, column = urbanist_square
    return {("left", row), ("right", row), ("top", column), ("bottom", column)}


class Move(NamedTuple):
    """A complete move; without a space nothing is built."""

    number: int
    slot: Slot
    built: str | None = None
    discarded: str | None = None
    space: Space | None = None


@dataclass
class Position:
    """What the player whose turn it is has before them."""

    city: City
    site: dict[Space, str]  # the tiles that can be reached: face up and still there
    visible: list[str]
    numbers: set[int]
    slots: set[Slot]  # free and not forbidden


def exchange_options(data: Data, kind: str, visible: Iterable[str]) -> list[tuple[str, str | None]]:
    """List (tile built, visible tile discarded) for a tile reached."""
    tiles = sorted(set(visible))
    if data["tiles"][kind]["building"] != STANDARD or not tiles:
        return [(kind, None)]
    return [(kind, tile) for tile in tiles] + [(tile, None) for tile in tiles]


def building_of(data: Data, built: str) -> str:
    """Return the building that a tile is."""
    return built if built in data["pool"] else data["tiles"][built]["building"]


def complete_moves(data: Data, position: Position) -> Iterator[Move]:
    """List every complete move: number and slot, then nothing, or what to build and where."""
    for number, slot in itertools.product(sorted(position.numbers), sorted(position.slots)):
        yield Move(number, slot)
        kind = position.site.get(reached_square(*slot, number, data["site"]["size"]))
        if kind is None:
            continue
        for built, discarded in exchange_options(data, kind, position.visible):
            for space in sorted(legal_spaces(data, position.city, building_of(data, built), number)):
                yield Move(number, slot, built, discarded, space)


def cities_after(data: Data, position: Position) -> list[City]:
    """List the different cities that the complete moves lead to."""
    builds = {(move.built, move.space) for move in complete_moves(data, position)}
    cities = [
        position.city if built is None or space is None else city_after(data, position.city, built, space)
        for built, space in builds
    ]
    return list({key_of(city): city for city in cities}.values())


def best_value(data: Data, position: Position) -> int:
    """Return what the own city scores at most after a complete move, if the game ended then."""
    return max(best_activation(data, city).score for city in cities_after(data, position))


# Scoring. `standing` is what is active; the rest counts as absent.

Standing = dict[Space, Stack]


def standing_of(data: Data, city: City, active: Iterable[Space]) -> Standing:
    """Return the active part of a city."""
    stacks = city.stacks
    return {space: stacks[space] for space in sorted(active) if counts_at_all(data, stacks[space].building)}


def spaces_of(standing: Standing, *buildings: str) -> list[Space]:
    """List the spaces with one of some buildings."""
    return [space for space, stack in standing.items() if stack.building in buildings]


def buildings_beside(standing: Standing, space: Space) -> list[str]:
    """List the buildings that share a side with a space."""
    return [standing[other].building for other in neighbours(space) if other in standing]


def tower_blocks(data: Data, standing: Standing) -> int:
    """A Tower Block scores by its floors."""
    return sum(entry(data["score"][TOWER], standing[space].floors - 1) for space in spaces_of(standing, TOWER))


def shops(data: Data, standing: Standing, customers: dict[Space, int]) -> int:
    """A Shop scores by its customers."""
    return sum(data["score"][SHOP][customers.get(space, 0)] for space in spaces_of(standing, SHOP))


def districts(data: Data, standing: Standing) -> int:
    """Public Services score by the districts that have one."""
    having = {district_of(data, space) for space in public_services(data, standing)}
    return entry(data["score"]["districts"], len(having) - 1) if having else 0


def public_services(data: Data, standing: Standing) -> list[Space]:
    """List the Public Services, standard ones and those of the expansion."""
    return [space for space, stack in standing.items() if is_public_service(data, stack.building)]


def parks(data: Data, standing: Standing) -> int:
    """A Park scores by the Tower Blocks and Office Towers beside it."""
    points = 0
    for space in spaces_of(standing, PARK):
        beside = buildings_beside(standing, space)
        points += entry(data["score"][PARK], beside.count(TOWER) + beside.count(OFFICE))
    return points


def factories(data: Data, standing: Standing) -> int:
    """A Factory scores for each Shop, Harbor and Office Tower beside it."""
    points = 0
    for space in spaces_of(standing, FACTORY):
        beside = buildings_beside(standing, space)
        points += sum(data["score"][f"factory_per_{other}"] * beside.count(other) for other in (SHOP, HARBOR, OFFICE))
    return points


def harbors(standing: Standing, table: list[int], lines: list[list[Space]]) -> int:
    """Harbors score by the longest unbroken row, and likewise by the longest unbroken column."""
    longest = 0
    for line in lines:
        unbroken = 0
        for space in line:
            unbroken = unbroken + 1 if space in standing and standing[space].building == HARBOR else 0
            longest = max(longest, unbroken)
    return entry(table, longest - 1) if longest else 0


def as_monuments(data: Data, standing: Standing, building: str) -> tuple[int, int]:
    """A Monument (or a Capitol) scores for what is beside it: return what it gains, and what it loses."""
    gained = lost = 0
    for space in spaces_of(standing, building):
        for other in buildings_beside(standing, space):
            name = STANDARD if is_public_service(data, other) else other
            points = data["score"].get(f"monument_per_{name}", 0)
            gained, lost = gained + max(points, 0), lost + min(points, 0)
    return gained, lost


def office_groups(data: Data, standing: Standing) -> list[tuple[set[Space], int]]:
    """Group the Office Towers that are connected side by side; return each group and its size.

    A Congress Center adds 1 to each group that it touches; with bridges it first makes all of them one.
    """
    offices, centers = spaces_of(standing, OFFICE), spaces_of(standing, "congress_center")
    groups = [{space} for space in offices]
    links = [{space, other} for space in offices for other in neighbours(space) if other in offices]
    if data["public_services"]["bridges"]:
        links += [{other for other in neighbours(center) if other in offices} for center in centers]
    for link in links:
        joined = [group for group in groups if group & link]
        if joined:
            groups = [group for group in groups if not group & link] + [set().union(*joined)]
    return [
        (group, len(group) + sum(any(other in group for other in neighbours(center)) for center in centers))
        for group in groups
    ]


def office_towers(data: Data, standing: Standing) -> int:
    """An Office Tower scores by the size of its group and by its floors."""
    table = data["score"][OFFICE]
    points = 0
    for group, size in office_groups(data, standing):
        row = table[min(size, len(table)) - 1]
        points += sum(entry(row, standing[space].floors - 1) for space in group)
    return points


def customs_office(data: Data, standing: Standing) -> int:
    """A Customs Office scores once if a row or a column is full of Harbors."""
    rows, columns = lines_of(data)
    harbor_spaces = set(spaces_of(standing, HARBOR))
    return int(any(harbor_spaces.issuperset(line) for line in rows + columns))


def city_planning(data: Data, city: City, standing: Standing) -> int:
    """City Planning scores for each district that is full, and again if all are."""
    rules = data["pool"]["city_planning"]
    built: set[Space] = set(city.stacks) if data["public_services"]["planning_counts_inactive"] else set(standing)
    built = {space for space in built if counts_at_all(data, city.stacks[space].building)}
    every = {district_of(data, space) for space in all_spaces(data)}
    open_ones = {district_of(data, space) for space in all_spaces(data) if space not in built}
    full = len(every - open_ones)
    return rules.get("vp", 0) * full + rules.get("vp_full_city", 0) * (not open_ones)


def police_station(data: Data, standing: Standing) -> int:
    """A Police Station scores the floors of the highest Tower Block, in Expert games also of an Office Tower."""
    counted = (TOWER, OFFICE) if data["pool"]["police_station"].get("counts_office_towers", False) else (TOWER,)
    return max((standing[space].floors for space in spaces_of(standing, *counted)), default=0)


def pool_points(data: Data, city: City, standing: Standing) -> dict[str, int]:
    """Score the expansion tiles that give VP for things in the city, each as often as it stands there."""

    def scored(tile: str, things: Callable[[Space], int]) -> int:
        return sum(data["pool"][tile].get("vp", 0) * things(space) for space in spaces_of(standing, tile))

    planned = len(spaces_of(standing, "city_planning"))
    return {
        "city_hall": scored("city_hall", lambda _: len(public_services(data, standing))),
        "customs_office": scored("customs_office", lambda _: customs_office(data, standing)),
        "city_planning": planned * city_planning(data, city, standing) if planned else 0,
        "fire_station": scored("fire_station", lambda space: buildings_beside(standing, space).count(FACTORY)),
        "park_district": scored("park_district", lambda _: len(spaces_of(standing, PARK))),
        "police_station": scored("police_station", lambda _: police_station(data, standing)),
        "school": scored("school", lambda _: len(spaces_of(standing, TOWER))),
    }


def need_of(data: Data, standing: Standing) -> tuple[int, int]:
    """Add up the inhabitants and the energy that buildings need."""
    costs = [cost_of(data, stack.building) for stack in standing.values()]
    return sum(cost[0] for cost in costs), sum(cost[1] for cost in costs)


def tv_inhabitants(data: Data, city: City, standing: Standing) -> int:
    """Each active TV Station can give inhabitants for each Shop in the city, active or not."""
    inactive_too = data["public_services"]["tv_counts_inactive"]
    counted = len(spaces_of(city.stacks if inactive_too else standing, SHOP))
    per_shop: int = data["pool"].get("tv_station", {}).get("inhabitants_per_shop", 0)
    return len(spaces_of(standing, "tv_station")) * counted * per_shop


def can_pay(data: Data, city: City, standing: Standing, customers: int) -> bool:
    """The TV Stations are activated from the inhabitants at hand, the rest also from what these give."""
    inhabitants, energy = need_of(data, standing)
    stations = {space: standing[space] for space in spaces_of(standing, "tv_station")}
    return (
        energy <= city.energy
        and need_of(data, stations)[0] <= city.inhabitants
        and inhabitants + customers <= city.inhabitants + tv_inhabitants(data, city, standing)
    )


def surplus_points(data: Data, city: City, standing: Standing, customers: int) -> dict[str, int]:
    """Score what is left over: one Reprocessing Plant takes all energy; without one each Park absorbs some."""
    inhabitants, energy = need_of(data, standing)
    surplus = max(city.energy - energy, 0)
    plant_vp = 0
    if spaces_of(standing, "reprocessing_plant"):
        plant = data["pool"]["reprocessing_plant"]
        plant_vp = plant.get("vp", 0) * (surplus // plant.get("energy_per_vp", 1))
        surplus = 0
    surplus = max(surplus - data["score"]["park_absorbs"] * len(spaces_of(standing, PARK)), 0)
    unused = max(
        city.inhabitants - inhabitants - customers, 0
    )  # those of TV Stations come only as far as they are used
    return {
        "reprocessing_plant": plant_vp,
        "leftover_inhabitants": data["score"]["leftover_inhabitant"] * unused,
        "leftover_energy": data["score"]["leftover_energy"] * surplus,
    }


def building_points(data: Data, city: City, standing: Standing) -> dict[str, int]:
    """Score all that depends neither on customers nor on what is left over."""
    rows, columns = lines_of(data)
    monuments, monument_penalties = as_monuments(data, standing, MONUMENT)
    capitol, capitol_penalties = as_monuments(data, standing, "capitol")
    return {
        "tower_blocks": tower_blocks(data, standing),
        "districts": districts(data, standing),
        "parks": parks(data, standing),
        "factories": factories(data, standing),
        "harbor_rows": harbors(standing, data["score"]["harbor_row"], rows),
        "harbor_columns": harbors(standing, data["score"]["harbor_column"], columns),
        "monuments": monuments,
        "monument_penalties": monument_penalties,
        "office_towers": office_towers(data, standing),
        "printed_vp": sum(stack.printed_vp for stack in standing.values()),
        **pool_points(data, city, standing),
        "capitol": capitol,
        "capitol_penalties": capitol_penalties,
    }


def points_by_rule(data: Data, city: City, active: frozenset[Space], customers: dict[Space, int]) -> dict[str, int]:
    """Score a city by rule; the sum is the score."""
    standing = standing_of(data, city, active)
    return {
        "shops": shops(data, standing, customers),
        **building_points(data, city, standing),
        **surplus_points(data, city, standing, sum(customers.values())),
    }


# Activation


class Activation(NamedTuple):
    """The best activation of a city, and what it scores."""

    score: int
    active: frozenset[Space]
    customers: dict[Space, int]  # for each active Shop
    rules: dict[str, int]


class Rank(NamedTuple):
    """What makes one set of active buildings better than another, in this order; larger is better."""

    score: float
    needing_inhabitants: float
    active: float
    smallness: float  # minus the set as a number, the first space being its lowest bit


def space_bit(data: Data, space: Space) -> int:
    """Return the bit of a space in a set as a number."""
    return 1 << all_spaces(data).index(space)


def split_by_cost(data: Data, city: City) -> tuple[list[Space], list[Space]]:
    """List the spaces whose building needs something to be active, and those that are always active."""
    counted = [space for space in sorted(city.stacks) if counts_at_all(data, city.stacks[space].building)]
    needing = [space for space in counted if cost_of(data, city.stacks[space].building) != (0, 0)]
    return needing, [space for space in counted if space not in needing]


@functools.cache
def best_customers(table: tuple[int, ...], per_leftover: int, places: int, at_hand: int, bonus: int) -> tuple[int, ...]:
    """Return the customers of each Shop that score most, of several the one that fills the first Shops most.

    Shops are alike, so only distributions that fill no later Shop more than an earlier one need a look. They are
    listed from the fullest first Shop on, and `max` takes the first of the best.
    """

    def value(customers: tuple[int, ...]) -> int:
        return sum(table[number] for number in customers) + per_leftover * max(at_hand - sum(customers), 0)

    fullest_first = itertools.combinations_with_replacement(range(len(table) - 1, -1, -1), places)
    return max((customers for customers in fullest_first if sum(customers) <= at_hand + bonus), key=value)


def activation_of(data: Data, city: City, active: frozenset[Space]) -> Activation | None:
    """Return the best activation with exactly these active spaces, or None if they cannot be paid."""
    standing = standing_of(data, city, active)
    if not can_pay(data, city, standing, customers=0):
        return None
    places = spaces_of(standing, SHOP)
    best = best_customers(
        tuple(data["score"][SHOP]),
        data["score"]["leftover_inhabitant"],
        len(places),
        city.inhabitants - need_of(data, standing)[0],
        tv_inhabitants(data, city, standing),
    )
    customers = dict(zip(places, best, strict=True))
    rules = points_by_rule(data, city, active, customers)
    return Activation(sum(rules.values()), active, customers, rules)


def needs_inhabitants(data: Data, city: City, space: Space) -> bool:
    """Tell whether a building needs an inhabitant to be active; a Shop never counts as one that does (part 4)."""
    building = city.stacks[space].building
    return building != "shop" and cost_of(data, building)[0] > 0


def rank_of(data: Data, city: City, activation: Activation) -> Rank:
    """Rank an activation."""
    needing = sum(needs_inhabitants(data, city, space) for space in activation.active)
    number = sum(space_bit(data, space) for space in activation.active)
    return Rank(activation.score, needing, len(activation.active), -number)


def best_activation_of_all(data: Data, city: City) -> Activation:
    """Try every set of buildings that need something; nothing clever, for small cities."""
    needing, always = split_by_cost(data, city)
    sets = itertools.chain.from_iterable(itertools.combinations(needing, size) for size in range(len(needing) + 1))
    activations = [activation_of(data, city, frozenset((*chosen, *always))) for chosen in sets]
    payable = [activation for activation in activations if activation is not None]
    return max(payable, key=lambda activation: rank_of(data, city, activation))


def best_activation(data: Data, city: City) -> Activation:
    """Return the activation of rules part 3: all sets are tried, but for those that cannot be better (`Search`)."""
    search = Search(data, city)
    search.run()
    assert search.best is not None
    return search.best


def can_score_more(data: Data, city: City, than: int) -> bool:
    """Tell whether some activation scores more than a number."""
    search = Search(data, city, Rank(than, float("inf"), float("inf"), float("inf")))
    search.run()
    return search.best is not None


def hopeful(data: Data) -> Data:
    """Return rules that score at least as much, where one more active building never scores less.

    No rule takes points and no table ever falls; customers, the Reprocessing Plant and what is left over are bounded
    on their own (`Search.hope`).
    """

    def rising(table: list[int]) -> list[int]:
        return list(itertools.accumulate((max(number, 0) for number in table), max))

    score: Data = {}
    for name, value in data["score"].items():
        if name == OFFICE:
            by_size = itertools.accumulate(value, lambda one, other: list(map(max, one, other)))
            score[name] = [rising(row) for row in by_size]
        else:
            score[name] = rising(value) if isinstance(value, list) else max(value, 0)
    pool: Data = {
        tile: {key: max(value, 0) if key.startswith("vp") else value for key, value in rules.items()}
        for tile, rules in data["pool"].items()
    }
    return {**data, "score": score, "pool": pool}


class Search:
    """Looks through the sets of active buildings, and leaves out those that cannot beat the best so far.

    Buildings are decided one by one: active or not. While some are undecided, no decision about them can score more
    than `hope` says: as if all of them were active, and as if only those decided so needed anything.
    """

    def __init__(self, data: Data, city: City, to_beat: Rank | None = None) -> None:
        self.data, self.city = data, city
        self.best: Activation | None = None
        self.to_beat = to_beat
        self.hopeful = hopeful(data)
        self.printed = {space: Stack(s.building, s.floors, max(s.printed_vp, 0)) for space, s in city.stacks.items()}
        self.points: dict[frozenset[Space], int] = {}
        needing, self.always = split_by_cost(data, city)
        # What is missed most is decided first: then a bad decision shows at once.
        everything = frozenset(city.stacks)
        self.needing = sorted(needing, key=lambda space: self.building_points(everything - {space}))
        self.costs = {space: cost_of(data, stack.building) for space, stack in city.stacks.items()}
        self.bits = {space: space_bit(data, space) for space in city.stacks}
        self.has_penalties = any(stack.building in (MONUMENT, "capitol") for stack in city.stacks.values())

    def run(self) -> None:
        """Decide about all buildings; with a number to beat, stop at the first activation that does."""
        self.decide(frozenset(self.always), self.needing, stop_at_first=self.to_beat is not None)

    def decide(self, inside: frozenset[Space], undecided: list[Space], *, stop_at_first: bool) -> None:
        """Decide about the rest, given the buildings inside that are to be active."""
        if stop_at_first and self.best is not None:
            return
        inhabitants = self.city.inhabitants + self.bonus(inside, undecided) - sum(self.costs[s][0] for s in inside)
        energy = self.city.energy - sum(self.costs[space][1] for space in inside)
        if inhabitants < 0 or energy < 0:
            return
        rest = [s for s in undecided if self.costs[s][0] <= inhabitants and self.costs[s][1] <= energy]
        if self.to_beat is not None and self.hope(inside, rest, inhabitants, energy) <= self.to_beat:
            return
        if rest:
            self.decide(inside | {rest[0]}, rest[1:], stop_at_first=stop_at_first)
            self.decide(inside, rest[1:], stop_at_first=stop_at_first)
            return
        activation = activation_of(self.data, self.city, inside)
        if activation is None:
            return
        rank = rank_of(self.data, self.city, activation)
        if self.to_beat is None or rank > self.to_beat:
            self.best, self.to_beat = activation, rank

    def bonus(self, inside: frozenset[Space], undecided: list[Space]) -> int:
        """Return the most inhabitants that TV Stations can give."""
        return tv_inhabitants(self.data, self.city, {space: self.city.stacks[space] for space in (*inside, *undecided)})

    def hope(self, inside: frozenset[Space], undecided: list[Space], inhabitants: int, energy: int) -> Rank:
        """Return a rank that nothing with the buildings inside, and any of those undecided, can exceed."""
        everything = inside.union(undecided)
        standing = standing_of(self.data, self.city, everything)
        places = len(spaces_of(standing, SHOP))
        table = tuple(self.hopeful["score"][SHOP])
        score = self.building_points(everything) + sum(
            table[number] for number in best_customers(table, 0, places, inhabitants, 0)
        )
        if self.has_penalties:
            certain = standing_of(self.data, self.city, inside)
            score += sum(as_monuments(self.data, certain, building)[1] for building in (MONUMENT, "capitol"))
        score += self.surplus(standing, energy, places * (len(table) - 1))
        needing = fitting((self.costs[space][0] for space in undecided if self.costs[space][0] > 0), inhabitants)
        needing += sum(self.costs[space][0] > 0 for space in inside)
        active = len(inside) + fitting((self.costs[space][0] for space in undecided), inhabitants)
        return Rank(score, needing, active, -sum(self.bits[space] for space in inside))

    def surplus(self, standing: Standing, energy: int, customers: int) -> int:
        """Bound what is left over: all that could be used is used, or all goes to a Reprocessing Plant."""
        penalty = surplus_points(self.data, self.city, standing, customers)
        rules, score = self.data["pool"].get("reprocessing_plant", {}), self.data["score"]
        reward = max(score["leftover_inhabitant"], 0) * self.city.inhabitants
        reward += max(score["leftover_energy"], 0) * self.city.energy
        if spaces_of(standing, "reprocessing_plant"):
            return (
                reward
                + max(rules.get("vp", 0), 0) * (energy // rules.get("energy_per_vp", 1))
                + min(penalty["leftover_inhabitants"], 0)
            )
        return reward + min(penalty["leftover_inhabitants"], 0) + min(penalty["leftover_energy"], 0)

    def building_points(self, active: frozenset[Space]) -> int:
        """Score a set of active buildings by the hopeful rules, but for customers and what is left over."""
        if active not in self.points:
            city = City(self.printed, self.city.inhabitants, self.city.energy)
            points = building_points(self.hopeful, city, standing_of(self.data, city, active))
            self.points[active] = sum(points.values())
        return self.points[active]


def fitting(costs: Iterable[int], inhabitants: int) -> int:
    """Return how many buildings can be paid for, the cheapest first."""
    return sum(spent <= inhabitants for spent in itertools.accumulate(sorted(costs)))
