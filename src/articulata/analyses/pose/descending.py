"""Constrained Newton along the targets: many postures at once, each for weights of its own.

Each posture x keeps its targets c(x) = 0 and lowers a norm of its aims, a power mean of what each
is above the best known (Miettinen 1998, 2.3), by Newton steps on the joints that are not at a
limit they would pass. Conditions that would be broken enter as equations. Bends of aims and of
targets are differences of their slopes; along the targets the bend is made positive. A step is
kept if it lowers the norm after the way back to the targets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from articulata.analyses.pose.constraints import residuals_and_jacobian, restored
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.starting import made_clear
from articulata.geometry.arrays import Array, BoolArray

POWER: Final = 4.0
"""Of the norm: 1 would find the convex parts of a front alone, infinity has kinks."""

LARGEST: Final = 0.4
"""rad, m: most that a joint moves in one step."""

INSIDE: Final = 2e-6
"""m: how far within their bounds conditions are put that bind."""

BACK: Final = 4
"""Steps back to where conditions are kept, after one that has broken them by a little."""

ROUNDS: Final = 12
"""Most times that joints which would pass their limits are put there and the rest is asked anew."""

STEP: Final = 1e-5
"""rad, m: the distance of differences of slopes."""

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
    x = x.copy()
    values = judging.values(x)
    radius = np.full(len(x), LARGEST)
    active = np.ones(len(x), bool)
    for _ in range(steps):
        rows = np.flatnonzero(active)
        if not len(rows):
            return
        # what is better than the best known would have no part in the norm
        norm = norm._replace(best=np.minimum(norm.best, values.min(axis=0)))
        height = norm.of(values)
        part = norm._replace(weights=norm.weights[rows])
        step, expected = _newton(judging, part, x[rows], values[rows], radius[rows])
        size = np.abs(step).max(axis=1)
        tried, there = restored(scene, np.clip(x[rows] + step, scene.lower, scene.upper))
        if judging.conditioned and there.any():
            tried[there], kept = made_clear(judging, tried[there], BACK, INSIDE)
            there[there] = kept
        new_values = values[rows].copy()
        if there.any():
            new_values[there] = judging.values(tried[there])
        new_height = part.of(new_values)
        good = there & (new_height < height[rows] + 1e-4 * np.minimum(expected, 0.0))
        grown = np.minimum(2.0 * np.maximum(radius[rows], size), LARGEST)
        radius[rows] = np.where(good, grown, 0.25 * size)
        won = rows[good]
        gain = height[won] - new_height[good]
        x[won], values[won], height[won] = tried[good], new_values[good], new_height[good]
        active[won[gain < 1e-10]] = False
        active[rows[~good & (radius[rows] < 1e-7)]] = False
        yield Moved(x, values)


def _newton(
    judging: Judging, norm: Norm, x: Array, values: Array, radius: Array
) -> tuple[Array, Array]:
    """Return steps (m, n) no longer than ``radius``, and the change of the norm they promise."""
    scene = judging.scene
    G = judging.slopes(x)
    by_aim = norm.slope(values)
    slope = np.einsum("mk,mkn->mn", by_aim, G)
    _, J = residuals_and_jacobian(scene, scene.whole(x))
    over, over_slopes = judging.conditions(x)
    touching = over <= INSIDE
    multipliers = _multipliers(J, slope)
    B = _bends(judging, x, G, by_aim, J, multipliers)
    B += np.einsum("mki,mkl,mlj->mij", G, norm.bend(values), G, optimize=True)
    B = _positive(B, J)
    stuck = np.zeros(x.shape, bool)
    held = np.zeros_like(x)
    still = np.zeros((len(x), J.shape[1]))
    low, high = scene.lower - x, scene.upper - x
    step = np.zeros_like(x)
    for _ in range(ROUNDS):
        rows = np.concatenate([J, np.where(touching[:, :, None], over_slopes, 0.0)], axis=1)
        moves = np.concatenate([still, np.where(touching, INSIDE - over, 0.0)], axis=1)
        step, pull, taken = _along(B, slope, rows, moves, stuck, held)
        outward = ((step < low - 1e-12) | (step > high + 1e-12)) & ~stuck
        # a joint at its limit that the rest pulls away from it is let go, one at a time
        away = np.where(stuck, np.where(held == low, -pull, pull), 0.0)
        worst = away.argmax(axis=1)[:, None]
        most = np.arange(x.shape[1]) == worst
        quiet = ~outward.any(axis=1, keepdims=True)
        freed = most & (away > 1e-12) & quiet
        # a condition that the rest pulls into is let go, one that would be broken is taken up
        inward = touching & (taken[:, still.shape[1] :] > 0.0)
        broken = ~touching & (over + np.einsum("mcn,mn->mc", over_slopes, step) < 0.0)
        if not (outward.any() or inward.any() or freed.any() or broken.any()):
            break
        held = np.where(outward, np.clip(step, low, high), np.where(freed, 0.0, held))
        stuck = (stuck | outward) & ~freed
        touching = (touching & ~inward) | broken
    step = np.clip(step, low, high)
    expected = np.einsum("mn,mn->m", slope, step)
    # where joints could not be told apart the step may lead up: go straight to the next limit
    lost = np.flatnonzero(expected > -1e-3 * np.einsum("mi,mij,mj->m", step, B, step))
    if len(lost):
        near = np.where((over[lost] <= 2.0 * INSIDE)[:, :, None], over_slopes[lost], 0.0)
        rows = np.concatenate([J[lost], near], axis=1)
        step[lost] = _to_next_limit(B[lost], slope[lost], rows, low[lost], high[lost])
    size = np.maximum(np.abs(step).max(axis=1), 1e-300)
    step *= np.minimum(1.0, radius / size)[:, None]
    return step, np.einsum("mn,mn->m", slope, step)


def _to_next_limit(B: Array, slope: Array, rows: Array, low: Array, high: Array) -> Array:
    """Return Newton's steps of joints that are not at a limit, up to the first limit they meet."""
    stuck = np.zeros(slope.shape, bool)
    step, rest = np.zeros_like(slope), np.zeros(rows.shape[:2])
    for _ in range(slope.shape[1]):
        step, _, _ = _along(B, slope, rows, rest, stuck, np.zeros_like(slope))
        outward = ((low > -1e-12) & (step < 0.0)) | ((high < 1e-12) & (step > 0.0))
        outward &= ~stuck
        if not outward.any():
            break
        stuck |= outward
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(step < 0.0, low / step, np.where(step > 0.0, high / step, np.inf))
    share = np.where(stuck, np.inf, room).min(axis=1)
    return np.asarray(np.where(stuck, 0.0, step) * np.clip(share, 0.0, 1.0)[:, None])


