"""Symplectic steps for long free motion: RATTLE with free rotations by the Cayley map.

Half a kick by the forces and hinges of the old positions, free drift, half a kick at the new
positions. The hinges' impulses of the first half are such that the gaps close at the end of the
drift (Newton's method with the factor at hand); those of the second half make the velocities
agree with the hinges. Free rotation keeps the spatial moment of momentum exactly: the turn
F = cay(h W / 2) of a step solves, in body axes,

    J W + (h / 2) W x J W + (h^2 / 4) (W . J W) W = R^T pi

Second order, time-reversible; the energy error stays bounded for conservative forces. References:
Andersen 1983; Kobilarov & Marsden 2011 (Cayley variational integrators).
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.integrators.steps import all_inputs, finite
from articulata.kernels.multibody.motion import (
    factor_evaluated,
    factorise,
    row_rate,
    solve,
    velocity_rhs,
)
from articulata.kernels.multibody.project import GAP_TOLERANCE, gap_rhs, no_force, turn
from articulata.kernels.multibody.rows import fill_rows, turned
from articulata.kernels.multibody.system import (
    FIXED,
    FORCE,
    FREE,
    INERTIA,
    INFO_SHARE,
    INFO_STEPS,
    INFO_TIME,
    INVERSE_MASS,
    KIND,
    NOT_CONVERGED,
    OK,
    RHS,
    ROW_SIZE,
    SOLUTION,
    TOO_NEAR,
    TURN,
    Integrated,
    System,
    Workspace,
)

DEPENDING = 1e-3
"""Value of INFO_SHARE below which no step is taken."""

PUSH = 3
"""Layer of ``stages`` that holds momenta: columns 0:3 velocity, 3:6 moment of momentum."""


@kernel(counted=False)
def times_inertia(body: Array, i: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return J (x, y, z) in body axes."""
    return (
        body[i, INERTIA] * x + body[i, INERTIA + 1] * y + body[i, INERTIA + 2] * z,
        body[i, INERTIA + 3] * x + body[i, INERTIA + 4] * y + body[i, INERTIA + 5] * z,
        body[i, INERTIA + 6] * x + body[i, INERTIA + 7] * y + body[i, INERTIA + 8] * z,
    )


@kernel(counted=False)
def solve3(
    a: tuple[float, float, float],
    b: tuple[float, float, float],
    c: tuple[float, float, float],
    x: float,
    y: float,
    z: float,
) -> tuple[float, float, float]:
    """Return the solution of the 3 x 3 system with rows a, b, c (Cramer's rule)."""
    p0, p1, p2 = b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]
    q0, q1, q2 = c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2], c[0] * a[1] - c[1] * a[0]
    r0, r1, r2 = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    d = 1.0 / (a[0] * p0 + a[1] * p1 + a[2] * p2)
    return (
        (p0 * x + q0 * y + r0 * z) * d,
        (p1 * x + q1 * y + r1 * z) * d,
        (p2 * x + q2 * y + r2 * z) * d,
    )


@kernel(counted=False)
def drift_rotation(
    body: Array, scratch: Array, i: int, h: float, push: Array, state: Array
) -> None:
    """Turn body i by its free rotation over h, given its spatial moment of momentum in push."""
    a, b, c = push[i, 3], push[i, 4], push[i, 5]
    p0 = scratch[i, 0] * a + scratch[i, 3] * b + scratch[i, 6] * c
    p1 = scratch[i, 1] * a + scratch[i, 4] * b + scratch[i, 7] * c
    p2 = scratch[i, 2] * a + scratch[i, 5] * b + scratch[i, 8] * c
    j0 = (body[i, INERTIA], body[i, INERTIA + 1], body[i, INERTIA + 2])
    j1 = (body[i, INERTIA + 3], body[i, INERTIA + 4], body[i, INERTIA + 5])
    j2 = (body[i, INERTIA + 6], body[i, INERTIA + 7], body[i, INERTIA + 8])
    x, y, z = solve3(j0, j1, j2, p0, p1, p2)
    e, f = 0.5 * h, 0.25 * h * h
    for _ in range(20):  # Newton; quadratic, so a few rounds at any step worth taking
        m0, m1, m2 = times_inertia(body, i, x, y, z)
        s = x * m0 + y * m1 + z * m2
        r0 = m0 + e * (y * m2 - z * m1) + f * s * x - p0
        r1 = m1 + e * (z * m0 - x * m2) + f * s * y - p1
        r2 = m2 + e * (x * m1 - y * m0) + f * s * z - p2
        # derivative: J + e ([W]x J - [J W]x) + f (s 1 + 2 W (J W)^T)
        row0 = (
            j0[0] + e * (y * j2[0] - z * j1[0]) + f * (s + 2.0 * x * m0),
            j0[1] + e * (y * j2[1] - z * j1[1] + m2) + f * 2.0 * x * m1,
            j0[2] + e * (y * j2[2] - z * j1[2] - m1) + f * 2.0 * x * m2,
        )
        row1 = (
            j1[0] + e * (z * j0[0] - x * j2[0] - m2) + f * 2.0 * y * m0,
            j1[1] + e * (z * j0[1] - x * j2[1]) + f * (s + 2.0 * y * m1),
            j1[2] + e * (z * j0[2] - x * j2[2] + m0) + f * 2.0 * y * m2,
        )
        row2 = (
            j2[0] + e * (x * j1[0] - y * j0[0] + m1) + f * 2.0 * z * m0,
            j2[1] + e * (x * j1[1] - y * j0[1] - m0) + f * 2.0 * z * m1,
            j2[2] + e * (x * j1[2] - y * j0[2]) + f * (s + 2.0 * z * m2),
        )
        d0, d1, d2 = solve3(row0, row1, row2, r0, r1, r2)
        x, y, z = x - d0, y - d1, z - d2
        if abs(d0) + abs(d1) + abs(d2) <= 1e-15 * (abs(x) + abs(y) + abs(z)):
            break
    # quaternion (1, h W / 2), normalised, applied in body axes
    x, y, z = e * x, e * y, e * z
    s = 1.0 / math.sqrt(1.0 + x * x + y * y + z * z)
    q0, q1, q2, q3 = state[i, 3], state[i, 4], state[i, 5], state[i, 6]
    state[i, 3] = s * (q0 - q1 * x - q2 * y - q3 * z)
    state[i, 4] = s * (q1 + q0 * x + q2 * z - q3 * y)
    state[i, 5] = s * (q2 + q0 * y + q3 * x - q1 * z)
    state[i, 6] = s * (q3 + q0 * z + q1 * y - q2 * x)


