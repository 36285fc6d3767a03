"""One step of the tree solve over a hinge with a common point: ball, universal, revolute, weld.

The hinge has a POINT block and up to three direction rows. In the velocities (v_P, w) of the
body's hinge point P the relation to the parent p is

    v_P = v_p + w_p x c_p + sigma rhs_point,   w = w_p + E^+ rhs_direction + W y

with sigma = 1 where the body is the hinge's a and -1 where it is b, E the direction rows on the
body's side, y the free rotations and W a basis of the directions orthogonal to E. All blocks
are 3 x 3, so that a body costs about 200 multiply-adds. ``c`` and ``c_p`` are the arms from the
two mass centres, as they stand in the rows: nothing assumes that the gap is closed.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.system import ARTICULATED, LOAD, MULTIPLIER, RHS, SOLUTION
from articulata.kernels.multibody.tree.general import Node
from articulata.kernels.multibody.tree.shift import (
    ARM,
    BASIS,
    BIAS,
    DUAL,
    FREE_RATE,
    INERTIA_P,
    REST,
    SPREAD,
    UPPER,
    shift,
)

SMALLEST_DIRECTION = 1e-8
"""Squared size of the normal of the direction rows below which they count as dependent."""


@kernel(counted=False)
def free_directions(scratch: Array, i: int, count: int) -> bool:
    """Turn the direction rows e in DUAL into E^+ there and W in BASIS; False if dependent."""
    if count == 0:
        for k in range(9):
            scratch[i, BASIS + k] = 1.0 if k % 4 == 0 else 0.0
        return True
    x, y, z = scratch[i, DUAL], scratch[i, DUAL + 1], scratch[i, DUAL + 2]
    if count == 1:
        s = x * x + y * y + z * z
        if not s > SMALLEST_DIRECTION:
            return False
        scratch[i, DUAL], scratch[i, DUAL + 1], scratch[i, DUAL + 2] = x / s, y / s, z / s
        s = 1.0 / math.sqrt(s)
        x, y, z = x * s, y * s, z * s
        # a right-handed pair orthogonal to (x, y, z), smooth but for the sign of z
        sign = 1.0 if z >= 0.0 else -1.0
        a = -1.0 / (sign + z)
        b = x * y * a
        scratch[i, BASIS] = 1.0 + sign * x * x * a
        scratch[i, BASIS + 1] = sign * b
        scratch[i, BASIS + 2] = -sign * x
        scratch[i, BASIS + 3] = b
        scratch[i, BASIS + 4] = sign + y * y * a
        scratch[i, BASIS + 5] = -y
        return True
    u, v, w = scratch[i, DUAL + 3], scratch[i, DUAL + 4], scratch[i, DUAL + 5]
    a, b, c = y * w - z * v, z * u - x * w, x * v - y * u
    if count == 2:
        s = a * a + b * b + c * c
        if not s > SMALLEST_DIRECTION:
            return False
        scratch[i, DUAL] = (v * c - w * b) / s
        scratch[i, DUAL + 1] = (w * a - u * c) / s
        scratch[i, DUAL + 2] = (u * b - v * a) / s
        scratch[i, DUAL + 3] = (b * z - c * y) / s
        scratch[i, DUAL + 4] = (c * x - a * z) / s
        scratch[i, DUAL + 5] = (a * y - b * x) / s
        s = 1.0 / math.sqrt(s)
        scratch[i, BASIS], scratch[i, BASIS + 1], scratch[i, BASIS + 2] = a * s, b * s, c * s
        return True
    d, e, f = scratch[i, DUAL + 6], scratch[i, DUAL + 7], scratch[i, DUAL + 8]
    s = a * d + b * e + c * f
    if not s * s > SMALLEST_DIRECTION:
        return False
    scratch[i, DUAL] = (v * f - w * e) / s
    scratch[i, DUAL + 1] = (w * d - u * f) / s
    scratch[i, DUAL + 2] = (u * e - v * d) / s
    scratch[i, DUAL + 3] = (e * z - f * y) / s
    scratch[i, DUAL + 4] = (f * x - d * z) / s
    scratch[i, DUAL + 5] = (d * y - e * x) / s
    scratch[i, DUAL + 6], scratch[i, DUAL + 7], scratch[i, DUAL + 8] = a / s, b / s, c / s
    return True


@kernel(fastmath={"contract"}, counted=False)
def invert_spread(scratch: Array, i: int, at: int, f: int) -> None:
    """Invert the symmetric positive definite f x f matrix (f <= 3, stored 3 wide) at ``at``."""
    a, b, c = scratch[i, at], scratch[i, at + 3], scratch[i, at + 4]
    if f == 1:
        scratch[i, at] = 1.0 / a
    elif f == 2:
        s = 1.0 / (a * c - b * b)
        scratch[i, at], scratch[i, at + 4] = c * s, a * s
        scratch[i, at + 1] = scratch[i, at + 3] = -b * s
    elif f == 3:
        # by L D L^T, which keeps the small eigenvalue of a thin rod
        d, e, g = scratch[i, at + 6], scratch[i, at + 7], scratch[i, at + 8]
        p = 1.0 / a
        l10, l20 = b * p, d * p
        c -= l10 * b
        e -= l20 * b
        q = 1.0 / c
        l21 = e * q
        s = 1.0 / (g - l20 * d - l21 * e)
        k20 = l10 * l21 - l20
        scratch[i, at + 8] = s
        scratch[i, at + 5] = scratch[i, at + 7] = -l21 * s
        scratch[i, at + 2] = scratch[i, at + 6] = k20 * s
        scratch[i, at + 4] = q + l21 * l21 * s
        scratch[i, at + 1] = scratch[i, at + 3] = -l10 * q - l21 * k20 * s
        scratch[i, at] = p + l10 * l10 * q + k20 * k20 * s


@kernel(fastmath={"contract"}, counted=False)
def factor_point(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> bool:
    """Eliminate a body over the hinge whose POINT rows come first.

    Direction rows follow. Returns False when they are dependent.
    """
    i, p, side, first, m = node
    count = m - 3
    own, other = 6 * side, 6 - 6 * side
    sign = 1.0 - 2.0 * side
    row = tree_row[first]
    x, y, z = sign * work[row + 1, own + 5], -sign * work[row, own + 5], sign * work[row, own + 4]
    scratch[i, ARM], scratch[i, ARM + 1], scratch[i, ARM + 2] = x, y, z
    u, v, w = (
        -sign * work[row + 1, other + 5],
        sign * work[row, other + 5],
        -sign * work[row, other + 4],
    )
    scratch[i, ARM + 3], scratch[i, ARM + 4], scratch[i, ARM + 5] = u, v, w
    for k in range(count):
        for j in range(3):
            scratch[i, DUAL + 3 * k + j] = work[tree_row[first + 3 + k], own + 3 + j]
    if not free_directions(scratch, i, count):
        return False
    for k in range(27):
        scratch[i, INERTIA_P + k] = 0.0
    shift(scratch, i, ARTICULATED, i, INERTIA_P, (x, y, z))
    f = 3 - count
    if f == 3:
        for k in range(9):
            scratch[i, SPREAD + k] = scratch[i, INERTIA_P + 18 + k]
        invert_spread(scratch, i, SPREAD, f)
        if p >= 0:
            pass_ball(scratch, i, p, u, v, w)
        return True
    for k in range(f):
        for r in range(3):
            top = bottom = 0.0
            for j in range(3):
                top += scratch[i, INERTIA_P + 9 + 3 * r + j] * scratch[i, BASIS + 3 * k + j]
                bottom += scratch[i, INERTIA_P + 18 + 3 * r + j] * scratch[i, BASIS + 3 * k + j]
            scratch[i, UPPER + 6 * k + r] = top
            scratch[i, UPPER + 6 * k + 3 + r] = bottom
        for j in range(k + 1):
            d = 0.0
            for r in range(3):
                d += scratch[i, BASIS + 3 * j + r] * scratch[i, UPPER + 6 * k + 3 + r]
            scratch[i, SPREAD + 3 * k + j] = d
    invert_spread(scratch, i, SPREAD, f)
    if p < 0:
        return True
    for k in range(27):
        scratch[i, REST + k] = scratch[i, INERTIA_P + k]
    for k in range(f):
        for r in range(6):
            x = 0.0
            for j in range(f):
                x += scratch[i, SPREAD + 3 * k + j] * scratch[i, UPPER + 6 * j + r]
            for j in range(3):
                if r < 3:
                    scratch[i, REST + 3 * r + j] -= x * scratch[i, UPPER + 6 * k + j]
                    scratch[i, REST + 9 + 3 * r + j] -= x * scratch[i, UPPER + 6 * k + 3 + j]
                else:
                    scratch[i, REST + 9 + 3 * r + j] -= x * scratch[i, UPPER + 6 * k + 3 + j]
    shift(scratch, i, REST, p, ARTICULATED, (-u, -v, -w))
    return True


@kernel(fastmath={"contract"}, counted=False)
def pass_ball(scratch: Array, i: int, p: int, x: float, y: float, z: float) -> None:
    """Give the parent what it feels of body i at a ball: R = A - B C^-1 B^T acting at c_p.

    Keeps H = B C^-1 in UPPER for the solve.
    """
    for r in range(3):
        # row r of B C^-1, then of R
        h0 = h1 = h2 = 0.0
        for k in range(3):
            b = scratch[i, INERTIA_P + 9 + 3 * r + k]
            h0 += b * scratch[i, SPREAD + 3 * k]
            h1 += b * scratch[i, SPREAD + 3 * k + 1]
            h2 += b * scratch[i, SPREAD + 3 * k + 2]
        scratch[i, UPPER + 3 * r] = h0
        scratch[i, UPPER + 3 * r + 1] = h1
        scratch[i, UPPER + 3 * r + 2] = h2
        for c in range(3):
            scratch[i, REST + 3 * r + c] = scratch[i, INERTIA_P + 3 * r + c] - (
                h0 * scratch[i, INERTIA_P + 9 + 3 * c]
                + h1 * scratch[i, INERTIA_P + 10 + 3 * c]
                + h2 * scratch[i, INERTIA_P + 11 + 3 * c]
            )
    for r in range(3):
        a0 = scratch[i, REST + 3 * r]
        a1 = scratch[i, REST + 3 * r + 1]
        a2 = scratch[i, REST + 3 * r + 2]
        scratch[p, ARTICULATED + 3 * r] += a0
        scratch[p, ARTICULATED + 3 * r + 1] += a1
        scratch[p, ARTICULATED + 3 * r + 2] += a2
        # -R [c_p]x
        scratch[i, REST + 9 + 3 * r] = a2 * y - a1 * z
        scratch[i, REST + 10 + 3 * r] = a0 * z - a2 * x
        scratch[i, REST + 11 + 3 * r] = a1 * x - a0 * y
    for c in range(3):
        b0 = scratch[i, REST + 9 + c]
        b1 = scratch[i, REST + 12 + c]
        b2 = scratch[i, REST + 15 + c]
        scratch[p, ARTICULATED + 9 + c] += b0
        scratch[p, ARTICULATED + 12 + c] += b1
        scratch[p, ARTICULATED + 15 + c] += b2
        # c_p x (column of -R [c_p]x)
        scratch[p, ARTICULATED + 18 + c] += y * b2 - z * b1
        scratch[p, ARTICULATED + 21 + c] += z * b0 - x * b2
        scratch[p, ARTICULATED + 24 + c] += x * b1 - y * b0


@kernel(fastmath={"contract"}, counted=False)
def condense_ball(
    scratch: Array,
    i: int,
    p: int,
    p0: float,
    p1: float,
    p2: float,
    t0: float,
    t1: float,
    t2: float,
) -> None:
    """Finish the forward step at a ball, where nothing twists: z = C^-1 t, f_p += p - H t."""
    for k in range(3):
        s = SPREAD + 3 * k
        scratch[i, FREE_RATE + k] = (
            scratch[i, s] * t0 + scratch[i, s + 1] * t1 + scratch[i, s + 2] * t2
        )
    if p < 0:
        return
    p0 -= scratch[i, UPPER] * t0 + scratch[i, UPPER + 1] * t1 + scratch[i, UPPER + 2] * t2
    p1 -= scratch[i, UPPER + 3] * t0 + scratch[i, UPPER + 4] * t1 + scratch[i, UPPER + 5] * t2
    p2 -= scratch[i, UPPER + 6] * t0 + scratch[i, UPPER + 7] * t1 + scratch[i, UPPER + 8] * t2
    x, y, z = scratch[i, ARM + 3], scratch[i, ARM + 4], scratch[i, ARM + 5]
    scratch[p, LOAD] += p0
    scratch[p, LOAD + 1] += p1
    scratch[p, LOAD + 2] += p2
    scratch[p, LOAD + 3] += y * p2 - z * p1
    scratch[p, LOAD + 4] += z * p0 - x * p2
    scratch[p, LOAD + 5] += x * p1 - y * p0


@kernel(fastmath={"contract"}, counted=False)
def condense_point(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> None:
    """Forward step of the solve: from LOAD and RHS to the parent's LOAD."""
    i, p, side, first, m = node
    count = m - 3
    sign = 1.0 - 2.0 * side
    row = tree_row[first]
    b0, b1, b2 = sign * work[row, RHS], sign * work[row + 1, RHS], sign * work[row + 2, RHS]
    b3 = b4 = b5 = 0.0
    for k in range(count):
        s = work[tree_row[first + 3 + k], RHS]
        b3 += s * scratch[i, DUAL + 3 * k]
        b4 += s * scratch[i, DUAL + 3 * k + 1]
        b5 += s * scratch[i, DUAL + 3 * k + 2]
    scratch[i, BIAS], scratch[i, BIAS + 1], scratch[i, BIAS + 2] = b0, b1, b2
    scratch[i, BIAS + 3], scratch[i, BIAS + 4], scratch[i, BIAS + 5] = b3, b4, b5
    f0, f1, f2 = scratch[i, LOAD], scratch[i, LOAD + 1], scratch[i, LOAD + 2]
    x, y, z = scratch[i, ARM], scratch[i, ARM + 1], scratch[i, ARM + 2]
    # wrench about P (torque less c x f), less inertia times bias
    t0 = scratch[i, LOAD + 3] - (y * f2 - z * f1)
    t1 = scratch[i, LOAD + 4] - (z * f0 - x * f2)
    t2 = scratch[i, LOAD + 5] - (x * f1 - y * f0)
    m = INERTIA_P
    p0 = f0 - (scratch[i, m] * b0 + scratch[i, m + 1] * b1 + scratch[i, m + 2] * b2)
    p1 = f1 - (scratch[i, m + 3] * b0 + scratch[i, m + 4] * b1 + scratch[i, m + 5] * b2)
    p2 = f2 - (scratch[i, m + 6] * b0 + scratch[i, m + 7] * b1 + scratch[i, m + 8] * b2)
    t0 -= scratch[i, m + 9] * b0 + scratch[i, m + 12] * b1 + scratch[i, m + 15] * b2
    t1 -= scratch[i, m + 10] * b0 + scratch[i, m + 13] * b1 + scratch[i, m + 16] * b2
    t2 -= scratch[i, m + 11] * b0 + scratch[i, m + 14] * b1 + scratch[i, m + 17] * b2
    if count > 0:
        p0 -= scratch[i, m + 9] * b3 + scratch[i, m + 10] * b4 + scratch[i, m + 11] * b5
        p1 -= scratch[i, m + 12] * b3 + scratch[i, m + 13] * b4 + scratch[i, m + 14] * b5
        p2 -= scratch[i, m + 15] * b3 + scratch[i, m + 16] * b4 + scratch[i, m + 17] * b5
        t0 -= scratch[i, m + 18] * b3 + scratch[i, m + 19] * b4 + scratch[i, m + 20] * b5
        t1 -= scratch[i, m + 21] * b3 + scratch[i, m + 22] * b4 + scratch[i, m + 23] * b5
        t2 -= scratch[i, m + 24] * b3 + scratch[i, m + 25] * b4 + scratch[i, m + 26] * b5
    if count == 0:
        condense_ball(scratch, i, p, p0, p1, p2, t0, t1, t2)
        return
    for k in range(3 - count):
        s = 0.0
        for j in range(3 - count):
            s += scratch[i, SPREAD + 3 * k + j] * (
                scratch[i, BASIS + 3 * j] * t0
                + scratch[i, BASIS + 3 * j + 1] * t1
                + scratch[i, BASIS + 3 * j + 2] * t2
            )
        scratch[i, FREE_RATE + k] = s
    if p < 0:
        return
    for k in range(3 - count):
        s = scratch[i, FREE_RATE + k]
        p0 -= s * scratch[i, UPPER + 6 * k]
        p1 -= s * scratch[i, UPPER + 6 * k + 1]
        p2 -= s * scratch[i, UPPER + 6 * k + 2]
        t0 -= s * scratch[i, UPPER + 6 * k + 3]
        t1 -= s * scratch[i, UPPER + 6 * k + 4]
        t2 -= s * scratch[i, UPPER + 6 * k + 5]
    x, y, z = scratch[i, ARM + 3], scratch[i, ARM + 4], scratch[i, ARM + 5]
    scratch[p, LOAD] += p0
    scratch[p, LOAD + 1] += p1
    scratch[p, LOAD + 2] += p2
    scratch[p, LOAD + 3] += t0 + y * p2 - z * p1
    scratch[p, LOAD + 4] += t1 + z * p0 - x * p2
    scratch[p, LOAD + 5] += t2 + x * p1 - y * p0


