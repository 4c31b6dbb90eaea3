"""What spares the search and greedy work never lies: bounds are bounds, and dropping buildings costs their worth."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from balance.games.quadropolis.activation import HIGHEST, LOWEST
from balance.games.quadropolis.bounds import Rest, Values, bound_of_building, rest_beside, start_bounds
from balance.games.quadropolis.city import legal_spaces
from balance.games.quadropolis.components import NUMBERS, SHARE
from balance.games.quadropolis.policies import Survey, value_of_building
from balance.games.quadropolis.scoring import score_gains, score_penalties
from balance.games.quadropolis.worth import find_loose, weigh
from balance.games.record import new_record
from tests.games.quadropolis.quadropolis_table import (
    CLASSIC,
    CLASSIC_EXPERT_POOL,
    EXPERT,
    LETTERS,
    THEMES,
    Bench,
    bits,
    cities_along,
    engine_for,
    games,
    random_city,
    record_games,
    variant,
    varied,
    word_of,
)
from tests.games.quadropolis.test_quadropolis_activation import RULES, SLOWLY, altered_cases
from tests.naive.quadropolis import City, Data, Stack, all_spaces

IN_THE_WAY = ("tv_station", "reprocessing_plant", "capitol", "city_planning", "congress_center", "monument")


class Scales:
    """Weighs the value of each tile against its bound."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.values: Any = new_record(Values)
        self.survey: Any = new_record(Survey)
        self.buildings = bench.rules.building.tolist()[: len(bench.kinds)]  # type: ignore[attr-defined]

    def assert_bounds_hold(self, city: City, share: float = 1.0, rng: random.Random | None = None) -> int:
        """Check each tile on each space where some Architect may build it; return how many there were."""
        bench = self.bench
        bench.put_down(city)
        bounds: dict[tuple[int, int], int] = {}
        start_bounds(bench.rules, bench.state, bench.search, self.values, 0)
        legal: dict[int, set[int]] = {}
        for building in set(self.buildings):
            legal[building] = {
                place
                for number in range(1, NUMBERS)
                for place in bits(legal_spaces(bench.rules, bench.state, 0, building, number))
            }
        for kind, building in enumerate(self.buildings):
            rest = Rest(*rest_beside(bench.rules, bench.state, bench.search, self.values, 0, kind))
            for place in sorted(legal[building]):
                if rng is None or rng.random() <= share:
                    bounds[kind, place] = bound_of_building(bench.rules, bench.state, 0, (kind, place), rest)
        for (kind, place), bound in bounds.items():
            limits = LOWEST, HIGHEST
            value = value_of_building(bench.rules, bench.state, bench.search, self.survey, 0, (kind, place), limits)
            assert bound >= value, (bench.kinds[kind], bench.spaces[place], city)
        return len(bounds)


def with_tiles_in_the_way(rng: random.Random, data: Data, city: City) -> City:
    """Put a few tiles of the expansion into a city, on empty spaces."""
    empty = [space for space in all_spaces(data) if space not in city.stacks]
    stacks = dict(city.stacks)
    for space in rng.sample(empty, min(len(empty), rng.randint(1, 4))):
        stacks[space] = Stack(
            rng.choice([tile for tile in IN_THE_WAY if tile != "monument" or tile in data["tiles"]]), 1, 0
        )
    more = rng.choice((0, 0, 2, 5))
    return City(stacks, max(0, city.inhabitants + rng.randint(-2, 2)), city.energy + more)


@pytest.mark.jitted
@pytest.mark.parametrize(
    ("name", "policy"),
    [(CLASSIC, "greedy"), (CLASSIC_EXPERT_POOL, "random"), (EXPERT, "greedy"), (EXPERT, "random")],
)
def test_no_tile_scores_more_than_its_bound_in_cities_of_games(name: str, policy: str) -> None:
    rng = random.Random(name + policy)
    data = varied(name)
    scales = Scales(Bench(data))
    engine = engine_for(variant(name), policy, players=4)
    share = games(0.2, 0.05)
    for game in record_games(engine, range(games(2, 1))):
        for seat in range(4):
            for turn, city in enumerate(cities_along(game, seat)):
                if turn % games(3, 8) == seat % games(3, 8):
                    scales.assert_bounds_hold(city, share, rng)
                    scales.assert_bounds_hold(with_tiles_in_the_way(rng, data, city), share, rng)


@pytest.mark.parametrize("rules", RULES)
def test_no_tile_scores_more_than_its_bound_in_cities_at_random(rules: str) -> None:
    rng = random.Random(rules)
    data = RULES[rules]
    scales = Scales(Bench(data))
    for number in range(games(30, 2)):
        city = random_city(rng, data, THEMES[number % len(THEMES)], 32, rng.randint(1, 18))
        scales.assert_bounds_hold(city, games(0.5, 0.03), rng)


def test_no_tile_scores_more_than_its_bound_beside_congress_centers() -> None:
    rng = random.Random("Offices")
    theme = next(theme for theme in THEMES if theme.name == "Offices")
    for rules in ("Expert", "Expert, switches turned"):
        scales = Scales(Bench(RULES[rules]))
        for _ in range(games(20, 1)):
            city = random_city(rng, RULES[rules], theme, 32, rng.randint(3, 12))
            scales.assert_bounds_hold(city, games(1, 0.1), rng)


