"""Looks as one surface: meshes, which may be open and overlap, beside what is solid."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Mesh, Named, Placed, Shape, Union
from articulata.report.drawn_surfaces import SEGMENTS


@lru_cache(maxsize=256)
def drawn(look: Shape) -> Shape:
    """Return a look as one surface where meshes are part of it."""
    from articulata.geometry.solids import kernel_for

    leaves = list(_leaves(look, np.eye(4)))
    if not any(isinstance(leaf, Mesh) for leaf, _ in leaves) or isinstance(look, Mesh):
        return look
    vertices, faces, start = [], [], 0
    for leaf, X in leaves:
        if isinstance(leaf, Mesh):
            corners, triangles = leaf.vertices, leaf.faces
        else:
            made = kernel_for(leaf).tessellate(leaf, SEGMENTS)
            corners, triangles = made.vertices, made.triangles
        vertices.append(corners @ X[:3, :3].T + X[:3, 3])
        faces.append(triangles + start)
        start += len(corners)
    return Mesh(np.concatenate(vertices), np.concatenate(faces))


def _leaves(shape: Shape, X: Array) -> Iterator[tuple[Shape, Array]]:
    """Yield the parts of a look, what is cut or shared as a whole, and their poses (4, 4)."""
    if isinstance(shape, Placed):
        yield from _leaves(shape.shape, X @ shape.X_PS)
    elif isinstance(shape, Named):
        yield from _leaves(shape.shape, X)
    elif isinstance(shape, Union):
        for part in shape.parts:
            yield from _leaves(part, X)
    else:
        yield shape, X
