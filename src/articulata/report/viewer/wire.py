"""The shortest way from a posture to the browsers: what moves, in one message, sent at once.

viser keeps each change in a queue, wakes a task of each browser that looks what is new there, and
describes, packs and compresses it for each of them. A picture that is to leave within a
millisecond is described and packed here, once, and written to the pages' sockets, all
in the thread that draws: to wake the server's thread takes longer than the rest. viser's queue
hears of it now and then, so that a page that is opened later stands as the others do, and so does
one that could not follow. The message is viser's own.
"""

from __future__ import annotations

import contextlib
import struct
import threading
import time
from asyncio import AbstractEventLoop
from typing import Any

from articulata.report.viewer.serving import at_once

# ---- a page's socket that two threads write to: the server's, and one that is in a hurry


class SharedTransport:
    """Stands before a connection's transport; made, and put there, in the thread of ``loop``.

    That thread goes on to write as before. Another one writes by ``write_now``, into the socket
    itself, where nothing waits to be written: what both write is whole, and in order.
    """

    def __init__(self, transport: Any, loop: AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._lock = threading.Lock()
        self._rest = b""
        # a loop of another kind may hide its socket: then its thread is woken to write
        self._socket = getattr(transport, "_sock", None)

    def __getattr__(self, name: str) -> Any:
        """Be the transport in all but writing."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write in the loop's thread, behind what the other thread could not write whole."""
        with self._lock:
            data, self._rest = self._rest + data, b""
            self._transport.write(data)

    def write_now(self, data: bytes) -> bool:
        """Write from any thread; return False, and write nothing, where something waits."""
        with self._lock:
            if self._rest or self.is_closing() or self.get_write_buffer_size():
                return False
            sent = 0
            if self._socket is not None:
                try:
                    sent = self._socket.send(data)
                except OSError:  # it is full, or gone: the loop learns that by itself
                    return False
            self._rest = data[sent:]
        if self._rest:
            self._loop.call_soon_threadsafe(self.write, b"")
        return True


PLACE, TURN = "SetPositionMessage", "SetOrientationMessage"
"""What viser calls the messages that move and turn a node."""

BLOCK = 1 << 17
"""Bytes that a block of Zstandard holds at most."""

KEPT = 0.5
"""Seconds after which viser's queue hears of what has moved."""


class Wire:
    """Sends places and turns of nodes of a scene that is made by now, to pages that know it."""

    def __init__(self, server: Any) -> None:
        import msgspec
        from viser import _messages
        from websockets.protocol import State

        self._encode, self._open_state = msgspec.msgpack.encode, State.OPEN
        line = server._websock_server
        self._server, self._scene = server, server.scene
        self._buffer = line.get_message_buffer()
        self._live: dict[int, Any] = line._live_connections
        self._known = self._buffer.message_counter - 1
        self._waiting: list[dict[str, object]] = []
        self._placed: dict[str, tuple[Any, list[float]]] = {}
        self._turned: dict[str, tuple[Any, list[float]]] = {}
        self._kept = time.monotonic()
        self._owner = server.scene._owner_id
        self._place, self._turn = _messages.SetPositionMessage, _messages.SetOrientationMessage
        self._sockets: dict[int, tuple[Any, SharedTransport]] = {}
        self._missed = False

    def put(self, node: Any, position: list[float]) -> None:
        """Move a node, m."""
        name = node.name
        self._placed[name] = node, position
        self._waiting.append(
            {"position": position, "name": name, "owner": self._owner, "type": PLACE}
        )

    def turn(self, node: Any, wxyz: list[float]) -> None:
        """Turn a node."""
        name = node.name
        self._turned[name] = node, wxyz
        self._waiting.append({"wxyz": wxyz, "name": name, "owner": self._owner, "type": TURN})

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
        return self._since(KEPT)

    @property
    def overdue(self) -> bool:
        """Whether it is time for who would not disturb a thread that soon does it by itself."""
        return self._since(2.0 * KEPT)

    def _since(self, seconds: float) -> bool:
        late = time.monotonic() - self._kept > seconds
        return bool(self._placed or self._turned) and (late or self._missed)

    def keep(self) -> None:
        """Tell viser's queue what has moved, and so all pages, in the usual way."""
        self._missed, self._kept = False, time.monotonic()
        placed, self._placed = self._placed, {}
        turned, self._turned = self._turned, {}
        with at_once(self._server):
            for name, (node, (x, y, z)) in placed.items():
                node.position[:] = x, y, z
                self._scene._queue_scene_message(self._place(name, (x, y, z)))
            for name, (node, (w, x, y, z)) in turned.items():
                node.wxyz[:] = w, x, y, z
                self._scene._queue_scene_message(self._turn(name, (w, x, y, z)))

    # ---- inside

    def _framed(self, messages: list[dict[str, object]]) -> bytes:
        """Return messages as viser packs a window of them that holds no arrays, in a frame."""
        told = {
            "messages": messages,
            "timestampSec": time.perf_counter(),
            "binaryBufferLengths": (),
        }
        inner = self._encode(told)
        packed = _stored(inner)
        return _headed(struct.pack("<QQ", len(inner), len(packed)) + packed)

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


def _headed(data: bytes) -> bytes:
    """Return binary data as a frame that is whole, without a mask (RFC 6455, 5.2)."""
    size = len(data)
    if size < 126:
        return struct.pack("!BB", 0x82, size) + data
    if size < 1 << 16:
        return struct.pack("!BBH", 0x82, 126, size) + data
    return struct.pack("!BBQ", 0x82, 127, size) + data


def _stored(data: bytes) -> bytes:
    """Return data as a frame of Zstandard whose blocks are as they are (RFC 8878, 3.1.1).

    To compress the few hundred bytes of a picture takes as long as to describe it.
    """
    parts = [b"\x28\xb5\x2f\xfd\xa0", len(data).to_bytes(4, "little")]
    for begin in range(0, len(data) or 1, BLOCK):
        part = data[begin : begin + BLOCK]
        last = begin + BLOCK >= len(data)
        parts += ((len(part) << 3 | last).to_bytes(3, "little"), part)
    return b"".join(parts)


def wire_of(server: Any) -> Wire | None:
    """Return the wire of a server whose scene is made; None where viser has no such inside."""
    try:
        return Wire(server)
    except (AttributeError, ImportError):
        return None
