"""Surfaces that enclose nothing, as flat pieces: things that stand in the way without an inside.

A triangle is a prism of hardly any thickness, so that every direction that can part it from another
piece is a face's or that of two edges.
"""

from __future__ import annotations

import numpy as np
import shapely
from scipy.spatial import cKDTree

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.hull import HIDDEN, Hull
from articulata.geometry.convex_pieces.hulls import hulls
from articulata.geometry.shapes import Mesh, Named, Placed, Shape, Union
from articulata.kernels.contacts.pieces import POLYTOPE

MOST_TRIANGLES = 4096
"""A surface of more triangles is not tested, those counted as one that lie in one plane."""

FEW = 512
"""Of fewer triangles those in one plane are not joined: it saves nothing."""

IN_PLANE = 6
"""Decimals, of normals and of m, by which triangles lie in one plane."""

FLAT = 1e-12
"""Area of a triangle, as a share of its longest edge's square, below which it is left out."""

SAME = 1e-9
"""Share by which the area of what is cut anew may differ, as numbers are rounded."""

STRAIGHT = 1e-9
"""m. So far from a straight line a corner of an outline is on it."""

THICKNESS = 1e-7
"""m. Thick enough for the direction of its short edges to be known, thin enough to be none."""

_NEXT = (1, 2, 0)
_RINGS = ((0, 1, 2), (3, 5, 4), *((3 + k, 3 + _NEXT[k], _NEXT[k], k) for k in range(3)))
_EDGES = np.array(
    [
        edge
        for k in range(3)
        for edge in (
            (k, _NEXT[k], 0, 2 + k),
            (3 + k, 3 + _NEXT[k], 2 + k, 1),
            (_NEXT[k], 3 + _NEXT[k], 2 + k, 2 + _NEXT[k]),
        )
    ],
    np.int64,
)
_NAMES = ((HIDDEN,) * 6, (HIDDEN,) * len(_EDGES), (HIDDEN,) * len(_RINGS))


def is_closed(mesh: Mesh) -> bool:
    """Return whether each edge of a mesh is run through once in either direction."""
    F = mesh.faces
    ends = np.concatenate([F[:, [0, 1]], F[:, [1, 2]], F[:, [2, 0]]])
    count = int(F.max(initial=-1)) + 1
    edges, times = np.unique(ends[:, 0] * count + ends[:, 1], return_counts=True)
    return bool((times == 1).all() and np.isin(ends[:, 1] * count + ends[:, 0], edges).all())


def pieces_with_surfaces(shape: Shape) -> tuple[Hull, ...] | None:
    """Return the pieces of a shape whose meshes need not be closed, None where too many."""
    solid = hulls(shape)
    return _pieces(shape, np.eye(4)) if solid is None else solid


def _pieces(shape: Shape, X: Array) -> tuple[Hull, ...] | None:
    match shape:
        case Placed():
            return _pieces(shape.shape, X @ shape.X_PS)
        case Named(_, inner):
            return _pieces(inner, X)
        case Union(parts):
            found = [_pieces(part, X) for part in parts]
            if any(part is None for part in found):
                return None
            return tuple(hull for part in found if part is not None for hull in part)
        case Mesh() if not is_closed(shape):
            return _triangles(shape.vertices @ X[:3, :3].T + X[:3, 3], shape.faces)
        case _:
            return hulls(Placed(shape, X))


def joined_in_planes(V: Array, F: IntArray) -> IntArray:
    """Return triangles (k, 3) that cover what triangles (m, 3) of vertices (n, 3) do.

    What lies in one plane is cut anew, into no more triangles than its outline needs; corners are
    among those that were given. What meets itself stays as it is.
    """
    normal = np.cross(V[F[:, 1]] - V[F[:, 0]], V[F[:, 2]] - V[F[:, 0]])
    size = np.linalg.norm(normal, axis=1)
    F, normal = F[size > 0.0], normal[size > 0.0] / size[size > 0.0, None]
    away = np.einsum("ij,ij->i", normal, V[F[:, 0]])
    key = np.column_stack([normal, away]).round(IN_PLANE) + 0.0
    plane, count = np.unique(key, axis=0, return_inverse=True, return_counts=True)[1:]
    order = np.argsort(plane.reshape(-1), kind="stable")
    found = []
    for rows in np.split(order, np.cumsum(count)[:-1]):
        again = _cut_anew(V, F[rows], normal[rows[0]]) if len(rows) > 2 else None
        found.append(F[rows] if again is None or len(again) >= len(rows) else again)
    return np.concatenate([np.empty((0, 3), np.int64), *found])


def _cut_anew(V: Array, F: IntArray, normal: Array) -> IntArray | None:
    """Return triangles (k, 3) that cover the same part of a plane; None where none are found."""
    drop = int(np.abs(normal).argmax())
    flat = np.delete(V, drop, axis=1)
    ends = np.concatenate([F[:, [0, 1]], F[:, [1, 2]], F[:, [2, 0]]])
    edges, times = np.unique(np.sort(ends, axis=1), axis=0, return_counts=True)
    rim = edges[times == 1]
    area = shapely.build_area(shapely.multilinestrings(flat[rim]))
    whole = np.abs(_doubled(flat[F])).sum()
    if abs(2.0 * area.area - whole) > SAME * whole:
        return None
    pieces = shapely.constrained_delaunay_triangles(shapely.simplify(area, STRAIGHT))
    parts = shapely.get_parts(pieces)
    corners = shapely.get_coordinates(parts).reshape(-1, 4, 2)[:, :3]
    used = np.unique(rim)
    off, which = cKDTree(flat[used]).query(corners)
    if off.max(initial=0.0) > 0.0:
        return None
    again = used[which]
    along = np.cross(V[again[:, 1]] - V[again[:, 0]], V[again[:, 2]] - V[again[:, 0]]) @ normal
    again[along < 0.0] = again[along < 0.0][:, ::-1]
    return np.asarray(again, np.int64)


def _doubled(T: Array) -> Array:
    """Return twice the areas (n,) of triangles (n, 3, 2) of a plane, signed."""
    a, b = T[:, 1] - T[:, 0], T[:, 2] - T[:, 0]
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def _triangles(V: Array, F: IntArray) -> tuple[Hull, ...] | None:
    F = joined_in_planes(V, F) if len(F) > FEW else F
    if len(F) > MOST_TRIANGLES:
        return None
    found = []
    for corners in V[F]:
        e = np.roll(corners, -1, 0) - corners
        n = np.cross(e[0], e[1])
        area = float(np.linalg.norm(n))
        if area <= FLAT * float(np.max(np.sum(e * e, 1))):
            continue
        n /= area
        across = np.cross(e, n)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        normals = np.concatenate([[n, -n], across])
        ends = np.concatenate([corners + 0.5 * THICKNESS * n, corners - 0.5 * THICKNESS * n])
        found.append(Hull(POLYTOPE, ends, *_NAMES, _EDGES, normals, _RINGS))
    return tuple(found)
