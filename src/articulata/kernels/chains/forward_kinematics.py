"""Forward kinematics and Jacobians of chains and trees, batch of one or of millions.

The canonical form. A tree of ``joints`` joints, parents before children, is three arrays:

- ``fixed`` (joints, 3, 4): pose of joint j's frame in its parent's moved frame (in the base B
  where ``parents[j] == -1``), before the joint moves;
- ``kinds`` (joints,) int64: ``REVOLUTE`` turns about the joint's z by q[j] (rad), ``PRISMATIC``
  moves along it by q[j] (m), ``FIXED`` ignores q[j];
- ``parents`` (joints,) int64, ``parents[j] < j``; a serial chain has ``arange(-1, joints - 1)``.

``X_BL`` of joint j's link L is the frame after the joint's motion. Free coordinates u of a
figure with mimic joints map to joint values by ``q = M u + offset``; multiply the Jacobian's
columns by M. All float64 and C-contiguous; (3, 4) blocks are [R | p].
Reference: Craig, Introduction to Robotics, chapters 3 and 5.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel

REVOLUTE = 0
PRISMATIC = 1
FIXED = 2


class TreeArrays(NamedTuple):
    """The canonical form of a tree or chain."""

    fixed: Array
    kinds: IntArray
    parents: IntArray


@kernel(counted=False)
def poses_one(tree: TreeArrays, q: Array, out: Array) -> None:
    """Write X_BL (joints, 3, 4) of every link for joint values ``q`` (joints,) into ``out``."""
    fixed, kinds, parents = tree.fixed, tree.kinds, tree.parents
    for j in range(kinds.shape[0]):
        f = fixed[j]
        x = out[j]
        i = parents[j]
        if i < 0:
            for r in range(3):
                for c in range(4):
                    x[r, c] = f[r, c]
        else:
            a = out[i]
            for r in range(3):
                for c in range(4):
                    x[r, c] = a[r, 0] * f[0, c] + a[r, 1] * f[1, c] + a[r, 2] * f[2, c]
                x[r, 3] += a[r, 3]
        if kinds[j] == 0:
            cosine = math.cos(q[j])
            sine = math.sin(q[j])
            for r in range(3):
                u = x[r, 0]
                v = x[r, 1]
                x[r, 0] = u * cosine + v * sine
                x[r, 1] = v * cosine - u * sine
        elif kinds[j] == 1:
            for r in range(3):
                x[r, 3] += x[r, 2] * q[j]


@kernel
def poses(tree: TreeArrays, q: Array, out: Array, begin: int, end: int) -> None:
    """Write X_BL of postures ``begin`` to ``end``: q (batch, joints), out (batch, joints, 4, 4).

    The rows (0, 0, 0, 1) of ``out`` are written too.
    """
    joints = tree.kinds.shape[0]
    work = np.empty((joints, 3, 4))
    for b in range(begin, end):
        poses_one(tree, q[b], work)
        for j in range(joints):
            for r in range(3):
                for c in range(4):
                    out[b, j, r, c] = work[j, r, c]
            out[b, j, 3, 0] = 0.0
            out[b, j, 3, 1] = 0.0
            out[b, j, 3, 2] = 0.0
            out[b, j, 3, 3] = 1.0


@kernel(counted=False)
def tip_pose_one(
    tree: TreeArrays, q: Array, link: int, tip: Array, work: Array, out: Array
) -> None:
    """Write X_BT (3, 4) for a tip with pose ``tip`` (3, 4) in link ``link`` (-1: the base)."""
    poses_one(tree, q, work)
    if link < 0:
        for r in range(3):
            for c in range(4):
                out[r, c] = tip[r, c]
        return
    a = work[link]
    for r in range(3):
        for c in range(4):
            out[r, c] = a[r, 0] * tip[0, c] + a[r, 1] * tip[1, c] + a[r, 2] * tip[2, c]
        out[r, 3] += a[r, 3]


@kernel(counted=False)
def jacobian_one(tree: TreeArrays, links: Array, link: int, point: Array, out: Array) -> None:
    """Write the Jacobian (6, joints) of a point of ``link``, given all X_BL in ``links``.

    Rows: velocity of the point, then angular velocity, both in the base frame. ``point`` (3,)
    is the point's present place in the base. Joints that do not carry the link have zero
    columns.
    """
    kinds, parents = tree.kinds, tree.parents
    for r in range(6):
        for j in range(kinds.shape[0]):
            out[r, j] = 0.0
    j = link
    while j >= 0:
        x = links[j]
        zx = x[0, 2]
        zy = x[1, 2]
        zz = x[2, 2]
        if kinds[j] == 0:
            dx = point[0] - x[0, 3]
            dy = point[1] - x[1, 3]
            dz = point[2] - x[2, 3]
            out[0, j] = zy * dz - zz * dy
            out[1, j] = zz * dx - zx * dz
            out[2, j] = zx * dy - zy * dx
            out[3, j] = zx
            out[4, j] = zy
            out[5, j] = zz
        elif kinds[j] == 1:
            out[0, j] = zx
            out[1, j] = zy
            out[2, j] = zz
        j = parents[j]


@kernel
def tips(
    tree: TreeArrays, q: Array, link: int, tip: Array, out: Array, begin: int, end: int
) -> None:
    """Write X_BT of postures ``begin`` to ``end``: q (batch, joints), out (batch, 4, 4)."""
    work = np.empty((tree.kinds.shape[0], 3, 4))
    pose = np.empty((3, 4))
    for b in range(begin, end):
        tip_pose_one(tree, q[b], link, tip, work, pose)
        for r in range(3):
            for c in range(4):
                out[b, r, c] = pose[r, c]
        out[b, 3, 0] = 0.0
        out[b, 3, 1] = 0.0
        out[b, 3, 2] = 0.0
        out[b, 3, 3] = 1.0


@kernel
def jacobians(
    tree: TreeArrays, q: Array, link: int, tip: Array, out: Array, begin: int, end: int
) -> None:
    """Write the tip's Jacobian of postures ``begin`` to ``end``: out (batch, 6, joints)."""
    work = np.empty((tree.kinds.shape[0], 3, 4))
    pose = np.empty((3, 4))
    point = np.empty(3)
    for b in range(begin, end):
        tip_pose_one(tree, q[b], link, tip, work, pose)
        for r in range(3):
            point[r] = pose[r, 3]
        jacobian_one(tree, work, link, point, out[b])
