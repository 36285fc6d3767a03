"""A place for one value: the newest wins.

The server's callbacks run in a pool of threads and overtake each other; they only put the newest
wish here. One thread takes it out and draws.
"""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

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
