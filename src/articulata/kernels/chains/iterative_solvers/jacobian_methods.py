"""The Jacobian methods as published, for comparison with the engine.

All move by ``dq = J# e`` for an error e of the tip (position, 3 rows, or pose, 6), J# being

- ``TRANSPOSE``: ``a J^T``, ``a = (e . J J^T e) / |J J^T e|^2`` (Wolovich & Elliott 1984);
- ``PSEUDOINVERSE``: ``J+`` (Whitney 1969), plus a null-space task;
- ``DAMPED``: ``J^T (J J^T + damping^2)^-1`` (Nakamura & Hanafusa, Wampler 1986), plus the task;
- ``EXTENDED``: the Jacobian extended by the condition that the task's gradient g has no part in
  the null space, ``(1 - J+ J) g = 0`` (Baillieul 1985): closed hand paths give closed joint
  paths, which the pseudoinverse does not.

The task is a pull toward a neutral posture, ``g = pull (neutral - q)``. Limits by clamping.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array
from articulata.kernels.chains.forward_kinematics import TreeArrays, jacobian_one, tip_pose_one
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import overwrite

TRANSPOSE, PSEUDOINVERSE, DAMPED, EXTENDED = 0, 1, 2, 3


class Links(NamedTuple):
    """A serial chain as in ``forward_kinematics``."""

    tree: TreeArrays
    tip: Array


class Law(NamedTuple):
    """Which ``method``, its ``damping``, and the null-space task: ``pull (neutral - q)``."""

    method: int
    damping: float
    pull: float
    neutral: Array


class End(NamedTuple):
    """When an iteration ends: near ``enough`` (m, and rad for ``angle``) or after ``most`` steps.

    ``largest`` bounds the tip's motion asked for in one step (m or rad).
    """

    largest: float
    enough: float
    angle: float
    most: int


class Memory(NamedTuple):
    """Scratch: frames of the links, the tip's pose, the Jacobian and its first rows."""

    frames: Array
    pose: Array
    full: Array
    jacobian: Array


@kernel
def _memory(n: int, rows: int) -> Memory:
    return Memory(np.empty((n, 3, 4)), np.empty((3, 4)), np.empty((6, n)), np.empty((rows, n)))


@kernel(counted=False)
def _error(pose: Any, target: Any, rows: int, e: Any) -> None:
    """Write the error of the tip: position, then the rotation vector of what is left."""
    for r in range(3):
        e[r] = target[r, 3] - pose[r, 3]
    if rows == 6:
        trace = 0.0
        for r in range(3):
            s = (r + 1) % 3
            t = (r + 2) % 3
            e[3 + r] = 0.0
            for k in range(3):
                e[3 + r] += 0.5 * (pose[s, k] * target[t, k] - pose[t, k] * target[s, k])
                trace += pose[r, k] * target[r, k]
        sine = math.sqrt(e[3] ** 2 + e[4] ** 2 + e[5] ** 2)
        angle = math.atan2(sine, 0.5 * (trace - 1.0))
        if sine > 1e-9:
            for r in range(3, 6):
                e[r] *= angle / sine


@kernel
def _stand(links: Links, q: Any, memory: Memory) -> None:
    """Write the frames of the links and the tip's pose."""
    n = links.tree.kinds.shape[0]
    tip_pose_one(links.tree, q, n - 1, links.tip, memory.frames, memory.pose)


@kernel
def _evaluate(links: Links, q: Any, memory: Memory) -> None:
    """Write the tip's pose and the first rows of its Jacobian."""
    n = links.tree.kinds.shape[0]
    _stand(links, q, memory)
    point = memory.pose[:, 3].copy()
    jacobian_one(links.tree, memory.frames, n - 1, point, memory.full)
    overwrite(memory.jacobian, memory.full[: memory.jacobian.shape[0]])


@kernel
def _null_part(jacobian: Any, gradient: Any) -> Any:
    """Return the part of ``gradient`` that does not move the tip, and the pseudoinverse."""
    inverse = np.linalg.pinv(jacobian)
    return gradient - np.dot(inverse, np.dot(jacobian, gradient)), inverse


