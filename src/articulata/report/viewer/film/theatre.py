"""The page of film and what it says: one server, two views, one flow of reports and states.

The page is at ``/film``; its two frames are viser's own page, told apart by their paths. What the
page sends lands in a one-place mailbox; what is to be said to it is the newest state alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from articulata.geometry.camera import Lens
from articulata.report.viewer.film.film_stage import CAMERA, VIEW, FilmStage
from articulata.report.viewer.guarding import Beside
from articulata.report.viewer.mailbox import Mailbox
from articulata.report.viewer.serving import serve, stop

PAGE, FLOW = "/film", "/flow"

SAYING: Final = 0.05
"""s between two states that are said to the page."""

LONGEST: Final = 4096
"""Characters of the longest message that is read."""


class Theatre:
    """Serves the page at ``address``; ``stage`` is what both views show.

    ``wishes`` receives what users want: "report" the newest six numbers of a device, "do" and
    "set:NAME" what was asked. ``say`` is what the page shows. Use it as a context manager.
    """

    def __init__(self, lens: Lens, *, host: str = "127.0.0.1", port: int | None = None) -> None:
        self.wishes: Mailbox[Any] = Mailbox()
        self._state = "{}"
        self._lock = threading.Lock()
        self._talking = 0
        beside = Beside({PAGE: _page(lens)}, (VIEW, CAMERA), FLOW, self._talk)
        self._server, address = serve(host, port, beside)
        self.address = f"{address}{PAGE}"
        self.stage = FilmStage(self._server)
        self._server.on_client_disconnect(lambda client: self.stage.forget(client.client_id))

    @property
    def server(self) -> Any:
        """The viser server."""
        return self._server

    @property
    def talking(self) -> int:
        """How many pages are open."""
        return self._talking

    def say(self, state: Mapping[str, Any]) -> None:
        """Show ``state`` in the page, soon."""
        text = json.dumps(state)
        with self._lock:
            self._state = text

    def close(self) -> None:
        """Close the server."""
        stop(self._server)

    def __enter__(self) -> Theatre:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _talk(self, connection: Any) -> None:
        """Hear a page and say to it what is new, until it leaves."""
        from websockets.exceptions import ConnectionClosed

        self._talking += 1
        saying = asyncio.create_task(self._saying(connection))
        try:
            # a page that is gone, or too busy to answer, is no failure
            with contextlib.suppress(ConnectionClosed):
                async for message in connection:
                    self._hear(message)
        finally:
            self._talking -= 1
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
        """Leave what a page says in the mailbox; what is not understood is passed over."""
        if not isinstance(message, str) or len(message) > LONGEST:
            return
        try:
            said = json.loads(message)
        except ValueError:
            return
        if not isinstance(said, dict):
            return
        report = _report(said.get("report"))
        if report is not None:
            self.wishes.put("report", report)
        elif isinstance(said.get("do"), str):
            self.wishes.put(f"do:{said['do']}", said.get("to"))
        elif isinstance(said.get("set"), str):
            self.wishes.put(f"set:{said['set']}", said.get("to"))


def _report(said: Any) -> tuple[float, ...] | None:
    """Return six numbers, None where something else was said."""
    if not isinstance(said, list) or len(said) != 6:
        return None
    if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in said):
        return None
    return tuple(map(float, said))


def _page(lens: Lens) -> bytes:
    folder = files(__package__)
    page = folder.joinpath("page.html").read_text("utf-8")
    script = folder.joinpath("page.js").read_text("utf-8")
    width, height = lens.sensor
    return page.replace("ASPECT", f"{width / height:.6g}").replace("SCRIPT", script).encode()
