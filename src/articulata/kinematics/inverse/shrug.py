"""Leonardo's arm in closed form: a sliding shrug, then six joints that turn.

Structure: joint 1 slides; axes 2 and 3 meet in the shoulder S; axes 4, 5 and 6 meet in the elbow
E; joint 7 turns the hand. It is sorted by that, not by name: any directions of the axes will do.

With the shrug at s, E lies on a sphere about S(s), because axes 4 to 6 leave it where it is. Seen
from the hand, E runs on a circle about axis 7. Sphere and circle meet in at most two points: joint
7. E then gives joints 2 and 3 in at most two ways, the hand's orientation joints 4 to 6 in at most
two: 8 branches for one shrug, and a family of them over the shrug.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.kinematics.inverse.closed_form import BranchTable
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.shrug_arm import (
    BRANCHES,
    ShrugArm,
    shrug_arm,
    solve,
    solve_slots,
    wrapped,
)
from articulata.kinematics.inverse.shrug_families import (
    intervals_of,
    middle_of_widest,
    middles_and_halves,
    nearest_in,
)
from articulata.kinematics.inverse.turns import nearest_turn

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial


@dataclass(frozen=True, eq=False)
class ShrugForm:
    """The families of one arm: eight branches, each with intervals of the shrug in m."""

    chain: Serial
    arm: ShrugArm

    structure = "slide-universal-spherical-revolute"
    lasting = True
    parameter = "shrug"
    labels = tuple(
        f"hand {'-' if slot & 4 else '+'}, shoulder {'-' if slot & 2 else '+'}, "
        f"elbow {'-' if slot & 1 else '+'}"
        for slot in range(BRANCHES)
    )

    @staticmethod
    def recognise(chain: Serial) -> ShrugForm | None:
        """Return the form of a slide followed by axes 2-3 and 4-6 that meet, and joint 7."""
        arm = shrug_arm(chain)
        return None if arm is None else ShrugForm(chain, arm)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the families of each pose; ``q`` is the middle of each widest interval."""
        found = intervals_of(self.arm, self.chain, X_WT)
        m = len(X_WT)
        s = middle_of_widest(found)
        q = np.full((m, BRANCHES, 7), np.nan)
        degenerate = np.zeros((m, BRANCHES), np.int64)
        poses, slots = np.nonzero(np.isfinite(s))
        if len(poses):
            solved = solve(self.arm, X_WT[poses], s[poses, slots])
            each = np.arange(len(poses))
            q[poses, slots] = self._turned(solved.q[each, slots])
            degenerate[poses, slots] = solved.degenerate[each, slots]
        within = found.counts > 0
        reason = np.full(m, int(Reason.LIMITS))
        nowhere = ~np.isfinite(s).any(axis=1)
        reason[nowhere] = int(Reason.ORIENTATION)
        reason[nowhere & (found.side < 0)] = int(Reason.TOO_FAR)
        reason[nowhere & (found.side > 0)] = int(Reason.TOO_NEAR)
        reason[within.any(axis=1)] = int(Reason.MET)
        return BranchTable(q, within, degenerate, reason, found.intervals, found.counts)

    def one(self, X_WT: Float64[Array, "4 4"]) -> None:
        """Return None: families are told by ``branches`` alone."""

    def nearest(self, X_WT: Float64[Array, "4 4"], q: Float64[Array, "7"]) -> None:
        """Return None: families are searched by ``near`` alone."""

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return in each branch the posture whose shrug is nearest to that of ``q``."""
        found = intervals_of(self.arm, self.chain, X_WT)
        s = nearest_in(found, q[:, 0])
        out = np.full((len(X_WT), BRANCHES, 7), np.nan)
        poses, slots = np.nonzero(np.isfinite(s))
        if len(poses):
            postures = self.at(X_WT[poses], slots, s[poses, slots])
            low, high = self.chain.lower[1:], self.chain.upper[1:]
            postures[:, 1:] = nearest_turn(postures[:, 1:], q[poses, 1:], low, high)
            out[poses, slots] = postures
        return out

    def at(
        self,
        X_WT: Float64[Array, "m 4 4"],
        slots: Int64[IntArray, "m"],
        values: Float64[Array, "m"],
    ) -> Float64[Array, "m dof"]:
        """Return the postures of branches at given shrugs, m."""
        q = self._turned(solve_slots(self.arm, X_WT, values, slots)[0])
        # At the end of an interval a joint stands at its limit, but for rounding.
        low, high = self.chain.lower, self.chain.upper
        off = np.maximum(low - q, q - high)
        return np.where((off > 0.0) & (off < 1e-9), np.clip(q, low, high), q)

    def _turned(self, q: Array) -> Array:
        """Return postures with whole turns that bring joints nearest to their limits' middle."""
        middle = middles_and_halves(self.chain)[:, 0]
        turned = q.copy()
        turned[..., 1:] = middle + wrapped(q[..., 1:] - middle)
        return turned
