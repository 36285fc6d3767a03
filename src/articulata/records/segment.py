"""Consecutive frames of a recording as arrays, read in place from its bytes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array
from articulata.records import pairwise
from articulata.records.artrun import Buffer, Layout, Run
from articulata.records.state import Channel


class Segment:
    """Consecutive frames whose arrays have the same names, shapes and labels.

    ``times`` is (n,) s and ``version`` the version of the world they belong to.
    """

    def __init__(self, buffer: Buffer, layout: Layout, run: Run) -> None:
        flat = np.frombuffer(buffer, np.uint8)
        self._pairs = pairwise.read(layout, flat, run.offsets, run.bytes)
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
