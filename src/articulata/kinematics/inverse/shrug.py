"""Leonardo's arm in closed form: a sliding shrug, then six joints that turn.

Structure: joint 1 slides; axes 2 and 3 meet in the shoulder S; axes 4, 5 and 6 meet in the elbow
E; joint 7 turns the hand. It is sorted by that, not by name: any directions of the axes will do.

With the shrug at s, E lies on a sphere about S(s), because axes 4 to 6 leave it where it is. Seen
from the hand, E runs on a circle about axis 7. Sphere and circle meet in at most two points: joint
7. E then gives joints 2 and 3 in at most two ways, the hand's orientation joints 4 to 6 in at most
two: 8 branches for one shrug, and a family of them over the shrug. Two axes through one point are
solved as Paden's second subproblem (Murray, Li and Sastry, A Mathematical Introduction to Robotic
Manipulation, 1994, section 3.3.2), all joints written as turns about their axes at zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.kinematics.inverse.closed_form import BranchTable
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.turns import nearest_turn, settled
from articulata.kinematics.joint import PRISMATIC, REVOLUTE

if TYPE_CHECKING:
    from articulata.kernels.chains.self_motion.shrug_7dof import Families
    from articulata.kinematics.serial import Serial


_MEET = 1e-9
"""Axes meet when they pass each other by no more than this share of the arm's length."""

_SINGULAR = 1e-7
BRANCHES = 8


class ShrugArm(NamedTuple):
    """The arm at zero: axes ``w`` (7, 3), the points S, E and one on axis 7, the tip ``M``.

    ``table`` (18, 3) is what the kernels take of it.
    """

    w: Array
    S: Array
    E: Array
    p7: Array
    M: Array
    table: Array


class Solved(NamedTuple):
    """Branches ``q`` (n, 8, 7), NaN where none; ``lack`` (n, 8): how far they are from existing.

    ``lack`` is 0 where a branch exists and negative elsewhere. ``side`` (n,) is -1 where the
    elbow's circle lies beyond the sphere about the shoulder, 1 where inside, else 0.
    """

    q: Array
    lack: Array
    side: IntArray
    degenerate: IntArray


def solve(arm: ShrugArm, X_WT: Float64[Array, "n 4 4"], s: Float64[Array, "n"]) -> Solved:
    """Return every branch of each pose at its shrug ``s`` (m)."""
    n = len(X_WT)
    slots = np.tile(np.arange(BRANCHES), n)
    q, lack, told = _postures(arm, np.repeat(X_WT, BRANCHES, axis=0), np.repeat(s, BRANCHES), slots)
    flags = told[:, 1].reshape(n, BRANCHES)
    return Solved(
        q.reshape(n, BRANCHES, 7), lack.reshape(n, BRANCHES), told[::BRANCHES, 0].copy(), flags
    )


def solve_slots(
    arm: ShrugArm,
    X_WT: Float64[Array, "n 4 4"],
    s: Float64[Array, "n"],
    slots: Int64[IntArray, "n"],
) -> tuple[Float64[Array, "n 7"], Float64[Array, "n"]]:
    """Return one branch of each pose at its shrug ``s`` (m), and what it lacks, as ``Solved``."""
    return _postures(arm, X_WT, s, slots)[:2]


def _postures(
    arm: ShrugArm, X_WT: Array, s: Array, slots: IntArray
) -> tuple[Array, Array, IntArray]:
    from articulata.kernels.chains.self_motion.shrug_7dof import postures

    n = len(X_WT)
    X, s = np.ascontiguousarray(X_WT, np.float64), np.ascontiguousarray(s, np.float64)
    q, lack, told = np.empty((n, 7)), np.empty(n), np.empty((n, 2), np.int64)
    postures(arm.table, X, s, np.ascontiguousarray(slots, np.int64), q, lack, told, 0, n)
    return q, lack, told


def wrapped(angle: Array) -> Array:
    """Return angles less whole turns, within half a turn of 0, rad."""
    return angle - math.tau * np.round(angle / math.tau)


