"""Bytes of a Fastrak in, samples out; nothing else happens here.

The format has no checksum. A record counts when its header, its fixed bytes and its numbers are
such as a Fastrak sends: numbers in their range, a quaternion of length 1, axes at right angles.
Where one does not, the search for the next begins at the very next byte, so that a damage costs
the records it touches and no other.
"""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Callable
from functools import cache
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from articulata.devices.fastrak.protocol import (
    ANGLES,
    ANSWER,
    BEST,
    DATA,
    LETTERS,
    NUMBERS,
    PLACE,
    QUATERNION,
    STATIONS,
    STYLUS,
    UNITS_OF_LENGTH,
    WIDTH,
    X_COSINES,
    Y_COSINES,
    Z_COSINES,
    Format,
)
from articulata.kernels.compile import bind
from articulata.kernels.tracker_records import FARTHEST, ROUNDING, read_records
from articulata.kernels.tracker_records import LENGTH as USUAL_LENGTH
from articulata.records.samples import COLUMNS, NO_PLACE, DeviceReport, Sample, Samples

Numbers: TypeAlias = tuple[float, ...]

LONGEST_ANSWER = 80
"""Bytes; an answer that is longer is none."""

ROUNDING_ASCII = 5e-3
"""How far the length of a quaternion or axis in text may be from 1: four digits give 2e-4."""

RIGHT_ANGLE = 0.01
"""Cosine up to which two axes of a record stand at right angles."""

OUT_OF_RANGE, LENGTH, TEXT, FIXED, HEADER = (
    "number out of range",
    "orientation of another length than 1",
    "characters that are no number",
    "fixed bytes missing",
    "no record begins here",
)
"""What is wrong with records that are left out."""


NO_ROWS = np.empty((0, COLUMNS))
"""What no samples are, as a table."""

_WRITTEN = re.compile(rb" *[+-]? *[0-9]+\.[0-9]+")
_ANSWERED = re.compile(rb"2[1-4*][A-Za-z][ -~]*")
_ANSWERING = re.compile(rb"2(?:[1-4*](?:[A-Za-z][ -~]*\r?)?)?")


class _Damaged(Exception):
    """A record is not what it should be."""


class _Record:
    """How records of one station are read."""

    def __init__(self, form: Format, station: int) -> None:
        self.length = form.length(station)
        self._binary = form.binary
        self._unit = UNITS_OF_LENGTH[form.unit]
        self._fixed: list[tuple[int, bytes]] = []
        self._fields: list[tuple[int, int, int]] = []
        self._stylus = -1
        at, numbers = 3, 0
        for item in form.items[station]:
            if item in LETTERS:
                self._fixed.append((at, LETTERS[item]))
            elif item == STYLUS:
                self._stylus = at
            else:
                self._fields.append((item, at, numbers))
                numbers += NUMBERS[item]
            at += form.width(item)
        self.at = {item: first for item, _, first in self._fields}
        self._unpack = self._unpacker()
        self.has_place = PLACE in self.at
        self.tolerance = ROUNDING if form.binary else ROUNDING_ASCII

    def _unpacker(self) -> Callable[[bytes, int], Numbers]:
        parts, at = [], 3
        for item, start, _ in self._fields:
            count = NUMBERS[item]
            parts.append(f"{start - at}x" if start > at else "")
            parts.append(f"{count}f" if self._binary else f"{WIDTH}s" * count)
            at = start + count * (4 if self._binary else WIDTH)
        return struct.Struct("<3x" + "".join(parts)).unpack_from

    def read(self, buffer: bytes, start: int) -> tuple[Numbers, Numbers, bool]:
        """Return quaternion, place (m) and whether the stylus is pressed, or raise _Damaged."""
        for at, letters in self._fixed:
            if buffer[start + at : start + at + len(letters)] != letters:
                raise _Damaged(FIXED)
        numbers = self._unpack(buffer, start)
        if not self._binary:
            try:
                numbers = tuple([_number(text) for text in numbers])  # type: ignore[arg-type] # text here
            except ValueError:
                raise _Damaged(TEXT) from None
        pressed = False
        if self._stylus >= 0:
            word = buffer[start + self._stylus : start + self._stylus + 2]
            if word not in (b" 0", b" 1"):
                raise _Damaged(FIXED)
            pressed = word == b" 1"
        place: Numbers = NO_PLACE
        if self.has_place:
            first, unit = self.at[PLACE], self._unit
            x, y, z = numbers[first] * unit, numbers[first + 1] * unit, numbers[first + 2] * unit
            # a comparison that NaN fails as well
            if not (x * x + y * y + z * z <= FARTHEST * FARTHEST):
                raise _Damaged(OUT_OF_RANGE)
            place = (x, y, z)
        return self._turned(numbers), place, pressed

    def _turned(self, numbers: Numbers) -> Numbers:
        first = self.at.get(QUATERNION)
        if first is not None:
            w, x, y, z = numbers[first : first + 4]
            if not (abs(w * w + x * x + y * y + z * z - 1.0) <= 2.0 * self.tolerance):
                raise _Damaged(LENGTH)
            return w, x, y, z
        first = self.at.get(ANGLES)
        if first is not None:
            return _from_angles(*numbers[first : first + 3])
        axes = [self.at.get(item) for item in (X_COSINES, Y_COSINES, Z_COSINES)]
        if None in axes:
            return (math.nan,) * 4
        return _from_axes([numbers[k : k + 3] for k in axes if k is not None], self.tolerance)


