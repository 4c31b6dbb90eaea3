"""All the luck of all games: no stream of random numbers, but a hash of what each number decides.

A number is keyed by the seed, the game and what it decides, so it depends neither on how the work is cut
up nor on what other decisions were taken. The mixing function is the finalizer of SplitMix64 (Steele,
Lea & Flood 2014, doi:10.1145/2714064.2660195). Every operand is `np.uint64`: `uint64 + int64` is an
integer when compiled and a float when not.
"""

from __future__ import annotations

import hashlib

import numpy as np

from balance.games.record import Ints, Words
from balance.jit import JIT_IS_DISABLED, small

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_SHIFT_30, _SHIFT_27, _SHIFT_31 = np.uint64(30), np.uint64(27), np.uint64(31)
_SHIFT_32 = np.uint64(32)
_TURN_SHIFT, _SEAT_SHIFT = np.uint64(8), np.uint64(40)

# Purposes keep numbers apart that would otherwise share a key.
DRAWS = np.uint64(1)
DECISIONS = np.uint64(2)


@small
def combine(key: np.uint64, value: np.uint64) -> np.uint64:
    """Return a key that depends on `key` and `value`, evenly spread over 64 bits."""
    mixed = key ^ ((value + _ONE) * _GOLDEN)
    mixed = (mixed ^ (mixed >> _SHIFT_30)) * _FIRST
    mixed = (mixed ^ (mixed >> _SHIFT_27)) * _SECOND
    return mixed ^ (mixed >> _SHIFT_31)


@small
def game_key(seed: np.uint64, game: int, purpose: np.uint64) -> np.uint64:
    """Return the key of one game's numbers for one purpose."""
    return combine(combine(seed, np.uint64(game)), purpose)


@small
def decision_key(key: np.uint64, seat: int, turn: int, step: int) -> np.uint64:
    """Return the key of one decision: (seed, game, seat, turn, step)."""
    packed = (np.uint64(seat) << _SEAT_SHIFT) + (np.uint64(turn) << _TURN_SHIFT) + np.uint64(step)
    return combine(key, packed)


@small
def candidate_key(key: np.uint64, tile_key: np.uint64, square: int) -> np.uint64:
    """Return the number of one candidate of a decision; the smallest among tied ones is taken."""
    return combine(key, tile_key + np.uint64(square))


@small
def below(key: np.uint64, limit: int) -> int:
    """Return a number from 0 to `limit` - 1, all equally likely (to 1 part in 2**32 / limit)."""
    return np.int64(((key >> _SHIFT_32) * np.uint64(limit)) >> _SHIFT_32)  # type: ignore[return-value]


@small
def insert_in_order(keys: Words, things: Ints, place: int, key: np.uint64, thing: int) -> None:
    """Put a thing among the `place` first ones, which lie in the order of their keys."""
    while place > 0 and keys[place - 1] > key:
        keys[place] = keys[place - 1]
        things[place] = things[place - 1]
        place -= 1
    keys[place] = key
    things[place] = thing


def seed_key(seed: int) -> np.uint64:
    """Return the key of a seed."""
    return text_key(f"seed {seed}")


def text_key(text: str) -> np.uint64:
    """Return a key for a name, the same on every machine and in every order of tiles."""
    return np.uint64(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little"))


if JIT_IS_DISABLED:  # numpy warns where the compiled hash wraps around, as it is meant to
    _silently = np.errstate(over="ignore")
    combine = _silently(combine)
    decision_key = _silently(decision_key)
    candidate_key = _silently(candidate_key)
    below = _silently(below)
