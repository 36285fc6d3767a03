"""Seven joints where shoulder or wrist is in line: two joints turn about one axis and share a turn.

There the limits no longer cut the circle of the swivel angle as they do elsewhere. At a single
swivel angle, at which the middle joint of three passes the end of its range, the posture may
keep limits that it leaves on either side. Where the arm is straight along its first axis (or
the wrist along its last), every swivel is in line, and what must stay within limits is the sum
of two angles, which grows with the swivel.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.inverse.measuring import rotation_vector, tip_errors

if TYPE_CHECKING:
    from articulata.kernels.chains.self_motion.swivel_srs import SwivelArm
    from articulata.kinematics.serial import Serial

BALLS = (0, 4)
"""First joints of the shoulder and of the wrist."""

IN_LINE = 1e-9
"""How near to 1 the cosine of a middle joint must come to be looked at."""

_NEAR_LINE = 1e-6
"""Sine of a middle joint below which two joints may share their turn: known to rounding's root."""

_TRUE = 1e-9
"""Most, m and rad, that a posture found here may be off."""

_ROUNDING = 1e-9

_RANK = 1e-6
"""Share of the largest singular value below which a direction is not moved in."""

Interval = tuple[float, float]


def share_turns(
    arm: SwivelArm, chain: Serial, X_WT: Float64[Array, "4 4"], q: Float64[Array, "7"]
) -> None:
    """Bring a posture into its limits, where it can be, by what joints in line may share."""
    lower, upper = chain.lower, chain.upper
    shared = False
    for first in BALLS:
        if _kept(lower, upper, q, first):
            continue
        side = _side(arm, q, first)
        if side == 0.0:
            continue
        low, high = _sum_range(lower, upper, first, side)
        total = q[first] + side * q[first + 2]
        total += math.tau * math.ceil((low - total) / math.tau - 1e-11) if low > -math.inf else 0.0
        if total > high + 1e-10:
            continue
        least, most = _other_range(lower, upper, first, side)
        begin, end = max(lower[first], total - most), min(upper[first], total - least)
        bounded = math.isfinite(begin) and math.isfinite(end)
        q[first] = 0.5 * (begin + end) if bounded else min(max(q[first], begin), end)
        q[first + 2] = side * (total - q[first])
        shared = True
    if shared:
        _polish(chain, X_WT, q)
    inside = (q >= lower - _ROUNDING) & (q <= upper + _ROUNDING)
    q[inside] = np.clip(q, lower, upper)[inside]


def _polish(chain: Serial, X_WT: Array, q: Array) -> None:
    """Meet the pose again: a joint is in line but for the root of rounding, and so was the pose."""
    for _ in range(2):
        X = chain.tip(q)
        gap = np.concatenate([X_WT[:3, 3] - X[:3, 3], rotation_vector(X[:3, :3], X_WT[:3, :3])])
        q += np.linalg.lstsq(chain.jacobian(q), gap, rcond=_RANK)[0]


def intervals_in_line(
    arm: SwivelArm, chain: Serial, X_WT: Float64[Array, "4 4"]
) -> dict[int, list[Interval]]:
    """Return by branch the swivel angles of a pose, that only joints in line make possible.

    For poses that have no posture within limits elsewhere. Each has been tried.
    """
    found: dict[int, list[Interval]] = {}
    for elbow in (0, 2):
        raw, straight = _swings(arm, X_WT, elbow)
        if not raw and not straight:
            continue
        for slot in (elbow, elbow + 1, elbow + 4, elbow + 5):
            tried = [(psi, psi) for psi in raw]
            if straight:
                tried += _straight(arm, chain, X_WT, slot, straight)
            kept = [ends for ends in tried if _true(arm, chain, X_WT, slot, 0.5 * sum(ends))]
            if kept:
                found[slot] = kept
    return found


def _swings(arm: SwivelArm, X_WT: Array, elbow: int) -> tuple[list[float], list[int]]:
    """Return swivels at which a middle joint ends its range, and balls in line at every swivel.

    The cosine of the middle angle of three is a sum ``k0 + kc cos psi + ks sin psi``.
    """
    from articulata.kernels.chains.self_motion.swivel_srs import swivel_postures

    turns: Array = math.tau / 3.0 * np.arange(3.0)
    q = swivel_postures(arm, np.repeat(X_WT[None], 3, axis=0), np.full(3, elbow), turns)
    swivels: list[float] = []
    straight: list[int] = []
    for first in BALLS:
        cosine = np.cos(q[:, first + 1] + arm.table.offset[first + 1])
        k0 = float(cosine.mean())
        kc = 2.0 * float((cosine * np.cos(turns)).mean())
        ks = 2.0 * float((cosine * np.sin(turns)).mean())
        swing = math.hypot(kc, ks)
        if not abs(k0) + swing >= 1.0 - IN_LINE:
            continue
        if swing < IN_LINE:
            straight.append(first)
            continue
        psi = math.atan2(ks, kc)
        if k0 + swing >= 1.0 - IN_LINE:
            swivels.append(psi)
        if k0 - swing <= IN_LINE - 1.0:
            swivels.append(psi - math.copysign(math.pi, psi))
    return swivels, straight


