"""Seven joints, spherical-revolute-spherical: the kernel ``swivel_srs`` behind the protocol.

Where shoulder or wrist is in line two joints turn about one axis and share a turn.
There the limits no longer cut the circle of the swivel angle as they do elsewhere. At a single
swivel angle, at which the middle joint of three passes the end of its range, the posture may
keep limits that it leaves on either side. Where the arm is straight along its first axis (or
the wrist along its last), every swivel is in line, and what must stay within limits is the sum
of two angles, which grows with the swivel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, Float64, Int64, IntArray
from articulata.kinematics.inverse.closed_form import EIGHT, BranchTable, Degenerate
from articulata.kinematics.inverse.measuring import rotation_vector, tip_errors
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.turns import ROUNDING, nearest_turn, settled

if TYPE_CHECKING:
    from articulata.kernels.chains.self_motion.swivel_srs import Families, SwivelArm
    from articulata.kinematics.serial import Serial

BALLS = (0, 4)
"""First joints of the shoulder and of the wrist."""

IN_LINE = 1e-9
"""How near to 1 the cosine of a middle joint must come to be looked at."""

_NEAR_LINE = 1e-6
"""Sine of a middle joint below which two joints may share their turn: known to rounding's root."""

_TRUE = 1e-9
"""Most, m and rad, that a posture found here may be off."""

_ROUNDING = 1e-9

_RANK = 1e-6
"""Share of the largest singular value below which a direction is not moved in."""

Interval = tuple[float, float]


def share_turns(
    arm: SwivelArm, chain: Serial, X_WT: Float64[Array, "4 4"], q: Float64[Array, "7"]
) -> None:
    """Bring a posture into its limits, where it can be, by what joints in line may share."""
    lower, upper = chain.lower, chain.upper
    shared = False
    for first in BALLS:
        if _kept(lower, upper, q, first):
            continue
        side = _side(arm, q, first)
        if side == 0.0:
            continue
        low, high = _sum_range(lower, upper, first, side)
        total = q[first] + side * q[first + 2]
        total += math.tau * math.ceil((low - total) / math.tau - 1e-11) if low > -math.inf else 0.0
        if total > high + 1e-10:
            continue
        least, most = _other_range(lower, upper, first, side)
        begin, end = max(lower[first], total - most), min(upper[first], total - least)
        bounded = math.isfinite(begin) and math.isfinite(end)
        q[first] = 0.5 * (begin + end) if bounded else min(max(q[first], begin), end)
        q[first + 2] = side * (total - q[first])
        shared = True
    if shared:
        _polish(chain, X_WT, q)
    inside = (q >= lower - _ROUNDING) & (q <= upper + _ROUNDING)
    q[inside] = np.clip(q, lower, upper)[inside]


def _polish(chain: Serial, X_WT: Array, q: Array) -> None:
    """Meet the pose again: a joint is in line but for the root of rounding, and so was the pose."""
    for _ in range(2):
        X = chain.tip(q)
        gap = np.concatenate([X_WT[:3, 3] - X[:3, 3], rotation_vector(X[:3, :3], X_WT[:3, :3])])
        q += np.linalg.lstsq(chain.jacobian(q), gap, rcond=_RANK)[0]


def intervals_in_line(
    arm: SwivelArm, chain: Serial, X_WT: Float64[Array, "4 4"]
) -> dict[int, list[Interval]]:
    """Return by branch the swivel angles of a pose, that only joints in line make possible.

    For poses that have no posture within limits elsewhere. Each has been tried.
    """
    found: dict[int, list[Interval]] = {}
    for elbow in (0, 2):
        raw, straight = _swings(arm, X_WT, elbow)
        if not raw and not straight:
            continue
        for slot in (elbow, elbow + 1, elbow + 4, elbow + 5):
            tried = [(psi, psi) for psi in raw]
            if straight:
                tried += _straight(arm, chain, X_WT, slot, straight)
            kept = [ends for ends in tried if _true(arm, chain, X_WT, slot, 0.5 * sum(ends))]
            if kept:
                found[slot] = kept
    return found


