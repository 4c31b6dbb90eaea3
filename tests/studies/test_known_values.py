"""The printed game agrees with an independent program that played it 100,000 times."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from balance.scenario.load import Scenario
from balance.stats.tests import WaldTest
from balance.studies.run import simulate
from balance.studies.tables import Run

pytestmark = pytest.mark.jitted

SURPRISING = 4  # standard errors
THEIR_GAMES = 100_000
OUR_GAMES = 20_000


def assert_agree(ours: pd.Series, name: str, theirs: float, their_se: float, rounding: float) -> None:
    """Compare two independent estimates."""
    difference = abs(float(ours[name]) - theirs) - rounding / 2
    assert difference / math.hypot(float(ours[f"{name}_se"]), their_se) < SURPRISING, (name, ours[name], theirs)


# Random, 4 players


@pytest.fixture(scope="module")
def random(printed: Scenario) -> Run:
    return simulate(printed, OUR_GAMES, players=4, policy="random", seed=2024)


@pytest.mark.parametrize(("seat", "score"), [(1, 47.33), (2, 49.48), (3, 50.52), (4, 43.38)])
def test_mean_scores_of_random_players(random: Run, seat: int, score: float) -> None:
    assert_agree(random.seats().loc[("random", seat)], "score", score, 0.035, 0.01)


@pytest.mark.parametrize(("seat", "share"), [(1, 0.231), (2, 0.296), (3, 0.334), (4, 0.139)])
def test_win_shares_of_random_players(random: Run, seat: int, share: float) -> None:
    assert_agree(random.seats().loc[("random", seat)], "win_share", share, 0.0015, 0.001)


def test_length_of_random_games(random: Run) -> None:
    length = random.scores().loc["length"]
    their_se = length["value_se"] * math.sqrt(OUR_GAMES / THEIR_GAMES)
    assert_agree(length, "value", 30.82, their_se, 0.01)


@pytest.mark.parametrize(("tile", "vp"), [("roads", 2.78), ("fire", 4.91), ("parks", 3.96), ("entertainment", 3.84)])
def test_vp_per_tile_of_random_players(random: Run, tile: str, vp: float) -> None:
    row = random.tiles().loc[tile]
    their_se = row["vp_per_tile_se"] * math.sqrt(OUR_GAMES / THEIR_GAMES)
    assert_agree(row, "vp_per_tile", vp, their_se, 0.01)


def test_the_seats_of_random_players_are_told_apart(random: Run) -> None:
    test = random.seats_test()
    assert isinstance(test, WaldTest)
    assert test.df == (3, 237)
    assert test.p < 1e-6


def test_the_services_of_random_players_are_told_apart(random: Run) -> None:
    assert random.services_test().p < 1e-6
    table = random.services()
    assert table.loc["roads", "difference_high"] < 0 < table.loc["fire", "difference_low"]


# Greedy, 2 players


@pytest.fixture(scope="module")
def greedy(printed: Scenario) -> Run:
    return simulate(printed, 5_000, players=2, policy="greedy", seed=2024)


@pytest.mark.parametrize(("seat", "score"), [(1, 145.8), (2, 149.2)])
def test_mean_scores_of_greedy_players(greedy: Run, seat: int, score: float) -> None:
    assert_agree(greedy.seats().loc[("greedy", seat)], "score", score, 0.09, 0.1)


@pytest.mark.parametrize(("seat", "share"), [(1, 0.441), (2, 0.559)])
def test_win_shares_of_greedy_players(greedy: Run, seat: int, share: float) -> None:
    assert_agree(greedy.seats().loc[("greedy", seat)], "win_share", share, 0.0035, 0.001)


@pytest.mark.parametrize(("tile", "vp"), [("roads", 4.78), ("fire", 7.09), ("parks", 6.02), ("entertainment", 5.85)])
def test_vp_per_tile_of_greedy_players(greedy: Run, tile: str, vp: float) -> None:
    row = greedy.tiles().loc[tile]
    assert_agree(row, "vp_per_tile", vp, row["vp_per_tile_se"], 0.01)
