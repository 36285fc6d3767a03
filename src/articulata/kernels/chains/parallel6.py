"""Closed form of six turning joints with axes 2, 3 and 4 parallel: all eight branches.

For arms such as those of Universal Robots: axes 5 and 6 may stand at any angles but meet (link 5
has no length), axis 1 at any angle and offset. With p the point where axes 5 and 6 meet:

- *shoulder*: the height of p along the parallel axes is fixed, which gives angle 1 in two ways;
- *wrist*: the angle between axis 6 and the parallel axes gives angle 5, positive or negative, and
  the parallel axes seen from the hand give angle 6;
- *elbow*: what is left is a planar arm of two links and the sum of its angles.

Branch number: ``4 shoulder + 2 elbow + wrist``, each 0 or 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from articulata.kernels.chains.general6_kernels import product
from articulata.kernels.chains.table import reduce_chain
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import spread

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

GRAIN = 1024
"""Poses in one piece of a batch."""

REACHED, TOO_FAR, TOO_NEAR, LIMITS, ORIENTATION = 0, 1, 2, 3, 4
"""Why a pose has no posture (as in ``wrist6``)."""

WRIST, ELBOW, SHOULDER, OUTSIDE = 1, 2, 4, 16
"""Where branches meet: axis 6 is parallel to axes 2 to 4; the arm is stretched or folded; p is as
near to axis 1 as its height along the parallel axes allows. Last: outside the limits, or none."""

_SLACK = 1e-12
_SINGULAR = 1e-7
_AT_LIMIT = 1e-10


@dataclass(frozen=True, slots=True)
class ParallelArm:
    """A six-joint arm made ready: rows (6, 4) of a, cos and sin of alpha and d, m; see ``table``.

    ``limits`` (6, 3): middle, lower and upper of the joints, rad;
    ``into`` (3, 4) takes the base's frame to the table's, ``end`` (3, 4) is frame 6 seen from the
    tip; ``offset`` (6,) is what the table's angles are more than the joints'.
    """

    rows: Array
    into: Array
    end: Array
    offset: Array
    limits: Array


def prepare_parallel(
    fixed: Array, kinds: IntArray, tip: Array, lower: Array, upper: Array
) -> ParallelArm | None:
    """Return the arm of a serial chain (see ``poses``), or None where it is not of this family."""
    table = reduce_chain(fixed, kinds, tip, lower, upper)
    rows, unit = table.rows, table.unit
    if len(rows) != 6 or np.any(table.joints < 0) or np.any(rows[:, 8] != 0):
        return None
    parallel = rows[1, 2] == 0.0 and rows[2, 2] == 0.0
    turning = min(abs(rows[0, 2]), abs(rows[3, 2]), abs(rows[4, 2])) > _SINGULAR
    links = min(abs(rows[1, 0]), abs(rows[2, 0])) > 1e-9 and abs(rows[4, 0]) < 1e-10
    if not (parallel and turning and links):
        return None
    end = np.eye(4)
    end[:3] = table.tip
    end[:3, 3] *= unit
    end[2, 3] += rows[5, 3] * unit
    lengths = np.stack([rows[:, 0] * unit, rows[:, 1], rows[:, 2], rows[:, 3] * unit], axis=1)
    return ParallelArm(
        np.ascontiguousarray(lengths),
        np.ascontiguousarray(np.linalg.inv(table.base)[:3]),
        np.ascontiguousarray(np.linalg.inv(end)[:3]),
        np.array(table.offset),
        np.ascontiguousarray(np.stack([table.middle, table.lower, table.upper], axis=1)),
    )


def solve_parallel(
    arm: ParallelArm, targets: Array, *, threads: int | None = None
) -> tuple[Array, IntArray, IntArray]:
    """Return postures (m, 8, 6) rad, NaN where none, flags (m, 8) and reasons (m,) of X_BT.

    A joint stands within half a turn of the middle of its range.
    """
    targets = np.ascontiguousarray(targets, np.float64)
    m = len(targets)
    q, flags, reasons = np.empty((m, 8, 6)), np.zeros((m, 8), np.int64), np.zeros(m, np.int64)

    def work(begin: int, end: int) -> None:
        parallel_branches(
            arm.rows,
            arm.into,
            arm.end,
            arm.offset,
            arm.limits,
            targets,
            q,
            flags,
            reasons,
            begin,
            end,
        )

    spread(work, m, grain=GRAIN, threads=threads)
    return q, flags, reasons


@kernel
def parallel_branches(
    rows: Any,
    into: Any,
    end: Any,
    offset: Any,
    limits: Any,
    targets: Any,
    q: Any,
    flags: Any,
    reasons: Any,
    begin: int,
    finish: int,
) -> None:
    """Write all branches of poses ``begin`` to ``finish``."""
    a1, ca1, sa1, d1 = rows[0, 0], rows[0, 1], rows[0, 2], rows[0, 3]
    a2, side2 = rows[1, 0], rows[1, 1]
    a3, side = rows[2, 0], rows[1, 1] * rows[2, 1]
    a4, ca4, sa4 = rows[3, 0], rows[3, 1], rows[3, 2]
    ca5, sa5, d5 = rows[4, 1], rows[4, 2], rows[4, 3]
    height = rows[1, 3] + side2 * rows[2, 3] + side * (rows[3, 3] + ca4 * d5)
    size = abs(a1) + abs(d1) + abs(a2) + abs(a3) + abs(height) + abs(a4) + abs(d5)
    x = np.empty((3, 4))
    t = np.empty((3, 4))
    for p in range(begin, finish):
        q[p] = np.nan
        flags[p] = 0
        product(into, targets[p], x)
        product(x, end, t)
        px, py, pz = t[0, 3], t[1, 3], t[2, 3]
        beside = (height + (d1 - pz) * ca1) / sa1
        away2 = px * px + py * py - beside * beside
        away = math.sqrt(max(away2, 0.0))
        if not math.hypot(px, py) >= abs(beside) - _SLACK * size:
            reasons[p] = TOO_NEAR
            flags[p] = OUTSIDE
            continue
        reason = ORIENTATION
        inside = 0
        for shoulder in range(2):
            # px sin t1 - py cos t1 = beside
            along = away if shoulder == 0 else -away
            t1 = math.atan2(py, px) + math.atan2(beside, along)
            c1 = math.cos(t1)
            s1 = math.sin(t1)
            # the parallel axes in the base, then seen from the hand
            nx, ny = s1 * sa1, -c1 * sa1
            wx = nx * t[0, 0] + ny * t[1, 0] + ca1 * t[2, 0]
            wy = nx * t[0, 1] + ny * t[1, 1] + ca1 * t[2, 1]
            wz = nx * t[0, 2] + ny * t[1, 2] + ca1 * t[2, 2]
            c5 = (ca4 * ca5 - side * wz) / (sa4 * sa5)
            if not abs(c5) <= 1.0 + _SLACK:
                continue
            c5 = min(max(c5, -1.0), 1.0)
            flat = ca5 * sa4 * c5 + sa5 * ca4
            s5 = math.sqrt(max(wx * wx + wy * wy - flat * flat, 0.0)) / abs(sa4)
            scale = 1.0 / math.hypot(c5, s5)
            c5 *= scale
            for wrist in range(2):
                s5 = scale * s5 if wrist == 0 else -s5
                n5x = side * sa4 * s5
                n5y = side * (ca5 * sa4 * c5 + sa5 * ca4)
                t5 = math.atan2(s5, c5)
                t6 = math.atan2(n5y, n5x) - math.atan2(wy, wx)
                c6 = math.cos(t6)
                s6 = math.sin(t6)
                # x and y of frame 4 in the base: R (Rz5 Rx5 Rz6)^T
                b00 = c5 * c6 - s5 * ca5 * s6
                b01 = -c5 * s6 - s5 * ca5 * c6
                b02 = s5 * sa5
                b10 = s5 * c6 + c5 * ca5 * s6
                b11 = -s5 * s6 + c5 * ca5 * c6
                b12 = -c5 * sa5
                b20 = sa5 * s6
                b21 = sa5 * c6
                x4x = t[0, 0] * b00 + t[0, 1] * b01 + t[0, 2] * b02
                x4y = t[1, 0] * b00 + t[1, 1] * b01 + t[1, 2] * b02
                x4z = t[2, 0] * b00 + t[2, 1] * b01 + t[2, 2] * b02
                y4x = t[0, 0] * b10 + t[0, 1] * b11 + t[0, 2] * b12
                y4y = t[1, 0] * b10 + t[1, 1] * b11 + t[1, 2] * b12
                y4z = t[2, 0] * b10 + t[2, 1] * b11 + t[2, 2] * b12
                z4x = t[0, 0] * b20 + t[0, 1] * b21 + t[0, 2] * ca5
                z4y = t[1, 0] * b20 + t[1, 1] * b21 + t[1, 2] * ca5
                z4z = t[2, 0] * b20 + t[2, 1] * b21 + t[2, 2] * ca5
                # x of joint 4 in frame 1, an angle in the plane of the arm; y is across it
                ux = c1 * x4x + s1 * x4y
                uy = ca1 * (c1 * x4y - s1 * x4x) + sa1 * x4z
                total = math.atan2(uy, ux)
                vx = ca4 * (c1 * y4x + s1 * y4y) - sa4 * (c1 * z4x + s1 * z4y)
                vy = ca4 * (ca1 * (c1 * y4y - s1 * y4x) + sa1 * y4z) - sa4 * (
                    ca1 * (c1 * z4y - s1 * z4x) + sa1 * z4z
                )
                hx = c1 * px + s1 * py - a1
                hy = ca1 * (c1 * py - s1 * px) + sa1 * (pz - d1)
                ex = hx - a4 * ux + sa4 * d5 * vx
                ey = hy - a4 * uy + sa4 * d5 * vy
                far = math.hypot(ex, ey)
                if far > abs(a2) + abs(a3) + _SLACK * size:
                    reason = TOO_FAR
                    continue
                if far < abs(abs(a2) - abs(a3)) - _SLACK * size:
                    reason = TOO_NEAR
                    continue
                cosine = (far * far - a2 * a2 - a3 * a3) / (2.0 * a2 * a3)
                square = ((a2 + a3) ** 2 - far * far) * (far * far - (a2 - a3) ** 2)
                sine = math.sqrt(max(square, 0.0)) / (2.0 * abs(a2 * a3))
                for elbow in range(2):
                    bend = math.atan2(sine if elbow == 0 else -sine, cosine)
                    s = math.sin(bend)
                    c = math.cos(bend)
                    t2 = math.atan2(ey, ex) - math.atan2(a3 * s, a2 + a3 * c)
                    k = 4 * shoulder + 2 * elbow + wrist
                    q[p, k, 0] = t1
                    q[p, k, 1] = t2
                    q[p, k, 2] = side2 * bend
                    q[p, k, 3] = side * (total - t2 - bend)
                    q[p, k, 4] = t5
                    q[p, k, 5] = t6
                    for i in range(6):
                        apart = q[p, k, i] - offset[i] - limits[i, 0]
                        apart -= 2.0 * math.pi * math.floor(apart / (2.0 * math.pi) + 0.5)
                        value = limits[i, 0] + apart
                        if value < limits[i, 1] - _AT_LIMIT or value > limits[i, 2] + _AT_LIMIT:
                            flags[p, k] |= OUTSIDE
                        else:
                            value = min(max(value, limits[i, 1]), limits[i, 2])
                        q[p, k, i] = value
                    if not flags[p, k] & OUTSIDE:
                        inside += 1
                    if away < _SINGULAR * size:
                        flags[p, k] |= SHOULDER
                    if math.hypot(wx, wy) < _SINGULAR or abs(s5) < _SINGULAR:
                        flags[p, k] |= WRIST
                    if abs(s) < _SINGULAR or far < _SINGULAR * size:
                        flags[p, k] |= ELBOW
                    reason = REACHED
        for k in range(8):
            if q[p, k, 0] == q[p, k, 0]:
                reason = REACHED if inside > 0 else LIMITS
            else:
                flags[p, k] = OUTSIDE
        reasons[p] = reason
