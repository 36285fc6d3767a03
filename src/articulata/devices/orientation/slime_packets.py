"""Packets of SlimeVR's trackers: bytes in, what they say out. Pure.

Big-endian: an identifier (u32), a number that rises (u64), then what the identifier asks for, as
SlimeVR-Tracker-ESP sends (``src/network/connection.cpp`` and ``packets.h``) and SlimeVR-Server
reads (``UDPPacket.kt``, ``UDPProtocolParser.kt``). Bundles (100, with a compact form 101) hold
packets without numbers, each behind its length. The quaternion turns the sensor's frame into the
earth's: x level, z up.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple, TypeAlias

from articulata.devices.orientation.sensor_readings import NoReading, checked

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
