"""Seven angles of an arm from the orientations of upper arm, forearm and hand, in closed form.

Three axes meet in the shoulder, two in the elbow, two in the wrist, and in each group one stands
at right angles to the next. Then every arm is, but for fixed turns before and after each group
and a constant added to each angle, the arm of 1995:

    shoulder          N = Rz(a) Rx(90) Rz(b) Rx(90) Rz(c)
    elbow and wrist   N = Rz(a) Rx(90) Rz(b)

With ``N[i, j]`` counted from 0, the shoulder has ``(N02, N12, N22) = (cos a sin b, sin a sin b,
-cos b)``; elbow and wrist have ``(N02, N12) = (sin a, -cos a)``, ``(N20, N21) = (sin b, cos b)``
and ``N22 = 0``: what is left of it tells how well the sensors are mounted and calibrated. Source:
Waldrop 1995, chapter III, equations 3.12 to 3.17. The second branch (a + pi, -b, c + pi) and the
cone are added here.

Where sin b is small, first and last axis of the shoulder nearly coincide and a sensor's noise
would swing the first angle. Inside a cone the first angle therefore moves only as far as is needed
to keep the upper arm's direction within a tolerance; elbow and wrist take up the rest, so that the
hand stays where it is measured.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from articulata.kernels.compile import kernel

JOINTS = 7

SHOULDER, AFTER_SHOULDER, ELBOW, AFTER_ELBOW, WRIST, AFTER_WRIST = range(6)
"""Rows of an arm's ``turns`` (6, 3, 3): what stands before and after the axes of each group."""

ROLL_TO_WRIST, WRIST_TO_ROLL = 7, 8
"""Places in an arm's ``offsets`` (9,), after those of the seven joints: the turns between forearm
roll and first wrist axis; NaN where these two do not stand at right angles."""

FROZEN, OTHER_BRANCH = 1, 2
"""Bits that say how a shoulder was solved."""

LEAP = 0.5
"""What it costs at most to leap to the other branch, as rad beyond limits. Larger, an arm that left
its singular direction on the wrong side stays there; smaller, an arm turned a little farther
than limits allow leaps."""

MOST_ROLL = 0.35
"""The forearm's roll takes up at most this much (rad) of what the cone leaves: beyond it the wrist
is itself stretched so that roll and hand turn about one line."""


