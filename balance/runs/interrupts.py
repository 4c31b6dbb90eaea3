"""Ctrl-C, and what else asks a process to stop, while something must not be left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that ask a process to stop: Ctrl-C, a system that shuts down or ends a job, a terminal that is closed."""


@contextmanager
def stops_like_ctrl_c() -> Iterator[None]:
    """Let every signal that asks to stop do what Ctrl-C does, but for those that are ignored (as by nohup).

    Only once: what ends jobs often sends a signal twice, and stopping must not be stopped. Ctrl-C still can.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    fatal = [number for number in STOPS if signal.getsignal(number) == signal.SIG_DFL]

    def stop(number: int, frame: FrameType | None) -> None:
        for other in fatal:
            signal.signal(other, signal.SIG_IGN)
        signal.default_int_handler(number, frame)

    for number in fatal:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in fatal:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def deferred_interrupts() -> Iterator[None]:
    """Let signals that ask to stop wait until the end of the block (in the main thread, the only one they reach)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    previous = _handlers()
    for number in previous:
        signal.signal(number, lambda number, _frame: arrived.append(number))
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    for number in arrived[:1]:
        previous[number](number, None)


def _handlers() -> dict[int, Callable[..., object]]:
    """Return what Python does on each signal that asks to stop; those left to the system are not its affair."""
    handlers = {number: signal.getsignal(number) for number in STOPS}
    return {number: handler for number, handler in handlers.items() if callable(handler)}