def shrug_arm(chain: Serial) -> ShrugArm | None:
    """Return the arm at zero, or None where the structure is another."""
    if chain.dof != 7 or any(joint.mimic is not None for joint in chain.joints):
        return None
    kinds = [chain.joints[i].kind for i in chain.free]
    if kinds != [PRISMATIC] + [REVOLUTE] * 6:
        return None
    X = chain.base
    frames = []
    for joint in chain.joints:
        frames.append(X @ joint.X_PJ)
        X = frames[-1] @ joint.X_JL
    w = np.array([frames[i][:3, 2] for i in chain.free])
    p = np.array([frames[i][:3, 3] for i in chain.free])
    size = float(np.max(np.linalg.norm(np.diff(p, axis=0), axis=1), initial=0.0))
    S = _crossing(w[1], p[1], w[2], p[2], size)
    E = _crossing(w[3], p[3], w[4], p[4], size)
    if S is None or E is None or size == 0.0:
        return None
    last = np.linalg.norm(np.cross(w[5], E - p[5]))
    parallel = np.linalg.norm(np.cross(w[4], w[5])) < _SINGULAR
    radius = np.linalg.norm(np.cross(w[6], E - p[6]))
    if last > _MEET * size or parallel or radius < _SINGULAR * size:
        return None
    if np.linalg.norm(E - S) < _SINGULAR * size:
        return None
    M = X @ chain.end
    return ShrugArm(w, S, E, p[6], M, _table(w, S, E, p[6], M))


def _table(w: Array, S: Array, E: Array, p7: Array, M: Array) -> Array:
    """Return the arm as the kernels take it, (18, 3)."""
    middle = p7 + w[6] * np.dot(w[6], E - p7)
    y = np.cross(w[5], np.eye(3)[int(np.argmin(np.abs(w[5])))])
    y /= np.linalg.norm(y)
    back = np.linalg.inv(M)[:3]
    rest = (S, E - S, middle, E - middle, np.cross(w[6], E - middle), *back[:, :3], back[:, 3], y)
    return np.array([*w, *rest, np.cross(w[5], y)])


def _crossing(w1: Array, p1: Array, w2: Array, p2: Array, size: float) -> Array | None:
    """Return the point where two axes meet, None where they pass each other or are parallel."""
    across = np.cross(w1, w2)
    span = float(np.dot(across, across))
    if span < _SINGULAR**2:
        return None
    apart = p2 - p1
    if abs(np.dot(apart, across)) > _MEET * size * math.sqrt(span):
        return None
    along = np.dot(np.cross(apart, w2), across) / span
    return np.asarray(p1 + along * w1)


_EDGE = 1e-12
"""Share of an interval kept from its ends, where a joint stands exactly at a limit."""


def intervals_of(arm: ShrugArm, chain: Serial, X_WT: Array) -> Families:
    """Return the families of poses (m, 4, 4)."""
    from articulata.kernels.chains.self_motion.shrug_7dof import MOST_INTERVALS, Families, families

    m = len(X_WT)
    found = Families(
        np.full((m, BRANCHES, MOST_INTERVALS, 2), np.nan),
        np.zeros((m, BRANCHES), np.int64),
        np.full((m, BRANCHES), np.nan),
        np.zeros(m, np.int64),
    )
    ends = np.stack(_range(arm, chain, X_WT), axis=1)
    X = np.ascontiguousarray(X_WT, np.float64)
    families(arm.table, middles_and_halves(chain), X, ends, found, 0, m)
    most = max(1, int(found.counts.max(initial=0)))
    return found._replace(intervals=found.intervals[:, :, :most].copy())


def middles_and_halves(chain: Serial) -> Array:
    """Return middle and half range of the joints that turn, (6, 2) rad; 0 and pi of a free one."""
    low, high = chain.lower[1:], chain.upper[1:]
    free = ~np.isfinite(high - low)
    low, high = np.where(free, -math.pi, low), np.where(free, math.pi, high)
    return 0.5 * np.stack([high + low, high - low], axis=1)


def middle_of_widest(found: Families) -> Array:
    """Return (m, 8) the middle of the widest interval; without one, where it is least outside."""
    width = np.nan_to_num(found.intervals[..., 1] - found.intervals[..., 0], nan=-1.0)
    widest = np.take_along_axis(
        found.intervals.mean(axis=-1), width.argmax(axis=-1)[..., None], axis=-1
    )
    return np.asarray(np.where(found.counts > 0, widest[..., 0], found.best))


