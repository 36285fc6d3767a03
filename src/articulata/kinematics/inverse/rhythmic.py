"""Targets for a figure whose collarbones follow its arms.

The figure without the rhythm finds a posture, and Newton's method with the rhythm's Jacobians goes
on from there, within the limits; it tries again from the neutral posture where that fails.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.several_targets import (
    FigurePostures,
    FigureQuestion,
    figure_inverse,
)
from articulata.kinematics.inverse.targets import (
    GAZE,
    PLACE,
    POINTING,
    POSE,
    frames,
    kind,
    target,
)

if TYPE_CHECKING:
    from articulata.kinematics.joint_tree import PlacedTree

STEPS = 80
LENGTH = 0.5
"""Metres that count as one radian."""


def rhythmic_inverse(
    figure: PlacedTree, free: PlacedTree, question: FigureQuestion
) -> FigurePostures:
    """Answer ``Figure.inverse`` of a figure with a rhythm; ``free`` is the same without it.

    Nothing is proved of targets that are missed: the rhythm goes beyond the collarbones' limits.
    """
    columns = [free.names.index(name) for name in figure.names]
    if question.start is not None:
        values, batch = figure.values(question.start)
        begin = values[:, list(free.free)].reshape(*batch, free.dof)
        question = question._replace(start=begin)
    found = figure_inverse(free, question)
    m = math.prod(found.batch)
    goals = {name: target(given, name) for name, given in found.targets.items()}
    kinds = [kind(goal) for goal in goals.values()]
    wanted = [frames(goal).reshape(m, 3, 4) for goal in goals.values()]
    asked = _Asked(figure, tuple(goals), kinds, wanted)
    within = np.array([goal.within or question.tolerance for goal in goals.values()])
    aside = np.array([goal.angle or found.angle_tolerance for goal in goals.values()])
    q = np.ascontiguousarray(found.q.reshape(m, free.dof)[:, columns])
    good = np.isfinite(q).all(axis=1)
    rows = np.flatnonzero(good)
    q[rows] = asked.solved(q[rows], rows)
    errors, angles = np.full((m, len(kinds)), np.nan), np.full((m, len(kinds)), np.nan)
    errors[rows], angles[rows] = asked.left(q[rows], rows)
    met = np.zeros((m, len(kinds)), bool)
    met[rows] = (errors[rows] <= within) & (angles[rows] <= aside)
    late = np.flatnonzero(good & ~met.all(axis=1))
    if len(late):
        again = asked.solved(np.broadcast_to(figure.neutral, (len(late), figure.dof)), late)
        off, turned = asked.left(again, late)
        worse = _cost(errors[late], angles[late]) <= _cost(off, turned)
        take = late[~worse]
        q[take], errors[take], angles[take] = again[~worse], off[~worse], turned[~worse]
        met[take] = (errors[take] <= within) & (angles[take] <= aside)
    reasons = np.where(met, int(Reason.MET), int(Reason.GAVE_UP))
    reasons[~good] = int(Reason.NOT_A_NUMBER)
    shape = (*found.batch, len(kinds))
    return replace(
        found,
        figure=figure,
        q=q.reshape(*found.batch, figure.dof),
        errors=errors.reshape(shape),
        angles=angles.reshape(shape),
        reasons=reasons.reshape(shape),
    )


class _Asked:
    """What is asked of places of a figure, (m, 3, 4) each, in the form of residuals."""

    def __init__(
        self, figure: PlacedTree, names: tuple[str, ...], kinds: list[int], wanted: list[Array]
    ) -> None:
        self.figure, self.names, self.kinds, self.wanted = figure, names, kinds, wanted

    def left(self, q: Array, rows: IntArray) -> tuple[Array, Array]:
        """Return distances (n, targets), m, and turns, rad, that are left."""
        off, turned = [], []
        for name, one, wanted in zip(self.names, self.kinds, self.wanted, strict=True):
            X, goal = self.figure.landmark(q, name), wanted[rows]
            gap = goal[:, :, 3] - X[:, :3, 3]
            off.append(np.zeros(len(q)) if one == GAZE else np.linalg.norm(gap, axis=1))
            if one == PLACE:
                turned.append(np.zeros(len(q)))
            elif one == POSE:
                chord = np.sqrt(np.sum((X[:, :3, :3] - goal[:, :, :3]) ** 2, axis=(1, 2)))
                turned.append(2.0 * np.arcsin(np.minimum(chord / math.sqrt(8.0), 1.0)))
            else:
                along, z = _along(one, goal, gap), X[:, :3, 2]
                sine = np.linalg.norm(np.cross(z, along), axis=1)
                turned.append(np.arctan2(sine, np.sum(z * along, axis=1)))
        return np.stack(off, 1), np.stack(turned, 1)

    def residuals(self, q: Array, rows: IntArray) -> tuple[Array, Array]:
        """Return what is left (n, r), m, and the Jacobian (n, r, dof) of what closes it."""
        parts, slopes = [], []
        for name, one, wanted in zip(self.names, self.kinds, self.wanted, strict=True):
            X, goal = self.figure.landmark(q, name), wanted[rows]
            J = self.figure.landmark_jacobian(q, name)
            gap = goal[:, :, 3] - X[:, :3, 3]
            if one != GAZE:
                parts.append(gap)
                slopes.append(J[:, :3])
            if one == POSE:
                axes = np.cross(X[:, :3, :3], goal[:, :, :3], axis=1).sum(axis=2)
                parts.append(0.5 * LENGTH * axes)
                slopes.append(LENGTH * J[:, 3:])
            elif one in (POINTING, GAZE):
                along, z = _along(one, goal, gap), X[:, :3, 2]
                turn = J[:, 3:] - z[:, :, None] * np.einsum("ni,nij->nj", z, J[:, 3:])[:, None]
                if one == GAZE:
                    size = np.maximum(np.linalg.norm(gap, axis=1), 1e-9)
                    sight = np.cross(along[:, :, None], J[:, :3], axis=1)
                    turn = turn + sight / size[:, None, None]
                parts.append(LENGTH * np.cross(z, along))
                slopes.append(LENGTH * turn)
        return np.concatenate(parts, 1), np.concatenate(slopes, 1)

    def solved(self, q: Array, rows: IntArray) -> Array:
        """Return postures (n, dof) within the limits from which little is left."""
        lower, upper = self.figure.lower, self.figure.upper
        q = np.clip(np.array(q, float), lower, upper)
        damping = np.full(len(q), 1e-6)
        r, J = self.residuals(q, rows)
        cost = np.sum(r**2, axis=1)
        for _ in range(STEPS):
            live = np.flatnonzero((cost > 1e-22) & (damping < 1e3))
            if not len(live):
                break
            step = _step(q[live], r[live], J[live], damping[live], lower, upper)
            tried = np.clip(q[live] + step, lower, upper)
            r_new, J_new = self.residuals(tried, rows[live])
            new = np.sum(r_new**2, axis=1)
            better: BoolArray = new < cost[live]
            take = live[better]
            slow = new[better] > 0.9999 * cost[take]
            q[take], r[take], J[take], cost[take] = (
                tried[better], r_new[better], J_new[better], new[better],
            )  # fmt: skip
            damping[take] = np.where(slow, damping[take] * 3.0, np.maximum(damping[take] / 6, 1e-9))
            damping[live[~better]] *= 8.0
        return q


def _step(q: Array, r: Array, J: Array, damping: Array, lower: Array, upper: Array) -> Array:
    """Return damped steps (n, dof); joints that would leave their limits stand still."""
    J = J.copy()
    m = r.shape[1]
    step = np.zeros_like(q)
    for _ in range(3):
        normal = J @ J.swapaxes(1, 2) + damping[:, None, None] * np.eye(m)
        step = np.einsum("nij,ni->nj", J, np.linalg.solve(normal, r[..., None])[..., 0])
        stuck = ((q <= lower) & (step < 0.0)) | ((q >= upper) & (step > 0.0))
        if not stuck.any():
            break
        J = np.where(stuck[:, None], 0.0, J)
    size = np.abs(step).max(axis=1, keepdims=True)
    return np.asarray(step * np.minimum(1.0, 0.7 / np.maximum(size, 1e-30)))


def _along(one: int, goal: Array, gap: Array) -> Array:
    """Return the directions (n, 3) along which z is asked to be."""
    if one == POINTING:
        return goal[:, :, 2]
    return np.asarray(gap / np.maximum(np.linalg.norm(gap, axis=1, keepdims=True), 1e-12))


def _cost(off: Array, turned: Array) -> Array:
    return np.asarray(np.sum(off**2 + (LENGTH * turned) ** 2, axis=1))
