"""Constraint rows of hinges: gap g, Jacobian J and gamma in ``J dv = gamma``.

With c_A = R_A p_A, c_B = R_B p_B, d = x_A - x_B the vector between the two points and
u_B = (velocity of x_A) - (velocity of the point of B at x_A), a point of A on the surface
phi = 0 of B with gradient e and Hessian H (both in B) gives

    dg  = e . u_B
    ddg = e . (a_A - acceleration of B's point at x_A - 2 w_B x u_B) + u_B . H u_B

so that every surface needs only phi, e and u . H u. World axes, metres, seconds, radians.
Reference: Hoffmann & Hopcroft 1986, section 3.4 (the point-on-surface hinge).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.programs import run_program
from articulata.kernels.multibody.system import (
    BODY_A,
    BODY_B,
    CAM,
    CYLINDER,
    DIRECTION,
    GAMMA,
    GAP,
    HELICOID,
    KIND,
    NEXT,
    PLANE,
    POINT,
    POINT_Z,
    ROW_D,
    ROW_N_B,
    ROW_P_A,
    ROW_P_B,
    ROW_SIZE,
    SLIDE,
    TURN,
    System,
    Workspace,
)
from articulata.kernels.space_vectors import Vector


@kernel(counted=False, inline=True)
def rotations(state: Array, scratch: Array) -> None:
    """Fill the rotations, body to world, from quaternions of any non-zero length."""
    for i in range(state.shape[0]):
        a, b, c, d = state[i, 3], state[i, 4], state[i, 5], state[i, 6]
        s = 2.0 / (a * a + b * b + c * c + d * d)
        scratch[i, 0] = 1.0 - s * (c * c + d * d)
        scratch[i, 1] = s * (b * c - a * d)
        scratch[i, 2] = s * (b * d + a * c)
        scratch[i, 3] = s * (b * c + a * d)
        scratch[i, 4] = 1.0 - s * (b * b + d * d)
        scratch[i, 5] = s * (c * d - a * b)
        scratch[i, 6] = s * (b * d - a * c)
        scratch[i, 7] = s * (c * d + a * b)
        scratch[i, 8] = 1.0 - s * (b * b + c * c)


@kernel(counted=False, inline=True)
def turned(scratch: Array, body: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return a vector of the body (or of the world, -1) in world axes."""
    if body < 0:
        return x, y, z
    return (
        scratch[body, 0] * x + scratch[body, 1] * y + scratch[body, 2] * z,
        scratch[body, 3] * x + scratch[body, 4] * y + scratch[body, 5] * z,
        scratch[body, 6] * x + scratch[body, 7] * y + scratch[body, 8] * z,
    )


