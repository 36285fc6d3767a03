"""Forces of contacts under Coulomb's law, from the inside of their cones.

The law, contact by contact, is: the force p lies in the cone |p_t| <= mu p_n, the velocity with
its normal part raised, (u_n + mu |u_t|, u_t), lies in the dual cone, and the two are orthogonal
(de Saxce & Feng, Math. Comput. Modelling 28 (1998) 225). With p_t = mu x_t and y_t = mu u_t both
cones are Lorentz's. The product x o y is driven to zero along a path inside both (Nesterov & Todd's
scaling, predictor and corrector after Mehrotra): its steps do not care whether rows depend on each
other, and where forces are not unique they end in the middle of those that obey the law, not at
their rim. Without the raise the problem is convex, and where some forces hold all that might stick,
they are found. With it, the raise mu |u_t| follows the velocity from step to step. A
contact that slides already has one unknown, its pressure. Scaled so that mobilities and velocities
are of order one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import lu_factor, lu_solve
from articulata.kernels.multibody.contact.cones import Coulomb
from articulata.kernels.multibody.contact.memory import SLIP

YIELDING = 1e-9
"""Mobility of every row beside the largest one: keeps forces that nothing decides finite."""

NEAR = 0.1
"""Mean product of force and velocity below which the raise of the velocities is looked at."""

SLIDING = 1e-8
"""Velocity across, as a share of the largest, above which a contact slides."""

SHARE = 0.99
"""Share of the way to the rim of a cone that is taken."""


class Cones(NamedTuple):
    """Memory for the law of k contacts; m <= 3k unknowns."""

    start: IntArray
    """(k + 1,): where the unknowns of each contact begin."""
    C: Array
    """(3k, 3k): forces p = C x."""
    A: Array
    """(3k, 3k): scaled mobility of the unknowns."""
    M: Array
    """(3k, 3k): the same with what the cones make of it."""
    vector: Array
    """(8, 3k): x, y, their steps, the point between, what it and the law lack, velocity at rest."""
    scaling: Array
    """(k, 7): see :func:`scale_cone`."""
    order: IntArray
    """(3k,): the pivots of M's factors."""


@kernel
def make_cones(k: int) -> Cones:
    """Return memory for k contacts."""
    wide = (3 * k, 3 * k)
    return Cones(
        np.zeros(k + 1, np.int64),
        np.zeros(wide),
        np.zeros(wide),
        np.zeros(wide),
        np.zeros((8, 3 * k)),
        np.zeros((k, 7)),
        np.zeros(3 * k, np.int64),
    )


@kernel(counted=False)
def to_rim(x: Array, d: Array, i: int, size: int) -> float:
    """Return how many times d may be added to x before it leaves its cone; large for ever."""
    best = 1e300
    if d[i] < 0.0:
        best = -x[i] / d[i]
    if size == 1:
        return best
    c = x[i] * x[i] - x[i + 1] * x[i + 1] - x[i + 2] * x[i + 2]
    b = x[i] * d[i] - x[i + 1] * d[i + 1] - x[i + 2] * d[i + 2]
    a = d[i] * d[i] - d[i + 1] * d[i + 1] - d[i + 2] * d[i + 2]
    inside = b * b - a * c
    if inside >= 0.0:
        q = -(b + math.copysign(math.sqrt(inside), b))
        if a != 0.0 and q / a > 0.0:
            best = min(best, q / a)
        if q != 0.0 and c / q > 0.0:
            best = min(best, c / q)
    return best


@kernel(counted=False)
def depth(x: Array, i: int) -> float:
    """Return x_0^2 - |x_t|^2 of the cone at i."""
    side = math.hypot(x[i + 1], x[i + 2])
    return (x[i] - side) * (x[i] + side)


@kernel(counted=False)
def scale_cone(x: Array, y: Array, i: int, size: int, scaling: Array, c: int, mid: Array) -> bool:
    """Fill the scaling of cone c, under which x and y are the same point ``mid``; False at the rim.

    ``scaling`` (cones, 7): the square root of the ratio of sizes, the point between the two, and
    the vector v of the reflection beta (2 v v' - J) that takes y to ``mid``.
    """
    if size == 1:
        if not (x[i] > 0.0 and y[i] > 0.0):
            return False
        scaling[c, 0] = math.sqrt(x[i] / y[i])
        mid[i] = math.sqrt(x[i] * y[i])
        return True
    xx, yy = depth(x, i), depth(y, i)
    if not (xx > 0.0 and yy > 0.0):
        return False
    sx, sy = math.sqrt(xx), math.sqrt(yy)
    cosine = (x[i] * y[i] + x[i + 1] * y[i + 1] + x[i + 2] * y[i + 2]) / (sx * sy)
    half = 0.5 / math.sqrt(0.5 * (1.0 + cosine))
    beta = math.sqrt(sx / sy)
    scaling[c, 0] = beta
    scaling[c, 1] = half * (x[i] / sx + y[i] / sy)
    for j in range(1, 3):
        scaling[c, 1 + j] = half * (x[i + j] / sx - y[i + j] / sy)
    k = 1.0 / math.sqrt(2.0 * (scaling[c, 1] + 1.0))
    scaling[c, 4] = (scaling[c, 1] + 1.0) * k
    scaling[c, 5], scaling[c, 6] = scaling[c, 2] * k, scaling[c, 3] * k
    mid[i], mid[i + 1], mid[i + 2] = reflected(scaling, c, beta, 1.0, y[i], y[i + 1], y[i + 2])
    return depth(mid, i) > 0.0


