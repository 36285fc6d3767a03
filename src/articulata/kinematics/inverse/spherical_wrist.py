"""Six joints with a spherical wrist: ``spherical_wrist_6r`` behind the protocol of closed forms.

With the wrist's centre on the first axis the first angle is free. The closed form chooses it by
rule, and the posture may leave limits that another choice keeps. Turning the arm about its first
axis by theta asks of the wrist what the pose turned back by theta would. Where axes 4, 5 and 6 are
square to each other, the cosine of angle 5 and, times the sine of angle 5, the directions of angles
4 and 6 are sums ``k0 + kc cos theta + ks sin theta``: three postures give them, and each limit ends
an interval of theta at two angles at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, Float64, IntArray
from articulata.kinematics.inverse.chain_question import RIGID
from articulata.kinematics.inverse.closed_form import BranchTable, Degenerate
from articulata.kinematics.inverse.measuring import tip_errors
from articulata.kinematics.inverse.one_pose import DEGENERATE, WITHIN, OnePose
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.turns import nearest_turn

if TYPE_CHECKING:
    from articulata.kernels.chains.closed_forms.single_pose import PoseSolver
    from articulata.kernels.chains.closed_forms.spherical_wrist_6r import Branches as KernelBranches
    from articulata.kernels.chains.closed_forms.spherical_wrist_6r import WristArm
    from articulata.kinematics.serial import Serial

ON_AXIS = 1e-13
"""Distance of the wrist's centre from the first axis, in the arm's size, that is nothing."""

_ROUNDING = 1e-9
"""Most, rad, that a joint may be outside its limits to be brought back to them."""

_TRUE = 1e-9
"""Most, m and rad, that a posture found here may be off."""

_POSTURES = 4
"""Slots of one shoulder; those of the other are the same postures here."""


def on_axis(arm: WristArm, X_WT: Float64[Array, "4 4"]) -> bool:
    """Return whether a pose puts the wrist's centre on the first axis."""
    centre = arm.constants[15:24:4]
    place = np.linalg.inv(arm.table.base) @ X_WT @ np.append(centre, 1.0)
    return bool(np.hypot(place[0], place[1]) <= ON_AXIS * arm.constants[58])


def free_turns(
    chain: Serial,
    arm: WristArm,
    X_WT: Float64[Array, "4 4"],
    postures: Callable[[Array], Array],
    share: Callable[[Array, BoolArray, BoolArray], None],
) -> dict[int, Array]:
    """Return by slot a posture (6,) within limits, from the middle of the longest interval.

    ``postures`` gives the branches (m, 8, 6) of poses (m, 4, 4), within limits or not; ``share``
    brings wrists in line into their limits, as far as joints 4 and 6 can share a turn.
    """
    if not arm.orthogonal:
        return {}
    table = arm.table
    into = np.linalg.inv(table.base)

    def turned(theta: Array) -> Array:
        back = np.tile(np.eye(4), (len(theta), 1, 1))
        back[:, 0, 0] = back[:, 1, 1] = np.cos(theta)
        back[:, 0, 1], back[:, 1, 0] = np.sin(theta), -np.sin(theta)
        q = postures(table.base @ back @ into @ X_WT)[:, :_POSTURES].copy()
        q[:, :, 0] = theta[:, None] - table.offset[0]
        return q - math.tau * np.rint((q - table.middle) / math.tau)

    thirds: Array = math.tau / 3.0 * np.arange(3.0)
    samples = turned(thirds)
    found = {}
    for slot in range(_POSTURES):
        if np.isnan(samples[:, slot]).any():
            continue
        theta = _tried(chain, arm, thirds, samples[:, slot])
        q = turned(theta)[:, slot]
        near: BoolArray = (q >= chain.lower - _ROUNDING) & (q <= chain.upper + _ROUNDING)
        q = np.where(near, np.clip(q, chain.lower, chain.upper), q)
        kept = np.asarray(near.all(axis=1))
        share(q[:, None], kept[:, None], ~kept[:, None])
        distance, angle = tip_errors(chain, q, np.tile(X_WT, (len(q), 1, 1)))
        good = np.flatnonzero(kept & (distance <= _TRUE) & (angle <= _TRUE))
        if len(good):
            found[slot] = q[good[0]]
    return found


