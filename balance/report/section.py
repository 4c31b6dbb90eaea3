"""A section of what a run tells: an answer in plain words, the numbers beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import pandas as pd

from balance.report.numbers import p_words, percent, rows_of, with_interval
from balance.stats.tests import WaldTest

ALPHA = 0.05


@dataclass(frozen=True)
class Section:
    """One question about a run.

    Attributes
    ----------
    key : str
        Short name, for --table and file names.
    title : str
    findings : list of str
        The answer, in sentences.
    explanation : str
        How to read the table.
    table : DataFrame
        All numbers, unrounded.
    shown : DataFrame
        The cells as people read them.
    notes : list of str
        What else to know.
    """

    key: str
    title: str
    findings: list[str]
    explanation: str
    table: pd.DataFrame
    shown: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def sentence_of_test(test: WaldTest, things: str, verb: str, how: str = "equally often") -> str:
    """Say what a test says, with its numbers."""
    if math.isnan(test.p):
        return f"Whether all {things} {verb} alike cannot be tested with these games."
    alike = "alike per tile" if how == "per tile" else how
    evidence = f"(F({test.df[0]}, {test.df[1]}) = {test.f:,.1f}, {p_words(test.p)})"
    if test.p < ALPHA:
        return f"The {things} do not {verb} {alike} {evidence}."
    return f"That the {things} {verb} {alike} is not contradicted by these games {evidence}."


def results_shown(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return scores and win shares as people read them."""
    rows = rows_of(table)
    return pd.DataFrame(
        {
            **{key.capitalize(): [str(row[key]) for row in rows] for key in keys},
            "Games": [f"{row['games']:,}" for row in rows],
            "Score": [with_interval(row, "score", 2) for row in rows],
            "Win share": [with_interval(row, "win_share", 1, share=True) for row in rows],
            "Equal": [percent(row["equal_share"]) for row in rows],
        }
    )
