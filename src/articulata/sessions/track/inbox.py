"""What comes to a session, in order: samples of devices, and what a user wishes."""

from __future__ import annotations

import queue
import time
from typing import NamedTuple

from articulata.records.samples import Sample

LATE = 0.04
"""Seconds after which samples that wait are taken together: two pictures are missed by then."""


class Wish(NamedTuple):
    """A wish by its name."""

    name: str
    value: object = None


class Inbox:
    """A queue that any thread may put into and one takes from.

    Samples that waited for long come together with those that came after them. A machine that
    cannot make a posture of each then makes one of each round of the stations: no sample is lost,
    and what is shown is as new as it can be.
    """

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Wish | list[Sample]] = queue.SimpleQueue()
        self._aside: Wish | None = None

    def put(self, what: Wish | list[Sample]) -> None:
        """Leave a wish, or samples that arrived together."""
        self._queue.put(what)

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return self._aside is None and self._queue.empty()

    def take(self, timeout: float) -> Wish | list[Sample]:
        """Return what came first, no samples after ``timeout`` s without anything."""
        if self._aside is not None:
            asked, self._aside = self._aside, None
            return asked
        try:
            found = self._queue.get(timeout=timeout)
        except queue.Empty:
            return []
        if isinstance(found, Wish) or time.monotonic() - found[-1].arrival <= LATE:
            return found
        together = list(found)
        while not self._queue.empty():
            more = self._queue.get()
            if isinstance(more, Wish):
                self._aside = more
                break
            together += more
        return together