@kernel
def step_of(law: Law, links: Links, q: Any, e: Any, memory: Memory) -> Any:
    """Return the joint step for a wanted motion ``e`` (rows,) of the tip at ``q``."""
    method, damping, pull, neutral = law
    jacobian = memory.jacobian
    n = links.tree.kinds.shape[0]
    rows = e.shape[0]
    _evaluate(links, q, memory)
    if method == TRANSPOSE:
        pulled = np.dot(jacobian.T, e)
        moved = np.dot(jacobian, pulled)
        size = np.dot(moved, moved)
        return pulled * (np.dot(e, moved) / size if size > 1e-300 else 0.0)
    gradient = pull * (neutral - q)
    if method == DAMPED:
        system = np.dot(jacobian, jacobian.T)
        for r in range(rows):
            system[r, r] += damping * damping
        null, inverse = _null_part(jacobian, gradient)
        return null + np.dot(jacobian.T, np.linalg.solve(system, e))
    null, inverse = _null_part(jacobian, gradient)
    if method == PSEUDOINVERSE:
        return np.dot(inverse, e) + null
    # extended: drive the gradient's null part to zero as the tip moves
    extended = np.empty((rows + n, n))
    overwrite(extended[:rows], jacobian)
    h = 1e-6
    side = q.copy()
    for i in range(n):
        side[i] = q[i] + h
        _evaluate(links, side, memory)
        above, _ = _null_part(jacobian, pull * (neutral - side))
        side[i] = q[i] - h
        _evaluate(links, side, memory)
        below, _ = _null_part(jacobian, pull * (neutral - side))
        side[i] = q[i]
        for r in range(n):
            extended[rows + r, i] = (above[r] - below[r]) / (2.0 * h)
    wanted_motion = np.zeros(rows + n)
    overwrite(wanted_motion[:rows], e)
    overwrite(wanted_motion[rows:], -null)
    return np.dot(np.linalg.pinv(extended, 1e-7), wanted_motion)


@kernel
def iterate(
    law: Law, links: Links, limits: tuple[Array, Array], target: Any, rows: int, q: Any, end: End
) -> Any:
    """Iterate from ``q`` (changed in place); return (distance, angle, iterations).

    ``target`` (3, 4); ``rows`` 3 for its position alone, 6 for the pose; ``limits``: lower, upper.
    """
    n = links.tree.kinds.shape[0]
    memory = _memory(n, rows)
    lower, upper = limits
    e = np.empty(rows)
    iterations = 0
    while True:
        _stand(links, q, memory)
        _error(memory.pose, target, rows, e)
        distance = math.sqrt(e[0] ** 2 + e[1] ** 2 + e[2] ** 2)
        angle = math.sqrt(e[3] ** 2 + e[4] ** 2 + e[5] ** 2) if rows == 6 else 0.0
        if (distance <= end.enough and angle <= end.angle) or iterations >= end.most:
            return distance, angle, iterations
        iterations += 1
        bound = end.largest / max(distance, angle, end.largest)
        step = step_of(law, links, q, e * bound, memory)
        for i in range(n):
            q[i] = min(max(q[i] + step[i], lower[i]), upper[i])


@kernel
def follow(law: Law, links: Links, path: Any, rows: int, q: Any, feedback: float, out: Any) -> None:
    """Follow tip poses ``path`` (k, 3, 4) by rates, one step for each (resolved motion).

    Writes the postures (k, joints) to ``out``; ``q`` is the first. The rate is the path's own
    motion plus ``feedback`` (0 to 1) of the error made so far; no limits, as published.
    """
    n = links.tree.kinds.shape[0]
    memory = _memory(n, rows)
    e = np.empty(rows)
    lag = np.empty(rows)
    out[0] = q
    for k in range(1, path.shape[0]):
        _error(path[k - 1], path[k], rows, e)
        _stand(links, out[k - 1], memory)
        _error(memory.pose, path[k - 1], rows, lag)
        for r in range(rows):
            e[r] += feedback * lag[r]
        step = step_of(law, links, out[k - 1], e, memory)
        for i in range(n):
            out[k, i] = out[k - 1, i] + step[i]
