"""Kernels of the closed form of seven joints: see ``swivel_srs`` for what they compute.

``constants`` (33,): base pose into the table's frame with S as origin (12), turn of the tip
(9), wrist centre in the tip's frame (3), S to axis 4 and axis 4 to W in the frame of joint 4
before it turns (6), the base's z axis in the table's frame (3). ``joints`` (7, 6) and
``twists`` (6, 2) as in ``SwivelArm``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.self_motion.concurrent_joints import (
    EDGE,
    ball_angles,
    cut_ball,
    inside,
    rotation_at,
)
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import overwrite

REACHED, TOO_FAR, TOO_NEAR, BEYOND_LIMITS = 0, 1, 2, 3
"""Why a pose has no posture (as in ``reach_bounds``)."""

UNDECIDED = 5
"""A folded arm may stand in a direction that was not tried."""

_FOLDED = -1
"""The wrist is at S: the arm is folded onto itself and its elbow may stand anywhere about S."""

_TRIED = 26
"""Directions of the upper arm that are tried for a folded arm."""

MOST_INTERVALS = 8
"""Most intervals kept for one branch."""

_STRAIGHT = 4e-15
_CUTS = 40


@kernel(counted=False)
def _unit_across(direction: Any, wanted: Any, out: Any) -> None:
    """Write the unit vector across ``direction`` nearest to ``wanted``, or to another axis."""
    for attempt in range(4):
        x, y, z = wanted[0], wanted[1], wanted[2]
        if attempt > 0:
            x = 1.0 if attempt == 1 else 0.0
            y = 1.0 if attempt == 2 else 0.0
            z = 1.0 if attempt == 3 else 0.0
        size = math.sqrt(x * x + y * y + z * z)
        along = x * direction[0] + y * direction[1] + z * direction[2]
        x -= along * direction[0]
        y -= along * direction[1]
        z -= along * direction[2]
        across = math.sqrt(x * x + y * y + z * z)
        if across > 1e-9 * size and size > 0.0:
            x /= across
            y /= across
            z /= across
            # once more: what is left of a vector that is nearly along is across to few digits
            along = x * direction[0] + y * direction[1] + z * direction[2]
            x -= along * direction[0]
            y -= along * direction[1]
            z -= along * direction[2]
            across = math.sqrt(x * x + y * y + z * z)
            out[0] = x / across
            out[1] = y / across
            out[2] = z / across
            return


@kernel
def _frame(first: Any, wanted: Any, out: Any) -> None:
    """Write a frame (3, 3): columns ``first`` (made unit), toward ``wanted``, and across both."""
    size = math.sqrt(first[0] ** 2 + first[1] ** 2 + first[2] ** 2)
    x = np.empty(3)
    y = np.empty(3)
    for r in range(3):
        x[r] = first[r] / size
    _unit_across(x, wanted, y)
    for r in range(3):
        out[r, 0] = x[r]
        out[r, 1] = y[r]
    out[0, 2] = x[1] * y[2] - x[2] * y[1]
    out[1, 2] = x[2] * y[0] - x[0] * y[2]
    out[2, 2] = x[0] * y[1] - x[1] * y[0]


@kernel(counted=False)
def _elbows(constants: Any, p: Any, angles: Any) -> int:
    """Write both table angles 4 for a wrist at ``p`` from S; return REACHED or why not."""
    distance = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    ux, uy, uz = constants[24], constants[25], constants[26]
    wx, wy, wz = constants[27], constants[28], constants[29]
    arm = math.hypot(ux, uy)
    fore = math.hypot(wx, wy)
    furthest = math.hypot(arm + fore, uz + wz)
    nearest = math.hypot(arm - fore, uz + wz)
    if not distance <= furthest + EDGE * furthest:
        return TOO_FAR
    stretched = math.atan2(uy, ux) - math.atan2(wy, wx)
    if distance < 1e-9 * furthest and nearest < 1e-9 * furthest:
        angles[0] = stretched + math.pi
        angles[1] = angles[0]
        return _FOLDED
    if distance < nearest - EDGE * furthest or distance < 1e-9 * furthest:
        return TOO_NEAR
    # by the half angle, which is exact near both ends
    out = max((furthest - distance) * (furthest + distance), 0.0)
    fold = max((distance - nearest) * (distance + nearest), 0.0)
    turn = 2.0 * math.atan2(math.sqrt(out), math.sqrt(fold))
    rounding = 2.0 * _STRAIGHT * arm * fore
    if out < rounding:
        # stretched or folded but for rounding, of which the angle would be the root
        turn = 0.0
    elif (distance - nearest) * furthest < rounding and nearest > 1e-9 * furthest:
        turn = math.pi
    angles[0] = stretched + turn
    angles[1] = stretched - turn
    return REACHED


@kernel
def _pose_parts(constants: Any, target: Any, rotation: Any, p: Any) -> None:
    """Write frame 7's rotation and the wrist from S, both in the table's frame."""
    t = np.empty((3, 4))
    for r in range(3):
        for c in range(4):
            t[r, c] = 0.0
            for k in range(3):
                t[r, c] += constants[4 * r + k] * target[k, c]
        t[r, 3] += constants[4 * r + 3]
    for r in range(3):
        p[r] = t[r, 3]
        for c in range(3):
            p[r] += t[r, c] * constants[21 + c]
            rotation[r, c] = 0.0
            for k in range(3):
                rotation[r, c] += t[r, k] * constants[12 + 3 * k + c]


@kernel
def _sums(
    arm: Any, rotation: Any, p: Any, elbow: float, folded: bool, shoulder: Any, wrist: Any
) -> None:
    """Write the rotations as sums: ``shoulder`` and ``wrist`` (3, 3, 3), k0, kc, ks first.

    Shoulder: Rz(phi1) ... Rz(phi3). Wrist: Rz(phi5) ... Rz(phi7). ``p`` is the wrist from S; of a
    ``folded`` arm, whose wrist is at S, the direction of the upper arm.
    """
    constants, _, twists = arm
    ca3, sa3 = twists[2, 0], twists[2, 1]
    ca4, sa4 = twists[3, 0], twists[3, 1]
    c, s = math.cos(elbow), math.sin(elbow)
    # S to elbow and S to W in the frame that turns with joint 3
    wx = constants[24] + c * constants[27] - s * constants[28]
    wy = constants[25] + s * constants[27] + c * constants[28]
    wz = constants[26] + constants[29]
    v = np.empty(3)
    e = np.empty(3)
    v[0] = wx
    v[1] = ca3 * wy - sa3 * wz
    v[2] = sa3 * wy + ca3 * wz
    e[0] = constants[24]
    e[1] = ca3 * constants[25] - sa3 * constants[26]
    e[2] = sa3 * constants[25] + ca3 * constants[26]
    if folded:
        overwrite(v, e)
    fp = np.empty((3, 3))
    fv = np.empty((3, 3))
    _frame(p, constants[30:33], fp)
    _frame(v, e, fv)
    for r in range(3):
        for k in range(3):
            shoulder[0, r, k] = fp[r, 0] * fv[k, 0]
            shoulder[1, r, k] = fp[r, 1] * fv[k, 1] + fp[r, 2] * fv[k, 2]
            shoulder[2, r, k] = fp[r, 2] * fv[k, 1] - fp[r, 1] * fv[k, 2]
    # from frame 3 to frame 4: Rx(alpha3) Rz(phi4) Rx(alpha4)
    g = np.empty((3, 3))
    g[0, 0] = c
    g[0, 1] = -s * ca4
    g[0, 2] = s * sa4
    g[1, 0] = ca3 * s
    g[1, 1] = ca3 * c * ca4 - sa3 * sa4
    g[1, 2] = -ca3 * c * sa4 - sa3 * ca4
    g[2, 0] = sa3 * s
    g[2, 1] = sa3 * c * ca4 + ca3 * sa4
    g[2, 2] = -sa3 * c * sa4 + ca3 * ca4
    for part in range(3):
        for r in range(3):
            for k in range(3):
                total = 0.0
                for i in range(3):
                    carried = 0.0
                    for j in range(3):
                        carried += shoulder[part, j, i] * rotation[j, k]
                    total += g[i, r] * carried
                wrist[part, r, k] = total


@kernel
def _direction(number: int, out: Any) -> None:
    """Write one of 26 directions: to the faces, corners and edges of a cube."""
    # 13 is the middle of the cube itself
    code = (number + 14) % 27
    for r in range(3):
        out[r] = code % 3 - 1.0
        code //= 3


@kernel(counted=False)
def _beyond(joint: Any, angle: float) -> bool:
    """Return whether a table angle is outside the joint's limits."""
    return math.cos(angle) * joint[2] + math.sin(angle) * joint[3] < joint[4] - EDGE


