"""Scenarios are found by name or path, inherit from each other, and are refused with file, key, value and reason."""

from __future__ import annotations

import copy
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from balance.errors import ScenarioError, nearest
from balance.scenario.load import Scenario, check_scenario, load_scenario, scenario_from_data, scenario_names

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PRINTED: dict[str, Any] = tomllib.loads((SCENARIOS / "city-services.toml").read_text(encoding="utf-8"))


def refusal_of(path: Path | str) -> str:
    """Return the message with which a scenario is refused; every refusal is wrong usage."""
    with pytest.raises(ScenarioError) as refused:
        load_scenario(path)
    assert refused.value.exit_code == 2
    return str(refused.value)


def write(folder: Path, name: str, text: str) -> Path:
    """Write a scenario file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# Where a scenario is found


def test_every_file_in_the_scenarios_folder_is_a_packaged_scenario() -> None:
    assert scenario_names() == sorted(path.stem for path in SCENARIOS.glob("*.toml"))
    assert "city-services" in scenario_names()


@pytest.mark.parametrize("name", scenario_names())
def test_a_packaged_scenario_is_loaded_by_name_and_by_path_alike(name: str) -> None:
    assert load_scenario(name) == load_scenario(SCENARIOS / f"{name}.toml") == load_scenario(f"{SCENARIOS}/{name}.toml")


def test_a_path_may_be_relative_to_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "mine.toml", 'extends = "city-services"\ntitle = "Mine"')
    monkeypatch.chdir(tmp_path)
    assert load_scenario("mine.toml").title == "Mine"


def test_an_unknown_name_is_refused_with_the_nearest_names() -> None:
    message = refusal_of("city-servces")
    assert "city-servces" in message
    assert "Did you mean city-services" in message


def test_a_name_that_is_like_no_other_is_refused_with_all_names() -> None:
    assert "Known: city-services, city-services-one-way, quadropolis-classic, " in refusal_of("zzz")


@pytest.mark.parametrize("name", ["", "../city-services", "/etc", "scenarios/city-services"])
def test_a_folder_is_no_scenario(name: str) -> None:
    assert "unknown scenario" in refusal_of(name)


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert f"{missing}: no such file" in refusal_of(missing)


@pytest.mark.parametrize("name", [pytest.param("x" * 5000, id="name"), pytest.param("x" * 5000 + ".toml", id="file")])
def test_a_name_longer_than_any_file_has_is_unknown(name: str) -> None:
    refusal_of(name)


# Inheritance


def test_an_extending_file_changes_only_what_it_says(tmp_path: Path, printed: Scenario) -> None:
    text = 'extends = "city-services"\ntitle = "Far"\n[services.police]\nrange = 4\n[board]\nsize = 12'
    loaded = load_scenario(write(tmp_path, "far.toml", text))
    expected = printed.model_dump()
    expected["title"] = "Far"
    expected["services"]["police"]["range"] = 4
    expected["board"]["size"] = 12
    assert loaded.model_dump() == expected


def test_a_list_is_replaced_not_added_to(tmp_path: Path) -> None:
    text = 'extends = "city-services"\n[placement.forbidden_beside]\nwaste = ["commercial"]\nresidential = []'
    loaded = load_scenario(write(tmp_path, "lists.toml", text))
    assert loaded.placement.forbidden_beside["waste"] == ["commercial"]
    assert loaded.placement.forbidden_beside["residential"] == []
    assert loaded.placement.forbidden_beside["industrial"] == ["residential"]


def test_a_new_tile_is_three_lines(tmp_path: Path, printed: Scenario) -> None:
    text = 'extends = "city-services"\n[services.hospital]\ncount = 2\nrange = 4'
    loaded = load_scenario(write(tmp_path, "hospital.toml", text))
    assert loaded.tiles == [*printed.tiles, "hospital"]
    assert loaded.services["hospital"].vp_per_zone == 1
    assert loaded.services["hospital"].printed_vp == 0


def test_a_base_may_be_a_file_beside_and_extend_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "one.toml", 'extends = "city-services"\nplayers = 2\n[board]\nsize = 8')
    write(tmp_path, "two.toml", 'extends = "one.toml"\nplayers = 3')
    monkeypatch.chdir("/")
    loaded = load_scenario(tmp_path / "two.toml")
    assert (loaded.players, loaded.board.size) == (3, 8)


def test_a_file_may_bear_the_name_of_the_packaged_scenario_that_it_extends(tmp_path: Path) -> None:
    path = write(tmp_path, "city-services.toml", 'extends = "city-services"\ntitle = "Mine"')
    assert load_scenario(path).title == "Mine"


def test_the_same_base_reached_twice_is_no_cycle(tmp_path: Path) -> None:
    for name, base in (("a", "city-services"), ("b", "a.toml"), ("c", "b.toml")):
        write(tmp_path, f"{name}.toml", f'extends = "{base}"')
    assert load_scenario(tmp_path / "c.toml") == load_scenario(tmp_path / "a.toml")


@pytest.mark.parametrize("ring", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_scenarios_that_extend_each_other_in_a_circle_are_refused(tmp_path: Path, ring: list[str]) -> None:
    for name, base in zip(ring, ring[1:] + ring[:1], strict=True):
        write(tmp_path, f"{name}.toml", f'extends = "{base}.toml"')
    message = refusal_of(tmp_path / "a.toml")
    assert "extends itself" in message
    assert all(str(tmp_path / f"{name}.toml") in message for name in ring)


@pytest.mark.parametrize("base", ["city-servces", "missing.toml"])
def test_a_missing_base_is_refused_by_name(tmp_path: Path, base: str) -> None:
    assert base in refusal_of(write(tmp_path, "mine.toml", f'extends = "{base}"'))


@pytest.mark.parametrize("base", ["city-servces", "missing.toml"])
def test_a_missing_base_is_refused_with_the_file_that_extends_it(tmp_path: Path, base: str) -> None:
    assert "mine.toml" in refusal_of(write(tmp_path, "mine.toml", f'extends = "{base}"'))


@pytest.mark.parametrize("base", ["3", '["city-services"]', "true", "{a = 1}"])
def test_a_base_that_is_no_name_is_refused(tmp_path: Path, base: str) -> None:
    message = refusal_of(write(tmp_path, "mine.toml", f"extends = {base}"))
    assert "mine.toml: extends = " in message
    assert "is not the name of a scenario" in message


# Files that are no scenario


def test_broken_toml_is_refused_with_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path, "broken.toml", 'title = "x"\nplayers = = 3')
    message = refusal_of(path)
    assert f"{path}: not valid TOML" in message
    assert "line 2" in message


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes('title = "Straße"'.encode("latin-1"))
    assert f"{path}: not a text file in UTF-8" in refusal_of(path)


def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "locked.toml", 'extends = "city-services"')

    def deny(*_args: object, **_options: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", deny)
    assert f"{path}: cannot be read: Permission denied" in refusal_of(path)


def test_a_folder_with_the_name_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    assert "folder.toml" in refusal_of(tmp_path / "folder.toml")


def test_an_empty_file_is_refused_as_no_game_is_named(tmp_path: Path) -> None:
    assert "game is missing" in refusal_of(write(tmp_path, "empty.toml", ""))


def test_an_unknown_game_is_refused_with_the_nearest(tmp_path: Path) -> None:
    message = refusal_of(write(tmp_path, "game.toml", 'game = "city-service"'))
    assert 'game = "city-service" is unknown' in message
    assert "Did you mean city-services?" in message


@pytest.mark.parametrize("game", ['["city-services"]', "{a = 1}"])
def test_a_game_that_is_no_name_is_refused(tmp_path: Path, game: str) -> None:
    assert "game" in refusal_of(write(tmp_path, "game.toml", f"game = {game}"))


# Keys and values that are wrong: (lines below `extends`, words of the message)
BAD_LINES = {
    "unknown key": ("plyers = 3", ["unknown key plyers", "Did you mean players"]),
    "unknown key of a section": ("[board]\nsiez = 8", ["unknown key board.siez", "Did you mean size?"]),
    "unknown key of a tile": ("[services.fire]\nreach = 3", ["unknown key services.fire.reach", "range"]),
    "unknown section": ("[sevices.fire]\nrange = 3", ["unknown key sevices", "Did you mean services"]),
    "incomplete tile": ("[services.hospital]\nrange = 3", ["services.hospital.count is missing"]),
    "tile name with capitals": ("[services.Fire]\ncount = 1\nrange = 3", ["services.Fire"]),
    "section that is a value": ("board = 8", ["board = 8"]),
    "tile that is a value": ("[services]\nfire = 8", ["services.fire = 8"]),
    "text for a number": ('players = "three"', ["players = 'three'", "integer"]),
    "number for a text": ("title = 3", ["title = 3", "string"]),
    "number for a switch": ("[placement]\nboth_ways = 1", ["placement.both_ways = 1", "boolean"]),
    "switch for a number": ("players = true", ["players = True", "integer"]),
    "fraction": ("[services.fire]\nrange = 2.5", ["services.fire.range = 2.5", "integer"]),
    "not a number": ("[services.fire]\nrange = nan", ["services.fire.range = nan", "integer"]),
    "date": ("players = 1979-05-27", ["players", "integer"]),
    "too many players": ("players = 5", ["players = 5", "less than or equal to 4"]),
    "too few players": ("players = 1", ["players = 1", "greater than or equal to 2"]),
    "negative count": ("[zones.residential]\ncount = -1", ["zones.residential.count = -1"]),
    "absurd count": ("[zones.residential]\ncount = 257", ["zones.residential.count = 257", "256"]),
    "number beyond 64 bits": ("[zones.residential]\ncount = 99999999999999999999", ["zones.residential.count"]),
    "too many tiles": (
        "".join(f"[services.{tile}]\ncount = 256\n" for tile in ("roads", "fire", "police", "parks")),
        ["services: at most 1024 fit into a cup"],
    ),
    "too many types": (
        "".join(f"[services.extra{number}]\ncount = 0\nrange = 1\n" for number in range(44)),
        ["61 tile types, but at most 60 are possible"],
    ),
    "odd board": ("[board]\nsize = 9", ["size 9 is odd", "four centre squares"]),
    "huge board": ("[board]\nsize = 18", ["board.size = 18", "less than or equal to 16"]),
    "no board": ("[board]\nsize = 0", ["board.size = 0"]),
    "no range": ("[services.fire]\nrange = 0", ["services.fire.range = 0"]),
    "range beyond the board": (
        "[services.fire]\nrange = 10",
        ["services.fire.range = 10 reaches beyond the board", "at most 9 on a board of 10 x 10"],
    ),
    "board smaller than a range": ("[board]\nsize = 2", ["reaches beyond the board", "at most 1"]),
    "no draws of Zones": ("[turn]\ndraw_zones = 0", ["turn.draw_zones = 0", "50 zones", "never be empty"]),
    "no draws of Services": ("[turn]\ndraw_services = 0", ["turn.draw_services = 0", "50 services"]),
    "tile of both kinds": ("[zones.fire]\ncount = 1", ["fire is both a Zone and a Service"]),
    "limit of an unknown tile": (
        '[placement.forbidden_beside]\npolise = ["residential"]',
        ["placement.forbidden_beside.polise", "not a tile of this scenario", "police"],
    ),
    "limit beside an unknown tile": (
        '[placement.forbidden_beside]\npolice = ["residental"]',
        ['placement.forbidden_beside.police = "residental"', "residential"],
    ),
    "limit that is no list": ('[placement.forbidden_beside]\nfire = "residential"', ["forbidden_beside.fire", "list"]),
    "Service never scored": ('[revenue.never_score]\nparks = ["fire"]', ['revenue.never_score.parks = "fire"']),
    "Zone that scores": (
        '[revenue.never_score]\nresidential = ["industrial"]',
        ["revenue.never_score.residential", "is not a Service"],
    ),
    "unknown word": ('[revenue]\ncoverage = "all"', ["revenue.coverage = 'all'", "everyone"]),
    "handicap for two seats": ("[seats]\nhandicap = [1, 2]", ["seats.handicap", "at least 4"]),
    "handicap for five seats": ("[seats]\nhandicap = [1, 2, 3, 4, 5]", ["seats.handicap", "at most 4"]),
    "negative handicap": ("[seats]\nhandicap = [0, 0, 0, -1]", ["seats.handicap.3 = -1"]),
}


@pytest.mark.parametrize(("lines", "words"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_wrong_value_is_refused_with_file_key_and_reason(tmp_path: Path, lines: str, words: list[str]) -> None:
    path = write(tmp_path, "mine.toml", f'extends = "city-services"\n{lines}')
    message = refusal_of(path)
    assert str(path) in message
    for word in words:
        assert word in message


def test_a_scenario_without_any_tile_is_refused(tmp_path: Path) -> None:
    tiles = [f"{kind}.{tile}" for kind in ("zones", "services") for tile in PRINTED[kind]]
    lines = "\n".join(f"[{tile}]\ncount = 0" for tile in tiles)
    path = write(tmp_path, "nothing.toml", f'extends = "city-services"\n{lines}')
    assert "there are no tiles at all" in refusal_of(path)


def test_a_misspelt_tile_is_refused_with_the_nearest_tile(tmp_path: Path) -> None:
    path = write(tmp_path, "mine.toml", 'extends = "city-services"\n[services.polce]\nrange = 4')
    message = refusal_of(path)
    assert "services.polce" in message
    assert "Did you mean police" in message


@pytest.mark.parametrize("key", [key for key in PRINTED if key not in ("description", "game")])
def test_a_missing_section_is_named(tmp_path: Path, key: str) -> None:
    data = {name: value for name, value in PRINTED.items() if name != key}
    with pytest.raises(ScenarioError, match=f"mine.toml: {key} is missing"):
        check_scenario(data, "mine.toml")


# Every value, wrong in every way


def places_of(tree: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the place of every value and section of a scenario."""
    for key, value in tree.items():
        yield (*at, key)
        if isinstance(value, dict):
            yield from places_of(value, (*at, key))


