"""Convex pieces by corners: a polytope about each, and one within it. Body axes, metres."""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.geometry.shapes import Capsule, Cuboid, Shape
from articulata.kernels.contacts.pieces import HALF_SPACE, POLYTOPE, ROUND, Pieces
from articulata.kinematics.joint import about
from articulata.kinematics.link import Part

SIDES = 16
"""Corners of the polygon that stands for a round rim, drawn about it or within it."""

SLENDER = 1.5
"""A piece whose longest edge is more than this share of the next is held by a capsule."""


def corners_of(arrays: Pieces, i: int) -> tuple[Array, Array]:
    """Return corners (k, 3) of a polytope about piece i, and of one within it (none if unknown)."""
    vertices = arrays.vertices[arrays.vertex_start[i] : arrays.vertex_start[i + 1]]
    if arrays.kind[i] == POLYTOPE:
        return _grown(vertices, float(arrays.radius[i]))
    if arrays.kind[i] == ROUND:
        return _round(vertices[0], arrays.axis[i], arrays.size[i])
    # a wall about a hollow: its cuboid holds it, and proves nothing
    return _box(arrays.box[i]), np.empty((0, 3))


def held(shape: Shape, X_LS: Array) -> Part:
    """Return one capsule or cuboid, along the axes of L, that holds a shape at ``X_LS``."""
    arrays = piece_table([shape]).arrays
    some = [k for k in range(len(arrays.kind)) if arrays.kind[k] != HALF_SPACE]
    corners = np.concatenate([corners_of(arrays, k)[0] for k in some])
    p = corners @ X_LS[:3, :3].T + X_LS[:3, 3]
    low, high = p.min(axis=0), p.max(axis=0)
    middle, size = 0.5 * (low + high), high - low
    X = np.eye(4)
    X[:3, 3] = middle
    axis = int(np.argmax(size))
    if size[axis] <= SLENDER * np.sort(size)[1]:
        x, y, z = size.tolist()
        return Part(Cuboid(x, y, z), X)
    along = p[:, axis] - middle[axis]
    across2 = np.sum(np.delete(p - middle, axis, axis=1) ** 2, axis=1)
    radius = float(np.sqrt(across2.max()))
    half = float(np.max(np.abs(along) - np.sqrt(np.maximum(radius * radius - across2, 0.0))))
    X[:3, :3] = about(np.eye(3)[axis].tolist())[:3, :3]
    return Part(Capsule(radius, 2.0 * max(half, 1e-3)), X)


def _ball() -> Array:
    turns = np.arange(SIDES) * (2.0 * np.pi / SIDES)
    rows = [np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])]
    rows += [
        np.stack([np.cos(t) * np.cos(turns), np.cos(t) * np.sin(turns), 0 * turns + np.sin(t)], 1)
        for t in np.linspace(-0.5, 0.5, 7)[1:-1] * np.pi
    ]
    return np.concatenate(rows)


BALL = _ball()
BALL_SCALE = 1.08
"""How much the corners of ``BALL`` are moved out so that their hull holds the unit ball."""


def _grown(vertices: Array, radius: float) -> tuple[Array, Array]:
    if radius == 0.0:
        return vertices, vertices
    inner = (vertices[:, None] + radius * BALL).reshape(-1, 3)
    return (vertices[:, None] + radius * BALL_SCALE * BALL).reshape(-1, 3), inner


def _round(middle: Array, axis: Array, size: Array) -> tuple[Array, Array]:
    back, front, half = size
    u = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    u /= np.linalg.norm(u)
    v = np.cross(axis, u)
    turns = np.arange(SIDES) * (2.0 * np.pi / SIDES)
    ring = np.cos(turns)[:, None] * u + np.sin(turns)[:, None] * v
    inner = np.concatenate(
        [middle - half * axis + back * ring, middle + half * axis + front * ring]
    )
    wide = ring / np.cos(np.pi / SIDES)
    outer = np.concatenate(
        [middle - half * axis + back * wide, middle + half * axis + front * wide]
    )
    return outer, inner


def _box(box: Array) -> Array:
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    return np.asarray(box[:3] + corners * box[3:])