def nearest_in(found: Families, s: Array) -> Array:
    """Return (m, 8) the shrug within an interval nearest to ``s`` (m,), NaN where there is none."""
    low, high = found.intervals[..., 0], found.intervals[..., 1]
    inset = _EDGE * (high - low)
    kept = np.minimum(np.maximum(s[:, None, None], low + inset), high - inset)
    gap = np.nan_to_num(np.abs(kept - s[:, None, None]), nan=np.inf)
    return np.asarray(np.take_along_axis(kept, gap.argmin(axis=-1)[..., None], axis=-1)[..., 0])


def _range(arm: ShrugArm, chain: Serial, X_WT: Array) -> tuple[Array, Array]:
    """Return the range of shrugs to look at: the joint's, or as far as the arm spans."""
    links = (arm.E - arm.S, arm.p7 - arm.E, arm.M[:3, 3] - arm.p7)
    span = sum(float(np.linalg.norm(link)) for link in links)
    toward = (X_WT[:, :3, 3] - arm.S) @ arm.w[0]
    low = np.minimum(np.maximum(chain.lower[0], toward - span), chain.upper[0])
    return low, np.maximum(np.minimum(chain.upper[0], toward + span), low)


@dataclass(frozen=True, eq=False)
class ShrugForm:
    """The families of one arm: eight branches, each with intervals of the shrug in m."""

    chain: Serial
    arm: ShrugArm

    structure = "slide-universal-spherical-revolute"
    lasting = True
    parameter = "shrug"
    labels = tuple(
        f"hand {'-' if slot & 4 else '+'}, shoulder {'-' if slot & 2 else '+'}, "
        f"elbow {'-' if slot & 1 else '+'}"
        for slot in range(BRANCHES)
    )

    @staticmethod
    def recognise(chain: Serial) -> ShrugForm | None:
        """Return the form of a slide followed by axes 2-3 and 4-6 that meet, and joint 7."""
        arm = shrug_arm(chain)
        return None if arm is None else ShrugForm(chain, arm)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the families of each pose; ``q`` is the middle of each widest interval."""
        found = intervals_of(self.arm, self.chain, X_WT)
        m = len(X_WT)
        s = middle_of_widest(found)
        q = np.full((m, BRANCHES, 7), np.nan)
        degenerate = np.zeros((m, BRANCHES), np.int64)
        poses, slots = np.nonzero(np.isfinite(s))
        if len(poses):
            solved = solve(self.arm, X_WT[poses], s[poses, slots])
            each = np.arange(len(poses))
            q[poses, slots] = self._turned(solved.q[each, slots])
            degenerate[poses, slots] = solved.degenerate[each, slots]
        within = found.counts > 0
        reason = np.full(m, int(Reason.LIMITS))
        nowhere = ~np.isfinite(s).any(axis=1)
        reason[nowhere] = int(Reason.ORIENTATION)
        reason[nowhere & (found.side < 0)] = int(Reason.TOO_FAR)
        reason[nowhere & (found.side > 0)] = int(Reason.TOO_NEAR)
        reason[within.any(axis=1)] = int(Reason.MET)
        return BranchTable(q, within, degenerate, reason, found.intervals, found.counts)

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return in each branch the posture whose shrug is nearest to that of ``q``."""
        found = intervals_of(self.arm, self.chain, X_WT)
        s = nearest_in(found, q[:, 0])
        out = np.full((len(X_WT), BRANCHES, 7), np.nan)
        poses, slots = np.nonzero(np.isfinite(s))
        if len(poses):
            postures = self.at(X_WT[poses], slots, s[poses, slots])
            low, high = self.chain.lower[1:], self.chain.upper[1:]
            postures[:, 1:] = nearest_turn(postures[:, 1:], q[poses, 1:], low, high)
            out[poses, slots] = postures
        return out

    def at(
        self,
        X_WT: Float64[Array, "m 4 4"],
        slots: Int64[IntArray, "m"],
        values: Float64[Array, "m"],
    ) -> Float64[Array, "m dof"]:
        """Return the postures of branches at given shrugs, m."""
        q = self._turned(solve_slots(self.arm, X_WT, values, slots)[0])
        return settled(q, self.chain.lower, self.chain.upper)

    def _turned(self, q: Array) -> Array:
        """Return postures with whole turns that bring joints nearest to their limits' middle."""
        middle = middles_and_halves(self.chain)[:, 0]
        turned = q.copy()
        turned[..., 1:] = middle + wrapped(q[..., 1:] - middle)
        return turned
