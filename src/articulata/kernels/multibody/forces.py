"""Wrenches on the bodies: gravity, gyroscopic torque, springs, force programs, inputs.

World axes, at the mass centres. A positive pull draws the two points together.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.balance_moments import bound_moments
from articulata.kernels.multibody.programs import STACK, run_program
from articulata.kernels.multibody.rows import cross, motion, place, turned
from articulata.kernels.multibody.system import (
    AXIS,
    BALANCE,
    BUSHING,
    FORCE,
    FORCE_AXIS,
    FORCE_CONSTANTS,
    FORCE_P_A,
    FORCE_P_B,
    FREE,
    GRAVITY,
    INERTIA,
    LINE,
    MASS,
    ROPE,
    SPRING,
    STRAND,
    THRUST,
    System,
    Workspace,
)
from articulata.kernels.space_vectors import Vector


@kernel(counted=False)
def add_wrench(
    scratch: Array,
    body: int,
    sign: float,
    f: tuple[float, float, float],
    c: tuple[float, float, float],
) -> None:
    """Add sign * f acting at c from the body's mass centre."""
    if body >= 0:
        t = cross(c[0], c[1], c[2], f[0], f[1], f[2])
        for k in range(3):
            scratch[body, FORCE + k] += sign * f[k]
            scratch[body, FORCE + 3 + k] += sign * t[k]


@kernel(counted=False)
def line_between(
    system: System, scratch: Array, f: int, state: Array
) -> tuple[Vector, float, float, Vector, Vector]:
    """Return the direction from B's point to A's, distance, its rate, and both arms."""
    data = system.force_data
    a, b = system.force_body[f, 0], system.force_body[f, 1]
    ca = turned(scratch, a, data[f, FORCE_P_A], data[f, FORCE_P_A + 1], data[f, FORCE_P_A + 2])
    cb = turned(scratch, b, data[f, FORCE_P_B], data[f, FORCE_P_B + 1], data[f, FORCE_P_B + 2])
    ra, rb = place(state, a), place(state, b)
    va0, va1, va2, wa0, wa1, wa2 = motion(state, a)
    vb0, vb1, vb2, wb0, wb1, wb2 = motion(state, b)
    xa, xb = cross(wa0, wa1, wa2, ca[0], ca[1], ca[2]), cross(wb0, wb1, wb2, cb[0], cb[1], cb[2])
    d0, d1, d2 = (
        ra[0] + ca[0] - rb[0] - cb[0],
        ra[1] + ca[1] - rb[1] - cb[1],
        ra[2] + ca[2] - rb[2] - cb[2],
    )
    length = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    inverse = 1.0 / length if length > 0.0 else 0.0  # no direction: no force
    d0, d1, d2 = d0 * inverse, d1 * inverse, d2 * inverse
    speed = (
        d0 * (va0 + xa[0] - vb0 - xb[0])
        + d1 * (va1 + xa[1] - vb1 - xb[1])
        + d2 * (va2 + xa[2] - vb2 - xb[2])
    )
    return (d0, d1, d2), length, speed, ca, cb


@kernel(counted=False)
def rope_pull(
    system: System, work: Workspace, f: int, state: Array, t: float, signal: Array
) -> tuple[float, float]:
    """Return tension of a rope and rate of its length; ``f`` is any of its parts."""
    while system.force_kind[f] == STRAND:
        f -= 1
    start, end = system.force_code[f], system.force_code[f + 1]
    length, speed, part = system.force_data[f, FORCE_CONSTANTS + 2], 0.0, f
    while part == f or (part < system.force_kind.shape[0] and system.force_kind[part] == STRAND):
        _, one, rate, _, _ = line_between(system, work.body, part, state)
        length, speed, part = length + one, speed + rate, part + 1
    pull = run_program(
        system.code, start, end, system.constants, work.stack, t, length, speed, signal
    )
    return pull, speed


@kernel(counted=False)
def remembered(system: System, work: Workspace, f: int, state: Array) -> int:
    """Put what an element remembers where its program finds it.

    Return the row whose rate it gives, -1 where it gives a force.
    """
    row = int(system.force_data[f, FORCE_CONSTANTS]) - 1
    if row < 0:
        return -1
    work.stack[STACK] = state[row, 7]
    return row if system.force_data[f, FORCE_CONSTANTS + 1] == 1.0 else -1


