"""Tracking step by step: ``step(state, samples) -> state, posture``.

A ``Tracker`` says how: the body, which station sits where, the calibration, the filter and how
sensors of different times are read at one. It holds no state; the same samples give the same
postures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from articulata.analyses.track.arms import CONE, TOLERANCE
from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.completing import Completed, Completing, completing
from articulata.analyses.track.tracked_person import ARM_PARTS, TrackedBody
from articulata.errors import ModelError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.smoothing import AS_MEASURED, OneEuro
from articulata.kernels.chains.sensor_fusion.sensor_streams import (
    COLUMNS,
    EXTRAPOLATE,
    HOLD,
    INTERPOLATE,
    RATE,
)
from articulata.kernels.chains.sensor_fusion.tracked_body import (
    ANGLES,
    BASE,
    DROPPED,
    HOLDS,
    INSTANT,
    NEWEST,
    NOTHING,
    ORIGIN,
    PAST,
    SINCE,
    SOLVED,
    follow,
    head_of,
)
from articulata.kernels.compile import bind
from articulata.records.samples import Sample, Samples
from articulata.records.tracking import TrackedPosture

Reading: TypeAlias = Literal["hold", "extrapolate", "interpolate"]
_WAYS: Mapping[str, int] = {"hold": HOLD, "extrapolate": EXTRAPOLATE, "interpolate": INTERPOLATE}

LEAK_TIME: Final = 20.0
"""Seconds in which a trunk without a sensor comes to face where the head does. Shorter, a long look
aside turns the body; longer, errors of the estimate last."""


@dataclass(frozen=True, eq=False)
class Tracker:
    """How samples become postures.

    ``stations`` says what each station sits on; an arm with fewer sensors than three is completed
    (``analyses.track.completing``). ``reading`` is how sensors are read at one time:
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
    def completing(self) -> Completing | None:
        """What computes orientations that no sensor tells; None where all are told."""
        return completing(self.body, self.stations, self.calibration)

    @cached_property
    def read(self) -> Mapping[int, str]:
        """What each station sits on, with those that are computed."""
        return self.stations if self.completing is None else self.completing.stations

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The stations in the order of their rows."""
        return tuple(sorted(self.read))

    @cached_property
    def rows(self) -> Mapping[int, int]:
        """The row of each station."""
        return {station: row for row, station in enumerate(self.order)}

    def row_of(self, role: str) -> int:
        """Return the row of what sits on ``role``, -1 where nothing does."""
        for station, sits_on in self.read.items():
            if sits_on == role:
                return self.rows[station]
        return -1

    @cached_property
    def _mounts(self) -> Array:
        known = self.calibration.mounts
        missing = [station for station in self.stations if station not in known]
        if missing:
            raise ModelError(
                f"station {missing[0]} ({self.stations[missing[0]]}) is not calibrated; calibrate"
                " with all stations, or leave it out"
            )
        if self.completing is not None:
            known = self.completing.mounts
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
    def _carriers(self) -> tuple[IntArray, IntArray]:
        """Of each row the one that carries it, its own for the trunk; all from the trunk on."""
        trunk = int(self._voices[0])
        carriers = np.full(len(self.order), trunk if trunk >= 0 else NOTHING, np.int64)
        depth = np.ones(len(self.order), np.int64)
        if trunk >= 0:
            depth[trunk] = 0
        for rows in self._arm_rows.tolist():
            inner = int(carriers[rows[0]]) if rows[0] >= 0 else trunk
            for k, row in enumerate(rows):
                if row >= 0:
                    carriers[row], depth[row] = inner if inner >= 0 else NOTHING, k + 1
                    inner = row
        return carriers, np.argsort(depth, kind="stable")

    @cached_property
    def _tables(self) -> Array:
        """What the kernel needs and no step changes, as ``sensor_fusion.tracked_body`` has it."""
        arms, neck = self.body.arms, self.body.neck
        parts = (
            (self.filter or AS_MEASURED).numbers,
            self.calibration.R_FT.to_quaternion(),
            self.body.up,
            self.body.pivot,
            (math.sin(self.cone), self.tolerance),
            np.zeros(18) if neck is None else neck.turns,
            # apart, so that the kernel finds each without gaps, as those of arms
            np.zeros(3) if neck is None else neck.table[:, 0],
            np.zeros(9) if neck is None else neck.table[:, 1:],
            (LEAK_TIME, self.delay),
            self._mounts,
            self.body.roots(),
            arms.turns,
            arms.offsets,
            arms.limits,
            self.body.rest,
        )
        return np.concatenate([np.ravel(part) for part in parts])

    @cached_property
    def _places(self) -> IntArray:
        """The numbers among them: streams, rows, columns."""
        neck = self.body.neck
        necked = (0, 0, 0, 0) if neck is None else (1, *neck.columns)
        parts = (
            (len(self.order), len(self.body.sides), _WAYS[self.reading], len(self.body.rest)),
            self._voices,
            necked,
            self._arm_rows,
            self.body.columns,
            self.order,
            *self._carriers,
        )
        return np.concatenate([np.ravel(part) for part in parts]).astype(np.int64)

    @cached_property
    def _joints(self) -> tuple[tuple[str, ...], ...]:
        return tuple(arm.joints for arm in self.body.arms.each)

    @cached_property
    def _shape(self) -> tuple[int, int, int, int, tuple[int, int]]:
        """Where joint values, base and arms end in what the kernel gives, and all of it; arms'."""
        dof, arms = len(self.body.rest), len(self.body.sides)
        base = dof + BASE
        return dof, base, base + arms * SOLVED, self._ends[5], (arms, SOLVED)

    @cached_property
    def _ends(self) -> tuple[int, int, int, int, int, int]:
        """Where streams, arms, trunk, segments, holds and what is past end in a state's memory."""
        count, arms = len(self.order), len(self.body.sides)
        streams = head_of(count, arms, len(self.body.rest)) + count * COLUMNS
        before = streams + arms * (ANGLES + 1)
        seen = before + 4 + 4 * count
        holds = seen + HOLDS * count
        return streams, before, before + 4, seen, holds, holds + PAST

    def _parts(self, memory: Array) -> tuple[Array, Array, Array, Array, Array, Array]:
        """Return streams, arms, trunk, segments, holds and what is past in ``memory``, as views."""
        a, b, c, d, e, f = self._ends
        return (
            memory[a - len(self.order) * COLUMNS : a].reshape(-1, COLUMNS),
            memory[a:b].reshape(-1, ANGLES + 1),
            memory[b:c],
            memory[c:d].reshape(-1, 4),
            memory[d:e].reshape(-1, HOLDS),
            memory[e:f],
        )

    def seen(self, state: TrackState) -> Mapping[str, Array]:
        """Return the orientations (4,) in F of what sensors sit on; NaN where none was heard."""
        turned = self._parts(state.memory)[3]
        return {self.read[s]: turned[row] for s, row in self.rows.items()}

    def trunk(self, state: TrackState) -> Array:
        """Return how the figure as a whole is turned in F, a quaternion (4,)."""
        return self._parts(state.memory)[2]

    # ---- tracking

    def start(self) -> TrackState:
        """Return the state before the first sample."""
        memory = np.zeros(self._ends[5])
        streams, before, trunk, seen, holds, past = self._parts(memory)
        streams[:, :RATE] = np.nan
        before[:] = self.body.arms.rest
        # in its singular direction an arm says nothing of its first angle: there it is as at rest
        before[:, ANGLES] = 1.0
        trunk[0] = 1.0
        seen[:] = np.nan
        holds[:, SINCE] = np.nan
        past[NEWEST], past[ORIGIN : ORIGIN + 3] = -math.inf, np.nan
        return TrackState(memory, None if self.completing is None else self.completing.start())

    def step(
        self, state: TrackState, samples: Sequence[Sample], *, now: float = math.nan
    ) -> tuple[TrackState, TrackedPosture]:
        """Return the state after ``samples``, and the posture at ``now`` less the delay.

        ``now`` (s) is the time of the newest sample where none is given. Samples of stations that
        are not in use are left out, and so are those that come too late. ``Samples`` are taken as
        they are; of any others a table is made first.
        """
        before, completed = state
        if completed is not None and self.completing is not None:
            completed, samples = self.completing.step(completed, samples, self.trunk(state))
        table = (samples if isinstance(samples, Samples) else Samples.of(samples)).table
        dof, base, arms, end, told = self._shape
        out = np.empty(end)
        _follow()(table, before, now, self._tables, self._places, out)
        posture = (
            out.item(INSTANT - PAST), out[:dof], out[dof:base], out[base:arms].reshape(told),
            self._joints, self.delay, out.item(-1) > 0.0, None,
        )  # fmt: skip
        # named tuples are made by name in twice the time
        return _new(TrackState, (out, completed)), _new(TrackedPosture, posture)


