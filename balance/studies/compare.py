"""Two games, or two variants of one, against each other; and what a rule is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from balance.errors import InputError, nearest
from balance.games.outcome import BySeat
from balance.runs.plan import check_games, make_plan
from balance.runs.spread import Progress, play_plan
from balance.runs.workers import Backend
from balance.scenario.describe import values_table
from balance.scenario.load import Scenario, change_scenario, load_scenario, pooled_tiles
from balance.scenario.vary import written
from balance.stats.comparison import Pair, measures_compared, values_compared
from balance.stats.estimates import Floats, Sums, ratio
from balance.studies.run import AnyRun, run_of
from balance.studies.tables import Run

GAMES = 10_000


@dataclass(frozen=True)
class Comparison:
    """Two runs of one game, A and B.

    Attributes
    ----------
    a, b : AnyRun
    names : tuple of str
        What to call them.
    rule : str
        The rule that B switches off; "" where they are just two games.
    """

    a: AnyRun
    b: AnyRun
    names: tuple[str, str]
    rule: str = ""

    @cached_property
    def pair(self) -> Pair:
        """The tallies of both; paired where the games share their luck."""
        same = (self.a.plan.seed, self.a.games) == (self.b.plan.seed, self.b.games)
        return Pair(self.a.blocks, self.b.blocks, same)

    def measures(self) -> pd.DataFrame:
        """Compare single numbers; see `balance.stats.comparison.measures_compared`."""
        return measures_compared(self.pair, self.a.measures(), self.b.measures())

    def seats(self) -> pd.DataFrame:
        """Compare scores by policy and seat; index (policy, seat), see `balance.stats.comparison.values_compared`.

        Only where both have the same policies and players; else empty.
        """
        a, b = self.a.plan, self.b.plan
        if (a.policies, a.players) != (b.policies, b.players):
            return pd.DataFrame()
        index = pd.MultiIndex.from_product([self.a.policies, range(1, a.players + 1)], names=["policy", "seat"])
        games = self.a.blocks.total("seats")[0, ..., BySeat.GAMES].ravel()
        table = values_compared(self.pair, _score_by_seat, _score_by_seat, games, index)
        return table[table["n"] > 0]

    def tiles(self) -> pd.DataFrame:
        """Compare what each tile brings that both games have.

        Returns
        -------
        DataFrame
            Index tile: marginal VP per tile, or own VP where the game has no marginal VP; see
            `balance.stats.comparison.values_compared`.
        """
        theirs = set(pooled_tiles(self.b.scenario))
        tiles = [tile for tile in pooled_tiles(self.a.scenario) if tile in theirs]
        of_a, of_b = (list(run.tile_values(tiles).values())[-1] for run in (self.a, self.b))
        n = np.minimum(self.a.tiles_counted(tiles), self.b.tiles_counted(tiles))
        return values_compared(self.pair, of_a, of_b, n, pd.Index(tiles, name="tile"))


def compare(  # noqa: PLR0913 (all but two are keywords)
    a: AnyRun | Scenario | str | Path,
    b: AnyRun | Scenario | str | Path,
    *,
    games: int = GAMES,
    players: int | None = None,
    policy: str = "greedy",
    seed: int = 1,
    jobs: int | None = None,
    backend: Backend = "threads",
    progress: Progress | None = None,
) -> Comparison:
    """Compare two games.

    Parameters
    ----------
    a, b : AnyRun, Scenario, str or Path
        Finished runs; or scenarios, which are played here on the same luck.
    games, players, policy, seed, jobs, backend, progress
        For scenarios; see `simulate`.

    Raises
    ------
    BalanceError
        If something cannot be used, or the two are different games.

    Examples
    --------
    >>> found = compare("city-services", "city-services-one-way", games=480, players=2, policy="random")
    >>> found.pair.is_paired
    True
    """
    check_games(games)
    both = [side if isinstance(side, Run | Scenario) else load_scenario(side) for side in (a, b)]
    kinds = [(side if isinstance(side, Scenario) else side.scenario).game for side in both]
    if kinds[0] != kinds[1]:
        raise InputError(
            f"A is {kinds[0]} and B is {kinds[1]}: different games have no measure in common",
            "Compare two scenarios of one game.",
        )
    plans = [
        make_plan(side, players=players, policy=policy, seed=seed) if isinstance(side, Scenario) else side.plan
        for side in both
    ]
    played = [
        run_of(plan, play_plan(plan, games, jobs=jobs, backend=backend, progress=progress))
        if isinstance(side, Scenario)
        else side
        for side, plan in zip(both, plans, strict=True)
    ]
    return Comparison(played[0], played[1], (plans[0].scenario.title, plans[1].scenario.title))


def ablate(  # noqa: PLR0913 (all but two are keywords)
    scenario: Scenario | str | Path,
    rule: str,
    *,
    games: int = GAMES,
    players: int | None = None,
    policy: str = "greedy",
    seed: int = 1,
    jobs: int | None = None,
    backend: Backend = "threads",
    progress: Progress | None = None,
) -> Comparison:
    """Find what a rule is worth: the game with it (A) against that with its `off` value (B), on the same luck.

    Parameters
    ----------
    scenario : Scenario, str or Path
    rule : str
        The key of a value that can be off, or its last part where only one ends so.
    games, players, policy, seed, jobs, backend, progress
        See `simulate`.

    Raises
    ------
    BalanceError
        If there is no such rule, or it is off already.
    """
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    key, without = without_rule(scenario, rule)
    found = compare(
        scenario,
        without,
        games=games,
        players=players,
        policy=policy,
        seed=seed,
        jobs=jobs,
        backend=backend,
        progress=progress,
    )
    return Comparison(found.a, found.b, (f"with {key}", f"without {key}"), key)


def without_rule(scenario: Scenario, rule: str) -> tuple[str, Scenario]:
    """Return the key of a rule, and the scenario with the rule off."""
    values = values_table(scenario)
    rules = values[values["off"].notna()]
    keys = [rule] if rule in rules.index else [key for key in rules.index if key.rpartition(".")[2] == rule]
    if not keys:
        raise InputError(f'--rule {rule}: no rule "{rule}" that can be off', nearest(rule, _short_names(rules.index)))
    if len(keys) > 1:
        raise InputError(f"--rule {rule}: several rules end so", f"Say which: {', '.join(keys)}.")
    value, off = rules.loc[keys[0], ["value", "off"]]
    if value == off:
        raise InputError(f"--rule {keys[0]}: it is off already in {scenario.title}", "balance show lists the rules.")
    return keys[0], change_scenario(scenario, [f"{keys[0]}={written(off)}"])


def _short_names(keys: Sequence[str]) -> list[str]:
    return [*keys, *dict.fromkeys(key.rpartition(".")[2] for key in keys)]


def _score_by_seat(sums: Sums) -> Floats:
    seats = sums("seats")
    return ratio(seats[..., BySeat.SCORE], seats[..., BySeat.GAMES]).reshape(len(seats), -1)
