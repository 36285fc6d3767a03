"""A place for one value, where the newest wins; and controls that leave a page.

The server's callbacks run in a pool of threads and overtake each other; they only put the newest
wish here. One thread takes it out and draws.

viser's page takes what it is told in batches, as many as its pictures leave time for: of a batch
removals are done at once and changes at its end. Whoever changes a control and then removes it may
find both in one batch of a busy page, which changes what is not there and writes an error. So what
leaves is hidden first, and removed when every page has long heard of its last change.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import Any, Final, Generic, TypeVar

Value = TypeVar("Value")


class Mailbox(Generic[Value]):
    """Holds the newest value put and not yet taken, under a name, one for each name."""

    def __init__(self) -> None:
        self._values: dict[str, Value] = {}
        self._filled = threading.Condition()

    def put(self, name: str, value: Value) -> None:
        """Leave ``value`` under ``name``; an older one that nobody took is dropped."""
        with self._filled:
            self._values.pop(name, None)
            self._values[name] = value
            self._filled.notify()

    @property
    def empty(self) -> bool:
        """Whether nothing is left in it."""
        with self._filled:
            return not self._values

    def take(self, timeout: float) -> dict[str, Value]:
        """Return and clear all values, oldest name first; wait up to ``timeout`` s for one."""
        with self._filled:
            if not self._values:
                self._filled.wait(timeout)
            values, self._values = self._values, {}
            return values


LATEST: Final = 20.0
"""s after which every page has drawn what it was told."""


class Leaving:
    """Hides controls at once, and removes them when others leave later."""

    def __init__(self, latest: float = LATEST) -> None:
        self._latest = latest
        self._hidden: list[tuple[float, Any]] = []

    def put(self, nodes: Iterable[Any]) -> None:
        """Hide ``nodes``, and remove those that were hidden long ago."""
        now = time.monotonic()
        while self._hidden and now - self._hidden[0][0] >= self._latest:
            _, node = self._hidden.pop(0)
            if not node._impl.removed:  # as it is when its folder went
                node.remove()
        for node in nodes:
            node.visible = False
            self._hidden.append((now, node))
