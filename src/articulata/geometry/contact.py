"""Which solids meet, and with which of their faces.

Solids of primitives are compared by convex distance, others through the mesh of their common
part, in which every triangle still knows the face it came from. Metres.
"""

from __future__ import annotations

import numpy as np

from articulata.errors import GeometryError
from articulata.geometry.constructed import build_manifold, kept_mesh
from articulata.geometry.convex import gap_between, pieces_of
from articulata.geometry.parts import parts_of
from articulata.geometry.shapes import (
    HalfSpace,
    Intersection,
    Named,
    Shape,
)

TOUCHING = 1e-9
"""Solids nearer than this, relative to their size, touch."""


def primitives_intersect(a: Shape, b: Shape) -> bool:
    """Return whether two placed primitives share a point."""
    (part_a,), (part_b,) = parts_of(a), parts_of(b)
    if isinstance(part_b.shape, HalfSpace):
        part_a, part_b = part_b, part_a
    if isinstance(part_a.shape, HalfSpace):
        normal, origin = part_a.X_BS[:3, 1], part_a.X_BS[:3, 3]
        if isinstance(part_b.shape, HalfSpace):
            other = part_b.X_BS[:3, 1]
            opposed = float(normal @ other) < -1 + 1e-15
            return not opposed or float((part_b.X_BS[:3, 3] - origin) @ normal) <= TOUCHING
        depth = min(
            float((piece.support(-normal) - origin) @ normal) - piece.margin
            for piece in pieces_of(part_b)
        )
        return depth <= TOUCHING
    return any(
        gap_between(p, q).distance <= TOUCHING for p in pieces_of(part_a) for q in pieces_of(part_b)
    )


def solids_intersect(a: Shape, b: Shape, segments: int) -> bool:
    """Return whether two solids share some volume; round faces are facets of ``segments``."""
    both = Intersection([a, b])
    solid, _ = build_manifold(both, parts_of(both), segments)
    return not solid.is_empty()


def meeting_faces(a: Shape, b: Shape, segments: int) -> tuple[tuple[str, str], ...]:
    """Return the pairs of faces, of ``a`` and of ``b``, that cross each other; sorted.

    A solid wholly inside the other crosses no face.
    """
    both = Intersection([Named("a", a), Named("b", b)])
    try:
        mesh = kept_mesh(both, segments)
    except GeometryError:
        return ()
    F = mesh.triangles
    ends = np.concatenate([F[:, [0, 1]], F[:, [1, 2]], F[:, [2, 0]]])
    side = np.tile(mesh.face, 3)
    count = int(F.max()) + 1
    key = ends[:, 0] * count + ends[:, 1]
    order = np.argsort(key)
    twin = side[order[np.searchsorted(key, ends[:, 1] * count + ends[:, 0], sorter=order)]]
    pairs = np.unique(np.stack([side, twin], axis=1), axis=0)
    named = ((mesh.faces[i], mesh.faces[j]) for i, j in pairs)
    return tuple(
        sorted(
            {
                (one.removeprefix("a."), two.removeprefix("b."))
                for one, two in named
                if one.startswith("a.") and two.startswith("b.")
            }
        )
    )
