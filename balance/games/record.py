"""Records: the rules and the state of a game as one block of memory with named arrays in it.

A kernel gets a record as one pointer, and all shapes are constants for the compiler; passing as many
separate arrays made compiling three times slower (measured) and calls dear. The same code reads a record with the
JIT off.
"""

from __future__ import annotations

import functools
from typing import Any, TypeVar, cast, get_type_hints

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

_ELEMENTS = {Ints: np.int64, Words: np.uint64, int: np.int64, bool: np.bool_, np.uint64: np.uint64}

WORDS = -1
"""A length in `shape`: as many words as a set of squares of this board needs, given to `new_record`."""

R = TypeVar("R", bound="Record")


def shape(*lengths: int) -> Any:
    """Declare the shape of an array in a record; a number has none."""
    return lengths


class Record:
    """A block of memory; its fields are the annotations of the class, with their shapes."""


def new_record(kind: type[R], *, words: int = 0, **values: Any) -> R:
    """Return a record with the given fields set and all others 0.

    Arrays may be smaller than their field; the rest of the field stays 0. `words` is the length WORDS: a
    constant for the compiler, so that loops over a board are unrolled.
    """
    layout = _layout(kind, words)  # type: ignore[arg-type]  # a class can be hashed
    record = np.zeros(1, dtype=layout).view(np.recarray)[0]
    for name, value in values.items():
        if np.ndim(value):
            record[name][tuple(slice(length) for length in np.shape(value))] = value
        else:
            record[name] = value
    return cast("R", record)


@functools.cache  # working it out takes longer than many games
def _layout(kind: type[Record], words: int) -> np.dtype[Any]:
    fields = []
    for name, element in get_type_hints(kind).items():
        if hasattr(np.record, name):  # with the JIT off it would hide the field
            raise AttributeError(f"{kind.__name__}.{name}: numpy's records have an attribute of this name")
        lengths = tuple(words if length == WORDS else length for length in getattr(kind, name, ()))
        fields.append((name, _ELEMENTS[element], lengths))
    return np.dtype(fields, align=True)
