"""The document of a search: the values found, what they do on fresh seeds, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from balance.report.compare import comparison_document
from balance.report.document import Document
from balance.report.method import versions
from balance.report.numbers import counted, listed, number
from balance.report.section import Section
from balance.report.sections import caveats_of_brains
from balance.scenario.vary import current_values
from balance.stats.estimates import Estimate
from balance.studies.tune import Tuned

if TYPE_CHECKING:
    from balance.charts.chart import Chart


def tuned_document(found: Tuned) -> Document:
    """Return what a search found."""
    plan = found.base.plan
    after = comparison_document(found.comparison())

    def draw() -> list[Chart]:
        from balance.charts.tune import charts_of_tune

        return [*charts_of_tune(found), *after.draw()]

    return Document(
        title=f"{found.scenario.title}: values that make it fair",
        headline=(
            f"{found.scenario.title}: {found.objective.name}; {counted(len(found.axes), 'value')} varied, "
            f"{counted(len(found.trials), 'point')} tried; {plan.players} players, {plan.policy}, "
            f"{found.games:,} games."
        ),
        caveats=caveats_of_brains(found.scenario, [plan]),
        sections=[_values(found), _trials(found), *after.sections],
        facts={
            "tune": {
                **plan.as_data(),
                "seed": plan.seed - 1,
                "confirmation_seed": plan.seed,
                "games": found.games,
                "objective": found.objective.name,
                "keep": [str(constraint) for constraint in found.constraints],
                "changes": list(found.changes),
                "searched": list(found.searched),
                "confirmed": [float(estimate.value[0]) for estimate in found.confirmed()],
            }
        },
        scenarios=[found.winner.scenario],
        method=[
            ("Search", "single values around the best point, one by one, and points that Optuna's TPE proposes"),
            ("Luck", "all points play the same numbered games with the same luck; hopeless ones are given up early"),
            ("Winner", "of the points that cannot be told apart from the best, the one with the fewest changes"),
            ("Confirmation", f"seed {plan.seed}, which the search never saw"),
            ("Kept", listed([str(constraint) for constraint in found.constraints])),
            ("Versions", versions()),
        ],
        draw=draw,
    )


def _values(found: Tuned) -> Section:
    now = current_values(found.scenario, found.axes, found.base.plan.players, found.base.plan.policy)
    table = pd.DataFrame(
        {
            "now": [str(value) for value in now],
            "tuned": [str(value) for value in found.values],
            "tried": [", ".join(map(str, axis.values)) for axis in found.axes],
        },
        index=pd.Index([axis.name for axis in found.axes], name="key"),
    )
    shown = table.reset_index().rename(columns=str.capitalize)
    shown["Changed"] = ["yes" if a != b else "" for a, b in zip(table["now"], table["tuned"], strict=True)]
    before, after = found.confirmed()
    changed = sum(a != b for a, b in zip(table["now"], table["tuned"], strict=True))
    findings = [
        f"{found.objective.name} goes from {_value(before)} to {_value(after)} on fresh seeds; in the search, from "
        f"{number(found.searched[0], 3)} to {number(found.searched[1], 3)}.",
        f"{changed} of {counted(len(found.axes), 'value')} changed."
        if changed
        else "Nothing that was tried is surely better than the game as it is.",
    ]
    gain = before.minus(after)
    low, high = (float(limit[0]) for limit in gain.interval())
    sure = "surely better" if low > 0 else "surely worse" if high < 0 else "not surely better"
    findings.append(
        f"That is {sure} than the game as it is: {number(float(gain.value[0]), 3)} lower "
        f"(95% interval {number(low, 3)} to {number(high, 3)}, paired on the fresh seeds)."
    )
    for kept in found.constraints:
        value = found.measure(found.winner, kept.key)
        said = "broken" if kept.is_broken(value) else "kept"
        findings.append(f"{kept} is {said} on fresh seeds: {number(float(value.value[0]), 3)}.")
    if found.is_stopped:
        findings.append("The search was stopped before its end: this is the best so far.")
    explanation = "The objective: the lower the better. All other values of the scenario stay as they are."
    return Section("tuned", "The values found", findings, explanation, table, shown)


def _value(estimate: Estimate) -> str:
    low, high = estimate.interval()
    return f"{number(float(estimate.value[0]), 3)} [{number(max(0.0, float(low[0])), 3)}, {number(float(high[0]), 3)}]"


def _trials(found: Tuned) -> Section:
    trials = sorted(found.trials, key=lambda trial: (not trial.is_feasible, -trial.games, trial.value))
    rows = [
        {
            **{axis.name: axis.values[place] for axis, place in zip(found.axes, trial.choice, strict=True)},
            "objective": trial.value,
            "games": trial.games,
            "is_feasible": trial.is_feasible,
        }
        for trial in trials
    ]
    table = pd.DataFrame(rows)
    best = table.head(8)
    shown = pd.DataFrame(
        {
            "Values": [" ".join(str(row[axis.name]) for axis in found.axes) for row in best.to_dict("records")],
            "Objective": [number(float(value), 4) for value in best["objective"]],
            "Games": [f"{games:,}" for games in best["games"]],
            "Kept": ["yes" if feasible else "no" for feasible in best["is_feasible"]],
        }
    )
    full = sum(trial.games == found.games for trial in trials)
    findings = [f"{full:,} of {len(trials):,} points got all {found.games:,} games; the others were given up before."]
    explanation = f"The best points; values in the order {', '.join(axis.name for axis in found.axes)}."
    return Section("trials", "What was tried", findings, explanation, table, shown)
