"""Accelerations and hinge forces by plain linear algebra: the readable solution of ``A x = b``.

Bodies' masses are eliminated and the hinges' rows solved together, by least squares of least
norm, so that dependent rows do no harm. What the compiled kernels give is tested against this.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.domains.dynamic.body_wrenches import wrenches
from articulata.domains.dynamic.elements import Element
from articulata.domains.dynamic.mechanism import FREE, PRESCRIBED, Mechanism, Motion
from articulata.domains.protocols import Inputs
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.hinge_rows import RowValues, bias, evaluate

DEPENDENT = 1e-9
"""Rows nearer to each other than this (rad) share their force."""


@dataclass(frozen=True, slots=True)
class Solved:
    """``acceleration`` (n, 6) of the reference points, ``multipliers`` (rows,), which act on A.

    ``residual`` (rows,) is what the hinges' rows are missed by (m/s^2).
    """

    acceleration: Array
    multipliers: Array
    residual: Array


def mobility(parts: Mechanism, motion: Motion) -> Array:
    """Return every body's inverse inertia (n, 6, 6) in W; zero where forces do not move it."""
    result = np.zeros((len(parts.kind), 6, 6))
    free = parts.kind == FREE
    R = motion.R[:-1][free]
    result[free, :3, :3] = np.eye(3) / parts.mass[free][:, None, None]
    result[free, 3:, 3:] = R @ np.linalg.inv(parts.inertia[free]) @ np.swapaxes(R, 1, 2)
    return result


def spread(parts: Mechanism, values: RowValues) -> Array:
    """Return J (rows, 6 n): how velocities of all bodies enter the rates of the gaps."""
    m, n = len(parts.rows), len(parts.kind)
    J = np.zeros((m, n + 1, 6))
    for block, row, body in parts.rows.blocks(values):
        np.add.at(J, (row, body), block)
    return J[:, :n].reshape(m, 6 * n)


def multipliers_of(
    parts: Mechanism,
    elements: tuple[Element, ...],
    motion: Motion,
    inputs: Inputs,
    time: float,
    acceleration: Array,
) -> Array:
    """Return the multipliers (rows,) of least norm that give ``acceleration`` (n, 6)."""
    n = len(parts.kind)
    free = parts.kind == FREE
    values = evaluate(parts.rows, motion.positions, motion.R)
    J = spread(parts, values).reshape(-1, n, 6)[:, free]
    R = motion.R[:-1][free]
    wanted = -wrenches(parts, elements, motion, inputs, time)[free]
    wanted[:, :3] += parts.mass[free, None] * acceleration[free, :3]
    inertia = R @ parts.inertia[free] @ np.swapaxes(R, 1, 2)
    wanted[:, 3:] += np.einsum("nij,nj->ni", inertia, acceleration[free, 3:])
    matrix = J.reshape(len(J), -1).T
    return np.asarray(np.linalg.lstsq(matrix, wanted.ravel(), rcond=DEPENDENT)[0])


def solved(
    parts: Mechanism, elements: tuple[Element, ...], motion: Motion, inputs: Inputs, time: float
) -> Solved:
    """Return accelerations and multipliers at one instant."""
    n = len(parts.kind)
    W = mobility(parts, motion)
    free_fall = np.einsum("nij,nj->ni", W, wrenches(parts, elements, motion, inputs, time))
    given = parts.kind == PRESCRIBED
    free_fall[given] = inputs.acceleration[given]
    if not len(parts.rows):
        return Solved(free_fall, np.zeros(0), np.zeros(0))
    values = evaluate(parts.rows, motion.positions, motion.R)
    J = spread(parts, values)
    missed = -(J @ free_fall.ravel() + bias(parts.rows, values, motion.v, motion.w))
    JW = np.einsum("mni,nij->mnj", J.reshape(-1, n, 6), W).reshape(len(J), 6 * n)
    if not (np.isfinite(JW).all() and np.isfinite(missed).all()):
        # LAPACK would print a complaint of its own before it failed.
        raise np.linalg.LinAlgError("the equations hold what is not a finite number")
    multipliers = np.linalg.lstsq(JW @ J.T, missed, rcond=1e-12)[0]
    acceleration = free_fall + (JW.T @ multipliers).reshape(n, 6)
    residual = JW @ (J.T @ multipliers) - missed
    return Solved(acceleration, multipliers, residual)


def most_accelerated(
    parts: Mechanism, elements: tuple[Element, ...], motion: Motion, inputs: Inputs, time: float
) -> str:
    """Return the body that accelerates most at one instant, with its line, for a message."""
    with np.errstate(all="ignore"):
        try:
            found = solved(parts, elements, motion, inputs, time).acceleration
        except np.linalg.LinAlgError:
            found = np.concatenate([motion.v, motion.w], axis=1)
        size = np.nan_to_num(np.linalg.norm(found, axis=1), nan=np.inf)
    name = parts.bodies[int(np.argmax(size))]
    span = parts.world.bodies[name].span
    return f"'{name}' ({span})" if span.line else f"'{name}'"
