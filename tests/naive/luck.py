"""The keyed luck of all games in plain Python numbers, cut down to 64 bits by hand."""

from __future__ import annotations

import hashlib

MASK = 2**64 - 1
DRAWS = 1
DECISIONS = 2


def combine(key: int, value: int) -> int:
    """Return output number `value` of a SplitMix64 generator that is at `key`."""
    mixed = key ^ ((value + 1) * 0x9E3779B97F4A7C15 & MASK)
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & MASK
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & MASK
    return mixed ^ mixed >> 31


def text_key(text: str) -> int:
    """Return the key of a name."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def seed_key(seed: int) -> int:
    """Return the key of a seed."""
    return text_key(f"seed {seed}")


def game_key(seed: int, game: int, purpose: int) -> int:
    """Return the key of the draws, or of the decisions, of one game."""
    return combine(combine(seed_key(seed), game), purpose)


def decision_key(key: int, seat: int, turn: int, step: int) -> int:
    """Return the key of one decision."""
    return combine(key, seat * 2**40 + turn * 2**8 + step)


def candidate_key(key: int, tile: str, square: int) -> int:
    """Return the number of one candidate of a decision."""
    return combine(key, (text_key(tile) + square) & MASK)


def below(key: int, limit: int) -> int:
    """Return a number from 0 to `limit` - 1, by the upper half of the key."""
    return (key >> 32) * limit >> 32
