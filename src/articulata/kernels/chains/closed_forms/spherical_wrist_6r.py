"""Closed form of six revolute joints with a spherical wrist: all eight branches.

For arms whose axes 2 and 3 are parallel (at any angle and offset from axis 1, which covers the
usual industrial arms and their shoulder offsets) and whose axes 4, 5, 6 meet in one point (at
any angles to each other). In the chain table's notation, with the wrist centre p in frame 0:

- *shoulder*: the distance of p along axis 2 is fixed, so turning p by -phi1 must give
  ``y = m``; ``x = +-sqrt(px^2 + py^2 - m^2)``, plus in front;
- *elbow*: in the plane across axes 2 and 3, links a2 and l and the distance to p make a
  triangle; two mirrored ones;
- *wrist*: the rotation left over as z-x-z turns; angle 5 positive or negative. Angles 5 and 6
  are read after angle 4 is taken out, so that near the singular wrist an error of angle 4 is
  made good and the pose still met.

Branch number: ``4 shoulder + 2 elbow + wrist``, each 0 or 1. Each branch has flags; invalid ones
hold NaN. Runs on lanes or scalars.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.closed_forms import pose_blocks as blocks
from articulata.kernels.chains.closed_forms.pose_blocks import (
    Batch,
    Lanes,
    joint_value,
    load_block,
    put_branch,
    put_reason,
    store_block,
    tip_in_table,
)
from articulata.kernels.chains.closed_forms.single_pose import gathered, read_pose
from articulata.kernels.chains.closed_forms.single_pose_layout import FLAGS, POSE
from articulata.kernels.chains.dh_table import ChainTable, reduce_chain
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import arc_tangent2
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    absolute,
    copysign,
    fill,
    load,
    maximum,
    minimum,
    sqrt,
    where,
)

SINGULAR = 1e-7
"""Sine of an angle below which a posture counts as singular."""

_EDGE = 1e-12
"""Share of the arm's size by which rounding may put a pose outside; closing it moves the tip."""

_NOTHING2 = 1e-26
"""Squared share of the arm's size below which a length has no direction."""


