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

from articulata.geometry.arrays import Array, BoolArray, Float64, Int64, IntArray
from articulata.kinematics.inverse.closed_form import BranchTable, Degenerate
from articulata.kinematics.inverse.shrug_families import intervals_of, middle_of_widest, nearest_in
from articulata.kinematics.inverse.turns import nearest_turn
from articulata.kinematics.joint import PRISMATIC, REVOLUTE
from articulata.kinematics.postures import Reason

if TYPE_CHECKING:
    from articulata.kinematics.chain import Chain

_MEET = 1e-9
"""Axes meet when they pass each other by no more than this share of the arm's length."""
_SINGULAR = 1e-7
_TOUCH = 1e-13
"""Share of a length by which two things may miss each other and still count as touching."""
_BRANCHES = 8


class ShrugArm(NamedTuple):
    """The arm at zero: axes ``w`` (7, 3), the points S, E and one on axis 7, the tip ``M``."""

    w: Array
    S: Array
    E: Array
    p7: Array
    M: Array


class Solved(NamedTuple):
    """Branches ``q`` (n, 8, 7), NaN where none; ``lack`` (n, 8): how far they are from existing.

    ``lack`` is 0 where a branch exists and negative elsewhere. ``side`` (n,) is -1 where the
    elbow's circle lies beyond the sphere about the shoulder, 1 where inside, else 0.
    """

    q: Array
    lack: Array
    side: IntArray
    degenerate: IntArray


@dataclass(frozen=True, eq=False)
class ShrugForm:
    """The families of one arm: eight branches, each with intervals of the shrug in m."""

    chain: Chain
    arm: ShrugArm

    structure = "slide-universal-spherical-revolute"
    parameter = "shrug"
    labels = tuple(
        f"hand {'-' if slot & 4 else '+'}, shoulder {'-' if slot & 2 else '+'}, "
        f"elbow {'-' if slot & 1 else '+'}"
        for slot in range(_BRANCHES)
    )

    @staticmethod
    def recognise(chain: Chain) -> ShrugForm | None:
        """Return the form of a slide followed by axes 2-3 and 4-6 that meet, and joint 7."""
        arm = _arm(chain)
        return None if arm is None else ShrugForm(chain, arm)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the families of each pose; ``q`` is the middle of each widest interval."""
        found = intervals_of(self, X_WT)
        m = len(X_WT)
        s = middle_of_widest(found)
        q = np.full((m, _BRANCHES, 7), np.nan)
        degenerate = np.zeros((m, _BRANCHES), np.int64)
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
        found = intervals_of(self, X_WT)
        s = nearest_in(found, q[:, 0])
        out = np.full((len(X_WT), _BRANCHES, 7), np.nan)
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
        q = self._turned(solve(self.arm, X_WT, values).q[np.arange(len(X_WT)), slots])
        # At the end of an interval a joint stands at its limit, but for rounding.
        low, high = self.chain.lower, self.chain.upper
        off = np.maximum(low - q, q - high)
        return np.where((off > 0.0) & (off < 1e-9), np.clip(q, low, high), q)

    def margins(self, solved: Solved) -> Float64[Array, "n 8"]:
        """Return how far inside their limits the joints of each branch are, at least; rad.

        Negative outside, and where a branch does not exist.
        """
        low, high = self.chain.lower[1:], self.chain.upper[1:]
        half = np.where(np.isfinite(high - low), 0.5 * (high - low), math.pi)
        middle = np.where(np.isfinite(high - low), 0.5 * (high + low), 0.0)
        off = np.abs(_wrapped(solved.q[..., 1:] - middle))
        inside = np.min(np.where(half >= math.pi, math.pi, half - off), axis=-1)
        return np.asarray(np.where(solved.lack < 0.0, solved.lack, inside))

    def _turned(self, q: Array) -> Array:
        """Return postures with whole turns that bring joints nearest to their limits' middle."""
        low, high = self.chain.lower[1:], self.chain.upper[1:]
        middle = np.where(np.isfinite(high - low), 0.5 * (high + low), 0.0)
        turned = q.copy()
        turned[..., 1:] = middle + _wrapped(q[..., 1:] - middle)
        return turned


