"""City Services as obviously as possible: squares are (row, column) and the board is a dict.

Written from the rules texts, for tests only. `play_game` plays one game and returns its diary; `count_games`
adds up diaries. Everything that is counted is worked out from the diary after the game.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from balance.scenario.city_services import CityServices
from tests.naive import luck

Square = tuple[int, int]
Limit = frozenset[str]  # the two tiles that a placement limit keeps apart
Counts = Counter[tuple[object, ...]]

BLOCKS = 240
WIN_UNITS = 12


class Policy(NamedTuple):
    """A policy, taken apart: `greedy-parks+fire` never builds parks and builds fire whenever it can."""

    brain: str
    never: frozenset[str]
    whenever: frozenset[str]


def policy_named(name: str) -> Policy:
    """Take the name of a policy apart."""
    brain, *restrictions = re.split(r"(?=[-+])", name)
    never = frozenset(word[1:] for word in restrictions if word[0] == "-")
    whenever = frozenset(word[1:] for word in restrictions if word[0] == "+")
    return Policy(brain, never, whenever)


# The board


class PlacedService(NamedTuple):
    """A Service on the board that is not blank."""

    seat: int
    tile: str
    covers: frozenset[Square]


@dataclass
class Board:
    """What lies where, and which Services were placed in which order."""

    scenario: CityServices
    tiles: dict[Square, str] = field(default_factory=dict)
    services: list[PlacedService] = field(default_factory=list)


def all_squares(scenario: CityServices) -> list[Square]:
    """List the squares row by row."""
    return _squares_of_board(scenario.board.size)


@functools.cache
def _squares_of_board(size: int) -> list[Square]:
    return [(row, column) for row in range(size) for column in range(size)]


def square_number(scenario: CityServices, square: Square) -> int:
    """Count the squares before this one, row by row."""
    return square[0] * scenario.board.size + square[1]


def centre_squares(scenario: CityServices) -> set[Square]:
    """Return the center 4 spaces of the Map."""
    low, high = scenario.board.size // 2 - 1, scenario.board.size // 2
    return {(low, low), (low, high), (high, low), (high, high)}


def neighbours(square: Square) -> list[Square]:
    """List the squares that share a side, also those beyond the edge of the board."""
    row, column = square
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]


def open_squares(board: Board) -> list[Square]:
    """List the empty squares where a tile without placement limits may be placed."""
    return [square for square in all_squares(board.scenario) if is_open(board, square)]


def is_open(board: Board, square: Square) -> bool:
    """Tell whether a tile without placement limits may be placed on a square."""
    placement = board.scenario.placement
    if square in board.tiles:
        return False
    if not board.tiles:
        return square in centre_squares(board.scenario) or not placement.first_tile_in_centre
    return not placement.beside_a_tile or any(beside in board.tiles for beside in neighbours(square))


def is_kept_apart(scenario: CityServices, tile: str, placed: str) -> bool:
    """Tell whether a tile may not be placed beside another that is already there."""
    placement = scenario.placement
    if placed in placement.forbidden_beside.get(tile, []):
        return True
    return placement.both_ways and tile in placement.forbidden_beside.get(placed, [])


def limits_against(board: Board, tile: str, square: Square) -> set[Limit]:
    """Return the placement limits that forbid a tile on a square."""
    placed = {board.tiles[beside] for beside in neighbours(square) if beside in board.tiles}
    return {frozenset({tile, other}) for other in placed if is_kept_apart(board.scenario, tile, other)}


def legal_squares(board: Board, tile: str) -> list[Square]:
    """List the squares where a tile may be placed, row by row."""
    return [square for square in open_squares(board) if not limits_against(board, tile, square)]


# Revenue


def steps(diagonal: bool, one: Square, other: Square) -> int:
    """Count the steps between two squares: a diagonal step is one (Chebyshev distance), or there is none."""
    rows, columns = abs(one[0] - other[0]), abs(one[1] - other[1])
    return max(rows, columns) if diagonal else rows + columns


def squares_in_range(scenario: CityServices, service: str, square: Square) -> frozenset[Square]:
    """Return the squares in range of a Service, its own excluded."""
    reach = scenario.services[service].range
    return _squares_within(scenario.board.size, scenario.revenue.diagonal_ranges, reach, square)


@functools.cache
def _squares_within(size: int, diagonal: bool, reach: int, square: Square) -> frozenset[Square]:
    others = _squares_of_board(size)
    return frozenset(other for other in others if 0 < steps(diagonal, square, other) <= reach)


def zones(board: Board) -> set[Square]:
    """Return the squares with a Zone."""
    return {square for square, tile in board.tiles.items() if tile in board.scenario.zones}


def scored_kinds(board: Board, service: str) -> set[Square]:
    """Return the squares with a Zone of a type that a Service scores (rulebook, Scoring Limits)."""
    never = board.scenario.revenue.never_score.get(service, [])
    return {square for square in zones(board) if board.tiles[square] not in never}


def denying_services(board: Board, seat: int, service: str) -> list[PlacedService]:
    """List the earlier Services of a type whose coverage counts against a seat, the earliest first."""
    coverage = board.scenario.revenue.coverage
    same_type = [earlier for earlier in board.services if earlier.tile == service]
    if coverage == "off":
        return []
    return [earlier for earlier in same_type if coverage == "everyone" or earlier.seat == seat]


def covered_squares(board: Board, seat: int, service: str) -> set[Square]:
    """Return the squares that give a seat no point for a Service, as they are covered."""
    covered: set[Square] = set()
    for earlier in denying_services(board, seat, service):
        covered |= earlier.covers
    return covered


def points(scenario: CityServices, service: str, scored: int) -> int:
    """Return the points for a Service that scores a number of Zones."""
    return scenario.services[service].printed_vp + scenario.services[service].vp_per_zone * scored


def points_by_square(board: Board, seat: int, service: str) -> dict[Square, int]:
    """Return what a Service would score at once on each legal square."""
    targets = scored_kinds(board, service) - covered_squares(board, seat, service)
    return {
        square: points(board.scenario, service, len(targets & squares_in_range(board.scenario, service, square)))
        for square in legal_squares(board, service)
    }


def covering_service(board: Board, seat: int, service: str, square: Square) -> PlacedService:
    """Put a Service on the board: it covers its range, or only the Zones that are there already."""
    covers = squares_in_range(board.scenario, service, square)
    if not board.scenario.revenue.covers_later_zones:
        covers = covers & zones(board)
    return PlacedService(seat, service, covers)


# A game


class Placement(NamedTuple):
    """One tile placed."""

    turn: int
    seat: int
    tile: str
    square: Square
    given: int = 0
    denied_by: tuple[int, ...] = ()  # for each Zone denied by coverage, the seat that covered it first
    limited: int = 0
    is_blank: bool = False


class Turn(NamedTuple):
    """One turn, at its end."""

    seat: int
    scores: tuple[int, ...]
    has_drawn: bool
    has_placed: bool


class Pair(NamedTuple):
    """A type in hand and an open square, before a placement, and the limits that forbid it."""

    tile: str
    square: Square
    limits: frozenset[Limit]


@dataclass
class Diary:
    """All that happened in a game."""

    number: int
    policies: list[str]  # by seat
    turns: list[Turn] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    stuck: list[Counter[str]] = field(default_factory=list)  # by seat: the hand at the end

    @property
    def scores(self) -> tuple[int, ...]:
        """The final scores."""
        return self.turns[-1].scores


@dataclass
class Game:
    """A game in progress."""

    board: Board
    policies: list[Policy]  # by seat
    cups: dict[str, list[str]]  # by kind, the next tile first
    hands: list[Counter[str]]
    scores: list[int]
    key: int  # of all decisions of this game
    diary: Diary

    @property
    def scenario(self) -> CityServices:
        """The scenario that is played."""
        return self.board.scenario


def play_game(scenario: CityServices, slots: list[str], seed: int, number: int, rotates: bool = True) -> Diary:
    """Play one game; `slots` names the policy of each seat before rotation."""
    game = set_up(scenario, slots, seed, number, rotates)
    while not is_over(game):
        take_turn(game)
    game.diary.stuck = [+hand for hand in game.hands]
    return game.diary


def set_up(scenario: CityServices, slots: list[str], seed: int, number: int, rotates: bool) -> Game:
    """Fill the cups and deal the starting hands, seat by seat."""
    names = policies_by_seat(slots, number, rotates)
    cups = {kind: shuffled_cup(scenario, kind, seed, number) for kind in ("zones", "services")}
    game = Game(
        board=Board(scenario),
        policies=[policy_named(name) for name in names],
        cups=cups,
        hands=[Counter() for _ in names],
        scores=[scenario.seats.handicap[seat] for seat in range(len(names))],
        key=luck.game_key(seed, number, luck.DECISIONS),
        diary=Diary(number, names),
    )
    for seat in range(len(names)):
        draw(game, seat, "zones", scenario.start.zones)
        draw(game, seat, "services", scenario.start.services)
    return game


def policies_by_seat(slots: list[str], number: int, rotates: bool) -> list[str]:
    """Rotate the policies by one seat every 240 games."""
    rotation = number // BLOCKS if rotates else 0
    return [slots[(seat + rotation) % len(slots)] for seat in range(len(slots))]


def types_of(scenario: CityServices, kind: str) -> list[str]:
    """List the tile types of a kind in the order of the scenario."""
    return list(scenario.zones if kind == "zones" else scenario.services)


def copies_of(scenario: CityServices, tile: str) -> int:
    """Return how many copies of a tile are in the box."""
    return scenario.zones[tile].count if tile in scenario.zones else scenario.services[tile].count


def shuffled_cup(scenario: CityServices, kind: str, seed: int, number: int) -> list[str]:
    """Return the tiles of a set in the order of drawing: by hash of (seed, game, tile, copy)."""
    key = luck.game_key(seed, number, luck.DRAWS)
    tiles = []
    for tile in types_of(scenario, kind):
        tile_key = luck.combine(key, luck.text_key(tile))
        tiles += [(luck.combine(tile_key, copy), tile) for copy in range(copies_of(scenario, tile))]
    return [tile for _, tile in sorted(tiles)]


def draw(game: Game, seat: int, kind: str, tiles: int) -> None:
    """Draw tiles from a cup, or what it still has."""
    for _ in range(tiles):
        if game.cups[kind]:
            game.hands[seat][game.cups[kind].pop(0)] += 1


def is_over(game: Game) -> bool:
    """Tell whether both cups are empty and as many turns in a row as there are players placed nothing."""
    players = len(game.policies)
    last_turns = game.diary.turns[-players:]
    is_idle = len(last_turns) == players and not any(turn.has_placed for turn in last_turns)
    return is_idle and not game.cups["zones"] and not game.cups["services"]


def take_turn(game: Game) -> None:
    """Plan, then Build, gaining Revenue as each Service is placed."""
    turn = len(game.diary.turns)
    seat = turn % len(game.policies)
    scenario = game.scenario
    tiles_in_cups, tiles_placed = cup_total(game), len(game.board.tiles)
    draw(game, seat, "services", scenario.turn.draw_services)
    draw(game, seat, "zones", scenario.turn.draw_zones)
    step = build(game, seat, "zones", scenario.turn.place_zones, first_step=0)
    build(game, seat, "services", scenario.turn.place_services, first_step=step)
    has_drawn = cup_total(game) < tiles_in_cups
    has_placed = len(game.board.tiles) > tiles_placed
    game.diary.turns.append(Turn(seat, tuple(game.scores), has_drawn, has_placed))


def cup_total(game: Game) -> int:
    """Count the tiles in both cups."""
    return len(game.cups["zones"]) + len(game.cups["services"])


def build(game: Game, seat: int, kind: str, tiles: int, first_step: int) -> int:
    """Place tiles of one kind while one fits; return the number of the turn's next decision."""
    step = first_step
    turn = len(game.diary.turns)
    for _ in range(tiles):
        game.diary.pairs += pairs_in_question(game, seat, kind)
        choice = choose(game, seat, kind, luck.decision_key(game.key, seat, turn, step))
        step += 1
        if choice is None:
            break
        place(game, seat, *choice)
    return step


