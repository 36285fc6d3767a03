"""Seven joints, spherical-revolute-spherical: the kernel ``swivel_srs`` behind the protocol."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, Float64, Int64, IntArray
from articulata.kinematics.inverse.closed_form import EIGHT, BranchTable, Degenerate
from articulata.kinematics.inverse.in_line import IN_LINE, intervals_in_line, share_turns
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.turns import ROUNDING, nearest_turn, settled

if TYPE_CHECKING:
    from articulata.kernels.chains.self_motion.swivel_srs import Families, SwivelArm
    from articulata.kinematics.serial import Serial

_SINGULAR = 1e-7
_SLACK = 1e-10
"""Limits are widened by this, rad: a joint at its limit leaves one swivel angle, no interval."""

_EDGE = 1e-12
"""Share of an interval kept from its ends, where a joint stands exactly at a limit."""


@dataclass(frozen=True, eq=False)
class SwivelForm:
    """The families of one arm: eight branches, each with intervals of the swivel angle."""

    chain: Serial
    arm: SwivelArm

    structure = "spherical-revolute-spherical"
    lasting = True
    parameter = "swivel"
    labels = EIGHT

    @staticmethod
    def recognise(chain: Serial) -> SwivelForm | None:
        """Return the form of seven turning joints, 1 to 3 and 5 to 7 concurrent."""
        from articulata.kernels.chains.self_motion.swivel_srs import prepare_swivel

        if chain.dof != 7:
            return None
        ready = chain.prepared
        arm = prepare_swivel(
            ready.fixed, ready.kinds, ready.tip, ready.lower - _SLACK, ready.upper + _SLACK
        )
        return None if arm is None else SwivelForm(chain, arm)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the families of each pose; ``q`` is the middle of each widest interval."""
        found = self._families(X_WT)
        m, slots = found.count.shape
        q = np.full((m, slots, 7), np.nan)
        poses, branch = np.nonzero(found.count)
        if len(poses):
            ends = found.intervals[poses, branch]
            width = np.nan_to_num(ends[:, :, 1] - ends[:, :, 0], nan=-1.0)
            widest = ends[np.arange(len(ends)), width.argmax(axis=1)]
            q[poses, branch] = self.at(X_WT[poses], branch, widest.mean(axis=1))
        within = found.count > 0
        reason = found.reason
        return BranchTable(q, within, self._degenerate(q), reason, found.intervals, found.count)

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return in each branch the posture whose swivel is nearest to that of ``q``."""
        found = self._families(X_WT)
        out = np.full((*found.count.shape, 7), np.nan)
        poses, branch = np.nonzero(found.count)
        line, swivel = self._line(q)
        own = self._folded_as(X_WT, line, swivel)
        if not len(poses):
            return self._placed(own, q, out)
        wanted = swivel[poses]
        low, high = found.intervals[poses, branch, :, 0], found.intervals[poses, branch, :, 1]
        # the swivel a whole turn on counts too: intervals run up to a turn past their start
        turn = np.ceil((low - wanted[:, None]) / math.tau) * math.tau
        values, gaps = [], []
        for k in (-1.0, 0.0):
            value = wanted[:, None] + turn + k * math.tau
            inset = _EDGE * (high - low)
            kept = np.minimum(np.maximum(value, low + inset), high - inset)
            values.append(kept)
            gaps.append(np.abs(kept - value))
        all_values, all_gaps = np.hstack(values), np.hstack(gaps)
        best = np.where(np.isnan(all_gaps), np.inf, all_gaps).argmin(axis=1)
        chosen = all_values[np.arange(len(best)), best]
        postures = self.at(X_WT[poses], branch, chosen)
        out[poses, branch] = nearest_turn(postures, q[poses], self.chain.lower, self.chain.upper)
        return self._placed(own, q, out)

    def at(
        self,
        X_WT: Float64[Array, "m 4 4"],
        slots: Int64[IntArray, "m"],
        values: Float64[Array, "m"],
    ) -> Float64[Array, "m dof"]:
        """Return the postures of branches at swivel angles, rad."""
        from articulata.kernels.chains.self_motion.swivel_srs import swivel_postures

        q = swivel_postures(self.arm, X_WT, slots, values)
        low, high = self.chain.lower, self.chain.upper
        for p in np.flatnonzero((np.maximum(low - q, q - high) >= ROUNDING).any(axis=1)):
            share_turns(self.arm, self.chain, X_WT[p], q[p])
        return settled(q, low, high)

    def _families(self, X_WT: Array) -> Families:
        """Return the families of poses, those of joints in line where there are no others."""
        from articulata.kernels.chains.self_motion.swivel_srs import solve_families

        found = solve_families(self.arm, X_WT)
        refused = np.flatnonzero((found.reason == Reason.LIMITS) & ~self._folds(X_WT))
        for p in refused[self._doubtful(X_WT[refused])] if len(refused) else ():
            in_line = intervals_in_line(self.arm, self.chain, X_WT[p])
            for slot, intervals in in_line.items():
                kept = intervals[: found.intervals.shape[2]]
                found.count[p, slot] = len(kept)
                found.intervals[p, slot, : len(kept)] = kept
            found.reason[p] = Reason.MET if in_line else Reason.GAVE_UP
        return found

    def swivel(self, q: Float64[Array, "*batch dof"]) -> Float64[Array, "*batch"]:
        """Return the swivel angle of postures, rad: the elbow about the line shoulder to wrist.

        Measured from the half-plane that holds the base's z axis (x where the line is along z).
        Where the arm is folded, with the wrist at the shoulder, about the upper arm.
        """
        return self._line(q)[1]

    def _line(self, q: Array) -> tuple[Array, Array]:
        """Return the direction from shoulder to wrist, in the table's frame, and the swivel."""
        constants, twists = self.arm.constants, self.arm.twists
        angle = q + self.arm.table.offset
        upper_arm, forearm = constants[24:27], constants[27:30]
        c, s = np.cos(angle[..., 3]), np.sin(angle[..., 3])
        wrist = np.stack(
            [
                upper_arm[0] + c * forearm[0] - s * forearm[1],
                upper_arm[1] + s * forearm[0] + c * forearm[1],
                np.full_like(c, upper_arm[2] + forearm[2]),
            ],
            axis=-1,
        )
        size = np.linalg.norm(wrist, axis=-1, keepdims=True)
        folded = size < 1e-9 * np.linalg.norm(upper_arm)
        wrist = np.where(folded, upper_arm, wrist)
        size = np.linalg.norm(wrist, axis=-1, keepdims=True)
        off = upper_arm - wrist * (wrist @ upper_arm)[..., None] / size**2
        straight = np.linalg.norm(off, axis=-1, keepdims=True) < 1e-9 * np.linalg.norm(upper_arm)
        # a straight arm turns about itself: told by its x axis, as the kernel does
        elbow = np.where(straight, np.array([1.0, 0.0, 0.0]), upper_arm)
        for joint in (2, 1, 0):
            wrist = _screw(wrist, twists[joint], angle[..., joint])
            elbow = _screw(elbow, twists[joint], angle[..., joint])
        line = wrist / np.linalg.norm(wrist, axis=-1, keepdims=True)
        up = np.broadcast_to(constants[30:33], line.shape)
        across = up - line * np.sum(line * up, axis=-1, keepdims=True)
        along = np.linalg.norm(across, axis=-1, keepdims=True) < 1e-9
        x = np.array([1.0, 0.0, 0.0])
        across = np.where(along, x - line * line[..., :1], across)
        side = np.cross(line, across)
        swivel = np.arctan2(np.sum(side * elbow, -1), np.sum(across * elbow, -1))
        return line, np.asarray(swivel)

    def _folded_as(self, X_WT: Array, line: Array, swivel: Array) -> Array:
        """Return folded arms' postures (m, 8, 7) with shoulders as told, NaN beyond the limits.

        A folded arm of equal halves may turn about its shoulder as it likes.
        """
        from articulata.kernels.chains.self_motion.swivel_srs import swivel_postures

        out = np.full((len(X_WT), 8, 7), np.nan)
        folded = np.flatnonzero(self._folds(X_WT))
        slots = np.array([slot for slot in range(8) if not slot & 2])
        if len(folded):
            poses, branch = np.repeat(folded, len(slots)), np.tile(slots, len(folded))
            q = swivel_postures(self.arm, X_WT[poses], branch, swivel[poses], line[poses])
            q = nearest_turn(q, self.chain.neutral, self.chain.lower, self.chain.upper)
            inside = ((q >= self.chain.lower) & (q <= self.chain.upper)).all(axis=1)
            out[poses[inside], branch[inside]] = q[inside]
        return out

    def _folds(self, X_WT: Array) -> BoolArray:
        """Return where the wrist is at the shoulder, in an arm of equal halves."""
        constants = self.arm.constants
        upper_arm, forearm = constants[24:27], constants[27:30]
        into, wrist = constants[:12].reshape(3, 4), constants[21:24]
        at = (X_WT[:, :3, :3] @ wrist + X_WT[:, :3, 3]) @ into[:, :3].T + into[:, 3]
        reach = math.hypot(
            math.hypot(*upper_arm[:2]) + math.hypot(*forearm[:2]), upper_arm[2] + forearm[2]
        )
        return np.asarray(np.linalg.norm(at, axis=1) < 1e-9 * reach)

    def _placed(self, own: Array, q: Array, out: Array) -> Array:
        """Return ``out`` with the postures of folded arms, the nearest turn to ``q``, put in."""
        own = nearest_turn(own, q[:, None], self.chain.lower, self.chain.upper)
        return np.where(np.isnan(own), out, own)

    def _doubtful(self, X_WT: Array) -> BoolArray:
        """Return where limits are no proof: some swivel brings shoulder or wrist in line.

        There, two joints share a turn and may keep limits that they leave on either side of it.
        The cosine of the middle angle of three is a sum ``k0 + kc cos psi + ks sin psi``; it comes
        to an end of its range where ``|k0| + hypot(kc, ks)`` does.
        """
        doubtful = np.zeros(len(X_WT), bool)
        turns = math.tau / 3.0 * np.arange(3)
        X = np.repeat(X_WT, 3, axis=0)
        for elbow in (0, 2):
            q = self.at(X, np.full(len(X), elbow), np.tile(turns, len(X_WT)))
            angle = (q + self.arm.table.offset).reshape(len(X_WT), 3, 7)
            for middle in (1, 5):
                cosine = np.cos(angle[:, :, middle])
                k0 = cosine.mean(axis=1)
                swing = np.hypot(
                    2.0 * (cosine * np.cos(turns)).mean(axis=1),
                    2.0 * (cosine * np.sin(turns)).mean(axis=1),
                )
                doubtful |= ~(np.abs(k0) + swing < 1.0 - IN_LINE)
        return doubtful

    def _degenerate(self, q: Array) -> IntArray:
        angle = q + self.arm.table.offset
        flags = np.zeros(q.shape[:-1], np.int64)
        flags[np.abs(np.sin(angle[..., 1])) < _SINGULAR] |= int(Degenerate.SHOULDER)
        flags[np.abs(np.sin(angle[..., 5])) < _SINGULAR] |= int(Degenerate.WRIST)
        stretched = self._stretched()
        flags[np.abs(np.sin(angle[..., 3] - stretched)) < _SINGULAR] |= int(Degenerate.ELBOW)
        return flags

    def _stretched(self) -> float:
        """Return the table angle 4 of greatest reach; half a turn on is the folded arm."""
        ux, uy, _, wx, wy, _ = self.arm.constants[24:30]
        return math.atan2(uy, ux) - math.atan2(wy, wx)


def _screw(v: Array, twist: Array, angle: Array) -> Array:
    """Return ``Rz(angle) Rx(alpha) v`` for alpha given by cos and sin."""
    y = twist[0] * v[..., 1] - twist[1] * v[..., 2]
    z = twist[1] * v[..., 1] + twist[0] * v[..., 2]
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * v[..., 0] - s * y, s * v[..., 0] + c * y, z], axis=-1)
