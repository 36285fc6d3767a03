"""Targets as equations of a posture: residuals, their Jacobian, and the way back to them.

Batches of postures (m, moving) at once. Rows in m and rad.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from articulata.analyses.pose.scene import Scene
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


def residuals(scene: Scene, q: Array) -> Array:
    """Return what targets lack in whole postures (m, dof): (m, rows), 0 where they are met."""
    return _rows(scene, q, None)


def residuals_and_jacobian(scene: Scene, q: Array) -> tuple[Array, Array]:
    """Return residuals (m, rows) and their Jacobian (m, rows, moving)."""
    blocks: list[Array] = []
    found = _rows(scene, q, blocks)
    return found, np.concatenate(blocks, axis=1)


def _rows(scene: Scene, q: Array, blocks: list[Array] | None) -> Array:
    found = []
    figure, columns = scene.figure, scene.columns
    for name, wanted in scene.targets.items():
        asked = kind(wanted)
        X = figure.landmark(q, name)
        p, R = X[:, :3, 3], X[:, :3, :3]
        if blocks is not None:
            J = figure.landmark_jacobian(q, name)[:, :, columns]
            v, w = J[:, :3], J[:, 3:]
        if asked != GAZE:
            found.append(p - place_of(wanted))
            if blocks is not None:
                blocks.append(v)
        if asked == POSE:
            goal = frames(wanted)[:, :3]
            # half the sum of goal x axis is the turn that is too much, for small turns exactly
            found.append(-0.5 * np.cross(R, goal[None], axis=1).sum(axis=2))
            if blocks is not None:
                blocks.append(w)
        elif asked == POINTING:
            d = frames(wanted)[:, 2]
            found.append(np.einsum("mab,a->mb", R[:, :, :2], d))
            if blocks is not None:
                lever = np.cross(R[:, :, :2], d[None, :, None], axis=1)
                blocks.append(np.einsum("mab,man->mbn", lever, w))
        elif asked == GAZE:
            g = place_of(wanted) - p
            size = np.linalg.norm(g, axis=1)[:, None]
            found.append(np.einsum("mab,ma->mb", R[:, :, :2], g) / size)
            if blocks is not None:
                lever = np.cross(R[:, :, :2], g[:, :, None], axis=1)
                turned = np.einsum("mab,man->mbn", lever, w)
                moved = np.einsum("mab,man->mbn", R[:, :, :2], v)
                blocks.append((turned - moved) / size[:, :, None])
    return np.concatenate(found, axis=1)


def bend_of_targets(scene: Scene, q: Array, multipliers: Array) -> Array:
    """Return the bend (m, moving, moving) of the residuals, weighted by ``multipliers`` (m, rows).

    A velocity changes as v_i with q_j by w_j x v_i, where joint j carries joint i; so does a turn.
    Where a direction is asked for, turns alone count: its own bend is that of the turn about it.
    """
    figure, columns = scene.figure, scene.columns
    n = len(columns)
    first, last = np.minimum(*np.indices((n, n))), np.maximum(*np.indices((n, n)))
    out = np.zeros((len(q), n, n))
    row = 0
    for name, wanted in scene.targets.items():
        asked = kind(wanted)
        J = figure.landmark_jacobian(q, name)[:, :, columns]
        v, w = J[:, :3], J[:, 3:]
        if asked != GAZE:
            y = multipliers[:, row : row + 3]
            row += 3
            out += _triple(y, w, v)[:, first, last]
        if asked == PLACE:
            continue
        if asked == POSE:
            y = multipliers[:, row : row + 3]
            row += 3
            turned = 0.5 * _triple(y, w, w)
            out += np.where(first == last, 0.0, turned[:, first, last])
            continue
        X = figure.landmark(q, name)
        x, z = X[:, :3, :2], X[:, :3, 2]
        # x . d with d along z: the second derivative of x by turns is -(w_i . w_j) x + ... , of
        # which along z the symmetric half of (w_i . z)(w_j . x) + (w_i . x)(w_j . z) is left
        y = multipliers[:, row : row + 2]
        row += 2
        along = np.einsum("ma,man->mn", z, w)
        across = np.einsum("mab,mb,man->mn", x, y, w)
        out += 0.5 * (along[:, :, None] * across[:, None] + across[:, :, None] * along[:, None])
    return out


def _triple(y: Array, w: Array, v: Array) -> Array:
    """Return y . (w_i x v_j), (m, n, n)."""
    return np.asarray(np.einsum("man,mak->mnk", np.cross(y[:, :, None], w, axis=1), v))


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
            d = d / np.linalg.norm(d, axis=1, keepdims=True)
            across = np.linalg.norm(np.cross(X[:, :3, 2], d), axis=1)
            turn = np.maximum(turn, np.arctan2(across, (X[:, :3, 2] * d).sum(axis=1)))
    return off, turn


def restored(
    scene: Scene, x: Array, rounds: int = 4, enough: float = ENOUGH
) -> tuple[Array, BoolArray]:
    """Return postures (m, moving) brought back to the targets, and which are there.

    Newton's method over the joints that are not at a limit they would pass.
    """
    x = x.copy()
    low, high = scene.lower, scene.upper
    late = np.arange(len(x))
    for _ in range(rounds):
        c, J = residuals_and_jacobian(scene, scene.whole(x[late]))
        off = np.abs(c).max(axis=1) > 0.01 * enough
        late, c, J = late[off], c[off], J[off]
        if not len(late):
            break
        here = x[late]
        step = least_step(J, -c)
        stuck = ((here <= low) & (step < 0.0)) | ((here >= high) & (step > 0.0))
        if stuck.any():
            J = np.where(stuck[:, None, :], 0.0, J)
            step = least_step(J, -c)
        x[late] = np.clip(here + np.clip(step, -0.5, 0.5), low, high)
    there = np.abs(residuals(scene, scene.whole(x))).max(axis=1) <= enough
    return x, there


def least_step(J: Array, c: Array) -> Array:
    """Return the shortest steps (m, n) with J step = c, rows that say the same allowed for."""
    M = J @ J.transpose(0, 2, 1)
    scale = np.trace(M, axis1=1, axis2=2)[:, None, None] + 1e-300
    M = M + DAMPING * scale * np.eye(M.shape[1])
    return np.asarray((J.transpose(0, 2, 1) @ np.linalg.solve(M, c[:, :, None]))[:, :, 0])
