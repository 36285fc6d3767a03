"""Six joints with axes 2 to 4 parallel: the kernel ``parallel6`` behind the protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.inverse.closed_form import BranchTable
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.six_joints import SixJointsForm

if TYPE_CHECKING:
    from articulata.kernels.chains.parallel6 import ParallelArm
    from articulata.kinematics.serial import Serial


@dataclass(frozen=True, eq=False)
class ParallelForm(SixJointsForm):
    """The eight branches of one arm: shoulder, elbow and wrist, two ways each."""

    parallel: ParallelArm

    structure: ClassVar[str] = "three parallel axes"
    lasting: ClassVar[bool] = True
    labels: ClassVar[tuple[str, ...]] = tuple(
        f"shoulder {'flipped' if slot & 4 else 'not flipped'}, "
        f"elbow {'-' if slot & 2 else '+'}, "
        f"wrist {'flipped' if slot & 1 else 'not flipped'}"
        for slot in range(8)
    )

    @staticmethod
    def recognise(chain: Serial) -> ParallelForm | None:
        """Return the form of six turning joints, axes 2 to 4 parallel, 5 and 6 meeting."""
        from articulata.kernels.chains.parallel6 import prepare_parallel

        if chain.dof != 6:
            return None
        ready = chain.prepared
        arm = prepare_parallel(ready.fixed, ready.kinds, ready.tip, ready.lower, ready.upper)
        return None if arm is None else ParallelForm(chain, arm)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the eight branches of each pose."""
        from articulata.kernels.chains.parallel6 import OUTSIDE, solve_parallel

        q, flags, reason = solve_parallel(self.parallel, X_WT)
        degenerate = flags & ~OUTSIDE
        if reason.any():
            # an angle that is free was chosen by rule: other choices may keep the limits
            unsure = (reason == Reason.LIMITS) & (degenerate != 0).any(axis=1)
            reason[unsure] = Reason.GAVE_UP
        return BranchTable(q, flags < OUTSIDE, degenerate, reason)
