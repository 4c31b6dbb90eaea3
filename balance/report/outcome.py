"""Sections that every game has: scores, seats, policies and the arc."""

from __future__ import annotations

import pandas as pd

from balance.report.numbers import counted, interval_words, listed, number, percent, rows_of, with_interval
from balance.report.section import Section, results_shown, sentence_of_test
from balance.studies.tables import Run


def scores_section(run: Run) -> Section:
    """Return how high and how close games are."""
    table = run.scores()
    rows = rows_of(table)
    digits = {"VP": 2, "share of games": 1, "turns": 2, "per game": 2}
    cells = [with_interval(row, "value", digits[row["unit"]], share=row["unit"] == "share of games") for row in rows]
    value = table["value"]
    findings = [
        f"The mean score is {number(value['mean score'], 1)} VP (SD {number(value['spread of scores (SD)'], 1)}); "
        f"the winner leads by {number(value['margin of victory'], 1)} VP on average, "
        f"and {percent(value['shared wins'])} of the games end in a shared win.",
        f"A game takes {number(value['length'], 1)} turns in all; after turn "
        f"{number(value['length to the last placement'], 1)} no tile is placed any more.",
        f"Whoever leads at half-time wins {percent(value['leader at half-time wins'])} of the games; "
        f"the lead changes {number(value['lead changes'], 1)} times a game.",
    ]
    shown = pd.DataFrame({"Measure": table.index, "Mean": cells, "Unit": table["unit"].to_numpy()})
    return Section("scores", "Scores and length", findings, "Means over all games and players.", table, shown)


def seats_section(run: Run, why: str) -> Section:
    """Return whether the seats are fair, and what stands behind it."""
    table = run.seats()
    shown = results_shown(table.reset_index(), ["policy", "seat"] if len(run.policies) > 1 else ["seat"])
    findings = [*_seat_findings(run, table), why]
    explanation = "Seat 1 plays first, seats count clockwise. A win shared by k players counts 1/k for each."
    return Section("seats", "Seats", findings, explanation, table, shown)


def policies_section(run: Run) -> Section:
    """Return how the policies fare against each other."""
    table = run.by_policy()
    best = table["win_share"].idxmax()
    equal = f"{percent(1 / run.plan.players)} would be equal"
    findings = [
        f"{best} wins most often: {interval_words(table.loc[best], 'win_share', 1, share=True)} of its games; {equal}.",
        sentence_of_test(run.policies_test(), "policies", "win"),
    ]
    shown = results_shown(table.reset_index(), ["policy"])
    explanation = "All seats together. Each policy is counted over the games and seats that it played."
    return Section("policies", "Policies", findings, explanation, table, shown)


def arc_section(run: Run, step_name: str) -> Section:
    """Return how scores grow, turn by turn or round by round."""
    table = run.arc()
    keys = ["policy", "seat"] if len(run.policies) > 1 else ["seat"]
    wide = table["score"].unstack("turn").reset_index()
    turns = [column for column in wide.columns if isinstance(column, int)]
    step = max(1, -(-len(turns) // 10))
    cells = {
        f"{step_name.capitalize()} {turn}": [number(value, 1) for value in wide[turn]]
        for turn in turns[step - 1 :: step]
    }
    shown = pd.DataFrame({**{key.capitalize(): wide[key].astype(str) for key in keys}, **cells})
    half, end = turns[(len(turns) - 1) // 2], turns[-1]
    findings = [
        f"After {counted(half, step_name)} of their own the seats have "
        f"{listed([number(value, 1) for value in wide[half]])} VP on average, "
        f"at the end {listed([number(value, 1) for value in wide[end]])}."
    ]
    explanation = (
        f"VP after the seat's n-th {step_name}, in the order of the rows; "
        "games that are over count with their last score."
    )
    return Section("arc", "The arc of a game", findings, explanation, table, shown)


def _seat_findings(run: Run, table: pd.DataFrame) -> list[str]:
    if len(run.policies) > 1:
        return [sentence_of_test(run.seats_test(), "seats", "win")]
    by_seat = table.droplevel("policy")
    best, worst = by_seat["win_share"].idxmax(), by_seat["win_share"].idxmin()
    return [
        f"Seat {best} wins most often, {interval_words(by_seat.loc[best], 'win_share', 1, share=True)}, seat {worst} "
        f"least, {interval_words(by_seat.loc[worst], 'win_share', 1, share=True)}; "
        f"{percent(1 / run.plan.players)} would be equal.",
        sentence_of_test(run.seats_test(), "seats", "win"),
    ]
