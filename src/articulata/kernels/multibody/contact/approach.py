"""The first instant within a step at which two pieces touch.

The motion within a step is a polynomial (``dop853.dense_state``), so that how far a body gets is
bounded by its coefficients: pairs that stay out of each other's reach are let go at once. The
others are followed by conservative advancement along the direction in which they are apart
(Mirtich & Canny 1995; directed bounds as in Tang, Kim & Manocha 2009), so that nothing can be
missed. Where that creeps along a gap that does not close, steps are as long as the way of every
point from its chord allows. Pairs held by closed contacts are looked at for other features that
touch. Shares of a step, metres, seconds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.patches import boxes_apart
from articulata.kernels.contacts.pieces import (
    HALF_SPACE,
    Pieces,
    Standing,
    apart,
    entry,
    stand,
    stand_piece,
)
from articulata.kernels.contacts.separation import separation
from articulata.kernels.space_vectors import Vector, dot, minus

FINE = 40
"""Halvings of a step with which a pair that has just parted is looked at."""

COARSE = 8
"""Even parts of a step in which a pair held by closed contacts is looked at."""

APART = 1e-9
"""Pieces nearer than this (m) at the start of a step have just parted."""

ROUNDING = 1e-14
"""Gap (m) from which a pair that begins in touch has parted: less may be rounding, and a bounce of
that height is over within a tenth of a microsecond."""

STILL = 1e-11
"""Bodies that get less far than this (m) within a step touch nothing new."""

CHORDS = 4
"""Lengths of a step along a gap that are tried before a bound on speeds decides."""

SAFE = 0.9
"""Share of the gap that points may come nearer than at both ends of such a step."""

ROUNDS = 20000
"""Advances of one pair within one step before it is followed in even parts."""

TRAVEL, TURN, CURVE, SPIN, BOUND_WIDTH = 0, 1, 2, 3, 4
"""Columns of a body's bounds: way of the reference point, way of the quaternion, departure of its
velocity from the straight line between the step's ends, largest angular speed."""


Gap = tuple[float, Vector]
"""Separation of two pieces, and its direction."""


class Step(NamedTuple):
    """How n bodies move within a step of ``h`` s: from ``old`` (n, 13) on by ``dense`` (7, n, 13).

    ``bounds`` (n, BOUND_WIDTH) takes bounds on that, ``moved`` (n, 13) states within the step.
    """

    dense: Array
    old: Array
    h: float
    bounds: Array
    moved: Array


class Approach(NamedTuple):
    """Pieces of bodies that move within a ``step``; ``now`` takes where they stand.

    ``reach`` (pieces,) is how far a piece's points lie from its body's reference point. Features
    beside those that touch already may overlap by ``floor``.
    """

    pieces: Pieces
    now: Standing
    reach: Array
    floor: float
    step: Step


@kernel(counted=False)
def length_of(dense: Array, k: int, body: int, first: int, count: int) -> float:
    """Return the length of some columns of one coefficient."""
    total = 0.0
    for j in range(first, first + count):
        total += dense[k, body, j] ** 2
    return math.sqrt(total)


@kernel(counted=False)
def spread(dense: Array, body: int, first: int, count: int) -> float:
    """Return a bound on the part of the columns' motion beyond the straight line.

    Coefficient k >= 1 is multiplied by s^a (1 - s)^b with a + b = k + 1, which is at most
    a^a b^b / (a + b)^(a + b).
    """
    total, size = 0.0, 0.25
    for k in range(1, 7):
        if k > 1:
            a, b = (k + 2) // 2, (k + 1) // 2
            size = float(a) ** a * float(b) ** b / float(a + b) ** (a + b)
        total += size * length_of(dense, k, body, first, count)
    return total


@kernel(counted=False)
def bound_motion(step: Step) -> None:
    """Fill the bounds of the step."""
    dense, old, out = step.dense, step.old, step.bounds
    for i in range(old.shape[0]):
        out[i, TRAVEL] = length_of(dense, 0, i, 0, 3) + spread(dense, i, 0, 3)
        out[i, TURN] = length_of(dense, 0, i, 3, 4) + spread(dense, i, 3, 4)
        out[i, CURVE] = spread(dense, i, 7, 3)
        before = after = 0.0
        for j in range(10, 13):
            before += old[i, j] ** 2
            after += (old[i, j] + dense[0, i, j]) ** 2
        out[i, SPIN] = math.sqrt(max(before, after)) + spread(dense, i, 10, 3)


