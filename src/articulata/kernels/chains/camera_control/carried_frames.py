"""Postures of an arm that carries a frame: the one nearest to where it stands, and what lies ahead.

An arm is what ``CarrierArm`` holds: joints in series, (n, 3, 4) poses before each, kinds, the frame
in the last link, limits; with a spherical wrist also the constants of ``spherical_wrist_6r``. A
posture meets a pose X_BC (3, 4) when its frame is there. Answers that are not there say why by a
code: ``KIND * k + joint``, k as below.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.closed_forms import spherical_wrist_6r as wrist6
from articulata.kernels.chains.closed_forms.spherical_wrist_6r import branches
from articulata.kernels.chains.forward_kinematics import TreeArrays, jacobian_one, tip_pose_one
from articulata.kernels.chains.screw_steps import step_own
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import overwrite, solve_columns

KIND: Final = 64
"""Codes are this times the kind of what stands in the way, and the joint's number."""

SPEED, ACCELERATION, LOWER, UPPER = 1, 2, 3, 4
TOO_FAR, TOO_NEAR, ORIENTATION, SINGULAR, WRIST = 5, 6, 7, 8, 9
"""Kinds. Of a joint: its speed, its acceleration, its ends. Of the pose: beyond the outer boundary,
within the inner one or the dead zone, an orientation that the wrist has not; a posture from which
no way goes on; a wrist in line."""

CLASH, TORQUE, CHANGING, JERK = 10, 11, 12, 13
"""Kinds likewise, of a flight: something would be struck; a joint would have to be stronger; the
arm is on its way to another posture; a joint's acceleration changes faster than it should."""

ROUNDING: Final = 1e-10
"""rad and m by which a joint that stays at its end may seem to be beyond it."""

LOOKS: Final = 9
"""Instants at which the way ahead is looked at, each twice as far as the one before."""

_ACROSS: Final = wrist6.WRIST
"""Cosine and sine of twist 4, then of twist 5."""
_FIFTH: Final = wrist6.JOINTS + 3 * 4
"""Of joint 5: the offset of its angle and middle of its range together, then the middle."""

_NEWTON: Final = 12
_FIRM: Final = 1e-12
_GENTLE: Final = 0.5
"""Share of the acceleration with which a joint just comes to rest by its jerk: braking so, its
acceleration changes by a quarter of that jerk, and the rest suffices to begin."""

_PLACE, _TURN = 1e-11, 1e-11
"""Where Newton's method ends: share of the arm's size, rad."""


class CarrierArm(NamedTuple):
    """What kernels read of an arm; all float64 in C order, ``kinds`` and ``parents`` int64."""

    tree: TreeArrays
    tip: Array
    lower: Array
    upper: Array
    speeds: Array
    accelerations: Array
    jerks: Array
    constants: Array
    spherical: bool
    orthogonal: bool
    size: float


class Room(NamedTuple):
    """Room for one tick: written by kernels, read by nobody else."""

    branches: Array
    flags: Array
    target: Array
    links: Array
    J: Array
    X: Array
    ahead: Array
    q: Array
    R: Array
    solve: Array
    other: Array
    after: Array
    box: Array
    kinds: IntArray
    found: IntArray


def room(n: int) -> Room:
    """Return room for an arm of ``n`` joints."""
    return Room(
        np.empty(48), np.empty(9), np.empty(12), np.empty((n, 3, 4)), np.empty((6, n)),
        np.empty((3, 4)), np.empty((3, 4)), np.empty((LOOKS + 1, n)), np.empty((3, 3)),
        np.empty((6, 7)), np.empty((9, n)), np.empty((3, 4)), np.empty((2, n)),
        np.zeros((2, n), np.int64), np.zeros(1, np.int64),
    )  # fmt: skip


@kernel(counted=False)
def frame_of(arm: Any, q: Any, work: Any, X: Any) -> None:
    """Write X_BC (3, 4) of the carried frame in posture ``q`` (n,)."""
    tip_pose_one(arm.tree, q, len(q) - 1, arm.tip, work.links, X)


@kernel(counted=False)
def turn_between(target: Any, X: Any, e: Any) -> None:
    """Write into ``e[3:6]`` the turn in B that brings the axes of ``X`` to those of ``target``."""
    # R = target X^T: its skew part and trace
    r00 = target[0, 0] * X[0, 0] + target[0, 1] * X[0, 1] + target[0, 2] * X[0, 2]
    r11 = target[1, 0] * X[1, 0] + target[1, 1] * X[1, 1] + target[1, 2] * X[1, 2]
    r22 = target[2, 0] * X[2, 0] + target[2, 1] * X[2, 1] + target[2, 2] * X[2, 2]
    x = y = z = 0.0
    for k in range(3):
        x += target[2, k] * X[1, k] - target[1, k] * X[2, k]
        y += target[0, k] * X[2, k] - target[2, k] * X[0, k]
        z += target[1, k] * X[0, k] - target[0, k] * X[1, k]
    sine = 0.5 * math.sqrt(x * x + y * y + z * z)
    angle = math.atan2(sine, 0.5 * (r00 + r11 + r22 - 1.0))
    scale = 0.5 if sine < 1e-9 else 0.5 * angle / sine
    e[3], e[4], e[5] = scale * x, scale * y, scale * z


