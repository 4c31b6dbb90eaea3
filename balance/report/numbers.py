"""Numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

Row = Mapping[str, Any]
"""A row of a table: values by column."""

NO_DATA = "no data"
TOO_FEW = "too few"


def rows_of(table: pd.DataFrame) -> list[Row]:
    """Return the rows of a table, without its index."""
    return table.to_dict("records")


def number(value: float, digits: int) -> str:
    """Return a number with so many decimals, or "no data"."""
    return NO_DATA if math.isnan(value) else f"{value:,.{digits}f}"


def percent(value: float, digits: int = 1) -> str:
    """Return a share as a percentage, or "no data"."""
    return NO_DATA if math.isnan(value) else f"{100 * value:.{digits}f}%"


def with_interval(row: Row, name: str, digits: int, *, share: bool = False) -> str:
    """Return "value [low, high]"; "(too few)" in place of an interval that the data do not bear."""
    value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    scale, unit = (100.0, "%") if share else (1.0, "")
    if math.isnan(value):
        return NO_DATA
    text = f"{scale * value:,.{digits}f}{unit}"
    if math.isnan(low) or math.isnan(high):
        return f"{text} ({TOO_FEW})"
    return f"{text} [{scale * low:,.{digits}f}, {scale * high:,.{digits}f}]"


def with_margin(row: Row, name: str, digits: int, *, share: bool = False) -> str:
    """Return "value ±half the interval", shorter than `with_interval`."""
    value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    scale = 100.0 if share else 1.0
    if math.isnan(value):
        return NO_DATA
    if math.isnan(low) or math.isnan(high):
        return f"{scale * value:,.{digits}f} {TOO_FEW}"
    return f"{scale * value:,.{digits}f} ±{scale * (high - low) / 2:.{digits}f}"


def counted(count: int, thing: str) -> str:
    """Return "1 game", "2,000 games"."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def interval_words(row: Row, name: str, digits: int, *, share: bool = False) -> str:
    """Return "value (95% interval low to high)" for a sentence."""
    text = with_interval(row, name, digits, share=share)
    return text.replace(" [", " (95% interval ").replace(", ", " to ").replace("]", ")")


def signed(value: float, digits: int) -> str:
    """Return a difference with its sign, or "no data"."""
    return NO_DATA if math.isnan(value) else f"{value:+,.{digits}f}"


def about(count: float) -> str:
    """Return a number of games with two digits that count: "about 12,000"; "more than can be played" where infinite."""
    if math.isnan(count):
        return NO_DATA
    if math.isinf(count):
        return "more than can be played"
    step = 10 ** max(0, len(str(int(count))) - 2)
    return f"about {math.ceil(count / step) * step:,}"


def p_value(p: float) -> str:
    """Return a p-value, never as 0; "no test" where there was none."""
    if math.isnan(p):
        return "no test"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_words(p: float) -> str:
    """Return "p < 0.001" or "p = 0.012" for a sentence."""
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def listed(names: list[str]) -> str:
    """Return "a, b and c"."""
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part) if names else "none"
