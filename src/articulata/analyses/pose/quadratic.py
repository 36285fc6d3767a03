"""Small quadratic programmes, many at once: a step within limits that lowers a model the most.

Of each: the bend B (m, n, n), the slope (m, n), rows J whose product with the step is 0, conditions
(what is left of each, and its slopes) that stay 0 or more, and limits of the step.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, IntArray

ROUNDS: Final = 10
"""Most times that limits and conditions are taken up and let go before a step is taken as it is."""

INSIDE: Final = 2e-6
"""m: how far within their bounds conditions are put that bind."""


class Programme(NamedTuple):
    """What a step has to do; see the module. ``low`` and ``high`` (m, n) bound it."""

    B: Array
    slope: Array
    J: Array
    over: Array
    over_slopes: Array
    low: Array
    high: Array

    def part(self, rows: IntArray) -> Programme:
        """Return some of the programmes."""
        return Programme(*(each[rows] for each in self))


def least(asked: Programme) -> tuple[Array, Array]:
    """Return the steps (m, n) and what they change the model's slope part by, (m,).

    By an active set, of all at once. Where limits cannot be told apart in ``ROUNDS`` the step goes
    straight to the next limit instead.
    """
    m, n = asked.slope.shape
    stuck, held = np.zeros((m, n), bool), np.zeros((m, n))
    touching = asked.over <= INSIDE
    step = np.zeros((m, n))
    late = np.arange(m)
    for _ in range(ROUNDS):
        now, binds = asked.part(late), touching[late]
        rows, moves = _rows(now, binds)
        here, pull, taken = along(now.B, now.slope, rows, moves, stuck[late], held[late])
        step[late] = here
        outward = ((here < now.low - 1e-12) | (here > now.high + 1e-12)) & ~stuck[late]
        # a joint at its limit that the rest pulls away from it is let go, one at a time
        away = np.where(stuck[late], np.where(held[late] == now.low, -pull, pull), 0.0)
        most = np.arange(n) == away.argmax(axis=1)[:, None]
        freed = most & (away > 1e-12) & ~outward.any(axis=1, keepdims=True)
        # a condition that the rest pulls into is let go, one that would be broken is taken up
        inward = binds & (taken[:, now.J.shape[1] :] > 0.0)
        broken = ~binds & (now.over + np.einsum("mcn,mn->mc", now.over_slopes, here) < 0.0)
        changed = (outward | freed).any(axis=1) | (inward | broken).any(axis=1)
        if not changed.any():
            break
        kept = np.where(freed, 0.0, held[late])
        held[late] = np.where(outward, np.clip(here, now.low, now.high), kept)
        stuck[late] = (stuck[late] | outward) & ~freed
        touching[late] = (binds & ~inward) | broken
        late = late[changed]
    step = np.clip(step, asked.low, asked.high)
    expected = np.einsum("mn,mn->m", asked.slope, step)
    lost = np.flatnonzero(expected > -1e-3 * np.einsum("mi,mij,mj->m", step, asked.B, step))
    if len(lost):
        step[lost] = _to_next_limit(asked.part(lost))
        expected[lost] = np.einsum("mn,mn->m", asked.slope[lost], step[lost])
    return step, expected


def _rows(asked: Programme, binds: BoolArray) -> tuple[Array, Array]:
    """Return what a step times is told, and by how much: targets, and conditions that bind."""
    bound = np.where(binds[:, :, None], asked.over_slopes, 0.0)
    moves = np.zeros((len(binds), asked.J.shape[1] + binds.shape[1]))
    moves[:, asked.J.shape[1] :] = np.where(binds, INSIDE - asked.over, 0.0)
    return np.concatenate([asked.J, bound], axis=1), moves


def _to_next_limit(asked: Programme) -> Array:
    """Return Newton's steps of joints that are not at a limit, up to the first limit they meet."""
    m, n = asked.slope.shape
    rows, _ = _rows(asked, asked.over <= 2.0 * INSIDE)
    none, rest = np.zeros((m, n)), np.zeros(rows.shape[:2])
    stuck = np.zeros((m, n), bool)
    step = none
    for _ in range(n):
        step, _, _ = along(asked.B, asked.slope, rows, rest, stuck, none)
        outward = ((asked.low > -1e-12) & (step < 0.0)) | ((asked.high < 1e-12) & (step > 0.0))
        outward &= ~stuck
        if not outward.any():
            break
        stuck |= outward
    with np.errstate(divide="ignore", invalid="ignore"):
        down, up = asked.low / step, asked.high / step
        room = np.where(step < 0.0, down, np.where(step > 0.0, up, np.inf))
    share = np.where(stuck, np.inf, room).min(axis=1)
    return np.asarray(np.where(stuck, 0.0, step) * np.clip(share, 0.0, 1.0)[:, None])


def positive(B: Array, J: Array) -> Array:
    """Return B with its bend along the targets made positive: the sizes of its eigenvalues."""
    n = B.shape[1]
    M = J @ J.transpose(0, 2, 1)
    M += (1e-13 * np.trace(M, axis1=1, axis2=2)[:, None, None] + 1e-300) * np.eye(M.shape[1])
    P = np.eye(n) - J.transpose(0, 2, 1) @ np.linalg.solve(M, J)
    bend, V = np.linalg.eigh(P @ B @ P)
    size = np.abs(bend)
    least = 1e-4 * np.maximum(size.max(axis=1, keepdims=True), 1e-12)
    return np.asarray((V * np.maximum(size, least)[:, None, :]) @ V.transpose(0, 2, 1))


def along(
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
