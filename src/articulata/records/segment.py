"""Consecutive frames of a recording as arrays, read in place from its bytes; channels of pairs.

Such a channel tells what there is between two of many things, only where there is something. Of
``n`` bodies n (n - 1) / 2 pairs might touch and few do. A frame holds a row for each of these: the
numbers of the two labels, then the values. A reader asks by the name of a pair, "A on B"; where the
pair is not told of, the values are zero.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array, IntArray
from articulata.records.artrun import Buffer, Layout, Run
from articulata.records.state import Channel

_COUNT = struct.Struct("<I")
ENDS = np.dtype("<u4")
"""How the numbers of a pair's labels are stored."""


@dataclass(frozen=True, slots=True)
class ToldPairs:
    """What ``count`` frames tell of pairs of a channel's labels.

    ``frames`` (k,) says in which frame, ``ends`` (k, 2) of which two, ``values`` (k, columns) what.
    """

    channel: Channel
    count: int
    frames: IntArray
    ends: IntArray
    values: npt.NDArray[Any]

    @property
    def codes(self) -> IntArray:
        """The pair of each row as one number (k,)."""
        return self.ends[:, 0] * len(self.channel.labels) + self.ends[:, 1]

    def told(self) -> Channel:
        """Return the channel as readers find it: a label for each pair that is told of."""
        many = len(self.channel.labels)
        names = self.channel.labels
        labels = tuple([f"{names[c // many]} on {names[c % many]}" for c in self._pairs().tolist()])
        return replace(self.channel, labels=labels)

    def whole(self) -> npt.NDArray[Any]:
        """Return every pair in every frame (count, p, columns), zero where nothing is told."""
        pairs = self._pairs()
        found = np.zeros((self.count, len(pairs), *self.values.shape[1:]), self.values.dtype)
        found[self.frames, np.searchsorted(pairs, self.codes)] = self.values
        found.flags.writeable = False
        return found

    def of_row(self, number: int) -> npt.NDArray[Any]:
        """Return pair ``number`` in every frame (count, columns)."""
        found = np.zeros((self.count, *self.values.shape[1:]), self.values.dtype)
        mine = self.codes == self._pairs()[number]
        found[self.frames[mine]] = self.values[mine]
        return found

    def of_frame(self, number: int) -> Array:
        """Return the rows of one frame as they were recorded (k, 2 + columns)."""
        mine = self.frames == number
        return np.concatenate([self.ends[mine], self.values[mine]], axis=1, dtype=np.float64)

    def _pairs(self) -> IntArray:
        return np.unique(self.codes)


def told_by(rows: Sequence[npt.NDArray[Any]], channel: Channel) -> ToldPairs:
    """Return what the arrays of consecutive frames tell, each (k, 2 + columns)."""
    frames = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
    flat = np.concatenate(rows) if rows else np.zeros((0, 2 + len(channel.columns)))
    return ToldPairs(channel, len(rows), frames, flat[:, :2].astype(np.int64), flat[:, 2:])


def packed(rows: npt.NDArray[Any], name: str) -> bytes:
    """Return ``rows`` (k, 2 + columns) of channel ``name`` as a frame holds them."""
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise RecordingError(
            f"channel '{name}' of pairs has an array of shape {rows.shape}; give a row for each"
            " pair: the numbers of its two labels, then its values"
        )
    values = np.ascontiguousarray(rows[:, 2:], np.float64)
    return _COUNT.pack(len(rows)) + rows[:, :2].astype(ENDS).tobytes() + values.tobytes()


def pair_tails(layout: Layout) -> list[tuple[int, int]]:
    """Return for each channel of pairs how many labels it has and the bytes of one row's values."""
    return [(len(layout.channels[k].labels), row) for k, row in _channels(layout)]