@kernel(counted=False)
def _wrap(angle: float) -> float:
    """Return the angle between -pi and pi."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@kernel(counted=False)
def _near(angle: float, middle: float) -> float:
    """Return ``angle`` plus the whole turns that bring it nearest to ``middle``."""
    return middle + _wrap(angle - middle)


@kernel(counted=False)
def _relative(before: Any, A: Any, B: Any, after: Any, N: Any) -> None:
    """Put ``before A^T B after`` into ``N``, all (3, 3)."""
    for i in range(3):
        x = before[i, 0] * A[0, 0] + before[i, 1] * A[0, 1] + before[i, 2] * A[0, 2]
        y = before[i, 0] * A[1, 0] + before[i, 1] * A[1, 1] + before[i, 2] * A[1, 2]
        z = before[i, 0] * A[2, 0] + before[i, 1] * A[2, 1] + before[i, 2] * A[2, 2]
        u = x * B[0, 0] + y * B[1, 0] + z * B[2, 0]
        v = x * B[0, 1] + y * B[1, 1] + z * B[2, 1]
        w = x * B[0, 2] + y * B[1, 2] + z * B[2, 2]
        for j in range(3):
            N[i, j] = u * after[0, j] + v * after[1, j] + w * after[2, j]


@kernel(counted=False)
def _rest_of_three(N: Any, a: float) -> tuple[float, float]:
    """Return b and c that come nearest to ``N`` where a is given; exact where a is."""
    ca, sa = math.cos(a), math.sin(a)
    b = math.atan2(ca * N[0, 2] + sa * N[1, 2], -N[2, 2])
    cb, sb = math.cos(b), math.sin(b)
    # W = Rz(-a) N = [[cb cc, -cb sc, sb], [-sc, -cc, 0], [sb cc, -sb sc, -cb]]
    w00, w01 = ca * N[0, 0] + sa * N[1, 0], ca * N[0, 1] + sa * N[1, 1]
    w10, w11 = ca * N[1, 0] - sa * N[0, 0], ca * N[1, 1] - sa * N[0, 1]
    c = math.atan2(-cb * w01 - w10 - sb * N[2, 1], cb * w00 - w11 + sb * N[2, 0])
    return b, c


@kernel(counted=False)
def _product_of_three(a: float, b: float, c: float, N: Any) -> None:
    """Put ``Rz(a) Rx(90) Rz(b) Rx(90) Rz(c)`` into ``N``."""
    ca, sa, cb, sb = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
    cc, sc = math.cos(c), math.sin(c)
    N[0, 0], N[0, 1], N[0, 2] = ca * cb * cc + sa * sc, sa * cc - ca * cb * sc, ca * sb
    N[1, 0], N[1, 1], N[1, 2] = sa * cb * cc - ca * sc, -sa * cb * sc - ca * cc, sa * sb
    N[2, 0], N[2, 1], N[2, 2] = sb * cc, -sb * sc, -cb


class ArmTables(NamedTuple):
    """What describes an arm, or several, one after the other.

    ``turns`` (6, 3, 3) and ``offsets`` (9,) rad, ``limits`` (7, 3) rad: lowest, highest and middle.
    ``cone`` is the sine of the singular cone's half angle, ``tolerance`` the error (rad) that the
    upper arm may have in it.
    """

    turns: Any
    offsets: Any
    limits: Any
    cone: float
    tolerance: float


@kernel(counted=False)
def _branch(a: float, b: float, c: float, table: ArmTables, before: Any, known: bool) -> bool:
    """Return whether (a + pi, -b, c + pi) fits limits and what was before better than (a, b, c).

    An arm that is followed does not jump because it goes a little beyond a limit, but it comes
    back from a branch in which it is ``LEAP`` farther outside; of one that is seen for the first
    time the limits say more than where it rests.
    """
    offsets, limits = table.offsets, table.limits
    weight = 0.5 if known else 1e-9
    costs = (0.0, 0.0)
    for branch in range(2):
        cost = jump = 0.0
        for k in range(3):
            flip = math.pi * branch
            angle = a + flip if k == 0 else c + flip if k == 2 else -b if branch else b
            value = _near(angle - offsets[k], limits[k, 2])
            cost += max(0.0, limits[k, 0] - value, value - limits[k, 1])
            jump += weight * abs(_wrap(value - before[k]))
        cost += min(jump, LEAP)
        costs = (costs[0], cost) if branch else (cost, 0.0)
    return costs[1] < costs[0]


@kernel(counted=False)
def _held(a: float, s: float, before: float, cone: float, tolerance: float) -> float:
    """Return a first angle between ``before`` and ``a`` that errs by ``tolerance`` at most.

    At the singularity all of the tolerance is allowed, at the cone's rim nothing.
    """
    share = s / cone
    allowed = tolerance * (1.0 - share * share)
    gap = _wrap(a - before)
    room = math.pi if s <= allowed else math.asin(allowed / s)
    if abs(gap) <= room:
        return before
    return a - math.copysign(room, gap)


@kernel(counted=False)
def arm_angles(
    R: Any, table: ArmTables, before: Any, known: bool, q: Any, left: Any, work: Any
) -> int:
    """Solve one arm; return how its shoulder was solved (``FROZEN``, ``OTHER_BRANCH``).

    ``R`` (4, 3, 3) are the orientations of the arm's root, upper arm, forearm and hand in one
    frame. ``before`` (7,) rad is where it was, if ``known``, else where it rests. ``q`` (7,)
    receives the joint values, ``left`` (2,) what is left at elbow and wrist, rad. ``work``
    (2, 3, 3) is room.
    """
    turns, offsets, limits, cone, tolerance = table
    N, upper = work[0], work[1]
    _relative(turns[SHOULDER], R[0], R[1], turns[AFTER_SHOULDER], N)
    s = math.hypot(N[0, 2], N[1, 2])
    a = math.atan2(N[1, 2], N[0, 2])
    if s < 1e-12:
        a = before[0] + offsets[0]  # only a sum or difference of a and c is left to be known
    b, c = _rest_of_three(N, a)
    told = 0
    if _branch(a, b, c, table, before, known):
        a, b, c = a + math.pi, -b, c + math.pi
        told |= OTHER_BRANCH
    frozen = known and s < cone
    if frozen:
        a = _held(a, s, before[0] + offsets[0], cone, tolerance)
        b, c = _rest_of_three(N, a)
        told |= FROZEN
    q[0], q[1], q[2] = a - offsets[0], b - offsets[1], c - offsets[2]
    if frozen:
        # the upper arm as it was solved: R_root P N L
        _product_of_three(a, b, c, N)
        _solved(R[0], turns[SHOULDER], N, turns[AFTER_SHOULDER], upper)
    _relative(turns[WRIST], R[2], R[3], turns[AFTER_WRIST], N)
    left[1] = math.asin(max(-1.0, min(1.0, N[2, 2])))
    q[5] = math.atan2(N[0, 2], -N[1, 2]) - offsets[5]
    q[6] = math.atan2(N[2, 0], N[2, 1]) - offsets[6]
    _relative(turns[ELBOW], R[1], R[2], turns[AFTER_ELBOW], N)
    left[0] = math.asin(max(-1.0, min(1.0, N[2, 2])))
    if frozen:
        _relative(turns[ELBOW], upper, R[2], turns[AFTER_ELBOW], N)
    a = math.atan2(N[0, 2], -N[1, 2])
    b = math.atan2(N[2, 0], N[2, 1])
    q[3], q[4] = a - offsets[3], b - offsets[4]
    if frozen and math.isfinite(offsets[ROLL_TO_WRIST]):
        _relative(turns[ELBOW], upper, R[3], turns[AFTER_WRIST], N)
        _bring_hand(N, a, b, offsets, q)
    for k in range(JOINTS):
        q[k] = _near(q[k], limits[k, 2])
    return told


@kernel(counted=False)
def three_angles(
    root: Any, link: Any, table: ArmTables, before: Any, known: bool, q: Any, N: Any
) -> None:
    """Solve three joints that meet in a point, of a neck for instance, as a shoulder without cone.

    ``root`` and ``link`` (3, 3) are the orientations before and after them; ``turns`` (2, 3, 3),
    ``offsets`` (3,), ``limits`` (3, 3), ``before`` (3,), ``q`` (3,) as for an arm; ``N`` is room.
    """
    turns, offsets, limits = table.turns, table.offsets, table.limits
    _relative(turns[0], root, link, turns[1], N)
    a = math.atan2(N[1, 2], N[0, 2])
    if math.hypot(N[0, 2], N[1, 2]) < 1e-12:
        a = before[0] + offsets[0]
    b, c = _rest_of_three(N, a)
    if _branch(a, b, c, table, before, known):
        a, b, c = a + math.pi, -b, c + math.pi
    q[0] = _near(a - offsets[0], limits[0, 2])
    q[1] = _near(b - offsets[1], limits[1, 2])
    q[2] = _near(c - offsets[2], limits[2, 2])


@kernel(counted=False)
def _solved(root: Any, before: Any, N: Any, after: Any, out: Any) -> None:
    """Put ``root before^T N after^T`` into ``out``."""
    for i in range(3):
        x = root[i, 0] * before[0, 0] + root[i, 1] * before[0, 1] + root[i, 2] * before[0, 2]
        y = root[i, 0] * before[1, 0] + root[i, 1] * before[1, 1] + root[i, 2] * before[1, 2]
        z = root[i, 0] * before[2, 0] + root[i, 1] * before[2, 1] + root[i, 2] * before[2, 2]
        u = x * N[0, 0] + y * N[1, 0] + z * N[2, 0]
        v = x * N[0, 1] + y * N[1, 1] + z * N[2, 1]
        w = x * N[0, 2] + y * N[1, 2] + z * N[2, 2]
        for j in range(3):
            out[i, j] = u * after[j, 0] + v * after[j, 1] + w * after[j, 2]


@kernel(counted=False)
def _bring_hand(N: Any, a: float, b: float, offsets: Any, q: Any) -> None:
    """Set forearm roll and wrist so that the hand turns as measured from the elbow ``a`` on.

    ``N`` is the hand's orientation seen from before the elbow's axes, and is overwritten; ``b`` is
    the roll as the forearm's sensor has it.
    """
    ca, sa = math.cos(a), math.sin(a)
    # Rx(-90) Rz(-a) N = Rz(roll) Rx(90) Rz(wrist) Rx(90) Rz(last)
    for j in range(3):
        x, y, z = N[0, j], N[1, j], N[2, j]
        N[0, j], N[1, j], N[2, j] = ca * x + sa * y, z, sa * x - ca * y
    measured = b + offsets[ROLL_TO_WRIST]
    roll = math.atan2(N[1, 2], N[0, 2])
    if abs(_wrap(roll - measured)) > 0.5 * math.pi:
        roll += math.pi
    if abs(_wrap(roll - measured)) > MOST_ROLL:
        return
    middle, last = _rest_of_three(N, roll)
    q[4] = roll - offsets[ROLL_TO_WRIST] - offsets[4]
    q[5] = middle - offsets[WRIST_TO_ROLL] - offsets[5]
    q[6] = last - offsets[6]
