"""How uneven the tiles of a pool are: what chance alone makes of it is taken out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from balance.games.outcome import BLOCKS, ByGame
from balance.stats.estimates import Blocks, Floats, Sums, ratio
from balance.stats.evenness import evenness_measures, spread_of
from balance.studies.tables import Run

SCALE = 2**20


def blocks_of(values: np.ndarray, placed: np.ndarray | None = None) -> Blocks:
    """Return tallies of what tiles brought, (blocks, tiles), and how often they came."""
    games = np.zeros((len(values), len(ByGame)), dtype=np.int64)
    games[:, ByGame.GAMES] = 1
    placed = np.ones(values.shape, dtype=np.int64) if placed is None else placed
    return Blocks({"games": games, "x": (values * placed * SCALE).round().astype(np.int64), "placed": placed * SCALE})


def per_tile(sums: Sums) -> Floats:
    """Return the mean that each tile brings."""
    return ratio(sums("x"), sums("placed"))


def spread(blocks: Blocks) -> float:
    return float(blocks.estimate(spread_of(blocks, per_tile)[0]).value[0])


def relative(blocks: Blocks) -> float:
    return float(blocks.estimate(spread_of(blocks, per_tile)[1]).value[0])


def noisy(worth: list[float], sd: float, luck: np.random.Generator) -> Blocks:
    """Return tiles that are worth so much, but for chance."""
    return blocks_of(np.array(worth) + luck.normal(0, sd, (BLOCKS, len(worth))))


def test_tiles_that_bring_the_same_have_no_spread() -> None:
    blocks = blocks_of(np.full((BLOCKS, 6), 3.0))
    assert spread(blocks) == 0
    assert relative(blocks) == 0
    assert blocks.estimate(spread_of(blocks, per_tile)[0]).se[0] == 0


def test_tiles_that_differ_by_chance_alone_have_a_spread_of_about_none() -> None:
    luck = np.random.default_rng(1)
    found = np.array([spread(noisy([3.0] * 12, 10.0, luck)) for _ in range(200)])
    error = 10 / math.sqrt(BLOCKS)  # of one tile's mean: what the plain standard deviation over the tiles would come to
    assert 0.35 < (found == 0).mean() < 0.7
    assert math.sqrt(np.square(found).mean()) < 0.5 * error


def test_the_square_of_the_spread_is_right_on_average_where_there_is_chance() -> None:
    luck = np.random.default_rng(2)
    worth = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    found = np.array([spread(noisy(worth, 15.0, luck)) ** 2 for _ in range(400)])
    plain = np.var(worth, ddof=1)
    assert found.mean() == pytest.approx(plain, abs=4 * found.std() / 20)
    assert found.std() / 20 < 0.1 * plain  # so that leaving chance in would show: it adds 15**2 / 240, a quarter
    assert 15**2 / BLOCKS > 0.2 * plain


def test_a_small_error_leaves_the_plain_standard_deviation_over_the_tiles() -> None:
    worth = [1.0, 2.5, 3.0, 4.0, 9.5]
    blocks = noisy(worth, 0.01, np.random.default_rng(3))
    assert spread(blocks) == pytest.approx(np.std(worth, ddof=1), abs=0.01)
    assert relative(blocks) == pytest.approx(np.std(worth, ddof=1) / 4.0, abs=0.01)


def test_the_spread_by_hand() -> None:
    # means 2 and 4 of two blocks each; their errors 1 and 2 go together, V = [[1, 2], [2, 4]]: of the variance over the
    # tiles, which is 2, (5 - 9 / 2) / 1 is chance
    assert spread(blocks_of(np.array([[1.0, 2.0], [3.0, 6.0]]))) == pytest.approx(math.sqrt(1.5), abs=1e-5)
    # means 2 and 4 whose errors go apart, V = [[1, -2], [-2, 4]]: (5 - 1 / 2) / 1 is chance, more than there is
    assert spread(blocks_of(np.array([[1.0, 6.0], [3.0, 2.0]]))) == 0
    # means 2 and 8, errors as at first: sqrt(18 - 0.5), over their mean of 5
    blocks = blocks_of(np.array([[1.0, 6.0], [3.0, 10.0]]))
    assert spread(blocks) == pytest.approx(math.sqrt(17.5), abs=1e-5)
    assert relative(blocks) == pytest.approx(math.sqrt(17.5) / 5, abs=1e-5)


def test_tiles_without_data_are_left_aside() -> None:
    values = np.array([1.0, 4.0, 6.0]) + np.random.default_rng(4).normal(0, 1, (BLOCKS, 3))
    never = np.insert(values, 1, 99.0, axis=1)
    placed = np.ones(never.shape, dtype=np.int64)
    placed[:, 1] = 0
    with_unknown, without = blocks_of(never, placed), blocks_of(values)
    assert spread(with_unknown) == pytest.approx(spread(without), rel=1e-12)
    assert relative(with_unknown) == pytest.approx(relative(without), rel=1e-12)
    errors = [blocks.estimate(spread_of(blocks, per_tile)[0]).se[0] for blocks in (with_unknown, without)]
    assert errors[0] == pytest.approx(errors[1], rel=1e-9)


@pytest.mark.parametrize("known", [0, 1])
def test_fewer_than_two_known_tiles_have_no_spread_to_speak_of(known: int) -> None:
    placed = np.zeros((BLOCKS, 3), dtype=np.int64)
    placed[:, :known] = 1
    blocks = blocks_of(np.ones((BLOCKS, 3)), placed)
    assert math.isnan(spread(blocks))
    assert math.isnan(relative(blocks))


def test_a_single_game_has_a_spread_but_no_error() -> None:
    blocks = blocks_of(np.array([[1.0, 3.0]]))
    assert spread(blocks) == pytest.approx(math.sqrt(2))
    assert math.isnan(blocks.estimate(spread_of(blocks, per_tile)[0]).se[0])


def test_each_pool_has_a_spread_of_each_measure(random_run: Run) -> None:
    pools = {"services": ["fire", "parks", "roads"], "empty": []}
    found = evenness_measures(random_run.blocks, pools, random_run.tile_values)
    assert [(name, of.key, of.unit) for name, of in found.items()] == [
        ("spread of own VP over the Services (SD)", "tiles.services.own_vp.sd", "VP"),
        ("unevenness of the Services (SD over mean of own VP)", "tiles.services.own_vp.cv", "relative"),
    ]
    values = random_run.tiles()["vp_per_tile"][pools["services"]]
    errors = random_run.blocks.estimate(random_run.tile_values(pools["services"])["own_vp"]).covariance
    chance = (np.trace(errors) - errors.sum() / 3) / 2
    sd, cv = (random_run.blocks.estimate(of.statistic).value[0] for of in found.values())
    assert sd == pytest.approx(math.sqrt(values.var(ddof=1) - chance))
    assert cv == pytest.approx(sd / values.mean())
