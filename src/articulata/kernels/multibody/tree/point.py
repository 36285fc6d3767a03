"""One step of the tree solve over a hinge with a common point: ball, universal, revolute, weld.

The hinge has a POINT block and up to three direction rows. In the velocities (v, w) of the body's
hinge point P the relation to the parent p is

    v = v_p + w_p x c_p + sigma rhs_point,   w = w_p + E^+ rhs_direction + sum W_k y_k

with sigma = 1 where the body is the hinge's a and -1 where it is b, E the direction rows on the
body's side, y the free rotations and W a basis of the directions orthogonal to E. The rotations
are eliminated one after the other, each a rank-one change of the inertia about P. ``c`` and
``c_p`` are the arms from the two mass centres, as they stand in the rows: nothing assumes that
the gap is closed.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.system import (
    ARM,
    ARTICULATED,
    HINGE_SCRATCH,
    LOAD,
    MULTIPLIER,
    RHS,
    SOLUTION,
)
from articulata.kernels.multibody.tree.general import Node
from articulata.kernels.multibody.tree.shift import hand_on
from articulata.kernels.space_vectors import Vector

BASIS = HINGE_SCRATCH
"""(9) columns W, one vector after the other."""
DUAL = BASIS + 9
"""(9) rows of E, then columns of E^+, one vector after the other."""
UPPER = DUAL + 9
"""(18) for each free rotation U = M W before it is eliminated, six numbers."""
PIVOT = UPPER + 18
"""(3) 1 / (W^T U)."""
FREE_RATE = PIVOT + 3
"""(3) W^T p / (W^T U) of the solve."""
BIAS = FREE_RATE + 3
"""(6) what the right-hand sides add to (v, w)."""
REST = BIAS + 6
"""(6) the load about P that no rotation takes up."""

SMALLEST_DIRECTION = 1e-8
"""Squared size of the normal of the direction rows below which they count as dependent."""


@kernel(counted=False, inline=True)
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
        s = 1.0 / math.sqrt(s)
        a, b, c = a * s, b * s, c * s
        scratch[i, BASIS], scratch[i, BASIS + 1], scratch[i, BASIS + 2] = a, b, c
        scratch[i, DUAL] = (v * c - w * b) * s
        scratch[i, DUAL + 1] = (w * a - u * c) * s
        scratch[i, DUAL + 2] = (u * b - v * a) * s
        scratch[i, DUAL + 3] = (b * z - c * y) * s
        scratch[i, DUAL + 4] = (c * x - a * z) * s
        scratch[i, DUAL + 5] = (a * y - b * x) * s
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


@kernel(counted=False, inline=True)
def place_point(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> bool:
    """Fill ARM, DUAL and BASIS; False where the direction rows are dependent."""
    i, _, side, first, m = node
    own, other = 6 * side, 6 - 6 * side
    sign = 1.0 - 2.0 * side
    row = tree_row[first]
    scratch[i, ARM] = sign * work[row + 1, own + 5]
    scratch[i, ARM + 1] = -sign * work[row, own + 5]
    scratch[i, ARM + 2] = sign * work[row, own + 4]
    scratch[i, ARM + 3] = -sign * work[row + 1, other + 5]
    scratch[i, ARM + 4] = sign * work[row, other + 5]
    scratch[i, ARM + 5] = -sign * work[row, other + 4]
    for k in range(m - 3):
        row = tree_row[first + 3 + k]
        for j in range(3):
            scratch[i, DUAL + 3 * k + j] = work[row, own + 3 + j]
    return free_directions(scratch, i, m - 3)


@kernel(fastmath={"contract"}, counted=False, inline=True)
def factor_point(node: Node, scratch: Array) -> None:
    """Eliminate a body; leaves in ARTICULATED what its parent feels at P."""
    i, p, _, _, m = node
    s, free = ARTICULATED, 6 - m
    a00, a01, a02 = scratch[i, s], scratch[i, s + 1], scratch[i, s + 2]
    a11, a12, a22 = scratch[i, s + 3], scratch[i, s + 4], scratch[i, s + 5]
    b00, b01, b02 = scratch[i, s + 6], scratch[i, s + 7], scratch[i, s + 8]
    b10, b11, b12 = scratch[i, s + 9], scratch[i, s + 10], scratch[i, s + 11]
    b20, b21, b22 = scratch[i, s + 12], scratch[i, s + 13], scratch[i, s + 14]
    c00, c01, c02 = scratch[i, s + 15], scratch[i, s + 16], scratch[i, s + 17]
    c11, c12, c22 = scratch[i, s + 18], scratch[i, s + 19], scratch[i, s + 20]
    for k in range(free):
        w = BASIS + 3 * k
        x, y, z = scratch[i, w], scratch[i, w + 1], scratch[i, w + 2]
        u0, u1, u2 = (
            b00 * x + b01 * y + b02 * z,
            b10 * x + b11 * y + b12 * z,
            b20 * x + b21 * y + b22 * z,
        )
        u3, u4, u5 = (
            c00 * x + c01 * y + c02 * z,
            c01 * x + c11 * y + c12 * z,
            c02 * x + c12 * y + c22 * z,
        )
        inverse = 1.0 / (x * u3 + y * u4 + z * u5)
        u = UPPER + 6 * k
        scratch[i, u], scratch[i, u + 1], scratch[i, u + 2] = u0, u1, u2
        scratch[i, u + 3], scratch[i, u + 4], scratch[i, u + 5] = u3, u4, u5
        scratch[i, PIVOT + k] = inverse
        x, y, z = u0 * inverse, u1 * inverse, u2 * inverse
        a00, a01, a02 = a00 - x * u0, a01 - x * u1, a02 - x * u2
        a11, a12, a22 = a11 - y * u1, a12 - y * u2, a22 - z * u2
        b00, b01, b02 = b00 - x * u3, b01 - x * u4, b02 - x * u5
        b10, b11, b12 = b10 - y * u3, b11 - y * u4, b12 - y * u5
        b20, b21, b22 = b20 - z * u3, b21 - z * u4, b22 - z * u5
        x, y, z = u3 * inverse, u4 * inverse, u5 * inverse
        c00, c01, c02 = c00 - x * u3, c01 - x * u4, c02 - x * u5
        c11, c12, c22 = c11 - y * u4, c12 - y * u5, c22 - z * u5
    if free == 3:  # through a ball nothing twists: rounding must not, however heavy the body
        b00 = b01 = b02 = b10 = b11 = b12 = b20 = b21 = b22 = 0.0
        c00 = c01 = c02 = c11 = c12 = c22 = 0.0
    scratch[i, s], scratch[i, s + 1], scratch[i, s + 2] = a00, a01, a02
    scratch[i, s + 3], scratch[i, s + 4], scratch[i, s + 5] = a11, a12, a22
    scratch[i, s + 6], scratch[i, s + 7], scratch[i, s + 8] = b00, b01, b02
    scratch[i, s + 9], scratch[i, s + 10], scratch[i, s + 11] = b10, b11, b12
    scratch[i, s + 12], scratch[i, s + 13], scratch[i, s + 14] = b20, b21, b22
    scratch[i, s + 15], scratch[i, s + 16], scratch[i, s + 17] = c00, c01, c02
    scratch[i, s + 18], scratch[i, s + 19], scratch[i, s + 20] = c11, c12, c22
    if p >= 0:
        hand_on(scratch, i, s, p, scratch[i, ARM + 3], scratch[i, ARM + 4], scratch[i, ARM + 5])


@kernel(fastmath={"contract"}, counted=False, inline=True)
def times_rest(scratch: Array, i: int, v: Vector, w: Vector) -> tuple[Vector, Vector]:
    """Return force and torque: what the parent feels at P times (v, w)."""
    a, b, c = ARTICULATED, ARTICULATED + 6, ARTICULATED + 15
    f0 = scratch[i, a] * v[0] + scratch[i, a + 1] * v[1] + scratch[i, a + 2] * v[2]
    f1 = scratch[i, a + 1] * v[0] + scratch[i, a + 3] * v[1] + scratch[i, a + 4] * v[2]
    f2 = scratch[i, a + 2] * v[0] + scratch[i, a + 4] * v[1] + scratch[i, a + 5] * v[2]
    t0 = scratch[i, b] * v[0] + scratch[i, b + 3] * v[1] + scratch[i, b + 6] * v[2]
    t1 = scratch[i, b + 1] * v[0] + scratch[i, b + 4] * v[1] + scratch[i, b + 7] * v[2]
    t2 = scratch[i, b + 2] * v[0] + scratch[i, b + 5] * v[1] + scratch[i, b + 8] * v[2]
    f0 += scratch[i, b] * w[0] + scratch[i, b + 1] * w[1] + scratch[i, b + 2] * w[2]
    f1 += scratch[i, b + 3] * w[0] + scratch[i, b + 4] * w[1] + scratch[i, b + 5] * w[2]
    f2 += scratch[i, b + 6] * w[0] + scratch[i, b + 7] * w[1] + scratch[i, b + 8] * w[2]
    t0 += scratch[i, c] * w[0] + scratch[i, c + 1] * w[1] + scratch[i, c + 2] * w[2]
    t1 += scratch[i, c + 1] * w[0] + scratch[i, c + 3] * w[1] + scratch[i, c + 4] * w[2]
    t2 += scratch[i, c + 2] * w[0] + scratch[i, c + 4] * w[1] + scratch[i, c + 5] * w[2]
    return (f0, f1, f2), (t0, t1, t2)


@kernel(fastmath={"contract"}, counted=False, inline=True)
def condense_point(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> None:
    """Forward step of the solve: from LOAD and RHS to the parent's LOAD."""
    i, p, side, first, m = node
    sign = 1.0 - 2.0 * side
    row = tree_row[first]
    b0, b1, b2 = sign * work[row, RHS], sign * work[row + 1, RHS], sign * work[row + 2, RHS]
    b3 = b4 = b5 = 0.0
    for k in range(m - 3):
        s, d = work[tree_row[first + 3 + k], RHS], DUAL + 3 * k
        b3 += s * scratch[i, d]
        b4 += s * scratch[i, d + 1]
        b5 += s * scratch[i, d + 2]
    scratch[i, BIAS], scratch[i, BIAS + 1], scratch[i, BIAS + 2] = b0, b1, b2
    scratch[i, BIAS + 3], scratch[i, BIAS + 4], scratch[i, BIAS + 5] = b3, b4, b5
    f0, f1, f2 = scratch[i, LOAD], scratch[i, LOAD + 1], scratch[i, LOAD + 2]
    x, y, z = scratch[i, ARM], scratch[i, ARM + 1], scratch[i, ARM + 2]
    t0 = scratch[i, LOAD + 3] - (y * f2 - z * f1)
    t1 = scratch[i, LOAD + 4] - (z * f0 - x * f2)
    t2 = scratch[i, LOAD + 5] - (x * f1 - y * f0)
    for k in range(6 - m):
        w, u = BASIS + 3 * k, UPPER + 6 * k
        s = scratch[i, w] * t0 + scratch[i, w + 1] * t1 + scratch[i, w + 2] * t2
        s *= scratch[i, PIVOT + k]
        scratch[i, FREE_RATE + k] = s
        f0 -= s * scratch[i, u]
        f1 -= s * scratch[i, u + 1]
        f2 -= s * scratch[i, u + 2]
        t0 -= s * scratch[i, u + 3]
        t1 -= s * scratch[i, u + 4]
        t2 -= s * scratch[i, u + 5]
    if m == 3:
        t0 = t1 = t2 = 0.0
    scratch[i, REST], scratch[i, REST + 1], scratch[i, REST + 2] = f0, f1, f2
    scratch[i, REST + 3], scratch[i, REST + 4], scratch[i, REST + 5] = t0, t1, t2
    if p < 0:
        return
    force, torque = times_rest(scratch, i, (b0, b1, b2), (b3, b4, b5))
    f0, f1, f2 = f0 - force[0], f1 - force[1], f2 - force[2]
    x, y, z = scratch[i, ARM + 3], scratch[i, ARM + 4], scratch[i, ARM + 5]
    scratch[p, LOAD] += f0
    scratch[p, LOAD + 1] += f1
    scratch[p, LOAD + 2] += f2
    scratch[p, LOAD + 3] += t0 - torque[0] + y * f2 - z * f1
    scratch[p, LOAD + 4] += t1 - torque[1] + z * f0 - x * f2
    scratch[p, LOAD + 5] += t2 - torque[2] + x * f1 - y * f0


