"""Single values are changed with --set, tiles are left out with --without; what makes no sense is refused."""

from __future__ import annotations

import pytest

from balance.errors import ScenarioError
from balance.scenario.describe import values_table
from balance.scenario.load import Scenario, load_scenario


def changed(*changes: str, without: tuple[str, ...] = ()) -> Scenario:
    """Return the printed game, changed."""
    return load_scenario("city-services", changes=changes, without=without)


def refusal_of(*changes: str, without: tuple[str, ...] = ()) -> str:
    """Return the message with which changes are refused; every refusal is wrong usage."""
    with pytest.raises(ScenarioError) as refused:
        changed(*changes, without=without)
    assert refused.value.exit_code == 2
    return str(refused.value)


# --set


def test_one_value_is_changed_and_no_other(printed: Scenario) -> None:
    expected = printed.model_dump()
    expected["services"]["police"]["range"] = 4
    assert changed("services.police.range=4").model_dump() == expected


def test_the_scenario_that_is_changed_stays_as_it_was(printed: Scenario) -> None:
    before = printed.model_dump()
    changed("services.police.range=4", without=("fire",))
    assert load_scenario("city-services").model_dump() == before


@pytest.mark.parametrize(
    ("change", "key", "value"),
    [
        ("players = 3", "players", 3),
        (" players=3 ", "players", 3),
        ("title=New rules", "title", "New rules"),
        ('title="A = B"', "title", "A = B"),
        ("revenue.coverage=own", "revenue.coverage", "own"),
        ('revenue.coverage="own"', "revenue.coverage", "own"),
        ("placement.both_ways=false", "placement.both_ways", False),
        ("seats.handicap=[0, 1, 2, 3]", "seats.handicap", [0, 1, 2, 3]),
        ('placement.forbidden_beside.waste=["commercial"]', "placement.forbidden_beside.waste", ["commercial"]),
        ("revenue.never_score.parks=[]", "revenue.never_score.parks", []),
    ],
)
def test_a_value_is_written_as_in_toml_and_a_word_needs_no_quotes(change: str, key: str, value: object) -> None:
    scenario = changed(change)
    found: object = scenario.model_dump()
    for part in key.split("."):
        assert isinstance(found, dict)
        found = found[part]
    assert found == value


def test_every_value_can_be_set_to_what_it_is(printed: Scenario) -> None:
    table = values_table(printed)
    changes = [f"{key}={toml(value)}" for key, value in table["value"].items()]
    assert changed(*changes) == printed


def toml(value: object) -> str:
    """Write a value as in TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).replace("'", '"')


def test_a_limit_may_be_set_for_a_tile_that_had_none() -> None:
    scenario = changed('placement.forbidden_beside.roads=["residential"]', 'revenue.never_score.fire=["commercial"]')
    assert scenario.placement.forbidden_beside["roads"] == ["residential"]
    assert scenario.revenue.never_score["fire"] == ["commercial"]


def test_all_limits_are_taken_away_at_once() -> None:
    scenario = changed("placement.forbidden_beside={}", "revenue.never_score={}")
    assert scenario.placement.forbidden_beside == scenario.revenue.never_score == {}


BAD_CHANGES = {
    "services.polise.range=4": ['unknown key "polise" in services', "Did you mean police"],
    "servces.police.range=4": ['unknown key "servces"', "Did you mean services"],
    "services.police.rang=4": ['unknown key "rang" in services.police', "Did you mean range?"],
    "services.police.range.x=4": ['services.police.range is a value, so it has no "x"'],
    "title.x=4": ['title is a value, so it has no "x"'],
    "seats.handicaps=[0,0,0,0]": ["unknown key seats.handicaps", "handicap"],
    "a..b=3": ['unknown key "a"', "Known: game, title"],
    ".=3": ['unknown key ""'],
    "players": ["--set players", "not of the form key=value", "For example"],
    "=3": ["not of the form key=value"],
    "players=": ["not of the form key=value"],
    "": ["not of the form key=value"],
    "players=9": ["players = 9", "less than or equal to 4"],
    "players=abc": ["players = 'abc'", "integer"],
    "players=2.0": ["players = 2.0", "integer"],
    "players=true": ["players = True", "integer"],
    "board.size=9": ["size 9 is odd"],
    "board=8": ["board = 8"],
    "services.police.range=12": ["reaches beyond the board"],
    "services.police.count=-1": ["services.police.count = -1"],
    "services.police={count = 3}": ["services.police.range is missing"],
    "services={}": ["is not a tile of this scenario"],
    "turn.draw_zones=0": ["their cup would never be empty"],
    "extends=city-services-one-way": ['unknown key "extends"'],
    "game=chess": ['game = "chess" is unknown', "city-services"],
}


@pytest.mark.parametrize(("change", "words"), BAD_CHANGES.items())
def test_a_wrong_change_is_refused_with_the_option_and_the_reason(change: str, words: list[str]) -> None:
    message = refusal_of(change)
    assert f"--set {change.partition('=')[0]}" in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("change", ["game=[1]", "game={}"])
def test_a_game_that_is_no_name_is_refused(change: str) -> None:
    assert "game" in refusal_of(change)


def test_a_change_of_two_lines_is_refused() -> None:
    refusal_of("players=2\nboard.size=8")


def test_a_range_may_grow_with_the_board_in_any_order() -> None:
    for changes in (["board.size=16", "services.fire.range=15"], ["services.fire.range=15", "board.size=16"]):
        assert changed(*changes).services["fire"].range == 15


# Contradictions


@pytest.mark.parametrize(
    "changes",
    [
        ["players=3", "players=4"],
        ["services.waste.count=3", "services.waste={count = 3, range = 2}"],
        ["services.waste={count = 3, range = 2}", "services.waste.count=3"],
        ["seats={handicap = [0, 0, 0, 0]}", "seats.handicap=[1, 0, 0, 0]"],
    ],
)
def test_changes_that_contradict_each_other_are_refused(changes: list[str]) -> None:
    message = refusal_of(*changes)
    assert "contradicts" in message
    assert "Give each key one value." in message


def test_leaving_out_a_tile_contradicts_setting_its_count() -> None:
    assert "contradicts services.waste.count = 3" in refusal_of("services.waste.count=3", without=("waste",))


def test_the_same_change_twice_is_no_contradiction() -> None:
    assert changed("players=3", "players = 3").players == 3
    assert changed("services.waste.count=0", without=("waste", "waste")).services["waste"].count == 0


def test_keys_that_only_begin_alike_are_no_contradiction() -> None:
    scenario = changed("turn.draw_zones=3", "turn.draw_services=1", "services.roads.count=1", "services.roads.range=1")
    assert (scenario.turn.draw_zones, scenario.turn.draw_services) == (3, 1)


# --without


def test_a_tile_left_out_has_no_copies_and_all_others_stay(printed: Scenario) -> None:
    expected = printed.model_dump()
    expected["services"]["waste"]["count"] = 0
    expected["zones"]["industrial"]["count"] = 0
    assert changed(without=("waste", "industrial")).model_dump() == expected


def test_an_unknown_tile_cannot_be_left_out() -> None:
    message = refusal_of(without=("polise",))
    assert '--without polise: unknown tile "polise"' in message
    assert "Did you mean police" in message


def test_leaving_out_every_tile_is_refused(printed: Scenario) -> None:
    assert "there are no tiles at all" in refusal_of(without=tuple(printed.tiles))
