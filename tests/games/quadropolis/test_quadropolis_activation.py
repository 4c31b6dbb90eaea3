"""The exact activation is that of the naive search: score, active set, customers and every line of the score."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from balance.games.quadropolis.activation import HIGHEST, LOWEST, Aim
from tests.games.quadropolis.quadropolis_table import (
    CLASSIC,
    CLASSIC_EXPERT_POOL,
    EXPERT,
    EXPERT_CLASSIC_POOL,
    LETTERS,
    THEMES,
    Bench,
    Found,
    games,
    needs_of,
    random_city,
    score_in_shares,
    varied,
)
from tests.naive.quadropolis import (
    OFFICE,
    Activation,
    City,
    Data,
    Space,
    Stack,
    all_spaces,
    best_activation,
    best_activation_of_all,
    merged,
    office_groups,
    standing_of,
    tv_inhabitants,
)

CORPUS = games(2_000, 40)
FULL_CITIES = games(200, 1)
MOST_PAID = 12

SWITCHES_TURNED = {
    "public_services.bridges": False,
    "public_services.tv_counts_inactive": False,
    "public_services.planning_counts_inactive": True,
}
RULES = {
    "Classic": varied(CLASSIC),
    "Classic, Expert pool": varied(CLASSIC_EXPERT_POOL),
    "Classic, switches turned": varied(CLASSIC_EXPERT_POOL, SWITCHES_TURNED),
    "Expert": varied(EXPERT),
    "Expert, Classic pool": varied(EXPERT_CLASSIC_POOL),
    "Expert, switches turned": varied(EXPERT, SWITCHES_TURNED),
}


def assert_same(found: Found, naive: Activation) -> None:
    """Compare what the kernel makes of a city with what is right."""
    assert found.score == naive.score
    assert found.active == naive.active
    assert found.customers == naive.customers
    assert found.rules == naive.rules
    shared, score = score_in_shares(found)
    assert shared == score


# A corpus of random cities


class Case(NamedTuple):
    """A city, by which rules it is activated, and what came out."""

    data: Data
    city: City
    found: Found
    naive: Activation


def cases(cities: int, most_paid: int, sizes: Sequence[int], seed: int) -> Iterator[Case]:
    """Activate random cities of all themes by all rules."""
    rng = random.Random(seed)
    benches = [(data, Bench(data)) for data in RULES.values()]
    for number in range(cities):
        data, bench = benches[number % len(benches)]
        theme = THEMES[number // len(benches) % len(THEMES)]
        city = random_city(rng, data, theme, most_paid, rng.choice(sizes))
        yield Case(data, city, bench.activate(city), best_activation(data, city))


@pytest.fixture(scope="module")
def corpus() -> list[Case]:
    return list(cases(CORPUS, MOST_PAID, (3, 4, 5, 6, 6, 7, 8, 8, 9, 12), seed=1))


def test_every_city_of_the_corpus_is_activated_like_by_the_naive_search(corpus: list[Case]) -> None:
    for case in corpus:
        assert_same(case.found, case.naive)


def test_every_full_city_is_activated_like_by_the_naive_search() -> None:
    for case in cases(FULL_CITIES, 12, (16, 20), seed=2):
        assert len(case.city.stacks) == len(all_spaces(case.data)) or len(case.city.stacks) == 16
        assert_same(case.found, case.naive)


def features(case: Case) -> Iterator[str]:
    """Say what a city is an example of."""
    data, city, best = case.data, case.city, case.naive
    built = Counter(stack.building for stack in city.stacks.values())
    active = Counter(city.stacks[space].building for space in best.active)
    needs = [needs_of(data, stack.building) for stack in city.stacks.values()]
    short_of_inhabitants = sum(need[0] for need in needs) > city.inhabitants
    short_of_energy = sum(need[1] for need in needs) > city.energy
    yield "city of Classic" if data["city"]["match"] == "row or column" else "city of Expert"
    if short_of_inhabitants and short_of_energy:
        yield "short of inhabitants and energy"
    elif short_of_inhabitants or short_of_energy:
        yield f"short of {'inhabitants' if short_of_inhabitants else 'energy'} alone"
    else:
        yield "short of nothing"
    if best.rules["leftover_inhabitants"] < -2:
        yield "inhabitants left over"
    if best.rules["leftover_energy"] < -2:
        yield "energy left over"
    if len(needs) - len([need for need in needs if need == (0, 0)]) == MOST_PAID:
        yield "as many paid buildings as there may be"
    yield from (f"{rule} suffered" for rule in ("monument_penalties", "capitol_penalties") if best.rules[rule] < 0)
    if not short_of_inhabitants and any(built[name] > active[name] for name in ("harbor", "factory")):
        yield "Harbor or Factory left inactive for the sake of a Monument or a Capitol"
    if built["capitol"] > active["capitol"] and not short_of_inhabitants:
        yield "Capitol left inactive"
    standing = standing_of(data, city, best.active)
    bridged, apart = (
        office_groups({**data, "public_services": {**data["public_services"], "bridges": on}}, standing)
        for on in (True, False)
    )
    if len(bridged) < len(apart):
        yield f"two Office groups touched by a Congress Center, bridges {data['public_services']['bridges']}"
    if any(size > len(data["score"][OFFICE]) for _, size in bridged):
        yield "Office group beyond the table"
    if (
        active["tv_station"]
        and sum(best.customers.values()) + sum(needs_of(data, city.stacks[space].building)[0] for space in best.active)
        > city.inhabitants
    ):
        yield "inhabitants of a TV Station used"
    if active["tv_station"] and tv_inhabitants(data, city, standing) > 0 and best.rules["leftover_inhabitants"] == 0:
        yield "inhabitants of a TV Station not wanted"
    if active["tv_station"] > 1:
        yield "several TV Stations"
    if built["tv_station"] and city.inhabitants == 0:
        yield "TV Station that nobody activates"
    if active["reprocessing_plant"] and best.rules["reprocessing_plant"] > 3:
        yield "Reprocessing Plant with surplus"
    if active["reprocessing_plant"] > 1:
        yield "several Reprocessing Plants"
    if active["capitol"] > 1:
        yield "several Capitols"
    if active["congress_center"] > 1:
        yield "several Congress Centers"
    yield from (f"{rule} scored" for rule, points in best.rules.items() if points > 0)
    yield from (f"{building} active" for building in active)


OCCURRENCES = {
    "city of Classic": 900,
    "city of Expert": 900,
    "short of inhabitants and energy": 150,
    "short of inhabitants alone": 150,
    "short of energy alone": 150,
    "short of nothing": 150,
    "inhabitants left over": 100,
    "energy left over": 100,
    "as many paid buildings as there may be": 20,
    "monument_penalties suffered": 10,
    "capitol_penalties suffered": 10,
    "Harbor or Factory left inactive for the sake of a Monument or a Capitol": 20,
    "Capitol left inactive": 10,
    "two Office groups touched by a Congress Center, bridges True": 5,
    "two Office groups touched by a Congress Center, bridges False": 5,
    "Office group beyond the table": 4,
    "inhabitants of a TV Station used": 30,
    "inhabitants of a TV Station not wanted": 30,
    "several TV Stations": 30,
    "TV Station that nobody activates": 10,
    "Reprocessing Plant with surplus": 20,
    "several Reprocessing Plants": 30,
    "several Capitols": 30,
    "several Congress Centers": 20,
    **{f"{building} active": 60 for building in LETTERS.values()},
    **{
        f"{rule} scored": 15
        for rule in (
            *("tower_blocks", "shops", "districts", "parks", "factories", "harbor_rows", "harbor_columns", "monuments"),
            *("office_towers", "printed_vp", "city_hall", "city_planning", "fire_station"),
            *("park_district", "police_station", "reprocessing_plant", "school", "capitol"),
        )
    },
    "customs_office scored": 3,
}


@pytest.mark.jitted
def test_the_corpus_holds_every_case_that_matters(corpus: list[Case]) -> None:
    counted = Counter(feature for case in corpus for feature in features(case))
    rare = {name: counted[name] for name, least in OCCURRENCES.items() if counted[name] < least}
    assert not rare


def test_the_rules_for_equal_scores_are_needed(corpus: list[Case]) -> None:
    benches = {id(data): Bench(data) for data in RULES.values()}
    different = 0
    for case in corpus[: games(1_500, 40)]:
        bench = benches[id(case.data)]
        bench.put_down(case.city)
        assert bench.search_for(Aim.SCORE) == case.naive.score
        different += bench.spaces_of(bench.search.active) != case.naive.active
    assert different > games(20, 0)


def test_a_score_within_the_limits_is_found_and_one_below_is_not(corpus: list[Case]) -> None:
    benches = {id(data): Bench(data) for data in RULES.values()}
    for case in corpus[: games(600, 15)]:
        bench, score = benches[id(case.data)], case.naive.score
        bench.put_down(case.city)
        assert bench.search_for(Aim.SCORE, score, HIGHEST) == score
        assert bench.search_for(Aim.SCORE, score + 1, HIGHEST) < score + 1
        assert bench.search_for(Aim.SCORE, LOWEST, score) == score


# Scenarios with other numbers


def tables(length: int, most: int = 9) -> st.SearchStrategy[list[int]]:
    """Draw a score table that never sinks."""
    return st.lists(st.integers(0, most), min_size=1, max_size=length).map(sorted)


@st.composite
def offices(draw: st.DrawFn) -> list[list[int]]:
    """Draw the table of the Office Towers: it sinks neither by floors nor by size of the group."""
    floors, sizes = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    steps = draw(
        st.lists(st.lists(st.integers(0, 3), min_size=floors, max_size=floors), min_size=sizes, max_size=sizes)
    )
    return [[int(number) for number in row] for row in np.cumsum(np.cumsum(np.array(steps), axis=0), axis=1)]


COST = st.sampled_from([0, 1, 1, 0, 2, 3])
POOL = [building for building in LETTERS.values() if building in RULES["Expert"]["pool"]]


@st.composite
def numbers(draw: st.DrawFn) -> Data:
    """Draw the numbers of a scenario."""
    costs = {"inhabitants": COST, "energy": COST}
    cost = {building: draw(st.fixed_dictionaries(costs)) for building in RULES["Expert"]["cost"]}
    cost["shop"]["inhabitants"] = 0  # else "needs an inhabitant; not Shops" (rules, part 4) could be read in two ways
    pool: Data = {tile: draw(st.fixed_dictionaries({**costs, "vp": st.sampled_from([0, 1, 2, 5])})) for tile in POOL}
    pool["city_planning"]["vp_full_city"] = draw(st.integers(0, 3))
    pool["police_station"]["counts_office_towers"] = draw(st.booleans())
    pool["reprocessing_plant"]["energy_per_vp"] = draw(st.integers(1, 3))
    pool["tv_station"]["inhabitants_per_shop"] = draw(st.integers(0, 2))
    for tile in POOL:
        pool[tile]["count"] = 2
    per = st.sampled_from([0, 1, 2, 5])
    loss = st.sampled_from([0, -1, -5])
    leftover = st.sampled_from([0, -1, -2])
    score = {
        "tower_block": tables(5),
        "shop": tables(5),
        "districts": tables(5),
        "park": tables(5),
        **{f"factory_per_{name}": per for name in ("shop", "harbor", "office_tower")},
        "harbor_row": tables(5),
        "harbor_column": tables(5),
        **{f"monument_per_{name}": per for name in ("park", "shop", "public_service")},
        **{f"monument_per_{name}": loss for name in ("factory", "harbor")},
        "office_tower": offices(),
        "leftover_inhabitant": leftover,
        "leftover_energy": leftover,
        "park_absorbs": st.integers(0, 2),
    }
    switches = ("bridges", "tv_counts_inactive", "planning_counts_inactive")
    return {
        "cost": cost,
        "pool": pool,
        "score": draw(st.fixed_dictionaries(score)),
        "public_services": {switch: draw(st.booleans()) for switch in switches},
    }


@st.composite
def small_cities(draw: st.DrawFn, data: Data) -> City:
    """Draw a city of a few buildings close together, so that they matter to each other."""
    rows, columns = draw(st.sampled_from([(2, 3), (3, 2), (2, 4), (4, 2)]))
    spaces = [space for space in all_spaces(data) if space[0] < rows and space[1] < columns]
    buildings = st.sampled_from(list(LETTERS.values()))
    stacks: dict[Space, Stack] = {}
    for space in spaces:
        building = draw(st.none() | buildings if len(spaces) > 6 else buildings)
        if building is not None:
            floors = draw(st.integers(1, data["city"].get(f"highest_{building}", 1)))
            stacks[space] = Stack(building, floors, draw(st.sampled_from([0, 0, 1, 3])))
    return City(stacks, draw(st.integers(0, 12)), draw(st.integers(0, 12)))


@st.composite
def altered_cases(draw: st.DrawFn) -> tuple[Data, City]:
    """Draw a scenario with other numbers, and a small city."""
    data = merged(RULES["Expert"], draw(numbers()))
    return data, draw(small_cities(data))


SLOWLY: list[Any] = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=games(70, 5), deadline=None, derandomize=True, suppress_health_check=SLOWLY)
@given(case=altered_cases())
def test_small_cities_are_activated_right_whatever_the_numbers_of_the_scenario(case: tuple[Data, City]) -> None:
    data, city = case
    assert_same(Bench(data).activate(city), best_activation_of_all(data, city))