def tiles_in_hand(game: Game, seat: int, kind: str) -> list[str]:
    """List the types of one kind in a hand."""
    return [tile for tile in types_of(game.scenario, kind) if game.hands[seat][tile] > 0]


def pairs_in_question(game: Game, seat: int, kind: str) -> Iterator[Pair]:
    """Yield every (type in hand, open square), with the placement limits that forbid it."""
    squares = open_squares(game.board)
    for tile in tiles_in_hand(game, seat, kind):
        for square in squares:
            yield Pair(tile, square, frozenset(limits_against(game.board, tile, square)))


def place(game: Game, seat: int, tile: str, square: Square) -> None:
    """Place a tile from a hand; a Service that is not blank gains points, then covers."""
    placement = Placement(len(game.diary.turns), seat, tile, square, is_blank=is_blank(game, seat, tile))
    game.hands[seat][tile] -= 1
    game.board.tiles[square] = tile
    if tile in game.scenario.services and not placement.is_blank:
        placement = with_revenue(game.board, placement)
        game.scores[seat] += points(game.scenario, tile, placement.given)
        game.board.services.append(covering_service(game.board, seat, tile, square))
    game.diary.placements.append(placement)


def is_blank(game: Game, seat: int, tile: str) -> bool:
    """Tell whether a seat's copies of a tile are blank Services, as it may not use them."""
    is_withheld = tile in game.scenario.services and tile in game.policies[seat].never
    return is_withheld and game.scenario.experiments.withheld == "blank"


