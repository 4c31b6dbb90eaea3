"""The document of a search: the values found, what they do on fresh seeds, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from balance.report.compare import comparison_document
from balance.report.document import Document
from balance.report.numbers import Row, counted, listed, number
from balance.report.section import Section
from balance.report.sections import caveats_of_brains
from balance.runs.plan import Plan
from balance.stats.estimates import Estimate
from balance.studies.tune import Tuned

if TYPE_CHECKING:
    from balance.charts.chart import Chart


def tuned_document(found: Tuned) -> Document:
    """Return what a search found."""
    plans = [base.plan for base, _ in found.confirmed]
    after = [comparison_document(each) for each in found.comparisons()] if len(plans) == 1 else []

    def draw() -> list[Chart]:
        from balance.charts.tune import charts_of_tune

        return [*charts_of_tune(found), *(chart for document in after for chart in document.draw())]

    return Document(
        title=f"{found.scenario.title}: values that make it fair",
        headline=(
            f"{found.scenario.title}: {found.objective.name}; {counted(len(found.axes), 'value')} varied, "
            f"{counted(len(found.trials), 'point')} tried; {listed([_who(plan) for plan in plans])}; "
            f"{found.games:,} games{' of each' if len(plans) > 1 else ''}."
        ),
        caveats=caveats_of_brains(found.scenario, plans),
        sections=[
            _values(found),
            *([_steps(found)] if len(found.path) > 1 else []),
            _cases(found),
            _trials(found),
            *(section for document in after for section in document.sections),
        ],
        facts={
            "tune": {
                **plans[0].as_data(),
                "seed": plans[0].seed - 1,
                "confirmation_seed": plans[0].seed,
                "games": found.games,
                "players": [plan.players for plan in plans],
                "policy": [plan.policy for plan in plans],
                "objective": found.objective.name,
                "keep": [[str(constraint) for constraint in each] for each in found.constraints],
                "changes": list(found.changes),
                "searched": list(found.searched),
                "confirmed": [float(estimate.value[0]) for estimate in found.before_after()],
            }
        },
        scenarios=[found.winner],
        method=[
            ("Search", "single values around the best point, one by one, and points that Optuna's TPE proposes"),
            ("Luck", "all points play the same numbered games with the same luck; hopeless ones are given up early"),
            (
                "Winner",
                "the fewest changes of all points as good as the best: not to be told from it, and 99% of its gain",
            ),
            ("Confirmation", f"seed {plans[0].seed}, which the search never saw"),
            *(
                (f"Kept ({_who(plan)})", listed([str(constraint) for constraint in each]))
                for plan, each in zip(plans, found.constraints, strict=True)
            ),
        ],
        draw=draw,
    )


def _values(found: Tuned) -> Section:
    table = pd.DataFrame(
        {
            "now": [str(value) for value in found.now()],
            "tuned": [str(value) for value in found.values],
            "tried": [", ".join(map(str, axis.values)) for axis in found.axes],
        },
        index=pd.Index([axis.name for axis in found.axes], name="key"),
    )
    shown = table.reset_index().rename(columns=str.capitalize)
    shown["Changed"] = ["yes" if a != b else "" for a, b in zip(table["now"], table["tuned"], strict=True)]
    before, after = found.before_after()
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
    if found.is_stopped:
        findings.append("The search was stopped before its end: this is the best so far.")
    explanation = "The objective: the lower the better. All other values of the scenario stay as they are."
    return Section("tuned", "The values found", findings, explanation, table, shown)


def _who(plan: Plan) -> str:
    return f"{plan.players} players, {plan.policy}"


def _steps(found: Tuned) -> Section:
    """Return what each change buys, those that do most first."""
    table = found.steps()
    rows: list[Row] = table.reset_index().to_dict("records")
    shown = pd.DataFrame(
        {
            "Changes": [str(row["changes"]) for row in rows],
            "The last of them": [str(row["key"] or "as it is") for row in rows],
            "From": [str(row["old"]) for row in rows],
            "To": [str(row["new"]) for row in rows],
            "Objective": [number(row["objective"], 4) for row in rows],
        }
    )
    gained = table["objective"].iloc[0] - table["objective"]
    half = int((gained >= gained.max() / 2).to_numpy().argmax())
    findings = [f"{counted(half, 'change')} {'gives' if half == 1 else 'give'} half of all that was gained."]
    explanation = (
        "From the game as it is to the best point found, one change at a time: from the best point back, the change "
        "that is missed least was taken back first. On the luck of the search."
    )
    return Section("steps", "What each change buys", findings, explanation, table, shown)


def _cases(found: Tuned) -> Section:
    """Return before and after, for each policy and number of players."""
    table = found.cases()
    rows: list[Row] = table.reset_index().to_dict("records")
    shown = pd.DataFrame(
        {
            "Policy": [row["policy"] for row in rows],
            "Players": [str(row["players"]) for row in rows],
            "Objective": [_from_to(row, "objective", 3) for row in rows],
            "Mean score": [_from_to(row, "score.mean", 1) for row in rows],
            "Spread (SD)": [_from_to(row, "score.sd", 1) for row in rows],
            "Margin of victory": [_from_to(row, "score.margin", 1) for row in rows],
            "First seat wins more than the last": [_from_to(row, "seats.first_less_last", 3) for row in rows],
        }
    )
    broken = [f"{each} ({_who(plan)})" for plan, each in found.broken()]
    finding = f"Broken: {listed(broken)}." if broken else "Everything that was to be kept is kept."
    explanation = "Before and after, on the fresh seeds; intervals of all, and of the paired changes, are in the CSV."
    return Section("cases", "Before and after", [finding], explanation, table, shown)


def _from_to(row: Row, key: str, digits: int) -> str:
    return f"{number(row[f'{key}.before'], digits)} to {number(row[f'{key}.after'], digits)}"


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
