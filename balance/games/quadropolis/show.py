"""A recorded game of Quadropolis."""

from __future__ import annotations

from dataclasses import dataclass

from balance.games.quadropolis.play import Script


@dataclass(frozen=True)
class Recording:
    """One game as the kernel played it.

    Attributes
    ----------
    script : Script
    policies : list of str
        By seat.
    scores, wins : list of int
        VP and twelfths of the win, by seat.
    """

    script: Script
    policies: list[str]
    scores: list[int]
    wins: list[int]
