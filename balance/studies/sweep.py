"""How a game responds to its numbers: a grid of variants, every point on the same luck."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from balance.errors import InputError, nearest
from balance.runs.plan import Plan, check_games, make_plan
from balance.runs.spread import play_plan
from balance.runs.workers import Backend
from balance.scenario.load import Scenario, load_scenario
from balance.scenario.vary import (
    Axis,
    Point,
    Value,
    current_values,
    parse_axes,
    points_of,
    points_one_at_a_time,
    separate,
    size_of,
)
from balance.stats.comparison import p_of
from balance.stats.estimates import CONFIDENCE, TOO_FEW, Estimate, mean_of, put, weighted
from balance.stats.outcome import Measured
from balance.stats.tests import holm
from balance.studies.run import AnyRun, run_of

GAMES = 20_000
MOST_POINTS = 10_000

PointsDone = Callable[[int, int], None]
"""Called with the points done and asked for."""


@dataclass(frozen=True)
class Found:
    """What one point comes to.

    Attributes
    ----------
    values : tuple
        One for each axis.
    estimates : dict of str to Estimate
        By the key of the measure, each of one value.
    n : dict of str to float
        Occurrences.
    """

    values: tuple[Value, ...]
    estimates: Mapping[str, Estimate]
    n: Mapping[str, float]


@dataclass(frozen=True)
class Sweep:
    """A grid of variants, measured.

    Attributes
    ----------
    scenario : Scenario
        The base.
    axes : tuple of Axis
    points : tuple of Found
        The last axis runs fastest.
    base : Found
        The scenario as it is.
    words, units : dict of str to str
        Names and units of the measures, by key.
    best_by : str
        The measure whose lowest value is best.
    plan : Plan
        How the base was played.
    games : int
        Games of each point.
    one_at_a_time : bool
        The points differ from the base in one value each; else they are a full grid.
    """

    scenario: Scenario
    axes: tuple[Axis, ...]
    points: tuple[Found, ...]
    base: Found
    words: Mapping[str, str]
    units: Mapping[str, str]
    best_by: str
    plan: Plan
    games: int
    one_at_a_time: bool = False

    def table(self) -> pd.DataFrame:
        """Return all points and measures.

        Returns
        -------
        DataFrame
            One row for each point and measure. Columns: one for each axis, measure (key), words, unit; value and
            difference (from the base, on the same luck; both with _se, _low, _high), p, p_holm (Holm over the points
            of a measure), n.
        """
        rows = []
        for key in self.words:
            differences = [self._difference(point, key) for point in self.points]
            p = np.array([self._p(point, key) for point in self.points])
            for point, difference, raw, adjusted in zip(self.points, differences, p, holm(p), strict=True):
                rows.append(self._row(point, key, difference) | {"p": raw, "p_holm": adjusted})
        return pd.DataFrame(rows)

    def best(self) -> pd.DataFrame:
        """Return the points that cannot be told apart from the best one, which comes first.

        Returns
        -------
        DataFrame
            One row for each point. Columns: one for each axis, value (of `best_by`, with _se, _low, _high),
            difference (from the best point, paired; with _se, and _low, _high at the wider confidence that decides).
            A point belongs to it where the interval of its difference, at a confidence that Bonferroni's inequality
            shares out over the points, holds 0.
        """
        known = [point for point in self.points if np.isfinite(point.estimates[self.best_by].value[0])]
        if not known:
            return pd.DataFrame()
        first = min(known, key=lambda point: float(point.estimates[self.best_by].value[0]))
        rows = []
        confidence = 1 - (1 - CONFIDENCE) / max(1, len(known) - 1)
        for point in sorted(known, key=lambda point: float(point.estimates[self.best_by].value[0])):
            difference = point.estimates[self.best_by].minus(first.estimates[self.best_by])
            low, _ = difference.interval(confidence)
            if point is first or not low[0] > 0:
                rows.append(self._row(point, self.best_by, difference, confidence))
        return pd.DataFrame(rows).drop(columns=["measure", "words", "unit"])

    def slope(self, axis: int, key: str) -> Estimate:
        """Return the slope of a measure along a numeric axis, by least squares."""
        along = self.along(axis, key)
        x = np.array([float(value) for value, _ in along])
        centred = x - x.mean()
        return weighted([estimate for _, estimate in along], centred / np.square(centred).sum())

    def along(self, axis: int, key: str) -> list[tuple[Value, Estimate]]:
        """Return a measure at each value of an axis.

        In a grid it is the mean over all points that have the value; one at a time, the other values are as they are.
        """
        others = [place for place in range(len(self.axes)) if place != axis]
        found = []
        for value in self.axes[axis].values:
            points = [point for point in self.points if point.values[axis] == value]
            if self.one_at_a_time:
                points = [p for p in points if all(p.values[place] == self.base.values[place] for place in others)]
            found.append((value, mean_of([point.estimates[key] for point in points])))
        return found

    def _difference(self, point: Found, key: str) -> Estimate:
        return point.estimates[key].minus(self.base.estimates[key])

    def _p(self, point: Found, key: str) -> float:
        return float(p_of(self._difference(point, key))[0]) if point.n[key] >= TOO_FEW else float("nan")

    def _row(self, point: Found, key: str, difference: Estimate, confidence: float = CONFIDENCE) -> dict[str, Any]:
        n = np.array([point.n[key]])
        columns: dict[str, Any] = {}
        put(columns, "value", point.estimates[key], n)
        put(columns, "difference", difference, n, confidence=confidence)
        values = {name: float(column[0]) for name, column in columns.items()}
        axes = {axis.name: value for axis, value in zip(self.axes, point.values, strict=True)}
        named = {"measure": key, "words": self.words[key], "unit": self.units[key]}
        return {**axes, **named, **values, "n": int(point.n[key])}


def axes_of(vary: Sequence[str], scenario: Scenario, *, one_at_a_time: bool = False) -> tuple[Axis, ...]:
    """Read what is varied; one at a time, several keys at once are an axis each."""
    return parse_axes([each for text in vary for each in separate(text)] if one_at_a_time else vary, scenario)


def size_of_sweep(axes: Sequence[Axis], *, one_at_a_time: bool = False) -> int:
    """Return how many points there are; one at a time, at most."""
    return 1 + sum(len(axis.values) for axis in axes) if one_at_a_time else size_of(axes)


def sweep(  # noqa: PLR0913 (all but two are keywords)
    scenario: Scenario | str | Path,
    vary: Sequence[str],
    *,
    one_at_a_time: bool = False,
    measures: Sequence[str] = (),
    best_by: str | None = None,
    games: int = GAMES,
    players: int | None = None,
    policy: str = "random",
    seed: int = 1,
    jobs: int | None = None,
    backend: Backend = "threads",
    out: Path | str | None = None,
    progress: PointsDone | None = None,
) -> Sweep:
    """Play every point of a grid on the same luck.

    Parameters
    ----------
    scenario : Scenario, str or Path
    vary : sequence of str
        KEY=VALUES; see `balance.scenario.vary.parse_axis`.
    one_at_a_time : bool
        Vary each key by itself, the others being as they are, in place of the full grid.
    measures : sequence of str
        Keys of the measures to keep; by default scores, seats, evenness and the tiles that are varied.
    best_by : str, optional
        The measure whose lowest value is best; how uneven the tiles of the first pool are, by default.
    games, players, policy, seed, jobs, backend
        See `simulate`.
    out : Path or str, optional
        A folder with a run folder for each point: finished points are used again.
    progress : callable, optional
        Called with the points done and asked for.

    Raises
    ------
    BalanceError
        If something cannot be used.

    Examples
    --------
    >>> found = sweep("city-services", ["services.roads.range=1:3"], games=240)
    >>> len(found.points), bool(found.slope(0, "tiles.roads.own_vp").value[0] > 0)
    (3, True)
    """
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    check_games(games)
    axes = axes_of(vary, scenario, one_at_a_time=one_at_a_time)
    plan = make_plan(scenario, players=players, policy=policy, seed=seed)
    points_among = points_one_at_a_time if one_at_a_time else points_of
    points = list(points_among(scenario, axes, plan.players, plan.policy))
    for point in points:  # before any is played
        make_plan(point.scenario, players=point.players, policy=point.policy, seed=seed)
    how: dict[str, Any] = {"games": games, "seed": seed, "jobs": jobs, "backend": backend}
    base_point = Point(
        tuple(current_values(scenario, axes, plan.players, plan.policy)), scenario, plan.players, plan.policy
    )
    base_run = _play(base_point, Path(out) if out is not None else None, **how)
    known = {**base_run.measures(), **base_run.tile_measures()}
    kept = _measures_kept(known, measures, axes, best_by)
    base = _measure(base_point, base_run, kept)
    found = []
    for done, point in enumerate(points):
        if progress is not None:
            progress(done, len(points))
        found.append(_measure(point, _play(point, Path(out) if out is not None else None, **how), kept))
    if progress is not None:
        progress(len(points), len(points))
    by_key = {measured.key: (words, measured) for words, measured in known.items()}
    return Sweep(
        scenario,
        axes,
        tuple(found),
        base,
        {key: by_key[key][0] for key in kept},
        {key: by_key[key][1].unit for key in kept},
        kept[0],
        plan,
        games,
        one_at_a_time,
    )


def _play(point: Point, out: Path | None, *, games: int, seed: int, jobs: int | None, backend: Backend) -> AnyRun:
    """Play a point, or read it where it has been played."""
    plan = make_plan(point.scenario, players=point.players, policy=point.policy, seed=seed)
    folder = out / "points" / plan.digest if out is not None else None
    return run_of(plan, play_plan(plan, games, jobs=jobs, backend=backend, folder=folder))


def _measures_kept(
    known: Mapping[str, Measured], asked: Sequence[str], axes: Sequence[Axis], best_by: str | None
) -> list[str]:
    """Return the keys of the measures to keep, the one to judge by first."""
    keys = [measured.key for measured in known.values()]
    for key in [*asked, *([best_by] if best_by else [])]:
        if key not in keys:
            raise InputError(f"--measure {key}: this game has no such measure", nearest(key, keys))
    even = next(key for key in keys if key.startswith("tiles.") and key.endswith(".cv"))
    varied = [part for axis in axes for key in axis.keys for part in key.split(".")]
    tiles = [key for key in keys if key.startswith("tiles.") and key.split(".")[1] in varied]
    default = ["score.mean", "score.sd", "score.margin", "seats.first_less_last", *tiles]
    return list(dict.fromkeys([best_by or even, *(asked or default)]))


def _measure(point: Point, run: AnyRun, keys: Sequence[str]) -> Found:
    measures = run.measures_by_key
    nothing = run.blocks.estimate(lambda sums: sums("games")[:, :1] * np.nan)
    estimates = {key: run.measure(key) if key in measures else nothing for key in keys}
    return Found(point.values, estimates, {key: measures[key].n if key in measures else 0.0 for key in keys})
