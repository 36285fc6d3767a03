"""The file format ``.artrun``: a preamble, then blocks that each prove themselves.

::

    preamble   8 bytes magic, format number (u32), checksum of these 12 bytes (u32)
    block      length of the payload (u32), checksum of length and payload (u32), payload

Integers are little-endian, checksums CRC-32, a payload is one msgpack array whose first element
says what it is:

=========  ==================================================================================
[1, ...]   header: a mapping of plain values, then the world as ``records.codec`` writes it
[2, ...]   layout: its number, then per channel name, unit, labels, columns, dtype, shape
[3, ...]   frame: layout number, world version, time, the arrays' bytes one after another
[4, ...]   event: a mapping
[5, ...]   edit: time, the edit as ``records.codec`` writes it
[6, ...]   controller outputs: per controller name, width, times (bytes), values (bytes)
[7, ...]   end: why the run ended; absent when it was killed
=========  ==================================================================================

Format 2 differs from 1 in what events say: the ``energy`` before and after an impact is that of
the whole world, and ``kinetic`` what format 1 called energy.

A file is only ever appended to, so whatever stops a run leaves every finished block readable. A
frame is written at once, not in batches: what was computed is kept, and since frames of one
layout have equal lengths, a reader sees them as one strided array without unpacking any.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

from articulata.errors import RecordingError
from articulata.records.state import Channel

MAGIC = b"\x93ARTRUN\n"
FORMAT = 2
"""The format number this version writes; every number from 1 on is read (``READERS``)."""

HEADER, LAYOUT, FRAME, EVENT, EDIT, CONTROL, END = range(1, 8)

_PREAMBLE = struct.Struct("<8sI")
_WORD = struct.Struct("<I")
_BLOCK = struct.Struct("<II")
PREAMBLE_BYTES = _PREAMBLE.size + _WORD.size
BLOCK_BYTES = _BLOCK.size

Buffer: TypeAlias = bytes | memoryview


@dataclass(frozen=True, slots=True)
class Layout:
    """What the bytes of a frame are: channels with the dtype and shape of each array."""

    channels: tuple[Channel, ...]
    dtypes: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]


@dataclass(slots=True)
class Run:
    """Consecutive frames of one layout and version: where the bytes of each begin."""

    layout: int
    version: int
    bytes: int
    times: list[float] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Contents:
    """What a reader found: blocks sorted by kind, and the damage that ended it, if any.

    ``ended`` says why the run ended; it is None when the closing block is missing. ``whole``
    counts the bytes up to the end of the last whole block.
    """

    buffer: Buffer
    header: dict[str, Any]
    world: list[Any]
    layouts: list[Layout] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    edits: list[tuple[float, list[Any]]] = field(default_factory=list)
    controls: list[list[Any]] = field(default_factory=list)
    ended: str | None = None
    damage: str = ""
    whole: int = 0


def preamble(number: int = FORMAT) -> bytes:
    """Return the first bytes of a file of format ``number``."""
    first = _PREAMBLE.pack(MAGIC, number)
    return first + _WORD.pack(zlib.crc32(first))


def block(payload: list[object]) -> bytes:
    """Return ``payload`` as a block."""
    packed = msgspec.msgpack.encode(payload)
    if len(packed) > 0xFFFFFFFF:
        raise RecordingError(
            f"one frame of {len(packed)} bytes cannot be recorded; the limit is 4 GB a frame"
        )
    length = _WORD.pack(len(packed))
    return b"".join((length, _WORD.pack(zlib.crc32(packed, zlib.crc32(length))), packed))


def read(buffer: Buffer, name: str) -> Contents:
    """Return what ``buffer`` holds; ``name`` is how messages call it.

    Raises RecordingError where not even the header can be read.
    """
    view = memoryview(buffer)
    if len(view) == 0:
        raise RecordingError(f"{name} is empty; a recording begins with a header")
    if bytes(view[: len(MAGIC)]) != MAGIC[: len(view)]:
        raise RecordingError(
            f"{name} is not a recording: it begins with {bytes(view[:8])!r}, not with {MAGIC!r};"
            " give a file that `articulata simulate` or Recording.save has written"
        )
    if len(view) < PREAMBLE_BYTES:
        raise RecordingError(f"{name} was cut off after {len(view)} bytes, before its header")
    _, number = _PREAMBLE.unpack_from(view)
    if _WORD.unpack_from(view, _PREAMBLE.size)[0] != zlib.crc32(view[: _PREAMBLE.size]):
        raise RecordingError(f"{name} is damaged in its first {PREAMBLE_BYTES} bytes")
    reader = READERS.get(number)
    if reader is None:
        raise RecordingError(
            f"{name} has format {number}, which is newer than this version of Articulata reads"
            f" (1 to {FORMAT}); install a newer version"
        )
    return reader(view, name)


def _blocks(view: memoryview) -> Iterator[tuple[int, int]]:
    """Yield start and end of each whole payload; raise ValueError at the first damage."""
    start, size = PREAMBLE_BYTES, len(view)
    while start < size:
        if size - start < BLOCK_BYTES:
            raise ValueError("the file was cut off within a block")
        length, checksum = _BLOCK.unpack_from(view, start)
        first = start + BLOCK_BYTES
        if length > size - first:
            raise ValueError("the file was cut off within a block, or a length is damaged")
        start_sum = zlib.crc32(view[start : start + 4])
        start = first + length
        if zlib.crc32(view[first:start], start_sum) != checksum:
            raise ValueError("a block does not match its checksum")
        yield first, start


def _read_1(view: memoryview, name: str) -> Contents:
    """Read format 1, whose impacts called their kinetic energy just energy."""
    found = _read_2(view, name)
    for event in found.events:
        values = event["values"]
        if event["kind"] in ("impact", "settled") and "kinetic_before" not in values:
            event["values"] = {_KINETIC.get(key, key): value for key, value in values.items()}
    return found


_KINETIC = {"energy_before": "kinetic_before", "energy_after": "kinetic_after"}


def _read_2(view: memoryview, name: str) -> Contents:
    """Read format 2."""
    found = Contents(view, {}, [])
    prefix, length, run = b"", 0, Run(-1, -1, 0)
    whole, damage = PREAMBLE_BYTES, ""
    try:
        for first, last in _blocks(view):
            # A frame like the one before: equal length and equal bytes up to the time.
            if last - first == length and view[first : first + len(prefix)] == prefix:
                run.times.append(_TIME.unpack_from(view, first + len(prefix))[0])
                run.offsets.append(last - run.bytes)
                whole = last
                continue
            payload = msgspec.msgpack.decode(view[first:last], type=list, ext_hook=_keep)
            kind = payload[0]
            if kind == FRAME:
                layout, version, time, data = payload[1:]
                if run.layout != layout or run.version != version or run.bytes != len(data):
                    run = Run(layout, version, len(data))
                    found.runs.append(run)
                run.times.append(time)
                run.offsets.append(last - len(data))
                length = last - first
                head = msgspec.msgpack.encode([FRAME, layout, version])
                prefix = bytes((head[0] + 2,)) + head[1:] + b"\xcb"
            else:
                _sort(found, kind, payload, name)
            whole = last
    except ValueError as error:
        damage = str(error)
    except (msgspec.MsgspecError, TypeError, IndexError):
        damage = "a block whose checksum is right cannot be understood"
    if not found.header:
        raise RecordingError(
            f"{name} cannot be read: {damage or 'it ends'} before its header is complete"
        )
    found.whole = whole
    found.damage = _say(found, damage, len(view))
    return found


def _sort(found: Contents, kind: int, payload: list[Any], name: str) -> None:
    if kind == HEADER:
        found.header, found.world = payload[1], payload[2]
    elif kind == LAYOUT:
        rows = payload[2]
        found.layouts.append(
            Layout(
                tuple(Channel(row[0], row[1], tuple(row[2]), tuple(row[3])) for row in rows),
                tuple(row[4] for row in rows),
                tuple(tuple(row[5]) for row in rows),
            )
        )
    elif kind == EVENT:
        found.events.append(payload[1])
    elif kind == EDIT:
        found.edits.append((payload[1], payload[2]))
    elif kind == CONTROL:
        found.controls.extend(payload[1])
    elif kind == END:
        found.ended = payload[1]
    # A kind of block that came later within one format number is passed over, not an error.


def _say(found: Contents, damage: str, size: int) -> str:
    if not damage:
        return ""
    frames = sum(len(run.times) for run in found.runs)
    until = f" up to t = {found.runs[-1].times[-1]:g} s" if found.runs else ""
    return (
        f"{damage} at byte {found.whole}; the {size - found.whole} bytes from there on are lost."
        f" {frames} frames{until} were kept"
    )


def _keep(code: int, data: memoryview) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(code, bytes(data))


_TIME = struct.Struct(">d")

READERS: dict[int, Callable[[memoryview, str], Contents]] = {1: _read_1, 2: _read_2}
"""One reader for each format number ever written."""
