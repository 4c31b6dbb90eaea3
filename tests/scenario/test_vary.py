"""Axes and grids: lists, spans, several keys at once, and what is refused."""

from __future__ import annotations

import pytest

from balance.errors import InputError
from balance.scenario.load import Scenario, load_scenario
from balance.scenario.vary import check_axes, parse_axis, point_at, points_of, size_of


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("1:4", (1, 2, 3, 4)),
        ("0:10:5", (0, 5, 10)),
        ("2,3,5", (2, 3, 5)),
        ("1:2,5", (1, 2, 5)),
        ("3,3,1", (3, 1)),
        ("4", (4,)),
        ("1:6:4", (1, 5)),
    ],
)
def test_spans_and_lists_are_values_in_the_order_written(
    printed: Scenario, values: str, expected: tuple[int, ...]
) -> None:
    assert parse_axis(f"services.roads.range={values}", printed).values == expected


def test_switches_and_words_can_be_varied(printed: Scenario) -> None:
    axis = parse_axis("revenue.covers_later_zones=true,false", printed)
    assert axis.values == (True, False)
    assert not axis.is_numeric
    assert parse_axis("revenue.coverage=everyone,off", printed).values == ("everyone", "off")


def test_several_keys_change_together(printed: Scenario) -> None:
    axis = parse_axis("services.{roads,fire}.range=1:2", printed)
    (first, second) = points_of(printed, [axis], 4, "random")
    assert [first.scenario.services[tile].range for tile in ("roads", "fire")] == [1, 1]
    assert [second.scenario.services[tile].range for tile in ("roads", "fire")] == [2, 2]


def test_a_grid_has_every_point_once_the_last_axis_fastest(printed: Scenario) -> None:
    axes = [parse_axis("services.roads.range=1:2", printed), parse_axis("players=2:4", printed)]
    points = list(points_of(printed, axes, 4, "random"))
    assert [point.values for point in points] == [(1, 2), (1, 3), (1, 4), (2, 2), (2, 3), (2, 4)]
    assert [point.players for point in points] == [2, 3, 4, 2, 3, 4]
    assert size_of(axes) == 6


def test_policies_can_be_varied(printed: Scenario) -> None:
    axis = parse_axis("policy=random,greedy", printed)
    assert [point_at(printed, [axis], [value], 4, "random").policy for value in axis.values] == ["random", "greedy"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("services.roads.rnge=1:4", "services.roads.range"),
        ("services.{roads,fyre}.range=1:4", "services.fire.range"),
        ("services.roads.range=4:1", "inverted"),
        ("services.roads.range=1:4:0", "steps of 0"),
        ("services.roads.range=", "not of the form"),
        ("services.roads.range", "not of the form"),
        ("services.roads.range=1,,2", "missing between commas"),
        ("services.roads.count=0:100000", "more than 1,000 values"),
    ],
)
def test_what_cannot_be_varied_is_refused(printed: Scenario, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_axis(text, printed)
    assert message in str(error.value)


def test_a_key_is_varied_once(printed: Scenario) -> None:
    axes = [parse_axis(f"services.{tiles}.range=1:2", printed) for tiles in ("roads", "{roads,fire}")]
    with pytest.raises(InputError, match="varied twice"):
        check_axes(axes)
    with pytest.raises(InputError, match="nothing to vary"):
        check_axes([])


@pytest.mark.parametrize(
    ("text", "message"),
    [("services.roads.range=50", "services.roads.range"), ("policy=gready", "greedy"), ("players=two", "players")],
)
def test_a_point_that_is_no_game_is_refused(text: str, message: str) -> None:
    scenario = load_scenario("city-services")
    axis = parse_axis(text, scenario)
    with pytest.raises(InputError, match=message):
        list(points_of(scenario, [axis], 4, "random"))
