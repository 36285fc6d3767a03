"""One pose of Leonardo's arm at a given shrug: all eight branches, by two-axes subproblems.

See ``shrug`` for the arm. Two axes through one point are solved as Paden's second subproblem
(Murray, Li and Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, section 3.3.2),
all joints written as turns about their axes at zero.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.kinematics.joint import PRISMATIC, REVOLUTE

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

_MEET = 1e-9
"""Axes meet when they pass each other by no more than this share of the arm's length."""

_SINGULAR = 1e-7
BRANCHES = 8


class ShrugArm(NamedTuple):
    """The arm at zero: axes ``w`` (7, 3), the points S, E and one on axis 7, the tip ``M``.

    ``table`` (18, 3) is what the kernels take of it.
    """

    w: Array
    S: Array
    E: Array
    p7: Array
    M: Array
    table: Array


class Solved(NamedTuple):
    """Branches ``q`` (n, 8, 7), NaN where none; ``lack`` (n, 8): how far they are from existing.

    ``lack`` is 0 where a branch exists and negative elsewhere. ``side`` (n,) is -1 where the
    elbow's circle lies beyond the sphere about the shoulder, 1 where inside, else 0.
    """

    q: Array
    lack: Array
    side: IntArray
    degenerate: IntArray


def solve(arm: ShrugArm, X_WT: Float64[Array, "n 4 4"], s: Float64[Array, "n"]) -> Solved:
    """Return every branch of each pose at its shrug ``s`` (m)."""
    n = len(X_WT)
    slots = np.tile(np.arange(BRANCHES), n)
    q, lack, told = _postures(arm, np.repeat(X_WT, BRANCHES, axis=0), np.repeat(s, BRANCHES), slots)
    flags = told[:, 1].reshape(n, BRANCHES)
    return Solved(
        q.reshape(n, BRANCHES, 7), lack.reshape(n, BRANCHES), told[::BRANCHES, 0].copy(), flags
    )


def solve_slots(
    arm: ShrugArm,
    X_WT: Float64[Array, "n 4 4"],
    s: Float64[Array, "n"],
    slots: Int64[IntArray, "n"],
) -> tuple[Float64[Array, "n 7"], Float64[Array, "n"]]:
    """Return one branch of each pose at its shrug ``s`` (m), and what it lacks, as ``Solved``."""
    return _postures(arm, X_WT, s, slots)[:2]


def _postures(
    arm: ShrugArm, X_WT: Array, s: Array, slots: IntArray
) -> tuple[Array, Array, IntArray]:
    from articulata.kernels.chains.self_motion.shrug_7dof import postures

    n = len(X_WT)
    X, s = np.ascontiguousarray(X_WT, np.float64), np.ascontiguousarray(s, np.float64)
    q, lack, told = np.empty((n, 7)), np.empty(n), np.empty((n, 2), np.int64)
    postures(arm.table, X, s, np.ascontiguousarray(slots, np.int64), q, lack, told, 0, n)
    return q, lack, told


def wrapped(angle: Array) -> Array:
    """Return angles less whole turns, within half a turn of 0, rad."""
    return angle - math.tau * np.round(angle / math.tau)


def shrug_arm(chain: Serial) -> ShrugArm | None:
    """Return the arm at zero, or None where the structure is another."""
    if chain.dof != 7 or any(joint.mimic is not None for joint in chain.joints):
        return None
    kinds = [chain.joints[i].kind for i in chain.free]
    if kinds != [PRISMATIC] + [REVOLUTE] * 6:
        return None
    X = chain.base
    frames = []
    for joint in chain.joints:
        frames.append(X @ joint.X_PJ)
        X = frames[-1] @ joint.X_JL
    w = np.array([frames[i][:3, 2] for i in chain.free])
    p = np.array([frames[i][:3, 3] for i in chain.free])
    size = float(np.max(np.linalg.norm(np.diff(p, axis=0), axis=1), initial=0.0))
    S = _crossing(w[1], p[1], w[2], p[2], size)
    E = _crossing(w[3], p[3], w[4], p[4], size)
    if S is None or E is None or size == 0.0:
        return None
    last = np.linalg.norm(np.cross(w[5], E - p[5]))
    parallel = np.linalg.norm(np.cross(w[4], w[5])) < _SINGULAR
    radius = np.linalg.norm(np.cross(w[6], E - p[6]))
    if last > _MEET * size or parallel or radius < _SINGULAR * size:
        return None
    if np.linalg.norm(E - S) < _SINGULAR * size:
        return None
    M = X @ chain.end
    return ShrugArm(w, S, E, p[6], M, _table(w, S, E, p[6], M))


def _table(w: Array, S: Array, E: Array, p7: Array, M: Array) -> Array:
    """Return the arm as the kernels take it, (18, 3)."""
    middle = p7 + w[6] * np.dot(w[6], E - p7)
    y = np.cross(w[5], np.eye(3)[int(np.argmin(np.abs(w[5])))])
    y /= np.linalg.norm(y)
    back = np.linalg.inv(M)[:3]
    rest = (S, E - S, middle, E - middle, np.cross(w[6], E - middle), *back[:, :3], back[:, 3], y)
    return np.array([*w, *rest, np.cross(w[5], y)])


def _crossing(w1: Array, p1: Array, w2: Array, p2: Array, size: float) -> Array | None:
    """Return the point where two axes meet, None where they pass each other or are parallel."""
    across = np.cross(w1, w2)
    span = float(np.dot(across, across))
    if span < _SINGULAR**2:
        return None
    apart = p2 - p1
    if abs(np.dot(apart, across)) > _MEET * size * math.sqrt(span):
        return None
    along = np.dot(np.cross(apart, w2), across) / span
    return np.asarray(p1 + along * w1)
