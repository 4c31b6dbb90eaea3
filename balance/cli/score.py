"""`balance score`: what one city of Quadropolis scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from balance.cli.progress import announce_compiling

if TYPE_CHECKING:
    import pandas as pd

    from balance.studies.score import CityScore

EXAMPLES = """
\b
Examples:
  balance score classic-59
  balance score expert-services --json
"""

HOW_TO_READ = (
    "Own VP: what is given jointly is split among those who earned it; with the leftovers it adds up to the score.",
    "Marginal VP: the score less that of the same city without the building. No inhabitants or energy are taken away "
    "with it, as the file does not say what each tile gave.",
)


@click.command(epilog=EXAMPLES)
@click.argument("city")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, unrounded.")
def score(city: str, *, as_json: bool) -> None:
    """Score a city of Quadropolis by rule and by tile, activated in the best way.

    CITY is the name of a packaged city, or a file such as my-city.toml (see the README).
    """
    from balance.scenario.cities import load_city
    from balance.studies.score import is_ready, score_city

    loaded = load_city(city)
    announce_compiling(is_compiled=is_ready())
    scored = score_city(loaded)
    if as_json:
        click.echo(json.dumps(_data(scored), indent=1))
    else:
        _print(scored)


def _data(scored: CityScore) -> dict[str, Any]:
    """Return all that is known as plain data."""
    from balance.report.export import records

    city = scored.city
    return {
        "city": city.source,
        "scenario": city.scenario.title,
        "inhabitants": city.inhabitants,
        "energy": city.energy,
        "total": scored.total,
        "rules": {rule: int(vp) for rule, vp in scored.by_rule["vp"].items()},
        "tiles": records(scored.by_tile),
        "unused": {"inhabitants": scored.unused_inhabitants, "energy": scored.unused_energy},
        "remarks": city.remarks,
    }


def _print(scored: CityScore) -> None:
    """Print the city as a grid, its score by rule and by tile, and what has no use."""
    from rich.text import Text

    from balance.games.quadropolis.show import city_lines
    from balance.report.export import records
    from balance.report.terminal import console, print_table

    out, city = console(), scored.city
    means = f"{city.inhabitants} inhabitants and {city.energy} energy"
    name = Path(city.source).stem
    out.print(Text(f"{name}: {scored.total} points in {city.scenario.title}, with {means}.", style="bold"))
    for remark in city.remarks:
        out.print(Text(f"Note: {remark}.", style="yellow"))
    spaces = [{**tile, "space": [tile["row"], tile["column"]]} for tile in records(scored.by_tile)]
    out.print(Text("\n".join(city_lines(spaces, city.scenario.city.rows, city.scenario.city.columns))))
    out.print(
        Text("Towers with their floors, Shops with their customers, inactive buildings in parentheses.", style="dim")
    )
    for table in (_rules_shown(scored), _tiles_shown(scored.by_tile)):
        out.print()
        print_table(table, out)
    out.print(f"\nWithout a use: {scored.unused_inhabitants} inhabitants and {scored.unused_energy} energy.")
    for line in HOW_TO_READ:
        out.print(Text(line, style="dim"))


def _rules_shown(scored: CityScore) -> pd.DataFrame:
    """Return the rules that score, as cells."""
    import pandas as pd

    points = scored.by_rule["vp"]
    rows = [(_words(str(rule)), str(vp)) for rule, vp in points.items() if vp != 0]
    return pd.DataFrame([*rows, ("Score", str(scored.total))], columns=["Rule", "VP"])


def _tiles_shown(tiles: pd.DataFrame) -> pd.DataFrame:
    """Return the tiles as cells."""
    import pandas as pd

    is_shop = tiles["building"] == "shop"
    return pd.DataFrame(
        {
            "Building": [_words(building) for building in tiles["building"]],
            "Row": tiles.index.get_level_values("row"),
            "Column": tiles.index.get_level_values("column"),
            "Floors": tiles["floors"].to_numpy(),
            "Customers": tiles["customers"].astype(str).where(is_shop, "-").to_numpy(),
            "Active": ["yes" if active else "no" for active in tiles["active"]],
            "Printed VP": tiles["printed_vp"].to_numpy(),
            "Own VP": [f"{vp:.2f}" for vp in tiles["own_vp"]],
            "Marginal VP": tiles["marginal_vp"].to_numpy(),
        }
    )


def _words(name: str) -> str:
    from balance.scenario.describe import tile_name

    return tile_name(name).replace(" vp", " VP")
