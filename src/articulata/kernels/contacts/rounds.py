"""Separations of round pieces (cylinders, cones, frusta) along all directions that can be largest.

The difference of two convex pieces is a convex body, and minus the separation along n is how far
it reaches along n. Where it is nearest to the origin from inside, its surface is no sharper than a
sphere, so that only pairs of features count that span a surface between them: a face with
anything, a wall with a wall, an edge, a rim or a corner, a rim with a rim or an edge. From outside
a corner may be nearest to a corner or a rim as well. All of them have closed forms or one unknown
angle (``rims``); each direction is judged by the whole pieces, so that one too many does no harm.
World axes, metres.
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import Pieces, Standing, better, entry, farthest
from articulata.kernels.contacts.rims import START, at_angle, frame_about, next_low
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

SAME_LINE = 1e-20
"""Square of the sine of an angle under which two directions have none across both."""

NEAR = 1e-3
"""Share of a rim's radius under which the way to its point does not tell a direction alone."""


@kernel(counted=False)
def leaning(a: Vector, sa: float, b: Vector, sb: float) -> tuple[bool, Vector, Vector]:
    """Return the two unit vectors n with n . a = sa and n . b = sb for unit vectors a and b."""
    w = cross(a, b)
    square, c = dot(w, w), dot(a, b)
    if square <= SAME_LINE:
        return False, a, a
    x, y = (sa - c * sb) / square, (sb - c * sa) / square
    base = (x * a[0] + y * b[0], x * a[1] + y * b[1], x * a[2] + y * b[2])
    rest = 1.0 - dot(base, base)
    if rest < -1e-12:
        return False, a, a
    h = math.sqrt(max(0.0, rest) / square)
    one, two = ahead(base, h, w), ahead(base, -h, w)
    # rounding of directions that are nearly one is taken out
    da, db = sa - dot(one, a), sb - dot(one, b)
    one, _ = unit(ahead(ahead(one, (da - c * db) / square, a), (db - c * da) / square, b))
    da, db = sa - dot(two, a), sb - dot(two, b)
    two, _ = unit(ahead(ahead(two, (da - c * db) / square, a), (db - c * da) / square, b))
    return True, one, two


@kernel(counted=False)
def rim_of(pieces: Pieces, now: Standing, j: int, end: int) -> tuple[Vector, float]:
    """Return the centre and the radius of a round piece's rim: 0 back, 1 front."""
    half = pieces.size[j, 2] if end == 1 else -pieces.size[j, 2]
    c = entry(now.vertices, pieces.vertex_start[j])
    return ahead(c, half, entry(now.axis, j)), pieces.size[j, end]


@kernel(counted=False)
def slope_of(pieces: Pieces, j: int) -> float:
    """Return how much of a wall's radius is lost per length of its axis."""
    return (pieces.size[j, 0] - pieces.size[j, 1]) / (2.0 * pieces.size[j, 2])


@kernel(counted=False)
def of_round(
    pieces: Pieces, now: Standing, i: int, j: int, best: float, n: Vector, enough: float
) -> tuple[float, Vector]:
    """Return the better of ``best`` and the separations of a polytope i from a round piece j.

    All but those along the normals of faces and caps.
    """
    vi = pieces.vertex_start[i]
    c, b = entry(now.vertices, pieces.vertex_start[j]), entry(now.axis, j)
    slope = slope_of(pieces, j)
    for k in range(vi, pieces.vertex_start[i + 1]):
        v = entry(now.vertices, k)
        out = across_from(minus(v, c), b)
        for way in range(3):
            if way == 2:
                w, _ = unit(ahead(out, slope, b))
            else:
                p, R = rim_of(pieces, now, j, way)
                w, _ = unit(minus(v, ahead(p, R, out)))
            best, n = along_corner(pieces, now, i, j, v, w, best, n)
    # the sphere about the middle that the round piece holds
    within = 0.5 * (pieces.size[j, 0] + pieces.size[j, 1]) / math.sqrt(1.0 + slope * slope)
    within = min(within, pieces.size[j, 2]) + pieces.radius[i]
    for k in range(pieces.edge_start[i], pieces.edge_start[i + 1]):
        if best > enough:
            break
        v = entry(now.vertices, vi + pieces.edges[k, 0])
        e, length = unit(minus(entry(now.vertices, vi + pieces.edges[k, 1]), v))
        if length > 0.0 and reach_about(pieces, now, i, k, minus(v, c), e) - within > best:
            best, n = of_edge(pieces, now, i, j, v, e, best, n)
    return best, n


@kernel(counted=False)
def along_corner(
    pieces: Pieces, now: Standing, i: int, j: int, v: Vector, w: Vector, best: float, n: Vector
) -> tuple[float, Vector]:
    """Return the better of ``best`` and the separation along w, if it is more for v alone."""
    if not dot(w, w) > 0.5:
        return best, n
    high, _ = farthest(pieces, now, j, w)
    if dot(v, w) - pieces.radius[i] - high > best:
        return better(pieces, now, i, j, w, best, n)
    return best, n


@kernel(counted=False)
def reach_about(pieces: Pieces, now: Standing, i: int, k: int, w: Vector, e: Vector) -> float:
    """Return the most that w reaches along the normals of edge k (direction e) into piece i."""
    w = ahead(w, -dot(w, e), e)
    if pieces.edges[k, 2] < 0:
        return math.sqrt(dot(w, w))
    fi = pieces.face_start[i]
    x = flipped(entry(now.normals, fi + pieces.edges[k, 2]))
    d = flipped(entry(now.normals, fi + pieces.edges[k, 3]))
    turn = cross(x, d)
    if dot(turn, cross(x, w)) >= 0.0 and dot(turn, cross(w, d)) >= 0.0:
        return math.sqrt(dot(w, w))
    return max(dot(w, x), dot(w, d))


