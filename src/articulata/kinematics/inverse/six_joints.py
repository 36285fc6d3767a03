"""Six turning joints of any geometry: the elimination ``general6`` behind the protocol."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, Float64, Int64, IntArray
from articulata.kinematics.inverse.closed_form import BranchTable, Degenerate, Found
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.structure import regular
from articulata.kinematics.inverse.turns import nearest_turn
from articulata.kinematics.joint import PRISMATIC

if TYPE_CHECKING:
    from articulata.kernels.chains.general6 import GeneralArm
    from articulata.kinematics.serial import Serial

_BRANCHES = 16
_SLACK = 1e-10
"""A joint this little outside its limits, rad, stands at them."""


@dataclass(frozen=True, eq=False)
class SixJointsForm:
    """All postures of one arm, at most sixteen, in the order of their first angles.

    Branches have numbers only: in an arm without structure one may be led into another without
    passing a singular posture (Wenger, Cuspidal robots, 2007), so no words would stay with them.
    """

    chain: Serial

    structure: ClassVar[str] = "six turning joints"
    parameter: ClassVar[str] = ""
    lasting: ClassVar[bool] = False
    labels: ClassVar[tuple[str, ...]] = tuple(f"branch {k}" for k in range(1, _BRANCHES + 1))

    @staticmethod
    def recognise(chain: Serial) -> SixJointsForm | None:
        """Return the form of six joints that turn; None where every posture is singular."""
        if chain.dof != 6 or any(joint.kind == PRISMATIC for joint in chain.joints):
            return None
        return SixJointsForm(chain) if regular(chain) else None

    @cached_property
    def arm(self) -> GeneralArm | None:
        """The arm made ready; None where no elimination is regular."""
        from articulata.kernels.chains.general6 import prepare_general

        ready = self.chain.prepared
        return prepare_general(ready.fixed, ready.kinds, ready.tip)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return every posture of each pose."""
        from articulata.kernels.chains.general6 import solve_all
        from articulata.kernels.chains.general6_postures import SINGULAR

        m = len(X_WT)
        if self.arm is None:
            q = np.full((m, _BRANCHES, 6), np.nan)
            nothing = np.zeros((m, _BRANCHES), np.int64)
            return BranchTable(q, np.asarray(nothing > 0), nothing, np.full(m, int(Reason.GAVE_UP)))
        found = solve_all(self.arm, X_WT)
        singular = np.asarray(found.pivot < SINGULAR)
        # roots may be lost where branches meet: what is not found there is not proved away
        sure = (found.count > 0) & ~found.doubt & ~singular.any(axis=1)
        return self._told(found.q, np.where(singular, int(Degenerate.SINGULAR), 0), sure)

    def _told(self, q: Array, degenerate: IntArray, sure: BoolArray) -> BranchTable:
        """Return what limits leave of postures; where not ``sure`` (m,), limits prove nothing."""
        low, high = self.chain.lower, self.chain.upper
        q = nearest_turn(q, self._middle, low, high)
        within = np.asarray(((q >= low - _SLACK) & (q <= high + _SLACK)).all(axis=2))
        q = np.where(within[:, :, None], np.clip(q, low, high), q)
        unmet = np.where(sure, int(Reason.LIMITS), int(Reason.GAVE_UP))
        reason = np.where(within.any(axis=1), int(Reason.MET), unmet)
        return BranchTable(q, within, degenerate, reason)

    def one(self, X_WT: Float64[Array, "4 4"]) -> Found | None:
        """Return None: one pose costs what it costs in a batch."""
        return None

    def nearest(
        self, X_WT: Float64[Array, "4 4"], q: Float64[Array, "6"]
    ) -> tuple[Array, int] | None:
        """Return None, as ``one``."""
        return None

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return each branch within limits, whole turns chosen near ``q``."""
        found = self.branches(X_WT)
        postures = np.where(found.within[:, :, None], found.q, np.nan)
        return nearest_turn(postures, q[:, None, :], self.chain.lower, self.chain.upper)

    def at(
        self,
        X_WT: Float64[Array, "m 4 4"],
        slots: Int64[IntArray, "m"],
        values: Float64[Array, "m"],
    ) -> Float64[Array, "m dof"]:
        """Return the postures of the slots; these branches have no free parameter."""
        q = self.branches(X_WT).q
        return np.ascontiguousarray(q[np.arange(len(q)), slots])

    @cached_property
    def _middle(self) -> Array:
        """The middle of each joint's range, 0 where there is none."""
        low, high = self.chain.lower, self.chain.upper
        bounded = np.isfinite(low) & np.isfinite(high)
        middle = 0.5 * (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0))
        return np.asarray(np.where(high - low < 2.0 * math.tau, middle, 0.0))
