"""Ctrl-C and pipes, as a shell sees them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from balance.errors import RunFolderError
from balance.runs.engine import engine_of
from balance.runs.folder import load_run
from balance.runs.tallies import same_tallies
from balance.studies.run import read_run

pytestmark = [
    pytest.mark.jitted,
    pytest.mark.skipif(os.name != "posix", reason="signals as on Unix"),
]

SAVES_OFTEN = "from balance.cli import main; from balance.runs import spread; spread.SAVE_SECONDS = 0.2; main()"
PATIENCE = 300.0  # seconds, for a machine that has to compile first


def wait_for_games(folder: Path, games: int) -> None:
    """Wait until a run has written so many games."""
    start = time.monotonic()
    while time.monotonic() - start < PATIENCE:
        with contextlib.suppress(RunFolderError):
            if load_run(folder).done >= games:
                return
        time.sleep(0.1)
    pytest.fail(f"{games} games are not finished after {PATIENCE} seconds")


def test_ctrl_c_ends_with_130_and_keeps_what_is_finished(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = ["run", "city-services", "--games", "900000000", "--yes", "--jobs", "2", "--out", str(folder)]
    command = [sys.executable, "-c", SAVES_OFTEN, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_games(folder, 300)
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        shown, said = process.communicate(timeout=PATIENCE)
        answered = time.monotonic() - pressed
    assert process.returncode == 130
    assert answered < 20
    run = read_run(folder)
    assert f"Stopped after {run.games:,} of 900,000,000 games. They are kept in {folder}." in said
    assert "Warning" not in said
    assert f"City Services: {run.games:,} games" in shown
    assert {path.name for path in folder.iterdir()} == {".lock", "run.json", "tallies.npz"}
    assert same_tallies(run.tallies, engine_of(run.plan).play(0, run.games))


def test_a_reader_that_goes_away_is_no_error_message() -> None:
    shell = f"{sys.executable} -m balance show city-services --csv | head -n 1"
    result = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("key,")
    assert result.stderr == ""


def test_help_answers_without_loading_what_commands_need() -> None:
    code = "import sys, balance.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "balance.cli.run" in loaded
    assert {"numba", "pandas", "scipy", "matplotlib", "rich", "joblib"}.isdisjoint(loaded)
