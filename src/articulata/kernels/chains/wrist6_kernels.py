"""Kernels of the closed form of six joints with a spherical wrist: see ``wrist6``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.six_blocks import (
    joint_value,
    load_block,
    put_branch,
    put_reason,
    store_block,
    tip_in_table,
)
from articulata.kernels.chains.six_poses import gathered, read_pose
from articulata.kernels.chains.six_room import FLAGS, POSE
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
    """Write all branches of one block of poses, see ``six_blocks``."""
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
    """Solve one pose (4, 4), by scalars; see ``six_poses``."""
    if not read_pose(pose, rigid, room):
        return -1
    branches(constants, orthogonal, room[POSE : POSE + 12], room[:48], room[FLAGS : FLAGS + 9])
    return gathered(room)


@kernel
def solve_block(
    constants: Any,
    orthogonal: bool,
    targets: Any,
    target: Any,
    q: Any,
    flags: Any,
    answers: Any,
    marks: Any,
    reasons: Any,
    begin: int,
    end: int,
) -> None:
    """Solve poses ``begin`` to ``end`` of ``targets`` (m, 4, 4) on lanes.

    ``answers`` (m, 48), ``marks`` (m, 8) and ``reasons`` (m,) bytes; scratch rows ``target`` 16,
    ``q`` 48, ``flags`` 9.
    """
    words = marks.view(np.uint32)
    for first in range(begin, end, LANES_FLOAT64):
        load_block(targets, first, end, target)
        branches(constants, orthogonal, target, q, flags)
        store_block(q, flags, first, end, answers, words, reasons)
