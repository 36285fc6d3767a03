"""How two convex parts touch: pairs of features with their names, in closed form.

Two convex parts in touch are separated by one plane. The features of each that lie in that plane
are a corner, an edge or a face; the corners of what they have in common are the contacts, each a
corner on a face or two edges that cross. World axes, metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from articulata.domains.dynamic.contact.parts import Part, face_normal
from articulata.geometry.arrays import Array
from articulata.kernels.multibody.contact import separation
from articulata.kernels.multibody.contact.rows import (
    CONTACT_WIDTH,
    LINE_LINE,
    POINT_LINE,
    POINT_PLANE,
    POINT_POINT,
    RIM_PLANE,
)
from articulata.kernels.multibody.contact.separation import (
    BALL,
    HALF_SPACE,
    POLYHEDRON,
    ROUND,
    Parts,
)

PARALLEL = 1e-6
"""Sine of the angle under which edges count as parallel."""


@dataclass(frozen=True, slots=True)
class FeaturePair:
    """Two features that can touch: ``kind`` and ``data`` as in ``kernels.multibody.contact.rows``.

    ``a`` and ``b`` number the bodies, ``features`` are their names; ``key`` tells one from another.
    """

    kind: int
    a: int
    b: int
    data: tuple[float, ...]
    features: tuple[str, str]
    key: tuple[object, ...]


def _data(
    p_A: Array,
    p_B: Array,
    axis_A: Array | None = None,
    axis_B: Array | None = None,
    size: float = 0.0,
    radius: float = 0.0,
    sign: float = 1.0,
) -> tuple[float, ...]:
    none = np.zeros(3)
    row = np.concatenate(
        [
            p_A,
            p_B,
            none if axis_A is None else axis_A,
            none if axis_B is None else axis_B,
            [size, radius, sign],
        ]
    )
    assert len(row) == CONTACT_WIDTH
    return tuple(row.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A part where it stands: rotation ``R`` and reference point ``r`` of its body."""

    part: Part
    R: Array
    r: Array

    def world(self, p: Array) -> Array:
        """Return points of the body in W."""
        return p @ self.R.T + self.r

    @property
    def corners(self) -> Array:
        """Its corners in W."""
        return self.world(self.part.corners)


def meeting(one: Placed, other: Placed, axis: Array | None, tolerance: float) -> list[FeaturePair]:
    """Return the contacts of two parts whose gaps are at most ``tolerance`` (m).

    ``axis`` is the separating normal from ``other`` to ``one`` where both are polyhedra.
    """
    kinds = (one.part.kind, other.part.kind)
    if kinds[0] == HALF_SPACE or kinds == (POLYHEDRON, BALL):
        one, other = other, one
    if other.part.kind == HALF_SPACE:
        return _on_plane(one, other, tolerance)
    if one.part.kind == BALL and other.part.kind == BALL:
        return _balls(one, other, tolerance)
    if one.part.kind == BALL:
        return _ball_on_polyhedron(one, other, tolerance)
    assert axis is not None
    return _polyhedra(one, other, axis, tolerance)


def _on_plane(one: Placed, ground: Placed, tolerance: float) -> list[FeaturePair]:
    part, plane = one.part, ground.part
    origin, normal = plane.corners
    n = ground.R @ normal
    height0 = float(n @ ground.world(origin))
    found = []
    if part.kind == ROUND:
        for number, (name, center, axis, radius) in enumerate(part.rims):
            c, e = one.world(center), one.R @ axis
            u = float(n @ e)
            drop = radius * float(np.sqrt(max(0.0, 1.0 - u * u)))
            if float(n @ c) - drop - height0 > tolerance:
                continue
            pair = (name, plane.surface)
            if radius == 0.0:
                data = _data(center, origin, None, normal)
                found.append(
                    FeaturePair(POINT_PLANE, part.body, plane.body, data, pair, (name, number))
                )
            elif 1.0 - u * u < 1e-12:
                found += _flat(one, ground, name, center, axis, radius, pair)
            else:
                data = _data(center, origin, axis, normal, radius)
                found.append(
                    FeaturePair(RIM_PLANE, part.body, plane.body, data, pair, (name, number))
                )
        return found
    heights = one.corners @ n - height0 - part.radius
    for k in np.flatnonzero(heights <= tolerance).tolist():
        data = _data(part.corners[k], origin, None, normal, part.radius, part.radius)
        pair = (part.names[k], plane.surface)
        found.append(FeaturePair(POINT_PLANE, part.body, plane.body, data, pair, (k, plane.body)))
    return found


