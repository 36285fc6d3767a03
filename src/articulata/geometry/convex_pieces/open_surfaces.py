"""Surfaces that enclose nothing, as flat pieces: things that stand in the way without an inside.

A triangle is a prism of hardly any thickness, so that every direction that can part it from another
piece is a face's or that of two edges. Scans are cut into prisms that hold many triangles.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import shapely

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.hull import HIDDEN, Hull
from articulata.geometry.convex_pieces.hulls import hulls
from articulata.geometry.convex_pieces.scans import THICKNESS, Slab, slabs
from articulata.geometry.shapes import Mesh, Named, Placed, Shape, Union
from articulata.kernels.contacts.pieces import POLYTOPE

MOST_PIECES = 4096
"""A surface is cut into no more pieces."""

FINE = 0.002
"""m. Pieces that stand out of a surface by no more are not divided."""

COARSE = 0.010
"""m. A surface is not tested whose pieces stand out of it by more, as a finger's end gives way."""

MOST_CUT = 1000
"""A closed mesh of more triangles, with dents, is a surface: cutting it takes minutes."""

CONVEX = 1e-6
"""A mesh that lacks no more than this share of its convex hull has no dents."""

LARGE = 0.25
"""m. Triangles of this size that lie in no common plane have no piece in common."""

FEW = 512
"""Of fewer triangles those in one plane are not joined: it saves nothing."""

IN_PLANE = 6
"""Decimals, of normals and of m, by which triangles lie in one plane."""

SAME = 1e-9
"""Share by which the area of what is cut anew may differ, as numbers are rounded."""

STRAIGHT = 1e-9
"""m. So far from a straight line a corner of an outline is on it."""


def is_closed(mesh: Mesh) -> bool:
    """Return whether each edge of a mesh is run through once in either direction."""
    F = mesh.faces
    ends = np.concatenate([F[:, [0, 1]], F[:, [1, 2]], F[:, [2, 0]]])
    count = int(F.max(initial=-1)) + 1
    edges, times = np.unique(ends[:, 0] * count + ends[:, 1], return_counts=True)
    return bool((times == 1).all() and np.isin(ends[:, 1] * count + ends[:, 0], edges).all())


@lru_cache(maxsize=4096)
def pieces_with_surfaces(shape: Shape) -> tuple[Hull, ...] | None:
    """Return the pieces of a shape whose meshes need not be closed, None where too many."""
    solid = None if _many(shape) else hulls(shape)
    return _pieces(shape, np.eye(4)) if solid is None else solid


def _many(shape: Shape) -> bool:
    from scipy.spatial import ConvexHull, QhullError

    while isinstance(shape, Placed | Named):
        shape = shape.shape
    if not isinstance(shape, Mesh) or len(shape.faces) <= MOST_CUT:
        return False
    T = shape.vertices[shape.faces]
    volume = abs(float(np.einsum("ij,ij->", T[:, 0], np.cross(T[:, 1], T[:, 2])))) / 6.0
    try:
        return not volume >= (1.0 - CONVEX) * ConvexHull(shape.vertices).volume
    except QhullError:
        return True


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
        case Mesh():
            solid = hulls(Placed(shape, X)) if not _many(shape) and is_closed(shape) else None
            return _surface(shape, X) if solid is None else solid
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
    from scipy.spatial import cKDTree

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


@lru_cache(maxsize=64)
def _slabs(mesh: Mesh) -> tuple[Slab, ...] | None:
    V, F = mesh.vertices, mesh.faces
    F = joined_in_planes(V, F) if len(F) > FEW else F
    if len(F) > MOST_PIECES and (np.ptp(V[F], axis=1).max(axis=1) > LARGE).sum() > MOST_PIECES:
        return None
    found = slabs(V, F, FINE, MOST_PIECES)
    return None if any(each.beyond > COARSE for each in found) else tuple(found)


def _surface(mesh: Mesh, X: Array) -> tuple[Hull, ...] | None:
    found = _slabs(mesh)
    return None if found is None else tuple(_prism(each, X) for each in found)


def _prism(slab: Slab, X: Array) -> Hull:
    n = X[:3, :3] @ slab.normal
    outline = slab.outline @ X[:3, :3].T + X[:3, 3]
    count = len(outline)
    across = np.cross(np.roll(outline, -1, 0) - outline, n)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    thin, thick = (
        np.concatenate([outline + 0.5 * each * n, outline - 0.5 * each * n])
        for each in (THICKNESS, max(THICKNESS, slab.high - slab.low))
    )
    edges, rings = _prism_features(count)
    names = ((HIDDEN,) * (2 * count), (HIDDEN,) * len(edges), (HIDDEN,) * len(rings))
    return Hull(
        POLYTOPE,
        thick,
        *names,
        edges,
        np.concatenate([[n, -n], across]),
        rings,
        deviation=slab.beyond,
        core=thin if slab.beyond else None,
    )


@lru_cache(maxsize=16)
def _prism_features(count: int) -> tuple[IntArray, tuple[tuple[int, ...], ...]]:
    """Return edges and rings of a prism: its upper outline of ``count`` corners, then the lower."""
    ring = range(count)
    following = [(k + 1) % count for k in ring]
    rings = (
        tuple(ring),
        tuple(count + k for k in reversed(ring)),
        *((count + k, count + following[k], following[k], k) for k in ring),
    )
    edges = [
        edge
        for k in ring
        for edge in (
            (k, following[k], 0, 2 + k),
            (count + k, count + following[k], 2 + k, 1),
            (following[k], count + following[k], 2 + k, 2 + following[k]),
        )
    ]
    return np.array(edges, np.int64), rings
