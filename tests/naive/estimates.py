"""Statistics as textbooks write them, in plain Python over lists of games: one list for each block."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

Game = TypeVar("Game")


def mean(values: Sequence[float]) -> float:
    """Add up and divide."""
    return sum(values) / len(values)


def standard_error_of_mean(values: Sequence[float]) -> float:
    """Return SD / sqrt(n)."""
    centre = mean(values)
    variance = sum((value - centre) ** 2 for value in values) / (len(values) - 1)
    return math.sqrt(variance / len(values))


def jackknife(blocks: Sequence[Sequence[Game]], statistic: Callable[[Sequence[Game]], float]) -> tuple[float, float]:
    """Return a statistic and its delete-one-block standard error; blocks without games do not count."""
    filled = [block for block in blocks if block]
    left_out = []
    for number in range(len(filled)):
        left_out.append(statistic([game for other, block in enumerate(filled) if other != number for game in block]))
    centre = mean(left_out)
    n = len(filled)
    error = math.sqrt((n - 1) / n * sum((value - centre) ** 2 for value in left_out))
    return statistic([game for block in filled for game in block]), error
