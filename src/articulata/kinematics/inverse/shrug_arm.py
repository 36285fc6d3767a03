"""One pose of Leonardo's arm at a given shrug: all eight branches, by two-axes subproblems.

See ``shrug`` for the arm. Two axes through one point are solved as Paden's second subproblem
(Murray, Li and Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, section 3.3.2),
all joints written as turns about their axes at zero.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, Float64, Int64, IntArray
from articulata.kinematics.inverse.closed_form import Degenerate
from articulata.kinematics.joint import PRISMATIC, REVOLUTE

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

_MEET = 1e-9
"""Axes meet when they pass each other by no more than this share of the arm's length."""
_SINGULAR = 1e-7
_TOUCH = 1e-13
"""Share of a length by which two things may miss each other and still count as touching."""
BRANCHES = 8


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


def solve(arm: ShrugArm, X_WT: Float64[Array, "n 4 4"], s: Float64[Array, "n"]) -> Solved:
    """Return every branch of each pose at its shrug ``s`` (m)."""
    n, w = len(X_WT), arm.w
    hand = _hands(arm, X_WT, s)
    q = np.full((n, 2, 2, 2, 7), np.nan)
    lack = np.zeros((n, 2, 2, 2)) + hand.missed[:, None, None, None]
    flags = np.zeros((n, 2, 2, 2), np.int64)
    flags[np.abs(wrapped(hand.q7[:, 0] - hand.q7[:, 1])) < _SINGULAR] |= int(Degenerate.ELBOW)
    for one in range(2):
        q7 = hand.q7[:, one]
        q2, q3, none, free = _shoulder(arm, hand, q7)
        lack[:, one] += none[:, None, None]
        flags[:, one] |= np.where(free, int(Degenerate.SHOULDER), 0)[:, None, None]
        R7 = hand.R @ _turn(w[6], -q7)
        for way in range(2):
            R3, q4, q5, none, free = _elbow(arm, R7, q2[:, way], q3[:, way])
            lack[:, one, way] += none[:, None]
            flags[:, one, way] |= np.where(free, int(Degenerate.WRIST), 0)[:, None]
            for bend in range(2):
                q6 = _forearm(arm, R3, q4[:, bend], q5[:, bend])
                columns = (s, q2[:, way], q3[:, way], q4[:, bend], q5[:, bend], q6, q7)
                q[:, one, way, bend] = np.stack(columns, axis=-1)
    flat = _finite(lack.reshape(n, BRANCHES))
    postures = np.where(flat[..., None] < 0.0, np.nan, q.reshape(n, BRANCHES, 7))
    return Solved(postures, flat, hand.side, flags.reshape(n, BRANCHES))


def solve_slots(
    arm: ShrugArm,
    X_WT: Float64[Array, "n 4 4"],
    s: Float64[Array, "n"],
    slots: Int64[IntArray, "n"],
) -> tuple[Float64[Array, "n 7"], Float64[Array, "n"]]:
    """Return one branch of each pose at its shrug ``s`` (m), and what it lacks, as ``Solved``."""
    hand = _hands(arm, X_WT, s)
    q7 = _pick(hand.q7, slots >> 2)
    q2, q3, none, _ = _shoulder(arm, hand, q7)
    q2, q3 = _pick(q2, slots >> 1), _pick(q3, slots >> 1)
    lack = hand.missed + none
    R3, q4, q5, none, _ = _elbow(arm, hand.R @ _turn(arm.w[6], -q7), q2, q3)
    q4, q5 = _pick(q4, slots), _pick(q5, slots)
    lack = _finite(lack + none)
    q = np.stack([s, q2, q3, q4, q5, _forearm(arm, R3, q4, q5), q7], axis=-1)
    return np.where(lack[:, None] < 0.0, np.nan, q), lack


class _Hands(NamedTuple):
    """Both angles of the hand ``q7`` (n, 2), what they lack, and the elbow's circle about S."""

    R: Array
    d: Array
    u: Array
    t: Array
    q7: Array
    missed: Array
    side: IntArray


def _hands(arm: ShrugArm, X_WT: Array, s: Array) -> _Hands:
    w, E = arm.w, arm.E
    c = arm.p7 + w[6] * np.dot(w[6], E - arm.p7)
    G = X_WT @ np.linalg.inv(arm.M)
    R = G[:, :3, :3]
    # E seen from the hand: c + u cos q7 - t sin q7, moved by G, at distance |E - S| from S.
    u = E - c
    t = np.cross(w[6], u)
    d = np.einsum("nij,j->ni", R, c) + G[:, :3, 3] - (arm.S + s[:, None] * w[0])
    a = 2.0 * np.einsum("ni,nij,j->n", d, R, u)
    b = -2.0 * np.einsum("ni,nij,j->n", d, R, t)
    square = float(np.dot(E - arm.S, E - arm.S))
    k = square - np.einsum("ni,ni->n", d, d) - np.dot(u, u)
    q7, missed, side = _sine_angles(a, b, k, np.full(len(s), square + np.dot(u, u)))
    return _Hands(R, d, u, t, q7, missed, side)


def _shoulder(arm: ShrugArm, hand: _Hands, q7: Array) -> tuple[Array, Array, Array, BoolArray]:
    """Return joints 2 and 3 (n, 2), what they lack, and where joint 2 is free."""
    cos7, sin7 = np.cos(q7)[:, None], np.sin(q7)[:, None]
    e = hand.d + np.einsum("nij,nj->ni", hand.R, hand.u * cos7 - hand.t * sin7)
    return _two_turns(arm.w[1], arm.w[2], np.broadcast_to(arm.E - arm.S, e.shape), e)


def _elbow(
    arm: ShrugArm, R7: Array, q2: Array, q3: Array
) -> tuple[Array, Array, Array, Array, BoolArray]:
    """Return the turn of joints 4 to 6, joints 4 and 5 (n, 2), what they lack, where 4 is free."""
    w = arm.w
    R3 = _turn(w[2], -q3) @ _turn(w[1], -q2) @ R7
    g = np.einsum("nij,j->ni", R3, w[5])
    return (R3, *_two_turns(w[3], w[4], np.broadcast_to(w[5], g.shape), g))


def _forearm(arm: ShrugArm, R3: Array, q4: Array, q5: Array) -> Array:
    return _turn_angle(arm.w[5], _turn(arm.w[4], -q5) @ _turn(arm.w[3], -q4) @ R3)


def _pick(both: Array, bit: IntArray) -> Array:
    return np.asarray(np.take_along_axis(both, (bit & 1)[:, None], axis=1)[:, 0])


def _finite(lack: Array) -> Array:
    return np.asarray(np.where(np.isfinite(lack), lack, -1.0))


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
