"""Values that are varied: `services.roads.range=1:4` as an axis, several axes as a grid of scenarios."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TypeVar

from balance.errors import InputError, ScenarioError, nearest
from balance.scenario.describe import values_table
from balance.scenario.load import Scenario, change_scenario
from balance.scenario.policies import parse_policy

_BRACES = re.compile(r"\{([^{}]*)\}")
_SPAN = re.compile(r"(-?\d+):(-?\d+)(?::(\d+))?")
MOST_VALUES = 1000

Value = int | float | bool | str
T = TypeVar("T")

HOW = ("players", "policy")
"""What can be varied besides the values of the scenario."""


@dataclass(frozen=True)
class Axis:
    """What is varied together, and the values it takes.

    Attributes
    ----------
    name : str
        As written before the equals sign.
    keys : tuple of str
        Keys of the scenario, or one of HOW.
    values : tuple
        In the order in which they were written.
    """

    name: str
    keys: tuple[str, ...]
    values: tuple[Value, ...]

    @property
    def is_numeric(self) -> bool:
        """Tell whether the values can be put on a scale."""
        return all(isinstance(value, int | float) and not isinstance(value, bool) for value in self.values)


@dataclass(frozen=True)
class Point:
    """One point of a grid.

    Attributes
    ----------
    values : tuple
        One for each axis.
    scenario : Scenario
    players : int
    policy : str
    """

    values: tuple[Value, ...]
    scenario: Scenario
    players: int
    policy: str


def parse_axis(text: str, scenario: Scenario) -> Axis:
    """Read what to vary.

    Parameters
    ----------
    text : str
        KEY=VALUES: a list (2,3,5), a span (1:4, 0:10:2), several keys at once (services.{roads,power}.range); players
        and policy can be varied too.
    scenario : Scenario

    Raises
    ------
    InputError
        If a key is unknown, a span empty or inverted, or there are no values.

    Examples
    --------
    >>> from balance.scenario.load import load_scenario
    >>> parse_axis("services.{roads,fire}.range=1:3", load_scenario("city-services")).keys
    ('services.roads.range', 'services.fire.range')
    """
    name, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not name or not values:
        raise InputError(f"--vary {text}: not of the form KEY=VALUES", "For example --vary services.roads.range=1:4")
    keys = tuple(_expand(name))
    known = _known_values(scenario)
    for key in keys:
        if key not in known and key not in HOW:
            raise InputError(f"--vary {text}: unknown key {key}", nearest(key, [*known, *HOW]))
    return Axis(name, keys, tuple(_values(text, values)))


def parse_axes(texts: Sequence[str], scenario: Scenario) -> tuple[Axis, ...]:
    """Read all that is varied.

    Raises
    ------
    InputError
        As for `parse_axis`; if a key is varied twice, or nothing is.
    """
    axes = tuple(parse_axis(text, scenario) for text in texts)
    check_axes(axes)
    return axes


def points_of(scenario: Scenario, axes: Sequence[Axis], players: int, policy: str) -> Iterator[Point]:
    """Yield all points of a grid, the last axis running fastest.

    Raises
    ------
    ScenarioError
        If a point is no playable game.
    """
    for values in itertools.product(*(axis.values for axis in axes)):
        yield point_at(scenario, axes, values, players, policy)


def points_one_at_a_time(scenario: Scenario, axes: Sequence[Axis], players: int, policy: str) -> Iterator[Point]:
    """Yield the scenario as it is, and what differs from it in one value: axis by axis.

    Raises
    ------
    ScenarioError
        If a point is no playable game.
    """
    now = current_values(scenario, axes, players, policy)
    yield Point(tuple(now), scenario, players, policy)
    for place, axis in enumerate(axes):
        for value in axis.values:
            if value != now[place]:
                point = point_at(scenario, [axis], [value], players, policy)
                yield replace(point, values=with_value(now, place, value))


def point_at(scenario: Scenario, axes: Sequence[Axis], values: Sequence[Value], players: int, policy: str) -> Point:
    """Return the point at one value for each axis."""
    changes = []
    for axis, value in zip(axes, values, strict=True):
        for key in axis.keys:
            if key == "players":
                players = _players(value)
            elif key == "policy":
                policy = str(value)
                parse_policy(policy, scenario.names)
            else:
                changes.append(f"{key}={written(value)}")
    return Point(tuple(values), change_scenario(scenario, changes) if changes else scenario, players, policy)


def with_value(values: Sequence[T], place: int, value: T) -> tuple[T, ...]:
    """Return values with another one at one place."""
    return (*values[:place], value, *values[place + 1 :])


def current_values(scenario: Scenario, axes: Sequence[Axis], players: int, policy: str) -> list[Value]:
    """Return the value that each axis has in the scenario: that of its first key."""
    values = {**_known_values(scenario), "players": players, "policy": policy}
    return [values[axis.keys[0]] for axis in axes]


def _known_values(scenario: Scenario) -> dict[str, Value]:
    """Return all values of a scenario by key; the entries of a list each, counted from 1."""
    known: dict[str, Value] = {}
    for key, value in values_table(scenario)["value"].items():
        known[str(key)] = value
        if isinstance(value, list):
            known |= {f"{key}.{place}": entry for place, entry in enumerate(value, start=1)}
    return known


def size_of(axes: Sequence[Axis]) -> int:
    """Return how many points a grid has."""
    return prod(len(axis.values) for axis in axes)


def check_axes(axes: Sequence[Axis]) -> None:
    """Refuse a key that is varied twice.

    Raises
    ------
    InputError
        If one is, or nothing is varied.
    """
    if not axes:
        raise InputError("nothing to vary", "Add --vary KEY=VALUES, for example --vary services.roads.range=1:4")
    keys = [key for axis in axes for key in axis.keys]
    for key in keys:
        if keys.count(key) > 1:
            raise InputError(f"--vary: {key} is varied twice", "Give each key once.")


def refuse_how(axes: Sequence[Axis]) -> None:
    """Refuse players and policies where values of the scenario are wanted.

    Raises
    ------
    InputError
        If one is among the axes.
    """
    for axis in axes:
        for key in axis.keys:
            if key in HOW:
                raise InputError(f"--vary {axis.name}: {key} is not a value of the scenario", f"Say --{key} instead.")


def written(value: object) -> str:
    """Return a value as --set takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def separate(text: str) -> list[str]:
    """Return one KEY=VALUES for each key of a text with braces, so that each gets a value of its own.

    Examples
    --------
    >>> separate("services.{roads,fire}.range=1:5")
    ['services.roads.range=1:5', 'services.fire.range=1:5']
    """
    name, equals, values = text.partition("=")
    return [f"{key}{equals}{values}" for key in _expand(name)]


