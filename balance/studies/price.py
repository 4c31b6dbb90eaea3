"""The cure for a verdict: which value of a tile brings it level with its pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from balance.errors import InputError
from balance.runs.plan import check_games, make_plan
from balance.runs.spread import play_plan
from balance.runs.workers import Backend
from balance.scenario.load import Scenario, load_scenario
from balance.scenario.vary import Axis, Value, current_values, parse_axis, point_at, refuse_how
from balance.stats.verdicts import ALPHA, MARGIN, Verdict
from balance.studies.check import Judged, Question, ask, plans_of
from balance.studies.compare import Comparison
from balance.studies.run import run_of

GAMES = 2400
HIGHEST_VP = 12

ValuesDone = Callable[[int, int], None]
"""Called with the values tried and those that may be tried at most."""


@dataclass(frozen=True)
class Tried:
    """A value, and how far the tile is from its pool with it.

    Attributes
    ----------
    value : Value
    judged : Judged
        The check of the scenario with this value.
    """

    value: Value
    judged: Judged

    def contrast(self, tile: str) -> float:
        """Return what the tile brings beyond its pool, VP per holding; NaN where it was held too rarely."""
        return float(self.judged.contrast.value[list(self.judged.question.studied).index(tile)])


@dataclass(frozen=True)
class Price:
    """What was found of the values of a tile.

    Attributes
    ----------
    question : Question
        Of the base.
    tile : str
    axis : Axis
        The key that is varied, and all the values that it may take.
    now : Value
        The value in the base.
    tried : tuple of Tried
        In the order of the axis.
    level : Value
        The value that brings the tile nearest to its pool.
    reaches : bool
        Whether it is balanced there, as the fresh games judge it.
    confirmed : Judged
        The check of `level` on fresh seeds.
    before : Judged
        The check of the base on the same fresh seeds.
    """

    question: Question
    tile: str
    axis: Axis
    now: Value
    tried: tuple[Tried, ...]
    level: Value
    reaches: bool
    confirmed: Judged
    before: Judged

    def table(self) -> pd.DataFrame:
        """Return the values tried, and the confirmation.

        Returns
        -------
        DataFrame
            Index (games, value): games is "search" or "fresh". Columns: contrast (VP per holding beyond the pool, with
            _se, _low, _high), omit_vp, holdings, verdict.
        """
        rows = [("search", tried.value, tried.judged) for tried in self.tried]
        rows += [("fresh", self.now, self.before), ("fresh", self.level, self.confirmed)]
        columns = ["contrast", "contrast_se", "contrast_low", "contrast_high", "omit_vp", "holdings", "verdict"]
        found = [judged.table().loc[self.tile, columns].to_dict() for _, _, judged in rows]
        index = pd.MultiIndex.from_tuples([(games, value) for games, value, _ in rows], names=["games", "value"])
        return pd.DataFrame(found, index=index)

    def side_effects(self) -> Comparison:
        """Compare the game with the new value (A) with the base (B), on the fresh seeds."""
        key = self.axis.name
        return Comparison(self.confirmed.run, self.before.run, (f"{key} = {self.level}", f"{key} = {self.now}"))


def price(  # noqa: PLR0913 (all but two are keywords)
    scenario: Scenario | str | Path,
    tile: str,
    *,
    vary: str | None = None,
    policy: str = "greedy",
    players: int | None = None,
    games: int = GAMES,
    margin: float = MARGIN,
    alpha: float = ALPHA,
    seed: int = 1,
    jobs: int | None = None,
    backend: Backend = "threads",
    progress: ValuesDone | None = None,
) -> Price:
    """Find the value that brings a tile level with its pool.

    What a tile brings grows, or falls, with its value, so the values are halved until two neighbours are left, on the
    same luck; the nearer one is confirmed on fresh seeds.

    Parameters
    ----------
    scenario : Scenario, str or Path
    tile : str
    vary : str, optional
        KEY=VALUES; the printed VP from 0 to 12 by default.
    policy, players, games, margin, alpha, seed, jobs, backend
        As for `check`.
    progress : callable, optional
        Called with the values tried and those that may be tried at most.

    Raises
    ------
    BalanceError
        If something cannot be used, or the tile is held too rarely to be judged.
    """
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    check_games(games)
    question = ask(
        scenario,
        [tile],
        policies=[policy],
        players=[] if players is None else [players],
        margin=margin,
        alpha=alpha,
    )
    make_plan(scenario, seed=seed + 1)
    axis = parse_axis(vary or f"{section_of(scenario, tile)}.{tile}.printed_vp=0:{HIGHEST_VP}", scenario)
    refuse_how([axis])
    if not axis.is_numeric:
        raise InputError(f"--vary {axis.name}: a price is a number", "For example --vary pool.capitol.energy=0:4")
    values = sorted(axis.values)
    steps = len(values).bit_length() + 3
    tried: dict[Value, Tried] = {}

    def judge(value: Value, of_seed: int) -> Judged:
        point = point_at(scenario, [axis], [value], question.players[0], policy)
        return _judge(replace(question, scenario=point.scenario), of_seed, games, jobs, backend)

    def contrast(value: Value) -> float:
        if value not in tried:
            if progress is not None:
                progress(len(tried), steps)
            tried[value] = Tried(value, judge(value, seed))
        return tried[value].contrast(tile)

    level = _root(values, contrast)
    if level is None:
        raise InputError(f"{tile} is held too rarely in {games:,} games at any value", "Ask for more --games.")
    confirmed = judge(level, seed + 1)
    before = _judge(question, seed + 1, games, jobs, backend)
    if progress is not None:
        progress(steps, steps)
    (now,) = current_values(scenario, [axis], question.players[0], policy)
    in_order = tuple(tried[value] for value in values if value in tried)
    reaches = confirmed.verdicts[tile] == Verdict.BALANCED
    return Price(question, tile, axis, now, in_order, level, reaches, confirmed, before)


def _root(values: Sequence[Value], contrast: Callable[[Value], float]) -> Value | None:
    """Return the value whose contrast is nearest to 0, halving the values between which it changes its sign.

    At the ends, values with which the tile is held too rarely to be judged are passed over.
    """
    known = (place for place in range(len(values)) if not np.isnan(contrast(values[place])))
    low = next(known, None)
    if low is None:
        return None
    high = next(place for place in reversed(range(len(values))) if not np.isnan(contrast(values[place])))
    at_low, at_high = contrast(values[low]), contrast(values[high])
    if at_low * at_high > 0:
        return values[low] if abs(at_low) <= abs(at_high) else values[high]
    while high - low > 1:
        middle = (low + high) // 2
        found = contrast(values[middle])
        if found * at_low > 0:
            low, at_low = middle, found
        else:
            high, at_high = middle, found
    return values[low] if abs(at_low) <= abs(at_high) else values[high]


def _judge(question: Question, seed: int, games: int, jobs: int | None, backend: Backend) -> Judged:
    (plan,) = plans_of(question, seed)
    return Judged(question, run_of(plan, play_plan(plan, games, jobs=jobs, backend=backend)))


def section_of(scenario: Scenario, tile: str) -> str:
    """Return the section of a scenario that says what a tile prints.

    Raises
    ------
    InputError
        If there are several, as for tiles of the base game.
    """
    if scenario.game == "city-services":
        return "services"
    if tile in scenario.pools["expansion"]:
        return "pool"
    raise InputError(
        f"--tile {tile}: a tile of the base game has several printings", "Say what to vary: --vary KEY=VALUES."
    )
