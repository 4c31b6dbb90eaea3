"""What plays the games of a plan: sent to other processes as a plan alone, compiled once."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from balance.games.city_services.play import Move
from balance.jit import JIT_IS_DISABLED
from balance.runs.engine import engine_of
from balance.runs.plan import make_plan
from balance.runs.tallies import same_tallies
from balance.scenario.load import Scenario

SIGNATURES = """
import importlib, pkgutil
import balance.games
from balance.runs.engine import engine_of
from balance.runs.plan import make_plan
from balance.scenario.load import load_scenario
for changes, options in (
    ([], {}),
    ([], {"players": 2, "policy": "greedy"}),
    (["board.size=4"], {"players": 3, "policy": "random,greedy-fire,random+parks"}),
    (["experiments.withheld=keep", "services.fire.vp_per_zone=3"], {"policy": "random-residential"}),
):
    engine = engine_of(make_plan(load_scenario("city-services", changes=changes), **options))
    engine.play(0, 2)
    engine.play(10**12, 10**12 + 1, counting=False)
for name, options in (
    ("quadropolis-classic-base", {"players": 2}),
    ("quadropolis-expert", {"policy": "greedy,random-park,greedy+capitol,random+shop"}),
):
    engine_of(make_plan(load_scenario(name), **options)).play(0, 2)
    engine.record(1)
for module in pkgutil.walk_packages(balance.games.__path__, "balance.games."):
    for name, kernel in vars(importlib.import_module(module.name)).items():
        if not getattr(kernel, "targetoptions", {}).get("forceinline") and hasattr(kernel, "signatures"):
            print(f"{module.name}.{name}", len(kernel.signatures))
"""


def test_an_engine_survives_the_way_to_another_process(small: Scenario) -> None:
    engine = engine_of(make_plan(small, policy="random,random-fire", seed=5))
    played = engine.play(0, 6)
    sent = pickle.loads(pickle.dumps(engine))
    assert sent.plan == engine.plan
    assert same_tallies(sent.play(0, 6), played)


def test_only_the_plan_travels(small: Scenario) -> None:
    engine = engine_of(make_plan(small))
    engine.play(0, 1)
    assert len(pickle.dumps(engine)) < 10_000


@pytest.mark.jitted
def test_each_kernel_is_compiled_for_exactly_one_signature() -> None:
    lines = subprocess.run([sys.executable, "-c", SIGNATURES], capture_output=True, text=True, check=True).stdout
    signatures = {name: int(count) for name, count in (line.split() for line in lines.splitlines())}
    for game in ("city_services", "quadropolis"):
        assert signatures[f"balance.games.{game}.play.play_games"] == 1
    assert max(signatures.values()) == 1, signatures


def test_counting_can_be_left_out_to_measure_what_it_costs(small: Scenario) -> None:
    engine = engine_of(make_plan(small))
    assert not any(sums.any() for sums in engine.play(0, 3, counting=False).values())
    assert not any(sums.any() for sums in engine.empty_tallies().values())


def test_a_recorded_game_is_the_game_of_its_number(small: Scenario) -> None:
    engine = engine_of(make_plan(small, seed=9))
    for game in range(2 if JIT_IS_DISABLED else 20):
        recording, played = engine.record(game), engine.play(game, game + 1)
        placed = played["squares"][:, :, :, 0].sum(axis=0)
        assert len(recording.moves) == placed.sum()
        for move in recording.moves:
            assert placed[move[Move.TILE], move[Move.SQUARE]] == 1
