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
    apart,
    better,
    entry,
    farthest,
)
from articulata.kernels.contacts.rounds import of_round, of_rounds
from articulata.kernels.space_vectors import (
    Vector,
    across_from,
    ahead,
    cross,
    dot,
    flipped,
    minus,
    unit,
)

PARALLEL = 1e-10
"""Sine of the angle under which two edges have no normal of their own: faces decide then."""

SHORT = 1e-3
"""Way between two lines, as a share of their radii, below which its direction may be rounding."""


@kernel(counted=False, apart=True)
def separation(
    pieces: Pieces, now: Standing, i: int, j: int, enough: float
) -> tuple[float, Vector]:
    """Return the separation of pieces i and j and its direction, the unit normal from j to i.

    A separation larger than ``enough`` need not be the largest. Of directions that are equally
    good the same one is taken in whatever order the two are given.
    """
    if pieces.kind[i] > HALF_SPACE:
        return in_hollow(pieces, now, i, j)
    if pieces.kind[j] == HALF_SPACE:
        return above(pieces, now, i, j)
    if pieces.kind[i] == HALF_SPACE:
        gap, n = above(pieces, now, j, i)
        return gap, flipped(n)
    swapped = follows(pieces, now, i, j)
    if swapped:
        i, j = j, i
    best, n = of_convex(pieces, now, i, j, enough)
    if swapped:
        n = flipped(n)
    return best, n


@kernel(counted=False)
def follows(pieces: Pieces, now: Standing, i: int, j: int) -> bool:
    """Tell whether piece i comes after j in an order that where and what they are decides.

    Polytopes come before lines and points, these before round pieces.
    """
    if pieces.kind[i] != pieces.kind[j]:
        return pieces.kind[i] > pieces.kind[j]
    one = pieces.face_start[i + 1] - pieces.face_start[i]
    two = pieces.face_start[j + 1] - pieces.face_start[j]
    if one != two:
        return one < two
    if pieces.ball[i, 3] != pieces.ball[j, 3]:
        return pieces.ball[i, 3] > pieces.ball[j, 3]
    vi, vj = pieces.vertex_start[i + 1] - 1, pieces.vertex_start[j + 1] - 1
    for k in range(3):
        if now.ball[i, k] != now.ball[j, k]:
            return now.ball[i, k] > now.ball[j, k]
    for k in range(3):
        if now.vertices[vi, k] != now.vertices[vj, k]:
            return now.vertices[vi, k] > now.vertices[vj, k]
        if now.axis[i, k] != now.axis[j, k]:
            return now.axis[i, k] > now.axis[j, k]
    return i > j


