"""The document of a check: verdicts in plain words, with the evidence beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from balance.games.interventions import Act
from balance.report.document import Document
from balance.report.numbers import NO_DATA, Row, about, listed, number, p_value, percent, signed, with_margin
from balance.report.section import Section
from balance.report.sections import caveats_of_brains, sections
from balance.runs.plan import Plan
from balance.scenario.describe import tile_name, with_capital
from balance.stats.estimates import TOO_FEW
from balance.stats.verdicts import DECIDED, DECIDES_FROM, Verdict
from balance.studies.check import Check, Question

if TYPE_CHECKING:
    from balance.charts.chart import Chart

_WITNESSES = {
    "blank_contrast": "ablation",
    "marginal_vp_contrast": "marginal VP",
    "own_vp_contrast": "own VP",
    "win_share_contrast": "win share",
    "win_rate_gain_contrast": "the win rate of holders",
}
_IN_ORDER = (
    Verdict.OVERPOWERED,
    Verdict.UNDERPOWERED,
    Verdict.STRONG,
    Verdict.WEAK,
    Verdict.BALANCED,
    Verdict.UNDECIDED,
    Verdict.TOO_FEW,
    Verdict.NO_DATA,
)
_MORE = (Verdict.OVERPOWERED, Verdict.STRONG)


def check_document(check: Check) -> Document:
    """Return what a check found."""
    table, question = check.table(), check.question

    def draw() -> list[Chart]:
        from balance.charts.verdicts import charts_of_check

        return charts_of_check(table, question.margin)

    plans = [run.plan for run in check.runs]
    return Document(
        title=f"{question.scenario.title}: is it balanced?",
        headline=_headline(check),
        caveats=caveats_of_brains(question.scenario, plans),
        sections=[
            _verdicts(check, table),
            _evidence(check, table),
            _beyond_pool(check, table),
            _wins(check, table),
            _games(check, table),
            *_seats(check),
        ],
        facts={"check": _facts(check)},
        scenarios=[question.scenario],
        method=_method(check, plans),
        draw=draw,
    )


def _headline(check: Check) -> str:
    question = check.question
    games = listed([f"{run.games:,} ({run.plan.policy}, {run.plan.players} players)" for run in check.runs])
    tiles = [tile_name(tile) for tile in question.tiles]
    what = listed(tiles) if len(tiles) <= 3 else f"{len(tiles)} tiles"
    return (
        f"{question.scenario.title}: {what} against the other tiles of the pool, margin {question.margin:g} VP. "
        f"Games: {games}, each played again without each tile that was held."
    )


def _facts(check: Check) -> dict[str, Any]:
    question = check.question
    return {
        "tiles": list(question.tiles),
        "policies": list(question.policies),
        "players": list(question.players),
        "margin": question.margin,
        "alpha": question.alpha,
        "looks": question.looks,
        "runs": [{**run.plan.as_data(), "games": run.games} for run in check.runs],
    }


def _method(check: Check, plans: Sequence[Plan]) -> list[tuple[str, str]]:
    question = check.question
    looks = f", and {question.looks} looks" if question.looks > 1 else ""
    return [
        ("Scenario", f"{question.scenario.title}. {question.scenario.description}".strip()),
        ("Games", "; ".join(f"{run.games:,} of {run.plan.policy}, {run.plan.players} players" for run in check.runs)),
        ("Seed", f"{plans[0].seed}: the same seed gives the same games"),
        ("Margin", f"{question.margin:g} VP: what is less does not matter"),
        (
            "Error",
            f"at most {question.alpha:g} for any wrong verdict: each interval at {1 - question.alpha_of_each:.5f}, "
            f"shared equally between {len(question.tiles)} tiles, {len(question.policies)} policies, "
            f"{len(question.players)} numbers of players{looks}",
        ),
        ("Verdict", f"from restricted play, from {DECIDES_FROM} holdings on; intervals by the jackknife over blocks"),
    ]


def _verdicts(check: Check, table: pd.DataFrame) -> Section:
    rows = _rows(table)
    shown = pd.DataFrame(
        {
            **names_of_rows(check.question, rows),
            "Verdict": [row["verdict"] for row in rows],
            "Beyond its pool": [_deciding(row) for row in rows],
            "Brings": [with_margin(row, "omit_vp", 2) for row in rows],
            "Held": [number(row["holdings_per_game"], 2) for row in rows],
            "Games to decide": [_games_to_decide(row) for row in rows],
        }
    )
    explanation = (
        "Brings: VP that a seat loses, per game in which it held the tile, when it may not use it (the same game "
        "played again). Beyond its pool: that less the mean of the other tiles of the pool, with the interval that "
        "decides. Held: seats per game. Games to decide: in all, if the numbers stay as they are."
    )
    return Section("verdicts", "Verdicts", _sentences(check, table), explanation, table, shown, _left_out(check))


def _left_out(check: Check) -> list[str]:
    """Name the tiles that are held too rarely to count among the others of their pool."""
    notes = []
    for judged in check.judged:
        plan, held = judged.run.plan, judged.effects.holdings(Act.OMIT)
        rare = [tile_name(tile) for tile, n in zip(plan.studied, held, strict=True) if n < TOO_FEW]
        if rare:
            whom = f"{plan.policy}, {plan.players} players"
            notes.append(f"Held fewer than {TOO_FEW} times ({whom}), so not among the others: {listed(rare)}.")
    return notes


def _sentences(check: Check, table: pd.DataFrame) -> list[str]:
    """Return a sentence for each tile, at each number of players, led by the strongest policy."""
    found = check.verdicts()
    sentences = [_in_short(found)] if len(found) > 1 else []
    for (tile, players), leading in found.iterrows():
        row = table.loc[(leading["policy"], players, tile)].to_dict()
        sentences.append(_sentence(str(tile), str(leading["policy"]), int(str(players)), row, check.question.margin))
        if leading["is_policy_dependent"]:
            sentences.append(f"  That is policy-dependent: {_by_policy(table, str(tile), int(str(players)))}.")
    return sentences


def _in_short(found: pd.DataFrame) -> str:
    """Name the tiles of each verdict, the decided ones first."""
    several = found.index.get_level_values("players").nunique() > 1
    parts = []
    for word in _IN_ORDER:
        tiles = [
            f"{tile_name(str(tile))}{f' ({players} players)' if several else ''}"
            for tile, players in found.index[found["verdict"] == word]
        ]
        if tiles:
            parts.append(f"{with_capital(word)}: {listed(tiles)}.")
    return " ".join(parts)


def _by_policy(table: pd.DataFrame, tile: str, players: int) -> str:
    words = table.xs((players, tile), level=("players", "tile"))["verdict"]
    return listed([f"{word} for {policy}" for policy, word in words.items()])


def _sentence(tile: str, policy: str, players: int, row: Row, margin: float) -> str:
    verdict = row["verdict"]
    whom = f"for {policy} players ({players} players)"
    if verdict == Verdict.NO_DATA:
        return f"{tile_name(tile)}: no data {whom}: nobody ever held it."
    if verdict == Verdict.TOO_FEW:
        at_least = f"it takes at least {about(row['games_to_decide'])} games"
        return f"{tile_name(tile)}: too few holdings {whom}: {row['holdings']:,}; {at_least}."
    brings = f"it brings {number(row['omit_vp'], 2)} VP when held, {_beyond(row, margin)}"
    if verdict == Verdict.UNDECIDED:
        return f"{tile_name(tile)} is undecided {whom}: {brings}; {_decided_by(row)}."
    witnesses = _witnesses(row, margin)
    more = f"; {_decided_by(row)}" if verdict in (Verdict.STRONG, Verdict.WEAK) else ""
    return f"{tile_name(tile)} is {verdict} {whom}: {brings}{more}.{witnesses}"


def _beyond(row: Row, margin: float) -> str:
    if pd.isna(row["contrast"]):
        return "but the others of its pool were held too rarely to compare with"
    low, high = number(row["decision_low"], 2), number(row["decision_high"], 2)
    side = "more" if row["contrast"] >= 0 else "less"
    return (
        f"{number(abs(row['contrast']), 2)} {side} than the others of its pool (interval {low} to {high}, "
        f"margin {margin:g})"
    )


def _decided_by(row: Row) -> str:
    return (
        f"{about(row['games_to_decide'])} games in all would decide"
        if row["games_to_decide"] < float("inf")
        else ("it lies so near the margin that no number of games would decide")
    )


def _games_to_decide(row: Row) -> str:
    if row["verdict"] in DECIDED:
        return "decided"
    return about(row["games_to_decide"]).removeprefix("about ")


def _witnesses(row: Row, margin: float) -> str:
    """Say which other measures confirm, and which contradict, the verdict."""
    said: dict[str, list[str]] = {"confirm": [], "contradict": []}
    for name, words in _WITNESSES.items():
        if f"{name}_low" in row and (side := _testimony(row, name, margin)):
            said[side].append(words)
    sentences = [
        f" {with_capital(listed(names))} {side}{'s' if len(names) == 1 else ''} it."
        for side, names in said.items()
        if names
    ]
    return "".join(sentences)


def _testimony(row: Row, name: str, margin: float) -> str:
    """Return whether a measure's 95% interval confirms or contradicts the verdict; "" where it says neither."""
    low, high, verdict = float(row[f"{name}_low"]), float(row[f"{name}_high"]), row["verdict"]
    if verdict == Verdict.BALANCED:
        if name != "blank_contrast":
            return ""  # the margin is one of VP per holding
        inside, outside = -margin < low and high < margin, low > margin or high < -margin
        return "confirm" if inside else "contradict" if outside else ""
    sign = 1.0 if verdict in _MORE else -1.0
    if min(sign * low, sign * high) > 0:
        return "confirm"
    return "contradict" if max(sign * low, sign * high) < 0 else ""


