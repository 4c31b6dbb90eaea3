"""What several tests share: runs that are played once, a scenario small enough for plain Python, and marks."""

from __future__ import annotations

import pytest

from balance.jit import JIT_IS_DISABLED
from balance.scenario.load import Scenario, load_scenario
from balance.studies.run import simulate
from balance.studies.tables import Run

SMALL = [
    "board.size=6",
    "players=2",
    "zones.residential.count=6",
    "zones.commercial.count=4",
    "zones.industrial.count=3",
    *(f"services.{tile}.count=0" for tile in ("power", "water", "sewage", "police", "health", "government")),
    *(f"services.{tile}.count=0" for tile in ("education", "religious")),
]

FIRST = (
    "test_against_naive.py",  # compiles City Services on one worker
    "test_quadropolis_rules.py",  # compiles Quadropolis on the other
    "test_project.py",  # takes longest, and compiles for itself
    "test_interventions.py",
    "test_help.py",
    "test_quadropolis_bounds.py",
    "test_quadropolis_activation.py",
    "test_charts.py",
    "test_tune.py",
    "test_html.py",
    "test_calibrate.py",
)
"""Files in the order in which workers get them: what takes long must not be left to one worker at the end."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "jitted: plays too many games for plain Python; skipped where the JIT is off")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    skip = pytest.mark.skip(reason="too many games for plain Python")
    for item in items:
        if JIT_IS_DISABLED and item.get_closest_marker("jitted") is not None:
            item.add_marker(skip)
    items.sort(key=lambda item: FIRST.index(item.path.name) if item.path.name in FIRST else len(FIRST))


@pytest.fixture(scope="session")
def printed() -> Scenario:
    """The game as printed."""
    return load_scenario("city-services")


@pytest.fixture(scope="session")
def small() -> Scenario:
    """A game of 32 tiles for 2 players on a board of 6 x 6."""
    return load_scenario("city-services", changes=SMALL)


@pytest.fixture(scope="session")
def random_run(printed: Scenario) -> Run:
    """2,000 games of 4 random players."""
    return simulate(printed, 2_000)


@pytest.fixture(scope="session")
def mixed_run(printed: Scenario) -> Run:
    """2,880 games of 4 unequal policies: three times round the table."""
    return simulate(printed, 2_880, policy="random,greedy,random-fire,random+parks", seed=3)


@pytest.fixture(scope="session")
def small_run(small: Scenario) -> Run:
    """A few games of the small scenario, also for plain Python."""
    return simulate(small, 30 if JIT_IS_DISABLED else 600)