@kernel(fastmath={"contract"}, counted=False)
def expand_point(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> None:
    """Backward step: from the parent's SOLUTION to the body's, and the hinge's multipliers."""
    i, p, side, first, m = node
    count = m - 3
    sign = 1.0 - 2.0 * side
    v0 = v1 = v2 = w0 = w1 = w2 = 0.0
    if p >= 0:
        x, y, z = scratch[i, ARM + 3], scratch[i, ARM + 4], scratch[i, ARM + 5]
        w0, w1, w2 = scratch[p, SOLUTION + 3], scratch[p, SOLUTION + 4], scratch[p, SOLUTION + 5]
        v0 = scratch[p, SOLUTION] + w1 * z - w2 * y
        v1 = scratch[p, SOLUTION + 1] + w2 * x - w0 * z
        v2 = scratch[p, SOLUTION + 2] + w0 * y - w1 * x
    if count == 0:  # w = z - H^T v_P, whatever the parent's rate
        w0, w1, w2 = scratch[i, FREE_RATE], scratch[i, FREE_RATE + 1], scratch[i, FREE_RATE + 2]
        if p >= 0:
            h = UPPER
            w0 -= scratch[i, h] * v0 + scratch[i, h + 3] * v1 + scratch[i, h + 6] * v2
            w1 -= scratch[i, h + 1] * v0 + scratch[i, h + 4] * v1 + scratch[i, h + 7] * v2
            w2 -= scratch[i, h + 2] * v0 + scratch[i, h + 5] * v1 + scratch[i, h + 8] * v2
    y0 = y1 = y2 = 0.0
    for k in range(0 if count == 0 else 3 - count):
        s = scratch[i, FREE_RATE + k]
        for j in range(3 - count):
            u = UPPER + 6 * j
            s -= scratch[i, SPREAD + 3 * k + j] * (
                scratch[i, u] * v0
                + scratch[i, u + 1] * v1
                + scratch[i, u + 2] * v2
                + scratch[i, u + 3] * w0
                + scratch[i, u + 4] * w1
                + scratch[i, u + 5] * w2
            )
        y0 += s * scratch[i, BASIS + 3 * k]
        y1 += s * scratch[i, BASIS + 3 * k + 1]
        y2 += s * scratch[i, BASIS + 3 * k + 2]
    v0 += scratch[i, BIAS]
    v1 += scratch[i, BIAS + 1]
    v2 += scratch[i, BIAS + 2]
    w0 += scratch[i, BIAS + 3] + y0
    w1 += scratch[i, BIAS + 4] + y1
    w2 += scratch[i, BIAS + 5] + y2
    x, y, z = scratch[i, ARM], scratch[i, ARM + 1], scratch[i, ARM + 2]
    scratch[i, SOLUTION] = v0 + y * w2 - z * w1
    scratch[i, SOLUTION + 1] = v1 + z * w0 - x * w2
    scratch[i, SOLUTION + 2] = v2 + x * w1 - y * w0
    scratch[i, SOLUTION + 3], scratch[i, SOLUTION + 4], scratch[i, SOLUTION + 5] = w0, w1, w2
    # what the hinge does to the body: inertia times motion less load, about P
    row, m = tree_row[first], INERTIA_P
    for r in range(3):
        f = -scratch[i, LOAD + r]
        f += (
            scratch[i, m + 3 * r] * v0
            + scratch[i, m + 3 * r + 1] * v1
            + scratch[i, m + 3 * r + 2] * v2
        )
        f += (
            scratch[i, m + 9 + 3 * r] * w0
            + scratch[i, m + 10 + 3 * r] * w1
            + scratch[i, m + 11 + 3 * r] * w2
        )
        work[row + r, MULTIPLIER] = sign * f
    if count > 0:
        f0, f1, f2 = scratch[i, LOAD], scratch[i, LOAD + 1], scratch[i, LOAD + 2]
        t0 = y * f2 - z * f1 - scratch[i, LOAD + 3]
        t1 = z * f0 - x * f2 - scratch[i, LOAD + 4]
        t2 = x * f1 - y * f0 - scratch[i, LOAD + 5]
        t0 += scratch[i, m + 9] * v0 + scratch[i, m + 12] * v1 + scratch[i, m + 15] * v2
        t1 += scratch[i, m + 10] * v0 + scratch[i, m + 13] * v1 + scratch[i, m + 16] * v2
        t2 += scratch[i, m + 11] * v0 + scratch[i, m + 14] * v1 + scratch[i, m + 17] * v2
        t0 += scratch[i, m + 18] * w0 + scratch[i, m + 19] * w1 + scratch[i, m + 20] * w2
        t1 += scratch[i, m + 21] * w0 + scratch[i, m + 22] * w1 + scratch[i, m + 23] * w2
        t2 += scratch[i, m + 24] * w0 + scratch[i, m + 25] * w1 + scratch[i, m + 26] * w2
        for k in range(count):
            d = DUAL + 3 * k
            work[tree_row[first + 3 + k], MULTIPLIER] = (
                scratch[i, d] * t0 + scratch[i, d + 1] * t1 + scratch[i, d + 2] * t2
            )