def _evidence(check: Check, table: pd.DataFrame) -> Section:
    rows = _rows(table)
    columns: dict[str, Callable[[Row], str]] = {
        "Omit": lambda row: with_margin(row, "omit_vp", 2),
        "Ablation": lambda row: with_margin(row, "blank_vp", 2),
        "Must-take": lambda row: with_margin(row, "take_vp", 2),
        "Marginal": lambda row: with_margin(row, "marginal_vp", 2),
        "Own": lambda row: with_margin(row, "own_vp", 2),
    }
    if "marginal_vp" not in table:
        del columns["Marginal"]
    shown = pd.DataFrame(
        {**names_of_rows(check.question, rows), **{name: [cell(row) for row in rows] for name, cell in columns.items()}}
    )
    explanation = (
        "VP per holding: Omit (the seat may not use the tile), Ablation (the tile is there for all, but does "
        "nothing), Must-take (the seat builds it whenever it can: what that brings, where the tile was to be had). "
        "Per tile: Marginal (the final city less the same city without it) and Own VP (what the rules give it)."
    )
    return Section("evidence", "Evidence in VP", [], explanation, table, shown, ["± are 95% intervals."])


def _beyond_pool(check: Check, table: pd.DataFrame) -> Section:
    rows = _rows(table)
    columns = {
        "Omit": "contrast",
        "Ablation": "blank_contrast",
        "Marginal": "marginal_vp_contrast",
        "Own": "own_vp_contrast",
    }
    cells = {words: [with_margin(row, name, 2) for row in rows] for words, name in columns.items() if name in table}
    cells["p (Holm)"] = [p_value(row["p_holm"]) for row in rows]
    shown = pd.DataFrame({**names_of_rows(check.question, rows), **cells})
    explanation = (
        "The same, less the mean of the other tiles of the pool. p: of Omit, that the tile is like the others; Holm "
        "over the table."
    )
    return Section("pool", "Beyond the pool", [], explanation, table, shown, ["± are 95% intervals."])


