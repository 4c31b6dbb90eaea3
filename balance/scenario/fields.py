"""How a scenario's values are declared: with their source, our confidence and what switches them off."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

CERTAIN = "certain"
READING = "our reading"
LIKELY = "likely"
GUESS = "a guess"
EXTRA = "not in the printed game"


class Section(BaseModel):
    """A part of a scenario: unknown keys are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def value(source: str, confidence: str = CERTAIN, *, off: Any = None, **bounds: Any) -> Any:
    """Declare a scenario value.

    Parameters
    ----------
    source : str
        Where the value comes from, in the rulebook's words.
    confidence : str
        CERTAIN, READING or EXTRA.
    off : object, optional
        The value that switches the rule off; None where it is no rule that can be off.
    **bounds
        What `pydantic.Field` takes: `default`, `ge`, `le` and so on.
    """
    return Field(json_schema_extra={"source": source, "confidence": confidence, "off": off}, **bounds)
