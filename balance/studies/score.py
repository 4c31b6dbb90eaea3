"""What one city of Quadropolis scores, rule by rule and tile by tile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from balance.games.quadropolis.activation import Search, activate_city
from balance.games.quadropolis.components import NOTHING, Building, Rules, State
from balance.games.quadropolis.shares import PART, Rule, Shares, share_points
from balance.games.record import new_record
from balance.jit import is_compiled
from balance.scenario.cities import City, Stack, load_city
from balance.scenario.quadropolis_rules import quadropolis_rules

SEAT = 0


@dataclass(frozen=True)
class CityScore:
    """A city with its best activation.

    Attributes
    ----------
    city : City
    total : int
        VP.
    by_rule : DataFrame
        Index rule; column vp. It adds up to the total.
    by_tile : DataFrame
        Index row and column; columns building, floors, printed_vp, active, customers, own_vp (with the leftovers it
        adds up to the total) and marginal_vp: the total less the score of the same city without the building, at the
        same inhabitants and energy.
    unused_inhabitants, unused_energy : int
        What has no use: each costs VP.
    """

    city: City
    total: int
    by_rule: pd.DataFrame
    by_tile: pd.DataFrame
    unused_inhabitants: int
    unused_energy: int


def score_city(city: Path | str | City) -> CityScore:
    """Score a city, activated in the best way.

    Parameters
    ----------
    city : Path, str or City
        A TOML file, the name of a packaged city, or one that is loaded.

    Raises
    ------
    InputError
        If no game produces such a city.

    Examples
    --------
    >>> score_city("classic-59").total
    59
    """
    city = city if isinstance(city, City) else load_city(city)
    rules = quadropolis_rules(city.scenario, city.scenario.players)
    state, shares = new_record(State), new_record(Shares)
    _build(rules, state, city, city.stacks)
    search = new_record(Search)
    total = int(activate_city(rules, state, search, SEAT))
    share_points(rules, state, shares, SEAT)
    tiles = _by_tile(rules, city, shares)
    tiles["marginal_vp"] = [total - _score_without(rules, city, stack) for stack in city.stacks]
    return CityScore(
        city=city,
        total=total,
        by_rule=_by_rule(shares),
        by_tile=tiles,
        unused_inhabitants=int(shares.left_inhabitants),
        unused_energy=int(shares.left_energy),
    )


def is_ready() -> bool:
    """Tell whether the kernels that score are compiled."""
    kernels = {"activation": "activate_city", "shares": "share_points"}
    return all(is_compiled(f"balance.games.quadropolis.{module}", kernel) for module, kernel in kernels.items())


def _build(rules: Rules, state: State, city: City, stacks: list[Stack]) -> None:
    """Fill the state of a seat with buildings; its resources are those of the city."""
    state.occupied[SEAT] = state.services[SEAT] = state.towers[SEAT] = NOTHING
    state.of[SEAT] = NOTHING
    state.inhabitants[SEAT], state.energy[SEAT] = city.inhabitants, city.energy
    for stack in stacks:
        space = _space(rules, stack)
        here, building = np.uint64(1 << space), Building[stack.building.upper()]
        state.building[SEAT, space] = building
        state.floors[SEAT, space] = stack.floors
        state.printed[SEAT, space] = stack.printed_vp
        state.occupied[SEAT] |= here
        state.of[SEAT, building] |= here
        if building == Building.PUBLIC_SERVICE or building >= Building.CITY_HALL:
            state.services[SEAT] |= here
        if building in (Building.TOWER_BLOCK, Building.OFFICE_TOWER):
            state.towers[SEAT] |= here


def _space(rules: Rules, stack: Stack) -> int:
    return (stack.row - 1) * int(rules.columns) + stack.column - 1


def _score_without(rules: Rules, city: City, left_out: Stack) -> int:
    """Return the score of the city without one building, at the same inhabitants and energy."""
    state = new_record(State)
    _build(rules, state, city, [stack for stack in city.stacks if stack != left_out])
    return int(activate_city(rules, state, new_record(Search), SEAT))


def _by_rule(shares: Shares) -> pd.DataFrame:
    rules = pd.Index([rule.name.lower() for rule in Rule], name="rule")
    return pd.DataFrame({"vp": [int(points) for points in shares.rule]}, index=rules)


def _by_tile(rules: Rules, city: City, shares: Shares) -> pd.DataFrame:
    spaces = [_space(rules, stack) for stack in city.stacks]
    places = [[stack.row for stack in city.stacks], [stack.column for stack in city.stacks]]
    return pd.DataFrame(
        {
            "building": [stack.building for stack in city.stacks],
            "floors": [stack.floors for stack in city.stacks],
            "printed_vp": [stack.printed_vp for stack in city.stacks],
            "active": [bool(int(shares.active) >> space & 1) for space in spaces],
            "customers": [int(shares.customers[space]) for space in spaces],
            "own_vp": [int(shares.own[space]) / PART for space in spaces],
        },
        index=pd.MultiIndex.from_arrays(places, names=["row", "column"]),
    )