def with_revenue(board: Board, placement: Placement) -> Placement:
    """Sort the Zones in range of a Service: given, denied by coverage, denied by a scoring limit."""
    service = placement.tile
    in_range = zones(board) & squares_in_range(board.scenario, service, placement.square)
    scorable = in_range & scored_kinds(board, service)
    denied_by = []
    for zone in sorted(scorable):
        for earlier in denying_services(board, placement.seat, service):
            if zone in earlier.covers:
                denied_by.append(earlier.seat)
                break
    given = len(scorable) - len(denied_by)
    return placement._replace(given=given, denied_by=tuple(denied_by), limited=len(in_range - scorable))


# Policies


def choose(game: Game, seat: int, kind: str, key: int) -> tuple[str, Square] | None:
    """Let the policy of a seat choose a legal placement, if there is any."""
    candidates = candidates_of(game, seat, kind)
    if not candidates:
        return None
    if game.policies[seat].brain == "random":
        return random_choice(candidates, legal_placements(game, seat, kind), key)
    value = service_values(game, seat) if kind == "services" else zone_values(game, seat, candidates)
    best = max(value[candidate] for candidate in candidates)
    tied = [candidate for candidate in candidates if value[candidate] == best]
    return min(tied, key=lambda tie: luck.candidate_key(key, tie[0], square_number(game.scenario, tie[1])))