@kernel(counted=False)
def of_edge(
    pieces: Pieces, now: Standing, i: int, j: int, v: Vector, e: Vector, best: float, n: Vector
) -> tuple[float, Vector]:
    """Return the better of ``best`` and the separations of the line v + s e from a round j."""
    slope, b = slope_of(pieces, j), entry(now.axis, j)
    found, one, two = leaning(b, slope / math.sqrt(1.0 + slope * slope), e, 0.0)
    if found:
        for w in (one, two):
            best, n = along_corner(pieces, now, i, j, v, w, best, n)
    for end in range(2):
        p, R = rim_of(pieces, now, j, end)
        frame, (_, k, wx, wy, _, _, _, _) = frame_about(p, b, R, v, e)
        curve = (R, k, wx, wy, 0.0, 0.0, 0.0, 1.0)
        at = START
        while True:
            low, psi, at = next_low(curve, at)
            if not low:
                break
            _, t, m, rho = at_angle(frame, curve, psi)
            if rho < NEAR * R:
                w, length = unit(cross(e, t))
                if length > 0.0:
                    m = w
            m = across_from(m, e)
            for w in (m, flipped(m)):
                best, n = along_corner(pieces, now, i, j, v, w, best, n)
    return best, n


@kernel(counted=False)
def of_rounds(
    pieces: Pieces, now: Standing, i: int, j: int, best: float, n: Vector, enough: float
) -> tuple[float, Vector]:
    """Return the better of ``best`` and the separations of two round pieces, but along caps."""
    a, b = entry(now.axis, i), entry(now.axis, j)
    ci = entry(now.vertices, pieces.vertex_start[i])
    cj = entry(now.vertices, pieces.vertex_start[j])
    si, sj = slope_of(pieces, i), slope_of(pieces, j)
    found, one, two = leaning(a, -si / math.sqrt(1.0 + si * si), b, sj / math.sqrt(1.0 + sj * sj))
    if not found:
        one = two = (0.0, 0.0, 0.0)
    # walls whose axes are nearly parallel
    d = minus(ci, cj)
    three, _ = unit(ahead(across_from(d, b), sj, b))
    four, _ = unit(ahead(across_from(d, a), -si, a))
    for w in (one, two, three, four):
        best, n = better(pieces, now, i, j, w, best, n)
    for end in range(2):
        if best > enough:
            break
        for other in range(2):
            best, n = rim_on_wall(pieces, now, i, end, j, other == 1, best, n)
            best, n = rim_on_rim(pieces, now, i, end, j, other, best, n)
    return best, n


@kernel(counted=False)
def rim_on_wall(
    pieces: Pieces, now: Standing, i: int, end: int, j: int, turned: bool, best: float, n: Vector
) -> tuple[float, Vector]:
    """Return the better of ``best`` and the separations of a rim of i from the wall of j.

    With ``turned`` those of a rim of j from the wall of i, as seen from j as well.
    """
    if turned:
        i, j = j, i
        n = flipped(n)
    b, o = entry(now.axis, j), entry(now.vertices, pieces.vertex_start[j])
    slope = slope_of(pieces, j)
    lean = slope / math.sqrt(1.0 + slope * slope)
    p, R = rim_of(pieces, now, i, end)
    frame, (_, k, wx, wy, _, _, _, _) = frame_about(p, entry(now.axis, i), R, o, b)
    rise = slope * R * dot(frame[2], b)
    # the wall's near side, and the far one where the rim reaches beyond the axis
    for side in (1.0, -1.0):
        if slope == 0.0 and side < 0.0:
            break  # both at once
        curve = (R, k, wx, wy, 0.0, side * rise, 1.0, 0.0)
        at = START
        while True:
            low, psi, at = next_low(curve, at)
            if not low:
                break
            _, t, m, rho = at_angle(frame, curve, psi)
            out, _ = unit(ahead(m, slope, b))
            back, _ = unit(ahead(flipped(m), slope, b))
            one = two = (0.0, 0.0, 0.0)
            if rho < NEAR * R:
                found, x, y = leaning(b, lean, t, 0.0)
                if found:
                    one, two = x, y
            for w in (out, back, one, two):
                best, n = better(pieces, now, i, j, w, best, n)
    if turned:
        n = flipped(n)
    return best, n


@kernel(counted=False)
def rim_on_rim(
    pieces: Pieces, now: Standing, i: int, end: int, j: int, other: int, best: float, n: Vector
) -> tuple[float, Vector]:
    """Return the better of ``best`` and the separations of a rim of i from a rim of j."""
    p, R = rim_of(pieces, now, i, end)
    q, S = rim_of(pieces, now, j, other)
    a, b = entry(now.axis, i), entry(now.axis, j)
    frame, (_, k, wx, wy, _, _, _, _) = frame_about(p, a, R, q, b)
    d = minus(p, q)
    curve = (R, k, wx, wy, R * dot(d, frame[1]), R * dot(d, frame[2]), -S, 0.0)
    at = START
    while True:
        low, psi, at = next_low(curve, at)
        if not low:
            break
        at_p, t, m, _ = at_angle(frame, curve, psi)
        w, length = unit(minus(at_p, ahead(q, S, m)))
        if length < NEAR * min(R, S):
            x, sharp = unit(cross(t, cross(b, m)))
            if sharp > NEAR:
                w = x
        for m in (w, flipped(w)):
            best, n = better(pieces, now, i, j, m, best, n)
    return best, n