def _number(text: bytes) -> float:
    """Return one number of 7 characters; raise ValueError where it is none."""
    if _WRITTEN.fullmatch(text) is None:
        raise ValueError
    return float(text.replace(b" ", b""))


def _from_angles(azimuth: float, elevation: float, roll: float) -> Numbers:
    """Return the quaternion of ``Rz(azimuth) Ry(elevation) Rx(roll)``, degrees."""
    if not (abs(azimuth) <= 180.01 and abs(elevation) <= 90.01 and abs(roll) <= 180.01):
        raise _Damaged(OUT_OF_RANGE)
    half = 0.5 * math.pi / 180.0
    ca, sa = math.cos(half * azimuth), math.sin(half * azimuth)
    ce, se = math.cos(half * elevation), math.sin(half * elevation)
    cr, sr = math.cos(half * roll), math.sin(half * roll)
    return (
        ca * ce * cr + sa * se * sr,
        ca * ce * sr - sa * se * cr,
        ca * se * cr + sa * ce * sr,
        sa * ce * cr - ca * se * sr,
    )


def _from_axes(axes: list[Numbers], tolerance: float) -> Numbers:
    """Return the quaternion of the matrix whose columns are ``axes``."""
    # Imported here: records of this kind are rare, and the first one is in no hurry.
    from articulata.geometry.quaternion import q_from_matrix

    R = np.array(axes).T
    products = R.T @ R
    if not np.all(np.abs(np.diag(products) - 1.0) <= 2.0 * tolerance):
        raise _Damaged(LENGTH)
    if not np.all(np.abs(products - np.diag(np.diag(products))) <= RIGHT_ANGLE):
        raise _Damaged(LENGTH)
    U, _, Vt = np.linalg.svd(R)
    nearest = U @ np.diag((1.0, 1.0, np.linalg.det(U @ Vt))) @ Vt
    w, x, y, z = q_from_matrix(nearest).tolist()
    return w, x, y, z


