"""A run: games of one scenario, and the tables of what happened in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from balance.runs.folder import load_run
from balance.runs.plan import Plan, make_plan
from balance.runs.spread import Progress, play_plan
from balance.runs.tallies import Tallies
from balance.runs.workers import Backend
from balance.scenario.city_services import CityServices
from balance.scenario.load import Scenario, load_scenario

if TYPE_CHECKING:
    from balance.studies.city_services import CityServicesRun
    from balance.studies.quadropolis import QuadropolisRun

AnyRun: TypeAlias = "CityServicesRun | QuadropolisRun"


def run_of(plan: Plan, tallies: Tallies) -> AnyRun:
    """Return the run of a plan with its tallies, by game; the tables of other games are not imported."""
    if isinstance(plan.scenario, CityServices):
        from balance.studies.city_services import CityServicesRun

        return CityServicesRun(plan, tallies)
    from balance.studies.quadropolis import QuadropolisRun

    return QuadropolisRun(plan, tallies)


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
) -> AnyRun:
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
    return run_of(plan, play_plan(plan, games, jobs=jobs, backend=backend, folder=folder, progress=progress))


def read_run(folder: Path | str) -> AnyRun:
    """Return the run in a run folder.

    Raises
    ------
    RunFolderError
        If there is none, or it is damaged.
    """
    saved = load_run(Path(folder))
    return run_of(saved.plan, saved.tallies)
