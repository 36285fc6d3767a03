"""A device whose sender writes orientations in a convention of its own."""

from __future__ import annotations

from collections.abc import Sequence

from articulata.devices.device import Device, OpenedDevice
from articulata.records.samples import DeviceReport, Sample
from articulata.records.sender_conventions import Convention


class Meant(OpenedDevice):
    """Reads ``device``, and gives what its samples mean by ``convention``."""

    def __init__(self, device: Device, convention: Convention) -> None:
        self._device, self._convention = device, convention
        self.name = device.name

    def open(self) -> None:
        """Open the device."""
        self._device.open()

    def close(self) -> None:
        """Close it."""
        self._device.close()

    def read(self, timeout: float) -> Sequence[Sample]:
        """Return what its samples mean, as soon as some are there."""
        return self._convention.meant(self._device.read(timeout))

    def report(self) -> DeviceReport:
        """Return how it fares."""
        return self._device.report()
