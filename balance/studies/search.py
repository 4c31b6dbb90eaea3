"""The search for the best point of a grid: around the best so far, then what Optuna proposes.

All single changes of the best point are tried; where they add up to a better one, that is tried too, and so on.
Trials run one after another, each parallel inside, so that a seed gives the same search for any number of workers.
Every trial is asked of and told to Optuna. A trial starts with few games and gets more as long as it is not surely
worse than the best one. At the end the changes are taken back one by one, so that it shows what each of them buys.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import optuna

from balance.runs.plan import Plan
from balance.scenario.vary import Axis, size_of, with_value
from balance.stats.estimates import Estimate, Floats, mean_of
from balance.studies.measured import MeasuredPlans
from balance.studies.objectives import Constraint, Objective
from balance.studies.surrogate import Choice, Surrogate

GROWTH = 4
RUNGS = 3
GUESSES = 8
_INFEASIBLE = 1e9
_GIVEN_UP = 0.01

PointsDone = Callable[[int], None]
"""Called with the points tried so far."""


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


@dataclass
class Search:
    """A search in progress.

    Constraints stand in the order of the plans of a point, each with its own.
    """

    axes: Sequence[Axis]
    objective: Objective
    constraints: Sequence[Sequence[Constraint]]
    measured: MeasuredPlans
    plans_of: Callable[[Choice], Sequence[Plan]]
    rungs: Sequence[int]
    start: Choice
    trials: dict[Choice, Trial] = field(default_factory=dict)
    best: Choice | None = None

    def estimate(self, choice: Choice, games: int) -> Estimate:
        """Return the objective of a point with so many games, over all that play."""
        return self.of_plans(self.plans_of(choice), games)

    def of_plans(self, plans: Sequence[Plan], games: int) -> Estimate:
        """Return the mean objective of some plans."""
        return mean_of([self.objective.of(self.measured.estimate(plan, games, self.objective.key)) for plan in plans])

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
        measures = [
            (each, self.measured.estimate(plan, games, each.key))
            for plan, constraints in zip(self.plans_of(choice), self.constraints, strict=True)
            for each in constraints
        ]
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
                yield with_value(choice, place, value)

    def guesses(self, centre: Choice) -> list[Choice]:
        """Return points that should be better, if what each single change of the centre did adds up."""
        parts = self._parts(centre)
        effects = [
            np.array([self._parts(with_value(centre, axis, value)) - parts for value in range(len(each.values))])
            for axis, each in enumerate(self.axes)
        ]
        return Surrogate(centre, parts, effects, self._value_of_parts).best(GUESSES, seed=len(self.trials))

    def _parts(self, choice: Choice) -> Floats:
        """Return what the objective and the constraints of a point are made of, plan by plan, with the fewest games."""
        measured = [
            self.measured.estimate(plan, self.rungs[0], key).value[0]
            for plan, constraints in zip(self.plans_of(choice), self.constraints, strict=True)
            for key in (*self.objective.parts, *(each.key for each in constraints))
        ]
        return np.array(measured)

    def _value_of_parts(self, parts: Floats) -> Floats:
        """Return the objective of parts (n, parts); infinite where a constraint is broken."""
        values, broken, place = [], np.zeros(len(parts), dtype=bool), 0
        for constraints in self.constraints:
            end = place + len(self.objective.parts)
            values.append(self.objective.of_parts(parts[:, place:end]))
            for each, measure in zip(constraints, parts[:, end : end + len(constraints)].T, strict=True):
                broken |= each.is_outside(measure)
            place = end + len(constraints)
        return np.where(broken, np.inf, np.mean(values, axis=0))

    def path(self, progress: PointsDone) -> list[Trial]:
        """Return the way from the start to the best point, one change after another: those that do most come first.

        From the best point, the change that is missed least is taken back, again and again, as few games tell it.
        """
        assert self.best is not None
        points = [self.best]
        while self.changes(points[-1]):
            fewer = [
                point
                for point in self.neighbours(points[-1])
                if self.changes(point) < self.changes(points[-1]) and not self.broken(point, self.rungs[0])
            ]
            if not fewer:
                break
            points.append(min(fewer, key=lambda point: float(self.estimate(point, self.rungs[0]).value[0])))
        path: list[Trial] = []
        for point in reversed(points):
            progress(len(path))
            path.append(self._play_all(point))
        return path

    def _play_all(self, choice: Choice) -> Trial:
        """Give a point all games, even if it was given up early."""
        last = self.rungs[-1]
        value = float(self.estimate(choice, last).value[0])
        self.trials[choice] = Trial(choice, value, last, bool(np.isfinite(value)) and not self.broken(choice, last))
        return self.trials[choice]

    def simplest(self) -> Choice:
        """Return, of the points that are as good as the best, the one with the fewest changes.

        They cannot be told apart from it, and give up at most a hundredth of what it gains.
        """
        assert self.best is not None
        last = self.rungs[-1]
        best = self.trials[self.best].value
        most = best + _GIVEN_UP * max(0.0, float(self.estimate(self.start, last).value[0]) - best)
        equal = [self.best]
        for choice, trial in self.trials.items():
            if trial.is_feasible and trial.games == last and trial.value <= most and choice != self.best:
                low, _ = self.minus_best(choice, last).interval()
                if not low[0] > 0:
                    equal.append(choice)
        return min(equal, key=lambda choice: (self.changes(choice), self.trials[choice].value))


def run_search(search: Search, trials: int, seconds: float | None, seed: int, progress: PointsDone) -> None:
    """Try single changes of the best point, and what they come to together, until none helps; then Optuna proposes."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=0, constant_liar=False)
    study = optuna.create_study(sampler=sampler)
    started = time.monotonic()
    done = 0
    pending = _around_best(search)
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
        if choice is None and search.best != was_best:
            pending = _around_best(search)
        progress(done)
        if len(search.trials) == size_of(search.axes):
            break


def _around_best(search: Search) -> Iterator[Choice]:
    """Yield the start, then points around the best one as long as that makes it better."""
    yield search.start
    centre = None
    while search.best is not None and search.best != centre:
        centre = search.best
        yield from search.neighbours(centre)
        yield from search.guesses(centre)


def why_infeasible(search: Search) -> str:
    """Say which constraints every point broke."""
    names: dict[str, int] = {}
    for choice, trial in search.trials.items():
        for constraint in search.broken(choice, trial.games):
            names[str(constraint)] = names.get(str(constraint), 0) + 1
    said = ", ".join(f"--keep {name} ({count} of {len(search.trials)})" for name, count in names.items())
    return f"no point that was tried can be used; broken: {said or 'the objective has no data'}"
