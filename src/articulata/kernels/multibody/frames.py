"""What a frame of a recording tells beside the state: poses, coordinates, hinge forces, energy.

Hinge coordinates are the angle about, or the travel along, z of the hinge's frame on body B; of
A from B. World axes, SI units, radians. ``scratch`` (n, 9) takes the bodies' rotations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.rows import cross, rotations, turned
from articulata.kernels.multibody.system import FREE, GRAVITY, INERTIA, MASS, MULTIPLIER

TURN = 2.0 * math.pi

BODY_A, BODY_B, TURNING = 0, 1, 2
"""Columns of a table of coordinates (c, 3); ``TURNING`` is 1 for an angle, 0 for a travel."""

P_A, P_B, R_A, R_B = 0, 3, 6, 15
"""Columns of the data of coordinates (c, 24): the hinge's frame on both bodies."""


class Observed(NamedTuple):
    """What motions are read of: rows of bodies, their mass centres (n, 3) and coordinates.

    ``scratch`` (n, 9) receives the bodies' rotations.
    """

    body: Array
    kind: IntArray
    center: Array
    table: IntArray
    data: Array
    scratch: Array


@kernel(counted=False)
def coordinate_rate(table: IntArray, data: Array, k: int, state: Array, scratch: Array) -> float:
    """Return the rate of coordinate k, rad/s or m/s; rotations must be fresh."""
    a, b = table[k, BODY_A], table[k, BODY_B]
    z = turned(scratch, b, data[k, R_B + 2], data[k, R_B + 5], data[k, R_B + 8])
    rate = 0.0
    if table[k, TURNING] == 1:
        for j in range(3):
            rate += z[j] * (state[a, 10 + j] - state[b, 10 + j])
        return rate
    arm = turned(scratch, a, data[k, P_A], data[k, P_A + 1], data[k, P_A + 2])
    u = cross(state[a, 10], state[a, 11], state[a, 12], arm[0], arm[1], arm[2])
    # to the same place from B's mass centre
    x = arm[0] + state[a, 0] - state[b, 0]
    y = arm[1] + state[a, 1] - state[b, 1]
    w = arm[2] + state[a, 2] - state[b, 2]
    v = cross(state[b, 10], state[b, 11], state[b, 12], x, y, w)
    for j in range(3):
        rate += z[j] * (state[a, 7 + j] + u[j] - state[b, 7 + j] - v[j])
    return rate


@kernel(counted=False)
def coordinate(
    table: IntArray, data: Array, k: int, state: Array, scratch: Array, near: float
) -> float:
    """Return coordinate k, rad or m, an angle within half a turn of ``near``."""
    a, b = table[k, BODY_A], table[k, BODY_B]
    if table[k, TURNING] == 0:
        z = turned(scratch, b, data[k, R_B + 2], data[k, R_B + 5], data[k, R_B + 8])
        on_a = turned(scratch, a, data[k, P_A], data[k, P_A + 1], data[k, P_A + 2])
        on_b = turned(scratch, b, data[k, P_B], data[k, P_B + 1], data[k, P_B + 2])
        travel = 0.0
        for j in range(3):
            travel += z[j] * (state[a, j] + on_a[j] - state[b, j] - on_b[j])
        return travel
    ax = turned(scratch, a, data[k, R_A], data[k, R_A + 3], data[k, R_A + 6])
    ay = turned(scratch, a, data[k, R_A + 1], data[k, R_A + 4], data[k, R_A + 7])
    bx = turned(scratch, b, data[k, R_B], data[k, R_B + 3], data[k, R_B + 6])
    by = turned(scratch, b, data[k, R_B + 1], data[k, R_B + 4], data[k, R_B + 7])
    sine = by[0] * ax[0] + by[1] * ax[1] + by[2] * ax[2]
    sine -= bx[0] * ay[0] + bx[1] * ay[1] + bx[2] * ay[2]
    cosine = bx[0] * ax[0] + bx[1] * ax[1] + bx[2] * ax[2]
    cosine += by[0] * ay[0] + by[1] * ay[1] + by[2] * ay[2]
    angle = math.atan2(sine, cosine)
    return angle + TURN * math.floor((near - angle) / TURN + 0.5)