class FastrakDecoder:
    """Takes bytes as they come and gives the samples that are whole.

    ``form`` says how records are written; ``first`` is the number of station 1 among all stations
    of a person, so that a second unit counts on from 5. ``answers`` collects the texts of answers.
    """

    def __init__(self, form: Format, *, first: int = 1, name: str = "fastrak") -> None:
        self.answers: list[str] = []
        self._name = name
        self._first = first
        self._buffer = b""
        self._records = {ord("0") + station: _Record(form, station) for station in form.items}
        self._bytes = self._samples = self._skipped = 0
        self._damaged: Counter[str] = Counter()
        self._in_step = True
        usual = form.binary and all(form.items.get(station) == BEST for station in STATIONS)
        self._usual = UNITS_OF_LENGTH[form.unit] if usual else 0.0

    @property
    def skipped(self) -> int:
        """How many bytes belonged to no record so far."""
        return self._skipped

    def report(self, trouble: str = "") -> DeviceReport:
        """Return what came so far."""
        return DeviceReport(
            self._name,
            self._bytes,
            self._samples,
            self._skipped,
            MappingProxyType(dict(self._damaged)),
            trouble,
            self.answers[-1] if self.answers else "",
        )

    def feed(self, data: bytes, arrival: float) -> list[Sample]:
        """Return the samples that ``data``, come at ``arrival`` (s), completes."""
        buffer = self._buffer + data if self._buffer else data
        self._bytes += len(data)
        found: list[Sample] = []
        at, end, records, first = 0, len(buffer), self._records, self._first
        while at + 3 <= end:
            record = records.get(buffer[at + 1]) if buffer[at] == DATA else None
            letter = buffer[at + 2]
            if record is not None and (letter == 32 or 65 <= letter <= 90 or 97 <= letter <= 122):
                if at + record.length > end:
                    break
                try:
                    turned, place, pressed = record.read(buffer, at)
                except _Damaged as damage:
                    self._lost(str(damage))
                    at += 1
                    self._skipped += 1
                    continue
                found.append(
                    Sample(
                        buffer[at + 1] - 49 + first,
                        arrival,
                        arrival,
                        turned,  # type: ignore[arg-type] # four numbers
                        place,  # type: ignore[arg-type] # three numbers
                        "" if letter == 32 else chr(letter),
                        pressed,
                    )
                )
                at += record.length
                self._in_step = True
                continue
            if buffer[at] == ANSWER:
                length = self._answer(buffer, at)
                if length is None:
                    break
                if length:
                    at += length
                    self._in_step = True
                    continue
            self._lost(HEADER)
            at += 1
            self._skipped += 1
        self._buffer = buffer[at:]
        self._samples += len(found)
        return found

    def table(self, data: bytes, arrival: float, after: Samples | None = None) -> Samples:
        """Return the same samples as ``feed`` would, as rows that no object was made for.

        They stand behind those of ``after``, which another unit sent. Good records of the form that
        is asked for here are read by a kernel; with the first that is anything else ``feed`` goes
        on.
        """
        before = NO_ROWS if after is None else after.table
        if self._buffer or not self._usual:
            found = Samples.of(self.feed(data, arrival))
            return found if after is None else after + found
        known = len(before)
        table = np.empty((known + len(data) // USUAL_LENGTH, COLUMNS))
        count = _reader()(data, arrival, self._first, self._usual, before, table)
        end = count * USUAL_LENGTH
        if count:
            self._in_step = True
            self._bytes += end
            self._samples += count
        if end == len(data):
            return Samples(table)
        rest = Samples.of(self.feed(data[end:], arrival))
        return Samples(table[: known + count]) + rest if known + count else rest

    def _lost(self, why: str) -> None:
        """Count a damage once, however many bytes it takes until the next record begins."""
        if self._in_step:
            self._damaged[why] += 1
        self._in_step = False

    def _answer(self, buffer: bytes, at: int) -> int | None:
        """Return the length of the answer that begins ``at``: 0 for none, None for not yet."""
        stop = buffer.find(b"\r\n", at, at + LONGEST_ANSWER)
        if stop < 0:
            begun = buffer[at : at + LONGEST_ANSWER]
            waits = len(begun) < LONGEST_ANSWER and _ANSWERING.fullmatch(begun) is not None
            return None if waits else 0
        text = buffer[at:stop]
        if _ANSWERED.fullmatch(text) is None:
            return 0
        self.answers.append(text.decode("ascii"))
        return stop + 2 - at


@cache
def _reader() -> Callable[..., int]:
    """Return the kernel for arguments as ``table`` has them in every call."""
    return bind(read_records, b"", 0.0, 1, 1.0, NO_ROWS, NO_ROWS)