def _tried(chain: Serial, arm: WristArm, thirds: Array, q: Array) -> Array:
    """Return the turns to be tried, middles of intervals first, the longest before the others."""
    angles = q + arm.table.offset
    sine, cosine = np.sin(angles), np.cos(angles)
    ends = []
    for joint in range(6):
        limits = [end for end in (chain.lower[joint], chain.upper[joint]) if math.isfinite(end)]
        for end in np.array(limits) + arm.table.offset[joint]:
            if joint == 0:
                ends.append(end)
            elif joint == 4:
                ends += _zeros(thirds, cosine[:, 4] - math.cos(end))
            elif joint in (3, 5):
                across = sine[:, joint] * math.cos(end) - cosine[:, joint] * math.sin(end)
                ends += _zeros(thirds, sine[:, 4] * across)
    _, kc, ks = _sum(thirds, cosine[:, 4])
    in_line = math.atan2(ks, kc)
    ends += [in_line, in_line + math.pi]
    breaks = np.sort(np.remainder(np.array(ends), math.tau))
    lengths = np.diff(breaks, append=breaks[0] + math.tau)
    middles = breaks + 0.5 * lengths
    free = arm.table.middle[0] + arm.table.offset[0]
    return np.concatenate([middles[np.argsort(-lengths, kind="stable")], [free], breaks])


def _sum(thirds: Array, values: Array) -> tuple[float, float, float]:
    """Return k0, kc, ks of a sum ``k0 + kc cos theta + ks sin theta`` known at three thirds."""
    kc = 2.0 * float((values * np.cos(thirds)).mean())
    ks = 2.0 * float((values * np.sin(thirds)).mean())
    return float(values.mean()), kc, ks


def _zeros(thirds: Array, values: Array) -> list[float]:
    """Return where such a sum is 0, or nearest to it by no more than rounding."""
    k0, kc, ks = _sum(thirds, values)
    swing = math.hypot(kc, ks)
    if swing == 0.0 or abs(k0) > swing * (1.0 + _ROUNDING):
        return []
    middle, half = math.atan2(ks, kc), math.acos(min(max(-k0 / swing, -1.0), 1.0))
    return [middle - half, middle + half]


_DOUBT = 1e-6
"""Outside its limits by no more than this, rad, a branch may be there but for rounding."""

_SLIP = 1e-10
"""Most that moving a free angle may turn the tip, rad: what is singular but for rounding."""


