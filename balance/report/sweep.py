"""The document of a sweep: how the game responds, and which values are best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from balance.report.document import Document
from balance.report.numbers import Row, counted, listed, number, p_value, signed, with_interval, with_margin
from balance.report.section import ALPHA, Section
from balance.report.sections import caveats_of_brains
from balance.scenario.describe import with_capital
from balance.scenario.vary import Axis
from balance.stats.estimates import TOO_FEW
from balance.studies.sweep import Sweep

if TYPE_CHECKING:
    from balance.charts.chart import Chart

_MOST_ROWS = 40
_MOST_MEASURES = 4


def sweep_document(found: Sweep) -> Document:
    """Return what a sweep found."""
    table, best = found.table(), found.best()

    def draw() -> list[Chart]:
        from balance.charts.sweep import charts_of_sweep

        return charts_of_sweep(found, table)

    varied = listed([f"{axis.name} = {', '.join(map(str, axis.values))}" for axis in found.axes])
    if found.one_at_a_time:
        varied = f"{counted(len(found.axes), 'value')}, one at a time"
    plan = found.plan
    return Document(
        title=f"{found.scenario.title}: what the numbers do",
        headline=(
            f"{found.scenario.title}: {varied}; {len(found.points):,} points of {found.games:,} games each, "
            f"{plan.players} players, {plan.policy}, seed {plan.seed}, all on the same luck."
        ),
        caveats=caveats_of_brains(found.scenario, [plan]),
        sections=[_best(found, best), _responses(found, table), _differences(found, table)],
        facts={
            "sweep": {
                **plan.as_data(),
                "games": found.games,
                "axes": [{"name": axis.name, "keys": axis.keys, "values": axis.values} for axis in found.axes],
                "best_by": found.best_by,
            }
        },
        scenarios=[found.scenario],
        method=[
            ("Luck", "every point plays the same numbered games with the same luck, so that differences are paired"),
            ("Intervals", "95%, by the jackknife over blocks of games"),
        ],
        draw=draw,
    )


def _best(found: Sweep, best: pd.DataFrame) -> Section:
    rows: list[Row] = best.to_dict("records")
    shown = pd.DataFrame(
        {
            **_points(found, rows[:_MOST_ROWS]),
            with_capital(found.words[found.best_by]): [with_interval(row, "value", 3) for row in rows[:_MOST_ROWS]],
            "Above the best": [with_interval(row, "difference", 3) for row in rows[:_MOST_ROWS]],
        }
    )
    explanation = (
        f"Points that cannot be told apart from the best one, by {found.words[found.best_by]} (the lower the better), "
        "in paired differences; the confidence is shared out over all points. The lowest of many values is lucky "
        "too: play it again with another --seed before you rely on it."
    )
    return Section("best", "The best values", _best_words(found, rows), explanation, best, shown, _cut(rows))


def _best_words(found: Sweep, rows: Sequence[Row]) -> list[str]:
    if not rows:
        return ["No point has enough data to be judged."]
    names = [axis.name for axis in found.axes]
    point = _change(found, rows[0]) if found.one_at_a_time else listed([f"{name} = {rows[0][name]}" for name in names])
    base = found.base.estimates[found.best_by].value[0]
    sentences = [
        f"Best is {point}: {found.words[found.best_by]} {number(rows[0]['value'], 3)} (as it is: "
        f"{number(float(base), 3)})."
    ]
    if len(rows) > 1 and found.one_at_a_time:
        others = listed([_change(found, row) for row in rows[1:]])
        sentences.append(f"{len(rows):,} of {len(found.points):,} points cannot be told apart: it and {others}.")
    elif len(rows) > 1:
        spans = listed([f"{name} {_span([row[name] for row in rows])}" for name in names])
        sentences.append(f"{len(rows):,} of {len(found.points):,} points cannot be told apart from it: {spans}.")
    else:
        sentences.append("All other points are surely worse.")
    return sentences


def _points(found: Sweep, rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the columns that say which point a row is."""
    if found.one_at_a_time:
        return {"Change": [_change(found, row) for row in rows]}
    return {axis.name: [str(row[axis.name]) for row in rows] for axis in found.axes}


