"""Families of seven turning joints of which three meet, in closed form: branches over one joint.

With one joint given, the *driver*, angles follow from square roots (``pieper6_lanes``; He & Liu,
IEEE RA-L 6, 2021, show it for the Franka). What is found of each branch is where over the driver's
range it exists and keeps the limits: see ``pieper7_kernels``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from articulata.kernels.chains.pieper6 import BRANCHES, PieperArm, solve_pieper
from articulata.kernels.chains.pieper7_kernels import MOST, families
from articulata.kernels.chains.pieper7_nearest import nearest_postures
from articulata.kernels.chains.pieper7_zeros import NODES, SAMPLED, SPACE
from articulata.kernels.lanes.host import LANES_FLOAT64, spread
from articulata.kernels.lanes.vectors import workspace

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

EXISTS, MEET, CUT_SHORT = 1, 2, 4
"""Bits of a pose's state: some branch exists; branches meet; more intervals than there is room."""

GRAIN = 16
"""Poses in one piece of a batch."""

_AT_LIMIT = 1e-12
_ON_EDGE = 1e-10


@dataclass(frozen=True, slots=True)
class RootsArm:
    """An arm made ready: with its driver given it takes square roots alone.

    ``limits`` (6, 3) of the joints in the order of the loop: cosine and sine of the middle of the
    range, cosine of half of it (-2: no limits). ``reach`` (3,): ends of the driver's range, and 1
    where it turns all the way around.
    """

    pieper: PieperArm
    limits: Array
    reach: Array

    @property
    def fields(self) -> tuple[Any, ...]:
        """What the kernels take for the arm."""
        arm = self.pieper
        return arm.loop, arm.parts, arm.where, arm.order, arm.heights, arm.side, arm.unit


@dataclass(frozen=True, slots=True)
class RootFamilies:
    """The families of m poses.

    ``q`` (m, 8, 7): a posture of each branch within limits, NaN where it has none; ``intervals``
    (m, 8, k, 2) of the driver, ``counts`` (m, 8) how many; ``state`` (m,): bits, see above.
    """

    q: Array
    intervals: Array
    counts: IntArray
    state: IntArray


def prepare_roots(pieper: PieperArm, middle: Array, half: Array) -> RootsArm:
    """Return the arm with ranges of its seven joints; half a range of pi or more is no limit."""
    joints, driver = pieper.order[:6], pieper.given
    bounded = half < math.pi
    edge = np.cos(np.minimum(half + _AT_LIMIT, math.pi))
    limits = np.stack([np.cos(middle), np.sin(middle), np.where(bounded, edge, -2.0)], axis=1)
    around = [-math.pi, math.pi, 1.0]
    ends = [middle[driver] - half[driver], middle[driver] + half[driver], 0.0]
    reach = np.array(ends if bounded[driver] else around)
    return RootsArm(pieper, np.ascontiguousarray(limits[joints]), reach)


def solve_roots(arm: RootsArm, targets: Array, *, threads: int | None = None) -> RootFamilies:
    """Return the families of poses X_BT (m, 4, 4)."""
    targets = np.require(targets, np.float64, ["C", "W"])
    m = len(targets)
    q, intervals = np.empty((m, BRANCHES, 7)), np.full((m, BRANCHES, MOST, 2), np.nan)
    counts, state = np.zeros((m, BRANCHES), np.int64), np.zeros(m, np.int64)

    def work(begin: int, end: int) -> None:
        families(
            arm.fields,
            arm.limits,
            arm.reach,
            targets,
            workspace(SPACE),
            workspace(SAMPLED * NODES // LANES_FLOAT64).reshape(SAMPLED, NODES),
            q,
            intervals,
            counts,
            state,
            begin,
            end,
        )

    spread(work, m, grain=GRAIN, threads=threads)
    return RootFamilies(q, intervals, counts, state)


def postures_of(arm: RootsArm, targets: Array, slots: IntArray, values: Array) -> Array:
    """Return the postures (m, 7) of poses in branches (m,) at values (m,) of the driver.

    NaN where there is none; limits do not matter.
    """
    q = solve_pieper(arm.pieper, targets, values, slack=_ON_EDGE)
    return np.asarray(q[np.arange(len(q)), slots])


def nearest_of_roots(arm: RootsArm, targets: Array, found: RootFamilies, q: Array) -> Array:
    """Return the postures (m, 8, 7) within limits nearest to ``q`` (m, 7), NaN where none."""
    targets = np.require(targets, np.float64, ["C", "W"])
    wanted = np.require(q, np.float64, ["C", "W"])
    out, rows = np.empty((len(targets), BRANCHES, 7)), workspace(SPACE)
    for p in range(len(targets)):
        nearest_postures(
            arm.fields, targets[p], found.intervals[p], found.counts[p], wanted[p], rows, out[p]
        )
    return out
