"""Scenarios from TOML files: found by name or path, inherited, changed and checked."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from balance.errors import ScenarioError, nearest
from balance.scenario.city_services import CityServices
from balance.scenario.quadropolis import Quadropolis

Scenario = CityServices | Quadropolis
GAMES: dict[str, type[Scenario]] = {"city-services": CityServices, "quadropolis": Quadropolis}

_PACKAGE = Path(__file__).parent.parent
FOLDERS = (_PACKAGE / "packaged_scenarios", _PACKAGE.parent / "scenarios")  # in a wheel, in a checkout


def scenario_names() -> list[str]:
    """Return the names of the packaged scenarios."""
    return sorted(path.stem for folder in FOLDERS for path in folder.glob("*.toml"))


def load_scenario(name: str | Path, *, changes: Sequence[str] = (), without: Sequence[str] = ()) -> Scenario:
    """Load a scenario by name or from a TOML file.

    Parameters
    ----------
    name : str or Path
        A packaged scenario, or the path of a TOML file.
    changes : sequence of str
        "key=value" each, the value as in TOML: "services.police.range=4".
    without : sequence of str
        Tiles to leave out: their count becomes 0.

    Returns
    -------
    CityServices
        The checked scenario.

    Raises
    ------
    ScenarioError
        If a name, key or value is wrong; the message says which, why, and what is near.

    Examples
    --------
    >>> load_scenario("city-services", changes=["services.police.range=4"]).services["police"].range
    4
    """
    path = find_scenario(name)
    scenario = check_scenario(_read_with_bases(path, ()), str(path))
    if scenario.incomplete and not _extends(path):
        raise ScenarioError(f"{path}: {scenario.incomplete}", "A variant that says extends = ... may have fewer.")
    changes = [*changes, *(change for tile in without for change in _without(tile, scenario))]
    return change_scenario(scenario, changes) if changes else scenario


def find_scenario(name: str | Path, beside: Path | None = None) -> Path:
    """Return the file of a scenario: a path, or the name of a packaged one."""
    candidates = [Path(name)] if str(name).endswith(".toml") else []
    if candidates and beside is not None:
        candidates.insert(0, beside / name)
    candidates += [folder / f"{name}.toml" for folder in FOLDERS if Path(name).name == str(name)]
    for candidate in candidates:
        if _is_file(candidate):
            return candidate
    if str(name).endswith(".toml"):
        raise ScenarioError(f"{name}: no such file", "Packaged scenarios are named without .toml: see balance list.")
    raise ScenarioError(f'unknown scenario "{name}"', nearest(str(name), scenario_names()))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False


def scenario_from_data(data: Mapping[str, Any], source: str) -> Scenario:
    """Check data that was written by `Scenario.model_dump`."""
    return check_scenario(data, source)


def check_scenario(data: Mapping[str, Any], source: str) -> Scenario:
    """Turn plain data into a scenario, or say what is wrong with it."""
    game = data.get("game")
    if not isinstance(game, str) or game not in GAMES:
        problem = f"{source}: game is missing" if game is None else f'{source}: game = "{game}" is unknown'
        raise ScenarioError(problem, nearest(str(game or ""), GAMES))
    model = GAMES[game]
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _as_scenario_error(error, data, model, source) from None


def change_scenario(scenario: Scenario, changes: Sequence[str]) -> Scenario:
    """Return a scenario with single values changed.

    Raises
    ------
    ScenarioError
        If a change names no value of the scenario, contradicts another, or makes the game unplayable.
    """
    data = scenario.model_dump()
    made: dict[str, Any] = {}
    for change in changes:
        key, value = _parse_change(change)
        _refuse_contradiction(key, value, made)
        made[key] = value
        _set(data, key, value)
    return check_scenario(data, " ".join(f"--set {change}" for change in changes))


def pooled_tiles(scenario: Scenario) -> list[str]:
    """Return all tiles that are judged against others: those of all pools."""
    return [tile for pool in scenario.pools.values() for tile in pool]


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises
    ------
    ScenarioError
        If it cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ScenarioError(f"{path}: not a text file in UTF-8") from None
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        raise ScenarioError(f"{path}: not valid TOML: {error}") from None
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read: {error.strerror}") from None


def _read_with_bases(path: Path, seen: tuple[Path, ...]) -> dict[str, Any]:
    """Read a file over the scenario that it extends."""
    path = path.resolve()
    if path in seen:
        raise ScenarioError(f"{path}: extends itself by way of {' and '.join(str(other) for other in seen)}")
    data = read_toml(path)
    base = data.pop("extends", None)
    if base is None:
        return data
    if not isinstance(base, str):
        raise ScenarioError(f"{path}: extends = {base!r} is not the name of a scenario")
    try:
        base_path = find_scenario(base, path.parent)
    except ScenarioError as error:
        raise ScenarioError(f'{path}: extends = "{base}": {error.problem}', error.remedy) from None
    return _merged(_read_with_bases(base_path, (*seen, path)), data)


def _merged(base: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = copy.deepcopy(base)
    for key, value in changes.items():
        both_tables = isinstance(value, Mapping) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both_tables else value
    return merged


def _extends(path: Path) -> bool:
    return "extends" in read_toml(path)


def _without(tile: str, scenario: Scenario) -> list[str]:
    if tile not in scenario.names:
        raise ScenarioError(f'--without {tile}: unknown tile "{tile}"', nearest(tile, scenario.names))
    return scenario.leaving_out(tile)


def _parse_change(change: str) -> tuple[str, Any]:
    key, equals, text = change.partition("=")
    key, text = key.strip(), text.strip()
    if not equals or not key or not text:
        raise ScenarioError(f"--set {change}: not of the form key=value", "For example --set services.police.range=4")
    if "\n" in text:
        raise ScenarioError(f"--set {change}: one key and one value, on one line", "Give --set once for each key.")
    try:
        return key, tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return key, text


def _refuse_contradiction(key: str, value: Any, made: Mapping[str, Any]) -> None:
    for other, other_value in made.items():
        overlaps = key == other or key.startswith(f"{other}.") or other.startswith(f"{key}.")
        if overlaps and (key != other or value != other_value):
            raise ScenarioError(f"{key} = {value!r} contradicts {other} = {other_value!r}", "Give each key one value.")


def _set(data: dict[str, Any], key: str, value: Any) -> None:
    table: Any = data
    *parents, last = key.split(".")
    for depth, part in enumerate(parents):
        if not isinstance(table, dict) or part not in table:
            raise _unknown_key(key, parents[:depth], part, table)
        table = table[part]
    if isinstance(table, list) and last.isdigit() and 1 <= int(last) <= len(table):
        table[int(last) - 1] = value  # an entry of a list, counted from 1
        return
    is_open_table = isinstance(table, dict) and all(isinstance(entry, list) for entry in table.values())
    if not isinstance(table, dict) or (last not in table and not is_open_table):
        raise _unknown_key(key, parents, last, table)
    table[last] = value


def _unknown_key(key: str, parents: Sequence[str], part: str, table: Any) -> ScenarioError:
    where = ".".join(parents)
    if not isinstance(table, dict):
        return ScenarioError(f'--set {key}: {where} is a value, so it has no "{part}"')
    place = f" in {where}" if where else ""
    return ScenarioError(f'--set {key}: unknown key "{part}"{place}', nearest(part, table))


def _as_scenario_error(
    error: ValidationError, data: Mapping[str, Any], model: type[BaseModel], source: str
) -> ScenarioError:
    """Say in one sentence what pydantic found first: file, key, value, reason, nearest name."""
    first = error.errors()[0]
    location = [str(part) for part in first["loc"] if part != "[key]"]
    key = ".".join(location)
    if first["type"] == "extra_forbidden":
        known = _fields_at(model, location[:-1])
        return ScenarioError(f"{source}: unknown key {key}", nearest(location[-1], known))
    if first["type"] == "missing":
        return ScenarioError(f"{source}: {key} is missing", _misspelt_tile(data, location))
    reason = first["msg"].removeprefix("Value error, ")
    if first["type"] == "value_error":
        return ScenarioError(f"{source}: {reason}")
    problem = f"{source}: {key} = {first['input']!r}"
    if first["type"] == "literal_error" and isinstance(first["input"], str):
        words = re.findall(r"'([^']*)'", first["ctx"]["expected"])
        return ScenarioError(f"{problem}: no such word", nearest(first["input"], words))
    return ScenarioError(f"{problem}: {reason[0].lower()}{reason[1:]}")


def _misspelt_tile(data: Mapping[str, Any], location: Sequence[str]) -> str:
    """Return the tiles near one that lacks a value: it may be new by mistake."""
    if len(location) != 3:
        return ""
    kind, tile, _ = location
    return nearest(tile, [other for other in data[kind] if other != tile])


def _fields_at(model: type[BaseModel], location: Sequence[str]) -> list[str]:
    """Return the names that a scenario knows at a place."""
    fields = model.model_fields
    for part in location:
        annotation = fields[part].annotation if part in fields else None
        inner = next((kind for kind in (annotation, *getattr(annotation, "__args__", ())) if _is_model(kind)), None)
        if inner is not None:
            fields = inner.model_fields
    return list(fields)


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
