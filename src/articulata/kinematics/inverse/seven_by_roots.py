"""Seven turning joints that take square roots alone with one given: ``meeting_axes_7r``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.kinematics.inverse.closed_form import BranchTable, Degenerate
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.seven_joints import SevenForm

if TYPE_CHECKING:
    from articulata.kernels.chains.self_motion.meeting_axes_7r import RootsArm


@dataclass(frozen=True, eq=False)
class RootsForm(SevenForm):
    """The families of one arm in closed form: eight branches over the angle of one joint."""

    labels: ClassVar[tuple[str, ...]] = tuple(f"branch {k}" for k in range(1, 9))

    @cached_property
    def roots(self) -> RootsArm:
        """The arm made ready."""
        from articulata.kernels.chains.self_motion.meeting_axes_7r import prepare_roots

        arm = self.arm
        assert arm.pieper is not None
        return prepare_roots(arm.pieper, arm.middle, arm.half)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the families of each pose; ``q`` is the middle of each widest interval."""
        from articulata.kernels.chains.self_motion.meeting_axes_7r import (
            CUT_SHORT,
            EXISTS,
            MEET,
            solve_roots,
        )

        found = solve_roots(self.roots, X_WT)
        within = found.counts > 0
        meet, short = found.state & MEET > 0, found.state & CUT_SHORT > 0
        flags = np.where(meet, int(Degenerate.SINGULAR), 0)
        flags |= np.where(short, int(Degenerate.UNSURE), 0)
        # a branch that is there and keeps no limits; where branches meet that proves nothing
        sure = (found.state & EXISTS > 0) & (flags == 0)
        reason = np.where(sure, int(Reason.LIMITS), int(Reason.GAVE_UP))
        reason = np.where(within.any(axis=1), int(Reason.MET), reason)
        most = max(1, int(found.counts.max(initial=1)))
        return BranchTable(
            self._turned(found.q, self._middle),
            within,
            np.where(within, flags[:, None], 0),
            reason,
            found.intervals[:, :, :most],
            found.counts,
        )

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return in each family the posture within limits that is nearest to ``q``."""
        from articulata.kernels.chains.self_motion.meeting_axes_7r import (
            nearest_of_roots,
            solve_roots,
        )

        found = nearest_of_roots(self.roots, X_WT, solve_roots(self.roots, X_WT), q)
        return self._turned(found, q[:, None])

    def at(
        self,
        X_WT: Float64[Array, "m 4 4"],
        slots: Int64[IntArray, "m"],
        values: Float64[Array, "m"],
    ) -> Float64[Array, "m dof"]:
        """Return the postures of branches at angles of the joint, NaN where they have none."""
        from articulata.kernels.chains.self_motion.meeting_axes_7r import postures_of

        return self._turned(postures_of(self.roots, X_WT, slots, values), self._middle)
