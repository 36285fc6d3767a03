"""Reading a recording block by block: what no recorder writes is refused.

Checksums tell damage, not forgery: a block that they vouch for may still hold anything. So each is
looked at here, before anybody relies on it: types, sizes, and that time does not run back.
"""

from __future__ import annotations

import math
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from articulata.errors import RecordingError
from articulata.records.artrun import (
    BLOCK,
    CHAINED,
    CONTROL,
    EDIT,
    END,
    EVENT,
    FORMAT,
    FRAME,
    HEADER,
    LAYOUT,
    MAGIC,
    MEMORY,
    PREAMBLE,
    PREAMBLE_BYTES,
    WORD,
    Buffer,
    Contents,
    Layout,
    Run,
    first_checksum,
)
from articulata.records.segment import pair_tails, pairs_fit
from articulata.records.state import Channel
from articulata.world.foreign_files import HEAD, format_of_bytes


def read(buffer: Buffer, name: str) -> Contents:
    """Return what ``buffer`` holds; ``name`` is how messages call it.

    Raises RecordingError where not even the header can be read.
    """
    view = memoryview(buffer)
    if len(view) == 0:
        raise RecordingError(f"{name} is empty; a recording begins with a header")
    if bytes(view[: len(MAGIC)]) != MAGIC[: len(view)]:
        foreign = format_of_bytes(bytes(view[:HEAD]), name.rpartition(".")[2])
        if foreign is not None:
            raise RecordingError(
                f"{name}: {foreign.this_is('a recording')}; {foreign.advice(name)}"
            )
        raise RecordingError(
            f"{name} is not a recording: it begins with {bytes(view[:8])!r}, not with {MAGIC!r};"
            " give a file that `articulata simulate` or Recording.save has written"
        )
    if len(view) < PREAMBLE_BYTES:
        raise RecordingError(f"{name} was cut off after {len(view)} bytes, before its header")
    _, number = PREAMBLE.unpack_from(view)
    if WORD.unpack_from(view, PREAMBLE.size)[0] != zlib.crc32(view[: PREAMBLE.size]):
        raise RecordingError(f"{name} is damaged in its first {PREAMBLE_BYTES} bytes")
    if number > FORMAT:
        raise RecordingError(
            f"{name} has format {number}, which is newer than this version of Articulata reads"
            f" (1 to {FORMAT}); install a newer version"
        )
    if number < 1:
        raise RecordingError(
            f"{name} has format {number}, which no version of Articulata has written"
            f" (formats are 1 to {FORMAT}); give another file"
        )
    return _contents(view, name, number)


def _contents(view: memoryview, name: str, number: int) -> Contents:
    """Return what a file of format ``number`` holds, up to the first damage."""
    reader, whole, damage = Reader(view), PREAMBLE_BYTES, ""
    try:
        for first, last in _blocks(view, chained=number >= CHAINED):
            reader.take(first, last)
            whole = last
    except (msgspec.DecodeError, LookupError, TypeError, OverflowError, RecursionError):
        damage = "a block whose checksum is right cannot be understood"
    except ValueError as error:
        damage = str(error)
    found = reader.found
    if not found.header:
        raise RecordingError(
            f"{name} cannot be read: {damage or 'it ends'} before its header is complete"
        )
    if number == 1:
        _rename_kinetic(found)
    found.whole = whole
    found.damage = _say(found, damage, len(view))
    return found


def _blocks(view: memoryview, *, chained: bool) -> Iterator[tuple[int, int]]:
    """Yield start and end of each whole payload; raise ValueError at the first damage."""
    start, size, before = PREAMBLE_BYTES, len(view), first_checksum(view)
    while start < size:
        if size - start < BLOCK.size:
            raise ValueError("the file was cut off within a block")
        length, checksum = BLOCK.unpack_from(view, start)
        first = start + BLOCK.size
        if length > size - first:
            raise ValueError("the file was cut off within a block, or a length is damaged")
        start_sum = zlib.crc32(view[start : start + 4], before if chained else 0)
        start = first + length
        if zlib.crc32(view[first:start], start_sum) != checksum:
            raise ValueError("a block does not match its checksum, or stands in a wrong place")
        before = checksum
        yield first, start


def _rename_kinetic(found: Contents) -> None:
    """Give the impacts of format 1 the names of today; they called their kinetic energy energy."""
    for event in found.events:
        values = event["values"]
        if event["kind"] in ("impact", "settled") and "kinetic_before" not in values:
            event["values"] = {_KINETIC.get(key, key): value for key, value in values.items()}


