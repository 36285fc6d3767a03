"""Seven turning joints of which one is given: all postures of the six that are left."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.inverse.chain_question import as_numbers
from articulata.kinematics.inverse.closed_form import BranchTable
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.seven_joints import SevenForm
from articulata.kinematics.joint import PRISMATIC
from articulata.kinematics.serial import Serial

if TYPE_CHECKING:
    from articulata.kernels.chains.self_motion.given_joint_7r import GivenArm

_REASONS = np.array([int(Reason.GAVE_UP), int(Reason.LIMITS), int(Reason.MET)])
"""Of a pose without a posture, of one whose postures leave the limits, of one that is met."""


@dataclass(frozen=True, eq=False)
class GivenForm(SevenForm):
    """The postures of one arm with the joint ``given`` at ``values``, one for each pose."""

    given: int = 0
    values: npt.NDArray[np.float64] | None = None

    structure: ClassVar[str] = "seven turning joints, one given"

    @property
    def parameter(self) -> str:
        """Return "": postures are single where a joint is given."""
        return ""

    @staticmethod
    def of(chain: Serial, given: Mapping[str, npt.ArrayLike], batch: tuple[int, ...]) -> GivenForm:
        """Return the form of a chain with one joint given for each pose of a batch."""
        slides = any(joint.kind == PRISMATIC for joint in chain.joints)
        if chain.dof != 7 or slides or not chain.prepared.plain:
            raise KinematicsError(
                "a joint can be given in a chain of seven joints that turn; this one has "
                f"{chain.dof} joints that move"
            )
        if len(given) != 1 or next(iter(given)) not in chain.names:
            raise KinematicsError(
                f"given= takes one joint by its name, such as {{'{chain.names[-1]}': 0.3}}, not "
                f"{', '.join(map(repr, given)) or 'none'}; the joints are {', '.join(chain.names)}"
            )
        ((name, angle),) = cast(Mapping[str, Any], given).items()
        if batch == () and isinstance(angle, float) and math.isfinite(angle):
            # one angle must cost microseconds
            return GivenForm(chain, given=chain.names.index(name), values=np.array([angle]))
        values = as_numbers(angle, f"values of '{name}'")
        try:
            values = np.broadcast_to(values, batch).reshape(-1)
        except ValueError:
            raise KinematicsError(
                f"'{name}' is one angle or one for each pose {batch}, not shape {values.shape}"
            ) from None
        if not np.isfinite(values).all():
            raise KinematicsError(f"values of '{name}' are finite angles, rad")
        return GivenForm(chain, given=chain.names.index(name), values=np.ascontiguousarray(values))

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return every posture of each pose."""
        from articulata.kernels.chains.self_motion.given_joint_7r import solve_given

        assert self.values is not None
        q, kept = solve_given(self._given_arm, X_WT, self.values)
        return BranchTable(
            q, kept.within, np.zeros(kept.within.shape, np.int64), _REASONS[kept.state]
        )

    @property
    def _given_arm(self) -> GivenArm:
        """The arm made ready; kept with the chain, once for each joint that is given."""
        from articulata.kernels.chains.closed_forms.general_6r import moving_links
        from articulata.kernels.chains.self_motion.given_joint_7r import prepare_given

        ready, key = self.chain.prepared, f"joint {self.given} given"
        if key not in ready.kept:
            ready.kept[key] = prepare_given(
                *moving_links(ready.fixed, ready.kinds, ready.tip),
                self.given,
                self._middle,
                self.chain.lower,
                self.chain.upper,
            )
        arm: GivenArm = ready.kept[key]
        return arm
