"""What every device offers to who tracks with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol, Self

from articulata.records.samples import DeviceReport, Sample


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
