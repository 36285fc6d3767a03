"""Six turning joints of which three neighbours meet: ``meeting_axes_6r`` behind the protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.inverse.chain_structure import regular
from articulata.kinematics.inverse.closed_form import BranchTable, Degenerate
from articulata.kinematics.inverse.six_joints import SixJointsForm

if TYPE_CHECKING:
    from articulata.kernels.chains.closed_forms.meeting_axes_6r import PieperArm
    from articulata.kinematics.serial import Serial


@dataclass(frozen=True, eq=False)
class MeetingForm(SixJointsForm):
    """All postures of one arm, at most eight, in the order of their first angles."""

    pieper: PieperArm
    links: Array

    structure: ClassVar[str] = "three meeting axes"

    @staticmethod
    def recognise(chain: Serial) -> MeetingForm | None:
        """Return the form of six turning joints, three neighbours' axes through one point."""
        from articulata.kernels.chains.closed_forms.general_6r import moving_links
        from articulata.kernels.chains.closed_forms.meeting_axes_6r import prepare_pieper

        ready = chain.prepared
        if chain.dof != 6 or bool((ready.kinds == 1).any()):
            return None
        links, unit = moving_links(ready.fixed, ready.kinds, ready.tip)
        arm = prepare_pieper(links, unit)
        if arm is None or not regular(chain):
            return None
        form = MeetingForm(chain, arm, links)
        return form if form.finds_again() else None

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return every posture of each pose."""
        from articulata.kernels.chains.closed_forms.general_6r_postures import SINGULAR
        from articulata.kernels.chains.closed_forms.meeting_axes_6r import solve_and_polish

        q, pivot, count = solve_and_polish(self.pieper, self.links, X_WT)
        singular = np.asarray(pivot < SINGULAR)
        odd = count % 2 == 1
        flags = np.where(singular, int(Degenerate.SINGULAR), 0)
        flags |= np.where(odd, int(Degenerate.UNSURE), 0)[:, None]
        sure = (count > 0) & ~odd & ~singular.any(axis=1)
        return self._told(q, np.where(np.isnan(q[:, :, 0]), 0, flags), sure)
