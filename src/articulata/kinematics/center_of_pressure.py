"""Centre of pressure of a figure that rests on a floor.

The floor's force acts through this point: about it weight and pushes have no tipping moment.
Without pushes it lies below the centre of mass G. W is the world.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array


def center_of_pressure(
    weight: Array,
    center: tuple[Array, Array],
    supports: tuple[Array, Array],
    pushed: tuple[Array, Array],
    forces: Array,
) -> tuple[Array, Array]:
    """Return the point (n, 3) over which the floor presses back, and its Jacobian (n, 3, dof).

    ``weight`` (3,) is the force of gravity in N, ``forces`` (k, 3) what pushes; the ``center``
    (n, 3) of mass, the ``supports`` (n, s, 3) and the places that are ``pushed`` (n, k, 3) come
    with their Jacobians. The floor is as high as the supports on the mean. Heights of the point
    itself are not to be read. KinematicsError where the pushes lift the figure.
    """
    up = -weight / np.linalg.norm(weight)
    lifting = forces @ up
    total = weight @ up + lifting.sum()
    if not total < 0.0:
        raise KinematicsError(
            f"the pushes lift with {lifting.sum():.4g} N what weighs {-(weight @ up):.4g} N: "
            "nothing rests on the supports; push less"
        )
    aside = forces - lifting[:, None] * up
    found = []
    for p_WG, floor, points in zip(center, supports, pushed, strict=True):
        # of places (n, k, 3) and of Jacobians (n, k, 3, dof) alike
        level = np.einsum("nsa...,a->ns...", floor, up).mean(axis=1, keepdims=True)
        height = np.einsum("nka...,a->nk...", points, up) - level
        moved = np.einsum("nka...,k->na...", points, lifting)
        moved -= np.einsum("nk...,ka->na...", height, aside)
        found.append((weight @ up * p_WG + moved) / total)
    return found[0], found[1]


def within(points: Array, corners: Array) -> npt.NDArray[np.bool_]:
    """Return which ``points`` (n, 2) lie in a polygon (m, 2): a ray from them crosses it oddly."""
    inside = np.zeros(len(points), bool)
    x, y = points.T
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, 0), strict=True):
        if ay != by:
            across = (y < ay) != (y < by)
            inside ^= across & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return inside


def across(direction: Array) -> Array:
    """Return two unit vectors (2, 3) across ``direction`` and each other."""
    unit = direction / np.linalg.norm(direction)
    first = np.cross(unit, np.eye(3)[int(np.argmin(np.abs(unit)))])
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(unit, first)])