@kernel(counted=False)
def way_of(near: Approach, i: int) -> float:
    """Return a bound on how far any point of piece i gets within the step."""
    b, bounds = near.pieces.body[i], near.step.bounds
    # a chord is the quaternion's way times twice the distance from the axis; rounding on top
    return bounds[b, TRAVEL] + 2.001 * bounds[b, TURN] * near.reach[i]


@kernel(counted=False)
def body_at(step: Step, body: int, share: float) -> None:
    """Fill row ``body`` of ``moved`` with its state at a share of the step, quaternion of unit."""
    dense, out = step.dense, step.moved
    for j in range(13):
        x = 0.0
        for k in range(6, -1, -1):
            x = (x + dense[k, body, j]) * (share if k % 2 == 0 else 1.0 - share)
        out[body, j] = step.old[body, j] + x
    s = 0.0
    for j in range(3, 7):
        s += out[body, j] ** 2
    s = 1.0 / math.sqrt(s)
    for j in range(3, 7):
        out[body, j] *= s


@kernel(counted=False)
def stand_both(near: Approach, i: int, j: int, share: float) -> None:
    """Let pieces i and j stand where they are at a share of the step."""
    pieces, step = near.pieces, near.step
    body_at(step, pieces.body[i], share)
    body_at(step, pieces.body[j], share)
    stand_piece(pieces, i, step.moved, near.now)
    stand_piece(pieces, j, step.moved, near.now)


@kernel(counted=False)
def at_share(near: Approach, i: int, j: int, share: float) -> Gap:
    """Return separation and direction of pieces i and j at a share of the step."""
    stand_both(near, i, j, share)
    return separation(near.pieces, near.now, i, j, math.inf)


@kernel(counted=False)
def within(number: int, low: float, high: float, f_low: float, f_high: float) -> float:
    """Return where a root is looked for next between ``low`` and ``high``; ``high``: no further.

    Regula falsi on the bracket, bisection each third time.
    """
    if high - low <= 1e-16 * high:
        return high
    middle = 0.5 * (low + high)
    if number % 3 != 2 and f_low != f_high:
        guess = low + (high - low) * f_low / (f_low - f_high)
        if low < guess < high:
            middle = guess
    return high if middle == low else middle


@kernel(counted=False)
def bisect(near: Approach, i: int, j: int, low: float, high: float, level: float) -> float:
    """Return the share at which a pair's separation falls to ``level``, within rounding."""
    f_low, _ = at_share(near, i, j, low)
    f_high, _ = at_share(near, i, j, high)
    f_low, f_high = f_low - level, f_high - level
    for number in range(200):
        middle = within(number, low, high, f_low, f_high)
        if middle == high:
            break
        f, _ = at_share(near, i, j, middle)
        if f - level > 0.0:
            low, f_low = middle, f - level
        else:
            high, f_high = middle, f - level
    return high


@kernel(counted=False)
def closing_speed(near: Approach, i: int, j: int, n: Vector) -> float:
    """Return a bound on how fast pieces approach along n, from where ``moved`` is to the end."""
    pieces, reach = near.pieces, near.reach
    dense, old, _, bounds, moved = near.step
    a, b = pieces.body[i], pieces.body[j]
    here = there = apart = 0.0
    if pieces.kind[i] > HALF_SPACE:
        # a hollow wall is approached in any direction
        for k in range(3):
            here += (moved[a, 7 + k] - moved[b, 7 + k]) ** 2
            last = old[a, 7 + k] + dense[0, a, 7 + k] - old[b, 7 + k] - dense[0, b, 7 + k]
            there += last * last
        spin = bounds[a, SPIN] * reach[i] + bounds[b, SPIN] * reach[j]
        fastest = math.sqrt(max(here, there))
        return fastest + 2.0 * (bounds[a, CURVE] + bounds[b, CURVE]) + spin
    for k in range(3):
        here -= n[k] * (moved[a, 7 + k] - moved[b, 7 + k])
        last = old[a, 7 + k] + dense[0, a, 7 + k] - old[b, 7 + k] - dense[0, b, 7 + k]
        there -= n[k] * last
        apart += (moved[a, k] - moved[b, k]) ** 2
    far_i, far_j = reach[i], reach[j]
    if pieces.kind[i] == HALF_SPACE or pieces.kind[j] == HALF_SPACE:
        # of an endless piece only the points count that the other comes to
        way = math.sqrt(apart) + 2.0 * (bounds[a, TRAVEL] + bounds[b, TRAVEL])
        if pieces.kind[i] == HALF_SPACE:
            far_i = way + reach[j]
        else:
            far_j = way + reach[i]
    spin = bounds[a, SPIN] * far_i + bounds[b, SPIN] * far_j
    return max(here, there) + 2.0 * (bounds[a, CURVE] + bounds[b, CURVE]) + spin


