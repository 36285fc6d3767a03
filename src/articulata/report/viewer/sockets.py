"""A page's socket that two threads write to: the server's, and one that is in a hurry."""

from __future__ import annotations

import threading
from asyncio import AbstractEventLoop
from typing import Any


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