def _change(found: Sweep, row: Row) -> str:
    """Say which value a point changes."""
    values = zip(found.axes, found.base.values, strict=True)
    changed = [f"{axis.name} = {row[axis.name]}" for axis, now in values if row[axis.name] != now]
    return listed(changed) if changed else "as it is"


def _span(values: Sequence[object]) -> str:
    distinct = sorted(set(values), key=lambda value: (isinstance(value, str), value))
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in distinct) and len(distinct) > 1:
        return f"from {distinct[0]} to {distinct[-1]}"
    return listed([str(value) for value in distinct])


def _responses(found: Sweep, table: pd.DataFrame) -> Section:
    keys = list(found.words)[: _MOST_MEASURES + 1]
    of_first: list[Row] = table[table["measure"] == keys[0]].to_dict("records")
    wide = _points(found, of_first[:_MOST_ROWS])
    for key in keys:
        rows: list[Row] = table[table["measure"] == key].to_dict("records")
        digits = 3 if "share" in found.units[key] or key.endswith(".cv") or "first_less" in key else 2
        wide[with_capital(found.words[key])] = [with_margin(row, "value", digits) for row in rows[:_MOST_ROWS]]
    left = list(found.words)[_MOST_MEASURES + 1 :]
    notes = _cut(of_first) + ([f"Not shown, but in the CSV and JSON: {listed(left)}."] if left else [])
    explanation = "Each measure at each point, ± half its 95% interval."
    return Section("responses", "How the game responds", _slopes(found), explanation, table, pd.DataFrame(wide), notes)


def _slopes(found: Sweep) -> list[str]:
    """Say what one step of each numeric axis does."""
    sentences = []
    for place, axis in enumerate(found.axes):
        if not axis.is_numeric or len(axis.values) < 2:
            continue
        words = []
        for key in _told(found, axis):
            slope = found.slope(place, key)
            low, high = slope.interval()
            enough = all(point.n[key] >= TOO_FEW for point in found.points)
            if enough and (low[0] > 0 or high[0] < 0):
                words.append(f"{found.words[key]} {signed(float(slope.value[0]), 3)}")
        said = listed(words) if words else "nothing that these games can tell"
        others = "the others as they are" if found.one_at_a_time else "on average over the grid"
        sentences.append(f"One more of {axis.name} changes, {others}: {said}.")
    return sentences


def _told(found: Sweep, axis: Axis) -> list[str]:
    """Return the measures that are told of an axis: where there are many, those of its own tiles besides the first."""
    keys = list(found.words)
    if not found.one_at_a_time:
        return keys
    own = {part for key in axis.keys for part in key.split(".")[1:]}
    return [keys[0], *(key for key in keys[1:] if key == "score.mean" or own & set(key.split(".")[1:]))]


def _differences(found: Sweep, table: pd.DataFrame) -> Section:
    rows: list[Row] = table[table["measure"].isin([found.best_by, "score.mean"])].to_dict("records")
    shown = pd.DataFrame(
        {
            **_points(found, rows[:_MOST_ROWS]),
            "Measure": [row["words"] for row in rows[:_MOST_ROWS]],
            "From the base": [with_interval(row, "difference", 3) for row in rows[:_MOST_ROWS]],
            "p (Holm)": [p_value(row["p_holm"]) for row in rows[:_MOST_ROWS]],
        }
    )
    sure = sum(row["p_holm"] < ALPHA for row in rows if row["measure"] == found.best_by)
    findings = [
        f"{sure} of {len(found.points)} points differ surely from the base in {found.words[found.best_by]} "
        f"(p below {ALPHA:g} after Holm)."
    ]
    explanation = "Differences from the scenario as it is, paired on the same luck; Holm over the points of a measure."
    return Section("differences", "Against the base", findings, explanation, table, shown, _cut(rows))


def _cut(rows: Sequence[Row]) -> list[str]:
    return (
        [f"The first {_MOST_ROWS} of {len(rows):,} rows; all are in the CSV and JSON."]
        if len(rows) > _MOST_ROWS
        else []
    )