@kernel(counted=False)
def reflected(
    scaling: Array, c: int, beta: float, sign: float, z0: float, z1: float, z2: float
) -> tuple[float, float, float]:
    """Return beta (2 w w' - J) z with w = (v_0, sign v_t): 1 is the scaling, -1 its inverse."""
    v0, v1, v2 = scaling[c, 4], sign * scaling[c, 5], sign * scaling[c, 6]
    along = 2.0 * (v0 * z0 + v1 * z1 + v2 * z2)
    return beta * (along * v0 - z0), beta * (along * v1 + z1), beta * (along * v2 + z2)


@kernel(counted=False)
def aim_at(
    target: float,
    second: bool,
    i: int,
    size: int,
    c: int,
    scaling: Array,
    mid: Array,
    dx: Array,
    dy: Array,
    out: Array,
) -> None:
    """Fill ``out`` with what the scaled x and y lack to the product ``target``, as a force's lack.

    ``second``: less the product of the steps dx and dy that were found at first.
    """
    beta = scaling[c, 0]
    if size == 1:
        left = target - mid[i] * mid[i]
        if second:
            left -= dx[i] * dy[i]
        out[i] = left / (mid[i] * beta)
        return
    l0, l1, l2 = mid[i], mid[i + 1], mid[i + 2]
    t0 = target - (l0 * l0 + l1 * l1 + l2 * l2)
    t1, t2 = -2.0 * l0 * l1, -2.0 * l0 * l2
    if second:
        a0, a1, a2 = reflected(scaling, c, 1.0 / beta, -1.0, dx[i], dx[i + 1], dx[i + 2])
        b0, b1, b2 = reflected(scaling, c, beta, 1.0, dy[i], dy[i + 1], dy[i + 2])
        t0 -= a0 * b0 + a1 * b1 + a2 * b2
        t1 -= a0 * b1 + b0 * a1
        t2 -= a0 * b2 + b0 * a2
    q0 = (l0 * t0 - l1 * t1 - l2 * t2) / depth(mid, i)
    q1, q2 = (t1 - q0 * l1) / l0, (t2 - q0 * l2) / l0
    out[i], out[i + 1], out[i + 2] = reflected(scaling, c, 1.0 / beta, -1.0, q0, q1, q2)


@kernel(counted=False)
def add_stiffness(A: Array, i: int, size: int, scaling: Array, c: int) -> None:
    """Add to A what the cone's scaling makes of a step dx: the inverse of its square."""
    k = 1.0 / (scaling[c, 0] * scaling[c, 0])
    if size == 1:
        A[i, i] += k
        return
    for r in range(3):
        one = scaling[c, 1 + r] if r == 0 else -scaling[c, 1 + r]
        for s in range(3):
            two = scaling[c, 1 + s] if s == 0 else -scaling[c, 1 + s]
            A[i + r, i + s] += 2.0 * k * one * two
        A[i + r, i + r] += -k if r == 0 else k


@kernel(counted=False)
def reduce_rows(law: Coulomb, start: IntArray, C: Array) -> int:
    """Fill where each contact's unknowns begin, and p = C x; return how many they are."""
    mu, mode, along = law.mu, law.mode, law.along
    m = 0
    for i in range(mu.shape[0]):
        start[i] = m
        C[3 * i, m] = 1.0
        if mu[i] > 0.0 and mode[i] == SLIP:
            C[3 * i + 1, m], C[3 * i + 2, m] = -mu[i] * along[i, 0], -mu[i] * along[i, 1]
        elif mu[i] > 0.0:
            C[3 * i + 1, m + 1] = C[3 * i + 2, m + 2] = mu[i]
            m += 2
        m += 1
    start[mu.shape[0]] = m
    return m


