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

FARTHEST = 12.0
"""m from the transmitter: beyond it nothing can be measured (a Long Ranger reaches 4.6 m)."""

ROUNDING = 1e-3
"""How far the length of a quaternion in binary may be from 1: rounding of float32 gives 1e-7.
Wider, more damaged records pass; narrower, a poor record of a tracker that rounds otherwise is
refused."""


@kernel(counted=False)
def _float(data: Any, at: int) -> float:
    """Return the float32 at four bytes, which need not stand at a multiple of four."""
    word = np.uint32(data[at]) | np.uint32(data[at + 1]) << np.uint32(8)
    word |= np.uint32(data[at + 2]) << np.uint32(16) | np.uint32(data[at + 3]) << np.uint32(24)
    return np.float64(np.uint32(word).view(np.float32))


@kernel(counted=False)
def read_records(
    data: Any, arrival: float, first: int, unit: float, before: Any, table: Any
) -> int:
    """Put the whole, good records that ``data`` (bytes) begins with into ``table`` (n, FIELDS).

    They stand there behind the rows of ``before`` (k, FIELDS), which are copied. They came at
    ``arrival`` (s); station 1 counts as ``first``, a length of 1 as ``unit`` m. A record is good
    whose place and quaternion are of a possible length. Returns how many there are; the rest begins
    with a record that is none, or not whole.
    """
    k = len(before)
    for row in range(k):
        for i in range(FIELDS):
            table[row, i] = before[row, i]
    for row in range(k, len(table)):
        at = LENGTH * (row - k)
        if data[at] != 48 or not 49 <= data[at + 1] <= 52 or data[at + 2] != 32:
            return row - k
        if data[at + 31] != 13 or data[at + 32] != 10:
            return row - k
        x, y, z = _float(data, at + 3), _float(data, at + 7), _float(data, at + 11)
        a, b, c, d = (
            _float(data, at + 15),
            _float(data, at + 19),
            _float(data, at + 23),
            _float(data, at + 27),
        )
        x, y, z = x * unit, y * unit, z * unit
        # comparisons that NaN fails as well
        if not abs(a * a + b * b + c * c + d * d - 1.0) <= 2.0 * ROUNDING:
            return row - k
        if not x * x + y * y + z * z <= FARTHEST * FARTHEST:
            return row - k
        table[row, 0] = data[at + 1] - 49 + first
        table[row, 1], table[row, 2] = arrival, arrival
        table[row, 3], table[row, 4], table[row, 5], table[row, 6] = a, b, c, d
        table[row, 7], table[row, 8], table[row, 9] = x, y, z
        table[row, 10], table[row, 11] = 0.0, 0.0
    return len(table) - k
