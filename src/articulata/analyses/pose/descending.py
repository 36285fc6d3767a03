"""Constrained Newton along the targets: many postures at once, each for weights of its own.

Each posture x keeps its targets c(x) = 0 and lowers a norm of its aims, a power mean of what each
is above the best known (Miettinen 1998, 2.3), by Newton steps on the joints that are not at a
limit they would pass. Conditions that would be broken enter as equations. Along the targets the
bend is made positive; of aims whose bend is not known it is learned from the steps. A step is kept
if it lowers the norm after the way back to the targets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from articulata.analyses.pose.constraints import bend_of_targets, residuals_and_jacobian, restored
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.starting import made_clear
from articulata.geometry.arrays import Array, BoolArray, IntArray

POWER: Final = 4.0
"""Of the norm: 1 would find the convex parts of a front alone, infinity has kinks."""

LARGEST: Final = 0.4
"""rad, m: most that a joint moves in one step."""

BACK: Final = 4
"""Steps back to where conditions are kept, after one that has broken them by a little."""

INSIDE: Final = 2e-6
"""m: how far within their bounds conditions are put that bind."""

SETTLED: Final = 1e-4
"""Of the norm: what gains less in a step is at its end."""

SHARP: Final = 1e-5
"""The same where one aim weighs all: the ends of a front are told as what is best."""

ALONE: Final = 0.99
"""The weight from which on an aim weighs all."""

BELOW: Final = 0.02
"""Share of an aim's spread by which the best is put lower, so that no part of a norm vanishes."""


class Norm(NamedTuple):
    """What is lowered: ``best`` and ``span`` (k,) of the aims, weights (m, k)."""

    best: Array
    span: Array
    weights: Array

    def of(self, values: Array) -> Array:
        """Return the norm of values (m, k)."""
        return np.asarray((self._parts(values) ** POWER).sum(axis=1) ** (1.0 / POWER))

    def slope(self, values: Array) -> Array:
        """Return the change of the norm with the values, (m, k)."""
        parts = self._parts(values)
        total = np.maximum((parts**POWER).sum(axis=1, keepdims=True), 1e-300)
        found = self.weights * parts ** (POWER - 1.0) / self.span
        return np.asarray(found * total ** (1.0 / POWER - 1.0))

    def bend(self, values: Array) -> Array:
        """Return the change of the slope with the values, (m, k, k)."""
        parts = self._parts(values)
        total = np.maximum((parts**POWER).sum(axis=1), 1e-300)
        rate = self.weights / self.span
        first = rate * parts ** (POWER - 1.0)
        own = (POWER - 1.0) * rate * rate * parts ** (POWER - 2.0)
        found = -(POWER - 1.0) * first[:, :, None] * first[:, None, :] / total[:, None, None]
        diagonal = np.arange(values.shape[1])
        found[:, diagonal, diagonal] += own
        return np.asarray(found * (total ** (1.0 / POWER - 1.0))[:, None, None])

    def _parts(self, values: Array) -> Array:
        above = (values - self.best) / self.span + BELOW
        return np.asarray(self.weights * np.maximum(above, 1e-9))


class Moved(NamedTuple):
    """Postures (m, moving) that meet the targets and keep the conditions, and their values."""

    x: Array
    values: Array


