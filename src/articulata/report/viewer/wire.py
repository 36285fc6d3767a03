"""The shortest way from a posture to the browsers: what moves, in one message, sent at once.

viser keeps each change in a queue, wakes a task of each browser that looks what is new there, and
describes, packs and compresses it for each of them. A picture that is to leave within a
millisecond is described, packed and compressed here, once, in the thread that draws; the server's
thread is woken and writes. viser's queue hears of it now and then, so that a page that is opened
later stands as the others do. The message is viser's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

from articulata.report.viewer.serving import at_once

KEPT = 0.5
"""Seconds after which viser's queue hears of what has moved."""


class Wire:
    """Sends places and turns of nodes of a scene that is made by now, to pages that know it."""

    def __init__(self, server: Any) -> None:
        import zstandard

        line = server._websock_server
        self._server, self._scene = server, server.scene
        self._buffer = line.get_message_buffer()
        self._live: dict[int, Any] = line._live_connections
        self._known = self._buffer.message_counter - 1
        self._compress = zstandard.ZstdCompressor(level=1).compress
        self._waiting: list[dict[str, object]] = []
        self._unkept: dict[tuple[str, str], tuple[Any, tuple[float, ...]]] = {}
        self._kept = time.monotonic()
        self._writing: dict[int, asyncio.Task[None]] = {}
        self._missed = False

    def put(self, node: Any, position: tuple[float, ...]) -> None:
        """Move a node, m."""
        from viser import _messages

        self._add(_messages.SetPositionMessage, node.name, "position", position)

    def turn(self, node: Any, wxyz: tuple[float, ...]) -> None:
        """Turn a node."""
        from viser import _messages

        self._add(_messages.SetOrientationMessage, node.name, "wxyz", wxyz)

    def send(self) -> None:
        """Send what was moved since the last time; in the thread that draws."""
        if self._waiting:
            data = self._packed(self._waiting)
            with contextlib.suppress(RuntimeError):  # a server that was stopped has nobody to wake
                self._buffer.event_loop.call_soon_threadsafe(self._write, data)
        self._waiting = []

    @property
    def due(self) -> bool:
        """Whether it is time to ``keep``: after a while, or where a page could not follow."""
        late = time.monotonic() - self._kept > KEPT
        return bool(self._unkept) and (late or self._missed)

    def keep(self) -> None:
        """Tell viser's queue what has moved, and so all pages, in the usual way."""
        self._missed, self._kept = False, time.monotonic()
        unkept, self._unkept = self._unkept, {}
        if unkept:
            with at_once(self._server):
                for (name, _), (kind, value) in unkept.items():
                    self._scene._queue_scene_message(kind(name, value))

    # ---- inside

    def _add(self, kind: Any, name: str, what: str, value: tuple[float, ...]) -> None:
        owner = self._scene._owner_id
        self._waiting.append({what: value, "name": name, "owner": owner, "type": kind.__name__})
        self._unkept[name, what] = kind, value

    def _packed(self, messages: list[dict[str, object]]) -> bytes:
        """Return messages as viser packs a window of them that holds no arrays."""
        import msgspec

        told = {
            "messages": messages,
            "timestampSec": time.perf_counter(),
            "binaryBufferLengths": (),
        }
        inner = msgspec.msgpack.encode(told)
        packed = self._compress(inner)
        return b"".join(
            (len(inner).to_bytes(8, "little"), len(packed).to_bytes(8, "little"), packed)
        )

    def _write(self, data: bytes) -> None:
        """Write to each page that has the scene and is not behind; in the server's thread."""
        loop = self._buffer.event_loop
        for number, connection in self._live.items():
            if self._buffer.generator_cursors.get(number, -1) < self._known:
                continue  # it will hear of it as of everything else
            before = self._writing.get(number)
            if before is not None and not before.done():
                self._missed = True
                continue
            self._writing[number] = loop.create_task(_sent(connection, data))


async def _sent(connection: Any, data: bytes) -> None:
    from websockets.exceptions import ConnectionClosed

    with contextlib.suppress(ConnectionClosed):
        await connection.send(data)


def wire_of(server: Any) -> Wire | None:
    """Return the wire of a server whose scene is made; None where viser has no such inside."""
    try:
        return Wire(server)
    except (AttributeError, ImportError):
        return None
