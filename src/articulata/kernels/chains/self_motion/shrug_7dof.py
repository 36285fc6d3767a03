"""Kernels of Leonardo's arm by its shrug: one posture of one branch, and families cut by limits.

``arm`` (18, 3) at zero, rows: the seven axes; S; E from S; the middle of E's circle about axis 7,
E from it, axis 7 cross that; of the inverse of the tip's pose the turn (3) and the place; a unit
vector across axis 6, axis 6 cross that. ``limits`` (6, 2): middle and half range of joints 2 to 7,
rad. Vectors are tuples, so that nothing is counted.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.space_vectors import ahead, cross, dot, minus

BRANCHES, SAMPLES, ROWS = 8, 65, 18

MOST_INTERVALS = SAMPLES // 2 + 1
"""Most intervals of a branch: samples are inside and outside by turns."""

WRIST, ELBOW, SHOULDER = 1, 2, 4
"""What is degenerate, as in ``Degenerate``."""

SINGULAR = 1e-7

_TOUCH = 1e-13
"""Share of a length by which two things may miss each other and still count as touching."""

_HALVINGS, _SHRINKS = 40, 24
_GOLDEN = 0.6180339887498949

_NOWHERE = 8.0
"""More than margins differ by, rad."""


@kernel(counted=False)
def _row(arm: Any, row: int) -> Any:
    return arm[row, 0], arm[row, 1], arm[row, 2]


@kernel(counted=False)
def _turned(w: Any, angle: float, v: Any) -> Any:
    """Return ``v`` turned about the unit axis ``w``: Rodrigues' formula."""
    across = cross(w, v)
    return ahead(ahead(v, math.sin(angle), across), 1.0 - math.cos(angle), cross(w, across))


@kernel(counted=False)
def _in_hand(arm: Any, X: Any, v: Any) -> Any:
    """Return a direction of the arm at zero as it lies when the tip is at ``X``."""
    x, y, z = dot(_row(arm, 12), v), dot(_row(arm, 13), v), dot(_row(arm, 14), v)
    return (
        X[0, 0] * x + X[0, 1] * y + X[0, 2] * z,
        X[1, 0] * x + X[1, 1] * y + X[1, 2] * z,
        X[2, 0] * x + X[2, 1] * y + X[2, 2] * z,
    )


@kernel(counted=False)
def _sine_angle(c: float, s: float, k: float, size: float, second: bool) -> Any:
    """Return an angle with ``c cos q + s sin q = k``, what it lacks, its side, and its way.

    It lacks 0, or minus the share of ``size`` by which k is missed; the side is then that of k.
    What is missed by rounding alone counts as touching. Both angles are as far from the middle.
    """
    reach = math.hypot(c, s)
    beyond = (abs(k) - reach) / size
    ratio = k / reach if reach > 0.0 else 0.0
    away = math.acos(min(max(ratio, -1.0), 1.0))
    middle = math.atan2(s, c)
    lack, side = 0.0, 0
    if beyond > _TOUCH:
        lack, side = -beyond, 1 if k > 0.0 else -1
    elif not beyond <= _TOUCH:
        lack = -1.0
    return middle - away if second else middle + away, lack, side, away


@kernel(counted=False)
def _two_turns(w1: Any, w2: Any, x: Any, g: Any, second: bool) -> Any:
    """Return angles about w1 and w2, through one point, that turn x to g.

    The third value is what they lack; the fourth tells whether the first angle is free because g
    lies on w1.
    """
    along = dot(g, w1)
    off = ahead(g, -along, w1)
    size = math.sqrt(dot(x, x))
    # the part of w2 in R1(-q) g must be that of x
    k = dot(x, w2) - along * dot(w1, w2)
    first, lack, _, _ = _sine_angle(dot(off, w2), -dot(cross(w1, off), w2), k, size, second)
    # read after the first turn is taken out, so that an ill-determined one is made good
    z = _turned(w1, -first, g)
    last = math.atan2(dot(cross(x, z), w2), dot(x, z) - dot(x, w2) * dot(z, w2))
    return first, last, lack, math.sqrt(dot(off, off)) < SINGULAR * size


