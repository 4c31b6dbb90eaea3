"""A recorded game of Quadropolis, move by move: as data for a referee, and as text for people.

Cities are rebuilt from the recorded turns; a difference from what the kernel counted is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from balance.errors import BalanceError
from balance.games.quadropolis.components import NO_KIND, Building, Rules
from balance.games.quadropolis.construction_site import SIZE, Side
from balance.games.quadropolis.play import Line, Script
from balance.games.quadropolis.shares import Rule

Data = dict[str, Any]

CODES = {
    "tower_block": "T",
    "shop": "S",
    "public_service": "PS",
    "park": "P",
    "factory": "F",
    "harbor": "H",
    "office_tower": "O",
    "monument": "M",
    "city_hall": "CH",
    "customs_office": "CO",
    "city_planning": "CP",
    "electric_utility": "EU",
    "fire_station": "FS",
    "maternity_ward": "MW",
    "park_district": "PD",
    "police_station": "Po",
    "reprocessing_plant": "RP",
    "school": "Sc",
    "tv_station": "TV",
    "capitol": "Ca",
    "congress_center": "CC",
}
"""How buildings are written in the grid of a city."""

TOWERS = ("tower_block", "office_tower")
"""Buildings that are stacked."""

NO_TILE = "."
NO_BUILDING = "_"


@dataclass(frozen=True)
class Recording:
    """One game as the kernel played it.

    Attributes
    ----------
    script : Script
    policies : list of str
        By seat.
    scores, wins : list of int
        VP and twelfths of the win, by seat.
    """

    script: Script
    policies: list[str]
    scores: list[int]
    wins: list[int]


@dataclass
class City:
    """A city, rebuilt tile by tile: the kinds on each space from the ground up, and what they gave."""

    rules: Rules
    stacks: dict[int, list[int]] = field(default_factory=dict)
    inhabitants: int = 0
    energy: int = 0

    def build(self, kind: int, space: int) -> int:
        """Build a tile, take its resources, and return its floor."""
        stack = self.stacks.setdefault(space, [])
        stack.append(kind)
        self.inhabitants += int(self.rules.gives_inhabitants[kind])
        self.energy += int(self.rules.gives_energy[kind])
        return len(stack)


def replay_data(rules: Rules, names: Sequence[str], recording: Recording) -> Data:
    """Return a recorded game as data: rounds with site and turns, cities with their activation, scores.

    Parameters
    ----------
    rules : Rules
    names : sequence of str
        Of all kinds of tiles.
    recording : Recording

    Raises
    ------
    BalanceError
        If counting again gives another result than the kernel.
    """
    cities = [City(rules) for _ in recording.policies]
    rounds = [_round(number, names, cities, recording.script) for number in range(rules.rounds)]
    return {
        "policies": recording.policies,
        "rounds": rounds,
        "cities": [_city(seat, names, city, recording) for seat, city in enumerate(cities)],
        "scores": recording.scores,
        "win_shares": [wins / 12 for wins in recording.wins],
    }


def _round(number: int, names: Sequence[str], cities: Sequence[City], script: Script) -> Data:
    mayor, mayor_square = map(int, script.mayors[number])
    lines = enumerate(script.turns[: int(script.size[0])], 1)
    return {
        "round": number + 1,
        "mayor": mayor + 1,
        "site": [
            [_square(names, script.sites[number], mayor_square, row * SIZE + column) for column in range(SIZE)]
            for row in range(SIZE)
        ],
        "visible": [names[kind] for kind in script.visible[number] if kind != NO_KIND],
        "turns": [_turn(turn, names, cities, line) for turn, line in lines if line[Line.ROUND] == number],
    }


def _square(names: Sequence[str], site: np.ndarray, mayor_square: int, square: int) -> Data | None:
    """Describe a tile on the Construction Site; None for what is face down, or nothing."""
    if site[square] == NO_KIND:
        return None
    return {"tile": names[site[square]], "face_up": True, "mayor": square == mayor_square}


def _turn(turn: int, names: Sequence[str], cities: Sequence[City], line: np.ndarray) -> Data:
    city = cities[line[Line.SEAT]]
    is_built, floor, space = line[Line.BUILT] != NO_KIND, None, None
    if is_built:
        building = Building(city.rules.building[line[Line.BUILT]]).name.lower()
        new_floor = city.build(int(line[Line.BUILT]), int(line[Line.SPACE]))
        floor = new_floor if building in TOWERS else None
        space = _at(int(line[Line.SPACE]), city.rules.columns)
    if (city.inhabitants, city.energy) != (line[Line.INHABITANTS], line[Line.ENERGY]):
        raise BalanceError(f"The recount of what turn {turn} gives differs.", "Please report this.")
    slot = int(line[Line.SLOT])
    reached = line[Line.REACHED] != NO_KIND
    return {
        "turn": turn,
        "seat": int(line[Line.SEAT]) + 1,
        "architect": int(line[Line.NUMBER]),
        "slot": [Side(slot // SIZE).name.lower(), slot % SIZE + 1],
        "square": _at(int(line[Line.SQUARE]), SIZE),
        "tile": _name(names, line[Line.REACHED]),
        "outcome": "built" if is_built else "declined" if reached else "nothing",
        "built": _name(names, line[Line.BUILT]),
        "discarded": _name(names, line[Line.DISCARDED]),
        "space": space,
        "floor": floor,
        "inhabitants": city.inhabitants,
        "energy": city.energy,
        "score": int(line[Line.VALUE]),
    }


def _city(seat: int, names: Sequence[str], city: City, recording: Recording) -> Data:
    script = recording.script
    rules = {rule.name.lower(): int(script.rules[seat, rule]) for rule in Rule}
    score = recording.scores[seat] - int(city.rules.handicap[seat])
    if sum(rules.values()) != score:
        problem = f"The rules give the city of seat {seat + 1} {sum(rules.values())} points, the game {score}."
        raise BalanceError(problem, "Please report this.")
    return {
        "seat": seat + 1,
        "spaces": [_space(seat, space, names, city, script) for space in sorted(city.stacks)],
        "inhabitants": city.inhabitants,
        "energy": city.energy,
        "rules": rules,
        "score": score,
    }


def _space(seat: int, space: int, names: Sequence[str], city: City, script: Script) -> Data:
    kinds = city.stacks[space]
    return {
        "space": _at(space, city.rules.columns),
        "building": Building(city.rules.building[kinds[0]]).name.lower(),
        "tiles": [names[kind] for kind in kinds],
        "floors": len(kinds),
        "printed_vp": int(sum(city.rules.printed_vp[kind] for kind in kinds)),
        "active": bool(script.active[seat, space]),
        "customers": int(script.customers[seat, space]),
    }


def _at(place: int, columns: int) -> list[int]:
    return [int(place // columns) + 1, int(place % columns) + 1]


def _name(names: Sequence[str], kind: int) -> str | None:
    return None if kind == NO_KIND else names[kind]


def replay_text(data: Data) -> Iterator[str]:
    """Return a replay, with its scenario, as lines of text: each round's site and turns, cities, who wins."""
    codes = kind_codes(_names_on_site(data))
    districts = data["scenario"]["city"]["districts"]
    rows, columns = len(districts), len(districts[0])
    for number in data["rounds"]:
        yield ""
        yield f"Round {number['round']}, seat {number['mayor']} is Mayor."
        yield from _site_lines(number["site"], codes)
        if number["visible"]:
            yield f"Visible: {', '.join(number['visible'])}"
        for turn in number["turns"]:
            yield from _turn_lines(turn)
    for city, policy in zip(data["cities"], data["policies"], strict=True):
        yield ""
        yield f"City of seat {city['seat']} ({policy}), {_means_words(city)}:"
        yield from city_lines(city["spaces"], rows, columns)
        yield f"  {_score_words(city)}"
    yield ""
    yield f"Final scores: {' '.join(map(str, data['scores']))}"
    yield f"Shares of the win: {' '.join(f'{share:.3g}' for share in data['win_shares'])}"
    yield f"On the site, * is the Mayor icon, {NO_TILE} face down or empty: {_legend(codes)}"
    yield f"In cities, with floors or customers, inactive in parentheses: {_legend(_codes_in_cities(data))}"