@kernel(apart=True)
def interior_forces(
    law: Coulomb, p: Array, raised: bool, steps: int, tolerance: float
) -> tuple[int, float, bool]:
    """Fill ``p`` (k, 3) with forces near the solution of Coulomb's law with u = W p + b.

    Returns the steps taken, the most that is left of the law (``raised``, or of the convex one) as
    a share of the largest velocity, and whether a contact slides that might stick.
    """
    W, b, mu = law.W, law.b, law.mu
    k = mu.shape[0]
    room = make_cones(k)
    start, C, A, x, free = room.start, room.C, room.A, room.vector[0], room.vector[7]
    m = reduce_rows(law, start, C)
    for c in range(k):
        for r in range(start[c + 1] - start[c]):
            grip = mu[c] if r > 0 else 1.0
            free[start[c] + r] = grip * b[3 * c + r]
            for d in range(k):
                # an unknown pushes along the three rows of its own contact
                for j in range(start[d], start[d + 1]):
                    z = 0.0
                    for q in range(3 * d, 3 * d + 3):
                        z += W[3 * c + r, q] * C[q, j]
                    A[start[c] + r, j] = grip * z
    size = fastest = 0.0
    for i in range(m):
        size, fastest = max(size, abs(A[i, i])), max(fastest, abs(free[i]))
    if not (size > 0.0 and fastest > 0.0):
        for c in range(k):
            p[c, 0] = p[c, 1] = p[c, 2] = 0.0
        return 0, 0.0, False
    for i in range(m):
        free[i] /= fastest
        for j in range(m):
            A[i, j] /= size
        A[i, i] += YIELDING
    taken, left = follow_path(room, m, steps, tolerance, raised)
    for c in range(k):
        for t in range(3):
            z = 0.0
            for j in range(start[c], start[c + 1]):
                z += C[3 * c + t, j] * x[j]
            p[c, t] = z * fastest / size
    return taken, left, drifting(room, m)


@kernel(counted=False)
def drifting(room: Cones, m: int) -> bool:
    """Tell whether a contact that might stick slides under the forces x."""
    start, A, x, free = room.start, room.A, room.vector[0], room.vector[7]
    for c in range(start.shape[0] - 1):
        if start[c + 1] - start[c] == 3:
            for i in range(start[c] + 1, start[c] + 3):
                z = free[i]
                for j in range(m):
                    z += A[i, j] * x[j]
                if not abs(z) <= SLIDING:
                    return True
    return False


@kernel(counted=False)
def follow_path(
    room: Cones, m: int, steps: int, tolerance: float, raised: bool
) -> tuple[int, float]:
    """Fill x with the forces of the scaled law; return the steps taken and what is left of it."""
    start, A, M, scaling = room.start, room.A, room.M, room.scaling
    x, y, dx, dy = room.vector[0], room.vector[1], room.vector[2], room.vector[3]
    mid, lack, rest, free = room.vector[4], room.vector[5], room.vector[6], room.vector[7]
    k = start.shape[0] - 1
    for c in range(k):
        for i in range(start[c], start[c + 1]):
            x[i] = y[i] = 1.0 if i == start[c] else 0.0
    left = math.inf
    for step in range(steps):
        product = 0.0
        for i in range(m):
            product += x[i] * y[i]
        product /= k
        left = product
        for i in range(m):
            z = free[i]
            for j in range(m):
                z += A[i, j] * x[j]
            rest[i] = z
        for c in range(k):
            i = start[c]
            if raised and start[c + 1] - i == 3 and product < NEAR:
                rest[i] += math.sqrt(rest[i + 1] ** 2 + rest[i + 2] ** 2 + product**2) - product
        for i in range(m):
            rest[i] -= y[i]
            left = max(left, abs(rest[i]))
        if left <= tolerance:
            return step, left
        for c in range(k):
            if not scale_cone(x, y, start[c], start[c + 1] - start[c], scaling, c, mid):
                return step, left
        for i in range(m):
            for j in range(m):
                M[i, j] = A[i, j]
        for c in range(k):
            add_stiffness(M, start[c], start[c + 1] - start[c], scaling, c)
        if not lu_factor(M, room.order, m):
            return step, left
        target = 0.0
        for second in range(2):
            for c in range(k):
                aim_at(
                    target,
                    second == 1,
                    start[c],
                    start[c + 1] - start[c],
                    c,
                    scaling,
                    mid,
                    dx,
                    dy,
                    lack,
                )
            for i in range(m):
                dx[i] = lack[i] - rest[i]
            lu_solve(M, room.order, dx, m)
            for i in range(m):
                z = rest[i]
                for j in range(m):
                    z += A[i, j] * dx[j]
                dy[i] = z
            way = 1e300
            for c in range(k):
                many = start[c + 1] - start[c]
                way = min(way, min(to_rim(x, dx, start[c], many), to_rim(y, dy, start[c], many)))
            if second == 0:
                way, z = min(1.0, way), 0.0
                for i in range(m):
                    z += (x[i] + way * dx[i]) * (y[i] + way * dy[i])
                share = min(1.0, max(0.0, z / (k * product)))
                target = product * share * share * share
            else:
                way = min(1.0, SHARE * way)
                for i in range(m):
                    x[i] += way * dx[i]
                    y[i] += way * dy[i]
    return steps, left
