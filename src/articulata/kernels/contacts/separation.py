"""How far apart two convex pieces are: the largest of their separations over all directions.

The separation of two pieces along a unit vector n is the width of the slab across n between them.
Its largest value is their distance where they are apart, and minus the depth of the overlap where
they are not. It is found along a face's normal, along the common normal of two edges, or, where a
piece is round or has a radius, along a normal that a scalar equation gives; where corners are
nearest, along the shortest way between edges.
Gottschalk 1996 (separating axes); Gregorius, "The separating axis test between convex polyhedra",
2013 (edges by their arcs on the Gauss map).
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.contacts.hollow import in_hollow
from articulata.kernels.contacts.pieces import (
    HALF_SPACE,
    ROUND,
    Pieces,
    Standing,
    Vector,
    ahead,
    apart,
    cross,
    dot,
    entry,
    farthest,
    minus,
    unit,
)

STEPS = 90
"""Most steps in search of a maximum: to rounding, where the slope jumps as well."""

NARROW = 1e-16
"""Bracket of a slant beside a unit vector that is not made smaller."""

ROUND_OF_STEPS = 6
"""Steps after which it is seen whether false position gets on."""

PARALLEL = 1e-10
"""Sine of the angle under which two edges have no normal of their own: faces decide then."""

SAMPLES = 12
"""Directions tried about an edge before the best is refined."""


@kernel(counted=False)
def flipped(n: Vector) -> Vector:
    """Return -n."""
    return -n[0], -n[1], -n[2]


@kernel(counted=False)
def separation(
    pieces: Pieces, now: Standing, i: int, j: int, enough: float
) -> tuple[float, Vector]:
    """Return the separation of pieces i and j and its direction, the unit normal from j to i.

    A separation larger than ``enough`` need not be the largest.
    """
    if pieces.kind[i] > HALF_SPACE:
        return in_hollow(pieces, now, i, j)
    if pieces.kind[j] == HALF_SPACE:
        return above(pieces, now, i, j)
    if pieces.kind[i] == HALF_SPACE:
        gap, n = above(pieces, now, j, i)
        return gap, flipped(n)
    best, n = by_faces(pieces, now, i, j)
    if best > enough:
        return best, n
    other, m = by_faces(pieces, now, j, i)
    if other > best:
        best, n = other, flipped(m)
    if best > enough:
        return best, n
    if pieces.kind[i] == ROUND and pieces.kind[j] == ROUND:
        return of_rounds(pieces, now, i, j, best, n, enough)
    if pieces.kind[i] == ROUND:
        best, n = of_round(pieces, now, j, i, best, flipped(n), enough)
        return best, flipped(n)
    if pieces.kind[j] == ROUND:
        return of_round(pieces, now, i, j, best, n, enough)
    if pieces.radius[i] > 0.0 or pieces.radius[j] > 0.0:
        return by_lines(pieces, now, i, j, best, n)
    best, n = by_edges(pieces, now, i, j, best, n)
    if 0.0 < best <= enough:
        best, n = by_lines(pieces, now, i, j, best, n)
    return best, n


@kernel(counted=False)
def above(pieces: Pieces, now: Standing, i: int, j: int) -> tuple[float, Vector]:
    """Return the height of piece i over half-space j and the half-space's normal."""
    n = entry(now.axis, j)
    low, _ = farthest(pieces, now, i, flipped(n))
    return -low - dot(n, entry(now.vertices, pieces.vertex_start[j])), n


@kernel(counted=False)
def by_faces(pieces: Pieces, now: Standing, i: int, j: int) -> tuple[float, Vector]:
    """Return the largest separation along normals of flat faces of j, pointing out of j."""
    best, n = -math.inf, (0.0, 0.0, 1.0)
    if pieces.kind[j] == ROUND:
        for side in (1.0, -1.0):
            a = entry(now.axis, j)
            m = (side * a[0], side * a[1], side * a[2])
            gap, _ = apart(pieces, now, i, j, m)
            if gap > best:
                best, n = gap, m
        return best, n
    for k in range(pieces.face_start[j], pieces.face_start[j + 1]):
        m = entry(now.normals, k)
        at = pieces.vertex_start[j] + pieces.ring[pieces.ring_start[k]]
        low, _ = farthest(pieces, now, i, flipped(m))
        gap = -low - dot(m, entry(now.vertices, at))
        if gap > best:
            best, n = gap, m
    return best, n