@dataclass(frozen=True, eq=False)
class WristForm(OnePose):
    """The eight branches of one arm: shoulder, elbow and wrist, two ways each."""

    chain: Serial
    arm: WristArm
    _solve: Callable[[WristArm, Array], KernelBranches]

    structure = "spherical wrist"
    lasting = True
    parameter = ""

    @staticmethod
    def recognise(chain: Serial) -> WristForm | None:
        """Return the form of six turning joints, axes 2 and 3 parallel, 4 to 6 concurrent."""
        from articulata.kernels.chains.closed_forms.spherical_wrist_6r import (
            prepare_wrist,
            solve_wrist,
        )

        if chain.dof != 6:
            return None
        ready = chain.prepared
        arm = prepare_wrist(ready.fixed, ready.kinds, ready.tip, ready.lower, ready.upper)
        return None if arm is None else WristForm(chain, arm, solve_wrist)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Words for the eight slots.

        Up is along axis 1 away from the base. Where the first link has no offset and the arm
        moves beside axis 1, its shoulder is left or right of the line to the wrist; otherwise
        the arm reaches to the front or over to the back: to the front it reaches on the side of
        axis 2, and where that meets axis 1, as in the neutral posture. The elbow is up or down
        as seen with the forearm's end level with the shoulder. The wrist is flipped where joint 5
        turns to the other side of a straight wrist.
        """
        constants = self.arm.constants
        a1, sa1, lateral, sigma = constants[24], constants[27], constants[28], constants[31]
        base = self.arm.table.base
        height = float(base[:3, 2] @ (base[:3, 3] - self.chain.base[:3, 3])) + constants[25]
        up = -1.0 if height < -1e-9 * self.arm.table.unit else 1.0
        beside = abs(a1) < 1e-9 < abs(lateral)
        ahead = a1 > 0.0 if abs(a1) >= 1e-9 else not self._neutral_behind
        words = []
        for slot in range(8):
            front = 1.0 if slot < 4 else -1.0
            if beside:
                # the wrist at (front, m) and the shoulder at (0, m), seen along axis 1; m is
                # what turns the lateral offset away
                shoulder = "left" if -front * lateral / sa1 * up > 0.0 else "right"
            else:
                shoulder = "front" if (slot < 4) == ahead else "back"
            bend = 1.0 if slot & 2 else -1.0
            elbow = "up" if bend * sigma * front * sa1 * up > 0.0 else "down"
            wrist = "flipped" if slot & 1 else "not flipped"
            words.append(f"shoulder {shoulder}, elbow {elbow}, wrist {wrist}")
        return tuple(words)

    @property
    def _neutral_behind(self) -> bool:
        """Whether the neutral posture is of the last four slots and not of the first."""
        neutral = self.chain.neutral
        first = self._solve(self.arm, self.chain.tip(neutral)[None]).q[0, :, 0]
        same = np.abs(np.remainder(first - neutral[0] + math.pi, math.tau) - math.pi) < 1e-6
        return bool(same[4:].any() and not same[:4].any())

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the eight branches of each pose."""
        answer = self._solve(self.arm, X_WT)
        q = answer.q
        # one pose must cost microseconds: a look into a table is one step, masks are many
        within = WITHIN[answer.flags]
        degenerate = DEGENERATE[answer.flags]
        reason = answer.reason.astype(np.int64)
        if np.count_nonzero(reason):
            refused = reason == Reason.LIMITS
            loose = refused[:, None] & (degenerate != 0)
            if loose.any():
                self._share_turns(q, within, loose & ((degenerate & Degenerate.WRIST) != 0))
                self._turn_shoulders(X_WT, q, within, refused & ~within.any(axis=1))
                reason[within.any(axis=1)] = Reason.MET
                # an angle that is free was chosen by rule: other choices may keep the limits
                unsure = (reason == Reason.LIMITS) & (degenerate > Degenerate.WRIST).any(axis=1)
                reason[unsure] = Reason.GAVE_UP
            self._leave_doubts(q, reason)
        return BranchTable(q, within, degenerate, reason)

    @cached_property
    def at_once(self) -> PoseSolver:
        """What solves one pose."""
        from articulata.kernels.chains.closed_forms.single_pose import pose_solver
        from articulata.kernels.chains.closed_forms.spherical_wrist_6r import solve_pose

        return pose_solver(solve_pose, (self.arm.constants, self.arm.orthogonal), RIGID)

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return each branch within limits, whole turns and free angles chosen near ``q``."""
        found = self.branches(X_WT)
        postures = np.where(found.within[:, :, None], found.q, np.nan)
        if np.count_nonzero(found.degenerate):
            wrists = found.within & ((found.degenerate & Degenerate.WRIST) != 0)
            for p, slot in np.argwhere(wrists):
                self._turn_free(postures[p, slot], q[p, 3])
        if not self._turns:
            return postures
        return nearest_turn(postures, q[:, None, :], self.chain.lower, self.chain.upper)

    @cached_property
    def _turns(self) -> bool:
        """Whether some joint can stand whole turns apart."""
        return bool((self.chain.upper - self.chain.lower >= math.tau).any())

    def _leave_doubts(self, q: Array, reason: IntArray) -> None:
        """Take the proof back where a branch is outside its limits by no more than rounding.

        Near a singularity the angles are known to the root of rounding alone.
        """
        refused = np.flatnonzero(reason == Reason.LIMITS)
        low, high = self.chain.lower, self.chain.upper
        over = np.maximum(low - q[refused], q[refused] - high).max(axis=2)
        closest = np.where(np.isnan(over), np.inf, over).min(axis=1)
        reason[refused[closest <= _DOUBT]] = Reason.GAVE_UP

    def _turn_shoulders(self, X_WT: Array, q: Array, within: BoolArray, left: BoolArray) -> None:
        """Bring postures into their limits whose wrist lies on the first axis."""
        for p in np.flatnonzero(left):
            if on_axis(self.arm, X_WT[p]):
                found = free_turns(
                    self.chain,
                    self.arm,
                    X_WT[p],
                    lambda poses: self._solve(self.arm, poses).q,
                    self._share_turns,
                )
                for slot, posture in found.items():
                    q[p, slot], within[p, slot] = posture, True

    def _wrist_axes(self, q: Array) -> tuple[float, float]:
        """Return cosine and sine of the angle between axes 4 and 6."""
        rows, table = self.arm.table.rows, self.arm.table
        (c4, s4), (c5, s5) = rows[3, 1:3], rows[4, 1:3]
        turn = q[4] + table.offset[4]
        cosine = c4 * c5 - s4 * s5 * math.cos(turn)
        across = c4 * s5 + s4 * c5 * math.cos(turn)
        return cosine, math.hypot(s5 * math.sin(turn), across)

    def _turn_free(self, q: Array, wanted: float) -> None:
        """Turn joint 4 of a degenerate posture to ``wanted`` and joint 6 so that nothing moves."""
        cosine, sine = self._wrist_axes(q)
        low, high = self.chain.lower, self.chain.upper
        fourth = min(max(wanted, low[3]), high[3])
        if sine * abs(math.remainder(fourth - q[3], math.tau)) > _SLIP:
            return
        sixth = q[5] + math.copysign(1.0, cosine) * (q[3] - fourth)
        middle = self.arm.table.middle[5]
        sixth = middle + math.remainder(sixth - middle, math.tau)
        if low[5] <= sixth <= high[5]:
            q[3], q[5] = fourth, sixth

    def _share_turns(self, q: Array, within: BoolArray, loose: BoolArray) -> None:
        """Bring degenerate wrists into their limits: joints 4 and 6 share one turn."""
        low, high = self.chain.lower, self.chain.upper
        for p, slot in np.argwhere(loose):
            posture = q[p, slot]
            others = [0, 1, 2, 4]
            if np.any(posture[others] < low[others] - 1e-12) or np.any(
                posture[others] > high[others] + 1e-12
            ):
                continue
            cosine, sine = self._wrist_axes(posture)
            side = math.copysign(1.0, cosine)
            # joint 6 at its limits gives joint 4 an interval, whole turns apart
            ends = sorted(posture[3] + side * (posture[5] - end) for end in (low[5], high[5]))
            middle = self.arm.table.middle[3]
            for turn in (0, -1, 1, -2, 2):
                below = max(low[3], ends[0] + turn * math.tau)
                above = min(high[3], ends[1] + turn * math.tau)
                if below > above:
                    continue
                fourth = min(max(middle, below), above)
                if sine * abs(math.remainder(fourth - posture[3], math.tau)) > _SLIP:
                    continue
                sixth = posture[5] + side * (posture[3] - fourth + turn * math.tau)
                posture[3], posture[5] = fourth, min(max(sixth, low[5]), high[5])
                within[p, slot] = True
                break
