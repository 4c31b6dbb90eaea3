"""Sets of squares as bit masks: square s is bit s % 64 of word s // 64."""

from __future__ import annotations

import numpy as np

from balance.jit import JIT_IS_DISABLED, small

WORD_BITS = 64
_ONE = np.uint64(1)
_LOW_SIX = 63
_PAIRS = np.uint64(0x5555555555555555)
_NIBBLE_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)
_BYTE_TOPS = np.uint64(0x8080808080808080)
_BYTE = np.uint64(0xFF)
_S1, _S2, _S4, _S8, _S56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8), np.uint64(56)
_NTH_OF_BYTE = np.array(
    [([index for index in range(8) if byte >> index & 1] + [0] * 8)[:8] for byte in range(256)], dtype=np.int8
)


@small
def popcount(word: np.uint64) -> int:
    """Count the squares in one word (compiles to the popcount instruction)."""
    word = word - ((word >> _S1) & _PAIRS)
    word = (word & _NIBBLE_PAIRS) + ((word >> _S2) & _NIBBLE_PAIRS)
    word = (word + (word >> _S4)) & _NIBBLES
    return np.int64((word * _BYTES) >> _S56)  # type: ignore[return-value]


@small
def lowest(word: np.uint64) -> int:
    """Return the index of the lowest bit of a word that is not 0."""
    return popcount((word & (~word + _ONE)) - _ONE)


@small
def without_lowest(word: np.uint64) -> np.uint64:
    """Return a word that is not 0 without its lowest bit."""
    return word & (word - _ONE)


@small
def bit(index: int) -> np.uint64:
    """Return the word with one bit."""
    return _ONE << np.uint64(index & _LOW_SIX)


@small
def has(word: np.uint64, index: int) -> bool:
    """Tell whether a word has a bit."""
    return (word >> np.uint64(index & _LOW_SIX)) & _ONE == _ONE


@small
def nth(word: np.uint64, n: int) -> int:
    """Return the index of the n-th bit of a word, counted from the lowest, which is number 0.

    Broadword selection (Vigna 2008, doi:10.1007/978-3-540-68552-4_12): find the byte, then look it up.
    """
    counts = word - ((word >> _S1) & _PAIRS)
    counts = (counts & _NIBBLE_PAIRS) + ((counts >> _S2) & _NIBBLE_PAIRS)
    counts = (counts + (counts >> _S4)) & _NIBBLES
    up_to_byte = counts * _BYTES
    full_bytes = ((np.uint64(n) * _BYTES | _BYTE_TOPS) - up_to_byte) & _BYTE_TOPS
    shift = np.uint64(8 * popcount(full_bytes))
    before = ((up_to_byte << _S8) >> shift) & _BYTE
    return np.int64(shift) + _NTH_OF_BYTE[(word >> shift) & _BYTE, n - np.int64(before)]


if JIT_IS_DISABLED:  # the same in plain Python, which has no overflow to warn of

    def popcount(word: np.uint64) -> int:
        """Count the squares in one word."""
        return int(word).bit_count()

    def nth(word: np.uint64, n: int) -> int:
        """Return the index of the n-th bit of a word."""
        return [index for index in range(WORD_BITS) if int(word) >> index & 1][n]
