"""Limits of hinges as contacts: rows on a hinge's coordinate, and when one is reached.

A coordinate c of a hinge (the angle of body A from body B about z of the hinge's frame, or the
travel of A along it) that is bounded below by c_min and above by c_max has the gaps

    g = c - c_min    and    g = c_max - c,

each a contact without friction: its force is a moment about the axis on A (a force along it at
A's hinge point, for a travel), the opposite on B, and only pushes. With n = z or -z, fixed in B,

    angle:   dg = n . (w_A - w_B),  ddg = n . (dw_A - dw_B) + (w_B x n) . (w_A - w_B);
    travel:  as for a point of A on a plane of B with the normal n (``rows``).

World axes, metres, radians, seconds.
Reference: Hoffmann & Hopcroft 1986, section 3.4 (the hinge of a temporary contact).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody import frames
from articulata.kernels.multibody.contact.approach import (
    SPIN,
    TRAVEL,
    TURN,
    Step,
    body_at,
    within,
)
from articulata.kernels.multibody.contact.rows import (
    AXIS_A,
    AXIS_B,
    BODY_A,
    BODY_B,
    GAMMA_N,
    GAP,
    KIND,
    NORMAL,
    P_A,
    P_B,
    PIECES,
    POINT,
    ROW_N,
    ROW_T1,
    SIGN,
    SIZE,
    SPEED_N,
    SPEED_T1,
    finish_contact,
    fixed_vector,
)
from articulata.kernels.multibody.rows import cross, motion, place, rotations
from articulata.kernels.space_vectors import dot

TURN_LIMIT, TRAVEL_LIMIT = PIECES + 1, PIECES + 2
"""Kinds of contact beside those of ``rows``. Data of a turn's limit: x (``P_A``) and y (``AXIS_A``)
of the hinge's frame on A, x of that on B turned to the limit (``P_B``) and z (``AXIS_B``); of a
travel's: points ``P_A`` and ``P_B``, z of B, and the limit (``SIZE``). ``SIGN`` is 1 below, -1
above."""

COORDINATE, NUMBER = 0, 1
"""Columns of ``Stops.limit``: the coordinate that is bounded, and the number of its lower limit
among all limits (the upper one comes after it)."""

LOWER, UPPER = 0, 1
"""Columns of ``Stops.bound`` and ``Stops.held``."""

NEAR = 1e-9
"""Gaps (m, rad) below which a limit at the start of a step has just been left."""

DEEPER = 1e-13
"""Gap (m, rad) below that at the start of a step at which a limit just left is reached again."""

EVEN, FINE = 8, 40
"""Even parts of a step in which the way to a limit is followed; halvings of the first of them
where the limit has just been left."""


Bracket = tuple[float, float]
"""Two shares of a step between which something happens."""


class Stops(NamedTuple):
    """The limits of a mechanism's hinges.

    ``limit`` (l, 2) names coordinates, ``bound`` (l, 2) are their limits (rad, m), ``held`` (l, 2)
    is 1 where a closed contact holds one, ``now`` (l,) are the coordinates where a step starts.
    ``table`` (c, 3) and ``data`` (c, 24) are all coordinates, see ``frames``; ``scratch`` (n, 9).
    """

    limit: IntArray
    bound: Array
    held: IntArray
    now: Array
    table: IntArray
    data: Array
    scratch: Array


# ---- a limit's row


@kernel(counted=False)
def follow_limit(
    table: IntArray, data: Array, i: int, state: Array, scratch: Array, out: Array
) -> None:
    """Fill the place of a limit's contact; rotations of ``scratch`` must be fresh."""
    a, b = table[i, BODY_A], table[i, BODY_B]
    sign = data[i, SIGN]
    z = fixed_vector(scratch, b, data, i, AXIS_B)
    n = (sign * z[0], sign * z[1], sign * z[2])
    va0, va1, va2, wa0, wa1, wa2 = motion(state, a)
    _, _, _, wb0, wb1, wb2 = motion(state, b)
    bend = cross(wb0, wb1, wb2, n[0], n[1], n[2])
    if table[i, KIND] == TRAVEL_LIMIT:
        ra, rb = place(state, a), place(state, b)
        p = fixed_vector(scratch, a, data, i, P_A)
        q = fixed_vector(scratch, b, data, i, P_B)
        at = (ra[0] + p[0], ra[1] + p[1], ra[2] + p[2])
        d = (at[0] - rb[0] - q[0], at[1] - rb[1] - q[1], at[2] - rb[2] - q[2])
        s = cross(wa0, wa1, wa2, p[0], p[1], p[2])
        dp = (va0 + s[0], va1 + s[1], va2 + s[2])
        gap = sign * (dot(z, d) - data[i, SIZE])
        finish_contact(state, a, b, gap, n, bend, at, dp, out, i)
        for k in range(ROW_T1, GAMMA_N):
            out[i, k] = 0.0
        for k in range(NORMAL, POINT):
            out[i, k] = 0.0
    else:
        ax = fixed_vector(scratch, a, data, i, P_A)
        ay = fixed_vector(scratch, a, data, i, AXIS_A)
        bx = fixed_vector(scratch, b, data, i, P_B)
        by = cross(z[0], z[1], z[2], bx[0], bx[1], bx[2])
        for k in range(out.shape[1]):
            out[i, k] = 0.0
        out[i, GAP] = sign * math.atan2(dot(by, ax) - dot(bx, ay), dot(bx, ax) + dot(by, ay))
        u = (wa0 - wb0, wa1 - wb1, wa2 - wb2)
        for k in range(3):
            out[i, POINT + k] = state[a, k]
            out[i, ROW_N + 3 + k] = n[k]
            out[i, ROW_N + 9 + k] = -n[k]
        out[i, GAMMA_N] = -dot(bend, u)
        out[i, SPEED_N] = dot(n, u)
    # nothing resists across a limit
    for k in range(2):
        out[i, GAMMA_N + 1 + k] = 0.0
        out[i, SPEED_T1 + k] = 0.0


