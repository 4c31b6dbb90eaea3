"""Which numbers would make the game fair: a search that meets noise with common luck, confirmed on fresh seeds.

Trials run one after another, each parallel inside, so that a seed gives the same search for any number of workers.
Every trial is asked of and told to Optuna, which proposes new points; around the best point so far, single values are
tried one by one. A trial starts with few games and gets more as long as it is not surely worse than the best one.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna

from balance.errors import InputError
from balance.runs.folder import write_atomically
from balance.runs.plan import Plan, check_games, make_plan
from balance.runs.spread import Interrupted, play_plan
from balance.scenario.load import Scenario, load_scenario
from balance.scenario.vary import (
    Axis,
    Value,
    check_axes,
    current_values,
    parse_axis,
    point_at,
    refuse_how,
    size_of,
    written,
)
from balance.stats.estimates import Estimate
from balance.studies.compare import Comparison
from balance.studies.measured import MeasuredPlans
from balance.studies.objectives import DEFAULT_KEEP, Constraint, Objective, parse_keep, parse_objective
from balance.studies.run import AnyRun, run_of

GAMES = 20_000
TRIALS = 400
GROWTH = 4
RUNGS = 3
_INFEASIBLE = 1e9

Choice = tuple[int, ...]
"""A point of the grid: the place of its value on each axis."""

TrialsDone = Callable[[int, int], None]
"""Called with the trials done and asked for."""


@dataclass(frozen=True)
class Trial:
    """A point that was tried.

    Attributes
    ----------
    choice : tuple of int
    value : float
        The objective, with the games it got.
    games : int
    is_feasible : bool
    """

    choice: Choice
    value: float
    games: int
    is_feasible: bool


@dataclass(frozen=True)
class Tuned:
    """The best values found, confirmed on fresh seeds.

    Attributes
    ----------
    scenario : Scenario
        The base.
    axes : tuple of Axis
    objective : Objective
    constraints : tuple of Constraint
    trials : tuple of Trial
    values : tuple
        The winner's, one for each axis.
    changes : tuple of str
        KEY=VALUE of all that the winner changes.
    searched : tuple of float
        The objective of the base and of the winner in the search.
    base, winner : AnyRun
        On fresh seeds.
    games : int
        Games of the last rung, and of the confirmation.
    is_stopped : bool
        The search was stopped by Ctrl-C; the best so far was confirmed.
    """

    scenario: Scenario
    axes: tuple[Axis, ...]
    objective: Objective
    constraints: tuple[Constraint, ...]
    trials: tuple[Trial, ...]
    values: tuple[Value, ...]
    changes: tuple[str, ...]
    searched: tuple[float, float]
    base: AnyRun
    winner: AnyRun
    games: int
    is_stopped: bool = False

    def comparison(self) -> Comparison:
        """Compare the winner (A) with the base (B) on the fresh seeds."""
        return Comparison(self.winner, self.base, ("tuned", self.scenario.title))

    def confirmed(self) -> tuple[Estimate, Estimate]:
        """Return the objective of the base and of the winner on the fresh seeds."""
        before, after = (self.measure(run, self.objective.key) for run in (self.base, self.winner))
        return self.objective.of(before), self.objective.of(after)

    def measure(self, run: AnyRun, key: str) -> Estimate:
        """Return a measure of one of the runs."""
        return run.blocks.estimate(run.measures_by_key[key].statistic)


@dataclass
class _Search:
    """A search in progress."""

    axes: Sequence[Axis]
    objective: Objective
    constraints: Sequence[Constraint]
    measured: MeasuredPlans
    plan_of: Callable[[Choice], Plan]
    rungs: Sequence[int]
    start: Choice
    trials: dict[Choice, Trial] = field(default_factory=dict)
    best: Choice | None = None

    def estimate(self, choice: Choice, games: int) -> Estimate:
        """Return the objective of a point with so many games."""
        return self.objective.of(self.measured.estimate(self.plan_of(choice), games, self.objective.key))

    def minus_best(self, choice: Choice, games: int) -> Estimate:
        """Return how much worse than the best a point is, on the same luck."""
        assert self.best is not None
        return self.estimate(choice, games).minus(self.estimate(self.best, games))

    def try_out(self, choice: Choice) -> Trial:
        """Play a point with ever more games, until it is surely worse than the best, or has had them all."""
        if choice in self.trials:
            return self.trials[choice]
        trial = Trial(choice, float("nan"), 0, is_feasible=False)
        for games in self.rungs:
            value = float(self.estimate(choice, games).value[0])
            is_feasible = bool(np.isfinite(value)) and not self.broken(choice, games)
            trial = Trial(choice, value, games, is_feasible)
            if not is_feasible or (self.best is not None and self._is_hopeless(choice, games)):
                break
        self.trials[choice] = trial
        if trial.is_feasible and trial.games == self.rungs[-1]:
            is_first = self.best is None
            if is_first or float(self.minus_best(choice, trial.games).value[0]) < 0:
                self.best = choice
        return trial

    def broken(self, choice: Choice, games: int) -> list[Constraint]:
        """Return the constraints that a point breaks: surely, as long as it has not had all games."""
        plan = self.plan_of(choice)
        measures = [(each, self.measured.estimate(plan, games, each.key)) for each in self.constraints]
        if games < self.rungs[-1]:
            return [each for each, measure in measures if each.is_surely_broken(measure)]
        return [each for each, measure in measures if each.is_broken(measure)]

    def _is_hopeless(self, choice: Choice, games: int) -> bool:
        low, _ = self.minus_best(choice, games).interval()
        return bool(low[0] > 0)

    def changes(self, choice: Choice) -> int:
        """Return how many values a point changes from where the search starts."""
        return sum(a != b for a, b in zip(choice, self.start, strict=True))

    def neighbours(self, choice: Choice) -> Iterator[Choice]:
        """Yield the points that differ in one value: the next ones first, then the others."""
        for place, axis in enumerate(self.axes):
            others = sorted(
                (value for value in range(len(axis.values)) if value != choice[place]),
                key=lambda value: abs(value - choice[place]),
            )
            for value in others:
                yield (*choice[:place], value, *choice[place + 1 :])

    def simplest(self) -> Choice:
        """Return, of the points that cannot be told apart from the best, the one with the fewest changes."""
        assert self.best is not None
        last = self.rungs[-1]
        equal = [self.best]
        for choice, trial in self.trials.items():
            if trial.is_feasible and trial.games == last and choice != self.best:
                low, _ = self.minus_best(choice, last).interval()
                if not low[0] > 0:
                    equal.append(choice)
        return min(equal, key=lambda choice: (self.changes(choice), self.trials[choice].value))


def tune(  # noqa: PLR0913 (all but two are keywords)
    scenario: Scenario | str | Path,
    vary: Sequence[str],
    *,
    objective: str,
    keep: Sequence[str] = (),
    games: int = GAMES,
    trials: int = TRIALS,
    seconds: float | None = None,
    players: int | None = None,
    policy: str = "random",
    seed: int = 1,
    jobs: int | None = None,
    out: Path | str | None = None,
    progress: TrialsDone | None = None,
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
        Games of the points that are not given up early, and of the confirmation.
    trials : int
        Points to try.
    seconds : float, optional
        Where to stop searching.
    players, policy, seed, jobs
        See `simulate`.
    out : Path or str, optional
        A folder for what was measured: the same search goes on from there.
    progress : callable, optional
        Called with the trials done and asked for.

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
    axes = tuple(parse_axis(text, scenario) for text in vary)
    check_axes(axes)
    refuse_how(axes)
    make_plan(scenario, seed=seed + 1)
    plan = make_plan(scenario, players=players, policy=policy, seed=seed)
    rungs = [max(1, games // GROWTH**step) for step in reversed(range(RUNGS))]
    base = run_of(plan, play_plan(plan, games, jobs=jobs))
    aim, constraints = _aims(base, objective, keep)
    kept = tuple(dict.fromkeys([aim.key, *(constraint.key for constraint in constraints)]))
    measured = MeasuredPlans(Path(out) / "trials" if out is not None else None, jobs, kept)
    search = _Search(
        axes,
        aim,
        constraints,
        measured,
        lambda choice: _plan_at(scenario, axes, choice, plan),
        rungs,
        _nearest_choice(axes, current_values(scenario, axes, plan.players, plan.policy)),
    )
    is_stopped = False
    try:
        _run(search, trials, seconds, seed, progress)
    except (KeyboardInterrupt, Interrupted):
        if search.best is None:
            raise
        is_stopped = True
    if search.best is None:
        raise InputError(_why_infeasible(search), "Loosen --keep, or vary other values.")
    winner = search.simplest()
    return replace(_confirm(search, scenario, plan, winner, jobs), is_stopped=is_stopped)


def save_tuned(found: Tuned, base: str, path: Path) -> None:
    """Write the winner as a scenario that extends a packaged one, or a file, and load it once.

    Raises
    ------
    BalanceError
        If it cannot be written.
    """
    file = Path(base)
    extends = str(file.resolve()) if file.is_file() else base
    winner = found.winner.scenario
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


def _run(search: _Search, trials: int, seconds: float | None, seed: int, progress: TrialsDone | None) -> None:
    """Try points: single values around the best one until none helps, then what Optuna proposes."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=0, constant_liar=False)
    study = optuna.create_study(sampler=sampler)
    started = time.monotonic()
    done = 0
    pending: Iterator[Choice] = iter([search.start])
    while done < trials and (seconds is None or time.monotonic() - started < seconds):
        choice = next((point for point in pending if point not in search.trials), None)
        if choice is not None:
            study.enqueue_trial({axis.name: place for axis, place in zip(search.axes, choice, strict=True)})
        asked = study.ask()
        point = tuple(asked.suggest_int(axis.name, 0, len(axis.values) - 1) for axis in search.axes)
        was_best = search.best
        trial = search.try_out(point)
        study.tell(asked, trial.value if trial.is_feasible else _INFEASIBLE)
        done += 1
        if search.best is not None and search.best != was_best:
            pending = search.neighbours(search.best)
        if progress is not None:
            progress(done, trials)
        if len(search.trials) == size_of(search.axes):
            break
    if progress is not None:
        progress(trials, trials)


