"""Figures that others send, a row each: postures taken in as they come, shown at an instant.

E is the geocentric frame, B a figure's own axes (x ahead, y right, z down).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, BoolArray, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.dead_reckoning import STILL, carried_on
from articulata.kernels.rotations import Quaternion, between, exp, log, times
from articulata.kernels.space_vectors import Vector, ahead, dot, minus

WIDTH = 64
"""Joints of a figure at most."""

KEPT = 4
"""Postures of a figure that are kept: what a cubic passes through."""

GLIDE = 0.15
"""Seconds in which a figure glides to where a packet says it is."""

CARRIED = 0.1
"""Seconds that joints go on by themselves where no newer posture has come."""

LATEST = 0.25
"""Seconds that joints are shown late at most."""

STEADY = 0.1
"""By how much one packet changes a mean over many."""

_DRIFT = 2e-4
"""How fast a sender's clock may run away from ours."""

LEAP = 10.0
"""Seconds by which a sender's clock may leap before it is taken anew."""


class Figures(NamedTuple):
    """What is held of n figures; times in s.

    ``offset`` is the least time from sent to arrival by two clocks, ``p_off`` and ``turn_off`` what
    a packet corrected at ``glided``, ``jump`` by how much: m, and rad at the worst joint. ``whole``
    says who can be carried on.
    """

    sent: Array
    offset: Array
    arrival: Array
    interval: Array
    size: Array
    came: Array
    missed: Array
    glided: Array
    whole: BoolArray
    algorithm: IntArray
    p: Array
    q_EB: Array
    v: Array
    a: Array
    w: Array
    p_off: Array
    turn_off: Array
    jump: Array
    times: Array
    postures: Array

    @staticmethod
    def of(n: int) -> Figures:
        """Return room for n figures, (n,), (n, 3), (n, 4), (n, 2), (n, KEPT), (n, KEPT, WIDTH)."""
        shapes = [()] * 10 + [(3,), (4,)] + [(3,)] * 5 + [(2,), (KEPT,), (KEPT, WIDTH)]
        kinds = {8: np.bool_, 9: np.int64}
        columns: Any = [np.zeros((n, *s), kinds.get(k, np.float64)) for k, s in enumerate(shapes)]
        return Figures(*columns)

    def forget(self, row: int, now: float) -> None:
        """Make a row that of a figure of whom nothing has come by ``now`` (s)."""
        for column in self:
            column[row] = 0
        self.sent[row], self.offset[row], self.arrival[row] = -np.inf, np.inf, now
        self.times[row], self.postures[row], self.q_EB[row, 0] = -np.inf, np.nan, 1.0


class Postures(NamedTuple):
    """New postures of n figures, in the order in which they came.

    ``rows`` are their rows, ``sent`` (s) when by the senders' clocks, ``p`` (n, 3) m, ``q_EB`` (n,
    4), ``velocity`` and further ones as dead reckoning takes them; ``q`` (n, WIDTH) rad has NaN for
    joints that are not told, ``size`` bytes. ``whole`` says of which the model, acceleration and
    turning rate are told too; of others they stay.
    """

    rows: IntArray
    sent: Array
    p: Array
    q_EB: Array
    velocity: Array
    q: Array
    size: Array
    algorithm: IntArray
    acceleration: Array
    rate: Array
    whole: BoolArray


@kernel(counted=False)
def _vector(rows: Array, k: int) -> Vector:
    return rows[k, 0], rows[k, 1], rows[k, 2]


@kernel(counted=False)
def _put(rows: Array, k: int, v: Vector) -> None:
    rows[k, 0], rows[k, 1], rows[k, 2] = v


@kernel(counted=False)
def _quaternion(rows: Array, k: int) -> Quaternion:
    return rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3]


@kernel(counted=False)
def _reckoned(f: Figures, k: int, now: float, longest: float) -> tuple[Vector, Quaternion]:
    """Return where dead reckoning has figure ``k``, carried on for ``longest`` s at most."""
    # from when it was sent, as far as clocks are known: what took long is carried on for long
    seconds = now - f.sent[k] - f.offset[k]
    seconds = min(max(seconds, 0.0), longest) if math.isfinite(seconds) else 0.0
    return carried_on(
        f.algorithm[k], _vector(f.p, k), _quaternion(f.q_EB, k), _vector(f.v, k),
        _vector(f.a, k), _vector(f.w, k), seconds,
    )  # fmt: skip


@kernel(counted=False)
def _carried(f: Figures, k: int, now: float, longest: float) -> tuple[Vector, Quaternion]:
    """Return where figure ``k`` is shown: on its way to where it is reckoned."""
    p, q = _reckoned(f, k, now, longest)
    # who is not carried on is where packets say: it glides from one to the next
    glide = min(max(f.interval[k], 1e-3), GLIDE) if f.algorithm[k] == STILL else GLIDE
    left = min(max(1.0 - (now - f.glided[k]) / glide, 0.0), 1.0)
    if left == 0.0:
        return p, q
    left = left * left * (3.0 - 2.0 * left)
    turn = _vector(f.turn_off, k)
    off = exp((left * turn[0], left * turn[1], left * turn[2]))
    return ahead(p, left, _vector(f.p_off, k)), times(q, off)


