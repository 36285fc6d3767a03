"""How Python is set while people are tracked: no picture waits for it, signals end a session."""

from __future__ import annotations

import gc
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SWITCHING = 2e-4
"""Seconds for which a thread may keep others from running: with Python's usual 5 ms a picture waits
for whatever else is computed."""


@contextmanager
def prompt() -> Iterator[None]:
    """Let threads change sooner, and look for garbage only where that is asked for.

    Elsewhere it held up pictures: by 0.2 s among all there is, by 1 ms among what is new.
    """
    interval, looking = sys.getswitchinterval(), gc.isenabled()
    sys.setswitchinterval(SWITCHING)
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if looking:
            gc.enable()
        sys.setswitchinterval(interval)


@contextmanager
def ended_by_signals(ending: Callable[[], bool]) -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a session as Ctrl-C does, so that its takes are whole.

    What comes after one of them, or while it is ``ending``, is left out: takes, measures and
    provenance are being written.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # which signals do not reach
        return
    ended = False

    def end(*_: object) -> None:
        nonlocal ended
        if not (ended or ending()):
            ended = True
            raise KeyboardInterrupt

    kinds = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    before = {kind: signal.signal(kind, end) for kind in kinds}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
