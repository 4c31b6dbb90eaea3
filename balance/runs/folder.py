"""Run folders: a run's plan and its tallies so far, written so that a killed run loses little.

`run.json` holds the plan, `tallies.npz` the sums of the games 0 .. done - 1. Both are replaced as a whole: a
reader finds the old or the new state, never a mixture.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from balance.errors import RunFolderError
from balance.jit import sources_digest
from balance.runs.engine import engine_of
from balance.runs.plan import Plan, plan_from_data
from balance.runs.tallies import Tallies, games_counted

FORMAT = 1
_PLAN_FILE = "run.json"
_TALLIES_FILE = "tallies.npz"
_DONE = "games_done"


class NoGamesError(RunFolderError):
    """A run folder whose run was stopped before its first games were saved."""


class Manifest(BaseModel):
    """What `run.json` holds; see `Plan`."""

    model_config = ConfigDict(strict=True, extra="forbid")

    format: int
    kernels: str  # digest of the rules' code
    games: int  # games asked for
    scenario: dict[str, Any]
    players: int
    policy: str
    seed: int
    fixed_seats: bool
    studied: list[str] = []


@dataclass(frozen=True)
class SavedRun:
    """What a run folder holds.

    Attributes
    ----------
    plan : Plan
    games : int
        Games asked for.
    done : int
        Games played, numbered from 0.
    tallies : dict of (blocks, ...) int64 arrays
    """

    plan: Plan
    games: int
    done: int
    tallies: Tallies


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file as a whole.

    Raises
    ------
    RunFolderError
        If it cannot be written; what was there before stays.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise RunFolderError(f"{path}: cannot be written: {error.strerror}", _disk_remedy(error)) from None


def open_folder(folder: Path, plan: Plan, games: int) -> SavedRun | None:
    """Make a folder ready for a run: new, empty, or holding the same run unfinished or shorter.

    Returns
    -------
    SavedRun or None
        What is already there, to go on from.

    Raises
    ------
    RunFolderError
        If the folder cannot be written, holds anything else, or a longer run.
    """
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"--out {folder}: this is a file, not a folder")
    saved = None
    if folder.is_dir():
        _remove_unfinished_parts(folder)
        if any(folder.iterdir()):
            saved = _same_run(folder, plan, games)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"--out {folder}: cannot be made: {error.strerror}", _disk_remedy(error)) from None
    if not os.access(folder, os.W_OK):
        raise RunFolderError(f"--out {folder}: cannot be written", "Choose another folder.")
    manifest = {"format": FORMAT, "kernels": sources_digest(), "games": games, **plan.as_data()}
    write_atomically(folder / _PLAN_FILE, json.dumps(manifest, indent=1).encode())
    return saved


def save_tallies(folder: Path, tallies: Tallies, done: int) -> None:
    """Write the tallies of the games played so far."""
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **{_DONE: np.int64(done)}, **tallies)
    write_atomically(folder / _TALLIES_FILE, content.getvalue())


def load_run(folder: Path) -> SavedRun:
    """Load a run folder.

    Raises
    ------
    RunFolderError
        If there is no run, or a file of it is damaged.
    """
    if not folder.is_dir():
        raise RunFolderError(f"{folder}: no such run folder", "Make one with balance run SCENARIO --out FOLDER.")
    manifest = _load_manifest(folder)
    plan = _load_plan(folder, manifest)
    done, tallies = _load_tallies(folder, plan)
    return SavedRun(plan, manifest["games"], done, tallies)


def games_kept(folder: Path, plan: Plan) -> int:
    """Return how many games of a plan a folder holds; 0 where it holds none, or another run."""
    try:
        saved = load_run(folder)
    except RunFolderError:
        return 0
    return saved.done if saved.plan == plan else 0


def check_kernels(folder: Path) -> None:
    """Refuse to add games to a run, or replay it, with rules that may have changed since.

    Raises
    ------
    RunFolderError
        If the run was made by another version of the rules' code.
    """
    if _load_manifest(folder)["kernels"] != sources_digest():
        raise RunFolderError(
            f"{folder}: made by another version of balance, whose games may differ",
            "Run it again into another folder.",
        )


def _remove_unfinished_parts(folder: Path) -> None:
    """Remove what a killed process was just writing."""
    for name in (_PLAN_FILE, _TALLIES_FILE):
        for part in folder.glob(f".{name}.*.part"):
            part.unlink(missing_ok=True)


def _same_run(folder: Path, plan: Plan, games: int) -> SavedRun | None:
    if not (folder / _PLAN_FILE).exists():
        raise RunFolderError(f"--out {folder}: the folder is not empty", "Choose a new or an empty one.")
    manifest = _load_manifest(folder)
    if _load_plan(folder, manifest) != plan:
        raise RunFolderError(
            f"--out {folder}: holds another run (other scenario, players, policies or seed)",
            "Choose a new or an empty folder.",
        )
    check_kernels(folder)
    try:
        saved = load_run(folder)
    except NoGamesError:
        return None
    if saved.done > games:
        raise RunFolderError(
            f"--out {folder}: already holds {saved.done:,} games of this run, more than {games:,}",
            "Ask for at least as many, or choose another folder.",
        )
    return saved


def _load_manifest(folder: Path) -> dict[str, Any]:
    path = folder / _PLAN_FILE
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunFolderError(f"{folder}: not a run folder: {_PLAN_FILE} is missing") from None
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from None
    if isinstance(data, dict) and "scenario" in data and data.get("format") != FORMAT:
        raise RunFolderError(f"{path}: format {data.get('format')} is not one that this version reads")
    try:
        return Manifest.model_validate(data).model_dump()
    except ValidationError as error:
        first = error.errors()[0]
        raise _damaged(path, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _load_plan(folder: Path, manifest: Mapping[str, Any]) -> Plan:
    return plan_from_data(manifest, str(folder / _PLAN_FILE))


def _load_tallies(folder: Path, plan: Plan) -> tuple[int, Tallies]:
    path = folder / _TALLIES_FILE
    no_games = NoGamesError(
        f"{folder}: no games are finished yet", "Start the same balance run command again to go on."
    )
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise no_games from None
    except OSError as error:
        raise _damaged(path, error) from None
    done, tallies = _read_tallies(path, content)
    expected = engine_of(plan).empty_tallies()
    if {name: sums.shape for name, sums in tallies.items()} != {name: sums.shape for name, sums in expected.items()}:
        raise _damaged(path, "its arrays are not those of this run")
    if any(sums.dtype != np.int64 for sums in tallies.values()) or games_counted(tallies) != done:
        raise _damaged(path, "its sums are not those of this run")
    if done == 0:
        raise no_games
    return done, tallies


def _read_tallies(path: Path, content: bytes) -> tuple[int, Tallies]:
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            tallies = {name: file[name] for name in file.files}
        return int(tallies.pop(_DONE)), tallies
    except Exception as error:  # a damaged archive makes zipfile, zlib and numpy raise almost anything
        raise _damaged(path, error) from None


def _damaged(path: Path, reason: object) -> RunFolderError:
    return RunFolderError(
        f"{path}: damaged ({reason})", "Delete the folder and run again: the same seed gives the same run."
    )


def _disk_remedy(error: OSError) -> str:
    return "Free some space and start the same command again." if error.errno == 28 else "Choose another folder."