_KINETIC = {"energy_before": "kinetic_before", "energy_after": "kinetic_after"}


def _say(found: Contents, damage: str, size: int) -> str:
    if not damage:
        return ""
    frames = sum(len(run.times) for run in found.runs)
    until = f" up to t = {found.runs[-1].times[-1]:g} s" if found.runs else ""
    return (
        f"{damage} at byte {found.whole}; the {size - found.whole} bytes from there on are lost."
        f" {frames} frames{until} were kept"
    )


def remembered(memories: list[tuple[int, Buffer]], frame: int) -> Mapping[str, Any]:
    """Return what was remembered at a frame, by parts; nothing where nothing was recorded.

    Raises what comes of reading a block that is none.
    """
    last = bisect_right([first for first, _ in memories], frame) - 1
    found: dict[str, Any] = {}
    for name, data in _parts(memories[last][1] if last >= 0 else b"").items():
        if isinstance(data, int):
            data = _parts(memories[data][1] if 0 <= data < last else b"")[name]
        found[name] = msgspec.msgpack.decode(_of(bytes, data))
    return found


def _parts(payload: Buffer) -> dict[str, Any]:
    return _of(dict, msgspec.msgpack.decode(payload)[1]) if payload else {}


class Reader:
    """Takes payloads in the order of the file and sorts them into ``found``."""

    def __init__(self, view: memoryview) -> None:
        self.found = Contents(view, {}, [])
        self._view = view
        self._prefix = b""
        self._last: Buffer = b""
        self._tails: list[tuple[int, int]] = []
        self._run = Run(-1, -1, 0)
        self._frames = 0

    def take(self, first: int, last: int) -> None:
        """Take the payload from byte ``first`` to ``last``.

        Raises ValueError with a reason, or what comes of reading a block that is none.
        """
        view = self._view
        if self.found.ended is not None:
            raise ValueError("a block follows the end of the run")
        # A frame like the one before has equal bytes up to the time.
        if self._prefix and view[first : first + len(self._prefix)] == self._prefix:
            place = first + len(self._prefix)
            start = place + _TIME.size + _lengths(view[place + _TIME.size])
            self._frame(_TIME.unpack_from(view, place)[0], start, last, first)
            return
        if view[first : first + 2] == _MEMORY and self.found.header:
            self.found.memories.append((self._frames, view[first:last]))
            return
        payload = msgspec.msgpack.decode(view[first:last], type=list, ext_hook=_keep)
        kind, found = _of(int, payload[0]), self.found
        if (kind == HEADER) == bool(found.header):
            raise ValueError("a header stands where none can, or is missing")
        if kind == FRAME:
            self._begin(payload, first, last)
        elif kind == HEADER:
            found.header, found.world = _of(dict, payload[1]), _packed(payload[2])
        elif kind == LAYOUT:
            if payload[1] != len(found.layouts):
                raise ValueError("a layout stands where another was written")
            found.layouts.append(_layout(payload[2]))
        elif kind == EVENT:
            found.events.append(event(payload[1]))
        elif kind == EDIT:
            time = _time(payload[1])
            if found.edits and time < found.edits[-1][0]:
                raise ValueError("an edit stands before one that was made earlier")
            found.edits.append((time, _packed(payload[2])))
        elif kind == CONTROL:
            found.controls.extend([_outputs(row) for row in payload[1]])
        elif kind == END:
            found.ended = _of(str, payload[1])
        # A kind of block that came later within one format number is passed over, not an error.

    def _begin(self, payload: list[Any], first: int, last: int) -> None:
        """Take a frame of another layout or version than the one before."""
        _, number, version, time, data = payload
        if not 0 <= _of(int, number) < len(self.found.layouts):
            raise ValueError("a frame has a layout that was not described")
        runs = self.found.runs
        if _of(int, version) < (runs[-1].version if runs else version):
            raise ValueError("a frame belongs to a world that was edited before")
        layout = self.found.layouts[number]
        self._tails = pair_tails(layout)
        self._run = Run(number, version, layout.fixed())
        self._frame(_of(float, time), last - len(_of(bytes, data)), last, first)
        self.found.runs.append(self._run)
        head = msgspec.msgpack.encode([FRAME, number, version])
        self._prefix = bytes((head[0] + 2,)) + head[1:] + b"\xcb"

    def _frame(self, time: float, start: int, last: int, first: int) -> None:
        """Take a frame whose arrays lie from byte ``start`` to ``last``."""
        run, runs = self._run, self.found.runs
        before = runs[-1].times[-1] if runs else -math.inf
        if not before <= time < math.inf:
            raise ValueError(f"time runs back from {before:g} s to {time:g} s")
        if run.times and time == before and self._view[first:last] == self._last:
            raise ValueError(f"the frame at t = {time:g} s stands there twice")
        if not pairs_fit(self._view[start:last], run.bytes, self._tails):
            raise ValueError("a frame has more or fewer numbers than its layout says")
        self._last = self._view[first:last]
        self._frames += 1
        run.times.append(time)
        run.offsets.append(start)
        run.ends.append(last)


