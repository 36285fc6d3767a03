"""Fixed-step integrators. World axes, SI; the state (n, 13) is advanced in place.

All return a status; on anything but OK the state is that of the last whole step but one attempt,
and ``info`` holds the time reached and the steps done. ``stages`` comes from ``make_stages``.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import copy
from articulata.kernels.multibody.booking import (
    back_to_mark,
    book,
    close_step,
    mark_stage,
    open_step,
)
from articulata.kernels.multibody.forces import body_forces, element_forces
from articulata.kernels.multibody.integrators.passage import (
    NUMBERS,
    accelerations_along,
    settle,
    strayed,
)
from articulata.kernels.multibody.motion import (
    accelerations,
    accelerations_factored,
    factorise,
    given_share,
    solve,
    velocity_rhs,
)
from articulata.kernels.multibody.project import state_rates, turn
from articulata.kernels.multibody.rows import fill_rows
from articulata.kernels.multibody.system import (
    DRIVEN,
    FIXED,
    FORCE,
    FREE,
    GAMMA,
    GAP,
    INFO_FIRM,
    INFO_REACH,
    INFO_SHARE,
    INFO_STEPS,
    INFO_TIME,
    MEMORY,
    NEAR,
    NOT_CONVERGED,
    OK,
    RHS,
    SOLUTION,
    STRAYED,
    TOO_NEAR,
    Inputs,
    Integrated,
    System,
    Workspace,
)

STAGES = NUMBERS + 4
"""Layers of the scratch array that the integrators share."""


def make_stages(system: System) -> Array:
    """Return scratch memory (STAGES, n, 13) for the integrators."""
    return np.zeros((STAGES, len(system.body), 13))


@kernel(counted=False)
def rk4(made: Integrated, t: float, h: float, steps: int, state: Array) -> int:
    """Classical Runge-Kutta steps, each followed by projection of position and velocity.

    The factor made for the projection is used again by the next step's first stage, so that a
    step costs four factorisations. Inputs: constant or 2 * steps + 1 entries. A step whose
    projection would change the motion is undone and ends the call with STRAYED.
    """
    system, work, stages, inputs = made
    n, kind, loops = state.shape[0], system.body_kind, system.closure_row.shape[0] > 0
    k, x, out, old = stages[0:4], stages[4], stages[5], stages[6]
    work.info[INFO_STEPS] = 0.0
    work.info[INFO_TIME] = t
    status = OK
    for step in range(steps):
        now = t + step * h
        s = 0
        while s < 4:
            c = 0.0 if s == 0 else (h if s == 3 else 0.5 * h)
            entry = 2 * step + (0 if s == 0 else (2 if s == 3 else 1))
            if s == 0:
                copy(state, old)
                copy(state, x)
            else:
                for i in range(n):
                    for j in range(13):
                        x[i, j] = state[i, j] + c * k[s - 1, i, j]
            known = s == 0 and step > 0 and work.info[INFO_REACH] == 0.0
            if loops and not known:
                status = accelerations_along(made, entry, now + c, x, s == 0, out)
            else:
                if known:  # the velocities have changed since the rows were evaluated
                    work.info[INFO_FIRM] = 1.0 if work.info[INFO_SHARE] < 4.0 * NEAR else 0.0
                    fill_rows(system, work, x)
                else:
                    status = factorise(system, work, x)
                if status == OK:
                    status = accelerations_factored(system, work, inputs, entry, now + c, x, out)
            if status == TOO_NEAR:
                s = 1
                back_to_mark(work)
                continue
            if status != OK:
                return status
            state_rates(kind, x, out, k[s])
            if s == 0:
                open_step(work)
            weight = h / 6.0 if s == 0 or s == 3 else h / 3.0
            book(made, entry, now + c, weight, x)
            if s == 0:
                mark_stage(work)
            s += 1
        for i in range(n):
            for j in range(13):
                state[i, j] += h / 6.0 * (k[0, i, j] + 2.0 * (k[1, i, j] + k[2, i, j]) + k[3, i, j])
        status = settle(system, work, stages, state)
        if status == NOT_CONVERGED or (status == OK and strayed(system, work, h)):
            copy(old, state)
            return STRAYED
        if status != OK:
            return status
        close_step(work)
        work.info[INFO_STEPS] = step + 1.0
        work.info[INFO_TIME] = now + h
    return status


@kernel(counted=False)
def euler1986(made: Integrated, t: float, h: float, steps: int, state: Array) -> int:
    """Explicit Euler steps as in the 1986 report: no projection, q += (h/2) w q, normalised.

    Inputs: constant or one entry per step.
    """
    system, work, stages, inputs = made
    out, rates = stages[0], stages[1]
    for step in range(steps):
        status = accelerations(system, work, inputs, step, t + step * h, state, out)
        if status != OK:
            return status
        state_rates(system.body_kind, state, out, rates)
        for i in range(state.shape[0]):
            for j in range(13):
                state[i, j] += h * rates[i, j]
            s = 0.0
            for j in range(4):
                s += state[i, 3 + j] * state[i, 3 + j]
            s = 1.0 / math.sqrt(s)
            for j in range(4):
                state[i, 3 + j] *= s
        status = finite(state)
        if status != OK:
            return status
        work.info[INFO_STEPS] = step + 1.0
        work.info[INFO_TIME] = t + (step + 1) * h
    return OK


CORRECTION = 0.2
"""Share of a gap that the real-time mode closes per step (Baumgarte): more shakes, less lags."""


@kernel(counted=False)
def realtime(made: Integrated, t: float, h: float, steps: int, state: Array) -> int:
    """Semi-implicit Euler steps with one solve each; gaps are closed by CORRECTION per step.

    The new velocities meet the hinges of the old positions, positions follow the new velocities.
    First order; for interaction, not for figures. Inputs: constant or one entry per step.
    """
    system, work, _, inputs = made
    kind, scratch, rows = system.body_kind, work.body, work.row
    for step in range(steps):
        status = factorise(system, work, state)
        if status != OK:
            return status
        all_inputs(system, work, inputs, step, t + step * h, state)
        prescribed = inputs.prescribed[min(step, inputs.prescribed.shape[0] - 1)]
        drive = inputs.drive[min(step, inputs.drive.shape[0] - 1)]
        velocity_rhs(system.row, system.row_data, state, rows)
        for row in range(rows.shape[0]):
            x = (rows[row, RHS] - CORRECTION / h * rows[row, GAP]) / h
            if system.row[row, DRIVEN] == 1:
                x = rows[row, GAMMA] + drive[row]
            rows[row, RHS] = x - given_share(system.row, kind, row, prescribed, 0, rows)
        status = solve(system, work)
        for i in range(state.shape[0]):
            if kind[i] == MEMORY:
                state[i, 7] += h * scratch[i, FORCE]
            if kind[i] == FIXED or kind[i] == MEMORY:
                continue
            for j in range(6):
                a = scratch[i, SOLUTION + j] if kind[i] == FREE else prescribed[i, j]
                state[i, 7 + j] += h * a
            for j in range(3):
                state[i, j] += h * state[i, 7 + j]
            turn(state, i, h * state[i, 10], h * state[i, 11], h * state[i, 12])
        status = finite(state)
        if status != OK:
            return status
        work.info[INFO_STEPS] = step + 1.0
        work.info[INFO_TIME] = t + (step + 1) * h
    return OK


@kernel(counted=False)
def all_inputs(
    system: System, work: Workspace, inputs: Inputs, k: int, t: float, state: Array
) -> None:
    """Fill FORCE with everything but the hinge forces, from entry k of the inputs."""
    body_forces(
        system.body,
        system.body_kind,
        state,
        inputs.applied[min(k, inputs.applied.shape[0] - 1)],
        work.body,
    )
    if system.force_kind.shape[0] > 0:
        element_forces(system, work, state, t, inputs.signal[min(k, inputs.signal.shape[0] - 1)])


@kernel(counted=False)
def finite(state: Array) -> int:
    """Return OK or NOT_FINITE for a state."""
    total = 0.0
    for i in range(state.shape[0]):
        for j in range(13):
            total += abs(state[i, j])
    return OK if math.isfinite(total) else 1
