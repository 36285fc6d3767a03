"""What a device with six axes said over time: reports that can be flown again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array

AXES: Final = ("right", "up", "back", "pitch", "yaw", "roll")
"""The six numbers of a report, -1 to 1: moves to the right, up and back, turns about these."""

MOST: Final = 1.0 + 1e-9
"""The most that an axis may say, either sign: 1 but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class DeviceReports:
    """Reports ``axes`` (n, 6), -1 to 1, of a device at rising ``times`` (n,) s from 0 s on."""

    times: Array
    axes: Array

    def __post_init__(self) -> None:
        t, axes = np.array(self.times, float), np.array(self.axes, float)
        if t.ndim != 1 or not len(t) or axes.shape != (len(t), 6):
            raise RecordingError(
                f"reports are six numbers at each of one time or more, not {axes.shape} at "
                f"{t.shape}"
            )
        if not (np.isfinite(t).all() and np.isfinite(axes).all()):
            raise RecordingError("times and axes of reports are finite numbers")
        if t[0] < 0.0 or not (np.diff(t) >= 0.0).all():
            raise RecordingError("the times of reports rise, from 0 s on")
        if np.abs(axes).max() > MOST:
            row = int(np.argmax(np.abs(axes).max(axis=1)))
            raise RecordingError(
                f"the axes of a report are -1 to 1; at {t[row]:g} s there is "
                f"{axes[row, int(np.argmax(np.abs(axes[row])))]:g}"
            )
        for name, values in (("times", t), ("axes", axes)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @property
    def duration(self) -> float:
        """The time of the last report, s."""
        return float(self.times[-1])

    def known(self, t: float) -> int:
        """Return how many reports have come by the time ``t`` s."""
        return int(np.searchsorted(self.times, t, side="right"))
