"""The study of the ranges, in miniature: its own commands make page, tables and charts; its enumeration is exact."""

from __future__ import annotations

import importlib
import itertools
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parents[2] / "reports" / "service-ranges"

pytestmark = pytest.mark.jitted


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study with few games, for two players."""
    out = tmp_path_factory.mktemp("ranges")
    command = [FOLDER / "study.py", "--games", "240", "--trials", "12", "--players", "2", "--out", out]
    subprocess.run([sys.executable, "-W", "error", *command], check=True, capture_output=True, text=True)
    return out


def test_the_study_makes_page_tables_and_charts_again(page: Path) -> None:
    assert "which ranges are fair?" in (page / "report.html").read_text()
    committed = {path.relative_to(FOLDER) for kind in ("tables", "charts") for path in (FOLDER / kind).iterdir()}
    made = {path.relative_to(page) for kind in ("tables", "charts") for path in (page / kind).iterdir()}
    assert made == committed


def test_the_tables_have_every_service_and_case(page: Path) -> None:
    line = pd.read_csv(page / "tables" / "line.csv")
    assert len(line) == 2 * 14
    assert set(line["policy"]) == {"random", "greedy"}
    sums = line.groupby("policy")["contrast"].sum()
    assert sums.to_numpy() == pytest.approx(0, abs=1e-9)  # each against the mean of the others
    checks = pd.read_csv(page / "tables" / "checks.csv")
    assert (checks["ratio"] > 0.9).all()


@pytest.fixture
def ranges(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """What the study measures with."""
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("ranges")


def test_the_enumeration_of_curves_is_exact(ranges: ModuleType) -> None:
    generator = np.random.default_rng(1)
    for _ in range(50):
        curves = generator.uniform(1, 9, (4, 3))
        best = ranges.most_even(curves)
        every = [
            (values.std(ddof=1) / values.mean(), choice)
            for choice in itertools.product(range(3), repeat=4)
            for values in [curves[np.arange(4), choice]]
        ]
        assert tuple(best) == min(every)[1]