def _multipliers(J: Array, slope: Array) -> Array:
    M = J @ J.transpose(0, 2, 1)
    M += 1e-12 * np.trace(M, axis1=1, axis2=2)[:, None, None] * np.eye(M.shape[1]) + 1e-300
    return np.asarray(-np.linalg.solve(M, np.einsum("mrn,mn->mr", J, slope)[:, :, None])[:, :, 0])


def _bends(
    judging: Judging, x: Array, G: Array, by_aim: Array, J: Array, multipliers: Array
) -> Array:
    """Return the bend (m, n, n) of the weighted aims and of the targets, by differences."""
    m, n = x.shape
    scene = judging.scene
    inward = np.where(x + STEP > scene.upper, -STEP, STEP)
    moved = np.repeat(x[:, None], n, axis=1)
    every = np.arange(n)
    moved[:, every, every] += inward
    flat = moved.reshape(m * n, n)
    G_moved = judging.bending_slopes(flat).reshape(m, n, *G.shape[1:])
    _, J_moved = residuals_and_jacobian(scene, scene.whole(flat))
    J_moved = J_moved.reshape(m, n, *J.shape[1:])
    bends = np.array([aim.bends for aim in judging.aims])
    change = np.einsum("mk,mjki->mji", by_aim * bends, G_moved - G[:, None])
    change += np.einsum("mr,mjri->mji", multipliers, J_moved - J[:, None])
    B = change / inward[:, :, None]
    return np.asarray(0.5 * (B + B.transpose(0, 2, 1)))


def _positive(B: Array, J: Array) -> Array:
    """Return B with its bend along the targets made positive: the sizes of its eigenvalues."""
    n = B.shape[1]
    M = J @ J.transpose(0, 2, 1)
    M += (1e-13 * np.trace(M, axis1=1, axis2=2)[:, None, None] + 1e-300) * np.eye(M.shape[1])
    P = np.eye(n) - J.transpose(0, 2, 1) @ np.linalg.solve(M, J)
    bend, V = np.linalg.eigh(P @ B @ P)
    size = np.abs(bend)
    least = 1e-4 * np.maximum(size.max(axis=1, keepdims=True), 1e-12)
    return np.asarray((V * np.maximum(size, least)[:, None, :]) @ V.transpose(0, 2, 1))


def _along(
    B: Array, slope: Array, rows: Array, moves: Array, stuck: BoolArray, held: Array
) -> tuple[Array, Array, Array]:
    """Return Newton's step with ``rows`` (m, r, n) times it ``moves`` (m, r).

    Joints that are stuck move by ``held``. Returned too is how stuck joints are pulled after the
    step, the slope there less what the rows take of it, and the multipliers of the rows.
    """
    m, n = slope.shape
    r = rows.shape[1]
    free = ~stuck
    K = np.zeros((m, n + r, n + r))
    K[:, :n, :n] = B * (free[:, :, None] & free[:, None, :])
    diagonal = np.arange(n)
    K[:, diagonal, diagonal] += stuck
    A = rows * free[:, None, :]
    K[:, :n, n:] = A.transpose(0, 2, 1)
    K[:, n:, :n] = A
    below = np.arange(n, n + r)
    K[:, below, below] = -1e-11 * (1.0 + np.abs(A).max(axis=(1, 2)))[:, None]
    first = np.einsum("mij,mj->mi", B, held)
    missing = np.einsum("mrn,mn->mr", rows, held) - moves
    right = np.concatenate([np.where(stuck, held, -slope - first), -missing], axis=1)
    found = np.linalg.solve(K, right[:, :, None])[:, :, 0]
    step = found[:, :n]
    after = slope + np.einsum("mij,mj->mi", B, step)
    pull = np.asarray(after + np.einsum("mrn,mr->mn", rows, found[:, n:]))
    return step, pull, found[:, n:]
