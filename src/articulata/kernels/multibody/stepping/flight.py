"""Free motion of bodies that nothing holds, and where pieces stand in the middle of a step.

A body in flight keeps its energy and its moment of momentum to rounding: its momentum in body axes
turns by exp(-h w), w the mean of the rates at both ends (Simo and Wong, Int. J. Numer. Methods
Eng. 31 (1991) 19). World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import stand
from articulata.kernels.multibody.project import turn
from articulata.kernels.multibody.rows import cross, rotations
from articulata.kernels.multibody.stepping.step_scene import Contacts, Scene
from articulata.kernels.multibody.system import GRAVITY, INERTIA, System

ROUNDS = 20
"""Most iterations for the rate at the end of a step."""

TURN, MOST_PARTS = 0.05, 100_000
"""Angle (rad) that a body turns by in one part of a step at most, and most parts."""

LITTLE = 0.01
"""Angle (rad) beyond which a part is made of three steps, of the shares AHEAD, 1 - 2 AHEAD, AHEAD.

So composed a symmetric step of second order is one of fourth (Yoshida, Phys. Lett. A 150 (1990)
262), and what each of them keeps is kept.
"""

AHEAD = 1.0 / (2.0 - 2.0 ** (1.0 / 3.0))

Vector = tuple[float, float, float]


@kernel(counted=False)
def spun(q: tuple[float, float, float, float], v: Vector) -> Vector:
    """Return a vector of the body in world axes, q being its orientation, w first."""
    w, x, y, z = q
    t = cross(x, y, z, v[0], v[1], v[2])
    s = cross(x, y, z, t[0] + w * v[0], t[1] + w * v[1], t[2] + w * v[2])
    return v[0] + 2.0 * s[0], v[1] + 2.0 * s[1], v[2] + 2.0 * s[2]


@kernel(counted=False)
def times(rows: Array, i: int, first: int, v: Vector) -> Vector:
    """Return the 3 x 3 matrix that starts at column ``first`` of row i, times v."""
    return (
        rows[i, first] * v[0] + rows[i, first + 1] * v[1] + rows[i, first + 2] * v[2],
        rows[i, first + 3] * v[0] + rows[i, first + 4] * v[1] + rows[i, first + 5] * v[2],
        rows[i, first + 6] * v[0] + rows[i, first + 7] * v[1] + rows[i, first + 8] * v[2],
    )


@kernel(counted=False)
def rolled(turn_by: Vector, v: Vector) -> Vector:
    """Return v turned by a rotation vector (rad)."""
    x, y, z = turn_by
    angle = math.sqrt(x * x + y * y + z * z)
    half = 0.5 * angle
    s = math.sin(half) / angle if angle > 1e-4 else 0.5 - half * half / 12.0
    return spun((math.cos(half), s * x, s * y, s * z), v)


@kernel(counted=False)
def fly(system: System, scene: Scene, h: float, state: Array) -> None:
    """Move the bodies that nothing holds by h along their parabolas, in place.

    What turns far in a step turns in parts.
    """
    body = system.body
    for i in range(state.shape[0]):
        if scene.free[i] == 0:
            continue
        for k in range(3):
            g = body[i, GRAVITY + k]
            state[i, k] += h * (state[i, 7 + k] + 0.5 * h * g)
            state[i, 7 + k] += h * g
        w = state[i, 10], state[i, 11], state[i, 12]
        if w[0] == 0.0 and w[1] == 0.0 and w[2] == 0.0:
            continue
        rate = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        parts = max(1, min(MOST_PARTS, math.ceil(h * rate / TURN)))
        part = h / parts
        for _ in range(parts):
            if part * rate <= LITTLE:
                turn_free(system, scene, part, i, state)
                continue
            turn_free(system, scene, AHEAD * part, i, state)
            turn_free(system, scene, (1.0 - 2.0 * AHEAD) * part, i, state)
            turn_free(system, scene, AHEAD * part, i, state)


@kernel(counted=False)
def solved(a: Vector, b: Vector, c: Vector, d: Vector) -> Vector:
    """Return the numbers by which a, b and c add up to d (Cramer's rule)."""
    bc = cross(b[0], b[1], b[2], c[0], c[1], c[2])
    ca = cross(c[0], c[1], c[2], a[0], a[1], a[2])
    ab = cross(a[0], a[1], a[2], b[0], b[1], b[2])
    whole = a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2]
    return (
        (d[0] * bc[0] + d[1] * bc[1] + d[2] * bc[2]) / whole,
        (d[0] * ca[0] + d[1] * ca[1] + d[2] * ca[2]) / whole,
        (d[0] * ab[0] + d[1] * ab[1] + d[2] * ab[2]) / whole,
    )


