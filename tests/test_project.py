"""The project as a whole: style, types, layers, the installed wheel, and the rules in the other modes."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from balance.jit import sources_digest

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


# The rules in the other modes


def test_the_rules_hold_with_bounds_checked(tmp_path: Path) -> None:
    environment = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    words = ["-n", "0", "tests/games/city_services", "-k", "not all_variants"]  # which counts what is compiled
    run(sys.executable, "-m", "pytest", *words, **environment)


def test_the_rules_hold_with_the_jit_off() -> None:
    run(sys.executable, "-m", "pytest", "-n", "0", "tests/games", NUMBA_DISABLE_JIT="1")


# Style, types, layers


def test_code_is_formatted_and_clean() -> None:
    run(TOOLS / "ruff", "format", "--check", ".")
    run(TOOLS / "ruff", "check", ".")


def test_types_hold() -> None:
    run(TOOLS / "mypy")


def test_imports_follow_the_layers() -> None:
    run(TOOLS / "lint-imports")


def test_ci_runs_exactly_the_test_line_of_the_readme() -> None:
    indented = [
        line.strip() for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("    python3")
    ]
    main_line, test_line = indented[:2]
    assert main_line.endswith("balance run city-services --report")
    assert test_line in (ROOT / ".ci" / "run").read_text().splitlines()


# Packaging


def distributions_needed(requirements: list[str]) -> set[str]:
    """Return the names of what is required, and of what that requires in turn, as pip would install them."""
    needed: set[str] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        required = waiting.pop()
        name = re.sub(r"[-_.]+", "-", required.name).lower()
        if name not in needed and (required.marker is None or required.marker.evaluate({"extra": ""})):
            needed.add(name)
            waiting += [Requirement(text) for text in requires(name) or []]
    return needed


def modules_imported() -> set[str]:
    """Return what the package imports that is neither Python's nor its own, at the top or inside of functions."""
    found = set()
    for path in (ROOT / "balance").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    return found - sys.stdlib_module_names - {"balance"}


def test_the_declared_dependencies_bring_all_that_is_imported() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    needed, brought_by = distributions_needed(declared), packages_distributions()
    assert "numba" in modules_imported()
    for module in modules_imported():
        assert {re.sub(r"[-_.]+", "-", name).lower() for name in brought_by[module]} & needed, module


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and install it alone into a fresh environment, which takes what it depends on from this one."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT)
    venv.create(folder / "env")
    python = folder / "env" / "bin" / "python"
    wheel = next(folder.glob("*.whl"))
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", wheel, cwd=folder)
    (site_packages,) = (folder / "env" / "lib").glob("*/site-packages")
    found_in = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    (site_packages / "dependencies.pth").write_text("\n".join(sorted(found_in)), encoding="utf-8")
    return python.parent


def test_the_installed_wheel_finds_its_scenarios_from_any_folder(installed: Path, tmp_path: Path) -> None:
    assert "city-services-one-way" in run(installed / "balance", "list", cwd=tmp_path, PYTHONPATH="")


def test_the_installed_wheel_has_the_kernels_that_are_tested_here(installed: Path, tmp_path: Path) -> None:
    code = "from balance import jit; print(jit.__file__, jit.sources_digest())"
    file, digest = run(installed / "python", "-c", code, cwd=tmp_path, PYTHONPATH="").split()
    assert Path(file).is_relative_to(installed.parent)
    assert digest == sources_digest()


def test_the_installed_wheel_plays_and_reports_from_any_folder(installed: Path, tmp_path: Path) -> None:
    words = ["run", "city-services", "--games", "24", "--report", "--out", "first"]
    # not compiled: that takes a minute, and the kernels are those that are compiled here
    run(installed / "balance", *words, cwd=tmp_path, NUMBA_DISABLE_JIT="1", PYTHONPATH="")
    page = (tmp_path / "first" / "report.html").read_text()
    assert "City Services" in page
    assert "<svg" in page
