"""Where pucks come in: the kernel's raw HID files, the daemon's socket, the kernel's joysticks.

All three are files of a Linux machine that are read as they are, without a library. A device that
vanishes is looked for until it is back; what is the matter is a sentence.

The reports of a recorded puck come again when they came.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol, cast

from articulata.devices.puck.puck_reports import (
    VENDORS,
    GamepadDecoder,
    PuckDecoder,
    Six,
    SpacenavDecoder,
)
from articulata.errors import ArticulataError
from articulata.records.samples import DeviceReports

RETRY: Final = 1.0
"""s between two looks for a device that is gone."""

SOCKETS: Final = ("/run/spnav.sock", "/var/run/spnav.sock")
DEVICES: Final = Path("/sys/class/hidraw")
GAMEPAD: Final = "/dev/input/js0"


class Decoder(Protocol):
    """What makes six numbers of bytes."""

    @property
    def axes(self) -> Six:
        """The six numbers."""
        ...

    @property
    def fault(self) -> str:
        """What was wrong with the last report that was passed over, "" for none."""
        ...

    def feed(self, data: bytes, /) -> bool:
        """Take bytes; return whether they said something about the axes."""
        ...


class Puck:
    """A device with six axes behind a door: ``read`` waits for news, ``matter`` is what is wrong.

    ``opened`` gives a file's descriptor, or raises OSError; ``made`` a new decoder.
    """

    def __init__(
        self, name: str, opened: Callable[[], int], made: Callable[[], Decoder], most: int = 4096
    ) -> None:
        self.name = name
        self._opened, self._made, self._most = opened, made, most
        self._file: int | None = None
        self._decoder = made()
        self._due = 0.0
        self.matter = ""

    @property
    def fault(self) -> str:
        """What was wrong with the last report that was passed over, "" for none."""
        return self._decoder.fault

    def read(self, timeout: float) -> Six | None:
        """Return where the puck is once it has said so, None after ``timeout`` s without news."""
        if self._file is None and not self._open(timeout):
            return None
        assert self._file is not None
        try:
            if not select.select([self._file], [], [], timeout)[0]:
                return None
            data = os.read(self._file, self._most)
        except OSError as error:
            self._lost(error.strerror or str(error))
            return None
        if not data:
            self._lost("it has ended")
            return None
        return self._decoder.axes if self._decoder.feed(data) else None

    def close(self) -> None:
        """Let the device go."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.close(self._file)
            self._file = None

    def _open(self, timeout: float) -> bool:
        now = time.monotonic()
        if now < self._due:
            time.sleep(min(timeout, self._due - now))
            return False
        self._due = now + RETRY
        try:
            self._file = self._opened()
        except OSError as error:
            self.matter = f"{self.name}: not there ({error.strerror or error}); looking for it"
            return False
        self._decoder, self.matter = self._made(), ""
        return True

    def _lost(self, why: str) -> None:
        self.close()
        self.matter = f"{self.name}: gone ({why}); looking for it"


def puck(name: str, port: str | int | None) -> Puck:
    """Return the device that a text's ``from:`` names; ArticulataError for others.

    A spacemouse without a port is looked for: the daemon's socket first, then the HID files.
    """
    if name == "spacemouse":
        if port is None or str(port).startswith("/dev/hidraw"):
            there = None if port is None else str(port)
            if there is None and any(os.path.exists(each) for each in SOCKETS):
                return Puck("spacenavd", lambda: _socket(SOCKETS), SpacenavDecoder)
            return Puck(there or "3D mouse", lambda: _hid(there), PuckDecoder, 64)
        return Puck(str(port), lambda: _socket((str(port),)), SpacenavDecoder)
    if name == "gamepad":
        where = GAMEPAD if port is None else str(port)
        return Puck(where, lambda: os.open(where, os.O_RDONLY | os.O_NONBLOCK), GamepadDecoder)
    raise ArticulataError(f"'{name}' steers no camera; use spacemouse, gamepad or the page's own")


def hid_files(devices: Path = DEVICES) -> list[Path]:
    """Return the raw HID files of 3D mice: those whose vendor is one and whose name says so."""
    found = []
    for each in sorted(devices.glob("hidraw*")) if devices.is_dir() else ():
        with contextlib.suppress(OSError, ValueError, KeyError):
            lines = (each / "device" / "uevent").read_text("utf-8").splitlines()
            said = dict(line.split("=", 1) for line in lines if "=" in line)
            _, vendor, _ = said["HID_ID"].split(":")
            named = any(word in said["HID_NAME"].lower() for word in ("space", "3dconnexion"))
            if int(vendor, 16) in VENDORS and named:
                found.append(Path("/dev") / each.name)
    return found


def _hid(port: str | None) -> int:
    files: Sequence[Path] = hid_files() if port is None else [Path(port)]
    if not files:
        raise FileNotFoundError(2, "no 3D mouse is plugged in")
    return os.open(files[0], os.O_RDONLY | os.O_NONBLOCK)


def _socket(paths: Sequence[str]) -> int:
    last: OSError = FileNotFoundError(2, "the daemon is not running")
    for path in paths:
        door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            door.connect(path)
        except OSError as error:
            door.close()
            last = error
        else:
            return door.detach()
    raise last


class ReplayedPuck:
    """Says ``reports`` again from the first ``read`` on; ``clock`` gives s, ``sleep`` waits."""

    def __init__(
        self,
        name: str,
        reports: DeviceReports,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name, self.matter, self.fault = name, "", ""
        self._reports, self._clock, self._sleep = reports, clock, sleep
        self._begun: float | None = None
        self._said = 0

    def read(self, timeout: float) -> Six | None:
        """Return the newest report that is due, None after ``timeout`` s without one."""
        now = self._clock()
        if self._begun is None:
            self._begun = now
        if self._said == len(self._reports.times):
            self.matter = f"{self.name}: all that was recorded has been played"
            self._sleep(timeout)
            return None
        wait = self._begun + float(self._reports.times[self._said]) - now
        self._sleep(min(max(wait, 0.0), timeout))
        if wait > timeout:
            return None
        self._said = max(self._reports.known(self._clock() - self._begun), self._said + 1)
        return cast(Six, tuple(self._reports.axes[self._said - 1].tolist()))

    def close(self) -> None:
        """Let it go."""
