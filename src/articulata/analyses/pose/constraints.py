"""Targets as equations of a posture: residuals, their Jacobian, and the way back to them.

Batches of postures ``x`` (m, moving) at once. Rows in m and rad.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from articulata.analyses.pose.pose_scene import Scene
from articulata.geometry.arrays import Array, BoolArray
from articulata.kinematics.inverse.targets import (
    GAZE,
    PLACE,
    POINTING,
    POSE,
    frames,
    kind,
    place_of,
)

ENOUGH: Final = 1e-9
"""m, rad: a target is met exactly within this."""

DAMPING: Final = 1e-12
"""Added to J J', so that rows that say the same can be solved."""


def residuals(scene: Scene, x: Array) -> Array:
    """Return what targets lack in postures: (m, rows), 0 where they are met."""
    return residuals_and_jacobian(scene, x)[0]


def residuals_and_jacobian(scene: Scene, x: Array) -> tuple[Array, Array]:
    """Return residuals (m, rows) and their Jacobian (m, rows, moving)."""
    if not scene.targets:
        return np.zeros((len(x), 0)), np.zeros((len(x), 0, x.shape[1]))
    from articulata.kernels.chains.iterative_solvers.target_equations import all_equations

    aim, rows = scene.asked
    m, n = x.shape
    c, J, given = np.empty((m, rows)), np.empty((m, rows, n)), np.ascontiguousarray(x)
    all_equations(aim, given, c, J, 0, m)
    return c, J


def bend_of_targets(scene: Scene, x: Array, multipliers: Array) -> Array:
    """Return the bend (m, moving, moving) of the residuals, weighted by ``multipliers`` (m, rows).

    Exact where the targets are met.
    """
    from articulata.kernels.chains.iterative_solvers.target_equations import all_bends

    m, n = x.shape
    given, y, out = np.ascontiguousarray(x), np.ascontiguousarray(multipliers), np.empty((m, n, n))
    all_bends(scene.asked.aim, given, y, out, 0, m)
    return out


def lacking(scene: Scene, q: Array) -> tuple[Array, Array]:
    """Return how far whole postures are off their targets at most: m (m,) and rad (m,)."""
    off, turn = np.zeros(len(q)), np.zeros(len(q))
    for name, wanted in scene.targets.items():
        X = scene.figure.landmark(q, name)
        asked = kind(wanted)
        if asked != GAZE:
            off = np.maximum(off, np.linalg.norm(X[:, :3, 3] - place_of(wanted), axis=1))
        if asked == POSE:
            chord = np.linalg.norm(X[:, :3, :3] - frames(wanted)[:, :3], axis=(1, 2))
            turn = np.maximum(turn, 2.0 * np.arcsin(np.minimum(chord / np.sqrt(8.0), 1.0)))
        elif asked != PLACE:
            d = frames(wanted)[None, :, 2] if asked == POINTING else place_of(wanted) - X[:, :3, 3]
            across = np.linalg.norm(np.cross(X[:, :3, 2], d), axis=1)
            angle = np.arctan2(across, (X[:, :3, 2] * d).sum(axis=1))
            # what is at the eye itself is not seen
            turn = np.maximum(turn, np.where(np.abs(d).max(axis=1) > ENOUGH, angle, np.pi))
    return off, turn


def restored(
    scene: Scene, x: Array, rounds: int = 8, enough: float = ENOUGH
) -> tuple[Array, BoolArray]:
    """Return postures (m, moving) brought back to the targets, and which are there.

    Newton's method over the joints that are not at a limit they would pass.
    """
    if not scene.targets:
        return np.array(x), np.ones(len(x), np.bool_)
    from articulata.kernels.chains.iterative_solvers.target_equations import bring_back

    moved = np.array(x, order="C")
    there = np.zeros(len(x), np.bool_)
    bring_back(scene.asked.aim, moved, rounds, enough, there, 0, len(x))
    return moved, there


def least_step(J: Array, c: Array) -> Array:
    """Return the shortest steps (m, n) with J step = c, rows that say the same allowed for."""
    M = J @ J.transpose(0, 2, 1)
    scale = np.trace(M, axis1=1, axis2=2)[:, None, None] + 1e-300
    M = M + DAMPING * scale * np.eye(M.shape[1])
    return np.asarray((J.transpose(0, 2, 1) @ np.linalg.solve(M, c[:, :, None]))[:, :, 0])
