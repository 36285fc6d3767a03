"""Energy and momentum of a system. Joules, kg m/s, kg m^2/s; about the world's origin."""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.forces import angle_between
from articulata.kernels.multibody.rows import place, rotations, turned
from articulata.kernels.multibody.system import (
    FORCE_CONSTANTS,
    FORCE_P_A,
    FORCE_P_B,
    FREE,
    GRAVITY,
    INERTIA,
    MASS,
    SPRING,
    TWIST,
    System,
    Workspace,
)


@kernel(counted=False)
def spin(system: System, scratch: Array, state: Array, i: int) -> tuple[float, float, float]:
    """Return the body's moment of momentum about its mass centre, world axes."""
    body = system.body
    w0, w1, w2 = state[i, 10], state[i, 11], state[i, 12]
    x = scratch[i, 0] * w0 + scratch[i, 3] * w1 + scratch[i, 6] * w2
    y = scratch[i, 1] * w0 + scratch[i, 4] * w1 + scratch[i, 7] * w2
    z = scratch[i, 2] * w0 + scratch[i, 5] * w1 + scratch[i, 8] * w2
    return turned(
        scratch,
        i,
        body[i, INERTIA] * x + body[i, INERTIA + 1] * y + body[i, INERTIA + 2] * z,
        body[i, INERTIA + 3] * x + body[i, INERTIA + 4] * y + body[i, INERTIA + 5] * z,
        body[i, INERTIA + 6] * x + body[i, INERTIA + 7] * y + body[i, INERTIA + 8] * z,
    )


@kernel(counted=False)
def energy(system: System, work: Workspace, state: Array, out: Array) -> None:
    """Fill ``out`` (3,) with kinetic energy, energy in the gravity field, energy of springs.

    Moving bodies only; force programs have no stored energy.
    """
    out[0] = out[1] = out[2] = 0.0
    scratch, body, data = work.body, system.body, system.force_data
    rotations(state, scratch)
    for i in range(state.shape[0]):
        if system.body_kind[i] != FREE:
            continue
        h = spin(system, scratch, state, i)
        for k in range(3):
            out[0] += 0.5 * (body[i, MASS] * state[i, 7 + k] ** 2 + h[k] * state[i, 10 + k])
            out[1] -= body[i, MASS] * body[i, GRAVITY + k] * state[i, k]
    for f in range(system.force_kind.shape[0]):
        a, b = system.force_body[f, 0], system.force_body[f, 1]
        c = FORCE_CONSTANTS
        if system.force_kind[f] == TWIST:
            angle = angle_between(system, work, f)
            out[2] += 0.5 * data[f, c] * (angle - data[f, c + 2]) ** 2 - data[f, c + 3] * angle
        elif system.force_kind[f] == SPRING:
            p, q = FORCE_P_A, FORCE_P_B
            ca = turned(scratch, a, data[f, p], data[f, p + 1], data[f, p + 2])
            cb = turned(scratch, b, data[f, q], data[f, q + 1], data[f, q + 2])
            ra, rb = place(state, a), place(state, b)
            s = 0.0
            for k in range(3):
                s += (ra[k] + ca[k] - rb[k] - cb[k]) ** 2
            out[2] += 0.5 * data[f, c] * (math.sqrt(s) - data[f, c + 2]) ** 2


@kernel(counted=False)
def momentum(system: System, work: Workspace, state: Array, out: Array) -> None:
    """Fill ``out`` (6,) with momentum and moment of momentum of the moving bodies."""
    for k in range(6):
        out[k] = 0.0
    rotations(state, work.body)
    for i in range(state.shape[0]):
        if system.body_kind[i] != FREE:
            continue
        h = spin(system, work.body, state, i)
        m = system.body[i, MASS]
        for k in range(3):
            a, b = (k + 1) % 3, (k + 2) % 3
            out[k] += m * state[i, 7 + k]
            out[3 + k] += h[k] + m * (state[i, a] * state[i, 7 + b] - state[i, b] * state[i, 7 + a])
