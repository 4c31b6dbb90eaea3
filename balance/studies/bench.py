"""How fast games are played on this machine, and what counting and compiling cost."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import pandas as pd

from balance.runs.engine import engine_of
from balance.runs.plan import Plan, make_plan
from balance.runs.spread import play_plan
from balance.runs.workers import worker_count
from balance.scenario.load import load_scenario

SECONDS_PER_MEASUREMENT = 1.0
FEWEST_GAMES = 240
REPEATS = 5
BENCHMARKED = ("city-services", "quadropolis-classic", "quadropolis-expert")
"""One scenario of each mode."""
COMPILED = ("city-services", "quadropolis-expert")
"""One scenario of each game: all others run on the same kernels."""
LONGER_WITH_JOBS = 4  # so that the first games, which one worker plays alone, weigh little
_COMPILE = """
from balance.runs.plan import make_plan
from balance.runs.engine import engine_of
from balance.scenario.load import load_scenario
import time
engine = engine_of(make_plan(load_scenario({name!r})))
start = time.perf_counter()
engine.play(0, 1)
print(time.perf_counter() - start)
"""


def speed_table(
    repeats: int = REPEATS, jobs: int | None = None, progress: Callable[[str], None] = lambda _: None
) -> pd.DataFrame:
    """Measure games per second by scenario, policy and players.

    Parameters
    ----------
    repeats : int
        Measurements of about a second each; the median counts.
    jobs : int, optional
        Workers for the column of many; all cores by default.
    progress : callable, optional
        Called with what is measured next.

    Returns
    -------
    DataFrame
        Index (scenario, policy, players). Columns: games_per_second (one core, all tallies), slowest, fastest,
        without_tallies (games per second), tally_overhead (share of the time), jobs,
        with_jobs (games per second), speedup.
    """
    rows = []
    workers = worker_count(jobs)
    for plan, name in _plans():
        progress(f"{name}, {plan.policy}, {plan.players} players")
        rows.append(
            {"scenario": name, "policy": plan.policy, "players": plan.players, **_measure(plan, repeats, workers)}
        )
    return pd.DataFrame(rows).set_index(["scenario", "policy", "players"])


def compile_seconds(name: str) -> float:
    """Measure how long compiling takes, in a fresh process with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-c", _COMPILE.format(name=name)]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(result.stdout)


def _plans() -> Iterator[tuple[Plan, str]]:
    for name in BENCHMARKED:
        for policy in ("random", "greedy"):
            for players in (2, 3, 4):
                yield make_plan(load_scenario(name), players=players, policy=policy), name


def _measure(plan: Plan, repeats: int, workers: int) -> dict[str, float]:
    engine = engine_of(plan)
    engine.play(0, 1)
    seconds = _seconds(lambda: engine.play(0, FEWEST_GAMES)) / FEWEST_GAMES
    whole = FEWEST_GAMES * int(engine.seating.followed_every)  # of so many games a fixed part has its course followed
    games = whole * max(1, round(SECONDS_PER_MEASUREMENT / seconds / whole))
    counted, uncounted = [], []
    for _ in range(repeats):
        counted.append(games / _seconds(lambda: engine.play(0, games)))
        uncounted.append(games / _seconds(lambda: engine.play(0, games, counting=False)))
    many = LONGER_WITH_JOBS * workers * games
    spread = [many / _seconds(lambda: play_plan(plan, many, jobs=workers)) for _ in range(repeats)]
    alone, bare = statistics.median(counted), statistics.median(uncounted)
    return {
        "games_per_second": alone,
        "slowest": min(counted),
        "fastest": max(counted),
        "without_tallies": bare,
        "tally_overhead": 1 - alone / bare,
        "jobs": workers,
        "with_jobs": statistics.median(spread),
        "speedup": statistics.median(spread) / alone,
    }


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
