"""What comes to a session, in order: samples of devices, and what a user wishes.

Python is set so that no picture waits for it (``prompt``), and signals end a session.
"""

from __future__ import annotations

import gc
import queue
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from articulata.records.samples import Sample


class Wish(NamedTuple):
    """What a user wishes, by its name."""

    name: str
    value: object = None


Mail = Wish | Sequence[Sample]


class Inbox:
    """A queue that any thread may put into; those who take from it agree among themselves.

    A thread that waits is woken by wishes, and by samples where it waits for these as well:
    samples that are taken out by who brought them wake nobody.
    """

    def __init__(self) -> None:
        self._mail: deque[Mail] = deque()
        self._wakings: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._samples_wake = False

    def put(self, what: Mail) -> None:
        """Leave a wish, or samples that arrived together."""
        self._mail.append(what)
        if self._samples_wake or isinstance(what, Wish):
            self._wakings.put(None)

    @property
    def first(self) -> Mail | None:
        """What came first of all that waits."""
        try:
            return self._mail[0]
        except IndexError:
            return None

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._mail

    def take(self) -> Mail:
        """Return what came first, no samples where nothing waits."""
        return self._mail.popleft() if self._mail else []

    def wait(self, timeout: float, *, samples: bool = False) -> None:
        """Wait up to ``timeout`` s for a wish, or for ``samples`` as well."""
        self._samples_wake = samples
        first = self.first
        if first is None or not (samples or isinstance(first, Wish)):
            try:
                self._wakings.get(timeout=timeout)
            except queue.Empty:
                return


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
