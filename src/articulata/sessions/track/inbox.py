"""What comes to a session, in order: samples of devices, and what a user wishes."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Sequence
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
