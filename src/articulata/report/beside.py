"""Two recordings of one world side by side: how far apart bodies are, what each run kept.

Meant for the same world moved by two methods, ours and MuJoCo's above all: distances body by body,
the drift of the energy that each books, and when bodies first touched in each run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from articulata.errors import RecordingError
from articulata.formats import csv
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_distance
from articulata.records.recording import Recording
from articulata.records.state import in_units

TOUCHED = "mujoco.touched"
"""The channel in which MuJoCo's runs tell when each body first lay in another (n,), in s."""

DEPTH = "mujoco.depth"
"""How deep each body lay in others at most since the frame before (n,), in m."""

TOUCHES = ("impact", "contact")
"""Kinds of events at which bodies meet."""

SAME_TIME = 1e-9
"""Frames nearer than this share of the time between two frames are of one instant."""


@dataclass(frozen=True, slots=True)
class Apart:
    """How far one body is apart in two runs.

    ``distance`` (m) and ``angle`` (rad) are the largest, at ``distance_at`` and ``angle_at`` (s);
    ``last`` (m) is the distance at the end. ``touched`` says when the body first met another in
    either run (s), None where it did not, ``depth`` how deep it went at most in either (m).
    """

    body: str
    distance: float
    distance_at: float
    angle: float
    angle_at: float
    last: float
    touched: tuple[float | None, float | None]
    depth: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Beside:
    """Two recordings of one world, compared; ``str`` of it is a table to read.

    ``methods`` moved the world; ``times`` (n,) are the common instants (s), ``distances``
    (n, bodies) those of the bodies' origins (m), ``angles`` (n, bodies) between their orientations
    (rad). ``drift`` is the largest change of each run's energy (J), with work, dissipation and the
    losses of impacts counted where they are recorded; ``gained`` how far it ever rose above what it
    had been before (J); ``share`` is the gain as a share of the largest kinetic energy.
    Tables are in the ``units`` of the text.
    """

    methods: tuple[str, str]
    times: Array
    bodies: tuple[Apart, ...]
    distances: Array
    angles: Array
    drift: tuple[float, float]
    gained: tuple[float, float]
    share: tuple[float, float]
    units: tuple[str, ...] = ()

    @property
    def widest(self) -> Apart | None:
        """The body that is farthest apart; None where nothing moves."""
        return max(self.bodies, key=lambda each: each.distance, default=None)

    def columns(self) -> csv.Columns:
        """Return distances and angles over time as columns of a table."""
        names = [each.body for each in self.bodies]
        (length, m), (angle, rad) = in_units(self.units, "m"), in_units(self.units, "rad")
        return csv.Columns(
            ("time", *(f"{name}.distance" for name in names), *(f"{name}.angle" for name in names)),
            ("s", *(length for _ in names), *(angle for _ in names)),
            np.hstack([self.times[:, None], self.distances / m, self.angles / rad]),
        )

    def __str__(self) -> str:
        one, other = self.methods
        (length, m), (angle, rad) = in_units(self.units, "m"), in_units(self.units, "rad")
        lines = [f"{one} beside {other}, {len(self.times)} instants to t = {self.times[-1]:g} s"]
        rows: list[tuple[str, ...]] = [
            ("body", f"distance/{length}", "at/s", f"angle/{angle}", "at/s", f"at the end/{length}")
        ]
        rows += [
            (
                each.body,
                f"{each.distance / m:.3g}",
                f"{each.distance_at:g}",
                f"{each.angle / rad:.3g}",
                f"{each.angle_at:g}",
                f"{each.last / m:.3g}",
            )
            for each in self.bodies
        ]
        lines += _aligned(rows)
        rows = [("energy", "drift/J", "gained/J", "gained/kinetic")]
        rows += [
            (name, *("not booked" if np.isnan(value) else f"{value:.3g}" for value in values))
            for name, *values in zip(self.methods, self.drift, self.gained, self.share, strict=True)
        ]
        lines += ["", *_aligned(rows)]
        met = [each for each in self.bodies if each.touched != (None, None)]
        if met:
            rows = [("first touch", f"{one}/s", f"{other}/s", *[f"deepest/{length}"] * 2)]
            rows += [
                (
                    each.body,
                    *("never" if time is None else f"{time:.6f}" for time in each.touched),
                    *(f"{depth / m:.3g}" for depth in each.depth),
                )
                for each in met
            ]
            lines += ["", *_aligned(rows)]
        return "\n".join(lines)


