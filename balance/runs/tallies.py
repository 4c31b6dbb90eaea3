"""Tallies as named arrays of sums, by statistical block: they add up in any order, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balance.games.outcome import ByGame

Tallies = dict[str, NDArray[np.int64]]


MOSTLY_ZERO = 1 / 8  # of a tally's sums differ from zero: then these few are sent, with their places


class Few(NamedTuple):
    """The sums of a tally that are not zero."""

    places: NDArray[np.int64]  # in the flat array
    sums: NDArray[np.int64]


Part = dict[str, "NDArray[np.int64] | Few"]
"""The tallies of some games as they travel: what is all zero, or nearly so, is small."""


def part_of(tallies: Mapping[str, NDArray[np.int64]]) -> Part:
    """Return tallies as they travel."""
    return {name: _few_of(sums) for name, sums in tallies.items()}


def _few_of(sums: NDArray[np.int64]) -> NDArray[np.int64] | Few:
    if np.count_nonzero(sums) > MOSTLY_ZERO * sums.size:
        return sums
    places = np.flatnonzero(sums)
    return Few(places, sums.reshape(-1)[places])


def add_part(total: Tallies, part: Part) -> None:
    """Add a part to tallies, in place."""
    for name, sums in part.items():
        if isinstance(sums, Few):
            total[name].reshape(-1)[sums.places] += sums.sums
        else:
            total[name] += sums


def add_tallies(total: Tallies, other: Mapping[str, NDArray[np.int64]]) -> None:
    """Add one tally to another, in place."""
    for name, sums in other.items():
        total[name] += sums


def same_tallies(first: Tallies, second: Tallies) -> bool:
    """Tell whether two tallies are the same to the last bit."""
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)


def games_counted(tallies: Tallies) -> int:
    """Return how many games a tally holds; -1 where it is none."""
    games = tallies.get("games")
    return -1 if games is None or games.ndim != 2 else int(games[:, ByGame.GAMES].sum())
