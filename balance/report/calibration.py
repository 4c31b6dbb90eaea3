"""The document of a calibration: how often verdicts are wrong where the truth is known."""

from __future__ import annotations

import pandas as pd

from balance.report.document import Document
from balance.report.numbers import Row, counted, listed, percent, signed
from balance.report.section import Section
from balance.report.sections import caveats_of_brains
from balance.runs.plan import make_plan
from balance.scenario.describe import tile_name, with_capital
from balance.studies.calibrate import Calibration


def calibration_document(found: Calibration) -> Document:
    """Return what a calibration found."""
    question = found.question
    policy, players = question.policies[0], question.players[0]
    plan = make_plan(question.scenario, players=players, policy=policy)
    return Document(
        title="Is the instrument right?",
        headline=(
            f"{question.scenario.title}, {policy}, {players} players: {found.repeats:,} checks of "
            f"{counted(found.games, 'game')} each, margin {question.margin:g} VP, alpha {question.alpha:g}."
        ),
        caveats=caveats_of_brains(question.scenario, [plan]),
        sections=[_rates(found), _truth(found)],
        facts={
            "calibration": {
                "plan": plan.as_data(),
                "repeats": found.repeats,
                "games": found.games,
                "margin": question.margin,
                "alpha": question.alpha,
            }
        },
        scenarios=[question.scenario],
        method=[
            (
                "Truth",
                "what all checks together say of a tile; each check's estimates are moved by that, nothing else is",
            ),
            ("Planted tile", "a real tile that prints more VP; nothing is moved there"),
            ("Intervals", "95%, from the spread over the checks"),
        ],
    )


def _rates(found: Calibration) -> Section:
    rows: list[Row] = found.rates.reset_index().to_dict("records")
    shown = pd.DataFrame(
        {
            "Truth": [with_capital(str(row["case"])) for row in rows],
            "Verdict": [str(row["what"]) for row in rows],
            "Measured": [f"{percent(row['rate'])} [{percent(row['low'])}, {percent(row['high'])}]" for row in rows],
            "Promised": [f"{row['promise']} {percent(row['promised'])}" for row in rows],
            "Kept": ["yes" if row["kept"] else "NO" for row in rows],
        }
    )
    broken = [f"{row['case']}: {row['what']}" for row in rows if not row["kept"]]
    findings = [
        f"Every promise is kept, as far as {found.repeats:,} checks can tell."
        if not broken
        else f"Not kept: {listed(broken)}."
    ]
    explanation = (
        "How often a tile got the verdict, each judged alone at alpha. A promise of at most so much is kept where "
        "the measured rate is not surely above it; one of about so much where the interval holds it."
    )
    return Section("rates", "Verdicts where the truth is known", findings, explanation, found.rates, shown)


def _truth(found: Calibration) -> Section:
    truth = found.truth
    shown = pd.DataFrame(
        {
            "Tile": [tile_name(tile) for tile in truth.index],
            "Beyond its pool": [f"{signed(row.contrast, 3)} ±{row.contrast_se:.3f}" for row in truth.itertuples()],
        }
    )
    return Section(
        "truth",
        "What all checks together say",
        [],
        "VP per holding beyond the others of the pool, ± one standard error.",
        truth,
        shown,
    )
