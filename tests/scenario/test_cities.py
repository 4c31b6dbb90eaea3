"""City files: what can be written, and what is refused and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from balance.errors import InputError
from balance.scenario.cities import Stack, city_names, load_city
from balance.scenario.load import scenario_names

CLASSIC = ["T3 P T1 _", "P T2 _ _", "H S F S", "H+3 H H+2 F"]
EMPTY = ["_ _ _ _"] * 4
EXPERT = ["_ _ _ _ _"] * 4
HEAD = {"scenario": '"quadropolis-classic"', "inhabitants": "13", "energy": "5"}


def rows(lines: list[str]) -> str:
    """Write rows of words as TOML."""
    return f"[{', '.join(str(line.split()) for line in lines)}]".replace("'", '"')


def file(folder: Path, **values: str) -> Path:
    """Write a city file."""
    path = folder / "city.toml"
    path.write_text("".join(f"{key} = {value}\n" for key, value in {**HEAD, **values}.items()), encoding="utf-8")
    return path


def with_first(word: str, *, expert: bool = False) -> dict[str, str]:
    """Return a city with a word on its first space."""
    lines = EXPERT if expert else EMPTY
    scenario = {"scenario": '"quadropolis-expert"'} if expert else {}
    return {**scenario, "city": rows([f"{word}{lines[0][1:]}", *lines[1:]])}


def refusal(path: Path) -> InputError:
    """Return why a file is refused; it is named, and the command line would exit with 2."""
    with pytest.raises(InputError) as caught:
        load_city(path)
    assert str(caught.value).startswith(str(path))
    assert caught.value.exit_code == 2
    return caught.value


# What can be written


def test_a_city_is_read_row_by_row(tmp_path: Path) -> None:
    city = load_city(file(tmp_path, city=rows(CLASSIC)))
    assert (city.inhabitants, city.energy, city.scenario.title) == (13, 5, "Quadropolis Classic with Public Services")
    assert city.stacks[0] == Stack(1, 1, "tower_block", 3, 0)
    assert city.stacks[-2:] == [Stack(4, 3, "harbor", 1, 2), Stack(4, 4, "factory", 1, 0)]
    assert len(city.stacks) == 13


def test_the_same_city_can_be_written_in_three_ways(tmp_path: Path) -> None:
    short = load_city(file(tmp_path, **with_first("T3")))
    tall = "{space = [1, 1], tile = 'tower_block', floors = 3, printed_vp = 0}"
    floors = ", ".join(f"{{space = [1, 1], tile = 'T', floor = {floor}}}" for floor in (2, 1, 3))
    for tiles in (tall, floors):
        assert load_city(file(tmp_path, tiles=f"[{tiles}]")).stacks == short.stacks


@pytest.mark.parametrize(
    ("word", "building", "floors", "printed_vp"),
    [
        ("T", "tower_block", 1, 0),
        ("T5", "tower_block", 5, 0),
        ("tower_block2", "tower_block", 2, 0),
        ("O2", "office_tower", 2, 0),
        ("S", "shop", 1, 0),
        ("PS", "public_service", 1, 0),
        ("PS+2", "public_service", 1, 2),
        ("public_service+1", "public_service", 1, 1),
        ("P", "park", 1, 0),
        ("F", "factory", 1, 0),
        ("H+3", "harbor", 1, 3),
        ("M", "monument", 1, 0),
        ("fire_station", "fire_station", 1, 0),
        ("FS", "fire_station", 1, 0),
        ("Sc", "school", 1, 0),
        ("congress_center", "congress_center", 1, 0),
    ],
)
def test_tiles_have_a_short_and_a_full_name(
    tmp_path: Path, word: str, building: str, floors: int, printed_vp: int
) -> None:
    city = load_city(file(tmp_path, **with_first(word, expert=True)))
    assert city.stacks == [Stack(1, 1, building, floors, printed_vp)]


def test_a_city_may_be_empty(tmp_path: Path) -> None:
    assert load_city(file(tmp_path, city=rows(EMPTY))).stacks == []
    assert load_city(file(tmp_path, tiles="[]")).stacks == []


def test_a_variant_beside_the_file_has_its_own_rules(tmp_path: Path) -> None:
    variant = 'extends = "quadropolis-classic"\n[pool.fire_station]\ncount = 2\nprinted_vp = 3\n'
    (tmp_path / "mine.toml").write_text(variant, encoding="utf-8")
    stations = rows(["FS FS+3 _ _", *EMPTY[1:]])
    assert [s.printed_vp for s in load_city(file(tmp_path, scenario='"mine.toml"', city=stations)).stacks] == [3, 3]
    assert "the pool of Quadropolis Classic with Public Services has 1 copy" in str(
        refusal(file(tmp_path, city=stations.replace("+3", "")))
    )


def test_the_examples_are_packaged_cities_and_no_scenarios() -> None:
    assert city_names() == ["classic-58", "classic-59", "expert-services"]
    assert not set(city_names()) & set(scenario_names())
    for name in city_names():
        assert load_city(name).remarks == []


def test_each_example_explains_its_format() -> None:
    for name in city_names():
        top = Path(load_city(name).source).read_text(encoding="utf-8").partition("\nscenario =")[0]
        for word in ("scenario", "inhabitants", "energy", "city", "`_`" if "`_`" in top else "_ ", "T3", "printed"):
            assert word in top


# What cannot be in one game, but can be scored


@pytest.mark.parametrize(
    ("lines", "means", "remark"),
    [
        (["T4 T4 T4 T4", "T4 _ _ _", *EMPTY[2:]], (20, 0), "this city has 20 tiles, but a player builds at most 16"),
        (["T1 _ _ _", *EMPTY[1:]], (4, 0), "the tiles of this city give 1 to 3 inhabitants, not 4"),
        (["T1 _ _ _", *EMPTY[1:]], (0, 0), "the tiles of this city give 1 to 3 inhabitants, not 0"),
        (["F F _ _", *EMPTY[1:]], (0, 7), "the tiles of this city give 2 to 6 energy, not 7"),
        (["F _ _ _", *EMPTY[1:]], (0, 1), ""),
    ],
    ids=str,
)
def test_what_does_not_come_about_is_remarked(
    tmp_path: Path, lines: list[str], means: tuple[int, int], remark: str
) -> None:
    city = load_city(file(tmp_path, city=rows(lines), inhabitants=str(means[0]), energy=str(means[1])))
    assert city.remarks == ([remark] if remark else [])


def test_more_monuments_than_there_are_are_remarked(tmp_path: Path) -> None:
    monuments = rows(["M M M M M", *EXPERT[1:]])
    path = file(tmp_path, scenario='"quadropolis-expert"', inhabitants="0", energy="0", city=monuments)
    assert load_city(path).remarks == ["this city has 5 tiles monument, but the game has 4"]


# What is refused


@pytest.mark.parametrize(
    ("word", "reason", "remedy"),
    [
        ("fire_staton", 'unknown tile "fire_staton"', "fire_station"),
        ("t2", 'unknown tile "t"', "T"),
        ("Sh3", 'unknown tile "Sh"', "Did you mean"),
        ("T6", "6 floors, but a tower_block has at most 4", ""),
        ("T99999999", "99999999 floors, but a tower_block has at most 4", ""),
        ("T0", "0 floors, but a tower_block has at least 1", ""),
        ("S3", "a shop has no floors; its customers are worked out", "tower_block and office_tower are stacked"),
        ("P0", "a park has no floors", "tower_block and office_tower are stacked"),
        ("fire_station2", "a fire_station has no floors", "tower_block and office_tower are stacked"),
        ("O1", "Quadropolis Classic with Public Services has no office_tower", "tower_block, shop"),
        ("capitol", "Quadropolis Classic with Public Services has no capitol", "city_hall"),
        ("PS+3", "3 printed VP, but in Quadropolis Classic with Public Services there are 0 or 1 or 2 on it", ""),
        ("P+1", "1 printed VP, but in Quadropolis Classic with Public Services there are 0 on it", ""),
        ("PS-2", "not a tile", "such as T3 or PS+2"),
        ("", "not a tile", "_"),
        ("_+1", "not a tile", "_"),
        ("3T", "not a tile", ""),
        ("T٣", "not a tile", ""),
    ],
)
def test_a_word_that_is_no_tile_of_the_game_is_refused(tmp_path: Path, word: str, reason: str, remedy: str) -> None:
    city = rows(EMPTY).replace('"_"', f'"{word}"', 1)
    error = refusal(file(tmp_path, city=city))
    assert f'"{word}" at row 1, column 1: {reason}' in error.problem
    assert remedy in error.remedy


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"city": rows(EMPTY[1:])}, "city has 3 rows, but a city of Quadropolis Classic with Public Services has 4"),
        ({"city": rows([*EMPTY, EMPTY[0]])}, "city has 5 rows"),
        ({"city": "[]"}, "city has 0 rows"),
        ({"city": rows([*EMPTY[1:], "_ _ _"])}, "row 4 of city has 3 spaces, but .* has 4 columns"),
        ({"city": rows(EXPERT)}, "row 1 of city has 5 spaces"),
        ({"city": rows(["FS FS _ _", *EMPTY[1:]])}, "2 tiles fire_station, but the pool of .* has 1 copy"),
        ({"city": rows(EMPTY), "inhabitants": "-1"}, "inhabitants = -1: .*greater than or equal to 0"),
        ({"city": rows(EMPTY), "energy": "-1"}, "energy = -1"),
        ({"city": rows(EMPTY), "energy": "2.5"}, "energy = 2.5: .*valid integer"),
        ({"city": rows(EMPTY), "energy": "true"}, "energy = True: .*valid integer"),
        ({"city": rows(EMPTY), "inhabitants": "49"}, "inhabitants = 49: more than the 48 that anybody can gain"),
        ({"city": rows(EMPTY), "energy": f"1{'0' * 40}"}, "energy = 1(0+): more than the 48"),
        ({"city": rows(EMPTY), "energy": f"1{'0' * 5000}"}, "not valid TOML"),
        ({"city": '"T3 P"'}, "city = 'T3 P': input should be a valid list"),
        ({"city": '["T3 P"]'}, "city.1 = 'T3 P': input should be a valid list"),
        ({"city": '[["T3", 4]]'}, "city.1.2 = 4: input should be a valid string"),
        ({"city": rows(EMPTY), "tiles": "[]"}, "has both city and tiles"),
        ({}, "has neither city nor tiles"),
        ({"city": rows(EMPTY), "scenario": '"city-services"'}, 'scenario = "city-services": this game has no cities'),
        ({"city": rows(EMPTY), "scenario": '"nowhere.toml"'}, 'scenario = "nowhere.toml": nowhere.toml: no such file'),
        ({"city": rows(EMPTY), "scenario": "7"}, "scenario = 7: input should be a valid string"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_value_that_no_game_has_is_refused(tmp_path: Path, values: dict[str, str], reason: str) -> None:
    error = refusal(file(tmp_path, **values))
    assert error.problem.startswith(f"{tmp_path / 'city.toml'}: ")
    with pytest.raises(InputError, match=reason):
        raise error


def test_what_is_misspelt_is_named_with_what_is_near(tmp_path: Path) -> None:
    error = refusal(file(tmp_path, city=rows(EMPTY), inhabitant="3"))
    assert (error.problem.rpartition(": ")[2], error.remedy) == ("unknown key inhabitant", "Did you mean inhabitants?")
    error = refusal(file(tmp_path, tiles="[{space = [1, 1], tile = 'P', flors = 2}]"))
    assert error.problem.endswith("unknown key tiles.1.flors")
    assert "Did you mean floors" in error.remedy
    error = refusal(file(tmp_path, city=rows(EMPTY), scenario='"quadropolis-exprt"'))
    assert 'unknown scenario "quadropolis-exprt"' in error.problem
    assert "quadropolis-expert" in error.remedy


@pytest.mark.parametrize("key", HEAD)
def test_each_key_is_needed(tmp_path: Path, key: str) -> None:
    path = file(tmp_path, city=rows(EMPTY))
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith(key)), encoding="utf-8")
    assert refusal(path).problem.endswith(f"{key} is missing")


@pytest.mark.parametrize(
    ("tiles", "reason"),
    [
        ("{space = [1, 1], tile = 'P'}, {space = [1, 1], tile = 'S'}", "two tiles on row 1, column 1: park and shop"),
        ("{space = [1, 1], tile = 'P'}, {space = [1, 1], tile = 'park'}", "2 tiles on one space"),
        ("{space = [1, 1], tile = 'T', floors = 2}, {space = [1, 1], tile = 'T'}", "2 tiles on one space"),
        ("{space = [1, 1], tile = 'T', floor = 1}, {space = [1, 1], tile = 'T'}", "2 tiles on one space"),
        ("{space = [1, 1], tile = 'T', floor = 2}", "floor 2 without floor 1"),
        ("{space = [1, 1], tile = 'T', floor = 1}, {space = [1, 1], tile = 'T', floor = 3}", "floor 3 without floor 2"),
        ("{space = [1, 1], tile = 'T', floor = 1}, {space = [1, 1], tile = 'T', floor = 1}", "two tiles on floor 1"),
        ("{space = [1, 1], tile = 'T', floor = 0}", "floor 0: the ground floor is 1"),
        ("{space = [1, 1], tile = 'T', floor = 1, floors = 3}", "floors is 1 there"),
        ("{space = [1, 1], tile = 'P', floor = 1}", "it has no floors"),
        ("{space = [1, 1], tile = 'P', floors = 1}", "a park has no floors"),
        ("{space = [1, 1], tile = 'T', floors = 0}", "0 floors, but a tower_block has at least 1"),
        ("{space = [1, 1], tile = 'T', floors = -2}", "-2 floors, but a tower_block has at least 1"),
        ("{space = [1, 1], tile = 'T', floors = 6}", "6 floors, but a tower_block has at most 4"),
        ("{space = [1, 1], tile = 'PS', printed_vp = 3}", "3 printed VP"),
        ("{space = [1, 1], tile = 'PS', printed_vp = -1}", "printed_vp = -1"),
        ("{space = [1, 5], tile = 'P'}", r"tiles.1: space = \[1, 5\] lies outside the city"),
        ("{space = [0, 1], tile = 'P'}", r"tiles.1: space = \[0, 1\] lies outside the city"),
        ("{space = [1], tile = 'P'}", r"tiles.1.space = \[1\]"),
        ("{tile = 'P'}", "tiles.1.space is missing"),
        ("{space = [1, 1]}", "tiles.1.tile is missing"),
        ("{space = [1, 1], tile = 'prk'}", 'unknown tile "prk"'),
    ],
)
def test_tiles_that_cannot_stand_there_are_refused(tmp_path: Path, tiles: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        raise refusal(file(tmp_path, tiles=f"[{tiles}]"))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    assert "cannot be read" in str(refusal(folder))
    assert "no such file" in str(refusal(tmp_path / "missing.toml"))
    path = tmp_path / "bad.toml"
    path.write_bytes(b"\xff\xfe")
    assert "not a text file in UTF-8" in str(refusal(path))
    path.write_text("city = [", encoding="utf-8")
    assert "not valid TOML" in str(refusal(path))


@pytest.mark.parametrize("name", ["clasic-59", "", "..", "x" * 5000, "a\0b", "/"])
def test_an_unknown_city_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="unknown city") as caught:
        load_city(name)
    assert "classic-59" in caught.value.remedy
