"""The rules of City Services, one sentence each.

In drawings `.` is an empty square and `+` an empty square where the tile in question may be placed; letters
are tiles (`table.LETTERS`): capitals for Zones, small letters for Services.
"""

from __future__ import annotations

from typing import Any

import pytest

from balance.games.city_services.revenue import Revenue
from balance.games.city_services.tally import ByTile
from balance.games.outcome import ByGame
from tests.games.city_services.table import (
    Played,
    Position,
    box,
    moves_of,
    record,
    squares_marked,
    variant,
)

RANDOM = ["random", "random"]
NOISY_OR_SMELLY = ["transportation", "entertainment", "waste"]
ONE_WAY = {"placement.both_ways": False}
NO_PLACING = {"turn.place_zones": 0, "turn.place_services": 0}
NOBODY_DRAWS_FIRST = {"start.zones": 0, "start.services": 0}


def assert_legal(tile: str, text: str, changes: dict[str, Any] | None = None) -> None:
    """Check that a tile may be placed on the squares marked `+` and on no other."""
    assert Position.drawn(text, changes).legal(tile) == squares_marked("+", text)


# Where a tile may be placed (rulebook, Build Phase)


def test_the_first_tile_must_be_placed_in_one_of_the_center_4_spaces() -> None:
    assert_legal(
        "commercial",
        """
        . . . . . .
        . . . . . .
        . . + + . .
        . . + + . .
        . . . . . .
        . . . . . .
        """,
    )


def test_the_center_spaces_of_the_printed_board_are_rows_and_columns_5_and_6() -> None:
    assert Position(variant()).legal("residential") == {(4, 4), (4, 5), (5, 4), (5, 5)}


def test_the_first_tile_goes_anywhere_where_that_rule_is_off() -> None:
    empty = """
        + + + +
        + + + +
        + + + +
        + + + +
        """
    assert_legal("commercial", empty, {"placement.first_tile_in_centre": False})


def test_a_tile_must_be_adjacent_along_a_side_to_another_tile() -> None:
    assert_legal(
        "roads",
        """
        . . . .
        . + . .
        + C + .
        . + . .
        """,
    )


def test_a_tile_may_be_adjacent_to_any_placed_tile_also_at_the_edge_and_beside_a_service() -> None:
    assert_legal(
        "commercial",
        """
        C + . .
        r + . .
        + . + .
        . + r +
        """,
    )


def test_any_empty_square_will_do_where_tiles_need_no_neighbour() -> None:
    board = """
        + + + +
        + C + +
        + + r +
        + + + +
        """
    assert_legal("industrial", board, {"placement.beside_a_tile": False})


# Placement limits


def test_residential_and_industrial_zones_cannot_be_placed_beside_each_other() -> None:
    board = """
        . . + .
        . + C +
        . . R .
        . . . .
        """
    assert_legal("industrial", board)
    assert_legal("residential", board.replace("R", "I"))


@pytest.mark.parametrize("service", NOISY_OR_SMELLY)
def test_noisy_and_smelly_services_cannot_be_placed_beside_residential(service: str) -> None:
    assert_legal(
        service,
        """
        . . + .
        . + C +
        . . R .
        . . . .
        """,
    )


def test_placement_limits_hold_only_along_sides() -> None:
    assert_legal(
        "waste",
        """
        . . + .
        . R C +
        . . + .
        . . . .
        """,
    )


@pytest.mark.parametrize("letter", ["t", "e", "w"])
def test_residential_cannot_be_placed_beside_noisy_and_smelly_services_either(letter: str) -> None:
    board = """
        . . + .
        . + C +
        . . # .
        . . . .
        """
    assert_legal("residential", board.replace("#", letter))


@pytest.mark.parametrize("letter", ["t", "e", "w"])
def test_residential_can_be_placed_beside_those_services_where_limits_hold_one_way(letter: str) -> None:
    board = """
        . . + .
        . + C +
        . + # +
        . . + .
        """
    assert_legal("residential", board.replace("#", letter), ONE_WAY)


