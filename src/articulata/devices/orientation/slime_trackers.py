"""SlimeVR's trackers as a device: a server that they find, several of them at one port.

A tracker is called by its hardware address and a sensor of it, "3c:71:bf:12:34:56/0"; one without
an address (a phone) by the machine it sends from. There is no protection: who reaches the port can
say that he is any of them.

Packets are big-endian: an identifier (u32), a number that rises (u64), then what the identifier
asks for, as SlimeVR-Tracker-ESP sends (``src/network/connection.cpp`` and ``packets.h``) and
SlimeVR-Server reads (``UDPPacket.kt``, ``UDPProtocolParser.kt``). Bundles (100, with a compact form
101) hold packets without numbers, each behind its length. The quaternion turns the sensor's frame
into the earth's: x level, z up.
"""

from __future__ import annotations

import math
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from articulata.devices.driver import SenderClock
from articulata.devices.orientation.datagrams import LOCAL, PATIENCE, Address, DatagramDevice
from articulata.devices.orientation.sensor_readings import NoReading, Reading, checked, sample_of
from articulata.records.samples import NO_PLACE, DeviceReport, Sample

PORT = 6969
"""Where the firmware looks for its server, and nowhere else."""

HANDSHAKE_ANSWER = b"\x03Hey OVR =D 5".ljust(64, b"\x00")
"""What a tracker waits for: its fourth character is no identifier, it begins at once."""

HEARTBEAT = struct.pack(">IQ", 1, 0)
"""What a tracker has to hear every 3 s, or it looks for a server again."""

FEATURES = struct.pack(">IQB", 22, 0, 0b11)
"""Bundles (bit 0) and compact ones (bit 1) are understood."""

_ROTATION, _HANDSHAKE, _SENSOR, _ROTATION_2, _ROTATION_DATA = 1, 3, 15, 16, 17
_FEATURES, _SHORT_ROTATION, _BUNDLE, _COMPACT = 22, 23, 100, 101
_NORMAL = 1
"""The type of a rotation that is the sensor's; 2 is what a magnetometer would correct."""


class Turned(NamedTuple):
    """Sensor ``sensor`` of the tracker is turned by ``q``, w first."""

    sensor: int
    q: tuple[float, float, float, float]


class Handshake(NamedTuple):
    """A tracker looks for a server; ``mac`` is "" where it tells none, as old phones do."""

    mac: str


class SensorInfo(NamedTuple):
    """A tracker tells that it has a sensor, until it is acknowledged by ``answer``."""

    answer: bytes


class FeaturesAsked(NamedTuple):
    """A tracker asks what its server understands."""


Said: TypeAlias = Turned | Handshake | SensorInfo | FeaturesAsked


def read_packet(data: bytes) -> tuple[int, list[Said]]:
    """Return a datagram's number and what it says, nothing for kinds that tell no rotation.

    Raises NoReading for what does not hold what it says that it holds.
    """
    if len(data) < 12:
        raise NoReading("a packet of less than 12 bytes")
    kind, number = struct.unpack_from(">IQ", data)
    if kind not in (_BUNDLE, _COMPACT):
        return number, _read(kind, data[12:])
    length, identifier = (">H", ">I") if kind == _BUNDLE else (">B", ">B")
    head, least = struct.calcsize(length), struct.calcsize(identifier)
    found: list[Said] = []
    at = 12
    while at < len(data):
        inside = data[at + head : at + head + _number(length, data, at)]
        if len(inside) < max(least, _number(length, data, at)):
            raise NoReading("a bundle that is cut short")
        found += _read(_number(identifier, inside, 0), inside[least:])
        at += head + len(inside)
    return number, found


def _number(form: str, data: bytes, at: int) -> int:
    if at + struct.calcsize(form) > len(data):
        raise NoReading("a bundle that is cut short")
    return int(struct.unpack_from(form, data, at)[0])


def _read(kind: int, data: bytes) -> list[Said]:
    if kind == _HANDSHAKE:
        return [Handshake(_mac(data))]
    if kind == _FEATURES:
        return [FeaturesAsked()]
    if kind == _SENSOR:
        if len(data) < 2:
            raise NoReading("a sensor's state that is cut short")
        return [SensorInfo(struct.pack(">I", _SENSOR) + data[:2])]
    if kind == _ROTATION_DATA:
        sensor, use, *q = _unpack(">BB4f", data)
        return [_turned(int(sensor), q)] if use == _NORMAL else []
    if kind == _SHORT_ROTATION:
        sensor, *q = _unpack(">B4h", data)
        return [_turned(int(sensor), [each / 32768.0 for each in q])]
    if kind == _ROTATION_2 or (kind == _ROTATION and data):  # a heartbeat is a 1 without more
        return [_turned(int(kind == _ROTATION_2), list(_unpack(">4f", data)))]
    return []


def _unpack(form: str, data: bytes) -> tuple[float, ...]:
    if len(data) < struct.calcsize(form):
        raise NoReading("a rotation that is cut short")
    return struct.unpack_from(form, data)


def _turned(sensor: int, xyzw: list[float]) -> Turned:
    x, y, z, w = xyzw
    return Turned(sensor, checked(1, math.nan, (w, x, y, z)).q)


def _mac(data: bytes) -> str:
    """Return the address in a handshake: after seven numbers and the firmware's name."""
    at = 29 + data[28] if len(data) > 28 else len(data)
    mac = data[at : at + 6]
    return mac.hex(":") if len(mac) == 6 and any(mac) else ""


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
