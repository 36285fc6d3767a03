"""An emulated unit on a pseudo-terminal: a port that any driver can open."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Self

from articulata.devices.emulator.unit import EmulatedUnit
from articulata.errors import ArticulataError

IDLE = 0.05
"""Seconds after which a unit that sends nothing looks whether it shall end."""


class EmulatedPort:
    """Runs a unit at ``port`` until it is closed; use it as a context manager.

    ``unplug`` lets the port vanish as a cable does that is pulled, ``plug`` brings it back. With
    ``link`` the port is called so whenever it is there, as systems name ports after a device.
    """

    def __init__(self, unit: EmulatedUnit, *, link: Path | None = None) -> None:
        self.unit = unit
        self.port = ""
        self._link = link
        self._master = -1
        self._slave = -1
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.plug()
        return self

    def __exit__(self, *_: object) -> None:
        self.unplug()

    def plug(self) -> None:
        """Open a pseudo-terminal and begin to serve it."""
        try:
            import pty
            import tty
        except ImportError as error:
            raise ArticulataError(
                "this system has no pseudo-terminals, on which the emulator stands; use a recorded"
                " file, or sensors over UDP"
            ) from error
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.port = os.ttyname(self._slave)
        if self._link is not None:
            self._link.symlink_to(self.port)
            self.port = str(self._link)
        self._closing.clear()
        self._thread = threading.Thread(target=self._run, name="emulated fastrak", daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Let the port vanish."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(timeout=2.0)
            self._thread = None
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        for end in (self._master, self._slave):
            if end >= 0:
                with contextlib.suppress(OSError):
                    os.close(end)
        self._master = self._slave = -1

    def _run(self) -> None:
        import select

        master, unit = self._master, self.unit
        while not self._closing.is_set():
            wait = min(max(unit.next_due() - time.monotonic(), 0.0), IDLE)
            ready, _, _ = select.select([master], [], [], wait)
            now = time.monotonic()
            out = b""
            if ready:
                try:
                    out = unit.receive(os.read(master, 4096), now)
                except OSError:
                    return
            out += unit.due(now)
            if out:
                self._write(out)

    def _write(self, data: bytes) -> None:
        """Write what fits: a serial line has no memory for who does not read."""
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._master, data)
