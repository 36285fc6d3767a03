"""Devices that steer a flight: each is read by a thread of its own, into the page's mailbox."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, Final

from articulata.devices.puck.doors import Puck, puck
from articulata.report.viewer.mailbox import Mailbox
from articulata.world.requests.choices import DeviceChoice

WAIT: Final = 0.05
STEERS: Final = ("spacemouse", "gamepad")


class SteeringDevices:
    """Reads the devices of ``sources`` until it is closed; use it as a context manager.

    ``say`` is told what is the matter with one, once each time that changes.
    """

    def __init__(
        self, sources: Iterable[DeviceChoice], wishes: Mailbox[Any], say: Callable[[str], None]
    ) -> None:
        self._wishes, self._say = wishes, say
        self._closing = threading.Event()
        self._pucks = [puck(each.name, each.port) for each in sources if each.name in STEERS]
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

    def _read(self, device: Puck) -> None:
        said = ""
        while not self._closing.is_set():
            axes = device.read(WAIT)
            if axes is not None:
                self._wishes.put("report", axes)
            if device.matter != said:
                said = device.matter
                self._say(said or f"{device.name} is back")