def _aims(base: AnyRun, objective: str, keep: Sequence[str]) -> tuple[Objective, tuple[Constraint, ...]]:
    """Return what is aimed at and what must be kept: the level of scores, if nothing is said of it."""
    measures = base.measures_by_key
    aim = parse_objective(objective, base.scenario, list(measures))
    constraints = [parse_keep(text, list(measures)) for text in keep]
    if not any(constraint.key == "score.mean" for constraint in constraints):
        mean = float(base.blocks.estimate(measures["score.mean"].statistic).value[0])
        constraints.append(Constraint("score.mean", mean, DEFAULT_KEEP * abs(mean)))
    return aim, tuple(constraints)


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


def _why_infeasible(search: _Search) -> str:
    """Say which constraints every point broke."""
    names: dict[str, int] = {}
    for choice, trial in search.trials.items():
        for constraint in search.broken(choice, trial.games):
            names[str(constraint)] = names.get(str(constraint), 0) + 1
    said = ", ".join(f"--keep {name} ({count} of {len(search.trials)})" for name, count in names.items())
    return f"no point that was tried can be used; broken: {said or 'the objective has no data'}"


def _confirm(search: _Search, scenario: Scenario, plan: Plan, winner: Choice, jobs: int | None) -> Tuned:
    """Play the base and the winner on fresh seeds."""
    values = tuple(axis.values[place] for axis, place in zip(search.axes, winner, strict=True))
    now = current_values(scenario, search.axes, plan.players, plan.policy)
    changes = [
        f"{key}={written(value)}"
        for axis, value, old in zip(search.axes, values, now, strict=True)
        if value != old
        for key in axis.keys
        if key not in ("players", "policy")
    ]
    fresh = plan.seed + 1
    games = search.rungs[-1]
    plans = [
        make_plan(each.scenario, players=each.players, policy=each.policy, seed=fresh)
        for each in (plan, search.plan_of(winner))
    ]
    base, won = (run_of(each, play_plan(each, games, jobs=jobs)) for each in plans)
    in_search = search.objective.of(search.measured.estimate(plan, games, search.objective.key))
    return Tuned(
        scenario,
        tuple(search.axes),
        search.objective,
        tuple(search.constraints),
        tuple(search.trials.values()),
        values,
        tuple(changes),
        (float(in_search.value[0]), float(search.estimate(winner, games).value[0])),
        base,
        won,
        games,
    )
