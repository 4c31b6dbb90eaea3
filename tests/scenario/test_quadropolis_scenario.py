"""Scenarios of Quadropolis: the packaged ones add up; what makes no game is refused with key, value and reason."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from balance.errors import ScenarioError
from balance.games.quadropolis.components import SQUARES
from balance.scenario.load import check_scenario, load_scenario, scenario_from_data, scenario_names
from balance.scenario.quadropolis import Quadropolis

SCENARIOS = Path(__file__).parents[2] / "scenarios"
NAMES = [name for name in scenario_names() if name.startswith("quadropolis")]
PRINTED: dict[str, Any] = tomllib.loads((SCENARIOS / "quadropolis-classic.toml").read_text(encoding="utf-8"))
TEXT = (SCENARIOS / "quadropolis-classic.toml").read_text(encoding="utf-8")


def loaded(name: str | Path = "quadropolis-classic", *changes: str, without: tuple[str, ...] = ()) -> Quadropolis:
    """Load a scenario of Quadropolis."""
    scenario = load_scenario(name, changes=changes, without=without)
    assert isinstance(scenario, Quadropolis)
    return scenario


def refusal_of(name: str | Path = "quadropolis-classic", *changes: str, without: tuple[str, ...] = ()) -> str:
    """Return the message with which a scenario is refused; every refusal is wrong usage."""
    with pytest.raises(ScenarioError) as refused:
        load_scenario(name, changes=changes, without=without)
    assert refused.value.exit_code == 2
    return str(refused.value)


def write(folder: Path, lines: str, base: str = 'extends = "quadropolis-classic"\n') -> Path:
    """Write a scenario file."""
    path = folder / "mine.toml"
    path.write_text(base + lines, encoding="utf-8")
    return path


# What is packaged


def test_six_scenarios_are_packaged() -> None:
    crossed = {"quadropolis-classic-expert-pool", "quadropolis-expert-classic-pool"}
    base = {"quadropolis-classic-base", "quadropolis-expert-base"}
    assert set(NAMES) == {"quadropolis-classic", "quadropolis-expert"} | crossed | base


@pytest.mark.parametrize("name", NAMES)
def test_each_packaged_scenario_loads_complete_and_without_remarks(name: str) -> None:
    scenario = loaded(name)
    assert scenario.remarks == []
    assert scenario.incomplete == ""
    assert scenario_from_data(scenario.model_dump(), "copy") == scenario


@pytest.mark.parametrize("name", NAMES)
def test_each_round_adds_up_to_25_tiles_of_which_9_and_5_are_left_out_of_smaller_games(name: str) -> None:
    scenario = loaded(name)
    assert scenario.rounds == (4 if "classic" in name.split("-")[1] else 5)
    for number in range(scenario.rounds):
        assert scenario.tiles_of_round(number) == SQUARES
        marks = Counter("".join(tile.rounds[number] for tile in scenario.tiles.values()))
        assert (marks["a"], marks["b"]) == (4, 5)
        assert marks["M"] <= 1


@pytest.mark.parametrize(
    ("name", "tiles"),
    [
        ("quadropolis-classic", 11),
        ("quadropolis-expert", 13),
        ("quadropolis-classic-expert-pool", 13),
        ("quadropolis-expert-classic-pool", 11),
        ("quadropolis-classic-base", 0),
        ("quadropolis-expert-base", 0),
    ],
)
def test_a_pool_has_eleven_or_thirteen_tiles_or_is_not_in_play(name: str, tiles: int) -> None:
    assert len(loaded(name).tiles_of_pool) == tiles


def test_crossed_scenarios_differ_from_their_mode_in_the_pool_alone() -> None:
    for mode, crossed in (("classic", "expert"), ("expert", "classic")):
        own = loaded(f"quadropolis-{mode}").model_dump()
        other = loaded(f"quadropolis-{mode}-{crossed}-pool").model_dump()
        assert other["pool"] == loaded(f"quadropolis-{crossed}").model_dump()["pool"]
        assert {key for key in own if own[key] != other[key]} == {"title", "description", "pool"}


def test_buildings_are_those_of_the_site_then_those_of_the_pool() -> None:
    assert "office_tower" not in loaded().names
    assert {"office_tower", "monument", "capitol", "congress_center"} <= set(loaded("quadropolis-expert").names)
    assert loaded("quadropolis-classic-base").names == [
        *("tower_block", "shop", "public_service", "park", "factory", "harbor"),
    ]


# Numbers of tiles


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ("-bb", ["round 1 has 26 tiles", "1 more than the 25"]),
        ("-", ["round 1 has 24 tiles", "1 fewer than the 25"]),
        ("", ["round 1 has 23 tiles", "2 fewer than the 25"]),
    ],
)
def test_a_scenario_of_its_own_with_too_few_or_too_many_tiles_is_refused_saying_by_how_much(
    tmp_path: Path, marks: str, words: list[str]
) -> None:
    old = 'building = "factory"\nenergy = 1\nrounds = ["-a",'
    assert old in TEXT
    path = write(tmp_path, TEXT.replace(old, old.replace('"-a"', f'"{marks}"')), base="")
    message = refusal_of(path)
    assert str(path) in message
    for word in words:
        assert word in message


def test_a_variant_with_too_many_tiles_is_refused_too(tmp_path: Path) -> None:
    message = refusal_of(write(tmp_path, '[tiles.park]\nrounds = ["--bb-", "--b", "---b", "--b"]'))
    assert "round 1 has 27 tiles, 2 more than the 25 squares" in message


def test_a_variant_with_fewer_tiles_has_a_remark(tmp_path: Path) -> None:
    scenario = loaded(write(tmp_path, '[tiles.park]\nrounds = ["-", "--b", "---b", "--"]'))
    assert scenario.remarks == [
        "round 1 has 23 tiles: 2 squares of the Construction Site stay empty",
        "round 4 has 24 tiles: 1 squares of the Construction Site stay empty",
    ]


def test_fewer_tiles_in_the_pool_than_are_revealed_have_a_remark() -> None:
    changes = [f"pool.{name}.count=0" for name in list(loaded().tiles_of_pool)[:8]]
    assert loaded("quadropolis-classic", *changes).remarks == ["the pool has 3 tiles, fewer than the 4 to reveal"]


# What is refused: (lines below `extends`, words of the message)

NINE_TILES = '[tiles.park]\nrounds = ["--b", "--b", "---b"{}]'
BAD_LINES = {
    "unknown building": ('[tiles.shop]\nbuilding = "shopp"', ["tiles.shop.building", "shopp", "Did you mean shop?"]),
    "building of the pool": ('[tiles.shop]\nbuilding = "school"', ["tiles.shop.building", "school"]),
    "unknown mark": ('[tiles.shop]\nrounds = ["--c", "--b", "--b", "--b"]', ["tiles.shop.rounds", "--c"]),
    "two Mayor icons": (
        '[tiles.shop]\nrounds = ["M-b", "--b", "--b", "--b"]',
        ["round 1 has 2 tiles with the Mayor icon", "at most one"],
    ),
    "too many placements": ("[site]\nplacements = 5\nhighest_architect = 5", ["site.placements = 5", "20", "16"]),
    "more placements than Architects": (
        "[site]\nhighest_architect = 3",
        ["site.placements = 4", "only 3 Architects", "site.highest_architect"],
    ),
    "sinking table": ("[score]\ntower_block = [1, 3, 2, 10]", ["never sinks"]),
    "sinking Shops": ("[score]\nshop = [0, 1, 2, 4, 3]", ["never sinks"]),
    "Office Towers sinking by floors": ("[score]\noffice_tower = [[0, 3, 1]]", ["sink neither by floors"]),
    "Office Towers sinking by size": ("[score]\noffice_tower = [[0, 3], [0, 2]]", ["nor by size"]),
    "ragged Office Towers": ("[score]\noffice_tower = [[0, 3], [0]]", ["equal length"]),
    "empty table": ("[score]\ntower_block = []", ["score.tower_block"]),
    "ragged districts": (
        '[city]\ndistricts = ["1122", "112", "3344", "3344"]',
        ["districts", '"112" is not a row of 4 digits'],
    ),
    "districts that are no digits": ('[city]\ndistricts = ["11xx", "1122"]', ["districts", '"11xx"', "digits"]),
    "missing numbers": ('[city]\nmatch = "district or number"', ["district or number", "needs numbers for 4 rows"]),
    "too few numbers": (
        '[city]\nmatch = "district or number"\nnumbers = ["1234", "1234"]',
        ["needs numbers for 4 rows, not 2"],
    ),
    "huge city": (f"[city]\ndistricts = {['1111111'] * 5}", ["5 x 7 spaces"]),
    "one column": ('[city]\ndistricts = ["1", "2"]', ["2 x 1 spaces"]),
    "unknown match": ('[city]\nmatch = "row"', ["city.match = 'row'", "row or column"]),
    "too high a tower": ("[city]\nhighest_tower_block = 9", ["city.highest_tower_block = 9", "8"]),
    "unknown key of a tile": ("[tiles.shop]\nvp = 3", ["unknown key tiles.shop.vp", "printed_vp"]),
    "unknown cost": ("[cost.school]\nenergy = 1", ["unknown key cost.school"]),
    "unknown tile of the pool": ("[pool.capitl]\ncount = 1", ["unknown key pool.capitl", "Did you mean capitol"]),
    "unknown key of the pool": ("[pool.school]\nvps = 1", ["unknown key pool.school.vps", "Did you mean vp"]),
    "key of another tile of the pool": (
        "[pool.school]\nenergy_per_vp = 1",
        ["unknown key pool.school.energy_per_vp"],
    ),
    "incomplete tile": ('[tiles.hall]\nbuilding = "shop"', ["tiles.hall.rounds is missing"]),
    "tile name with capitals": ('[tiles.Shop]\nbuilding = "shop"\nrounds = []', ["tiles.Shop"]),
    "too few rounds": (NINE_TILES.format(""), ["tiles.park.rounds has 3 rounds, others have 4"]),
    "too many rounds": (NINE_TILES.format(', "--b", "-"'), ["rounds has 4 rounds, others have 5"]),
    "too many rounds to play": (f"[tiles.shop]\nrounds = {['-'] * 9}", ["9 rounds: a game has 1 to 8"]),
    "too large a pool": ("[pool.school]\ncount = 60", ["70 tiles in the pool: at most 64"]),
    "plant that divides by nothing": ("[pool.reprocessing_plant]\nenergy_per_vp = 0", ["energy_per_vp = 0"]),
    "reward for leftovers": ("[score]\nleftover_energy = 1", ["score.leftover_energy = 1"]),
    "reward for a Factory beside a Monument": ("[score]\nmonument_per_factory = 1", ["monument_per_factory = 1"]),
    "another size of the site": ("[site]\nsize = 6", ["site.size = 6"]),
    "handicap for two seats": ("[seats]\nhandicap = [1, 2]", ["seats.handicap", "at least 4"]),
}


@pytest.mark.parametrize(("lines", "words"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_wrong_value_is_refused_with_file_key_and_reason(tmp_path: Path, lines: str, words: list[str]) -> None:
    path = write(tmp_path, lines)
    message = refusal_of(path)
    assert str(path) in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("key", [key for key in PRINTED if key not in ("description", "game")])
def test_a_missing_section_is_named(key: str) -> None:
    data = {name: value for name, value in PRINTED.items() if name != key}
    with pytest.raises(ScenarioError, match=f"mine.toml: {key} is missing"):
        check_scenario(data, "mine.toml")


def test_a_tile_that_no_round_has_is_no_building_of_the_game() -> None:
    assert "shop" not in loaded("quadropolis-classic", "tiles.shop.rounds=['','','','']").names


# --set


def test_one_value_is_changed_and_no_other() -> None:
    expected = loaded().model_dump()
    expected["pool"]["fire_station"]["vp"] = 3
    assert loaded("quadropolis-classic", "pool.fire_station.vp=3").model_dump() == expected


def test_an_unknown_key_of_the_pool_is_refused_with_the_nearest() -> None:
    assert "Did you mean fire_station" in refusal_of("quadropolis-classic", "pool.fire_staton.vp=3")
    assert "Did you mean vp" in refusal_of("quadropolis-classic", "pool.fire_station.vps=3")


# --without


def test_a_building_left_out_is_on_no_round_and_all_others_stay() -> None:
    expected = loaded().model_dump()
    expected["tiles"]["park"]["rounds"] = [""] * 4
    scenario = loaded(without=("park",))
    assert scenario.model_dump() == expected
    assert "park" not in scenario.names
    assert scenario.remarks[0] == "round 1 has 22 tiles: 3 squares of the Construction Site stay empty"


def test_all_kinds_of_a_building_are_left_out() -> None:
    scenario = loaded(without=("harbor",))
    kinds = [name for name, tile in scenario.tiles.items() if any(tile.rounds)]
    assert not any(name.startswith("harbor") for name in kinds)
    assert len(kinds) == len(scenario.tiles) - 6


def test_a_tile_of_the_pool_left_out_has_no_copies() -> None:
    expected = loaded("quadropolis-expert").model_dump()
    expected["pool"]["capitol"]["count"] = 0
    scenario = loaded("quadropolis-expert", without=("capitol",))
    assert scenario.model_dump() == expected
    assert "capitol" not in scenario.names


def test_the_capitol_cannot_be_left_out_where_the_pool_has_none() -> None:
    assert '--without capitol: unknown tile "capitol"' in refusal_of(without=("capitol",))
    assert "unknown tile" in refusal_of("quadropolis-expert-base", without=("capitol",))


@pytest.mark.parametrize(("tile", "near"), [("parc", "park"), ("captol", "capitol"), ("towerblock", "tower_block")])
def test_an_unknown_tile_cannot_be_left_out(tile: str, near: str) -> None:
    message = refusal_of("quadropolis-expert", without=(tile,))
    assert f'--without {tile}: unknown tile "{tile}"' in message
    assert re.search(rf"Did you mean .*{near}", message)


def test_leaving_out_contradicts_setting_the_number() -> None:
    assert "contradicts" in refusal_of("quadropolis-classic", "pool.school.count=2", without=("school",))
