"""Kernels of the closed form of six joints with three parallel axes: see ``parallel6``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import arc_tangent2
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.tiles import TILE, turn_tile
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    absolute,
    fill,
    load,
    maximum,
    minimum,
    nearest,
    sqrt,
    store,
    where,
)

_SLACK = 1e-12
_SINGULAR = 1e-7
_AT_LIMIT = 1e-10
_NOTHING2 = 1e-26
_JOINTS = 40


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _joint_value(constants: Any, joint: int, angle: Any) -> Any:
    """Return the joint value of a table angle, and whether it lies outside the limits."""
    k = _JOINTS + 3 * joint
    away = angle - constants[k]
    away = away - nearest(away * (0.5 / math.pi)) * (2.0 * math.pi)
    half = constants[k + 2]
    beyond = absolute(away) > half + _AT_LIMIT
    kept = minimum(maximum(away, -half), half)
    return where(beyond, away, kept) + constants[k + 1], beyond


@kernel(fastmath=FASTMATH, counted=False)
def branches(constants: Any, target: Any, q: Any, flags: Any) -> None:
    """Write all branches of one block of poses.

    ``target`` has 12 rows (the pose's 3 x 4 block by rows), ``q`` 48 rows (branch by branch, six
    joint values) and ``flags`` 9: one for each branch, then the reason why there is none.
    """
    zero = fill(target, 0.0)
    one = fill(target, 1.0)
    nan = fill(target, np.nan)
    a1, ca1, sa1, d1 = constants[24], constants[25], constants[26], constants[27]
    a2, side2, a3, side = constants[28], constants[29], constants[30], constants[31]
    a4, ca4, sa4 = constants[32], constants[33], constants[34]
    ca5, sa5, d5 = constants[35], constants[36], constants[37]
    height, size = constants[38], constants[39]
    # frame 6 in the table's base
    for r in range(3):
        b0 = constants[4 * r]
        b1 = constants[4 * r + 1]
        b2 = constants[4 * r + 2]
        x0 = b0 * load(target, 0) + b1 * load(target, 4) + b2 * load(target, 8)
        x1 = b0 * load(target, 1) + b1 * load(target, 5) + b2 * load(target, 9)
        x2 = b0 * load(target, 2) + b1 * load(target, 6) + b2 * load(target, 10)
        x3 = b0 * load(target, 3) + b1 * load(target, 7) + b2 * load(target, 11)
        x3 = x3 + constants[4 * r + 3]
        for c in range(4):
            turned = x0 * constants[12 + c] + x1 * constants[16 + c] + x2 * constants[20 + c]
            store(q, 4 * r + c, turned + x3 if c == 3 else turned)
    t00 = load(q, 0)
    t01 = load(q, 1)
    t02 = load(q, 2)
    px = load(q, 3)
    t10 = load(q, 4)
    t11 = load(q, 5)
    t12 = load(q, 6)
    py = load(q, 7)
    t20 = load(q, 8)
    t21 = load(q, 9)
    t22 = load(q, 10)
    pz = load(q, 11)
    beside = (height + (d1 - pz) * ca1) * (1.0 / sa1)
    rho2 = px * px + py * py
    away = sqrt(maximum(rho2 - beside * beside, 0.0))
    least = maximum(absolute(beside) - _SLACK * size, 0.0)
    shoulder_ok = least * least <= rho2
    on_axis = rho2 <= size * size * _NOTHING2
    inverse_rho2 = 1.0 / where(on_axis, one, rho2)
    shoulder_flag = where(away < _SINGULAR * size, 4.0, zero)
    farthest = abs(a2) + abs(a3) + _SLACK * size
    closest = max(abs(abs(a2) - abs(a3)) - _SLACK * size, 0.0)
    any_far = zero
    any_near = where(shoulder_ok, zero, one)
    found = zero
    inside = zero
    for shoulder in range(2):
        # px sin t1 - py cos t1 = beside
        along = away if shoulder == 0 else -away
        c1 = where(on_axis, one, (px * along - py * beside) * inverse_rho2)
        s1 = where(on_axis, zero, (py * along + px * beside) * inverse_rho2)
        # of unit length where rounding put p a little too near
        scale = 1.0 / sqrt(c1 * c1 + s1 * s1)
        c1 = c1 * scale
        s1 = s1 * scale
        q1, out1 = _joint_value(constants, 0, arc_tangent2(s1, c1))
        # the parallel axes in the base, then seen from the hand
        nx = s1 * sa1
        ny = -c1 * sa1
        wx = nx * t00 + ny * t10 + ca1 * t20
        wy = nx * t01 + ny * t11 + ca1 * t21
        wz = nx * t02 + ny * t12 + ca1 * t22
        w2 = wx * wx + wy * wy
        c5 = (ca4 * ca5 - side * wz) * (1.0 / (sa4 * sa5))
        wrist_ok = shoulder_ok & (absolute(c5) <= 1.0 + _SLACK)
        c5 = minimum(maximum(c5, -1.0), 1.0)
        flat = ca5 * sa4 * c5 + sa5 * ca4
        s5_plus = sqrt(maximum(w2 - flat * flat, 0.0)) * (1.0 / abs(sa4))
        scale = 1.0 / sqrt(c5 * c5 + s5_plus * s5_plus)
        c5 = c5 * scale
        s5_plus = s5_plus * scale
        t5 = arc_tangent2(s5_plus, c5)
        wrist_flag = where((w2 < _SINGULAR * _SINGULAR) | (s5_plus < _SINGULAR), 1.0, zero)
        hx = c1 * px + s1 * py - a1
        hy = ca1 * (c1 * py - s1 * px) + sa1 * (pz - d1)
        for wrist in range(2):
            s5 = s5_plus if wrist == 0 else -s5_plus
            q5, out5 = _joint_value(constants, 4, t5 if wrist == 0 else -t5)
            n5x = side * sa4 * s5
            n5y = side * (ca5 * sa4 * c5 + sa5 * ca4)
            c6 = n5x * wx + n5y * wy
            s6 = n5y * wx - n5x * wy
            length2 = c6 * c6 + s6 * s6
            pointed = length2 <= _NOTHING2 * _NOTHING2
            scale = 1.0 / sqrt(where(pointed, one, length2))
            c6 = where(pointed, one, c6 * scale)
            s6 = where(pointed, zero, s6 * scale)
            q6, out6 = _joint_value(constants, 5, arc_tangent2(s6, c6))
            # x and y of frame 4 in the base: R (Rz5 Rx5 Rz6)^T
            b00 = c5 * c6 - s5 * ca5 * s6
            b01 = -c5 * s6 - s5 * ca5 * c6
            b02 = s5 * sa5
            b10 = s5 * c6 + c5 * ca5 * s6
            b11 = c5 * ca5 * c6 - s5 * s6
            b12 = -c5 * sa5
            b20 = sa5 * s6
            b21 = sa5 * c6
            x4x = t00 * b00 + t01 * b01 + t02 * b02
            x4y = t10 * b00 + t11 * b01 + t12 * b02
            x4z = t20 * b00 + t21 * b01 + t22 * b02
            y4x = t00 * b10 + t01 * b11 + t02 * b12
            y4y = t10 * b10 + t11 * b11 + t12 * b12
            y4z = t20 * b10 + t21 * b11 + t22 * b12
            z4x = t00 * b20 + t01 * b21 + t02 * ca5
            z4y = t10 * b20 + t11 * b21 + t12 * ca5
            z4z = t20 * b20 + t21 * b21 + t22 * ca5
            # x of joint 4 in frame 1, an angle in the plane of the arm; y is across it
            ux = c1 * x4x + s1 * x4y
            uy = ca1 * (c1 * x4y - s1 * x4x) + sa1 * x4z
            total = arc_tangent2(uy, ux)
            vx = ca4 * (c1 * y4x + s1 * y4y) - sa4 * (c1 * z4x + s1 * z4y)
            vy = ca4 * (ca1 * (c1 * y4y - s1 * y4x) + sa1 * y4z)
            vy = vy - sa4 * (ca1 * (c1 * z4y - s1 * z4x) + sa1 * z4z)
            ex = hx - a4 * ux + sa4 * d5 * vx
            ey = hy - a4 * uy + sa4 * d5 * vy
            far2 = ex * ex + ey * ey
            near_enough = far2 <= farthest * farthest
            far_enough = far2 >= closest * closest
            any_far = where(wrist_ok & (far2 > farthest * farthest), one, any_far)
            any_near = where(wrist_ok & (far2 < closest * closest), one, any_near)
            ok = wrist_ok & near_enough & far_enough
            cosine = (far2 - (a2 * a2 + a3 * a3)) * (1.0 / (2.0 * a2 * a3))
            square = ((a2 + a3) * (a2 + a3) - far2) * (far2 - (a2 - a3) * (a2 - a3))
            sine = sqrt(maximum(square, 0.0)) * (1.0 / (2.0 * abs(a2 * a3)))
            scale = 1.0 / sqrt(cosine * cosine + sine * sine)
            sine = sine * scale
            cosine = cosine * scale
            bend = arc_tangent2(sine, cosine)
            lift = arc_tangent2(a3 * sine, a2 + a3 * cosine)
            toward = arc_tangent2(ey, ex)
            tight = (sine < _SINGULAR) | (far2 < _SINGULAR * _SINGULAR * size * size)
            kind = wrist_flag + shoulder_flag + where(tight, 2.0, zero)
            for elbow in range(2):
                t2 = toward - lift if elbow == 0 else toward + lift
                t3 = bend if elbow == 0 else -bend
                q2, out2 = _joint_value(constants, 1, t2)
                q3, out3 = _joint_value(constants, 2, side2 * t3)
                q4, out4 = _joint_value(constants, 3, side * (total - t2 - t3))
                beyond = out1 | out2 | out3 | out4 | out5 | out6
                branch = 4 * shoulder + 2 * elbow + wrist
                row = 6 * branch
                store(q, row, where(ok, q1, nan))
                store(q, row + 1, where(ok, q2, nan))
                store(q, row + 2, where(ok, q3, nan))
                store(q, row + 3, where(ok, q4, nan))
                store(q, row + 4, where(ok, q5, nan))
                store(q, row + 5, where(ok, q6, nan))
                store(flags, branch, where(ok, kind + where(beyond, 16.0, zero), 16.0))
                found = where(ok, one, found)
                inside = where(ok, maximum(inside, 1.0 - where(beyond, one, zero)), inside)
    reason = where(any_far > 0.0, 1.0, where(any_near > 0.0, 2.0, where(shoulder_ok, 4.0, 2.0)))
    reason = where(found > 0.0, where(inside > 0.0, zero, 3.0), reason)
    store(flags, 8, reason)


@kernel
def solve_block(
    constants: Any,
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

    ``answers`` (m, 48), ``marks`` (m, 8) and ``reasons`` (m,); scratch rows ``target`` 16, ``q``
    48, ``flags`` 9.
    """
    for first in range(begin, end, LANES_FLOAT64):
        count = min(LANES_FLOAT64, end - first)
        if count == LANES_FLOAT64:
            for lane in range(0, LANES_FLOAT64, TILE):
                for column in range(0, 12, TILE):
                    start = 16 * (first + lane) + column
                    turn_tile(
                        targets, start, 16, target, LANES_FLOAT64 * column + lane, LANES_FLOAT64
                    )
        else:
            for lane in range(LANES_FLOAT64):
                # spare lanes repeat the last pose
                p = min(first + lane, end - 1)
                for r in range(3):
                    for c in range(4):
                        target[4 * r + c, lane] = targets[p, r, c]
        branches(constants, target, q, flags)
        if count == LANES_FLOAT64:
            for lane in range(0, LANES_FLOAT64, TILE):
                for row in range(0, 48, TILE):
                    turn_tile(
                        q,
                        LANES_FLOAT64 * row + lane,
                        LANES_FLOAT64,
                        answers,
                        48 * (first + lane) + row,
                        48,
                    )
        else:
            for lane in range(count):
                for row in range(48):
                    answers[first + lane, row] = q[row, lane]
        for lane in range(count):
            for b in range(8):
                marks[first + lane, b] = np.int64(flags[b, lane])
            reasons[first + lane] = np.int64(flags[8, lane])
