"""Figures that others send, a row each: postures taken in as they come, shown at an instant.

Joints, place and orientation are those of one instant, a little before now, so that mostly a packet
before it and one after it have come: a cubic passes through what they tell. Past the newest packet
joints go on for a moment and dead reckoning carries the place on; what a packet corrects fades.

E is the geocentric frame, B a figure's own axes (x ahead, y right, z down).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, BoolArray, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.dead_reckoning import carried_on
from articulata.kernels.rotations import Quaternion, between, exp, log, times, unit
from articulata.kernels.space_vectors import Vector, ahead, dot, minus

WIDTH = 64
"""Joints of a figure at most."""

COLUMNS = WIDTH + 7
"""Numbers of a posture that is kept: joints, place (3), orientation ``q_EB`` (4)."""

KEPT = 4
"""Postures of a figure that are kept: what a cubic passes through."""

GLIDE = 0.15
"""Seconds in which a figure has glided 95 % of the way to where a packet says it is."""

_FADING = GLIDE / 3.0
"""Time constant (s) of it; e^-3 is 5 %. A decay is the same however often it begins anew."""

CARRIED = 0.1
"""Seconds that joints go on by themselves where no newer posture has come."""

LATEST = 0.25
"""Seconds that a figure is shown late at most."""

STEADY = 0.1
"""By how much one packet changes a mean over many."""

_DRIFT = 2e-4
"""How fast a sender's clock may run away from ours."""

LEAP = 10.0
"""Seconds by which a sender's clock may leap before it is taken anew."""


class Figures(NamedTuple):
    """What is held of n figures; times in s.

    ``offset`` is the least time from sent to arrival by two clocks, ``p_off`` and ``turn_off`` what
    was corrected at ``arrival``, ``jump`` by how much: m, and rad at the worst joint. ``whole``
    says who can be carried on, ``told`` who tells joints. ``postures`` are the newest, as of
    ``times``.
    """

    sent: Array
    offset: Array
    arrival: Array
    interval: Array
    size: Array
    came: Array
    missed: Array
    whole: BoolArray
    told: BoolArray
    algorithm: IntArray
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
        """Return room for n figures, (n,), (n, 3), (n, 2), (n, KEPT), (n, KEPT, COLUMNS)."""
        shapes = [()] * 10 + [(3,)] * 5 + [(2,), (KEPT,), (KEPT, COLUMNS)]
        kinds = {7: np.bool_, 8: np.bool_, 9: np.int64}
        columns: Any = [np.zeros((n, *s), kinds.get(k, np.float64)) for k, s in enumerate(shapes)]
        return Figures(*columns)

    def forget(self, row: int, now: float) -> None:
        """Make a row that of a figure of whom nothing has come by ``now`` (s)."""
        for column in self:
            column[row] = 0
        self.sent[row], self.offset[row], self.arrival[row] = -np.inf, np.inf, now
        self.times[row], self.postures[row] = -np.inf, np.nan


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


Passage = tuple[int, float, tuple[float, float, float, float]]
"""The number of a posture before an instant, what share of the way to the next is passed, and what
shares of the one before it, it, the next and the one after that make the posture at the instant."""


@kernel(counted=False)
def _vector(rows: Array, k: int) -> Vector:
    return rows[k, 0], rows[k, 1], rows[k, 2]


@kernel(counted=False)
def _put(rows: Array, k: int, v: Vector) -> None:
    rows[k, 0], rows[k, 1], rows[k, 2] = v


