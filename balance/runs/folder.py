"""Run folders: a run's plan and its tallies so far, written so that a killed run loses little.

`run.json` holds the plan, `tallies.npz` the sums of the games 0 .. done - 1. Both are sealed with a SHA-256 and
replaced as a whole: a reader finds the old or the new state, never a mixture. One process at a time writes: it holds
a lock, which the operating system takes back from a killed one.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from balance.errors import RunFolderError
from balance.runs.engine import engine_of
from balance.runs.plan import Plan, plan_from_data
from balance.runs.sealed import DamagedError, disk_remedy, read_bytes, read_json, write_bytes, write_json
from balance.runs.tallies import Tallies, games_counted
from balance.runs.versions import rules_digest

FORMAT = 2
_PLAN_FILE = "run.json"
_TALLIES_FILE = "tallies.npz"
_LOCK_FILE = "lock"
_DONE = "games_done"


class NoGamesError(RunFolderError):
    """A run folder whose run was stopped before its first games were saved."""


class Manifest(BaseModel):
    """What `run.json` holds; see `Plan`."""

    model_config = ConfigDict(strict=True, extra="forbid")

    format: int
    rules: str  # digest of the rules' code
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


@contextmanager
def locked(folder: Path | None) -> Iterator[None]:
    """Keep other processes from writing into a run folder; it is made if there is none.

    Raises
    ------
    RunFolderError
        If the folder cannot be written, holds something else than a run, or another process writes into it.
    """
    if folder is None:
        yield
        return
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"--out {folder}: this is a file, not a folder")
    if folder.is_dir() and not (folder / _PLAN_FILE).exists() and not _is_empty(folder):
        raise RunFolderError(f"--out {folder}: the folder is not empty", "Choose a new or an empty one.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"--out {folder}: cannot be made: {error.strerror}", disk_remedy(error)) from None
    lock = FileLock(folder / f".{_LOCK_FILE}", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        remedy = "Wait for it, stop it, or choose another folder."
        raise RunFolderError(f"--out {folder}: another process is writing into it", remedy) from None
    except OSError as error:
        raise RunFolderError(f"--out {folder}: cannot be written: {error.strerror}", disk_remedy(error)) from None
    except NotImplementedError:  # a file system without locks
        yield
        return
    try:
        yield
    finally:
        lock.release()


def open_folder(folder: Path, plan: Plan, games: int) -> SavedRun | None:
    """Make a folder that is locked ready for a run: empty, or holding the same run unfinished or shorter.

    Returns
    -------
    SavedRun or None
        What is already there, to go on from.

    Raises
    ------
    RunFolderError
        If the folder holds anything else, or a longer run.
    """
    _remove_unfinished_parts(folder)
    saved = None if _is_empty(folder) else _same_run(folder, plan, games)
    write_json(folder / _PLAN_FILE, {"format": FORMAT, "rules": rules_digest(), "games": games, **plan.as_data()})
    return saved


def _is_empty(folder: Path) -> bool:
    """Tell whether a folder holds nothing but what a killed process was just writing."""
    ours = tuple(f".{name}" for name in (_LOCK_FILE, _PLAN_FILE, _TALLIES_FILE))
    return all(path.name.startswith(ours) for path in folder.iterdir())


def save_tallies(folder: Path, tallies: Tallies, done: int) -> None:
    """Write the tallies of the games played so far."""
    content = io.BytesIO()
    arrays: dict[str, Any] = {_DONE: np.int64(done), **tallies}
    np.savez_compressed(content, **arrays)
    write_bytes(folder / _TALLIES_FILE, content.getvalue())


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


def games_kept(folder: Path | None, plan: Plan) -> int:
    """Return how many games of a plan a folder holds; 0 where it holds none, or another run."""
    if folder is None:
        return 0
    try:
        saved = load_run(folder)
    except RunFolderError:
        return 0
    return saved.done if saved.plan == plan else 0


def check_rules(folder: Path) -> None:
    """Refuse to add games to a run, or replay it, with rules that may have changed since.

    Raises
    ------
    RunFolderError
        If the run was made by another version of the rules' code.
    """
    if _load_manifest(folder)["rules"] != rules_digest():
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
    check_rules(folder)
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
        data = read_json(path, FORMAT)
    except FileNotFoundError:
        raise RunFolderError(f"{folder}: not a run folder: {_PLAN_FILE} is missing") from None
    try:
        return Manifest.model_validate(data).model_dump()
    except ValidationError as error:
        first = error.errors()[0]
        raise DamagedError(path, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _load_plan(folder: Path, manifest: Mapping[str, Any]) -> Plan:
    return plan_from_data(manifest, str(folder / _PLAN_FILE))


def _load_tallies(folder: Path, plan: Plan) -> tuple[int, Tallies]:
    path = folder / _TALLIES_FILE
    no_games = NoGamesError(
        f"{folder}: no games are finished yet", "Start the same balance run command again to go on."
    )
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        raise no_games from None
    expected = engine_of(plan).empty_tallies()
    done, tallies = _read_tallies(path, content, {_DONE: (), **{name: sums.shape for name, sums in expected.items()}})
    if games_counted(tallies) != done:
        raise DamagedError(path, "its sums are not those of this run")
    if done == 0:
        raise no_games
    return done, tallies


def _read_tallies(path: Path, content: bytes, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, Tallies]:
    """Read arrays, once it is known that they are of the shapes that this run has: no other is read."""
    if _shapes_of(path, content) != shapes:
        raise DamagedError(path, "its arrays are not those of this run")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        tallies = {name: file[name] for name in file.files}
    return int(tallies.pop(_DONE)), tallies


def _shapes_of(path: Path, content: bytes) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays of whole numbers in a file, from their headers alone."""
    shapes = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            for name in file.namelist():
                with file.open(name) as member:
                    np.lib.format.read_magic(member)
                    shape, _, dtype = np.lib.format.read_array_header_1_0(member)
                if dtype != np.int64:
                    raise ValueError(f"{name}: {dtype}")
                shapes[name.removesuffix(".npy")] = shape
    except Exception as error:  # a damaged archive makes zipfile, zlib and numpy raise almost anything
        raise DamagedError(path, error) from None
    return shapes