def _expand(name: str) -> Iterator[str]:
    """Yield the keys of a name with braces."""
    found = _BRACES.search(name)
    if not found:
        yield name
        return
    for part in found.group(1).split(","):
        yield from _expand(name[: found.start()] + part.strip() + name[found.end() :])


def _values(text: str, values: str) -> Iterator[Value]:
    seen: set[Value] = set()
    for part in values.split(","):
        for value in _span(text, part.strip()):
            if value not in seen:
                seen.add(value)
                yield value


def _span(text: str, part: str) -> Iterator[Value]:
    if not part:
        raise InputError(f"--vary {text}: a value is missing between commas")
    found = _SPAN.fullmatch(part)
    if not found:
        yield _value(part)
        return
    first, last, step = int(found.group(1)), int(found.group(2)), int(found.group(3) or 1)
    if last < first:
        raise InputError(f"--vary {text}: the span {part} is inverted", f"Write {last}:{first}.")
    if step == 0:
        raise InputError(f"--vary {text}: the span {part} has steps of 0")
    if (last - first) // step + 1 > MOST_VALUES:
        raise InputError(f"--vary {text}: the span {part} has more than {MOST_VALUES:,} values", "Take larger steps.")
    yield from range(first, last + 1, step)


def _value(part: str) -> Value:
    try:
        value = tomllib.loads(f"value = {part}")["value"]
    except tomllib.TOMLDecodeError:
        return part
    return value if isinstance(value, int | float | bool) else part


def _players(value: Value) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ScenarioError(f"--vary players={value}: not a number of players", "Write for example players=2:4.")
    return value
