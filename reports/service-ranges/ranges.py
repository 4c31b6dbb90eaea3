"""What is measured: each range by itself, searches for even ranges, every set of ranges in every case, and checks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from balance.runs.plan import make_plan
from balance.runs.spread import play_plan
from balance.scenario.load import Scenario, change_scenario, load_scenario
from balance.scenario.vary import separate, with_value
from balance.stats.estimates import Estimate
from balance.stats.tests import each_against_the_others
from balance.stats.verdicts import ALPHA, MARGIN, verdicts
from balance.studies.run import AnyRun, run_of
from balance.studies.sweep import Found, Sweep, sweep
from balance.studies.tune import SHOWN, Tuned, tune

TILES = tuple(load_scenario("city-services").services)
RANGES = (1, 2, 3, 4, 5)
VARY = f"services.{{{','.join(TILES)}}}.range=1:5"
THREE = separate("services.{roads,fire,entertainment}.range=1:4")
EVENNESS = "tiles.services.own_vp.cv"
PRINTED, FOR_ALL, CURVES = "as printed", "for all", "the curves' optimum"
SEARCH_SEED = 1  # its winners are confirmed on seed 2
FRESH_SEED = 3


class Case(NamedTuple):
    """Who plays."""

    policy: str
    players: int

    def __str__(self) -> str:
        return f"{self.policy}, {self.players} players"


@dataclass(frozen=True)
class Study:
    """All that was measured.

    Attributes
    ----------
    games : int
        Of each point.
    sweeps : dict of Case to Sweep
        Each range by itself.
    tuned : dict of str to Tuned
        For each case, and for all of them at once.
    runs : dict of (str, Case) to AnyRun
        Every set of ranges (as printed, and those tuned) in every case, on a seed that no search has seen.
    three : (Sweep, Tuned)
        Three Services with ranges 1 to 4: the full grid, and the search.
    """

    games: int
    sweeps: Mapping[Case, Sweep]
    tuned: Mapping[str, Tuned]
    runs: Mapping[tuple[str, Case], AnyRun]
    three: tuple[Sweep, Tuned]

    @property
    def cases(self) -> list[Case]:
        """Who played."""
        return list(self.sweeps)

    def out_of_line(self) -> pd.DataFrame:
        """Return what each Service brings beyond the others at its printed range, and the range that would be in line.

        Returns
        -------
        DataFrame
            Index (policy, players, tile). Columns: own_vp, contrast (VP per tile beyond the mean of the others), low
            and high (at the confidence that decides: Bonferroni over all rows), verdict, printed, in_line (the range
            with the smallest contrast), contrast_in_line.
        """
        rows = []
        alpha = ALPHA / (len(TILES) * len(self.cases))
        for case, found in self.sweeps.items():
            contrast = contrasts(found.base)
            low, high = contrast.interval(1 - alpha)
            words = verdicts(contrast, np.array([found.base.n[own_vp(tile)] for tile in TILES]), alpha, MARGIN)
            curves = self.curves(case)
            for place, tile in enumerate(TILES):
                best = int(np.nanargmin(np.abs(curves[place])))
                rows.append(
                    {
                        "policy": case.policy,
                        "players": case.players,
                        "tile": tile,
                        "own_vp": float(found.base.estimates[own_vp(tile)].value[0]),
                        "contrast": float(contrast.value[place]),
                        "low": float(low[place]),
                        "high": float(high[place]),
                        "verdict": str(words[place]),
                        "printed": found.base.values[place],
                        "in_line": RANGES[best],
                        "contrast_in_line": float(curves[place, best]),
                    }
                )
        return pd.DataFrame(rows).set_index(["policy", "players", "tile"])

    def curves(self, case: Case) -> np.ndarray:
        """Return what each Service brings beyond the others at each range, (tiles, ranges) VP per tile."""
        found = self.sweeps[case]
        points = {point.values: point for point in found.points}
        now = found.base.values
        at = [[points[with_value(now, place, value)] for value in RANGES] for place in range(len(TILES))]
        return np.array([[contrasts(point).value[place] for point in row] for place, row in enumerate(at)])

    def sets(self) -> pd.DataFrame:
        """Return the ranges of each set, one row a Service."""
        columns = {PRINTED: next(iter(self.sweeps.values())).base.values}
        columns |= {name: found.values for name, found in self.tuned.items()}
        return pd.DataFrame(columns, index=pd.Index(TILES, name="tile"))

    def effects(self) -> pd.DataFrame:
        """Return what each set of ranges does in each case, on the fresh seed.

        Returns
        -------
        DataFrame
            Index (set, policy, players). Columns: for evenness and each of SHOWN, the value with _low and _high, and
            NAME.change from the printed ranges (paired) with _low and _high.
        """
        rows = {}
        for (name, case), run in self.runs.items():
            row: dict[str, float] = {}
            for key in ("evenness", *SHOWN):
                value, printed = (
                    each.measure(EVENNESS if key == "evenness" else key) for each in (run, self.runs[PRINTED, case])
                )
                for column, estimate in ((key, value), (f"{key}.change", value.minus(printed))):
                    low, high = estimate.interval()
                    row |= {column: estimate.value[0], f"{column}_low": low[0], f"{column}_high": high[0]}
            rows[name, *case] = row
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["set", "policy", "players"])


def own_vp(tile: str) -> str:
    """Return the key of what a Service scores."""
    return f"tiles.{tile}.own_vp"


def contrasts(point: Found) -> Estimate:
    """Return what each Service scores beyond the mean of the others, VP per tile."""
    each = [point.estimates[own_vp(tile)] for tile in TILES]
    together = Estimate(np.hstack([one.value for one in each]), np.hstack([one.replicates for one in each]))
    return each_against_the_others(together)


def most_even(curves: np.ndarray) -> list[int]:
    """Return, for each row, the place of its value so that SD over mean of all is smallest; exact.

    The smallest SD over mean is the smallest sum of (v / t - 1)^2 over all choices and all levels t, and at a given t
    each row takes its value nearest to t. Between two neighbouring midpoints of values the choice is the same, so that
    one t in each of these gaps is enough.
    """
    ordered = np.sort(curves, axis=1)
    midpoints = np.unique((ordered[:, 1:] + ordered[:, :-1]) / 2)
    levels = np.concatenate([[midpoints[0] - 1], (midpoints[1:] + midpoints[:-1]) / 2, [midpoints[-1] + 1]])
    choices = [np.abs(curves - level).argmin(axis=1) for level in levels]

    def unevenness(choice: np.ndarray) -> float:
        values = curves[np.arange(len(curves)), choice]
        return float(values.std(ddof=1) / values.mean())

    return [int(place) for place in min(choices, key=unevenness)]


def curves_optimum(found: Sweep) -> list[str]:
    """Return the changes to the most even ranges, if no Service changed what another one scores."""
    curves = [[e.value[0] for _, e in found.along(place, own_vp(tile))] for place, tile in enumerate(TILES)]
    places = most_even(np.array(curves))
    return [f"services.{tile}.range={RANGES[place]}" for tile, place in zip(TILES, places, strict=True)]


def measure_all(cases: Sequence[Case], games: int, trials: int, keep: Path | None, say: Callable[[str], None]) -> Study:
    """Measure everything; with a folder to keep the games in, finished parts are used again."""
    base = load_scenario("city-services")

    def folder(*parts: str) -> Path | None:
        return keep.joinpath(*(part.replace(", ", "-").replace(" ", "") for part in parts)) if keep else None

    sweeps, tuned = {}, {}
    for case in cases:
        say(f"{case}: each range by itself")
        sweeps[case] = sweep(
            base,
            [VARY],
            one_at_a_time=True,
            measures=["score.mean", *map(own_vp, TILES)],
            games=games,
            players=case.players,
            policy=case.policy,
            seed=SEARCH_SEED,
            out=folder("sweeps", str(case)),
        )
        say(f"{case}: the search for ranges that even the Services out")
        tuned[str(case)] = search([case], games, trials, folder("searches"))
    if len(cases) > 1:
        say("all at once: the search for ranges that even the Services out")
        tuned[FOR_ALL] = search(cases, games, trials, folder("searches"))
    say("every set of ranges in every case, on a fresh seed")
    sets = {PRINTED: base} | {name: change_scenario(base, found.changes) for name, found in tuned.items()}
    runs = {
        (name, case): play(scenario, case, games, folder("sets", f"{name} {case}"))
        for (name, scenario), case in itertools.product(sets.items(), cases)
    }
    for case in cases:
        scenario = change_scenario(base, curves_optimum(sweeps[case]))
        runs[CURVES, case] = play(scenario, case, games, folder("sets", f"curves {case}"))
    say("three Services: the full grid, and the search")
    return Study(games, sweeps, tuned, runs, three_services(games, folder("three")))


def search(cases: Sequence[Case], games: int, trials: int, keep: Path | None) -> Tuned:
    """Search for the ranges that even the Services out for some cases at once."""
    return tune(
        "city-services",
        separate(VARY),
        objective="even-services",
        games=games,
        trials=trials,
        players=list(dict.fromkeys(case.players for case in cases)),
        policies=list(dict.fromkeys(case.policy for case in cases)),
        seed=SEARCH_SEED,
        out=keep,
    )


def three_services(games: int, keep: Path | None) -> tuple[Sweep, Tuned]:
    """Play the full grid of three ranges from 1 to 4, and search it."""
    grid = sweep("city-services", THREE, games=games, measures=["score.mean"], out=keep)
    return grid, tune("city-services", THREE, objective="even-services", games=games, trials=45, out=keep)


def play(scenario: Scenario, case: Case, games: int, keep: Path | None) -> AnyRun:
    """Play a set of ranges on the fresh seed."""
    plan = make_plan(scenario, players=case.players, policy=case.policy, seed=FRESH_SEED)
    return run_of(plan, play_plan(plan, games, folder=keep))
