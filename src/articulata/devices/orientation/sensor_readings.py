"""Readings of orientation sensors: a line of text, or an OSC message. Pure: bytes in, values out.

A line holds ``station,time,w,x,y,z`` and perhaps a place ``,px,py,pz``; the time may be empty. An
OSC message has an address that ends in the station, ``/sensor/3``, and 4, 5, 7 or 8 numbers: the
same without the station, the time left out where there are 4 or 7. The quaternion turns the
sensor's frame into the earth's: x level, z up, as inertial sensors have it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

from articulata.records.samples import NO_PLACE, Sample

MOST_STATIONS = 64
"""More than a body has parts; beyond it a number is no station."""

UNIT = 0.02
"""How far the length of a quaternion may be from 1; senders round to two digits at worst."""

MOST_NESTED = 4
"""OSC bundles within bundles beyond which nobody meant them."""


class Reading(NamedTuple):
    """What a sensor told; ``time`` (s) by the sender's clock, NaN where it told none."""

    station: int
    time: float
    q: tuple[float, float, float, float]
    p: tuple[float, float, float]


class NoReading(ValueError):
    """What came is no reading; the message says why."""


def sample_of(reading: Reading, time: float, arrival: float) -> Sample:
    """Return a sample in T, whose z is down: the earth's frame turned half round about x."""
    w, x, y, z = reading.q
    px, py, pz = reading.p
    return Sample(reading.station, time, arrival, (-x, w, -z, y), (px, -py, -pz))


def read_line(line: str) -> Reading:
    """Return what a line says; raise NoReading."""
    fields = [field.strip() for field in line.split(",")]
    if len(fields) not in (6, 9):
        raise NoReading(f"{len(fields)} fields; a line has station,time,w,x,y,z or 3 more")
    try:
        station = int(fields[0])
        time = float(fields[1]) if fields[1] else math.nan
        numbers = [float(field) for field in fields[2:]]
    except ValueError as error:
        raise NoReading(f"a field is no number ({error})") from None
    return checked(station, time, numbers)


def checked(station: int, time: float, numbers: Sequence[float]) -> Reading:
    """Return a reading of numbers that can be one; raise NoReading."""
    if not 1 <= station <= MOST_STATIONS:
        raise NoReading(f"station {station}; stations are from 1 to {MOST_STATIONS}")
    if not all(map(math.isfinite, numbers)) or math.isinf(time):
        raise NoReading("a number is not finite")
    w, x, y, z = numbers[:4]
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if abs(length - 1.0) > UNIT:
        raise NoReading(f"a quaternion of length {length:.3g}")
    place = NO_PLACE if len(numbers) < 7 else (numbers[4], numbers[5], numbers[6])
    return Reading(station, time, (w / length, x / length, y / length, z / length), place)


def read_datagram(data: bytes) -> list[Reading]:
    """Return the readings of a datagram: OSC, or lines of text; raise NoReading."""
    if data[:1] == b"/" or data[:8] == b"#bundle\x00":
        return read_osc(data)
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise NoReading("neither text nor OSC") from None
    return [read_line(line) for line in text.splitlines() if line.strip()]


def read_osc(data: bytes, depth: int = 0) -> list[Reading]:
    """Return the readings of an OSC message, or of all in a bundle; raise NoReading."""
    if data[:8] != b"#bundle\x00":
        return [_message(data)]
    if depth >= MOST_NESTED:
        raise NoReading("bundles too deep in each other")
    found, at = [], 16
    while at < len(data):
        if at + 4 > len(data):
            raise NoReading("a bundle that is cut short")
        (size,) = struct.unpack_from(">i", data, at)
        if size <= 0 or at + 4 + size > len(data):
            raise NoReading("a bundle that is cut short")
        found += read_osc(data[at + 4 : at + 4 + size], depth + 1)
        at += 4 + size
    return found


_SIZES = {"i": (">i", 4), "f": (">f", 4), "d": (">d", 8), "h": (">q", 8)}


def _message(data: bytes) -> Reading:
    address, at = _text(data, 0)
    tags, at = _text(data, at)
    if not tags.startswith(","):
        raise NoReading("an OSC message without types")
    numbers = []
    for tag in tags[1:]:
        if tag not in _SIZES:
            raise NoReading(f"an OSC argument of type {tag!r}; give numbers")
        form, size = _SIZES[tag]
        if at + size > len(data):
            raise NoReading("an OSC message that is cut short")
        numbers.append(float(struct.unpack_from(form, data, at)[0]))
        at += size
    last = address.rpartition("/")[2]
    if not last.isdigit():
        raise NoReading(f"the address {address!r} does not end in a station")
    if len(numbers) not in (4, 5, 7, 8):
        raise NoReading(f"{len(numbers)} numbers; a sensor tells 4, 5, 7 or 8")
    time = numbers.pop(0) if len(numbers) in (5, 8) else math.nan
    return checked(int(last), time, numbers)


def _text(data: bytes, at: int) -> tuple[str, int]:
    """Return the padded text that begins ``at`` and where the next begins."""
    end = data.find(b"\x00", at)
    if end < 0:
        raise NoReading("an OSC message that is cut short")
    try:
        return data[at:end].decode("ascii"), (end + 4) & ~3
    except UnicodeDecodeError:
        raise NoReading("an address that is no text") from None
