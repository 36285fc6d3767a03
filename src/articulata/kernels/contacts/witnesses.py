"""Where two convex pieces are nearest: the points that bear each other along a normal.

World axes W, metres.
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import HALF_SPACE, ROUND, Pieces, Standing, entry
from articulata.kernels.space_vectors import Vector, ahead, cross, dot, minus, unit

FLAT = 1e-9
"""m. Corners that reach equally far along a normal to within this bear a contact together."""


@kernel(counted=False)
def bearing(pieces: Pieces, now: Standing, i: int, n: Vector) -> tuple[int, Vector, Vector]:
    """Return what of piece i's core lies farthest along n: 1 a point, 2 a line, 3 more.

    With it two points: the ends of a line, or a point twice; of more the middle of its corners.
    """
    first = pieces.vertex_start[i]
    p = entry(now.vertices, first)
    if pieces.kind[i] == ROUND:
        a = entry(now.axis, i)
        u = dot(n, a)
        m, length = unit(ahead(n, -u, a))
        back, front, half = pieces.size[i, 0], pieces.size[i, 1], pieces.size[i, 2]
        if length < FLAT:
            middle = ahead(p, half if u > 0.0 else -half, a)
            return (1 if (front if u > 0.0 else back) == 0.0 else 3), middle, middle
        low = ahead(ahead(p, -half, a), back, m)
        high = ahead(ahead(p, half, a), front, m)
        rise = dot(n, minus(high, low))
        if abs(rise) <= FLAT:
            return 2, low, high
        return (1, high, high) if rise > 0.0 else (1, low, low)
    best = dot(n, p)
    last = p
    count = 1
    total = p
    for k in range(first + 1, pieces.vertex_start[i + 1]):
        v = entry(now.vertices, k)
        reach = dot(n, v)
        if reach > best + FLAT:
            best, p, last, count, total = reach, v, v, 1, v
        elif reach >= best - FLAT:
            count += 1
            last = v
            total = ahead(total, 1.0, v)
    if count > 2:
        middle = (total[0] / count, total[1] / count, total[2] / count)
        return 3, middle, middle
    return count, p, last


@kernel(counted=False)
def witnesses(
    pieces: Pieces, now: Standing, i: int, j: int, n: Vector, gap: float
) -> tuple[Vector, Vector]:
    """Return the points of pieces i and j that are ``gap`` apart along n, from j to i.

    Where faces bear each other every point of both does; one of them is returned.
    """
    m = (-n[0], -n[1], -n[2])
    count, p, p_end = bearing(pieces, now, i, m)
    r = pieces.radius[i]
    if count == 1 or pieces.kind[j] == HALF_SPACE:
        if count == 2:
            p = ahead(p, 0.5, minus(p_end, p))
        p = ahead(p, -r, n)
        return p, ahead(p, -gap, n)
    other, s, s_end = bearing(pieces, now, j, n)
    if other == 1 or (count == 3 and other == 3):
        s = ahead(s, pieces.radius[j], n)
        return ahead(s, gap, n), s
    if count == 2 and other == 2:
        # the places where the two lines cross, seen along n
        d, e = minus(p_end, p), minus(s_end, s)
        w = minus(s, p)
        across = dot(n, cross(d, e))
        if abs(across) > 1e-12 * math.sqrt(dot(d, d) * dot(e, e)):
            t = min(max(dot(n, cross(w, e)) / across, 0.0), 1.0)
            p = ahead(ahead(p, t, d), -r, n)
            return p, ahead(p, -gap, n)
        # beside each other: the middle of what they share
        length = dot(d, d)
        if length == 0.0:
            p = ahead(p, -r, n)
            return p, ahead(p, -gap, n)
        t = dot(w, d) / length
        v = dot(minus(s_end, p), d) / length
        low = max(0.0, min(t, v))
        high = min(1.0, max(t, v))
        p = ahead(ahead(p, 0.5 * (low + high), d), -r, n)
        return p, ahead(p, -gap, n)
    if count == 2:
        p = ahead(ahead(p, 0.5, minus(p_end, p)), -r, n)
        return p, ahead(p, -gap, n)
    s = ahead(ahead(s, 0.5, minus(s_end, s)), pieces.radius[j], n)
    return ahead(s, gap, n), s