@kernel
def _arcs(
    arm: Any, rotation: Any, p: Any, angle: float, folded: Any, elbow: Any, found: Any
) -> int:
    """Write the intervals of psi of the four branches of one elbow; return how many there are."""
    _, joints, twists = arm
    intervals, counts = found
    if _beyond(joints[3], angle):
        return 0
    shoulder = np.empty((3, 3, 3))
    wrist = np.empty((3, 3, 3))
    turns = np.empty((3, 2))
    cuts = np.empty(_CUTS)
    scratch = np.empty(3)
    m = np.empty((3, 3))
    allowed = np.empty((_CUTS, 8), np.bool_)
    _sums(arm, rotation, p, angle, folded, shoulder, wrist)
    n = cut_ball(shoulder, twists, 0, joints, cuts, 0, scratch)
    n = cut_ball(wrist, twists, 4, joints, cuts, n, scratch)
    if n == 0:
        cuts[0] = -math.pi
        n = 1
    for i in range(1, n):
        cut = cuts[i]
        j = i - 1
        while j >= 0 and cuts[j] > cut:
            cuts[j + 1] = cuts[j]
            j -= 1
        cuts[j + 1] = cut
    for i in range(n):
        after = cuts[i + 1] if i + 1 < n else cuts[0] + 2.0 * math.pi
        psi = 0.5 * (cuts[i] + after)
        cp = math.cos(psi)
        sp = math.sin(psi)
        for branch in range(8):
            allowed[i, branch] = False
        rotation_at(shoulder, cp, sp, m)
        front = ball_angles(m, twists, 0, 0, turns) and inside(turns, joints, 0)
        back = ball_angles(m, twists, 0, 1, turns) and inside(turns, joints, 0)
        if not (front or back):
            continue
        rotation_at(wrist, cp, sp, m)
        for side in range(2):
            good = ball_angles(m, twists, 4, side, turns) and inside(turns, joints, 4)
            allowed[i, 2 * elbow + side] = good and front
            allowed[i, 4 + 2 * elbow + side] = good and back
    total = 0
    for branch in range(8):
        if (branch >> 1) & 1 == elbow:
            counts[branch] = _merge(cuts, allowed[:, branch], n, intervals[branch])
            total += counts[branch]
    return total