@kernel(counted=False)
def take(f: Figures, given: Postures, arrival: float, longest: float) -> None:
    """Take postures in that arrived together (s, by our clock), one after the other."""
    for n in range(len(given.rows)):
        k = given.rows[n]
        sent = given.sent[n]
        lag = arrival - sent
        leapt = abs(lag - f.offset[k]) > LEAP
        f.size[k] += given.size[n]
        f.came[k] += 1.0
        if sent <= f.sent[k] and not leapt:  # an older packet corrects nothing
            continue
        p, q = _carried(f, k, arrival, longest)
        anew = leapt or not f.whole[k]
        waited = 0.0 if anew else arrival - f.arrival[k]
        f.offset[k] = lag if leapt else min(lag, f.offset[k] + _DRIFT * waited)
        if leapt:
            f.times[k, :] = -math.inf
        step, mean = sent - f.times[k, KEPT - 1], f.interval[k]
        if 0.0 < step < 1.0:
            f.interval[k] = mean + STEADY * (step - mean) if mean > 0.0 else step
        f.sent[k], f.arrival[k] = sent, arrival
        _put(f.p, k, _vector(given.p, n))
        _put(f.v, k, _vector(given.velocity, n))
        for i in range(4):
            f.q_EB[k, i] = given.q_EB[n, i]
        if given.whole[n]:
            f.whole[k], f.algorithm[k] = True, given.algorithm[n]
            _put(f.a, k, _vector(given.acceleration, n))
            _put(f.w, k, _vector(given.rate, n))
        moved = _take_joints(f, k, sent, given.q, n)
        now_p, now_q = _reckoned(f, k, arrival, longest)
        off, turn = minus(p, now_p), log(between(now_q, q))
        if anew:
            off, turn, moved = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        _put(f.p_off, k, off)
        _put(f.turn_off, k, turn)
        f.glided[k] = arrival
        f.jump[k, 0], f.jump[k, 1] = math.sqrt(dot(off, off)), moved


@kernel(counted=False)
def _take_joints(f: Figures, k: int, sent: float, told: Array, n: int) -> float:
    """Add a posture to those kept; joints that are not told stay. Return the largest change."""
    for i in range(KEPT - 1):
        f.times[k, i] = f.times[k, i + 1]
    f.times[k, KEPT - 1] = sent
    moved = 0.0
    for j in range(WIDTH):
        last, new = f.postures[k, KEPT - 1, j], told[n, j]
        for i in range(KEPT - 1):
            f.postures[k, i, j] = f.postures[k, i + 1, j]
        if math.isfinite(new):
            f.postures[k, KEPT - 1, j] = new
            if math.isfinite(last):
                moved = max(moved, abs(new - last))
    return moved


@kernel(counted=False)
def delay_of(f: Figures, k: int, wanted: float) -> float:
    """Return by how much (s) joints are shown late on purpose: ``wanted`` if it is a number."""
    return min(1.5 * f.interval[k], LATEST) if math.isnan(wanted) else wanted


@kernel(counted=False)
def show(
    f: Figures, rows: IntArray, now: float, wanted: float, longest: float,
    shown: tuple[Array, Array, Array],
) -> None:  # fmt: skip
    """Put where figures of ``rows`` are at ``now`` into ``p_EB``, ``R_EB`` and ``q`` of shown."""
    p_EB, R_EB, joints = shown
    for n in range(len(rows)):
        k = rows[n]
        p, (w, x, y, z) = _carried(f, k, now, longest)
        _put(p_EB, n, p)
        R = R_EB[n]
        R[0, 0], R[1, 1] = 1 - 2 * (y * y + z * z), 1 - 2 * (x * x + z * z)
        R[2, 2] = 1 - 2 * (x * x + y * y)
        R[0, 1], R[1, 0] = 2 * (x * y - w * z), 2 * (x * y + w * z)
        R[0, 2], R[2, 0] = 2 * (x * z + w * y), 2 * (x * z - w * y)
        R[1, 2], R[2, 1] = 2 * (y * z - w * x), 2 * (y * z + w * x)
        _show_joints(f, k, now - f.offset[k] - delay_of(f, k, wanted), joints[n])


@kernel(counted=False)
def _show_joints(f: Figures, k: int, due: float, out: Array) -> None:
    """Put joint values into ``out``: on a cubic through what has come, NaN where nothing was told.

    ``due`` (s) is the instant by the sender's clock.
    """
    t, q, last = f.times[k], f.postures[k], KEPT - 1
    # the posture before that, of those that have come; the newest where none is after it
    index = 0
    for i in range(1, KEPT):
        if t[i] <= due:
            index = i
    if not math.isfinite(t[index]):
        index = last
    after, before = min(index + 1, last), max(index - 1, 0)
    far = min(after + 1, last)
    t0, t1, t2, t3 = t[before], t[index], t[after], t[far]
    h = t2 - t1 if t2 > t1 else 1.0
    s = min(max((due - t1) / h, 0.0), 1.0)
    s2, s3 = s * s, s * s * s
    onward = min(max(due - t1, 0.0), min(CARRIED, 2.0 * f.interval[k]))
    for j in range(WIDTH):
        q1, q2 = q[index, j], q[after, j]
        slope = _slope(t0, t1, t2, q[before, j], q1, q2)
        if after > index:
            out[j] = (
                (2 * s3 - 3 * s2 + 1) * q1
                + (s3 - 2 * s2 + s) * h * slope
                + (3 * s2 - 2 * s3) * q2
                + (s3 - s2) * h * _slope(t1, t2, t3, q1, q2, q[far, j])
            )
        else:
            out[j] = q1 + slope * onward


@kernel(counted=False)
def _slope(t0: float, t1: float, t2: float, q0: float, q1: float, q2: float) -> float:
    """Return the slope at the middle of three postures: by the outer two, or those there are."""
    low, q_low = (t0, q0) if math.isfinite(t0) and t1 > t0 else (t1, q1)
    high, q_high = (t2, q2) if math.isfinite(t2) and t2 > t1 else (t1, q1)
    slope = (q_high - q_low) / (high - low) if high > low else 0.0
    return slope if math.isfinite(slope) else 0.0
