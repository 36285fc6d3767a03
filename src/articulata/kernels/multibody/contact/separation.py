"""Distances between convex parts of bodies, in closed form.

A part is a half-space, a corner set with straight edges and plane faces, a point or segment with
a radius about it, or a rim pair (cylinder, cone) before a half-space. ``part_separation`` is never
above the distance of disjoint parts, positive while they are disjoint, and zero where they touch,
so that it may be followed conservatively: divided by a bound on the speed of approach it is a time
within which nothing can be missed. World axes, metres, seconds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from articulata.kernels.compile import kernel
from articulata.kernels.multibody.rows import cross, place, rotations, turned
from articulata.kernels.multibody.system import Array, IntArray

BALL, POLYHEDRON, HALF_SPACE, ROUND = 0, 1, 2, 3
"""Kinds of part: point or segment with a radius; corners, edges, faces; half-space; two rims."""

KIND, BODY, V0, V1, F0, F1, E0, E1, D0, D1 = range(10)
"""Columns of ``Parts.table``: kind, body, first and last corner, face, edge, edge direction."""


class Parts(NamedTuple):
    """The convex parts of a mechanism's bodies, in the axes of the bodies from their centres."""

    table: IntArray
    """(parts, 10)."""
    corner: Array
    """(corners, 3): corners; the point, or ends, of a ball; centre, axis and (radius, 0, 0) of each
    rim; origin and normal of a half-space."""
    loop: IntArray
    """Corners of all faces, face by face."""
    face: IntArray
    """(faces + 1,): the corners of face f are loop[face[f] : face[f + 1]]."""
    edge: IntArray
    """(edges, 2): corners."""
    direction: Array
    """(directions, 3): edge directions, each once."""
    radius: Array
    """(parts,): margin about a ball's core."""
    reach: Array
    """(parts,): greatest distance of a part's corners from its body's mass centre."""


@kernel(counted=False)
def corner(parts: Parts, c: int, body: int, state: Array, R: Array) -> tuple[float, float, float]:
    """Return a corner in W."""
    x, y, z = turned(R, body, parts.corner[c, 0], parts.corner[c, 1], parts.corner[c, 2])
    px, py, pz = place(state, body)
    return px + x, py + y, pz + z


@kernel(counted=False)
def point_segment(
    p: tuple[float, float, float], a: tuple[float, float, float], b: tuple[float, float, float]
) -> float:
    """Return the distance of a point from a segment."""
    d = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    r = (p[0] - a[0], p[1] - a[1], p[2] - a[2])
    dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    f = 0.0
    if dd > 0.0:
        f = min(1.0, max(0.0, (r[0] * d[0] + r[1] * d[1] + r[2] * d[2]) / dd))
    x, y, z = r[0] - f * d[0], r[1] - f * d[1], r[2] - f * d[2]
    return math.sqrt(x * x + y * y + z * z)


