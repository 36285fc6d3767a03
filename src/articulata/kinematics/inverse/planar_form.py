"""All postures of a planar arm of two or three turning joints: both sides of its elbow.

A place in the plane leaves an arm of two joints two postures; a pose has one of them, where its
turn fits. Three joints meet a pose in two postures (``planar``).
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.inverse.closed_form import BranchTable, Degenerate
from articulata.kinematics.inverse.planar import ELBOWS, LABELS, PlanarArm, Three
from articulata.kinematics.inverse.reason import Reason

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

_TURNED = 1e-7
"""Most by which the turn of a pose may be off that of a posture, rad."""
_MEETING = 1e-7
"""Sine of the elbow's angle below which its two sides meet."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanarForm:
    """The closed form of ``dof`` parallel turning joints, two or three.

    An arm of two has a third link of no length, whose joint does not move.
    """

    arm: PlanarArm
    dof: int

    labels: ClassVar[tuple[str, ...]] = LABELS
    lasting: ClassVar[bool] = True
    parameter: ClassVar[str] = ""

    @staticmethod
    def recognise(chain: Serial) -> PlanarForm | None:
        """Return the form of a chain of two or three parallel turning joints, else None."""
        if not chain.prepared.plain or chain.dof not in (2, 3):
            return None
        arm = PlanarArm.recognise(chain, chain.dof)
        return None if arm is None else PlanarForm(arm, chain.dof)

    @property
    def structure(self) -> str:
        """Name of the structure."""
        return "two parallel axes" if self.dof == 2 else "three parallel axes in a plane"

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return both postures of each pose."""
        return self._table([(self.arm.place(X[:3, 3]), self.arm.turn(X)) for X in X_WT])

    def branches_of_places(self, p_WT: Float64[Array, "m 3"]) -> BranchTable:
        """Return both postures of each place of an arm of two joints, whatever their turn."""
        return self._table([(self.arm.place(p), math.nan) for p in p_WT])

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return in each slot the posture within limits, by whole turns nearest to ``q``."""
        table = self.branches(X_WT)
        found = table.q - 2.0 * np.pi * np.round((table.q - q[:, None]) / (2.0 * np.pi))
        low = np.array(self.arm.lower[: self.dof])
        high = np.array(self.arm.upper[: self.dof])
        beyond = (found < low) | (found > high)
        found = np.where(beyond, table.q, found)
        return np.where(table.within[..., None], found, np.nan)

    # ---- inside

    def _table(self, wanted: list[tuple[complex | None, float | None]]) -> BranchTable:
        """Return both postures for places in the plane and turns; NaN: whatever the turn is."""
        m, slots = len(wanted), len(ELBOWS)
        q = np.full((m, slots, self.dof), np.nan)
        within = np.zeros((m, slots), bool)
        degenerate = np.zeros((m, slots), np.int64)
        reason = np.zeros(m, np.int64)
        for row, (place, turn) in enumerate(wanted):
            reason[row] = int(self._refused(place, turn))
            if reason[row] != int(Reason.MET) or place is None or turn is None:
                continue
            for slot, side in enumerate(ELBOWS):
                found = self._posture(place, turn, side)
                if found is None:
                    continue
                q[row, slot] = found[: self.dof]
                within[row, slot] = self.arm.within(found)
                if abs(self._bend(place, turn)) < _MEETING:
                    degenerate[row, slot] = int(Degenerate.ELBOW)
            if np.isnan(q[row]).all():
                reason[row] = int(Reason.ORIENTATION)
            elif not within[row].any():
                reason[row] = int(Reason.LIMITS)
        return BranchTable(q, within, degenerate, reason)

    def _posture(self, place: complex, turn: float, side: float) -> Three | None:
        """Return the posture on one side of the elbow, None where its turn is another."""
        found = self.arm.at(place, 0.0 if math.isnan(turn) else turn, side)
        if found is None or self.dof == 3:
            return found
        if not math.isnan(turn) and abs(math.remainder(found[2], math.tau)) > _TURNED:
            return None
        return found[0], found[1], 0.0

    def _wrist(self, place: complex, turn: float) -> complex:
        return place if math.isnan(turn) else place - cmath.rect(1.0, turn) * self.arm.links[2]

    def _bend(self, place: complex, turn: float) -> float:
        """Return the sine of the elbow's angle: nothing where the arm is stretched or folded."""
        one, two, _ = (abs(link) for link in self.arm.links)
        away = abs(self._wrist(place, turn))
        cosine = (away * away - one * one - two * two) / (2.0 * one * two)
        return math.sqrt(max(0.0, 1.0 - cosine * cosine))

    def _refused(self, place: complex | None, turn: float | None) -> Reason:
        """Return why there is no posture at all; MET where both links meet in a triangle."""
        if place is None:
            return Reason.TOO_FAR  # it lies off the plane in which the arm moves
        if turn is None:
            return Reason.ORIENTATION
        one, two, _ = (abs(link) for link in self.arm.links)
        away = abs(self._wrist(place, turn))
        slack = 1e-12 * (one + two)
        if away > one + two + slack:
            return Reason.TOO_FAR
        return Reason.TOO_NEAR if away < abs(one - two) - slack else Reason.MET
