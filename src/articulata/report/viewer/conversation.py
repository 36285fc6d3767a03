"""What a page of our own and its server say to each other: wishes come, the newest state goes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

SAYING: Final = 0.05
"""s between two states that are said to a page."""


class Conversation:
    """Takes the connections of pages by ``talk``; ``say`` is what all of them show.

    ``heard`` is handed what a page says, in the server's thread; what is no object, or longer than
    ``longest`` characters, is passed over.
    """

    def __init__(self, heard: Callable[[dict[str, Any]], None], longest: int = 4096) -> None:
        self._heard, self._longest = heard, longest
        self._state = "{}"
        self._lock = threading.Lock()
        self.talking = 0

    def say(self, state: Mapping[str, Any]) -> None:
        """Show ``state`` in the pages, soon."""
        text = json.dumps(state)
        with self._lock:
            self._state = text

    async def talk(self, connection: Any) -> None:
        """Hear a page and say to it what is new, until it leaves."""
        from websockets.exceptions import ConnectionClosed

        self.talking += 1
        saying = asyncio.create_task(self._saying(connection))
        try:
            # a page that is gone, or too busy to answer, is no failure
            with contextlib.suppress(ConnectionClosed):
                async for message in connection:
                    self._hear(message)
        finally:
            self.talking -= 1
            saying.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await saying

    async def _saying(self, connection: Any) -> None:
        said = ""
        while True:
            with self._lock:
                text = self._state
            if text != said and text != "{}":
                await connection.send(text)
                said = text
            await asyncio.sleep(SAYING)

    def _hear(self, message: Any) -> None:
        if not isinstance(message, str) or len(message) > self._longest:
            return
        try:
            said = json.loads(message)
        except ValueError:
            return
        if isinstance(said, dict):
            self._heard(said)
