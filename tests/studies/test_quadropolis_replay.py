"""A replay of Quadropolis holds all that a referee needs, and every move of it keeps the rules."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from balance.errors import BalanceError
from balance.games.quadropolis.play import Line
from balance.games.quadropolis.show import city_lines, kind_codes, replay_data
from balance.jit import JIT_IS_DISABLED
from balance.runs.engine import engine_of
from balance.runs.plan import make_plan
from balance.runs.quadropolis import QuadropolisEngine
from balance.scenario.load import load_scenario
from balance.scenario.quadropolis import Quadropolis
from balance.scenario.quadropolis_rules import kind_names
from balance.studies.replay import replay, replay_game, replay_lines
from balance.studies.run import simulate
from tests.studies.quadropolis_referee import check_greedy, check_replay

Data = dict[str, Any]

GAMES = {
    "classic, 2 random": ("quadropolis-classic", [], 2, "random", 0),
    "classic, 4 random": ("quadropolis-classic", [], 4, "random", 241),
    "classic, 2 greedy": ("quadropolis-classic", [], 2, "greedy", 1),
    "classic, 4 restricted": ("quadropolis-classic", [], 4, "greedy-park,random+shop,random,greedy+harbor", 7),
    "classic without pool, 3": ("quadropolis-classic-base", [], 3, "greedy,random,greedy-factory", 10**9),
    "classic, Expert pool": ("quadropolis-classic-expert-pool", [], 4, "greedy", 3),
    "expert, 2 random": ("quadropolis-expert", [], 2, "random", 0),
    "expert, 4 greedy": ("quadropolis-expert", [], 4, "greedy", 0),
    "expert, 2 restricted": ("quadropolis-expert", [], 2, "greedy-park,random+shop", 500),
    "expert without pool, 2": ("quadropolis-expert-base", [], 2, "greedy", 2),
    "many Capitols": (
        "quadropolis-expert",
        ["pool.capitol.count=6", "pool.congress_center.count=6", "public_services.bridges=false"],
        3,
        "greedy,random+capitol,greedy+congress_center",
        4,
    ),
    "handicap, nobody else is Mayor": (
        "quadropolis-classic",
        ["seats.handicap=[3, 0, 12, 0]", "site.mayor=false", "site.urbanist=false"],
        3,
        "random",
        5,
    ),
}


def told(name: str, changes: list[str], players: int, policy: str, game: int) -> Data:
    """Return a replay as another program reads it."""
    plan = make_plan(load_scenario(name, changes=changes), players=players, policy=policy)
    data: Data = json.loads(json.dumps(replay_game(plan, game)))
    return data


@pytest.mark.jitted
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_referee_who_knows_the_rules_alone_finds_no_foul(game: tuple[str, list[str], int, str, int]) -> None:
    check_replay(told(*game))


@pytest.mark.jitted
def test_greedy_always_makes_a_best_move() -> None:
    check_greedy(told("quadropolis-classic", [], 2, "greedy", 0))


# The referee is no rubber stamp


@pytest.fixture(scope="module")
def honest() -> Data:
    if JIT_IS_DISABLED:
        pytest.skip("too slow for plain Python")
    return told("quadropolis-expert", [], 2, "random", 0)


def turns(data: Data) -> list[Data]:
    return [turn for number in data["rounds"] for turn in number["turns"]]


def scores_more(data: Data) -> None:
    data["cities"][0]["score"] += 1


def gives_a_rule_more(data: Data) -> None:
    data["cities"][1]["rules"]["parks"] += 1


def takes_an_architect_that_is_gone(data: Data) -> None:
    turns(data)[0]["architect"] = 6


def uses_a_slot_twice(data: Data) -> None:
    turns(data)[1]["slot"] = turns(data)[0]["slot"]


def builds_elsewhere(data: Data) -> None:
    built = next(turn for turn in turns(data) if turn["outcome"] == "built")
    built["space"] = [5, 6]


def hides_a_tile(data: Data) -> None:
    row = data["rounds"][0]["site"][0]
    row[:] = [None] * 5


def reveals_others(data: Data) -> None:
    data["rounds"][1]["visible"] = data["rounds"][0]["visible"]


def gains_more(data: Data) -> None:
    turns(data)[-1]["energy"] += 1


def starts_out_of_turn(data: Data) -> None:
    data["rounds"][0]["mayor"] = 2


def activates_others(data: Data) -> None:
    space = data["cities"][0]["spaces"][0]
    space["active"] = not space["active"]


def claims_the_win(data: Data) -> None:
    data["win_shares"] = [1.0, 1.0]


FOULS = [
    scores_more,
    gives_a_rule_more,
    takes_an_architect_that_is_gone,
    uses_a_slot_twice,
    builds_elsewhere,
    hides_a_tile,
    reveals_others,
    gains_more,
    starts_out_of_turn,
    activates_others,
    claims_the_win,
]


@pytest.mark.parametrize("foul", FOULS, ids=lambda foul: foul.__name__)
def test_the_referee_finds_a_foul(honest: Data, foul: Callable[[Data], None]) -> None:
    data = copy.deepcopy(honest)
    foul(data)
    with pytest.raises(AssertionError):
        check_replay(data)


def test_the_referee_knows_a_random_player_from_a_greedy_one(honest: Data) -> None:
    with pytest.raises(AssertionError, match="greedy has"):
        check_greedy({**honest, "policies": ["greedy", "greedy"]})


# What does not add up is no replay


@pytest.mark.jitted
def test_a_recount_that_differs_is_an_error() -> None:
    scenario = load_scenario("quadropolis-classic", changes=["players=2"])
    assert isinstance(scenario, Quadropolis)
    engine = engine_of(make_plan(scenario))
    assert isinstance(engine, QuadropolisEngine)
    recording, names = engine.record(0), kind_names(scenario)
    replay_data(engine.rules, names, recording)
    recording.script.rules[1, 0] += 1
    with pytest.raises(BalanceError, match=r"city of seat 2 .* points, the game .*\n?.*"):
        replay_data(engine.rules, names, recording)
    recording.script.rules[1, 0] -= 1
    recording.script.turns[3, Line.ENERGY] += 1
    with pytest.raises(BalanceError, match="what turn 4 gives differs") as caught:
        replay_data(engine.rules, names, recording)
    assert caught.value.remedy == "Please report this."


# From a run folder, and as text


@pytest.mark.jitted
def test_any_game_of_a_run_can_be_played_again(tmp_path: Any) -> None:
    scenario = load_scenario("quadropolis-classic")
    simulate(scenario, 3, policy="random", seed=6, players=2, out=tmp_path / "run")
    data = replay(tmp_path / "run", 2)
    assert data == replay_game(make_plan(scenario, policy="random", seed=6, players=2), 2)
    assert (data["format"], data["game"], data["policies"]) == (1, 2, ["random", "random"])


def test_the_text_tells_every_turn(honest: Data) -> None:
    lines = list(replay_lines(honest))
    text = "\n".join(lines)
    assert lines[0] == "Quadropolis Expert with Public Services, 2 players, seed 1, game 0"
    for turn in turns(honest):
        side, position = turn["slot"]
        row, column = turn["square"]
        start = (
            f"Turn {turn['turn']}, seat {turn['seat']}: Architect {turn['architect']} on the {side}, slot {position}, "
        )
        at = next(index for index, line in enumerate(lines) if line.startswith(start))
        assert f"reaches row {row}, column {column}: {turn['tile'] or 'nothing'}" in lines[at]
        assert f"{turn['energy']} energy, city worth {turn['score']}." in lines[at + 1]
        if turn["outcome"] == "built":
            row, column = turn["space"]
            assert f"at row {row}, column {column}" in lines[at + 1]
            assert ("builds " + turn["built"] in lines[at + 1]) == (turn["built"] != turn["tile"])
        assert (f"discards {turn['discarded']}" in lines[at + 1]) == (turn["discarded"] is not None)
    assert text.count("Visible: ") == 5
    assert f"Final scores: {' '.join(map(str, honest['scores']))}" in text
    for city in honest["cities"]:
        assert f"\n  {city['score']} points: " in text


def test_the_site_in_the_text_is_that_of_the_round(honest: Data) -> None:
    lines = list(replay_lines(honest))
    for number in honest["rounds"]:
        at = lines.index(f"Round {number['round']}, seat {number['mayor']} is Mayor.")
        cells = [line.split()[1:] for line in lines[at + 2 : at + 7]]
        for shown, squares in zip(cells, number["site"], strict=True):
            assert [cell == "." for cell in shown] == [square is None for square in squares]
            assert [cell.endswith("*") for cell in shown] == [bool(square and square["mayor"]) for square in squares]


def test_a_city_is_drawn_with_floors_customers_and_what_is_inactive() -> None:
    def space(row: int, column: int, building: str, **facts: Any) -> Data:
        return {
            "space": [row, column],
            "building": building,
            "floors": 1,
            "customers": 0,
            "printed_vp": 0,
            "active": True,
            **facts,
        }

    spaces = [
        space(1, 1, "tower_block", floors=3),
        space(1, 2, "shop", customers=4),
        space(2, 1, "harbor", printed_vp=3, active=False),
        space(2, 3, "police_station"),
    ]
    assert city_lines(spaces, 3, 3) == [
        "    1     2     3",
        "  1 T3    S4    _",
        "  2 (H+3) _     Po",
        "  3 _     _     _",
    ]


@pytest.mark.parametrize(
    ("names", "codes"),
    [
        (["tower_block_1", "tower_block_2", "park", "harbor_1_1"], ["T1", "T2", "P", "H11"]),
        (["park_a", "park_alley", "zoo"], ["PA", "PAL", "ZO"]),
        (["park", "p"], ["park", "p"]),
        ([], []),
    ],
    ids=str,
)
def test_kinds_have_codes_that_tell_them_apart(names: list[str], codes: list[str]) -> None:
    assert kind_codes(names) == dict(zip(names, codes, strict=True))


@pytest.mark.jitted
def test_every_scenario_can_be_replayed_as_text() -> None:
    for name in ("quadropolis-classic-base", "quadropolis-expert-classic-pool"):
        text = "\n".join(replay_lines(told(name, [], 2, "random", 3)))
        assert ("Visible: " in text) == (name != "quadropolis-classic-base")
        assert re.search(r"Declines it\.|Gets nothing\.", text)
        assert not re.search(r"\bNone\b", text)
