"""One game of a run, played again move by move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from balance.errors import InputError
from balance.games.city_services import show as city_services
from balance.games.quadropolis import show as quadropolis
from balance.runs.city_services import CityServicesEngine
from balance.runs.engine import engine_of
from balance.runs.folder import check_rules, load_run
from balance.runs.plan import Plan
from balance.scenario.quadropolis_rules import kind_names

FORMAT = 1


def replay(folder: Path | str, game: int) -> dict[str, Any]:
    """Play a game of a run again.

    Parameters
    ----------
    folder : Path or str
        A run folder.
    game : int
        0 to one less than the games played.

    Returns
    -------
    dict
        Plain data, as the README documents it: enough for a referee to verify every move.

    Raises
    ------
    RunFolderError, InputError
        If there is no such run or game, or the run was made by other rules' code.
    """
    folder = Path(folder)
    saved = load_run(folder)
    check_rules(folder)
    if not 0 <= game < saved.done:
        raise InputError(f"--game {game}: {folder} has the games 0 to {saved.done - 1}")
    return replay_game(saved.plan, game)


def replay_game(plan: Plan, game: int) -> dict[str, Any]:
    """Play any game of a plan and return it as plain data."""
    return {"format": FORMAT, **plan.as_data(), "game": game, **_course_of(plan, game)}


def _course_of(plan: Plan, game: int) -> dict[str, Any]:
    """Return the part that each game tells in its own way."""
    engine = engine_of(plan)
    if isinstance(engine, CityServicesEngine):
        scenario = engine.scenario
        return city_services.replay_data(engine.rules, scenario.board.size, scenario.tiles, engine.record(game))
    return quadropolis.replay_data(engine.rules, kind_names(engine.scenario), engine.record(game))


def replay_lines(data: dict[str, Any]) -> Iterator[str]:
    """Return a replay as lines of text."""
    scenario = data["scenario"]
    yield f"{scenario['title']}, {data['players']} players, seed {data['seed']}, game {data['game']}"
    if scenario["game"] == "quadropolis":
        yield from quadropolis.replay_text(data)
    else:
        yield from city_services.replay_text(data, [*scenario["zones"], *scenario["services"]])
