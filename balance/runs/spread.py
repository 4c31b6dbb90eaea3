"""Games spread over workers, in chunks short enough that Ctrl-C answers.

How the work is cut up, and where it runs, never shows in the tallies.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from joblib import Parallel, delayed, effective_n_jobs

from balance.errors import BalanceError, InputError
from balance.games.outcome import BLOCKS
from balance.runs.city_services import CityServicesEngine
from balance.runs.folder import open_folder, save_tallies
from balance.runs.plan import Plan, check_games
from balance.runs.tallies import Tallies, add_tallies

CHUNK_SECONDS = 0.35
SAVE_SECONDS = 2.0
PILOT_GAMES = BLOCKS

Backend = Literal["threads", "processes"]
BACKENDS: dict[str, str] = {"threads": "threading", "processes": "loky"}

Progress = Callable[[int, int], None]
"""Called with the games done and the games asked for."""


def engine_of(plan: Plan) -> CityServicesEngine:
    """Return what plays the games of a plan."""
    return CityServicesEngine(plan)


class Interrupted(BalanceError):
    """The user stopped a run (exit code 130).

    Attributes
    ----------
    tallies : dict of arrays
        What was finished.
    done : int
        Games finished.
    """

    exit_code = 130

    def __init__(self, tallies: Tallies, done: int, games: int, folder: Path | None) -> None:
        kept = f"They are kept in {folder}." if folder else "They are shown, but not kept on disk."
        remedy = "The same command goes on from there." if folder else "Add --out FOLDER to make a run that can go on."
        super().__init__(f"Stopped after {done:,} of {games:,} games. {kept}", remedy)
        self.tallies = tallies
        self.done = done


@dataclass
class Work:
    """A run in progress: what is counted, how far it is and where it is kept."""

    engine: CityServicesEngine
    games: int
    folder: Path | None
    progress: Progress
    done: int = 0
    tallies: Tallies = field(default_factory=dict)
    saved_at: float = field(default_factory=time.monotonic)

    def take(self, part: Tallies, done: int) -> None:
        """Add a finished chunk; now and then, write what there is."""
        add_tallies(self.tallies, part)
        self.done = done
        self.progress(self.done, self.games)
        if time.monotonic() - self.saved_at > SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Write the tallies, where a folder keeps them."""
        if self.folder is not None:
            save_tallies(self.folder, self.tallies, self.done)
        self.saved_at = time.monotonic()


def play_plan(
    plan: Plan,
    games: int,
    *,
    jobs: int | None = None,
    backend: Backend = "threads",
    folder: Path | None = None,
    progress: Progress | None = None,
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
    saved = open_folder(folder, plan, games) if folder is not None else None
    work = Work(engine, games, folder, progress or (lambda _done, _games: None), tallies=engine.empty_tallies())
    if saved is not None:
        work.tallies, work.done = saved.tallies, saved.done
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
    return int(effective_n_jobs(-1 if jobs is None else jobs))


def seconds_needed(plan: Plan, games: int, jobs: int | None = None) -> float:
    """Estimate how long a run takes, from a few games played now."""
    engine = engine_of(plan)
    engine.play(0, 1)
    return games * _seconds_per_game(engine) / worker_count(jobs)


def _seconds_per_game(engine: CityServicesEngine) -> float:
    start = time.perf_counter()
    engine.play(0, PILOT_GAMES)
    return (time.perf_counter() - start) / PILOT_GAMES


def _play_rest(work: Work, jobs: int, backend: Backend) -> None:
    """Play a first chunk here, which compiles and measures; then spread the rest over workers."""
    if work.done >= work.games:
        return
    first_end = min(work.done + 1, work.games)
    work.take(work.engine.play(work.done, first_end), first_end)
    pilot_end = min(work.done + PILOT_GAMES, work.games)
    start = time.perf_counter()
    work.take(work.engine.play(work.done, pilot_end), pilot_end)
    seconds_per_game = (time.perf_counter() - start) / PILOT_GAMES
    chunks = list(_chunks(work.done, work.games, max(BLOCKS, int(CHUNK_SECONDS / seconds_per_game))))
    parallel = Parallel(n_jobs=jobs, backend=BACKENDS[backend], return_as="generator", pre_dispatch="2 * n_jobs")
    parts = parallel(delayed(work.engine.play)(first, last) for first, last in chunks)
    for (_, last), part in zip(chunks, parts, strict=True):
        work.take(part, last)


def _chunks(first: int, last: int, size: int) -> Iterator[tuple[int, int]]:
    for start in range(first, last, size):
        yield start, min(start + size, last)
