"""Six joints with axes 2 to 4 parallel: the kernel ``parallel_axes_6r`` behind the protocol."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.inverse.chain_question import RIGID
from articulata.kinematics.inverse.closed_form import BranchTable
from articulata.kinematics.inverse.one_pose import DEGENERATE, WITHIN, OnePose
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.six_joints import SixJointsForm

if TYPE_CHECKING:
    from articulata.kernels.chains.closed_forms.parallel_axes_6r import ParallelArm
    from articulata.kernels.chains.closed_forms.single_pose import PoseSolver
    from articulata.kinematics.serial import Serial


@dataclass(frozen=True, eq=False)
class ParallelForm(OnePose, SixJointsForm):
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
        from articulata.kernels.chains.closed_forms.parallel_axes_6r import prepare_parallel

        if chain.dof != 6:
            return None
        ready = chain.prepared
        arm = prepare_parallel(ready.fixed, ready.kinds, ready.tip, ready.lower, ready.upper)
        return None if arm is None else ParallelForm(chain, arm)

    @cached_property
    def at_once(self) -> PoseSolver:
        """What solves one pose."""
        from articulata.kernels.chains.closed_forms.parallel_axes_6r import solve_pose
        from articulata.kernels.chains.closed_forms.single_pose import pose_solver

        return pose_solver(solve_pose, (self.parallel.constants,), RIGID)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the eight branches of each pose."""
        from articulata.kernels.chains.closed_forms.parallel_axes_6r import solve_parallel

        q, flags, reasons = solve_parallel(self.parallel, X_WT)
        reason = reasons.astype(np.int64)
        degenerate = DEGENERATE[flags]
        if np.count_nonzero(reason):
            # an angle that is free was chosen by rule: other choices may keep the limits
            unsure = (reason == Reason.LIMITS) & (degenerate != 0).any(axis=1)
            reason[unsure] = Reason.GAVE_UP
        return BranchTable(q, WITHIN[flags], degenerate, reason)