_MEMORY = bytes((0x92, MEMORY))
"""How a block of what is remembered begins: an array of two, the first its kind."""

_TIME = struct.Struct(">d")
_LENGTHS = {0xC4: 2, 0xC5: 3, 0xC6: 5}
"""Bytes before the contents of what msgpack calls bin, by its first byte."""


def _lengths(first: int) -> int:
    try:
        return _LENGTHS[first]
    except KeyError:
        raise TypeError("a frame without arrays") from None


def _of(kind: type[Any], value: Any) -> Any:
    """Return ``value``, which has to be a ``kind`` and no truth value."""
    if type(value) is not kind and (not isinstance(value, kind) or isinstance(value, bool)):
        raise TypeError(f"{type(value).__name__} for {kind}")
    return value


def _time(value: Any) -> float:
    if not math.isfinite(_of(float | int, value)):  # type: ignore[arg-type] # a union is a type here
        raise ValueError("a time is not finite")
    return float(value)


def _words(value: Any) -> tuple[str, ...]:
    return tuple([_of(str, each) for each in _of(list, value)])


def _packed(value: Any) -> list[Any]:
    """Return what ``codec.encode`` made: nodes and root."""
    nodes, _ = _of(list, value)
    for node in _of(list, nodes):
        _of(bytes, node)
    return list(value)


def _layout(rows: Any) -> Layout:
    channels, dtypes, shapes = [], [], []
    for row in _of(list, rows):
        name, unit, labels, columns, text, shape = row[:6]
        pairs = row[6] if len(row) > 6 else False
        channel = Channel(
            _of(str, name), _of(str, unit), _words(labels), _words(columns), pairs is True
        )
        dtype = np.dtype(_of(str, text))
        sizes = tuple([_of(int, size) for size in _of(list, shape)])
        if dtype.kind not in "fiub" or any(not 0 <= size < MOST_ROWS for size in sizes):
            raise ValueError("a layout has arrays that no recorder writes")
        named = len(channel.labels) if not channel.pairs else 0
        if named > (sizes[0] if sizes else 0) or len(channel.columns) > (sizes[-1] if sizes else 0):
            raise ValueError("a layout names more rows or columns than its arrays have")
        channels.append(channel)
        dtypes.append(text)
        shapes.append(sizes)
    if len({channel.name for channel in channels}) < len(channels):
        raise ValueError("a layout has two channels of one name")
    return Layout(tuple(channels), tuple(dtypes), tuple(shapes))


MOST_ROWS = 2**31
"""Rows that no array of a frame has; numbers from there on are no sizes."""


def event(value: Any) -> dict[str, Any]:
    """Return an event as it stands in a recording; TypeError or ValueError where it is none."""
    item = _of(dict, value)
    return {
        "time": _time(item["time"]),
        "kind": _of(str, item["kind"]),
        "who": _words(item["who"]),
        "where": _words(item["where"]),
        "values": {_of(str, key): _plain(each) for key, each in _of(dict, item["values"]).items()},
        "story": _of(str, item["story"]),
        "span": _packed(item["span"]),
    }


def _plain(value: Any) -> Any:
    """Return what an event says of itself: a number, a word, or several of them."""
    if isinstance(value, list):
        return tuple([_single(each) for each in value])
    return _single(value)


def _single(value: Any) -> Any:
    if value is not None and not isinstance(value, float | int | str):
        raise TypeError(f"an event with a {type(value).__name__}")
    return value


def _outputs(row: Any) -> list[Any]:
    name, width, times, values = row
    count, rest = divmod(len(_of(bytes, times)), 8)
    if rest or _of(int, width) < 0 or len(_of(bytes, values)) != 8 * count * width:
        raise ValueError("outputs of a controller are not as many as their times")
    return [_of(str, name), width, times, values]


def _keep(code: int, data: memoryview) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(code, bytes(data))
