"""A referee who knows City Services from its rulebook alone and checks a replay move by move.

Written from the rules texts, with nothing of `balance`: what a replay says is either what the rules say or `Foul`.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

Square = tuple[int, int]


class Foul(Exception):  # noqa: N818 (a word of the game)
    """A replay that breaks the rules."""


@dataclass
class Facts:
    """What the referee counted in a game, by seat from 0."""

    policies: list[str]
    scores: list[int]
    win_shares: list[float]
    turns: int
    last_placement: int  # turn, from 1
    placed: list[Counter[str]]  # without the blank ones
    blank: list[Counter[str]]
    points: list[Counter[str]]
    turns_placed: list[Counter[str]]  # sums of turns, from 1
    denied_to_opponents: list[Counter[str]]  # Zones that a seat's coverage denied to others, by type
    given: int
    denied_by_coverage: int
    denied_by_limit: int
    left: list[Counter[str]]
    squares: Counter[tuple[str, Square]]  # squares from 1


@dataclass
class Referee:
    """Watches one game."""

    data: dict[str, Any]
    board: dict[Square, str] = field(default_factory=dict)
    covered_by: dict[tuple[str, Square], int] = field(default_factory=dict)  # (type, square) -> the first seat

    def __post_init__(self) -> None:
        """Read the scenario and take the cups."""
        scenario = self.data["scenario"]
        self.players: int = self.data["players"]
        self.size: int = scenario["board"]["size"]
        self.zones: dict[str, Any] = scenario["zones"]
        self.services: dict[str, Any] = scenario["services"]
        self.never_score: dict[str, list[str]] = scenario["revenue"]["never_score"]
        self.start, self.turn = scenario["start"], scenario["turn"]
        self.cups = {kind: list(self.data["cups"][kind]) for kind in ("zones", "services")}
        self.scores = list(scenario["seats"]["handicap"][: self.players])
        self.hands: list[Counter[str]] = [Counter() for _ in range(self.players)]
        limits = scenario["placement"]["forbidden_beside"]
        self.apart = {frozenset((tile, other)) for tile, others in limits.items() for other in others}
        self.never_built = [set(re.findall(r"-(\w+)", policy)) for policy in self.data["policies"]]

    # Setup

    def check_cups(self) -> None:
        """Place each set in a separate cup."""
        for kind, tiles in (("zones", self.zones), ("services", self.services)):
            self.same(f"the {kind} cup", Counter(self.cups[kind]), +Counter({t: v["count"] for t, v in tiles.items()}))

    def check_policies(self) -> None:
        """The policies rotate over the seats every 240 games, or keep their seats."""
        slots = [name.strip() for name in self.data["policy"].split(",")]
        slots = slots * self.players if len(slots) == 1 else slots
        rotation = 0 if self.data["fixed_seats"] else self.data["game"] // 240
        seated = [slots[(seat + rotation) % self.players] for seat in range(self.players)]
        self.same("the policies by seat", self.data["policies"], seated)

    def deal(self) -> None:
        """Each player starts with a hand of 1 Zone Tile and 1 Service Tile."""
        for hand in self.hands:
            hand.update(self.draw("zones", self.start["zones"]) + self.draw("services", self.start["services"]))
        self.same("the hands dealt", self.data["dealt"], [dict(hand) for hand in self.hands])

    def draw(self, kind: str, tiles: int) -> list[str]:
        """Draw tiles, or what the cup still has."""
        drawn, self.cups[kind] = self.cups[kind][:tiles], self.cups[kind][tiles:]
        return drawn

    # A turn

    def watch(self, turn: dict[str, Any], number: int) -> None:
        """Plan, Build and Revenue."""
        seat = number % self.players
        self.same("the number of the turn", (turn["turn"], turn["seat"]), (number + 1, seat + 1))
        drawn = self.draw("services", self.turn["draw_services"]) + self.draw("zones", self.turn["draw_zones"])
        self.same("the tiles drawn", turn["drawn"], drawn)
        self.hands[seat].update(drawn)
        self.same("the hand", turn["hand"], dict(+self.hands[seat]))
        zones = [placement for placement in turn["placements"] if placement["tile"] in self.zones]
        services = [placement for placement in turn["placements"] if placement["tile"] not in self.zones]
        self.same("Zones before Services", turn["placements"], zones + services)
        self.build(seat, zones, self.turn["place_zones"], self.zones)
        self.build(seat, services, self.turn["place_services"], self.services)
        self.same("the hand after the turn", turn["hand_after"], dict(+self.hands[seat]))
        self.same("the scores", turn["scores"], self.scores)

    def build(self, seat: int, placements: list[dict[str, Any]], most: int, kind: dict[str, Any]) -> None:
        """Place as many tiles of one kind as the rules say, or all that fit."""
        for placement in placements:
            self.place(seat, placement)
        if len(placements) > most:
            raise Foul(f"{len(placements)} tiles of one kind are placed, but only {most} may be")
        if len(placements) < most and self.moves(seat, kind):
            raise Foul(f"seat {seat + 1} could place one of {self.moves(seat, kind)}")

    def place(self, seat: int, placement: dict[str, Any]) -> None:
        """Put one tile on the Map and gain its points."""
        tile, square = placement["tile"], (placement["square"][0], placement["square"][1])
        if self.hands[seat][tile] < 1:
            raise Foul(f"seat {seat + 1} has no {tile}")
        if not self.may_stand(tile, square):
            raise Foul(f"{tile} may not stand at {square}")
        self.hands[seat][tile] -= 1
        self.board[square] = tile
        if tile in self.zones:
            self.same("the points for a Zone", placement["points"], 0)
            return
        self.same("blank", placement["is_blank"], tile in self.never_built[seat])
        verdicts = self.verdicts(tile, square) if not placement["is_blank"] else ([], [], [])
        for rule, squares in zip(("given", "denied_by_coverage", "denied_by_scoring_limit"), verdicts, strict=True):
            self.same(f"Zones {rule}", sorted(map(tuple, placement[rule])), squares)
        points = 0
        if not placement["is_blank"]:
            service = self.services[tile]
            points = len(verdicts[0]) * service["vp_per_zone"] + service["printed_vp"]
            for other in self.in_range(tile, square):
                self.covered_by.setdefault((tile, other), seat)
        self.same("the points", placement["points"], points)
        self.scores[seat] += points

    # The rules

    def may_stand(self, tile: str, square: Square) -> bool:
        """The first tile in one of the center 4 spaces; later ones adjacent to a tile that they may be next to."""
        if not self.is_on_board(square) or square in self.board:
            return False
        if not self.board:
            return all(place in (self.size // 2, self.size // 2 + 1) for place in square)
        beside = [self.board[other] for other in self.sides(square) if other in self.board]
        return bool(beside) and not any(frozenset((tile, other)) in self.apart for other in beside)

    def is_on_board(self, square: Square) -> bool:
        """Squares are numbered from 1."""
        return all(1 <= place <= self.size for place in square)

    def sides(self, square: Square) -> list[Square]:
        """The spaces along a side, not a corner."""
        row, column = square
        return [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]

    def in_range(self, service: str, square: Square) -> list[Square]:
        """Ranges do extend through the diagonal."""
        reach = self.services[service]["range"]
        steps = range(-reach, reach + 1)
        around = [(square[0] + down, square[1] + right) for down, right in itertools.product(steps, steps)]
        return [other for other in around if other != square and self.is_on_board(other)]

    def verdicts(self, service: str, square: Square) -> tuple[list[Square], list[Square], list[Square]]:
        """Gain 1 Point for each Zone Tile in range that is not in range of a Service of the same type."""
        zones = [other for other in self.in_range(service, square) if self.board.get(other) in self.zones]
        limited = [zone for zone in zones if self.board[zone] in self.never_score.get(service, [])]
        covered = [zone for zone in zones if zone not in limited and (service, zone) in self.covered_by]
        given = [zone for zone in zones if zone not in limited and zone not in covered]
        return sorted(given), sorted(covered), sorted(limited)

    def moves(self, seat: int, kind: dict[str, Any]) -> list[tuple[str, Square]]:
        """List every placement of a tile of one kind in hand."""
        squares = list(itertools.product(range(1, self.size + 1), repeat=2))
        hand = [tile for tile in kind if self.hands[seat][tile] > 0]
        return [(tile, square) for tile in hand for square in squares if self.may_stand(tile, square)]

    # The end

    def check_end(self) -> None:
        """No tiles are left in the cups and no one is able to place another tile."""
        turns = self.data["turns"]
        idle = [not turn["placements"] for turn in turns]
        drawn = [len(turn["drawn"]) for turn in turns]
        dealt = self.players * (self.start["zones"] + self.start["services"])
        tiles = len(self.data["cups"]["zones"]) + len(self.data["cups"]["services"])
        for end in range(1, len(turns) + 1):
            cups_are_empty = sum(drawn[:end]) + dealt >= tiles
            all_idle = end >= self.players and all(idle[end - self.players : end])
            if (cups_are_empty and all_idle) != (end == len(turns)):
                raise Foul(f"the game ends after turn {len(turns)}, but turn {end} decides otherwise")
        self.same("the cups at the end", self.cups, {"zones": [], "services": []})
        self.same("the tiles left", self.data["left_in_hand"], [dict(+hand) for hand in self.hands])
        self.same("the final scores", self.data["scores"], self.scores)
        winners = self.scores.count(max(self.scores))
        shares = [1 / winners if score == max(self.scores) else 0.0 for score in self.scores]
        if any(abs(share - told) > 1e-12 for share, told in zip(shares, self.data["win_shares"], strict=True)):
            raise Foul(f"the win is shared {self.data['win_shares']} instead of {shares}")

    def same(self, what: str, told: object, right: object) -> None:
        """Compare what the replay tells with what is right."""
        if told != right:
            raise Foul(f"{what}: {told} instead of {right}")


def verify(data: dict[str, Any]) -> Facts:
    """Check a replay; raise `Foul` where it breaks a rule."""
    referee = Referee(data)
    referee.check_cups()
    referee.check_policies()
    referee.deal()
    for number, turn in enumerate(data["turns"]):
        referee.watch(turn, number)
    referee.check_end()
    return facts_of(data)


def facts_of(data: dict[str, Any]) -> Facts:
    """Count what happened in a game."""
    seats = range(data["players"])
    placements = [
        (turn["turn"], turn["seat"] - 1, placement) for turn in data["turns"] for placement in turn["placements"]
    ]
    facts = Facts(
        policies=data["policies"],
        scores=data["scores"],
        win_shares=data["win_shares"],
        turns=len(data["turns"]),
        last_placement=max((turn for turn, _, _ in placements), default=0),
        placed=[Counter() for _ in seats],
        blank=[Counter() for _ in seats],
        points=[Counter() for _ in seats],
        turns_placed=[Counter() for _ in seats],
        denied_to_opponents=[Counter() for _ in seats],
        given=0,
        denied_by_coverage=0,
        denied_by_limit=0,
        left=[Counter(hand) for hand in data["left_in_hand"]],
        squares=Counter(),
    )
    referee = Referee(data)
    for turn, seat, placement in placements:
        tile, square = placement["tile"], (placement["square"][0], placement["square"][1])
        if placement.get("is_blank"):
            facts.blank[seat][tile] += 1
            continue
        facts.placed[seat][tile] += 1
        facts.points[seat][tile] += placement["points"]
        facts.turns_placed[seat][tile] += turn
        facts.squares[tile, square] += 1
        for zone in placement.get("denied_by_coverage", []):
            owner = referee.covered_by[tile, (zone[0], zone[1])]
            facts.denied_to_opponents[owner][tile] += owner != seat
        facts.given += len(placement.get("given", []))
        facts.denied_by_coverage += len(placement.get("denied_by_coverage", []))
        facts.denied_by_limit += len(placement.get("denied_by_scoring_limit", []))
        if "given" in placement:
            for other in referee.in_range(tile, square):
                referee.covered_by.setdefault((tile, other), seat)
    return facts


# What greedy is (rules: Policies)


def verify_greedy(data: dict[str, Any]) -> int:
    """Check that every greedy placement is a best one; return how many were checked."""
    referee = Referee(data)
    referee.deal()
    checked = 0
    for number, turn in enumerate(data["turns"]):
        seat = number % data["players"]
        referee.hands[seat].update(turn["drawn"])
        for placement in turn["placements"]:
            tile, square = placement["tile"], (placement["square"][0], placement["square"][1])
            if data["policies"][seat] == "greedy":
                kind = referee.zones if tile in referee.zones else referee.services
                values = {move: value_of(referee, seat, move) for move in referee.moves(seat, kind)}
                if values[tile, square] != max(values.values()):
                    raise Foul(f"turn {number + 1}: {tile} at {square} is worth {values[tile, square]}, not the most")
                checked += 1
            referee.place(seat, placement)
    return checked


def value_of(referee: Referee, seat: int, move: tuple[str, Square]) -> int:
    """A Service is worth what it scores at once, a Zone what the best Service in hand would score after it."""
    tile, square = move
    if tile in referee.services:
        return len(referee.verdicts(tile, square)[0])
    referee.board[square] = tile
    services = referee.moves(seat, referee.services)
    best = max((len(referee.verdicts(*service)[0]) for service in services), default=0)
    del referee.board[square]
    return best
