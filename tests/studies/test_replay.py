"""A replay holds all that a referee needs, and every move of it keeps the rules."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from balance.errors import InputError, RunFolderError
from balance.games.outcome import BySeat
from balance.jit import JIT_IS_DISABLED
from balance.runs.engine import engine_of
from balance.runs.plan import Plan, make_plan
from balance.scenario.load import Scenario, load_scenario
from balance.studies.replay import replay, replay_game, replay_lines
from balance.studies.run import simulate
from tests.studies.referee import Foul, verify, verify_greedy

Data = dict[str, Any]

PLANS = {
    "random, 4 players": {"players": 4},
    "random, 3 players": {"players": 3, "seed": 2**63 - 1},
    "random, 2 players": {"players": 2, "seed": 0},
    "greedy, 2 players": {"players": 2, "policy": "greedy"},
    "greedy, 4 players": {"players": 4, "policy": "greedy"},
    "unequal": {"players": 4, "policy": "greedy,random,random-fire-waste,random+parks"},
    "fixed seats": {"players": 3, "policy": "greedy-roads,random,greedy", "fixed_seats": True},
}


@pytest.mark.parametrize("options", PLANS.values(), ids=PLANS)
def test_a_referee_who_knows_the_rulebook_alone_finds_no_foul(printed: Scenario, options: dict[str, Any]) -> None:
    plan = make_plan(printed, **options)
    for game in (0,) if JIT_IS_DISABLED else (0, 1, 239, 240, 500, 10**9):
        verify(json.loads(json.dumps(replay_game(plan, game))))


@pytest.mark.jitted
@pytest.mark.parametrize(
    "changes",
    [
        ["board.size=6"],
        ["board.size=16", "services.fire.range=9"],
        ["start.zones=5", "start.services=0", "turn.draw_zones=1", "turn.place_services=3"],
        ["services.fire.vp_per_zone=4", "services.parks.printed_vp=7", "seats.handicap=[3, 0, 2, 0]"],
        ["placement.forbidden_beside.fire=['commercial']", "revenue.never_score.roads=['residential']"],
        ["zones.residential.count=3", "services.waste.count=20"],
    ],
    ids=str,
)
def test_variants_keep_their_rules_too(changes: list[str]) -> None:
    plan = make_plan(load_scenario("city-services", changes=changes), policy="random,greedy,random-fire,greedy+parks")
    for game in range(4):
        verify(replay_game(plan, 240 * game + game))


@pytest.mark.jitted
@pytest.mark.parametrize("policy", ["greedy", "greedy,random,greedy,random"])
def test_greedy_always_makes_a_best_placement(small: Scenario, policy: str) -> None:
    plan = make_plan(small, players=4, policy=policy)
    assert sum(verify_greedy(replay_game(plan, game)) for game in range(4)) > 30


def test_a_replay_tells_the_game_that_was_counted(small: Scenario) -> None:
    plan = make_plan(small, policy="random,random-fire", seed=6)
    for game in (0, 240):
        counted = engine_of(plan).play(game, game + 1)["seats"].sum(axis=(0, 1))
        data = replay_game(plan, game)
        assert data["scores"] == counted[:, BySeat.SCORE].tolist()
        assert data["win_shares"] == (counted[:, BySeat.WINS] / 12).tolist()


def test_a_replay_says_what_was_played(small: Scenario) -> None:
    plan = make_plan(small, players=3, policy="random,random-fire,random", seed=6, fixed_seats=True)
    data = replay_game(plan, 250)
    assert {name: data[name] for name in plan.as_data()} == plan.as_data()
    assert (data["format"], data["game"]) == (1, 250)
    assert data["policies"] == ["random", "random-fire", "random"]


# The referee is no rubber stamp


def first(data: Data, wanted: Callable[[Data], bool]) -> Data:
    """Return the first placement of a kind."""
    return next(placement for turn in data["turns"] for placement in turn["placements"] if wanted(placement))


def is_service(placement: Data) -> bool:
    return "given" in placement


def scores_more_points(data: Data) -> None:
    first(data, is_service)["points"] += 1


def moves_a_tile_aside(data: Data) -> None:
    data["turns"][3]["placements"][0]["square"] = [1, 1]


def starts_outside_the_centre(data: Data) -> None:
    data["turns"][0]["placements"][0]["square"] = [2, 2]


def places_a_tile_twice(data: Data) -> None:
    data["turns"][5]["placements"][0]["square"] = data["turns"][0]["placements"][0]["square"]


def leaves_the_board(data: Data) -> None:
    data["turns"][3]["placements"][0]["square"] = [0, 5]


def skips_a_placement(data: Data) -> None:
    data["turns"][-8]["placements"] = []
    data["turns"][2]["placements"].pop()


def places_a_service_before_a_zone(data: Data) -> None:
    data["turns"][1]["placements"].reverse()


def takes_a_tile_out_of_nowhere(data: Data) -> None:
    data["turns"][0]["hand"]["fire"] = data["turns"][0]["hand"].get("fire", 0) + 1


def draws_another_tile(data: Data) -> None:
    data["turns"][4]["drawn"][0] = "fire" if data["turns"][4]["drawn"][0] != "fire" else "roads"


def loads_a_cup(data: Data) -> None:
    data["cups"]["zones"].append("residential")


def deals_more(data: Data) -> None:
    data["dealt"][0]["fire"] = data["dealt"][0].get("fire", 0) + 1


def gives_a_point_that_was_denied(data: Data) -> None:
    placement = first(data, lambda placement: bool(placement.get("denied_by_coverage")))
    placement["given"].append(placement["denied_by_coverage"].pop())


def swaps_seats(data: Data) -> None:
    data["turns"][2]["seat"], data["turns"][3]["seat"] = data["turns"][3]["seat"], data["turns"][2]["seat"]


def ends_early(data: Data) -> None:
    data["turns"].pop()


def ends_late(data: Data) -> None:
    late = copy.deepcopy(data["turns"][-1])
    late["turn"] += 1
    late["seat"] = late["seat"] % data["players"] + 1
    late["hand"] = late["hand_after"] = dict(data["left_in_hand"][late["seat"] - 1])
    data["turns"].append(late)


def claims_the_win(data: Data) -> None:
    data["win_shares"] = [1.0] * data["players"]


def forgets_tiles(data: Data) -> None:
    data["left_in_hand"][0]["waste"] = data["left_in_hand"][0].get("waste", 0) + 1


def miscounts(data: Data) -> None:
    data["turns"][6]["scores"][0] += 1


def seats_others(data: Data) -> None:
    data["policies"][0] = "greedy-fire"


FOULS = [
    scores_more_points,
    moves_a_tile_aside,
    starts_outside_the_centre,
    places_a_tile_twice,
    leaves_the_board,
    skips_a_placement,
    places_a_service_before_a_zone,
    takes_a_tile_out_of_nowhere,
    draws_another_tile,
    loads_a_cup,
    deals_more,
    gives_a_point_that_was_denied,
    swaps_seats,
    ends_early,
    ends_late,
    claims_the_win,
    forgets_tiles,
    miscounts,
    seats_others,
]


@pytest.fixture(scope="module")
def honest(printed: Scenario) -> Data:
    return replay_game(make_plan(printed), 7)


@pytest.mark.parametrize("foul", FOULS, ids=lambda foul: foul.__name__)
def test_the_referee_finds_a_foul(honest: Data, foul: Callable[[Data], None]) -> None:
    verify(honest)
    data = copy.deepcopy(honest)
    foul(data)
    with pytest.raises(Foul):
        verify(data)


@pytest.mark.jitted
def test_the_referee_knows_a_random_player_from_a_greedy_one(small: Scenario) -> None:
    data = replay_game(make_plan(small), 0)
    data["policies"] = ["greedy", "greedy"]
    with pytest.raises(Foul, match="not the most"):
        verify_greedy(data)


# From a run folder


@pytest.fixture(scope="module")
def run_folder(small: Scenario, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    simulate(small, 5, policy="random,random-fire", seed=6, out=folder)
    return folder


@pytest.fixture(scope="module")
def plan(small: Scenario) -> Plan:
    return make_plan(small, policy="random,random-fire", seed=6)


@pytest.mark.parametrize("game", [0, 4])
def test_any_game_of_a_run_can_be_played_again(run_folder: Path, plan: Plan, game: int) -> None:
    assert replay(run_folder, game) == replay(str(run_folder), game) == replay_game(plan, game)


@pytest.mark.parametrize("game", [-1, 5, 10**30])
def test_a_game_that_was_not_played_is_refused(run_folder: Path, game: int) -> None:
    with pytest.raises(InputError, match=f"--game {game}: .* has the games 0 to 4"):
        replay(run_folder, game)


def test_a_run_that_does_not_exist_cannot_be_replayed(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="no such run folder"):
        replay(tmp_path / "missing", 0)


def test_a_replay_leaves_the_run_as_it_was(run_folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in run_folder.iterdir()}
    replay(run_folder, 0)
    assert {path.name: path.read_bytes() for path in run_folder.iterdir()} == before


# As text


def test_the_text_tells_every_placement_and_every_hand(plan: Plan) -> None:
    data = replay_game(plan, 3)
    text = "\n".join(replay_lines(data))
    placements = [placement for turn in data["turns"] for placement in turn["placements"]]
    told = [line for line in text.splitlines() if " at row " in line]
    assert len(told) == len(placements)
    for line, placement in zip(told, placements, strict=True):
        row, column = placement["square"]
        assert f"{placement['tile']} at row {row}, column {column}" in line
        if placement.get("is_blank") is False:
            assert f": {placement['points']} points" in line
    assert text.count("draws") == len(data["turns"])
    assert f"Final scores: {' '.join(map(str, data['scores']))}" in text
    assert "blank: its policy may not use it" in text


def test_the_boards_in_the_text_show_what_was_placed(plan: Plan) -> None:
    data = replay_game(plan, 3)
    lines = list(replay_lines(data))
    size = data["size"]
    last_board = [line for line in lines if line[:3].strip().isdigit() and len(line) > 5 and line[3] == " "][-size:]
    cells = [line[4:].replace("[", " ").replace("]", " ").split() for line in last_board]
    assert all(len(row) == size for row in cells)
    placed = {tuple(p["square"]): p["tile"] for turn in data["turns"] for p in turn["placements"]}
    for row, column in ((row, column) for row in range(size) for column in range(size)):
        tile = placed.get((row + 1, column + 1))
        assert cells[row][column] == ("." if tile is None else tile[:3].capitalize())
