"""Projection of a state onto its hinges, along the shortest way in the mass metric.

Positions: Newton's method on the gaps, each step the displacement of least kinetic metric that
closes them to first order; orientations move by the exponential map. Velocities: one linear
solve. Rows whose motion is driven from outside keep the gap and rate they have. Metres, rad.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.motion import factor_evaluated, factorise, solve, velocity_rhs
from articulata.kernels.multibody.rows import fill_rows
from articulata.kernels.multibody.system import (
    DRIVEN,
    FIXED,
    FORCE,
    FREE,
    GAP,
    INERTIA,
    INFO_JUMP,
    INFO_MOTION,
    INFO_ROW,
    INFO_SHARE,
    INFO_SHIFT,
    INFO_VALUE,
    MASS,
    MEMORY,
    NEAR,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    RHS,
    SOLUTION,
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


@kernel(counted=False, inline=True)
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
def square(system: System, scratch: Array, of: Array, column: int) -> float:
    """Return x^T M x over the free bodies, x the six numbers of each from ``column`` on."""
    body, total = system.body, 0.0
    for i in range(of.shape[0]):
        if system.body_kind[i] != FREE:
            continue
        a, b, c = of[i, column], of[i, column + 1], of[i, column + 2]
        total += body[i, MASS] * (a * a + b * b + c * c)
        a, b, c = of[i, column + 3], of[i, column + 4], of[i, column + 5]
        x = scratch[i, 0] * a + scratch[i, 3] * b + scratch[i, 6] * c
        y = scratch[i, 1] * a + scratch[i, 4] * b + scratch[i, 7] * c
        z = scratch[i, 2] * a + scratch[i, 5] * b + scratch[i, 8] * c
        total += (
            x * (body[i, INERTIA] * x + body[i, INERTIA + 1] * y + body[i, INERTIA + 2] * z)
            + y * (body[i, INERTIA + 3] * x + body[i, INERTIA + 4] * y + body[i, INERTIA + 5] * z)
            + z * (body[i, INERTIA + 6] * x + body[i, INERTIA + 7] * y + body[i, INERTIA + 8] * z)
        )
    return total


@kernel(counted=False)
def forget_ranks(work: Workspace) -> None:
    """Let every row count again."""
    for comp in range(work.rank_limit.shape[0]):
        work.rank_limit[comp] = -1


@kernel(counted=False)
def project_position(system: System, work: Workspace, state: Array) -> int:
    """Close the gaps; leaves the rows evaluated at the new state.

    Starts with the factor at hand, made at a state nearby; a new one is made when that converges
    slowly. NOT_CONVERGED when gaps above GAP_ACCEPTED remain.
    """
    before, fresh = math.inf, False
    work.info[INFO_SHIFT] = 0.0
    for _ in range(ITERATIONS):
        fill_rows(system, work, state)
        largest = gap_rhs(system.row, work.row, work.info)
        if not math.isfinite(largest):
            return NOT_FINITE
        # near a singular position the gaps' tolerance is amplified: go down to rounding
        if largest <= GAP_TOLERANCE and (largest == 0.0 or work.info[INFO_SHARE] >= NEAR):
            return OK
        if largest > 0.1 * before:
            if largest > 0.5 * before and largest < GAP_ACCEPTED:
                return OK
            if fresh and largest > 0.5 * before:
                forget_ranks(work)
            fresh = before < math.inf
            status = factor_evaluated(system, work)
            if status != OK:
                return status
            gap_rhs(system.row, work.row, work.info)  # factoring has used the right-hand sides
        before = largest
        no_force(work.body)
        solve(system, work)
        way = square(system, work.body, work.body, SOLUTION)
        work.info[INFO_SHIFT] = max(work.info[INFO_SHIFT], way)
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
    info = work.info
    info[INFO_JUMP] = 0.0
    passes = 2 if info[INFO_SHARE] < NEAR else 1
    for _ in range(passes):
        largest = velocity_rhs(system.row, system.row_data, state, work.row)
        if not math.isfinite(largest):
            return NOT_FINITE
        if largest <= RATE_TOLERANCE and passes == 1:
            break
        no_force(work.body)
        solve(system, work)
        info[INFO_JUMP] = max(info[INFO_JUMP], square(system, work.body, work.body, SOLUTION))
        for i in range(state.shape[0]):
            if system.body_kind[i] == FREE:
                for j in range(6):
                    state[i, 7 + j] += work.body[i, SOLUTION + j]
    info[INFO_MOTION] = square(system, work.body, state, 7)
    return OK


@kernel(counted=False)
def normalise(state: Array) -> int:
    """Normalise quaternions; NOT_FINITE where the state holds what is no number."""
    total = 0.0
    for i in range(state.shape[0]):
        s = 0.0
        for j in range(4):
            s += state[i, 3 + j] * state[i, 3 + j]
        s = 1.0 / math.sqrt(s)
        size = 0.0
        for j in range(4):
            state[i, 3 + j] *= s
        for j in range(13):
            size += abs(state[i, j])
        total += size
    return OK if math.isfinite(total) else NOT_FINITE


@kernel(counted=False, apart=True)
def project_near(system: System, work: Workspace, state: Array) -> int:
    """Normalise quaternions, close the gaps, correct the velocities of a state near the factor's.

    Leaves the factor (not the rows' gamma) at the new state.
    """
    status = normalise(state)
    if status != OK:
        return status
    status = project_position(system, work, state)
    if status != OK:
        return status
    status = factor_evaluated(system, work)
    if status != OK:
        return status
    for comp in range(work.rank_limit.shape[0]):
        # all gaps are closed here, so that what is independent now always was
        if work.rank_limit[comp] < 0 and work.info[INFO_SHARE] >= NEAR:
            work.rank_limit[comp] = work.schur_rank[comp]
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
        if kind[i] == FIXED or kind[i] == MEMORY:
            for j in range(13):
                rates[i, j] = 0.0
            if kind[i] == MEMORY:
                rates[i, 7] = out[i, 0]
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