@kernel(fastmath={"contract"}, counted=False, inline=True)
def expand_point(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> None:
    """Backward step: from the parent's SOLUTION to the body's, and the hinge's multipliers."""
    i, p, side, first, m = node
    sign = 1.0 - 2.0 * side
    v0, v1, v2 = scratch[i, BIAS], scratch[i, BIAS + 1], scratch[i, BIAS + 2]
    w0, w1, w2 = scratch[i, BIAS + 3], scratch[i, BIAS + 4], scratch[i, BIAS + 5]
    if p >= 0:
        x, y, z = scratch[i, ARM + 3], scratch[i, ARM + 4], scratch[i, ARM + 5]
        a, b, c = scratch[p, SOLUTION + 3], scratch[p, SOLUTION + 4], scratch[p, SOLUTION + 5]
        v0 += scratch[p, SOLUTION] + b * z - c * y
        v1 += scratch[p, SOLUTION + 1] + c * x - a * z
        v2 += scratch[p, SOLUTION + 2] + a * y - b * x
        w0, w1, w2 = w0 + a, w1 + b, w2 + c
    # what the hinge does to the body, about P: what no rotation takes up
    force, torque = times_rest(scratch, i, (v0, v1, v2), (w0, w1, w2))
    for k in range(3):
        work[tree_row[first] + k, MULTIPLIER] = sign * (force[k] - scratch[i, REST + k])
    for k in range(m - 3):
        x = 0.0
        for j in range(3):
            x += scratch[i, DUAL + 3 * k + j] * (torque[j] - scratch[i, REST + 3 + j])
        work[tree_row[first + 3 + k], MULTIPLIER] = x
    for k in range(5 - m, -1, -1):
        w, u = BASIS + 3 * k, UPPER + 6 * k
        x = scratch[i, u] * v0 + scratch[i, u + 1] * v1 + scratch[i, u + 2] * v2
        x += scratch[i, u + 3] * w0 + scratch[i, u + 4] * w1 + scratch[i, u + 5] * w2
        x = scratch[i, FREE_RATE + k] - scratch[i, PIVOT + k] * x
        w0 += x * scratch[i, w]
        w1 += x * scratch[i, w + 1]
        w2 += x * scratch[i, w + 2]
    x, y, z = scratch[i, ARM], scratch[i, ARM + 1], scratch[i, ARM + 2]
    scratch[i, SOLUTION] = v0 + y * w2 - z * w1
    scratch[i, SOLUTION + 1] = v1 + z * w0 - x * w2
    scratch[i, SOLUTION + 2] = v2 + x * w1 - y * w0
    scratch[i, SOLUTION + 3], scratch[i, SOLUTION + 4], scratch[i, SOLUTION + 5] = w0, w1, w2