@kernel(fastmath=FASTMATH, counted=False)
def branches(constants: Any, orthogonal: bool, target: Any, q: Any, flags: Any) -> None:
    """Write all branches of one block of poses, see ``pose_blocks``."""
    tip_in_table(constants, target, q)
    zero = fill(target, 0.0)
    one = fill(target, 1.0)
    px, py = load(q, 3), load(q, 7)
    r00, r01, r02 = load(q, 0), load(q, 1), load(q, 2)
    r10, r11, r12 = load(q, 4), load(q, 5), load(q, 6)
    r20, r21, r22 = load(q, 8), load(q, 9), load(q, 10)
    a1 = constants[24]
    ca1 = constants[26]
    sa1 = constants[27]
    a2 = constants[29]
    length = constants[30]
    sigma = constants[31]
    turn_c = constants[32]
    turn_s = constants[33]
    ca3 = constants[34]
    sa3 = constants[35]
    sa4 = constants[37]
    edge = constants[58] * _EDGE
    size2 = constants[58] * constants[58]
    farthest = a2 + length + edge
    farthest2 = farthest * farthest
    nearest_place = max(abs(a2 - length) - edge, 0.0)
    nearest2 = nearest_place * nearest_place
    cosine_base = (a2 * a2 + length * length) / (2.0 * a2 * length)
    cosine_share = 1.0 / (2.0 * a2 * length)
    # the sign of sine alpha 5 chooses which wrist is the first
    first = math.copysign(1.0, constants[39])
    pz = load(q, 11) - constants[25]

    m = (ca1 * pz - constants[28]) * constants[59]
    y2 = ca1 * m + sa1 * pz
    rho2 = px * px + py * py
    # |m| <= sqrt(rho2) + edge, without the root
    least = maximum(absolute(m) - edge, 0.0)
    shoulder_ok = least * least <= rho2
    depth = sqrt(maximum(rho2 - m * m, 0.0))
    shoulder_singular = depth <= constants[58] * SINGULAR
    on_axis = rho2 <= size2 * _NOTHING2
    inverse_rho2 = 1.0 / where(on_axis, one, rho2)
    any_far = zero
    any_near = where(shoulder_ok, zero, one)
    placed = zero
    for shoulder in range(2):
        x1 = depth if shoulder == 0 else -depth
        c1 = where(on_axis, one, (px * x1 + py * m) * inverse_rho2)
        s1 = where(on_axis, zero, (py * x1 - px * m) * inverse_rho2)
        joint1 = joint_value(constants, 0, arc_tangent2(s1, c1))
        # the pose's rotation seen from frame 1
        b00 = c1 * r00 + s1 * r10
        b01 = c1 * r01 + s1 * r11
        b02 = c1 * r02 + s1 * r12
        h10 = c1 * r10 - s1 * r00
        h11 = c1 * r11 - s1 * r01
        h12 = c1 * r12 - s1 * r02
        b10 = ca1 * h10 + sa1 * r20
        b11 = ca1 * h11 + sa1 * r21
        b12 = ca1 * h12 + sa1 * r22
        b20 = ca1 * r20 - sa1 * h10
        b21 = ca1 * r21 - sa1 * h11
        b22 = ca1 * r22 - sa1 * h12
        u = x1 - a1
        reach2 = u * u + y2 * y2
        c3 = reach2 * cosine_share - cosine_base
        near_enough = reach2 <= farthest2
        far_enough = reach2 >= nearest2
        ok = shoulder_ok & near_enough & far_enough
        any_far = where(near_enough, any_far, one)
        any_near = where(far_enough, any_near, one)
        c3 = minimum(maximum(c3, -1.0), 1.0)
        s3_plus = sqrt((1.0 - c3) * (1.0 + c3))
        elbow_singular = s3_plus <= SINGULAR
        folded = reach2 <= size2 * _NOTHING2
        inverse = 1.0 / where(folded, one, reach2)
        placed = where(ok, one, placed)
        common = where(shoulder_singular, 8.0, zero) + where(elbow_singular, 4.0, zero)
        h1 = a2 + length * c3
        # angles of the triangle; both elbows have them, with opposite signs
        toward = arc_tangent2(y2, u)
        lift = sigma * arc_tangent2(length * s3_plus, h1)
        bend = arc_tangent2(s3_plus, c3)
        for elbow in range(2):
            s3 = s3_plus if elbow == 0 else -s3_plus
            h2 = sigma * length * s3
            c2 = where(folded, one, (h1 * u + h2 * y2) * inverse)
            s2 = where(folded, zero, (h1 * y2 - h2 * u) * inverse)
            # the table's angle 3: the triangle's less the direction of the wrist centre
            k3 = c3 * turn_c + s3 * turn_s
            n3 = s3 * turn_c - c3 * turn_s
            # axes of frame 3 before alpha 3, in frame 1: angle 2 + sigma angle 3
            c23 = c2 * k3 - sigma * s2 * n3
            s23 = s2 * k3 + sigma * c2 * n3
            angle2 = toward - lift if elbow == 0 else toward + lift
            joint2 = joint_value(constants, 1, where(folded, zero, angle2))
            joint3 = joint_value(constants, 2, bend if elbow == 0 else -bend)
            # what the wrist must do: M = R3^T R; axes x and y of frame 3 before alpha 3 are
            # (c23, s23, 0) and sigma (-s23, c23, 0) in frame 1, axis 3 is (0, 0, sigma)
            m00 = c23 * b00 + s23 * b10
            m01 = c23 * b01 + s23 * b11
            m02 = c23 * b02 + s23 * b12
            v0 = sigma * (c23 * b10 - s23 * b00)
            v1 = sigma * (c23 * b11 - s23 * b01)
            v2 = sigma * (c23 * b12 - s23 * b02)
            w0 = sigma * b20
            w1 = sigma * b21
            w2 = sigma * b22
            m10 = ca3 * v0 + sa3 * w0
            m11 = ca3 * v1 + sa3 * w1
            m12 = ca3 * v2 + sa3 * w2
            m22 = ca3 * w2 - sa3 * v2
            flat2 = m02 * m02 + m12 * m12
            pointed = flat2 <= _NOTHING2
            wrist_ok = ok
            q4 = zero
            q5 = zero
            q6 = zero
            if orthogonal:
                # alpha 4 and alpha 5 are quarter turns: angle 4 is the direction of (m02, m12),
                # and what is read of it needs no unit length
                m02 = where(pointed, one, m02)
                m12 = where(pointed, zero, m12)
                a_plus = sqrt(flat2)
                q4 = arc_tangent2(first * m12, first * m02)
                q5 = arc_tangent2(a_plus, -first * sa4 * m22)
                q6 = arc_tangent2(sa4 * (m12 * m00 - m02 * m10), sa4 * (m12 * m01 - m02 * m11))
                wrist_singular = a_plus <= SINGULAR
            else:
                ca4 = constants[36]
                ca5 = constants[38]
                sa5 = constants[39]
                m20 = ca3 * w0 - sa3 * v0
                m21 = ca3 * w1 - sa3 * v1
                c5 = (ca4 * ca5 - m22) / (sa4 * sa5)
                b = -(ca4 * sa5 * c5 + sa4 * ca5)
                flat = sqrt(flat2)
                wrist_ok = ok & (absolute(b) <= flat + _EDGE)
                a_plus = sqrt(maximum(flat2 - b * b, 0.0))
                wrist_singular = a_plus <= absolute(sa5 + zero) * SINGULAR
                inverse_flat = 1.0 / where(pointed, one, flat2)
            kind = where(wrist_singular, 2.0, zero) + common
            for wrist in range(2):
                if not orthogonal:
                    # a = sin(alpha 5) sin(phi5): its sign chooses the branch
                    a = first * a_plus if wrist == 0 else -first * a_plus
                    # unit length: a^2 + b^2 = flat2
                    c4 = where(pointed, one, (a * m02 + b * m12) * inverse_flat)
                    s4 = where(pointed, zero, (a * m12 - b * m02) * inverse_flat)
                    along = c4 * m12 - s4 * m02
                    q4 = arc_tangent2(s4, c4)
                    q5 = arc_tangent2(
                        first * (c4 * m02 + s4 * m12), -first * (ca4 * along + sa4 * m22)
                    )
                    q6 = arc_tangent2(
                        first * (ca4 * m20 - sa4 * (c4 * m10 - s4 * m00)),
                        first * (ca4 * m21 - sa4 * (c4 * m11 - s4 * m01)),
                    )
                elif wrist == 1:
                    q4 = q4 - copysign(math.pi, q4)
                    q5 = -q5
                    q6 = q6 - copysign(math.pi, q6)
                values = (
                    joint1,
                    joint2,
                    joint3,
                    joint_value(constants, 3, q4),
                    joint_value(constants, 4, q5),
                    joint_value(constants, 5, q6),
                )
                put_branch(q, flags, 4 * shoulder + 2 * elbow + wrist, wrist_ok, values, kind)
    put_reason(flags, any_far, any_near, placed)


