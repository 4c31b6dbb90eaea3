"""The naive Quadropolis against cities that were worked out by hand, and its quick search against the slow one."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from tests.naive.quadropolis import (
    City,
    Data,
    Move,
    Position,
    Space,
    Stack,
    all_spaces,
    best_activation,
    best_activation_of_all,
    best_value,
    can_score_more,
    city_after,
    complete_moves,
    cost_of,
    forbidden_slots,
    legal_spaces,
    load_data,
    merged,
    points_by_rule,
    reached_square,
    slots,
)

CLASSIC = load_data("quadropolis-classic")
EXPERT = load_data("quadropolis-expert")

LETTERS = {
    "T": "tower_block",
    "O": "office_tower",
    "Sh": "shop",
    "PS": "public_service",
    "P": "park",
    "F": "factory",
    "H": "harbor",
    "M": "monument",
}

RULES = {
    *("tower_blocks", "shops", "districts", "parks", "factories", "harbor_rows", "harbor_columns", "monuments"),
    *("monument_penalties", "office_towers", "printed_vp", "city_hall", "customs_office", "city_planning"),
    *("fire_station", "park_district", "police_station", "reprocessing_plant", "school", "capitol"),
    *("capitol_penalties", "leftover_inhabitants", "leftover_energy"),
}


def changed(data: Data, **switches: Any) -> Data:
    """Return a scenario with other switches for its Public Services."""
    return merged(data, {"public_services": switches})


def drawn(text: str) -> tuple[dict[Space, Stack], dict[Space, int]]:
    """Read a city as in rules part 6: its stacks, and the customers of its Shops. Expansion tiles by their names."""
    stacks: dict[Space, Stack] = {}
    customers: dict[Space, int] = {}
    for row, line in enumerate(text.split("|")):
        for column, word in enumerate(line.split()):
            letters, number, printed = re.fullmatch(r"([A-Za-z_]+)(\d*)(?:\+(\d))?", word).groups()  # type: ignore[union-attr]
            if letters == "_":
                continue
            building = LETTERS.get(letters, letters)
            floors = int(number) if building in ("tower_block", "office_tower") else 1
            stacks[row, column] = Stack(building, floors, int(printed or 0))
            if building == "shop":
                customers[row, column] = int(number or 0)
    return stacks, customers


def scored(data: Data, text: str, inhabitants: int = 0, energy: int = 0) -> dict[str, int]:
    """Score a city with all buildings active and so many units left over; rules that score 0 are left out."""
    stacks, customers = drawn(text)
    costs = [cost_of(data, stack.building) for stack in stacks.values()]
    needs = sum(cost[0] for cost in costs) + sum(customers.values()), sum(cost[1] for cost in costs)
    city = City(stacks, needs[0] + inhabitants, needs[1] + energy)
    rules = points_by_rule(data, city, frozenset(stacks), customers)
    assert set(rules) == RULES
    return {rule: points for rule, points in rules.items() if points}


def held(text: str, inhabitants: int, energy: int) -> City:
    """Return a city with so many units to spend."""
    return City(drawn(text)[0], inhabitants, energy)


# Rules part 6


@pytest.mark.parametrize(
    ("text", "inhabitants", "score"),
    [
        ("T3 P T1 _ | P T2 _ _ | H Sh3 F Sh4 | H+3 H H+2 F", 0, 59),
        ("PS+2 T1 PS+1 H | T1 P T2 H | P T1 P H+3 | _ PS+2 PS H", 1, 58),
    ],
)
def test_cities_with_a_known_score(text: str, inhabitants: int, score: int) -> None:
    assert sum(scored(CLASSIC, text, inhabitants=inhabitants).values()) == score


# Part 4, one rule at a time


@pytest.mark.parametrize(
    ("data", "text", "rules"),
    [
        (CLASSIC, "T1 T2 T3 T4", {"tower_blocks": 1 + 3 + 6 + 10}),
        (EXPERT, "T5", {"tower_blocks": 15}),
        (CLASSIC, "Sh0 Sh1 Sh2 Sh3 | Sh4", {"shops": 0 + 1 + 2 + 4 + 7}),
        (EXPERT, "Sh5", {"shops": 11}),
        (CLASSIC, "PS PS PS _", {"districts": 5}),
        (EXPERT, "PS _ PS PS | _ | PS _ _ PS", {"districts": 20}),
        (EXPERT, "_ T1 _ | T2 P O1 | _ T3 _", {"tower_blocks": 10, "parks": 11}),
        (CLASSIC, "P T1 P | T1", {"tower_blocks": 2, "parks": 4 + 2}),
        (EXPERT, "Sh0 F H | _ O1 _", {"factories": 2 + 3 + 4}),
        (CLASSIC, "H H _ H | H | H", {"harbor_rows": 3, "harbor_columns": 7}),
        (EXPERT, "H H H H H", {"harbor_rows": 18}),
        (EXPERT, "P M Sh0 | _ PS", {"monuments": 5 + 3 + 2, "districts": 2}),
        (EXPERT, "F M H | _ P", {"monuments": 5, "monument_penalties": -10}),
        (EXPERT, "O1 O2 _ O3", {"office_towers": (1 + 3) + 3}),
        (EXPERT, "O1 O1 O1 | O1 O1 O5", {"office_towers": 5 * 4 + 30}),
        (CLASSIC, "H+1 _ PS+2", {"printed_vp": 3, "districts": 2}),
    ],
)
def test_what_each_building_scores(data: Data, text: str, rules: dict[str, int]) -> None:
    assert scored(data, text) == rules


def test_what_is_left_over_costs_points_and_each_park_absorbs_one_energy() -> None:
    assert scored(CLASSIC, "P _ P", inhabitants=2, energy=3) == {"leftover_inhabitants": -2, "leftover_energy": -1}
    assert scored(CLASSIC, "P _ P", energy=2) == {}


def test_inactive_buildings_count_as_absent() -> None:
    city = held("F Sh H | P T2", inhabitants=1, energy=0)
    rules = points_by_rule(CLASSIC, city, frozenset({(0, 0), (1, 0)}), {})
    assert {rule for rule, points in rules.items() if points} == set()


# Part 5, each tile in both strengths


@pytest.mark.parametrize(
    ("text", "classic", "expert"),
    [
        ("city_hall PS PS", {"city_hall": 3, "districts": 5}, {"city_hall": 3, "districts": 5}),
        ("school T1 T4", {"school": 2, "tower_blocks": 11, "districts": 2}, None),
        ("park_district P _ P", {"park_district": 2, "districts": 2}, None),
        ("F fire_station F | _ F", {"fire_station": 6, "districts": 2}, {"fire_station": 9, "districts": 2}),
        (
            "police_station T2 _ O4",
            {"police_station": 2, "tower_blocks": 3, "office_towers": 6, "districts": 2},
            {"police_station": 4, "tower_blocks": 3, "office_towers": 6, "districts": 2},
        ),
        (
            "H customs_office | H | H | H",
            {"customs_office": 3, "harbor_columns": 12, "districts": 2},
            {"customs_office": 5, "harbor_columns": 12, "districts": 2},
        ),
        (
            "city_planning P | P P",
            {"city_planning": 1, "districts": 2},
            None,
        ),
        ("electric_utility _ maternity_ward", {"districts": 5}, None),
        (
            "Sh0 capitol PS | _ P _",
            {"capitol": 10, "districts": 5},
            {"capitol": 10, "districts": 5},
        ),
        ("F capitol H", {"capitol_penalties": -10, "districts": 2}, None),
        ("capitol M", {"monuments": 2, "districts": 2}, None),
        ("capitol capitol", {"capitol": 4, "districts": 2}, None),
        ("O1 congress_center O1", {"office_towers": 4, "districts": 2}, None),
        ("O2 congress_center congress_center", {"office_towers": 3, "districts": 5}, None),
        ("O1 O1 O1 | O1 O1 congress_center", {"office_towers": 5 * 4, "districts": 2}, None),
        ("P congress_center F | T1", {"parks": 2, "tower_blocks": 1, "districts": 2}, None),
    ],
)
def test_what_each_expansion_tile_scores(text: str, classic: dict[str, int], expert: dict[str, int] | None) -> None:
    # In Expert (0, 2) is in District 4, (0, 3) in District 2: as many districts as in Classic in all these cities.
    assert scored(CLASSIC, text) == classic
    assert scored(EXPERT, text) == (classic if expert is None else expert)


def test_a_full_line_of_harbors_spans_the_city() -> None:
    assert scored(EXPERT, "H H H H _ | customs_office")["harbor_rows"] == 12
    assert "customs_office" not in scored(EXPERT, "H H H H _ | customs_office")
    assert scored(EXPERT, "H H H H H | customs_office")["customs_office"] == 5


def test_city_planning_of_a_full_city_and_of_inactive_buildings() -> None:
    full = "city_planning P P P | P P P P | P P P P | P P P H"
    assert scored(CLASSIC, full)["city_planning"] == 4 + 1
    stacks, _ = drawn(full)
    but_harbor = frozenset(set(stacks) - {(3, 3)})
    assert points_by_rule(CLASSIC, City(stacks, 1, 0), but_harbor, {})["city_planning"] == 3
    inactive_too = changed(CLASSIC, planning_counts_inactive=True)
    assert points_by_rule(inactive_too, City(stacks, 1, 0), but_harbor, {})["city_planning"] == 5


def test_a_congress_center_joins_two_groups_or_adds_one_to_each() -> None:
    text = "O1 congress_center O3"
    assert scored(EXPERT, text)["office_towers"] == 2 + 9
    assert scored(changed(EXPERT, bridges=False), text)["office_towers"] == 1 + 6


def test_a_congress_center_adds_one_even_if_it_touches_a_group_twice() -> None:
    assert scored(EXPERT, "O1 O1 | O1 congress_center")["office_towers"] == 3 * 3


def test_a_reprocessing_plant_takes_all_surplus_energy() -> None:
    text = "reprocessing_plant P"
    assert scored(CLASSIC, text, energy=5) == {"reprocessing_plant": 2, "districts": 2}
    assert scored(EXPERT, text, energy=5) == {"reprocessing_plant": 5, "districts": 2}
    assert scored(EXPERT, "reprocessing_plant reprocessing_plant", energy=5)["reprocessing_plant"] == 5


def test_utility_and_ward_give_at_once() -> None:
    for data, gain in ((CLASSIC, 2), (EXPERT, 3)):
        city = city_after(data, City(), "electric_utility", (0, 0))
        city = city_after(data, city, "maternity_ward", (0, 1))
        assert (city.inhabitants, city.energy) == (gain, gain)


@pytest.mark.parametrize("data", [CLASSIC, EXPERT])
def test_a_tv_station_gives_an_inhabitant_per_shop(data: Data) -> None:
    best = best_activation(data, held("tv_station Sh Sh", inhabitants=1, energy=2))
    assert best.customers == {(0, 1): 2, (0, 2): 0}
    assert best.score == 2 + 2
    # Only from the inhabitants at hand; and both of two stations from these alone.
    assert best_activation(data, held("tv_station Sh Sh", inhabitants=0, energy=2)).score == 0
    two = best_activation(data, held("tv_station tv_station Sh Sh", inhabitants=1, energy=2))
    assert two.active == {(0, 0), (0, 2), (0, 3)}
    # Nothing is left over of what it gives: a Factory takes one, and the second is not needed.
    used = best_activation(data, held("tv_station _ H | _ _ Sh | _ _ Sh", inhabitants=1, energy=0))
    assert (used.score, used.rules["leftover_inhabitants"]) == (2, 0)


def test_a_tv_station_counts_shops_that_are_not_active_too() -> None:
    city = held("tv_station Sh Sh", inhabitants=1, energy=1)
    assert best_activation(CLASSIC, city).customers == {(0, 1): 2}
    assert best_activation(changed(CLASSIC, tv_counts_inactive=False), city).customers == {(0, 1): 1}


# Part 3: the best activation, and which of several


@pytest.mark.parametrize(
    ("data", "text", "inhabitants", "energy", "score", "active"),
    [
        (EXPERT, "M H+2", 1, 0, -1, {(0, 0)}),  # a Harbor beside a Monument is left inactive
        (EXPERT, "T1 T1 _ O1", 1, 2, 1, {(0, 0), (0, 3)}),  # first more that need an inhabitant: not both Tower Blocks
        (CLASSIC, "P _ Sh", 0, 1, 0, {(0, 0), (0, 2)}),  # then more active buildings: the Park could have absorbed it
        (CLASSIC, "H _ H", 1, 0, 0, {(0, 0)}),  # then the smallest number
        (CLASSIC, "_ H | H", 1, 0, 0, {(0, 1)}),  # the first space is the lowest bit
        (CLASSIC, "fire_station _ H+1 _ | _ _ _ H+1", 2, 0, 2, {(0, 2), (1, 3)}),  # two instead of one that needs two
        (CLASSIC, "T1 _ T3", 0, 1, 6, {(0, 2)}),
        (CLASSIC, "_", 2, 1, -3, set()),
    ],
)
def test_the_best_activation(
    data: Data, text: str, inhabitants: int, energy: int, score: int, active: set[Space]
) -> None:
    best = best_activation(data, held(text, inhabitants, energy))
    assert (best.score, set(best.active)) == (score, active)
    assert best == best_activation_of_all(data, held(text, inhabitants, energy))


@pytest.mark.parametrize(("inhabitants", "customers"), [(3, [3, 0]), (5, [4, 1]), (6, [4, 2]), (9, [4, 4])])
def test_shops_are_filled_in_the_order_of_the_spaces(inhabitants: int, customers: list[int]) -> None:
    best = best_activation(CLASSIC, held("_ Sh | Sh", inhabitants, 2))
    assert [best.customers[0, 1], best.customers[1, 0]] == customers


def some_city(data: Data, chance: random.Random) -> City:
    """Return a small city at random, mostly with too little to activate all of it."""
    buildings = [building for building in LETTERS.values() if building in data["cost"]]
    buildings += ["tower_block", "shop", "office_tower", "harbor", *chance.sample(list(data["pool"]), 3)]
    city = City(inhabitants=chance.randint(0, 9), energy=chance.randint(0, 5))
    for space in chance.sample(all_spaces(data), chance.randint(0, 8)):
        building = chance.choice(buildings)
        floors = chance.randint(1, 4) if building in ("tower_block", "office_tower") else 1
        city.stacks[space] = Stack(building, floors, chance.choice([0, 0, 1, 2]))
    return city


ODD: Data = {
    "score": {"shop": [0, 3, 2, 4, 4, 11], "park": [0, 2, 1, 7, 0], "leftover_inhabitant": 0, "leftover_energy": 1},
    "cost": {"park": {"inhabitants": 1}},
    "pool": {"tv_station": {"inhabitants_per_shop": 2}},
    "public_services": {"bridges": False, "tv_counts_inactive": False, "planning_counts_inactive": True},
}


@pytest.mark.parametrize("data", [CLASSIC, EXPERT, merged(EXPERT, ODD)], ids=["classic", "expert", "odd"])
def test_the_quick_search_finds_what_the_slow_one_finds(data: Data) -> None:
    chance = random.Random(1)
    for _ in range(80):
        city = some_city(data, chance)
        best = best_activation_of_all(data, city)
        assert best_activation(data, city) == best
        assert can_score_more(data, city, best.score - 1)
        assert not can_score_more(data, city, best.score)


# Part 2: slots, spaces, moves


def test_architects_reach_squares_from_their_side() -> None:
    assert len(slots()) == 20
    assert [reached_square(side, 1, 2, 5) for side in ("left", "right", "top", "bottom")] == [
        (1, 1),
        (1, 3),
        (1, 1),
        (3, 1),
    ]
    assert forbidden_slots((1, 3)) == {("left", 1), ("right", 1), ("top", 3), ("bottom", 3)}
    assert forbidden_slots(None) == set()


def test_spaces_match_the_row_or_column_or_the_district_or_number() -> None:
    assert legal_spaces(CLASSIC, City(), "park", 1) == {(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)}
    district_4, number_4 = {(0, 2), (1, 2), (2, 2), (3, 2)}, {(1, 1), (1, 4), (3, 0), (3, 4)}
    assert legal_spaces(EXPERT, City(), "park", 4) == district_4 | number_4


def test_towers_are_stacked_by_space_or_floor_and_never_mixed() -> None:
    city = held("T4 T1 O1 _ | _ T1 _ _ | _ _ T2 _ | P _ _ _", 0, 0)
    assert legal_spaces(CLASSIC, city, "tower_block", 3) & set(city.stacks) == {(2, 2)}
    assert legal_spaces(CLASSIC, city, "tower_block", 2) & set(city.stacks) == {(0, 1), (1, 1)}
    assert legal_spaces(CLASSIC, city, "office_tower", 2) & set(city.stacks) == {(0, 2)}
    assert legal_spaces(CLASSIC, city, "tower_block", 1) & set(city.stacks) == {(0, 1)}  # 4 floors are the most
    assert (0, 0) in legal_spaces(EXPERT, city, "tower_block", 5)
    stacked = city_after(CLASSIC, city, "tower_block_3", (2, 2))
    assert (stacked.stacks[2, 2], stacked.inhabitants) == (Stack("tower_block", 3, 0), 3)


def test_a_standard_public_service_can_be_exchanged() -> None:
    everywhere_but_one = {space: Stack("park", 1, 0) for space in all_spaces(CLASSIC) if space != (0, 0)}
    position = Position(
        City(everywhere_but_one, 1, 0), {(0, 0): "public_service_2"}, ["school", "city_hall"], {1}, {("left", 0)}
    )
    assert set(complete_moves(CLASSIC, position)) == {
        Move(1, ("left", 0)),
        Move(1, ("left", 0), "public_service_2", "school", (0, 0)),
        Move(1, ("left", 0), "public_service_2", "city_hall", (0, 0)),
        Move(1, ("left", 0), "school", None, (0, 0)),
        Move(1, ("left", 0), "city_hall", None, (0, 0)),
    }
    assert best_value(CLASSIC, position) == 2 + 2


def test_expert_extends_classic() -> None:
    assert EXPERT["pool"]["fire_station"] == {"count": 1, "inhabitants": 2, "vp": 3}
    assert EXPERT["tiles"]["shop"] == {"building": "shop", "rounds": ["--b", "-b", "--b", "--b", "--b"]}
    assert EXPERT["city"]["match"] == "district or number"
    assert EXPERT["game"] == "quadropolis"