@kernel(counted=False)
def _reckoned(f: Figures, k: int, due: float, longest: float) -> tuple[Vector, Quaternion]:
    """Return where figure ``k`` is at ``due`` (s, by the sender's clock).

    Past the newest packet dead reckoning carries it on, for ``longest`` s at most.
    """
    passage, c = _passage(f, k, min(due, f.sent[k])), WIDTH
    p = _at(f, k, passage, c), _at(f, k, passage, c + 1), _at(f, k, passage, c + 2)
    c += 3
    q = unit(
        (_at(f, k, passage, c), _at(f, k, passage, c + 1), _at(f, k, passage, c + 2),
         _at(f, k, passage, c + 3))
    )  # fmt: skip
    seconds = min(due - f.sent[k], longest)
    if not seconds > 0.0 or math.isinf(seconds):
        return p, q
    return carried_on(
        f.algorithm[k], p, q, _vector(f.v, k), _vector(f.a, k), _vector(f.w, k), seconds
    )


@kernel(counted=False)
def _carried(
    f: Figures, k: int, now: float, wanted: float, longest: float
) -> tuple[Vector, Quaternion]:
    """Return where figure ``k`` is shown: on its way to where it is reckoned."""
    p, q = _reckoned(f, k, _due(f, k, now, wanted), longest)
    left = math.exp(-max(now - f.arrival[k], 0.0) / _FADING)
    turn = _vector(f.turn_off, k)
    off = exp((left * turn[0], left * turn[1], left * turn[2]))
    return ahead(p, left, _vector(f.p_off, k)), times(q, off)


@kernel(counted=False)
def take(f: Figures, given: Postures, arrival: float, wanted: float, longest: float) -> None:
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
        p, q = _carried(f, k, arrival, wanted, longest)
        anew = leapt or not f.whole[k]
        waited = 0.0 if anew else arrival - f.arrival[k]
        f.offset[k] = lag if leapt else min(lag, f.offset[k] + _DRIFT * waited)
        if leapt:
            f.times[k, :] = -math.inf
        step, mean = sent - f.times[k, KEPT - 1], f.interval[k]
        if 0.0 < step < 1.0:
            f.interval[k] = mean + STEADY * (step - mean) if mean > 0.0 else step
        f.sent[k], f.arrival[k] = sent, arrival
        _put(f.v, k, _vector(given.velocity, n))
        if given.whole[n]:
            f.whole[k], f.algorithm[k] = True, given.algorithm[n]
            _put(f.a, k, _vector(given.acceleration, n))
            _put(f.w, k, _vector(given.rate, n))
        moved = _keep(f, k, given, n)
        now_p, now_q = _reckoned(f, k, _due(f, k, arrival, wanted), longest)
        off, turn = minus(p, now_p), log(between(now_q, q))
        if anew:
            off, turn, moved = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        _put(f.p_off, k, off)
        _put(f.turn_off, k, turn)
        f.jump[k, 0], f.jump[k, 1] = math.sqrt(dot(off, off)), moved


@kernel(counted=False)
def _keep(f: Figures, k: int, given: Postures, n: int) -> float:
    """Add a posture to those kept; joints that are not told stay. Return the largest change."""
    kept, last = f.postures[k], KEPT - 1
    for i in range(last):
        f.times[k, i] = f.times[k, i + 1]
        for j in range(COLUMNS):
            kept[i, j] = kept[i + 1, j]
    f.times[k, last] = given.sent[n]
    moved = 0.0
    for j in range(WIDTH):
        new = given.q[n, j]
        if math.isfinite(new):
            kept[last, j], f.told[k] = new, True
            if math.isfinite(kept[last - 1, j]):
                moved = max(moved, abs(new - kept[last - 1, j]))
    for i in range(3):
        kept[last, WIDTH + i] = given.p[n, i]
    # of the two quaternions of a turn that which is near to the one before
    near = 0.0
    for i in range(4):
        near += given.q_EB[n, i] * kept[last - 1, WIDTH + 3 + i]
    for i in range(4):
        kept[last, WIDTH + 3 + i] = -given.q_EB[n, i] if near < 0.0 else given.q_EB[n, i]
    return moved