def solve(arm: ShrugArm, X_WT: Float64[Array, "n 4 4"], s: Float64[Array, "n"]) -> Solved:
    """Return every branch of each pose at its shrug ``s`` (m)."""
    w, E, c = arm.w, arm.E, arm.p7 + arm.w[6] * np.dot(arm.w[6], arm.E - arm.p7)
    n = len(X_WT)
    G = X_WT @ np.linalg.inv(arm.M)
    R = G[:, :3, :3]
    S = arm.S + s[:, None] * w[0]
    # E seen from the hand: c + u cos q7 - t sin q7, moved by G, at distance |E - S| from S.
    u = E - c
    t = np.cross(w[6], u)
    d = np.einsum("nij,j->ni", R, c) + G[:, :3, 3] - S
    a = 2.0 * np.einsum("ni,nij,j->n", d, R, u)
    b = -2.0 * np.einsum("ni,nij,j->n", d, R, t)
    k = np.dot(E - arm.S, E - arm.S) - np.einsum("ni,ni->n", d, d) - np.dot(u, u)
    reach = np.dot(E - arm.S, E - arm.S) + np.dot(u, u)
    hands, missed, side = _sine_angles(a, b, k, np.full(n, reach))
    q = np.full((n, 2, 2, 2, 7), np.nan)
    lack = np.zeros((n, 2, 2, 2)) + missed[:, None, None, None]
    flags = np.zeros((n, 2, 2, 2), np.int64)
    flags[np.abs(_wrapped(hands[:, 0] - hands[:, 1])) < _SINGULAR] |= int(Degenerate.ELBOW)
    for hand in range(2):
        q7 = hands[:, hand]
        cos7, sin7 = np.cos(q7)[:, None], np.sin(q7)[:, None]
        e = d + np.einsum("nij,nj->ni", R, u * cos7 - t * sin7)
        q2, q3, none, free = _two_turns(w[1], w[2], np.broadcast_to(E - arm.S, e.shape), e)
        lack[:, hand] += none[:, None, None]
        flags[:, hand] |= np.where(free, int(Degenerate.SHOULDER), 0)[:, None, None]
        R7 = R @ _turn(w[6], -q7)
        for way in range(2):
            arm_turn = _turn(w[2], -q3[:, way]) @ _turn(w[1], -q2[:, way]) @ R7
            g = np.einsum("nij,j->ni", arm_turn, w[5])
            q4, q5, none, free = _two_turns(w[3], w[4], np.broadcast_to(w[5], g.shape), g)
            lack[:, hand, way] += none[:, None]
            flags[:, hand, way] |= np.where(free, int(Degenerate.WRIST), 0)[:, None]
            for bend in range(2):
                last = _turn(w[4], -q5[:, bend]) @ _turn(w[3], -q4[:, bend]) @ arm_turn
                q6 = _turn_angle(w[5], last)
                one = q[:, hand, way, bend]
                one[:, 0], one[:, 1], one[:, 2] = s, q2[:, way], q3[:, way]
                one[:, 3], one[:, 4], one[:, 5], one[:, 6] = q4[:, bend], q5[:, bend], q6, q7
    flat = lack.reshape(n, _BRANCHES)
    flat = np.where(np.isfinite(flat), flat, -1.0)
    postures = np.where(flat[..., None] < 0.0, np.nan, q.reshape(n, _BRANCHES, 7))
    return Solved(postures, flat, side, flags.reshape(n, _BRANCHES))


def _two_turns(w1: Array, w2: Array, x: Array, g: Array) -> tuple[Array, Array, Array, BoolArray]:
    """Return angles (n, 2) about w1 and w2, through one point, that turn x (n, 3) to g (n, 3).

    The third value is 0 where there are any and negative where not, the fourth tells where the
    first angle is free because g lies on w1.
    """
    along = g @ w1
    off = g - along[:, None] * w1
    # The part of w2 in R1(-q) g must be that of x: c cos q + s sin q = k.
    c, s = off @ w2, -np.cross(w1, off) @ w2
    k = x @ w2 - along * float(np.dot(w1, w2))
    first, excess, _ = _sine_angles(c, s, k, np.linalg.norm(x, axis=1))
    second = np.empty_like(first)
    for way in range(2):
        # Read after the first turn is taken out, so that an ill-determined one is made good.
        second[:, way] = _angle(w2, x, np.einsum("nij,nj->ni", _turn(w1, -first[:, way]), g))
    size = np.linalg.norm(x, axis=1)
    free = np.linalg.norm(off, axis=1) < _SINGULAR * size
    return first, second, excess, free


def _sine_angles(c: Array, s: Array, k: Array, size: Array) -> tuple[Array, Array, IntArray]:
    """Return both angles (n, 2) with ``c cos q + s sin q = k``.

    The second value is 0 where there are any, else minus the share of ``size`` by which they are
    missed; the third is -1 where k is too small, 1 where it is too large, 0 otherwise. What is
    missed by rounding alone counts as touching.
    """
    reach = np.hypot(c, s)
    beyond = (np.abs(k) - reach) / size
    missed = beyond > _TOUCH
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(reach > 0.0, k / reach, 0.0)
    spread = np.arccos(np.clip(ratio, -1.0, 1.0))
    middle = np.arctan2(s, c)
    angles = np.stack([middle + spread, middle - spread], axis=-1)
    side = np.where(missed, np.sign(k), 0.0).astype(np.int64)
    return angles, np.where(missed, -beyond, 0.0), side


def _angle(w: Array, x: Array, z: Array) -> Array:
    """Return the angle about w that turns x (n, 3) to z (n, 3), what is along w left aside."""
    across = np.cross(x, z)
    return np.asarray(np.arctan2(across @ w, np.einsum("ni,ni->n", x, z) - (x @ w) * (z @ w)))


def _turn(w: Array, angle: Array) -> Array:
    """Return rotations (n, 3, 3) about the unit axis w: Rodrigues' formula."""
    x, y, z = w
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(np.eye(3) + s * K + (1.0 - c) * (K @ K))


def _turn_angle(w: Array, R: Array) -> Array:
    """Return the angle of rotations (n, 3, 3) about w."""
    y = np.zeros(3)
    y[int(np.argmin(np.abs(w)))] = 1.0
    y = np.cross(w, y)
    y /= np.linalg.norm(y)
    turned = R @ y
    return np.asarray(np.arctan2(turned @ np.cross(w, y), turned @ y))


def _wrapped(angle: Array) -> Array:
    return angle - math.tau * np.round(angle / math.tau)


def _arm(chain: Chain) -> ShrugArm | None:
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
    return ShrugArm(w, S, E, p[6], X @ chain.end)


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
