"""Turns that directions tell: the least from one to another, and the frame that two make.

Directions are unit vectors; rotation matrices and rotation vectors (rad) as in ``rotation``.
"""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array, Float64

PARALLEL = 1e-9
"""Sine of an angle under which two directions count as parallel or opposite. Unitless."""


def least_turns(a: Float64[Array, "n 3"], b: Float64[Array, "3"]) -> Float64[Array, "n 3"]:
    """Return the rotation vectors (n, 3) rad of the least turns that bring each of ``a`` to ``b``.

    Between opposite directions it is half a turn about some axis across them.

    >>> least_turns(np.array([[1.0, 0.0, 0.0]]), np.array([0.0, 1.0, 0.0])).round(6)
    array([[0.      , 0.      , 1.570796]])
    """
    axis = np.cross(a, b)
    sine = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, a @ b)
    across = np.cross(a, np.eye(3)[np.abs(a).argmin(axis=1)])
    axis = np.where(sine[:, None] > PARALLEL, axis, across)
    return np.asarray(angle[:, None] * axis / np.linalg.norm(axis, axis=1, keepdims=True))


def frame_along(two: Float64[Array, "3 2"]) -> Float64[Array, "3 3"]:
    """Return the rotation whose x is along the first of two directions, given as columns.

    Its y is as near to the second as it can be; the two must not be parallel.
    """
    x = two[:, 0]
    y = two[:, 1] - (two[:, 1] @ x) * x
    y = y / np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)
