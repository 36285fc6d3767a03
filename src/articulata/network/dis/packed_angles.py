"""Angles of a figure in few variable records of DIS, where all who take part are ours.

A record of the standard holds 16 bytes and one angle. Ours, of type ``PACKED``, hold fifteen bytes
each beside their type; one behind the other they are 64 bits that say which joints are told (bit k
from the left: row k of ``human_parts.PARTS``), then 12 bits for each of these joints: its angle, as
so many 4096ths of a turn beyond half a turn backwards. Others pass over types they do not know.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array
from articulata.kernels.heard_figures import WIDTH

PACKED = 200
"""The type of such records; the standard's list has none beyond 4."""

BITS = 12
STEP = 2.0 * math.pi / (1 << BITS)
"""rad from one angle that can be told to the next."""

_BODY, _MASK = 15, WIDTH // 8
_PLACES = 1 << np.arange(BITS - 1, -1, -1)


def records_of(columns: Sequence[int], angles: Array) -> list[bytes]:
    """Return the records of joints in rising ``columns`` with ``angles`` (rad)."""
    mask = np.zeros(WIDTH, np.uint8)
    mask[list(columns)] = 1
    whole = (np.rint(angles / STEP).astype(np.int64) + (1 << BITS - 1)) % (1 << BITS)
    bits = (whole[:, None] & _PLACES > 0).astype(np.uint8)
    data = np.packbits(np.concatenate([mask, bits.ravel()])).tobytes()
    return [
        bytes([PACKED]) + data[at : at + _BODY].ljust(_BODY, b"\0")
        for at in range(0, len(data), _BODY)
    ]


def angles_of(records: npt.NDArray[Any]) -> Array:
    """Return angles (n, WIDTH) rad of packets' records (n, count, 16) bytes, NaN where none is.

    Packets whose records stand elsewhere than those of the first that has some tell none.
    """
    found = np.full((len(records), WIDTH), np.nan)
    packed = records[:, :, 0] == PACKED
    told = np.flatnonzero(packed.any(axis=1))
    if not len(told):
        return found
    where = packed[told[0]]
    told = told[(packed[told] == where).all(axis=1)]
    bits = np.unpackbits(records[told][:, where, 1:].reshape(len(told), -1), axis=1)
    row, column = np.nonzero(bits[:, :WIDTH])
    rank = np.cumsum(bits[:, :WIDTH], axis=1, dtype=np.int64)[row, column] - 1
    at = WIDTH + BITS * rank
    there = at + BITS <= bits.shape[1]
    row, column, at = row[there], column[there], at[there]
    whole = bits[row[:, None], at[:, None] + np.arange(BITS)] @ _PLACES
    found[told[row], column] = STEP * (whole - (1 << BITS - 1))
    return found