@kernel
def _folded_arcs(arm: Any, rotation: Any, p: Any, angle: float, found: Any) -> int:
    """Write the intervals of a folded arm and, to ``p``, the direction of its upper arm.

    It may stand in any direction; the first that the limits allow is taken.
    """
    for number in range(_TRIED):
        _direction(number, p)
        # values that stand in a call would be compiled for on their own
        total = _arcs(arm, rotation, p, angle, np.bool_(True), np.int64(0), found)
        if total > 0:
            return total
    return 0


@kernel
def families(
    arm: Any, targets: Any, intervals: Any, counts: Any, reasons: Any, begin: int, end: int
) -> None:
    """Write the intervals of psi of every branch of poses ``begin`` to ``end``.

    ``arm``: constants, joints and twists of a ``SwivelArm``.
    """
    constants, joints, _ = arm
    rotation = np.empty((3, 3))
    p = np.empty(3)
    angles = np.empty(2)
    for t in range(begin, end):
        counts[t] = 0
        _pose_parts(constants, targets[t], rotation, p)
        reasons[t] = _elbows(constants, p, angles)
        total = 0
        if reasons[t] == _FOLDED:
            reasons[t] = REACHED
            total = _folded_arcs(arm, rotation, p, angles[0], (intervals[t], counts[t]))
            if total == 0 and not _beyond(joints[3], angles[0]):
                reasons[t] = UNDECIDED
        elif reasons[t] == REACHED:
            for elbow in range(2):
                found = intervals[t], counts[t]
                total += _arcs(arm, rotation, p, angles[elbow], np.bool_(False), elbow, found)
        if reasons[t] == REACHED and total == 0:
            reasons[t] = BEYOND_LIMITS