@kernel(counted=False)
def by_edges(
    pieces: Pieces, now: Standing, i: int, j: int, best: float, n: Vector
) -> tuple[float, Vector]:
    """Return the better of ``best`` and the separations along common normals of two edges."""
    vi, vj = pieces.vertex_start[i], pieces.vertex_start[j]
    fi, fj = pieces.face_start[i], pieces.face_start[j]
    for k in range(pieces.edge_start[i], pieces.edge_start[i + 1]):
        a = entry(now.normals, fi + pieces.edges[k, 2])
        b = entry(now.normals, fi + pieces.edges[k, 3])
        ba = cross(b, a)
        p = entry(now.vertices, vi + pieces.edges[k, 0])
        e = minus(entry(now.vertices, vi + pieces.edges[k, 1]), p)
        for m in range(pieces.edge_start[j], pieces.edge_start[j + 1]):
            # normals of the other edge's faces turned round: do the two arcs cross?
            c = flipped(entry(now.normals, fj + pieces.edges[m, 2]))
            d = flipped(entry(now.normals, fj + pieces.edges[m, 3]))
            cba, dba = dot(c, ba), dot(d, ba)
            if cba * dba >= 0.0:
                continue
            dc = cross(d, c)
            adc, bdc = dot(a, dc), dot(b, dc)
            if adc * bdc >= 0.0 or cba * bdc <= 0.0:
                continue
            q = entry(now.vertices, vj + pieces.edges[m, 0])
            g = minus(entry(now.vertices, vj + pieces.edges[m, 1]), q)
            w, length = unit(cross(e, g))
            if length * length <= PARALLEL * PARALLEL * dot(e, e) * dot(g, g):
                continue
            # out of i means towards j: the arc's normals a and b look out of i
            if dot(w, a) + dot(w, b) > 0.0:
                w = flipped(w)
            if dot(w, minus(p, q)) <= best:
                continue
            # rounding may make arcs cross that only touch: all corners are asked
            gap, _ = apart(pieces, now, i, j, w)
            if gap > best:
                best, n = gap, w
    return best, n


@kernel(counted=False)
def nearest_on_lines(p: Vector, e: Vector, q: Vector, g: Vector) -> tuple[float, float]:
    """Return the shares at which the segments p + s e and q + t g (0 to 1) are nearest."""
    ee, gg, eg = dot(e, e), dot(g, g), dot(e, g)
    w = minus(p, q)
    ew, gw = dot(e, w), dot(g, w)
    if ee == 0.0:
        return 0.0, 0.0 if gg == 0.0 else min(1.0, max(0.0, gw / gg))
    if gg == 0.0:
        return min(1.0, max(0.0, -ew / ee)), 0.0
    det = ee * gg - eg * eg
    s = 0.0
    if det > 1e-24 * ee * gg:
        s = min(1.0, max(0.0, (eg * gw - gg * ew) / det))
    t = (eg * s + gw) / gg
    if t < 0.0:
        return min(1.0, max(0.0, -ew / ee)), 0.0
    if t > 1.0:
        return min(1.0, max(0.0, (eg - ew) / ee)), 1.0
    return s, t


@kernel(counted=False)
def by_lines(
    pieces: Pieces, now: Standing, i: int, j: int, best: float, n: Vector
) -> tuple[float, Vector]:
    """Return the better of ``best`` and the separation along the shortest way between edges.

    Its ends may be corners. A piece that is a point has one edge without length.
    """
    vi, vj = pieces.vertex_start[i], pieces.vertex_start[j]
    least, way = math.inf, n
    for k in range(pieces.edge_start[i], pieces.edge_start[i + 1]):
        p = entry(now.vertices, vi + pieces.edges[k, 0])
        e = minus(entry(now.vertices, vi + pieces.edges[k, 1]), p)
        for m in range(pieces.edge_start[j], pieces.edge_start[j + 1]):
            q = entry(now.vertices, vj + pieces.edges[m, 0])
            g = minus(entry(now.vertices, vj + pieces.edges[m, 1]), q)
            s, t = nearest_on_lines(p, e, q, g)
            w = minus(ahead(p, s, e), ahead(q, t, g))
            square = dot(w, w)
            if square < least:
                least, way = square, w
    w, length = unit(way)
    if length > 0.0:
        gap, _ = apart(pieces, now, i, j, w)
        if gap > best:
            best, n = gap, w
    return best, n