@kernel(counted=False)
def follow_coordinates(
    of: Observed, then: Array, now: Array, dt: float, known: Array, out: Array
) -> None:
    """Fill ``out`` with the coordinates at ``now``, ``dt`` after they were ``known`` at ``then``.

    An angle goes on from where the rates before and after lead, through any number of turns.
    """
    table, data, scratch = of.table, of.data, of.scratch
    rotations(then, scratch)
    for k in range(table.shape[0]):
        out[k] = coordinate_rate(table, data, k, then, scratch)
    rotations(now, scratch)
    for k in range(table.shape[0]):
        rate = 0.5 * (out[k] + coordinate_rate(table, data, k, now, scratch))
        out[k] = coordinate(table, data, k, now, scratch, known[k] + dt * rate)


@kernel(counted=False)
def observe_motion(
    of: Observed, state: Array, pose: Array, rate: Array, energy: Array, momentum: Array
) -> None:
    """Fill what the state alone tells.

    ``pose`` (n, 7) of the bodies' own frames; ``rate`` (c,) of the coordinates; ``energy``
    (2,) kinetic and in the gravity field and ``momentum`` (6,) about the world's origin, of the
    bodies that move freely.
    """
    body, kind, center, table, data, scratch = of
    rotations(state, scratch)
    energy[0] = energy[1] = 0.0
    for k in range(6):
        momentum[k] = 0.0
    for i in range(state.shape[0]):
        arm = turned(scratch, i, center[i, 0], center[i, 1], center[i, 2])
        for k in range(3):
            pose[i, k] = state[i, k] - arm[k]
        for k in range(4):
            pose[i, 3 + k] = state[i, 3 + k]
        if kind[i] != FREE:
            continue
        w0, w1, w2 = state[i, 10], state[i, 11], state[i, 12]
        x = scratch[i, 0] * w0 + scratch[i, 3] * w1 + scratch[i, 6] * w2
        y = scratch[i, 1] * w0 + scratch[i, 4] * w1 + scratch[i, 7] * w2
        z = scratch[i, 2] * w0 + scratch[i, 5] * w1 + scratch[i, 8] * w2
        j = INERTIA
        spin = turned(
            scratch,
            i,
            body[i, j] * x + body[i, j + 1] * y + body[i, j + 2] * z,
            body[i, j + 3] * x + body[i, j + 4] * y + body[i, j + 5] * z,
            body[i, j + 6] * x + body[i, j + 7] * y + body[i, j + 8] * z,
        )
        mass = body[i, MASS]
        orbit = cross(state[i, 0], state[i, 1], state[i, 2], state[i, 7], state[i, 8], state[i, 9])
        for k in range(3):
            energy[0] += 0.5 * (mass * state[i, 7 + k] ** 2 + spin[k] * state[i, 10 + k])
            energy[1] -= mass * body[i, GRAVITY + k] * state[i, k]
            momentum[k] += mass * state[i, 7 + k]
            momentum[3 + k] += spin[k] + mass * orbit[k]
    for k in range(table.shape[0]):
        rate[k] = coordinate_rate(table, data, k, state, scratch)


@kernel(counted=False)
def hinge_wrenches(
    hinge_body: IntArray, hinge_row: IntArray, point: Array, rows: Array, scratch: Array, out: Array
) -> None:
    """Fill ``out`` (hinges, 6): force and moment on body A about the hinge's ``point`` of A.

    ``point`` (hinges, 3) is given from the mass centre in A's axes; ``rows`` holds Jacobian and
    multipliers of the last solve, ``scratch`` the rotations at the same state.
    """
    for h in range(hinge_body.shape[0]):
        for k in range(6):
            out[h, k] = 0.0
        for row in range(hinge_row[h], hinge_row[h + 1]):
            for k in range(6):
                out[h, k] += rows[row, MULTIPLIER] * rows[row, k]
        arm = turned(scratch, hinge_body[h, 0], point[h, 0], point[h, 1], point[h, 2])
        # so far about the mass centre: moved to the point, a wrench loses arm x force
        lost = cross(arm[0], arm[1], arm[2], out[h, 0], out[h, 1], out[h, 2])
        for k in range(3):
            out[h, 3 + k] -= lost[k]