@kernel(counted=False)
def _merge(cuts: Any, allowed: Any, n: int, out: Any) -> int:
    """Join neighbouring allowed arcs into intervals; return how many there are."""
    first = -1
    for i in range(n):
        if not allowed[i]:
            first = i
            break
    if first < 0:
        out[0, 0] = -math.pi
        out[0, 1] = math.pi
        return 1
    count = 0
    running = False
    for step in range(1, n + 1):
        i = (first + step) % n
        if allowed[i] and not running and count < MOST_INTERVALS:
            running = True
            out[count, 0] = cuts[i]
        elif not allowed[i] and running:
            running = False
            close = cuts[i]
            if close < out[count, 0]:
                close += 2.0 * math.pi
            out[count, 1] = close
            count += 1
    return count


@kernel
def postures(arm: Any, targets: Any, branches: Any, swivels: Any, directions: Any, q: Any) -> None:
    """Write the posture (7,) of each pose, branch and swivel angle; NaN where there is none.

    ``directions`` (m, 3): of the upper arm where an arm is folded, NaN to choose as ``families``.
    """
    constants, joints, twists = arm
    rotation = np.empty((3, 3))
    p = np.empty(3)
    angles = np.empty(2)
    shoulder = np.empty((3, 3, 3))
    wrist = np.empty((3, 3, 3))
    turns = np.empty((7, 2))
    m = np.empty((3, 3))
    intervals = np.empty((8, MOST_INTERVALS, 2))
    counts = np.empty(8, np.int64)
    for t in range(len(targets)):
        q[t] = np.nan
        _pose_parts(constants, targets[t], rotation, p)
        state = _elbows(constants, p, angles)
        if state == _FOLDED:
            if directions[t, 0] == directions[t, 0]:
                overwrite(p, directions[t])
            elif not _folded_arcs(arm, rotation, p, angles[0], (intervals, counts)):
                continue
        elif state != REACHED:
            continue
        branch = branches[t]
        elbow = angles[(branch >> 1) & 1]
        _sums(arm, rotation, p, elbow, state == _FOLDED, shoulder, wrist)
        turns[3, 0] = math.cos(elbow)
        turns[3, 1] = math.sin(elbow)
        cp = math.cos(swivels[t])
        sp = math.sin(swivels[t])
        rotation_at(shoulder, cp, sp, m)
        good = ball_angles(m, twists, 0, branch >> 2, turns[:3])
        rotation_at(wrist, cp, sp, m)
        good = good and ball_angles(m, twists, 4, branch & 1, turns[4:])
        if good:
            for j in range(7):
                away = math.atan2(turns[j, 1], turns[j, 0]) - joints[j, 0] - joints[j, 1]
                away -= 2.0 * math.pi * round(away / (2.0 * math.pi))
                q[t, j] = joints[j, 1] + away
