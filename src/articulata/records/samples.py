"""What devices say: samples of sensors, whatever device they belong to, and reports of six axes.

A sensor sits at a *station*, a number on its device. Its orientation ``R_TS`` is that of the
sensor's frame S in the device's own frame T (a transmitter's, or the world's north and down).

A sender may write orientations by a convention of its own: the order of a quaternion's numbers, its
sense, what is up. T is level, its z down; E is the sender's frame as it is meant to be, z up, T
turned half round about x. What tells ``q`` by another convention means ``M q`` in T.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple, overload

import numpy as np

from articulata.errors import ArticulataError, RecordingError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_multiply, q_to_matrix

NO_PLACE = (math.nan, math.nan, math.nan)
"""The place of a sensor that has none to tell."""


class Sample(NamedTuple):
    """One reading of one sensor.

    ``arrival`` (s) is when its last byte came, ``time`` (s) when it was measured, as far as known;
    both by one clock that never runs back. ``q`` is the unit quaternion of ``R_TS``, w first, and
    ``p`` the sensor's place in T, m, NaN where the device has none. ``error`` is the device's own
    letter for a doubtful reading, "" for a good one; ``button`` whether a switch is pressed.

    A named tuple, since it is made some hundred times a second: a frozen dataclass takes five
    times as long to make.
    """

    station: int
    time: float
    arrival: float
    q: tuple[float, float, float, float]
    p: tuple[float, float, float] = NO_PLACE
    error: str = ""
    button: bool = False


COLUMNS = 12
"""Numbers of a row of ``Samples``: station, time, arrival, quaternion (4), place (3), the code of
the error's letter or 0, whether the switch is pressed."""


class Samples(Sequence[Sample]):
    """Samples as rows of numbers, ``table`` (n, COLUMNS): what a kernel writes and another reads.

    Each becomes a ``Sample`` when somebody asks for it.
    """

    __slots__ = ("table",)

    def __init__(self, table: Array) -> None:
        self.table = table

    @classmethod
    def of(cls, samples: Iterable[Sample]) -> Samples:
        """Return ``samples`` as a table."""
        if isinstance(samples, Samples):
            return cls(samples.table)
        rows = [(s, t, a, *q, *p, ord(e) if e else 0, b) for s, t, a, q, p, e, b in samples]
        return cls(np.array(rows, np.float64).reshape(-1, COLUMNS))

    @property
    def arrival(self) -> float:
        """When the last one came, s."""
        return self.table.item(-1, 2)

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[Sample]:
        for s, t, a, qw, qx, qy, qz, x, y, z, e, b in self.table.tolist():
            place = (x, y, z) if x == x else NO_PLACE
            yield Sample(int(s), t, a, (qw, qx, qy, qz), place, chr(int(e)) if e else "", b != 0.0)

    @overload
    def __getitem__(self, at: int) -> Sample: ...

    @overload
    def __getitem__(self, at: slice) -> Samples: ...

    def __getitem__(self, at: int | slice) -> Sample | Samples:
        if isinstance(at, slice):
            return Samples(self.table[at])
        return next(iter(Samples(self.table[at][None])))

    def __add__(self, other: Samples) -> Samples:
        return Samples(np.concatenate((self.table, other.table)))


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """How a device fares: how much it has sent, what was damaged, and what is the matter now.

    ``bytes`` and ``samples`` count what came; ``skipped`` counts bytes of no record, ``damaged``
    records by what was wrong with them. ``trouble`` is a sentence for a person, "" when all is
    well; ``notice`` is one about what was left out and stops nothing. ``told`` says what the device
    told of itself.
    """

    name: str
    bytes: int = 0
    samples: int = 0
    skipped: int = 0
    damaged: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    trouble: str = ""
    told: str = ""
    notice: str = ""


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


_HALF = np.array((0.0, 1.0, 0.0, 0.0))
_C = np.sqrt(0.5)

_XYZW = np.roll(np.eye(4), 1, axis=0)
_CONJUGATE = np.diag((1.0, -1.0, -1.0, -1.0))

QUATERNIONS: Mapping[str, Array] = MappingProxyType(
    {
        "wxyz": np.eye(4),
        "xyzw": _XYZW,
        "conjugate": _CONJUGATE,
        "xyzw-conjugate": _CONJUGATE @ _XYZW,
    }
)
"""What is made of the four numbers of a quaternion, (4, 4). A conjugate turns earth to sensor."""

UPS: Mapping[str, Array] = MappingProxyType(
    {
        "z": np.array((1.0, 0.0, 0.0, 0.0)),
        "y": np.array((_C, _C, 0.0, 0.0)),
        "x": np.array((_C, 0.0, -_C, 0.0)),
        "-z": _HALF,
        "-y": np.array((_C, -_C, 0.0, 0.0)),
        "-x": np.array((_C, 0.0, _C, 0.0)),
    }
)
"""The turn, a quaternion, that brings the axis which is up onto z. A mirrored frame is one upside
down: mirrored, a rotation turns the other way about what the mirror leaves."""


@dataclass(frozen=True)
class Convention:
    """A sender's: ``quaternion`` is a word of QUATERNIONS, ``up`` one of UPS."""

    quaternion: str = "wxyz"
    up: str = "z"

    def __post_init__(self) -> None:
        for option, word, known in (
            ("--quaternion", self.quaternion, QUATERNIONS),
            ("--up", self.up, UPS),
        ):
            if word not in known:
                raise ArticulataError(f"{option} is one of {', '.join(known)}, not {word!r}")

    def __bool__(self) -> bool:
        return self != Convention()

    @property
    def options(self) -> str:
        """The options of the command that say so, "" for what is usual."""
        said = (
            ("--quaternion", self.quaternion, "wxyz"),
            ("--up", self.up, "z"),
        )
        return " ".join(f"{option} {word}" for option, word, usual in said if word != usual)

    @cached_property
    def matrix(self) -> Array:
        """``M`` (4, 4)."""
        turn = q_multiply(_HALF, UPS[self.up])
        told = q_multiply(_CONJUGATE @ _HALF, np.eye(4)).T  # columns: from T to E
        return np.asarray(q_multiply(turn, (QUATERNIONS[self.quaternion] @ told).T).T)

    @cached_property
    def places(self) -> Array:
        """What turns places that are told, (3, 3)."""
        H = q_to_matrix(_HALF)
        return np.asarray(H @ q_to_matrix(UPS[self.up]) @ H)

    def meant(self, samples: Iterable[Sample]) -> list[Sample]:
        """Return what samples of such a sender mean."""
        found = []
        for each in samples:
            w, x, y, z = (self.matrix @ each.q).tolist()
            place = NO_PLACE
            if each.p[0] == each.p[0]:
                i, j, k = (self.places @ each.p).tolist()
                place = (i, j, k)
            found.append(each._replace(q=(w, x, y, z), p=place))
        return found