def beside(one: Recording, other: Recording) -> Beside:
    """Return how two recordings of one world differ, at the instants that both have.

    Where edits made bodies come or go those are compared that were there all along in both runs.
    RecordingError where they began with other bodies, or have no body or no instant in common.
    """
    bodies = _same_world(one, other)
    first, second = _common(one.times, other.times)
    a, b = _poses(one, bodies)[first], _poses(other, bodies)[second]
    times = one.times[first]
    distances = np.linalg.norm(a[:, :, :3] - b[:, :, :3], axis=-1)
    angles = q_distance(a[:, :, 3:], b[:, :, 3:])
    moving = [k for k, name in enumerate(bodies) if one.world.bodies[name].motion != "fixed"]
    found = []
    for k in moving:
        far, turned = int(np.argmax(distances[:, k])), int(np.argmax(angles[:, k]))
        (met, deep), (met_too, deep_too) = _touch(one, bodies[k]), _touch(other, bodies[k])
        found.append(
            Apart(
                bodies[k],
                float(distances[far, k]),
                float(times[far]),
                float(angles[turned, k]),
                float(times[turned]),
                float(distances[-1, k]),
                (met, met_too),
                (deep, deep_too),
            )
        )
    drift, gained, share = zip(_energies(one), _energies(other), strict=True)
    return Beside(
        (one.header.method or "first", other.header.method or "second"),
        times,
        tuple(found),
        distances[:, moving],
        angles[:, moving],
        (drift[0], drift[1]),
        (gained[0], gained[1]),
        (share[0], share[1]),
        one.world.units,
    )


def _same_world(one: Recording, other: Recording) -> tuple[str, ...]:
    """Return the bodies that were there all along in both runs, which began with the same."""
    ours, theirs = (tuple(recording.world.bodies) for recording in (one, other))
    if ours != theirs:
        different = [*(set(ours) ^ set(theirs))] or ["their order"]
        raise RecordingError(
            "only recordings of one world can be laid side by side; these differ in "
            f"{', '.join(sorted(different)[:5])}"
        )
    stayed = [
        name
        for name in ours
        if all(name in world.bodies for each in (one, other) for world in each.worlds.values())
    ]
    if not stayed:
        raise RecordingError(
            "no body was there all along in both recordings; compare the series of those that were "
            "there for a while"
        )
    return tuple(stayed)


def _columns(recording: Recording, name: str, bodies: Sequence[str]) -> Array:
    """Return a channel (n, bodies, ...) of some bodies, also where others come and go."""
    parts = []
    for segment in recording.segments:
        place = {body: k for k, body in enumerate(recording.worlds[segment.version].bodies)}
        parts.append(segment.array(name)[:, [place[body] for body in bodies]])
    return np.concatenate(parts)


def _poses(recording: Recording, bodies: Sequence[str]) -> Array:
    if not recording.segments:
        raise RecordingError("a recording without frames cannot be laid beside another")
    return _columns(recording, "geometric.pose", bodies)


def _common(one: Array, other: Array) -> tuple[IntArray, IntArray]:
    """Return the numbers of the frames that two rows of times have in common."""
    if not len(one) or not len(other):
        raise RecordingError("a recording without frames cannot be laid beside another")
    near = np.clip(np.searchsorted(other, one), 1, max(1, len(other) - 1))
    near -= np.abs(one - other[near - 1]) <= np.abs(other[np.minimum(near, len(other) - 1)] - one)
    apart = float(np.min(np.diff(one), initial=1.0))
    kept = np.abs(one - other[near]) <= SAME_TIME * max(apart, SAME_TIME)
    if not np.any(kept):
        raise RecordingError(
            "the two recordings have no instant in common; simulate both with the same step"
        )
    return np.flatnonzero(kept), near[kept]


def _energies(recording: Recording) -> tuple[float, float, float]:
    """Return drift and gain of the booked energy (J), and the gain as a share of the kinetic."""
    total = recording.series("energy.total")
    booked = recording.series("energy.dissipated") - recording.series("energy.work")
    if np.all(np.isfinite(booked)):
        total = total + booked
    elif recording.world.drives or recording.world.forces:
        return np.nan, np.nan, np.nan
    else:
        total = total + _lost_at_impacts(recording)
    gained = float(np.max(total - np.minimum.accumulate(total)))
    most = float(np.max(recording.series("energy.kinetic")))
    drift = float(np.max(np.abs(total - total[0])))
    return drift, gained, gained / most if most > 0.0 else 0.0


def _lost_at_impacts(recording: Recording) -> Array:
    """Return the energy that impacts have taken up to every frame (n,), as their events say (J)."""
    lost = np.zeros(len(recording.times))
    for event in recording.events:
        before, after = (event.values.get(f"energy_{when}") for when in ("before", "after"))
        if event.kind == "impact" and isinstance(before, float) and isinstance(after, float):
            lost += np.where(recording.times >= event.time, before - after, 0.0)
    return lost


def _touch(recording: Recording, name: str) -> tuple[float | None, float]:
    """Return when a body first touched another (s), None for never, and its deepest place (m)."""
    if all(TOUCHED in segment.channels for segment in recording.segments):
        time = float(_columns(recording, TOUCHED, [name])[-1, 0])
        deep = float(np.max(_columns(recording, DEPTH, [name])))
        return (None if np.isnan(time) else time), deep
    events = (event for event in recording.events if event.kind in TOUCHES and name in event.who)
    first = next(events, None)
    return (None if first is None else first.time), 0.0


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Return rows of cells as lines: the first column to the left, the others to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines
