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


THIN = 1e-6
"""A body whose least moment of inertia is a smaller part of its greatest turns too easily."""


def shared_out(weights: list[Weight | None], hinges: list[tuple[int, Array | None] | None]) -> None:
    """Give thin bodies moments of inertia of the bodies they turn on, so that motion is the same.

    A motor's rotor may have one moment alone, which no rigid body has. But what a hinge joins
    turns alike across its axis ``a``: a share ``k (1 - a a^T)`` moved from one of the two bodies
    to the other leaves the kinetic energy of the whole as it was. ``hinges`` give each body's
    parent and the axis in its own frame and in the parent's, (2, 3); None for a slide, where all
    moments may move. Parents come first. A body without weight rests and gives what is asked.
    """
    for number, hinge in enumerate(hinges):
        weight = weights[number]
        if hinge is None or weight is None:
            continue
        parent, axes = hinge
        moments = np.linalg.eigvalsh(weight.inertia)
        most = float(moments[-1])
        if most <= 0.0 or moments[0] > THIN * most:
            continue
        giver = weights[parent]
        share = 0.1 * most
        if giver is not None:
            share = min(share, 0.5 * float(np.linalg.eigvalsh(giver.inertia)[0]))
        if share <= 0.0:
            continue
        weights[number] = _with(weight, share, None if axes is None else axes[0])
        if giver is not None:
            weights[parent] = _with(giver, -share, None if axes is None else axes[1])


LENT, POINT, OWN = 0.1, 0.02, 0.02
"""What a ring between axes is lent: of the least moment of inertia and of the mass beside it.

``OWN`` is the share of the moment that one has of its own where that does not suffice.
"""


def give_rings(
    weights: list[Weight | None],
    hinges: list[tuple[int, Array | None] | None],
    points: list[Array],
) -> None:
    """Give the massless links between joints' axes, the rings of a gimbal, what lies beside them.

    A share ``k (1 - a a^T)`` of a body's inertia and a mass on the axis ``a`` move alike in the
    ring that the axis joins it to, so that the motion stays the same. Of three axes the first ring
    is lent nothing about the first, the second nothing about the last: there they have a small
    moment of their own, by which they are regular where two axes fall together. ``points`` (2, 3)
    are those of each joint in its body and in the parent. What has no moments gives and rests.
    """
    after = {hinge[0]: k for k, hinge in enumerate(hinges) if hinge is not None}
    rings = {k for k, hinge in enumerate(hinges) if hinge and weights[k] is None and k in after}
    for ring in sorted(rings):
        end = after[ring]
        while end in rings:
            end = after[end]
        heavy, hinge, outer = weights[end], hinges[ring], hinges[after[ring]]
        if heavy is None or hinge is None or outer is None:
            continue
        size, mass = LENT * float(np.linalg.eigvalsh(heavy.inertia)[0]), POINT * heavy.mass
        lent: list[Weight] = []
        axis = np.zeros(3)
        for giver, axes, place, side in (
            (hinge[0], hinge[1], points[ring], 0),
            (after[ring], outer[1], points[after[ring]], 1),
        ):
            if giver in rings or axes is None:
                continue
            whole, k = weights[giver], size
            a, b = axes[side], axes[1 - side]
            least = 0.0 if whole is None else float(np.linalg.eigvalsh(whole.inertia)[0])
            if whole is not None and least > 0.0:
                k = min(size, LENT * least)
                less = Weight(-mass, place[1 - side], np.zeros((3, 3)))
                weights[giver] = _with(together([whole, less]), -k, b)
            lent.append(Weight(mass, place[side], k * (np.eye(3) - np.outer(a, a))))
            axis = a
        if lent:
            own = OWN * size * np.outer(axis, axis) if len(lent) == 1 else np.zeros((3, 3))
            made = together(lent)
            weights[ring] = Weight(made.mass, made.center, made.inertia + own)


def _with(weight: Weight, share: float, axis: Array | None) -> Weight:
    across = np.eye(3) if axis is None else np.eye(3) - np.outer(axis, axis)
    return Weight(weight.mass, weight.center, weight.inertia + share * across)
