"""A table to play Quadropolis at in tests: scenario variants, cities put down as they are, games and their records."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from balance.games.quadropolis.activation import HIGHEST, LOWEST, Aim, Means, Search, best_activation
from balance.games.quadropolis.city import build, clear_city, legal_spaces
from balance.games.quadropolis.components import NO_KIND, NO_SPACE, NO_SQUARE, Building, Rules, State
from balance.games.quadropolis.play import Line
from balance.games.quadropolis.shares import PART, Rule, Shares, share_points
from balance.games.quadropolis.show import Recording
from balance.games.record import Ints, new_record
from balance.jit import JIT_IS_DISABLED
from balance.runs.plan import make_plan
from balance.runs.quadropolis import QuadropolisEngine
from balance.scenario.quadropolis import Quadropolis
from balance.scenario.quadropolis_rules import kind_names, quadropolis_rules
from tests.naive.quadropolis import (
    OFFICE,
    SIDES,
    TOWER,
    City,
    Data,
    Slot,
    Space,
    Stack,
    all_spaces,
    city_after,
    load_data,
    merged,
)

SEED = 1
RULE_NAMES = [rule.name.lower() for rule in Rule]

CLASSIC, CLASSIC_BASE, CLASSIC_EXPERT_POOL = (
    "quadropolis-classic",
    "quadropolis-classic-base",
    "quadropolis-classic-expert-pool",
)
EXPERT, EXPERT_BASE, EXPERT_CLASSIC_POOL = (
    "quadropolis-expert",
    "quadropolis-expert-base",
    "quadropolis-expert-classic-pool",
)
SCENARIOS = (CLASSIC, CLASSIC_BASE, CLASSIC_EXPERT_POOL, EXPERT, EXPERT_BASE, EXPERT_CLASSIC_POOL)


def games(jitted: int, plain: int) -> int:
    """Return how many games to play: fewer where nothing is compiled."""
    return plain if JIT_IS_DISABLED else jitted


# Scenarios


def varied(name: str, changes: dict[str, Any] | None = None) -> Data:
    """Return a packaged scenario as plain data with some values changed, each by its dotted key."""
    data = load_data(name)
    for key, value in (changes or {}).items():
        *sections, last = key.split(".")
        data = merged(data, functools.reduce(lambda inner, part: {part: inner}, reversed(sections), {last: value}))
    return data


def variant(name: str, changes: dict[str, Any] | None = None) -> Quadropolis:
    """Return a packaged scenario with some values changed."""
    return Quadropolis.model_validate(varied(name, changes))


def only_tiles(name: str, rounds: dict[str, list[str]], changes: dict[str, Any] | None = None) -> Quadropolis:
    """Return a scenario with just these tiles on the Construction Site."""
    data = load_data(name)
    length = max(len(marks) for marks in rounds.values())
    every = {f"tiles.{tile}.rounds": rounds.get(tile, [""] * length) for tile in data["tiles"]}
    return variant(name, {**every, **(changes or {})})


# A city


class Found(NamedTuple):
    """What the kernel makes of a city."""

    score: int
    active: frozenset[Space]
    customers: dict[Space, int]
    rules: dict[str, int]
    own: Ints  # 720ths of VP, by space


class Bench:
    """A city on its own: put down stack by stack, whatever its inhabitants and energy are."""

    def __init__(self, data: Data, players: int = 4) -> None:
        self.data = data
        self.scenario = Quadropolis.model_validate(data)
        self.rules: Rules = quadropolis_rules(self.scenario, players)
        self.spaces = all_spaces(data)
        self.kinds = kind_names(self.scenario)
        self.kind_of = {tile["building"]: self.kinds.index(kind) for kind, tile in reversed(data["tiles"].items())}
        self.kind_of |= {tile: self.kinds.index(tile) for tile in data["pool"]}
        self.state: State = new_record(State)
        self.search: Search = new_record(Search)
        self.shares: Shares = new_record(Shares)
        names = ("active", "printed", "inhabitants", "energy")
        self.of_state: dict[str, Any] = {name: getattr(self.state, name) for name in names}  # records are slow to read
        self.of_shares: dict[str, Any] = {name: getattr(self.shares, name) for name in ("customers", "rule", "own")}

    def put_down(self, city: City, seat: int = 0) -> None:
        """Put a city down as it is."""
        clear_city(self.state, seat)
        for space, stack in city.stacks.items():
            place = self.spaces.index(space)
            for _ in range(stack.floors):
                build(self.rules, self.state, seat, self.kind_of[stack.building], place)
            self.of_state["printed"][seat, place] = stack.printed_vp
        self.of_state["inhabitants"][seat], self.of_state["energy"][seat] = city.inhabitants, city.energy

    def search_for(self, aim: Aim, lowest: int = LOWEST, highest: int = HIGHEST, seat: int = 0) -> int:
        """Return the highest score of the city that was put down."""
        state = self.of_state
        means = Means(int(state["inhabitants"][seat]), int(state["energy"][seat]), int(aim), lowest, highest)
        return int(best_activation(self.rules, self.state, self.search, seat, means))

    def activate(self, city: City) -> Found:
        """Put a city down, activate it and share its points out."""
        self.put_down(city)
        score = self.search_for(Aim.ACTIVATION)
        found = self.search.active
        self.of_state["active"][0] = found
        share_points(self.rules, self.state, self.shares, 0)
        active = self.spaces_of(found)
        seated = dict(zip(self.spaces, self.of_shares["customers"].tolist(), strict=False))
        customers = {space: seated[space] for space in active if city.stacks[space].building == "shop"}
        rules = dict(zip(RULE_NAMES, self.of_shares["rule"].tolist(), strict=True))
        return Found(score, active, customers, rules, self.of_shares["own"].copy())

    def is_free(self, building: str) -> bool:
        """Tell whether a building needs nothing."""
        return needs_of(self.data, building) == (0, 0)

    def spaces_of(self, word: Any) -> frozenset[Space]:
        """Return the spaces of a set."""
        return frozenset(self.spaces[place] for place in bits(word))

    def legal(self, building: str, number: int) -> set[Space]:
        """Return the spaces where an Architect may build a building."""
        return set(self.spaces_of(legal_spaces(self.rules, self.state, 0, Building[building.upper()], number)))


def bits(word: Any) -> list[int]:
    """Return the numbers in a set."""
    number = int(word)
    return [place for place in range(number.bit_length()) if number >> place & 1]


def word_of(places: Iterable[int]) -> np.uint64:
    """Return a set as a number."""
    return np.uint64(sum(1 << place for place in places))


def score_in_shares(found: Found) -> tuple[int, int]:
    """Return what buildings and leftovers have in all, and the score, both in 720ths of VP."""
    leftovers = found.rules["leftover_inhabitants"] + found.rules["leftover_energy"]
    return int(found.own.sum()) + PART * leftovers, PART * found.score


# Cities at random


class Theme(NamedTuple):
    """What a random city is made of: buildings, each as often as it is likely."""

    name: str
    buildings: str  # letters of LETTERS


LETTERS = {
    "T": TOWER,
    "S": "shop",
    "U": "public_service",
    "P": "park",
    "F": "factory",
    "H": "harbor",
    "O": OFFICE,
    "M": "monument",
    "h": "city_hall",
    "c": "customs_office",
    "p": "city_planning",
    "e": "electric_utility",
    "f": "fire_station",
    "m": "maternity_ward",
    "d": "park_district",
    "o": "police_station",
    "r": "reprocessing_plant",
    "s": "school",
    "t": "tv_station",
    "C": "capitol",
    "G": "congress_center",
}

BASE = "TTSUPFH"
THEMES = [
    Theme("anything", BASE + "OM" + "hcpefmdorstCG"),
    Theme("base", BASE),
    Theme("base of Expert", BASE + "OM"),
    Theme("Monuments", "MMCCPSUHHFF"),
    Theme("Offices", "OOOOOGGTPFU"),
    Theme("Shops", "SSSSttTUFP"),
    Theme("Plants", "TTSOFFHrrUP"),
    Theme("Harbors", "HHHHHHHHcFM"),
    Theme("pool", "UhcpefmdorstCGTHFPO"),
    Theme("Capitols", "CCPSUHFM"),
    Theme("Factories", "FFFFfffSHTe"),
]


def random_city(rng: random.Random, data: Data, theme: Theme, most_paid: int, size: int) -> City:
    """Return a random city of `size` buildings; past `most_paid` that need something the rest are Parks."""
    known = {tile["building"] for tile in data["tiles"].values()} | set(data["pool"])
    letters = [letter for letter in theme.buildings if LETTERS[letter] in known]
    stacks: dict[Space, Stack] = {}
    wanted: dict[Space, str] = {}
    if theme.name == "Offices" and OFFICE in known and rng.random() < 0.5:
        row, column = rng.randrange(3), rng.randrange(3)
        line = ((row, column), (row, column + 1), (row, column + 2))
        wanted = dict(zip(line, (OFFICE, "congress_center", OFFICE), strict=True))
    rest = [space for space in all_spaces(data) if space not in wanted]
    rng.shuffle(rest)
    if rng.random() < 0.6:  # close together
        centre = rest[0]
        rest.sort(key=lambda space: abs(space[0] - centre[0]) + abs(space[1] - centre[1]))
    paid = 0
    for space in [*wanted, *rest][:size]:
        building = wanted.get(space) or LETTERS[rng.choice(letters)]
        is_paid = needs_of(data, building) != (0, 0)
        if is_paid and paid == most_paid:
            building, is_paid = "park", False
        paid += is_paid
        highest = data["city"].get(f"highest_{building}", 1)
        floors = min(highest, 1 + int(rng.expovariate(0.9)))
        stacks[space] = Stack(building, floors, rng.choice((0, 0, 0, 1, 2, 3)))
    needs = [needs_of(data, stack.building) for stack in stacks.values()]
    customers = sum(rng.randint(0, 5) for stack in stacks.values() if stack.building == "shop")
    inhabitants = around(rng, sum(need[0] for need in needs) + customers)
    return City(stacks, inhabitants, around(rng, sum(need[1] for need in needs)))


def needs_of(data: Data, building: str) -> tuple[int, int]:
    """Return the inhabitants and the energy that a building needs."""
    costs = data["pool"].get(building) or data["cost"].get(building, {})
    return costs.get("inhabitants", 0), costs.get("energy", 0)


def around(rng: random.Random, needed: int) -> int:
    """Return a number of units: far too few, nearly enough, enough, or far too many."""
    return rng.choice(
        (
            rng.randint(0, needed),
            rng.randint(0, needed) * rng.randint(0, 1),
            rng.randint(needed // 2, needed),
            max(0, needed - rng.randint(1, 3)),
            needed + rng.randint(0, 2),
            needed + rng.randint(3, 12),
        )
    )


# Games


class Turn(NamedTuple):
    """One turn as the kernel wrote it down, in words."""

    round: int
    seat: int
    number: int
    slot: Slot
    square: Space
    reached: str | None
    built: str | None
    discarded: str | None
    space: Space | None
    inhabitants: int
    energy: int
    value: int


class Game(NamedTuple):
    """A recorded game in words."""

    scenario: Quadropolis
    players: int
    turns: list[Turn]
    sites: list[dict[Space, str]]  # by round
    mayors: list[int]  # who starts each round
    mayor_squares: list[Space | None]
    visible: list[list[str]]  # by round
    active: list[frozenset[Space]]  # by seat
    customers: list[dict[Space, int]]
    rules: list[dict[str, int]]
    scores: list[int]
    wins: list[int]  # twelfths
    policies: list[str]

    def of_round(self, number: int) -> list[Turn]:
        """Return the turns of a round."""
        return [turn for turn in self.turns if turn.round == number]

    def cities(self) -> list[City]:
        """Return the cities at the end."""
        return [list(cities_along(self, seat))[-1] for seat in range(self.players)]


def engine_for(
    scenario: Quadropolis, policy: str = "random", players: int = 2, seed: int = SEED, fixed_seats: bool = False
) -> QuadropolisEngine:
    """Return what plays the games of a scenario."""
    return QuadropolisEngine(
        make_plan(scenario, players=players, policy=policy, seed=seed, fixed_seats=fixed_seats), scenario
    )


def record_games(engine: QuadropolisEngine, numbers: Iterable[int]) -> Iterator[Game]:
    """Play games and return their records in words."""
    for number in numbers:
        yield in_words(engine, engine.record(number))


def record(scenario: Quadropolis, policy: str = "random", players: int = 2, number: int = 0) -> Game:
    """Play one game and return its record in words."""
    return next(record_games(engine_for(scenario, policy, players), [number]))


def in_words(engine: QuadropolisEngine, recording: Recording) -> Game:
    """Put a record into words."""
    scenario, players, script = engine.scenario, engine.plan.players, recording.script
    kinds, columns = kind_names(scenario), scenario.city.columns
    seats = range(players)

    def kind(number: Any) -> str | None:
        return None if number == NO_KIND else kinds[number]

    def space(place: Any) -> Space | None:
        return None if place == NO_SPACE else divmod(int(place), columns)

    def tiles(row: Sequence[Any]) -> dict[int, str]:
        return {place: kinds[number] for place, number in enumerate(row) if number != NO_KIND}

    turns = [
        Turn(
            round=int(row[Line.ROUND]),
            seat=int(row[Line.SEAT]),
            number=int(row[Line.NUMBER]),
            slot=(SIDES[row[Line.SLOT] // 5], int(row[Line.SLOT] % 5)),
            square=divmod(int(row[Line.SQUARE]), 5),
            reached=kind(row[Line.REACHED]),
            built=kind(row[Line.BUILT]),
            discarded=kind(row[Line.DISCARDED]),
            space=space(row[Line.SPACE]),
            inhabitants=int(row[Line.INHABITANTS]),
            energy=int(row[Line.ENERGY]),
            value=int(row[Line.VALUE]),
        )
        for row in script.turns[: script.size[0]]
    ]
    return Game(
        scenario=scenario,
        players=players,
        turns=turns,
        sites=[{divmod(square, 5): tile for square, tile in tiles(row).items()} for row in script.sites],
        mayors=[int(row[0]) for row in script.mayors],
        mayor_squares=[None if row[1] == NO_SQUARE else divmod(int(row[1]), 5) for row in script.mayors],
        visible=[list(tiles(row).values()) for row in script.visible],
        active=[
            frozenset(divmod(place, columns) for place in np.flatnonzero(row).tolist())
            for row in script.active[:players]
        ],
        customers=[
            {divmod(place, columns): int(row[place]) for place in np.flatnonzero(row).tolist()}
            for row in script.customers[:players]
        ],
        rules=[{rule.name.lower(): int(script.rules[seat, rule]) for rule in Rule} for seat in seats],
        scores=recording.scores,
        wins=recording.wins,
        policies=recording.policies,
    )


def plain(scenario: Quadropolis) -> Data:
    """Return a scenario as the plain data that the naive game reads."""
    return scenario.model_dump()


def cities_along(game: Game, seat: int) -> Iterator[City]:
    """Return a seat's city before its first turn and after each of its turns."""
    data = plain(game.scenario)
    city = City()
    yield city
    for turn in game.turns:
        if turn.seat == seat:
            if turn.built is not None and turn.space is not None:
                city = city_after(data, city, turn.built, turn.space)
            yield city
