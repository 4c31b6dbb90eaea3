"""Files that notice damage: each carries a SHA-256 of what it holds, and is replaced as a whole."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from balance.errors import RunFolderError

_SEAL = "sha256"
_MARK = b"\nsha256:"
_SEAL_LENGTH = len(_MARK) + hashlib.sha256().digest_size * 2


class DamagedError(RunFolderError):
    """A file is not what was written."""

    def __init__(self, path: Path, reason: object) -> None:
        super().__init__(
            f"{path}: damaged ({reason})", "Delete the folder and run again: the same seed gives the same run."
        )


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write data as sealed JSON.

    Raises
    ------
    RunFolderError
        If it cannot be written; what was there before stays.
    """
    write_atomically(path, json.dumps({**data, _SEAL: _digest_of(data)}, indent=1, ensure_ascii=False).encode())


def read_json(path: Path, version: int) -> dict[str, Any]:
    """Read sealed JSON of one version of its format.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    RunFolderError
        If it is of another version of the format, or is not what was written.
    """
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedError(path, error) from None
    if not isinstance(data, dict):
        raise DamagedError(path, "it holds no keys and values")
    if "format" in data and data["format"] != version:
        remedy = "Use the version of balance that made it, or run it again into another folder."
        raise RunFolderError(f"{path}: format {data['format']} is not one that this version reads", remedy)
    seal = data.pop(_SEAL, None)
    if seal != _digest_of(data):
        raise DamagedError(path, "its SHA-256 is not that of what it holds")
    return data


def write_bytes(path: Path, content: bytes) -> None:
    """Write sealed bytes: the content, then its SHA-256.

    Raises
    ------
    RunFolderError
        If they cannot be written; what was there before stays.
    """
    write_atomically(path, content + _MARK + hashlib.sha256(content).hexdigest().encode())


def read_bytes(path: Path) -> bytes:
    """Read sealed bytes.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DamagedError
        If they are not what was written.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DamagedError(path, error.strerror) from None
    content, seal = data[:-_SEAL_LENGTH], data[-_SEAL_LENGTH:]
    if seal != _MARK + hashlib.sha256(content).hexdigest().encode():
        raise DamagedError(path, "its SHA-256 is not that of what it holds")
    return content


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
        raise RunFolderError(f"{path}: cannot be written: {error.strerror}", disk_remedy(error)) from None


def disk_remedy(error: OSError) -> str:
    """Say what helps where the disk refuses."""
    return "Free some space and start the same command again." if error.errno == 28 else "Choose another folder."


def _digest_of(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
