"""From what a device reports to what is wanted of a camera: dead band, curve, gains, smoothing.

A report is six numbers from -1 to 1: to the right, up and back, and turns about these, in the axes
of the camera.

What a device with six axes puts out: speeds, a position, or the coordinates of a viewpoint.

The three outputs that Li 2011, section 3.2, takes of a 3D mouse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.camera_motion import moved
from articulata.geometry.rotation import Rotation
from articulata.records.samples import DeviceReports

Lock: TypeAlias = Literal["none", "rotation", "translation"]
"""What is left out of a report: nothing, its rotation, or its translation."""

LOCKS: Final = ("none", "rotation", "translation")

STILL: Final = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Shaping:
    """How reports become rates.

    What is within ``dead_band`` of the middle is 0; the rest goes as ``|x|^exponent``, times
    ``speed`` (m/s) or ``turn`` (rad/s) and the axis's own ``gains`` (negative ones turn it round).
    A change takes ``smoothing`` s to come through; a device that has said nothing for ``silence`` s
    says 0. With ``dominant`` the axis that is pushed most counts alone.
    """

    speed: float = 0.5
    turn: float = 0.8
    gains: tuple[float, ...] = (1.0,) * 6
    dead_band: float = 0.04
    exponent: float = 1.6
    smoothing: float = 0.04
    silence: float = 0.1
    dominant: bool = False
    lock: Lock = "none"

    def __post_init__(self) -> None:
        if len(self.gains) != 6 or not all(math.isfinite(g) for g in self.gains):
            raise KinematicsError(f"gains are six finite numbers, not {self.gains!r}")
        if not 0.0 <= self.dead_band < 1.0:
            raise KinematicsError(f"a dead band is a share from 0 to below 1, not {self.dead_band}")
        for name in ("speed", "turn", "exponent"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0.0):
                raise KinematicsError(f"{name} is more than 0, not {getattr(self, name)}")
        for name in ("smoothing", "silence"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0.0):
                raise KinematicsError(
                    f"{name} is a time in s, 0 or more; not {getattr(self, name)}"
                )
        if self.lock not in LOCKS:
            raise KinematicsError(f"lock is one of {', '.join(LOCKS)}; not {self.lock!r}")


@dataclass(slots=True)
class Shaper:
    """Shapes one device's reports; it remembers the last one and what came through."""

    shaping: Shaping = Shaping()
    rates: list[float] = field(default_factory=lambda: [0.0] * 6)
    _last: Sequence[float] = STILL
    _age: float = math.inf
    _shaped: tuple[Sequence[float], Shaping, Sequence[float]] = (STILL, Shaping(), STILL)

    def rates_of(self, report: Sequence[float] | None, step: float) -> list[float]:
        """Return rates (6,), m/s and rad/s, ``step`` s after the last ones.

        ``report`` is the newest one, None where nothing has come since. A report that is not six
        finite numbers counts as silence.
        """
        if report is not None and len(report) == 6 and all(map(math.isfinite, report)):
            self._last, self._age = tuple(report), 0.0
        else:
            self._age += step
        if self._last is not self._shaped[0] or self.shaping is not self._shaped[1]:
            self._shaped = self._last, self.shaping, self.shaped(self._last)
        aim = STILL if self._age > self.shaping.silence else self._shaped[2]
        time = self.shaping.smoothing
        part = 1.0 if time == 0.0 else 1.0 - math.exp(-step / time)
        rates = self.rates
        for k in range(6):
            value = rates[k] + part * (aim[k] - rates[k])
            # what nobody sees must come to an end
            rates[k] = aim[k] if abs(value - aim[k]) < 1e-5 else value
        return rates

    def shaped(self, report: Sequence[float]) -> Sequence[float]:
        """Return the rates (6,) that a report asks for when it stays."""
        s = self.shaping
        out = [0.0] * 6
        first, last = (3 if s.lock == "translation" else 0), (3 if s.lock == "rotation" else 6)
        chosen = range(first, last)
        if s.dominant:
            chosen = range(*_one(max(chosen, key=lambda k: abs(report[k]))))
        for k in chosen:
            size = (min(abs(report[k]), 1.0) - s.dead_band) / (1.0 - s.dead_band)
            if size > 0.0:
                full = (s.speed if k < 3 else s.turn) * s.gains[k]
                out[k] = math.copysign(size**s.exponent, report[k]) * full
        return out


def _one(k: int) -> tuple[int, int]:
    return k, k + 1


@dataclass(frozen=True, slots=True, eq=False)
class DeviceOutputs:
    """Outputs of a device at even ``times`` (n,) s.

    ``speed`` (n, 6) m/s and rad/s is what it asks for, in its own axes: right, up, back and about
    these. Integrated from the origin it is ``position`` (n, 6): place in m, then angles about x, y
    and z, one after the other about moving axes, rad; or ``viewpoint`` (n, 7): place, then axis
    (a unit vector) and angle, rad, as a Viewpoint of VRML97 has them.
    """

    times: Array
    speed: Array
    position: Array
    viewpoint: Array


def device_outputs(
    reports: DeviceReports, *, shaping: Shaping | None = None, step: float = 0.01
) -> DeviceOutputs:
    """Return what recorded ``reports`` put out every ``step`` s, until the last of them."""
    if not (math.isfinite(step) and step > 0.0):
        raise KinematicsError(f"a step is a time in s, more than 0; not {step}")
    shaper = Shaper(Shaping() if shaping is None else shaping)
    times: Array = np.arange(math.floor(reports.duration / step + 1e-9) + 1.0) * step
    speed, seen = np.empty((len(times), 6)), 0
    for k, t in enumerate(times.tolist()):
        known = reports.known(t + 1e-9)
        speed[k] = shaper.rates_of(reports.axes[known - 1].tolist() if known > seen else None, step)
        seen = known
    X = np.concatenate([np.eye(4)[None], moved(np.eye(4), speed[:-1], step)])
    turned = Rotation.from_matrix(X[:, :3, :3])
    about, place = turned.to_axis_angle(), X[:, :3, 3]
    return DeviceOutputs(
        times,
        speed,
        np.hstack([place, turned.to_euler("XYZ").angles]),
        np.column_stack([place, about.axis, about.angle]),
    )
