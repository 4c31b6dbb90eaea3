"""What a search aims at, and what it must keep: by name, on the measures of a run."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from balance.errors import InputError, nearest
from balance.scenario.load import Scenario
from balance.stats.estimates import Estimate, Floats

DEFAULT_KEEP = 0.2
"""The mean score is kept within so much of the base's."""

_KEEP = re.compile(r"(?P<key>[a-z0-9_.]+)=(?P<centre>-?\d+(\.\d+)?)\+-(?P<tolerance>\d+(\.\d+)?)")
_TARGET = re.compile(r"target:(?P<key>[a-z0-9_.]+)=(?P<value>-?\d+(\.\d+)?)")
NAMES = ("even-services", "even-tiles", "even-seats", "target:MEASURE=VALUE")


@dataclass(frozen=True)
class Objective:
    """What is made as small as possible.

    Attributes
    ----------
    name : str
        As written.
    key : str
        The measure.
    parts : tuple of str
        The measures that it is made of: of each tile, if tiles are to be even.
    target : float or None
        The distance from it, where one is given.
    """

    name: str
    key: str
    parts: tuple[str, ...]
    target: float | None = None

    def of(self, measure: Estimate) -> Estimate:
        """Return the objective from its measure."""
        return Estimate(self._of(measure.value), self._of(measure.replicates))

    def _of(self, measure: Floats) -> Floats:
        return measure if self.target is None else np.abs(measure - self.target)

    def of_parts(self, parts: Floats) -> Floats:
        """Return about what the objective is, from the values (..., parts) that it is made of."""
        if len(self.parts) == 1:
            return self._of(parts[..., 0])
        with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of fewer than two tiles that are known
            relative: Floats = np.nanstd(parts, axis=-1, ddof=1) / np.nanmean(parts, axis=-1)
        return relative


@dataclass(frozen=True)
class Constraint:
    """A measure that stays within a tolerance."""

    key: str
    centre: float
    tolerance: float

    def __str__(self) -> str:
        return f"{self.key}={self.centre:g}+-{self.tolerance:g}"

    def is_broken(self, measure: Estimate) -> bool:
        """Tell whether a measure lies outside, by its value."""
        return bool(self.is_outside(measure.value)[0])

    def is_outside(self, values: Floats) -> NDArray[np.bool_]:
        """Tell of each value whether it lies outside; one that is not known does."""
        return ~(np.abs(values - self.centre) <= self.tolerance)

    def is_surely_broken(self, measure: Estimate) -> bool:
        """Tell whether the whole 95% interval of a measure lies outside; where there is none, nothing is sure."""
        low, high = measure.interval()
        return bool(high[0] < self.centre - self.tolerance or low[0] > self.centre + self.tolerance)


def parse_objective(text: str, scenario: Scenario, keys: Sequence[str]) -> Objective:
    """Read an objective.

    Parameters
    ----------
    text : str
        even-services, even-tiles, even-seats, or target:MEASURE=VALUE.
    scenario : Scenario
    keys : sequence of str
        The measures of the game.

    Raises
    ------
    InputError
        If it is unknown, or the game does not have it.
    """
    if text == "even-seats":
        return Objective(text, "seats.win_share.sd", ("seats.win_share.sd",))
    if text in ("even-services", "even-tiles"):
        pool = (
            "services"
            if text == "even-services"
            else next((name for name, tiles in scenario.pools.items() if name != "services" and tiles), "")
        )
        measure = "own_vp" if pool == "services" else "marginal_vp"
        key = f"tiles.{pool}.{measure}.cv"
        if key not in keys:
            other = "even-services" if scenario.game == "city-services" else "even-tiles"
            raise InputError(f"--objective {text}: {scenario.title} has no such tiles", f"Its tiles: {other}.")
        return Objective(text, key, tuple(f"tiles.{tile}.{measure}" for tile in scenario.pools[pool]))
    found = _TARGET.fullmatch(text)
    if not found:
        raise InputError(f"--objective {text}: unknown objective", nearest(text, NAMES))
    _check_key("--objective", text, found["key"], keys)
    return Objective(text, found["key"], (found["key"],), float(found["value"]))


def parse_keep(text: str, keys: Sequence[str]) -> Constraint:
    """Read what must be kept, such as "score.mean=50+-10".

    Raises
    ------
    InputError
        If it is not of that form, or the measure unknown.
    """
    found = _KEEP.fullmatch(text.strip())
    if not found:
        raise InputError(f"--keep {text}: not of the form MEASURE=VALUE+-TOLERANCE", "For example score.mean=50+-10")
    _check_key("--keep", text, found["key"], keys)
    return Constraint(found["key"], float(found["centre"]), float(found["tolerance"]))


def _check_key(option: str, text: str, key: str, keys: Sequence[str]) -> None:
    if key not in keys:
        raise InputError(f"{option} {text}: this game has no measure {key}", nearest(key, keys))