@pytest.mark.parametrize("tile", [*NOISY_OR_SMELLY, "industrial"])
def test_the_printed_limits_hold_one_way_as_well(tile: str) -> None:
    board = """
        . . . .
        . . R .
        . . . .
        . . . .
        """
    assert_legal(tile, board, ONE_WAY)


@pytest.mark.parametrize("tile", ["commercial", "fire", "roads", "parks", "religious", "police"])
def test_other_tiles_have_no_placement_limits(tile: str) -> None:
    assert_legal(
        tile,
        """
        . + + .
        + R w +
        + t I +
        . + + .
        """,
    )


def test_no_limit_holds_where_the_table_of_limits_is_empty() -> None:
    board = """
        . . . .
        . . + .
        . + R +
        . . + .
        """
    assert_legal("waste", board, {"placement.forbidden_beside": {"waste": []}})


# Revenue


def test_the_worked_example_of_the_rules_page() -> None:
    position = Position(variant())
    position.place("residential", (4, 4))
    position.place("commercial", (4, 5))
    assert position.place("fire", (5, 5)) == 2
    assert position.place("fire", (5, 4)) == 0
    assert position.place("roads", (3, 4)) == 2
    position.place("industrial", (6, 5))
    assert position.place("parks", (6, 4)) == 2  # the two Zones that are not Industrial
    assert position.place_and_sort("parks", (7, 5)) == (0, Revenue(0, 2, 1))
    assert position.place_and_sort("fire", (7, 4)) == (0, Revenue(0, 3, 0))


@pytest.mark.parametrize(
    ("service", "square", "zones"),
    [("roads", (0, 0), 3), ("fire", (0, 0), 4), ("roads", (3, 2), 5), ("fire", (2, 3), 8)],
)
def test_each_zone_in_range_gives_a_point_and_ranges_extend_through_the_diagonal(
    service: str, square: tuple[int, int], zones: int
) -> None:
    text = """
        . C . . C C
        . . . . . .
        C . C . . .
        . . . C . .
        . . . . C .
        C . . . . .
        """
    own_ranges = {"services.roads.range": 2, "services.fire.range": 3}
    assert Position.drawn(text, own_ranges).place(service, square) == zones


def test_ranges_count_steps_along_sides_where_diagonals_are_off() -> None:
    text = """
        . . C .
        . C C .
        C C C .
        . . . .
        """
    rules = {"revenue.diagonal_ranges": False, "services.roads.range": 2}
    assert Position.drawn(text, rules).place("roads", (0, 0)) == 3


def test_services_in_range_give_no_points() -> None:
    text = """
        . . . .
        . r p .
        . C f .
        . . . .
        """
    assert Position.drawn(text).place("police", (3, 1)) == 1


def test_a_zone_already_in_range_of_a_service_of_the_same_type_gives_no_point() -> None:
    text = """
        C . . . C C
        . r . . . .
        C . . . . C
        . . . . . .
        . . . . . .
        . . . . . .
        """
    position = Position.drawn(text, {"services.roads.range": 2})
    assert position.place_and_sort("roads", (1, 2)) == (1, Revenue(1, 2, 0))
    assert position.place_and_sort("roads", (1, 3)) == (2, Revenue(2, 1, 0))


def test_services_of_other_types_deny_nothing() -> None:
    text = """
        . . . .
        . C r .
        . C p .
        . . . .
        """
    assert Position.drawn(text).place("fire", (3, 1)) == 2


@pytest.mark.parametrize(("coverage", "points"), [("everyone", 0), ("own", 1), ("off", 1)])
def test_an_opponents_service_denies_a_zone_only_where_coverage_is_everyones(coverage: str, points: int) -> None:
    position = Position(variant({"revenue.coverage": coverage}))
    position.place("commercial", (4, 4))
    position.place("fire", (4, 5), seat=0)
    assert position.place("fire", (5, 4), seat=1) == points


@pytest.mark.parametrize(
    ("coverage", "denies"),
    [
        ("everyone", True),
        ("own", False),
        ("off", False),
    ],
)
def test_zones_denied_to_opponents_are_counted_only_where_coverage_is_everyones(coverage: str, denies: bool) -> None:
    counts = {"commercial": 10, "roads": 20}
    played = record(box(counts, {"revenue.coverage": coverage, "board.size": 6}), RANDOM)
    denied = played.books.tally.tiles[..., ByTile.DENIED_TO_OPPONENTS].sum()
    assert (denied > 0) == denies


