"""Cities of Quadropolis from TOML files, to be scored: found by name or path, and checked."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from balance.errors import InputError, nearest
from balance.games.quadropolis.show import CODES, TOWERS
from balance.scenario.fields import Section
from balance.scenario.load import FOLDERS, find_scenario, load_scenario, read_toml, scenario_names
from balance.scenario.quadropolis import BASE_BUILDINGS, POOL_BUILDINGS, PoolTile, Quadropolis, Tile

EMPTY = "_"
_NAMES = {**{code: building for building, code in CODES.items()}, **{building: building for building in CODES}}
_WORD = re.compile(r"([A-Za-z_]*[A-Za-z])([0-9]{0,9})(?:\+([0-9]{1,9}))?")
_FOLDERS = [folder / "cities" for folder in FOLDERS]

Place = tuple[int, int]
Amount = Annotated[int, Field(ge=0)]


class PlacedTile(Section):
    """One entry of `tiles`: a building, or with `floor` a single floor of one."""

    space: Annotated[list[int], Field(min_length=2, max_length=2)]
    tile: str
    floors: int | None = None
    floor: int | None = None
    printed_vp: Amount | None = None


class CityFile(Section):
    """A city file as it is written."""

    scenario: str
    inhabitants: Amount
    energy: Amount
    city: list[list[str]] | None = None
    tiles: list[PlacedTile] | None = None


@dataclass(frozen=True)
class Stack:
    """A building on its space.

    Attributes
    ----------
    row, column : int
        From 1.
    building : str
    floors : int
        1 for what is not stacked.
    printed_vp : int
        Of all its floors.
    """

    row: int
    column: int
    building: str
    floors: int
    printed_vp: int


@dataclass(frozen=True)
class City:
    """A city that a game can produce.

    Attributes
    ----------
    source : str
        The file.
    scenario : Quadropolis
    inhabitants, energy : int
        Gained over the game.
    stacks : list of Stack
        In the order of spaces.
    """

    source: str
    scenario: Quadropolis
    inhabitants: int
    energy: int
    stacks: list[Stack]

    @property
    def remarks(self) -> list[str]:
        """What is possible to score, but not in one game."""
        return list(_remarks(self))


def city_names() -> list[str]:
    """Return the names of the packaged cities."""
    return sorted(path.stem for folder in _FOLDERS for path in folder.glob("*.toml"))


def load_city(name: str | Path) -> City:
    """Load a city by name or from a TOML file.

    Parameters
    ----------
    name : str or Path
        A packaged city, or the path of a TOML file.

    Raises
    ------
    InputError
        If a name, key or value is wrong, or no game produces such a city; the message says which, why and what is
        near.

    Examples
    --------
    >>> load_city("classic-59").stacks[0]
    Stack(row=1, column=1, building='tower_block', floors=3, printed_vp=0)
    """
    path = _find_city(name)
    written = _check_file(read_toml(path), str(path))
    scenario = _scenario_of(written, path)
    try:
        stacks = _stacks(written, scenario)
        _check_pool(stacks, scenario)
        _check_means(written, scenario)
    except InputError as error:
        raise InputError(f"{path}: {error.problem}", error.remedy) from None
    return City(str(path), scenario, written.inhabitants, written.energy, stacks)


# The file


def _find_city(name: str | Path) -> Path:
    is_path = str(name).endswith(".toml")
    candidates = [Path(name)] if is_path else [folder / f"{name}.toml" for folder in _FOLDERS]
    for candidate in candidates:
        try:
            if (is_path or Path(name).name == str(name)) and candidate.exists():
                return candidate
        except (OSError, ValueError):  # a name that no file can have
            continue
    if is_path:
        known = ", ".join(city_names())
        raise InputError(f"{name}: no such file", f"Packaged cities are named without .toml: {known}.")
    raise InputError(f'unknown city "{name}"', f"{nearest(str(name), city_names())} A file's name ends in .toml.")


def _check_file(data: Mapping[str, Any], source: str) -> CityFile:
    try:
        written = CityFile.model_validate(data)
    except ValidationError as error:
        raise _as_input_error(error, source) from None
    if (written.city is None) == (written.tiles is None):
        said = "neither city nor tiles" if written.city is None else "both city and tiles"
        raise InputError(
            f"{source}: has {said}", 'Write the rows as city = [["T3", "P", "_"], ...], or a list of tiles.'
        )
    return written


def _as_input_error(error: ValidationError, source: str) -> InputError:
    """Say in one sentence what pydantic found first: file, key, value, reason, nearest name."""
    first = error.errors()[0]
    key = ".".join(str(part + 1 if isinstance(part, int) else part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        fields = CityFile.model_fields if len(first["loc"]) == 1 else PlacedTile.model_fields
        return InputError(f"{source}: unknown key {key}", nearest(str(first["loc"][-1]), fields))
    if first["type"] == "missing":
        return InputError(f"{source}: {key} is missing")
    reason = first["msg"]
    return InputError(f"{source}: {key} = {first['input']!r}: {reason[0].lower()}{reason[1:]}")


def _scenario_of(written: CityFile, path: Path) -> Quadropolis:
    place = f'{path}: scenario = "{written.scenario}"'
    cities = [name for name in scenario_names() if name.startswith("quadropolis")]
    try:
        scenario = load_scenario(find_scenario(written.scenario, path.parent))
    except InputError as error:
        raise InputError(f"{place}: {error.problem}", error.remedy) from None
    if not isinstance(scenario, Quadropolis):
        raise InputError(f"{place}: this game has no cities", f"Cities belong to: {', '.join(cities)}.")
    return scenario


# The buildings


def _stacks(written: CityFile, scenario: Quadropolis) -> list[Stack]:
    if written.city is not None:
        return list(_stacks_of_rows(written.city, scenario))
    return _stacks_of_tiles(written.tiles or [], scenario)


def _stacks_of_rows(rows: Sequence[Sequence[str]], scenario: Quadropolis) -> Iterator[Stack]:
    city = scenario.city
    if len(rows) != city.rows:
        raise InputError(f"city has {len(rows)} rows, but a city of {scenario.title} has {city.rows}")
    for row, words in enumerate(rows, 1):
        if len(words) != city.columns:
            raise InputError(
                f"row {row} of city has {len(words)} spaces, but a city of {scenario.title} has {city.columns} columns",
                f'An empty space is "{EMPTY}".',
            )
        for column, word in enumerate(words, 1):
            if word != EMPTY:
                yield _stack_of_word(word, (row, column), scenario)


def _stack_of_word(word: str, place: Place, scenario: Quadropolis) -> Stack:
    where = f'"{word}" at row {place[0]}, column {place[1]}'
    match = _WORD.fullmatch(word)
    if match is None:
        raise InputError(
            f"{where}: not a tile", f'Write "{EMPTY}", or a tile with its floors and printed VP, such as T3 or PS+2.'
        )
    letters, digits, printed = match.groups()
    building = _building(letters, where, scenario)
    floors = int(digits) if digits else None
    return _stack(building, floors, int(printed) if printed else None, where, (place, scenario))


def _stacks_of_tiles(tiles: Sequence[PlacedTile], scenario: Quadropolis) -> list[Stack]:
    on: dict[Place, list[PlacedTile]] = {}
    for number, tile in enumerate(tiles, 1):
        row, column = tile.space
        if not (1 <= row <= scenario.city.rows and 1 <= column <= scenario.city.columns):
            size = f"{scenario.city.rows} rows and {scenario.city.columns} columns"
            raise InputError(f"tiles.{number}: space = {tile.space} lies outside the city", f"It has {size}, from 1.")
        on.setdefault((row, column), []).append(tile)
    return [_stack_of_entries(place, on[place], scenario) for place in sorted(on)]


def _stack_of_entries(place: Place, entries: Sequence[PlacedTile], scenario: Quadropolis) -> Stack:
    """Return what the entries of one space build: one building, or the floors of one."""
    where = f"{entries[0].tile} at row {place[0]}, column {place[1]}"
    buildings = [_building(entry.tile, where.replace(entries[0].tile, entry.tile), scenario) for entry in entries]
    if len(set(buildings)) > 1:
        raise InputError(f"two tiles on row {place[0]}, column {place[1]}: {' and '.join(dict.fromkeys(buildings))}")
    printed = [entry.printed_vp for entry in entries if entry.printed_vp is not None]
    floors = _floors_of_entries(where, buildings[0], entries)
    return _stack(buildings[0], floors, sum(printed) if printed else None, where, (place, scenario))


def _floors_of_entries(where: str, building: str, entries: Sequence[PlacedTile]) -> int | None:
    single = sorted(entry.floor for entry in entries if entry.floor is not None)
    if not single and len(entries) == 1:
        return entries[0].floors
    if len(single) < len(entries) or building not in TOWERS:
        raise InputError(
            f"{where}: {len(entries)} tiles on one space" if len(entries) > 1 else f"{where}: it has no floors",
            f"Only {' and '.join(TOWERS)} are stacked: as floors, or with a floor number for each tile.",
        )
    if any(entry.floors not in (None, 1) for entry in entries):
        raise InputError(f"{where}: floor is the number of a single floor, so floors is 1 there")
    for floor, expected in zip(single, itertools.count(1), strict=False):
        if floor < 1:
            raise InputError(f"{where}: floor {floor}: the ground floor is 1")
        if floor < expected:
            raise InputError(f"{where}: two tiles on floor {floor}")
        if floor > expected:
            raise InputError(f"{where}: floor {floor} without floor {expected}", "A floor stands on the one below it.")
    return len(single)


def _building(name: str, where: str, scenario: Quadropolis) -> str:
    """Return the building of a name or code, if the scenario has it."""
    if name not in _NAMES:
        raise InputError(f'{where}: unknown tile "{name}"', nearest(name, _NAMES))
    building = _NAMES[name]
    if building not in scenario.buildings:
        raise InputError(
            f"{where}: {scenario.title} has no {building}", f"Its tiles are: {', '.join(scenario.buildings)}."
        )
    return building


def _stack(
    building: str, floors: int | None, printed_vp: int | None, where: str, on: tuple[Place, Quadropolis]
) -> Stack:
    (row, column), scenario = on
    if floors is not None and building not in TOWERS:
        customers = "; its customers are worked out" if building == "shop" else ""
        raise InputError(f"{where}: a {building} has no floors{customers}", f"Only {' and '.join(TOWERS)} are stacked.")
    floors = 1 if floors is None else floors
    most = int(getattr(scenario.city, f"highest_{building}")) if building in TOWERS else 1
    if floors < 1:
        raise InputError(f"{where}: {floors} floors, but a {building} has at least 1")
    if floors > most:
        raise InputError(f"{where}: {floors} floors, but a {building} has at most {most} in {scenario.title}")
    return Stack(row, column, building, floors, _printed_vp(building, floors, printed_vp, where, scenario))


def _printed_vp(building: str, floors: int, said: int | None, where: str, scenario: Quadropolis) -> int:
    """Return the printed VP of a stack: what is said, else the least that is possible."""
    possible = {0}
    for _ in range(floors):
        possible = {sum_ + tile.printed_vp for sum_ in possible for tile in _kinds(building, scenario)}
    if said is None:
        return min(possible)
    if said not in possible:
        choice = " or ".join(map(str, sorted(possible)))
        raise InputError(f"{where}: {said} printed VP, but in {scenario.title} there are {choice} on it")
    return said


def _kinds(building: str, scenario: Quadropolis) -> list[Tile | PoolTile]:
    """Return the kinds of tiles that are a building."""
    if building in POOL_BUILDINGS:
        return [scenario.tiles_of_pool[building]]
    return [tile for tile in scenario.tiles.values() if tile.building == building and any(tile.rounds)]


# The whole


def _check_pool(stacks: Iterable[Stack], scenario: Quadropolis) -> None:
    """Refuse more copies of a tile than the pool has: those built in cities never come back (rules: part 5)."""
    for building, built in Counter(stack.building for stack in stacks).items():
        if building in POOL_BUILDINGS and built > (there := scenario.tiles_of_pool[building].count):
            copies = "copy" if there == 1 else "copies"
            raise InputError(f"{built} tiles {building}, but the pool of {scenario.title} has {there} {copies}")


def _check_means(written: CityFile, scenario: Quadropolis) -> None:
    """Refuse more than a player can gain with all their Architects."""
    for name in ("inhabitants", "energy"):
        gained = getattr(written, name)
        most = _turns(scenario) * max((_gain(kind, name) for kind in _all_kinds(scenario)), default=0)
        if gained > most:
            raise InputError(f"{name} = {gained}: more than the {most} that anybody can gain in {scenario.title}")


def _turns(scenario: Quadropolis) -> int:
    """Return how many tiles a player builds at most."""
    return scenario.rounds * scenario.site.placements


def _all_kinds(scenario: Quadropolis) -> list[Tile | PoolTile]:
    return [kind for building in scenario.buildings for kind in _kinds(building, scenario)]


def _gain(kind: Tile | PoolTile, resource: str) -> int:
    """Return the inhabitants or the energy that a kind of tile gives."""
    return int(getattr(kind, resource if isinstance(kind, Tile) else f"gives_{resource}"))


def _remarks(city: City) -> Iterator[str]:
    """Say what cannot be in one game, though it can be scored."""
    scenario = city.scenario
    floors: Counter[str] = Counter()
    for stack in city.stacks:
        floors[stack.building] += stack.floors
    if floors.total() > _turns(scenario):
        yield f"this city has {floors.total()} tiles, but a player builds at most {_turns(scenario)}"
    for building in BASE_BUILDINGS:
        there = sum(len("".join(kind.rounds)) for kind in scenario.tiles.values() if kind.building == building)
        if floors[building] > there:
            yield f"this city has {floors[building]} tiles {building}, but the game has {there}"
    for name, gained in (("inhabitants", city.inhabitants), ("energy", city.energy)):
        gains = {building: [_gain(kind, name) for kind in _kinds(building, scenario)] for building in floors}
        least = sum(count * min(gains[building]) for building, count in floors.items())
        most = sum(count * max(gains[building]) for building, count in floors.items())
        if not least <= gained <= most:
            yield f"the tiles of this city give {least} to {most} {name}, not {gained}"
