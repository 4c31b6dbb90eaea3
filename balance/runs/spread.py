"""Games spread over workers, in chunks short enough that Ctrl-C answers.

How the work is cut up, and where it runs, never shows in the tallies.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from balance.errors import BalanceError
from balance.runs.engine import Engine, engine_of
from balance.runs.folder import locked, open_folder, save_tallies
from balance.runs.interrupts import deferred_interrupts
from balance.runs.pace import Chunks, Played, pilot, play_games
from balance.runs.plan import Plan, check_games
from balance.runs.tallies import Tallies, add_part, games_counted
from balance.runs.workers import Backend, in_order, worker_count

SAVE_SECONDS = 5.0
SAVES_SHARE = 50  # playing takes at least so many times as long as writing what was played

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
    unsaved_seconds: float = 0.0  # CPU time of what is not written yet
    saving_seconds: float = 0.0  # CPU time of writing

    def take(self, played: Played) -> None:
        """Add games that were played; now and then, write what there is."""
        with deferred_interrupts():
            add_part(self.tallies, played.part)
            self.done = played.last
        self.progress(self.done, self.games)
        self.unsaved_seconds += played.seconds
        is_worth_it = self.unsaved_seconds > SAVES_SHARE * self.saving_seconds
        if is_worth_it and time.monotonic() - self.saved_at > SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Write the tallies, where a folder keeps them."""
        start = time.thread_time()
        if self.folder is not None:
            with deferred_interrupts():
                save_tallies(self.folder, self.tallies, self.done)
        self.saved_at, self.unsaved_seconds = time.monotonic(), 0.0
        self.saving_seconds = time.thread_time() - start


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
    work = Work(engine, games, folder, progress or (lambda _done, _games: None), tallies=engine.empty_tallies())
    if so_far is not None:
        work.tallies, work.done = so_far, games_counted(so_far)
    with locked(folder):
        if folder is not None:
            with deferred_interrupts():
                saved = open_folder(folder, plan, games)
            if saved is not None:
                work.tallies, work.done = saved.tallies, saved.done
        try:
            _play_rest(work, jobs, backend)
        except KeyboardInterrupt:
            work.save()
            raise Interrupted(work.tallies, work.done, games, folder) from None
        work.save()
    return work.tallies


def _play_rest(work: Work, jobs: int, backend: Backend) -> None:
    """Play a few games here; then spread the rest over workers, in chunks that come back in order."""
    pace = 1.0
    for played in pilot(work.engine, work.done, work.games):
        work.take(played)
        pace = played.pace
    if work.done == work.games:
        return
    chunks = Chunks(work.done, work.games, jobs, pace)
    with closing(in_order(_tasks(work.engine, chunks), jobs, backend)) as parts:
        for played in parts:
            chunks.learn(played)
            work.take(played)


def _tasks(engine: Engine, chunks: Chunks) -> Iterator[Callable[[], Played]]:
    for first, last in chunks:
        yield partial(play_games, engine, first, last)