@kernel(counted=False)
def pull_between(
    system: System, work: Workspace, f: int, state: Array, t: float, signal: Array
) -> None:
    """Add the force of a SPRING or LINE element, or of a part of a rope."""
    data, scratch = system.force_data, work.body
    a, b = system.force_body[f, 0], system.force_body[f, 1]
    d, length, speed, ca, cb = line_between(system, scratch, f, state)
    if system.force_kind[f] == SPRING:
        stiffness, damping = data[f, FORCE_CONSTANTS], data[f, FORCE_CONSTANTS + 1]
        pull = stiffness * (length - data[f, FORCE_CONSTANTS + 2]) + damping * speed
    elif system.force_kind[f] == LINE:
        start, end = system.force_code[f], system.force_code[f + 1]
        row = remembered(system, work, f, state)
        pull = run_program(
            system.code, start, end, system.constants, work.stack, t, length, speed, signal
        )
        if row >= 0:
            scratch[row, FORCE] += pull
            return
    else:
        pull, _ = rope_pull(system, work, f, state, t, signal)
    add_wrench(scratch, a, -1.0, (pull * d[0], pull * d[1], pull * d[2]), ca)
    add_wrench(scratch, b, 1.0, (pull * d[0], pull * d[1], pull * d[2]), cb)


@kernel(counted=False)
def angle_between(system: System, work: Workspace, f: int) -> float:
    """Return the angle about the element's axis from B's reference direction to A's.

    Unwound: the value nearest to ``work.turns[f]``, which is brought up to date.
    """
    data, scratch = system.force_data, work.body
    a, b = system.force_body[f, 0], system.force_body[f, 1]
    n = turned(scratch, b, data[f, FORCE_AXIS], data[f, FORCE_AXIS + 1], data[f, FORCE_AXIS + 2])
    x = turned(scratch, b, data[f, FORCE_P_B], data[f, FORCE_P_B + 1], data[f, FORCE_P_B + 2])
    z = turned(scratch, a, data[f, FORCE_P_A], data[f, FORCE_P_A + 1], data[f, FORCE_P_A + 2])
    y = cross(n[0], n[1], n[2], x[0], x[1], x[2])
    angle = math.atan2(
        y[0] * z[0] + y[1] * z[1] + y[2] * z[2], x[0] * z[0] + x[1] * z[1] + x[2] * z[2]
    )
    angle += 2.0 * math.pi * math.floor((work.turns[f] - angle) / (2.0 * math.pi) + 0.5)
    work.turns[f] = angle
    return angle


@kernel(counted=False)
def twist_between(
    system: System, work: Workspace, f: int, state: Array, t: float, signal: Array
) -> None:
    """Add the torque of a TWIST or AXIS element."""
    data, scratch = system.force_data, work.body
    a, b = system.force_body[f, 0], system.force_body[f, 1]
    n = turned(scratch, b, data[f, FORCE_AXIS], data[f, FORCE_AXIS + 1], data[f, FORCE_AXIS + 2])
    _, _, _, wa0, wa1, wa2 = motion(state, a)
    _, _, _, wb0, wb1, wb2 = motion(state, b)
    speed = n[0] * (wa0 - wb0) + n[1] * (wa1 - wb1) + n[2] * (wa2 - wb2)
    angle = angle_between(system, work, f)
    if system.force_kind[f] == AXIS:
        start, end = system.force_code[f], system.force_code[f + 1]
        row = remembered(system, work, f, state)
        torque = run_program(
            system.code, start, end, system.constants, work.stack, t, angle, speed, signal
        )
        if row >= 0:
            scratch[row, FORCE] += torque
            return
    else:
        c = FORCE_CONSTANTS
        torque = data[f, c + 3] - data[f, c] * (angle - data[f, c + 2]) - data[f, c + 1] * speed
    for k in range(3):
        if a >= 0:
            scratch[a, FORCE + 3 + k] += torque * n[k]
        if b >= 0:
            scratch[b, FORCE + 3 + k] -= torque * n[k]


