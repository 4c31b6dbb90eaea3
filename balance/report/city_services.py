"""Sections of City Services: tiles, Services against each other, rules."""

from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd

from balance.report.numbers import (
    Row,
    interval_words,
    listed,
    number,
    p_value,
    percent,
    rows_of,
    with_interval,
    with_margin,
)
from balance.report.outcome import arc_section, policies_section, scores_section, seats_section
from balance.report.section import ALPHA, Section, sentence_of_test
from balance.scenario.city_services_rules import drawing_turns
from balance.scenario.describe import tile_name, with_capital
from balance.studies.city_services import CityServicesRun


def tiles_section(run: CityServicesRun) -> Section:
    """Return what each tile does."""
    table = run.tiles()
    rows = rows_of(table)
    columns: dict[str, Callable[[Row], str]] = {
        "Placed": lambda row: number(row["placed_per_game"], 2),
        "VP per tile": lambda row: with_margin(row, "vp_per_tile", 2),
        "VP": lambda row: with_margin(row, "vp_per_game", 2),
        "Share of VP": lambda row: percent(row["share_of_vp"]),
        "Turn": lambda row: number(row["turn"], 1),
        "Denies": lambda row: with_margin(row, "denied_to_opponents", 2),
        "Win %/copy": lambda row: with_margin(row, "win_share_per_copy", 1, share=True),
        "Stuck": lambda row: number(row["stuck_per_game"], 2),
    }
    of_services = ("VP per tile", "VP", "Share of VP", "Denies")
    cells = {
        name: ["-" if row["kind"] == "Zone" and name in of_services else cell(row) for row in rows]
        for name, cell in columns.items()
    }
    shown = pd.DataFrame({"Tile": [tile_name(tile) for tile in table.index], **cells})
    services = table[table["kind"] == "Service"]
    return Section(
        "tiles",
        "Tiles",
        _tile_findings(services),
        "Placed, VP and Stuck (left in hand at the end) are per game, all seats together. Turn: when, the game's first "
        "turn being 1. Denies: points that the coverage of one tile took from opponents' later tiles of the type. "
        "Win %/copy: how much more often, in percentage points, seats win that placed one copy more (an association, "
        "within policy and seat).",
        table,
        shown,
        ["± and brackets are 95% intervals; rows with fewer than 100 occurrences say so instead."],
    )


def services_section(run: CityServicesRun) -> Section:
    """Return whether all Services score alike."""
    table = run.services()
    rows = rows_of(table)
    shown = pd.DataFrame(
        {
            "Service": [tile_name(tile) for tile in table.index],
            "VP per tile": [with_interval(row, "vp_per_tile", 2) for row in rows],
            "Against the others": [with_interval(row, "difference", 2) for row in rows],
            "p (Holm)": [p_value(p) for p in table["p_holm"]],
            "Verdict": [_service_verdict(row) for row in rows],
        }
    )
    findings = [sentence_of_test(run.services_test(), "Services", "score", "per tile"), *_service_findings(table)]
    explanation = "Each Service's VP per tile against the unweighted mean of the other Services, Holm-adjusted."
    return Section("services", "Services against each other", findings, explanation, table, shown)


def rules_section(run: CityServicesRun) -> Section:
    """Return what the rules gave, denied and forbade."""
    table = run.rules()
    rows = rows_of(table)
    shown = pd.DataFrame(
        {
            "Rule": [with_capital(rule) for _, rule in table.index],
            "Per game": [with_margin(row, "per_game", 2) for row in rows],
            "Share": [with_interval(row, "share", 1, share=True) for row in rows],
            "Unit": table["unit"].to_numpy(),
        }
    )
    shares = table["share"]
    findings = [
        f"Of the Zones in range of a Service as it is placed, {percent(shares['revenue', 'points given'])} give "
        f"points, {percent(shares['revenue', 'denied by coverage'])} are denied because they were covered before, and "
        f"{percent(shares['revenue', 'denied by the scoring limits'])} by the scoring limits.",
        f"Placement limits forbid {percent(shares['placement limits', 'all forbidden pairs'])} of the places where a "
        f"tile in hand could go otherwise.",
        f"{number(table.loc[('hands', 'left in hand at the end'), 'per_game'], 2)} tiles a game are left in hand.",
    ]
    explanation = (
        "The three parts of the Zones in range add up to all of them. Placement limits: pairs of a tile type in hand "
        "and an open square, before each placement, that the limit alone forbids, or several at once."
    )
    return Section("rules", "Rules", findings, explanation, table, shown)


