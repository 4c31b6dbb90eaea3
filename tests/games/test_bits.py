"""Sets of squares as bit masks do what sets of whole numbers do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balance.games.bits import bit, has, lowest, nth, popcount, without_lowest

TOP = 63
AT_LEISURE = settings(deadline=None, derandomize=True)  # the first example compiles
squares = st.sets(st.integers(0, TOP), min_size=1)
WORD_EXAMPLES = [{0}, {TOP}, {0, TOP}, set(range(64)), {31, 32}, set(range(0, 64, 2)), set(range(40, 64))]


def word_of(members: set[int]) -> np.uint64:
    """Return the word with these bits."""
    return np.uint64(sum(1 << member for member in members))


def test_the_empty_word_has_no_squares() -> None:
    assert popcount(np.uint64(0)) == 0
    assert not any(has(np.uint64(0), index) for index in range(64))


@pytest.mark.parametrize("index", [0, 1, 31, 32, TOP])
def test_a_bit_is_a_power_of_two(index: int) -> None:
    assert int(bit(index)) == 2**index


@pytest.mark.parametrize("square", [64, 100, 255])
def test_a_square_lies_in_its_word_at_its_number_modulo_64(square: int) -> None:
    assert int(bit(square)) == 2 ** (square % 64)
    assert has(word_of({square % 64}), square)


@AT_LEISURE
@given(squares)
def test_popcount_counts_the_squares(members: set[int]) -> None:
    assert popcount(word_of(members)) == len(members)


@AT_LEISURE
@given(squares, st.integers(0, TOP))
def test_has_tells_membership(members: set[int], index: int) -> None:
    assert bool(has(word_of(members), index)) == (index in members)


@AT_LEISURE
@given(squares)
def test_lowest_is_the_smallest_square(members: set[int]) -> None:
    assert lowest(word_of(members)) == min(members)


@AT_LEISURE
@given(squares)
def test_without_lowest_drops_the_smallest_square(members: set[int]) -> None:
    assert int(without_lowest(word_of(members))) == int(word_of(members - {min(members)}))


@AT_LEISURE
@given(squares)
def test_nth_counts_from_the_smallest_square(members: set[int]) -> None:
    assert [nth(word_of(members), n) for n in range(len(members))] == sorted(members)


@pytest.mark.parametrize("members", WORD_EXAMPLES, ids=len)
def test_nth_finds_every_square_of_a_crowded_or_lonely_word(members: set[int]) -> None:
    assert [nth(word_of(members), n) for n in range(len(members))] == sorted(members)
