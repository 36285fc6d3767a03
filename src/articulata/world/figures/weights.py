"""What the links of a figure weigh, alone and as one rigid body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array
from articulata.world.figures.nodes import LinkData


@dataclass(frozen=True, slots=True, eq=False)
class Weight:
    """``mass`` (kg), ``center`` (3,) m in a group's frame, ``inertia`` (3, 3) about it there."""

    mass: float
    center: Array
    inertia: Array


def link_weight(link: LinkData, X_GL: Array) -> Weight | None:
    """Return what a link weighs, in the frame G that ``X_GL`` leads to; None without a mass."""
    if link.mass is None:
        return None
    R, p = X_GL[:3, :3], X_GL[:3, 3]
    return Weight(link.mass, R @ np.array(link.center) + p, R @ moments_matrix(link.inertia) @ R.T)


def moments_matrix(moments: tuple[float, ...]) -> Array:
    """Return the matrix (3, 3) of three moments of inertia, or six with products; 0 for none."""
    xx, yy, zz, xy, xz, yz = (*moments, *(0.0,) * 6)[:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def together(weights: Iterable[Weight]) -> Weight:
    """Return the weight of several that are one rigid body (Steiner)."""
    each = tuple(weights)
    if len(each) == 1:
        return each[0]
    mass = sum(one.mass for one in each)
    center = sum((one.mass * one.center for one in each), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for one in each:
        arm = one.center - center
        inertia += one.inertia + one.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Weight(mass, center, inertia)
