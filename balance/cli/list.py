"""`balance list`: the packaged scenarios."""

from __future__ import annotations

from typing import Any

import click

from balance.cli.options import chosen_format, format_options


@click.command("list", epilog="\b\nExample:\n  balance list\n")
@format_options
def list_scenarios(**flags: Any) -> None:
    """List the packaged scenarios."""
    import pandas as pd

    from balance.report.export import print_as
    from balance.scenario.load import load_scenario, scenario_names

    output = chosen_format(flags)
    scenarios = {name: load_scenario(name) for name in scenario_names()}
    table = pd.DataFrame(
        {
            "title": [scenario.title for scenario in scenarios.values()],
            "players": [scenario.players for scenario in scenarios.values()],
            "tiles": [len(scenario.names) for scenario in scenarios.values()],
            "description": [scenario.description for scenario in scenarios.values()],
        },
        index=pd.Index(scenarios, name="scenario"),
    )
    print_as(table, output)