@kernel(counted=False, inline=True)
def cross(
    a0: float, a1: float, a2: float, b0: float, b1: float, b2: float
) -> tuple[float, float, float]:
    """Return a x b."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@kernel(counted=False, inline=True)
def motion(state: Array, body: int) -> tuple[float, float, float, float, float, float]:
    """Return velocity and rate of a body, zeros for the world."""
    if body < 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return (
        state[body, 7],
        state[body, 8],
        state[body, 9],
        state[body, 10],
        state[body, 11],
        state[body, 12],
    )


@kernel(counted=False, inline=True)
def place(state: Array, body: int) -> tuple[float, float, float]:
    """Return the mass centre of a body, the origin for the world."""
    if body < 0:
        return 0.0, 0.0, 0.0
    return state[body, 0], state[body, 1], state[body, 2]


class Rows(NamedTuple):
    """Rows of ``work`` that are filled from ``data`` at a ``state`` with its rotations."""

    data: Array
    state: Array
    scratch: Array
    work: Array


@kernel(counted=False)
def surface(
    kind: int, data: Array, row: int, d: Vector, n: Vector, t: Vector, u: Vector
) -> tuple[float, float, float, float, float]:
    """Return phi, its gradient e (world axes) and u . H u for a point at ``d`` from p_B.

    n is the surface's axis or normal, t the zero direction of a helicoid, u the velocity of
    the point relative to B.
    """
    size = data[row, ROW_SIZE]
    if kind == PLANE:
        phi = n[0] * d[0] + n[1] * d[1] + n[2] * d[2] - size
        return phi, n[0], n[1], n[2], 0.0
    if kind == HELICOID:
        # phi = x sin(z/k) - y cos(z/k): zero on both half-turns of the thread, never wraps
        bx, by, bz = cross(n[0], n[1], n[2], t[0], t[1], t[2])
        x = t[0] * d[0] + t[1] * d[1] + t[2] * d[2]
        y = bx * d[0] + by * d[1] + bz * d[2]
        z = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
        sine, cosine = math.sin(z / size), math.cos(z / size)
        phi = x * sine - y * cosine
        ez = (x * cosine + y * sine) / size
        ux = t[0] * u[0] + t[1] * u[1] + t[2] * u[2]
        uy = bx * u[0] + by * u[1] + bz * u[2]
        uz = n[0] * u[0] + n[1] * u[1] + n[2] * u[2]
        curve = (2.0 * uz * (ux * cosine + uy * sine) - uz * uz * phi / size) / size
        return (
            phi,
            t[0] * sine - bx * cosine + n[0] * ez,
            t[1] * sine - by * cosine + n[1] * ez,
            t[2] * sine - bz * cosine + n[2] * ez,
            curve,
        )
    along, across = 0.0, 0.0
    if kind == CYLINDER:
        along = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
        across = n[0] * u[0] + n[1] * u[1] + n[2] * u[2]
    x, y, z = d[0] - along * n[0], d[1] - along * n[1], d[2] - along * n[2]
    distance = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / distance, y / distance, z / distance
    radial = x * u[0] + y * u[1] + z * u[2]
    speed = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] - across * across
    return distance - size, x, y, z, (speed - radial * radial) / distance


@kernel(counted=False, inline=True)
def direction_row(rows: Rows, row: int, a: int, b: int) -> None:
    """Fill one row n_B . d_A = size."""
    data, state, scratch, work = rows
    n0, n1, n2 = turned(
        scratch, b, data[row, ROW_N_B], data[row, ROW_N_B + 1], data[row, ROW_N_B + 2]
    )
    d0, d1, d2 = turned(scratch, a, data[row, ROW_D], data[row, ROW_D + 1], data[row, ROW_D + 2])
    _, _, _, wa0, wa1, wa2 = motion(state, a)
    _, _, _, wb0, wb1, wb2 = motion(state, b)
    e0, e1, e2 = cross(d0, d1, d2, n0, n1, n2)
    work[row, GAP] = n0 * d0 + n1 * d1 + n2 * d2 - data[row, ROW_SIZE]
    for k in range(12):
        work[row, k] = 0.0
    work[row, 3], work[row, 4], work[row, 5] = e0, e1, e2
    work[row, 9], work[row, 10], work[row, 11] = -e0, -e1, -e2
    # u . de/dt with u = w_A - w_B and de/dt = (w_A x d) x n + d x (w_B x n)
    u0, u1, u2 = wa0 - wb0, wa1 - wb1, wa2 - wb2
    work[row, GAMMA] = (
        (u0 * u0 + u1 * u1 + u2 * u2) * (n0 * d0 + n1 * d1 + n2 * d2)
        + (u0 * n0 + u1 * n1 + u2 * n2) * (wb0 * d0 + wb1 * d1 + wb2 * d2)
        - (u0 * d0 + u1 * d1 + u2 * d2) * (wa0 * n0 + wa1 * n1 + wa2 * n2)
    )


@kernel(counted=False)
def surface_row(kind: int, rows: Rows, row: int, a: int, b: int) -> None:
    """Fill one row that keeps a point of A on a surface of B."""
    data, state, scratch, work = rows
    ca = turned(scratch, a, data[row, ROW_P_A], data[row, ROW_P_A + 1], data[row, ROW_P_A + 2])
    cb = turned(scratch, b, data[row, ROW_P_B], data[row, ROW_P_B + 1], data[row, ROW_P_B + 2])
    n = turned(scratch, b, data[row, ROW_N_B], data[row, ROW_N_B + 1], data[row, ROW_N_B + 2])
    t = turned(scratch, b, data[row, ROW_D], data[row, ROW_D + 1], data[row, ROW_D + 2])
    ra, rb = place(state, a), place(state, b)
    va0, va1, va2, wa0, wa1, wa2 = motion(state, a)
    vb0, vb1, vb2, wb0, wb1, wb2 = motion(state, b)
    # arm from B's mass centre to the point of A: the force acts there on both bodies
    s = (ra[0] + ca[0] - rb[0], ra[1] + ca[1] - rb[1], ra[2] + ca[2] - rb[2])
    d = (s[0] - cb[0], s[1] - cb[1], s[2] - cb[2])
    xa = cross(wa0, wa1, wa2, ca[0], ca[1], ca[2])
    xb = cross(wb0, wb1, wb2, s[0], s[1], s[2])
    u = (va0 + xa[0] - vb0 - xb[0], va1 + xa[1] - vb1 - xb[1], va2 + xa[2] - vb2 - xb[2])
    phi, e0, e1, e2, curve = surface(kind, data, row, d, n, t, u)
    ta = cross(ca[0], ca[1], ca[2], e0, e1, e2)
    tb = cross(s[0], s[1], s[2], e0, e1, e2)
    work[row, GAP] = phi
    work[row, 0], work[row, 1], work[row, 2] = e0, e1, e2
    work[row, 3], work[row, 4], work[row, 5] = ta[0], ta[1], ta[2]
    work[row, 6], work[row, 7], work[row, 8] = -e0, -e1, -e2
    work[row, 9], work[row, 10], work[row, 11] = -tb[0], -tb[1], -tb[2]
    ya = cross(wa0, wa1, wa2, xa[0], xa[1], xa[2])
    yb = cross(wb0, wb1, wb2, xb[0], xb[1], xb[2])
    coriolis = cross(wb0, wb1, wb2, u[0], u[1], u[2])
    work[row, GAMMA] = -(
        e0 * (ya[0] - yb[0] - 2.0 * coriolis[0])
        + e1 * (ya[1] - yb[1] - 2.0 * coriolis[1])
        + e2 * (ya[2] - yb[2] - 2.0 * coriolis[2])
        + curve
    )


@kernel(counted=False, inline=True)
def point_rows(rows: Rows, row: int, a: int, b: int) -> None:
    """Fill three rows: p_A and p_B coincide, in world axes."""
    data, state, scratch, work = rows
    for k in range(3):
        work[row + k, GAP] = 0.0
        work[row + k, GAMMA] = 0.0
        for j in range(12):
            work[row + k, j] = 0.0
    sign = 1.0
    for side in range(2):
        body = a if side == 0 else b
        at = ROW_P_A if side == 0 else ROW_P_B
        if body < 0:
            for k in range(3):
                work[row + k, GAP] += sign * data[row, at + k]
        else:
            c0, c1, c2 = turned(scratch, body, data[row, at], data[row, at + 1], data[row, at + 2])
            w0, w1, w2 = state[body, 10], state[body, 11], state[body, 12]
            work[row, GAP] += sign * (state[body, 0] + c0)
            work[row + 1, GAP] += sign * (state[body, 1] + c1)
            work[row + 2, GAP] += sign * (state[body, 2] + c2)
            wc = w0 * c0 + w1 * c1 + w2 * c2
            ww = w0 * w0 + w1 * w1 + w2 * w2
            work[row, GAMMA] -= sign * (w0 * wc - c0 * ww)
            work[row + 1, GAMMA] -= sign * (w1 * wc - c1 * ww)
            work[row + 2, GAMMA] -= sign * (w2 * wc - c2 * ww)
            col = 6 * side
            work[row, col] = sign
            work[row + 1, col + 1] = sign
            work[row + 2, col + 2] = sign
            work[row, col + 4] = sign * c2
            work[row, col + 5] = -sign * c1
            work[row + 1, col + 3] = -sign * c2
            work[row + 1, col + 5] = sign * c0
            work[row + 2, col + 3] = sign * c1
            work[row + 2, col + 4] = -sign * c0
        sign = -1.0


@kernel(counted=False)
def coupling_row(kind: int, rows: Rows, row: int, a: int, b: int) -> None:
    """Fill one row of a coupling: the rate about, or the speed along, a vector n_B of any length.

    d(n . (w_A - w_B)) = n . (dw_A - dw_B) + (w_A - w_B) . (w_B x n).
    """
    data, state, scratch, work = rows
    if kind == SLIDE:
        surface_row(PLANE, rows, row, a, b)
    else:
        n = turned(scratch, b, data[row, ROW_N_B], data[row, ROW_N_B + 1], data[row, ROW_N_B + 2])
        wa, wb = motion(state, a)[3:], motion(state, b)[3:]
        e = cross(wb[0], wb[1], wb[2], n[0], n[1], n[2])
        work[row, GAMMA] = 0.0
        for k in range(3):
            work[row, k] = work[row, 6 + k] = 0.0
            work[row, 3 + k], work[row, 9 + k] = n[k], -n[k]
            work[row, GAMMA] -= (wa[k] - wb[k]) * e[k]
    work[row, GAP] = 0.0


class Laws(NamedTuple):
    """Programs of cams in ``code`` with their ``constants``, and a ``stack`` to run them on."""

    code: IntArray
    constants: Array
    stack: Array


@kernel(counted=False)
def cam_row(rows: Rows, laws: Laws, row: int, a: int, b: int) -> None:
    """Fill the row of a cam's angle, slope times rate: ``d(s' w) = s' dw + s'' w^2``."""
    data, state, scratch, work = rows
    code, constants, stack = laws
    coupling_row(TURN, rows, row, a, b)
    n = (work[row, 3], work[row, 4], work[row, 5])
    x = turned(scratch, b, data[row, ROW_P_B], data[row, ROW_P_B + 1], data[row, ROW_P_B + 2])
    z = turned(scratch, a, data[row, ROW_P_A], data[row, ROW_P_A + 1], data[row, ROW_P_A + 2])
    y = cross(n[0], n[1], n[2], x[0], x[1], x[2])
    angle = math.atan2(
        y[0] * z[0] + y[1] * z[1] + y[2] * z[2], x[0] * z[0] + x[1] * z[1] + x[2] * z[2]
    )
    first, middle, last = data[row, ROW_D], data[row, ROW_D + 1], data[row, ROW_D + 2]
    slope = run_program(code, int(first), int(middle), constants, stack, 0.0, angle, 0.0, constants)
    bend = run_program(code, int(middle), int(last), constants, stack, 0.0, angle, 0.0, constants)
    wa, wb = motion(state, a)[3:], motion(state, b)[3:]
    rate = n[0] * (wa[0] - wb[0]) + n[1] * (wa[1] - wb[1]) + n[2] * (wa[2] - wb[2])
    for k in range(12):
        work[row, k] *= slope
    work[row, GAMMA] = slope * work[row, GAMMA] - bend * rate * rate