@kernel(counted=False)
def delay_of(f: Figures, k: int, wanted: float) -> float:
    """Return by how much (s) a figure is shown late on purpose: ``wanted`` if it is a number.

    One that tells no joints is not: dead reckoning carries it on to now.
    """
    if not math.isnan(wanted):
        return wanted
    return min(1.5 * f.interval[k], LATEST) if f.told[k] else 0.0


@kernel(counted=False)
def _due(f: Figures, k: int, now: float, wanted: float) -> float:
    """Return the instant (s, by the sender's clock) of which a figure is shown at ``now``."""
    return now - f.offset[k] - delay_of(f, k, wanted)


@kernel(counted=False)
def show(
    f: Figures, rows: IntArray, now: float, wanted: float, longest: float,
    shown: tuple[Array, Array, Array],
) -> None:  # fmt: skip
    """Put where figures of ``rows`` are at ``now`` into ``p_EB``, ``R_EB`` and ``q`` of shown."""
    p_EB, R_EB, joints = shown
    for n in range(len(rows)):
        k = rows[n]
        p, (w, x, y, z) = _carried(f, k, now, wanted, longest)
        _put(p_EB, n, p)
        R = R_EB[n]
        R[0, 0], R[1, 1] = 1 - 2 * (y * y + z * z), 1 - 2 * (x * x + z * z)
        R[2, 2] = 1 - 2 * (x * x + y * y)
        R[0, 1], R[1, 0] = 2 * (x * y - w * z), 2 * (x * y + w * z)
        R[0, 2], R[2, 0] = 2 * (x * z + w * y), 2 * (x * z - w * y)
        R[1, 2], R[2, 1] = 2 * (y * z - w * x), 2 * (y * z + w * x)
        passage = _passage(f, k, _due(f, k, now, wanted))
        for j in range(WIDTH):
            joints[n, j] = _at(f, k, passage, j)


@kernel(counted=False)
def _passage(f: Figures, k: int, due: float) -> Passage:
    """Return how postures of a figure make that at ``due`` (s, by the sender's clock).

    A cubic with the slopes of chords passes through them, and goes on for a moment past the newest.
    """
    t, last = f.times[k], KEPT - 1
    # the newest of those before it that have come, or the oldest where none is
    index = 0
    for i in range(1, KEPT):
        if t[i] <= due or not math.isfinite(t[i - 1]):
            index = i
    begun = index > 0 and math.isfinite(t[index - 1])
    t0, t1, past = t[max(index - 1, 0)], t[index], max(due - t[index], 0.0)
    if index == last:
        onward = min(past, CARRIED, 2.0 * f.interval[k]) / (t1 - t0) if begun else 0.0
        return index, 0.0, (-onward, 1.0 + onward, 0.0, 0.0)
    t2, t3 = t[index + 1], t[min(index + 2, last)]
    h = t2 - t1
    s = min(past / h, 1.0)
    # Hermite's cubic; its slopes are those from the posture before to the one after
    first, second = s * (1.0 - s) ** 2 * h, s * s * (s - 1.0) * h
    share = s * s * (3.0 - 2.0 * s)
    first /= t2 - t0 if begun else h
    second /= t3 - t1
    w0, w1, w2, w3 = -first, 1.0 - share - second, share + first, second
    if not begun:
        w0, w1 = 0.0, w1 - first
    if index + 1 == last:
        w2, w3 = w2 + second, 0.0
    return index, s, (w0, w1, w2, w3)


@kernel(counted=False)
def _at(f: Figures, k: int, passage: Passage, j: int) -> float:
    """Return column ``j`` of figure ``k`` there; NaN where nothing was told."""
    q, last, (index, share, (w0, w1, w2, w3)) = f.postures[k], KEPT - 1, passage
    q1, q2 = q[index, j], q[min(index + 1, last), j]
    value = w0 * q[max(index - 1, 0), j] + w1 * q1 + w2 * q2 + w3 * q[min(index + 2, last), j]
    # what was not told of one of the four is on the line between two
    return value if math.isfinite(value) else q1 + share * (q2 - q1)