def _flat(
    one: Placed,
    ground: Placed,
    name: str,
    center: Array,
    axis: Array,
    radius: float,
    pair: tuple[str, str],
) -> list[FeaturePair]:
    """Return a disc that lies flat as four points of its rim."""
    origin, normal = ground.part.corners
    u = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    u = u / np.linalg.norm(u)
    v = np.cross(axis, u)
    found = []
    for k, d in enumerate((u, v, -u, -v)):
        data = _data(center + radius * d, origin, None, normal)
        found.append(
            FeaturePair(POINT_PLANE, one.part.body, ground.part.body, data, pair, (name, "flat", k))
        )
    return found


def _balls(one: Placed, other: Placed, tolerance: float) -> list[FeaturePair]:
    """Return the contact of two balls or capsules: points, ends and axes by what is nearest."""
    a, b = one.part, other.part
    size = a.radius + b.radius
    P, Q = one.corners, other.corners
    f, g, flat = _nearest(P, Q)
    ends = [(f, g)]
    if flat:  # parallel walls touch along a line: its two ends
        ends = _overlap(P, Q)
    found = []
    for f, g in ends:
        p = P[0] + f * (P[-1] - P[0])
        q = Q[0] + g * (Q[-1] - Q[0])
        if float(np.linalg.norm(p - q)) - size > tolerance:
            continue
        found.append(_ball_pair(one, other, f, g, size))
    return found


def _ball_pair(one: Placed, other: Placed, f: float, g: float, size: float) -> FeaturePair:
    a, b = one.part, other.part
    inner_a, inner_b = 0.0 < f < 1.0, 0.0 < g < 1.0
    p = a.corners[0] + f * (a.corners[-1] - a.corners[0])
    q = b.corners[0] + g * (b.corners[-1] - b.corners[0])
    name_a = a.surface if inner_a or len(a.corners) == 1 else a.names[int(f)]
    name_b = b.surface if inner_b or len(b.corners) == 1 else b.names[int(g)]
    pair, key = (name_a, name_b), ("balls", round(f, 6), round(g, 6))
    if inner_a and inner_b:
        e = _unit(a.corners[-1] - a.corners[0])
        d = _unit(b.corners[-1] - b.corners[0])
        cross = np.cross(one.R @ e, other.R @ d)
        if float(np.linalg.norm(cross)) > PARALLEL:
            away = one.world(p) - other.world(q)
            sign = 1.0 if float(cross @ away) > 0 else -1.0
            data = _data(p, q, e, d, size, a.radius, sign)
            return FeaturePair(LINE_LINE, a.body, b.body, data, pair, ("lines",))
        inner_a = False
    if inner_b and len(b.corners) > 1:
        d = _unit(b.corners[-1] - b.corners[0])
        data = _data(p, q, None, d, size, a.radius)
        return FeaturePair(POINT_LINE, a.body, b.body, data, pair, key)
    if inner_a and len(a.corners) > 1:
        d = _unit(a.corners[-1] - a.corners[0])
        data = _data(q, p, None, d, size, b.radius)
        return FeaturePair(POINT_LINE, b.body, a.body, data, pair[::-1], key)
    data = _data(p, q, None, None, size, a.radius)
    return FeaturePair(POINT_POINT, a.body, b.body, data, pair, key)


def _ball_on_polyhedron(ball: Placed, solid: Placed, tolerance: float) -> list[FeaturePair]:
    """Return the contacts of a ball or capsule with a polyhedron."""
    part, radius = solid.part, ball.part.radius
    P = ball.corners
    corners = solid.corners
    found: list[FeaturePair] = []
    segments = [(k, k) for k in range(len(P))]
    for k, _ in segments:
        found += _point_on_polyhedron(ball, k, P[k], solid, corners, radius + tolerance)
    if len(P) == 2:
        for name, i, j in part.edges:
            f, g, flat = _nearest(P, corners[[i, j]])
            p = P[0] + f * (P[1] - P[0])
            q = corners[i] + g * (corners[j] - corners[i])
            away = p - q
            length = float(np.linalg.norm(away))
            if flat or not (0 < f < 1 and 0 < g < 1) or length - radius > tolerance:
                continue
            if not _outward(part, solid.R, away / length, i, j):
                continue
            e, d = _unit(ball.part.corners[1] - ball.part.corners[0]), part.corners[j]
            d = _unit(d - part.corners[i])
            cross = np.cross(ball.R @ e, solid.R @ d)
            data = _data(
                ball.part.corners[0],
                part.corners[i],
                e,
                d,
                radius,
                radius,
                1.0 if float(cross @ away) > 0 else -1.0,
            )
            pair = (ball.part.surface, name)
            found.append(
                FeaturePair(LINE_LINE, ball.part.body, part.body, data, pair, ("wall", i, j))
            )
    return found


