"""From a scenario of Quadropolis to the arrays that its kernels read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from balance.games.luck import text_key
from balance.games.quadropolis.components import (
    BUILDINGS,
    DISTRICTS,
    FLOORS,
    NEIGHBOURS,
    NO_KIND,
    NUMBERS,
    SHARE,
    SPACES,
    SQUARES,
    Building,
    Rules,
)
from balance.games.record import Ints, Words, new_record
from balance.scenario.quadropolis import BASE_BUILDINGS, MARKS, POOL_BUILDINGS, Quadropolis


def quadropolis_rules(scenario: Quadropolis, players: int) -> Rules:
    """Return the rules of a scenario for a number of players.

    Parameters
    ----------
    scenario : Quadropolis
    players : int
        2 to 4; it decides which tiles lie face up.

    Returns
    -------
    Rules
    """
    return new_record(
        Rules,
        **_city(scenario),
        **_site(scenario, players),
        **_kinds(scenario),
        **_pool(scenario),
        **_activation(scenario),
        **_scoring(scenario),
        **_steps(scenario),
    )


def kind_names(scenario: Quadropolis) -> list[str]:
    """Return the names of all kinds of tiles in the order of their numbers: the site's, then the pool's."""
    return [*scenario.tiles, *POOL_BUILDINGS]


def _city(scenario: Quadropolis) -> dict[str, Any]:
    city = scenario.city
    rows, columns = city.rows, city.columns
    spaces = range(rows * columns)
    names = sorted(set("".join(city.districts)))
    district_of = [names.index(name) for name in "".join(city.districts)]
    most_floors = np.ones(BUILDINGS, dtype=np.int64)
    most_floors[Building.TOWER_BLOCK] = city.highest_tower_block
    most_floors[Building.OFFICE_TOWER] = city.highest_office_tower
    return {
        "rows": rows,
        "columns": columns,
        "spaces": len(spaces),
        "board": _mask(spaces),
        "first_column": _mask(space for space in spaces if space % columns == 0),
        "last_column": _mask(space for space in spaces if space % columns == columns - 1),
        "row": _masks([s for s in spaces if s // columns == row] for row in range(rows)),
        "column": _masks([s for s in spaces if s % columns == column] for column in range(columns)),
        "districts": len(names),
        "district": _masks([s for s in spaces if district_of[s] == number] for number in range(len(names))),
        "district_of": _ints(district_of),
        "neighbours": _masks(_beside(space, rows, columns) for space in spaces),
        "match": _masks(_matching(scenario, number) for number in range(NUMBERS)),
        "most_floors": most_floors,
    }


def _beside(space: int, rows: int, columns: int) -> list[int]:
    row, column = divmod(space, columns)
    beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * columns + c for r, c in beside if 0 <= r < rows and 0 <= c < columns]


def _matching(scenario: Quadropolis, number: int) -> list[int]:
    """Return the spaces where an Architect of a number builds (rules: Quadropolis, part 2)."""
    city = scenario.city
    spaces = range(city.rows * city.columns)
    if city.match == "row or column":
        return [s for s in spaces if number in (s // city.columns + 1, s % city.columns + 1)]
    digit = str(number)
    districts, numbers = "".join(city.districts), "".join(city.numbers)
    return [s for s in spaces if digit in (districts[s], numbers[s])]


def _site(scenario: Quadropolis, players: int) -> dict[str, Any]:
    site = scenario.site
    kinds = np.full((scenario.rounds, SQUARES), NO_KIND, dtype=np.int64)
    mayors = np.zeros((scenario.rounds, SQUARES), dtype=np.int64)
    keys = np.zeros((scenario.rounds, SQUARES), dtype=np.uint64)
    for number in range(scenario.rounds):
        square = 0
        for kind, (name, tile) in enumerate(scenario.tiles.items()):
            for copy, mark in enumerate(tile.rounds[number]):
                kinds[number, square] = kind if players >= MARKS[mark] else NO_KIND
                mayors[number, square] = mark == "M"
                keys[number, square] = text_key(f"{name} {copy}")
                square += 1
        for empty in range(square, SQUARES):
            keys[number, empty] = text_key(f"empty {empty}")
    return {
        "rounds": scenario.rounds,
        "placements": site.placements,
        "highest_architect": site.highest_architect,
        "architects_are_shared": site.architects == "shared",
        "has_urbanist": site.urbanist,
        "has_mayor": site.mayor,
        "site_kind": kinds,
        "site_mayor": mayors,
        "site_key": keys,
    }


def _kinds(scenario: Quadropolis) -> dict[str, Any]:
    tiles = list(scenario.tiles.values())
    pool = [getattr(scenario.pool, name) for name in POOL_BUILDINGS]
    buildings = [*(tile.building for tile in tiles), *POOL_BUILDINGS]
    return {
        "kinds": len(buildings),
        "building": _ints([Building[name.upper()] for name in buildings]),
        "is_standard": _ints([name == "public_service" for name in buildings]),
        "gives_inhabitants": _ints([tile.inhabitants for tile in tiles] + [tile.gives_inhabitants for tile in pool]),
        "gives_energy": _ints([tile.energy for tile in tiles] + [tile.gives_energy for tile in pool]),
        "printed_vp": _ints([tile.printed_vp for tile in [*tiles, *pool]]),
    }


def _pool(scenario: Quadropolis) -> dict[str, Any]:
    names = kind_names(scenario)
    copies = [(name, copy) for name, tile in scenario.tiles_of_pool.items() for copy in range(tile.count)]
    return {
        "visible": scenario.public_services.visible,
        "pool": len(copies),
        "pool_kind": _ints([names.index(name) for name, _ in copies]),
        "pool_key": np.array([text_key(f"pool {name} {copy}") for name, copy in copies], dtype=np.uint64),
    }


def _activation(scenario: Quadropolis) -> dict[str, Any]:
    score = scenario.score
    inhabitants, energy = np.zeros(BUILDINGS, dtype=np.int64), np.zeros(BUILDINGS, dtype=np.int64)
    for part, names in ((scenario.cost, BASE_BUILDINGS), (scenario.pool, POOL_BUILDINGS)):
        for name in names:
            inhabitants[Building[name.upper()]] = getattr(part, name).inhabitants
            energy[Building[name.upper()]] = getattr(part, name).energy
    counts_for_ties = inhabitants > 0
    counts_for_ties[Building.SHOP] = False
    return {
        "needs_inhabitants": inhabitants,
        "needs_energy": energy,
        "is_free": _ints((inhabitants == 0) & (energy == 0)),
        "counts_for_ties": _ints(counts_for_ties),
        "leftover_inhabitant": score.leftover_inhabitant,
        "leftover_energy": score.leftover_energy,
        "park_absorbs": score.park_absorbs,
        "energy_per_vp": scenario.pool.reprocessing_plant.energy_per_vp,
        "inhabitants_per_shop": scenario.pool.tv_station.inhabitants_per_shop,
        "tv_counts_inactive": scenario.public_services.tv_counts_inactive,
    }


def _scoring(scenario: Quadropolis) -> dict[str, Any]:
    score, pool = scenario.score, scenario.pool
    vp = np.zeros(BUILDINGS, dtype=np.int64)
    for name in POOL_BUILDINGS:
        vp[Building[name.upper()]] = getattr(pool, name).vp
    factory_per, monument_per = np.zeros(BUILDINGS, dtype=np.int64), np.zeros(BUILDINGS, dtype=np.int64)
    for name in ("shop", "harbor", "office_tower"):
        factory_per[Building[name.upper()]] = getattr(score, f"factory_per_{name}")
    for name in ("park", "shop", "factory", "harbor"):
        monument_per[Building[name.upper()]] = getattr(score, f"monument_per_{name}")
    monument_per[[Building.PUBLIC_SERVICE, *(Building[name.upper()] for name in POOL_BUILDINGS)]] = (
        score.monument_per_public_service
    )
    return {
        "tower_block": _from_one(score.tower_block, FLOORS),
        "customers": len(score.shop) - 1,
        "shop": _ints(score.shop),
        "shops": shops_table(score.shop),
        "by_districts": _from_one(score.districts, DISTRICTS),
        "park": _extended(score.park, NEIGHBOURS - 1),
        "factory_per": factory_per,
        "monument_per": monument_per,
        "harbor_row": _from_one(score.harbor_row, SPACES),
        "harbor_column": _from_one(score.harbor_column, SPACES),
        "group_sizes": len(score.office_tower),
        "office_tower": np.array([_from_one(row, FLOORS) for row in score.office_tower]),
        "vp": vp,
        "vp_full_city": pool.city_planning.vp_full_city,
        "police_counts_office_towers": pool.police_station.counts_office_towers,
        "bridges": scenario.public_services.bridges,
        "planning_counts_inactive": scenario.public_services.planning_counts_inactive,
        "handicap": _ints(scenario.seats.handicap),
    }


def shops_table(shop: Sequence[int]) -> Ints:
    """Return the most VP of so many Shops with so many customers in all, (shops, customers) from none."""
    customers = len(shop) - 1
    table = np.zeros((SPACES + 1, SPACES * customers + 1), dtype=np.int64)
    for shops in range(1, SPACES + 1):
        for people in range(shops * customers + 1):
            table[shops, people] = max(
                shop[here] + table[shops - 1, people - here]
                for here in range(min(customers, people) + 1)
                if people - here <= (shops - 1) * customers
            )
    return table


def _steps(scenario: Quadropolis) -> dict[str, Any]:
    """Return the most that one more thing adds, where a table says what there are in all (see `bounds`)."""
    score = scenario.score
    offices = np.array([_from_one(row, FLOORS) for row in score.office_tower])
    by_size, by_floor = np.diff(offices, axis=0), np.diff(offices, axis=1)
    return {
        "park_step": _steepest(_extended(score.park, NEIGHBOURS)),
        "district_step": _steepest(_from_one(score.districts, DISTRICTS)),
        "row_step": _line_steps(_from_one(score.harbor_row, SPACES), scenario.city.columns),
        "column_step": _line_steps(_from_one(score.harbor_column, SPACES), scenario.city.rows),
        "office_step": by_size.max(axis=0) if len(by_size) else np.zeros(FLOORS + 1, dtype=np.int64),
        "office_floor_step": by_floor.max(axis=0),
        "park_share": _shares(_extended(score.park, NEIGHBOURS - 1)),
        "district_share": _shares(_from_one(score.districts, DISTRICTS)),
        "row_share": _line_shares(_from_one(score.harbor_row, SPACES), scenario.city.columns),
        "column_share": _line_shares(_from_one(score.harbor_column, SPACES), scenario.city.rows),
        "office_flattest": by_size.min(axis=0) if len(by_size) else np.zeros(FLOORS + 1, dtype=np.int64),
    }


def _shares(table: Ints) -> Ints:
    """Return the least that each of several dropped ones takes with it, by how many there are, and may be dropped."""
    return _line_shares(table, len(table) - 1)[:, 0]


def _line_shares(table: Ints, longest: int) -> Ints:
    """Return the same for a line of Harbors, by its length, that of the next longest, and how many may be dropped."""
    shares = np.zeros((longest + 1, longest + 1, longest + 1), dtype=np.int64)
    for length in range(1, longest + 1):
        for other in range(length + 1):
            each = [
                SHARE * int(table[length] - max(table[length - dropped], table[other])) // dropped
                for dropped in range(1, length + 1)
            ]
            shares[length, other, 1 : length + 1] = np.minimum.accumulate(each)
    return shares


def _steepest(table: Ints) -> Ints:
    """Return the largest step of a table up to each entry."""
    return np.maximum.accumulate(np.diff(table))


def _line_steps(table: Ints, longest: int) -> Ints:
    """Return the most that a Harbor adds with up to so many Harbors before it, and after it, in its line."""
    steps = np.zeros((longest, longest), dtype=np.int64)
    for before in range(longest):
        for after in range(longest - before):
            steps[before, after] = max(
                table[left + 1 + right] - table[max(left, right)]
                for left in range(before + 1)
                for right in range(after + 1)
            )
    return steps


def _ints(values: Iterable[int]) -> Ints:
    return np.array([int(number) for number in values], dtype=np.int64)


def _extended(table: Sequence[int], last: int) -> Ints:
    """Return a table from 0 up to an index; what lies beyond its end counts as its last entry."""
    return _ints(table[min(index, len(table) - 1)] for index in range(last + 1))


def _from_one(table: Sequence[int], last: int) -> Ints:
    """Return a table that starts at 1, with 0 for 0."""
    return _extended([0, *table], last)


def _mask(spaces: Iterable[int]) -> np.uint64:
    return np.uint64(sum(1 << space for space in spaces))


def _masks(rows: Iterable[Iterable[int]]) -> Words:
    return np.array([_mask(spaces) for spaces in rows], dtype=np.uint64)
