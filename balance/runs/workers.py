"""Workers: tasks run on threads or processes, their results handed over in order, and never many at a time.

joblib's own generator runs ahead of whoever takes its results: on a busy machine thousands of tallies waited.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Literal, TypeVar

from balance.errors import BalanceError, InputError

Backend = Literal["threads", "processes"]

UNFINISHED_EACH = 2
"""Tasks of a worker that may be under way or wait to be taken: one to play, one to go on with."""

T = TypeVar("T")


class WorkerError(BalanceError):
    """A worker process died."""


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


def in_order(tasks: Iterable[Callable[[], T]], jobs: int, backend: Backend = "threads") -> Generator[T, None, None]:
    """Run tasks on workers and yield what they return, in their order.

    A task is asked for when there is room for it: at most `UNFINISHED_EACH` a worker are under way, or finished and
    not yet taken. So memory does not grow with the number of tasks, however slow the taker is.

    Parameters
    ----------
    tasks : iterable of callables
        Each is called once, on a worker; for processes they must be picklable.
    jobs : int
        Workers.
    backend : {"threads", "processes"}

    Raises
    ------
    WorkerError
        If a worker process dies.
    """
    unfinished: deque[Future[T]] = deque()
    with _workers(jobs, backend) as executor:
        try:
            for task in tasks:
                unfinished.append(executor.submit(task))
                if len(unfinished) == UNFINISHED_EACH * jobs:
                    yield unfinished.popleft().result()
            while unfinished:
                yield unfinished.popleft().result()
        except BrokenExecutor:
            remedy = "Perhaps memory ran out: try fewer --jobs, or --backend threads."
            raise WorkerError("A worker process died", remedy) from None
        finally:
            for future in unfinished:
                future.cancel()


@contextmanager
def _workers(jobs: int, backend: Backend) -> Iterator[Executor]:
    if backend == "threads":
        with ThreadPoolExecutor(jobs, thread_name_prefix="balance") as threads:
            yield threads
        return
    from joblib.externals.loky import get_reusable_executor  # takes a quarter of a second

    processes = get_reusable_executor(max_workers=jobs)
    try:
        yield processes
    except BaseException:
        processes.shutdown(kill_workers=True)  # they would play on, with nobody to take the games
        raise
