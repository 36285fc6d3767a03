"""Readings of orientation sensors: a line of text, or an OSC message. Pure: bytes in, values out.

A line holds ``station,time,w,x,y,z`` and perhaps a place ``,px,py,pz``; the time may be empty; a
table is a file of such lines, as they were sent. An OSC message has an address that ends in the
station, ``/sensor/3``, and 4, 5, 7 or 8 numbers: the same without the station, the time left out
where there are 4 or 7. Apps of phones end it in ``/quaternion`` or ``/rotationvector``: that is
station 1. The quaternion turns the sensor's frame into the earth's: x level, z up, as inertial
sensors have it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from articulata.devices.driver import GAP, told_set_back
from articulata.errors import FormatError
from articulata.records.osc import NoOsc, OscMessage, is_osc, read_osc
from articulata.records.samples import NO_PLACE, Sample

MOST_STATIONS = 64
"""More than a body has parts; beyond it a number is no station."""

UNIT = 0.02
"""How far the length of a quaternion may be from 1; senders round to two digits at worst."""


PHONES = ("quaternion", "rotationvector", "gamerotationvector")
"""What apps of phones end an address with; one phone has one station."""


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
    if is_osc(data):
        return [_of_message(each) for each in messages_of(data)]
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise NoReading("neither text nor OSC") from None
    return [read_line(line) for line in text.splitlines() if line.strip()]


def messages_of(data: bytes) -> list[OscMessage]:
    """Return the messages of a packet of OSC; raise NoReading."""
    try:
        return read_osc(data)
    except NoOsc as error:
        raise NoReading(str(error)) from None


def _of_message(message: OscMessage) -> Reading:
    numbers = [float(each) for each in message.arguments if isinstance(each, int | float)]
    if len(numbers) < len(message.arguments):
        raise NoReading("an OSC argument that is no number; give numbers")
    last = message.address.rpartition("/")[2]
    if last.lower().replace("_", "") in PHONES:
        last = "1"
    if not last.isdecimal():
        raise NoReading(f"the address {message.address!r} does not end in a station")
    if len(numbers) not in (4, 5, 7, 8):
        raise NoReading(f"{len(numbers)} numbers; a sensor tells 4, 5, 7 or 8")
    time = numbers.pop(0) if len(numbers) in (5, 8) else math.nan
    return checked(int(last), time, numbers)


def read_table(path: Path) -> tuple[list[Sample], str]:
    """Return the samples of a file, in the order of their times, and what there is to say of it.

    Raise FormatError with the line. A first line of names is left out, and so are empty lines and
    those that begin with "#". Where a station's clock was set back, times go on from there.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} cannot be read ({error})") from error
    found: list[Sample] = []
    begun = False
    notice, back = "", 0.0
    before: dict[int, tuple[float, float]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            reading = read_line(line)
        except NoReading as error:
            if not begun and not line[:1].isdigit():
                begun = True
                continue
            raise FormatError(f"{path}:{number}: {error}") from None
        begun = True
        if math.isnan(reading.time):
            raise FormatError(f"{path}:{number}: in a file every line needs its time")
        time = reading.time + back
        last, step = before.get(reading.station, (time, 0.0))
        if time < last - GAP:
            notice = told_set_back(f"the clock in {path.name}, line {number},", last - time)
            back += last + step - time
            time = last + step
        before[reading.station] = time, time - last
        found.append(sample_of(reading, time, time))
    if not found:
        raise FormatError(f"{path} holds no line station,time,w,x,y,z")
    return sorted(found, key=lambda sample: sample.time), notice
