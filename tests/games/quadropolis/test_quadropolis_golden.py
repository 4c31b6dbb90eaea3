"""Golden playthroughs: a rule that has changed shows as a readable difference.

Where a change is meant, write them anew:
BALANCE_REWRITE_GOLDEN=1 pytest tests/games/quadropolis/test_quadropolis_golden.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.games.quadropolis.quadropolis_table import CLASSIC, EXPERT, SEED, Game, Turn, record, variant
from tests.naive.quadropolis import Slot, Space, Stack

FOLDER = Path(__file__).parent / "golden"
GAME = 0
PLAYTHROUGHS = {
    "classic-random": (CLASSIC, "random"),
    "classic-greedy": (CLASSIC, "greedy"),
    "expert-random": (EXPERT, "random"),
    "expert-greedy": (EXPERT, "greedy"),
}


@pytest.mark.jitted
@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_the_playthrough_is_the_golden_one(name: str) -> None:
    text = "\n".join(playthrough(*PLAYTHROUGHS[name])) + "\n"
    golden = FOLDER / f"{name}.txt"
    if os.environ.get("BALANCE_REWRITE_GOLDEN") == "1":
        FOLDER.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_a_playthrough_of_random_players_is_the_golden_one_also_without_the_jit() -> None:
    name, policy = PLAYTHROUGHS["classic-random"]
    assert "\n".join(playthrough(name, policy)) + "\n" == (FOLDER / "classic-random.txt").read_text(encoding="utf-8")


def playthrough(name: str, policy: str) -> Iterator[str]:
    """Write a game down: rounds and seats from 1; squares, slots and spaces from 0, as (row, column)."""
    game = record(variant(name), policy, 2, GAME)
    yield f"{game.scenario.title}: {policy}, 2 players, seed {SEED}, game {GAME}"
    for number in range(game.scenario.rounds):
        yield ""
        yield from _round(game, number)
    for seat in range(game.players):
        yield ""
        yield from _city(game, seat)


def _round(game: Game, number: int) -> Iterator[str]:
    yield f"Round {number + 1}, seat {game.mayors[number] + 1} starts"
    yield f"Public Services: {', '.join(game.visible[number]) or 'none'}"
    site = game.sites[number]
    for row in range(5):
        yield " ".join(f"{_on_square(game, number, site, (row, column)):21}" for column in range(5)).rstrip()
    yield f"seat  number  slot      square  {'reached':20}  {'built':20}  {'discarded':18}  space  inh  en   VP"
    for turn in game.of_round(number):
        yield _turn(turn).rstrip()


def _on_square(game: Game, number: int, site: dict[Space, str], square: Space) -> str:
    icon = "*" if square == game.mayor_squares[number] else ""
    return site.get(square, ".") + icon


def _turn(turn: Turn) -> str:
    built = turn.built or ("declined" if turn.reached else "")
    return (
        f"{turn.seat + 1:4}  {turn.number:6}  {_slot(turn.slot):8}  {_space(turn.square):6}"
        f"  {turn.reached or 'nothing':20}  {built:20}  {turn.discarded or '':18}"
        f"  {_space(turn.space):5}  {turn.inhabitants:3}  {turn.energy:2}  {turn.value:3}"
    )


def _slot(slot: Slot) -> str:
    return f"{slot[0]} {slot[1]}"


def _space(space: Space | None) -> str:
    return f"{space[0]},{space[1]}" if space else ""


def _city(game: Game, seat: int) -> Iterator[str]:
    city = game.cities()[seat]
    yield (
        f"Seat {seat + 1}: {game.scores[seat]} VP, {game.wins[seat]}/12 of the win, "
        f"{city.inhabitants} inhabitants, {city.energy} energy; (inactive), ~customers, +printed VP"
    )
    for row in range(game.scenario.city.rows):
        words = [
            _building(game, seat, city.stacks.get((row, column)), (row, column))
            for column in range(game.scenario.city.columns)
        ]
        yield " ".join(f"{word:20}" for word in words).rstrip()
    yield ", ".join(f"{rule} {points}" for rule, points in game.rules[seat].items() if points)


def _building(game: Game, seat: int, stack: Stack | None, space: Space) -> str:
    if stack is None:
        return "."
    customers = game.customers[seat].get(space, 0)
    word = stack.building + (f" {stack.floors}" if stack.floors > 1 else "") + (f"~{customers}" if customers else "")
    word += f"+{stack.printed_vp}" if stack.printed_vp else ""
    return word if space in game.active[seat] else f"({word})"