@kernel(counted=False, apart=True)
def evaluate_rows(
    table: IntArray,
    data: Array,
    laws: Laws,
    state: Array,
    scratch: Array,
    work: Array,
) -> None:
    """Fill rotations, then Jacobian, gap and gamma of every row, at the given state."""
    rotations(state, scratch)
    rows = Rows(data, state, scratch, work)
    for row in range(table.shape[0]):
        kind, a, b = table[row, KIND], table[row, BODY_A], table[row, BODY_B]
        if kind == POINT:
            point_rows(rows, row, a, b)
        elif kind == DIRECTION:
            direction_row(rows, row, a, b)
        elif kind in (TURN, SLIDE):
            coupling_row(kind, rows, row, a, b)
        elif kind == CAM:
            cam_row(rows, laws, row, a, b)
        elif kind > POINT_Z:
            surface_row(kind, rows, row, a, b)
    for row in range(table.shape[0] - 1, -1, -1):
        if table[row, NEXT] >= 0:
            work[row, GAMMA] += work[table[row, NEXT], GAMMA]


@kernel(counted=False, inline=True)
def fill_rows(system: System, work: Workspace, state: Array) -> None:
    """Fill the rows of a workspace at ``state``."""
    laws = Laws(system.code, system.constants, work.stack)
    evaluate_rows(system.row, system.row_data, laws, state, work.body, work.row)
