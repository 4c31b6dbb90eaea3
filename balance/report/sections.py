"""What a run tells, section by section: findings in plain words, the numbers beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pandas as pd

from balance.report.numbers import (
    Row,
    counted,
    interval_words,
    listed,
    number,
    p_value,
    p_words,
    percent,
    rows_of,
    with_interval,
    with_margin,
)
from balance.runs.plan import Plan
from balance.scenario.city_services import CityServices
from balance.scenario.city_services_rules import drawing_turns
from balance.scenario.describe import tile_name
from balance.stats.tests import WaldTest
from balance.studies.run import Run

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


def section_keys(plan: Plan) -> list[str]:
    """Return the keys of the sections that a run of this plan has, the broadest question first."""
    return [key for key in _BUILDERS if key != "policies" or len(plan.policies) > 1]


def sections(run: Run, keys: Sequence[str] = ()) -> list[Section]:
    """Return the sections of a run with the given keys, or all."""
    return [_BUILDERS[key](run) for key in section_keys(run.plan) if not keys or key in keys]


def headline(run: Run) -> str:
    """Return what was played, in a sentence."""
    plan = run.plan
    seats = "" if len(run.policies) == 1 else " (seats fixed)" if plan.fixed_seats else " (rotating over the seats)"
    return (
        f"{plan.scenario.title}: {counted(run.games, 'game')}, {plan.players} players, "
        f"policy {plan.policy}{seats}, seed {plan.seed}."
    )


def caveats(run: Run) -> list[str]:
    """Return what to bear in mind before believing anything."""
    brains = {policy.brain for policy in run.plan.policies}
    words = {
        "random": "random places tiles anywhere: a floor to compare with, not how people play.",
        "greedy": "greedy takes the most points at once, like a beginner: what it finds holds for such players.",
    }
    few = [] if run.games >= 300 else [f"{counted(run.games, 'game')}: too few for sound intervals, which take 300."]
    return [*run.plan.scenario.remarks, *few, *(words[brain] for brain in sorted(brains))]


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


def seats_section(run: Run) -> Section:
    """Return whether the seats are fair."""
    table = run.seats()
    shown = _results_shown(table.reset_index(), ["policy", "seat"] if len(run.policies) > 1 else ["seat"])
    findings = [*_seat_findings(run, table), drawing_turns_sentence(run)]
    explanation = "Seat 1 plays first. A win shared by k players counts 1/k for each."
    return Section("seats", "Seats", findings, explanation, table, shown)


def policies_section(run: Run) -> Section:
    """Return how the policies fare against each other."""
    table = run.by_policy()
    best = table["win_share"].idxmax()
    equal = f"{percent(1 / run.plan.players)} would be equal"
    findings = [
        f"{best} wins most often: {interval_words(table.loc[best], 'win_share', 1, share=True)} of its games; {equal}.",
        _test_sentence(run.policies_test(), "policies", "win"),
    ]
    shown = _results_shown(table.reset_index(), ["policy"])
    explanation = "All seats together. Each policy is counted over the games and seats that it played."
    return Section("policies", "Policies", findings, explanation, table, shown)


def tiles_section(run: Run) -> Section:
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


def services_section(run: Run) -> Section:
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
    findings = [_test_sentence(run.services_test(), "Services", "score", "per tile"), *_service_findings(table)]
    explanation = "Each Service's VP per tile against the unweighted mean of the other Services, Holm-adjusted."
    return Section("services", "Services against each other", findings, explanation, table, shown)


def rules_section(run: Run) -> Section:
    """Return what the rules gave, denied and forbade."""
    table = run.rules()
    rows = rows_of(table)
    shown = pd.DataFrame(
        {
            "Rule": [f"{rule[0].upper()}{rule[1:]}" for _, rule in table.index],
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


def arc_section(run: Run) -> Section:
    """Return how scores grow."""
    table = run.arc()
    keys = ["policy", "seat"] if len(run.policies) > 1 else ["seat"]
    wide = table["score"].unstack("turn").reset_index()
    turns = [column for column in wide.columns if isinstance(column, int)]
    step = max(1, -(-len(turns) // 10))
    cells = {f"Turn {turn}": [number(value, 1) for value in wide[turn]] for turn in turns[step - 1 :: step]}
    shown = pd.DataFrame({**{key.capitalize(): wide[key].astype(str) for key in keys}, **cells})
    half, end = turns[(len(turns) - 1) // 2], turns[-1]
    findings = [
        f"After {counted(half, 'turn')} of their own the seats have "
        f"{listed([number(value, 1) for value in wide[half]])} VP on average, "
        f"at the end {listed([number(value, 1) for value in wide[end]])}."
    ]
    explanation = (
        "VP after the seat's n-th turn, in the order of the rows; games that are over count with their last score."
    )
    return Section("arc", "The arc of a game", findings, explanation, table, shown)


_BUILDERS: dict[str, Callable[[Run], Section]] = {
    "scores": scores_section,
    "seats": seats_section,
    "policies": policies_section,
    "tiles": tiles_section,
    "services": services_section,
    "rules": rules_section,
    "arc": arc_section,
}


def drawing_turns_sentence(run: Run) -> str:
    """Say how the tiles in the cups are spread over the seats."""
    scenario: CityServices = run.plan.scenario
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


def _seat_findings(run: Run, table: pd.DataFrame) -> list[str]:
    if len(run.policies) > 1:
        return [_test_sentence(run.seats_test(), "seats", "win")]
    by_seat = table.droplevel("policy")
    best, worst = by_seat["win_share"].idxmax(), by_seat["win_share"].idxmin()
    return [
        f"Seat {best} wins most often, {interval_words(by_seat.loc[best], 'win_share', 1, share=True)}, seat {worst} "
        f"least, {interval_words(by_seat.loc[worst], 'win_share', 1, share=True)}; "
        f"{percent(1 / run.plan.players)} would be equal.",
        _test_sentence(run.seats_test(), "seats", "win"),
    ]


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


def _test_sentence(test: WaldTest, things: str, verb: str, how: str = "equally often") -> str:
    if math.isnan(test.p):
        return f"Whether all {things} {verb} alike cannot be tested with these games."
    alike = "alike per tile" if how == "per tile" else how
    evidence = f"(F({test.df[0]}, {test.df[1]}) = {test.f:,.1f}, {p_words(test.p)})"
    if test.p < ALPHA:
        return f"The {things} do not {verb} {alike} {evidence}."
    return f"That the {things} {verb} {alike} is not contradicted by these games {evidence}."


def _results_shown(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
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
