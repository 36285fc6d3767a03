"""Features as the points, straight lines and planes of their bodies. Metres."""

from __future__ import annotations

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.patches import CORNER, EDGE
from articulata.kernels.contacts.pieces import HALF_SPACE, ROUND, Pieces, Standing, entry
from articulata.kernels.space_vectors import Vector, ahead, cross, dot, flipped, minus, unit

Feature = tuple[int, int, int]
"""Piece, kind and number of a feature."""


@kernel(counted=False)
def in_body(pieces: Pieces, now: Standing, state: Array, i: int, p: Vector) -> Vector:
    """Return a point of W in the axes of piece i's body, from its reference point."""
    b = pieces.body[i]
    return turned_back(now, i, minus(p, (state[b, 0], state[b, 1], state[b, 2])))


@kernel(counted=False)
def turned_back(now: Standing, i: int, v: Vector) -> Vector:
    """Return a direction of W in the axes of piece i's body."""
    t = now.turn[i]
    return (
        t[0] * v[0] + t[1] * v[1] + t[2] * v[2],
        t[3] * v[0] + t[4] * v[1] + t[5] * v[2],
        t[6] * v[0] + t[7] * v[1] + t[8] * v[2],
    )


@kernel(counted=False)
def in_world(now: Standing, i: int, v: Vector) -> Vector:
    """Return a direction of piece i's body in W."""
    t = now.turn[i]
    return (
        t[0] * v[0] + t[3] * v[1] + t[6] * v[2],
        t[1] * v[0] + t[4] * v[1] + t[7] * v[2],
        t[2] * v[0] + t[5] * v[1] + t[8] * v[2],
    )


@kernel(counted=False)
def plane_of(pieces: Pieces, face: Feature) -> tuple[Vector, Vector]:
    """Return a point and the outward normal of a flat face, in its body's axes."""
    i, start = face[0], pieces.vertex_start[face[0]]
    if pieces.kind[i] == HALF_SPACE:
        return entry(pieces.vertices, start), entry(pieces.axis, i)
    if pieces.kind[i] == ROUND:
        a, half = entry(pieces.axis, i), pieces.size[i, 2]
        if face[2] == 0:
            return ahead(entry(pieces.vertices, start), -half, a), flipped(a)
        return ahead(entry(pieces.vertices, start), half, a), a
    k = pieces.face_start[i] + face[2]
    corner = pieces.ring[pieces.ring_start[k]]
    return entry(pieces.vertices, start + corner), entry(pieces.normals, k)


@kernel(counted=False)
def near(p: Vector, q: Vector, n: Vector, same: float) -> bool:
    """Tell whether two points are one as seen along n."""
    d = minus(p, q)
    d = ahead(d, -dot(d, n), n)
    return dot(d, d) <= same * same


@kernel(counted=False)
def corner_at(
    pieces: Pieces, now: Standing, feature: Feature, n: Vector, p: Vector, same: float
) -> int:
    """Return the corner of a straight feature that lies at p as seen along n, or -1."""
    i, start = feature[0], pieces.vertex_start[feature[0]]
    if pieces.kind[i] == ROUND or pieces.kind[i] == HALF_SPACE:
        return -1
    if feature[1] == CORNER:
        return feature[2]
    if feature[1] == EDGE:
        e = pieces.edge_start[i] + feature[2]
        for side in range(2):
            if near(p, entry(now.vertices, start + pieces.edges[e, side]), n, same):
                return pieces.edges[e, side]
        return -1
    k = pieces.face_start[i] + feature[2]
    for r in range(pieces.ring_start[k], pieces.ring_start[k + 1]):
        if near(p, entry(now.vertices, start + pieces.ring[r]), n, same):
            return pieces.ring[r]
    return -1


@kernel(counted=False)
def edge_at(
    pieces: Pieces, now: Standing, feature: Feature, n: Vector, p: Vector, same: float
) -> int:
    """Return the edge of a straight feature on which p lies as seen along n, or -1."""
    i, start = feature[0], pieces.vertex_start[feature[0]]
    if pieces.kind[i] == ROUND or pieces.kind[i] == HALF_SPACE:
        return -1
    if feature[1] == EDGE:
        return feature[2]
    found, least = -1, same
    for k in range(pieces.edge_start[i], pieces.edge_start[i + 1]):
        beside = pieces.edges[k, 2] == feature[2] or pieces.edges[k, 3] == feature[2]
        if not beside:
            continue
        q = entry(now.vertices, start + pieces.edges[k, 0])
        e, _ = unit(minus(entry(now.vertices, start + pieces.edges[k, 1]), q))
        d = minus(p, q)
        d = ahead(d, -dot(d, n), n)
        off = cross(d, e)
        away = dot(off, off) ** 0.5
        if away <= least:
            found, least = k - pieces.edge_start[i], away
    return found


@kernel(counted=False)
def line_of(pieces: Pieces, feature: Feature) -> tuple[Vector, Vector, float]:
    """Return point, direction and radius of an edge or of a cylinder's wall, in body axes."""
    i, start = feature[0], pieces.vertex_start[feature[0]]
    if pieces.kind[i] == ROUND:
        return entry(pieces.vertices, start), entry(pieces.axis, i), pieces.size[i, 0]
    e = pieces.edge_start[i] + feature[2]
    q = entry(pieces.vertices, start + pieces.edges[e, 0])
    way, _ = unit(minus(entry(pieces.vertices, start + pieces.edges[e, 1]), q))
    return q, way, pieces.radius[i]


@kernel(counted=False)
def is_line(pieces: Pieces, feature: Feature) -> bool:
    """Tell whether a feature is a straight line, with a radius about it."""
    if feature[1] != EDGE:
        return False
    i = feature[0]
    return pieces.kind[i] != ROUND or pieces.size[i, 0] == pieces.size[i, 1]


@kernel(counted=False)
def is_point(pieces: Pieces, feature: Feature) -> bool:
    """Tell whether a feature is a point, with a radius about it."""
    i = feature[0]
    return feature[1] == CORNER and (pieces.kind[i] != ROUND or pieces.size[i, feature[2]] == 0.0)


@kernel(counted=False)
def point_of(pieces: Pieces, feature: Feature) -> tuple[Vector, float]:
    """Return a corner or an apex in body axes, and the radius about it."""
    i, start = feature[0], pieces.vertex_start[feature[0]]
    if pieces.kind[i] != ROUND:
        return entry(pieces.vertices, start + feature[2]), pieces.radius[i]
    half = pieces.size[i, 2] if feature[2] == 1 else -pieces.size[i, 2]
    return ahead(entry(pieces.vertices, start), half, entry(pieces.axis, i)), 0.0
