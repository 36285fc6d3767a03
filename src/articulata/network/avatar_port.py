"""The door to another program's avatar: datagrams to one address, at a steady rate at most."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Self

from articulata.errors import ArticulataError
from articulata.network.avatar_messages import AVATARS, datagrams
from articulata.records.humanoid import HumanoidFrame
from articulata.records.samples import DeviceReport

RATE = 60.0
"""Frames a second unless somebody says otherwise: as many as most avatars are drawn."""


class AvatarPort:
    """Sends frames as ``protocol`` (a word of AVATARS) to a UDP port; use it as a context manager.

    ``rate`` is how many frames a second leave at most; ``clock`` gives s.
    """

    def __init__(
        self,
        protocol: str,
        host: str,
        port: int,
        *,
        rate: float = RATE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = f"{protocol}://{host}:{port}"
        self._messages = AVATARS[protocol][0]
        self._address, self._clock = (host, port), clock
        self._period, self._due = 1.0 / rate, -1.0
        self._socket: socket.socket | None = None
        self._frames = self._bytes = 0
        self._refused = ""

    def __enter__(self) -> Self:
        host, port = self._address
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
            family, kind, protocol, _, address = found[0]
            self._socket = socket.socket(family, kind, protocol)
            self._socket.connect(address)  # so that it is told where nobody hears
            self._socket.setblocking(False)
        except OSError as error:
            self.close()
            raise ArticulataError(
                f"--to {self.name}: the address cannot be sent to ({error}); give one as in"
                " --to vmc://127.0.0.1:39539"
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Send no more."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def due(self) -> bool:
        """Return whether a frame may leave now; it is expected to be sent then."""
        now = self._clock()
        if now < self._due:
            return False
        # who is late by less than a period is on time with the next one
        self._due = max(self._due, now - self._period) + self._period
        return True

    def send(self, frame: HumanoidFrame) -> None:
        """Send a frame; what cannot leave is told by the report."""
        if self._socket is None:
            return
        refused = ""
        for data in datagrams(self._messages(frame)):
            try:
                self._bytes += self._socket.send(data)
            except OSError as error:
                refused = error.strerror or str(error)
        self._refused = refused
        self._frames += not refused

    def report(self) -> DeviceReport:
        """Return how many frames have left, and whether nobody hears them."""
        told = f"{self._frames} frames sent, {1.0 / self._period:g} a second at most"
        notice = ""
        if self._refused:
            notice = f"nobody hears {self.name} ({self._refused}); start what shows the avatar"
        return DeviceReport(self.name, self._bytes, self._frames, told=told, notice=notice)
