"""A tile that is there but does nothing, for experiments (rules: Quadropolis, part 5, last point)."""

from __future__ import annotations

from balance.games.quadropolis.components import FIRST_OF_POOL, KINDS, Building, Rules
from balance.games.record import Ints, Record, shape
from balance.jit import njit, small


class Blanked(Record):
    """What the rules say of each kind while one building is blank."""

    building: Ints = shape(KINDS)
    gives_inhabitants: Ints = shape(KINDS)
    gives_energy: Ints = shape(KINDS)
    printed_vp: Ints = shape(KINDS)


@njit
def blank_building(rules: Rules, saved: Blanked, building: int) -> None:
    """Make an expansion tile a standard Public Service of 0 VP, and let a base tile count for nothing."""
    blank = Building.PUBLIC_SERVICE if building >= FIRST_OF_POOL else Building.BLANK
    for kind in range(rules.kinds):
        saved.building[kind] = rules.building[kind]
        saved.gives_inhabitants[kind] = rules.gives_inhabitants[kind]
        saved.gives_energy[kind] = rules.gives_energy[kind]
        saved.printed_vp[kind] = rules.printed_vp[kind]
        if rules.building[kind] == building:
            rules.building[kind] = blank
            _gives(rules, kind, 0, 0, 0)


@njit
def unblank(rules: Rules, saved: Blanked) -> None:
    """Undo `blank_building`."""
    for kind in range(rules.kinds):
        rules.building[kind] = saved.building[kind]
        _gives(rules, kind, saved.gives_inhabitants[kind], saved.gives_energy[kind], saved.printed_vp[kind])


@small
def _gives(rules: Rules, kind: int, inhabitants: int, energy: int, printed_vp: int) -> None:
    rules.gives_inhabitants[kind] = inhabitants
    rules.gives_energy[kind] = energy
    rules.printed_vp[kind] = printed_vp