@kernel(counted=False)
def thrust_along(
    system: System, work: Workspace, f: int, state: Array, t: float, signal: Array
) -> None:
    """Add the force of a THRUST element."""
    data, scratch = system.force_data, work.body
    a, b = system.force_body[f, 0], system.force_body[f, 1]
    n = turned(scratch, b, data[f, FORCE_AXIS], data[f, FORCE_AXIS + 1], data[f, FORCE_AXIS + 2])
    ca = turned(scratch, a, data[f, FORCE_P_A], data[f, FORCE_P_A + 1], data[f, FORCE_P_A + 2])
    ra, rb = place(state, a), place(state, b)
    cb = (ra[0] + ca[0] - rb[0], ra[1] + ca[1] - rb[1], ra[2] + ca[2] - rb[2])
    start, end = system.force_code[f], system.force_code[f + 1]
    x = run_program(system.code, start, end, system.constants, work.stack, t, 0.0, 0.0, signal)
    add_wrench(scratch, a, 1.0, (x * n[0], x * n[1], x * n[2]), ca)
    add_wrench(scratch, b, -1.0, (x * n[0], x * n[1], x * n[2]), cb)


@kernel(counted=False)
def frame_of(system: System, scratch: Array, f: int, side: int) -> tuple[Vector, Vector, Vector]:
    """Return the axes of a bushing's frame on A (side 0) or B (side 1), in the world."""
    body, at = system.force_body[f, side], system.force_code[f] + 12 + 9 * side
    m = system.constants
    i = system.code[at, 1]  # constants of one program lie one after the other
    return (
        turned(scratch, body, m[i], m[i + 3], m[i + 6]),
        turned(scratch, body, m[i + 1], m[i + 4], m[i + 7]),
        turned(scratch, body, m[i + 2], m[i + 5], m[i + 8]),
    )


@kernel(counted=False)
def dot(a: Vector, b: Vector) -> float:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(counted=False)
def rotation_vector(a: tuple[Vector, Vector, Vector], b: tuple[Vector, Vector, Vector]) -> Vector:
    """Return the turn of axes ``a`` from axes ``b``, below half a turn, in ``b`` (rad)."""
    cosine = 0.5 * (dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2]) - 1.0)
    x = 0.5 * (dot(a[1], b[2]) - dot(a[2], b[1]))
    y = 0.5 * (dot(a[2], b[0]) - dot(a[0], b[2]))
    z = 0.5 * (dot(a[0], b[1]) - dot(a[1], b[0]))
    sine = math.sqrt(x * x + y * y + z * z)
    by = math.atan2(sine, cosine) / sine if sine > 1e-8 else 1.0
    return by * x, by * y, by * z


@kernel(counted=False)
def bushing_between(system: System, work: Workspace, f: int, state: Array) -> float:
    """Add the wrench of a BUSHING; return what its dampers take, W.

    With d and u place and velocity of A's point in B's frame, r the rotation vector and s its rate,
    the force is -K d - C u and the moment that of the power -(K r + C s) . s: the springs give back
    what they were given.
    """
    data, scratch = system.force_data, work.body
    k = system.code[system.force_code[f], 1]
    c = system.constants
    a, b = system.force_body[f, 0], system.force_body[f, 1]
    ca = turned(scratch, a, data[f, FORCE_P_A], data[f, FORCE_P_A + 1], data[f, FORCE_P_A + 2])
    cb = turned(scratch, b, data[f, FORCE_P_B], data[f, FORCE_P_B + 1], data[f, FORCE_P_B + 2])
    A, B = frame_of(system, scratch, f, 0), frame_of(system, scratch, f, 1)
    ra, rb = place(state, a), place(state, b)
    va0, va1, va2, wa0, wa1, wa2 = motion(state, a)
    vb0, vb1, vb2, wb0, wb1, wb2 = motion(state, b)
    arm = (ra[0] + ca[0] - rb[0], ra[1] + ca[1] - rb[1], ra[2] + ca[2] - rb[2])
    xa, xb = cross(wa0, wa1, wa2, ca[0], ca[1], ca[2]), cross(wb0, wb1, wb2, arm[0], arm[1], arm[2])
    way = (arm[0] - cb[0], arm[1] - cb[1], arm[2] - cb[2])
    u = (va0 + xa[0] - vb0 - xb[0], va1 + xa[1] - vb1 - xb[1], va2 + xa[2] - vb2 - xb[2])
    w = (wa0 - wb0, wa1 - wb1, wa2 - wb2)
    r = rotation_vector(A, B)
    spun = (dot(B[0], w), dot(B[1], w), dot(B[2], w))
    s = rotation_rate(r, spun, 1.0)
    taken, pull, turn = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    lead = (
        -c[k + 3] * r[0] - c[k + 9] * s[0],
        -c[k + 4] * r[1] - c[k + 10] * s[1],
        -c[k + 5] * r[2] - c[k + 11] * s[2],
    )
    m = rotation_rate(r, lead, -1.0)
    for j in range(3):
        e, speed = B[j], dot(B[j], u)
        x = -c[k + j] * dot(e, way) - c[k + 6 + j] * speed
        taken += c[k + 6 + j] * speed * speed + c[k + 9 + j] * s[j] * s[j]
        pull = (pull[0] + x * e[0], pull[1] + x * e[1], pull[2] + x * e[2])
        turn = (turn[0] + m[j] * e[0], turn[1] + m[j] * e[1], turn[2] + m[j] * e[2])
    add_wrench(scratch, a, 1.0, pull, ca)
    add_wrench(scratch, b, -1.0, pull, arm)
    for j in range(3):
        if a >= 0:
            scratch[a, FORCE + 3 + j] += turn[j]
        if b >= 0:
            scratch[b, FORCE + 3 + j] -= turn[j]
    return taken


