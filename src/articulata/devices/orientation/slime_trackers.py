"""SlimeVR's trackers as a device: a server that they find, several of them at one port.

A tracker is called by its hardware address and a sensor of it, "3c:71:bf:12:34:56/0"; one without
an address (a phone) by the machine it sends from. There is no protection: who reaches the port can
say that he is any of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from articulata.devices.clocks import SenderClock
from articulata.devices.orientation.datagrams import LOCAL, PATIENCE, Address, DatagramDevice
from articulata.devices.orientation.sensor_readings import NoReading, Reading, sample_of
from articulata.devices.orientation.slime_packets import (
    FEATURES,
    HANDSHAKE_ANSWER,
    HEARTBEAT,
    PORT,
    FeaturesAsked,
    Handshake,
    SensorInfo,
    Turned,
    read_packet,
)
from articulata.records.samples import NO_PLACE, DeviceReport, Sample

BEAT = 0.5
"""Seconds between two heartbeats, as SlimeVR's own server sends them."""

MOST_TRACKERS = 32
MOST_SENSORS = 16
"""Beyond these nobody meant them: a body has fewer parts, a tracker two or three sensors."""

GONE = 10.0
"""Seconds of silence after which a tracker's room is another's."""


@dataclass(slots=True)
class SensorHeard:
    """How many rotations were heard of a sensor between ``first`` and ``last`` (s).

    ``turned`` (rad) is how far it turned from the first one at most.
    """

    first: float
    begun: tuple[float, float, float, float]
    last: float = 0.0
    count: int = 0
    turned: float = 0.0

    def take(self, q: tuple[float, float, float, float], now: float) -> None:
        """Take one rotation."""
        along = abs(sum(a * b for a, b in zip(q, self.begun, strict=True)))
        self.turned = max(self.turned, 2.0 * math.acos(min(along, 1.0)))
        self.count += 1
        self.last = now

    @property
    def rate(self) -> float:
        """Rotations a second."""
        lasted = self.last - self.first
        return (self.count - 1) / lasted if lasted > 0.0 else 0.0


@dataclass(slots=True)
class _Tracker:
    name: str
    number: int = 0
    heard: float = 0.0
    sensors: set[int] = field(default_factory=set)


class SlimeTrackers(DatagramDevice):
    """Hears SlimeVR's trackers at a UDP ``port``; ``stations`` numbers them by their names.

    Trackers that are not named there are heard, told of and left out.
    """

    def __init__(
        self, port: int = PORT, *, host: str = LOCAL, stations: Mapping[str, int] | None = None
    ) -> None:
        taken = "close who hears it: SlimeVR's own server does, and can send on as VMC"
        super().__init__(host, port, f"slimevr {port}", taken)
        self._stations = stations or {}
        self._trackers: dict[Address, _Tracker] = {}
        self._heard_of: dict[str, SensorHeard] = {}
        self._clock = SenderClock()
        self._beaten = -math.inf
        self._samples = self._late = 0

    @property
    def sensors(self) -> Mapping[str, SensorHeard]:
        """The sensors that were heard, by their names."""
        return MappingProxyType(self._heard_of.copy())

    def read(self, timeout: float) -> list[Sample]:
        """Return what has come as soon as something has, nothing after ``timeout`` s."""
        found = super().read(timeout)
        now = time.monotonic()
        if now - self._beaten >= BEAT:
            self._beaten = now
            for address in self._trackers:
                self._send(HEARTBEAT, address)
        return found

    def take(self, data: bytes, sender: Address, arrival: float) -> list[Sample]:
        """Return the samples of a datagram; answer what a tracker waits for."""
        try:
            number, said = read_packet(data)
        except NoReading as error:
            self._damaged.add(str(error)[:60])
            return []
        for each in said:
            if isinstance(each, Handshake) and self._room(sender, each.mac, arrival):
                self._send(HANDSHAKE_ANSWER, sender)
        tracker = self._trackers.get(sender)
        if tracker is None:
            self._strangers.add(self._who(sender))
            return []
        if number and number <= tracker.number and arrival - tracker.heard < PATIENCE:
            self._late += 1  # twice, or after a later one
            return []
        tracker.number, tracker.heard = number or tracker.number, arrival
        found = []
        for each in said:
            if isinstance(each, SensorInfo):
                self._send(each.answer, sender)
            elif isinstance(each, FeaturesAsked):
                self._send(FEATURES, sender)
            elif isinstance(each, Turned):
                found += self._sample(tracker, each, arrival)
        return found

    def _room(self, sender: Address, mac: str, now: float) -> bool:
        """Return whether there is room for a tracker, which is new or starts anew."""
        name = mac or sender[0]
        for address, each in list(self._trackers.items()):
            if each.name == name or now - each.heard > GONE:
                del self._trackers[address]
        if len(self._trackers) >= MOST_TRACKERS:
            return False
        self._trackers[sender] = _Tracker(name, heard=now)
        self._beaten = -math.inf
        return True

    def _sample(self, tracker: _Tracker, said: Turned, arrival: float) -> list[Sample]:
        if said.sensor not in tracker.sensors and len(tracker.sensors) >= MOST_SENSORS:
            self._damaged.add(f"more than {MOST_SENSORS} sensors of one tracker")
            return []
        tracker.sensors.add(said.sensor)
        name = f"{tracker.name}/{said.sensor}"
        if name not in self._heard_of and len(self._heard_of) >= MOST_TRACKERS * MOST_SENSORS:
            return []
        heard = self._heard_of.setdefault(name, SensorHeard(arrival, said.q))
        heard.take(said.q, arrival)
        station = self._stations.get(name)
        if station is None:
            return []
        self._heard = arrival
        self._samples += 1
        reading = Reading(station, math.nan, said.q, NO_PLACE)
        return [sample_of(reading, self._clock.time_of(station, math.nan, arrival), arrival)]

    def report(self) -> DeviceReport:
        """Return how the trackers fare."""
        hint = "" if self._address[0] != LOCAL else "; --listen 0.0.0.0 hears the network's"
        trouble = self._silence(
            "rotation of a named tracker",
            f"switch trackers on, and bring them to this network{hint}",
        )
        told = [f"{len(self._trackers)} trackers"]
        if self._late:
            told.append(f"{self._late} packets that came twice or late left out")
        if self._strangers.total:
            told.append(f"{self._strangers.total} datagrams of strangers left out")
        unnamed = [name for name in self._heard_of.copy() if name not in self._stations]
        notice = ""
        if unnamed:
            notice = f"heard, and left out, since nothing is said to sit there: {listed(unnamed)}"
        damaged = self._damaged.most()
        return DeviceReport(
            self.name, self._bytes, self._samples, 0, damaged, trouble, ", ".join(told), notice
        )


def listed(names: list[str], most: int = 8) -> str:
    """Return names side by side, the first ``most`` of them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
