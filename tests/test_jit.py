"""Compiled kernels are kept where they can be; where not, or where they are damaged, games are played all the same."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from balance import jit

pytestmark = pytest.mark.jitted


def add_one(number: int) -> int:
    """Stand for a kernel."""
    return number + 1


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of kernels."""
    monkeypatch.setattr(jit._config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(jit, "CACHE", tmp_path)
    return tmp_path


def kept(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.is_file()]


def test_a_kernel_is_kept(cache: Path) -> None:
    assert jit.njit(add_one)(1) == 2
    assert kept(cache)


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x04K\x01."])
def test_a_damaged_kernel_is_compiled_again(cache: Path, content: bytes) -> None:
    jit.njit(add_one)(1)
    for path in kept(cache):
        path.write_bytes(content)
    assert jit.njit(add_one)(1) == 2
    again = jit.njit(add_one)
    assert again(1) == 2
    assert again.compiled._cache_hits  # type: ignore[attr-defined]  # it was kept once more


def test_a_full_disk_keeps_no_kernel_and_stops_no_game(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: Any, **_options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    assert jit.njit(add_one)(1) == 2


def test_a_cache_that_is_gone_stops_no_game(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "file").write_bytes(b"")
    monkeypatch.setattr(jit._config, "CACHE_DIR", str(cache / "file" / "below"))
    assert jit.njit(add_one)(1) == 2


@pytest.mark.skipif(os.name != "posix", reason="permissions as on Unix")
def test_a_folder_that_others_can_write_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "mine"))
    mine = jit._writable_cache()
    assert mine is not None
    assert mine.is_relative_to(tmp_path / "mine")
    (tmp_path / "mine" / "balance").chmod(0o777)
    monkeypatch.setattr(jit.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    elsewhere = jit._writable_cache()
    assert elsewhere is not None
    assert elsewhere.is_relative_to(tmp_path / "temporary")
