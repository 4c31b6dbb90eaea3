"""A scenario as a table: every value with its source, our confidence, and what switches the rule off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from balance.scenario.load import Scenario


def values_table(scenario: Scenario) -> pd.DataFrame:
    """Return all values of a scenario.

    Returns
    -------
    DataFrame
        Index key, as --set takes it; columns value, off (None where nothing can be switched off), source, confidence.
    """
    rows = list(_values(scenario, ""))
    return pd.DataFrame(rows, columns=["key", "value", "off", "source", "confidence"]).set_index("key")


def tile_name(tile: object) -> str:
    """Return a tile's name as the rulebook prints it: "fire_station" is "Fire station"."""
    return str(tile).replace("_", " ").capitalize().replace("Tv ", "TV ")


def with_capital(words: str) -> str:
    """Start with a capital letter; the other letters stay as they are."""
    return words[:1].upper() + words[1:]


def _values(section: BaseModel, prefix: str) -> Iterator[tuple[str, Any, Any, str, str]]:
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        key = f"{prefix}{name}"
        if isinstance(value, BaseModel):
            yield from _values(value, f"{key}.")
        elif isinstance(value, dict):
            for entry, inner in value.items():
                if isinstance(inner, BaseModel):
                    yield from _values(inner, f"{key}.{entry}.")
                else:
                    yield _row(f"{key}.{entry}", inner, field)
        elif field.json_schema_extra is not None:
            yield _row(key, value, field)


def _row(key: str, value: Any, field: FieldInfo) -> tuple[str, Any, Any, str, str]:
    extra: Any = field.json_schema_extra
    return key, value, extra["off"], extra["source"], extra["confidence"]