@kernel(counted=False)
def turning_on(scene: Scene, i: int, h: float, mean: Vector, L1: Vector, e: Vector) -> Vector:
    """Return how half of the rate at the end of a step changes as the mean rate does along ``e``.

    Of exp(-h mean) L0 = ``L1``, by the left Jacobian of the turn.
    """
    p = (-h * mean[0], -h * mean[1], -h * mean[2])
    square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    angle = math.sqrt(square)
    first, second = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    if angle > 1e-2:
        first = (1.0 - math.cos(angle)) / square
        second = (angle - math.sin(angle)) / (angle * square)
    c = cross(p[0], p[1], p[2], e[0], e[1], e[2])
    d = cross(p[0], p[1], p[2], c[0], c[1], c[2])
    half = 0.5 * h
    x, y, z = cross(
        half * L1[0], half * L1[1], half * L1[2],
        e[0] + first * c[0] + second * d[0],
        e[1] + first * c[1] + second * d[1],
        e[2] + first * c[2] + second * d[2],
    )  # fmt: skip
    return times(scene.inverse, i, 0, (x, y, z))


@kernel(counted=False)
def turn_free(system: System, scene: Scene, h: float, i: int, state: Array) -> None:
    """Turn one body that nothing holds by its free rotation over h, in place."""
    body = system.body
    w = state[i, 10], state[i, 11], state[i, 12]
    q = state[i, 3], state[i, 4], state[i, 5], state[i, 6]
    back = q[0], -q[1], -q[2], -q[3]
    w0 = spun(back, w)
    L0 = times(body, i, INERTIA, w0)
    x, y, z = cross(w0[0], w0[1], w0[2], L0[0], L0[1], L0[2])
    mean = w0
    if x * x + y * y + z * z > 1e-28 * (L0[0] ** 2 + L0[1] ** 2 + L0[2] ** 2) * (
        w0[0] ** 2 + w0[1] ** 2 + w0[2] ** 2
    ):
        for _ in range(ROUNDS):
            # Newton's method: slender bodies turn about their axis as little of L turns into it
            L1 = rolled((-h * mean[0], -h * mean[1], -h * mean[2]), L0)
            w1 = times(scene.inverse, i, 0, L1)
            off = (
                0.5 * (w0[0] + w1[0]) - mean[0],
                0.5 * (w0[1] + w1[1]) - mean[1],
                0.5 * (w0[2] + w1[2]) - mean[2],
            )
            u = turning_on(scene, i, h, mean, L1, (1.0, 0.0, 0.0))
            v = turning_on(scene, i, h, mean, L1, (0.0, 1.0, 0.0))
            w = turning_on(scene, i, h, mean, L1, (0.0, 0.0, 1.0))
            x, y, z = solved(
                (1.0 - u[0], -u[1], -u[2]), (-v[0], 1.0 - v[1], -v[2]),
                (-w[0], -w[1], 1.0 - w[2]), off,
            )  # fmt: skip
            mean = mean[0] + x, mean[1] + y, mean[2] + z
            change = abs(x) + abs(y) + abs(z)
            if change <= 1e-15 * (abs(mean[0]) + abs(mean[1]) + abs(mean[2])):
                break
        w1 = (2.0 * mean[0] - w0[0], 2.0 * mean[1] - w0[1], 2.0 * mean[2] - w0[2])
        m = spun(q, mean)
        turn(state, i, h * m[0], h * m[1], h * m[2])
        q = state[i, 3], state[i, 4], state[i, 5], state[i, 6]
        state[i, 10], state[i, 11], state[i, 12] = spun(q, w1)
    else:
        turn(state, i, h * w[0], h * w[1], h * w[2])


@kernel(counted=False)
def stand_halfway(scene: Scene, contacts: Contacts, h: float) -> None:
    """Let the pieces stand where the velocities at the start take them in half a step."""
    poses, middle, start = contacts.poses, contacts.middle, contacts.start
    for i in range(start.shape[0]):
        for k in range(3):
            middle[i, k] = start[i, k] + 0.5 * h * start[i, 7 + k]
        for k in range(4):
            middle[i, 3 + k] = start[i, 3 + k]
        half = 0.5 * h
        turn(middle, i, half * start[i, 10], half * start[i, 11], half * start[i, 12])
        for k in range(4):
            poses[i, 3 + k] = middle[i, 3 + k]
    rotations(middle, contacts.rotation)
    for i in range(start.shape[0]):
        arm = times(
            contacts.rotation, i, 0, (scene.center[i, 0], scene.center[i, 1], scene.center[i, 2])
        )
        for k in range(3):
            poses[i, k] = middle[i, k] - arm[k]
    stand(scene.pieces, poses, contacts.now)
