"""The two who stand outside of a tracking program: the tracker on its port, the browser.

Each is a process of its own, as in life: so neither takes the interpreter from the program that is
measured. Clocks are the system's monotonic one, which all processes share.
"""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from articulata.analyses.track.body import tracked_body
from articulata.devices.emulator.disturbance import Field
from articulata.devices.emulator.terminal import EmulatedPort
from articulata.geometry.arrays import Array
from articulata.sessions.track.emulation import EmulatedWearing, Emulation
from articulata.sessions.track.figures import choice_of, follower

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
        self._line.send("end")
        found: dict[int, tuple[float, int]] = self._line.recv()
        self._process.join(timeout=10.0)
        return found


def _browse(line: Connection, address: str) -> None:
    import viser
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    came: list[tuple[float, Any]] = []
    with connect(
        address.replace("http", "ws"),
        subprotocols=[Subprotocol(f"viser-v{viser.__version__}")],
        max_size=None,
        compression=None,
    ) as socket:
        line.send("open")
        while not line.poll():
            try:
                message = socket.recv(timeout=0.2)
            except TimeoutError:
                continue
            except ConnectionClosed:
                break
            came.append((time.monotonic(), message))
    line.send(_numbered(came))


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
