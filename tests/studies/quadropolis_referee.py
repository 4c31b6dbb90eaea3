"""A referee who knows Quadropolis from its rules alone and checks a replay move by move.

Written from the rules texts, with nothing of `balance`: what a replay says is either what the rules say, or an
`AssertionError` names the turn where it is not.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.naive.quadropolis import (
    OFFICE,
    SIDES,
    TOWER,
    City,
    CityKey,
    Data,
    Position,
    Slot,
    Space,
    best_activation,
    building_of,
    can_score_more,
    cities_after,
    city_after,
    exchange_options,
    forbidden_slots,
    key_of,
    legal_spaces,
    needs_inhabitants,
    reached_square,
    slots,
)


class Referee:
    """Watches one game; seats count from 0."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.scenario: Data = data["scenario"]
        self.site_rules: Data = self.scenario["site"]
        self.players: int = data["players"]
        self.cities = [City() for _ in range(self.players)]
        self.tiles: list[dict[Space, list[str]]] = [{} for _ in range(self.players)]  # from the ground floor up
        self.stack = +Counter({tile: rules["count"] for tile, rules in self.scenario["pool"].items()})
        self.discards: Counter[str] = Counter()
        self.visible: Counter[str] = Counter()
        self.mayor = self.next_mayor = 0
        self.turns = 0
        self.values: dict[CityKey, int] = {}
        self.where = "the set-up"

    def same(self, what: str, told: object, right: object) -> None:
        """Compare what the replay tells with what is right."""
        assert told == right, f"{self.where}: {what}: {told} instead of {right}"

    def rule(self, kept: bool, broken: str) -> None:
        """Stop where a rule is broken."""
        assert kept, f"{self.where}: {broken}"

    # A round

    def start_round(self, number: int, told: Data) -> None:
        """Tiles onto all squares, all slots free, the Urbanist off the board, Public Services revealed."""
        self.where = f"round {number + 1}"
        self.same("the number of the round", told["round"], number + 1)
        self.mayor = self.next_mayor
        self.same("the Mayor", told["mayor"], self.mayor + 1)
        size = self.site_rules["size"]
        self.same("the size of the site", [len(row) for row in told["site"]], [size] * size)
        self.site: dict[Space, Data] = {
            (row, column): square
            for row, line in enumerate(told["site"])
            for column, square in enumerate(line)
            if square is not None
        }
        on_site = Counter(self.as_set_up(s["tile"], s["face_up"], s["mayor"]) for s in self.site.values())
        self.same("the tiles on the site", on_site, self.tiles_of_round(number))
        self.used_slots: set[Slot] = set()
        self.urbanist: Space | None = None
        numbers = range(1, self.site_rules["highest_architect"] + 1)
        is_shared = self.site_rules["architects"] == "shared"
        pools = [Counter(dict.fromkeys(numbers, self.players if is_shared else 1))]
        self.architects = pools * self.players if is_shared else [pools[0].copy() for _ in range(self.players)]
        self.reveal(told["visible"])

    def as_set_up(self, tile: str, face_up: bool, mayor: bool) -> tuple[str, bool, bool]:
        """Describe a tile on the site; without a Mayor its icon means nothing."""
        return tile, face_up, mayor and self.site_rules["mayor"]

    def tiles_of_round(self, number: int) -> Counter[tuple[str, bool, bool]]:
        """Tiles marked `a` are face up for 3 players or more, those marked `b` for 4 only; a replay shows no others."""
        fewest = {"M": 2, "-": 2, "a": 3, "b": 4}
        tiles: Counter[tuple[str, bool, bool]] = Counter()
        for kind, rules in self.scenario["tiles"].items():
            for mark in rules["rounds"][number] if number < len(rules["rounds"]) else "":
                if self.players >= fewest[mark]:
                    tiles[self.as_set_up(kind, True, mark == "M")] += 1
        return tiles

    def reveal(self, told: list[str]) -> None:
        """Discard the visible rest and reveal new tiles; the discards replace a stack that a draw finds empty."""
        self.discards.update(self.visible)
        self.visible = Counter(told)
        wanted = min(self.scenario["public_services"]["visible"], self.stack.total() + self.discards.total())
        self.same("the number of visible tiles", len(told), wanted)
        if self.stack.total() >= wanted:
            self.rule(self.visible <= self.stack, f"{told} cannot come from the stack {dict(self.stack)}")
            self.stack -= self.visible
        else:
            self.rule(self.stack <= self.visible, f"{told} leaves tiles of the old stack {dict(self.stack)}")
            drawn_later = self.visible - self.stack
            self.rule(drawn_later <= self.discards, f"{dict(drawn_later)} cannot come from the discards")
            self.stack, self.discards = self.discards - drawn_later, Counter()
        self.check_pool()

    def check_pool(self) -> None:
        """Every tile of the pool is in the stack, visible, discarded, or in a city."""
        built = Counter(tile for city in self.tiles for tiles in city.values() for tile in tiles)
        in_cities = Counter({tile: built[tile] for tile in self.scenario["pool"]})
        held = self.stack + self.visible + self.discards + in_cities
        copies = +Counter({tile: rules["count"] for tile, rules in self.scenario["pool"].items()})
        self.same("the tiles of the pool", held, copies)

    # A turn

    def start_turn(self, place: int, turn: Data) -> int:
        """Return whose turn it is: clockwise from the Mayor."""
        self.turns += 1
        self.where = f"turn {turn['turn']}"
        seat = (self.mayor + place) % self.players
        self.same("turn and seat", (turn["turn"], turn["seat"]), (self.turns, seat + 1))
        return seat

    def position(self, seat: int) -> Position:
        """Return what a player has before them."""
        site = {square: tile["tile"] for square, tile in self.site.items() if tile["face_up"]}
        urbanist = self.urbanist if self.site_rules["urbanist"] else None
        free = set(slots(self.site_rules["size"])) - self.used_slots - forbidden_slots(urbanist)
        numbers = {number for number, left in self.architects[seat].items() if left > 0}
        return Position(self.cities[seat], site, sorted(self.visible.elements()), numbers, free)

    def take_turn(self, seat: int, turn: Data) -> None:
        """Place an Architect, reach a square, build or decline, take the resources."""
        before = self.position(seat)
        number, (side, place) = turn["architect"], turn["slot"]
        self.rule(number in before.numbers, f"no Architect {number} is left")
        self.rule(side in SIDES, f"there is no side {side}")
        self.rule((side, place - 1) in before.slots, f"slot {side} {place} is not free, or forbidden")
        square = reached_square(side, place - 1, number, self.site_rules["size"])
        self.same("the square reached", (turn["square"][0] - 1, turn["square"][1] - 1), square)
        self.architects[seat][number] -= 1
        self.used_slots.add((side, place - 1))
        self.urbanist = square
        kind = before.site.get(square)
        self.same("the tile reached", turn["tile"], kind)
        if kind is None:
            self.same("the outcome", turn["outcome"], "nothing")
        else:
            if self.site.pop(square)["mayor"] and self.site_rules["mayor"]:
                self.next_mayor = seat
            self.rule(turn["outcome"] in ("built", "declined"), f"a tile reached is not {turn['outcome']}")
        if turn["outcome"] == "built":
            self.build(seat, turn, before, str(kind))
        else:
            idle = {name: turn[name] for name in ("built", "discarded", "space", "floor")}
            self.same("what is built", idle, dict.fromkeys(idle))
        city = self.cities[seat]
        self.same("inhabitants", turn["inhabitants"], city.inhabitants)
        self.same("energy", turn["energy"], city.energy)
        if turn["score"] is not None:
            self.same("the score", turn["score"], self.value(city))

    def build(self, seat: int, turn: Data, before: Position, kind: str) -> None:
        """Build the tile reached, or a visible one in exchange, on a legal space."""
        built, discarded = turn["built"], turn["discarded"]
        options = exchange_options(self.scenario, kind, before.visible)
        self.rule((built, discarded) in options, f"{built}, discarding {discarded}, is none of {options}")
        self.rule(turn["space"] is not None, "a tile is built on no space")
        space = (turn["space"][0] - 1, turn["space"][1] - 1)
        building = building_of(self.scenario, built)
        legal = legal_spaces(self.scenario, before.city, building, turn["architect"])
        self.rule(space in legal, f"{building} may not stand on {turn['space']} with Architect {turn['architect']}")
        self.cities[seat] = city_after(self.scenario, before.city, built, space)
        self.tiles[seat].setdefault(space, []).append(built)
        # A building that is never stacked may have no floor at all.
        if turn["floor"] is not None or building in (TOWER, OFFICE):
            self.same("the floor", turn["floor"], self.cities[seat].stacks[space].floors)
        if discarded is not None:
            self.discards[discarded] += 1
        taken = [built] if built in self.scenario["pool"] else [discarded] if discarded is not None else []
        self.visible -= Counter(taken)
        self.check_pool()

    def value(self, city: City) -> int:
        """Return what a city scores with its best activation."""
        key = key_of(city)
        if key not in self.values:
            self.values[key] = best_activation(self.scenario, city).score
        return self.values[key]

    # The end

    def check_end(self) -> None:
        """The cities, their activation, the scores and who wins."""
        self.where = "the end"
        self.same("the seats", [told["seat"] for told in self.data["cities"]], list(range(1, self.players + 1)))
        standings = []
        for seat, told in enumerate(self.data["cities"]):
            self.where = f"the end, seat {seat + 1}"
            city = self.cities[seat]
            best = best_activation(self.scenario, city)
            right: dict[Space, Data] = {
                space: {
                    "building": stack.building,
                    "tiles": self.tiles[seat][space],
                    "floors": stack.floors,
                    "printed_vp": stack.printed_vp,
                    "active": space in best.active,
                    "customers": best.customers.get(space, 0),
                }
                for space, stack in city.stacks.items()
            }
            spaces = {(entry["space"][0] - 1, entry["space"][1] - 1): entry for entry in told["spaces"]}
            self.same("the number of spaces", len(told["spaces"]), len(right))
            self.same("the spaces", set(spaces), set(right))
            for space, facts in right.items():
                self.same(f"space {spaces[space]['space']}", {name: spaces[space][name] for name in facts}, facts)
            self.same("inhabitants", told["inhabitants"], city.inhabitants)
            self.same("energy", told["energy"], city.energy)
            self.same("the rules", told["rules"], best.rules)
            self.same("the score of the city", told["score"], best.score)
            score = best.score + self.scenario["seats"]["handicap"][seat]
            self.same("the score", self.data["scores"][seat], score)
            needing = sum(needs_inhabitants(self.scenario, city, space) for space in best.active)
            standings.append((score, needing, len(best.active)))
        self.where = "the end"
        self.same("the number of scores", len(self.data["scores"]), self.players)
        winners = standings.count(max(standings))
        shares = [1 / winners if standing == max(standings) else 0.0 for standing in standings]
        self.same("the number of win shares", len(self.data["win_shares"]), self.players)
        told_shares = zip(shares, self.data["win_shares"], strict=True)
        self.rule(all(abs(one - other) < 1e-9 for one, other in told_shares), f"the win shares are not {shares}")

    # What greedy and random are (policies.md)

    def check_policy(self, seat: int, turn: Data, before: Position) -> None:
        """Check a turn, already taken, against the policy of its seat."""
        policy = self.data["policies"][seat]
        if policy == "random" and turn["outcome"] == "declined":
            building = self.scenario["tiles"][turn["tile"]]["building"]
            legal = legal_spaces(self.scenario, before.city, building, turn["architect"])
            self.rule(not legal, f"random declines {turn['tile']}, which could stand on {sorted(legal)}")
        if policy == "greedy":
            value = self.value(self.cities[seat])
            for city in cities_after(self.scenario, before):
                # A city whose value is known, from this turn or another, needs no new search.
                known = self.values.get(key_of(city))
                more = can_score_more(self.scenario, city, value) if known is None else known > value
                self.rule(not more, f"greedy has {value}, but could have more with {city}")

    def watch(self, *, policies: bool) -> None:
        """Watch the whole game."""
        rounds = self.data["rounds"]
        self.same("the number of rounds", len(rounds), max(len(t["rounds"]) for t in self.scenario["tiles"].values()))
        self.same("the number of policies", len(self.data["policies"]), self.players)
        for number, told in enumerate(rounds):
            self.start_round(number, told)
            self.same("the number of turns", len(told["turns"]), self.players * self.site_rules["placements"])
            for place, turn in enumerate(told["turns"]):
                seat = self.start_turn(place, turn)
                before = self.position(seat)
                self.take_turn(seat, turn)
                if policies:
                    self.check_policy(seat, turn, before)


def check_replay(data: dict[str, Any]) -> None:
    """Check a replay; raise `AssertionError` where it breaks a rule."""
    referee = Referee(data)
    referee.watch(policies=False)
    referee.check_end()


def check_greedy(data: dict[str, Any]) -> None:
    """Check that every turn of `greedy` is a best one, and that `random` builds whenever it can."""
    Referee(data).watch(policies=True)