@pytest.mark.parametrize(("coverage", "points"), [("everyone", 0), ("own", 0), ("off", 1)])
def test_an_own_service_denies_a_zone_unless_coverage_is_off(coverage: str, points: int) -> None:
    position = Position(variant({"revenue.coverage": coverage}))
    position.place("commercial", (4, 4))
    position.place("fire", (4, 5), seat=1)
    assert position.place("fire", (5, 4), seat=1) == points


@pytest.mark.parametrize(("covers_later_zones", "points"), [(True, 0), (False, 1)])
def test_a_zone_placed_later_into_a_range_counts_as_covered(covers_later_zones: bool, points: int) -> None:
    position = Position(variant({"revenue.covers_later_zones": covers_later_zones}))
    position.place("fire", (4, 4))
    position.place("commercial", (4, 5))
    assert position.place("fire", (5, 5)) == points


@pytest.mark.parametrize("service", ["parks", "religious", "entertainment"])
def test_parks_religious_and_entertainment_do_not_score_industry(service: str) -> None:
    position = Position(variant())
    position.place("industrial", (4, 4))
    position.place("commercial", (4, 5))
    assert position.place_and_sort(service, (5, 4)) == (1, Revenue(1, 0, 1))


@pytest.mark.parametrize("service", ["roads", "fire", "waste", "transportation"])
def test_other_services_score_industry(service: str) -> None:
    position = Position(variant())
    position.place("industrial", (4, 4))
    assert position.place(service, (5, 4)) == 1


def test_an_industrial_zone_that_is_covered_as_well_is_booked_under_the_industrial_limit() -> None:
    position = Position(variant())
    position.place("industrial", (4, 4))
    position.place("parks", (4, 5))
    assert position.place_and_sort("parks", (5, 4)) == (0, Revenue(0, 0, 1))


def test_points_for_a_zone_and_printed_points_come_from_the_scenario() -> None:
    position = Position(variant({"services.fire.vp_per_zone": 3, "services.fire.printed_vp": 5}))
    position.place("commercial", (4, 4))
    position.place("commercial", (4, 5))
    assert position.place("fire", (5, 5)) == 3 * 2 + 5
    assert position.place("fire", (5, 4)) == 5


# The deal and the Plan Phase


def hands_of(played: Played) -> list[dict[str, int]]:
    """Return all hands after a game."""
    return [played.hand(seat) for seat in range(played.table.seating.seats)]


def test_each_player_starts_with_a_zone_and_a_service_and_draws_two_of_each() -> None:
    tiles_for_one_turn_each = {"commercial": 6, "fire": 6}
    hands = hands_of(record(box(tiles_for_one_turn_each, NO_PLACING), RANDOM))
    assert hands == [{"commercial": 3, "fire": 3}] * 2


def test_a_cup_too_short_for_the_deal_serves_the_seats_in_order() -> None:
    hands = hands_of(record(box({"commercial": 1, "fire": 2}, NO_PLACING), ["random"] * 3))
    assert hands == [{"commercial": 1, "fire": 1}, {"fire": 1}, {}]


def test_a_cup_too_short_for_a_draw_gives_what_it_still_has() -> None:
    hands = hands_of(record(box({"commercial": 3, "fire": 5}, NO_PLACING), RANDOM))
    assert hands == [{"commercial": 2, "fire": 3}, {"commercial": 1, "fire": 2}]


def test_there_is_no_hand_limit() -> None:
    played = record(box({"commercial": 60, "fire": 40}, NO_PLACING), RANDOM)
    assert hands_of(played) == [{"commercial": 31, "fire": 21}, {"commercial": 29, "fire": 19}]


# The Build Phase


def test_seat_1_goes_first_and_players_take_turns() -> None:
    moves = moves_of(record(variant(), ["random"] * 3))
    assert moves[0].turn == 0
    assert all(move.seat == move.turn % 3 for move in moves)


