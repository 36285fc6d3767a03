"""Answers in words: what stops a tip from meeting its target, and by how much."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.inverse.measuring import rotation_vector
from articulata.kinematics.joint import PRISMATIC
from articulata.kinematics.postures import Postures, Reason

if TYPE_CHECKING:
    from articulata.kinematics.tree import Tree

_AT_LIMIT = 1e-6
"""Share of a joint's range within which it counts as standing at its limit."""

_PUSH = 0.02
"""Share of the strongest pull below which a joint at its limit is not named."""

_MOST_NAMED = 4


def explain(answers: Postures, place: int) -> str:
    """Return the words for one answer, by its place in the flattened batch."""
    reason = Reason(int(answers.reason.reshape(-1)[place]))
    if reason is Reason.NOT_A_NUMBER:
        return "The target holds NaN or infinite numbers; there is nothing to reach."
    error = float(answers.error.reshape(-1)[place])
    angle = float(answers.angle.reshape(-1)[place])
    pose = answers.targets.shape[len(answers.batch) :] == (4, 4)
    short = length(error)
    off = short + (f" and {degrees(angle)}" if pose else "")
    note = answers.notes.get(place, "")
    if reason is Reason.MET:
        return f"Met: the tip is {off} off."
    if reason is Reason.COLLISION:
        return f"Met to {off}, but the posture strikes {note or 'something'}."
    q = answers.q.reshape(-1, answers.chain.dof)[place]
    pull = _pull(answers, place, q, pose)
    stops = stopped(answers.chain, q, pull)
    because = f" Stopped by {stops}." if stops else ""
    if reason is Reason.TOO_FAR:
        return f"Too far: out of the links' reach. The nearest posture is {off} off.{because}"
    if reason is Reason.TOO_NEAR:
        return f"Too near: the links cannot fold so far. The nearest posture is {off} off.{because}"
    if reason is Reason.LIMITS:
        return f"Beyond the joints' limits: the nearest posture is {off} off.{because}"
    if reason is Reason.ORIENTATION:
        return f"The place can be reached, this orientation there cannot: {off} off.{because}"
    return _gave_up(answers, place, error, angle, pose, off, because)


def _gave_up(
    answers: Postures, place: int, error: float, angle: float, pose: bool, off: str, because: str
) -> str:
    unproved = "Nothing proves that it cannot be met; more starts or another start may."
    if pose and error <= answers.tolerance:
        return (
            f"Not found: the place is met to {length(error)}, the orientation is {degrees(angle)} "
            f"off.{because} {unproved}"
        )
    if pose and answers.chain.prepared.plain:
        target = answers.targets.reshape(-1, 4, 4)[place, :3, 3]
        alone = answers.chain.inverse(target, tolerance=answers.tolerance)
        if alone.found:
            return (
                f"Not found: the search came to {off}. The place alone can be reached, not with "
                f"this orientation as far as the search tells.{because} {unproved}"
            )
    return f"Not found: the search came to {off}.{because} {unproved}"


def _pull(answers: Postures, place: int, q: Array, pose: bool) -> Array:
    """Return what each coordinate gains, per rad or m, by going on: the error's gradient."""
    chain = answers.chain
    X, J = chain.tip(q), chain.jacobian(q)
    if pose:
        target = answers.targets.reshape(-1, 4, 4)[place]
        away = (target[:3, 3] - X[:3, 3]) / chain.prepared.reach
        turn = rotation_vector(X[:3, :3], target[:3, :3])
        rows = np.vstack([J[:3] / chain.prepared.reach, J[3:]])
        return np.asarray(rows.T @ np.concatenate([away, turn]))
    target = answers.targets.reshape(-1, 3)[place]
    away = target - X[:3, 3]
    if answers.area is not None:
        away = away + answers.area.nearest(-away)
    return np.asarray(J[:3].T @ away)


def stopped(chain: Tree, q: Array, pull: Array) -> str:
    """Name the joints at a limit that the target pulls outward, the strongest first."""
    span = np.where(np.isfinite(chain.upper - chain.lower), chain.upper - chain.lower, 1.0)
    room = _AT_LIMIT * np.maximum(span, 1e-3)
    high = (q >= chain.upper - room) & (pull > 0.0)
    low = (q <= chain.lower + room) & (pull < 0.0)
    strongest = np.abs(pull).max()
    named = [
        i
        for i in np.argsort(-np.abs(pull))
        if (high[i] or low[i]) and abs(pull[i]) > _PUSH * strongest
    ]
    words = []
    for i in named[:_MOST_NAMED]:
        joint = chain.joints[chain.free[i]]
        limit = joint.limits[1] if high[i] else joint.limits[0]
        value = length(limit) if joint.kind == PRISMATIC else degrees(limit)
        words.append(f"'{joint.name}' at its {'upper' if high[i] else 'lower'} limit ({value})")
    more = len(named) - _MOST_NAMED
    if more > 0:
        words.append(f"{more} more")
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)


def length(value: float) -> str:
    """Return a length in words, mm below a metre."""
    return f"{value:.3f} m" if abs(value) >= 1.0 else f"{value * 1e3:.3g} mm"


def degrees(value: float) -> str:
    """Return an angle in words."""
    return f"{math.degrees(value):.3g} deg"