def _straight(
    arm: SwivelArm, chain: Serial, X_WT: Array, slot: int, balls: list[int]
) -> list[Interval]:
    """Return intervals of swivel where balls in line at every swivel can share their turns."""
    from articulata.kernels.chains.self_motion.swivel_srs import (
        prepare_swivel,
        solve_families,
        swivel_postures,
    )

    ready = chain.prepared
    lower, upper = ready.lower.copy(), ready.upper.copy()
    for first in balls:
        for joint in (first, first + 2):
            place = ready.free[joint]
            lower[place], upper[place] = -math.inf, math.inf
    loose = prepare_swivel(ready.fixed, ready.kinds, ready.tip, lower - 1e-10, upper + 1e-10)
    assert loose is not None
    families = solve_families(loose, X_WT[None])
    intervals: list[Interval] = [
        (float(low), float(high))
        for low, high in families.intervals[0, slot, : families.count[0, slot]]
    ]
    for first in balls:
        at: Array = np.array([0.0, 0.5])
        q = swivel_postures(arm, np.repeat(X_WT[None], 2, axis=0), np.full(2, slot), at)
        side = _side(arm, q[0], first)
        if side == 0.0:
            return []
        total = q[:, first] + side * q[:, first + 2]
        slope = math.copysign(1.0, math.remainder(float(total[1] - total[0]), math.tau))
        low, high = _sum_range(chain.lower, chain.upper, first, side)
        if high - low >= math.tau:
            continue
        ends = sorted((slope * (low - total[0]), slope * (high - total[0])))
        intervals = [
            (max(begin, ends[0] + turn), min(end, ends[1] + turn))
            for begin, end in intervals
            for turn in math.tau * np.arange(-4, 5)
            if max(begin, ends[0] + turn) <= min(end, ends[1] + turn) + 1e-10
        ]
    return [(float(begin), float(max(begin, end))) for begin, end in intervals]


def _true(arm: SwivelArm, chain: Serial, X_WT: Array, slot: int, psi: float) -> bool:
    """Return whether the posture at a swivel keeps all limits and meets its pose."""
    from articulata.kernels.chains.self_motion.swivel_srs import swivel_postures

    q = swivel_postures(arm, X_WT[None], np.array([slot]), np.array([psi]))
    if np.isnan(q).any():
        return False
    share_turns(arm, chain, X_WT, q[0])
    if ((q < chain.lower) | (q > chain.upper)).any():
        return False
    distance, angle = tip_errors(chain, q, X_WT[None])
    return bool(distance[0] <= _TRUE and angle[0] <= _TRUE)


def _kept(lower: Array, upper: Array, q: Array, first: int) -> bool:
    ball = slice(first, first + 3)
    return bool(((q[ball] >= lower[ball] - _ROUNDING) & (q[ball] <= upper[ball] + _ROUNDING)).all())


def _side(arm: SwivelArm, q: Array, first: int) -> float:
    """Return 1 where the first and third axis of a ball are one, -1 opposite, 0 neither."""
    (ca, sa), (cb, sb) = arm.twists[first], arm.twists[first + 1]
    turn = q[first + 1] + arm.table.offset[first + 1]
    along = ca * cb - sa * sb * math.cos(turn)
    if abs(math.sin(turn)) > _NEAR_LINE or abs(along) < 1.0 - IN_LINE:
        return 0.0
    return math.copysign(1.0, along)


def _other_range(lower: Array, upper: Array, first: int, side: float) -> Interval:
    ends = sorted((side * lower[first + 2], side * upper[first + 2]))
    return float(ends[0]), float(ends[1])


def _sum_range(lower: Array, upper: Array, first: int, side: float) -> Interval:
    """Return the least and the greatest sum of the two angles that share a turn."""
    least, most = _other_range(lower, upper, first, side)
    return float(lower[first]) + least, float(upper[first]) + most
