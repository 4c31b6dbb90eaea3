"""Measures of plans, kept: each plan is played once for each number of games, and what it came to can lie on disk."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from balance.runs.plan import Plan
from balance.runs.sealed import read_bytes, write_bytes
from balance.runs.spread import play_plan
from balance.runs.versions import measures_digest
from balance.stats.estimates import Estimate
from balance.studies.run import run_of

_Kept = dict[str, Estimate]


@dataclass
class MeasuredPlans:
    """Estimates of some measures of plans.

    Attributes
    ----------
    folder : Path or None
        Where they are kept; a damaged or missing file is made again.
    jobs : int or None
        Workers.
    kept : tuple of str
        The keys of the measures.
    """

    folder: Path | None
    jobs: int | None
    kept: tuple[str, ...]
    _known: dict[tuple[str, int], _Kept] = field(default_factory=dict)

    def estimate(self, plan: Plan, games: int, key: str) -> Estimate:
        """Return one of the measures kept, of the first games of a plan."""
        return self._of(plan, games)[key]

    def _of(self, plan: Plan, games: int) -> _Kept:
        if (plan.digest, games) not in self._known:
            path = self._path(plan, games)
            self._known[plan.digest, games] = (_load(path) if path is not None else {}) or self._play(plan, games, path)
        return self._known[plan.digest, games]

    def _path(self, plan: Plan, games: int) -> Path | None:
        if self.folder is None:
            return None
        told = json.dumps([plan.as_data(), self.kept, measures_digest()], sort_keys=True)
        return self.folder / f"{hashlib.sha256(told.encode()).hexdigest()[:16]}-{games}.npz"

    def _play(self, plan: Plan, games: int, path: Path | None) -> _Kept:
        run = run_of(plan, play_plan(plan, games, jobs=self.jobs))
        found = {key: run.measure(key) for key in self.kept}
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            _save(path, found)
        return found


def _load(path: Path) -> _Kept:
    try:
        with np.load(io.BytesIO(read_bytes(path)), allow_pickle=False) as file:
            keys = [str(key) for key in file["keys"]]
            values, replicates = file["values"], file["replicates"]
    except Exception:  # a damaged archive makes zipfile, zlib and numpy raise almost anything
        return {}
    return {key: Estimate(values[[place]], replicates[:, [place]]) for place, key in enumerate(keys)}


def _save(path: Path, found: _Kept) -> None:
    content = io.BytesIO()
    np.savez_compressed(
        content,
        keys=np.array(list(found)),
        values=np.array([estimate.value[0] for estimate in found.values()]),
        replicates=np.hstack([estimate.replicates for estimate in found.values()]),
    )
    write_bytes(path, content.getvalue())
