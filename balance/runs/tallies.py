"""Tallies as named arrays of sums, by statistical block: they add up in any order, exactly."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from balance.games.outcome import ByGame

Tallies = dict[str, NDArray[np.int64]]


def add_tallies(total: Tallies, part: Mapping[str, NDArray[np.int64]]) -> None:
    """Add one tally to another, in place."""
    for name, sums in part.items():
        total[name] += sums


def same_tallies(first: Tallies, second: Tallies) -> bool:
    """Tell whether two tallies are the same to the last bit."""
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)


def games_counted(tallies: Tallies) -> int:
    """Return how many games a tally holds; -1 where it is none."""
    games = tallies.get("games")
    return -1 if games is None or games.ndim != 2 else int(games[:, ByGame.GAMES].sum())
