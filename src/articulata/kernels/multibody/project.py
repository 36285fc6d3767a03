"""Projection of a state onto its hinges, along the shortest way in the mass metric.

Positions: Newton's method on the gaps, each step the displacement of least kinetic metric that
closes them to first order; orientations move by the exponential map. Velocities: one linear
solve. Rows whose motion is driven from outside keep the gap and rate they have. Metres, rad.
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.multibody.motion import factor_evaluated, factorise, solve, velocity_rhs
from articulata.kernels.multibody.rows import evaluate_rows
from articulata.kernels.multibody.system import (
    DRIVEN,
    FIXED,
    FORCE,
    FREE,
    GAP,
    INFO_ROW,
    INFO_VALUE,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    RHS,
    SOLUTION,
    Array,
    IntArray,
    System,
    Workspace,
)

GAP_TOLERANCE = 1e-12
"""Gaps below this are left alone, metres or radians."""

RATE_TOLERANCE = 1e-12
"""Gap rates below this are left alone, metres or radians per second."""

ITERATIONS = 30
"""Newton steps before giving up; nearby states need one or two."""

GAP_ACCEPTED = 1e-9
"""When rounding stops the iteration, gaps below this still count as closed (coordinates of
1e4 m cannot do better than 1e-12)."""


@kernel(counted=False)
def turn(state: Array, i: int, x: float, y: float, z: float) -> None:
    """Turn body i by the rotation vector (x, y, z) in world axes, rad."""
    angle = math.sqrt(x * x + y * y + z * z)
    half = 0.5 * angle
    # sin(half) / angle, by its series where the quotient would lose digits
    s = math.sin(half) / angle if angle > 1e-4 else 0.5 - half * half / 12.0
    c = math.cos(half)
    x, y, z = s * x, s * y, s * z
    q0, q1, q2, q3 = state[i, 3], state[i, 4], state[i, 5], state[i, 6]
    a = c * q0 - x * q1 - y * q2 - z * q3
    b = c * q1 + x * q0 + y * q3 - z * q2
    d = c * q2 + y * q0 + z * q1 - x * q3
    e = c * q3 + z * q0 + x * q2 - y * q1
    s = 1.0 / math.sqrt(a * a + b * b + d * d + e * e)
    state[i, 3], state[i, 4], state[i, 5], state[i, 6] = a * s, b * s, d * s, e * s


@kernel(counted=False)
def gap_rhs(table: IntArray, rows: Array, info: Array) -> float:
    """Set RHS to -g (zero for driven rows); return the largest and note its row."""
    largest = 0.0
    for row in range(table.shape[0]):
        x = 0.0 if table[row, DRIVEN] == 1 else -rows[row, GAP]
        rows[row, RHS] = x
        if not abs(x) <= largest:  # keeps a NaN
            largest = abs(x)
            info[INFO_ROW] = row
    info[INFO_VALUE] = largest
    return largest


@kernel(counted=False)
def no_force(scratch: Array) -> None:
    """Set FORCE to zero."""
    for i in range(scratch.shape[0]):
        for j in range(6):
            scratch[i, FORCE + j] = 0.0


@kernel(counted=False)
def project_position(system: System, work: Workspace, state: Array) -> int:
    """Close the gaps; leaves the rows evaluated at the new state.

    Starts with the factor at hand, made at a state nearby; a new one is made when that converges
    slowly. NOT_CONVERGED when gaps above GAP_ACCEPTED remain.
    """
    before = math.inf
    for _ in range(ITERATIONS):
        evaluate_rows(system.row, system.row_data, state, work.body, work.row)
        largest = gap_rhs(system.row, work.row, work.info)
        if not math.isfinite(largest):
            return NOT_FINITE
        if largest <= GAP_TOLERANCE:
            return OK
        if largest > 0.1 * before:
            if largest > 0.5 * before and largest < GAP_ACCEPTED:
                return OK
            status = factor_evaluated(system, work)
            if status != OK:
                return status
        before = largest
        no_force(work.body)
        solve(system, work)
        for i in range(state.shape[0]):
            if system.body_kind[i] == FREE:
                for j in range(3):
                    state[i, j] += work.body[i, SOLUTION + j]
                turn(
                    state,
                    i,
                    work.body[i, SOLUTION + 3],
                    work.body[i, SOLUTION + 4],
                    work.body[i, SOLUTION + 5],
                )
    return OK if before < GAP_ACCEPTED else NOT_CONVERGED


@kernel(counted=False)
def project_velocity(system: System, work: Workspace, state: Array) -> int:
    """Make the velocities agree with the hinges; rows and factor at ``state`` must be at hand."""
    largest = velocity_rhs(system.row, state, work.row)
    if not math.isfinite(largest):
        return NOT_FINITE
    if largest <= RATE_TOLERANCE:
        return OK
    no_force(work.body)
    solve(system, work)
    for i in range(state.shape[0]):
        if system.body_kind[i] == FREE:
            for j in range(6):
                state[i, 7 + j] += work.body[i, SOLUTION + j]
    return OK


@kernel(counted=False)
def project_near(system: System, work: Workspace, state: Array) -> int:
    """Normalise quaternions, close the gaps, correct the velocities of a state near the factor's.

    Leaves the factor (not the rows' gamma) at the new state.
    """
    total = 0.0
    for i in range(state.shape[0]):
        s = 0.0
        for j in range(4):
            s += state[i, 3 + j] * state[i, 3 + j]
        s = 1.0 / math.sqrt(s)
        for j in range(4):
            state[i, 3 + j] *= s
        for j in range(13):
            total += abs(state[i, j])
    if not math.isfinite(total):
        return NOT_FINITE
    status = project_position(system, work, state)
    if status != OK:
        return status
    status = factor_evaluated(system, work)
    if status != OK:
        return status
    return project_velocity(system, work, state)


@kernel(counted=False)
def project(system: System, work: Workspace, state: Array) -> int:
    """Return any state's nearest one that meets the hinges, in place; see ``project_near``."""
    status = factorise(system, work, state)
    if status != OK:
        return status
    return project_near(system, work, state)


@kernel(counted=False)
def state_rates(kind: IntArray, state: Array, out: Array, rates: Array) -> None:
    """Fill ``rates`` (n, 13), the time derivative of a state, from its accelerations (n, 6)."""
    for i in range(state.shape[0]):
        if kind[i] == FIXED:
            for j in range(13):
                rates[i, j] = 0.0
            continue
        for j in range(3):
            rates[i, j] = state[i, 7 + j]
        for j in range(6):
            rates[i, 7 + j] = out[i, j]
        q0, q1, q2, q3 = state[i, 3], state[i, 4], state[i, 5], state[i, 6]
        x, y, z = 0.5 * state[i, 10], 0.5 * state[i, 11], 0.5 * state[i, 12]
        rates[i, 3] = -x * q1 - y * q2 - z * q3
        rates[i, 4] = x * q0 + y * q3 - z * q2
        rates[i, 5] = y * q0 + z * q1 - x * q3
        rates[i, 6] = z * q0 + x * q2 - y * q1