def pairs_fit(data: memoryview, fixed: int, tails: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a frame's bytes are ``fixed`` ones and what channels of pairs make of them."""
    place, size = fixed, len(data)
    for labels, row in tails:
        if size - place < _COUNT.size:
            return False
        (count,) = _COUNT.unpack_from(data, place)
        place += _COUNT.size
        if size - place < count * (2 * ENDS.itemsize + row):
            return False
        if count and int(np.frombuffer(data, ENDS, 2 * count, place).max()) >= labels:
            return False
        place += count * (2 * ENDS.itemsize + row)
    return place == size


def pairs_in(
    layout: Layout, flat: npt.NDArray[np.uint8], starts: Sequence[int], fixed: int
) -> dict[str, ToldPairs]:
    """Return what frames tell, whose bytes in ``flat`` begin at ``starts``, for each channel."""
    places = [start + fixed for start in starts]
    found = {}
    for number, row in _channels(layout):
        dtype, shape = np.dtype(layout.dtypes[number]), layout.shapes[number]
        counts, ends, values = [], [], []
        for k, place in enumerate(places):
            (count,) = _COUNT.unpack_from(flat.data, place)
            first = place + _COUNT.size
            middle = first + 2 * ENDS.itemsize * count
            places[k] = middle + count * row
            counts.append(count)
            if count:
                ends.append(flat[first:middle])
                values.append(flat[middle : places[k]])
        found[layout.channels[number].name] = ToldPairs(
            layout.channels[number],
            len(starts),
            np.repeat(np.arange(len(starts)), counts),
            _joined(ends).view(ENDS).reshape(-1, 2).astype(np.int64),
            _joined(values).view(dtype).reshape(-1, *shape),
        )
    return found


def _joined(parts: list[npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
    return np.concatenate(parts) if parts else np.zeros(0, np.uint8)


def _channels(layout: Layout) -> list[tuple[int, int]]:
    """Return the number of each channel of pairs and the bytes of one row's values."""
    sizes = layout.sizes()
    return [(k, sizes[k]) for k, channel in enumerate(layout.channels) if channel.pairs]


class Segment:
    """Consecutive frames whose arrays have the same names, shapes and labels.

    ``times`` is (n,) s and ``version`` the version of the world they belong to.
    """

    def __init__(self, buffer: Buffer, layout: Layout, run: Run) -> None:
        flat = np.frombuffer(buffer, np.uint8)
        self._pairs = pairs_in(layout, flat, run.offsets, run.bytes)
        self.channels: Mapping[str, Channel] = MappingProxyType(
            {
                channel.name: self._pairs[channel.name].told() if channel.pairs else channel
                for channel in layout.channels
            }
        )
        self.version = run.version
        self.times: Array = np.array(run.times, np.float64)
        self._bytes = _rows(flat, run)
        self._rows: dict[str, dict[str, int]] = {}
        self._places: dict[str, tuple[int, int, np.dtype[Any], tuple[int, ...]]] = {}
        start = 0
        arrays = zip(layout.channels, layout.dtypes, layout.shapes, layout.sizes(), strict=True)
        for channel, text, shape, size in arrays:
            if not channel.pairs:
                self._places[channel.name] = start, start + size, np.dtype(text), shape
                start += size

    def row(self, channel: str, label: str) -> int | None:
        """Return the row of ``label`` in ``channel``, None where there is none."""
        index = self._rows.get(channel)
        if index is None:
            known = self.channels.get(channel)
            # A channel of a few named numbers may name them as columns.
            names = () if known is None else known.labels or known.columns
            index = self._rows[channel] = {name: number for number, name in enumerate(names)}
        return index.get(label)

    def array(self, name: str) -> npt.NDArray[Any]:
        """Return channel ``name``, (n, ...): a read-only view, not aligned in memory."""
        if name in self._pairs:
            return self._pairs[name].whole()
        start, end, dtype, shape = self._places[name]
        return self._bytes[:, start:end].view(dtype).reshape(len(self.times), *shape)

    def of_row(self, name: str, number: int) -> npt.NDArray[Any]:
        """Return row ``number`` of channel ``name``, (n, ...)."""
        if name in self._pairs:
            return self._pairs[name].of_row(number)
        return self.array(name)[:, number]

    def frame(self, number: int) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of frame ``number`` as they were recorded."""
        return {
            name: self._pairs[name].of_frame(number)
            if name in self._pairs
            else self.array(name)[number].copy()
            for name in self.channels
        }


def _rows(flat: npt.NDArray[np.uint8], run: Run) -> npt.NDArray[np.uint8]:
    """Return the frames' bytes, (n, bytes): without a copy where they lie at equal distances."""
    offsets = np.array(run.offsets, np.int64)
    steps = np.diff(offsets)
    if not len(steps) or (steps == steps[0]).all():
        stride = int(steps[0]) if len(steps) else run.bytes
        rows = np.lib.stride_tricks.as_strided(
            flat[offsets[0] :], (len(offsets), run.bytes), (stride, 1), writeable=False
        )
    else:
        rows = np.empty((len(offsets), run.bytes), np.uint8)
        for row, offset in zip(rows, run.offsets, strict=True):
            row[:] = flat[offset : offset + run.bytes]
        rows.flags.writeable = False
    return rows
