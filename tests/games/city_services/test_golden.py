"""Golden playthroughs: a rule that has changed shows as a readable difference.

Where a change is meant, write them anew: BALANCE_REWRITE_GOLDEN=1 pytest tests/games/city_services/test_golden.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.games.city_services.table import SEED, Played, RecordedMove, moves_of, record, variant

FOLDER = Path(__file__).parent / "golden"
GAME = 0
PLAYTHROUGHS = {"random-4-players": ["random"] * 4, "greedy-2-players": ["greedy"] * 2}


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_the_playthrough_is_the_golden_one(name: str) -> None:
    text = "\n".join(playthrough(PLAYTHROUGHS[name])) + "\n"
    golden = FOLDER / f"{name}.txt"
    if os.environ.get("BALANCE_REWRITE_GOLDEN") == "1":
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def playthrough(slots: list[str]) -> Iterator[str]:
    """Write a game down: turns and seats from 1, squares as (row, column) from 0."""
    played = record(variant(), slots, GAME, SEED)
    yield f"City Services as printed: {slots[0]}, {len(slots)} players, seed {SEED}, game {GAME}"
    yield ""
    yield "turn  seat  tile            square  points  covered  limited  score"
    yield from _placements(played)
    yield ""
    yield f"The game ended after turn {played.turns}."
    for seat, score in enumerate(played.scores):
        yield f"Seat {seat + 1}: {score} VP, left in hand: {_hand(played, seat)}"
    yield ""
    yield from _board(played)


def _placements(played: Played) -> Iterator[str]:
    scores = [0] * len(played.scores)
    for move in moves_of(played):
        scores[move.seat] += move.given
        yield _placement(played, move, scores[move.seat]).rstrip()


def _placement(played: Played, move: RecordedMove, score: int) -> str:
    start = f"{move.turn + 1:4}  {move.seat + 1:4}  {move.tile:14}  {_square(move)}"
    if move.tile in played.scenario.zones:
        return start
    return f"{start}  {move.given:6}  {move.denied:7}  {move.limited:7}  {score:5}"


def _square(move: RecordedMove) -> str:
    return f"{move.square[0]:3},{move.square[1]:2}"


def _hand(played: Played, seat: int) -> str:
    return ", ".join(f"{copies} {tile}" for tile, copies in played.hand(seat).items()) or "nothing"


def _board(played: Played) -> Iterator[str]:
    size = played.scenario.board.size
    tiles = {move.square: move.tile for move in moves_of(played)}
    for row in range(size):
        yield " ".join(f"{tiles.get((row, column), '.')[:4]:4}" for column in range(size)).rstrip()