def changed(at: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Return the printed scenario with one value changed, or left out where it is None."""
    tree = copy.deepcopy(PRINTED)
    section = tree
    for key in at[:-1]:
        section = section[key]
    if value is None:
        del section[at[-1]]
    else:
        section[at[-1]] = value
    return tree


JUNK: list[Any] = [
    -1,
    0,
    7,
    10**30,
    2.5,
    float("nan"),
    True,
    "x",
    "",
    [],
    [1],
    ["x"],
    {},
    {"x": 1},
    {"x": {}},
    object(),
]


@pytest.mark.parametrize("at", [at for at in places_of(PRINTED) if at != ("game",)], ids=".".join)
def test_any_other_value_is_a_scenario_or_refused(at: tuple[str, ...]) -> None:
    for junk in JUNK:
        try:
            scenario = check_scenario(changed(at, junk), "mine.toml")
        except ScenarioError as refused:
            assert "mine.toml" in str(refused), junk
        else:
            assert isinstance(scenario, Scenario)


@pytest.mark.parametrize("at", [at for at in places_of(PRINTED) if len(at) > 1], ids=".".join)
def test_any_value_left_out_has_a_default_or_is_refused_by_name(at: tuple[str, ...]) -> None:
    try:
        check_scenario(changed(at, None), "mine.toml")
    except ScenarioError as refused:
        assert at[-1] in str(refused) or at[-2] in str(refused)


# What is allowed


def test_more_tiles_than_squares_are_allowed_but_remarked(tmp_path: Path) -> None:
    path = write(tmp_path, "crowded.toml", 'extends = "city-services"\n[board]\nsize = 8')
    assert load_scenario(path).remarks == ["100 tiles, but only 64 squares: at least 36 tiles will be left unplaced"]


def test_as_many_tiles_as_squares_need_no_remark(printed: Scenario) -> None:
    assert printed.tile_total == printed.board.size**2
    assert printed.remarks == []


def test_no_draws_are_needed_from_a_cup_that_is_empty_from_the_start(tmp_path: Path) -> None:
    zones = "".join(f"[zones.{tile}]\ncount = 0\n" for tile in PRINTED["zones"])
    path = write(tmp_path, "services.toml", f'extends = "city-services"\n{zones}[turn]\ndraw_zones = 0')
    assert load_scenario(path).zone_total == 0


@pytest.mark.parametrize("name", scenario_names())
def test_a_scenario_comes_back_from_its_own_data(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario_from_data(scenario.model_dump(), "copy") == scenario


def test_loading_changes_no_file(tmp_path: Path) -> None:
    copied = Path(shutil.copy(SCENARIOS / "city-services.toml", tmp_path / "copy.toml"))
    before = copied.read_bytes()
    load_scenario(copied, changes=["players=2"], without=["fire"])
    assert copied.read_bytes() == before


def test_nearest_names_ignore_capitals_and_come_as_they_are_spelled() -> None:
    assert nearest("FIRE", ["Fire", "Roads"]) == "Did you mean Fire?"
    assert nearest("qqq", ["Fire", "Roads"]) == "Known: Fire, Roads."
