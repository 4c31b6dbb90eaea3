"""What a city scores is what the rules give: known cities, and cities of games that were played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from balance.runs.plan import make_plan
from balance.scenario.load import load_scenario
from balance.studies.replay import replay_game
from balance.studies.score import score_city
from tests.naive.quadropolis import City, Stack, best_activation

Data = dict[str, Any]


def city_file(folder: Path, scenario: str, inhabitants: int, energy: int, text: str) -> Path:
    """Write a city drawn as rows of words between bars."""
    city = [row.split() for row in text.split("|")]
    path = folder / "city.toml"
    path.write_text(
        f'scenario = "{scenario}"\ninhabitants = {inhabitants}\nenergy = {energy}\ncity = {json.dumps(city)}\n',
        encoding="utf-8",
    )
    return path


def points(scored: Any) -> dict[str, int]:
    """Return the rules that score."""
    return {rule: vp for rule, vp in scored.by_rule["vp"].items() if vp}


# Cities worked out by hand (rules: Quadropolis, part 6)


def test_the_city_of_59_points() -> None:
    scored = score_city("classic-59")
    assert scored.total == 59
    assert (scored.unused_inhabitants, scored.unused_energy) == (0, 0)
    assert scored.by_tile["active"].all()
    assert sorted(scored.by_tile.query("building == 'shop'")["customers"]) == [3, 4]


def test_the_city_of_58_points() -> None:
    scored = score_city("classic-58")
    assert scored.total == 58
    assert (scored.unused_inhabitants, scored.unused_energy) == (1, 0)
    assert scored.by_tile["active"].all()
    assert points(scored)["leftover_inhabitants"] == -1


@pytest.mark.jitted
@pytest.mark.parametrize("name", ["classic-59", "classic-58", "expert-services"])
def test_rules_add_up_and_so_do_tiles_with_what_is_left_over(name: str) -> None:
    scored = score_city(name)
    leftovers = -scored.unused_inhabitants - scored.unused_energy
    assert scored.by_rule["vp"].sum() == scored.total
    assert scored.by_tile["own_vp"].sum() + leftovers == pytest.approx(scored.total, abs=0.01)


@pytest.mark.parametrize(
    ("scenario", "means", "text", "rules"),
    [
        ("quadropolis-classic", (0, 0), "_ _ _ _|_ _ _ _|_ _ _ _|_ _ _ _", {}),
        (
            "quadropolis-classic",
            (2, 3),
            "_ _ _ _|_ _ _ _|_ _ _ _|_ _ _ _",
            {"leftover_inhabitants": -2, "leftover_energy": -3},
        ),
        # A Shop of five customers holds more than one of four
        (
            "quadropolis-expert",
            (5, 1),
            "S _ _ _ _|_ _ _ _ _|_ _ _ _ _|_ _ _ _ _",
            {"shops": 11},
        ),
        # A Harbor beside a Monument stays inactive; its inhabitant is left over
        (
            "quadropolis-expert",
            (1, 0),
            "H M PS _ _|_ _ _ _ _|_ _ _ _ _|_ _ _ _ _",
            {"districts": 2, "monuments": 2},
        ),
        # A Congress Center joins two Office Towers to a group of three
        (
            "quadropolis-expert",
            (3, 2),
            "O2 congress_center O1 _ _|_ _ _ _ _|_ _ _ _ _|_ _ _ _ _",
            {"districts": 2, "office_towers": 7},
        ),
        # A Reprocessing Plant takes all surplus energy before the Park does
        (
            "quadropolis-classic",
            (1, 5),
            "reprocessing_plant P _ _|_ _ _ _|_ _ _ _|_ _ _ _",
            {"districts": 2, "reprocessing_plant": 2},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_cities_worked_out_by_hand(
    tmp_path: Path, scenario: str, means: tuple[int, int], text: str, rules: dict[str, int]
) -> None:
    scored = score_city(city_file(tmp_path, scenario, *means, text))
    assert points(scored) == rules
    assert scored.total == sum(rules.values())
    assert len(scored.by_tile) == sum(word != "_" for row in text.split("|") for word in row.split())


# Cities of games


def as_words(city: Data, rows: int, columns: int) -> str:
    """Write a city of a replay as rows of words."""
    cells = {tuple(space["space"]): space for space in city["spaces"]}

    def word(space: Data | None) -> str:
        if space is None:
            return "_"
        floors = space["floors"] if space["building"] in ("tower_block", "office_tower") else ""
        return f"{space['building']}{floors}+{space['printed_vp']}"

    places = [[(row, column) for column in range(1, columns + 1)] for row in range(1, rows + 1)]
    return "|".join(" ".join(word(cells.get(place)) for place in row) for row in places)


@pytest.mark.jitted
@pytest.mark.parametrize("name", ["quadropolis-classic", "quadropolis-expert", "quadropolis-classic-expert-pool"])
def test_a_city_of_a_game_scores_what_it_scored_there(tmp_path: Path, name: str) -> None:
    plan = make_plan(load_scenario(name), players=4, policy="greedy,random,greedy-park,random+tower_block")
    for game in range(3):
        data = replay_game(plan, game)
        size = len(data["scenario"]["city"]["districts"]), len(data["scenario"]["city"]["districts"][0])
        for city in data["cities"]:
            path = city_file(tmp_path, name, city["inhabitants"], city["energy"], as_words(city, *size))
            scored = score_city(path)
            assert scored.total == city["score"]
            assert scored.by_rule["vp"].to_dict() == city["rules"]
            assert scored.by_tile["active"].tolist() == [space["active"] for space in city["spaces"]]
            assert scored.by_tile["customers"].tolist() == [space["customers"] for space in city["spaces"]]
            assert scored.city.remarks == []


@pytest.mark.jitted
@pytest.mark.parametrize("name", ["classic-59", "expert-services"])
def test_marginal_vp_is_what_the_same_city_scores_without_the_building(name: str) -> None:
    scored = score_city(name)
    city, scenario = scored.city, scored.city.scenario.model_dump()
    stacks = {(s.row - 1, s.column - 1): Stack(s.building, s.floors, s.printed_vp) for s in city.stacks}
    for (row, column), tile in scored.by_tile.iterrows():
        rest = {space: stack for space, stack in stacks.items() if space != (row - 1, column - 1)}
        without = best_activation(scenario, City(rest, city.inhabitants, city.energy)).score
        assert tile["marginal_vp"] == scored.total - without


def test_nothing_is_marginal_in_a_city_without_buildings(tmp_path: Path) -> None:
    empty = "|".join(["_ _ _ _"] * 4)
    scored = score_city(city_file(tmp_path, "quadropolis-classic", 0, 0, empty))
    assert scored.by_tile.empty
    assert scored.by_tile.index.names == ["row", "column"]
    assert list(scored.by_tile) == [
        "building",
        "floors",
        "printed_vp",
        "active",
        "customers",
        "own_vp",
        "marginal_vp",
    ]
