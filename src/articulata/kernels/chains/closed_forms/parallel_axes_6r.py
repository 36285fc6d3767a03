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

from dataclasses import dataclass
from typing import Any

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.closed_forms.pose_blocks import (
    Batch,
    Bytes,
    Lanes,
    joint_value,
    load_block,
    put_branch,
    put_reason,
    solve_blocks,
    store_block,
    tip_in_table,
)
from articulata.kernels.chains.closed_forms.single_pose import gathered, read_pose
from articulata.kernels.chains.closed_forms.single_pose_layout import FLAGS, POSE
from articulata.kernels.chains.dh_table import reduce_chain
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import arc_tangent2
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    absolute,
    fill,
    load,
    maximum,
    minimum,
    sqrt,
    where,
)

_SLACK = 1e-12
_SINGULAR = 1e-7
_NOTHING2 = 1e-26


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _unit(c: Any, s: Any) -> Any:
    """Return a cosine and a sine of unit length, (1, 0) where both are nothing."""
    size2 = c * c + s * s
    none = size2 <= _NOTHING2 * _NOTHING2
    scale = 1.0 / sqrt(where(none, 1.0, size2))
    return where(none, 1.0, c * scale), where(none, 0.0, s * scale)


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _second_frame(constants: Any, c1: Any, s1: Any, x: Any, y: Any, z: Any) -> Any:
    """Return the coordinates in the plane of the arm of a direction given in the table's frame."""
    ca1, sa1 = constants[25], constants[26]
    return c1 * x + s1 * y, ca1 * (c1 * y - s1 * x) + sa1 * z


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _wrist_plane(constants: Any, tip: Any, c1: Any, s1: Any, c5: Any, s5: Any, turn: Any) -> Any:
    """Return x of joint 4 and, less its tilt, y of frame 4 in the plane of the arm.

    ``tip``: rows of the last frame, ``turn``: cosine and sine of angle 6.
    """
    c6, s6 = turn
    ca4, sa4, ca5, sa5 = constants[33], constants[34], constants[35], constants[36]
    # columns of (Rz5 Rx5 Rz6)^T: x, y and z of frame 4 seen from the hand
    x = (c5 * c6 - s5 * ca5 * s6, -c5 * s6 - s5 * ca5 * c6, s5 * sa5)
    y = (s5 * c6 + c5 * ca5 * s6, c5 * ca5 * c6 - s5 * s6, -c5 * sa5)
    z = (sa5 * s6, sa5 * c6, ca5)
    # y of joint 4, as alpha 4 turns it
    y = (ca4 * y[0] - sa4 * z[0], ca4 * y[1] - sa4 * z[1], ca4 * y[2] - sa4 * z[2])
    t0, t1, t2 = tip
    ux, uy = _second_frame(
        constants,
        c1,
        s1,
        t0[0] * x[0] + t0[1] * x[1] + t0[2] * x[2],
        t1[0] * x[0] + t1[1] * x[1] + t1[2] * x[2],
        t2[0] * x[0] + t2[1] * x[1] + t2[2] * x[2],
    )
    vx, vy = _second_frame(
        constants,
        c1,
        s1,
        t0[0] * y[0] + t0[1] * y[1] + t0[2] * y[2],
        t1[0] * y[0] + t1[1] * y[1] + t1[2] * y[2],
        t2[0] * y[0] + t2[1] * y[1] + t2[2] * y[2],
    )
    return ux, uy, vx, vy


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _triangle(constants: Any, x: Any, y: Any) -> Any:
    """Return how two links reach a point of their plane: direction, lift, bend, and whether tight.

    The first link points to direction less lift where the second bends up.
    """
    a2, a3, size = constants[28], constants[30], constants[39]
    far2 = x * x + y * y
    cosine = (far2 - (a2 * a2 + a3 * a3)) * (1.0 / (2.0 * a2 * a3))
    square = ((a2 + a3) * (a2 + a3) - far2) * (far2 - (a2 - a3) * (a2 - a3))
    sine = sqrt(maximum(square, 0.0)) * (1.0 / (2.0 * abs(a2 * a3)))
    cosine, sine = _unit(cosine, sine)
    tight = (sine < _SINGULAR) | (far2 < _SINGULAR * _SINGULAR * size * size)
    lift = arc_tangent2(a3 * sine, a2 + a3 * cosine)
    return arc_tangent2(y, x), lift, arc_tangent2(sine, cosine), tight