@kernel(counted=False)
def rotation_rate(r: Vector, w: Vector, sign: float) -> Vector:
    """Return the rate of rotation vector r at a rate w of the turn; for sign -1 its transpose's.

    w - sign r x w / 2 + (1 - (x/2) cot(x/2))/x^2 r x (r x w), x = |r| (J. Sola, J. Deray and D.
    Atchuthan, *A micro Lie theory*, 2018, (146)).
    """
    square = dot(r, r)
    by = 1.0 / 12.0 + square / 720.0
    if square > 1e-4:
        half = 0.5 * math.sqrt(square)
        by = (1.0 - half / math.tan(half)) / square
    p = cross(r[0], r[1], r[2], w[0], w[1], w[2])
    q = cross(r[0], r[1], r[2], p[0], p[1], p[2])
    h = 0.5 * sign
    return (
        w[0] - h * p[0] + by * q[0],
        w[1] - h * p[1] + by * q[1],
        w[2] - h * p[2] + by * q[2],
    )


@kernel(counted=False, inline=True)
def body_forces(body: Array, kind: IntArray, state: Array, applied: Array, scratch: Array) -> None:
    """Set FORCE to weight, gyroscopic torque -w x (J w) and the applied wrenches."""
    for i in range(body.shape[0]):
        for k in range(6):
            scratch[i, FORCE + k] = applied[i, k]
        if kind[i] != FREE:
            continue
        for k in range(3):
            scratch[i, FORCE + k] += body[i, MASS] * body[i, GRAVITY + k]
        w0, w1, w2 = state[i, 10], state[i, 11], state[i, 12]
        x = scratch[i, 0] * w0 + scratch[i, 3] * w1 + scratch[i, 6] * w2
        y = scratch[i, 1] * w0 + scratch[i, 4] * w1 + scratch[i, 7] * w2
        z = scratch[i, 2] * w0 + scratch[i, 5] * w1 + scratch[i, 8] * w2
        h0 = body[i, INERTIA] * x + body[i, INERTIA + 1] * y + body[i, INERTIA + 2] * z
        h1 = body[i, INERTIA + 3] * x + body[i, INERTIA + 4] * y + body[i, INERTIA + 5] * z
        h2 = body[i, INERTIA + 6] * x + body[i, INERTIA + 7] * y + body[i, INERTIA + 8] * z
        t0, t1, t2 = h1 * z - h2 * y, h2 * x - h0 * z, h0 * y - h1 * x  # (J w) x w, body axes
        for k in range(3):
            scratch[i, FORCE + 3 + k] += (
                scratch[i, 3 * k] * t0 + scratch[i, 3 * k + 1] * t1 + scratch[i, 3 * k + 2] * t2
            )


@kernel(counted=False)
def element_forces(system: System, work: Workspace, state: Array, t: float, signal: Array) -> None:
    """Add the wrenches of all springs and force programs; rotations must be fresh."""
    for f in range(system.force_kind.shape[0]):
        if system.force_kind[f] in (SPRING, LINE, ROPE, STRAND):
            pull_between(system, work, f, state, t, signal)
        elif system.force_kind[f] == THRUST:
            thrust_along(system, work, f, state, t, signal)
        elif system.force_kind[f] == BUSHING:
            bushing_between(system, work, f, state)
        elif system.force_kind[f] == BALANCE:
            first, last = system.force_code[f], system.force_code[f + 1]
            table = system.constants[system.code[first, 1] : system.code[last - 1, 1] + 1]
            bound_moments(table, state, work.body, signal)
        else:
            twist_between(system, work, f, state, t, signal)
