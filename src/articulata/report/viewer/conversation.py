"""What pages and their server say to each other: wishes come, the newest state goes.

The server's callbacks run in a pool of threads and overtake each other; they only put the newest
wish into a mailbox. One thread takes it out and draws.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from itertools import count
from typing import Any, Final, Generic, TypeVar

from articulata.report.viewer.serving import Beside, PageServer

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
    """Hides controls at once, and removes them when others leave later.

    viser's page takes what it is told in batches, as many as its pictures leave time for: of a
    batch removals are done at once and changes at its end. Whoever changes a control and then
    removes it may find both in one batch of a busy page, which changes what is not there and writes
    an error. So what leaves is hidden first, and removed when every page has long heard of its last
    change.
    """

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


PAGE, FLOW, REPORT = "/draw", "/flow", "/report"
NEWEST: Final = ("drag", "look", "show", "draft")
"""What is asked again and again: the newest counts alone. Of all else nothing is dropped."""
LONGEST: Final = 200_000
"""Characters of the longest message that is read."""


class PlanServer(PageServer):
    """Serves the page at ``address``; ``pages`` are more pages by their paths.

    ``wishes`` receives what a page asks, as "what:number", each with the page's own number of it.
    """

    def __init__(self, *, host: str = "127.0.0.1", port: int | None = None) -> None:
        self.wishes: Mailbox[tuple[int, Any]] = Mailbox()
        self._numbers = count()
        self._conversation = Conversation(self._heard, LONGEST)
        folder = files(__package__)
        page = folder.joinpath("plan.html").read_text("utf-8")
        page = page.replace("SCRIPT", folder.joinpath("plan.js").read_text("utf-8"))
        # who types the address without its path finds the room as well
        self.pages: dict[str, bytes] = dict.fromkeys((PAGE, "/"), page.encode())
        super().__init__(host, port, Beside(self.pages, (), FLOW, self._conversation.talk))
        self.address += PAGE

    def say(self, state: Mapping[str, Any]) -> None:
        """Show ``state`` in the pages, soon."""
        self._conversation.say(state)

    def _heard(self, said: dict[str, Any]) -> None:
        what, number = said.get("do"), said.get("number")
        if isinstance(what, str) and isinstance(number, int):
            name = what if what in NEWEST else f"{what}:{next(self._numbers)}"
            self.wishes.put(name, (number, said.get("to")))
