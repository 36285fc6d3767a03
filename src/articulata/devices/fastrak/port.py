"""A Fastrak on a serial port: opened, told what to send, read until it is closed.

The port of an emulator is opened in the same way. What goes wrong is a sentence in the report and
never ends the reading: a unit that is unplugged is looked for until it is back, one that falls
silent is started again, since it has forgotten its stream where it was switched off.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterable, Sequence
from typing import Any

from articulata.devices.driver import OpenedDevice, UnitClock
from articulata.devices.fastrak.decoder import FastrakDecoder
from articulata.devices.fastrak.protocol import STATIONS, Format, commands
from articulata.errors import ArticulataError, MissingExtra
from articulata.records.samples import DeviceReport, Sample

BAUD = 115200
"""Bits a second, the fastest a Fastrak has; its switches decide."""

PATIENCE = 1.0
"""Seconds without a byte after which something is the matter. The slowest stream has 15 records a
second."""

FORGOTTEN = 3.0
"""Seconds without a byte after which a unit is started again: switching it off and on takes longer,
and what a machine that is too busy has not heard yet would be lost."""

RETRY = 1.0
"""Seconds between two attempts to open a port that is gone."""

STRANGE = 200
"""Bytes of no record after which something is the matter: all that come, or most of all."""

MOST = 4096
"""Bytes that are read at once at most."""

ANSWER_TIME = 1.0
"""Seconds a unit may take to answer when it is opened."""


def _losses() -> tuple[type[Exception], ...]:
    """Return what is raised where a port goes while it is used."""
    # pyserial's errors are OSErrors; it trips over a port that is closed with a TypeError
    try:
        import termios
    except ImportError:  # a system without them
        return OSError, TypeError
    return OSError, TypeError, termios.error


LOST = _losses()


class FastrakPort(OpenedDevice):
    """Reads a Fastrak at ``port`` ("/dev/ttyUSB0", "COM3"); use it as a context manager.

    ``first`` is the number of its station 1 among all stations of a person. ``active`` are its own
    stations (1 to 4) to be switched on, none leaves them as they are;
    ``hemisphere`` is a direction in T to the side on which the sensors are.
    """

    def __init__(
        self,
        port: str,
        *,
        first: int = 1,
        form: Format | None = None,
        active: Iterable[int] = (),
        hemisphere: tuple[float, float, float] | None = None,
        baud: int = BAUD,
        name: str = "",
    ) -> None:
        self.name = name or port
        self._port = port
        self._baud = baud
        self._form = form or Format()
        self._active = tuple(active)
        self._hemisphere = hemisphere
        self._decoder = FastrakDecoder(self._form, first=first, name=self.name)
        self._clock = UnitClock()
        self._serial: Any = None
        self._descriptor = -1
        self._heard = 0.0
        self._looked = -RETRY
        self._trouble = ""
        self._strange = 0

    @property
    def stations(self) -> tuple[int, ...]:
        """The stations that are expected, by their own numbers."""
        return self._active or STATIONS

    def open(self) -> None:
        """Open the port and start the stream; raise ArticulataError where nobody answers."""
        serial = _pyserial()
        try:
            self._serial = serial.Serial(self._port, self._baud, timeout=0.0, write_timeout=1.0)
            self._descriptor = _descriptor(self._serial)
        except serial.SerialException as error:
            raise ArticulataError(_cannot_open(self._port, error)) from error
        except ValueError as error:
            raise ArticulataError(
                f"{self._port} has no speed of {self._baud} baud; give --baud 300 to {BAUD}, as the"
                " unit's switches are set"
            ) from error
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Stop the stream and close the port, if they still can be."""
        if self._serial is not None:
            with contextlib.suppress(Exception):
                self._serial.write(b"c")
            with contextlib.suppress(Exception):
                self._serial.close()
            self._serial = None

    def read(self, timeout: float) -> Sequence[Sample]:
        """Return samples as soon as some are there, none after ``timeout`` s."""
        if self._serial is None and not self._reopened(timeout):
            return []
        deadline = time.monotonic() + timeout
        while True:
            data, arrival = self._bytes(deadline)
            if data:
                self._heard, self._trouble = arrival, ""
                samples = self._clock.stamp(self._decoder.table(data, arrival))
                if samples:
                    self._strange = self._decoder.skipped
                    return samples
            elif self._serial is None or arrival >= deadline:
                if self._serial is not None and arrival - self._heard > PATIENCE:
                    self._trouble = (
                        f"{self._port}: nothing has come for {arrival - self._heard:.0f} s; see"
                        " that the unit is switched on and its cable is plugged in"
                    )
                    self._start_again(arrival)
                return []

    def report(self) -> DeviceReport:
        """Return how the device fares."""
        report = self._decoder.report(self._trouble)
        most = report.skipped > STRANGE and report.skipped > 0.5 * report.bytes
        if not self._trouble and (most or report.skipped - self._strange > STRANGE):
            return self._decoder.report(
                f"{self._port}: most bytes belong to no record; see that the unit's switches are"
                f" set to {self._baud} baud, 8 bits, no parity"
            )
        return report

    # ---- inside

    def _bytes(self, deadline: float) -> tuple[bytes, float]:
        """Return what has come and when, waiting for the first byte until ``deadline``."""
        try:
            if self._descriptor < 0:
                return self._by_pyserial(deadline)
            ready, _, _ = select.select(
                [self._descriptor], [], [], max(deadline - time.monotonic(), 0.0)
            )
            data = os.read(self._descriptor, MOST) if ready else b""
            if ready and not data:
                raise OSError("it is ready to be read and gives nothing")
            return data, time.monotonic()
        except BlockingIOError:  # somebody else has read it
            return b"", time.monotonic()
        except LOST:
            self._trouble = f"{self._port} is gone; it is read again as soon as it is plugged in"
            with contextlib.suppress(Exception):
                self._serial.close()
            self._serial = None
            self._looked = time.monotonic()
            return b"", time.monotonic()

    def _by_pyserial(self, deadline: float) -> tuple[bytes, float]:
        """Do the same where a port is no file: in some four calls of the system."""
        self._serial.timeout = max(deadline - time.monotonic(), 0.0)
        data = self._serial.read(1)
        waiting = self._serial.in_waiting
        if waiting:
            data += self._serial.read(waiting)
        return data, time.monotonic()

    def _reopened(self, timeout: float) -> bool:
        now = time.monotonic()
        if now - self._looked < RETRY:
            time.sleep(min(timeout, RETRY - (now - self._looked)))
        if time.monotonic() - self._looked < RETRY:
            return False
        self._looked = time.monotonic()
        try:
            self.open()
        except ArticulataError as error:
            self._trouble = f"{error}. It is tried again until it can be read"
            return False
        self._trouble = ""
        return True

    def _start_again(self, now: float) -> None:
        """Start the stream of a silent unit, once in a while; nobody may be there to hear it.

        What it sends then is read as ever: it may have been sending all the time.
        """
        if now - self._heard > FORGOTTEN and now - self._looked >= RETRY:
            self._looked = now
            with contextlib.suppress(*LOST):  # the next read tells
                self._serial.write(self._starting())

    def _starting(self) -> bytes:
        """Return the commands that choose the format and start the stream."""
        chosen = commands(self._form, active=self._active, hemisphere=self._hemisphere)
        return chosen + b"C"

    def _start(self) -> None:
        """Stop what runs, ask who is there, choose the format and start the stream."""
        self._decoder.table(b"", 0.0)  # what has to be compiled is compiled before anything comes
        try:
            self._serial.write(b"c")
            time.sleep(0.05)
            self._serial.reset_input_buffer()
            self._serial.write(b"S")
            answer = self._answer()
            if not answer.startswith(b"2"):
                raise ArticulataError(_no_answer(self._port, self._baud, answer))
            self._decoder.answers.append(answer[9:].decode("ascii", "replace").strip())
            self._serial.write(self._starting())
        except LOST as error:
            raise ArticulataError(_cannot_open(self._port, error)) from error
        self._heard = time.monotonic()

    def _answer(self) -> bytes:
        deadline = time.monotonic() + ANSWER_TIME
        found = b""
        while time.monotonic() < deadline and b"\r\n" not in found:
            self._serial.timeout = max(deadline - time.monotonic(), 0.0)
            found += self._serial.read(max(1, self._serial.in_waiting))
        return found.partition(b"\r\n")[0]


