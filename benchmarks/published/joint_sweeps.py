"""Cyclic coordinate descent and triangulation as published, for comparison with the engine.

Both turn one joint at a time and need no Jacobian. Descent goes tip to base and turns each
joint as far as brings the tip nearest to the target (Wang & Chen 1991), or at most by a cap,
which spreads the motion over the chain. Triangulation goes base to tip and turns each joint so
that its link, the rest of the chain taken straight, and the line to the target make a triangle
(Mueller-Cajar & Mukundan 2007); for hinges it works in the plane across the joint's axis and
is repeated. Revolute joints move; prismatic ones slide to the nearest place in descent and stay in
triangulation. Canonical serial chains as in ``forward_kinematics``, limits by clamping.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.forward_kinematics import TreeArrays, tip_pose_one
from articulata.kernels.compile import kernel


@kernel(counted=False)
def _measure(
    fixed: Any, kinds: Any, parents: Any, tip: Any, q: Any, frames: Any, pose: Any, target: Any
) -> float:
    """Write all frames and the tip's pose; return its distance from the target."""
    tip_pose_one(TreeArrays(fixed, kinds, parents), q, kinds.shape[0] - 1, tip, frames, pose)
    total = 0.0
    for r in range(3):
        total += (pose[r, 3] - target[r]) ** 2
    return math.sqrt(total)


@kernel
def _within_half_turn(angle: float) -> float:
    """Return the angle in [-pi, pi] that differs by whole turns."""
    return angle - 2.0 * math.pi * round(angle / (2.0 * math.pi))


@kernel
def _nearest_value(value: float, turn: float, low: float, high: float) -> float:
    """Return ``value + turn``, taken a full turn on or back where that is within limits.

    Outside both, the nearer limit.
    """
    wanted = value + turn
    if wanted > high and wanted - 2.0 * math.pi >= low:
        wanted -= 2.0 * math.pi
    elif wanted < low and wanted + 2.0 * math.pi <= high:
        wanted += 2.0 * math.pi
    if low <= wanted <= high:
        return wanted
    to_low = abs(_within_half_turn(wanted - low))
    to_high = abs(_within_half_turn(wanted - high))
    return low if to_low < to_high else high


@kernel
def coordinate_descent(
    fixed: Any,
    kinds: Any,
    tip: Any,
    lower: Any,
    upper: Any,
    target: Any,
    q: Any,
    cap: float,
    enough: float,
    most: int,
) -> Any:
    """Sweep from ``q`` (changed in place); return (distance, sweeps).

    ``cap`` is the most that a joint turns in one step, rad; infinite for the plain method.
    """
    n = kinds.shape[0]
    parents = np.arange(-1, n - 1)
    frames = np.empty((n, 3, 4))
    pose = np.empty((3, 4))
    sweeps = 0
    while True:
        distance = _measure(fixed, kinds, parents, tip, q, frames, pose, target)
        if distance <= enough or sweeps >= most:
            return distance, sweeps
        sweeps += 1
        for back in range(n):
            j = n - 1 - back
            if kinds[j] > 1:
                continue
            x = frames[j]
            # the tip and the target seen from the joint, in its own frame
            v = np.zeros(3)
            w = np.zeros(3)
            for c in range(3):
                for r in range(3):
                    v[c] += x[r, c] * (pose[r, 3] - x[r, 3])
                    w[c] += x[r, c] * (target[r] - x[r, 3])
            if kinds[j] == 1:
                q[j] = min(max(q[j] + w[2] - v[2], lower[j]), upper[j])
            else:
                along = v[0] * w[0] + v[1] * w[1]
                aside = v[0] * w[1] - v[1] * w[0]
                if along * along + aside * aside < 1e-24:
                    continue
                turn = math.atan2(aside, along)
                if cap < math.pi:
                    turn = min(max(turn, -cap), cap)
                    q[j] = min(max(q[j] + turn, lower[j]), upper[j])
                else:
                    q[j] = _nearest_value(q[j], turn, lower[j], upper[j])
            _measure(fixed, kinds, parents, tip, q, frames, pose, target)


@kernel
def triangulation(
    fixed: Any,
    kinds: Any,
    tip: Any,
    lower: Any,
    upper: Any,
    target: Any,
    q: Any,
    enough: float,
    most: int,
) -> Any:
    """Pass from base to tip, from ``q`` (changed in place); return (distance, passes)."""
    n = kinds.shape[0]
    parents = np.arange(-1, n - 1)
    frames = np.empty((n, 3, 4))
    pose = np.empty((3, 4))
    best = q.copy()
    least = np.inf
    passes = 0
    while True:
        distance = _measure(fixed, kinds, parents, tip, q, frames, pose, target)
        if distance < least:
            least = distance
            best[:] = q
        if least <= enough or passes >= most:
            q[:] = best
            return least, passes
        passes += 1
        for j in range(n):
            if kinds[j] != 0:
                continue
            x = frames[j]
            # the link ends at the next joint that stands elsewhere, or at the tip
            end = pose[:, 3].copy()
            for i in range(j + 1, n):
                away = 0.0
                for r in range(3):
                    away += (frames[i, r, 3] - x[r, 3]) ** 2
                if away > 1e-18:
                    end[:] = frames[i, :, 3]
                    break
            a = np.zeros(3)
            c = np.zeros(3)
            rest2 = 0.0
            for k in range(3):
                for r in range(3):
                    a[k] += x[r, k] * (end[r] - x[r, 3])
                    c[k] += x[r, k] * (target[r] - x[r, 3])
                rest2 += (pose[k, 3] - end[k]) ** 2
            # across the axis: link, line to the target, and what the rest must span
            link = math.hypot(a[0], a[1])
            line = math.hypot(c[0], c[1])
            if link < 1e-12 or line < 1e-12:
                continue
            rest = math.sqrt(max(rest2 - (c[2] - a[2]) ** 2, 0.0))
            cosine = (link * link + line * line - rest * rest) / (2.0 * link * line)
            open_angle = math.acos(min(max(cosine, -1.0), 1.0))
            now = math.atan2(a[1], a[0]) - math.atan2(c[1], c[0])
            now = _within_half_turn(now)
            # keep the side on which the link is
            turn = (open_angle if now >= 0.0 else -open_angle) - now
            q[j] = _nearest_value(q[j], turn, lower[j], upper[j])
            _measure(fixed, kinds, parents, tip, q, frames, pose, target)