@kernel(counted=False)
def spatial(
    scratch: Array, body: Array, i: int, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """Return R J R^T (x, y, z)."""
    a = scratch[i, 0] * x + scratch[i, 3] * y + scratch[i, 6] * z
    b = scratch[i, 1] * x + scratch[i, 4] * y + scratch[i, 7] * z
    c = scratch[i, 2] * x + scratch[i, 5] * y + scratch[i, 8] * z
    m0, m1, m2 = times_inertia(body, i, a, b, c)
    return turned(scratch, i, m0, m1, m2)


@kernel(counted=False)
def kick(system: System, scratch: Array, velocity: Array, share: float, push: Array) -> None:
    """Add ``share`` of FORCE, less its gyroscopic torque, to the momenta.

    ``velocity`` is the state whose rates FORCE was formed with.
    """
    body = system.body
    for i in range(push.shape[0]):
        if system.body_kind[i] != FREE:
            continue
        x, y, z = velocity[i, 10], velocity[i, 11], velocity[i, 12]
        h0, h1, h2 = spatial(scratch, body, i, x, y, z)
        for j in range(3):
            push[i, j] += share * scratch[i, FORCE + j] * body[i, INVERSE_MASS]
        push[i, 3] += share * (scratch[i, FORCE + 3] + y * h2 - z * h1)
        push[i, 4] += share * (scratch[i, FORCE + 4] + z * h0 - x * h2)
        push[i, 5] += share * (scratch[i, FORCE + 5] + x * h1 - y * h0)


@kernel(counted=False)
def add_jump(system: System, scratch: Array, share: float, push: Array) -> None:
    """Add share * M SOLUTION to the momenta, with the rotations in ``scratch``."""
    for i in range(push.shape[0]):
        if system.body_kind[i] != FREE:
            continue
        x, y, z = scratch[i, SOLUTION + 3], scratch[i, SOLUTION + 4], scratch[i, SOLUTION + 5]
        h = spatial(scratch, system.body, i, x, y, z)
        for j in range(3):
            push[i, j] += share * scratch[i, SOLUTION + j]
            push[i, 3 + j] += share * h[j]


@kernel(counted=False)
def drift(system: System, scratch: Array, h: float, push: Array, old: Array, new: Array) -> None:
    """Set the positions and orientations of ``new`` to those of ``old`` after free motion."""
    for i in range(old.shape[0]):
        kind = system.body_kind[i]
        for j in range(7):
            new[i, j] = old[i, j]
        if kind == FIXED:
            continue
        if kind == FREE:
            for j in range(3):
                new[i, j] += h * push[i, j]
            drift_rotation(system.body, scratch, i, h, push, new)
        else:
            for j in range(3):
                new[i, j] += h * push[i, j]
            turn(new, i, h * push[i, 3], h * push[i, 4], h * push[i, 5])


@kernel(counted=False)
def hinge_velocities(system: System, work: Workspace, state: Array) -> None:
    """Add what makes the velocities of ``state`` agree with the hinges; factor at hand."""
    velocity_rhs(system.row, system.row_data, state, work.row)
    no_force(work.body)
    solve(system, work)
    for i in range(state.shape[0]):
        if system.body_kind[i] == FREE:
            for j in range(6):
                state[i, 7 + j] += work.body[i, SOLUTION + j]


@kernel(counted=False)
def symplectic(made: Integrated, t: float, h: float, steps: int, state: Array) -> int:
    """RATTLE steps of length h; inputs constant or one entry per step and one for the end.

    Near a singular position it returns TOO_NEAR with the state of the last whole step: impulses
    would press against rows that are about to depend on each other. Forces that depend on
    velocities take those of the step's ends: allowed, not symplectic.
    """
    system, work, stages, inputs = made
    scratch, rows, kind = work.body, work.row, system.body_kind
    old, push = stages[0], stages[PUSH]
    status = factorise(system, work, state)
    for step in range(steps):
        if status != OK:
            return status
        if work.info[INFO_SHARE] < DEPENDING:
            return TOO_NEAR
        prescribed = inputs.prescribed[min(step, inputs.prescribed.shape[0] - 1)]
        all_inputs(system, work, inputs, step, t + step * h, state)
        for i in range(state.shape[0]):
            for j in range(13):
                old[i, j] = state[i, j]
            for j in range(6):
                push[i, j] = state[i, 7 + j]
                if kind[i] != FREE and kind[i] != FIXED:
                    push[i, j] += 0.5 * h * prescribed[i, j]
            if kind[i] == FREE:
                a, b, c = spatial(scratch, system.body, i, state[i, 10], state[i, 11], state[i, 12])
                push[i, 3], push[i, 4], push[i, 5] = a, b, c
        kick(system, scratch, old, 0.5 * h, push)
        # hinge impulses: start from the hinge forces at the old state, then close the gaps
        largest, before = math.inf, math.inf
        for attempt in range(60):
            drift(system, scratch, h, push, old, state)
            fill_rows(system, work, state)
            largest = gap_rhs(system.row, rows, work.info)
            # the impulses act in the old configuration: only the gaps are those of the new one
            fill_rows(system, work, old)
            largest = max(largest, coupling_gaps(system, scratch, rows, h, push, state))
            if not math.isfinite(largest) or largest <= 0.1 * GAP_TOLERANCE:
                break
            if attempt > 3 and largest >= 0.9 * before and largest < 100.0 * GAP_TOLERANCE:
                break
            before = largest
            for row in range(rows.shape[0]):
                rows[row, RHS] /= h
            no_force(scratch)
            solve(system, work)
            add_jump(system, scratch, 1.0, push)
        if not largest <= 1e-6:
            return NOT_CONVERGED if math.isfinite(largest) else 1
        fill_rows(system, work, state)
        status = factor_evaluated(system, work)
        if status != OK:
            return status
        for i in range(state.shape[0]):
            if kind[i] == FIXED:
                continue
            for j in range(6):
                state[i, 7 + j] = push[i, j]
            if kind[i] == FREE:
                rate_from_momentum(system.body, scratch, i, push, state)
        all_inputs(system, work, inputs, step + 1, t + (step + 1) * h, state)
        kick(system, scratch, state, 0.5 * h, push)
        prescribed = inputs.prescribed[min(step + 1, inputs.prescribed.shape[0] - 1)]
        for i in range(state.shape[0]):
            if kind[i] == FREE:
                for j in range(3):
                    state[i, 7 + j] = push[i, j]
                rate_from_momentum(system.body, scratch, i, push, state)
            elif kind[i] != FIXED:
                for j in range(6):
                    state[i, 7 + j] = push[i, j] + 0.5 * h * prescribed[i, j]
        hinge_velocities(system, work, state)
        status = finite(state)
        if status != OK:
            return status
        work.info[INFO_STEPS] = step + 1.0
        work.info[INFO_TIME] = t + (step + 1) * h
    return status


@kernel(counted=False)
def coupling_gaps(
    system: System, scratch: Array, rows: Array, h: float, push: Array, state: Array
) -> float:
    """Set RHS of couplings to what a step of length h lacks of their way; return the largest.

    Rows and rotations are those that ``push`` belongs to; rates of ``state`` are written over.
    """
    largest, known = 0.0, False
    for row in system.closure_row:
        if system.row[row, KIND] < TURN:
            continue
        for i in range(0 if known else state.shape[0]):
            for j in range(6):
                state[i, 7 + j] = push[i, j]
            if system.body_kind[i] == FREE:
                rate_from_momentum(system.body, scratch, i, push, state)
        known = True
        lacks = system.row_data[row, ROW_SIZE] - row_rate(system.row, row, state, rows)
        rows[row, RHS] = h * lacks
        largest = max(largest, abs(h * lacks))
    return largest


@kernel(counted=False)
def rate_from_momentum(body: Array, scratch: Array, i: int, push: Array, state: Array) -> None:
    """Set the body's rate from its moment of momentum."""
    a, b, c = push[i, 3], push[i, 4], push[i, 5]
    x, y, z = solve3(
        (body[i, INERTIA], body[i, INERTIA + 1], body[i, INERTIA + 2]),
        (body[i, INERTIA + 3], body[i, INERTIA + 4], body[i, INERTIA + 5]),
        (body[i, INERTIA + 6], body[i, INERTIA + 7], body[i, INERTIA + 8]),
        scratch[i, 0] * a + scratch[i, 3] * b + scratch[i, 6] * c,
        scratch[i, 1] * a + scratch[i, 4] * b + scratch[i, 7] * c,
        scratch[i, 2] * a + scratch[i, 5] * b + scratch[i, 8] * c,
    )
    state[i, 10], state[i, 11], state[i, 12] = turned(scratch, i, x, y, z)
