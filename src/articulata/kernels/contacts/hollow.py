"""How far points, circles and lines are from the material about a hollow round wall.

A hollow piece is the layer of a body behind a wall that was cut by a ball or a cylinder of radius
R: what lies from R to R + D of its centre or axis, below a plane at height h that cuts it open (the
lip of a bowl or of a half pipe), and between the ends of a bore. In the plane of symmetry the layer
is a sector of a ring, so that distance and nearest feature are in closed form. Nothing else of the
body is in it: beyond the layer there are convex pieces. World axes, metres.
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import (
    CORNER,
    EDGE,
    FACE,
    HOLLOW,
    RIM,
    Pieces,
    Standing,
    entry,
)
from articulata.kernels.space_vectors import Vector, ahead, cross, dot, minus, unit

LIP, FRONT, BACK, ELSEWHERE = 0, 1, 2, 3
"""Numbers of faces and corners of a hollow piece: its edge 0 is the wall, faces are the lip and the
two ends, corners the rims where these meet the wall, and any other end of the layer."""

SPHERE, OPEN, FRONT_OPEN, BACK_OPEN = 0, 1, 2, 3
"""Columns of a hollow piece's first edge: it is a ball's; there is a lip; the ends are faces."""

AROUND = 32
"""Points of a circle that are looked at where it does not lie in the hollow."""

SHORT = 1e-4
"""Share of the radius by which a circle that lies across an end of the hollow is at least said to
be off it: other pieces meet there, and this is how far it may turn before it is looked at again."""

NARROWER = 24
"""Times that the stretch about the nearest of these points is made two thirds as long."""

Place = tuple[float, Vector, int, int]
"""Distance to the layer (negative inside), unit vector out of it, kind and number of a feature."""


@kernel(counted=False)
def sector(
    x: float, y: float, R: float, D: float, h: float
) -> tuple[float, float, float, int, int]:
    """Return the distance of (x, y) from {R <= r <= R + D, y <= h}, its gradient, the feature."""
    far = math.sqrt(x * x + y * y)
    if far < R:
        if far == 0.0:
            return R, 0.0, 1.0, EDGE, 0
        if y * R <= h * far:
            return R - far, -x / far, -y / far, EDGE, 0
    elif y <= h:
        if far > R + D:
            return far - R - D, x / far, y / far, CORNER, ELSEWHERE
        if R - far >= y - h:
            return R - far, -x / far, -y / far, EDGE, 0
        return y - h, 0.0, 1.0, FACE, LIP
    elif far > R + D and y * (R + D) <= h * far:
        return far - R - D, x / far, y / far, CORNER, ELSEWHERE
    inner = math.sqrt(max(0.0, R * R - h * h))
    outer = math.sqrt(max(0.0, (R + D) * (R + D) - h * h))
    if inner <= x <= outer:
        return y - h, 0.0, 1.0, FACE, LIP
    rim, number = (inner, LIP) if x < outer else (outer, ELSEWHERE)
    away = math.sqrt((x - rim) * (x - rim) + (y - h) * (y - h))
    if away == 0.0:
        return 0.0, 0.0, 1.0, FACE, LIP
    return away, (x - rim) / away, (y - h) / away, CORNER, number


@kernel(counted=False)
def across_of(a: Vector) -> Vector:
    """Return a unit vector across the unit vector a."""
    x, _ = unit(cross(a, (0.0, 0.0, 1.0) if abs(a[2]) < 0.7 else (1.0, 0.0, 0.0)))
    return x


@kernel(counted=False)
def ends_of(pieces: Pieces, j: int) -> tuple[float, float]:
    """Return the heights of the back and the front end of a hollow cylinder over its centre."""
    start, a = pieces.vertex_start[j], entry(pieces.axis, j)
    c = entry(pieces.vertices, start)
    return (
        dot(a, minus(entry(pieces.vertices, start + 3), c)),
        dot(a, minus(entry(pieces.vertices, start + 2), c)),
    )


@kernel(counted=False)
def from_layer(pieces: Pieces, now: Standing, j: int, p: Vector) -> Place:
    """Return how far the point p is from the material of hollow piece j."""
    flags = pieces.edges[pieces.edge_start[j]]
    R, D, h = pieces.size[j, 0], pieces.size[j, 1], pieces.size[j, 2]
    m = entry(now.normals, pieces.face_start[j])
    v = minus(p, entry(now.vertices, pieces.vertex_start[j]))
    if flags[SPHERE] == 1:
        y = dot(v, m)
        ex, x = unit(ahead(v, -y, m))
        if x == 0.0:
            ex = across_of(m)
        d, gx, gy, kind, index = sector(x, y, R, D, h if flags[OPEN] == 1 else math.inf)
        return d, ahead((gx * ex[0], gx * ex[1], gx * ex[2]), gy, m), kind, index
    a = entry(now.axis, j)
    z = dot(v, a)
    if flags[OPEN] == 1:
        y, ex = dot(v, m), cross(a, m)
        x = dot(v, ex)
        if x < 0.0:
            x, ex = -x, (-ex[0], -ex[1], -ex[2])
        d, gx, gy, kind, index = sector(x, y, R, D, h)
        n = ahead((gx * ex[0], gx * ex[1], gx * ex[2]), gy, m)
    else:
        ex, x = unit(ahead(v, -z, a))
        if x == 0.0:
            ex = across_of(a)
        d, gx, gy, kind, index = sector(x, 0.0, R, D, math.inf)
        if x == 0.0:
            gx = -1.0
        n = (gx * ex[0], gx * ex[1], gx * ex[2])
    low, high = ends_of(pieces, j)
    # a closed end stands in the material beyond it
    high = high if flags[FRONT_OPEN] == 1 else high + D
    low = low if flags[BACK_OPEN] == 1 else low - D
    if z - high >= low - z:
        beyond, e, end = z - high, a, FRONT
    else:
        beyond, e, end = low - z, (-a[0], -a[1], -a[2]), BACK
    is_open = flags[FRONT_OPEN if end == FRONT else BACK_OPEN] == 1
    if beyond <= 0.0:
        if is_open and d < 0.0 and beyond > d:
            return beyond, e, FACE, end
        return d, n, kind, index
    if d <= 0.0:
        if is_open:
            return beyond, e, FACE, end
        return beyond, e, CORNER, ELSEWHERE
    away = math.sqrt(d * d + beyond * beyond)
    s, t = d / away, beyond / away
    number = end if is_open and kind == EDGE else ELSEWHERE
    return away, ahead((s * n[0], s * n[1], s * n[2]), t, e), CORNER, number


@kernel(counted=False)
def extreme(e: Vector, f: Vector, v: Vector, sign: float) -> tuple[float, float]:
    """Return (c, s) of a unit circle for which |v + c e + s f| is largest; least for sign -1.

    With H the products of e and f and g those with v, (k - sign H) u = sign g for the smallest k
    that is not below the eigenvalues: a secular equation in k (More & Sorensen 1983).
    """
    p, q, r = sign * dot(e, e), sign * dot(e, f), sign * dot(f, f)
    g, k = sign * dot(e, v), sign * dot(f, v)
    # eigenvectors (c, s) and (-s, c)
    turn = 0.5 * math.atan2(2.0 * q, p - r)
    c, s = math.cos(turn), math.sin(turn)
    high = p * c * c + 2.0 * q * c * s + r * s * s
    low = p + r - high
    g1, g2 = c * g + s * k, c * k - s * g
    least, most = high + abs(g1), high + math.sqrt(g1 * g1 + g2 * g2)
    if most == high:
        return c, s
    value = most
    for _ in range(60):
        value = 0.5 * (least + most)
        if not least < value < most:
            break
        one, two = g1 / (value - high), g2 / (value - low)
        if one * one + two * two > 1.0:
            least = value
        else:
            most = value
    one = g1 / (most - high) if most > high else 0.0
    two = g2 / (most - low) if most > low else 0.0
    rest = 1.0 - two * two
    if rest > 0.0 and abs(one) < math.sqrt(rest):
        one = math.copysign(math.sqrt(rest), one)
    (x, y), size = (c * one - s * two, s * one + c * two), math.sqrt(one * one + two * two)
    return x / size, y / size


@kernel(counted=False)
def circle_of(pieces: Pieces, now: Standing, i: int) -> tuple[Vector, Vector, Vector]:
    """Return the centre of a probe's or rim's circle and two radii of it at a right angle."""
    r, a = pieces.size[i, 0], entry(now.axis, i)
    e = across_of(a)
    f = cross(a, e)
    c = entry(now.vertices, pieces.vertex_start[i])
    return c, (r * e[0], r * e[1], r * e[2]), (r * f[0], r * f[1], r * f[2])


@kernel(counted=False)
def probed(pieces: Pieces, now: Standing, i: int, j: int) -> tuple[Place, Vector]:
    """Return how far probe i is from hollow piece j, as of its own point that is given as well."""
    p, r = entry(now.vertices, pieces.vertex_start[i]), pieces.radius[i]
    if pieces.size[i, 0] == 0.0:
        d, n, kind, index = from_layer(pieces, now, j, p)
        return (d - r, n, kind, index), ahead(p, -r, n)
    # a circle: its point farthest from the wall's centre or axis, where that is in the hollow
    c, e, f = circle_of(pieces, now, i)
    v = minus(c, entry(now.vertices, pieces.vertex_start[j]))
    u, w = e, f
    if pieces.edges[pieces.edge_start[j], SPHERE] == 0:
        a = entry(now.axis, j)
        v, u, w = ahead(v, -dot(v, a), a), ahead(e, -dot(e, a), a), ahead(f, -dot(f, a), a)
    x, y = extreme(u, w, v, 1.0)
    p = ahead(ahead(c, x, e), y, f)
    d, n, kind, index = from_layer(pieces, now, j, p)
    if kind == EDGE or (kind == FACE and d <= 0.0):
        return (d, n, kind, index), p
    # it may come in elsewhere: other convex pieces are there, nothing may be passed over
    least, at = d, 0.0
    for k in range(AROUND):
        turn = 2.0 * math.pi * k / AROUND
        other, m, _, _ = from_layer(pieces, now, j, on_circle(c, e, f, turn))
        if other < least or k == 0:
            least, n, at = other, m, turn
    low, high = at - 2.0 * math.pi / AROUND, at + 2.0 * math.pi / AROUND
    for _ in range(NARROWER):
        third = (high - low) / 3.0
        one, m, _, _ = from_layer(pieces, now, j, on_circle(c, e, f, low + third))
        two, o, _, _ = from_layer(pieces, now, j, on_circle(c, e, f, high - third))
        if one < two:
            high = high - third
        else:
            low, one, m = low + third, two, o
        if one < least:
            least, n = one, m
    return (max(least, SHORT * pieces.size[i, 0]), n, CORNER, ELSEWHERE), p


@kernel(counted=False)
def on_circle(c: Vector, e: Vector, f: Vector, turn: float) -> Vector:
    """Return c + cos(turn) e + sin(turn) f."""
    return ahead(ahead(c, math.cos(turn), e), math.sin(turn), f)


@kernel(counted=False)
def beside_rim(pieces: Pieces, now: Standing, i: int, j: int) -> tuple[Place, Vector]:
    """Return how far the round line i is from rim j, the circular end of a hollow cylinder.

    The vector points out of the rim, the point is the line's own nearest one.
    """
    start, r = pieces.vertex_start[i], pieces.radius[i]
    p, q = entry(now.vertices, start), entry(now.vertices, start + 1)
    a, length = unit(minus(q, p))
    c, e, f = circle_of(pieces, now, j)
    v = minus(c, p)
    u, w = ahead(e, -dot(e, a), a), ahead(f, -dot(f, a), a)
    x, y = extreme(u, w, ahead(v, -dot(v, a), a), -1.0)
    at = ahead(ahead(c, x, e), y, f)
    z = dot(a, minus(at, p))
    on = ahead(p, z, a)
    n, away = unit(minus(on, at))
    if 0.0 <= z <= length and within_arc(pieces, now, j, at):
        return (away - r, n, CORNER, 0), ahead(on, -r, n)
    # the line ends beside the rim, or the rim does: what meets there are other pieces
    least, around = math.inf, 0.0
    for k in range(AROUND):
        turn = 2.0 * math.pi * k / AROUND
        away, m, on = off_stretch(p, a, length, on_circle(c, e, f, turn))
        if away < least:
            least, n, around = away, m, turn
    low, high = around - 2.0 * math.pi / AROUND, around + 2.0 * math.pi / AROUND
    for _ in range(NARROWER):
        third = (high - low) / 3.0
        one, m, _ = off_stretch(p, a, length, on_circle(c, e, f, low + third))
        two, o, _ = off_stretch(p, a, length, on_circle(c, e, f, high - third))
        if one < two:
            high = high - third
        else:
            low, one, m = low + third, two, o
        if one < least:
            least, n = one, m
    return (max(least - r, SHORT * pieces.size[j, 0]), n, CORNER, ELSEWHERE), ahead(on, -r, n)


@kernel(counted=False)
def off_stretch(p: Vector, a: Vector, length: float, x: Vector) -> tuple[float, Vector, Vector]:
    """Return distance and direction from x to the nearest point of a straight stretch; it."""
    z = min(length, max(0.0, dot(a, minus(x, p))))
    on = ahead(p, z, a)
    n, away = unit(minus(on, x))
    return away, n, on


@kernel(counted=False)
def within_arc(pieces: Pieces, now: Standing, j: int, x: Vector) -> bool:
    """Tell whether a point of a rim's circle is on the part of it that a lip has left."""
    m = entry(now.normals, pieces.face_start[j])
    v = minus(x, entry(now.vertices, pieces.vertex_start[j]))
    return dot(m, v) <= pieces.size[j, 2]


@kernel(counted=False)
def is_hollow(pieces: Pieces, i: int) -> bool:
    """Tell whether a piece is a hollow one or its rim."""
    return pieces.kind[i] == HOLLOW or pieces.kind[i] == RIM


@kernel(counted=False)
def in_hollow(pieces: Pieces, now: Standing, i: int, j: int) -> tuple[float, Vector]:
    """Return separation and direction, from j to i, of a hollow piece or rim and its partner."""
    if is_hollow(pieces, j):
        (gap, n, _, _), _ = met(pieces, now, i, j)
        return gap, n
    (gap, n, _, _), _ = met(pieces, now, j, i)
    return gap, (-n[0], -n[1], -n[2])


@kernel(counted=False)
def met(pieces: Pieces, now: Standing, i: int, j: int) -> tuple[Place, Vector]:
    """Return how far i is from the hollow piece or rim j, and its point there."""
    if pieces.kind[j] == RIM:
        return beside_rim(pieces, now, i, j)
    return probed(pieces, now, i, j)
