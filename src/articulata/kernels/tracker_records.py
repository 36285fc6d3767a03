"""Records of a magnetic tracker, from bytes to rows of numbers.

The record is that of a Fastrak which sends place, quaternion and CR LF in binary: "0", the station
("1" to "4"), a space, seven little-endian float32, CR LF.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from articulata.kernels.compile import kernel

LENGTH = 33
"""Bytes of a record."""

FIELDS = 12
"""Numbers of a row, as ``records.samples.Samples`` has them."""


@kernel
def _float(data: Any, at: int) -> float:
    """Return the float32 at four bytes, which need not stand at a multiple of four."""
    word = np.uint32(data[at]) | np.uint32(data[at + 1]) << np.uint32(8)
    word |= np.uint32(data[at + 2]) << np.uint32(16) | np.uint32(data[at + 3]) << np.uint32(24)
    return np.float64(np.uint32(word).view(np.float32))


@kernel
def read_records(
    data: Any,
    arrival: float,
    first: int,
    unit: float,
    farthest: float,
    tolerance: float,
    table: Any,
) -> int:
    """Put the whole, good records that ``data`` (bytes,) begins with into ``table`` (n, FIELDS).

    They came at ``arrival`` (s); station 1 counts as ``first``, a length of 1 as ``unit`` m. A
    record is good whose place is at most ``farthest`` (m) from the transmitter and whose
    quaternion's squared length is 1 within ``tolerance``. Returns how many there are; the rest
    begins with a record that is none, or not whole.
    """
    for row in range(len(table)):
        at = LENGTH * row
        if data[at] != 48 or not 49 <= data[at + 1] <= 52 or data[at + 2] != 32:
            return row
        if data[at + 31] != 13 or data[at + 32] != 10:
            return row
        x, y, z = _float(data, at + 3), _float(data, at + 7), _float(data, at + 11)
        a, b, c, d = (
            _float(data, at + 15),
            _float(data, at + 19),
            _float(data, at + 23),
            _float(data, at + 27),
        )
        x, y, z = x * unit, y * unit, z * unit
        # comparisons that NaN fails as well
        if not abs(a * a + b * b + c * c + d * d - 1.0) <= tolerance:
            return row
        if not x * x + y * y + z * z <= farthest * farthest:
            return row
        table[row, 0] = data[at + 1] - 49 + first
        table[row, 1], table[row, 2] = arrival, arrival
        table[row, 3], table[row, 4], table[row, 5], table[row, 6] = a, b, c, d
        table[row, 7], table[row, 8], table[row, 9] = x, y, z
        table[row, 10], table[row, 11] = 0.0, 0.0
    return len(table)