def descend(judging: Judging, x: Array, norm: Norm, steps: int) -> Iterator[Moved]:
    """Yield the postures after each step; all meet their targets and keep the conditions."""
    scene = judging.scene
    x, values = x.copy(), judging.values(x)
    m, n = x.shape
    enough = np.where(norm.weights.max(axis=1) > ALONE, SHARP, SETTLED)
    radius = np.full(m, LARGEST)
    G = np.zeros((m, len(judging.aims), n))
    learned = np.zeros((m, len(judging.aims), n, n)) if judging.learns else None
    came = np.zeros((m, n))
    active = np.ones(m, bool)
    for _ in range(steps):
        rows = np.flatnonzero(active)
        if not len(rows):
            return
        slopes = judging.slopes(x[rows])
        if learned is not None:
            _learn(learned, rows, came[rows], slopes - G[rows])
        G[rows] = slopes
        # what is better than the best known would have no part in the norm
        norm = norm._replace(best=np.minimum(norm.best, values.min(axis=0)))
        part = norm._replace(weights=norm.weights[rows])
        height = part.of(values[rows])
        secants = None if learned is None else learned[rows]
        step, expected = newton(judging, part, x[rows], values[rows], slopes, secants, radius[rows])
        size = np.abs(step).max(axis=1)
        tried, there = restored(scene, np.clip(x[rows] + step, scene.lower, scene.upper))
        if judging.conditioned and there.any():
            tried[there], kept = made_clear(judging, tried[there], BACK, INSIDE)
            there[there] = kept
        new_values = values[rows].copy()
        if there.any():
            new_values[there] = judging.values(tried[there])
        new_height = part.of(new_values)
        good = there & (new_height < height + 1e-4 * np.minimum(expected, 0.0))
        grown = np.minimum(2.0 * np.maximum(radius[rows], size), LARGEST)
        radius[rows] = np.where(good, grown, 0.25 * size)
        won = rows[good]
        came[rows] = np.where(good[:, None], tried - x[rows], 0.0)
        x[won], values[won] = tried[good], new_values[good]
        active[won[height[good] - new_height[good] < enough[won]]] = False
        active[rows[~good & (radius[rows] < 1e-7)]] = False
        yield Moved(x, values)


def newton(
    judging: Judging,
    norm: Norm,
    x: Array,
    values: Array,
    G: Array,
    secants: Array | None,
    radius: Array,
) -> tuple[Array, Array]:
    """Return steps (m, n) no longer than ``radius``, and the change of the norm they promise."""
    scene = judging.scene
    by_aim = norm.slope(values)
    slope = (by_aim[:, None] @ G)[:, 0]
    _, J = residuals_and_jacobian(scene, x)
    free = (x > scene.lower) & (x < scene.upper)
    B = judging.bends(x, by_aim, secants)
    B += bend_of_targets(scene, x, _multipliers(J, slope, free))
    B += G.transpose(0, 2, 1) @ (norm.bend(values) @ G)
    step = step_within(judging, x, B, slope, J, radius)
    return step, np.einsum("mn,mn->m", slope, step)


def step_within(
    judging: Judging, x: Array, B: Array, slope: Array, J: Array, radius: Array
) -> Array:
    """Return the steps (m, n) that lower ``slope s + s' B s / 2`` the most.

    They keep the targets, of Jacobian ``J``, the conditions and the limits; no joint moves by more
    than ``radius`` (m,).
    """
    from articulata.kernels.programmes import Programmes, steps_within

    over, rows = judging.conditions(x)
    rows = np.ascontiguousarray(rows)  # the kernel is compiled for one layout alone
    least = np.minimum(INSIDE - over, 0.0)
    low = np.maximum(judging.scene.lower - x, -radius[:, None])
    high = np.minimum(judging.scene.upper - x, radius[:, None])
    step = np.empty_like(slope)
    steps_within(Programmes(B, slope, J, rows, least, low, high), step, 0, len(x))
    return step


def _multipliers(J: Array, slope: Array, free: BoolArray) -> Array:
    """Return how the targets press, (m, rows), by the joints that are not at a limit."""
    J = np.where(free[:, None], J, 0.0)
    M = J @ J.transpose(0, 2, 1)
    M += 1e-12 * np.trace(M, axis1=1, axis2=2)[:, None, None] * np.eye(M.shape[1])
    M += 1e-300 * np.eye(M.shape[1])
    return np.asarray(-np.linalg.solve(M, J @ slope[:, :, None])[:, :, 0])


def _learn(secants: Array, rows: IntArray, s: Array, y: Array) -> None:
    """Update the bends of aims, (m, k, n, n), by steps s (r, n) and changes y (r, k, n) of slopes.

    The symmetric update of rank one: it need not stay positive.
    """
    rest = y - np.einsum("rkij,rj->rki", secants[rows], s)
    along = np.einsum("rki,ri->rk", rest, s)
    size = np.linalg.norm(rest, axis=2) * np.linalg.norm(s, axis=1)[:, None]
    good = np.abs(along) > 1e-6 * np.maximum(size, 1e-300)  # no step: nothing is learned
    change = rest[:, :, :, None] * rest[:, :, None] / np.where(good, along, 1.0)[:, :, None, None]
    secants[rows] += np.where(good[:, :, None, None], change, 0.0)
