"""What asks a process to stop does what Ctrl-C does, and waits where something must not be left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from balance.runs.interrupts import STOPS, deferred_interrupts, stops_like_ctrl_c

by_signal = pytest.mark.parametrize("number", STOPS, ids=lambda number: number.name)


@contextmanager
def handled(number: int, handler: object) -> Iterator[None]:
    """Let a signal be handled so, for the time being."""
    before = signal.signal(number, handler)  # type: ignore[arg-type]
    try:
        yield
    finally:
        signal.signal(number, before)


@by_signal
def test_every_signal_that_asks_to_stop_stops_like_ctrl_c(number: signal.Signals) -> None:
    default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    with handled(number, default):
        with pytest.raises(KeyboardInterrupt), stops_like_ctrl_c():
            signal.raise_signal(number)
        assert signal.getsignal(number) == default


@pytest.mark.parametrize("number", [number for number in STOPS if number != signal.SIGINT])
def test_a_signal_that_comes_again_does_not_stop_the_stopping(number: signal.Signals) -> None:
    steps = []
    with handled(number, signal.SIG_DFL), pytest.raises(KeyboardInterrupt), stops_like_ctrl_c():
        try:
            signal.raise_signal(number)
        finally:
            signal.raise_signal(number)
            steps.append("saved")
    assert steps == ["saved"]


@by_signal
def test_a_signal_that_is_ignored_stays_so(number: signal.Signals) -> None:
    with handled(number, signal.SIG_IGN), stops_like_ctrl_c(), deferred_interrupts():
        signal.raise_signal(number)


@by_signal
def test_a_signal_waits_until_the_end_of_the_block(number: signal.Signals) -> None:
    steps = []
    with handled(number, signal.default_int_handler):
        with pytest.raises(KeyboardInterrupt), deferred_interrupts():
            signal.raise_signal(number)
            signal.raise_signal(number)
            steps.append("all done")
        assert signal.getsignal(number) is signal.default_int_handler
    assert steps == ["all done"]


def test_other_threads_are_left_alone() -> None:
    before = {number: signal.getsignal(number) for number in STOPS}

    def inside() -> None:
        with stops_like_ctrl_c(), deferred_interrupts():
            found.append({number: signal.getsignal(number) for number in STOPS})

    found: list[object] = []
    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert found == [before]
