"""Closing all gaps of a mechanism together: damped Gauss-Newton steps of least size.

A step solves ``(J W J^T + mu I) y = -g`` and moves the bodies by ``W J^T y``; ``W`` weighs a
turn against a displacement and is zero for bodies that are held. Redundant rows leave the matrix
singular and the damping, which shrinks with the gap, keeps it solvable. World axes, metres,
radians.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from articulata.geometry.arrays import Array, BoolArray
from articulata.kinematics.assembly.hinge_rows import Rows, RowValues, evaluate

TOLERANCE = 1e-12
"""Largest gap (m) of an assembled world."""

LONGEST_TURN = 0.5
"""Largest turn of a body in one step (rad); beyond it a linear step says little."""

TRIES = 10
"""Starts from slightly disturbed placements before the demands count as unmet."""

STEPS = 200
"""Steps from one start; a mechanism that closes does so within about twenty."""

DENSE = 150
"""Rows up to which dense algebra is faster than sparse."""

Upright: TypeAlias = tuple[bool, bool]
"""Whether z, and whether x, of a hinge's frames must point the same way."""


@dataclass(frozen=True, slots=True)
class Start:
    """A first placement; ``held`` (bodies + 1,) marks what must not move; ``scale`` in m."""

    positions: Array
    R: Array
    held: BoolArray
    scale: float


@dataclass(frozen=True, slots=True)
class Solution:
    """Where the steps ended.

    ``gap`` (demands,) is the largest of each demand (m), ``met`` whether all are closed.
    """

    positions: Array
    R: Array
    gap: Array
    met: bool


def close(start: Start, rows: Rows, upright: Sequence[Upright], *, tries: int = TRIES) -> Solution:
    """Return poses that meet ``rows``, or the best that was found."""
    best: Solution | None = None
    checks = _Upright.of(rows, upright)
    for attempt in range(tries):
        positions, R = start.positions.copy(), start.R.copy()
        if attempt:
            _disturb(positions, R, start, attempt)
        _descend(positions, R, start, rows)
        found = _judge(positions, R, rows, checks, len(upright), start.scale)
        if found.met:
            return found
        if best is None or found.gap.max() < 0.5 * best.gap.max():
            best = found
        if not _worth_another(start, attempt, found, best):
            break
    assert best is not None
    return best


def _worth_another(start: Start, attempt: int, found: Solution, best: Solution) -> bool:
    """Tell whether another start may do better: three equal failures settle it."""
    if start.held.all():
        return False
    same = abs(float(found.gap.max() - best.gap.max())) <= 1e-6 * float(best.gap.max())
    return attempt < 3 or not same


@dataclass(frozen=True, slots=True)
class _Upright:
    """The pairs of frames whose axes must agree: first row, column of the axis."""

    pairs: tuple[tuple[int, int], ...]

    @staticmethod
    def of(rows: Rows, upright: Sequence[Upright]) -> _Upright:
        first = np.searchsorted(rows.owner, np.arange(len(upright)))
        return _Upright(
            tuple(
                (int(first[n]), column)
                for n, wanted in enumerate(upright)
                for column, needed in ((2, wanted[0]), (0, wanted[1]))
                if needed
            )
        )


def _judge(
    positions: Array, R: Array, rows: Rows, checks: _Upright, demands: int, scale: float
) -> Solution:
    gap = np.zeros(demands)
    np.maximum.at(gap, rows.owner, np.abs(evaluate(rows, positions, R).gap))
    if checks.pairs:
        row = np.array([pair[0] for pair in checks.pairs])
        axis = np.array([pair[1] for pair in checks.pairs])
        at_a = np.einsum("nij,nj->ni", R[rows.body_a[row]], rows.frame_a[row, :, axis])
        at_b = np.einsum("nij,nj->ni", R[rows.body_b[row]], rows.frame[row, :, axis])
        opposite = np.einsum("ni,ni->n", at_a, at_b) < 0
        gap[rows.owner[row[opposite]]] = 2.0  # the ends of two opposite unit axes
    return Solution(positions, R, gap, bool(np.all(gap <= TOLERANCE * max(1.0, 1e-2 * scale))))


def _disturb(positions: Array, R: Array, start: Start, attempt: int) -> None:
    """Move free bodies a little, differently at each attempt but always in the same way."""
    n = len(positions)
    steps = np.arange(1, 6 * n + 1, dtype=float).reshape(n, 6)
    # Weyl's sequence of the golden ratio: spread evenly, needs no random numbers.
    spread = np.remainder(steps * (0.6180339887498949 + 0.1 * attempt), 1.0) - 0.5
    spread[start.held] = 0.0
    size = min(0.1 * 1.6**attempt, 3.0)
    positions += 0.2 * size * spread[:, :3]
    R[:] = turned(R, size * spread[:, 3:])


