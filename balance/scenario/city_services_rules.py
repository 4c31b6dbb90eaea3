"""From a scenario of City Services to the arrays that its kernels read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from balance.games.bits import WORD_BITS
from balance.games.city_services.components import NO_LIMIT, Coverage, Rules
from balance.games.luck import text_key
from balance.games.record import Ints, Words, new_record
from balance.scenario.city_services import CityServices


def city_services_rules(scenario: CityServices, players: int) -> Rules:
    """Return the rules of a scenario for a number of players.

    Parameters
    ----------
    scenario : CityServices
    players : int
        2 to 4; half-time depends on it.

    Returns
    -------
    Rules
        Arrays over the tile types in the order of `scenario.tiles`.
    """
    size = scenario.board.size
    squares = size * size
    tiles = scenario.tiles
    zones = [None] * len(scenario.zones)
    services = list(scenario.services.values())
    groups = sorted({_scored_zones(scenario, name) for name in scenario.services})
    limits = placement_limits(scenario)
    forbidden, limit = _forbidden_tables(scenario, limits)
    return new_record(
        Rules,
        words=_words(size),
        types=len(tiles),
        zone_types=len(zones),
        tile_key=np.array([text_key(name) for name in tiles], dtype=np.uint64),
        count=_ints([*(zone.count for zone in scenario.zones.values()), *(service.count for service in services)]),
        start=_ints([scenario.start.zones, scenario.start.services]),
        draw=_ints([scenario.turn.draw_zones, scenario.turn.draw_services]),
        place=_ints([scenario.turn.place_zones, scenario.turn.place_services]),
        neighbours=_within_reach(size, 1, diagonal=False),
        in_range=np.stack(
            [
                _within_reach(size, reach, diagonal=scenario.revenue.diagonal_ranges)
                for reach in range(max((service.range for service in services), default=0) + 1)
            ]
        ),
        board=_mask(size, range(squares)),
        first_squares=_mask(size, _centre(size) if scenario.placement.first_tile_in_centre else range(squares)),
        needs_neighbour=scenario.placement.beside_a_tile,
        service_range=_ints([0 for _ in zones] + [service.range for service in services]),
        vp_per_zone=_ints([0 for _ in zones] + [service.vp_per_zone for service in services]),
        printed_vp=_ints([0 for _ in zones] + [service.printed_vp for service in services]),
        groups=len(groups),
        scoring_group=_ints(
            [0 for _ in zones] + [groups.index(_scored_zones(scenario, name)) for name in scenario.services]
        ),
        group_scores=np.array([_type_set(scenario, group) for group in groups], dtype=np.uint64),
        coverage=int(Coverage[scenario.revenue.coverage.upper()]),
        covers_later_zones=scenario.revenue.covers_later_zones,
        forbidden_beside=np.array([_bits(row) for row in forbidden], dtype=np.uint64),
        blocks=np.array([_bits(column) for column in forbidden.T], dtype=np.uint64),
        limited=np.uint64(_bits(forbidden.any(axis=1))),
        limit=limit,
        handicap=_ints(scenario.seats.handicap),
        halftime=halftime(scenario, players),
        withheld_is_blank=scenario.experiments.withheld == "blank",
    )


def placement_limits(scenario: CityServices) -> list[tuple[str, str]]:
    """Return the pairs of tiles that a placement limit keeps apart, each pair once."""
    pairs = []
    for name, others in scenario.placement.forbidden_beside.items():
        for other in others:
            if (other, name) not in pairs and (name, other) not in pairs:
                pairs.append((name, other))
    return pairs


def drawing_turns(scenario: CityServices, players: int) -> int:
    """Return how many turns draw a tile before both cups are empty."""
    turns = 0
    for total, dealt, drawn in (
        (scenario.zone_total, scenario.start.zones, scenario.turn.draw_zones),
        (scenario.service_total, scenario.start.services, scenario.turn.draw_services),
    ):
        left = max(0, total - players * dealt)
        turns = max(turns, -(-left // drawn) if drawn else 0)
    return turns


def halftime(scenario: CityServices, players: int) -> int:
    """Return the turns after which half of the rounds with draws are over."""
    rounds = -(-drawing_turns(scenario, players) // players)
    return max(1, rounds // 2) * players


def highest_score(scenario: CityServices) -> int:
    """Return a bound that no score can pass: a type scores each Zone at most once, unless coverage is off or own."""
    points = max(scenario.seats.handicap)
    for service in scenario.services.values():
        times = 1 if scenario.revenue.coverage == "everyone" else service.count
        points += times * service.vp_per_zone * scenario.zone_total + service.count * service.printed_vp
    return points


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int64)


def _centre(size: int) -> list[int]:
    middle = (size // 2 - 1, size // 2)
    return [row * size + column for row in middle for column in middle]


def _words(size: int) -> int:
    """Return 2 words for boards up to 10 x 10, otherwise 4: each length is compiled once."""
    return 2 if size * size <= 2 * WORD_BITS else 4


def _mask(size: int, squares: range | list[int]) -> Words:
    words = np.zeros(_words(size), dtype=np.uint64)
    for square in squares:
        words[square // WORD_BITS] |= np.uint64(1 << square % WORD_BITS)
    return words


def _within_reach(size: int, reach: int, *, diagonal: bool) -> Words:
    """Return, for each square, the squares at most `reach` away, itself excluded."""
    rows, columns = np.divmod(np.arange(size * size), size)
    steps = np.abs(rows - rows[:, np.newaxis]), np.abs(columns - columns[:, np.newaxis])
    distance = np.maximum(*steps) if diagonal else np.add(*steps)
    bits = np.zeros((size * size, _words(size) * WORD_BITS), dtype=np.uint8)
    bits[:, : size * size] = (distance > 0) & (distance <= reach)
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def _scored_zones(scenario: CityServices, service: str) -> tuple[str, ...]:
    never = scenario.revenue.never_score.get(service, [])
    return tuple(zone for zone in scenario.zones if zone not in never)


def _type_set(scenario: CityServices, names: tuple[str, ...]) -> int:
    return sum(1 << scenario.tiles.index(name) for name in names)


def _forbidden_tables(scenario: CityServices, limits: list[tuple[str, str]]) -> tuple[NDArray[np.bool_], Ints]:
    """Return (types, types): whether a tile may not stand beside a placed one, and by which limit."""
    types = len(scenario.tiles)
    forbidden = np.zeros((types, types), dtype=bool)
    limit = np.full((types, types), NO_LIMIT, dtype=np.int64)
    for name, others in scenario.placement.forbidden_beside.items():
        for other in others:
            tile, placed = scenario.tiles.index(name), scenario.tiles.index(other)
            number = limits.index((name, other) if (name, other) in limits else (other, name))
            forbidden[tile, placed] = True
            limit[tile, placed] = number
            if scenario.placement.both_ways:
                forbidden[placed, tile] = True
                limit[placed, tile] = number
    return forbidden, limit


def _bits(flags: Any) -> int:
    return sum(1 << index for index, flag in enumerate(flags) if flag)
