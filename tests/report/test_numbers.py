"""Numbers as people read them: rounded once, never as nan, never a p of 0."""

from __future__ import annotations

import pandas as pd
import pytest

from balance.report.numbers import (
    counted,
    interval_words,
    listed,
    number,
    p_value,
    p_words,
    percent,
    with_interval,
    with_margin,
)
from balance.scenario.describe import tile_name

NAN = float("nan")


def row(value: float, low: float = NAN, high: float = NAN) -> pd.Series:
    return pd.Series({"x": value, "x_low": low, "x_high": high})


@pytest.mark.parametrize(
    ("value", "digits", "text"), [(1234.567, 2, "1,234.57"), (0, 1, "0.0"), (-3.25, 1, "-3.2"), (NAN, 2, "no data")]
)
def test_numbers_are_rounded_with_thousands_apart(value: float, digits: int, text: str) -> None:
    assert number(value, digits) == text


@pytest.mark.parametrize(("value", "text"), [(0.1234, "12.3%"), (0, "0.0%"), (1, "100.0%"), (NAN, "no data")])
def test_shares_are_percentages(value: float, text: str) -> None:
    assert percent(value) == text


def test_an_interval_follows_its_value() -> None:
    assert with_interval(row(5, 4.5, 5.25), "x", 2) == "5.00 [4.50, 5.25]"
    assert with_interval(row(0.25, 0.2, 0.3), "x", 1, share=True) == "25.0% [20.0, 30.0]"
    assert with_margin(row(5, 4.5, 5.5), "x", 2) == "5.00 ±0.50"
    assert with_margin(row(0.25, 0.2, 0.3), "x", 1, share=True) == "25.0 ±5.0"


@pytest.mark.parametrize("show", [with_interval, with_margin])
def test_no_data_and_too_few_are_said_in_words(show: object) -> None:
    assert callable(show)
    assert show(row(NAN), "x", 2) == "no data"
    assert "5.00" in show(row(5), "x", 2)
    assert "too few" in show(row(5), "x", 2)
    assert "too few" in show(row(5, 4, NAN), "x", 2)


def test_an_interval_in_a_sentence_is_in_words() -> None:
    assert interval_words(row(5, 4.5, 5.25), "x", 2) == "5.00 (95% interval 4.50 to 5.25)"
    assert interval_words(row(5), "x", 2) == "5.00 (too few)"


def test_thousands_in_a_sentence_keep_their_comma() -> None:
    words = interval_words(row(1234.5, 1200, 1300), "x", 1)
    assert words == "1,234.5 (95% interval 1,200.0 to 1,300.0)"


@pytest.mark.parametrize(
    ("p", "text", "words"),
    [
        (0.0, "< 0.001", "p < 0.001"),
        (0.00099, "< 0.001", "p < 0.001"),
        (0.001, "0.001", "p = 0.001"),
        (0.0126, "0.013", "p = 0.013"),
        (1.0, "1.000", "p = 1.000"),
        (NAN, "no test", None),
    ],
)
def test_a_p_value_is_never_0(p: float, text: str, words: str | None) -> None:
    assert p_value(p) == text
    if words is not None:
        assert p_words(p) == words


@pytest.mark.parametrize(
    ("names", "text"), [([], "none"), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_names_are_listed_as_in_a_sentence(names: list[str], text: str) -> None:
    assert listed(names) == text


def test_one_game_is_no_games() -> None:
    assert counted(1, "game") == "1 game"
    assert counted(2000, "game") == "2,000 games"
    assert counted(0, "game") == "0 games"


def test_tiles_are_written_as_the_rulebook_does() -> None:
    assert tile_name("police") == "Police"
    assert tile_name("city_hall") == "City hall"