@settings(max_examples=games(40, 2), deadline=None, derandomize=True, suppress_health_check=SLOWLY)
@given(case=altered_cases())
def test_no_tile_scores_more_than_its_bound_whatever_the_numbers_of_the_scenario(case: tuple[Data, City]) -> None:
    data, city = case
    rng = random.Random(0)
    Scales(Bench(data)).assert_bounds_hold(city, games(0.3, 0.05), rng)


# Cities that once had too low a bound
ONCE_TOO_LOW = {
    "a Reprocessing Plant stands in for another Public Service and takes the surplus": City(
        {(3, 0): Stack("public_service", 1, 1)}, 1, 1
    ),
    "a TV Station stands in for another Public Service and brings customers": City(
        {(3, 0): Stack("public_service", 1, 0), (0, 0): Stack("shop", 1, 0), (0, 2): Stack("shop", 1, 0)}, 1, 2
    ),
    "a new Office Tower brings a Congress Center beside it into its group": City(
        {(2, 2): Stack("office_tower", 3, 0), (2, 0): Stack("congress_center", 1, 0)}, 3, 2
    ),
    "a new Office Tower beside a Congress Center completes a group": City(
        {
            (2, 4): Stack("congress_center", 1, 0),
            (3, 2): Stack("office_tower", 1, 0),
            (3, 3): Stack("office_tower", 1, 0),
        },
        4,
        3,
    ),
}


@pytest.mark.parametrize("rules", ["Expert", "Expert, switches turned"])
@pytest.mark.parametrize("city", ONCE_TOO_LOW.values(), ids=ONCE_TOO_LOW)
def test_no_tile_scores_more_than_its_bound_where(city: City, rules: str) -> None:
    Scales(Bench(RULES[rules])).assert_bounds_hold(city, games(1, 0.2), random.Random(0))


# What dropping buildings costs


def drops(rng: random.Random, bench: Bench, city: City, times: int) -> Iterator[tuple[np.uint64, list[int], list[int]]]:
    """Draw what is active, what of it is undecided, and what of that is dropped."""
    built = [bench.spaces.index(space) for space in city.stacks]
    paid = [place for place in built if not bench.is_free(city.stacks[bench.spaces[place]].building)]
    for _ in range(times):
        active = [place for place in built if place not in paid or rng.random() < 0.8]
        undecided = [place for place in active if place in paid and rng.random() < 0.8]
        yield (
            word_of(active),
            undecided,
            [place for place in undecided if rng.random() < rng.choice((0.2, 0.5, 0.9, 1))],
        )


def assert_dropping_costs_its_worth(rng: random.Random, bench: Bench, city: City, times: int) -> None:
    """Check that the rest never scores more than all without penalties, less what is lost and what is dropped.

    A loose building costs exactly its worth, whatever else is dropped.
    """
    bench.put_down(city)
    worth = bench.search.worth  # type: ignore[attr-defined]

    def score(spaces: np.uint64) -> int:
        gains = score_gains(bench.rules, bench.state, 0, spaces)
        return SHARE * (gains + score_penalties(bench.rules, bench.state, 0, spaces))

    for active, undecided, dropped in drops(rng, bench, city, times):
        lost = weigh(bench.rules, bench.state, worth, 0, active, word_of(undecided)) + int(worth[dropped].sum())
        certain, rest = active & ~word_of(undecided), active & ~word_of(dropped)
        of_all = score_gains(bench.rules, bench.state, 0, active)
        of_all += score_penalties(bench.rules, bench.state, 0, certain)
        assert score(rest) <= SHARE * of_all - lost, (city, bits(active), undecided, dropped)
        for place in bits(find_loose(bench.rules, bench.state, 0, active, word_of(undecided))):
            alone = score(rest | word_of([place])) - score(rest & ~word_of([place]))
            assert alone == worth[place], (city, bits(active), undecided, dropped, place)


def test_what_is_dropped_takes_at_least_its_worth_with_it() -> None:
    rng = random.Random(5)
    benches = [(data, Bench(data)) for data in RULES.values()]
    for number in range(games(500, 30)):
        data, bench = benches[number % len(benches)]
        city = random_city(rng, data, THEMES[number // len(benches) % len(THEMES)], 32, rng.randint(3, 20))
        assert_dropping_costs_its_worth(rng, bench, city, 6)


@settings(max_examples=games(50, 4), deadline=None, derandomize=True, suppress_health_check=SLOWLY)
@given(case=altered_cases())
def test_what_is_dropped_takes_its_worth_with_it_whatever_the_numbers_of_the_scenario(case: tuple[Data, City]) -> None:
    data, city = case
    assert_dropping_costs_its_worth(random.Random(0), Bench(data), city, 8)


def test_every_building_is_drawn_by_some_theme() -> None:
    assert set("".join(theme.buildings for theme in THEMES)) == set(LETTERS)