@kernel(counted=False)
def solve_pose(constants: Any, orthogonal: bool, pose: Any, rigid: float, room: Any) -> int:
    """Solve one pose (4, 4), by scalars; see ``single_pose``."""
    if not read_pose(pose, rigid, room):
        return -1
    branches(constants, orthogonal, room[POSE : POSE + 12], room[:48], room[FLAGS : FLAGS + 9])
    return gathered(room)


@kernel
def solve_block(
    constants: Any, orthogonal: bool, batch: Batch, lanes: Lanes, begin: int, end: int
) -> None:
    """Solve poses ``begin`` to ``end`` of a batch on lanes."""
    target, q, flags = lanes
    words = batch.marks.view(np.uint32)
    for first in range(begin, end, LANES_FLOAT64):
        load_block(batch.targets, first, end, target)
        branches(constants, orthogonal, target, q, flags)
        store_block(lanes, first, end, batch, words)


VALID, WRIST_SINGULAR, ELBOW_SINGULAR = blocks.VALID, blocks.WRIST, blocks.ELBOW
SHOULDER_SINGULAR, OUTSIDE_LIMITS = blocks.SHOULDER, blocks.OUTSIDE
"""Flags of a branch. Singular: angles 4 and 6 turn about one axis; the elbow is stretched or
folded, where its two branches meet; the wrist centre lies on axis 1 or at the least distance
from it, where the two shoulder branches meet."""

REACHED, TOO_FAR, TOO_NEAR, BEYOND_LIMITS, ORIENTATION = 0, 1, 2, 3, 4
"""Why a pose has no answer (the first four as in ``reach_bounds``): the wrist cannot take the
orientation, or every branch leaves the limits."""

