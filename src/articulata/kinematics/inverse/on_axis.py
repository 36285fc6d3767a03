"""Six joints with the wrist's centre on the first axis: the first angle is free.

The closed form chooses it by rule, and the posture may leave limits that another choice keeps.
Turning the arm about its first axis by theta asks of the wrist what the pose turned back by theta
would. Where axes 4, 5 and 6 are square to each other, the cosine of angle 5 and, times the sine of
angle 5, the directions of angles 4 and 6 are sums ``k0 + kc cos theta + ks sin theta``: three
postures give them, and each limit ends an interval of theta at two angles at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, Float64
from articulata.kinematics.inverse.measuring import tip_errors

if TYPE_CHECKING:
    from articulata.kernels.chains.closed_forms.spherical_wrist_6r import WristArm
    from articulata.kinematics.serial import Serial

ON_AXIS = 1e-13
"""Distance of the wrist's centre from the first axis, in the arm's size, that is nothing."""

_ROUNDING = 1e-9
"""Most, rad, that a joint may be outside its limits to be brought back to them."""

_TRUE = 1e-9
"""Most, m and rad, that a posture found here may be off."""

_POSTURES = 4
"""Slots of one shoulder; those of the other are the same postures here."""


def on_axis(arm: WristArm, X_WT: Float64[Array, "4 4"]) -> bool:
    """Return whether a pose puts the wrist's centre on the first axis."""
    centre = arm.constants[15:24:4]
    place = np.linalg.inv(arm.table.base) @ X_WT @ np.append(centre, 1.0)
    return bool(np.hypot(place[0], place[1]) <= ON_AXIS * arm.constants[58])


def free_turns(
    chain: Serial,
    arm: WristArm,
    X_WT: Float64[Array, "4 4"],
    postures: Callable[[Array], Array],
    share: Callable[[Array, BoolArray, BoolArray], None],
) -> dict[int, Array]:
    """Return by slot a posture (6,) within limits, from the middle of the longest interval.

    ``postures`` gives the branches (m, 8, 6) of poses (m, 4, 4), within limits or not; ``share``
    brings wrists in line into their limits, as far as joints 4 and 6 can share a turn.
    """
    if not arm.orthogonal:
        return {}
    table = arm.table
    into = np.linalg.inv(table.base)

    def turned(theta: Array) -> Array:
        back = np.tile(np.eye(4), (len(theta), 1, 1))
        back[:, 0, 0] = back[:, 1, 1] = np.cos(theta)
        back[:, 0, 1], back[:, 1, 0] = np.sin(theta), -np.sin(theta)
        q = postures(table.base @ back @ into @ X_WT)[:, :_POSTURES].copy()
        q[:, :, 0] = theta[:, None] - table.offset[0]
        return q - math.tau * np.rint((q - table.middle) / math.tau)

    thirds: Array = math.tau / 3.0 * np.arange(3.0)
    samples = turned(thirds)
    found = {}
    for slot in range(_POSTURES):
        if np.isnan(samples[:, slot]).any():
            continue
        theta = _tried(chain, arm, thirds, samples[:, slot])
        q = turned(theta)[:, slot]
        near: BoolArray = (q >= chain.lower - _ROUNDING) & (q <= chain.upper + _ROUNDING)
        q = np.where(near, np.clip(q, chain.lower, chain.upper), q)
        kept = np.asarray(near.all(axis=1))
        share(q[:, None], kept[:, None], ~kept[:, None])
        distance, angle = tip_errors(chain, q, np.tile(X_WT, (len(q), 1, 1)))
        good = np.flatnonzero(kept & (distance <= _TRUE) & (angle <= _TRUE))
        if len(good):
            found[slot] = q[good[0]]
    return found


def _tried(chain: Serial, arm: WristArm, thirds: Array, q: Array) -> Array:
    """Return the turns to be tried, middles of intervals first, the longest before the others."""
    angles = q + arm.table.offset
    sine, cosine = np.sin(angles), np.cos(angles)
    ends = []
    for joint in range(6):
        limits = [end for end in (chain.lower[joint], chain.upper[joint]) if math.isfinite(end)]
        for end in np.array(limits) + arm.table.offset[joint]:
            if joint == 0:
                ends.append(end)
            elif joint == 4:
                ends += _zeros(thirds, cosine[:, 4] - math.cos(end))
            elif joint in (3, 5):
                across = sine[:, joint] * math.cos(end) - cosine[:, joint] * math.sin(end)
                ends += _zeros(thirds, sine[:, 4] * across)
    _, kc, ks = _sum(thirds, cosine[:, 4])
    in_line = math.atan2(ks, kc)
    ends += [in_line, in_line + math.pi]
    breaks = np.sort(np.remainder(np.array(ends), math.tau))
    lengths = np.diff(breaks, append=breaks[0] + math.tau)
    middles = breaks + 0.5 * lengths
    free = arm.table.middle[0] + arm.table.offset[0]
    return np.concatenate([middles[np.argsort(-lengths, kind="stable")], [free], breaks])


def _sum(thirds: Array, values: Array) -> tuple[float, float, float]:
    """Return k0, kc, ks of a sum ``k0 + kc cos theta + ks sin theta`` known at three thirds."""
    kc = 2.0 * float((values * np.cos(thirds)).mean())
    ks = 2.0 * float((values * np.sin(thirds)).mean())
    return float(values.mean()), kc, ks


def _zeros(thirds: Array, values: Array) -> list[float]:
    """Return where such a sum is 0, or nearest to it by no more than rounding."""
    k0, kc, ks = _sum(thirds, values)
    swing = math.hypot(kc, ks)
    if swing == 0.0 or abs(k0) > swing * (1.0 + _ROUNDING):
        return []
    middle, half = math.atan2(ks, kc), math.acos(min(max(-k0 / swing, -1.0), 1.0))
    return [middle - half, middle + half]
