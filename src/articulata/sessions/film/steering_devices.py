"""Devices that steer a flight: each is read by a thread of its own, into the page's mailbox."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

from articulata.devices.puck.doors import puck
from articulata.devices.puck.hid_reports import Six
from articulata.devices.puck.replayed import ReplayedPuck
from articulata.records.device_reports import DeviceReports
from articulata.report.viewer.mailbox import Mailbox
from articulata.world.requests.choices import DeviceChoice

WAIT: Final = 0.05
STEERS: Final = ("spacemouse", "gamepad")


class Steering(Protocol):
    """A device that is read: ``matter`` is what is wrong with it, "" where nothing is.

    ``fault`` is what was wrong with the last report that was passed over.
    """

    name: str
    matter: str

    @property
    def fault(self) -> str:
        """What was wrong with a report, "" for nothing."""
        ...

    def read(self, timeout: float) -> Six | None:
        """Return where it is once it has said so, None after ``timeout`` s without news."""
        ...

    def close(self) -> None:
        """Let it go."""
        ...


class SteeringDevices:
    """Reads the devices of ``sources`` until it is closed; use it as a context manager.

    ``say`` is told what is the matter with one, once each time that changes. ``replayed`` are
    recorded reports, played once ``ready`` says that somebody looks on.
    """

    def __init__(
        self,
        sources: Iterable[DeviceChoice],
        wishes: Mailbox[Any],
        say: Callable[[str], None],
        *,
        replayed: DeviceReports | None = None,
        ready: Callable[[], bool] = lambda: True,
    ) -> None:
        self._wishes, self._say, self._ready = wishes, say, ready
        self._closing = threading.Event()
        self._pucks: list[Steering] = [
            puck(each.name, each.port) for each in sources if each.name in STEERS
        ]
        if replayed is not None:
            self._pucks.append(ReplayedPuck("the recorded device", replayed))
        self._threads = [
            threading.Thread(target=self._read, args=(each,), name=each.name, daemon=True)
            for each in self._pucks
        ]

    def __enter__(self) -> SteeringDevices:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        for thread in self._threads:
            thread.join(timeout=2)
        for each in self._pucks:
            each.close()

    def _read(self, device: Steering) -> None:
        said = told = ""
        while isinstance(device, ReplayedPuck) and not self._ready():
            if self._closing.wait(WAIT):
                return
        while not self._closing.is_set():
            axes = device.read(WAIT)
            if axes is not None:
                self._wishes.put("report", axes)
            if device.fault != told:
                told = device.fault
                if told:
                    self._say(f"{device.name}: a report was passed over, {told}")
            if device.matter != said:
                said = device.matter
                self._say(said or f"{device.name} is back")
