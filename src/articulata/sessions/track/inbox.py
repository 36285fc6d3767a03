"""What comes to a session, in order: samples of devices, and what a user wishes."""

from __future__ import annotations

import queue
from collections.abc import Sequence
from typing import NamedTuple

from articulata.records.samples import Sample


class Wish(NamedTuple):
    """What a user wishes, by its name."""

    name: str
    value: object = None


class Inbox:
    """A queue that any thread may put into and one takes from."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Wish | Sequence[Sample]] = queue.SimpleQueue()

    def put(self, what: Wish | Sequence[Sample]) -> None:
        """Leave a wish, or samples that arrived together."""
        self._queue.put(what)

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return self._queue.empty()

    def take(self, timeout: float) -> Wish | Sequence[Sample]:
        """Return what came first, no samples after ``timeout`` s without anything."""
        try:
            return self._queue.get(timeout=timeout)
        except queue.Empty:
            return []
