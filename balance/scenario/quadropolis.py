"""The scenario of Quadropolis: its values, and what makes them a playable game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from balance.games.quadropolis.components import (
    CUSTOMERS,
    DISTRICTS,
    FIRST_OF_POOL,
    FLOORS,
    GROUPS,
    KINDS,
    NEIGHBOURS,
    NUMBERS,
    POOL,
    ROUNDS,
    SPACES,
    SQUARES,
    VISIBLE,
    Building,
)
from balance.scenario.fields import EXTRA, GUESS, LIKELY, Section, value

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=30)]
BuildingName = Literal["tower_block", "shop", "public_service", "park", "factory", "harbor", "office_tower", "monument"]
BASE_BUILDINGS = [building.name.lower() for building in Building if building < Building.BLANK]
POOL_BUILDINGS = [building.name.lower() for building in Building if building >= FIRST_OF_POOL]
MARKS = {"M": 2, "-": 2, "a": 3, "b": 4}
"""From how many players on a tile with this mark lies face up."""

MOST_PER_ROUND = 16

VP = Annotated[int, Field(ge=0, le=100)]
Resource = Annotated[int, Field(ge=0, le=9)]


class City(Section):
    districts: list[str] = value("1. Components", min_length=2, max_length=6)
    numbers: list[str] = value("1. Components", max_length=6)
    match: Literal["row or column", "district or number"] = value("2. Round and turn", LIKELY)
    highest_tower_block: int = value("2. Round and turn", ge=1, le=FLOORS)
    highest_office_tower: int = value("2. Round and turn", ge=1, le=FLOORS)

    @property
    def rows(self) -> int:
        """Rows of spaces."""
        return len(self.districts)

    @property
    def columns(self) -> int:
        """Columns of spaces."""
        return len(self.districts[0])

    @model_validator(mode="after")
    def is_rectangle(self) -> City:
        for name, rows in (("districts", self.districts), ("numbers", self.numbers)):
            for row in rows:
                if len(row) != self.columns or not row.isdigit():
                    raise ValueError(f'{name}: "{row}" is not a row of {self.columns} digits')
        if self.columns < 2 or self.rows * self.columns > SPACES:
            raise ValueError(f"{self.rows} x {self.columns} spaces: a city has 2 x 2 to {SPACES}")
        if self.match == "district or number" and len(self.numbers) != self.rows:
            raise ValueError(f'match = "{self.match}" needs numbers for {self.rows} rows, not {len(self.numbers)}')
        return self


class Site(Section):
    size: Literal[5] = value("1. Components")
    architects: Literal["own", "shared"] = value("1. Components", LIKELY)
    highest_architect: int = value("1. Components", ge=1, le=NUMBERS - 1)
    placements: int = value("1. Components", ge=1, le=8)
    urbanist: bool = value("2. Round and turn", off=False)
    mayor: bool = value("2. Round and turn", LIKELY, off=False)


class Tile(Section):
    building: BuildingName = value("1. Components")
    inhabitants: Resource = value("1. Components", default=0)
    energy: Resource = value("1. Components", default=0)
    printed_vp: VP = value("1. Components", default=0)
    rounds: list[Annotated[str, StringConstraints(pattern=r"^[M\-ab]*$", max_length=SQUARES)]] = value(
        "1. Components", GUESS
    )


class Cost(Section):
    inhabitants: Resource = value("3. Activation", default=0, off=0)
    energy: Resource = value("3. Activation", default=0, off=0)


class Costs(Section):
    tower_block: Cost
    shop: Cost
    public_service: Cost
    park: Cost
    factory: Cost
    harbor: Cost
    office_tower: Cost
    monument: Cost


Table = Annotated[list[VP], Field(min_length=1, max_length=16)]


class Score(Section):
    tower_block: Table = value("4. Scoring", off=[0])
    shop: Annotated[list[VP], Field(min_length=1, max_length=CUSTOMERS)] = value("4. Scoring", off=[0])
    districts: Annotated[list[VP], Field(min_length=1, max_length=DISTRICTS)] = value("4. Scoring", off=[0])
    park: Annotated[list[VP], Field(min_length=1, max_length=NEIGHBOURS)] = value("4. Scoring", off=[0])
    factory_per_shop: VP = value("4. Scoring", off=0)
    factory_per_harbor: VP = value("4. Scoring", off=0)
    factory_per_office_tower: VP = value("4. Scoring", off=0)
    harbor_row: Table = value("4. Scoring", off=[0])
    harbor_column: Table = value("4. Scoring", off=[0])
    monument_per_park: VP = value("4. Scoring", off=0)
    monument_per_shop: VP = value("4. Scoring", off=0)
    monument_per_public_service: VP = value("4. Scoring", off=0)
    monument_per_factory: int = value("4. Scoring", off=0, ge=-100, le=0)
    monument_per_harbor: int = value("4. Scoring", off=0, ge=-100, le=0)
    office_tower: Annotated[list[Table], Field(min_length=1, max_length=GROUPS)] = value("4. Scoring", off=[[0]])
    leftover_inhabitant: int = value("3. Activation", off=0, ge=-100, le=0)
    leftover_energy: int = value("3. Activation", off=0, ge=-100, le=0)
    park_absorbs: Resource = value("3. Activation", off=0)

    @field_validator("tower_block", "shop", "districts", "park", "harbor_row", "harbor_column")
    @classmethod
    def never_sinks(cls, table: list[int]) -> list[int]:
        if sorted(table) != table:
            raise ValueError("a score table never sinks from one entry to the next")
        return table

    @field_validator("office_tower")
    @classmethod
    def never_sinks_by_size(cls, table: list[list[int]]) -> list[list[int]]:
        lines = [*table, *zip(*table, strict=False)]
        if len({len(row) for row in table}) > 1 or any(sorted(line) != list(line) for line in lines):
            raise ValueError("rows of equal length that sink neither by floors nor by size of the group are needed")
        return table


class PublicServices(Section):
    visible: int = value("Setup, rulebook", off=0, ge=0, le=VISIBLE)
    bridges: bool = value("5. Public Services", GUESS, off=False)
    tv_counts_inactive: bool = value("5. Public Services", GUESS, off=False)
    planning_counts_inactive: bool = value("3. Activation", GUESS)


class PoolTile(Section):
    count: int = value("rulebook", default=1, ge=0, le=POOL)
    inhabitants: Resource = value("5. Public Services", GUESS, default=0)
    energy: Resource = value("balance", EXTRA, default=0)
    gives_inhabitants: Resource = value("rulebook", default=0)
    gives_energy: Resource = value("rulebook", default=0)
    printed_vp: VP = value("balance", EXTRA, default=0)
    vp: VP = value("rulebook", default=0, off=0)


class CityPlanning(PoolTile):
    vp_full_city: VP = value("rulebook", off=0)


class PoliceStation(PoolTile):
    counts_office_towers: bool = value("rulebook")


class ReprocessingPlant(PoolTile):
    energy_per_vp: int = value("rulebook", ge=1, le=9)


class TvStation(PoolTile):
    inhabitants_per_shop: int = value("rulebook", ge=0, le=2, off=0)


class Pool(Section):
    city_hall: PoolTile
    customs_office: PoolTile
    city_planning: CityPlanning
    electric_utility: PoolTile
    fire_station: PoolTile
    maternity_ward: PoolTile
    park_district: PoolTile
    police_station: PoliceStation
    reprocessing_plant: ReprocessingPlant
    school: PoolTile
    tv_station: TvStation
    capitol: PoolTile
    congress_center: PoolTile


class Seats(Section):
    handicap: Annotated[list[Annotated[int, Field(ge=0, le=1000)]], Field(min_length=4, max_length=4)] = value(
        "balance", EXTRA
    )


class Quadropolis(Section):
    """A scenario of Quadropolis, checked."""

    game: Literal["quadropolis"]
    title: str
    description: str = ""
    players: int = value("2. Round and turn", ge=2, le=4)
    city: City
    site: Site
    tiles: dict[Name, Tile]
    cost: Costs
    score: Score
    public_services: PublicServices
    pool: Pool
    seats: Seats

    @property
    def rounds(self) -> int:
        """Rounds of a game."""
        return max((len(tile.rounds) for tile in self.tiles.values()), default=0)

    @property
    def tiles_of_pool(self) -> dict[str, PoolTile]:
        """The tiles of the expansion that are in play, by name."""
        if not self.public_services.visible:
            return {}
        return {name: tile for name in POOL_BUILDINGS if (tile := getattr(self.pool, name)).count}

    @property
    def buildings(self) -> list[str]:
        """All buildings that can come into a city: those of the site, then those of the pool."""
        there = {tile.building for tile in self.tiles.values() if any(tile.rounds)}
        return [*(name for name in BASE_BUILDINGS if name in there), *self.tiles_of_pool]

    @property
    def names(self) -> list[str]:
        """What a policy, or --without, can name: the buildings."""
        return self.buildings

    @property
    def remarks(self) -> list[str]:
        """What is unusual, but allowed."""
        remarks = []
        for number in range(self.rounds):
            tiles = self.tiles_of_round(number)
            if tiles < SQUARES:
                empty = SQUARES - tiles
                remarks.append(
                    f"round {number + 1} has {tiles} tiles: {empty} squares of the Construction Site stay empty"
                )
        copies = sum(tile.count for tile in self.tiles_of_pool.values())
        if self.public_services.visible and copies < self.public_services.visible:
            remarks.append(f"the pool has {copies} tiles, fewer than the {self.public_services.visible} to reveal")
        return remarks

    def tiles_of_round(self, number: int) -> int:
        """Return how many tiles a round has."""
        return sum(len(tile.rounds[number]) for tile in self.tiles.values())

    @model_validator(mode="after")
    def is_playable(self) -> Quadropolis:
        for problem in self._problems():
            raise ValueError(problem)
        return self

    def _problems(self) -> Iterator[str]:
        if not 1 <= self.rounds <= ROUNDS:
            yield f"{self.rounds} rounds: a game has 1 to {ROUNDS}"
        for name, tile in self.tiles.items():
            if len(tile.rounds) != self.rounds:
                yield f"tiles.{name}.rounds has {len(tile.rounds)} rounds, others have {self.rounds}"
        if len(self.tiles) + len(POOL_BUILDINGS) > KINDS:
            yield f"{len(self.tiles)} kinds of tiles: at most {KINDS - len(POOL_BUILDINGS)} are possible"
        for number in range(self.rounds):
            yield from self._round_problems(number)
        yield from self._architect_problems()
        copies = sum(tile.count for tile in self.tiles_of_pool.values())
        if copies > POOL:
            yield f"{copies} tiles in the pool: at most {POOL} are possible"

    def _round_problems(self, number: int) -> Iterator[str]:
        tiles = self.tiles_of_round(number)
        if tiles > SQUARES:
            yield f"round {number + 1} has {tiles} tiles, {tiles - SQUARES} more than the {SQUARES} squares"
        marks = Counter("".join(tile.rounds[number] for tile in self.tiles.values()))
        if marks["M"] > 1:
            yield f"round {number + 1} has {marks['M']} tiles with the Mayor icon: at most one is possible"

    def _architect_problems(self) -> Iterator[str]:
        site = self.site
        if 4 * site.placements > MOST_PER_ROUND:
            yield (
                f"site.placements = {site.placements}: 4 players would place {4 * site.placements} Architects a round, "
                f"but with more than {MOST_PER_ROUND} there may be no free slot left"
            )
        if site.placements > site.highest_architect:
            yield (
                f"site.placements = {site.placements}: each player has only {site.highest_architect} Architects "
                f"(site.highest_architect)"
            )

    @property
    def incomplete(self) -> str:
        """What a scenario of its own lacks: each round adds up to 25 tiles; "" for nothing."""
        for number in range(self.rounds):
            tiles = self.tiles_of_round(number)
            if tiles < SQUARES:
                return f"round {number + 1} has {tiles} tiles, {SQUARES - tiles} fewer than the {SQUARES} squares"
        return ""

    @property
    def pools(self) -> dict[str, list[str]]:
        """Tiles that are compared with each other: the expansion's, which come first, and those of the base game."""
        pool = list(self.tiles_of_pool)
        return {"expansion": pool, "base": [name for name in self.buildings if name not in pool]}

    def problem_of_withholding(self, tiles: Sequence[str]) -> tuple[str, str]:  # noqa: ARG002 (any can be)
        """Say why a policy cannot withhold tiles: it always can."""
        return "", ""

    def leaving_out(self, name: str) -> list[str]:
        """Return the changes that leave a building out of the game."""
        if name in POOL_BUILDINGS:
            return [f"pool.{name}.count=0"]
        kinds = [kind for kind, tile in self.tiles.items() if tile.building == name]
        return [f"tiles.{kind}.rounds={[''] * self.rounds}" for kind in kinds]
