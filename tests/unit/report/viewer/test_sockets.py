"""Two threads write to one socket: all that is written comes whole, and in the order of each."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections import defaultdict

from articulata.report.viewer.wire import SharedTransport

WRITERS = LOOP, HURRIED = b"L", b"H"


def frame(writer: bytes, number: int, size: int) -> bytes:
    return struct.pack("<cII", writer, number, size) + writer * size


def frames(data: bytes) -> dict[bytes, list[int]]:
    """Return the numbers of what each wrote; fail where anything is not whole."""
    found = defaultdict(list)
    at = 0
    while at < len(data):
        writer, number, size = struct.unpack_from("<cII", data, at)
        at += struct.calcsize("<cII")
        assert data[at : at + size] == writer * size
        at += size
        found[writer].append(number)
    return found


def test_what_two_threads_write_is_whole_and_in_order() -> None:
    ours, theirs = socket.socketpair()
    # small, so that it is often full and a write is often a part of one
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    theirs.settimeout(10.0)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def opened() -> SharedTransport:
        ours.setblocking(False)
        transport, _ = await loop.connect_accepted_socket(asyncio.Protocol, ours)
        return SharedTransport(transport, loop)

    shared = asyncio.run_coroutine_threadsafe(opened(), loop).result(timeout=10.0)
    heard = bytearray()

    def read() -> None:
        while data := theirs.recv(1500):
            heard.extend(data)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    sent: list[int] = []
    for number in range(400):
        loop.call_soon_threadsafe(shared.write, frame(LOOP, number, 5000))
        hurried = range(3 * number, 3 * number + 3)
        sent += [k for k in hurried if shared.write_now(frame(HURRIED, k, 3000))]
    loop.call_soon_threadsafe(shared.close)
    reader.join(timeout=20.0)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(timeout=10.0)
    loop.close()
    theirs.close()
    told = frames(bytes(heard))
    assert told[LOOP] == list(range(400))
    assert told[HURRIED] == sent
    assert sent


def test_nothing_is_written_to_a_socket_that_is_gone() -> None:
    class Gone:
        _sock = None

        def is_closing(self) -> bool:
            return True

    loop = asyncio.new_event_loop()
    assert not SharedTransport(Gone(), loop).write_now(b"data")
    loop.close()