def _wins(check: Check, table: pd.DataFrame) -> Section:
    rows = _rows(table)
    columns: dict[str, Callable[[Row], str]] = {
        "Omit": lambda row: with_margin(row, "omit_win_share", 1, share=True),
        "Ablation": lambda row: with_margin(row, "blank_win_share", 1, share=True),
        "Must-take": lambda row: with_margin(row, "take_win_share", 1, share=True),
        "Holders": lambda row: with_margin(row, "win_rate_gain", 1, share=True),
        "Gap": lambda row: with_margin(row, "selection_gap", 1, share=True),
    }
    shown = pd.DataFrame(
        {**names_of_rows(check.question, rows), **{name: [cell(row) for row in rows] for name, cell in columns.items()}}
    )
    explanation = (
        "Percentage points of the win share: Omit, Ablation and Must-take as above; Holders, how much more often "
        "those who held the tile win than their seats do (an association). Gap: Holders less Omit, the effect of "
        "selection."
    )
    return Section("wins", "Evidence in wins", [_selection(table)], explanation, table, shown, ["± are 95% intervals."])


def _selection(table: pd.DataFrame) -> str:
    gaps = table["selection_gap"][table["selection_gap_low"].notna()]
    if gaps.empty:
        return "Too few holdings to tell association from effect."
    row = table.loc[gaps.abs().idxmax()]
    return (
        f"Association is not effect: beyond the other tiles, holding {tile_name(row.name[-1])} goes with "
        f"{signed(100 * row['win_rate_gain_contrast'], 1)} points of wins, while it brings "
        f"{signed(100 * row['win_share_contrast'], 1)}; the gap, which is selection, is largest here."
    )


