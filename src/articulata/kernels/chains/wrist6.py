"""Closed form of six revolute joints with a spherical wrist: all eight branches.

For arms whose axes 2 and 3 are parallel (at any angle and offset from axis 1, which covers the
usual industrial arms and their shoulder offsets) and whose axes 4, 5, 6 meet in one point (at
any angles to each other). In the chain table's notation, with the wrist centre p in frame 0:

- *shoulder*: the distance of p along axis 2 is fixed, so turning p by -phi1 must give
  ``y = m``; ``x = +-sqrt(px^2 + py^2 - m^2)``, plus in front;
- *elbow*: in the plane across axes 2 and 3, links a2 and l and the distance to p make a
  triangle; two mirrored ones;
- *wrist*: the rotation left over as z-x-z turns; angle 5 positive or negative. Angles 5 and 6
  are read after angle 4 is taken out, so that near the singular wrist an error of angle 4 is
  made good and the pose still met.

Branch number: ``4 shoulder + 2 elbow + wrist``, each 0 or 1. Each branch has flags; invalid ones
hold NaN. Runs on lanes or scalars.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.kernels.chains import six_blocks as blocks
from articulata.kernels.chains.table import ChainTable, reduce_chain
from articulata.kernels.chains.wrist6_kernels import (
    SINGULAR,
    solve_block,
)
from articulata.kernels.lanes.host import spread
from articulata.kernels.lanes.vectors import aligned, workspace

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

VALID, WRIST_SINGULAR, ELBOW_SINGULAR = blocks.VALID, blocks.WRIST, blocks.ELBOW
SHOULDER_SINGULAR, OUTSIDE_LIMITS = blocks.SHOULDER, blocks.OUTSIDE
"""Flags of a branch. Singular: angles 4 and 6 turn about one axis; the elbow is stretched or
folded, where its two branches meet; the wrist centre lies on axis 1 or at the least distance
from it, where the two shoulder branches meet."""

REACHED, TOO_FAR, TOO_NEAR, BEYOND_LIMITS, ORIENTATION = 0, 1, 2, 3, 4
"""Why a pose has no answer (the first four as in ``reach_bounds``): the wrist cannot take the
orientation, or every branch leaves the limits."""

BASE, END, ARM, WRIST, JOINTS, SIZE = 0, 12, 24, 36, blocks.JOINTS, 58
"""Where in the constants of an arm, as the kernel reads them, are: the pose of frame 0 in the
base's (3, 4), that of frame 6 in the tip's; a1, d1, the cosine and sine of twist 1, the distance
along axis 2, a2, the length from axis 3 to the wrist centre and more; cosines and sines of twists 4
and 5; of each joint the offset of its angle, the middle and half of its range; the arm's size and
1 / sine of twist 1."""


@dataclass(frozen=True, slots=True)
class WristArm:
    """A six-joint arm made ready: its table and the constants that the kernel reads."""

    table: ChainTable
    constants: Array
    orthogonal: bool


def prepare_wrist(
    fixed: Array, kinds: IntArray, tip: Array, lower: Array, upper: Array
) -> WristArm | None:
    """Return the arm, or None where it is not of this family.

    A serial chain as in ``poses``; fixed joints may stand between the six.
    """
    table = reduce_chain(fixed, kinds, tip, lower, upper)
    rows = table.rows
    if len(rows) != 6 or np.any(table.joints < 0) or np.any(rows[:, 8] != 0):
        return None
    near = 1e-10
    spherical = abs(rows[3, 0]) < near and abs(rows[4, 0]) < near and abs(rows[4, 3]) < near
    turning = abs(rows[3, 2]) > SINGULAR and abs(rows[4, 2]) > SINGULAR
    if not (spherical and turning and rows[1, 2] == 0.0 and abs(rows[0, 2]) > SINGULAR):
        return None
    unit = table.unit
    a1, a2, a3 = rows[0, 0] * unit, rows[1, 0] * unit, rows[2, 0] * unit
    d1, d2, d3, d4 = (rows[i, 3] * unit for i in range(4))
    ca1, sa1, sigma = rows[0, 1], rows[0, 2], rows[1, 1]
    ca3, sa3 = rows[2, 1], rows[2, 2]
    # the wrist centre in frame 3, turning with joint 3
    wx, wy, wz = a3, -sa3 * d4, d3 + ca3 * d4
    length = math.hypot(wx, wy)
    if length < near or a2 < near:
        return None
    end = np.eye(4)
    end[:3] = table.tip
    end[:3, 3] *= unit
    end[2, 3] += rows[5, 3] * unit
    into = np.linalg.inv(table.base)
    constants = np.zeros(60)
    constants[BASE : BASE + 12] = into[:3].ravel()
    constants[END : END + 12] = np.linalg.inv(end)[:3].ravel()
    constants[ARM : ARM + 12] = (
        a1,
        d1,
        ca1,
        sa1,
        d2 + sigma * wz,
        a2,
        length,
        sigma,
        wx / length,
        wy / length,
        ca3,
        sa3,
    )
    constants[WRIST : WRIST + 4] = rows[3, 1], rows[3, 2], rows[4, 1], rows[4, 2]
    half = np.nan_to_num(0.5 * (table.upper - table.lower), posinf=np.inf) + 1e-12
    # the kernel reads angle 3 as the triangle's, from the direction of the wrist centre
    turn = np.zeros(6)
    turn[2] = math.atan2(wy, wx)
    constants[JOINTS : JOINTS + 18] = np.stack(
        [table.offset + table.middle + turn, table.middle, half], axis=1
    ).ravel()
    constants[SIZE : SIZE + 2] = unit, 1.0 / sa1
    orthogonal = abs(rows[3, 1]) < 1e-14 and abs(rows[4, 1]) < 1e-14
    return WristArm(table, constants, orthogonal)


@dataclass(frozen=True, slots=True)
class Branches:
    """All branches of m poses.

    ``q`` (m, 8, 6) rad, in the order of the chain's joints, NaN where a branch does not exist;
    ``flags`` (m, 8) and ``reason`` (m,) uint8: see the constants above.
    """

    q: Array
    flags: npt.NDArray[np.uint8]
    reason: npt.NDArray[np.uint8]


GRAIN = 4096
"""Poses in one piece of a batch."""


def solve_wrist(arm: WristArm, targets: Array, *, threads: int | None = None) -> Branches:
    """Return every branch for each tip pose X_BT (m, 4, 4); NaN poses have none."""
    targets = np.ascontiguousarray(targets, np.float64)
    m = len(targets)
    answers = aligned((m, 48))
    marks = np.empty((m, 8), np.uint8)
    reasons = np.empty(m, np.uint8)

    def work(begin: int, end: int) -> None:
        solve_block(
            arm.constants,
            arm.orthogonal,
            targets,
            workspace(16),
            workspace(48),
            workspace(9),
            answers,
            marks,
            reasons,
            begin,
            end,
        )

    spread(work, m, grain=GRAIN, threads=threads)
    return Branches(answers.reshape(m, 8, 6), marks, reasons)
