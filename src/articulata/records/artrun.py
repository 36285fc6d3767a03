"""The file format ``.artrun``: a preamble, then blocks that each prove themselves and their place.

::

    preamble   8 bytes magic, format number (u32), checksum of these 12 bytes (u32)
    block      length of the payload (u32), checksum of length and payload (u32), payload

Integers are little-endian, checksums CRC-32, begun with the checksum before, so that a block which
is doubled, left out or put elsewhere does not fit. A payload is one msgpack array whose first
element says what it is:

=========  ==================================================================================
[1, ...]   header: a mapping of plain values, then the world as ``records.codec`` writes it
[2, ...]   layout: its number, then per channel name, unit, labels, columns, dtype, shape, pairs
[3, ...]   frame: layout number, world version, time, the arrays' bytes one after another
[4, ...]   event: a mapping
[5, ...]   edit: time, the edit as ``records.codec`` writes it
[6, ...]   controller outputs: per controller name, width, times (bytes), values (bytes)
[7, ...]   end: why the run ended; absent when it was killed
[8, ...]   what the run remembers at the frame to come, by parts: msgpack (bytes), or the number of
           the block of this kind in which the same stands
=========  ==================================================================================

Channels of pairs stand last in a frame, whatever their place in the layout: how many pairs (u32),
the two labels' numbers of each (u32), then a row of ``shape`` for each.

Format 3 differs from 2 in the checksums, which there began anew with each block, and in the
channels of pairs, which were like all others. Format 2 differs from 1 in what events say: the
``energy`` before and after an impact is that of the whole world, and ``kinetic`` what format 1
called energy.

A file is only ever appended to, so whatever stops a run leaves every finished block readable. A
frame is written at once, not in batches: what was computed is kept, and since frames of one
layout have equal lengths, a reader sees them as one strided array without unpacking any.
"""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec
import numpy as np

from articulata.errors import RecordingError
from articulata.records.state import Channel

MAGIC = b"\x93ARTRUN\n"
FORMAT = 3
"""The format number this version writes; every number from 1 on is read."""

CHAINED = 3
"""The first format whose checksums go on from block to block."""

HEADER, LAYOUT, FRAME, EVENT, EDIT, CONTROL, END, MEMORY = range(1, 9)

PREAMBLE = struct.Struct("<8sI")
WORD = struct.Struct("<I")
BLOCK = struct.Struct("<II")
PREAMBLE_BYTES = PREAMBLE.size + WORD.size

Buffer: TypeAlias = bytes | memoryview


@dataclass(frozen=True, slots=True)
class Layout:
    """What the bytes of a frame are: channels with the dtype and shape of each array.

    A channel of pairs has the shape of one of its rows.
    """

    channels: tuple[Channel, ...]
    dtypes: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]

    def sizes(self) -> tuple[int, ...]:
        """Return the bytes of each array; of a channel of pairs those of one row."""
        return tuple(
            [
                np.dtype(text).itemsize * math.prod(shape)
                for text, shape in zip(self.dtypes, self.shapes, strict=True)
            ]
        )

    def fixed(self) -> int:
        """Return how many bytes every frame has, whatever pairs it tells of."""
        of = zip(self.sizes(), self.channels, strict=True)
        return sum(size for size, channel in of if not channel.pairs)


@dataclass(slots=True)
class Run:
    """Consecutive frames of one layout and version: where the bytes of each begin and end.

    ``bytes`` counts those that all of them have; channels of pairs follow these.
    """

    layout: int
    version: int
    bytes: int
    times: list[float] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Contents:
    """What a reader found: blocks sorted by kind, and the damage that ended it, if any.

    ``ended`` says why the run ended; it is None when the closing block is missing. ``whole``
    counts the bytes up to the end of the last whole block. ``memories`` are what was remembered,
    each with the number of the frame from which on.
    """

    buffer: Buffer
    header: dict[str, Any]
    world: list[Any]
    layouts: list[Layout] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    edits: list[tuple[float, list[Any]]] = field(default_factory=list)
    controls: list[list[Any]] = field(default_factory=list)
    memories: list[tuple[int, Buffer]] = field(default_factory=list)
    ended: str | None = None
    damage: str = ""
    whole: int = 0


def preamble(number: int = FORMAT) -> bytes:
    """Return the first bytes of a file of format ``number``."""
    first = PREAMBLE.pack(MAGIC, number)
    return first + WORD.pack(zlib.crc32(first))


def block(payload: list[object], before: int) -> tuple[bytes, int]:
    """Return ``payload`` as a block that follows checksum ``before``, and its own checksum."""
    packed = msgspec.msgpack.encode(payload)
    if len(packed) > 0xFFFFFFFF:
        raise RecordingError(
            f"one frame of {len(packed)} bytes cannot be recorded; the limit is 4 GB a frame"
        )
    length = WORD.pack(len(packed))
    checksum = zlib.crc32(packed, zlib.crc32(length, before))
    return b"".join((length, WORD.pack(checksum), packed)), checksum


def first_checksum(start: Buffer) -> int:
    """Return the checksum that the first block follows, of the preamble ``start``."""
    return int(WORD.unpack_from(start, PREAMBLE.size)[0])
