"""A tap on a sensor: it jerks and is back where it was, which tells a wearer's "go" from afar."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import numpy as np

from articulata.geometry.arrays import Array
from articulata.records.samples import Sample

REST = 0.4
"""Seconds of rest before a jerk, and seconds within which it is over."""

JERK = float(np.radians(2.5))
"""A tapped sensor turns by this (rad) at least. Less, and breathing taps; more, and a tap has to
hurt."""

CALM = float(np.radians(1.2))
"""A sensor that rests stays within this (rad): a magnetic tracker's noise of 0.15 deg and a body
that sways."""


class Taps:
    """Looks for taps in samples; ``take`` returns the station that was tapped, 0 for none."""

    def __init__(self) -> None:
        self._seen: dict[int, deque[tuple[float, tuple[float, float, float, float]]]] = {}

    def take(self, samples: Iterable[Sample]) -> int:
        """Take note of samples; a pressed switch counts as a tap."""
        for sample in samples:
            if sample.button:
                return sample.station
            seen = self._seen.setdefault(sample.station, deque())
            if sample.error or (seen and sample.time <= seen[-1][0]):
                continue
            seen.append((sample.time, sample.q))
            while seen and sample.time - seen[0][0] > 2.0 * REST:
                seen.popleft()
            if self._tapped(sample.station):
                seen.clear()
                return sample.station
        return 0

    def _tapped(self, station: int) -> bool:
        seen = self._seen[station]
        now = seen[-1][0]
        if now - seen[0][0] < 1.5 * REST:
            return False
        off = _off(np.array([q for _, q in seen]), np.array(seen[-1][1]))
        rest = np.array([now - time > REST for time, _ in seen])
        calm = rest.sum() >= 2 and off[rest].max() < CALM
        return bool(calm and off[~rest].max() > JERK and off[-2] < CALM)


def _off(q: Array, other: Array) -> Array:
    """Return by how much (rad) orientations (n, 4) differ from another (4,)."""
    return np.asarray(2.0 * np.arccos(np.minimum(np.abs(q @ other), 1.0)))
