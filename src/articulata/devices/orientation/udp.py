"""Orientation sensors over UDP: a socket that hears one sender and tells of all others."""

from __future__ import annotations

import contextlib
import socket
import time
from collections import Counter
from types import MappingProxyType

from articulata.devices.clocks import SenderClock, told_set_back
from articulata.devices.device import OpenedDevice
from articulata.devices.orientation.sensor_readings import NoReading, read_datagram, sample_of
from articulata.errors import ArticulataError
from articulata.records.samples import DeviceReport, Sample

LARGEST = 65536
PATIENCE = 1.0
"""Seconds without a datagram after which something is the matter."""


class UdpSensors(OpenedDevice):
    """Hears sensors at a UDP ``port`` of this machine; use it as a context manager.

    The first who sends a reading is the sender; what others send is counted and left out until the
    sender has been silent for ``PATIENCE`` s. On 127.0.0.1 only programs of this machine are
    heard; "0.0.0.0" hears the network. ``first`` is added to stations, less 1.
    """

    def __init__(self, port: int, *, host: str = "127.0.0.1", first: int = 1) -> None:
        self.name = f"udp {port}"
        self._address = host, port
        self._first = first
        self._socket: socket.socket | None = None
        self._sender: str = ""
        self._clock = SenderClock()
        self._heard = 0.0
        self._bytes = self._samples = 0
        self._damaged: Counter[str] = Counter()
        self._strangers: Counter[str] = Counter()

    def open(self) -> None:
        """Begin to hear; raise ArticulataError where the port is taken."""
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            opened.bind(self._address)
        except (OSError, OverflowError) as error:
            opened.close()
            host, port = self._address
            raise ArticulataError(
                f"UDP port {port} of {host} cannot be heard ({error}); close who hears it, or name"
                " another one from 1024 to 65535"
            ) from error
        self._socket, self._heard = opened, time.monotonic()

    def close(self) -> None:
        """Hear no more."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    @property
    def port(self) -> int:
        """The port that is heard."""
        assert self._socket is not None
        return int(self._socket.getsockname()[1])

    def read(self, timeout: float) -> list[Sample]:
        """Return what has come as soon as something has, nothing after ``timeout`` s."""
        heard = self._socket
        if heard is None:
            time.sleep(timeout)
            return []
        deadline = time.monotonic() + timeout
        found: list[Sample] = []
        while not found and (left := deadline - time.monotonic()) > 0.0:
            heard.settimeout(left)
            with contextlib.suppress(OSError):
                found += self._take(*heard.recvfrom(LARGEST))
            # what waits already is of the same moment
            heard.settimeout(0.0)
            with contextlib.suppress(OSError):
                while len(found) < LARGEST:
                    found += self._take(*heard.recvfrom(LARGEST))
        return found

    def _take(self, data: bytes, sender: tuple[str, int]) -> list[Sample]:
        arrival = time.monotonic()
        who = sender[0] if self._address[0] != "127.0.0.1" else f"{sender[0]}:{sender[1]}"
        self._bytes += len(data)
        if self._sender and who != self._sender and arrival - self._heard < PATIENCE:
            self._strangers[who] += 1
            return []
        try:
            readings = read_datagram(data)
        except NoReading as error:
            self._damaged[str(error)[:60]] += 1
            return []
        if not readings:
            return []
        if who != self._sender:
            self._sender, self._clock = who, SenderClock()
        self._heard = arrival
        self._samples += len(readings)
        return [
            sample_of(
                reading._replace(station=reading.station + self._first - 1),
                self._clock.time_of(reading.station, reading.time, arrival),
                arrival,
            )
            for reading in readings
        ]

    def report(self) -> DeviceReport:
        """Return how the sensors fare."""
        trouble = ""
        silent = time.monotonic() - self._heard
        if silent > PATIENCE:
            host, port = self._address
            trouble = (
                f"no reading has come to UDP port {port} of {host} for {silent:.0f} s; see that the"
                " sender is running and sends here"
            )
        told = f"from {self._sender}" if self._sender else ""
        notices = []
        if self._clock.set_back:
            notices.append(told_set_back(f"the clock of {self._sender}", self._clock.set_back))
        if self._strangers:
            who, count = self._strangers.most_common(1)[0]
            others = sum(self._strangers.values())
            told += f"; {others} datagrams of others left out ({who}: {count})"
            notices.append(
                f"{who} sends to UDP port {self._address[1]} as well; its datagrams are left out,"
                f" since {self._sender} is heard: one sender a port"
            )
        damaged = MappingProxyType(dict(self._damaged.most_common(5)))
        return DeviceReport(
            self.name,
            self._bytes,
            self._samples,
            0,
            damaged,
            trouble,
            told.strip("; "),
            "; ".join(notices),
        )