def _point_on_polyhedron(
    ball: Placed, k: int, p: Array, solid: Placed, corners: Array, reach: float
) -> list[FeaturePair]:
    """Return how a ball's centre ``p`` within ``reach`` of a polyhedron touches it."""
    part, radius = solid.part, ball.part.radius
    p_A = ball.part.corners[k]
    name_a = ball.part.names[k]
    best: tuple[float, FeaturePair] | None = None

    def offer(distance: float, pair: FeaturePair) -> None:
        nonlocal best
        if distance <= reach and (best is None or distance < best[0] - 1e-12):
            best = (distance, pair)

    for name, ring in part.faces:
        n = face_normal(part.corners, ring)
        m = solid.R @ n
        height = float((p - corners[ring[0]]) @ m)
        if height < 0 or height > reach or not _over(corners[list(ring)], m, p, 0.0):
            continue
        data = _data(p_A, part.corners[ring[0]], None, n, radius, radius)
        offer(
            height,
            FeaturePair(
                POINT_PLANE, ball.part.body, part.body, data, (name_a, name), (k, name, ring[0])
            ),
        )
    for name, i, j in part.edges:
        d = corners[j] - corners[i]
        f = float((p - corners[i]) @ d / (d @ d))
        if not 0 < f < 1:
            continue
        distance = float(np.linalg.norm(p - corners[i] - f * d))
        data = _data(
            p_A, part.corners[i], None, _unit(part.corners[j] - part.corners[i]), radius, radius
        )
        offer(
            distance,
            FeaturePair(POINT_LINE, ball.part.body, part.body, data, (name_a, name), (k, i, j)),
        )
    for c in range(len(corners)):
        distance = float(np.linalg.norm(p - corners[c]))
        data = _data(p_A, part.corners[c], None, None, radius, radius)
        offer(
            distance,
            FeaturePair(
                POINT_POINT, ball.part.body, part.body, data, (name_a, part.names[c]), (k, c)
            ),
        )
    return [] if best is None else [best[1]]


def _polyhedra(one: Placed, other: Placed, n: Array, tolerance: float) -> list[FeaturePair]:
    """Return the corners of the common part of two polyhedra's features in a separating plane."""
    P, Q = one.corners, other.corners
    low, high = P @ n, Q @ n
    if float(low.min() - high.max()) > tolerance:
        return []
    slack = max(tolerance, 1e-9 * min(one.part.size, other.part.size))
    mine = np.flatnonzero(low <= low.min() + slack).tolist()
    theirs = np.flatnonzero(high >= high.max() - slack).tolist()
    face_a, face_b = _face_of(one.part, mine), _face_of(other.part, theirs)
    found: list[FeaturePair] = []
    a, b = one.part, other.part
    if face_b is not None:
        name, ring = face_b
        normal = face_normal(b.corners, ring)
        for k in mine:
            if _over(Q[list(ring)], n, P[k], slack):
                data = _data(a.corners[k], b.corners[ring[0]], None, normal)
                pair = (a.names[k], name)
                found.append(FeaturePair(POINT_PLANE, a.body, b.body, data, pair, ("a", k, ring)))
    touched = {tuple(np.round(P[k], 7)) for k in mine} if face_b is not None else set()
    if face_a is not None:
        name, ring = face_a
        normal = face_normal(a.corners, ring)
        for k in theirs:
            twin = face_b is not None and tuple(np.round(Q[k], 7)) in touched
            if not twin and _over(P[list(ring)], -n, Q[k], slack):
                data = _data(b.corners[k], a.corners[ring[0]], None, normal)
                pair = (b.names[k], name)
                found.append(FeaturePair(POINT_PLANE, b.body, a.body, data, pair, ("b", k, ring)))
    edges_a = [e for e in a.edges if e[1] in mine and e[2] in mine]
    edges_b = [e for e in b.edges if e[1] in theirs and e[2] in theirs]
    for (name_a, i, j), (name_b, k, m) in product(edges_a, edges_b):
        f, g, flat = _nearest(P[[i, j]], Q[[k, m]])
        margin = 1e-9
        if flat or not (margin < f < 1 - margin and margin < g < 1 - margin):
            continue
        e, d = _unit(a.corners[j] - a.corners[i]), _unit(b.corners[m] - b.corners[k])
        cross = np.cross(one.R @ e, other.R @ d)
        sign = 1.0 if float(cross @ n) > 0 else -1.0
        data = _data(a.corners[i], b.corners[k], e, d, 0.0, 0.0, sign)
        pair = (name_a, name_b)
        found.append(FeaturePair(LINE_LINE, a.body, b.body, data, pair, ("e", i, j, k, m)))
    return found


