"""Whether a point lies within a feature: how far edges, faces and walls extend. World axes, m."""

from __future__ import annotations

from articulata.kernels.compile import kernel
from articulata.kernels.contacts.hollow import OPEN, SPHERE, ends_of
from articulata.kernels.contacts.patches import CORNER, EDGE
from articulata.kernels.contacts.pieces import HALF_SPACE, HOLLOW, ROUND, Pieces, Standing, entry
from articulata.kernels.multibody.contact.primitives import Feature
from articulata.kernels.space_vectors import Vector, ahead, cross, dot, minus, unit


@kernel(counted=False)
def lies_about(pieces: Pieces, now: Standing, feature: Feature, x: Vector, slack: float) -> bool:
    """Do for the wall and the faces of a hollow piece what :func:`lies_in` does."""
    j = feature[0]
    flags = pieces.edges[pieces.edge_start[j]]
    v = minus(x, entry(now.vertices, pieces.vertex_start[j]))
    if flags[OPEN] == 1:
        m = entry(now.normals, pieces.face_start[j])
        if dot(m, v) > pieces.size[j, 2] + slack:
            return False
    if flags[SPHERE] == 0:
        a = entry(now.axis, j)
        z = dot(a, v)
        low, high = ends_of(pieces, j)
        if not low - slack <= z <= high + slack:
            return False
        v = ahead(v, -z, a)
    if feature[1] == EDGE:
        return True
    far = dot(v, v) ** 0.5
    return pieces.size[j, 0] - slack <= far <= pieces.size[j, 0] + pieces.size[j, 1] + slack


@kernel(counted=False)
def lies_in(
    pieces: Pieces, now: Standing, feature: Feature, x: Vector, slack: float, loose: float
) -> bool:
    """Tell whether the point x lies within a feature as seen along its normal.

    ``slack`` holds for straight features, the share ``loose`` of the size for round ones.
    """
    i, start = feature[0], pieces.vertex_start[feature[0]]
    if pieces.kind[i] == HALF_SPACE or feature[1] == CORNER:
        return True
    if pieces.kind[i] == HOLLOW:
        return lies_about(pieces, now, feature, x, slack)
    if pieces.kind[i] == ROUND:
        d, a = minus(x, entry(now.vertices, start)), entry(now.axis, i)
        z, half = dot(d, a), pieces.size[i, 2]
        if feature[1] == EDGE:
            return abs(z) <= half + slack
        off = ahead(d, -z, a)
        reach = pieces.size[i, feature[2]] * (1.0 + loose)
        return dot(off, off) <= reach * reach
    if feature[1] == EDGE:
        e = pieces.edge_start[i] + feature[2]
        p = entry(now.vertices, start + pieces.edges[e, 0])
        way, length = unit(minus(entry(now.vertices, start + pieces.edges[e, 1]), p))
        along = dot(way, minus(x, p))
        return -slack <= along <= length + slack
    k = pieces.face_start[i] + feature[2]
    n = entry(now.normals, k)
    first, last = pieces.ring_start[k], pieces.ring_start[k + 1]
    for r in range(first, last):
        p = entry(now.vertices, start + pieces.ring[r])
        q = entry(now.vertices, start + pieces.ring[r + 1 if r + 1 < last else first])
        inward, _ = unit(cross(n, minus(q, p)))
        if dot(inward, minus(x, p)) < -slack:
            return False
    return True