def candidates_of(game: Game, seat: int, kind: str) -> list[tuple[str, Square]]:
    """List the placements that a policy chooses from: those it prefers, where there are any."""
    candidates = [
        candidate for candidate in legal_placements(game, seat, kind) if not is_kept(game, seat, candidate[0])
    ]
    preferred = [candidate for candidate in candidates if candidate[0] in game.policies[seat].whenever]
    return preferred or candidates


def legal_placements(game: Game, seat: int, kind: str) -> list[tuple[str, Square]]:
    """List all pairs of a tile in hand and a legal square, whatever the policy."""
    return [(tile, square) for tile in tiles_in_hand(game, seat, kind) for square in legal_squares(game.board, tile)]


def random_choice(
    candidates: list[tuple[str, Square]], everything: list[tuple[str, Square]], key: int
) -> tuple[str, Square]:
    """Choose among all legal placements, and again among the policy's own where that is none of them."""
    choice = everything[luck.below(key, len(everything))]
    if choice in candidates:
        return choice
    return candidates[luck.below(luck.combine(key, 1), len(candidates))]


def is_kept(game: Game, seat: int, tile: str) -> bool:
    """Tell whether a seat keeps a tile in hand as it may not use it."""
    return game.scenario.experiments.withheld == "keep" and tile in game.policies[seat].never


