"""Closed form of seven joints, spherical-revolute-spherical: the whole family by swivel angle.

Axes 1, 2, 3 meet in the shoulder S, axes 5, 6, 7 in the wrist W; axis 4 is the elbow, anywhere.
A pose fixes W and with it, up to two mirrored elbows, angle 4; what is left is the *swivel*
psi, a turn of the arm about the line SW. It is measured about the direction from S to W, from
the half-plane that contains the base's z axis (x where SW is along z) to the elbow.

The shoulder's rotation is ``F_p Rx(psi) F_v^T``, so every entry of it, and of the wrist's, is
``k0 + kc cos psi + ks sin psi``. A joint is at a limit where such a sum is zero: the limits cut
the circle at roots in closed form, and each arc between them is inside or outside as a whole.

Branch number: ``4 shoulder + 2 elbow + wrist``; shoulder and wrist 0 where the middle angle of
the three has a positive sine, elbow 0 where angle 4 is past the angle of greatest reach.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.dh_table import ChainTable, reduce_chain
from articulata.kernels.chains.self_motion.swivel_srs_kernels import (
    MOST_INTERVALS,
    families,
    postures,
)
from articulata.kernels.lanes.host import spread

GRAIN = 256
"""Poses in one piece of a batch."""


@dataclass(frozen=True, slots=True)
class SwivelArm:
    """A seven-joint arm made ready.

    ``constants``: base (12), turn of the tip (9), wrist centre in the tip's frame (3), lengths.
    ``joints`` (7, 6): offset, middle, cos and sin of the middle's table angle, cosine and
    sine of half the range (-2: no limit). ``twists`` (6, 2): cos and sin of alpha.
    """

    table: ChainTable
    constants: Array
    joints: Array
    twists: Array


@dataclass(frozen=True, slots=True)
class Families:
    """The families of m poses.

    ``intervals`` (m, 8, MOST_INTERVALS, 2) of psi, rad, each from its start in [-pi, pi) to
    its end, at most a full turn on; ``count`` (m, 8) how many there are; ``reason`` (m,).
    """

    intervals: Array
    count: IntArray
    reason: IntArray


def prepare_swivel(
    fixed: Array, kinds: IntArray, tip: Array, lower: Array, upper: Array
) -> SwivelArm | None:
    """Return the arm, or None where it is not spherical-revolute-spherical."""
    table = reduce_chain(fixed, kinds, tip, lower, upper)
    rows = table.rows
    if len(rows) != 7 or np.any(table.joints < 0) or np.any(rows[:, 8] != 0):
        return None
    meeting = [rows[0, 0], rows[1, 0], rows[1, 3], rows[4, 0], rows[5, 0], rows[5, 3]]
    turning = np.abs(rows[[0, 1, 4, 5], 2])
    if np.max(np.abs(meeting)) > 1e-10 or np.min(turning) < 1e-7:
        return None
    unit = table.unit
    end = np.eye(4)
    end[:3] = table.tip
    end[:3, 3] *= unit
    end[2, 3] += rows[6, 3] * unit
    into = np.linalg.inv(table.base)
    into[2, 3] -= rows[0, 3] * unit  # S becomes the origin
    a3, d3, a4, d4, d5 = (x * unit for x in (*rows[2, [0, 3]], *rows[3, [0, 3]], rows[4, 3]))
    # S to axis 4 and axis 4 to W, both in the frame of joint 4 before it turns
    ca3, sa3, ca4, sa4 = rows[2, 1], rows[2, 2], rows[3, 1], rows[3, 2]
    upper_arm = np.array([a3, sa3 * d3, ca3 * d3])
    forearm = np.array([a4, -sa4 * d5, d4 + ca4 * d5])
    if math.hypot(*upper_arm[:2]) < 1e-10 or math.hypot(*forearm[:2]) < 1e-10:
        return None
    constants = np.concatenate(
        [
            into[:3].ravel(),
            end[:3, :3].T.ravel(),
            -end[:3, :3].T @ end[:3, 3],
            upper_arm,
            forearm,
            table.base[2, :3],
        ]
    )
    half = 0.5 * (table.upper - table.lower)
    half = np.where(half < math.pi, half, np.inf)
    joints = np.stack(
        [
            table.offset,
            table.middle,
            rows[:, 4],
            rows[:, 5],
            np.where(np.isfinite(half), np.cos(np.minimum(half, math.pi)), -2.0),
            np.where(np.isfinite(half), np.sin(np.minimum(half, math.pi)), 0.0),
        ],
        axis=1,
    )
    return SwivelArm(table, constants, np.ascontiguousarray(joints), rows[:6, 1:3].copy())


def solve_families(arm: SwivelArm, targets: Array, *, threads: int | None = None) -> Families:
    """Return the intervals of the swivel angle in every branch, for poses X_BT (m, 4, 4)."""
    targets = np.ascontiguousarray(targets, np.float64)
    m = len(targets)
    intervals = np.full((m, 8, MOST_INTERVALS, 2), np.nan)
    count = np.zeros((m, 8), np.int64)
    reason = np.zeros(m, np.int64)
    of = arm.constants, arm.joints, arm.twists

    def work(begin: int, end: int) -> None:
        families(of, targets, intervals, count, reason, begin, end)

    spread(work, m, grain=GRAIN, threads=threads)
    return Families(intervals, count, reason)


def swivel_postures(
    arm: SwivelArm,
    targets: Array,
    branches: IntArray,
    swivels: Array,
    directions: Array | None = None,
) -> Array:
    """Return postures (m, 7) of poses (m, 4, 4) in ``branches`` (m,) at ``swivels`` (m,) rad.

    ``directions`` (m, 3) of the upper arm, in the table's frame, are for arms whose halves are
    equal and that are folded onto themselves; without them the one that ``solve_families`` takes.
    """
    targets = np.ascontiguousarray(targets, np.float64)
    m = len(targets)
    q = np.empty((m, 7))
    postures(
        (arm.constants, arm.joints, arm.twists),
        targets,
        np.ascontiguousarray(branches, np.int64),
        np.ascontiguousarray(swivels, np.float64),
        np.full((m, 3), np.nan) if directions is None else np.ascontiguousarray(directions),
        q,
    )
    return q
