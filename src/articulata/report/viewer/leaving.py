"""Controls that leave a page.

viser's page takes what it is told in batches, as many as its pictures leave time for: of a batch
removals are done at once and changes at its end. Whoever changes a control and then removes it may
find both in one batch of a busy page, which changes what is not there and writes an error. So what
leaves is hidden first, and removed when every page has long heard of its last change.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Final

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
