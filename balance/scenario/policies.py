"""Policies by name: `random`, `greedy`, and what they never or always build."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from balance.errors import InputError, nearest

BRAINS = ("random", "greedy")
_RESTRICTION = re.compile(r"([+-])([a-z][a-z0-9_]*)")


@dataclass(frozen=True)
class Policy:
    """How a seat plays.

    Attributes
    ----------
    name : str
        As written: "greedy", "greedy-fire", "random+parks".
    brain : str
        One of BRAINS.
    withheld, preferred : tuple of str
        Tiles that it never uses, and tiles that it builds whenever it can.
    """

    name: str
    brain: str
    withheld: tuple[str, ...]
    preferred: tuple[str, ...]


def parse_policy(name: str, tiles: Sequence[str]) -> Policy:
    """Read a policy's name.

    Parameters
    ----------
    name : str
        A brain, then any number of "-tile" (never builds it) and "+tile" (builds it whenever it can).
    tiles : sequence of str
        The tiles of the scenario.

    Raises
    ------
    InputError
        If the brain or a tile is unknown, or a tile is both withheld and preferred.
    """
    brain, restrictions = re.match(r"([^+-]*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    if brain not in BRAINS:
        raise InputError(f'--policy {name}: unknown policy "{brain}"', nearest(brain, BRAINS))
    found = _RESTRICTION.findall(restrictions)
    if "".join(sign + tile for sign, tile in found) != restrictions:
        raise InputError(
            f'--policy {name}: "{restrictions}" is not a list of -tile and +tile',
            "Write for example greedy-fire (never builds Fire) or greedy+fire (builds it whenever it can).",
        )
    for _, tile in found:
        if tile not in tiles:
            raise InputError(f'--policy {name}: unknown tile "{tile}"', nearest(tile, tiles))
    withheld = tuple(tile for sign, tile in found if sign == "-")
    preferred = tuple(tile for sign, tile in found if sign == "+")
    for tile in set(withheld) & set(preferred):
        raise InputError(f"--policy {name}: {tile} is both withheld and preferred", "Keep one of the two.")
    return Policy(name, brain, withheld, preferred)


def seat_policies(names: str, players: int, tiles: Sequence[str]) -> list[Policy]:
    """Read one policy for all seats, or one for each, separated by commas.

    Raises
    ------
    InputError
        If a policy is unknown or their number is neither 1 nor `players`.
    """
    policies = [parse_policy(name.strip(), tiles) for name in names.split(",")]
    if len(policies) == 1:
        return policies * players
    if len(policies) != players:
        raise InputError(
            f"--policy {names}: {len(policies)} policies for {players} players",
            f"Give one policy for all, or {players} separated by commas.",
        )
    return policies