# ---- reaching a limit


@kernel(counted=False)
def follow_coordinates(stops: Stops, then: Array, now: Array, dt: float) -> None:
    """Bring ``stops.now`` from ``then`` to ``now``, ``dt`` seconds later."""
    if stops.limit.shape[0] == 0:
        return
    scratch = stops.scratch
    rotations(then, scratch)
    for k in range(stops.limit.shape[0]):
        c = stops.limit[k, COORDINATE]
        rate = frames.coordinate_rate(stops.table, stops.data, c, then, scratch)
        stops.now[k] += 0.5 * dt * rate
    rotations(now, scratch)
    for k in range(stops.limit.shape[0]):
        c = stops.limit[k, COORDINATE]
        rate = frames.coordinate_rate(stops.table, stops.data, c, now, scratch)
        near = stops.now[k] + 0.5 * dt * rate
        stops.now[k] = frames.coordinate(stops.table, stops.data, c, now, scratch, near)


@kernel(counted=False)
def axes_of(state: Array, i: int, scratch: Array) -> None:
    """Fill the rotation of one body, body to world, from its unit quaternion."""
    a, b, c, d = state[i, 3], state[i, 4], state[i, 5], state[i, 6]
    scratch[i, 0] = 1.0 - 2.0 * (c * c + d * d)
    scratch[i, 1] = 2.0 * (b * c - a * d)
    scratch[i, 2] = 2.0 * (b * d + a * c)
    scratch[i, 3] = 2.0 * (b * c + a * d)
    scratch[i, 4] = 1.0 - 2.0 * (b * b + d * d)
    scratch[i, 5] = 2.0 * (c * d - a * b)
    scratch[i, 6] = 2.0 * (b * d - a * c)
    scratch[i, 7] = 2.0 * (c * d + a * b)
    scratch[i, 8] = 1.0 - 2.0 * (b * b + c * c)


@kernel(counted=False)
def gap_at(
    stops: Stops, k: int, side: int, step: Step, share: float, near: float
) -> tuple[float, float, float]:
    """Return gap, its rate (per s) and the coordinate at a share of the step."""
    c, out = stops.limit[k, COORDINATE], step.moved
    for body in (stops.table[c, frames.BODY_A], stops.table[c, frames.BODY_B]):
        body_at(step, body, share)
        axes_of(out, body, stops.scratch)
    value = frames.coordinate(stops.table, stops.data, c, out, stops.scratch, near)
    rate = frames.coordinate_rate(stops.table, stops.data, c, out, stops.scratch)
    if side == LOWER:
        return value - stops.bound[k, LOWER], rate, value
    return stops.bound[k, UPPER] - value, -rate, value