@kernel(counted=False)
def of_round(
    pieces: Pieces, now: Standing, i: int, j: int, best: float, n: Vector, enough: float
) -> tuple[float, Vector]:
    """Return the better of ``best`` and the separations of a polytope i from a round piece j."""
    vi, fi = pieces.vertex_start[i], pieces.face_start[i]
    c, a = entry(now.vertices, pieces.vertex_start[j]), entry(now.axis, j)
    back, front, half = pieces.size[j, 0], pieces.size[j, 1], pieces.size[j, 2]
    slope = (back - front) / (2.0 * half)
    for k in range(vi, pieces.vertex_start[i + 1]):
        v = entry(now.vertices, k)
        z = dot(a, minus(v, c))
        out, rho = unit(ahead(minus(v, c), -z, a))
        if rho == 0.0:
            continue
        for way in range(3):
            if way == 0:
                w, _ = unit(ahead(out, slope, a))
            elif way == 1:
                w, _ = unit(minus(v, ahead(ahead(c, half, a), front, out)))
            else:
                w, _ = unit(minus(v, ahead(ahead(c, -half, a), back, out)))
            gap, _ = apart(pieces, now, i, j, w)
            if gap > best:
                best, n = gap, w
    for k in range(pieces.edge_start[i], pieces.edge_start[i + 1]):
        if best > enough:
            break
        if pieces.edges[k, 0] == pieces.edges[k, 1]:
            continue
        p = entry(now.vertices, vi + pieces.edges[k, 0])
        e, _ = unit(minus(entry(now.vertices, vi + pieces.edges[k, 1]), p))
        if pieces.edges[k, 2] < 0:
            x, _ = unit(cross(e, (0.0, 0.0, 1.0) if abs(e[2]) < 0.7 else (1.0, 0.0, 0.0)))
            arc = 2.0 * math.pi
        else:
            # normals of the edge's arc look out of i, directions of separation into i
            x = flipped(entry(now.normals, fi + pieces.edges[k, 2]))
            d = flipped(entry(now.normals, fi + pieces.edges[k, 3]))
            turn = dot(cross(x, d), e)
            if turn < 0.0:
                e = flipped(e)
            arc = math.atan2(abs(turn), dot(x, d))
        y = cross(e, x)
        gap, w = about_edge(pieces, now, i, j, x, y, arc, best)
        if gap > best:
            best, n = gap, w
    return best, n


@kernel(counted=False)
def about_edge(
    pieces: Pieces, now: Standing, i: int, j: int, x: Vector, y: Vector, arc: float, floor: float
) -> tuple[float, Vector]:
    """Return the largest separation along cos(f) x + sin(f) y, f from 0 to ``arc``.

    The derivative by f is n' . (point of i - point of j); it falls through 0 at the maximum, by a
    jump where a wall or two rims decide. The answer is -inf where nothing above ``floor`` is found.
    """
    if floor > 0.0 and arc < 6.0:
        # pieces apart have one maximum: without a rise into the arc at both ends it is a face's
        rise = slope_about(pieces, now, i, j, x, y, 0.0)
        if rise <= 0.0 or slope_about(pieces, now, i, j, x, y, arc) >= 0.0:
            return -math.inf, x
    step, best, at, reach = arc / SAMPLES, -math.inf, 0.0, 0.0
    for k in range(SAMPLES + 1):
        gap, d = apart(pieces, now, i, j, turned(x, y, k * step))
        reach = max(reach, dot(d, d))
        if gap > best:
            best, at = gap, k * step
    # half a step away it can be half a step times its steepest slope higher; twice that is safe
    if best + step * math.sqrt(reach) <= floor:
        return -math.inf, x
    low, high = at - step, at + step
    if arc < 6.0:
        low, high = max(0.0, low), min(arc, high)
    rise = slope_about(pieces, now, i, j, x, y, low)
    fall = slope_about(pieces, now, i, j, x, y, high)
    smooth, width = True, high - low
    for step_number in range(1, STEPS):
        f = between(low, high, rise, fall, smooth)
        if not low < f < high:
            break
        if step_number % ROUND_OF_STEPS == 0:
            smooth, width = high - low < 0.02 * width, high - low
        slope = slope_about(pieces, now, i, j, x, y, f)
        if slope > 0.0:
            low, rise = f, slope
        else:
            high, fall = f, slope
    n = turned(x, y, 0.5 * (low + high))
    gap, _ = apart(pieces, now, i, j, n)
    return gap, n


@kernel(counted=False)
def turned(x: Vector, y: Vector, f: float) -> Vector:
    """Return cos(f) x + sin(f) y."""
    c, s = math.cos(f), math.sin(f)
    return c * x[0] + s * y[0], c * x[1] + s * y[1], c * x[2] + s * y[2]


