"""The document of a comparison: what differs between two games, or what a rule is worth."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from balance.report.document import Document
from balance.report.numbers import NO_DATA, Row, listed, number, p_value, p_words, rows_of, signed, with_interval
from balance.report.section import ALPHA, Section
from balance.report.sections import caveats_of_brains
from balance.scenario.describe import tile_name, with_capital
from balance.stats.estimates import TOO_FEW
from balance.studies.compare import Comparison

if TYPE_CHECKING:
    from balance.charts.chart import Chart

_MOST_TILES_NAMED = 3
_SIZES = ((0.2, "a trifle"), (0.5, "a little"), (0.8, "clearly"), (math.inf, "far"))


def comparison_document(found: Comparison) -> Document:
    """Return what a comparison found."""
    measures, seats, tiles = found.measures(), found.seats(), found.tiles()
    is_rule = measures["key"].str.startswith("rules.")

    def draw() -> list[Chart]:
        from balance.charts.comparison import charts_of_comparison

        return charts_of_comparison(found, measures, tiles)

    parts = [
        _measures("measures", "The two games in numbers", _summary(found, measures), measures[~is_rule]),
        _measures("rules", "Where the points come from", _rules_findings(measures[is_rule]), measures[is_rule]),
        *([] if seats.empty else [_values("seats", "Seats", seats, ["policy", "seat"], _seat_findings(found, seats))]),
        *([] if tiles.empty else [_values("tiles", "Tiles", tiles, ["tile"], _tile_findings(tiles))]),
    ]
    plans = [found.a.plan, found.b.plan]
    scenarios = list(dict.fromkeys(plan.scenario.title for plan in plans))
    return Document(
        title=f"What {found.rule} is worth" if found.rule else " against ".join(found.names),
        headline=_headline(found),
        caveats=list(dict.fromkeys(word for plan in plans for word in caveats_of_brains(plan.scenario, [plan]))),
        sections=parts,
        facts={
            "comparison": {
                "names": list(found.names),
                "rule": found.rule,
                "paired": found.pair.is_paired,
                "runs": [{**run.plan.as_data(), "games": run.games} for run in (found.a, found.b)],
            }
        },
        scenarios=[plan.scenario for plan in plans] if len(scenarios) > 1 else [found.b.plan.scenario],
        method=_method(found),
        draw=draw,
    )


def _headline(found: Comparison) -> str:
    plans = [found.a.plan, found.b.plan]
    how = [f"{run.games:,} games, {run.plan.players} players, {run.plan.policy}" for run in (found.a, found.b)]
    played = f"Each {how[0]}" if how[0] == how[1] else f"A: {how[0]}; B: {how[1]}"
    luck = "on the same luck" if found.pair.is_paired else "independently"
    seeds = f"seed {plans[0].seed}" if plans[0].seed == plans[1].seed else f"seeds {plans[0].seed} and {plans[1].seed}"
    return f"A: {found.names[0]}. B: {found.names[1]}. {played}, {luck}, {seeds}."


def _method(found: Comparison) -> list[tuple[str, str]]:
    luck = "the same block of both left out at a time" if found.pair.is_paired else "each run a stratum"
    return [
        ("A", f"{found.names[0]}: {found.a.games:,} games, {found.a.plan.players} players, {found.a.plan.policy}"),
        ("B", f"{found.names[1]}: {found.b.games:,} games, {found.b.plan.players} players, {found.b.plan.policy}"),
        ("Seeds", f"{found.a.plan.seed} and {found.b.plan.seed}"),
        ("Intervals", f"95%, by the jackknife over blocks of games, {luck}"),
        ("p-values", "two-sided t tests of each difference, adjusted by Holm over the table"),
    ]


def _measures(key: str, title: str, findings: list[str], table: pd.DataFrame) -> Section:
    shown = pd.DataFrame(
        {
            "Measure": [with_capital(name) for name in table.index],
            **_cells(table, lambda row: 3 if "share" in row["unit"] or row["unit"] == "probability" else 2),
            "Size": [_size(row) for row in rows_of(table)],
            "p (Holm)": [p_value(row["p_holm"]) for row in rows_of(table)],
        }
    )
    explanation = (
        "Difference: A less B, with its 95% interval. Size: VP in standard deviations (SD) of a player's score; "
        "shares as Cohen's h; the probability as Cliff's delta; the rest relative to B."
    )
    return Section(key, title, findings, explanation, table, shown)


def _values(key: str, title: str, table: pd.DataFrame, names: list[str], findings: list[str]) -> Section:
    rows = table.reset_index().to_dict("records")
    shown = pd.DataFrame(
        {
            **{
                name.capitalize(): [tile_name(row[name]) if name == "tile" else str(row[name]) for row in rows]
                for name in names
            },
            **_cells(table, lambda _: 2),
            "p (Holm)": [p_value(row["p_holm"]) for row in rows_of(table)],
        }
    )
    what = (
        "VP that a player scores"
        if key == "seats"
        else "VP that a tile brings (marginal VP, or own VP where there is none)"
    )
    return Section(key, title, findings, f"{what}. Difference: A less B, with its 95% interval.", table, shown)


def _cells(table: pd.DataFrame, digits: Callable[[Row], int]) -> dict[str, list[str]]:
    rows = rows_of(table)
    return {
        "A": [number(row["a"], digits(row)) for row in rows],
        "B": [number(row["b"], digits(row)) for row in rows],
        "Difference": [_difference(row, digits(row)) for row in rows],
    }


def _difference(row: Row, digits: int) -> str:
    text = with_interval(row, "difference", digits)
    return text if text.startswith("-") or text == NO_DATA else f"+{text}"


def _size(row: Row) -> str:
    if math.isnan(row["size"]):
        return NO_DATA
    if row["size_of"] == "relative":
        return f"{100 * row['size']:+.0f}%"
    return f"{row['size']:+.2f} {'SD' if row['size_of'].startswith('SD') else ''}".strip()


def _summary(found: Comparison, measures: pd.DataFrame) -> list[str]:
    """Say what differs in plain words."""
    what = f"With {found.rule} scores are" if found.rule else "Scores in A are"
    sentences = []
    row = measures.loc["mean score"]
    if row["p_holm"] < ALPHA:
        degree = next(words for limit, words in _SIZES if abs(row["size"]) < limit)
        side = "higher" if row["difference"] > 0 else "lower"
        where = f"With {found.rule} scores are" if found.rule else f"Scores in A ({found.names[0]}) are"
        sentences.append(
            f"{where} {degree} {side}: {signed(row['difference'], 2)} VP a player ({number(row['a'], 1)} against "
            f"{number(row['b'], 1)}; {signed(row['size'], 2)} SD, {p_words(row['p_holm'])})."
        )
    else:
        sentences.append(f"{what} no different, as far as these games tell: {_told(row)}.")
    sentences += [
        _more_or_less(measures, "spread of scores (SD)", "Scores spread more in A", "Scores spread less in A"),
        _more_or_less(measures, "margin of victory", "Games in A are won by more", "Games in A are closer"),
        _more_or_less(
            measures,
            "first seat wins more than the last",
            "The first seat is better off, against the last, in A",
            "The first seat is worse off, against the last, in A",
        ),
    ]
    sentences += [
        _more_or_less(
            measures, name, f"The tiles of A are less even ({name})", f"The tiles of A are more even ({name})"
        )
        for name in measures.index
        if name.startswith("spread of") and name != "spread of scores (SD)"
    ]
    sentences.append(_extremes(found))
    return [sentence for sentence in sentences if sentence]


def _more_or_less(measures: pd.DataFrame, name: str, more: str, less: str) -> str:
    row = measures.loc[name]
    if not row["p_holm"] < ALPHA:
        return ""
    words = more if row["difference"] > 0 else less
    return f"{words}: {number(row['a'], 2)} against {number(row['b'], 2)} ({p_words(row['p_holm'])})."


def _told(row: pd.Series) -> str:
    if pd.isna(row["difference_low"]):
        return "too few games"
    low, high = signed(row["difference_low"], 2), signed(row["difference_high"], 2)
    return f"the difference lies between {low} and {high} VP (95%)"


def _extremes(found: Comparison) -> str:
    """Name the tiles that make the pools uneven."""
    parts = []
    for letter, run in zip("AB", (found.a, found.b), strict=True):
        tiles = next((pool for pool in run.scenario.pools.values() if pool), [])
        if len(tiles) < 2:
            continue
        statistic = list(run.tile_values(tiles).values())[-1]
        values = pd.Series(run.blocks.estimate(statistic).value, index=tiles)
        values = values[run.tiles_counted(tiles) >= TOO_FEW].sort_values()
        if len(values) > 1:
            most, least = (f"{tile_name(tile)} {values[tile]:.1f}" for tile in (values.index[-1], values.index[0]))
            parts.append(f"in {letter} from {least} to {most}")
    return f"The tiles of the pool bring {listed(parts)} VP each." if parts else ""


def _rules_findings(measures: pd.DataFrame) -> list[str]:
    sure = measures[measures["p_holm"] < ALPHA]
    if sure.empty:
        return ["No rule's share of the points differs, as far as these games tell."]
    largest = sure["difference"].abs().nlargest(3).index
    words = [f"{name} ({signed(100 * sure.loc[name, 'difference'], 1)} points)" for name in largest]
    return [f"What differs most, in shares of all: {listed(words)}."]


def _seat_findings(found: Comparison, seats: pd.DataFrame) -> list[str]:
    if not (seats["p_holm"] < ALPHA).any():
        return ["No seat scores anything else in A than in B, as far as these games tell."]
    best, worst = seats["difference"].idxmax(), seats["difference"].idxmin()
    what = f"{found.rule} is" if found.rule else "A, against B, is"
    return [
        f"{what} worth most to seat {best[1]} ({signed(seats.loc[best, 'difference'], 2)} VP), least to seat "
        f"{worst[1]} ({signed(seats.loc[worst, 'difference'], 2)} VP)."
    ]


def _tile_findings(tiles: pd.DataFrame) -> list[str]:
    sure = tiles[tiles["p_holm"] < ALPHA]
    if sure.empty:
        return ["No tile brings anything else in A than in B, as far as these games tell."]
    largest = sure["difference"].abs().nlargest(_MOST_TILES_NAMED).index
    words = [f"{tile_name(tile)} {signed(sure.loc[tile, 'difference'], 2)} VP" for tile in largest]
    return [f"What a tile brings changes most for {listed(words)} (A less B)."]
