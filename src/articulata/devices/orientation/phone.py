"""A phone as an orientation sensor: Android's rotation vector by the app SensorServer.

The app (umer0586/SensorServer) is a server of web sockets: ``/sensor/connect?type=...`` gives one
object of JSON a reading, ``{"values": [x, y, z, w, ...], "timestamp": ns, "accuracy": n}``. The
quaternion turns the phone's frame into the earth's, x east, y north, z up; an old phone leaves w
out (Android's reference, SensorEvent: TYPE_ROTATION_VECTOR).
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from typing import Protocol

import msgspec
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from articulata.devices.driver import OpenedDevice, SenderClock, told_set_back
from articulata.devices.orientation.datagrams import PATIENCE, Tally
from articulata.devices.orientation.sensor_readings import NoReading, Reading, checked, sample_of
from articulata.records.samples import DeviceReport, Sample

PHONE_PORT = 8080
"""Where the app hears unless somebody sets another port in it."""

SENSORS = ("rotation_vector", "game_rotation_vector")
"""Headed by a magnetometer, or without one: steady near metal, with a heading that drifts."""

LARGEST = 4096
"""Bytes of a reading at most: it has some 150."""

RETRY, REACHED = 1.0, 1.5
"""Seconds between two attempts to reach a phone, and for which one lasts."""

AT_ONCE = 256
"""Readings that are taken together at most."""


class _Event(msgspec.Struct):
    values: list[float]
    timestamp: int = 0


_decode: Callable[[str | bytes], _Event] = msgspec.json.Decoder(_Event).decode


def read_event(text: str | bytes, station: int) -> Reading:
    """Return what a reading in JSON says of a station; raise NoReading."""
    try:
        event = _decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NoReading(f"no reading in JSON: {error}") from None
    if not 3 <= len(event.values) <= 8 or not all(map(math.isfinite, event.values)):
        raise NoReading("a rotation vector without three to five finite numbers")
    x, y, z, *rest = event.values
    w = rest[0] if rest else math.sqrt(max(1.0 - x * x - y * y - z * z, 0.0))
    sent = event.timestamp * 1e-9 if event.timestamp > 0 else math.nan
    return checked(1, sent, (w, x, y, z))._replace(station=station)


class Socket(Protocol):
    """What is asked of a connection."""

    def recv(self, timeout: float | None = None) -> str | bytes:
        """Return a message, or raise TimeoutError."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


class Phone(OpenedDevice):
    """Reads a phone at ``host`` and ``port``, which has the one station ``first``.

    A phone that is not reached, or is gone, is looked for until it is there.
    """

    def __init__(
        self, host: str, port: int = PHONE_PORT, *, sensor: str = SENSORS[0], first: int = 1
    ) -> None:
        self.name = f"phone {host}:{port}"
        where = f"[{host}]" if ":" in host else host
        self._url = f"ws://{where}:{port}/sensor/connect?type=android.sensor.{sensor}"
        self._station = first
        self._clock, self._damaged = SenderClock(), Tally()
        self._socket: Socket | None = None
        self._due = -math.inf
        self._heard = -math.inf
        self._matter = "not reached yet"
        self._bytes = self._samples = 0

    def open(self) -> None:
        """Begin to look for the phone."""
        self._due = -math.inf

    def close(self) -> None:
        """Hang up."""
        held, self._socket = self._socket, None
        if held is not None:
            with contextlib.suppress(OSError, WebSocketException):
                held.close()

    def read(self, timeout: float) -> list[Sample]:
        """Return readings as soon as some are there, none after ``timeout`` s."""
        if self._socket is None and not self._reached(timeout):
            return []
        held = self._socket
        assert held is not None
        found: list[Sample] = []
        deadline = time.monotonic() + timeout
        try:
            while len(found) < AT_ONCE:
                # what waits already is of the same moment
                left = 0.0 if found else max(deadline - time.monotonic(), 0.0)
                found += self.take(held.recv(timeout=left), time.monotonic())
        except TimeoutError:
            pass
        except (OSError, WebSocketException) as error:
            self._matter = f"gone ({error})"
            self.close()
        return found

    def take(self, text: str | bytes, arrival: float) -> list[Sample]:
        """Return the sample of a message that came at ``arrival`` (s)."""
        self._bytes += len(text)
        try:
            reading = read_event(text, self._station)
        except NoReading as error:
            self._damaged.add(str(error)[:60])
            return []
        self._heard = arrival
        self._samples += 1
        return [sample_of(reading, self._clock.time_of(1, reading.time, arrival), arrival)]

    def _reached(self, timeout: float) -> bool:
        now = time.monotonic()
        if now < self._due:
            time.sleep(min(timeout, self._due - now))
            return False
        self._due = now + RETRY
        try:
            self._socket = connect(
                self._url, open_timeout=REACHED, close_timeout=0.2, max_size=LARGEST,
                compression=None, proxy=None,
            )  # fmt: skip
        except (OSError, WebSocketException, TimeoutError) as error:
            self._matter = f"not reached ({error or type(error).__name__})"
            return False
        self._clock, self._heard, self._matter = SenderClock(), time.monotonic(), ""
        return True

    def report(self) -> DeviceReport:
        """Return how the phone fares."""
        trouble = ""
        if self._matter:
            trouble = (
                f"{self.name} is {self._matter}; start the app SensorServer on it, in this"
                " network, and give the address that it shows, as in --from phone:192.168.1.20:8080"
            )
        elif time.monotonic() - self._heard > PATIENCE:
            trouble = f"{self.name} tells nothing; wake it up, and look at the app"
        notice = ""
        if self._clock.set_back:
            notice = told_set_back(f"the clock of {self.name}", self._clock.set_back)
        return DeviceReport(
            self.name, self._bytes, self._samples, 0, self._damaged.most(), trouble, "", notice
        )