@kernel(counted=False)
def segment_segment(
    a: tuple[float, float, float],
    b: tuple[float, float, float],
    c: tuple[float, float, float],
    d: tuple[float, float, float],
) -> float:
    """Return the distance between two segments."""
    best = min(
        min(point_segment(a, c, d), point_segment(b, c, d)),
        min(point_segment(c, a, b), point_segment(d, a, b)),
    )
    u = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    v = (d[0] - c[0], d[1] - c[1], d[2] - c[2])
    w = (a[0] - c[0], a[1] - c[1], a[2] - c[2])
    uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
    vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    uv = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    uw = u[0] * w[0] + u[1] * w[1] + u[2] * w[2]
    vw = v[0] * w[0] + v[1] * w[1] + v[2] * w[2]
    det = uu * vv - uv * uv
    if det > 1e-14 * uu * vv:
        f, g = (uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det
        if 0.0 < f < 1.0 and 0.0 < g < 1.0:
            x = w[0] + f * u[0] - g * v[0]
            y = w[1] + f * u[1] - g * v[1]
            z = w[2] + f * u[2] - g * v[2]
            best = min(best, math.sqrt(x * x + y * y + z * z))
    return best


@kernel(counted=False)
def face_plane(
    parts: Parts, f: int, body: int, state: Array, R: Array
) -> tuple[tuple[float, float, float], float]:
    """Return a face's outward unit normal and offset in W."""
    first, last = parts.face[f], parts.face[f + 1]
    x = y = z = 0.0
    o = parts.loop[first]
    for k in range(first + 1, last - 1):
        a, b = parts.loop[k], parts.loop[k + 1]
        c = cross(
            parts.corner[a, 0] - parts.corner[o, 0],
            parts.corner[a, 1] - parts.corner[o, 1],
            parts.corner[a, 2] - parts.corner[o, 2],
            parts.corner[b, 0] - parts.corner[o, 0],
            parts.corner[b, 1] - parts.corner[o, 1],
            parts.corner[b, 2] - parts.corner[o, 2],
        )
        x, y, z = x + c[0], y + c[1], z + c[2]
    s = 1.0 / math.sqrt(x * x + y * y + z * z)
    n = turned(R, body, x * s, y * s, z * s)
    p = corner(parts, o, body, state, R)
    return n, n[0] * p[0] + n[1] * p[1] + n[2] * p[2]


@kernel(counted=False)
def point_polyhedron(
    parts: Parts, k: int, p: tuple[float, float, float], state: Array, R: Array
) -> float:
    """Return the distance of a point from a polyhedron; inside, the negative depth."""
    body = parts.table[k, BODY]
    best, deepest = math.inf, -math.inf
    for f in range(parts.table[k, F0], parts.table[k, F1]):
        n, offset = face_plane(parts, f, body, state, R)
        height = n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - offset
        deepest = max(deepest, height)
        if height < 0.0:
            continue
        inside = True
        first, last = parts.face[f], parts.face[f + 1]
        for e in range(first, last):
            a = corner(parts, parts.loop[e], body, state, R)
            b = corner(
                parts, parts.loop[e + 1] if e + 1 < last else parts.loop[first], body, state, R
            )
            m = cross(n[0], n[1], n[2], b[0] - a[0], b[1] - a[1], b[2] - a[2])
            if m[0] * (p[0] - a[0]) + m[1] * (p[1] - a[1]) + m[2] * (p[2] - a[2]) < 0.0:
                inside = False
                break
        if inside:
            best = min(best, height)
    if deepest < 0.0:
        return deepest
    for e in range(parts.table[k, E0], parts.table[k, E1]):
        a = corner(parts, parts.edge[e, 0], body, state, R)
        b = corner(parts, parts.edge[e, 1], body, state, R)
        best = min(best, point_segment(p, a, b))
    return best


@kernel(counted=False)
def extent(
    parts: Parts, k: int, n: tuple[float, float, float], state: Array, R: Array
) -> tuple[float, float]:
    """Return the least and greatest n . p over a part's corners."""
    body = parts.table[k, BODY]
    low, high = math.inf, -math.inf
    for c in range(parts.table[k, V0], parts.table[k, V1]):
        p = corner(parts, c, body, state, R)
        x = n[0] * p[0] + n[1] * p[1] + n[2] * p[2]
        low, high = min(low, x), max(high, x)
    return low, high


@kernel(counted=False)
def best_axis(
    parts: Parts, i: int, j: int, state: Array, R: Array
) -> tuple[float, tuple[float, float, float]]:
    """Return the greatest separation of two polyhedra along a normal, and it (from j to i).

    Candidates are all face normals and all products of edge directions (separating axes).
    """
    best, axis = -math.inf, (0.0, 0.0, 1.0)
    for side in range(2):
        k, other = (i, j) if side == 0 else (j, i)
        for f in range(parts.table[k, F0], parts.table[k, F1]):
            n, offset = face_plane(parts, f, parts.table[k, BODY], state, R)
            low, _ = extent(parts, other, n, state, R)
            if low - offset > best + 1e-12:
                best = low - offset
                axis = (-n[0], -n[1], -n[2]) if side == 0 else n
    for e in range(parts.table[i, D0], parts.table[i, D1]):
        a = turned(
            R,
            parts.table[i, BODY],
            parts.direction[e, 0],
            parts.direction[e, 1],
            parts.direction[e, 2],
        )
        for g in range(parts.table[j, D0], parts.table[j, D1]):
            b = turned(
                R,
                parts.table[j, BODY],
                parts.direction[g, 0],
                parts.direction[g, 1],
                parts.direction[g, 2],
            )
            x, y, z = cross(a[0], a[1], a[2], b[0], b[1], b[2])
            size = math.sqrt(x * x + y * y + z * z)
            if size < 1e-7:
                continue
            n = (x / size, y / size, z / size)
            low_i, high_i = extent(parts, i, n, state, R)
            low_j, high_j = extent(parts, j, n, state, R)
            # faces are preferred where an edge's normal says the same but for rounding
            if low_i - high_j > best + 1e-10:
                best, axis = low_i - high_j, n
            if low_j - high_i > best + 1e-10:
                best, axis = low_j - high_i, (-n[0], -n[1], -n[2])
    return best, axis


@kernel(counted=False)
def above_plane(
    parts: Parts,
    k: int,
    n: tuple[float, float, float],
    offset: float,
    state: Array,
    R: Array,
) -> float:
    """Return the least height of a part over a plane."""
    if parts.table[k, KIND] == ROUND:
        body, low = parts.table[k, BODY], math.inf
        for c in range(parts.table[k, V0], parts.table[k, V1], 3):
            p = corner(parts, c, body, state, R)
            e = turned(
                R,
                body,
                parts.corner[c + 1, 0],
                parts.corner[c + 1, 1],
                parts.corner[c + 1, 2],
            )
            u = n[0] * e[0] + n[1] * e[1] + n[2] * e[2]
            drop = parts.corner[c + 2, 0] * math.sqrt(max(0.0, 1.0 - u * u))
            low = min(low, n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - drop)
        return low - offset
    low, _ = extent(parts, k, n, state, R)
    return low - offset - parts.radius[k]


@kernel(counted=False)
def part_separation(parts: Parts, i: int, j: int, state: Array, R: Array) -> float:
    """Return the separation of parts i and j at ``state``; ``R`` holds the rotations there."""
    if parts.table[i, KIND] == HALF_SPACE or (
        parts.table[i, KIND] == POLYHEDRON and parts.table[j, KIND] == BALL
    ):
        i, j = j, i
    a, b = parts.table[i, BODY], parts.table[j, BODY]
    if parts.table[j, KIND] == HALF_SPACE:
        first = parts.table[j, V0]
        p = corner(parts, first, b, state, R)
        n = turned(
            R,
            b,
            parts.corner[first + 1, 0],
            parts.corner[first + 1, 1],
            parts.corner[first + 1, 2],
        )
        return above_plane(parts, i, n, n[0] * p[0] + n[1] * p[1] + n[2] * p[2], state, R)
    if parts.table[i, KIND] == POLYHEDRON:
        best, _ = best_axis(parts, i, j, state, R)
        return best
    p = corner(parts, parts.table[i, V0], a, state, R)
    q = corner(parts, parts.table[i, V1] - 1, a, state, R)
    single = parts.table[i, V1] - parts.table[i, V0] == 1
    if parts.table[j, KIND] == BALL:
        r = corner(parts, parts.table[j, V0], b, state, R)
        s = corner(parts, parts.table[j, V1] - 1, b, state, R)
        return segment_segment(p, q, r, s) - parts.radius[i] - parts.radius[j]
    best = point_polyhedron(parts, j, p, state, R)
    if not single:
        best = min(best, point_polyhedron(parts, j, q, state, R))
        for e in range(parts.table[j, E0], parts.table[j, E1]):
            r = corner(parts, parts.edge[e, 0], b, state, R)
            s = corner(parts, parts.edge[e, 1], b, state, R)
            best = min(best, segment_segment(p, q, r, s))
    return best - parts.radius[i]


@kernel(counted=False)
def pair_separations(parts: Parts, pairs: IntArray, state: Array, R: Array, out: Array) -> None:
    """Fill ``out`` (pairs,) with the separations of the pairs of parts at ``state``."""
    rotations(state, R)
    for k in range(pairs.shape[0]):
        out[k] = part_separation(parts, pairs[k, 0], pairs[k, 1], state, R)
