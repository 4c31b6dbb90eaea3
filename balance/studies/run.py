"""A run: games of one scenario, and the tables of what happened in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from balance.runs.folder import load_run
from balance.runs.plan import Plan, make_plan
from balance.runs.spread import Backend, Progress, play_plan
from balance.runs.tallies import Tallies
from balance.scenario.load import Scenario, load_scenario
from balance.stats import city_services, outcome
from balance.stats.estimates import Blocks
from balance.stats.tests import WaldTest


@dataclass(frozen=True)
class Run:
    """Games that were played, as tables.

    Attributes
    ----------
    plan : Plan
        Scenario, players, policies and seed.
    tallies : dict of (blocks, ...) int64 arrays
        All that was counted; see `balance.games.outcome` and the game's `tally`.
    """

    plan: Plan
    tallies: Tallies

    @cached_property
    def blocks(self) -> Blocks:
        """The tallies, ready for jackknifing."""
        return Blocks(self.tallies)

    @property
    def games(self) -> int:
        """Games played."""
        return self.blocks.games

    @property
    def policies(self) -> list[str]:
        """Names of the distinct policies."""
        return [policy.name for policy in self.plan.policies]

    def tiles(self, by: city_services.By | None = None) -> pd.DataFrame:
        """What each tile type did; see `balance.stats.city_services.tiles_table`."""
        return city_services.tiles_table(self.blocks, self.plan.scenario, self.policies, by)

    def services(self) -> pd.DataFrame:
        """Each Service against the mean of the others; see `balance.stats.city_services.services_table`."""
        return city_services.services_table(self.blocks, self.plan.scenario)

    def services_test(self) -> WaldTest:
        """Test that all Services score alike."""
        return city_services.services_test(self.blocks, self.plan.scenario)

    def rules(self) -> pd.DataFrame:
        """What the rules gave, denied and forbade; see `balance.stats.city_services.rules_table`."""
        return city_services.rules_table(self.blocks, self.plan.scenario)

    def board(self) -> pd.DataFrame:
        """Where tiles are placed and score; see `balance.stats.city_services.board_table`."""
        return city_services.board_table(self.blocks, self.plan.scenario)

    def seats(self) -> pd.DataFrame:
        """Score and win share by policy and seat; see `balance.stats.outcome.seats_table`."""
        return outcome.seats_table(self.blocks, self.policies)

    def seats_test(self) -> WaldTest:
        """Test that all seats win equally often."""
        return outcome.seats_test(self.blocks)

    def by_policy(self) -> pd.DataFrame:
        """Score and win share by policy; see `balance.stats.outcome.policies_table`."""
        return outcome.policies_table(self.blocks, self.policies)

    def policies_test(self) -> WaldTest:
        """Test that all policies win equally often."""
        return outcome.policies_test(self.blocks)

    def scores(self) -> pd.DataFrame:
        """Level and spread of the scores, length and leads; see `balance.stats.outcome.scores_table`."""
        return outcome.scores_table(self.blocks)

    def histogram(self) -> pd.DataFrame:
        """How often each score came; see `balance.stats.outcome.histogram_table`."""
        return outcome.histogram_table(self.blocks, self.policies)

    def margins(self) -> pd.DataFrame:
        """How often the winner led by how much; see `balance.stats.outcome.margins_table`."""
        return outcome.margins_table(self.blocks)

    def arc(self) -> pd.DataFrame:
        """Mean score after each turn; see `balance.stats.outcome.arc_table`."""
        return outcome.arc_table(self.blocks, self.policies)


def simulate(  # noqa: PLR0913 (all but two are keywords)
    scenario: Scenario | str | Path,
    games: int = 100_000,
    *,
    players: int | None = None,
    policy: str = "random",
    seed: int = 1,
    fixed_seats: bool = False,
    jobs: int | None = None,
    backend: Backend = "threads",
    out: Path | str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Play games and return their tables.

    Parameters
    ----------
    scenario : Scenario, str or Path
        A scenario, the name of a packaged one, or the path of a TOML file.
    games : int
    players : int, optional
        2 to 4; the scenario's own number by default.
    policy : str
        One for all seats, or one for each, separated by commas: "greedy", "greedy,random-fire".
    seed : int
        The same seed gives the same games.
    fixed_seats : bool
        Unequal policies keep their seats instead of rotating.
    jobs : int, optional
        Workers; all cores by default. The results do not depend on it.
    backend : {"threads", "processes"}
    out : Path or str, optional
        A run folder: new or empty, or one to go on with.
    progress : callable, optional
        Called with the games done and asked for.

    Raises
    ------
    BalanceError
        If something cannot be used; the message says what, why and what to do.

    Examples
    --------
    >>> run = simulate("city-services", games=240, players=2, seed=7)
    >>> run.games, run.plan.players
    (240, 2)
    """
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    plan = make_plan(scenario, players=players, policy=policy, seed=seed, fixed_seats=fixed_seats)
    folder = Path(out) if out is not None else None
    return Run(plan, play_plan(plan, games, jobs=jobs, backend=backend, folder=folder, progress=progress))


def read_run(folder: Path | str) -> Run:
    """Return the run in a run folder.

    Raises
    ------
    RunFolderError
        If there is none, or it is damaged.
    """
    saved = load_run(Path(folder))
    return Run(saved.plan, saved.tallies)
