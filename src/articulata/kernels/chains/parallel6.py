"""Closed form of six turning joints with axes 2, 3 and 4 parallel: all eight branches.

For arms such as those of Universal Robots: axes 5 and 6 may stand at any angles but meet (link 5
has no length), axis 1 at any angle and offset. With p the point where axes 5 and 6 meet:

- *shoulder*: the height of p along the parallel axes is fixed, which gives angle 1 in two ways;
- *wrist*: the angle between axis 6 and the parallel axes gives angle 5, positive or negative, and
  the parallel axes seen from the hand give angle 6;
- *elbow*: what is left is a planar arm of two links and the sum of its angles.

Branch number: ``4 shoulder + 2 elbow + wrist``, each 0 or 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.kernels.chains.parallel6_kernels import solve_block
from articulata.kernels.chains.table import reduce_chain
from articulata.kernels.lanes.host import spread
from articulata.kernels.lanes.vectors import aligned, workspace

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

GRAIN = 1024
"""Poses in one piece of a batch."""

_SINGULAR = 1e-7
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class ParallelArm:
    """A six-joint arm made ready: the numbers that the kernel reads, in its order.

    12 of the pose of the base's frame in the table's; 12 of frame 6 in the tip's; of the rows of
    the table what occurs; 18 of the joints: the table's angle in the middle of the range, the
    joint's and half the range, rad. Lengths in m.
    """

    constants: Array


def prepare_parallel(
    fixed: Array, kinds: IntArray, tip: Array, lower: Array, upper: Array
) -> ParallelArm | None:
    """Return the arm of a serial chain (see ``poses``), or None where it is not of this family."""
    table = reduce_chain(fixed, kinds, tip, lower, upper)
    rows, unit = table.rows, table.unit
    if len(rows) != 6 or np.any(table.joints < 0) or np.any(rows[:, 8] != 0):
        return None
    parallel = rows[1, 2] == 0.0 and rows[2, 2] == 0.0
    turning = min(abs(rows[0, 2]), abs(rows[3, 2]), abs(rows[4, 2])) > _SINGULAR
    links = min(abs(rows[1, 0]), abs(rows[2, 0])) > 1e-9 and abs(rows[4, 0]) < 1e-10
    if not (parallel and turning and links):
        return None
    end = np.eye(4)
    end[:3] = table.tip
    end[:3, 3] *= unit
    end[2, 3] += rows[5, 3] * unit
    a, ca, sa, d = rows[:, 0] * unit, rows[:, 1], rows[:, 2], rows[:, 3] * unit
    side2, side = ca[1], ca[1] * ca[2]
    height = d[1] + side2 * d[2] + side * (d[3] + ca[3] * d[4])
    size = np.abs([a[0], d[0], a[1], a[2], height, a[3], d[4]]).sum()
    half = np.nan_to_num(0.5 * (table.upper - table.lower), posinf=np.inf) + _SLACK
    joints = np.stack([table.offset + table.middle, table.middle, half], axis=1)
    return ParallelArm(
        np.concatenate(
            [
                np.linalg.inv(table.base)[:3].ravel(),
                np.linalg.inv(end)[:3].ravel(),
                [a[0], ca[0], sa[0], d[0], a[1], side2, a[2], side, a[3], ca[3], sa[3]],
                [ca[4], sa[4], d[4], height, size],
                joints.ravel(),
            ]
        )
    )


def solve_parallel(
    arm: ParallelArm, targets: Array, *, threads: int | None = None
) -> tuple[Array, Bytes, Bytes]:
    """Return postures (m, 8, 6) rad, NaN where none, flags (m, 8) and reasons (m,) of X_BT.

    Flags are those of ``six_blocks``: the wrist's branches meet where axis 6 is parallel to axes 2
    to 4, the shoulder's where p is as near to axis 1 as its height along these allows. A joint
    stands within half a turn of the middle of its range.
    """
    targets = np.ascontiguousarray(targets, np.float64)
    m = len(targets)
    answers, marks, reasons = aligned((m, 48)), np.empty((m, 8), np.uint8), np.empty(m, np.uint8)

    def work(begin: int, end: int) -> None:
        solve_block(
            arm.constants,
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
    return answers.reshape(m, 8, 6), marks, reasons
