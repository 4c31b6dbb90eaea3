"""`balance report`: charts, tables and one HTML page of a run."""

from __future__ import annotations

from pathlib import Path

import click

from balance.cli.options import folder_argument

EXAMPLES = """
\b
Example:
  balance run city-services --out reports/first
  balance report reports/first
"""


@click.command(epilog=EXAMPLES)
@folder_argument
def report(run_folder: Path) -> None:
    """Write report.html, charts/*.png and tables/*.csv into the folder of RUN."""
    from balance.report.html import write_report
    from balance.report.run import run_document
    from balance.studies.run import read_run

    written = write_report(run_document(read_run(run_folder)), run_folder)
    for path in written:
        click.echo(str(path))
