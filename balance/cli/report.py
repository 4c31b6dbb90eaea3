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
    from balance.report.sections import sections
    from balance.studies.run import read_run

    finished = read_run(run_folder)
    written = write_report(finished, run_folder, sections(finished))
    for path in written:
        click.echo(str(path))