@kernel(counted=False)
def of_convex(pieces: Pieces, now: Standing, i: int, j: int, enough: float) -> tuple[float, Vector]:
    """Do what :func:`separation` does for bounded pieces in their order."""
    best, n = by_faces(pieces, now, i, j)
    if best > enough:
        return best, n
    other, m = by_faces(pieces, now, j, i)
    if other > best:
        best, n = other, flipped(m)
    if best > enough:
        return best, n
    if pieces.kind[i] == ROUND:
        return of_rounds(pieces, now, i, j, best, n, enough)
    if pieces.kind[j] == ROUND:
        return of_round(pieces, now, i, j, best, n, enough)
    if pieces.face_start[i] == pieces.face_start[i + 1]:
        return of_lines(pieces, now, i, j)
    # without their radii; a short way between them may not tell its direction
    r = pieces.radius[j]
    if r == 0.0 or best + r <= SHORT * r:
        best, n = by_edges(pieces, now, i, j, best, n)
    if best + r > 0.0 and best <= enough:
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
    """Return the better of ``best`` and the separations along common normals of two edges.

    Piece i has faces, j may be a line.
    """
    vi, vj = pieces.vertex_start[i], pieces.vertex_start[j]
    fi, fj = pieces.face_start[i], pieces.face_start[j]
    for k in range(pieces.edge_start[i], pieces.edge_start[i + 1]):
        a = entry(now.normals, fi + pieces.edges[k, 2])
        b = entry(now.normals, fi + pieces.edges[k, 3])
        ba = cross(b, a)
        p = entry(now.vertices, vi + pieces.edges[k, 0])
        e = minus(entry(now.vertices, vi + pieces.edges[k, 1]), p)
        for m in range(pieces.edge_start[j], pieces.edge_start[j + 1]):
            q = entry(now.vertices, vj + pieces.edges[m, 0])
            g = minus(entry(now.vertices, vj + pieces.edges[m, 1]), q)
            # do the arcs of normals cross? a line has all that are across it
            if pieces.edges[m, 2] < 0:
                if dot(a, g) * dot(b, g) >= 0.0:
                    continue
            else:
                # normals of the other edge's faces turned round
                c = flipped(entry(now.normals, fj + pieces.edges[m, 2]))
                d = flipped(entry(now.normals, fj + pieces.edges[m, 3]))
                cba, dba = dot(c, ba), dot(d, ba)
                if cba * dba >= 0.0:
                    continue
                dc = cross(d, c)
                adc, bdc = dot(a, dc), dot(b, dc)
                if adc * bdc >= 0.0 or cba * bdc <= 0.0:
                    continue
            w, length = unit(cross(e, g))
            if length * length <= PARALLEL * PARALLEL * dot(e, e) * dot(g, g):
                continue
            # out of i means towards j: the arc's normals a and b look out of i
            if dot(w, a) + dot(w, b) > 0.0:
                w = flipped(w)
            if dot(w, minus(p, q)) - pieces.radius[j] <= best:
                continue
            # rounding may make arcs cross that only touch: all corners are asked
            best, n = better(pieces, now, i, j, across_both(w, e, g), best, n)
    return best, n


@kernel(counted=False)
def across_both(w: Vector, e: Vector, g: Vector) -> Vector:
    """Return the unit vector w across two edges that are nearly parallel without its rounding."""
    w = ahead(w, -dot(w, e) / dot(e, e), e)
    return unit(ahead(w, -dot(w, g) / dot(g, g), g))[0]


@kernel(counted=False)
def of_lines(pieces: Pieces, now: Standing, i: int, j: int) -> tuple[float, Vector]:
    """Return the separation of two lines or points with radii about them, and its direction.

    Lines that meet part along the normal of both, or across the one that the other lies on.
    """
    p, q = entry(now.vertices, pieces.vertex_start[i]), entry(now.vertices, pieces.vertex_start[j])
    e = minus(entry(now.vertices, pieces.vertex_start[i + 1] - 1), p)
    g = minus(entry(now.vertices, pieces.vertex_start[j + 1] - 1), q)
    s, t = nearest_on_lines(p, e, q, g)
    way = minus(ahead(p, s, e), ahead(q, t, g))
    shortest, length = unit(way)
    r = pieces.radius[i] + pieces.radius[j]
    if length > SHORT * r:
        return length - r, shortest
    ee, gg = dot(e, e), dot(g, g)
    w, across = unit(cross(e, g))
    if across * across > PARALLEL * PARALLEL * ee * gg:
        w = across_both(w, e, g)
    else:
        w = across_from(way, e if ee >= gg else g)
    best, n = -math.inf, w
    for m in (w, flipped(w), shortest, across_from(way, e), across_from(way, g)):
        best, n = better(pieces, now, i, j, m, best, n)
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
    least, way, a, b = math.inf, n, n, n
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
                a = e if 0.0 < s < 1.0 else (0.0, 0.0, 0.0)
                b = g if 0.0 < t < 1.0 else (0.0, 0.0, 0.0)
    if least == 0.0 or least == math.inf:
        return best, n
    # a short way is rounded: between its corners an edge is across it
    w = across_from(across_from(way, a), b)
    return better(pieces, now, i, j, w, best, n)
