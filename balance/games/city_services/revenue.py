"""What a Service scores and covers (rulebook, Revenue Phase and Scoring Limits)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from balance.games.bits import popcount
from balance.games.city_services.components import Coverage, Rules, State
from balance.jit import small

_NOTHING = np.uint64(0)


class Revenue(NamedTuple):
    """The Zones in range of a Service as it is placed: the three parts add up to all of them."""

    given: int  # Zones that give points
    denied_by_coverage: int  # Zones already in range of a Service of the same type
    denied_by_limit: int  # Zones that this Service never scores (covered as well or not)


NO_REVENUE = Revenue(0, 0, 0)


@small
def clear_coverage(rules: Rules, state: State, seats: int) -> None:
    """Start with nothing covered."""
    for seat in range(seats):
        for tile in range(rules.types):
            for word in range(len(rules.board)):
                state.covered[seat, tile, word] = _NOTHING
                state.covered_first[seat, tile, word] = _NOTHING


@small
def coverage_slot(rules: Rules, seat: int) -> int:
    """Return where the coverage that counts for a seat is kept: one place for all, or one for each seat."""
    return seat if rules.coverage == Coverage.OWN else 0


@small
def scored_zones(rules: Rules, state: State, seat: int, tile: int, square: int) -> int:
    """Count the Zones in range that are not already in range of a Service of the same type."""
    zones = 0
    service_range = rules.service_range[tile]
    group = rules.scoring_group[tile]
    slot = coverage_slot(rules, seat)
    for word in range(len(rules.board)):
        zones += popcount(
            rules.in_range[service_range, square, word] & state.scorable[group, word] & ~state.covered[slot, tile, word]
        )
    return zones


@small
def take_revenue(rules: Rules, state: State, seat: int, tile: int, square: int) -> Revenue:
    """Count the Zones in range, given and denied; the Service covers its range from now on."""
    given, covered, limited = 0, 0, 0
    service_range = rules.service_range[tile]
    group = rules.scoring_group[tile]
    slot = coverage_slot(rules, seat)
    for word in range(len(rules.board)):
        in_range = rules.in_range[service_range, square, word]
        zones = in_range & state.zones[word]
        scorable = in_range & state.scorable[group, word]
        already = state.covered[slot, tile, word]
        limited += popcount(zones & ~scorable)
        covered += popcount(scorable & already)
        given += popcount(scorable & ~already)
    return Revenue(given, covered, limited)


@small
def points(rules: Rules, tile: int, zones: int) -> int:
    """Gain 1 Point for each Zone scored (or what the scenario says), and the printed VP."""
    return rules.vp_per_zone[tile] * zones + rules.printed_vp[tile]


@small
def cover(rules: Rules, state: State, seat: int, tile: int, square: int) -> None:
    """Cover the range of a placed Service for later Services of the type."""
    if rules.coverage == Coverage.OFF:
        return
    slot = coverage_slot(rules, seat)
    service_range = rules.service_range[tile]
    for word in range(len(rules.board)):
        covers = rules.in_range[service_range, square, word]
        if not rules.covers_later_zones:
            covers &= state.zones[word]
        state.covered_first[seat, tile, word] |= covers & ~state.covered[slot, tile, word]
        state.covered[slot, tile, word] |= covers


@small
def denied_word(rules: Rules, state: State, seat: int, tile: int, square: int, word: int) -> np.uint64:
    """Return one word of the Zones in range that would score, were they not covered."""
    in_range = rules.in_range[rules.service_range[tile], square, word]
    covered = state.covered[coverage_slot(rules, seat), tile, word]
    return in_range & state.scorable[rules.scoring_group[tile], word] & covered
