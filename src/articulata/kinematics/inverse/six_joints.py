"""Six turning joints of any geometry: the elimination ``general_6r`` behind the protocol."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, Float64, Int64, IntArray
from articulata.kinematics.inverse.chain_structure import regular
from articulata.kinematics.inverse.closed_form import BranchTable, Degenerate, Found
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.turns import nearest_turn
from articulata.kinematics.joint import PRISMATIC

if TYPE_CHECKING:
    from articulata.kernels.chains.closed_forms.general_6r import GeneralArm, Solved
    from articulata.kinematics.serial import Serial

_BRANCHES = 16
_TRIALS = 24
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
        """Return the form of six joints, of which one may slide; None where all are singular."""
        slides = sum(joint.kind == PRISMATIC for joint in chain.joints)
        if chain.dof != 6 or slides > 1 or not regular(chain):
            return None
        if not slides:
            return SixJointsForm(chain)
        form = SlideForm(chain)
        return form if form.finds_again() else None

    def finds_again(self) -> bool:
        """Return whether postures drawn at random come back.

        With further axes parallel or meeting, equations may hold for every angle.
        """
        travel = np.minimum(0.5 * (self.chain.upper - self.chain.lower), self.chain.prepared.reach)
        span = np.where(self._slides, travel, math.pi)
        share = np.random.default_rng(0).uniform(-1.0, 1.0, (_TRIALS, 6))
        q = np.where(self._slides, self._middle, 0.0) + share * span
        found = self.branches(self.chain.tip(q)).q
        off = np.where(
            self._slides,
            found - q[:, None],
            np.remainder(found - q[:, None] + np.pi, 2.0 * np.pi) - np.pi,
        )
        off = np.nan_to_num(np.abs(off).max(axis=2), nan=np.inf)
        return bool((off.min(axis=1) < 1e-6).all())

    @cached_property
    def arm(self) -> GeneralArm | None:
        """The arm made ready; None where no elimination is regular."""
        from articulata.kernels.chains.closed_forms.general_6r import prepare_general

        ready, travel = self.chain.prepared, (-math.inf, math.inf)
        if self._slides.any():
            k = int(self._slides.argmax())
            travel = float(self.chain.lower[k]), float(self.chain.upper[k])
        return prepare_general(ready.fixed, ready.kinds, ready.tip, travel)

    def solved(self, X_WT: Float64[Array, "m 4 4"]) -> Solved | None:
        """Return every posture of each pose as the kernels give them; None where none can."""
        from articulata.kernels.chains.closed_forms.general_6r import solve_all

        return None if self.arm is None else solve_all(self.arm, X_WT)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return every posture of each pose."""
        from articulata.kernels.chains.closed_forms.general_6r_postures import SINGULAR

        m = len(X_WT)
        found = self.solved(X_WT)
        if found is None:
            q = np.full((m, _BRANCHES, 6), np.nan)
            nothing = np.zeros((m, _BRANCHES), np.int64)
            return BranchTable(q, np.asarray(nothing > 0), nothing, np.full(m, int(Reason.GAVE_UP)))
        singular = np.asarray(found.pivot < SINGULAR)
        # roots may be lost where branches meet: what is not found there is not proved away
        sure = (found.count > 0) & ~found.doubt & ~singular.any(axis=1)
        flags = np.where(singular, int(Degenerate.SINGULAR), 0)
        flags |= np.where(found.doubt, int(Degenerate.UNSURE), 0)[:, None]
        return self._told(found.q, np.where(np.isnan(found.q[:, :, 0]), 0, flags), sure)

    def _told(self, q: Array, degenerate: IntArray, sure: BoolArray) -> BranchTable:
        """Return what limits leave of postures; where not ``sure`` (m,), limits prove nothing."""
        from articulata.kernels.chains.whole_turns import stand_within

        q = self._turned(q, self._middle)
        within = np.empty(q.shape[:2], np.bool_)
        rows = q.reshape(-1, q.shape[2]), self.chain.lower, self.chain.upper
        stand_within(*rows, _SLACK, within.reshape(-1))
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
        return self._turned(postures, q[:, None, :])

    def _turned(self, q: Array, wanted: Array) -> Array:
        """Return postures with whole turns within limits and near ``wanted``; slides stay."""
        turned = nearest_turn(q, wanted, self.chain.lower, self.chain.upper)
        return np.where(self._slides, q, turned) if self._slides.any() else turned

    @cached_property
    def _slides(self) -> BoolArray:
        """Which of the joints slide."""
        names = {joint.name for joint in self.chain.joints if joint.kind == PRISMATIC}
        return np.array([name in names for name in self.chain.names])

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


@dataclass(frozen=True, eq=False)
class SlideForm(SixJointsForm):
    """All postures of one arm of five turning joints and a slide anywhere among them."""

    structure: ClassVar[str] = "five turning joints and a slide"
