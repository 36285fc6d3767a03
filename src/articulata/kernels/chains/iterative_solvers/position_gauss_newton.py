"""Damped Gauss-Newton with active limits, on lanes: position of a tip point.

One step solves ``(J J^T + lambda) u = e`` (3 x 3, closed form) and moves the joints by
``J^T u``. Joints at a limit and pushed outward by the gradient take no part; the others are
clamped after the step. Damping is proportional to the squared error, so that convergence is
quadratic in the end. Angles are held as (cos, sin) and turned by ``2 atan(dq / 2)``: no
trigonometry. Rows and units as in ``coordinate_descent``. The target may be an area around the
point (see ``target_areas``): each step aims at the area's point nearest to the tip, and lets that
point slide.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.chains.iterative_solvers.coordinate_descent import (
    CH,
    KIND,
    MC,
    MS,
    ROWS,
    SH,
    A,
    D,
    back_through,
    clamp_turn,
)
from articulata.kernels.chains.iterative_solvers.target_areas import (
    POINT,
    STANDING,
    freedom_in_area,
    in_area,
)
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    any_lane,
    fill,
    load,
    maximum,
    minimum,
    store,
    where,
)

LARGEST_STEP = 0.8
"""Most that a joint turns in one step, rad (a prismatic joint: this share of the reach)."""

DAMPING = 0.2
"""Damping per squared error; larger is safer far from the target and slower."""

AIM, ERROR_ROWS = 2, 5
"""Where the point aimed at begins in the rows of errors, and how many rows these are."""


POSES = np.zeros((1, 1, 1))
"""Stands for an area where poses are asked: compiled code is told by the number of its axes."""


class Arm(NamedTuple):
    """A chain as its kernels read it.

    ``table`` (n, 10) and ``tip`` (3, 4) as in ``dh_table``; ``area`` around places (see
    ``target_areas``), ``POSES`` where poses are asked; ``limits`` (n, 3): middle, lower and upper
    value of each joint, rad or m; ``unit`` of the table, m.
    """

    table: Any
    tip: Any
    area: Any
    limits: Any
    unit: float


class Rows(NamedTuple):
    """Rows that a kernel works on: 8 n of ``work``, 3 or 12 of ``goal``, 5 of ``error2``.

    And 27 of the ``system`` of a pose.
    """

    work: Any
    goal: Any
    error2: Any
    system: Any


class How(NamedTuple):
    """How targets are searched: squared errors that are near enough, and the numbers of steps.

    ``damping``: the least of it. A start begins with ``sweeps`` of coordinate descent; of its
    ``steps``, batches of ``opening`` come first, then such of ``batch``. It is given up when a
    batch leaves more than the share ``patience`` of the squared error.
    """

    enough2: Any
    enough_chord2: Any
    damping: Any
    patience: float
    sweeps: int
    steps: int
    opening: int
    batch: int


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def start_frame(work: Any) -> Any:
    """Return the base frame itself: x, y, z axes and origin (3 components each)."""
    zero = fill(work, 0.0)
    one = fill(work, 1.0)
    return one, zero, zero, zero, one, zero, zero, zero, one, zero, zero, zero


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def keep_axis(work: Any, i: int, zx: Any, zy: Any, zz: Any, px: Any, py: Any, pz: Any) -> None:
    """Write joint i's axis to its rows 2-4 and its origin to rows 5-7."""
    k = ROWS * i
    store(work, k + 2, zx)
    store(work, k + 3, zy)
    store(work, k + 4, zz)
    store(work, k + 5, px)
    store(work, k + 6, py)
    store(work, k + 7, pz)


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def frame_behind(
    table: Any,
    i: int,
    work: Any,
    c: Any,
    s: Any,
    xx: Any,
    xy: Any,
    xz: Any,
    yx: Any,
    yy: Any,
    yz: Any,
    zx: Any,
    zy: Any,
    zz: Any,
    px: Any,
    py: Any,
    pz: Any,
) -> Any:
    """Return the frame behind joint i, which stands at (c, s), from the one before it.

    Frames are handed on number by number: a tuple would live in memory.
    """
    a = table[i, A]
    d = table[i, D] + fill(work, 0.0)
    shifted = a != 0.0 or table[i, D] != 0.0 or table[i, KIND] != 0.0
    if table[i, KIND] != 0.0:
        d = d + c
        c = fill(work, table[i, MC])
        s = fill(work, table[i, MS])
    nx = c * xx + s * yx
    ny = c * xy + s * yy
    nz = c * xz + s * yz
    mx = c * yx - s * xx
    my = c * yy - s * xy
    mz = c * yz - s * xz
    if shifted:
        px = px + d * zx + a * nx
        py = py + d * zy + a * ny
        pz = pz + d * zz + a * nz
    yx, zx = back_through(table, i, mx, zx)
    yy, zy = back_through(table, i, my, zy)
    yz, zz = back_through(table, i, mz, zz)
    return nx, ny, nz, yx, yy, yz, zx, zy, zz, px, py, pz


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def forward(table: Any, work: Any) -> Any:
    """Return x, y, z axes and origin (3 components each) of the last frame, in the base frame.

    Each joint's axis goes to its rows 2-4 and its origin to rows 5-7.
    """
    xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = start_frame(work)
    for i in range(table.shape[0]):
        c, s = load(work, ROWS * i), load(work, ROWS * i + 1)
        keep_axis(work, i, zx, zy, zz, px, py, pz)
        xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = frame_behind(
            table, i, work, c, s, xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz
        )
    return xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def moved(table: Any, i: int, c: Any, s: Any, step: Any) -> Any:
    """Return joint i's (c, s) turned (or shifted) by at most ``LARGEST_STEP``, within limits."""
    step = minimum(maximum(step, -LARGEST_STEP), LARGEST_STEP)
    if table[i, KIND] != 0.0:
        return minimum(maximum(c + step, table[i, CH]), table[i, SH]), s
    t = step * 0.5
    w = 1.0 / (1.0 + t * t)
    turn_c = (1.0 - t * t) * w
    turn_s = step * w
    new_c = c * turn_c - s * turn_s
    new_s = s * turn_c + c * turn_s
    # one Newton step keeps cos^2 + sin^2 = 1
    scale = 1.5 - 0.5 * (new_c * new_c + new_s * new_s)
    return clamp_turn(
        new_c * scale, new_s * scale, table[i, MC], table[i, MS], table[i, CH], table[i, SH]
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def move(table: Any, i: int, work: Any, step: Any) -> None:
    """Turn (or shift) joint i in ``work``."""
    k = ROWS * i
    c, s = moved(table, i, load(work, k), load(work, k + 1), step)
    store(work, k, c)
    store(work, k + 1, s)


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def add_freedom(
    area: Any,
    uu: Any,
    uv: Any,
    vv: Any,
    a00: Any,
    a01: Any,
    a02: Any,
    a11: Any,
    a12: Any,
    a22: Any,
) -> Any:
    """Return a symmetric matrix with the area's freedom (see ``target_areas``) added."""
    x = uu * area[1, 0] + uv * area[2, 0]
    y = uu * area[1, 1] + uv * area[2, 1]
    z = uu * area[1, 2] + uv * area[2, 2]
    s = uv * area[1, 0] + vv * area[2, 0]
    t = uv * area[1, 1] + vv * area[2, 1]
    w = uv * area[1, 2] + vv * area[2, 2]
    return (
        a00 + x * area[1, 0] + s * area[2, 0],
        a01 + x * area[1, 1] + s * area[2, 1],
        a02 + x * area[1, 2] + s * area[2, 2],
        a11 + y * area[1, 1] + t * area[2, 1],
        a12 + y * area[1, 2] + t * area[2, 2],
        a22 + z * area[1, 2] + w * area[2, 2],
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def without_freedom(area: Any, uu: Any, uv: Any, vv: Any, x: Any, y: Any, z: Any) -> Any:
    """Return a vector less what the area leaves free of it."""
    u = x * area[1, 0] + y * area[1, 1] + z * area[1, 2]
    v = x * area[2, 0] + y * area[2, 1] + z * area[2, 2]
    p = uu * u + uv * v
    q = uv * u + vv * v
    return (
        x - p * area[1, 0] - q * area[2, 0],
        y - p * area[1, 1] - q * area[2, 1],
        z - p * area[1, 2] - q * area[2, 2],
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def column(
    table: Any,
    area: Any,
    i: int,
    c: Any,
    s: Any,
    zx: Any,
    zy: Any,
    zz: Any,
    rx: Any,
    ry: Any,
    rz: Any,
    ex: Any,
    ey: Any,
    ez: Any,
    du: Any,
    dv: Any,
) -> Any:
    """Return how the tip moves with joint i at (c, s): nothing where a limit stops it.

    z is the joint's axis, r the way from the joint to the tip, e the error; (du, dv) how the
    area's nearest point moves as the base turns.
    """
    if table[i, KIND] == 0.0:
        jx = zy * rz - zz * ry
        jy = zz * rx - zx * rz
        jz = zx * ry - zy * rx
        if i == 0 and area[0, 0] == STANDING:
            # the turn of the base moves the area as well
            jx = jx - du * area[1, 0] - dv * area[2, 0]
            jy = jy - du * area[1, 1] - dv * area[2, 1]
            jz = jz - du * area[1, 2] - dv * area[2, 2]
        gradient = jx * ex + jy * ey + jz * ez
        side = s * table[i, MC] - c * table[i, MS]
        along = c * table[i, MC] + s * table[i, MS]
        blocked = (along <= table[i, CH] + 1e-6) & (gradient * side > 0.0)
    else:
        jx = zx
        jy = zy
        jz = zz
        gradient = jx * ex + jy * ey + jz * ez
        blocked = ((c <= table[i, CH]) & (gradient < 0.0)) | (
            (c >= table[i, SH]) & (gradient > 0.0)
        )
    return where(blocked, 0.0, jx), where(blocked, 0.0, jy), where(blocked, 0.0, jz)


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def solved(
    a00: Any, a01: Any, a02: Any, a11: Any, a12: Any, a22: Any, x: Any, y: Any, z: Any
) -> Any:
    """Return the solution of a regular symmetric system of three equations, in closed form."""
    b00 = a11 * a22 - a12 * a12
    b01 = a02 * a12 - a01 * a22
    b02 = a01 * a12 - a02 * a11
    b11 = a00 * a22 - a02 * a02
    b12 = a01 * a02 - a00 * a12
    b22 = a00 * a11 - a01 * a01
    q = 1.0 / (a00 * b00 + a01 * b01 + a02 * b02)
    return (
        (b00 * x + b01 * y + b02 * z) * q,
        (b01 * x + b11 * y + b12 * z) * q,
        (b02 * x + b12 * y + b22 * z) * q,
    )


@kernel(fastmath=FASTMATH, counted=False)
def approach_place(arm: Arm, rows: Rows, how: How, steps: Any) -> int:
    """Take up to ``steps`` steps toward the places in ``rows.goal``; return how many were taken.

    ``rows.error2`` receives the squared distance of the posture left in ``rows.work``, 0, and the
    point of the area that it aimed at; the last thing done is a forward pass. Lanes that are near
    enough hold still; those that came there toward an area, one step later.
    """
    table, tip, area = arm.table, arm.tip, arm.area
    work, target, error2, enough2 = rows.work, rows.goal, rows.error2, how.enough2
    n = table.shape[0]
    tx = load(target, 0)
    ty = load(target, 1)
    tz = load(target, 2)
    zero = fill(work, 0.0)
    taken = 0
    last = zero > 0.0
    # axes and origins of every joint in the base frame
    xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = forward(table, work)
    while True:
        px = px + tip[0, 3] * xx + tip[1, 3] * yx + tip[2, 3] * zx
        py = py + tip[0, 3] * xy + tip[1, 3] * yy + tip[2, 3] * zy
        pz = pz + tip[0, 3] * xz + tip[1, 3] * yz + tip[2, 3] * zz
        ax, ay, az, uu, uv, vv, du, dv = in_area(
            area, load(work, 0), load(work, 1), px - tx, py - ty, pz - tz
        )
        ex = tx + ax - px
        ey = ty + ay - py
        ez = tz + az - pz
        e = ex * ex + ey * ey + ez * ez
        missed = e > enough2
        # an area is met in a step or two, and anywhere within the tolerance: who has come there
        # takes one whole step more, which usually ends far nearer
        live = missed | last
        if area[0, 0] != POINT:
            last = missed
        if taken >= steps or not any_lane(live):
            store(error2, 0, e)
            store(error2, 1, zero)
            store(error2, AIM, tx + ax)
            store(error2, AIM + 1, ty + ay)
            store(error2, AIM + 2, tz + az)
            return taken
        taken += 1

        damping = e * DAMPING + how.damping
        a00 = damping
        a01 = zero
        a02 = zero
        a11 = damping
        a12 = zero
        a22 = damping
        if area[0, 0] != POINT:
            # what the area leaves free is no business of the joints: it is taken out of their
            # columns, and held instead, which keeps the system regular
            if area[0, 0] != STANDING:
                uu, uv, vv = freedom_in_area(area, px - tx, py - ty, pz - tz)
            a00, a01, a02, a11, a12, a22 = add_freedom(
                area, uu, uv, vv, a00, a01, a02, a11, a12, a22
            )
        for i in range(n):
            k = ROWS * i
            zx = load(work, k + 2)
            zy = load(work, k + 3)
            zz = load(work, k + 4)
            jx, jy, jz = column(
                table,
                area,
                i,
                load(work, k),
                load(work, k + 1),
                zx,
                zy,
                zz,
                px - load(work, k + 5),
                py - load(work, k + 6),
                pz - load(work, k + 7),
                ex,
                ey,
                ez,
                du,
                dv,
            )
            if area[0, 0] != POINT:
                jx, jy, jz = without_freedom(area, uu, uv, vv, jx, jy, jz)
            store(work, k + 2, jx)
            store(work, k + 3, jy)
            store(work, k + 4, jz)
            a00 = a00 + jx * jx
            a01 = a01 + jx * jy
            a02 = a02 + jx * jz
            a11 = a11 + jy * jy
            a12 = a12 + jy * jz
            a22 = a22 + jz * jz
        ux, uy, uz = solved(a00, a01, a02, a11, a12, a22, ex, ey, ez)
        # lanes that are done get no step
        ux = where(live, ux, 0.0)
        uy = where(live, uy, 0.0)
        uz = where(live, uz, 0.0)
        # each joint moves and is passed at once: the frames depend on each other and would be
        # waited for, the moves do not
        xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = start_frame(work)
        for i in range(n):
            k = ROWS * i
            step = load(work, k + 2) * ux + load(work, k + 3) * uy + load(work, k + 4) * uz
            c, s = moved(table, i, load(work, k), load(work, k + 1), step)
            store(work, k, c)
            store(work, k + 1, s)
            keep_axis(work, i, zx, zy, zz, px, py, pz)
            xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = frame_behind(
                table, i, work, c, s, xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz
            )
