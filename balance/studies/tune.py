"""Which numbers would make the game fair: searched on common luck, confirmed on fresh seeds."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from balance.errors import InputError
from balance.runs.plan import Plan, check_games, make_plan
from balance.runs.sealed import write_atomically
from balance.runs.spread import Interrupted, play_plan
from balance.scenario.load import Scenario, load_scenario
from balance.scenario.vary import (
    Axis,
    Value,
    current_values,
    parse_axes,
    point_at,
    refuse_how,
    written,
)
from balance.stats.estimates import Estimate, mean_of, put
from balance.studies.compare import Comparison
from balance.studies.measured import MeasuredPlans
from balance.studies.objectives import DEFAULT_KEEP, Constraint, Objective, parse_keep, parse_objective
from balance.studies.run import AnyRun, run_of
from balance.studies.search import GROWTH, RUNGS, Search, Trial, run_search, why_infeasible
from balance.studies.surrogate import Choice

GAMES = 20_000
TRIALS = 400

PointsDone = Callable[[int, int], None]
"""Called with the points done and asked for: those of the search, and some for what comes after it."""

SHOWN = ("score.mean", "score.sd", "score.margin", "seats.first_less_last")
"""Measures shown before and after, besides the objective."""


@dataclass(frozen=True)
class Tuned:
    """The best values found, confirmed on fresh seeds.

    Attributes
    ----------
    scenario : Scenario
        The base.
    axes : tuple of Axis
    objective : Objective
    constraints : tuple of tuple of Constraint
        For each policy and number of players.
    trials : tuple of Trial
    values : tuple
        The winner's, one for each axis.
    changes : tuple of str
        KEY=VALUE of all that the winner changes.
    searched : tuple of float
        The objective of the base and of the winner in the search.
    confirmed : tuple of (AnyRun, AnyRun)
        The base and the winner on fresh seeds, for each policy and number of players.
    games : int
        Games of the last rung, and of the confirmation.
    path : tuple of Trial
        From the start to the winner, or to the best point that it was made simpler from, one change after another.
    is_stopped : bool
        The search was stopped by Ctrl-C; the best so far was confirmed.
    """

    scenario: Scenario
    axes: tuple[Axis, ...]
    objective: Objective
    constraints: tuple[tuple[Constraint, ...], ...]
    trials: tuple[Trial, ...]
    values: tuple[Value, ...]
    changes: tuple[str, ...]
    searched: tuple[float, float]
    confirmed: tuple[tuple[AnyRun, AnyRun], ...]
    games: int
    path: tuple[Trial, ...]
    is_stopped: bool = False

    @property
    def winner(self) -> Scenario:
        """The winner, as a scenario."""
        return self.confirmed[0][1].scenario

    def comparisons(self) -> list[Comparison]:
        """Compare the winner (A) with the base (B) on the fresh seeds, for each policy and number of players."""
        return [Comparison(winner, base, ("tuned", self.scenario.title)) for base, winner in self.confirmed]

    def before_after(self) -> tuple[Estimate, Estimate]:
        """Return the objective of the base and of the winner on the fresh seeds, over all that play."""
        before, after = ([self.objective_of(pair[place]) for pair in self.confirmed] for place in (0, 1))
        return mean_of(before), mean_of(after)

    def now(self) -> tuple[Value, ...]:
        """Return the values of the base."""
        plan = self.confirmed[0][0].plan
        return tuple(current_values(self.scenario, self.axes, plan.players, plan.policy))

    def steps(self) -> pd.DataFrame:
        """Return what each change buys, in the order of `path`.

        Returns
        -------
        DataFrame
            Index changes (their number). Columns: key (what the last of them changes), old, new (all empty where
            nothing is changed yet), objective (on the luck of the search).
        """
        rows: list[dict[str, object]] = []
        before: Choice | None = None
        for trial in self.path:
            changed = [place for place in range(len(self.axes)) if before and trial.choice[place] != before[place]]
            row: dict[str, object] = {"key": "", "old": "", "new": "", "objective": trial.value}
            for place in changed:
                axis = self.axes[place]
                old = axis.values[before[place]] if before else None
                row |= {"key": axis.name, "old": old, "new": axis.values[trial.choice[place]]}
            rows.append(row)
            before = trial.choice
        return pd.DataFrame(rows, index=pd.Index(range(len(rows)), name="changes"))

    def cases(self) -> pd.DataFrame:
        """Return before and after for each policy and number of players, on the fresh seeds.

        Returns
        -------
        DataFrame
            Index (policy, players). Columns: for the objective and each of SHOWN, NAME.before, NAME.after and
            NAME.change (paired), each with _se, _low, _high.
        """
        rows = []
        for base, winner in self.confirmed:
            row: dict[str, object] = {"policy": base.plan.policy, "players": base.plan.players}
            pairs = {"objective": (self.objective_of(base), self.objective_of(winner))}
            pairs |= {key: (base.measure(key), winner.measure(key)) for key in SHOWN}
            columns: dict[str, np.ndarray] = {}
            for name, (before, after) in pairs.items():
                for word, estimate in (("before", before), ("after", after), ("change", after.minus(before))):
                    put(columns, f"{name}.{word}", estimate, np.array([float(winner.games)]))
            rows.append(row | {name: float(values[0]) for name, values in columns.items()})
        return pd.DataFrame(rows).set_index(["policy", "players"])

    def broken(self) -> list[tuple[Plan, Constraint]]:
        """Return the constraints that the winner breaks on the fresh seeds, and where."""
        return [
            (winner.plan, each)
            for (_, winner), constraints in zip(self.confirmed, self.constraints, strict=True)
            for each in constraints
            if each.is_broken(winner.measure(each.key))
        ]

    def objective_of(self, run: AnyRun) -> Estimate:
        """Return the objective of one of the runs."""
        return self.objective.of(run.measure(self.objective.key))


def tune(  # noqa: PLR0913 (all but two are keywords)
    scenario: Scenario | str | Path,
    vary: Sequence[str],
    *,
    objective: str,
    keep: Sequence[str] = (),
    games: int = GAMES,
    trials: int = TRIALS,
    seconds: float | None = None,
    players: Sequence[int] = (),
    policies: Sequence[str] = ("random",),
    seed: int = 1,
    jobs: int | None = None,
    out: Path | str | None = None,
    progress: PointsDone | None = None,
) -> Tuned:
    """Search for the values that make the game fair.

    Parameters
    ----------
    scenario : Scenario, str or Path
    vary : sequence of str
        KEY=VALUES; see `balance.scenario.vary.parse_axis`.
    objective : str
        even-services, even-tiles, even-seats, or target:MEASURE=VALUE.
    keep : sequence of str
        MEASURE=VALUE+-TOLERANCE; the mean score within 20% of the base's, if nothing is said of it.
    games : int
        Games of the points that are not given up early, and of the confirmation, for each policy and number of players.
    trials : int
        Points to try.
    seconds : float, optional
        Where to stop searching.
    players : sequence of int
        The scenario's by default. The objective is the mean over all policies and numbers of players, and each of them
        keeps the constraints.
    policies : sequence of str
    seed, jobs
        See `simulate`.
    out : Path or str, optional
        A folder for what was measured: the same search goes on from there.
    progress : callable, optional
        Called with the points done and asked for.

    Raises
    ------
    BalanceError
        If something cannot be used, or no point keeps the constraints.
    """
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    check_games(games)
    if trials < 1:
        raise InputError(f"--trials {trials}: at least 1", f"{TRIALS} is a good start.")
    axes = parse_axes(vary, scenario)
    refuse_how(axes)
    make_plan(scenario, seed=seed + 1)
    plans = plans_for(scenario, policies, players, seed)
    rungs = [max(1, games // GROWTH**step) for step in reversed(range(RUNGS))]
    bases = [run_of(plan, play_plan(plan, games, jobs=jobs)) for plan in plans]
    aim = parse_objective(objective, scenario, list(bases[0].measures_by_key))
    constraints = [_constraints(base, keep) for base in bases]
    kept = tuple(dict.fromkeys([aim.key, *aim.parts, *(each.key for each in constraints[0])]))
    measured = MeasuredPlans(Path(out) / "trials" if out is not None else None, jobs, kept)
    search = Search(
        axes,
        aim,
        constraints,
        measured,
        functools.cache(lambda choice: [_plan_at(scenario, axes, choice, plan) for plan in plans]),
        rungs,
        _nearest_choice(axes, current_values(scenario, axes, plans[0].players, plans[0].policy)),
    )
    is_stopped, path = False, []
    steps = trials + len(axes) + 2  # the search, the way back from the best point, and the confirmation

    def say(done: int) -> None:
        if progress is not None:
            progress(done, steps)

    try:
        run_search(search, trials, seconds, seed, say)
        if search.best is not None:
            path = search.path(lambda done: say(trials + done))
    except (KeyboardInterrupt, Interrupted):
        if search.best is None:
            raise
        is_stopped = True
    if search.best is None:
        raise InputError(why_infeasible(search), "Loosen --keep, or vary other values.")
    winner = search.simplest()
    say(steps - 1)
    found = replace(_confirm(search, scenario, plans, winner, jobs), path=tuple(path), is_stopped=is_stopped)
    say(steps)
    return found


def plans_for(scenario: Scenario, policies: Sequence[str], players: Sequence[int], seed: int) -> list[Plan]:
    """Return a plan for each policy and number of players; the scenario's number, if none is given.

    Raises
    ------
    InputError
        If one cannot be used.
    """
    return [
        make_plan(scenario, players=count, policy=policy, seed=seed)
        for policy in dict.fromkeys(policies)
        for count in dict.fromkeys(players or (scenario.players,))
    ]


def save_tuned(found: Tuned, base: str, path: Path) -> None:
    """Write the winner as a scenario that extends a packaged one, or a file, and load it once.

    Raises
    ------
    BalanceError
        If it cannot be written.
    """
    file = Path(base)
    extends = str(file.resolve()) if file.is_file() else base
    winner = found.winner
    lines = [f"extends = {json.dumps(extends)}", f"title = {json.dumps(f'{winner.title}, tuned')}"]
    lines += _differences(load_scenario(base).model_dump(), winner.model_dump(), "")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "\n".join([*lines, ""]).encode())
    load_scenario(path)


def _differences(old: Mapping[str, Any], new: Mapping[str, Any], start: str) -> Iterator[str]:
    """Yield the values that differ, as lines of TOML with dotted keys."""
    for key, value in new.items():
        if isinstance(value, Mapping):
            before = old.get(key)
            yield from _differences(before if isinstance(before, Mapping) else {}, value, f"{start}{key}.")
        elif value is not None and old.get(key) != value:
            yield f"{start}{key} = {json.dumps(value)}"


def _constraints(base: AnyRun, keep: Sequence[str]) -> tuple[Constraint, ...]:
    """Return what must be kept: the level of scores, if nothing is said of it."""
    constraints = [parse_keep(text, list(base.measures_by_key)) for text in keep]
    if not any(constraint.key == "score.mean" for constraint in constraints):
        mean = float(base.measure("score.mean").value[0])
        constraints.append(Constraint("score.mean", mean, DEFAULT_KEEP * abs(mean)))
    return tuple(constraints)


def _plan_at(scenario: Scenario, axes: Sequence[Axis], choice: Choice, base: Plan) -> Plan:
    values = [axis.values[place] for axis, place in zip(axes, choice, strict=True)]
    point = point_at(scenario, axes, values, base.players, base.policy)
    return make_plan(point.scenario, players=point.players, policy=point.policy, seed=base.seed)


def _nearest_choice(axes: Sequence[Axis], now: Sequence[Value]) -> Choice:
    """Return the point of the grid that is nearest to the base."""
    choice = []
    for axis, value in zip(axes, now, strict=True):
        if value in axis.values:
            choice.append(axis.values.index(value))
        elif axis.is_numeric and isinstance(value, int | float):
            choice.append(int(np.argmin([abs(float(other) - value) for other in axis.values])))
        else:
            choice.append(0)
    return tuple(choice)


def _confirm(search: Search, scenario: Scenario, plans: Sequence[Plan], winner: Choice, jobs: int | None) -> Tuned:
    """Play the base and the winner on fresh seeds."""
    values = tuple(axis.values[place] for axis, place in zip(search.axes, winner, strict=True))
    now = current_values(scenario, search.axes, plans[0].players, plans[0].policy)
    changes = [
        f"{key}={written(value)}"
        for axis, value, old in zip(search.axes, values, now, strict=True)
        if value != old
        for key in axis.keys
    ]
    games = search.rungs[-1]

    def fresh(plan: Plan) -> AnyRun:
        again = replace(plan, seed=plan.seed + 1)
        return run_of(again, play_plan(again, games, jobs=jobs))

    return Tuned(
        scenario,
        tuple(search.axes),
        search.objective,
        tuple(tuple(constraints) for constraints in search.constraints),
        tuple(search.trials.values()),
        values,
        tuple(changes),
        (float(search.of_plans(plans, games).value[0]), float(search.estimate(winner, games).value[0])),
        tuple((fresh(plan), fresh(won)) for plan, won in zip(plans, search.plans_of(winner), strict=True)),
        games,
        (),
    )
