"""Tables that every game has: scores, seats, policies and the arc of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from balance.games.outcome import LOWEST_SCORE, WIN_UNITS, ByGame, BySeat
from balance.stats.estimates import Blocks, Floats, Statistic, Sums, evidence, put, ratio
from balance.stats.tests import WaldTest, all_equal, two_sided_p

By = Literal["policy", "seat"]
AXES_SUMMED: dict[By | None, tuple[int, ...]] = {None: (1, 2), "policy": (2,), "seat": (1,)}
"""Axes of a (blocks, policies, seats, ...) tally that a table by policy, by seat, or of all games sums over."""


def groups_of(blocks: Blocks, policies: Sequence[str], by: By | None) -> list[object]:
    """Return what the rows of a table are grouped by: policies, seats from 1, or one group of all games."""
    if by is None:
        return [None]
    return list(policies) if by == "policy" else list(range(1, blocks.total("seats").shape[2] + 1))


def index_by(groups: Sequence[object], tiles: Sequence[str], by: By | None) -> pd.Index:
    """Return the index of a table with a row for each tile, or for each group and tile."""
    if by is None:
        return pd.Index(tiles, name="tile")
    return pd.MultiIndex.from_product([groups, tiles], names=[by, "tile"])


class Measured(NamedTuple):
    """A row of a table of measures; `key` is its short name, for whoever asks for it by name."""

    statistic: Statistic
    unit: str
    n: float  # occurrences
    is_share: bool = False
    key: str = ""


def measures_table(blocks: Blocks, rows: Mapping[str, Measured]) -> pd.DataFrame:
    """Return measures, one a row: index measure; columns value (with _se, _low, _high), unit, n, evidence."""
    records = []
    for measured in rows.values():
        n = np.array([measured.n])
        row: dict[str, Any] = {}
        put(row, "value", blocks.estimate(measured.statistic), n, share=measured.is_share)
        values = {column: value[0] for column, value in row.items()}
        records.append({**values, "unit": measured.unit, "n": int(measured.n), "evidence": evidence(n)[0]})
    return pd.DataFrame(records, index=pd.Index(rows, name="measure"))


def seats_table(blocks: Blocks, policies: Sequence[str]) -> pd.DataFrame:
    """Return score and win share by policy and seat.

    Returns
    -------
    DataFrame
        Index (policy, seat), seats from 1, with only the seats that the policy had. Columns: games, score,
        win_share (each with _se, _low, _high), equal_share, p_equal_share, evidence.
    """
    players = blocks.total("seats").shape[2]
    index = pd.MultiIndex.from_product([policies, range(1, players + 1)], names=["policy", "seat"])
    table = _results_table(blocks, index, lambda sums: _by_policy_and_seat(sums("seats")), players)
    return table[table["games"] > 0]


def policies_table(blocks: Blocks, policies: Sequence[str]) -> pd.DataFrame:
    """Return score and win share by policy, over all seats; columns as in `seats_table`."""
    players = blocks.total("seats").shape[2]
    index = pd.Index(policies, name="policy")
    return _results_table(blocks, index, lambda sums: sums("seats").sum(axis=2), players)


def seats_test(blocks: Blocks) -> WaldTest:
    """Test that all seats win equally often, whatever policy sits there."""
    return all_equal(blocks.estimate(lambda sums: _win_share(sums("seats").sum(axis=1))))


def policies_test(blocks: Blocks) -> WaldTest:
    """Test that all policies win equally often."""
    return all_equal(blocks.estimate(lambda sums: _win_share(sums("seats").sum(axis=2))))


def scores_table(blocks: Blocks) -> pd.DataFrame:
    """Return the level and spread of the scores, and how a game runs.

    Returns
    -------
    DataFrame
        Index measure; columns value, value_se, value_low, value_high, unit, n, evidence.
    """
    return measures_table(blocks, score_measures(blocks))


def score_measures(blocks: Blocks) -> dict[str, Measured]:
    """Return the measures of `scores_table`."""
    games, followed = blocks.total("games")[0, [ByGame.GAMES, ByGame.FOLLOWED]]
    shared, halftime = _per_game(ByGame.SHARED_WINS), _per_followed(ByGame.HALFTIME_WINS, WIN_UNITS**2)
    to_last = _per_game(ByGame.TURNS_TO_LAST_PLACEMENT)
    return {
        "mean score": Measured(_mean_score, "VP", games, key="score.mean"),
        "spread of scores (SD)": Measured(_score_sd, "VP", games, key="score.sd"),
        "margin of victory": Measured(_mean_margin, "VP", games, key="score.margin"),
        "shared wins": Measured(shared, "share of games", games, is_share=True, key="wins.shared"),
        "length": Measured(_per_game(ByGame.TURNS), "turns", games, key="length.turns"),
        "length to the last placement": Measured(to_last, "turns", games, key="length.to_last_placement"),
        "lead changes": Measured(_per_followed(ByGame.LEAD_CHANGES), "per game", followed, key="lead.changes"),
        "leader at half-time wins": Measured(
            halftime, "share of games", followed, is_share=True, key="lead.halftime_wins"
        ),
    }


def seat_measures(blocks: Blocks) -> dict[str, Measured]:
    """Return the share of wins of each seat, whatever policy sits there, and how far the first is from the last."""

    def wins(sums: Sums) -> Floats:
        return _win_share(sums("seats").sum(axis=1))

    def of_seat(seat: int) -> Statistic:
        return lambda sums: wins(sums)[:, [seat]]

    games, players = blocks.games, blocks.total("seats").shape[2]
    rows = {
        f"seat {seat + 1} wins": Measured(
            of_seat(seat), "share of games", games, is_share=True, key=f"seats.{seat + 1}.win_share"
        )
        for seat in range(players)
    }
    rows["first seat wins more than the last"] = Measured(
        lambda sums: wins(sums)[:, [0]] - wins(sums)[:, [-1]], "share of games", games, key="seats.first_less_last"
    )
    return rows


def histogram_table(blocks: Blocks, policies: Sequence[str]) -> pd.DataFrame:
    """Return how often each final score came, by policy and seat: index score, columns (policy, seat), shares."""
    counts = blocks.total("scores")[0]
    shares = ratio(counts, counts.sum(axis=2, keepdims=True))
    players = counts.shape[1]
    columns = pd.MultiIndex.from_product([policies, range(1, players + 1)], names=["policy", "seat"])
    table = pd.DataFrame(shares.reshape(len(columns), -1).T, columns=columns)
    table.index.name = "score"
    table.index += LOWEST_SCORE
    used = np.flatnonzero(counts.sum(axis=(0, 1)))
    return table.iloc[used.min() : used.max() + 1].dropna(axis=1)


def margins_table(blocks: Blocks) -> pd.DataFrame:
    """Return how often the winner led the next by how much: index margin in VP, columns games and share."""
    games = blocks.total("margins")[0]
    table = pd.DataFrame({"games": games.astype(np.int64), "share": ratio(games, games.sum())})
    table.index.name = "margin"
    return table.iloc[: np.flatnonzero(games).max() + 1]


def arc_table(blocks: Blocks, policies: Sequence[str]) -> pd.DataFrame:
    """Return the mean score after each of a seat's turns, or after each round, in the games whose course was followed.

    Returns
    -------
    DataFrame
        Index (policy, seat, turn), turns counted by seat from 1; columns score, score_se, score_low,
        score_high. Games that are over count with their final score.
    """

    def mean_by_turn(sums: Sums) -> Floats:
        arc = sums("arc")
        games = sums("seats")[..., BySeat.FOLLOWED]
        return ratio(arc, games[..., np.newaxis]).reshape(len(arc), -1)

    _, _, players, rounds = blocks.total("arc").shape
    levels = [policies, range(1, players + 1), range(1, rounds + 1)]
    index = pd.MultiIndex.from_product(levels, names=["policy", "seat", "turn"])
    columns: dict[str, Any] = {}
    games = np.repeat(blocks.total("seats")[0, ..., BySeat.FOLLOWED].ravel(), rounds)
    put(columns, "score", blocks.estimate(mean_by_turn), games)
    return _until_final(pd.DataFrame(columns, index=index).dropna(subset="score"))


def _until_final(arc: pd.DataFrame) -> pd.DataFrame:
    """Cut the arc where no mean moves any more."""
    by_turn = arc["score"].unstack("turn")
    moving = (by_turn.iloc[:, -1:].to_numpy() - by_turn.to_numpy() > 0.005).any(axis=0)
    last = int(np.flatnonzero(moving).max()) + 2 if moving.any() else 1
    return arc[arc.index.get_level_values("turn") <= last]


def _by_policy_and_seat(seats: Floats) -> Floats:
    return seats.reshape(len(seats), -1, seats.shape[-1])


def _win_share(results: Floats) -> Floats:
    return ratio(results[..., BySeat.WINS], WIN_UNITS * results[..., BySeat.GAMES])


def _results_table(blocks: Blocks, index: pd.Index, by_row: Callable[[Sums], Floats], players: int) -> pd.DataFrame:
    games = by_row(blocks.total)[0][:, BySeat.GAMES]
    columns: dict[str, Any] = {"games": games.astype(np.int64)}
    score = blocks.estimate(lambda sums: ratio(by_row(sums)[..., BySeat.SCORE], by_row(sums)[..., BySeat.GAMES]))
    put(columns, "score", score, games)
    wins = blocks.estimate(lambda sums: _win_share(by_row(sums)))
    put(columns, "win_share", wins, games, share=True)
    columns["equal_share"] = 1 / players
    columns["p_equal_share"] = two_sided_p(wins, 1 / players)
    columns["evidence"] = evidence(games)
    return pd.DataFrame(columns, index=index)


def _per_game(column: ByGame) -> Statistic:
    return lambda sums: ratio(sums("games")[:, [column]], sums("games")[:, [ByGame.GAMES]])


def _per_followed(column: ByGame, units: int = 1) -> Statistic:
    return lambda sums: ratio(sums("games")[:, [column]], units * sums("games")[:, [ByGame.FOLLOWED]])


def _moments(sums: Sums) -> tuple[Floats, Floats, Floats]:
    seats = sums("seats").sum(axis=(1, 2))
    return seats[:, [BySeat.GAMES]], seats[:, [BySeat.SCORE]], seats[:, [BySeat.SCORE_SQUARED]]


def _mean_score(sums: Sums) -> Floats:
    n, score, _ = _moments(sums)
    return ratio(score, n)


def _score_sd(sums: Sums) -> Floats:
    n, score, squares = _moments(sums)
    return np.sqrt(np.maximum(ratio(squares, n) - ratio(score, n) ** 2, 0))


def _mean_margin(sums: Sums) -> Floats:
    margins = sums("margins")
    return ratio(margins @ np.arange(margins.shape[1])[:, np.newaxis], margins.sum(axis=1, keepdims=True))