BASE, END, ARM, WRIST, JOINTS, SIZE = 0, 12, 24, 36, blocks.JOINTS, 58
"""Where in the constants of an arm, as the kernel reads them, are: the pose of frame 0 in the
base's (3, 4), that of frame 6 in the tip's; a1, d1, the cosine and sine of twist 1, the distance
along axis 2, a2, the length from axis 3 to the wrist centre and more; cosines and sines of twists 4
and 5; of each joint the offset of its angle, the middle and half of its range; the arm's size and
1 / sine of twist 1."""


@dataclass(frozen=True, slots=True)
class WristArm:
    """A six-joint arm made ready: its table and the constants that the kernel reads."""

    table: ChainTable
    constants: Array
    orthogonal: bool


def prepare_wrist(
    fixed: Array, kinds: IntArray, tip: Array, lower: Array, upper: Array
) -> WristArm | None:
    """Return the arm, or None where it is not of this family.

    A serial chain as in ``forward_kinematics``; fixed joints may stand between the six.
    """
    table = reduce_chain(fixed, kinds, tip, lower, upper)
    rows = table.rows
    if len(rows) != 6 or np.any(table.joints < 0) or np.any(rows[:, 8] != 0):
        return None
    near = 1e-10
    spherical = abs(rows[3, 0]) < near and abs(rows[4, 0]) < near and abs(rows[4, 3]) < near
    turning = abs(rows[3, 2]) > SINGULAR and abs(rows[4, 2]) > SINGULAR
    if not (spherical and turning and rows[1, 2] == 0.0 and abs(rows[0, 2]) > SINGULAR):
        return None
    unit = table.unit
    a1, a2, a3 = rows[0, 0] * unit, rows[1, 0] * unit, rows[2, 0] * unit
    d1, d2, d3, d4 = (rows[i, 3] * unit for i in range(4))
    ca1, sa1, sigma = rows[0, 1], rows[0, 2], rows[1, 1]
    ca3, sa3 = rows[2, 1], rows[2, 2]
    # the wrist centre in frame 3, turning with joint 3
    wx, wy, wz = a3, -sa3 * d4, d3 + ca3 * d4
    length = math.hypot(wx, wy)
    if length < near or a2 < near:
        return None
    end = np.eye(4)
    end[:3] = table.tip
    end[:3, 3] *= unit
    end[2, 3] += rows[5, 3] * unit
    into = np.linalg.inv(table.base)
    constants = np.zeros(60)
    constants[BASE : BASE + 12] = into[:3].ravel()
    constants[END : END + 12] = np.linalg.inv(end)[:3].ravel()
    constants[ARM : ARM + 12] = (
        a1,
        d1,
        ca1,
        sa1,
        d2 + sigma * wz,
        a2,
        length,
        sigma,
        wx / length,
        wy / length,
        ca3,
        sa3,
    )
    constants[WRIST : WRIST + 4] = rows[3, 1], rows[3, 2], rows[4, 1], rows[4, 2]
    half = np.nan_to_num(0.5 * (table.upper - table.lower), posinf=np.inf) + 1e-12
    # the kernel reads angle 3 as the triangle's, from the direction of the wrist centre
    turn = np.zeros(6)
    turn[2] = math.atan2(wy, wx)
    constants[JOINTS : JOINTS + 18] = np.stack(
        [table.offset + table.middle + turn, table.middle, half], axis=1
    ).ravel()
    constants[SIZE : SIZE + 2] = unit, 1.0 / sa1
    orthogonal = abs(rows[3, 1]) < 1e-14 and abs(rows[4, 1]) < 1e-14
    return WristArm(table, constants, orthogonal)


@dataclass(frozen=True, slots=True)
class Branches:
    """All branches of m poses.

    ``q`` (m, 8, 6) rad, in the order of the chain's joints, NaN where a branch does not exist;
    ``flags`` (m, 8) and ``reason`` (m,) uint8: see the constants above.
    """

    q: Array
    flags: npt.NDArray[np.uint8]
    reason: npt.NDArray[np.uint8]


GRAIN = 4096
"""Poses in one piece of a batch."""


def solve_wrist(arm: WristArm, targets: Array, *, threads: int | None = None) -> Branches:
    """Return every branch for each tip pose X_BT (m, 4, 4); NaN poses have none."""
    arrays = arm.constants, arm.orthogonal
    return Branches(
        *blocks.solve_blocks(solve_block, arrays, targets, grain=GRAIN, threads=threads)
    )