@kernel(counted=False)
def posture(arm: Any, X: Any, s: float, slot: int, q: Any, told: Any) -> float:
    """Write ``q`` (7,), the posture of a branch at shrug ``s``, NaN where it lacks something.

    Return what it lacks: 0, or less. ``told`` (2,): the side of the elbow's circle, and flags.
    """
    u, t = _row(arm, 10), _row(arm, 11)
    d = minus(_in_hand(arm, X, _row(arm, 9)), _row(arm, 7))
    d = ahead(d, -s, _row(arm, 0))
    m = _row(arm, 15)
    d = (
        d[0] + X[0, 0] * m[0] + X[0, 1] * m[1] + X[0, 2] * m[2] + X[0, 3],
        d[1] + X[1, 0] * m[0] + X[1, 1] * m[1] + X[1, 2] * m[2] + X[1, 3],
        d[2] + X[2, 0] * m[0] + X[2, 1] * m[1] + X[2, 2] * m[2] + X[2, 3],
    )
    # E seen from the hand: u cos q7 - t sin q7 from the middle, at distance |E - S| from S
    Ru, Rt = _in_hand(arm, X, u), _in_hand(arm, X, t)
    reach = _row(arm, 8)
    square, inner = dot(reach, reach), dot(u, u)
    k = square - dot(d, d) - inner
    q7, lack, side, away = _sine_angle(
        2.0 * dot(d, Ru), -2.0 * dot(d, Rt), k, square + inner, (slot & 4) != 0
    )
    flags = ELBOW if min(away, math.pi - away) < 0.5 * SINGULAR else 0
    e = ahead(ahead(d, math.cos(q7), Ru), -math.sin(q7), Rt)
    w1, w2 = _row(arm, 1), _row(arm, 2)
    q2, q3, none, free = _two_turns(w1, w2, reach, e, (slot & 2) != 0)
    lack += none
    if free:
        flags |= SHOULDER
    # axis 6 and a vector across it, seen from the upper arm
    w5, y = _row(arm, 5), _row(arm, 16)
    g = _in_hand(arm, X, _turned(_row(arm, 6), -q7, w5))
    g = _turned(w2, -q3, _turned(w1, -q2, g))
    h = _in_hand(arm, X, _turned(_row(arm, 6), -q7, y))
    h = _turned(w2, -q3, _turned(w1, -q2, h))
    w3, w4 = _row(arm, 3), _row(arm, 4)
    q4, q5, none, free = _two_turns(w3, w4, w5, g, (slot & 1) != 0)
    lack += none
    if free:
        flags |= WRIST
    h = _turned(w4, -q5, _turned(w3, -q4, h))
    told[0], told[1] = side, flags
    if not (lack > -math.inf):
        lack = -1.0
    if lack < 0.0:
        for j in range(7):
            q[j] = math.nan
        return lack
    q[0], q[1], q[2], q[3], q[4] = s, q2, q3, q4, q5
    q[5], q[6] = math.atan2(dot(h, _row(arm, 17)), dot(h, y)), q7
    return lack


@kernel
def postures(
    arm: Any, X: Any, s: Any, slots: Any, q: Any, lack: Any, told: Any, begin: int, end: int
) -> None:
    """Write postures of poses X (m, 4, 4) in branches ``slots`` (m,) at shrugs ``s`` (m,)."""
    for t in range(begin, end):
        lack[t] = posture(arm, X[t], s[t], slots[t], q[t], told[t])


class Branch(NamedTuple):
    """A branch of one pose ``X``, and where ``posture`` writes for it."""

    arm: Any
    limits: Any
    X: Any
    slot: int
    q: Any
    told: Any


class Families(NamedTuple):
    """``intervals`` (m, 8, most, 2) of the shrug and their ``counts`` (m, 8).

    ``best`` (m, 8) is the shrug where the branch's margin is greatest, NaN where the branch does
    not exist; ``side`` (m,) that of the elbow's circle where it is the same for every shrug, else
    0.
    """

    intervals: Array
    counts: IntArray
    best: Array
    side: IntArray


@kernel(counted=False)
def _margin(branch: Branch, s: float) -> float:
    """Return how far inside their limits the joints of a branch are, at least; rad.

    Negative outside, and where the branch does not exist.
    """
    lack = posture(branch.arm, branch.X, s, branch.slot, branch.q, branch.told)
    if lack < 0.0:
        return lack
    least = math.pi
    for j in range(6):
        half = branch.limits[j, 1]
        if half < math.pi:
            turn = (branch.q[j + 1] - branch.limits[j, 0]) / (2.0 * math.pi)
            least = min(least, half - 2.0 * math.pi * abs(turn - round(turn)))
    return least


@kernel(counted=False)
def _height(branch: Branch, s: float) -> float:
    """Return the margin; where the branch does not exist it is lower than any that does."""
    margin = _margin(branch, s)
    return margin - _NOWHERE if math.isnan(branch.q[0]) else margin


