"""The guess at points that were not played finds the best one where changes do add up."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from balance.stats.estimates import Floats
from balance.studies.surrogate import Surrogate


def relative_spread(parts: Floats) -> Floats:
    return parts.std(axis=-1, ddof=1) / parts.mean(axis=-1)


def random_surrogate(seed: int, lengths: tuple[int, ...]) -> Surrogate:
    """Every part has a value of its own, and depends on each axis a little, on its own axis most."""
    generator = np.random.default_rng(seed)
    parts = generator.uniform(3, 6, len(lengths))
    effects = []
    for axis, length in enumerate(lengths):
        effect = generator.normal(0, 0.1, (length, len(lengths)))
        effect[:, axis] += generator.normal(0, 1.5, length)
        effect[0] = 0
        effects.append(effect)
    return Surrogate((0,) * len(lengths), parts, effects, relative_spread)


@pytest.mark.parametrize("seed", range(8))
def test_the_best_guess_is_the_optimum_of_the_sums(seed: int) -> None:
    lengths = (3, 4, 2, 3, 3)
    surrogate = random_surrogate(seed, lengths)
    lowest = min(surrogate.value(choice) for choice in itertools.product(*map(range, lengths)))
    guesses = surrogate.best(8, seed=1)
    assert surrogate.value(guesses[0]) == pytest.approx(lowest)
    assert len(set(guesses)) == len(guesses) <= 8


def test_two_changes_that_help_only_together_are_found() -> None:
    effects = [np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([[0.0, 0.0], [0.0, 2.0]])]
    surrogate = Surrogate(
        (0, 0), np.array([1.0, 1.0]), effects, lambda parts: np.abs(parts[:, 0] - parts[:, 1]) - parts.min(axis=1)
    )
    assert surrogate.best(1, seed=1) == [(1, 1)]


def test_a_single_axis_and_very_many_values_are_searched_too() -> None:
    effects = [np.linspace(0, 5, 300)[:, np.newaxis]]
    surrogate = Surrogate((0,), np.array([1.0]), effects, lambda parts: np.abs(parts[:, 0] - 3))
    (best,) = surrogate.best(1, seed=1)
    assert surrogate.value(best) < 0.01


def test_what_has_no_value_is_never_best() -> None:
    effects = [np.array([[0.0], [np.nan], [-0.5]])]
    surrogate = Surrogate((0,), np.array([1.0]), effects, lambda parts: parts[:, 0])
    assert surrogate.best(1, seed=1) == [(2,)]