def _pyserial() -> Any:
    """Return pyserial, or say how to install it."""
    try:
        import serial
    except ImportError as error:
        raise MissingExtra(
            "a serial port is read by pyserial, which is not installed; install it with"
            " pip install 'articulata[devices]'"
        ) from error
    return serial


def _descriptor(opened: Any) -> int:
    """Return the file that a port is, -1 where it is none: on Windows."""
    try:
        return int(opened.fileno())
    except (AttributeError, OSError):
        return -1


def _cannot_open(port: str, error: Exception) -> str:
    number = getattr(error, "errno", None)
    text = str(error)
    if number == 13 or "Permission" in text:
        return (
            f"{port} may not be opened: you have no permission. On Linux, join the group that owns"
            " it (ls -l shows which, often dialout) and log in again"
        )
    if number == 2 or "No such file" in text or "FileNotFound" in text:
        ports = ", ".join(known_ports()) or "none"
        return f"there is no port {port}; ports of this machine: {ports}"
    if number == 16 or "busy" in text.lower():
        return f"{port} is in use by another program; close it first"
    if number in (21, 25) or "Inappropriate ioctl" in text:
        return (
            f"{port} is no serial port; ports of this machine: {', '.join(known_ports()) or 'none'}"
        )
    return f"{port} cannot be opened: {text}"


def _no_answer(port: str, baud: int, answer: bytes) -> str:
    if answer:
        return (
            f"what answers at {port} is no Fastrak, or speaks at another speed: it sent"
            f" {answer[:20]!r}. See that the unit's switches are set to {baud} baud, 8 bits, no"
            " parity, or give its speed (--baud)"
        )
    return (
        f"nobody answers at {port} at {baud} baud; see that the unit is switched on, that its"
        " cable is plugged in and its switches are set to this speed"
    )


def known_ports() -> list[str]:
    """Return the serial ports of this machine."""
    _pyserial()
    from serial.tools.list_ports import comports

    return sorted(str(port.device) for port in comports())
