"""Families over a shrug, cut by limits into intervals: see ``shrug_7dof``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.inverse.shrug_arm import BRANCHES, ShrugArm

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

_EDGE = 1e-12
"""Share of an interval kept from its ends, where a joint stands exactly at a limit."""


class Families(NamedTuple):
    """``intervals`` (m, 8, most, 2) of the shrug and their ``counts`` (m, 8).

    ``best`` (m, 8) is the shrug where the branch's margin is greatest, NaN where the branch does
    not exist; ``side`` (m,) is that of ``Solved`` where it is the same for every shrug, else 0.
    """

    intervals: Array
    counts: IntArray
    best: Array
    side: IntArray


def intervals_of(arm: ShrugArm, chain: Serial, X_WT: Array) -> Families:
    """Return the families of poses (m, 4, 4)."""
    from articulata.kernels.chains.self_motion.shrug_7dof import MOST_INTERVALS, families

    m = len(X_WT)
    intervals = np.full((m, BRANCHES, MOST_INTERVALS, 2), np.nan)
    counts, side = np.zeros((m, BRANCHES), np.int64), np.zeros(m, np.int64)
    best = np.full((m, BRANCHES), np.nan)
    families(
        arm.table,
        middles_and_halves(chain),
        np.ascontiguousarray(X_WT, np.float64),
        np.stack(_range(arm, chain, X_WT), axis=1),
        intervals,
        counts,
        best,
        side,
        0,
        m,
    )
    most = max(1, int(counts.max(initial=0)))
    return Families(intervals[:, :, :most].copy(), counts, best, side)


def middles_and_halves(chain: Serial) -> Array:
    """Return middle and half range of the joints that turn, (6, 2) rad; 0 and pi of a free one."""
    low, high = chain.lower[1:], chain.upper[1:]
    free = ~np.isfinite(high - low)
    low, high = np.where(free, -math.pi, low), np.where(free, math.pi, high)
    return 0.5 * np.stack([high + low, high - low], axis=1)


def middle_of_widest(found: Families) -> Array:
    """Return (m, 8) the middle of the widest interval; without one, where it is least outside."""
    width = np.nan_to_num(found.intervals[..., 1] - found.intervals[..., 0], nan=-1.0)
    widest = np.take_along_axis(
        found.intervals.mean(axis=-1), width.argmax(axis=-1)[..., None], axis=-1
    )
    return np.asarray(np.where(found.counts > 0, widest[..., 0], found.best))


def nearest_in(found: Families, s: Array) -> Array:
    """Return (m, 8) the shrug within an interval nearest to ``s`` (m,), NaN where there is none."""
    low, high = found.intervals[..., 0], found.intervals[..., 1]
    inset = _EDGE * (high - low)
    kept = np.minimum(np.maximum(s[:, None, None], low + inset), high - inset)
    gap = np.nan_to_num(np.abs(kept - s[:, None, None]), nan=np.inf)
    return np.asarray(np.take_along_axis(kept, gap.argmin(axis=-1)[..., None], axis=-1)[..., 0])


def _range(arm: ShrugArm, chain: Serial, X_WT: Array) -> tuple[Array, Array]:
    """Return the range of shrugs to look at: the joint's, or as far as the arm spans."""
    links = (arm.E - arm.S, arm.p7 - arm.E, arm.M[:3, 3] - arm.p7)
    span = sum(float(np.linalg.norm(link)) for link in links)
    toward = (X_WT[:, :3, 3] - arm.S) @ arm.w[0]
    low = np.minimum(np.maximum(chain.lower[0], toward - span), chain.upper[0])
    return low, np.maximum(np.minimum(chain.upper[0], toward + span), low)
