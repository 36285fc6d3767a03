"""Convex pieces of bodies as arrays, where they stand, and their support.

A piece is a polytope with a radius about it (a ball is a point, a capsule a line with one), a
round piece (cylinder, cone or frustum) or a half-space. World axes W, metres.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.space_vectors import (
    Vector,
    ahead,
    dot,
    minus,
    unit,
)

POLYTOPE, ROUND, HALF_SPACE = 0, 1, 2
"""Kinds of convex pieces."""

HOLLOW, PROBE, RIM, LINE = 3, 4, 5, 6
"""Kinds of pieces that only meet one other kind (see ``hollow``): the material about a hollow round
wall is met by probes (corners, balls, circles), the circular end of a hollow cylinder by round
lines (the walls of cylinders and capsules)."""

MEETS = np.zeros((7, 7), dtype=bool)
"""Which kinds meet which; two endless pieces have no first touch that could be looked for."""
MEETS[: HALF_SPACE + 1, : HALF_SPACE + 1] = True
MEETS[HALF_SPACE, HALF_SPACE] = False
MEETS[HOLLOW, PROBE] = MEETS[PROBE, HOLLOW] = MEETS[RIM, LINE] = MEETS[LINE, RIM] = True
MEETS.setflags(write=False)

CORNER, EDGE, FACE = 0, 1, 2
"""Kinds of features. Of a round piece corners are its rims (0 back, 1 front; a rim of radius 0 is
the apex), edge 0 is its wall, faces are its caps (0 back, 1 front)."""


class Pieces(NamedTuple):
    """Pieces in their bodies' axes; ``..._start`` (p + 1,) say where a piece's entries begin.

    ``kind``, ``body`` (p,); ``ball`` (p, 4) a sphere and ``box`` (p, 6) a cuboid (centre, half
    its edges, along the body's axes) that hold the piece; ``radius`` (p,).
    ``vertices`` (v, 3); ``edges`` (e, 4): two vertices and the two faces beside, counted within
    the piece, -1 where there are no faces; ``normals`` (f, 3); the corners of face k are
    ``ring[ring_start[k] : ring_start[k + 1]]``, counterclockwise from outside. A round piece has
    its middle as vertex 0 and ``axis`` (p, 3), and ``size`` (p, 3): radius at the back, radius at
    the front, half its length. Of a half-space vertex 0 is a point of the plane, ``axis`` its
    normal.
    A hollow piece has vertices centre, point of the lip, middle of the front end and of the back
    end, ``axis``, ``size``: radius, thickness of the layer, height of the lip; normals and faces of
    lip, front and back; its one row of edges holds what ``hollow`` calls flags. A probe is a point
    with a radius, or a circle about ``axis`` of radius ``size[0]``. A rim is a circle likewise,
    with the lip's normal and, as ``size[2]``, height. A line has two vertices and a radius.
    """

    kind: IntArray
    body: IntArray
    ball: Array
    box: Array
    radius: Array
    axis: Array
    size: Array
    vertex_start: IntArray
    vertices: Array
    edge_start: IntArray
    edges: IntArray
    face_start: IntArray
    normals: Array
    ring_start: IntArray
    ring: IntArray


class Standing(NamedTuple):
    """Pieces in W: ``ball``, ``box`` (p, 3) centres, ``axis`` (p, 3), ``vertices``, ``normals``.

    ``turn`` (p, 9) are the bodies' axes, one after the other.
    """

    ball: Array
    box: Array
    turn: Array
    axis: Array
    vertices: Array
    normals: Array


def standing(pieces: Pieces) -> Standing:
    """Return arrays for :func:`stand` to fill."""
    return Standing(
        np.zeros((len(pieces.kind), 3)),
        np.zeros((len(pieces.kind), 3)),
        np.zeros((len(pieces.kind), 9)),
        np.zeros((len(pieces.kind), 3)),
        np.zeros_like(pieces.vertices),
        np.zeros_like(pieces.normals),
    )


@kernel(counted=False)
def entry(rows: Array, i: int) -> Vector:
    """Return row i of an array (n, 3)."""
    return rows[i, 0], rows[i, 1], rows[i, 2]


@kernel(counted=False)
def stand(pieces: Pieces, poses: Array, out: Standing) -> None:
    """Fill ``out`` for bodies at ``poses`` (n, >= 7): origin and orientation, w first."""
    for i in range(pieces.kind.shape[0]):
        stand_piece(pieces, i, poses, out)


@kernel(counted=False)
def stand_piece(pieces: Pieces, i: int, poses: Array, out: Standing) -> None:
    """Do for piece i what :func:`stand` does for all."""
    b = pieces.body[i]
    x, y, z = poses[b, 0], poses[b, 1], poses[b, 2]
    qw, qx, qy, qz = poses[b, 3], poses[b, 4], poses[b, 5], poses[b, 6]
    turn = (
        1 - 2 * (qy * qy + qz * qz),
        2 * (qx * qy + qw * qz),
        2 * (qx * qz - qw * qy),
        2 * (qx * qy - qw * qz),
        1 - 2 * (qx * qx + qz * qz),
        2 * (qy * qz + qw * qx),
        2 * (qx * qz + qw * qy),
        2 * (qy * qz - qw * qx),
        1 - 2 * (qx * qx + qy * qy),
    )
    stand_turned(pieces, i, (x, y, z), turn, out)


@kernel(counted=False)
def stand_turned(
    pieces: Pieces,
    i: int,
    origin: Vector,
    turn: tuple[float, float, float, float, float, float, float, float, float],
    out: Standing,
) -> None:
    """Do it for piece i of a body at ``origin`` whose axes, one after the other, are ``turn``."""
    x, y, z = origin
    r00, r10, r20, r01, r11, r21, r02, r12, r22 = turn
    u, v, w = pieces.ball[i, 0], pieces.ball[i, 1], pieces.ball[i, 2]
    out.ball[i, 0] = x + r00 * u + r01 * v + r02 * w
    out.ball[i, 1] = y + r10 * u + r11 * v + r12 * w
    out.ball[i, 2] = z + r20 * u + r21 * v + r22 * w
    u, v, w = pieces.box[i, 0], pieces.box[i, 1], pieces.box[i, 2]
    out.box[i, 0] = x + r00 * u + r01 * v + r02 * w
    out.box[i, 1] = y + r10 * u + r11 * v + r12 * w
    out.box[i, 2] = z + r20 * u + r21 * v + r22 * w
    out.turn[i, 0], out.turn[i, 1], out.turn[i, 2] = r00, r10, r20
    out.turn[i, 3], out.turn[i, 4], out.turn[i, 5] = r01, r11, r21
    out.turn[i, 6], out.turn[i, 7], out.turn[i, 8] = r02, r12, r22
    u, v, w = pieces.axis[i, 0], pieces.axis[i, 1], pieces.axis[i, 2]
    out.axis[i, 0] = r00 * u + r01 * v + r02 * w
    out.axis[i, 1] = r10 * u + r11 * v + r12 * w
    out.axis[i, 2] = r20 * u + r21 * v + r22 * w
    for k in range(pieces.vertex_start[i], pieces.vertex_start[i + 1]):
        u, v, w = pieces.vertices[k, 0], pieces.vertices[k, 1], pieces.vertices[k, 2]
        out.vertices[k, 0] = x + r00 * u + r01 * v + r02 * w
        out.vertices[k, 1] = y + r10 * u + r11 * v + r12 * w
        out.vertices[k, 2] = z + r20 * u + r21 * v + r22 * w
    for k in range(pieces.face_start[i], pieces.face_start[i + 1]):
        u, v, w = pieces.normals[k, 0], pieces.normals[k, 1], pieces.normals[k, 2]
        out.normals[k, 0] = r00 * u + r01 * v + r02 * w
        out.normals[k, 1] = r10 * u + r11 * v + r12 * w
        out.normals[k, 2] = r20 * u + r21 * v + r22 * w


@kernel(counted=False)
def across(n: Vector, u: float, a: Vector) -> tuple[Vector, float]:
    """Return the unit vector and length of n's part across the axis a, u being n . a.

    Where only rounding is left of it, 0 and 0: the whole cap is equally far along n.
    """
    m, length = unit(ahead(n, -u, a))
    if length < 1e-14:
        return (0.0, 0.0, 0.0), 0.0
    return m, length


@kernel(counted=False)
def farthest(pieces: Pieces, now: Standing, i: int, n: Vector) -> tuple[float, Vector]:
    """Return how far piece i reaches along the unit vector n, and its point there."""
    first = pieces.vertex_start[i]
    p = entry(now.vertices, first)
    if pieces.kind[i] == ROUND:
        a = entry(now.axis, i)
        u = dot(n, a)
        m, length = across(n, u, a)
        back, front, half = pieces.size[i, 0], pieces.size[i, 1], pieces.size[i, 2]
        c = dot(n, p)
        if half * u + front * length > -half * u + back * length:
            p = ahead(ahead(p, half, a), front, m)
            return c + half * u + front * length, p
        p = ahead(ahead(p, -half, a), back, m)
        return c - half * u + back * length, p
    best = dot(n, p)
    for k in range(first + 1, pieces.vertex_start[i + 1]):
        q = entry(now.vertices, k)
        reach = dot(n, q)
        if reach > best:
            best, p = reach, q
    r = pieces.radius[i]
    return best + r, ahead(p, r, n)


@kernel(counted=False)
def apart(pieces: Pieces, now: Standing, i: int, j: int, n: Vector) -> tuple[float, Vector]:
    """Return how far piece i lies beyond piece j along n, and from which point to which."""
    high, q = farthest(pieces, now, j, n)
    low, p = farthest(pieces, now, i, (-n[0], -n[1], -n[2]))
    return -low - high, minus(p, q)


@kernel(counted=False)
def better(
    pieces: Pieces, now: Standing, i: int, j: int, w: Vector, best: float, n: Vector
) -> tuple[float, Vector]:
    """Return the larger of ``best``, along n, and the separation of i and j along w.

    A w without length is left out.
    """
    if not dot(w, w) > 0.5:
        return best, n
    gap, _ = apart(pieces, now, i, j, w)
    if gap > best:
        return gap, w
    return best, n
