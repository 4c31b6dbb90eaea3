"""What a run is: scenario, players, policies, seed. Its tallies depend on this alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from balance.errors import InputError, nearest
from balance.scenario.load import Scenario, pooled_tiles, scenario_from_data
from balance.scenario.policies import Policy, seat_policies

MOST_GAMES = 10**15


@dataclass(frozen=True)
class Plan:
    """The games to play, without their number.

    Attributes
    ----------
    scenario : Scenario
    players : int
        2 to 4.
    policy : str
        One policy for all seats, or one for each, separated by commas.
    seed : int
    fixed_seats : bool
        Unequal policies keep their seats instead of rotating.
    studied : tuple of str
        Tiles, or buildings, for which games are played again: see `balance.games.interventions`.
    """

    scenario: Scenario
    players: int
    policy: str
    seed: int
    fixed_seats: bool = False
    studied: tuple[str, ...] = ()

    @property
    def seat_policies(self) -> list[Policy]:
        """The policy of each seat, before rotation."""
        return seat_policies(self.policy, self.players, self.scenario.names)

    @property
    def policies(self) -> list[Policy]:
        """The distinct policies, in order of appearance."""
        return list(dict.fromkeys(self.seat_policies))

    @cached_property
    def digest(self) -> str:
        """A name for the plan that depends on all of it."""
        return hashlib.sha256(json.dumps(self.as_data(), sort_keys=True).encode()).hexdigest()[:16]

    def as_data(self) -> dict[str, Any]:
        """Return the plan as plain data, for a run folder."""
        return {
            "scenario": self.scenario.model_dump(),
            "players": self.players,
            "policy": self.policy,
            "seed": self.seed,
            "fixed_seats": self.fixed_seats,
            "studied": list(self.studied),
        }


def make_plan(
    scenario: Scenario,
    *,
    players: int | None = None,
    policy: str = "random",
    seed: int = 1,
    fixed_seats: bool = False,
    studied: Sequence[str] = (),
) -> Plan:
    """Check what a run is made of.

    Raises
    ------
    InputError
        If the number of players, a policy, the seed or a tile to study cannot be used.
    """
    players = scenario.players if players is None else players
    if not 2 <= players <= 4:
        raise InputError(f"--players {players}: this game is for 2 to 4 players")
    if not 0 <= seed < 2**63:
        raise InputError(f"--seed {seed}: a seed is a whole number from 0 to 2**63 - 1")
    _check_studied(scenario, studied)
    plan = Plan(scenario, players, policy, seed, fixed_seats, tuple(dict.fromkeys(studied)))
    for chosen in plan.policies:
        problem, remedy = scenario.problem_of_withholding(chosen.withheld)
        if problem:
            raise InputError(f"--policy {chosen.name}: {problem}", remedy)
    return plan


def _check_studied(scenario: Scenario, studied: Sequence[str]) -> None:
    known = pooled_tiles(scenario)
    for tile in studied:
        if tile not in known:
            raise InputError(f'--tile {tile}: no tile "{tile}" to judge in this game', nearest(tile, known))


def plan_from_data(data: Mapping[str, Any], source: str) -> Plan:
    """Return the plan that `Plan.as_data` wrote."""
    values = {name: data[name] for name in ("players", "policy", "seed", "fixed_seats", "studied")}
    return make_plan(scenario_from_data(data["scenario"], source), **values)


def check_games(games: int) -> None:
    """Refuse numbers of games that nobody can want.

    Raises
    ------
    InputError
        If there are none, or more than MOST_GAMES.
    """
    if not 1 <= games <= MOST_GAMES:
        raise InputError(f"--games {games}: a run has 1 to {MOST_GAMES:,} games", "100000 is a good start.")
