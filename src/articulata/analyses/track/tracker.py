"""Tracking step by step: ``step(state, samples) -> state, posture``.

A ``Tracker`` says how: the body, which station sits where, the calibration, the filter and how
sensors of different times are read at one. It holds no state; the same samples give the same
postures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, TypeAlias

import numpy as np

from articulata.analyses.track.arms import CONE, TOLERANCE
from articulata.analyses.track.body import ARM_PARTS, TrackedBody
from articulata.analyses.track.calibration import Calibration
from articulata.errors import ModelError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_rotate
from articulata.geometry.smoothing import AS_MEASURED, OneEuro
from articulata.kernels.chains.sensor_streams import (
    COLUMNS,
    EXTRAPOLATE,
    HOLD,
    INTERPOLATE,
    RATE,
)
from articulata.kernels.chains.tracked_arms import FROZEN
from articulata.kernels.chains.tracked_body import (
    ANGLES,
    LEFT,
    NOT_SOLVED,
    OUTSIDE,
    SOLVED,
    TOLD,
    follow,
)
from articulata.records.samples import Sample
from articulata.records.tracking import TrackedPosture

Reading: TypeAlias = Literal["hold", "extrapolate", "interpolate"]
_WAYS: Mapping[str, int] = {"hold": HOLD, "extrapolate": EXTRAPOLATE, "interpolate": INTERPOLATE}

LEAK_TIME: Final = 20.0
"""Seconds in which a trunk without a sensor comes to face where the head does. Shorter, a long look
aside turns the body; longer, errors of the estimate last."""


@dataclass(frozen=True, eq=False)
class Tracker:
    """How samples become postures.

    ``stations`` says what each station sits on. ``reading`` is how sensors are read at one time:
    "extrapolate" (no delay), "interpolate" ``delay`` s behind the newest sample, "hold".
    ``cone`` and ``tolerance`` (rad) are those of the singular cone of the shoulders.
    """

    body: TrackedBody
    stations: Mapping[int, str]
    calibration: Calibration
    filter: OneEuro | None = OneEuro()  # noqa: RUF009 - a frozen value
    reading: Reading = "extrapolate"
    delay: float = 0.0
    cone: float = float(CONE)
    tolerance: float = float(TOLERANCE)

    def __post_init__(self) -> None:
        if self.reading not in _WAYS:
            raise ModelError(f"sensors are read by {', '.join(_WAYS)}, not by {self.reading!r}")
        if not (0.0 <= self.delay < math.inf):
            raise ModelError(f"a delay is 0 s or more, not {self.delay}")
        roles = list(self.stations.values())
        twice = {role for role in roles if roles.count(role) > 1}
        if twice:
            raise ModelError(
                f"two stations sit on {', '.join(sorted(twice))}; each part of a body takes one"
            )
        known = self.body.orientations(self.body.rest)
        strange = [role for role in roles if role not in known]
        if strange:
            raise ModelError(
                f"'{strange[0]}' is nothing of '{self.body.figure.name}' that a sensor can sit on;"
                f" there are {', '.join(known)}"
            )

    # ---- what the kernel takes, made once

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The stations in the order of their rows."""
        return tuple(sorted(self.stations))

    @cached_property
    def rows(self) -> Mapping[int, int]:
        """The row of each station."""
        return {station: row for row, station in enumerate(self.order)}

    def row_of(self, role: str) -> int:
        """Return the row of what sits on ``role``, -1 where nothing does."""
        for station, sits_on in self.stations.items():
            if sits_on == role:
                return self.rows[station]
        return -1

    @cached_property
    def _mounts(self) -> Array:
        known = self.calibration.mounts
        missing = [station for station in self.order if station not in known]
        if missing:
            raise ModelError(
                f"station {missing[0]} ({self.stations[missing[0]]}) is not calibrated; calibrate"
                " with all stations, or leave it out"
            )
        return np.array([known[s].q for s in self.order]).reshape(-1, 4)

    @cached_property
    def _arm_rows(self) -> IntArray:
        return np.array(
            [[self.row_of(f"{side}_{part}") for part in ARM_PARTS] for side in self.body.sides],
            np.int64,
        )

    @cached_property
    def _voices(self) -> IntArray:
        trunk = self.row_of("sternum")
        trunk = self.row_of("pelvis") if trunk < 0 else trunk
        upper = [self.row_of(f"{side}_upper_arm") for side in self.body.sides]
        return np.array([trunk, self.row_of("skull"), *upper], np.int64)

    @cached_property
    def _fixed(self) -> tuple[Array, ...]:
        arms, neck = self.body.arms, self.body.neck
        return (
            (self.filter or AS_MEASURED).numbers,
            self.calibration.R_FT.to_quaternion(),
            self.body.roots(),
            arms.turns,
            arms.offsets,
            arms.limits,
            np.empty((0, 4)) if neck is None else neck.table,
            np.zeros((2, 3, 3)) if neck is None else np.ascontiguousarray(neck.turns),
        )

    @cached_property
    def _columns(self) -> IntArray:
        return np.asarray(self.body.columns.reshape(-1), np.int64)

    # ---- tracking

    def start(self) -> TrackState:
        """Return the state before the first sample."""
        count = len(self.order)
        streams = np.full((count, COLUMNS), np.nan)
        streams[:, RATE:] = 0.0
        streams[:, 0] = np.nan
        return TrackState(
            streams,
            self.body.arms.rest,
            np.array((1.0, 0.0, 0.0, 0.0)),
            np.full((count, 4), np.nan),
            np.zeros(4),
        )

    def step(
        self, state: TrackState, samples: Sequence[Sample], *, now: float | None = None
    ) -> tuple[TrackState, TrackedPosture]:
        """Return the state after ``samples``, and the posture at ``now`` less the delay.

        ``now`` (s) is the time of the newest sample where none is given. Samples of stations that
        are not in use are left out, and so are those that come too late.
        """
        rows = self.rows
        used = [
            (rows[s.station], s.time, *s.q) for s in samples if s.station in rows and not s.error
        ]
        taken = np.array(used, np.float64).reshape(-1, 6)
        newest = state.newest
        for row in used:
            newest = max(newest, row[1])
        streams, before, seen = state.streams.copy(), state.before.copy(), state.seen.copy()
        trunk, neck_angles = state.trunk.copy(), state.neck.copy()
        smoothing, alignment, roots, turns, offsets, limits, neck, neck_turns = self._fixed
        solved = np.empty((len(self.body.sides), SOLVED))
        time = (newest if now is None else now) - self.delay
        since = newest - state.newest
        late = follow(
            taken,
            smoothing,
            streams,
            time,
            _WAYS[self.reading],
            alignment,
            self._mounts,
            self._voices,
            self.body.up,
            min(since / LEAK_TIME, 1.0) if since < 1.0 else 0.0,
            roots,
            self._arm_rows,
            turns,
            offsets,
            limits,
            math.sin(self.cone),
            self.tolerance,
            neck,
            neck_turns,
            neck_angles,
            trunk,
            before,
            seen,
            solved,
        )
        place, origin = self._placed(state, samples)
        after = TrackState(
            streams, before, trunk, seen, neck_angles, newest, state.late + late, place, origin
        )
        return after, self._posture(after, solved, time)

    def _placed(
        self, state: TrackState, samples: Sequence[Sample]
    ) -> tuple[Array, tuple[float, float, float] | None]:
        """Return where the base has moved to (3,) m, and where the trunk's sensor was at first."""
        row = int(self._voices[0])
        if row < 0:
            return state.place, state.origin
        station, origin = self.order[row], state.origin
        for sample in reversed(samples):
            if sample.station == station and sample.p[0] == sample.p[0]:
                if origin is None:
                    return state.place, sample.p
                way = np.subtract(sample.p, origin)
                return self.calibration.R_FT.apply(way), origin
        return state.place, origin

    def _posture(self, state: TrackState, solved: Array, time: float) -> TrackedPosture:
        q = self.body.rest.copy()
        q[self._columns] = solved[:, :ANGLES].reshape(-1)
        if self.body.neck is not None and state.neck[3] > 0.0:
            q[self.body.neck.columns] = state.neck[:3]
        told = solved[:, TOLD]
        outside: tuple[str, ...] = ()
        if solved[:, OUTSIDE].any():
            outside = tuple(
                arm.joints[k]
                for arm, row in zip(self.body.arms.each, solved, strict=True)
                for k in range(ANGLES)
                if int(row[OUTSIDE]) >> k & 1
            )
        pivot = self.body.pivot
        return TrackedPosture(
            time,
            q,
            state.trunk,
            state.place + pivot - q_rotate(state.trunk, pivot),
            solved[:, :ANGLES],
            solved[:, LEFT : LEFT + 2],
            tuple(bool(each > 0 and int(each) & FROZEN) for each in told),
            tuple(bool(each != NOT_SOLVED) for each in told),
            outside,
            self.delay,
        )


@dataclass(frozen=True, slots=True, eq=False)
class TrackState:
    """What tracking goes on from. Arrays are those of ``kernels.chains.tracked_body.follow``.

    ``newest`` (s) is the time of the newest sample, ``late`` counts samples that came too late;
    ``place`` (3,) m is how far the base has moved in F, ``origin`` where the trunk's sensor was
    when it was first heard, m in T.
    """

    streams: Array
    before: Array
    trunk: Array
    seen: Array
    neck: Array
    newest: float = -math.inf
    late: int = 0
    place: Array = field(default_factory=lambda: np.zeros(3))
    origin: tuple[float, float, float] | None = None
