"""Rigid motions (3, 4) in a row: products, the frames of an arm, how its tip moves and is missed.

An arm of n joints is given by ``links`` (n + 1, 3, 4), fixed motions before joint 1, between joints
and behind the last, lengths in a unit of its own; joint ``slide`` slides along its z axis (-1: none
does), the others turn about theirs. ``frames`` (n + 1, 3, 4) stand before each joint; the last is
the tip.
"""

from __future__ import annotations

import math
from typing import Any

from articulata.kernels.compile import kernel


@kernel(counted=False)
def rotated(x: Any, v: Any) -> Any:
    """Return a direction (three numbers) as a motion turns it."""
    a, b, c = v
    return (
        x[0, 0] * a + x[0, 1] * b + x[0, 2] * c,
        x[1, 0] * a + x[1, 1] * b + x[1, 2] * c,
        x[2, 0] * a + x[2, 1] * b + x[2, 2] * c,
    )


@kernel(counted=False)
def rotated_back(x: Any, v: Any) -> Any:
    """Return a direction as the inverse of a motion turns it."""
    a, b, c = v
    return (
        x[0, 0] * a + x[1, 0] * b + x[2, 0] * c,
        x[0, 1] * a + x[1, 1] * b + x[2, 1] * c,
        x[0, 2] * a + x[1, 2] * b + x[2, 2] * c,
    )


@kernel(counted=False)
def copied(x: Any, out: Any) -> None:
    """Write a row of numbers; kernels that write whole arrays at once take seconds to compile."""
    for i in range(len(out)):
        out[i] = x[i]


@kernel(counted=False)
def same_motion(x: Any, out: Any) -> None:
    """Write a rigid motion as it is."""
    for r in range(3):
        for k in range(4):
            out[r, k] = x[r, k]


@kernel(counted=False)
def inverted(g: Any, out: Any) -> None:
    """Write the inverse of a rigid motion."""
    for r in range(3):
        out[r, 3] = 0.0
        for k in range(3):
            out[r, k] = g[k, r]
            out[r, 3] -= g[k, r] * g[k, 3]


@kernel(counted=False)
def product(a: Any, b: Any, out: Any) -> None:
    """Write the product of rigid motions."""
    for r in range(3):
        for k in range(4):
            total = a[r, 3] if k == 3 else 0.0
            for j in range(3):
                total += a[r, j] * b[j, k]
            out[r, k] = total


@kernel(counted=False)
def turned_behind(x: Any, angle: float, y: Any, out: Any) -> None:
    """Write the product ``x Rz(angle) y`` of rigid motions."""
    c = math.cos(angle)
    s = math.sin(angle)
    for r in range(3):
        u = c * x[r, 0] + s * x[r, 1]
        v = c * x[r, 1] - s * x[r, 0]
        for k in range(4):
            out[r, k] = u * y[0, k] + v * y[1, k] + x[r, 2] * y[2, k]
        out[r, 3] += x[r, 3]


@kernel(counted=False)
def scaled_pose(target: Any, unit: float, out: Any) -> bool:
    """Write a pose (4, 4) in m with lengths in ``unit`` m; return whether it holds numbers only."""
    total = 0.0
    for r in range(3):
        for k in range(4):
            out[r, k] = target[r, k] / unit if k == 3 else target[r, k]
            total += out[r, k]
    return math.isfinite(total)


@kernel(counted=False)
def first_unlike(poses: Any, most: float) -> int:
    """Return the first of poses (m, 4, 4) that is no rotation and place to ``most``, -1 if none."""
    for p in range(len(poses)):
        x = poses[p]
        last = x[3, 0] == 0.0 and x[3, 1] == 0.0 and x[3, 2] == 0.0 and x[3, 3] == 1.0
        off = 0.0
        handed = 0.0
        for i in range(3):
            j = (i + 1) % 3
            k = (i + 2) % 3
            size = x[0, i] * x[0, i] + x[1, i] * x[1, i] + x[2, i] * x[2, i]
            slant = x[0, i] * x[0, j] + x[1, i] * x[1, j] + x[2, i] * x[2, j]
            off = max(off, abs(size - 1.0), abs(slant))
            handed += x[0, i] * (x[1, j] * x[2, k] - x[2, j] * x[1, k])
        if not (last and off <= most and handed > 0.0):
            return p
    return -1


@kernel(counted=False)
def stand(links: Any, slide: int, q: Any, frames: Any) -> None:
    """Write the frames of an arm in posture ``q`` (n,)."""
    same_motion(links[0], frames[0])
    for i in range(len(q)):
        if i == slide:
            product(frames[i], links[i + 1], frames[i + 1])
            for r in range(3):
                frames[i + 1, r, 3] += q[i] * frames[i, r, 2]
        else:
            turned_behind(frames[i], q[i], links[i + 1], frames[i + 1])


@kernel(counted=False)
def tip_equations(frames: Any, slide: int, pose: Any, system: Any, right: int) -> float:
    """Write the Jacobian of the tip, place then turn, into the first columns of six rows.

    Column ``right`` gets the step to ``pose``. Returned is the greatest entry by which it is off.
    """
    n = len(frames) - 1
    x = frames[n]
    off = 0.0
    for r in range(3):
        for k in range(4):
            off = max(off, abs(x[r, k] - pose[r, k]))
    for r in range(3):
        a = (r + 1) % 3
        b = (r + 2) % 3
        turn = 0.0
        for k in range(3):
            turn += x[a, k] * pose[b, k] - x[b, k] * pose[a, k]
        system[3 + r, right] = 0.5 * turn
        system[r, right] = pose[r, 3] - x[r, 3]
        for i in range(n):
            z = frames[i, :, 2]
            p = frames[i, :, 3]
            if i == slide:
                system[r, i] = z[r]
                system[3 + r, i] = 0.0
            else:
                system[r, i] = z[a] * (x[b, 3] - p[b]) - z[b] * (x[a, 3] - p[a])
                system[3 + r, i] = z[r]
    return off