def working_services(game: Game, seat: int) -> list[str]:
    """List the Services in a hand that would score."""
    return [tile for tile in tiles_in_hand(game, seat, "services") if tile not in game.policies[seat].never]


def service_values(game: Game, seat: int) -> dict[tuple[str, Square], int]:
    """Value each Service and square by what it scores at once; a blank one scores nothing."""
    values: dict[tuple[str, Square], int] = Counter()
    for tile in working_services(game, seat):
        for square, value in points_by_square(game.board, seat, tile).items():
            values[tile, square] = value
    return values


def zone_values(game: Game, seat: int, candidates: list[tuple[str, Square]]) -> dict[tuple[str, Square], int]:
    """Value each Zone and square by the best Service in hand that could be placed after it."""
    return {(tile, square): best_service_after(game, seat, tile, square) for tile, square in candidates}


def best_service_after(game: Game, seat: int, zone: str, square: Square) -> int:
    """Return what the best legal placement of a Service in hand scores once a Zone is placed."""
    after = Board(game.scenario, {**game.board.tiles, square: zone}, game.board.services)
    values = [value for tile in working_services(game, seat) for value in points_by_square(after, seat, tile).values()]
    return max(values, default=0)


# What is counted


def count_games(scenario: CityServices, diaries: Iterable[Diary], bins: int, rounds: int) -> dict[str, Counts]:
    """Add up diaries as `Outcome` and `Tally` do: by table, then by (block, ...) down to the column."""
    counts = {table: Counts() for table in ("games", "seats", "scores", "margins", "arc", "tiles", "pairs", "squares")}
    for diary in diaries:
        block = diary.number % BLOCKS
        _count_game(counts["games"], diary, block)
        counts["margins"][block, min(margin(diary), bins - 1)] += 1
        for seat, policy in enumerate(diary.policies):
            _count_seat(counts["seats"], diary, block, seat)
            counts["scores"][block, policy, seat, min(diary.scores[seat] + 100, bins - 1)] += 1  # from -100 on
            for number, score in enumerate(arc(diary, seat, rounds)):
                counts["arc"][block, policy, seat, number] += score
        _count_tiles(counts["tiles"], diary, block)
        _count_pairs(counts["pairs"], diary, block)
        _count_squares(counts["squares"], scenario, diary, block)
    return {table: Counter({key: value for key, value in rows.items() if value}) for table, rows in counts.items()}


