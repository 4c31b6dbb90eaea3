"""Versions of the code that results depend on, as digests: what was made by another one is never mixed in."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from balance.jit import sources_digest

_PACKAGE = Path(__file__).parent.parent
_RULES = ("scenario/*.py", "runs/game_engine.py", "runs/city_services.py", "runs/quadropolis.py")
_MEASURES = ("stats/*.py", "studies/tables.py", "studies/city_services.py", "studies/quadropolis.py")


@functools.cache  # of the sources that are running, whatever is written over them meanwhile
def rules_digest() -> str:
    """Return a digest of all that the games of a plan depend on: kernels, and what makes arrays of a scenario."""
    return _digest(sources_digest(), _RULES)


@functools.cache
def measures_digest() -> str:
    """Return a digest of all that the measures of a run depend on: its rules, and the statistics."""
    return _digest(rules_digest(), _MEASURES)


def _digest(start: str, patterns: tuple[str, ...]) -> str:
    digest = hashlib.sha256(start.encode())
    for pattern in patterns:
        for source in sorted(_PACKAGE.glob(pattern)):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