def _swings(arm: SwivelArm, X_WT: Array, elbow: int) -> tuple[list[float], list[int]]:
    """Return swivels at which a middle joint ends its range, and balls in line at every swivel.

    The cosine of the middle angle of three is a sum ``k0 + kc cos psi + ks sin psi``.
    """
    from articulata.kernels.chains.self_motion.swivel_srs import swivel_postures

    turns: Array = math.tau / 3.0 * np.arange(3.0)
    q = swivel_postures(arm, np.repeat(X_WT[None], 3, axis=0), np.full(3, elbow), turns)
    swivels: list[float] = []
    straight: list[int] = []
    for first in BALLS:
        cosine = np.cos(q[:, first + 1] + arm.table.offset[first + 1])
        k0 = float(cosine.mean())
        kc = 2.0 * float((cosine * np.cos(turns)).mean())
        ks = 2.0 * float((cosine * np.sin(turns)).mean())
        swing = math.hypot(kc, ks)
        if not abs(k0) + swing >= 1.0 - IN_LINE:
            continue
        if swing < IN_LINE:
            straight.append(first)
            continue
        psi = math.atan2(ks, kc)
        if k0 + swing >= 1.0 - IN_LINE:
            swivels.append(psi)
        if k0 - swing <= IN_LINE - 1.0:
            swivels.append(psi - math.copysign(math.pi, psi))
    return swivels, straight


def _straight(
    arm: SwivelArm, chain: Serial, X_WT: Array, slot: int, balls: list[int]
) -> list[Interval]:
    """Return intervals of swivel where balls in line at every swivel can share their turns."""
    from articulata.kernels.chains.self_motion.swivel_srs import (
        prepare_swivel,
        solve_families,
        swivel_postures,
    )

    ready = chain.prepared
    lower, upper = ready.lower.copy(), ready.upper.copy()
    for first in balls:
        for joint in (first, first + 2):
            place = ready.free[joint]
            lower[place], upper[place] = -math.inf, math.inf
    loose = prepare_swivel(ready.fixed, ready.kinds, ready.tip, lower - 1e-10, upper + 1e-10)
    assert loose is not None
    families = solve_families(loose, X_WT[None])
    intervals: list[Interval] = [
        (float(low), float(high))
        for low, high in families.intervals[0, slot, : families.count[0, slot]]
    ]
    for first in balls:
        at: Array = np.array([0.0, 0.5])
        q = swivel_postures(arm, np.repeat(X_WT[None], 2, axis=0), np.full(2, slot), at)
        side = _side(arm, q[0], first)
        if side == 0.0:
            return []
        total = q[:, first] + side * q[:, first + 2]
        slope = math.copysign(1.0, math.remainder(float(total[1] - total[0]), math.tau))
        low, high = _sum_range(chain.lower, chain.upper, first, side)
        if high - low >= math.tau:
            continue
        ends = sorted((slope * (low - total[0]), slope * (high - total[0])))
        intervals = [
            (max(begin, ends[0] + turn), min(end, ends[1] + turn))
            for begin, end in intervals
            for turn in math.tau * np.arange(-4, 5)
            if max(begin, ends[0] + turn) <= min(end, ends[1] + turn) + 1e-10
        ]
    return [(float(begin), float(max(begin, end))) for begin, end in intervals]


def _true(arm: SwivelArm, chain: Serial, X_WT: Array, slot: int, psi: float) -> bool:
    """Return whether the posture at a swivel keeps all limits and meets its pose."""
    from articulata.kernels.chains.self_motion.swivel_srs import swivel_postures

    q = swivel_postures(arm, X_WT[None], np.array([slot]), np.array([psi]))
    if np.isnan(q).any():
        return False
    share_turns(arm, chain, X_WT, q[0])
    if ((q < chain.lower) | (q > chain.upper)).any():
        return False
    distance, angle = tip_errors(chain, q, X_WT[None])
    return bool(distance[0] <= _TRUE and angle[0] <= _TRUE)


def _kept(lower: Array, upper: Array, q: Array, first: int) -> bool:
    ball = slice(first, first + 3)
    return bool(((q[ball] >= lower[ball] - _ROUNDING) & (q[ball] <= upper[ball] + _ROUNDING)).all())


def _side(arm: SwivelArm, q: Array, first: int) -> float:
    """Return 1 where the first and third axis of a ball are one, -1 opposite, 0 neither."""
    (ca, sa), (cb, sb) = arm.twists[first], arm.twists[first + 1]
    turn = q[first + 1] + arm.table.offset[first + 1]
    along = ca * cb - sa * sb * math.cos(turn)
    if abs(math.sin(turn)) > _NEAR_LINE or abs(along) < 1.0 - IN_LINE:
        return 0.0
    return math.copysign(1.0, along)


def _other_range(lower: Array, upper: Array, first: int, side: float) -> Interval:
    ends = sorted((side * lower[first + 2], side * upper[first + 2]))
    return float(ends[0]), float(ends[1])


def _sum_range(lower: Array, upper: Array, first: int, side: float) -> Interval:
    """Return the least and the greatest sum of the two angles that share a turn."""
    least, most = _other_range(lower, upper, first, side)
    return float(lower[first]) + least, float(upper[first]) + most


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
