"""Kernels of the closed form of six joints with a spherical wrist: see ``wrist6``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

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
    nearest,
    sqrt,
    store,
    where,
)

SINGULAR = 1e-7
"""Sine of an angle below which a posture counts as singular."""

_EDGE = 1e-12
"""Share of the arm's size by which rounding may put a pose outside; closing it moves the tip."""

_NOTHING2 = 1e-26
"""Squared share of the arm's size below which a length has no direction."""


@kernel(fastmath=FASTMATH, inline=True)
def _joint_value(constants: Any, joint: int, angle: Any) -> Any:
    """Return the joint value of a table angle, within half a turn of the range's middle.

    And whether it lies outside the limits by more than rounding.
    """
    k = 40 + 3 * joint
    away = angle - constants[k]
    away = away - nearest(away * (0.5 / math.pi)) * (2.0 * math.pi)
    return away + constants[k + 1], absolute(away) > constants[k + 2]


@kernel(fastmath=FASTMATH)
def branches(constants: Any, orthogonal: bool, target: Any, q: Any, flags: Any) -> None:
    """Write all branches of one block of poses.

    ``target`` has 12 rows (the pose's 3 x 4 block by rows), ``q`` 48 rows (branch by branch,
    six joint values) and ``flags`` 9: one for each branch, then the reason why there is none.
    """
    zero = fill(target, 0.0)
    one = fill(target, 1.0)
    nan = fill(target, np.nan)
    # the pose in the table's frame: rotation of frame 6, wrist centre
    for r in range(3):
        b0 = constants[4 * r]
        b1 = constants[4 * r + 1]
        b2 = constants[4 * r + 2]
        t0 = b0 * load(target, 0) + b1 * load(target, 4) + b2 * load(target, 8)
        t1 = b0 * load(target, 1) + b1 * load(target, 5) + b2 * load(target, 9)
        t2 = b0 * load(target, 2) + b1 * load(target, 6) + b2 * load(target, 10)
        t3 = b0 * load(target, 3) + b1 * load(target, 7) + b2 * load(target, 11)
        place = t3 + constants[4 * r + 3]
        place = place + t0 * constants[21] + t1 * constants[22] + t2 * constants[23]
        store(q, 12 + r, place)
        for c in range(3):
            turned = t0 * constants[12 + c] + t1 * constants[15 + c] + t2 * constants[18 + c]
            store(q, 3 * r + c, turned)
    px = load(q, 12)
    py = load(q, 13)
    r00 = load(q, 0)
    r01 = load(q, 1)
    r02 = load(q, 2)
    r10 = load(q, 3)
    r11 = load(q, 4)
    r12 = load(q, 5)
    r20 = load(q, 6)
    r21 = load(q, 7)
    r22 = load(q, 8)
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
    ca4 = constants[36]
    sa4 = constants[37]
    ca5 = constants[38]
    sa5 = constants[39]
    pz = load(q, 14) - constants[25]

    m = (ca1 * pz - constants[28]) / sa1
    y2 = ca1 * m + sa1 * pz
    rho2 = px * px + py * py
    room = rho2 - m * m
    size2 = rho2 + pz * pz + a2 * a2
    edge = sqrt(size2) * _EDGE
    shoulder_ok = absolute(m) <= sqrt(rho2) + edge
    depth = sqrt(maximum(room, 0.0))
    shoulder_singular = depth <= sqrt(size2) * SINGULAR
    on_axis = rho2 <= size2 * _NOTHING2
    inverse_rho2 = 1.0 / where(on_axis, one, rho2)
    any_far = zero
    any_near = where(shoulder_ok, zero, one)
    placed = zero
    found = zero
    inside = zero
    for shoulder in range(2):
        x1 = depth if shoulder == 0 else -depth
        c1 = where(on_axis, one, (px * x1 + py * m) * inverse_rho2)
        s1 = where(on_axis, zero, (py * x1 - px * m) * inverse_rho2)
        q1, out1 = _joint_value(constants, 0, arc_tangent2(s1, c1))
        u = x1 - a1
        reach2 = u * u + y2 * y2
        c3 = (reach2 - (a2 * a2 + length * length)) / (2.0 * a2 * length)
        reach = sqrt(reach2)
        near_enough = reach <= a2 + length + edge
        far_enough = reach >= abs(a2 - length) - edge
        ok = shoulder_ok & near_enough & far_enough
        any_far = where(near_enough, any_far, one)
        any_near = where(far_enough, any_near, one)
        s3_plus = sqrt(maximum(1.0 - c3 * c3, 0.0))
        elbow_singular = s3_plus <= SINGULAR
        folded = reach2 <= size2 * _NOTHING2
        inverse = 1.0 / where(folded, one, reach2)
        placed = where(ok, one, placed)
        common = where(shoulder_singular, 8.0, zero) + where(elbow_singular, 4.0, zero)
        for elbow in range(2):
            s3 = s3_plus if elbow == 0 else -s3_plus
            h1 = a2 + length * c3
            h2 = sigma * length * s3
            c2 = where(folded, one, (h1 * u + h2 * y2) * inverse)
            s2 = where(folded, zero, (h1 * y2 - h2 * u) * inverse)
            # the table's angle 3: the triangle's less the direction of the wrist centre
            k3 = c3 * turn_c + s3 * turn_s
            n3 = s3 * turn_c - c3 * turn_s
            # axes of frame 3 before alpha 3, in frame 1: angle 2 + sigma angle 3
            c23 = c2 * k3 - sigma * s2 * n3
            s23 = s2 * k3 + sigma * c2 * n3
            q2, out2 = _joint_value(constants, 1, arc_tangent2(s2, c2))
            q3, out3 = _joint_value(constants, 2, arc_tangent2(n3, k3))
            # columns of the rotation of frame 3 (after alpha 3), through alpha 1 and angle 1
            x_x = c23
            x_y = s23 * ca1
            x_z = s23 * sa1
            v_x = -sigma * s23
            v_y = sigma * c23 * ca1
            v_z = sigma * c23 * sa1
            # x cross v = sigma z2, the direction of axis 3
            w_y = -sigma * sa1
            w_z = sigma * ca1
            y_x = ca3 * v_x
            y_y = ca3 * v_y + sa3 * w_y
            y_z = ca3 * v_z + sa3 * w_z
            z_x = -sa3 * v_x
            z_y = -sa3 * v_y + ca3 * w_y
            z_z = -sa3 * v_z + ca3 * w_z
            xx = c1 * x_x - s1 * x_y
            xy = s1 * x_x + c1 * x_y
            yx = c1 * y_x - s1 * y_y
            yy = s1 * y_x + c1 * y_y
            zx = c1 * z_x - s1 * z_y
            zy = s1 * z_x + c1 * z_y
            # what the wrist must do: M = R3^T R
            m00 = xx * r00 + xy * r10 + x_z * r20
            m01 = xx * r01 + xy * r11 + x_z * r21
            m02 = xx * r02 + xy * r12 + x_z * r22
            m10 = yx * r00 + yy * r10 + y_z * r20
            m11 = yx * r01 + yy * r11 + y_z * r21
            m12 = yx * r02 + yy * r12 + y_z * r22
            m20 = zx * r00 + zy * r10 + z_z * r20
            m21 = zx * r01 + zy * r11 + z_z * r21
            m22 = zx * r02 + zy * r12 + z_z * r22
            flat2 = m02 * m02 + m12 * m12
            b = zero
            wrist_ok = ok
            if not orthogonal:
                c5 = (ca4 * ca5 - m22) / (sa4 * sa5)
                b = -(ca4 * sa5 * c5 + sa4 * ca5)
                wrist_ok = ok & (absolute(b) <= sqrt(flat2) + _EDGE)
            a_plus = sqrt(maximum(flat2 - b * b, 0.0))
            wrist_singular = a_plus <= absolute(sa5 + zero) * SINGULAR
            pointed = flat2 <= _NOTHING2
            inverse_flat = 1.0 / where(pointed, one, sqrt(flat2))
            kind = where(wrist_singular, 2.0, zero) + common + 1.0
            q4 = zero
            q5 = zero
            q6 = zero
            for wrist in range(2):
                branch = 4 * shoulder + 2 * elbow + wrist
                if wrist == 0 or not orthogonal:
                    # a = sin(alpha 5) sin(phi5): its sign chooses the branch
                    a = a_plus if (wrist == 0) == (sa5 > 0.0) else -a_plus
                    c4 = where(pointed, one, (a * m02 + b * m12) * inverse_flat)
                    s4 = where(pointed, zero, (a * m12 - b * m02) * inverse_flat)
                    # unit length: a^2 + b^2 = flat2
                    c4 = where(pointed, c4, c4 * inverse_flat)
                    s4 = where(pointed, s4, s4 * inverse_flat)
                    s5 = (c4 * m02 + s4 * m12) / sa5
                    c5 = -(ca4 * (c4 * m12 - s4 * m02) + sa4 * m22) / sa5
                    s6 = (ca4 * m20 - sa4 * (c4 * m10 - s4 * m00)) / sa5
                    c6 = (ca4 * m21 - sa4 * (c4 * m11 - s4 * m01)) / sa5
                    q4 = arc_tangent2(s4, c4)
                    q5 = arc_tangent2(s5, c5)
                    q6 = arc_tangent2(s6, c6)
                else:
                    q4 = q4 - copysign(math.pi, q4)
                    q5 = -q5
                    q6 = q6 - copysign(math.pi, q6)
                v4, out4 = _joint_value(constants, 3, q4)
                v5, out5 = _joint_value(constants, 4, q5)
                v6, out6 = _joint_value(constants, 5, q6)
                beyond = out1 | out2 | out3 | out4 | out5 | out6
                row = 6 * branch
                store(q, row, where(wrist_ok, q1, nan))
                store(q, row + 1, where(wrist_ok, q2, nan))
                store(q, row + 2, where(wrist_ok, q3, nan))
                store(q, row + 3, where(wrist_ok, v4, nan))
                store(q, row + 4, where(wrist_ok, v5, nan))
                store(q, row + 5, where(wrist_ok, v6, nan))
                store(flags, branch, where(wrist_ok, kind + where(beyond, 16.0, zero), zero))
                found = where(wrist_ok, one, found)
                inside = where(wrist_ok, maximum(inside, 1.0 - where(beyond, one, zero)), inside)
    reason = where(any_far > 0.0, 1.0, where(any_near > 0.0, 2.0, zero))
    reason = where(placed > 0.0, 4.0, reason)
    reason = where(found > 0.0, where(inside > 0.0, zero, 3.0), reason)
    store(flags, 8, reason)


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

    ``answers`` (m, 48), ``marks`` (m, 8) and ``reasons`` (m,) bytes; scratch rows ``target`` 12,
    ``q`` 48, ``flags`` 9.
    """
    bytes_ = np.empty((9, LANES_FLOAT64), np.uint8)
    for first in range(begin, end, LANES_FLOAT64):
        count = min(LANES_FLOAT64, end - first)
        for lane in range(LANES_FLOAT64):
            # spare lanes repeat the last pose
            p = min(first + lane, end - 1)
            for r in range(3):
                for c in range(4):
                    target[4 * r + c, lane] = targets[p, r, c]
        branches(constants, orthogonal, target, q, flags)
        for b in range(9):
            for lane in range(LANES_FLOAT64):
                bytes_[b, lane] = np.uint8(np.int32(flags[b, lane]))
        for lane in range(count):
            p = first + lane
            for row in range(48):
                answers[p, row] = q[row, lane]
            for b in range(8):
                marks[p, b] = bytes_[b, lane]
            reasons[p] = bytes_[8, lane]
