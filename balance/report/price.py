"""The document of a price: what to change so that a tile is level with its pool, and what else that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from balance.report.compare import comparison_document
from balance.report.document import Document
from balance.report.numbers import Row, number, signed
from balance.report.section import Section
from balance.report.sections import caveats_of_brains
from balance.scenario.describe import tile_name
from balance.studies.price import Price

if TYPE_CHECKING:
    from balance.charts.chart import Chart


def price_document(found: Price) -> Document:
    """Return what a search for a price found."""
    question = found.question
    plan = found.before.run.plan
    side_effects = comparison_document(found.side_effects())

    def draw() -> list[Chart]:
        from balance.charts.price import charts_of_price

        return charts_of_price(found)

    return Document(
        title=f"{tile_name(found.tile)}: the price that makes it fair",
        headline=(
            f"{question.scenario.title}: {found.axis.name} that brings {tile_name(found.tile)} level with its pool; "
            f"{found.before.run.games:,} games a value, {plan.players} players, {plan.policy}."
        ),
        caveats=caveats_of_brains(question.scenario, [plan]),
        sections=[_values(found), *side_effects.sections],
        facts={
            "price": {
                "tile": found.tile,
                "key": found.axis.name,
                "now": found.now,
                "level": found.level,
                "reaches": found.reaches,
                "plan": {**plan.as_data(), "seed": plan.seed - 1},
                "confirmation_seed": plan.seed,
                "games": found.before.run.games,
            }
        },
        scenarios=[found.confirmed.question.scenario],
        method=[
            ("Search", "values are halved until two neighbours are left, all on the same luck"),
            ("Confirmation", "the value found, and the one now, on fresh seeds"),
            ("Side effects", "the game with the value found (A) against the game as it is (B), on the fresh seeds"),
        ],
        draw=draw,
    )


def _values(found: Price) -> Section:
    table = found.table()
    rows: list[Row] = table.reset_index().to_dict("records")
    shown = pd.DataFrame(
        {
            "Games": [str(row["games"]) for row in rows],
            found.axis.name: [str(row["value"]) for row in rows],
            "Beyond its pool": [
                f"{signed(row['contrast'], 2)} [{number(row['contrast_low'], 2)}, {number(row['contrast_high'], 2)}]"
                for row in rows
            ],
            "Brings": [number(row["omit_vp"], 2) for row in rows],
            "Holdings": [f"{row['holdings']:,}" for row in rows],
            "Verdict": [str(row["verdict"]) for row in rows],
        }
    )
    explanation = (
        "Beyond its pool: VP that the tile brings per holding less the mean of the others of its pool, with the 95% "
        "interval. Search: on the seed of the search; fresh: on others."
    )
    return Section("price", "The price", _sentences(found, rows), explanation, table, shown)


def _sentences(found: Price, rows: list[Row]) -> list[str]:
    tile, key = tile_name(found.tile), found.axis.name
    before, after = rows[-2], rows[-1]
    was = f"now {found.now}, it is {signed(before['contrast'], 2)} VP from its pool ({before['verdict']})"
    now = f"{signed(after['contrast'], 2)} VP ({after['verdict']})"
    if found.reaches:
        return [f"{tile} is level with its pool at {key} = {found.level}: {now} on fresh seeds; {was}."]
    if abs(after["contrast"]) <= found.question.margin:
        return [f"{tile} may be level with its pool at {key} = {found.level}: {now} on fresh seeds; {was}."]
    low, high = min(found.axis.values), max(found.axis.values)
    return [
        f"Neither {key} = {low} nor {high}, nor a value between, is taken to bring {tile} level with its pool.",
        f"The closest is {found.level}: {now} on fresh seeds; {was}. Try another key, such as a cost.",
        "What a tile brings is taken to grow, or fall, with its value: values between two that agree are not tried.",
    ]
