"""Games spread over workers, in chunks short enough that Ctrl-C answers.

How the work is cut up, and where it runs, never shows in the tallies.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from balance.errors import BalanceError, InputError
from balance.runs.engine import Engine, engine_of
from balance.runs.folder import open_folder, save_tallies
from balance.runs.interrupts import deferred_interrupts
from balance.runs.plan import Plan, check_games
from balance.runs.tallies import Tallies, add_tallies, games_counted

CHUNK_SECONDS = 0.4
SAVE_SECONDS = 5.0
SMALLEST_CHUNK = 8  # games: tallies of fewer cost more than they are worth
PILOT_SECONDS = 0.03
PILOT_GROWTH = 4

Backend = Literal["threads", "processes"]
BACKENDS: dict[str, str] = {"threads": "threading", "processes": "loky"}

Progress = Callable[[int, int], None]
"""Called with the games done and the games asked for."""


class Interrupted(BalanceError):  # noqa: N818 (it is no error)
    """The user stopped a run (exit code 130).

    Attributes
    ----------
    tallies : dict of arrays
        What was finished.
    done : int
        Games finished.
    result : object
        What a study made of them, where one was asked for.
    """

    exit_code = 130

    def __init__(self, tallies: Tallies, done: int, games: int, folder: Path | None) -> None:
        kept = f"They are kept in {folder}." if folder else "They are shown, but not kept on disk."
        remedy = "The same command goes on from there." if folder else "Add --out FOLDER to make a run that can go on."
        super().__init__(f"Stopped after {done:,} of {games:,} games. {kept}", remedy)
        self.tallies = tallies
        self.done = done
        self.result: object = None


@dataclass
class Work:
    """A run in progress: what is counted, how far it is and where it is kept."""

    engine: Engine
    games: int
    folder: Path | None
    progress: Progress
    done: int = 0
    tallies: Tallies = field(default_factory=dict)
    saved_at: float = field(default_factory=time.monotonic)

    def take(self, part: Tallies, done: int) -> None:
        """Add a finished chunk; now and then, write what there is."""
        with deferred_interrupts():
            add_tallies(self.tallies, part)
            self.done = done
        self.progress(self.done, self.games)
        if time.monotonic() - self.saved_at > SAVE_SECONDS:
            self.save()

    def play_next(self, games: int) -> int:
        """Play the next games here, as many as are left; return how many."""
        first, last = self.done, min(self.done + games, self.games)
        self.take(self.engine.play(first, last), last)
        return last - first

    def save(self) -> None:
        """Write the tallies, where a folder keeps them."""
        if self.folder is not None:
            with deferred_interrupts():
                save_tallies(self.folder, self.tallies, self.done)
        self.saved_at = time.monotonic()


def play_plan(  # noqa: PLR0913 (all but two are keywords)
    plan: Plan,
    games: int,
    *,
    jobs: int | None = None,
    backend: Backend = "threads",
    folder: Path | None = None,
    progress: Progress | None = None,
    so_far: Tallies | None = None,
) -> Tallies:
    """Play the games 0 .. games - 1 of a plan.

    Parameters
    ----------
    plan : Plan
    games : int
    jobs : int, optional
        Workers; all cores by default.
    backend : {"threads", "processes"}
    folder : Path, optional
        A run folder to keep the tallies in; an unfinished run in it goes on where it was.
    progress : callable, optional
        Called with the games done and asked for.
    so_far : dict of arrays, optional
        Tallies of the first games of the plan, to go on from; they are added to.

    Returns
    -------
    dict of (blocks, ...) int64 arrays
        The same, bit for bit, whatever `jobs`, `backend` and interruptions.

    Raises
    ------
    InputError, RunFolderError
        If something cannot be used; nothing is written then.
    Interrupted
        On Ctrl-C; what is finished is kept.
    """
    check_games(games)
    jobs = worker_count(jobs)
    engine = engine_of(plan)
    with deferred_interrupts():
        saved = open_folder(folder, plan, games) if folder is not None else None
    work = Work(engine, games, folder, progress or (lambda _done, _games: None), tallies=engine.empty_tallies())
    if saved is not None:
        work.tallies, work.done = saved.tallies, saved.done
    elif so_far is not None:
        work.tallies, work.done = so_far, games_counted(so_far)
    try:
        _play_rest(work, jobs, backend)
    except KeyboardInterrupt:
        work.save()
        raise Interrupted(work.tallies, work.done, games, folder) from None
    work.save()
    return work.tallies


def worker_count(jobs: int | None) -> int:
    """Return how many workers to use.

    Raises
    ------
    InputError
        If fewer than one is asked for.
    """
    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs}: at least 1 worker is needed", "Leave --jobs out to use all cores.")
    if jobs is not None:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def seconds_needed(plan: Plan, games: int, jobs: int | None = None) -> float:
    """Estimate how long a run takes, from a few games played now."""
    pilot = Work(engine_of(plan), games, None, lambda _done, _games: None, tallies=engine_of(plan).empty_tallies())
    return games * _play_pilot(pilot) / worker_count(jobs)


def _play_pilot(work: Work) -> float:
    """Play ever more games here until they can be timed; return the seconds that a game takes."""
    work.play_next(1)  # compiles, where that has not been done
    games, seconds, size = 1, 0.0, PILOT_GROWTH
    while work.done < work.games and seconds < PILOT_SECONDS:
        start = time.perf_counter()
        games = work.play_next(size)
        seconds = time.perf_counter() - start
        size *= PILOT_GROWTH
    return seconds / games


def _play_rest(work: Work, jobs: int, backend: Backend) -> None:
    """Play a few games here; then spread the rest over workers, in chunks that come back in order."""
    most = max(SMALLEST_CHUNK, int(CHUNK_SECONDS / max(_play_pilot(work), 1e-9)))
    rest = work.games - work.done
    if rest == 0:
        return
    each = math.ceil(rest / (most * jobs))  # chunks for each worker, as large for all: they end together
    chunk = max(SMALLEST_CHUNK, math.ceil(rest / (each * jobs)))
    starts = range(work.done, work.games, chunk)
    from joblib import Parallel, delayed  # takes a quarter of a second, which short runs need not wait for

    tasks = (delayed(work.engine.play)(start, min(start + chunk, work.games)) for start in starts)
    parallel = Parallel(n_jobs=jobs, backend=BACKENDS[backend], return_as="generator", pre_dispatch="2 * n_jobs")
    parts = parallel(tasks)
    try:
        for start, part in zip(starts, parts, strict=True):
            work.take(part, min(start + chunk, work.games))
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that chunks are dropped after Ctrl-C is as it should be
            parts.close()
