"""Prices: the value that brings a tile level with its pool is found, confirmed on fresh seeds, or said not to exist."""

from __future__ import annotations

import pytest

from balance.errors import InputError
from balance.report.price import price_document
from balance.scenario.load import load_scenario
from balance.studies.price import Price, _root, price

pytestmark = pytest.mark.jitted


@pytest.mark.parametrize("at", [0.0, 0.4, 3.6, 7.0, 11.5])
def test_the_value_nearest_to_the_root_is_found_by_halving(at: float) -> None:
    asked: list[object] = []

    def contrast(value: object) -> float:
        asked.append(value)
        assert isinstance(value, int)
        return value - at

    assert _root(list(range(13)), contrast) == min(range(13), key=lambda value: abs(value - at))
    assert len(set(map(str, asked))) <= 6


@pytest.mark.parametrize(("shift", "expected"), [(100, 0), (-100, 12)])
def test_without_a_root_the_closest_end_is_taken(shift: int, expected: int) -> None:
    assert _root(list(range(13)), lambda value: int(value) + shift) == expected


@pytest.fixture(scope="module")
def handicapped() -> Price:
    """Roads that print 1 VP too many are brought back."""
    scenario = load_scenario("city-services", changes=["services.fire.printed_vp=4"])
    return price(scenario, "fire", policy="random", games=480)


def test_a_planted_tile_is_brought_back(handicapped: Price) -> None:
    assert handicapped.now == 4
    assert handicapped.level == 0
    table = handicapped.table()
    assert table.loc[("fresh", 4), "verdict"] == "overpowered"
    assert abs(table.loc[("fresh", 0), "contrast"]) < abs(table.loc[("fresh", 4), "contrast"])


def test_fresh_seeds_confirm(handicapped: Price) -> None:
    assert handicapped.confirmed.run.plan.seed != handicapped.tried[0].judged.run.plan.seed
    assert handicapped.confirmed.run.plan.seed == handicapped.before.run.plan.seed


def test_the_document_says_what_changes_besides(handicapped: Price) -> None:
    document = price_document(handicapped)
    assert [section.key for section in document.sections] == ["price", "measures", "rules", "seats", "tiles"]
    assert "Fire" in document.sections[0].findings[0]


def test_a_price_that_no_value_reaches_is_said_with_the_closest() -> None:
    scenario = load_scenario("city-services", changes=["services.fire.printed_vp=9"])
    found = price(scenario, "fire", vary="services.fire.printed_vp=5:9", policy="random", games=480)
    assert (found.level, found.reaches) == (5, False)
    assert "closest is 5" in " ".join(price_document(found).sections[0].findings)


def test_a_price_is_a_number() -> None:
    with pytest.raises(InputError, match="a price is a number"):
        price("city-services", "fire", vary="revenue.coverage=everyone,off", policy="random", games=24)
