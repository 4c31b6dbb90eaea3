"""The command line: each command parses, makes one library call and prints.

Nothing heavy is imported before a command runs, so that `balance --help` answers at once.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import Any

import click

from balance.cli.ablate import ablate
from balance.cli.bench import bench
from balance.cli.calibrate import calibrate
from balance.cli.check import check
from balance.cli.compare import compare
from balance.cli.list import list_scenarios
from balance.cli.plan import plan
from balance.cli.price import price
from balance.cli.replay import replay
from balance.cli.report import report
from balance.cli.run import run
from balance.cli.score import score
from balance.cli.show import show
from balance.cli.sweep import sweep
from balance.cli.tune import tune
from balance.errors import BalanceError
from balance.runs.interrupts import stops_like_ctrl_c

INTERRUPTED = 130

# Starting is mostly importing, which makes objects but no garbage: looking for it cost a fifth of the time (measured).
gc.set_threshold(50_000, 20, 100)
atexit.register(gc.freeze)  # nor is there any use in taking every module apart at the end


class Commands(click.Group):
    """A group that shows every problem as one message, with its exit code."""

    def invoke(self, context: click.Context) -> Any:
        """Run a command; a `BalanceError` becomes a message on standard error."""
        with stops_like_ctrl_c():
            return self._invoke(context)

    def _invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except BalanceError as error:
            _say(f"Error: {error}")
            context.exit(error.exit_code)
        except KeyboardInterrupt:
            _say("Stopped.")
            context.exit(INTERRUPTED)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            context.exit(1)
        except click.UsageError as error:
            if "extra argument" in error.message and "=" in error.message:
                hint = 'Put values with braces in quotes: --vary "a.{b,c}.d=1:3"'
                raise click.UsageError(f"{error.message}\n{hint}", error.ctx) from error
            raise
        except (click.exceptions.Exit, click.Abort, click.ClickException):
            raise
        except OSError as error:
            _say(f"Error: {error.filename or 'output'}: {error.strerror}")
            context.exit(1)
        except Exception as error:
            if os.environ.get("BALANCE_TRACEBACK"):
                raise
            _say(f"Internal error: {type(error).__name__}: {str(error).splitlines()[:1]}")
            _say("Please report it with the command, and what it prints with BALANCE_TRACEBACK=1 set.")
            context.exit(1)


def _say(text: str) -> None:
    click.echo(text, err=True)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with:  balance run city-services --report",
)
@click.version_option(package_name="balance", prog_name="balance")
def main() -> None:
    """Find out whether the tiles, rules and seats of a tile-laying game are balanced."""


for command in (
    run,
    check,
    plan,
    compare,
    ablate,
    sweep,
    tune,
    price,
    calibrate,
    report,
    replay,
    score,
    show,
    list_scenarios,
    bench,
):
    main.add_command(command)
