"""A recorded game of City Services, move by move: as data for a referee, and as text for people.

Every number is counted again from the moves, square by square; a difference from what the kernel counted is an error.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from balance.errors import BalanceError
from balance.games.city_services.components import Coverage, Kind, Rules
from balance.games.city_services.play import Move
from balance.games.record import Ints

Square = int
EMPTY = "."


@dataclass(frozen=True)
class Recording:
    """One game as the kernel played it.

    Attributes
    ----------
    moves : (placements, len(Move)) int64
    turns : int
    cups : list of list of int
        Types in the order of drawing, by Kind.
    policies : list of str
        By seat.
    scores, wins : list of int
        VP and twelfths of the win, by seat.
    """

    moves: Ints
    turns: int
    cups: list[list[int]]
    policies: list[str]
    scores: list[int]
    wins: list[int]


class Board:
    """The board, rebuilt tile by tile.

    Parameters
    ----------
    rules : Rules
    size : int
        Squares along a side.
    """

    def __init__(self, rules: Rules, size: int) -> None:
        self.rules = rules
        self.size = size
        self.tiles: dict[Square, int] = {}
        self._covered: dict[tuple[int, int], set[Square]] = {}

    def place(self, seat: int, tile: int, square: Square, *, is_blank: bool) -> dict[str, list[Square]]:
        """Put a tile down and return the Zones in its range, by the rule that gave or denied their point."""
        self.tiles[square] = tile
        zones: dict[str, list[Square]] = {"given": [], "denied_by_coverage": [], "denied_by_scoring_limit": []}
        if tile < self.rules.zone_types or is_blank:
            return zones
        in_range = self._in_range(tile, square)
        owner = seat if self.rules.coverage == Coverage.OWN else 0
        covered = self._covered.setdefault((owner, tile), set())
        for other in in_range:
            if self._is_zone(other):
                zones[self._verdict(tile, other, covered)].append(other)
        if self.rules.coverage != Coverage.OFF:
            covered.update(other for other in in_range if self.rules.covers_later_zones or self._is_zone(other))
        return zones

    def _in_range(self, tile: int, square: Square) -> list[Square]:
        words = self.rules.in_range[self.rules.service_range[tile], square]
        return [other for other in range(self.size**2) if int(words[other // 64]) >> other % 64 & 1]

    def _is_zone(self, square: Square) -> bool:
        return self.tiles.get(square, self.rules.types) < self.rules.zone_types

    def _verdict(self, tile: int, zone: Square, covered: set[Square]) -> str:
        scores = int(self.rules.group_scores[self.rules.scoring_group[tile]])
        if not scores >> self.tiles[zone] & 1:
            return "denied_by_scoring_limit"
        return "denied_by_coverage" if zone in covered else "given"


def replay_data(rules: Rules, size: int, names: Sequence[str], recording: Recording) -> dict[str, Any]:
    """Return a recorded game as data: cups, turns with hands and placements, scores.

    Raises
    ------
    BalanceError
        If counting again gives another result than the kernel.
    """
    board = Board(rules, size)
    seats = len(recording.policies)
    hands: list[Counter[int]] = [Counter() for _ in range(seats)]
    scores = [int(rules.handicap[seat]) for seat in range(seats)]
    cups = [iter(cup) for cup in recording.cups]
    for hand in hands:
        for kind in (Kind.ZONE, Kind.SERVICE):
            hand.update(_draw(cups[kind], int(rules.start[kind])))
    dealt = [_named(hand, names) for hand in hands]
    turns = []
    for turn in range(recording.turns):
        seat = turn % seats
        drawn = [tile for kind in (Kind.SERVICE, Kind.ZONE) for tile in _draw(cups[kind], int(rules.draw[kind]))]
        hands[seat].update(drawn)
        entry: dict[str, Any] = {"turn": turn + 1, "seat": seat + 1, "drawn": [names[tile] for tile in drawn]}
        entry["hand"] = _named(hands[seat], names)
        entry["placements"] = []
        for move in recording.moves[recording.moves[:, Move.TURN] == turn]:
            entry["placements"].append(_placement(board, names, move, scores))
            hands[seat][int(move[Move.TILE])] -= 1
        entry["hand_after"] = _named(hands[seat], names)
        entry["scores"] = list(scores)
        turns.append(entry)
    if scores != recording.scores:
        raise BalanceError(f"The recount gives {scores}, the game {recording.scores}.", "Please report this.")
    return {
        "size": size,
        "policies": recording.policies,
        "cups": {"zones": _names_of(recording.cups[0], names), "services": _names_of(recording.cups[1], names)},
        "dealt": dealt,
        "turns": turns,
        "left_in_hand": [_named(hand, names) for hand in hands],
        "scores": scores,
        "win_shares": [wins / 12 for wins in recording.wins],
    }


def _placement(board: Board, names: Sequence[str], move: np.ndarray, scores: list[int]) -> dict[str, Any]:
    tile, square, seat = int(move[Move.TILE]), int(move[Move.SQUARE]), int(move[Move.SEAT])
    is_blank = bool(move[Move.IS_BLANK])
    zones = board.place(seat, tile, square, is_blank=is_blank)
    recount = tuple(len(squares) for squares in zones.values())
    if recount != tuple(int(move[column]) for column in (Move.GIVEN, Move.DENIED_BY_COVERAGE, Move.DENIED_BY_LIMIT)):
        raise BalanceError(f"The recount of {names[tile]} on square {square} differs.", "Please report this.")
    is_service = tile >= board.rules.zone_types and not is_blank
    points = int(board.rules.vp_per_zone[tile]) * recount[0] + int(board.rules.printed_vp[tile]) if is_service else 0
    scores[seat] += points
    placement: dict[str, Any] = {"tile": names[tile], "square": _at(square, board.size), "points": points}
    if tile >= board.rules.zone_types:
        placement |= {"is_blank": is_blank}
        placement |= {rule: [_at(zone, board.size) for zone in squares] for rule, squares in zones.items()}
    return placement


def replay_text(data: dict[str, Any], names: Sequence[str]) -> Iterator[str]:
    """Return a replay as lines of text: hands, placements, points with their rule, and the board after each turn."""
    codes = tile_codes(names)
    size = data["size"]
    tiles: dict[Square, str] = {}
    for seat, hand in enumerate(data["dealt"], 1):
        yield f"Seat {seat} ({data['policies'][seat - 1]}) is dealt {_hand_words(hand)}."
    for turn in data["turns"]:
        yield ""
        yield f"Turn {turn['turn']}, seat {turn['seat']} draws {', '.join(turn['drawn']) or 'nothing'}."
        yield f"  Hand: {_hand_words(turn['hand'])}"
        newest = set()
        for placement in turn["placements"]:
            yield f"  {_placement_words(placement)}"
            row, column = placement["square"]
            newest.add((row - 1) * size + column - 1)
            tiles[(row - 1) * size + column - 1] = placement["tile"]
        if not turn["placements"]:
            yield "  Places nothing."
        yield f"  Scores: {' '.join(map(str, turn['scores']))}"
        if turn["placements"]:
            yield from board_lines(size, {square: codes[tile] for square, tile in tiles.items()}, newest)
    yield ""
    yield f"Final scores: {' '.join(map(str, data['scores']))}"
    yield f"Shares of the win: {' '.join(f'{share:.3g}' for share in data['win_shares'])}"
    yield f"Left in hand: {'; '.join(_hand_words(hand) for hand in data['left_in_hand'])}"
    yield f"Tiles on the board: {', '.join(f'{code} {name}' for name, code in codes.items())}"


def board_lines(size: int, codes: dict[Square, str], newest: set[Square]) -> list[str]:
    """Return a board as text, the newest tiles in brackets."""
    width = max(map(len, codes.values()), default=1)
    lines = ["    " + "".join(f"{column + 1:^{width + 2}}" for column in range(size)).rstrip()]
    for row in range(size):
        cells = []
        for square in range(row * size, (row + 1) * size):
            text = f"{codes.get(square, EMPTY):^{width}}"
            cells.append(f"[{text}]" if square in newest else f" {text} ")
        lines.append(f"{row + 1:>3} {''.join(cells)}".rstrip())
    return lines


def tile_codes(names: Sequence[str]) -> dict[str, str]:
    """Return a short code for each tile: as few letters, from three up, as tell all tiles apart."""
    length = 3
    while len({name[:length] for name in names}) < len(names):
        length += 1
    return {name: name[:length].capitalize() for name in names}


def _draw(cup: Iterator[int], tiles: int) -> list[int]:
    return list(itertools.islice(cup, tiles))


def _named(hand: Counter[int], names: Sequence[str]) -> dict[str, int]:
    return {names[tile]: count for tile, count in sorted(hand.items()) if count}


def _names_of(tiles: Sequence[int], names: Sequence[str]) -> list[str]:
    return [names[tile] for tile in tiles]


def _at(square: Square, size: int) -> list[int]:
    return [square // size + 1, square % size + 1]


def _hand_words(hand: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" if count > 1 else name for name, count in hand.items()) or "nothing"


def _placement_words(placement: dict[str, Any]) -> str:
    row, column = placement["square"]
    words = f"{placement['tile']} at row {row}, column {column}"
    if "given" not in placement:
        return words
    if placement["is_blank"]:
        return f"{words}, blank: its policy may not use it"
    words += f": {placement['points']} points"
    for rule in ("given", "denied_by_coverage", "denied_by_scoring_limit"):
        if placement[rule]:
            squares = " ".join(f"({row},{column})" for row, column in placement[rule])
            words += f"; {rule.replace('_', ' ')} {squares}"
    return words