@kernel(counted=False)
def bent(dense: Array, body: int, first: int, h: float) -> float:
    """Return a bound on how fast a body's velocity or angular velocity changes (per share)."""
    total = 0.0
    for k in range(7):
        # the slopes of s^a (1 - s)^b are at most 1 for the first three, 0.2 beyond
        total += (1.0 if k < 3 else 0.2) * length_of(dense, k, body, first, 3)
    return h * total


@kernel(counted=False)
def bend(near: Approach, i: int, j: int) -> float:
    """Return a bound on the accelerations of i's points in the axes of j (m per share squared)."""
    pieces, reach = near.pieces, near.reach
    dense, old, h, bounds, _ = near.step
    a, b = pieces.body[i], pieces.body[j]
    if pieces.kind[j] == HALF_SPACE and (bounds[b, TRAVEL] != 0.0 or bounds[b, TURN] != 0.0):
        return math.inf
    if pieces.kind[i] >= HALF_SPACE:  # nor has a hollow wall a width along a direction
        return math.inf
    apart_then = fast = faster = 0.0
    for k in range(3):
        apart_then += (old[a, k] - old[b, k]) ** 2
        before = old[a, 7 + k] - old[b, 7 + k]
        fast += before**2
        faster += (before + dense[0, a, 7 + k] - dense[0, b, 7 + k]) ** 2
    speed = math.sqrt(max(fast, faster)) + bounds[a, CURVE] + bounds[b, CURVE]
    spin, own = h * bounds[a, SPIN], h * bounds[b, SPIN]
    far = reach[i] + math.sqrt(apart_then) + bounds[a, TRAVEL] + bounds[b, TRAVEL]
    straight = bent(dense, a, 7, h) + bent(dense, b, 7, h)
    turning = reach[i] * (bent(dense, a, 10, h) + spin**2)
    across = 2.0 * own * (h * speed + spin * reach[i])
    return straight + turning + across + (bent(dense, b, 10, h) + own**2) * far


@kernel(counted=False)
def carried(now: Standing, j: int, n: Vector) -> Vector:
    """Return the components of a direction along the axes of piece j's body."""
    t = now.turn
    return (
        t[j, 0] * n[0] + t[j, 1] * n[1] + t[j, 2] * n[2],
        t[j, 3] * n[0] + t[j, 4] * n[1] + t[j, 5] * n[2],
        t[j, 6] * n[0] + t[j, 7] * n[1] + t[j, 8] * n[2],
    )


@kernel(counted=False)
def chord(
    near: Approach, i: int, j: int, frame: int, share: float, last: float, bend: float, at: Gap
) -> float:
    """Return how much further nothing can touch, in shares; 0 where that is not found.

    The direction of the gap is carried along by the body of piece ``frame``, i or j. In its axes
    a point of the other departs from the chord of its way between two instants by at most an
    eighth of its largest acceleration, ``bend``, times the square of the time between, so that
    the gap is at least the smaller one of both ends, less that.
    """
    pieces, now, (gap, n) = near.pieces, near.now, at
    body_at(near.step, pieces.body[frame], share)
    stand_piece(pieces, frame, near.step.moved, now)
    own, step, t = carried(now, frame, n), last - share, now.turn
    if bend > 0.0:
        step = min(step, math.sqrt(8.0 * SAFE * gap / bend))
    for _ in range(CHORDS):
        stand_both(near, i, j, share + step)
        m = (
            own[0] * t[frame, 0] + own[1] * t[frame, 3] + own[2] * t[frame, 6],
            own[0] * t[frame, 1] + own[1] * t[frame, 4] + own[2] * t[frame, 7],
            own[0] * t[frame, 2] + own[1] * t[frame, 5] + own[2] * t[frame, 8],
        )
        there, _ = apart(pieces, now, i, j, m)
        if SAFE * there >= 0.125 * bend * step * step:
            return step
        # how far it would be at the speed of the way so far
        speed = (gap - there) / step
        ahead = 1.6 * gap / (speed + math.sqrt(speed * speed + 0.5 * bend * gap))
        step = min(0.5 * step, ahead)
    return 0.0


