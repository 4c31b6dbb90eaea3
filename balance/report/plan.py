"""The document of a forecast: how many games verdicts take, and how long that is."""

from __future__ import annotations

import math

import pandas as pd

from balance.report.check import names_of_rows
from balance.report.document import Document
from balance.report.numbers import NO_DATA, Row, about, listed, number, percent
from balance.report.section import Section
from balance.report.sections import caveats_of_brains
from balance.scenario.describe import tile_name
from balance.stats.estimates import TOO_FEW
from balance.stats.planning import POWER
from balance.studies.plan import Forecast


def forecast_document(found: Forecast) -> Document:
    """Return what a forecast says."""
    question, table = found.question, found.table()
    pilots = listed([f"{run.games:,} games of {run.plan.policy}, {run.plan.players} players" for run in found.runs])
    parts = [_games_needed(found, table)]
    if found.games is not None:
        parts.append(_what_games_tell(found, table, found.games))
    return Document(
        title=f"{question.scenario.title}: games that verdicts take",
        headline=f"{question.scenario.title}: games to a verdict, margin {question.margin:g} VP. Pilot: {pilots}.",
        caveats=caveats_of_brains(question.scenario, [run.plan for run in found.runs]),
        sections=parts,
        facts={
            "plan": {
                "margin": question.margin,
                "alpha": question.alpha,
                "power": POWER,
                "seconds_per_game": list(found.seconds_per_game),
                "pilots": [{**run.plan.as_data(), "games": run.games} for run in found.runs],
            }
        },
        scenarios=[question.scenario],
        method=[
            ("Power", f"{POWER:.0%}"),
            ("Alpha", f"{question.alpha_of_each:.2g} for each tile"),
        ],
    )


def _games_needed(found: Forecast, table: pd.DataFrame) -> Section:
    rows: list[Row] = table.reset_index().to_dict("records")
    shown = pd.DataFrame(
        {
            **names_of_rows(found.question, rows),
            "Held": [number(row["holdings_per_game"], 2) for row in rows],
            "If equal": [_games_and_time(row, "if_equal") for row in rows],
            "If off by double": [_games_and_time(row, "if_double") for row in rows],
            "As in the pilot": [_games_and_time(row, "as_pilot") for row in rows],
        }
    )
    rare = [tile_name(str(row["tile"])) for row in rows if row["holdings"] < TOO_FEW]
    notes = [f"Fewer than {TOO_FEW} holdings in the pilot, so rough or unknown: {listed(rare)}."] if rare else []
    explanation = (
        f"Games, and the time they take here, until balance check decides with a chance of {POWER:.0%}. If equal: the "
        "tile brings as much as the others (verdict: balanced). If off by double: it is off by twice the margin "
        "(overpowered or underpowered). As in the pilot: it is as the pilot found it. Held: seats per game. For one "
        "look at the end."
    )
    return Section("games", "Games until a verdict", _findings(found, table), explanation, table, shown, notes)


def _findings(found: Forecast, table: pd.DataFrame) -> list[str]:
    sentences = []
    for run, seconds in zip(found.runs, found.seconds_per_game, strict=True):
        rows = table.xs((run.plan.policy, run.plan.players), level=("policy", "players"))
        known = rows["games_if_equal"].dropna()
        if known.empty:
            sentences.append(f"{run.plan.policy}, {run.plan.players} players: no tile was held in the pilot.")
            continue
        most = known.max()
        sentences.append(
            f"{run.plan.policy}, {run.plan.players} players: {about(most)} games ({_time(most * seconds / 60)}) "
            f"decide every tile that is level with its pool, by this pilot; {tile_name(str(known.idxmax()))} "
            "takes longest."
        )
    return sentences


def _what_games_tell(found: Forecast, table: pd.DataFrame, games: int) -> Section:
    rows: list[Row] = table.reset_index().to_dict("records")
    shown = pd.DataFrame(
        {
            **names_of_rows(found.question, rows),
            "Told apart": [f"{number(row['smallest'], 2)} VP" if row["holdings"] else NO_DATA for row in rows],
            "Balanced if equal": [percent(row["power_if_equal"], 0) for row in rows],
            "Decided if double": [percent(row["power_if_double"], 0) for row in rows],
        }
    )
    largest = table["smallest"].max()
    findings = [
        f"{games:,} games tell differences from the margin of {number(largest, 2)} VP and more, for every tile that "
        "the pilot knows."
        if not math.isnan(largest)
        else "The pilot says nothing of these games."
    ]
    explanation = (
        f"With {games:,} games. Told apart: how far from the margin a tile must be for a verdict with a chance of "
        f"{POWER:.0%}. Balanced if equal, Decided if double: the chance of that verdict."
    )
    return Section("power", f"What {games:,} games tell", findings, explanation, table, shown)


def _games_and_time(row: Row, name: str) -> str:
    games = float(row[f"games_{name}"])
    if math.isnan(games):
        return NO_DATA
    return about(games).removeprefix("about ") + (
        f" ({_time(float(row[f'minutes_{name}']))})" if games < math.inf else ""
    )


def _time(minutes: float) -> str:
    """Return a duration as people say it."""
    if minutes < 1:
        return f"{max(1, math.ceil(60 * minutes))} s"
    if minutes < 120:
        return f"{minutes:,.0f} min"
    return f"{minutes / 60:,.0f} h" if minutes < 60 * 72 else f"{minutes / 60 / 24:,.0f} days"
