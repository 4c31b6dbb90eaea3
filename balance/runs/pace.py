"""How long games take, in CPU time: a busy machine makes a clock on the wall useless."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

from balance.runs.engine import Engine, engine_of
from balance.runs.plan import Plan
from balance.runs.tallies import Part, part_of
from balance.runs.workers import worker_count

CHUNK_SECONDS = 0.4  # CPU time: long enough that tallies cost little, short enough that Ctrl-C answers
SHORTEST_SECONDS = 0.1  # of the last chunks, which are cut so that all workers end together
SMALLEST_CHUNK = 1  # games
LARGEST_STEP = 4  # the next chunk is at most so many times as long as the one before

PILOT_SECONDS = 0.03
PILOTS = 3
_NO_TIME = 1e-7  # seconds a game: less than any game takes, where the clock has not moved


class Played(NamedTuple):
    """Games that were played, with the time it took."""

    first: int
    last: int
    part: Part
    seconds: float  # CPU time

    @property
    def pace(self) -> float:
        """CPU seconds that a game takes."""
        return max(self.seconds / (self.last - self.first), _NO_TIME)


def play_games(engine: Engine, first: int, last: int) -> Played:
    """Play the games from number `first` to before `last` in this thread."""
    start = time.thread_time()
    part = part_of(engine.play(first, last))
    return Played(first, last, part, time.thread_time() - start)


class Chunks:
    """Cuts games into chunks of about `CHUNK_SECONDS`, by what the last chunk that came back took.

    Parameters
    ----------
    first, last : int
        Games from number `first` to before `last`.
    jobs : int
        Workers.
    pace : float
        CPU seconds that a game takes, as far as is known.
    """

    def __init__(self, first: int, last: int, jobs: int, pace: float) -> None:
        self.first, self.last, self.jobs, self.pace = first, last, jobs, pace
        self.size = self._games_in(CHUNK_SECONDS)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield (first, last) of the next chunk, as soon as it is asked for."""
        while self.first < self.last:
            share = math.ceil((self.last - self.first) / self.jobs)  # at the end ever smaller, for all to end together
            size = min(self.size, max(share, self._games_in(SHORTEST_SECONDS)), self.last - self.first)
            yield self.first, self.first + size
            self.first += size

    def learn(self, played: Played) -> None:
        """Size the next chunks by the pace of one that came back."""
        self.pace = played.pace
        self.size = min(self._games_in(CHUNK_SECONDS), LARGEST_STEP * self.size)

    def _games_in(self, seconds: float) -> int:
        return max(SMALLEST_CHUNK, int(seconds / self.pace))


def pilot(engine: Engine, first: int, last: int) -> Iterator[Played]:
    """Play ever more games here until they can be timed; the first is alone, as it may have to compile."""
    size, seconds = 1, 0.0
    while first < last and seconds < PILOT_SECONDS:
        played = play_games(engine, first, min(first + size, last))
        yield played
        seconds = played.seconds if size > 1 else 0.0
        first, size = played.last, size * LARGEST_STEP


def seconds_needed(plan: Plan, games: int, jobs: int | None = None) -> float:
    """Estimate how long games take on a machine with nothing else to do: the least of several pilots."""
    engine = engine_of(plan)
    paces = [[played.pace for played in pilot(engine, 0, games)][-1] for _ in range(PILOTS)]
    return games * min(paces) / worker_count(jobs)