def _games(check: Check, table: pd.DataFrame) -> Section:
    rows = _rows(table)
    shown = pd.DataFrame(
        {
            **names_of_rows(check.question, rows),
            "Holdings": [f"{row['holdings']:,}" for row in rows],
            "VP per game": [with_margin(row, "omit_vp_per_game", 3) for row in rows],
            "Win per game": [with_margin(row, "omit_win_share_per_game", 2, share=True) for row in rows],
            "Saved, omit": [percent(row["omit_saved"], 0) for row in rows],
            "Saved, ablation": [percent(row["blank_saved"], 0) for row in rows],
        }
    )
    saved = table["omit_saved"].dropna()
    findings = ["No game could be played again."]
    if len(saved):
        findings = [
            f"Playing on the same luck saved {percent(saved.min(), 0)} to {percent(saved.max(), 0)} of the games that "
            "independent ones would have taken (restricted play)."
        ]
    explanation = (
        "Effects per game, all seats together (no verdict rests on them: a rare tile has a small one). Saved: share "
        "of the games that independent pairs would take for the same error."
    )
    return Section("games", "Effects per game, and what pairing saved", findings, explanation, table, shown)


def _rows(table: pd.DataFrame) -> list[Row]:
    return table.reset_index().to_dict("records")


def _seats(check: Check) -> list[Section]:
    """Return whether the seats are fair, for each policy and number of players."""
    several = len(check.runs) > 1
    parts = []
    for run in check.runs:
        (section,) = sections(run, ["seats"])
        policy, players = run.plan.policy, run.plan.players
        if several:
            section = replace(section, key=f"seats-{policy}-{players}p", title=f"Seats: {policy}, {players} players")
        parts.append(section)
    return parts


def names_of_rows(question: Question, rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the columns that name a row: policy and players only where there are several."""
    columns = {}
    if len(question.policies) > 1:
        columns["Policy"] = [str(row["policy"]) for row in rows]
    if len(question.players) > 1:
        columns["Players"] = [str(row["players"]) for row in rows]
    columns["Tile"] = [tile_name(row["tile"]) for row in rows]
    return columns


def _deciding(row: Row) -> str:
    if pd.isna(row["contrast"]):
        return NO_DATA
    return f"{signed(row['contrast'], 2)} [{number(row['decision_low'], 2)}, {number(row['decision_high'], 2)}]"