def _names_on_site(data: Data) -> list[str]:
    squares = [square for number in data["rounds"] for row in number["site"] for square in row]
    return sorted({square["tile"] for square in squares if square is not None})


def _codes_in_cities(data: Data) -> dict[str, str]:
    buildings = {space["building"] for city in data["cities"] for space in city["spaces"]}
    return {name: code for name, code in CODES.items() if name in buildings}


def _legend(codes: dict[str, str]) -> str:
    return ", ".join(f"{code} {name}" for name, code in codes.items())


def kind_codes(names: Sequence[str]) -> dict[str, str]:
    """Return a short code for each kind of tile: its building's and initials, or as many letters as tell all apart."""
    longest = max(map(len, names), default=1)
    for letters in range(1, longest + 1):
        codes = [_kind_code(name, letters) for name in names]
        if len(set(codes)) == len(names):
            return dict(zip(names, codes, strict=True))
    return dict(zip(names, names, strict=True))


def _kind_code(name: str, letters: int) -> str:
    building = max((other for other in CODES if f"{name}_".startswith(f"{other}_")), key=len, default="")
    rest = name.removeprefix(building).split("_")
    return CODES.get(building, "") + "".join(word[:letters].upper() for word in rest)


def _site_lines(site: Sequence[Sequence[Data | None]], codes: dict[str, str]) -> Iterator[str]:
    cells = [[_square_code(square, codes) for square in row] for row in site]
    width = max(len(cell) for row in cells for cell in row) + 1
    yield "    " + "".join(f"{column + 1:<{width}}" for column in range(SIZE)).rstrip()
    for row, codes_of_row in enumerate(cells, 1):
        yield f"  {row} {''.join(f'{cell:<{width}}' for cell in codes_of_row)}".rstrip()