@kernel(counted=False)
def _extreme(branch: Branch, a: float, b: float, sign: float) -> float:
    """Return the shrug from a to b where ``sign`` times the margin is greatest: golden section."""
    one, two = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
    first = sign * _height(branch, one)
    second = sign * _height(branch, two)
    for _ in range(_SHRINKS):
        if first > second:
            b, two, second = two, one, first
            one = b - _GOLDEN * (b - a)
            first = sign * _height(branch, one)
        else:
            a, one, first = one, two, second
            two = a + _GOLDEN * (b - a)
            second = sign * _height(branch, two)
    return 0.5 * (a + b)


@kernel(counted=False)
def _sampled(branch: Branch, s: Any, here: Any) -> int:
    """Write the margins ``here[1]`` at shrugs ``s[1]``: those of ``s[0]``, moved to extremes.

    A sample is moved where this changes the sign of its margin. Return where the margin is
    greatest, -1 where the branch does not exist. ``here[2]`` are the sides of the elbow's circle.
    """
    best = -1
    for i in range(SAMPLES):
        here[0, i] = here[1, i] = _margin(branch, s[0, i])
        here[2, i] = branch.told[0]
        here[3, i] = 0.0 if math.isnan(branch.q[0]) else 1.0
        s[1, i] = s[0, i]
    for i in range(1, SAMPLES - 1):
        left, middle, right = here[0, i - 1], here[0, i], here[0, i + 1]
        if here[3, i - 1] == here[3, i] and here[3, i + 1] == here[3, i]:
            # an extreme is off its sample by less than the neighbours are, with room to spare
            if abs(middle) > 2.0 * max(abs(middle - left), abs(middle - right)):
                continue
        else:
            # what is missing to exist is no angle: it is lower than any
            left -= _NOWHERE * (1.0 - here[3, i - 1])
            middle -= _NOWHERE * (1.0 - here[3, i])
            right -= _NOWHERE * (1.0 - here[3, i + 1])
        crest = middle < 0.0 and middle >= left and middle >= right
        dip = middle > 0.0 and middle <= left and middle <= right
        if not (crest or dip) or (left == middle and middle == right):
            continue
        sign = 1.0 if crest else -1.0
        at = _extreme(branch, s[0, i - 1], s[0, i + 1], sign)
        value = _margin(branch, at)
        if sign * value > 0.0:
            s[1, i], here[1, i] = at, value
    for i in range(SAMPLES):
        # how far others are from existing is no angle
        if here[3, i] > 0.0 and (best < 0 or here[1, i] > here[1, best]):
            best = i
    return best


@kernel(counted=False)
def _cut(branch: Branch, s: Any, here: Any, out: Any) -> int:
    """Write where the margin is positive, intervals (most, 2); return how many there are."""
    count = 0
    if here[1, 0] >= 0.0:
        out[0, 0] = s[1, 0]
    for i in range(SAMPLES - 1):
        rising = here[1, i + 1] >= 0.0
        if rising == (here[1, i] >= 0.0):
            continue
        a, b = s[1, i], s[1, i + 1]
        for _ in range(_HALVINGS):
            middle = 0.5 * (a + b)
            if (_margin(branch, middle) >= 0.0) == rising:
                b = middle
            else:
                a = middle
        # the side that keeps the limits
        if rising:
            out[count, 0] = b
        else:
            out[count, 1] = a
            count += 1
    if here[1, SAMPLES - 1] >= 0.0:
        out[count, 1] = s[1, SAMPLES - 1]
        count += 1
    return count


@kernel
def families(
    arm: Any, limits: Any, X: Any, ends: Any, found: Families, begin: int, end: int
) -> None:
    """Write the intervals of every branch of poses X (m, 4, 4) for shrugs between ``ends`` (m, 2).

    A branch's margin is sampled; where it changes its sign the end of an interval is found by
    halving, where it has a maximum below or a minimum above zero between samples the extreme is
    looked for, so that narrow intervals and gaps are seen as well.
    """
    intervals, counts, best, side = found
    s, here = np.empty((2, SAMPLES)), np.empty((4, SAMPLES))
    q, told = np.empty(7), np.empty(2, np.int64)
    for t in range(begin, end):
        for i in range(SAMPLES):
            s[0, i] = ends[t, 0] + (ends[t, 1] - ends[t, 0]) * i / (SAMPLES - 1)
        for slot in range(BRANCHES):
            branch = Branch(arm, limits, X[t], slot, q, told)
            greatest = _sampled(branch, s, here)
            best[t, slot] = math.nan if greatest < 0 else s[1, greatest]
            counts[t, slot] = _cut(branch, s, here, intervals[t, slot])
        side[t] = int(here[2, 0])
        for i in range(SAMPLES):
            if here[2, i] != here[2, 0]:
                side[t] = 0
