"""The project as a whole: style, types, layers, the installed wheel, and the rules in the other modes."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = Path(sys.executable).parent


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    result = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_code_is_formatted_and_clean() -> None:
    run(TOOLS / "ruff", "format", "--check", ".")
    run(TOOLS / "ruff", "check", ".")


def test_types_hold() -> None:
    run(TOOLS / "mypy")


def test_imports_follow_the_layers() -> None:
    run(TOOLS / "lint-imports")


def test_the_rules_hold_with_the_jit_off() -> None:
    run(sys.executable, "-m", "pytest", "-n", "2", "tests/games", NUMBA_DISABLE_JIT="1")


def test_the_rules_hold_with_bounds_checked(tmp_path: Path) -> None:
    environment = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    run(sys.executable, "-m", "pytest", "-n", "2", "tests/games/city_services", **environment)


def test_ci_runs_exactly_the_test_line_of_the_readme() -> None:
    indented = [
        line.strip() for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("    python3")
    ]
    main_line, test_line = indented[:2]
    assert main_line.endswith("balance run city-services --report")
    assert test_line in (ROOT / ".ci" / "run").read_text().splitlines()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and install it into a fresh environment."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT)
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", next(folder.glob("*.whl")), cwd=folder)
    return python.parent / "balance"


@pytest.mark.xdist_group("wheel")  # built and installed once
def test_the_installed_wheel_finds_its_scenarios_from_any_folder(installed: Path, tmp_path: Path) -> None:
    assert "city-services-one-way" in run(installed, "list", cwd=tmp_path)


@pytest.mark.xdist_group("wheel")
def test_the_installed_wheel_plays_and_reports_from_any_folder(installed: Path, tmp_path: Path) -> None:
    run(installed, "run", "city-services", "--games", "300", "--report", "--out", "first", cwd=tmp_path)
    page = (tmp_path / "first" / "report.html").read_text()
    assert "City Services" in page
    assert "<svg" in page
