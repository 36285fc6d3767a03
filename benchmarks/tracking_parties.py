"""Who stands outside of a tracking program: tracker, browser, and a relay that does nothing else.

Each is a process of its own, as in life: so neither takes the interpreter from the program that is
measured. Clocks are the system's monotonic one, which all processes share.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import socket
import struct
import threading
import time
import tty
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from articulata.analyses.track.tracked_person import tracked_body
from articulata.devices.fastrak.emulated_unit import EmulatedPort, Field
from articulata.geometry.arrays import Array
from articulata.sessions.track.emulation import EmulatedWearing, Emulation
from articulata.sessions.track.tracked_figures import choice_of, follower

FIELD = Field(float(np.radians(0.15)), 0.0008)
"""Noise as of a tracker; it makes every record one of its own."""

STEP = 1e-6
"""m by which each posture's place tells which one it is."""


class Wearer:
    """An emulated wearer with one unit in another process; ``port`` is what to open."""

    def __init__(self, stations: dict[int, str], rate: float) -> None:
        self._line, other = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_wear, args=(other, stations, rate), daemon=True)
        self._process.start()
        self.port: str = self._line.recv()

    def hold(self, q: Array) -> None:
        """Take a posture."""
        self._line.send(("hold", q))

    def perform(self, motion: object = None) -> None:
        """Go on moving."""
        self._line.send(("perform", None))

    def tap(self) -> None:
        """Tap a sensor: nobody asks for it here."""

    def end(self) -> list[tuple[float, bytes]]:
        """Return all that was written: when its last byte was, and the bytes."""
        self._line.send(("end", None))
        written: list[tuple[float, bytes]] = self._line.recv()
        self._process.join(timeout=10.0)
        return written


def _wear(line: Connection, stations: dict[int, str], rate: float) -> None:
    body = tracked_body(follower(choice_of("person")).figure)
    rng = np.random.default_rng(0)
    emulation = Emulation(body, stations, rng, EmulatedWearing(rate=rate, field=FIELD))
    (port,) = emulation.ports
    written: list[tuple[float, bytes]] = []
    write = port._write

    def noted(data: bytes) -> None:
        write(data)
        written.append((time.monotonic(), data))

    port._write = noted  # type: ignore[method-assign] # noted as it goes out
    with emulation:
        assert isinstance(port, EmulatedPort)
        line.send(port.port)
        while True:
            asked, q = line.recv()
            if asked == "end":
                break
            if asked == "hold":
                emulation.hold(q)
            else:
                emulation.perform()
    line.send(written)


class Browser:
    """A client of a viewer's socket in another process, which notes what comes and when."""

    def __init__(self, address: str) -> None:
        self._line, other = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_browse, args=(other, address), daemon=True)
        self._process.start()
        self._line.recv()

    def end(self) -> dict[int, tuple[float, int]]:
        """Return when each posture's picture came and the bytes of its message, by its number."""
        with contextlib.suppress(BrokenPipeError):  # a viewer that was closed has ended it
            self._line.send("end")
        found: dict[int, tuple[float, int]] = self._line.recv()
        self._process.join(timeout=10.0)
        return found


def _browse(line: Connection, address: str) -> None:
    """Note each message when its last byte is there, before anything is made of it."""
    import viser
    from websockets.client import ClientProtocol
    from websockets.frames import OP_BINARY, Frame
    from websockets.typing import Subprotocol
    from websockets.uri import parse_uri

    uri = parse_uri(address.replace("http", "ws"))
    version = Subprotocol(f"viser-v{viser.__version__}")
    protocol = ClientProtocol(uri, subprotocols=[version], max_size=None)
    came: list[tuple[float, Any]] = []
    with socket.create_connection((uri.host, uri.port)) as page:
        page.settimeout(0.2)
        protocol.send_request(protocol.connect())
        page.sendall(b"".join(protocol.data_to_send()))
        line.send("open")
        while not line.poll():
            try:
                data = page.recv(1 << 16)
            except TimeoutError:
                continue
            at = time.monotonic()
            if not data:
                break
            protocol.receive_data(data)
            page.sendall(b"".join(protocol.data_to_send()))
            heard = protocol.events_received()
            frames = [each for each in heard if isinstance(each, Frame)]
            came += [(at, each.data) for each in frames if each.opcode is OP_BINARY]
    line.send(_numbered(came))


class Floor:
    """What the machine takes by itself: bytes through a terminal and a socket, by a bare relay.

    One process writes ``rate`` records a second to a pseudo-terminal and waits for them at a
    socket; another one hands on what it reads, and does nothing else.
    """

    def __init__(self, rate: float) -> None:
        self._line, other = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        ends = context.Process(target=_both_ends, args=(other, rate), daemon=True)
        ends.start()
        relay = context.Process(target=_hand_on, args=self._line.recv(), daemon=True)
        relay.start()
        self._processes = (ends, relay)

    def end(self) -> Array:
        """Return when each record was sent, and how long it took, (n, 2) s."""
        self._line.send("end")
        found = np.array(self._line.recv()).reshape(-1, 2)
        for process in self._processes:
            process.join(timeout=10.0)
        return found


RECORD = 33
"""Bytes of a record."""


def _both_ends(line: Connection, rate: float) -> None:
    outer, inner = os.openpty()
    tty.setraw(inner)
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        line.send((os.ttyname(inner), server.getsockname()[1]))
        receiver, _ = server.accept()
    receiver.settimeout(0.2)

    def write() -> None:
        due = time.monotonic()
        while not done.is_set():
            due += 1.0 / rate
            time.sleep(max(due - time.monotonic(), 0.0))
            os.write(outer, struct.pack("<d", time.monotonic()).ljust(RECORD))

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    waited: list[tuple[float, float]] = []
    data = b""
    while not line.poll():
        try:
            data += receiver.recv(1 << 16)
        except TimeoutError:
            continue
        at = time.monotonic()
        while len(data) >= RECORD:
            (sent,) = struct.unpack_from("<d", data)
            waited.append((sent, at - sent))
            data = data[RECORD:]
    done.set()
    writer.join(timeout=2.0)
    os.close(outer)
    os.close(inner)
    line.send(waited)


def _hand_on(terminal: str, port: int) -> None:
    source = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
    with socket.create_connection(("127.0.0.1", port)) as to, contextlib.suppress(OSError):
        to.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while data := os.read(source, 4096):
            to.sendall(data)


def _numbered(came: list[tuple[float, Any]]) -> dict[int, tuple[float, int]]:
    """Return the pictures among messages, by the number that the root's place tells."""
    import msgspec
    import zstandard

    unpacked = zstandard.ZstdDecompressor()
    found: dict[int, tuple[float, int]] = {}
    for at, data in came:
        size = int.from_bytes(data[8:16], "little")
        told = msgspec.msgpack.decode(unpacked.decompress(data[16 : 16 + size]))
        for each in told["messages"]:
            if each.get("type") == "SetPositionMessage" and each.get("name") == "/figure":
                number = round(each["position"][0] / STEP)
                found.setdefault(number, (at, len(data)))
    return found
