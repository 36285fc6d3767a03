"""What every device offers to who tracks with it; one whose sender has its own convention."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol, Self

from articulata.records.samples import DeviceReport, Sample
from articulata.records.sender_conventions import Convention


class Device(Protocol):
    """A source of samples: a port, a socket, a recording.

    ``read`` waits up to ``timeout`` s for samples and never raises for what happens at the other
    end: what is the matter stands in the report, and reading goes on as soon as it can.
    """

    name: str

    def open(self) -> None:
        """Begin; raise ArticulataError where nothing is there."""
        ...

    def close(self) -> None:
        """End."""
        ...

    def read(self, timeout: float) -> Sequence[Sample]:
        """Return samples as soon as some are there, none after ``timeout`` s."""
        ...

    def report(self) -> DeviceReport:
        """Return how the device fares."""
        ...


class OpenedDevice(ABC):
    """A device that is open within ``with``."""

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def open(self) -> None:
        """Begin; raise ArticulataError where nothing is there."""

    @abstractmethod
    def close(self) -> None:
        """End."""


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
