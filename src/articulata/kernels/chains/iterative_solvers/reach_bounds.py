"""Where a chain's tip cannot be, proved: bounds that hold for every posture within limits.

Going from the tip to the base, two sets that contain the tip are carried from frame to frame:
a ball and a shell about the frame's origin. A revolute joint moves the ball's centre on an arc
of its range, and the smallest ball around that arc takes its place; a shell passes an offset of
length L as ``[max(0, L - far, near - L), far + L]``. Each set sharpens the other. The result is
conservative: a target outside is certainly out of reach, one inside may still be.

A bound is 10 numbers in the reduced chain's base frame and unit: ball centre (3) and radius,
nearest and farthest distance from the first joint's origin, lowest and highest place along the
first axis, nearest and farthest distance from it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel

POSSIBLE, TOO_FAR, TOO_NEAR, BEYOND_LIMITS = 0, 1, 2, 3
"""Verdicts: nothing proved; out of reach even without limits (far, near); for the limits."""

_SLACK = 1e-9
"""Share of the reach by which bounds are widened, far above rounding."""


def _half_range(row: Array) -> float:
    return math.pi if row[6] < -1.0 else math.atan2(row[7], row[6])


def reach_bound(rows: Array, tip: Array, limited: bool = True) -> Array:
    """Return the bound (10,) of a chain table; ``limited=False`` lets revolute joints turn freely.

    ``rows`` (n, 10) and ``tip`` (3, 4) as in ``dh_table``.
    """
    centre = tip[:3, 3].copy()
    radius = 0.0
    near = far = float(np.linalg.norm(centre))
    low = high = float(centre[2])
    inner, outer = 0.0, math.inf
    for i in range(len(rows) - 1, -1, -1):
        a, cosine, sine, d = rows[i, :4]
        length = math.hypot(a, d)
        # through the link: the ball moves along, the shell is about a new point
        centre = np.array(
            [
                centre[0] + a,
                cosine * centre[1] - sine * centre[2],
                sine * centre[1] + cosine * centre[2] + d,
            ]
        )
        near, far = max(0.0, length - far, near - length), far + length
        across = math.hypot(centre[0], centre[1])
        # along the axis: parallel axes hand the range on
        if sine == 0.0:
            low, high = sorted((cosine * low + d, cosine * high + d))
        else:
            low, high = -math.inf, math.inf
        low, high = max(low, float(centre[2]) - radius), min(high, float(centre[2]) + radius)
        if rows[i, 8] == 1:
            middle, half = 0.5 * (rows[i, 6] + rows[i, 7]), 0.5 * (rows[i, 7] - rows[i, 6])
            furthest = max(abs(rows[i, 6]), abs(rows[i, 7]))
            near, far = max(0.0, near - furthest), far + furthest
            turn_c, turn_s = rows[i, 4], rows[i, 5]
            centre = np.array(
                [
                    turn_c * centre[0] - turn_s * centre[1],
                    turn_s * centre[0] + turn_c * centre[1],
                    centre[2] + middle,
                ]
            )
            radius += half
            low, high = low + rows[i, 6], high + rows[i, 7]
            inner, outer = 0.0, math.inf
        else:
            # along and across the axis: unchanged by the turn, whatever its range
            inner, outer = max(0.0, across - radius), across + radius
            half = _half_range(rows[i]) if limited else math.pi
            if half >= 0.5 * math.pi:
                centre = np.array([0.0, 0.0, centre[2]])
                radius += across
            else:
                place = across * math.cos(half)
                turn = math.atan2(centre[1], centre[0]) + math.atan2(rows[i, 5], rows[i, 4])
                centre = np.array([place * math.cos(turn), place * math.sin(turn), centre[2]])
                radius += across * math.sin(half)
        # each set sharpens the other
        distance = float(np.linalg.norm(centre))
        near, far = max(near, distance - radius), min(far, distance + radius)
        if far < radius:
            centre, radius = np.zeros(3), far
    bound = np.array([*centre, radius, near, far, low, high, inner, outer])
    bound[[3, 5, 7, 9]] += _SLACK
    bound[[4, 6, 8]] -= _SLACK
    return bound


@kernel(inline=True)
def outside(bound: Any, x: float, y: float, z: float, slack: float) -> int:
    """Return TOO_FAR or TOO_NEAR for a target more than ``slack`` outside, else POSSIBLE."""
    dx = x - bound[0]
    dy = y - bound[1]
    dz = z - bound[2]
    across2 = x * x + y * y
    distance2 = across2 + z * z
    radius = bound[3] + slack
    far = bound[5] + slack
    outer = bound[9] + slack
    beyond = (
        (dx * dx + dy * dy + dz * dz > radius * radius)
        | (distance2 > far * far)
        | (z < bound[6] - slack)
        | (z > bound[7] + slack)
        | (across2 > outer * outer)
    )
    near = max(bound[4] - slack, 0.0)
    inner = max(bound[8] - slack, 0.0)
    within = (distance2 < near * near) | (across2 < inner * inner)
    return 1 if beyond else (2 if within else 0)


@kernel(inline=True)
def all_outside(
    bound: Any, area: Any, around: float, x: float, y: float, z: float, slack: float
) -> int:
    """Return what ``outside`` says of every point of a target area about a target.

    The area lies in the disc of radius ``around`` across its normal: what it is off the plane
    of a bound's middle is not made good by its size.
    """
    if around == 0.0:
        return outside(bound, x, y, z, slack)
    nx = area[3, 0]
    ny = area[3, 1]
    nz = area[3, 2]
    dx = x - bound[0]
    dy = y - bound[1]
    dz = z - bound[2]
    off = nx * dx + ny * dy + nz * dz
    aside = max(math.sqrt(max(dx * dx + dy * dy + dz * dz - off * off, 0.0)) - around, 0.0)
    height = nx * x + ny * y + nz * z
    flat = math.sqrt(max(x * x + y * y + z * z - height * height, 0.0))
    inward = max(flat - around, 0.0)
    outward = flat + around
    tilt = around * math.sqrt(max(1.0 - nz * nz, 0.0))
    across = math.sqrt(x * x + y * y)
    radius = bound[3] + slack
    far = bound[5] + slack
    beyond = (
        (off * off + aside * aside > radius * radius)
        | (height * height + inward * inward > far * far)
        | (z + tilt < bound[6] - slack)
        | (z - tilt > bound[7] + slack)
        | (across - around > bound[9] + slack)
    )
    near = max(bound[4] - slack, 0.0)
    inner = bound[8] - slack
    within = (height * height + outward * outward < near * near) | (across + around < inner)
    return 1 if beyond else (2 if within else 0)


@kernel(counted=False)
def prove_area(
    free: Any, limited: Any, area: Any, around: float, x: float, y: float, z: float, slack: float
) -> int:
    """Return the verdict on one target with an area about it."""
    if all_outside(limited, area, around, x, y, z, slack) == 0:
        return 0
    verdict = all_outside(free, area, around, x, y, z, slack)
    return 3 if verdict == 0 else verdict


@kernel(counted=False)
def prove_areas(
    free: Any, limited: Any, area: Any, around: float, targets: Any, slack: float, verdicts: Any
) -> None:
    """Write the verdict on each target (3, m), with an area about it, to ``verdicts`` (m,)."""
    for p in range(targets.shape[1]):
        x, y, z = targets[0, p], targets[1, p], targets[2, p]
        verdicts[p] = all_outside(limited, area, around, x, y, z, slack)
    for p in range(targets.shape[1]):
        if verdicts[p] != 0:
            x, y, z = targets[0, p], targets[1, p], targets[2, p]
            verdicts[p] = prove_area(free, limited, area, around, x, y, z, slack)
