"""The server of the editor: a page with a text, the picture beside it, and what both say."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from articulata.report.viewer.conversation import Conversation, Mailbox
from articulata.report.viewer.server import Viewer
from articulata.report.viewer.serving import Beside
from articulata.world.language.grammar_tables import textmate

PAGE, FLOW = "/edit", "/flow"
ASKED: Final = ("text", "save", "complete")
"""What a page asks: to check and show a text, to save one, to tell which words may come next."""
LONGEST: Final = 400_000
"""Characters of the longest message that is read, with the text in it."""


class EditorServer:
    """Serves the page at ``address``; the picture in it is that of ``viewer``.

    ``wishes`` receives what a page asks, the newest of each kind, with the page's number of it. Use
    it as a context manager.
    """

    def __init__(self, *, host: str = "127.0.0.1", port: int | None = None) -> None:
        self.wishes: Mailbox[tuple[int, Any]] = Mailbox()
        self._conversation = Conversation(self._heard, LONGEST)
        beside = Beside({PAGE: _page()}, (), FLOW, self._conversation.talk)
        self.viewer = Viewer(host=host, port=port, beside=beside)
        self.address = self.viewer.address + PAGE

    def __enter__(self) -> EditorServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.viewer.close()

    def say(self, state: Mapping[str, Any]) -> None:
        """Show ``state`` in the pages, soon."""
        self._conversation.say(state)

    def _heard(self, said: dict[str, Any]) -> None:
        what, number = said.get("do"), said.get("number")
        if what in ASKED and isinstance(number, int):
            self.wishes.put(what, (number, said.get("to")))


def _page() -> bytes:
    folder = files(__package__)
    page, script = (folder.joinpath(f"editor.{each}").read_text("utf-8") for each in ("html", "js"))
    return page.replace("SCRIPT", script.replace("GRAMMAR", textmate(), 1)).encode()
