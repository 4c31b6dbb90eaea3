"""`balance show`: what a scenario resolves to."""

from __future__ import annotations

from typing import Any

import click

from balance.cli.options import chosen_format, format_options, scenario_options

EXAMPLES = """
\b
Examples:
  balance show city-services
  balance show city-services --set services.police.range=4 --json
  balance show my-variant.toml
"""


@click.command(epilog=EXAMPLES)
@scenario_options
@format_options
def show(scenario: str, changes: tuple[str, ...], without: tuple[str, ...], **flags: Any) -> None:
    """Show every value of SCENARIO: its source, our confidence, and what switches a rule off."""
    from balance.report.export import print_as
    from balance.scenario.describe import values_table
    from balance.scenario.load import load_scenario

    output = chosen_format(flags)
    loaded = load_scenario(scenario, changes=changes, without=without)
    if output is None:
        click.echo(f"{loaded.title}. {loaded.description}")
        for remark in loaded.remarks:
            click.echo(f"Note: {remark}")
    print_as(values_table(loaded), output)
