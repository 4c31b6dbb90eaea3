"""Sections of Quadropolis: tiles, marginal VP, rounds, rules, turns, and who feeds whom."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from balance.report.numbers import (
    Row,
    interval_words,
    listed,
    number,
    percent,
    rows_of,
    with_interval,
    with_margin,
)
from balance.report.outcome import arc_section, policies_section, scores_section, seats_section
from balance.report.section import Section
from balance.scenario.describe import tile_name
from balance.studies.quadropolis import QuadropolisRun

FIRST_MAYOR = "Seat 1 is the first Mayor; whoever takes the Mayor icon starts the next round."
MOST_FEEDS = 15


def tiles_section(run: QuadropolisRun) -> Section:
    """Return what each tile brings."""
    table = run.tiles()
    rows = rows_of(table)
    cells: dict[str, Callable[[Row], str]] = {
        "Revealed": lambda row: number(row["revealed_per_game"], 1),
        "Picked": lambda row: percent(row["pick_rate"]),
        "Active": lambda row: percent(row["active_share"]),
        "Own VP": lambda row: with_margin(row, "vp_per_building", 2),
        "Marginal VP": lambda row: with_margin(row, "marginal_vp", 2),
        "Share of VP": lambda row: percent(row["share_of_vp"]),
        "Gain": lambda row: with_margin(row, "win_rate_gain", 1, share=True),
    }
    names = {"Tile": [tile_name(tile) for tile in table.index]}
    shown = pd.DataFrame({**names, **{name: [cell(row) for row in rows] for name, cell in cells.items()}})
    return Section(
        "tiles",
        "Tiles",
        _tile_findings(table),
        "Revealed per game. Picked: built, of those revealed. Active: of the buildings at the end, a stack counting "
        "once. "
        "Own VP: what the rules give a building. Marginal VP: what its owner's score loses without one tile and its "
        "resources, best activation both times. Gain: how much more often holders win than the same seats and policies "
        "do at all, in percentage points (an association: strong positions get strong tiles).",
        table,
        shown,
        ["± are 95% intervals; rows with fewer than 100 occurrences say so instead.", _valued(run)],
    )


def taken_section(run: QuadropolisRun) -> Section:
    """Return how tiles are taken, declined and exchanged, by round."""
    table = run.rounds()
    totals = run.tiles()
    rounds = run.scenario.rounds
    shown = pd.DataFrame({"Tile": [tile_name(tile) for tile in totals.index]})
    for number_ in range(1, rounds + 1):
        by_round = table.xs(number_, level="round")["pick_rate"]
        shown[f"Round {number_}"] = [
            "-" if pd.isna(by_round[tile]) else percent(by_round[tile]) for tile in totals.index
        ]
    rows = rows_of(totals)
    for name, column in (("Declined", "declined"), ("Exchanged", "exchanged"), ("Discarded", "discarded")):
        shown[name] = [number(row[f"{column}_per_game"], 2) for row in rows]
    most = totals[totals["evidence"] == "enough"]["pick_rate"]
    findings = ["Too few tiles were built to compare."]
    if len(most):
        findings = [
            f"{tile_name(most.idxmax())} is built most often once revealed ({percent(most.max())}), "
            f"{tile_name(most.idxmin())} least often ({percent(most.min())})."
        ]
    return Section(
        "taken",
        "Tiles taken, round by round",
        findings,
        "Share of the revealed tiles that is built, by round. Per game: Declined (reached, but not built), Exchanged "
        "(standard Public Services given up for one of the pool), Discarded (visible ones, by choice).",
        table,
        shown,
    )


def rules_section(run: QuadropolisRun) -> Section:
    """Return what each rule gives and takes."""
    table = run.rules()
    rows = rows_of(table)
    shown = pd.DataFrame(
        {
            "Rule": [tile_name(rule) for rule in table.index],
            "VP": [with_interval(row, "vp", 2) for row in rows],
            "Of winners": [with_margin(row, "vp_of_winners", 2) for row in rows],
            "Share": [percent(row["share"]) for row in rows],
        }
    )
    parts = table["vp"].drop("score")
    most = parts.nlargest(3)
    ahead = (table["vp_of_winners"] - table["vp"]).drop("score").nlargest(2)
    findings = [
        f"Most points come from {listed([_with_vp(rule, vp) for rule, vp in most.items()])}.",
        f"Winners are ahead of the average mostly by {listed([_with_vp(rule, vp) for rule, vp in ahead.items()])}.",
        f"Leftovers cost {number(-parts['leftover_inhabitants'] - parts['leftover_energy'], 2)} VP a player.",
    ]
    explanation = "VP per player and game; the rows add up to the score. Of winners: the same for whoever wins."
    return Section("rules", "Rules", findings, explanation, table, shown)


def turns_section(run: QuadropolisRun) -> Section:
    """Return what turns come to, and what stays without use."""
    table = run.turns()
    shown = pd.DataFrame(
        {
            "Measure": [measure.capitalize() for measure in table.index],
            "Mean": [with_interval(row, "value", 2) for row in rows_of(table)],
            "Unit": table["unit"].to_numpy(),
        }
    )
    value = table["value"]
    tiles = run.tiles()
    inactive = (tiles["buildings_per_game"] * (1 - tiles["active_share"])).fillna(0.0)
    findings = [
        f"{percent(value['turns that reached nothing'] / value['turns'])} of the turns reach nothing, and "
        f"{percent(value['tiles declined'] / value['turns'])} end with a tile declined.",
        f"{number(value['buildings left inactive'], 2)} buildings a player stay inactive, most often "
        f"{tile_name(inactive.idxmax())} ({number(inactive.max(), 2)} a game, all players together).",
    ]
    return Section("turns", "Turns and leftovers", findings, "Per player and game.", table, shown)


def feeds_section(run: QuadropolisRun) -> Section:
    """Return who makes whom earn."""
    table = run.feeds()
    pairs = table.stack()
    pairs = pairs[pairs.abs() > 0.005].sort_values(ascending=False)
    top = pd.concat([pairs.head(MOST_FEEDS), pairs[pairs < 0].tail(3)]) if len(pairs) > MOST_FEEDS else pairs
    top = top[~top.index.duplicated()]
    shown = pd.DataFrame(
        {
            "Tile": [tile_name(giver) for giver, _ in top.index],
            "Makes earn": [tile_name(scorer) for _, scorer in top.index],
            "VP a game": [number(vp, 2) for vp in top],
        }
    )
    findings = ["No tile makes another one earn anything here."]
    if len(pairs):
        giver, scorer = pairs.index[0]
        findings = [
            f"{tile_name(giver)} makes {tile_name(scorer)} earn most, {number(pairs.iloc[0], 2)} VP a game "
            f"(all players together)."
        ]
    explanation = (
        "VP a game that a tile makes another one earn by standing beside it, in its line or group, or being counted; "
        "shared equally where several do. The table as CSV has all pairs."
    )
    return Section("feeds", "Who feeds whom", findings, explanation, table, shown)


def _with_vp(rule: object, vp: float) -> str:
    return f"{tile_name(rule)} ({number(vp, 1)} VP)"


def _valued(run: QuadropolisRun) -> str:
    followed = int(run.blocks.total("games")[0, -1])
    if followed == run.games:
        return "Marginal VP was worked out in all games."
    return f"Marginal VP was worked out in {followed:,} of the games: it takes long."


def _tile_findings(table: pd.DataFrame) -> list[str]:
    findings = []
    for kind, words in (("base", "Among the base tiles"), ("expansion", "Among the Public Services of the pool")):
        of_kind = table[(table["kind"] == kind) & (table["valued"] >= 100)]
        if of_kind.empty:
            continue
        best, worst = of_kind["marginal_vp"].idxmax(), of_kind["marginal_vp"].idxmin()
        findings.append(
            f"{words}, {tile_name(best)} adds most at the margin, "
            f"{interval_words(of_kind.loc[best], 'marginal_vp', 2)} VP a tile, "
            f"{tile_name(worst)} least, {interval_words(of_kind.loc[worst], 'marginal_vp', 2)}."
        )
    return findings or ["Too few tiles were built to say which of them adds most."]


SECTIONS: dict[str, Callable[[QuadropolisRun], Section]] = {
    "scores": scores_section,
    "seats": lambda run: seats_section(run, FIRST_MAYOR),
    "policies": policies_section,
    "tiles": tiles_section,
    "taken": taken_section,
    "rules": rules_section,
    "turns": turns_section,
    "feeds": feeds_section,
    "arc": lambda run: arc_section(run, "round"),
}