@kernel(counted=False)
def slope_about(
    pieces: Pieces, now: Standing, i: int, j: int, x: Vector, y: Vector, f: float
) -> float:
    """Return the derivative by f of the separation along cos(f) x + sin(f) y."""
    _, d = apart(pieces, now, i, j, turned(x, y, f))
    return math.cos(f) * dot(d, y) - math.sin(f) * dot(d, x)


@kernel(counted=False)
def between(low: float, high: float, rise: float, fall: float, smooth: bool) -> float:
    """Return where to look next for the zero of a slope that falls from ``rise`` to ``fall``.

    By false position where that gets on, by halving where the slope falls by a jump.
    """
    middle = 0.5 * (low + high)
    if not smooth or not rise - fall > 0.0:
        return middle
    f = low + (high - low) * rise / (rise - fall)
    # a little beyond, so that the bracket closes from both sides
    slack = 0.01 * (high - low)
    f = f - slack if f > middle else f + slack
    return f if low < f < high else middle


@kernel(counted=False)
def of_rounds(
    pieces: Pieces, now: Standing, i: int, j: int, best: float, n: Vector, enough: float
) -> tuple[float, Vector]:
    """Return the better of ``best`` and the separations of two round pieces.

    About a first direction n0 the separation along n0 + x t1 + y t2 is followed by nested
    bisection of its derivatives; its sections have one maximum where the pieces are apart.
    """
    a, b = entry(now.axis, i), entry(now.axis, j)
    ci, cj = (
        entry(now.vertices, pieces.vertex_start[i]),
        entry(now.vertices, pieces.vertex_start[j]),
    )
    hi, hj = pieces.size[i, 2], pieces.size[j, 2]
    p, q = ahead(ci, -hi, a), ahead(cj, -hj, b)
    e = (2 * hi * a[0], 2 * hi * a[1], 2 * hi * a[2])
    g = (2 * hj * b[0], 2 * hj * b[1], 2 * hj * b[2])
    s, t = nearest_on_lines(p, e, q, g)
    for way in range(3):
        if way == 0:
            w, length = unit(minus(ahead(p, s, e), ahead(q, t, g)))
        elif way == 1:
            w, length = unit(minus(ci, cj))
        else:
            w, length = unit(cross(a, b))
            if dot(w, minus(ci, cj)) < 0.0:
                w = flipped(w)
        if length > 0.0:
            gap, _ = apart(pieces, now, i, j, w)
            if gap > best:
                best, n = gap, w
    if best > enough:
        return best, n
    for _ in range(2):  # the second time about the first answer: no slant is left
        t1, _ = unit(cross(n, (0.0, 0.0, 1.0) if abs(n[2]) < 0.7 else (1.0, 0.0, 0.0)))
        t2 = cross(n, t1)
        low, high, rise, fall = -1.5, 1.5, 1.0, -1.0
        n0 = n
        smooth, width = True, high - low
        for step in range(1, STEPS):
            x = between(low, high, rise, fall, smooth)
            if not low < x < high or high - low < NARROW:
                break
            if step % ROUND_OF_STEPS == 0:
                smooth, width = high - low < 0.02 * width, high - low
            m, rate = along_line(pieces, now, i, j, ahead(n0, x, t1), t1, t2)
            gap, _ = apart(pieces, now, i, j, m)
            if gap > best:
                best, n = gap, m
            if rate > 0.0:
                low, rise = x, rate
            else:
                high, fall = x, rate
    return best, n


@kernel(counted=False)
def along_line(
    pieces: Pieces, now: Standing, i: int, j: int, v0: Vector, t1: Vector, t2: Vector
) -> tuple[Vector, float]:
    """Return the best direction v0 + y t2, of unit length, and the rate of its value along t1."""
    low, high = -1.5, 1.5
    rate_low, rate_high = 1.0, -1.0
    side_low, side_high = 0.0, 0.0
    m = v0
    smooth, width = True, high - low
    for step in range(1, STEPS):
        y = between(low, high, rate_low, rate_high, smooth)
        if not low < y < high or high - low < NARROW:
            break
        if step % ROUND_OF_STEPS == 0:
            smooth, width = high - low < 0.02 * width, high - low
        m, _ = unit(ahead(v0, y, t2))
        gap, d = apart(pieces, now, i, j, m)
        # gradient of separation over the length of the vector, on the sphere
        d = ahead(d, -gap, m)
        rate = dot(d, t2)
        if rate > 0.0:
            low, rate_low, side_low = y, rate, dot(d, t1)
        else:
            high, rate_high, side_high = y, rate, dot(d, t1)
    share = rate_low / (rate_low - rate_high)
    return m, side_low + share * (side_high - side_low)