def apart(samples: Sequence[Sample]) -> Sequence[Sequence[Sample]]:
    """Return samples in steps in which no station speaks twice."""
    if isinstance(samples, Samples):
        stations = samples.table[:, 0].tolist()
        if len(set(stations)) == len(stations):
            return [samples]
    parts: list[list[Sample]] = [[]]
    seen: set[int] = set()
    for sample in samples:
        if sample.station in seen:
            parts.append([])
            seen.clear()
        seen.add(sample.station)
        parts[-1].append(sample)
    return parts


_new: Final = tuple.__new__


@cache
def _follow() -> Callable[..., None]:
    """Return the kernel for arguments as ``step`` has them, whatever is tracked."""
    numbers = np.empty(0)
    return bind(follow, np.empty((0, 0)), numbers, 0.0, numbers, np.empty(0, np.int64), numbers)


class TrackState(NamedTuple):
    """What tracking goes on from.

    ``memory`` is what ``tracked_body.follow`` gave: the posture, then the streams,
    where the arms were, the trunk's turn, the segments' orientations and what is past.
    ``completed`` is where arms with fewer sensors were. A named tuple, as samples are: one is made
    in every step.
    """

    memory: Array
    completed: Completed | None

    @property
    def newest(self) -> float:
        """The time (s) of the newest sample, -inf before the first."""
        return self.memory.item(NEWEST - PAST)

    @property
    def late(self) -> int:
        """How many samples came too late."""
        return int(self.memory.item(DROPPED - PAST))


def track(samples: Iterable[Sample], tracker: Tracker) -> list[TrackedPosture]:
    """Return the posture after each sample, in the order of their arrival."""
    state, found = tracker.start(), []
    for sample in sorted(samples, key=lambda each: each.arrival):
        state, posture = tracker.step(state, (sample,))
        found.append(posture)
    return found