def _square_code(square: Data | None, codes: dict[str, str]) -> str:
    return NO_TILE if square is None else codes[square["tile"]] + "*" * square["mayor"]


def _turn_lines(turn: Data) -> Iterator[str]:
    side, position = turn["slot"]
    row, column = turn["square"]
    yield (
        f"Turn {turn['turn']}, seat {turn['seat']}: Architect {turn['architect']} on the {side}, slot {position}, "
        f"reaches row {row}, column {column}: {turn['tile'] or 'nothing there, or face down'}."
    )
    yield f"  {_outcome_words(turn)}. Then {_means_words(turn)}, city worth {turn['score']}."


def _outcome_words(turn: Data) -> str:
    if turn["outcome"] != "built":
        return "Declines it" if turn["outcome"] == "declined" else "Gets nothing"
    row, column = turn["space"]
    floor = f" as floor {turn['floor']}" if turn["floor"] else ""
    where = f"{floor} at row {row}, column {column}"
    if turn["built"] != turn["tile"]:
        return f"Discards it and builds {turn['built']}{where}"
    return f"Builds it{where}" + (f" and discards {turn['discarded']}" if turn["discarded"] else "")


def _means_words(of: Data) -> str:
    people = "inhabitant" if of["inhabitants"] == 1 else "inhabitants"
    return f"{of['inhabitants']} {people} and {of['energy']} energy"


def _score_words(city: Data) -> str:
    given = [f"{rule} {points}" for rule, points in city["rules"].items() if points]
    return f"{city['score']} points: {', '.join(given) or 'nothing scores'}"


def city_lines(spaces: Iterable[Data], rows: int, columns: int) -> list[str]:
    """Return a city as a grid of codes with floors or customers; what is inactive stands in parentheses.

    Parameters
    ----------
    spaces : iterable of dict
        As in `replay_data`.
    rows, columns : int
        Of the city.
    """
    cells = {tuple(space["space"]): _space_code(space) for space in spaces}
    width = max([1, *map(len, cells.values())]) + 1
    lines = ["    " + "".join(f"{column:<{width}}" for column in range(1, columns + 1)).rstrip()]
    for row in range(1, rows + 1):
        written = [cells.get((row, column), NO_BUILDING) for column in range(1, columns + 1)]
        lines.append(f"  {row} {''.join(f'{cell:<{width}}' for cell in written)}".rstrip())
    return lines


def _space_code(space: Data) -> str:
    code = CODES[space["building"]]
    if space["building"] in TOWERS:
        code += str(space["floors"])
    if space["building"] == "shop":
        code += str(space["customers"])
    if space["printed_vp"]:
        code += f"+{space['printed_vp']}"
    return code if space["active"] else f"({code})"
