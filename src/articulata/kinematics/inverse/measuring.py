"""What a tip is off from its target, by forward kinematics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, Float64

if TYPE_CHECKING:
    from articulata.kinematics.inverse.areas import Area
    from articulata.kinematics.inverse.method import Question
    from articulata.kinematics.serial import Serial


def tip_errors(chain: Serial, q: Array, targets: Array) -> tuple[Array, Array]:
    """Return distance, m, and turn left, rad, of tips (m,) from places (m, 3) or poses (m, 4, 4).

    The turn is 0 for places.
    """
    X = chain.tip(q)
    if len(q) == 1:
        # one answer must cost microseconds: plain numbers are quicker than arrays here
        is_, wanted = X[0].ravel().tolist(), targets[0].ravel().tolist()
        if targets.ndim == 2:
            return np.array([math.dist(is_[3:12:4], wanted)]), np.zeros(1)
        turns = (0, 1, 2, 4, 5, 6, 8, 9, 10)
        chord = math.dist([is_[k] for k in turns], [wanted[k] for k in turns])
        angle = 2.0 * math.asin(min(chord / math.sqrt(8.0), 1.0)) if chord == chord else math.nan
        return np.array([math.dist(is_[3:12:4], wanted[3:12:4])]), np.array([angle])
    if targets.ndim == 2:
        return np.asarray(np.linalg.norm(X[:, :3, 3] - targets, axis=1)), np.zeros(len(q))
    gap = np.linalg.norm(X[:, :3, 3] - targets[:, :3, 3], axis=1)
    return np.asarray(gap), turn_left(X[:, :3, :3], targets[:, :3, :3])


def question_errors(question: Question, q: Array) -> tuple[Array, Array]:
    """Return what postures ``q`` (m, dof) are off a question's targets: distance, m, turn, rad."""
    chain, area = question.chain, question.area
    if area is None:
        return tip_errors(chain, q, question.targets)
    away = chain.tip(q)[:, :3, 3] - question.targets
    return np.asarray(np.linalg.norm(off_areas(chain, q, area, away), axis=1)), np.zeros(len(q))


def off_areas(chain: Serial, q: Array, area: Area, away: Array) -> Array:
    """Return what tips (*batch, 3) of postures ``q`` are off areas: ``away`` less the nearest.

    ``away`` (*batch, 3) is where they are from the areas' centers, m in W.
    """
    base, turn = chain.prepared.base_turn, 0.0
    if base is not None:
        turn = q[..., 0] * np.sign(base.axis @ np.asarray(area.normal, float))
    return np.asarray(away - area.nearest(away, turn))


def turn_left(
    R: Float64[Array, "*batch 3 3"], wanted: Float64[Array, "*batch 3 3"]
) -> Float64[Array, "*batch"]:
    """Return the angle between two rotations, rad, exact for small ones too."""
    chord = np.sqrt(np.sum((R - wanted) ** 2, axis=(-2, -1)))
    return np.asarray(2.0 * np.arcsin(np.minimum(chord / np.sqrt(8.0), 1.0)))


def rotation_vector(R: Float64[Array, "3 3"], wanted: Float64[Array, "3 3"]) -> Float64[Array, "3"]:
    """Return the turn from ``R`` to ``wanted`` in W: its axis times its angle, rad."""
    axis = 0.5 * np.cross(R.T, wanted.T).sum(axis=0)
    sine = float(np.linalg.norm(axis))
    angle = float(turn_left(R, wanted))
    if sine < 1e-12:
        return np.zeros(3)
    return np.asarray(axis * (angle / sine))