def test_two_zones_then_two_services_are_placed_in_a_turn() -> None:
    scenario = box({"commercial": 40, "fire": 40})
    moves = moves_of(record(scenario, RANDOM))
    for turn in range(10):
        placed = [move.tile for move in moves if move.turn == turn]
        assert placed == ["commercial", "commercial", "fire", "fire"]


def test_the_numbers_drawn_and_placed_come_from_the_scenario() -> None:
    numbers = {"turn.draw_zones": 3, "turn.place_zones": 3, "turn.draw_services": 1, "turn.place_services": 1}
    moves = moves_of(record(box({"commercial": 30, "fire": 10}, numbers), RANDOM))
    assert [move.tile for move in moves if move.turn == 3] == ["commercial"] * 3 + ["fire"]


def test_a_tile_that_fits_nowhere_is_kept_in_hand() -> None:
    played = record(box({"residential": 4, "waste": 2}), RANDOM)
    assert hands_of(played) == [{"waste": 1}, {"waste": 1}]
    assert [move.tile for move in moves_of(played)] == ["residential"] * 4


def test_a_kept_tile_is_placed_in_a_later_turn_when_it_fits() -> None:
    both_zones_for_seat_1 = {"start.zones": 2, "start.services": 2}
    moves = moves_of(record(box({"residential": 1, "industrial": 1, "roads": 2}, both_zones_for_seat_1), RANDOM))
    zones = {"residential", "industrial"}
    assert [move.turn for move in moves if move.tile in zones] == [0, 2]


def test_there_is_no_second_chance_for_zones_after_the_services_of_a_turn() -> None:
    both_zones_for_seat_1 = {"start.zones": 2, "start.services": 2}
    moves = moves_of(record(box({"residential": 1, "industrial": 1, "roads": 2}, both_zones_for_seat_1), RANDOM))
    assert [(move.turn, move.tile in {"residential", "industrial"}) for move in moves] == [
        (0, True),
        (0, False),
        (0, False),
        (2, True),
    ]


def test_no_square_is_used_twice_and_a_full_board_takes_no_more_tiles() -> None:
    played = record(box({"commercial": 5, "roads": 5}, {"board.size": 2, **all_ranges(1)}), RANDOM)
    assert {move.square for move in moves_of(played)} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert len(moves_of(played)) == 4
    assert sum(sum(hand.values()) for hand in hands_of(played)) == 6


def all_ranges(squares: int) -> dict[str, int]:
    """Return changes that give every Service the same range."""
    return {f"services.{service}.range": squares for service in variant().services}


# The end of the game


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_game_ends_when_the_cups_are_empty_and_nobody_has_placed_a_tile_for_a_round(players: int) -> None:
    played = record(box({"commercial": 1, "roads": 1}), ["random"] * players)
    assert {move.turn for move in moves_of(played)} == {0}
    assert played.turns == 1 + players


def test_the_game_goes_on_while_a_cup_holds_tiles_though_nobody_places_one() -> None:
    played = record(box({"commercial": 9}, {**NO_PLACING, **NOBODY_DRAWS_FIRST}), RANDOM)
    assert played.turns == 5


def test_the_turn_that_empties_the_cups_counts_as_idle_where_it_places_nothing() -> None:
    played = record(box({"commercial": 2}, {**NO_PLACING, **NOBODY_DRAWS_FIRST}), ["random"] * 4)
    assert played.turns == 4


def test_length_up_to_the_last_placement_leaves_out_the_idle_round() -> None:
    played = record(box({"commercial": 1, "roads": 1}), RANDOM)
    games = played.books.outcome.games.sum(axis=0)
    assert games[ByGame.TURNS] == 3
    assert games[ByGame.TURNS_TO_LAST_PLACEMENT] == 1


def test_the_score_is_the_sum_of_the_points_for_placed_services() -> None:
    played = record(variant(), ["random"] * 4)
    for seat, score in enumerate(played.scores):
        assert score == sum(move.given for move in moves_of(played) if move.seat == seat) > 0


