"""The shortest way from a posture to the browsers: what moves, in one message, sent at once.

viser keeps each change in a queue, wakes a task of each browser that looks what is new there, and
describes, packs and compresses it for each of them. A picture that is to leave within a
millisecond is described, packed and compressed here, once, and written to the pages' sockets, all
in the thread that draws: to wake the server's thread takes longer than the rest. viser's queue
hears of it now and then, so that a page that is opened later stands as the others do, and so does
one that could not follow. The message is viser's own.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

from articulata.report.viewer.serving import at_once
from articulata.report.viewer.sockets import SharedTransport

KEPT = 0.5
"""Seconds after which viser's queue hears of what has moved."""


class Wire:
    """Sends places and turns of nodes of a scene that is made by now, to pages that know it."""

    def __init__(self, server: Any) -> None:
        import zstandard
        from viser import _messages
        from websockets.frames import OP_BINARY, Frame
        from websockets.protocol import State

        self._frame, self._binary, self._open_state = Frame, OP_BINARY, State.OPEN
        line = server._websock_server
        self._server, self._scene = server, server.scene
        self._buffer = line.get_message_buffer()
        self._live: dict[int, Any] = line._live_connections
        self._known = self._buffer.message_counter - 1
        self._compress = zstandard.ZstdCompressor(level=1).compress
        self._waiting: list[dict[str, object]] = []
        self._unkept: dict[tuple[str, str], tuple[Any, tuple[float, ...]]] = {}
        self._kept = time.monotonic()
        self._placed, self._turned = _messages.SetPositionMessage, _messages.SetOrientationMessage
        self._sockets: dict[int, tuple[Any, SharedTransport]] = {}
        self._missed = False

    def put(self, node: Any, position: tuple[float, ...]) -> None:
        """Move a node, m."""
        self._add(self._placed, node.name, "position", position)

    def turn(self, node: Any, wxyz: tuple[float, ...]) -> None:
        """Turn a node."""
        self._add(self._turned, node.name, "wxyz", wxyz)

    def send(self) -> None:
        """Send what was moved since the last time; in the thread that draws."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        frame = b""
        for number, connection in tuple(self._live.items()):
            known = self._sockets.get(number)
            if known is None or known[0] is not connection:
                self._missed = True
                with contextlib.suppress(RuntimeError):  # a server that was stopped wakes nobody
                    self._buffer.event_loop.call_soon_threadsafe(self._open, number, connection)
                continue
            frame = frame or self._framed(waiting)
            if not (connection.protocol.state is self._open_state and known[1].write_now(frame)):
                self._missed = True

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

    def _framed(self, messages: list[dict[str, object]]) -> bytes:
        """Return messages as viser packs a window of them that holds no arrays, in a frame."""
        import msgspec

        told = {
            "messages": messages,
            "timestampSec": time.perf_counter(),
            "binaryBufferLengths": (),
        }
        inner = msgspec.msgpack.encode(told)
        packed = self._compress(inner)
        data = b"".join(
            (len(inner).to_bytes(8, "little"), len(packed).to_bytes(8, "little"), packed)
        )
        return self._frame(self._binary, data).serialize(mask=False)

    def _open(self, number: int, connection: Any) -> None:
        """Share the socket of a page that has the scene; in the server's thread.

        What that thread has taken from viser's queue it has written by the time this is called.
        """
        known = self._buffer.generator_cursors.get(number, -1) >= self._known
        if known and not isinstance(connection.transport, SharedTransport):
            socket = SharedTransport(connection.transport, self._buffer.event_loop)
            connection.transport = socket
            self._sockets[number] = connection, socket
            for gone in self._sockets.keys() - self._live.keys():
                del self._sockets[gone]


def wire_of(server: Any) -> Wire | None:
    """Return the wire of a server whose scene is made; None where viser has no such inside."""
    try:
        return Wire(server)
    except (AttributeError, ImportError):
        return None
