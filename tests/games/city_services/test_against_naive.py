"""The kernel and the naive game agree: move by move, in the final scores and in all that is counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numba
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from balance.games.city_services.play import play_games
from balance.games.city_services.tally import ByTile
from balance.games.outcome import BLOCKS
from balance.jit import JIT_IS_DISABLED
from balance.scenario.city_services import CityServices
from tests.games.city_services.table import (
    BINS,
    PRINTED,
    ROUNDS,
    SEED,
    Played,
    box,
    counts_of,
    games,
    moves_in,
    moves_of,
    play,
    play_recorded,
    record,
    rules_of,
    seat_players,
    variant,
)
from tests.naive.city_services import Diary, copies_of, count_games, play_game

SMALL = {"board.size": 6, "zones.residential.count": 10, "zones.commercial.count": 6, "zones.industrial.count": 5}

MIXED_SEATINGS = [
    ["greedy", "random"],
    ["random", "greedy", "random"],
    ["greedy", "random", "random", "greedy"],
    ["random-parks", "random+fire"],
    ["greedy-roads", "greedy", "greedy+waste"],
    ["greedy-fire-parks", "random+entertainment+roads", "greedy+industrial", "greedy-transportation+religious"],
]
SEATINGS = [[brain] * players for brain in ("random", "greedy") for players in (2, 3, 4)] + MIXED_SEATINGS
BOUNDS_ARE_CHECKED = bool(numba.config.BOUNDSCHECK)  # then boards of 4 words, compiled apart, are left to plain Python
ON_THE_PRINTED_BOARD = MIXED_SEATINGS[2:5] if JIT_IS_DISABLED else SEATINGS


def assert_agreement(scenario: CityServices, slots: list[str], numbers: Iterable[int], rotates: bool = True) -> None:
    """Compare games move by move, and all that is counted over them."""
    diaries = [play_game(scenario, slots, SEED, number, rotates) for number in numbers]
    played = seat_players(scenario, slots, rotates=rotates, moves=scenario.tile_total)
    for diary in diaries:
        play_recorded(played, diary.number)
        assert_same_game(played, diary)
    counted = counts_of(played)
    for table, naive in count_games(scenario, diaries, BINS, ROUNDS).items():
        assert counted[table] == naive, table


def assert_same_game(recorded: Played, diary: Diary) -> None:
    """Compare one game move by move."""
    assert moves_of(recorded) == moves_in(diary)
    assert recorded.scores == diary.scores
    assert recorded.turns == len(diary.turns)
    assert [recorded.hand(seat) for seat in range(len(diary.policies))] == diary.stuck


@pytest.mark.parametrize("slots", ON_THE_PRINTED_BOARD, ids=" ".join)
def test_printed_game_agrees(slots: list[str]) -> None:
    assert_agreement(variant(), slots, [0])


@pytest.mark.parametrize("slots", SEATINGS, ids=" ".join)
def test_games_on_a_small_board_agree(slots: list[str]) -> None:
    assert_agreement(variant(SMALL), slots, range(games(4, 2)))


@pytest.mark.parametrize("slots", MIXED_SEATINGS, ids=" ".join)
def test_policies_rotate_over_the_seats(slots: list[str]) -> None:
    assert_agreement(variant(SMALL), slots, [BLOCKS, 2 * BLOCKS + 1, 7 * BLOCKS])


def test_policies_stay_in_their_seats_where_they_do_not_rotate() -> None:
    assert_agreement(variant(SMALL), ["greedy", "random", "random-fire"], [3, BLOCKS + 3], rotates=False)


def test_policies_that_keep_withheld_tiles_agree() -> None:
    slots = ["greedy-fire-residential", "random-roads-commercial", "greedy-parks+waste"]
    assert_agreement(variant({**SMALL, "experiments.withheld": "keep"}), slots, range(games(4, 2)))


@pytest.mark.parametrize("covers_later_zones", [True, False])
@pytest.mark.parametrize("coverage", ["everyone", "own", "off"])
def test_coverage_agrees(coverage: str, covers_later_zones: bool) -> None:
    rules = {"revenue.coverage": coverage, "revenue.covers_later_zones": covers_later_zones}
    many_fires = {"services.fire.count": 20, "services.roads.count": 20}
    scenario = variant({**SMALL, **many_fires, **rules})
    assert_agreement(scenario, ["random", "greedy", "random"], range(games(4, 1)))


def test_games_played_in_one_go_count_like_games_played_one_by_one() -> None:
    last = games(2 * BLOCKS, 6)
    scenario, slots = variant({**SMALL, "board.size": 4}), ["random", "greedy"]
    one_by_one = play(scenario, slots, range(last))
    in_one_go = play(scenario, slots, [])
    play_games(in_one_go.table, in_one_go.books, 0, last)
    assert counts_of(in_one_go) == counts_of(one_by_one)


# Variants of the scenario

ZONES = list(PRINTED["zones"])
SERVICES = list(PRINTED["services"])
TILES = [*ZONES, *SERVICES]


class Case(NamedTuple):
    """A scenario and who plays it."""

    scenario: CityServices
    slots: list[str]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a scenario with any switch turned, small enough to play it naively, and policies for its seats."""
    size = draw(st.sampled_from([2, 4, 6, 8, 10] if BOUNDS_ARE_CHECKED else [2, 4, 6, 8, 10, 16]))
    beside_a_tile = {"placement.beside_a_tile": size > 6 or draw(st.booleans())}  # else the naive game takes too long
    in_box = draw(st.lists(st.sampled_from(SERVICES), min_size=1, max_size=3, unique=True))
    counts = {zone: draw(st.sampled_from([0, 2, 5, 8])) for zone in ZONES}
    counts |= {service: draw(st.sampled_from([1, 4, 10])) for service in in_box}
    changes = {f"services.{service}.range": 1 for service in SERVICES}
    for service in in_box:
        changes[f"services.{service}.range"] = draw(st.integers(1, min(4, size - 1)))
        changes[f"services.{service}.vp_per_zone"] = draw(st.sampled_from([1, 1, 3, 0]))
        changes[f"services.{service}.printed_vp"] = draw(st.sampled_from([0, 0, 2]))
    scenario = box(counts, {"board.size": size, **beside_a_tile, **changes, **draw(turns()), **draw(switches(in_box))})
    return Case(scenario, draw(st.lists(policies(in_box), min_size=2, max_size=4)))


