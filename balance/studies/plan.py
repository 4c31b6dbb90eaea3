"""How many games a verdict takes, how long that is, and what a given number of games can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from balance.games.interventions import Act
from balance.runs.pace import seconds_needed
from balance.runs.plan import check_games
from balance.runs.spread import Progress, play_plan
from balance.runs.workers import Backend, worker_count
from balance.scenario.load import Scenario
from balance.stats.planning import POWER, games_to_decide, power_to_decide, smallest_distance
from balance.stats.verdicts import ALPHA, DECIDES_FROM, MARGIN
from balance.studies.check import Judged, Question, ask, plans_of
from balance.studies.run import AnyRun, run_of

PILOT_GAMES = 480


@dataclass(frozen=True)
class Forecast:
    """What a pilot says of the games to come.

    Attributes
    ----------
    question : Question
    runs : tuple of AnyRun
        The pilot's, one for each policy and number of players.
    seconds_per_game : tuple of float
        On this machine with all its workers, replays included; one for each run.
    games : int or None
        A number of games to foretell for.
    """

    question: Question
    runs: tuple[AnyRun, ...]
    seconds_per_game: tuple[float, ...]
    games: int | None = None

    def table(self) -> pd.DataFrame:
        """Return how many games deciding each tile takes, with a power of 0.9.

        Returns
        -------
        DataFrame
            Index (policy, players, tile). Columns: holdings and holdings_per_game (pilot); contrast (pilot) and
            contrast_se; games_if_equal (to say *balanced* if the tile is like the others), games_if_double (to say
            *overpowered* if it is off by twice the margin), games_as_pilot (if it is as the pilot found it; infinite
            at the margin), and minutes_ of each; with `games` also smallest (VP: differences this far from a limit
            are told), power_if_equal and power_if_double. NaN where the pilot had no data.
        """
        tables = {
            (run.plan.policy, run.plan.players): self._of_run(run, seconds)
            for run, seconds in zip(self.runs, self.seconds_per_game, strict=True)
        }
        return pd.concat(tables, names=["policy", "players"])

    def _of_run(self, run: AnyRun, seconds: float) -> pd.DataFrame:
        question, judged = self.question, Judged(self.question, run)
        held, contrast, alpha = judged.effects.holdings(Act.OMIT), judged.contrast, question.alpha_of_each
        margin = np.full(len(held), question.margin)
        with np.errstate(divide="ignore"):
            least = np.where(held > 0, run.games * DECIDES_FROM / held, np.nan)
        columns = {
            "holdings": held.astype(np.int64),
            "holdings_per_game": held / run.games,
            "contrast": contrast.value,
            "contrast_se": contrast.se,
        }
        distances = {"equal": margin, "double": margin, "pilot": np.abs(np.abs(contrast.value) - margin)}
        for name, distance in distances.items():
            power = (1 + POWER) / 2 if name == "equal" else POWER  # balanced: the interval ends before both limits
            needed = np.fmax(games_to_decide(distance, contrast.se, run.games, alpha, power), least)
            columns[f"games_{'as' if name == 'pilot' else 'if'}_{name}"] = needed
            columns[f"minutes_{'as' if name == 'pilot' else 'if'}_{name}"] = needed * seconds / 60
        if self.games is not None:
            se = contrast.se * np.sqrt(run.games / self.games)
            columns["smallest"] = smallest_distance(contrast.se, run.games, self.games, alpha)
            is_enough = (held * self.games >= DECIDES_FROM * run.games).astype(np.float64)
            columns["power_if_equal"] = is_enough * np.maximum(2 * power_to_decide(margin, se, alpha) - 1, 0.0)
            columns["power_if_double"] = is_enough * power_to_decide(margin, se, alpha)
        table = pd.DataFrame(columns, index=pd.Index(list(question.studied), name="tile"))
        return table.loc[list(question.tiles)]


def plan(  # noqa: PLR0913 (all but two are keywords)
    scenario: Scenario | str | Path,
    tiles: Sequence[str] = (),
    *,
    policies: Sequence[str] = ("greedy",),
    players: Sequence[int] = (),
    margin: float = MARGIN,
    alpha: float = ALPHA,
    games: int | None = None,
    pilot: int = PILOT_GAMES,
    seed: int = 1,
    jobs: int | None = None,
    backend: Backend = "threads",
    progress: Progress | None = None,
) -> Forecast:
    """Foretell from a short pilot how many games `check` takes.

    Parameters
    ----------
    scenario, tiles, policies, players, margin, alpha, seed, jobs, backend, progress
        As for `check`.
    games : int, optional
        A number of games to foretell for.
    pilot : int
        Games of the pilot, of each policy and number of players.

    Raises
    ------
    BalanceError
        If something cannot be used.

    Examples
    --------
    >>> found = plan("city-services", ["fire"], policies=["random"], pilot=240)
    >>> bool(found.table()["games_if_equal"].iloc[0] > 100)
    True
    """
    question = ask(scenario, tiles, policies=policies, players=players, margin=margin, alpha=alpha)
    for number in (pilot, *([] if games is None else [games])):
        check_games(number)
    worker_count(jobs)
    runs, seconds = [], []
    for of_pilot in plans_of(question, seed):
        seconds.append(seconds_needed(of_pilot, pilot, jobs) / pilot)
        runs.append(run_of(of_pilot, play_plan(of_pilot, pilot, jobs=jobs, backend=backend, progress=progress)))
    return Forecast(question, tuple(runs), tuple(seconds), games)
