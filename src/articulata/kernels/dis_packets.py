"""Datagrams of DIS, many at once: split into packets, whose lengths and counts are not believed.

``network.dis.packets`` tells how packets are made.
"""

from __future__ import annotations

from typing import Any

from articulata.kernels.array_types import IntArray
from articulata.kernels.compile import kernel

SOURCE, KIND, EXERCISE, BEGIN, LENGTH = range(5)
"""Columns of packets: the datagram, what the header says, where in all bytes the packet stands."""

PART_COLUMNS = 5
HEADER_BYTES = 12
COUNT_AT = 19
"""Where a packet counts its records of 16 bytes, if it does."""

EMPTY, HEADLESS, VERSION, MISFIT, MISCOUNT = range(1, 6)
"""Why a datagram ends, or a packet is damaged."""


@kernel(counted=False)
def split(data: Any, ends: IntArray, layouts: IntArray, parts: IntArray) -> int:
    """Put the packets of datagrams, which end at ``ends``, into ``parts``; return how many.

    ``layouts`` (256, 2) are bytes of each kind without records, 0 for those that are not read, and
    whether they count records. What is damaged has a kind of minus the reason, and a version that
    is not known in place of the exercise.
    """
    n, at = 0, 0
    for source in range(len(ends)):
        end = ends[source]
        if at == end:
            parts[n, SOURCE], parts[n, KIND] = source, -EMPTY
            n += 1
        while at < end:
            parts[n, SOURCE] = source
            reason, length, kind = 0, 0, 0
            if end - at < HEADER_BYTES:
                reason = HEADLESS
            else:
                version, kind = data[at], data[at + 2]
                parts[n, EXERCISE] = data[at + 1]
                length = 256 * data[at + 8] + data[at + 9]
                if not 5 <= version <= 7:
                    reason = VERSION
                    parts[n, EXERCISE] = version
                elif length < HEADER_BYTES or length > end - at:
                    reason = MISFIT
            if reason == 0 and layouts[kind, 0] > 0:
                count = data[at + COUNT_AT] if layouts[kind, 1] and length > COUNT_AT else 0
                if length != layouts[kind, 0] + 16 * count:
                    parts[n, KIND] = -MISCOUNT
                    n += 1
                    at += length
                    continue
            parts[n, KIND] = -reason if reason else kind
            parts[n, BEGIN], parts[n, LENGTH] = at, length
            n += 1
            at = end if reason else at + length
    return n