def some_of(names: list[str]) -> st.SearchStrategy[list[str]]:
    """Draw a few names, none twice."""
    return st.lists(st.sampled_from(names), max_size=2, unique=True)


def turns() -> st.SearchStrategy[dict[str, object]]:
    """Draw how many tiles are dealt, drawn and placed."""
    dealt, drawn, placed = st.integers(0, 3), st.integers(1, 3), st.sampled_from([2, 1, 3, 0, 2])
    return st.fixed_dictionaries(
        {
            "start.zones": dealt,
            "start.services": dealt,
            "turn.draw_zones": drawn,
            "turn.draw_services": drawn,
            "turn.place_zones": placed,
            "turn.place_services": placed,
            "seats.handicap": st.lists(st.sampled_from([0, 0, 3]), min_size=4, max_size=4),
        }
    )


def switches(in_box: list[str]) -> st.SearchStrategy[dict[str, object]]:
    """Draw the rules that can be switched off, and the tables of limits."""
    limited = st.sampled_from([*ZONES, *in_box])
    return st.fixed_dictionaries(
        {
            "placement.first_tile_in_centre": st.booleans(),
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
def policies(draw: st.DrawFn, in_box: list[str]) -> str:
    """Draw a policy: only Services are withheld, as a Zone has nothing that a blank one lacks."""
    brain = draw(st.sampled_from(["random", "greedy"]))
    never = draw(some_of(in_box))
    whenever = draw(some_of([*ZONES, *in_box]))
    return brain + "".join(f"-{tile}" for tile in never) + "".join(f"+{tile}" for tile in whenever)


SLOWLY = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=games(120, 40), deadline=None, derandomize=True, suppress_health_check=SLOWLY)
@given(case=cases(), number=st.integers(0, 5 * BLOCKS), rotates=st.booleans())
def test_every_variant_agrees(case: Case, number: int, rotates: bool) -> None:
    assert_agreement(case.scenario, case.slots, [number, number + 1], rotates)


@settings(max_examples=games(50, 10), deadline=None, derandomize=True, suppress_health_check=SLOWLY)
@given(case=cases())
def test_every_tile_is_placed_or_left_in_a_hand(case: Case) -> None:
    scenario = case.scenario
    tiles = play(scenario, case.slots, [0]).books.tally.tiles
    placed_or_stuck = tiles[..., [ByTile.PLACED, ByTile.BLANK, ByTile.STUCK]].sum(axis=(0, 1, 2, 4))
    assert placed_or_stuck.tolist() == [copies_of(scenario, tile) for tile in scenario.tiles]


@settings(max_examples=games(50, 10), deadline=None, derandomize=True, suppress_health_check=SLOWLY)
@given(case=cases())
def test_a_game_ends_within_a_round_of_turns_after_each_draw_and_each_placement(case: Case) -> None:
    played = record(case.scenario, case.slots)
    draws, placements = case.scenario.tile_total, len(moves_of(played))
    assert played.turns <= draws + len(case.slots) * (placements + 1)


@pytest.mark.skipif(JIT_IS_DISABLED, reason="nothing is compiled")
def test_all_variants_of_one_board_width_share_one_compiled_kernel() -> None:
    scenarios = [variant({"board.size": size}) for size in (4, 8, 10, 12, 16)]
    for scenario in scenarios:
        record(scenario, ["random", "greedy"])
        record(scenario, ["greedy"] * 4)
    widths = {len(rules_of(scenario, 2).board) for scenario in scenarios}
    assert len(play_games.signatures) == len(widths)  # type: ignore[attr-defined]
