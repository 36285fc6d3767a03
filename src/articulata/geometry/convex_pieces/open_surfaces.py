"""Surfaces that enclose nothing, as flat pieces: things that stand in the way without an inside.

A triangle is a prism of hardly any thickness, so that every direction that can part it from another
piece is a face's or that of two edges.
"""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.hull import HIDDEN, Hull
from articulata.geometry.convex_pieces.hulls import hulls
from articulata.geometry.shapes import Mesh, Named, Placed, Shape, Union
from articulata.kernels.contacts.pieces import POLYTOPE

MOST_TRIANGLES = 4096
"""A surface of more triangles is not tested."""

FLAT = 1e-12
"""Area of a triangle, as a share of its longest edge's square, below which it is left out."""

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


def _triangles(V: Array, F: IntArray) -> tuple[Hull, ...] | None:
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