def _face_of(part: Part, corners: list[int]) -> tuple[str, tuple[int, ...]] | None:
    if len(corners) < 3:
        return None
    held = set(corners)
    return next(((name, ring) for name, ring in part.faces if set(ring) <= held), None)


def _over(ring: Array, n: Array, p: Array, slack: float) -> bool:
    """Tell whether ``p`` projects into a convex polygon with normal ``n``, or within ``slack``."""
    along = np.roll(ring, -1, axis=0) - ring
    inward = np.cross(n, along)
    inward = inward / np.linalg.norm(inward, axis=1, keepdims=True)
    return bool(np.all(np.einsum("ij,ij->i", inward, p - ring) >= -slack))


def _outward(part: Part, R: Array, n: Array, i: int, j: int) -> bool:
    """Tell whether all corners lie below the plane with normal ``n`` (in W) through an edge."""
    local = R.T @ n
    heights = part.corners @ local
    return bool(heights.max() <= max(heights[i], heights[j]) + 1e-7 * part.size)


def _unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v))


def _nearest(P: Array, Q: Array) -> tuple[float, float, bool]:
    """Return where segments or points are nearest, as shares, and whether they are parallel."""
    u, v, w = P[-1] - P[0], Q[-1] - Q[0], P[0] - Q[0]
    uu, vv, uv, uw, vw = (float(x) for x in (u @ u, v @ v, u @ v, u @ w, v @ w))
    det = uu * vv - uv * uv
    parallel = uu > 0 and vv > 0 and det <= PARALLEL * PARALLEL * uu * vv
    if uu > 0 and vv > 0 and not parallel:
        f, g = (uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det
        if 0 <= f <= 1 and 0 <= g <= 1:
            return f, g, False
    best = (np.inf, 0.0, 0.0)
    for end in (0.0, 1.0) if uu > 0 else (0.0,):
        p = P[0] + end * u
        g = float(np.clip((p - Q[0]) @ v / vv, 0, 1)) if vv > 0 else 0.0
        best = min(best, (float(np.linalg.norm(p - Q[0] - g * v)), end, g))
    for end in (0.0, 1.0) if vv > 0 else (0.0,):
        q = Q[0] + end * v
        f = float(np.clip((q - P[0]) @ u / uu, 0, 1)) if uu > 0 else 0.0
        best = min(best, (float(np.linalg.norm(P[0] + f * u - q)), f, end))
    return best[1], best[2], parallel


def _overlap(P: Array, Q: Array) -> list[tuple[float, float]]:
    """Return the ends of the stretch along which two parallel segments face each other."""
    u, v = P[1] - P[0], Q[1] - Q[0]
    uu, vv = float(u @ u), float(v @ v)
    shares = sorted((float((q - P[0]) @ u) / uu) for q in Q)
    low, high = max(0.0, shares[0]), min(1.0, shares[1])
    if high - low < 1e-9:
        return [_nearest(P, Q)[:2]]
    return [(f, float(np.clip((P[0] + f * u - Q[0]) @ v / vv, 0, 1))) for f in (low, high)]


def separating_axis(parts: Parts, i: int, j: int, state: Array, R: Array) -> Array:
    """Return the normal from part j to part i along which they are farthest apart."""
    _, axis = separation.best_axis(parts, i, j, state, R)
    return np.array(axis)
