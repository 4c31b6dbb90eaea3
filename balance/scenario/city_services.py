"""The scenario of City Services: its values, and what makes them a playable game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from balance.errors import nearest
from balance.scenario.fields import EXTRA, READING, Section, value

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=30)]

LARGEST_BOARD = 16
MOST_COPIES = 256
MOST_TYPES = 60
LARGEST_CUP = 1024


class Board(Section):
    size: int = value("The Board", ge=2, le=LARGEST_BOARD)

    @model_validator(mode="after")
    def is_even(self) -> Board:
        if self.size % 2:
            raise ValueError(f"size {self.size} is odd: only an even board has four centre squares")
        return self


class Start(Section):
    zones: int = value("Setup", ge=0, le=20)
    services: int = value("Setup", ge=0, le=20)


class Turn(Section):
    draw_zones: int = value("Plan Phase", ge=0, le=20)
    draw_services: int = value("Plan Phase", ge=0, le=20)
    place_zones: int = value("Build Phase", ge=0, le=20)
    place_services: int = value("Build Phase", ge=0, le=20)


class Zone(Section):
    count: int = value("The Zone Set", ge=0, le=MOST_COPIES)


class Service(Section):
    count: int = value("The Service Set", ge=0, le=MOST_COPIES)
    range: int = value("The Service Set", ge=1, le=LARGEST_BOARD - 1)
    vp_per_zone: int = value("Revenue Phase", default=1, ge=0, le=100)
    printed_vp: int = value("balance", EXTRA, default=0, ge=0, le=100)


class Placement(Section):
    first_tile_in_centre: bool = value("Build Phase", off=False)
    beside_a_tile: bool = value("Build Phase", off=False)
    both_ways: bool = value("Placement Limits", READING, off=False)
    forbidden_beside: dict[Name, list[Name]] = value("Placement Limits", off=[])


class RevenueRules(Section):
    coverage: Literal["everyone", "own", "off"] = value("Revenue Phase", READING, off="off")
    covers_later_zones: bool = value("Revenue Phase", READING, off=False)
    diagonal_ranges: bool = value("Revenue Phase", off=False)
    never_score: dict[Name, list[Name]] = value("Scoring Limits", off=[])


class Seats(Section):
    handicap: Annotated[list[Annotated[int, Field(ge=0, le=1000)]], Field(min_length=4, max_length=4)] = value(
        "balance", EXTRA
    )


class Experiments(Section):
    withheld: Literal["blank", "keep"] = value("balance", READING)


class CityServices(Section):
    """A scenario of City Services, checked."""

    game: Literal["city-services"]
    title: str
    description: str = ""
    players: int = value("Introduction", ge=2, le=4)
    board: Board
    start: Start
    turn: Turn
    zones: dict[Name, Zone]
    services: dict[Name, Service]
    placement: Placement
    revenue: RevenueRules
    seats: Seats
    experiments: Experiments

    @property
    def tiles(self) -> list[str]:
        """All tile types, Zones first."""
        return [*self.zones, *self.services]

    @property
    def names(self) -> list[str]:
        """What a policy, or --without, can name: the tiles."""
        return self.tiles

    @property
    def incomplete(self) -> str:
        """What a scenario of its own lacks; "" for nothing."""
        return ""

    def leaving_out(self, tile: str) -> list[str]:
        """Return the changes that leave a tile out of the game."""
        return [f"{'zones' if tile in self.zones else 'services'}.{tile}.count=0"]

    @property
    def pools(self) -> dict[str, list[str]]:
        """Tiles that are compared with each other: the Services that are in the cup."""
        return {"services": [name for name, service in self.services.items() if service.count]}

    def problem_of_withholding(self, tiles: Sequence[str]) -> tuple[str, str]:
        """Say why a policy cannot withhold tiles, and what to do: blanks are Services (rules: Experiments)."""
        zones = [tile for tile in tiles if tile in self.zones]
        if not zones or self.experiments.withheld != "blank":
            return "", ""
        return (
            f"{zones[0]} is a Zone, and only Services can be placed blank",
            "Add --set experiments.withheld=keep to let the policy keep such tiles in hand.",
        )

    @property
    def tile_total(self) -> int:
        """Tiles in both cups before the deal."""
        return self.zone_total + self.service_total

    @property
    def zone_total(self) -> int:
        """Zones in their cup before the deal."""
        return sum(zone.count for zone in self.zones.values())

    @property
    def service_total(self) -> int:
        """Services in their cup before the deal."""
        return sum(service.count for service in self.services.values())

    @property
    def remarks(self) -> list[str]:
        """What is unusual, but allowed."""
        squares = self.board.size**2
        if self.tile_total <= squares:
            return []
        spare = self.tile_total - squares
        return [f"{self.tile_total} tiles, but only {squares} squares: at least {spare} tiles will be left unplaced"]

    @model_validator(mode="after")
    def is_playable(self) -> CityServices:
        for problem in self._problems():
            raise ValueError(problem)
        return self

    def _problems(self) -> Iterator[str]:
        if self.tile_total == 0:
            yield "there are no tiles at all: every count is 0"
        if len(self.tiles) > MOST_TYPES:
            yield f"{len(self.tiles)} tile types, but at most {MOST_TYPES} are possible"
        for name in set(self.zones) & set(self.services):
            yield f"{name} is both a Zone and a Service"
        yield from self._drawing_problems()
        for name, service in self.services.items():
            if service.range >= self.board.size:
                yield (
                    f"services.{name}.range = {service.range} reaches beyond the board: "
                    f"at most {self.board.size - 1} on a board of {self.board.size} x {self.board.size}"
                )
        yield from self._table_problems("placement.forbidden_beside", self.placement.forbidden_beside, self.tiles)
        yield from self._table_problems("revenue.never_score", self.revenue.never_score, list(self.zones))
        for name in self.revenue.never_score:
            if name not in self.services:
                yield f"revenue.never_score.{name}: {name} is not a Service. {nearest(name, self.services)}"

    def _drawing_problems(self) -> Iterator[str]:
        kinds = (
            ("zones", self.zone_total, self.turn.draw_zones),
            ("services", self.service_total, self.turn.draw_services),
        )
        for kind, total, drawn in kinds:
            if total > LARGEST_CUP:
                yield f"{total} {kind}: at most {LARGEST_CUP} fit into a cup"
            if total and not drawn:
                yield f"turn.draw_{kind} = 0, but there are {total} {kind}: their cup would never be empty"

    def _table_problems(self, key: str, table: dict[str, list[str]], targets: list[str]) -> Iterator[str]:
        for name, others in table.items():
            if name not in self.tiles:
                yield f"{key}.{name}: {name} is not a tile of this scenario. {nearest(name, self.tiles)}"
            for other in others:
                if other not in targets:
                    yield f'{key}.{name} = "{other}": not a tile that can stand here. {nearest(other, targets)}'
