"""Luck is keyed: the published generator behind it, one set of numbers for each game, nothing shared."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balance.games import luck
from balance.games.city_services.cups import fill_cups
from balance.games.city_services.play import play_games
from balance.jit import JIT_IS_DISABLED
from tests.games.city_services.table import (
    SEED,
    Played,
    box,
    counts_of,
    digest,
    games,
    play,
    play_recorded,
    record,
    seat_players,
    variant,
)
from tests.naive import luck as naive

AT_LEISURE = settings(deadline=None, derandomize=True)  # the first example compiles
KEYS = st.integers(0, 2**64 - 1)
SMALL = {"commercial": 8, "residential": 8, "roads": 8, "fire": 4}
SLOTS = ["random", "greedy"]

# The first numbers of SplitMix64 from state 0, known from other implementations.
PUBLISHED = [
    0xE220A8397B1DCDAF,
    0x6E789E6AA1B965F4,
    0x06C45D188009454F,
    0xF88BB8A8724C81EC,
    0x1B39896A51A8749B,
]


# Known values


@pytest.mark.parametrize(("number", "published"), list(enumerate(PUBLISHED)))
def test_the_mixing_function_is_splitmix64(number: int, published: int) -> None:
    assert int(luck.combine(np.uint64(0), np.uint64(number))) == published


def test_keys_of_names_never_change() -> None:
    assert int(luck.text_key("fire")) == 0x6F2DBD769E73F905
    assert int(luck.seed_key(1)) == 0x2D23F9F41D2E0FE9


@AT_LEISURE
@given(KEYS, KEYS)
def test_combine_agrees_with_plain_numbers(key: int, value: int) -> None:
    assert int(luck.combine(np.uint64(key), np.uint64(value))) == naive.combine(key, value)


@AT_LEISURE
@given(KEYS, st.integers(0, 3), st.integers(0, 5000), st.integers(0, 40))
def test_decision_keys_agree_with_plain_numbers(key: int, seat: int, turn: int, step: int) -> None:
    assert int(luck.decision_key(np.uint64(key), seat, turn, step)) == naive.decision_key(key, seat, turn, step)


@AT_LEISURE
@given(KEYS, st.sampled_from(["fire", "roads", "parks"]), st.integers(0, 255))
def test_candidate_keys_agree_with_plain_numbers(key: int, tile: str, square: int) -> None:
    candidate = luck.candidate_key(np.uint64(key), luck.text_key(tile), square)
    assert int(candidate) == naive.candidate_key(key, tile, square)


@AT_LEISURE
@given(KEYS, st.integers(1, 20000))
def test_below_agrees_with_plain_numbers_and_stays_below(key: int, limit: int) -> None:
    number = luck.below(np.uint64(key), limit)
    assert number == naive.below(key, limit)
    assert 0 <= number < limit


def test_all_numbers_below_a_limit_are_equally_likely() -> None:
    keys = [np.uint64(luck.combine(np.uint64(7), np.uint64(roll))) for roll in range(6000)]
    rolls = Counter(int(luck.below(key, 6)) for key in keys)
    assert sorted(rolls) == list(range(6))
    assert all(abs(count - 1000) < 5 * (6000 * 5 / 36) ** 0.5 for count in rolls.values())


# One set of numbers for each purpose


def test_each_decision_has_a_number_of_its_own() -> None:
    key = np.uint64(3)
    decisions = [(seat, turn, step) for seat in range(4) for turn in range(60) for step in range(6)]
    assert len({int(luck.decision_key(key, *decision)) for decision in decisions}) == len(decisions)


def test_draws_and_decisions_of_a_game_have_different_keys() -> None:
    seed = luck.seed_key(SEED)
    assert int(luck.game_key(seed, 5, luck.DRAWS)) != int(luck.game_key(seed, 5, luck.DECISIONS))


def test_every_game_and_every_seed_has_a_key_of_its_own() -> None:
    keys = {int(luck.game_key(luck.seed_key(seed), game, luck.DRAWS)) for seed in range(20) for game in range(50)}
    assert len(keys) == 20 * 50


# One set of numbers for each game


def test_there_are_as_many_different_games_as_games() -> None:
    numbers = range(games(300, 6))
    assert len({digest(record(variant(), ["random"] * 2, number)) for number in numbers}) == len(numbers)


def test_another_seed_is_another_game() -> None:
    digests = {digest(record(box(SMALL), SLOTS, seed=seed)) for seed in range(10)}
    assert len(digests) == 10


def test_a_game_is_the_same_when_played_again() -> None:
    assert digest(record(box(SMALL), SLOTS, 4)) == digest(record(box(SMALL), SLOTS, 4))


def test_a_game_does_not_depend_on_the_game_before_it() -> None:
    scenario = box(SMALL)
    played = seat_players(scenario, SLOTS, moves=scenario.tile_total)
    for number in (9, 2, 5):
        play_recorded(played, number)
        assert digest(played) == digest(record(scenario, SLOTS, number))


def test_two_tables_that_play_in_turns_count_like_two_that_play_alone() -> None:
    here, there = seat_players(box(SMALL), SLOTS), seat_players(box(SMALL), ["greedy"] * 3)
    for number in range(games(50, 3)):
        play_games(here.table, here.books, number, number + 1)
        play_games(there.table, there.books, number, number + 1)
    assert counts_of(here) == counts_of(play(box(SMALL), SLOTS, range(games(50, 3))))
    assert counts_of(there) == counts_of(play(box(SMALL), ["greedy"] * 3, range(games(50, 3))))


def test_games_cut_into_pieces_count_like_games_in_one_go() -> None:
    last = games(40, 5)
    in_one_go = seat_players(box(SMALL), SLOTS)
    play_games(in_one_go.table, in_one_go.books, 0, last)
    for cut in (3,) if JIT_IS_DISABLED else (1, 7, 12):
        in_pieces = seat_players(box(SMALL), SLOTS)
        for first in range(0, last, cut):
            play_games(in_pieces.table, in_pieces.books, first, min(first + cut, last))
        assert counts_of(in_pieces) == counts_of(in_one_go)


def drawing_order(played: Played, kind: int, number: int) -> list[str]:
    """Return the tiles of a cup in the order of drawing."""
    table = played.table
    fill_cups(table.rules, table.state, table.seating.seed, number)
    cup = table.state.cup[kind][: table.state.cup_size[kind]]
    return [played.scenario.tiles[tile] for tile in cup]


def test_tiles_left_out_do_not_change_the_order_of_the_others() -> None:
    full = seat_players(variant(), SLOTS)
    without_fire = seat_players(variant({"services.fire.count": 0}), SLOTS)
    for number in range(5):
        others = [tile for tile in drawing_order(full, 1, number) if tile != "fire"]
        assert drawing_order(without_fire, 1, number) == others
