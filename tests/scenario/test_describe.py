"""Every value of a scenario is listed with its source, our confidence, and what switches the rule off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from balance.scenario.describe import values_table
from balance.scenario.fields import CERTAIN, EXTRA, GUESS, LIKELY, READING
from balance.scenario.load import load_scenario, scenario_names
from balance.studies.run import simulate

SWITCHES = {
    "placement.first_tile_in_centre",
    "placement.beside_a_tile",
    "placement.both_ways",
    "revenue.coverage",
    "revenue.covers_later_zones",
    "revenue.diagonal_ranges",
}


def leaves(tree: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of a scenario by its dotted key."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def toml(value: object) -> str:
    """Write a value as in TOML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("name", scenario_names())
def test_every_value_is_listed_once_but_for_the_words_at_the_top(name: str) -> None:
    scenario = load_scenario(name)
    table = values_table(scenario)
    expected = dict(leaves(scenario.model_dump()))
    for words in ("game", "title", "description"):
        del expected[words]
    assert table.index.is_unique
    assert table["value"].to_dict() == expected


@pytest.mark.parametrize("name", scenario_names())
def test_every_value_has_a_source_and_a_confidence(name: str) -> None:
    table = values_table(load_scenario(name))
    assert (table["source"].str.len() > 0).all()
    ours = {READING} if name.startswith("city-services") else {LIKELY, GUESS}
    assert set(table["confidence"]) == {CERTAIN, EXTRA} | ours


@pytest.mark.parametrize("name", scenario_names())
def test_every_rule_has_a_value_that_switches_it_off_and_that_loads(name: str) -> None:
    table = values_table(load_scenario(name))
    switches = table[table["off"].notna()]
    if name.startswith("city-services"):
        limits = {key for key in table.index if key.startswith(("placement.forbidden_beside.", "revenue.never_score."))}
        assert set(switches.index) == SWITCHES | limits
    for key, off in switches["off"].items():
        switched_off = values_table(load_scenario(name, changes=[f"{key}={toml(off)}"]))
        assert switched_off.loc[key, "value"] == off
        others = [other for other in table.index if other != key]
        assert switched_off.loc[others, "value"].tolist() == table.loc[others, "value"].tolist()


def test_a_game_with_every_rule_switched_off_can_be_played() -> None:
    table = values_table(load_scenario("city-services"))
    switches = table[table["off"].notna()]
    scenario = load_scenario("city-services", changes=[f"{key}={toml(off)}" for key, off in switches["off"].items()])
    rules = simulate(scenario, 3).rules()["per_game"]
    assert rules["revenue", "denied by coverage"] == 0
    assert rules["revenue", "denied by the scoring limits"] == 0
    assert rules["placement limits", "all forbidden pairs"] == 0
    assert rules["revenue", "points given"] > 0


def test_values_that_the_rulebook_does_not_have_say_so() -> None:
    confidence = values_table(load_scenario("city-services"))["confidence"]
    assert confidence["services.fire.printed_vp"] == EXTRA
    assert confidence["seats.handicap"] == EXTRA
    assert confidence["revenue.coverage"] == READING
    assert confidence["board.size"] == CERTAIN


def test_a_new_tile_is_listed_with_its_values() -> None:
    scenario = load_scenario("city-services", changes=['placement.forbidden_beside.fire=["commercial"]'])
    assert values_table(scenario).loc["placement.forbidden_beside.fire", "value"] == ["commercial"]