@kernel(fastmath=FASTMATH, counted=False)
def branches(constants: Any, target: Any, q: Any, flags: Any) -> None:
    """Write all branches of one block of poses, see ``pose_blocks``."""
    tip_in_table(constants, target, q)
    zero = fill(target, 0.0)
    one = fill(target, 1.0)
    a1, ca1, sa1, d1 = constants[24], constants[25], constants[26], constants[27]
    a2, side2, a3, side = constants[28], constants[29], constants[30], constants[31]
    a4, ca4, sa4 = constants[32], constants[33], constants[34]
    ca5, d5, height, size = constants[35], constants[37], constants[38], constants[39]
    tip = (
        (load(q, 0), load(q, 1), load(q, 2)),
        (load(q, 4), load(q, 5), load(q, 6)),
        (load(q, 8), load(q, 9), load(q, 10)),
    )
    px, py, pz = load(q, 3), load(q, 7), load(q, 11)
    beside = (height + (d1 - pz) * ca1) * (1.0 / sa1)
    rho2 = px * px + py * py
    away = sqrt(maximum(rho2 - beside * beside, 0.0))
    least = maximum(absolute(beside) - _SLACK * size, 0.0)
    shoulder_ok = least * least <= rho2
    shoulder_kind = where(away < _SINGULAR * size, 8.0, zero)
    farthest = abs(a2) + abs(a3) + _SLACK * size
    closest = max(abs(abs(a2) - abs(a3)) - _SLACK * size, 0.0)
    far, near = zero, where(shoulder_ok, zero, one)
    for shoulder in range(2):
        # px sin t1 - py cos t1 = beside
        along = away if shoulder == 0 else -away
        c1, s1 = _unit(px * along - py * beside, py * along + px * beside)
        first = joint_value(constants, 0, arc_tangent2(s1, c1))
        # the parallel axes in the table's frame, then seen from the hand
        nx, ny = s1 * sa1, -c1 * sa1
        wx = nx * tip[0][0] + ny * tip[1][0] + ca1 * tip[2][0]
        wy = nx * tip[0][1] + ny * tip[1][1] + ca1 * tip[2][1]
        wz = nx * tip[0][2] + ny * tip[1][2] + ca1 * tip[2][2]
        w2 = wx * wx + wy * wy
        c5 = (ca4 * ca5 - side * wz) * (1.0 / (sa4 * constants[36]))
        wrist_ok = shoulder_ok & (absolute(c5) <= 1.0 + _SLACK)
        c5 = minimum(maximum(c5, -1.0), 1.0)
        flat = ca5 * sa4 * c5 + constants[36] * ca4
        c5, s5_plus = _unit(c5, sqrt(maximum(w2 - flat * flat, 0.0)) * (1.0 / abs(sa4)))
        angle5 = arc_tangent2(s5_plus, c5)
        in_line = (w2 < _SINGULAR * _SINGULAR) | (s5_plus < _SINGULAR)
        wrist_kind = shoulder_kind + where(in_line, 2.0, zero)
        hx, hy = _second_frame(constants, c1, s1, px, py, pz - d1)
        hx = hx - a1
        for wrist in range(2):
            s5 = s5_plus if wrist == 0 else -s5_plus
            fifth = joint_value(constants, 4, angle5 if wrist == 0 else -angle5)
            n5x = side * sa4 * s5
            n5y = side * (ca5 * sa4 * c5 + constants[36] * ca4)
            turn = _unit(n5x * wx + n5y * wy, n5y * wx - n5x * wy)
            sixth = joint_value(constants, 5, arc_tangent2(turn[1], turn[0]))
            ux, uy, vx, vy = _wrist_plane(constants, tip, c1, s1, c5, s5, turn)
            total = arc_tangent2(uy, ux)
            ex = hx - a4 * ux + sa4 * d5 * vx
            ey = hy - a4 * uy + sa4 * d5 * vy
            far2 = ex * ex + ey * ey
            near_enough = far2 <= farthest * farthest
            far_enough = far2 >= closest * closest
            far = where(wrist_ok & (far2 > farthest * farthest), one, far)
            near = where(wrist_ok & (far2 < closest * closest), one, near)
            ok = wrist_ok & near_enough & far_enough
            toward, lift, bend, tight = _triangle(constants, ex, ey)
            kind = wrist_kind + where(tight, 4.0, zero)
            for elbow in range(2):
                angle2 = toward - lift if elbow == 0 else toward + lift
                angle3 = bend if elbow == 0 else -bend
                values = (
                    first,
                    joint_value(constants, 1, angle2),
                    joint_value(constants, 2, side2 * angle3),
                    joint_value(constants, 3, side * (total - angle2 - angle3)),
                    fifth,
                    sixth,
                )
                put_branch(q, flags, 4 * shoulder + 2 * elbow + wrist, ok, values, kind)
    put_reason(flags, far, near, zero)