@kernel
def _newton(arm: Any, target: Any, work: Any, q: Any) -> int:
    """Bring ``q`` (n,) to ``target`` (3, 4) by Newton's method, by least steps; 0, or a code."""
    n = len(q)
    A, J, e = work.solve, work.J, np.empty(6)
    point = np.empty(3)
    for _ in range(_NEWTON):
        frame_of(arm, q, work, work.X)
        X = work.X
        for r in range(3):
            e[r] = target[r, 3] - X[r, 3]
            point[r] = X[r, 3]
        turn_between(target, X, e)
        off = max(abs(e[0]), abs(e[1]), abs(e[2]))
        turned = max(abs(e[3]), abs(e[4]), abs(e[5]))
        if off <= _PLACE * arm.size and turned <= _TURN:
            return 0
        jacobian_one(arm.tree, work.links, n - 1, point, J)
        # lengths in sizes of the arm: rows of one kind
        for r in range(3):
            e[r] /= arm.size
            for j in range(n):
                J[r, j] /= arm.size
        for r in range(6):
            for c in range(6):
                total = 0.0
                for j in range(n):
                    total += J[r, j] * J[c, j]
                A[r, c] = total
            A[r, r] += _FIRM
            A[r, 6] = e[r]
        if not solve_columns(A) > 1e-14:
            return KIND * SINGULAR
        longest = 0.0
        for j in range(n):
            total = 0.0
            for r in range(6):
                total += J[r, j] * A[r, 6]
            work.other[0, j] = total
            longest = max(longest, abs(total))
        part = min(1.0, 0.5 / longest) if longest > 0.0 else 1.0
        for j in range(n):
            q[j] += part * work.other[0, j]
    return KIND * SINGULAR


@kernel(counted=False)
def wrist_sine(arm: Any, q: Any) -> float:
    """Return the sine of the angle between axes 4 and 6; 1 for an arm without such a wrist."""
    if not arm.spherical:
        return 1.0
    c = arm.constants
    turn = q[4] + c[_FIFTH] - c[_FIFTH + 1]
    ca4, sa4, ca5, sa5 = c[_ACROSS], c[_ACROSS + 1], c[_ACROSS + 2], c[_ACROSS + 3]
    return math.hypot(sa5 * math.sin(turn), ca4 * sa5 + sa4 * ca5 * math.cos(turn))


@kernel(counted=False)
def _line_up(arm: Any, q: Any, near: Any) -> None:
    """Turn joint 4 of a wrist in line to where it stands, and joint 6 so that nothing moves."""
    c = arm.constants
    turn = q[4] + c[_FIFTH] - c[_FIFTH + 1]
    ca4, sa4, ca5, sa5 = c[_ACROSS], c[_ACROSS + 1], c[_ACROSS + 2], c[_ACROSS + 3]
    cosine = ca4 * ca5 - sa4 * sa5 * math.cos(turn)
    moved = q[3] - near[3]
    q[3] = near[3]
    q[5] += math.copysign(1.0, cosine) * moved


