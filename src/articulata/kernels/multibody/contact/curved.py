"""Contacts of curved features from the support of each: gap, normal, point and how they move.

Along a direction d a corner, an edge, a rim or a cone's wall reaches farthest at

    p(d, z) = c + z a + (r - s z) m + q d,    m = d across a, of unit length,

with a the axis, r the radius at c, s the slope of a wall, q the radius about a corner or edge. On
an edge or a wall z is free and d lies across it: d . a = s |d across a|. Two features face each
other along n where pA(-n, zA) - pB(n, zB) is parallel to n: at most four equations in the two
turns of n and the free z, solved by Newton's method. The same matrix gives the rates of n and z
while the features move with their bodies (implicit differentiation). World axes, metres, seconds.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.hollow import SPHERE
from articulata.kernels.contacts.patches import CORNER, EDGE
from articulata.kernels.contacts.pieces import (
    HALF_SPACE,
    HOLLOW,
    PROBE,
    RIM,
    ROUND,
    Pieces,
    Standing,
    entry,
)
from articulata.kernels.multibody.contact.rows import tangents
from articulata.kernels.space_vectors import Vector, ahead, cross, dot, minus, unit

Support = tuple[Vector, Vector, float, float, float, bool]
"""Base point, axis, radius there, slope of the wall, radius about it, whether z is free."""

WIDTH = 5
"""Numbers in a row of the matrix: four unknowns and a right-hand side."""

TURNS = 20
"""Newton steps before giving up."""

FARTHEST = 0.3
"""Longest turn of the normal (rad) in one of them."""

SETTLED = 1e-14
"""Turn (rad) after which one more step is the last."""

FLAT = 1e-9
"""A rim across whose axis the direction has less than this is no smooth feature."""


@kernel(counted=False)
def support_of(
    pieces: Pieces, now: Standing, i: int, kind: int, index: int
) -> tuple[bool, Support]:
    """Return whether a feature of piece i has a smooth support, and that support."""
    start, none = pieces.vertex_start[i], (0.0, 0.0, 0.0)
    if pieces.kind[i] == HALF_SPACE or kind not in (CORNER, EDGE):
        return False, (none, none, 0.0, 0.0, 0.0, False)
    if pieces.kind[i] == HOLLOW or pieces.kind[i] == RIM:
        return support_about(pieces, now, i, kind, index)
    if pieces.kind[i] == PROBE and pieces.size[i, 0] > 0.0:
        return True, (entry(now.vertices, start), entry(now.axis, i), pieces.size[i, 0], 0.0, 0.0,
                      False)  # fmt: skip
    if pieces.kind[i] == ROUND:
        c, a, half = entry(now.vertices, start), entry(now.axis, i), pieces.size[i, 2]
        if kind == CORNER:
            base = ahead(c, half if index == 1 else -half, a)
            return True, (base, a, pieces.size[i, index], 0.0, 0.0, False)
        back, front = pieces.size[i, 0], pieces.size[i, 1]
        return True, (c, a, 0.5 * (back + front), 0.5 * (back - front) / half, 0.0, True)
    if kind == CORNER:
        corner = entry(now.vertices, start + index)
        return True, (corner, (0.0, 0.0, 1.0), 0.0, 0.0, pieces.radius[i], False)
    e = pieces.edge_start[i] + index
    p = entry(now.vertices, start + pieces.edges[e, 0])
    a, length = unit(minus(entry(now.vertices, start + pieces.edges[e, 1]), p))
    return length > 0.0, (p, a, 0.0, 0.0, pieces.radius[i], True)


@kernel(counted=False)
def support_about(
    pieces: Pieces, now: Standing, j: int, kind: int, index: int
) -> tuple[bool, Support]:
    """Do for a hollow wall or its rims what :func:`support_of` does: their radii are negative."""
    c, a, R = entry(now.vertices, pieces.vertex_start[j]), entry(now.axis, j), pieces.size[j, 0]
    if pieces.kind[j] == RIM:
        return True, (c, a, -R, 0.0, 0.0, False)
    ball = pieces.edges[pieces.edge_start[j], SPHERE] == 1
    if kind == EDGE and ball:
        return True, (c, a, 0.0, 0.0, -R, False)
    if kind == EDGE:
        return True, (c, a, -R, 0.0, 0.0, True)
    base = entry(now.vertices, pieces.vertex_start[j] + 1 + index)
    if ball:
        h = pieces.size[j, 2]
        m = entry(now.normals, pieces.face_start[j])
        return True, (base, m, -math.sqrt(R * R - h * h), 0.0, 0.0, False)
    return True, (base, a, -R, 0.0, 0.0, False)


@kernel(counted=False)
def across_axis(one: Support, d: Vector) -> tuple[Vector, float]:
    """Return the unit vector of d across the axis, and how long that part of d is."""
    a = one[1]
    return unit(ahead(d, -dot(d, a), a))


@kernel(counted=False)
def farthest_point(one: Support, d: Vector, z: float) -> Vector:
    """Return p(d, z)."""
    p = ahead(ahead(one[0], z, one[1]), one[4], d)
    if one[2] != 0.0 or one[3] != 0.0:
        m, _ = across_axis(one, d)
        p = ahead(p, one[2] - one[3] * z, m)
    return p


@kernel(counted=False)
def point_change(one: Support, d: Vector, z: float, turn: Vector) -> Vector:
    """Return how p(d, z) changes with d by ``turn``."""
    x = (one[4] * turn[0], one[4] * turn[1], one[4] * turn[2])
    if one[2] != 0.0 or one[3] != 0.0:
        m, length = across_axis(one, d)
        side = ahead(turn, -dot(turn, one[1]), one[1])
        side = ahead(side, -dot(side, m), m)
        x = ahead(x, (one[2] - one[3] * z) / length, side)
    return x


@kernel(counted=False)
def along_wall(one: Support, d: Vector) -> Vector:
    """Return how p(d, z) changes with z."""
    if one[3] == 0.0:
        return one[1]
    m, _ = across_axis(one, d)
    return ahead(one[1], -one[3], m)


@kernel(counted=False)
def lean_change(one: Support, d: Vector, turn: Vector) -> float:
    """Return how d . a - s |d across a| changes with d by ``turn``."""
    return dot(along_wall(one, d), turn)


@kernel(counted=False)
def solve_small(A: Array, n: int) -> bool:
    """Solve for n unknowns, the right-hand side and then the answer in column n.

    A holds rows of WIDTH numbers one after the other. False where it is singular.
    """
    for k in range(n):
        best, p = 0.0, k
        for r in range(k, n):
            if abs(A[WIDTH * r + k]) > best:
                best, p = abs(A[WIDTH * r + k]), r
        if not best > 1e-12:
            return False
        for c in range(k, n + 1):
            A[WIDTH * k + c], A[WIDTH * p + c] = A[WIDTH * p + c], A[WIDTH * k + c]
        for r in range(k + 1, n):
            f = A[WIDTH * r + k] / A[WIDTH * k + k]
            for c in range(k, n + 1):
                A[WIDTH * r + c] -= f * A[WIDTH * k + c]
    for k in range(n - 1, -1, -1):
        x = A[WIDTH * k + n]
        for c in range(k + 1, n):
            x -= A[WIDTH * k + c] * A[WIDTH * c + n]
        A[WIDTH * k + n] = x / A[WIDTH * k + k]
    return True


@kernel(counted=False)
def fill_matrix(
    A: Array, one: Support, two: Support, n: Vector, z: tuple[float, float], gap: float
) -> int:
    """Fill the matrix of turns and free z (columns) in A; return how many unknowns there are.

    Rows: the two tangents of n, then the directions' leans on A's and B's edge or wall. Lengths
    of z's columns are those of the features.
    """
    t1, t2 = tangents(n)
    d = (-n[0], -n[1], -n[2])
    count = 2
    for k in range(2):
        t = t1 if k == 0 else t2
        back = (-t[0], -t[1], -t[2])
        x = minus(point_change(one, d, z[0], back), point_change(two, n, z[1], t))
        A[k] = dot(t1, x) - (gap if k == 0 else 0.0)
        A[WIDTH + k] = dot(t2, x) - (gap if k == 1 else 0.0)
        row = 2
        if one[5]:
            A[WIDTH * row + k] = lean_change(one, d, back)
            row += 1
        if two[5]:
            A[WIDTH * row + k] = lean_change(two, n, t)
    for side in range(2):
        if not (one[5] if side == 0 else two[5]):
            continue
        way = along_wall(one, d) if side == 0 else along_wall(two, n)
        s = 1.0 if side == 0 else -1.0
        A[count], A[WIDTH + count] = s * dot(t1, way), s * dot(t2, way)
        for row in range(2, 4):
            A[WIDTH * row + count] = 0.0
        count += 1
    return count


@kernel(counted=False)
def start_along(one: Support, two: Support, n: Vector) -> tuple[float, float]:
    """Return the free z with which the features come nearest each other across n."""
    d = (-n[0], -n[1], -n[2])
    apart = minus(farthest_point(one, d, 0.0), farthest_point(two, n, 0.0))
    apart = ahead(apart, -dot(apart, n), n)
    e, f = along_wall(one, d), along_wall(two, n)
    e, f = ahead(e, -dot(e, n), n), ahead(f, -dot(f, n), n)
    ee, ff, ef = dot(e, e), dot(f, f), dot(e, f)
    x, y = -dot(e, apart), dot(f, apart)
    if one[5] and two[5]:
        det = ee * ff - ef * ef
        if not det > 1e-12 * ee * ff:
            return 0.0, 0.0
        return (x * ff + y * ef) / det, (y * ee + x * ef) / det
    if one[5]:
        return x / ee, 0.0
    if two[5]:
        return 0.0, y / ff
    return 0.0, 0.0


@kernel(counted=False)
def facing_normal(
    one: Support, two: Support, n: Vector, size: float, A: Array
) -> tuple[bool, Vector, tuple[float, float], float]:
    """Return whether Newton's method has found how two features face each other near n.

    With normal, z of both and gap; leaves A filled at a turn's rounding from there.
    """
    z, gap, last = start_along(one, two, n), 0.0, False
    for _ in range(TURNS):
        d = (-n[0], -n[1], -n[2])
        round_one, round_two = one[2] != 0.0 or one[3] != 0.0, two[2] != 0.0 or two[3] != 0.0
        if round_one and across_axis(one, d)[1] < FLAT:
            return False, n, z, gap
        if round_two and across_axis(two, n)[1] < FLAT:
            return False, n, z, gap
        apart = minus(farthest_point(one, d, z[0]), farthest_point(two, n, z[1]))
        gap = dot(n, apart)
        if last:
            fill_matrix(A, one, two, n, z, gap)
            return abs(gap) < 0.1 * size, n, z, gap
        count = fill_matrix(A, one, two, n, z, gap)
        t1, t2 = tangents(n)
        A[count], A[WIDTH + count] = -dot(t1, apart), -dot(t2, apart)
        row = 2
        if one[5]:
            A[WIDTH * row + count] = -dot(along_wall(one, d), d)
            row += 1
        if two[5]:
            A[WIDTH * row + count] = -dot(along_wall(two, n), n)
        if not solve_small(A, count):
            return False, n, z, gap
        x, y = A[count], A[WIDTH + count]
        turned = math.sqrt(x * x + y * y)
        if not math.isfinite(turned):
            return False, n, z, gap
        share = min(1.0, FARTHEST / turned) if turned > 0.0 else 1.0
        n, _ = unit(ahead(ahead(n, share * x, t1), share * y, t2))
        u, v = z
        if one[5]:
            u += share * A[2 * WIDTH + count]
        if two[5]:
            v += share * A[WIDTH * (count - 1) + count]
        z = (u, v)
        last = turned <= SETTLED * max(1.0, 1.0 / size)
    return False, n, z, gap


@kernel(counted=False)
def motion_of_facing(
    one: Support,
    two: Support,
    n: Vector,
    z: tuple[float, float],
    gap: float,
    moves: tuple[Vector, Vector, Vector, Vector, Vector, Vector],
    A: Array,
) -> tuple[bool, Vector, Vector, Vector]:
    """Return whether it can be told how normal and point move, the point, and their velocities.

    ``moves``: places, velocities and angular velocities of the two bodies, A's before B's each.
    """
    d = (-n[0], -n[1], -n[2])
    p, q = farthest_point(one, d, z[0]), farthest_point(two, n, z[1])
    ra, rb, va, vb, wa, wb = moves
    # features move with their bodies while n stays: in body axes n turns back
    da, db = cross(d, wa), cross(n, wb)
    u = cross(wa, minus(p, ra))
    pa = ahead(ahead(va, 1.0, u), 1.0, point_change(one, d, z[0], da))
    u = cross(wb, minus(q, rb))
    pb = ahead(ahead(vb, 1.0, u), 1.0, point_change(two, n, z[1], db))
    count = fill_matrix(A, one, two, n, z, gap)
    t1, t2 = tangents(n)
    rate = minus(pa, pb)
    A[count], A[WIDTH + count] = -dot(t1, rate), -dot(t2, rate)
    row = 2
    if one[5]:
        A[WIDTH * row + count] = -lean_change(one, d, da)
        row += 1
    if two[5]:
        A[WIDTH * row + count] = -lean_change(two, n, db)
    x = ahead(p, -0.5 * gap, n)
    if not solve_small(A, count):
        return False, x, n, n
    turn = ahead((A[count] * t1[0], A[count] * t1[1], A[count] * t1[2]), A[WIDTH + count], t2)
    back = (-turn[0], -turn[1], -turn[2])
    pa = ahead(pa, 1.0, point_change(one, d, z[0], back))
    pb = ahead(pb, 1.0, point_change(two, n, z[1], turn))
    if one[5]:
        pa = ahead(pa, A[2 * WIDTH + count], along_wall(one, d))
    if two[5]:
        pb = ahead(pb, A[WIDTH * (count - 1) + count], along_wall(two, n))
    dx = (0.5 * (pa[0] + pb[0]), 0.5 * (pa[1] + pb[1]), 0.5 * (pa[2] + pb[2]))
    return True, x, turn, dx