def drawing_turns_sentence(run: CityServicesRun) -> str:
    """Say how the tiles in the cups are spread over the seats."""
    scenario = run.scenario
    players = run.plan.players
    turns = drawing_turns(scenario, players)
    dealt = players * (scenario.start.zones + scenario.start.services)
    left = max(0, scenario.tile_total - dealt)
    of_seat = [(turns - seat + players - 1) // players for seat in range(players)]
    start = f"With {left} tiles in the cups after the deal, {players} players get {turns} drawing turns"
    if len(set(of_seat)) == 1:
        return f"{start}: {of_seat[0]} for each seat, so what differs is who comes first."
    more = [str(seat + 1) for seat in range(players) if of_seat[seat] == of_seat[0]]
    fewer = [str(seat + 1) for seat in range(players) if of_seat[seat] < of_seat[0]]
    seats_with_more = f"seat{'s' if len(more) > 1 else ''} {listed(more)}"
    seats_with_fewer = f"seat{'s' if len(fewer) > 1 else ''} {listed(fewer)}"
    return f"{start}: {of_seat[0]} for {seats_with_more}, one fewer for {seats_with_fewer}."


def _tile_findings(services: pd.DataFrame) -> list[str]:
    enough = services[services["evidence"] == "enough"]
    if enough.empty:
        return ["Too few tiles were placed to say which Service scores most."]
    best, worst = enough["vp_per_tile"].idxmax(), enough["vp_per_tile"].idxmin()
    return [
        f"{tile_name(best)} scores most per tile, {interval_words(enough.loc[best], 'vp_per_tile', 2)} VP"
        f"{_overlapping(enough, best)}; "
        f"{tile_name(worst)} least, {interval_words(enough.loc[worst], 'vp_per_tile', 2)} VP"
        f"{_overlapping(enough, worst)}."
    ]


def _overlapping(tiles: pd.DataFrame, tile: str) -> str:
    """Name the tiles whose interval of VP per tile overlaps with that of one: they may well be as good."""
    low, high = tiles.loc[tile, "vp_per_tile_low"], tiles.loc[tile, "vp_per_tile_high"]
    overlap = (tiles["vp_per_tile_low"] <= high) & (tiles["vp_per_tile_high"] >= low)
    others = [tile_name(other) for other in tiles.index[overlap] if other != tile]
    return f", hardly told apart from {listed(others)}" if others else ""


def _service_findings(table: pd.DataFrame) -> list[str]:
    findings = []
    for word in ("above", "below"):
        names = [
            tile_name(str(row["tile"]))
            for row in rows_of(table.reset_index())
            if _service_verdict(row) == f"{word} the others"
        ]
        if names:
            findings.append(f"{word.capitalize()} the mean of the others: {listed(names)}.")
    return findings


def _service_verdict(row: Row) -> str:
    if row["evidence"] != "enough":
        return str(row["evidence"])
    if math.isnan(row["p_holm"]) or row["p_holm"] >= ALPHA:
        return "not told apart"
    return "above the others" if row["difference"] > 0 else "below the others"


SECTIONS: dict[str, Callable[[CityServicesRun], Section]] = {
    "scores": scores_section,
    "seats": lambda run: seats_section(run, drawing_turns_sentence(run)),
    "policies": policies_section,
    "tiles": tiles_section,
    "services": services_section,
    "rules": rules_section,
    "arc": lambda run: arc_section(run, "turn"),
}
