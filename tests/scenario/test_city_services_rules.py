"""The arrays of a scenario say what the scenario says: ranges, neighbours, limits, half-time, the score bound."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balance.games.city_services.components import NO_LIMIT, Coverage
from balance.games.outcome import BySeat
from balance.jit import JIT_IS_DISABLED
from balance.runs.engine import engine_of
from balance.runs.plan import make_plan
from balance.scenario.city_services import CityServices
from balance.scenario.city_services_rules import (
    city_services_rules,
    drawing_turns,
    halftime,
    highest_score,
    placement_limits,
)
from balance.scenario.load import Scenario, load_scenario

Square = tuple[int, int]


def changed(*changes: str, without: tuple[str, ...] = ()) -> Scenario:
    """Return the printed game, changed."""
    return load_scenario("city-services", changes=changes, without=without)


def board_of(size: int, reach: int, *extra: str) -> Scenario:
    """Return the printed game on a board, all Services with one range."""
    ranges = [f"services.{tile}.range={reach}" for tile in changed().services]
    return changed(f"board.size={size}", *ranges, *extra)


def squares_in(words: np.ndarray, size: int) -> set[Square]:
    """Return the squares of a bit mask; there are none beyond the board."""
    number = sum(int(word) << 64 * place for place, word in enumerate(words))
    found = {divmod(square, size) for square in range(256) if number >> square & 1}
    assert all(row < size for row, _ in found)
    return found


def near(size: int, square: Square, reach: int, *, diagonal: bool) -> set[Square]:
    """Return all squares at most `reach` steps away, a step going to a side or, if allowed, a corner."""
    found = set()
    for other in itertools.product(range(size), repeat=2):
        steps = abs(other[0] - square[0]), abs(other[1] - square[1])
        if (max(steps) if diagonal else sum(steps)) <= reach:
            found.add(other)
    return found - {square}


# The board


@pytest.mark.parametrize("size", [2, 4, 8, 10, 12, 16])
def test_neighbours_share_a_side(size: int) -> None:
    rules = city_services_rules(board_of(size, 1), 2)
    for row, column in itertools.product(range(size), repeat=2):
        found = squares_in(rules.neighbours[row * size + column], size)
        assert found == near(size, (row, column), 1, diagonal=False)


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize(("size", "reach"), [(2, 1), (4, 3), (10, 1), (10, 2), (10, 3), (10, 9), (12, 5), (16, 15)])
def test_ranges_count_a_diagonal_step_as_one_or_not_at_all(size: int, reach: int, diagonal: bool) -> None:
    rules = city_services_rules(board_of(size, reach, f"revenue.diagonal_ranges={str(diagonal).lower()}"), 2)
    for row, column in {(0, 0), (0, size - 1), (size // 2, size // 2), (size - 1, 1), (size // 3, size // 2)}:
        found = squares_in(rules.in_range[reach, row * size + column], size)
        assert found == near(size, (row, column), reach, diagonal=diagonal)


@pytest.mark.parametrize("size", [2, 4, 10, 16])
def test_the_first_tile_goes_to_the_four_centre_squares_or_anywhere(size: int) -> None:
    every_square = set(itertools.product(range(size), repeat=2))
    centre = set(itertools.product((size // 2 - 1, size // 2), repeat=2))
    rules = city_services_rules(board_of(size, 1), 2)
    assert squares_in(rules.board, size) == every_square
    assert squares_in(rules.first_squares, size) == centre
    free = city_services_rules(board_of(size, 1, "placement.first_tile_in_centre=false"), 2)
    assert squares_in(free.first_squares, size) == every_square


# Tiles


def test_tiles_keep_their_numbers_in_the_arrays(printed: Scenario) -> None:
    rules = city_services_rules(printed, 4)
    assert (rules.types, rules.zone_types) == (17, 3)
    assert rules.count[:17].tolist() == [25, 15, 10, 5, 5, 5, 5, *[3] * 10]
    assert rules.service_range[:17].tolist() == [0, 0, 0, 2, 2, 2, 2, *[3] * 10]
    assert rules.vp_per_zone[:17].tolist() == [0] * 3 + [1] * 14
    assert not rules.printed_vp.any()
    assert len(set(rules.tile_key[:17].tolist())) == 17


def test_a_tile_keeps_its_key_whatever_stands_before_it(printed: Scenario) -> None:
    keys = dict(zip(printed.tiles, city_services_rules(printed, 4).tile_key.tolist(), strict=False))
    data = printed.model_dump()
    data["services"] = dict(reversed(data["services"].items()))
    turned = CityServices.model_validate(data)
    assert keys == dict(zip(turned.tiles, city_services_rules(turned, 4).tile_key.tolist(), strict=False))


def test_services_that_score_the_same_zones_share_a_scoring_group(printed: Scenario) -> None:
    rules = city_services_rules(printed, 4)
    assert rules.groups == 2
    for name in printed.services:
        scored = int(rules.group_scores[rules.scoring_group[printed.tiles.index(name)]])
        never = printed.revenue.never_score.get(name, [])
        assert scored == sum(1 << number for number, zone in enumerate(printed.zones) if zone not in never)


@pytest.mark.parametrize("coverage", ["everyone", "own", "off"])
def test_switches_arrive_as_they_are(coverage: str) -> None:
    scenario = changed(
        f"revenue.coverage={coverage}", "revenue.covers_later_zones=false", "placement.beside_a_tile=false"
    )
    rules = city_services_rules(scenario, 2)
    assert rules.coverage == Coverage[coverage.upper()]
    assert not rules.covers_later_zones
    assert not rules.needs_neighbour
    assert city_services_rules(changed(), 2).needs_neighbour


# Placement limits


def test_a_limit_that_is_written_from_both_sides_is_one_limit(printed: Scenario) -> None:
    assert placement_limits(printed) == [
        ("residential", "industrial"),
        ("transportation", "residential"),
        ("entertainment", "residential"),
        ("waste", "residential"),
    ]


@pytest.mark.parametrize("both_ways", [True, False])
def test_limits_hold_for_the_tile_named_or_for_both(both_ways: bool) -> None:
    scenario = changed(
        f"placement.both_ways={str(both_ways).lower()}",
        'placement.forbidden_beside={residential = ["industrial", "residential"], waste = ["residential", "fire"]}',
    )
    rules = city_services_rules(scenario, 2)
    limits = placement_limits(scenario)
    assert len(limits) == 4
    for tile, placed in itertools.product(scenario.tiles, repeat=2):
        named = placed in scenario.placement.forbidden_beside.get(tile, [])
        other_way = both_ways and tile in scenario.placement.forbidden_beside.get(placed, [])
        one, other = scenario.tiles.index(tile), scenario.tiles.index(placed)
        assert bool(int(rules.forbidden_beside[one]) >> other & 1) == (named or other_way)
        assert bool(int(rules.blocks[other]) >> one & 1) == (named or other_way)
        number = int(rules.limit[one, other])
        assert (number != NO_LIMIT) == (named or other_way)
        if named or other_way:
            assert set(limits[number]) == {tile, placed}
    for number, tile in enumerate(scenario.tiles):
        assert bool(int(rules.limited) >> number & 1) == bool(rules.forbidden_beside[number]), tile


# Turns that draw


def naive_drawing_turns(scenario: Scenario, players: int) -> int:
    """Deal and draw tile by tile; count the turns that get one."""
    zones, services = scenario.zone_total, scenario.service_total
    for _ in range(players):
        zones -= min(zones, scenario.start.zones)
        services -= min(services, scenario.start.services)
    turns = 0
    while zones or services:
        zones -= min(zones, scenario.turn.draw_zones)
        services -= min(services, scenario.turn.draw_services)
        turns += 1
    return turns


@given(
    counts=st.tuples(st.integers(0, 60), st.integers(1, 60)),
    start=st.tuples(st.integers(0, 20), st.integers(0, 20)),
    draw=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    players=st.integers(2, 4),
)
@settings(max_examples=50, deadline=None)
def test_turns_go_on_drawing_until_both_cups_are_empty(
    counts: tuple[int, int], start: tuple[int, int], draw: tuple[int, int], players: int
) -> None:
    without = tuple(tile for tile in changed().tiles if tile not in ("commercial", "fire"))
    scenario = changed(
        f"zones.commercial.count={counts[0]}",
        f"services.fire.count={counts[1]}",
        f"start.zones={start[0]}",
        f"start.services={start[1]}",
        f"turn.draw_zones={draw[0]}",
        f"turn.draw_services={draw[1]}",
        without=without,
    )
    turns = naive_drawing_turns(scenario, players)
    assert drawing_turns(scenario, players) == turns
    rounds = -(-turns // players)
    assert halftime(scenario, players) == max(1, rounds // 2) * players


@pytest.mark.parametrize(("players", "turns", "half"), [(2, 24, 12), (3, 24, 12), (4, 23, 12)])
def test_halftime_of_the_printed_game(printed: Scenario, players: int, turns: int, half: int) -> None:
    assert drawing_turns(printed, players) == turns
    assert halftime(printed, players) == half
    assert city_services_rules(printed, players).halftime == half


# The bound of the score


@pytest.mark.parametrize(
    "changes",
    [
        [],
        ["revenue.coverage=own"],
        ["revenue.coverage=off", "services.fire.vp_per_zone=9"],
        ["revenue.covers_later_zones=false"],
        ["services.fire.printed_vp=50", "seats.handicap=[0, 0, 0, 30]"],
        ["board.size=6", "services.roads.count=40", "revenue.coverage=off"],
        ["start.services=20", "turn.place_services=20", "turn.draw_services=20", "revenue.coverage=own"],
    ],
    ids=str,
)
@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_no_score_passes_the_highest_possible(changes: list[str], policy: str) -> None:
    scenario = changed(*changes)
    engine = engine_of(make_plan(scenario, players=2, policy=policy))
    for game in range(1 if JIT_IS_DISABLED else 40):
        seats = engine.play(game, game + 1)["seats"].sum(axis=(0, 1))
        assert seats[:, BySeat.SCORE].max() <= highest_score(scenario)


def test_the_highest_possible_score_can_be_reached() -> None:
    data = changed("start.zones=3", "turn.place_zones=3", "seats.handicap=[9, 0, 0, 0]").model_dump()
    data["zones"] = {"commercial": {"count": 3}}
    data["services"] = {"fire": {"count": 1, "range": 3, "vp_per_zone": 7, "printed_vp": 5}}
    data["placement"]["forbidden_beside"] = data["revenue"]["never_score"] = {}
    scenario = CityServices.model_validate(data)
    scores = engine_of(make_plan(scenario, players=2, policy="greedy")).play(0, 1)["seats"][0, 0, :, BySeat.SCORE]
    assert scores.tolist() == [9 + 5 + 3 * 7, 0]
    assert highest_score(scenario) == scores.max()
