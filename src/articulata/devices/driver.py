"""What devices share: how they are opened and read, and when their samples were measured.

A tracker measures its sensors one after another at an even pace. What a busy machine reads late
arrives together; it was measured one after another all the same, the last just before it arrived.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from typing import Protocol, Self

from articulata.records.samples import Convention, DeviceReport, Sample, Samples


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


WINDOW = 64
"""Arrivals that the pace is taken from."""

GAP = 1.0
"""Seconds without a sample after which the pace is taken anew."""


class UnitClock:
    """Stamps what one unit sends; times rise, whatever the arrivals do."""

    def __init__(self) -> None:
        self._arrivals: deque[tuple[float, int]] = deque(maxlen=WINDOW)
        self._count = 0
        self._last = -math.inf

    def stamp(self, samples: Samples) -> Samples:
        """Put into samples that arrived together the times at which they were measured."""
        several = len(samples)
        if not several:
            return samples
        arrival = samples.arrival
        if self._arrivals and not 0.0 <= arrival - self._arrivals[-1][0] <= GAP:
            # a silence, or a clock that was set back: nothing of before holds
            self._arrivals.clear()
            self._last = -math.inf
        self._count += several
        self._arrivals.append((arrival, self._count))
        slot = self._slot()
        first = arrival - slot * (several - 1)
        if first <= self._last:
            # more came than the pace allows: as even as there is room
            slot = (arrival - self._last) / several
            first = self._last + slot
        times = samples.table[:, 1]
        for number in range(several):
            time = first + slot * number
            if time <= self._last:
                time = math.nextafter(self._last, math.inf)
            times[number] = self._last = time
        return samples

    def _slot(self) -> float:
        """Return the seconds between two samples, 0 while that is not known."""
        (begun, before), (now, count) = self._arrivals[0], self._arrivals[-1]
        return (now - begun) / (count - before) if count > before else 0.0


def told_set_back(who: str, seconds: float) -> str:
    """Return what there is to say of a clock that was set back."""
    return f"{who} was set back by {seconds:.1f} s; its times are taken anew"


DRIFT = 2e-4
"""How fast a sender's clock may run away from ours: 0.2 ms a second, more than a poor one."""


class SenderClock:
    """Turns times of a sender's clock into ours: what arrives soonest tells how they differ.

    ``set_back`` (s) is by how much the sender's clock was set back, 0 where it never was.
    """

    def __init__(self) -> None:
        self.set_back = 0.0
        self._newest = -math.inf
        self._offset = math.inf
        self._arrival = -math.inf
        self._last: dict[int, float] = {}

    def time_of(self, station: int, sent: float, arrival: float) -> float:
        """Return when a reading was made by our clock (s); ``sent`` NaN means as it arrived.

        Times of a station rise; a sender's clock that jumps is taken anew.
        """
        time = arrival
        if not math.isnan(sent):
            offset = arrival - sent
            if sent < self._newest - GAP:
                self.set_back, self._newest = self._newest - sent, sent
            self._newest = max(self._newest, sent)
            if abs(offset - self._offset) > GAP:
                self._offset = offset
            waited = max(arrival - self._arrival, 0.0) if math.isfinite(self._arrival) else 0.0
            self._offset = min(offset, self._offset + DRIFT * waited)
            time = sent + self._offset
        self._arrival = arrival
        last = self._last.get(station, -math.inf)
        if time <= last:
            time = math.nextafter(last, math.inf) if last - time < GAP else arrival
        self._last[station] = time
        return time
