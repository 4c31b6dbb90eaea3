"""The errors a user may see: each says what is wrong, where, and what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BalanceError(Exception):
    """A problem that a user can mend; the command line shows it as one message.

    Parameters
    ----------
    problem : str
        What is wrong, in a sentence: the file, the key, the value, the reason.
    remedy : str, optional
        What to do next.
    """

    exit_code = 1

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem}\n{self.remedy}" if self.remedy else self.problem


class InputError(BalanceError):
    """Something the user wrote cannot be used (exit code 2)."""

    exit_code = 2


class ScenarioError(InputError):
    """A scenario, or a change to one, is not a playable game."""


class RunFolderError(InputError):
    """A run folder cannot be written, read or continued."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known names are close to `name`, as a sentence for a remedy.

    Parameters
    ----------
    name : str
        The name that is not known.
    known : iterable of str
        The names that are.

    Returns
    -------
    str
        "Did you mean ...?" where a name is close, otherwise the list of all.
    """
    known = list(known)
    folded = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), folded, n=3, cutoff=0.5)
    if close:
        return f"Did you mean {' or '.join(folded[match] for match in close)}?"
    return f"Known: {', '.join(known)}."