@kernel(counted=False)
def way(stops: Stops, k: int, step: Step) -> float:
    """Return a bound on how far a coordinate gets within the step."""
    _, old, h, bounds, _ = step
    c, data = stops.limit[k, COORDINATE], stops.data
    a, b = stops.table[c, frames.BODY_A], stops.table[c, frames.BODY_B]
    if stops.table[c, frames.TURNING] == 1:
        return h * (bounds[a, SPIN] + bounds[b, SPIN])
    arm = apart = 0.0
    for j in range(3):
        arm += data[c, frames.P_A + j] ** 2
        apart += (old[a, j] - old[b, j]) ** 2
    own = bounds[a, TRAVEL] + 2.001 * bounds[a, TURN] * math.sqrt(arm)
    far = math.sqrt(apart) + math.sqrt(arm) + own + bounds[b, TRAVEL]
    return own + bounds[b, TRAVEL] + 2.001 * bounds[b, TURN] * far


@kernel(counted=False)
def crossing(
    stops: Stops, k: int, side: int, step: Step, near: float, level: float, between: Bracket
) -> float:
    """Return the share at which a gap, above ``level`` at first, falls to it, within rounding."""
    low, high = between
    f_low, _, near = gap_at(stops, k, side, step, low, near)
    f_high, _, _ = gap_at(stops, k, side, step, high, near)
    f_low, f_high = f_low - level, f_high - level
    for number in range(200):
        middle = within(number, low, high, f_low, f_high)
        if middle == high:
            break
        f, _, _ = gap_at(stops, k, side, step, middle, near)
        if f - level > 0.0:
            low, f_low = middle, f - level
        else:
            high, f_high = middle, f - level
    return high


@kernel(counted=False)
def lowest(
    stops: Stops, k: int, side: int, step: Step, near: float, between: Bracket
) -> tuple[float, float]:
    """Return the share at which a gap that first falls and then rises is least, and the gap."""
    low, high = between
    gap = math.inf
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        gap, rate, near = gap_at(stops, k, side, step, middle, near)
        if gap <= 0.0:
            return middle, gap
        if rate < 0.0:
            low = middle
        else:
            high = middle
    return high, gap


@kernel(counted=False)
def reached(stops: Stops, k: int, side: int, step: Step, last: float) -> float:
    """Return the share of the step at which one limit is reached; 2 for none."""
    start, rate, value = gap_at(stops, k, side, step, 0.0, stops.now[k])
    # what begins at its limit may leave it, not go deeper
    apart = start > NEAR
    level = 0.0 if apart else min(start, 0.0) - DEEPER
    low, fine = 0.0, 0 if apart else FINE
    for part in range(fine + EVEN):
        if part < fine:
            high = last / EVEN * 0.5 ** (FINE - part)
        else:
            high = last * (part - fine + 1) / EVEN
        gap, turning, there = gap_at(stops, k, side, step, high, value)
        if gap <= level:
            return crossing(stops, k, side, step, value, level, (low, high))
        if apart and rate < 0.0 < turning:
            dip, least = lowest(stops, k, side, step, value, (low, high))
            if least <= 0.0:
                return crossing(stops, k, side, step, value, 0.0, (low, dip))
        if not apart and gap > DEEPER:
            apart, level = True, 0.0
        low, rate, value = high, turning, there
    return 2.0


@kernel
def first_limit(stops: Stops, step: Step, last: float) -> float:
    """Return the share of the step, up to ``last``, at which the first limit is reached; or 2.

    The step has its bounds (``approach.bound_motion``).
    """
    earliest = 2.0
    for k in range(stops.limit.shape[0]):
        far = way(stops, k, step)
        for side in range(2):
            gap = stops.now[k] - stops.bound[k, LOWER]
            if side == UPPER:
                gap = stops.bound[k, UPPER] - stops.now[k]
            if stops.held[k, side] == 1 or not gap <= far + NEAR:
                continue
            until = min(last, earliest)
            earliest = min(earliest, reached(stops, k, side, step, until))
    return earliest