@kernel
def posture_near(arm: Any, target: Any, near: Any, held: int, room: Any, q: Any) -> int:
    """Write the posture (n,) that meets ``target`` (3, 4) nearest to ``near`` (n,).

    Return the number of its branch, or less than 0: a code. Of a spherical wrist's arm the branches
    with the shoulder and the elbow of ``held`` count (all where it is less than 0), and the wrist
    of ``held`` stays unless the other one is nearer by more than 0.1 rad. What leaves the limits is
    written where nothing else is.
    """
    n = len(near)
    if not arm.spherical:
        for j in range(n):
            q[j] = near[j]
        code = _newton(arm, target, room, q)
        return 0 if code == 0 else -code
    k = 0
    for r in range(3):
        for c in range(4):
            room.target[k] = target[r, c]
            k += 1
    branches(arm.constants, arm.orthogonal, room.target, room.branches, room.flags)
    best, least = -1, math.inf
    for b in range(8):
        if not room.flags[b] > 0.0 or (held >= 0 and b // 2 != held // 2):
            continue
        off = 0.0
        for j in range(6):
            value = room.branches[6 * b + j]
            value += 2.0 * math.pi * np.rint((near[j] - value) / (2.0 * math.pi))
            room.other[1, j] = value
        if int(room.flags[b]) & 2:
            _line_up(arm, room.other[1], near)
            value = room.other[1, 5]
            value += 2.0 * math.pi * np.rint((near[5] - value) / (2.0 * math.pi))
            room.other[1, 5] = value
        for j in range(6):
            off = max(off, abs(room.other[1, j] - near[j]))
            if not arm.lower[j] <= room.other[1, j] <= arm.upper[j]:
                off += 0.02
        if b != held:
            off += 0.1
        if off < least:
            best, least = b, off
            for j in range(6):
                q[j] = room.other[1, j]
    if best >= 0:
        return best
    reason = int(room.flags[8])
    if reason == 1:
        return -KIND * TOO_FAR
    if reason == 2:
        return -KIND * TOO_NEAR
    if reason == 4:
        return -KIND * ORIENTATION
    # some other shoulder or elbow would meet it: this one has come to its end
    return -KIND * TOO_FAR


@kernel
def outlook(
    arm: Any,
    X: Any,
    q: Any,
    rates: Any,
    held: int,
    twist: Any,
    first: float,
    joints: int,
    room: Any,
) -> tuple[float, int]:
    """Return how much of ``twist`` (6,) the way ahead allows, 0 to 1, and the code of what binds.

    The way is ``X exp(twist t)`` from posture ``q``, looked at at t = ``first``, twice that and so
    on. Going on at that share the arm can still come to rest on the way, before what ends it, with
    nine tenths of its accelerations; only the first ``joints`` joints are asked for their speeds
    and accelerations, and of the others none where it is less than the arm's. Where jerks are
    limited, joints at ``rates`` (n,) brake so that their accelerations can come and go.
    """
    count, end = _reached(arm, X, q, held, twist, first, joints, room)
    room.found[0] = count
    if count == 0:
        return 0.0, end
    return _allowed(arm, room.q, rates, first, joints, count, end)


@kernel
def _reached(
    arm: Any,
    X: Any,
    q: Any,
    held: int,
    twist: Any,
    first: float,
    joints: int,
    room: Any,
) -> tuple[int, int]:
    """Return how many places of the way are reached, their postures in ``room.q``, and the end.

    The end is the code of what keeps the arm from the next place, 0 for nothing.
    """
    n = len(q)
    Q = room.q
    for j in range(n):
        Q[0, j] = q[j]
    count, end = 0, 0
    t = first
    for k in range(1, LOOKS + 1):
        step_own(X, twist, t, room.R, room.ahead)
        found = posture_near(arm, room.ahead, Q[k - 1], held, room, Q[k])
        if found < 0:
            end = -found
            break
        held = found
        for j in range(n):
            beyond = 0
            if j < joints or joints >= n:
                if Q[k, j] < arm.lower[j] - ROUNDING:
                    beyond = LOWER
                elif Q[k, j] > arm.upper[j] + ROUNDING:
                    beyond = UPPER
            if beyond:
                end = KIND * beyond + j
                break
        if end:
            break
        count = k
        t *= 2.0
    return count, end


@kernel
def _allowed(
    arm: Any,
    Q: Any,
    rates: Any,
    first: float,
    joints: int,
    count: int,
    end: int,
) -> tuple[float, int]:
    """Return at what share of the way's rate joints can brake for what ends it, and what binds.

    ``Q`` (count + 1, n) are the postures on the way, the last of which is at rest.
    """
    n = len(rates)
    x, code = 0.0, end
    # squared rate along the way, backwards from rest at the last place that is reached
    for k in range(count - 1, -1, -1):
        t1 = first * 2.0**k
        t0 = 0.0 if k == 0 else 0.5 * t1
        width = t1 - t0
        most, why = math.inf, code
        for j in range(n):
            if j >= joints:
                continue
            slope = (Q[k + 1, j] - Q[k, j]) / width
            bend = 0.0
            if k + 1 < count:
                after = (Q[k + 2, j] - Q[k + 1, j]) / t1
                bend = (after - slope) / (0.5 * (width + t1))
            slope, bend = abs(slope), abs(bend)
            limit = 0.9 * arm.accelerations[j]
            if arm.jerks[j] < math.inf:
                rate = max(slope * math.sqrt(x), abs(rates[j]))
                gentle = max(_GENTLE * math.sqrt(arm.jerks[j] * rate), first * arm.jerks[j])
                limit = min(limit, gentle)
            if slope > 0.0:
                fastest = arm.speeds[j] / slope
                if fastest * fastest < most:
                    most, why = fastest * fastest, KIND * SPEED + j
            if slope + bend > 0.0 and limit < math.inf:
                per = slope / (2.0 * width)
                braked = (limit + per * x) / (per + bend)
                if braked < most:
                    most = braked
                    # what comes next binds, unless the bend of the way does
                    eased = bend * braked > 0.5 * limit or code == 0
                    why = KIND * ACCELERATION + j if eased else code
        x = most
        code = why
    return math.sqrt(min(x, 1e12)), code


@kernel
def carried_path(
    arm: Any, X: Any, start: Any, held: int, room: Any, q: Any, branch: Any, codes: Any
) -> int:
    """Write postures (m, n) that meet ``X`` (m, 3, 4), branches and codes (m,).

    The first is the nearest to ``start`` (n,) on the branch ``held`` (any where less than 0); where
    a pose is not met its code is not 0, its posture NaN, and the next one continues the last that
    was met, on any branch. Return how many are not met.
    """
    missed = 0
    near = start.copy()
    for i in range(X.shape[0]):
        found = posture_near(arm, X[i], near, held, room, q[i])
        if found < 0:
            codes[i], branch[i] = -found, -1
            q[i, :] = np.nan
            missed += 1
            held = -1
            continue
        codes[i], branch[i] = 0, found
        overwrite(near, q[i])
        held = found
    return missed