@kernel
def solve_pose(constants: Any, pose: Any, rigid: float, room: Any) -> int:
    """Solve one pose (4, 4), by scalars; see ``single_pose``."""
    if not read_pose(pose, rigid, room):
        return -1
    branches(constants, room[POSE : POSE + 12], room[:48], room[FLAGS : FLAGS + 9])
    return gathered(room)


@kernel
def solve_block(constants: Any, batch: Batch, lanes: Lanes, begin: int, end: int) -> None:
    """Solve poses ``begin`` to ``end`` of a batch on lanes."""
    target, q, flags = lanes
    words = batch.marks.view(np.uint32)
    for first in range(begin, end, LANES_FLOAT64):
        load_block(batch.targets, first, end, target)
        branches(constants, target, q, flags)
        store_block(lanes, first, end, batch, words)


GRAIN = 1024
"""Poses in one piece of a batch."""


@dataclass(frozen=True, slots=True)
class ParallelArm:
    """A six-joint arm made ready: the numbers that the kernel reads, in its order.

    12 of the pose of the base's frame in the table's; 12 of frame 6 in the tip's; of the rows of
    the table what occurs; 18 of the joints: the table's angle in the middle of the range, the
    joint's and half the range, rad. Lengths in m.
    """

    constants: Array


def prepare_parallel(
    fixed: Array, kinds: IntArray, tip: Array, lower: Array, upper: Array
) -> ParallelArm | None:
    """Return the arm of a serial chain, or None where it is not of this family."""
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
    a, ca, sa, d = rows[:, 0] * unit, rows[:, 1], rows[:, 2], rows[:, 3] * unit
    side2, side = ca[1], ca[1] * ca[2]
    height = d[1] + side2 * d[2] + side * (d[3] + ca[3] * d[4])
    size = np.abs([a[0], d[0], a[1], a[2], height, a[3], d[4]]).sum()
    half = np.nan_to_num(0.5 * (table.upper - table.lower), posinf=np.inf) + _SLACK
    joints = np.stack([table.offset + table.middle, table.middle, half], axis=1)
    return ParallelArm(
        np.concatenate(
            [
                np.linalg.inv(table.base)[:3].ravel(),
                np.linalg.inv(end)[:3].ravel(),
                [a[0], ca[0], sa[0], d[0], a[1], side2, a[2], side, a[3], ca[3], sa[3]],
                [ca[4], sa[4], d[4], height, size],
                joints.ravel(),
            ]
        )
    )


def solve_parallel(
    arm: ParallelArm, targets: Array, *, threads: int | None = None
) -> tuple[Array, Bytes, Bytes]:
    """Return postures (m, 8, 6) rad, NaN where none, flags (m, 8) and reasons (m,) of X_BT.

    Flags are those of ``pose_blocks``: the wrist's branches meet where axis 6 is parallel to axes 2
    to 4, the shoulder's where p is as near to axis 1 as its height along these allows. A joint
    stands within half a turn of the middle of its range.
    """
    return solve_blocks(solve_block, (arm.constants,), targets, grain=GRAIN, threads=threads)
