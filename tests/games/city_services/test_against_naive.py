"""The kernel and the naive game agree: move by move, in the final scores and in all that is counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from balance.games.city_services.play import play_games
from balance.games.outcome import BLOCKS
from balance.jit import JIT_IS_DISABLED
from balance.scenario.city_services import CityServices
from tests.games.city_services.table import (
    BINS,
    PRINTED,
    ROUNDS,
    SEED,
    counts_of,
    games,
    moves_in,
    moves_of,
    play,
    record,
    variant,
)
from tests.naive.city_services import count_games, play_game

SMALL = {"board.size": 6, "zones.residential.count": 10, "zones.commercial.count": 6, "zones.industrial.count": 5}

SEATINGS = [
    ["random"] * 2,
    ["random"] * 3,
    ["random"] * 4,
    ["greedy"] * 2,
    ["greedy"] * 3,
    ["greedy"] * 4,
    ["greedy", "random"],
    ["random", "greedy", "random"],
    ["greedy", "random", "random", "greedy"],
    ["random-parks", "random+fire"],
    ["greedy-roads", "greedy", "greedy+waste"],
    ["greedy-fire-parks", "random+entertainment+roads", "greedy+industrial", "greedy-transportation+religious"],
]


def assert_same_game(scenario: CityServices, slots: list[str], number: int, rotates: bool = True) -> None:
    """Compare one game move by move."""
    recorded = record(scenario, slots, number, rotates=rotates)
    diary = play_game(scenario, slots, SEED, number, rotates)
    assert moves_of(recorded) == moves_in(diary)
    assert recorded.scores == diary.scores
    assert recorded.turns == len(diary.turns)
    assert [recorded.hand(seat) for seat in range(len(slots))] == [dict(hand) for hand in diary.stuck]


def assert_same_counts(scenario: CityServices, slots: list[str], numbers: list[int], rotates: bool = True) -> None:
    """Compare all that is counted over some games."""
    diaries = [play_game(scenario, slots, SEED, number, rotates) for number in numbers]
    counted = counts_of(play(scenario, slots, numbers, rotates=rotates))
    naive = count_games(scenario, diaries, BINS, ROUNDS)
    for table in naive:
        assert counted[table] == naive[table], table


@pytest.mark.parametrize("slots", SEATINGS, ids=" ".join)
def test_printed_game_is_the_same_move_by_move(slots: list[str]) -> None:
    for number in range(games(2, 1)):
        assert_same_game(variant(), slots, number)


@pytest.mark.parametrize("slots", SEATINGS, ids=" ".join)
def test_games_on_a_small_board_are_the_same_move_by_move(slots: list[str]) -> None:
    for number in range(games(6, 2)):
        assert_same_game(variant(SMALL), slots, number)


@pytest.mark.parametrize("slots", SEATINGS, ids=" ".join)
def test_all_counts_are_the_same(slots: list[str]) -> None:
    numbers = list(range(games(4, 1))) + [BLOCKS, 2 * BLOCKS + 1, 7 * BLOCKS]
    assert_same_counts(variant(SMALL), slots, numbers)


def test_all_counts_of_the_printed_game_are_the_same() -> None:
    assert_same_counts(variant(), ["greedy", "random+waste", "greedy-parks"], list(range(games(3, 1))))


def test_policies_that_keep_withheld_tiles_play_the_same() -> None:
    slots = ["greedy-fire-residential", "random-roads-commercial", "greedy-parks+waste"]
    for number in range(games(6, 2)):
        assert_same_game(variant({**SMALL, "experiments.withheld": "keep"}), slots, number)


def test_policies_stay_in_their_seats_where_they_do_not_rotate() -> None:
    numbers = [3, BLOCKS + 3]
    assert_same_counts(variant(SMALL), ["greedy", "random", "random-fire"], numbers, rotates=False)


def test_games_played_in_one_go_count_like_games_played_one_by_one() -> None:
    last = BLOCKS + games(200, 10)
    scenario, slots = variant({**SMALL, "board.size": 4}), ["random", "greedy"]
    one_by_one = play(scenario, slots, range(last))
    in_one_go = play(scenario, slots, [])
    play_games(in_one_go.table, in_one_go.books, 0, last)
    assert counts_of(in_one_go) == counts_of(one_by_one)


# Variants of the scenario

COUNTS = st.integers(0, 4)
ZONES = list(PRINTED["zones"])
SERVICES = list(PRINTED["services"])
TILES = [*ZONES, *SERVICES]


def some_of(names: list[str]) -> st.SearchStrategy[list[str]]:
    """Draw a few names, none twice."""
    return st.lists(st.sampled_from(names), max_size=3, unique=True)


@st.composite
def scenarios(draw: st.DrawFn) -> CityServices:
    """Draw a scenario with any switch turned, small enough to play it naively."""
    size = draw(st.sampled_from([2, 4, 6, 8, 10, 16]))
    in_box = draw(st.lists(st.sampled_from(SERVICES), min_size=1, max_size=5, unique=True))
    changes = {f"zones.{zone}.count": draw(st.integers(0, 8)) for zone in ZONES}
    changes["zones.commercial.count"] = draw(st.integers(1, 8))
    for service in SERVICES:
        changes[f"services.{service}.count"] = draw(COUNTS) if service in in_box else 0
        changes[f"services.{service}.range"] = draw(st.integers(1, min(4, size - 1))) if service in in_box else 1
        changes[f"services.{service}.vp_per_zone"] = draw(st.integers(0, 3)) if service in in_box else 1
        changes[f"services.{service}.printed_vp"] = draw(st.integers(0, 3)) if service in in_box else 0
    return variant(
        {
            "board.size": size,
            **changes,
            **draw(turns()),
            **draw(switches(in_box)),
            "seats.handicap": draw(st.lists(st.integers(0, 9), min_size=4, max_size=4)),
        }
    )


def turns() -> st.SearchStrategy[dict[str, object]]:
    """Draw how many tiles are dealt, drawn and placed."""
    dealt, drawn, placed = st.integers(0, 3), st.integers(1, 3), st.integers(0, 4)
    return st.fixed_dictionaries(
        {
            "start.zones": dealt,
            "start.services": dealt,
            "turn.draw_zones": drawn,
            "turn.draw_services": drawn,
            "turn.place_zones": placed,
            "turn.place_services": placed,
        }
    )


def switches(in_box: list[str]) -> st.SearchStrategy[dict[str, object]]:
    """Draw the rules that can be switched off, and the tables of limits."""
    limited = st.sampled_from([*ZONES, *in_box])
    return st.fixed_dictionaries(
        {
            "placement.first_tile_in_centre": st.booleans(),
            "placement.beside_a_tile": st.booleans(),
            "placement.both_ways": st.booleans(),
            "placement.forbidden_beside": st.dictionaries(limited, some_of([*ZONES, *in_box]), max_size=4),
            "revenue.coverage": st.sampled_from(["everyone", "own", "off"]),
            "revenue.covers_later_zones": st.booleans(),
            "revenue.diagonal_ranges": st.booleans(),
            "revenue.never_score": st.dictionaries(st.sampled_from(in_box), some_of(ZONES), max_size=3),
            "experiments.withheld": st.sampled_from(["blank", "keep"]),
        }
    )


@st.composite
def policies(draw: st.DrawFn) -> str:
    """Draw a policy: only Services are withheld, as a Zone has nothing that a blank one lacks."""
    brain = draw(st.sampled_from(["random", "greedy"]))
    never = draw(some_of(SERVICES))
    whenever = draw(some_of(TILES))
    return brain + "".join(f"-{tile}" for tile in never) + "".join(f"+{tile}" for tile in whenever)


SEATS = st.lists(policies(), min_size=2, max_size=4)
THOROUGHLY = settings(
    max_examples=games(150, 40),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@THOROUGHLY
@given(scenario=scenarios(), slots=SEATS, number=st.integers(0, 5 * BLOCKS))
def test_every_variant_is_the_same_move_by_move(scenario: CityServices, slots: list[str], number: int) -> None:
    assert_same_game(scenario, slots, number)


@THOROUGHLY
@given(scenario=scenarios(), slots=SEATS, number=st.integers(0, 5 * BLOCKS), rotates=st.booleans())
def test_every_variant_counts_the_same(
    scenario: CityServices, slots: list[str], number: int, rotates: bool
) -> None:
    assert_same_counts(scenario, slots, [number, number + 1], rotates)


@THOROUGHLY
@given(scenario=scenarios(), slots=SEATS)
def test_every_tile_is_placed_or_left_in_a_hand(scenario: CityServices, slots: list[str]) -> None:
    tiles = play(scenario, slots, [0]).books.tally.tiles
    placed_and_stuck = tiles[..., [0, 8]].sum(axis=(0, 1, 2, 4))
    counts = [tile.count for tile in (*scenario.zones.values(), *scenario.services.values())]
    assert np.array_equal(placed_and_stuck, counts)


@THOROUGHLY
@given(scenario=scenarios(), slots=SEATS)
def test_a_game_ends_within_a_round_of_each_placement_after_the_last_draw(
    scenario: CityServices, slots: list[str]
) -> None:
    played = record(scenario, slots)
    assert played.turns <= scenario.tile_total + len(slots) * (len(moves_of(played)) + 1)


@pytest.mark.skipif(JIT_IS_DISABLED, reason="nothing is compiled")
def test_all_variants_share_one_compiled_kernel() -> None:
    for slots in (["random", "greedy"], ["greedy"] * 4):
        for size in (4, 10, 16):
            record(variant({"board.size": size}), slots)
    assert len(play_games.signatures) == 1  # type: ignore[attr-defined]
