"""A guess at points that were not played: what each single change does to the parts of an objective, added up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from balance.scenario.vary import with_value
from balance.stats.estimates import Floats

Choice = tuple[int, ...]
"""A point of the grid: the place of its value on each axis."""

_STARTS = 24
_MOST_PAIRED = 250


@dataclass(frozen=True)
class Surrogate:
    """Parts of an objective that are thought to add up over the changes from a centre.

    Attributes
    ----------
    centre : tuple of int
    parts : (parts,) float64
        Those of the centre, as played.
    effects : sequence of (values, parts) float64
        For each axis what each of its values adds, as played; 0 for the centre's own.
    value_of : callable
        From (n, parts) to the (n,) values of the objective.
    """

    centre: Choice
    parts: Floats
    effects: Sequence[Floats]
    value_of: Callable[[Floats], Floats]

    def value(self, choice: Choice) -> float:
        """Return the objective that is expected of a point."""
        return float(self._values(self._parts_of(choice)[np.newaxis])[0])

    def best(self, count: int, seed: int) -> list[Choice]:
        """Return points that are expected to be best: where one or two changes more would not help.

        Each is reached by steepest descent, from the centre and from points at random; a centre that is best already
        is among them.
        """
        generator = np.random.default_rng(seed)
        lengths = [len(effect) for effect in self.effects]
        starts = [self.centre, *(tuple(generator.integers(lengths).tolist()) for _ in range(_STARTS))]
        ends = dict.fromkeys(self._descend(start) for start in starts)
        return sorted(ends, key=self.value)[:count]

    def _descend(self, choice: Choice) -> Choice:
        value = self.value(choice)
        while True:
            better, lowest = self._best_change(choice)
            if not lowest < value - 1e-12:
                return choice
            choice, value = better, lowest

    def _best_change(self, choice: Choice) -> tuple[Choice, float]:
        """Return the best point that differs in one value or, where there are not too many, in two."""
        parts = self._parts_of(choice)
        changes = [(axis, value) for axis, effect in enumerate(self.effects) for value in range(len(effect))]
        steps = np.concatenate([effect - effect[choice[axis]] for axis, effect in enumerate(self.effects)])
        seconds = np.vstack([np.zeros_like(parts), steps if len(steps) <= _MOST_PAIRED else steps[:0]])  # none, or one
        values = self._values((parts + steps[:, np.newaxis] + seconds).reshape(-1, len(parts)))
        values = values.reshape(len(steps), len(seconds))
        axis_of = np.array([axis for axis, _ in changes])
        values[:, 1:][(axis_of[:, np.newaxis] == axis_of)[:, : len(seconds) - 1]] = np.inf
        first, second = (int(place) for place in np.unravel_index(values.argmin(), values.shape))
        better = with_value(choice, *changes[first])
        return with_value(better, *changes[second - 1]) if second > 0 else better, float(values[first, second])

    def _parts_of(self, choice: Choice) -> Floats:
        added: Floats = self.parts + sum(effect[place] for effect, place in zip(self.effects, choice, strict=True))
        return added

    def _values(self, parts: Floats) -> Floats:
        values = self.value_of(parts)
        return np.where(np.isfinite(values), values, np.inf)
