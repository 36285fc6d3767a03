"""Six joints with axes 2 to 4 parallel: the kernel ``parallel6`` behind the protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

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
        from articulata.kernels.chains.parallel6 import solve_parallel

        q, flags, none = solve_parallel(self.parallel, X_WT)
        # an angle that is free was chosen by rule: other choices may keep the limits
        found = self._told(q, flags, ~(flags != 0).any(axis=1))
        missing = none != int(Reason.MET)
        return found._replace(reason=np.where(missing, none, found.reason))
