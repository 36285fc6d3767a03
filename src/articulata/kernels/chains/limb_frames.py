"""Where links stand in the frames of the links before them, and which of them have moved."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.forward_kinematics import TreeArrays, poses_one
from articulata.kernels.compile import kernel

PLACED, TURNED = 1, 2
"""Bits that say what has changed of a link since it was last looked at."""


@kernel
def limb_frames(
    tree: TreeArrays,
    ends: Any,
    base: Any,
    values: Any,
    X: Any,
    joints: Any,
    stands: Any,
    same: float,
    poses: Any,
    frames: Any,
    moved: Any,
) -> None:
    """Put the poses of links in those they stand in into ``frames`` (n, 7), place and quaternion.

    ``ends`` (joints, 4, 4) are the links' frames in those of the joints; ``values`` (joints,) moves
    the tree and ``X`` (4, 4) stands before it and before ``base`` (4, 4). ``poses`` (joints, 4, 4)
    receives the links' poses.

    ``joints`` (n,) are the rows of links in ``forward_kinematics``, -1 for the base; ``stands``
    (n,) the rows in ``joints`` of what they stand in, -1 for the frame of the poses. Quaternions
    have w first. ``moved`` (n,) receives ``PLACED`` and ``TURNED`` of what is farther than ``same``
    from what ``frames`` held.
    """
    b = _links(tree, ends, base, values, X, poses)
    x, s, m = np.empty((3, 4)), np.empty((3, 4)), np.empty((3, 4))
    for row in range(len(joints)):
        for i in range(3):
            for j in range(4):
                at, on = joints[row], stands[row]
                x[i, j] = b[i, j] if at < 0 else poses[at, i, j]
                if on < 0:
                    s[i, j] = 1.0 if i == j else 0.0
                else:
                    at = joints[on]
                    s[i, j] = b[i, j] if at < 0 else poses[at, i, j]
        for i in range(3):
            x[i, 3] -= s[i, 3]
        for i in range(3):
            for j in range(4):
                m[i, j] = s[0, i] * x[0, j] + s[1, i] * x[1, j] + s[2, i] * x[2, j]
        told = 0
        for i in range(3):
            if not abs(m[i, 3] - frames[row, i]) <= same:
                told |= PLACED
            frames[row, i] = m[i, 3]
        q = _quaternion(m)
        size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        along = 0.0
        for i in range(4):
            along += q[i] * frames[row, 3 + i]
        # of the two quaternions of one turn the nearer one to that of before
        size = -size if along < 0.0 else size
        for i in range(4):
            if not abs(q[i] / size - frames[row, 3 + i]) <= same:
                told |= TURNED
            frames[row, 3 + i] = q[i] / size
        moved[row] = told


@kernel
def _links(tree: TreeArrays, ends: Any, base: Any, values: Any, X: Any, poses: Any) -> Any:
    """Put the links' poses into ``poses``; return that of the base (3, 4)."""
    count = len(tree.kinds)
    work, y, b = np.empty((count, 3, 4)), np.empty((3, 4)), np.empty((3, 4))
    poses_one(tree, values, work)
    for joint in range(-1, count):
        # X before and the link's end behind; the base has no end
        for i in range(3):
            for j in range(4):
                y[i, j] = X[i, 3] if j == 3 else 0.0
                for k in range(3):
                    y[i, j] += X[i, k] * (base[k, j] if joint < 0 else work[joint, k, j])
        for i in range(3):
            for j in range(4):
                if joint < 0:
                    b[i, j] = y[i, j]
                else:
                    end = ends[joint]
                    poses[joint, i, j] = (
                        y[i, 0] * end[0, j] + y[i, 1] * end[1, j] + y[i, 2] * end[2, j]
                    )
            if joint >= 0:
                poses[joint, i, 3] += y[i, 3]
        if joint >= 0:
            for j in range(4):
                poses[joint, 3, j] = 1.0 if j == 3 else 0.0
    return b


@kernel
def _quaternion(m: Any) -> tuple[float, float, float, float]:
    """Return a turn ``m`` (3, 3 or more) as a quaternion of any length but 0, w first."""
    # the largest component is taken from the diagonal (Shepperd 1978)
    a, e, k = m[0, 0], m[1, 1], m[2, 2]
    if a + e + k > 0.0:
        return 1.0 + a + e + k, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    if a > e and a > k:
        return m[2, 1] - m[1, 2], 1.0 + a - e - k, m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]
    if e > k:
        return m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], 1.0 - a + e - k, m[1, 2] + m[2, 1]
    return m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1.0 - a - e + k
