"""The page on which a room is drawn: its server, and what both say to each other."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from itertools import count
from typing import Any, Final

from articulata.report.viewer.conversation import Conversation
from articulata.report.viewer.mailbox import Mailbox
from articulata.report.viewer.serving import Beside, PageServer

PAGE, FLOW, REPORT = "/draw", "/flow", "/report"
NEWEST: Final = ("drag", "look", "show")
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
        page = folder.joinpath("page.html").read_text("utf-8")
        page = page.replace("SCRIPT", folder.joinpath("page.js").read_text("utf-8"))
        self.pages: dict[str, bytes] = {PAGE: page.encode()}
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
