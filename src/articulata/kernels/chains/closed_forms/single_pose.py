"""One pose of a six-joint arm at the least cost: its branches, and the one that is nearest.

``room`` (``ROOM``,) receives the branches that exist one after another: 6 joint values each; from
``FLAGS`` on their flags (see ``pose_blocks``), from ``SLOTS`` their numbers and from ``POSE`` the
pose. A kernel that solves a pose returns how many there are; -1 where some of the pose is not a
rotation and a place to within ``rigid`` (or no number), or where no branch keeps the limits: these
need a closer look.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from articulata.kernels.array_types import Array
from articulata.kernels.chains.closed_forms.pose_blocks import ELBOW, OUTSIDE, SHOULDER, WRIST
from articulata.kernels.chains.closed_forms.single_pose_layout import FLAGS, POSE, ROOM, SLOTS
from articulata.kernels.compile import bind, kernel

PoseSolver = Callable[[Array], tuple[Array, int]]
"""Solves one pose (4, 4), float64 in C order: ``room`` and how many branches there are."""


def pose_solver(kernel: Callable[..., int], arm: tuple[Any, ...], rigid: float) -> PoseSolver:
    """Return what solves a pose by a kernel that takes what ``arm`` holds first."""
    compiled = bind(kernel, *arm, np.eye(4), rigid, np.empty(ROOM))

    def solve(pose: Array) -> tuple[Array, int]:
        room = np.empty(ROOM)
        return room, compiled(*arm, pose, rigid, room)

    return solve


def branch_chooser(
    solve: PoseSolver, lower: Array, upper: Array
) -> Callable[[Array, Array], tuple[Array, int]]:
    """Return what finds the branch of a pose (4, 4) nearest to a posture (6,), at the least cost.

    It gives the posture within ``lower`` and ``upper`` (6,) and the number of its branch, less than
    0 where the pose needs a closer look. All arrays float64 in C order.
    """
    lower, upper = np.array(lower, np.float64), np.array(upper, np.float64)
    choose = bind(choose_branch, np.empty(ROOM), 8, lower, upper, np.empty(6))

    def nearest(pose: Array, wanted: Array) -> tuple[Array, int]:
        room, count = solve(pose)
        return room[:6], -1 if count < 0 else choose(room, count, lower, upper, wanted)

    return nearest


@kernel(counted=False)
def read_pose(pose: Any, rigid: float, room: Any) -> bool:
    """Write a pose (4, 4) into the room; return whether it is a rotation and a place."""
    for r in range(4):
        for c in range(4):
            room[POSE + 4 * r + c] = pose[r, c]
    off = 0.0
    for i in range(3):
        for j in range(i + 1):
            dot = pose[0, i] * pose[0, j] + pose[1, i] * pose[1, j] + pose[2, i] * pose[2, j]
            gap = abs(dot - (1.0 if i == j else 0.0))
            off = off if gap <= off else gap
    handed = (
        pose[0, 0] * (pose[1, 1] * pose[2, 2] - pose[1, 2] * pose[2, 1])
        - pose[0, 1] * (pose[1, 0] * pose[2, 2] - pose[1, 2] * pose[2, 0])
        + pose[0, 2] * (pose[1, 0] * pose[2, 1] - pose[1, 1] * pose[2, 0])
    )
    level = pose[3, 0] == 0.0 and pose[3, 1] == 0.0 and pose[3, 2] == 0.0 and pose[3, 3] == 1.0
    place = pose[0, 3] + pose[1, 3] + pose[2, 3]
    return off <= rigid and handed > 0.0 and level and abs(place) < np.inf


@kernel(counted=False)
def gathered(room: Any) -> int:
    """Move the branches that exist to the beginning of the room; return how many there are.

    -1 where none keeps the limits.
    """
    if room[FLAGS + 8] != 0.0:
        return -1
    count = 0
    for b in range(8):
        if room[FLAGS + b] > 0.0:
            for i in range(6):
                room[6 * count + i] = room[6 * b + i]
            room[FLAGS + count] = room[FLAGS + b]
            room[SLOTS + count] = b
            count += 1
    return count


@kernel(counted=False)
def choose_branch(room: Any, count: int, lower: Any, upper: Any, wanted: Any) -> int:
    """Bring the branch nearest to ``wanted`` (6,) to the beginning of ``room``; return its number.

    ``room`` as ``gathered`` leaves it. Of the branches within limits, whole turns chosen near
    ``wanted``, that whose largest difference of a joint is least; -1 where one of them is
    singular, which needs a closer look.
    """
    turn = 2.0 * math.pi
    best = -1
    least = np.inf
    for b in range(count):
        flags = int(room[FLAGS + b])
        if flags & OUTSIDE != 0:
            continue
        if flags & (WRIST | ELBOW | SHOULDER) != 0:
            return -1
        off = 0.0
        for i in range(6):
            value = room[6 * b + i]
            value += turn * np.rint((wanted[i] - value) / turn)
            value -= turn * max(math.ceil((value - upper[i]) / turn - 1e-13), 0.0)
            value += turn * max(math.ceil((lower[i] - value) / turn - 1e-13), 0.0)
            room[6 * b + i] = value
            off = max(off, abs(value - wanted[i]))
        if off < least:
            least = off
            best = b
    if best < 0:
        return -1
    for i in range(6):
        room[i] = room[6 * best + i]
    return int(room[SLOTS + best])