def test_unplaced_tiles_score_nothing() -> None:
    played = record(box({"residential": 1, "waste": 9}, {"services.waste.printed_vp": 5}), RANDOM)
    assert played.scores == (0, 0)


def test_a_handicap_counts_from_the_start() -> None:
    played = record(box({"commercial": 4}, {"seats.handicap": [3, 0, 7, 0]}), ["random"] * 3)
    assert played.scores == (3, 0, 7)


# Experiments: tiles that a policy may not use

ONE_ZONE_TWO_ROADS = {"commercial": 1, "roads": 2}


def test_the_first_road_covers_the_zone_where_nothing_is_withheld() -> None:
    played = record(box(ONE_ZONE_TWO_ROADS), RANDOM)
    assert played.scores == (1, 0)


def test_a_withheld_service_is_placed_blank_and_scores_and_covers_nothing() -> None:
    played = record(box(ONE_ZONE_TWO_ROADS), ["random-roads", "random"])
    roads = [move for move in moves_of(played) if move.tile == "roads"]
    assert [(move.seat, move.is_blank, move.given, move.denied) for move in roads] == [
        (0, True, 0, 0),
        (1, False, 1, 0),
    ]
    assert played.scores == (0, 1)


def test_a_blank_service_gives_no_printed_points() -> None:
    scenario = box(ONE_ZONE_TWO_ROADS, {"services.roads.printed_vp": 5})
    assert record(scenario, ["random-roads", "random"]).scores == (0, 6)


@pytest.mark.parametrize("withheld", ["blank", "keep"])
def test_a_blank_service_is_placed_like_the_tile_itself(withheld: str) -> None:
    scenario = box({"residential": 4, "waste": 4}, {"experiments.withheld": withheld})
    assert {move.tile for move in moves_of(record(scenario, ["random-waste"] * 2))} == {"residential"}


def test_a_withheld_service_stays_in_hand_where_the_scenario_says_so() -> None:
    scenario = box(ONE_ZONE_TWO_ROADS, {"experiments.withheld": "keep"})
    played = record(scenario, ["random-roads", "random"])
    assert hands_of(played) == [{"roads": 1}, {}]
    assert played.scores == (0, 1)


# Policies


@pytest.mark.parametrize("brain", ["random", "greedy"])
def test_a_policy_that_prefers_a_tile_builds_it_whenever_it_can(brain: str) -> None:
    counts = {"commercial": 20, "industrial": 20, "fire": 20, "roads": 20}
    moves = moves_of(record(box(counts, {"start.zones": 9}), [f"{brain}+industrial"] * 2))
    zones = [move.tile for move in moves if move.turn == 0][:2]
    assert zones == ["industrial", "industrial"]


@pytest.mark.parametrize(("dear", "cheap"), [("fire", "roads"), ("roads", "fire")])
def test_greedy_places_the_service_that_scores_most_at_once(dear: str, cheap: str) -> None:
    both_services_for_seat_1 = {"start.services": 2, "turn.place_services": 1}
    scenario = box(
        {"commercial": 2, dear: 1, cheap: 1}, {**both_services_for_seat_1, f"services.{dear}.vp_per_zone": 3}
    )
    services = [move.tile for move in moves_of(record(scenario, ["greedy"] * 2)) if move.tile != "commercial"]
    assert services == [dear, cheap]


def test_greedy_places_the_zone_after_which_its_best_service_scores_most() -> None:
    both_zones_for_seat_1 = {"start.zones": 2, "turn.place_zones": 1}
    scenario = box({"industrial": 1, "commercial": 1, "parks": 1}, both_zones_for_seat_1)
    assert moves_of(record(scenario, ["greedy"] * 2))[0].tile == "commercial"


def test_greedy_foresees_no_points_from_a_service_that_it_may_not_use() -> None:
    both_zones_for_seat_1 = {"start.zones": 2, "turn.place_zones": 1}
    scenario = box({"industrial": 1, "commercial": 1, "parks": 1}, both_zones_for_seat_1)
    firsts = {moves_of(record(scenario, ["greedy-parks"] * 2, number))[0].tile for number in range(20)}
    assert firsts == {"industrial", "commercial"}