def _descend(positions: Array, R: Array, start: Start, rows: Rows) -> None:
    """Step until the gaps close or no longer shrink; changes ``positions`` and ``R``."""
    free = np.flatnonzero(~start.held)
    values = evaluate(rows, positions, R)
    size = float(np.max(np.abs(values.gap), initial=0.0))
    damping, stale = 1e-3, 0
    floor = 1e-16 * start.scale
    for _ in range(STEPS):
        if size <= floor or not len(free) or stale >= 6:
            return
        move = _step(values, rows, start.held, min(damping, max(1e-9, size)))
        reach = float(np.max(np.abs(move[:, 3:]), initial=0.0))
        shortened = reach > LONGEST_TURN
        if shortened:
            move *= LONGEST_TURN / reach
        tried_p = positions + move[:, :3]
        tried_R = turned(R, move[:, 3:])
        tried = evaluate(rows, tried_p, tried_R)
        norm = float(np.linalg.norm(tried.gap))
        before = float(np.linalg.norm(values.gap))
        if norm < before:
            stale = stale + 1 if norm > 0.9 * before and norm < 1e-9 * start.scale else 0
            if norm > 0.999 * before and not shortened:
                stale += 1
            positions[:], R[:], values = tried_p, tried_R, tried
            size = float(np.max(np.abs(values.gap)))
            damping = damping if shortened else max(damping / 10.0, 1e-12)
        else:
            damping, stale = min(damping * 10.0, 1e3), stale + 1


def turned(R: Array, turns: Array) -> Array:
    """Return every rotation (n, 3, 3) turned by its rotation vector (n, 3) in W."""
    angle = np.linalg.norm(turns, axis=1)
    moving = angle > 0
    result = R.copy()
    axis = turns[moving] / angle[moving, None]
    s, c = np.sin(angle[moving])[:, None, None], np.cos(angle[moving])[:, None, None]
    K = np.zeros((len(axis), 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    K -= np.swapaxes(K, 1, 2)
    result[moving] = (np.eye(3) + s * K + (1 - c) * (K @ K)) @ R[moving]
    # One step of Newton's iteration keeps the axes orthonormal to rounding.
    gram = np.swapaxes(result[moving], 1, 2) @ result[moving]
    result[moving] = result[moving] @ (1.5 * np.eye(3) - 0.5 * gram)
    return result


def _step(values: RowValues, rows: Rows, held: BoolArray, damping: float) -> Array:
    """Return displacement and turn (bodies + 1, 6) of one damped step of least size."""
    J_A, J_B = values.jacobians()
    J_A = np.where(held[rows.body_a][:, None], 0.0, J_A)
    J_B = np.where(held[rows.body_b][:, None], 0.0, J_B)
    n, m = len(held), len(rows)
    # While gaps are wide, whole parts must travel far: a turn is then the dearer motion.
    weight = np.repeat([1.0, 1.0 / max(1.0, float(np.max(np.abs(values.gap))))], 3)
    J_A, J_B = J_A * weight, J_B * weight
    damping *= weight[5] ** 2
    if m <= DENSE:
        J = np.zeros((m, n, 6))
        each = np.arange(m)
        J[each, rows.body_a] += J_A
        J[each, rows.body_b] += J_B
        flat = J.reshape(m, 6 * n)
        matrix = flat @ flat.T
        matrix[each, each] += damping
        try:
            y = np.linalg.solve(matrix, -values.gap)
        except np.linalg.LinAlgError:
            # The damping is lost in rounding where gaps are very wide: the least of all steps.
            y = np.linalg.lstsq(matrix, -values.gap, rcond=None)[0]
        return np.asarray((flat.T @ y).reshape(n, 6) * weight)
    J_sparse = _sparse(J_A, J_B, rows, n)
    matrix = J_sparse @ J_sparse.T
    matrix.setdiag(matrix.diagonal() + damping)
    import qdldl

    y = qdldl.Solver(matrix.tocsc()).solve(-values.gap)
    return np.asarray((J_sparse.T @ y).reshape(n, 6) * weight)


def _sparse(J_A: Array, J_B: Array, rows: Rows, bodies: int) -> Any:
    """Return the (rows, 6 bodies) sparse matrix of all rows."""
    from scipy.sparse import csr_matrix

    m = len(rows)
    number = np.repeat(np.arange(m), 6)
    six = np.arange(6)
    column_a = ((rows.body_a % bodies)[:, None] * 6 + six).ravel()
    column_b = ((rows.body_b % bodies)[:, None] * 6 + six).ravel()
    return csr_matrix(
        (
            np.concatenate([J_A.ravel(), J_B.ravel()]),
            (np.concatenate([number, number]), np.concatenate([column_a, column_b])),
        ),
        shape=(m, 6 * bodies),
    )