@kernel(counted=False)
def out_of_reach(near: Approach, i: int, j: int) -> bool:
    """Tell whether two pieces, ``now`` where the step begins, cannot touch within it."""
    pieces, now, bounds = near.pieces, near.now, near.step.bounds
    if pieces.kind[i] == HALF_SPACE:
        i, j = j, i
    way = way_of(near, i)
    c = entry(now.ball, i)
    if pieces.kind[j] == HALF_SPACE:
        b = pieces.body[j]
        if bounds[b, TRAVEL] != 0.0 or bounds[b, TURN] != 0.0:
            return False
        n = entry(now.axis, j)
        height = dot(n, minus(c, entry(now.vertices, pieces.vertex_start[j])))
        return height - pieces.ball[i, 3] > way
    way += way_of(near, j)
    d = minus(c, entry(now.ball, j))
    room = pieces.ball[i, 3] + pieces.ball[j, 3] + way
    return dot(d, d) > room * room or boxes_apart(pieces, now, i, j, way)


@kernel
def first_touch(near: Approach, pairs: IntArray, held: IntArray) -> tuple[int, float]:
    """Return which pair touches first within the step, and at what share of it; (-1, 2) for none.

    ``held`` (pairs,) is 1 for pairs held together by closed contacts: only another feature can
    touch, at a separation below -floor.
    """
    pieces, now, old = near.pieces, near.now, near.step.old
    found, earliest = -1, 2.0
    bound_motion(near.step)
    stand(pieces, old, now)
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        last = min(1.0, earliest)
        if held[k] == 1:
            if way_of(near, i) + way_of(near, j) <= STILL:
                continue
            share = look(near, i, j, last, near.floor)
        else:
            stand_piece(pieces, i, old, now)
            stand_piece(pieces, j, old, now)
            if out_of_reach(near, i, j):
                continue
            share = advance(near, i, j, last)
        if share < earliest:
            found, earliest = k, share
    return found, earliest


@kernel(counted=False)
def parted(near: Approach, i: int, j: int, start: float, last: float) -> tuple[float, bool]:
    """Return the share at which a pair that begins in touch is apart, or touches anew.

    The steps are fine towards the beginning, so that a bounce of a microsecond is seen.
    """
    deep, low, apart = min(start, 0.0) - near.floor, 0.0, False
    for step in range(FINE):
        share = last * 0.5 ** (FINE - 1 - step)
        gap, _ = at_share(near, i, j, share)
        if apart and gap <= 0.0:
            return bisect(near, i, j, low, share, 0.0), True
        if gap <= deep:
            return bisect(near, i, j, low, share, deep), True
        if gap > ROUNDING:
            low, apart = share, True
        if gap > 10.0 * APART:
            return share, False
    return 2.0, False


@kernel(counted=False)
def advance(near: Approach, i: int, j: int, last: float) -> float:
    """Return the share at which a pair that no contact holds touches, 2 where it does not."""
    floor = near.floor
    gap, n = at_share(near, i, j, 0.0)
    share, fresh = 0.0, True
    bend_j, bend_i = bend(near, i, j), bend(near, j, i)
    if gap <= APART:
        share, met = parted(near, i, j, gap, last)
        if met or share > 1.0:
            return share
        fresh = False
    for _ in range(ROUNDS):
        if not fresh:
            gap, n = at_share(near, i, j, share)
        fresh = False
        speed = near.step.h * closing_speed(near, i, j, n)
        if not speed > 0.0:
            return 2.0
        if gap <= floor:
            # nearly there: look ahead in growing steps until it touches or turns back
            step, low = floor / speed, share
            if gap <= 0.0:
                return share
            while True:
                high = min(last, low + step)
                gap, n = at_share(near, i, j, high)
                if gap <= 0.0:
                    return bisect(near, i, j, low, high, 0.0)
                if gap > floor or high >= last:
                    share = high
                    break
                low, step = high, 1.5 * step
            if share >= last:
                return 2.0
            continue
        step = gap / speed
        for frame in (j, i):
            bending = bend_j if frame == j else bend_i
            if share + step < last and math.isfinite(bending):
                step = max(step, chord(near, i, j, frame, share, last, bending, (gap, n)))
        share += step
        if share >= last:
            return 2.0
    return look(near, i, j, last, floor)


@kernel(counted=False)
def look(near: Approach, i: int, j: int, last: float, floor: float) -> float:
    """Return the share at which a pair that closed contacts hold touches anew, 2 for none."""
    # what begins a little too deep (rounding, closed gaps beside it) may come out, not go deeper
    start, _ = at_share(near, i, j, 0.0)
    level, low = min(start, 0.0) - floor, 0.0
    for step in range(1, COARSE + 1):
        share = last * step / COARSE
        gap, _ = at_share(near, i, j, share)
        if gap <= level:
            return bisect(near, i, j, low, share, level)
        low = share
    return 2.0