def wins(diary: Diary) -> list[int]:
    """Share the win in equal parts among the highest scores, in twelfths."""
    winners = diary.scores.count(max(diary.scores))
    return [WIN_UNITS // winners if score == max(diary.scores) else 0 for score in diary.scores]


def margin(diary: Diary) -> int:
    """Return the lead of the highest score over the next, 0 where they tie."""
    second, first = sorted(diary.scores)[-2:]
    return first - second


def leaders(scores: tuple[int, ...]) -> list[int]:
    """List the seats with the highest score."""
    return [seat for seat, score in enumerate(scores) if score == max(scores)]


def lead_changes(diary: Diary) -> int:
    """Count how often the sole leader differs from the sole leader before."""
    sole = [leaders(turn.scores)[0] for turn in diary.turns if len(leaders(turn.scores)) == 1]
    return sum(1 for before, after in itertools.pairwise(sole) if before != after)


def halftime_wins(diary: Diary) -> int:
    """Return the win share of those who led when half of the rounds with draws were over, in 144ths."""
    players = len(diary.policies)
    drawing_turns = sum(1 for turn in diary.turns if turn.has_drawn)
    rounds = max(1, -(-drawing_turns // players) // 2)
    leading = leaders(diary.turns[rounds * players - 1].scores)
    return sum(wins(diary)[seat] for seat in leading) * WIN_UNITS // len(leading)


def arc(diary: Diary, seat: int, rounds: int) -> list[int]:
    """Return a seat's score after each of its turns; its final score from its last turn on, and last of all."""
    own = [turn.scores[seat] for turn in diary.turns if turn.seat == seat]
    own += [diary.scores[seat]] * rounds
    return [*own[: rounds - 1], diary.scores[seat]]


def _count_game(counts: Counts, diary: Diary, block: int) -> None:
    turns = len(diary.turns)
    placing = [number for number, turn in enumerate(diary.turns, start=1) if turn.has_placed]
    counts[block, "games"] += 1
    counts[block, "followed"] += 1
    counts[block, "shared_wins"] += 1 if len(leaders(diary.scores)) > 1 else 0
    counts[block, "turns"] += turns
    counts[block, "turns_squared"] += turns**2
    counts[block, "turns_to_last_placement"] += max(placing, default=0)
    counts[block, "lead_changes"] += lead_changes(diary)
    counts[block, "halftime_wins"] += halftime_wins(diary)


def _count_seat(counts: Counts, diary: Diary, block: int, seat: int) -> None:
    key = (block, diary.policies[seat], seat)
    counts[*key, "games"] += 1
    counts[*key, "followed"] += 1
    counts[*key, "score"] += diary.scores[seat]
    counts[*key, "score_squared"] += diary.scores[seat] ** 2
    counts[*key, "wins"] += wins(diary)[seat]


def _count_tiles(counts: Counts, diary: Diary, block: int) -> None:
    for placement in diary.placements:
        key = (block, diary.policies[placement.seat], placement.seat, placement.tile)
        if placement.is_blank:
            counts[*key, "blank"] += 1
            continue
        counts[*key, "placed"] += 1
        counts[*key, "given"] += placement.given
        counts[*key, "denied_by_coverage"] += len(placement.denied_by)
        counts[*key, "denied_by_limit"] += placement.limited
        counts[*key, "turns"] += placement.turn + 1
        for owner in placement.denied_by:
            if owner != placement.seat:
                counts[block, diary.policies[owner], owner, placement.tile, "denied_to_opponents"] += 1
    copies = Counter((placement.seat, placement.tile) for placement in diary.placements if not placement.is_blank)
    for (seat, tile), number in copies.items():
        counts[block, diary.policies[seat], seat, tile, "placed_squared"] += number**2
        counts[block, diary.policies[seat], seat, tile, "placed_wins"] += number * wins(diary)[seat]
    for seat, hand in enumerate(diary.stuck):
        for tile, number in hand.items():
            counts[block, diary.policies[seat], seat, tile, "stuck"] += number


def _count_pairs(counts: Counts, diary: Diary, block: int) -> None:
    for pair in diary.pairs:
        counts[block, "open"] += 1
        if len(pair.limits) == 1:
            counts[block, next(iter(pair.limits))] += 1
        elif pair.limits:
            counts[block, "forbidden_by_several"] += 1


def _count_squares(counts: Counts, scenario: CityServices, diary: Diary, block: int) -> None:
    for placement in diary.placements:
        if placement.is_blank:
            continue
        square = square_number(scenario, placement.square)
        counts[block, placement.tile, square, "placed"] += 1
        counts[block, placement.tile, square, "given"] += placement.given
