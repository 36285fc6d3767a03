"""How thick convex pieces are: what moves farther in a step may pass through them."""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kernels.contacts.pieces import HOLLOW, LINE, POLYTOPE, ROUND, Pieces

SHEET = 1e-3
"""Least thickness, as a share of the radius of the ball that holds a piece."""


def thickness(pieces: Pieces) -> Array:
    """Return the thickness of pieces (p,), m: their least width across faces, walls and caps.

    Of a hollow wall it is that of the material; endless pieces, rims and probes have inf.
    """
    out = np.full(len(pieces.kind), np.inf)
    for i, kind in enumerate(pieces.kind.tolist()):
        if kind == POLYTOPE:
            width = _width(pieces, i) + 2.0 * float(pieces.radius[i])
        elif kind == ROUND:
            back, front, half = pieces.size[i].tolist()
            width = 2.0 * min(max(back, front), half)
        elif kind == HOLLOW:
            width = float(pieces.size[i, 1])
        elif kind == LINE:
            width = 2.0 * float(pieces.radius[i])
        else:
            continue
        out[i] = max(width, SHEET * float(pieces.ball[i, 3]))
    return out


def _width(pieces: Pieces, i: int) -> float:
    """Return the least extent (m) of a polytope along its faces' normals; 0 without faces."""
    vertices = pieces.vertices[pieces.vertex_start[i] : pieces.vertex_start[i + 1]]
    normals = pieces.normals[pieces.face_start[i] : pieces.face_start[i + 1]]
    if not len(normals):
        return 0.0
    return float(np.min(np.ptp(vertices @ normals.T, axis=0)))
