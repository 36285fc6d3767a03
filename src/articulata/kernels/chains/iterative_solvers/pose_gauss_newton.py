"""Damped Gauss-Newton with active limits, on lanes: position and orientation of a tip.

One step solves ``(J J^T + lambda) u = e`` (6 x 6, Cholesky) and moves the joints by
``J^T u``; limits, damping, rows and units as in ``position_gauss_newton``. The orientation error is
``2 tan(theta / 2)`` about the axis of the rotation still to be made, bounded near half a turn.

A goal has 12 rows: the tip's position, then the rotation (row by row) that the last *frame*
must take, ``R_target R_tip^T``. Errors are compared as squared distance (in units of the reach)
and squared chord, ``8 sin^2(theta / 2)``, the sum of squares of the rotation matrices'
difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from articulata.kernels.chains.iterative_solvers.coordinate_descent import (
    CH,
    KIND,
    MC,
    MS,
    ROWS,
    SH,
)
from articulata.kernels.chains.iterative_solvers.position_gauss_newton import (
    DAMPING,
    Arm,
    How,
    Rows,
    approach_place,
    forward,
    move,
)
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    any_lane,
    fill,
    load,
    maximum,
    sqrt,
    store,
    where,
)

SYSTEM_ROWS = 27
"""Scratch rows of the 6 x 6 system: its lower triangle, then the right-hand side."""


@kernel(fastmath=FASTMATH, inline=True)
def solve_six(system: Any) -> None:
    """Replace the right-hand side (rows 21-26) by the solution; lower triangle in rows 0-20."""
    for j in range(6):
        jj = j * (j + 1) // 2
        d = load(system, jj + j)
        for k in range(j):
            v = load(system, jj + k)
            d = d - v * v
        inverse = 1.0 / sqrt(d)
        store(system, jj + j, inverse)
        y = load(system, 21 + j)
        for k in range(j):
            y = y - load(system, jj + k) * load(system, 21 + k)
        store(system, 21 + j, y * inverse)
        for i in range(j + 1, 6):
            ii = i * (i + 1) // 2
            v = load(system, ii + j)
            for k in range(j):
                v = v - load(system, ii + k) * load(system, jj + k)
            store(system, ii + j, v * inverse)
    for back in range(6):
        j = 5 - back
        y = load(system, 21 + j)
        for i in range(j + 1, 6):
            y = y - load(system, i * (i + 1) // 2 + j) * load(system, 21 + i)
        store(system, 21 + j, y * load(system, j * (j + 1) // 2 + j))


@kernel(fastmath=FASTMATH, counted=False)
def approach_pose(arm: Arm, rows: Rows, how: How, steps: Any) -> int:
    """Take up to ``steps`` steps toward the poses in ``rows.goal``; return how many were taken.

    ``rows.error2`` receives the squared distance and squared chord of the posture left in
    ``rows.work``: the last thing done is a forward pass. Lanes that are near enough hold still.
    """
    table, tip = arm.table, arm.tip
    work, goal, system, error2 = rows.work, rows.goal, rows.system, rows.error2
    n = table.shape[0]
    zero = fill(work, 0.0)
    taken = 0
    while True:
        xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = forward(table, work)
        px = px + tip[0, 3] * xx + tip[1, 3] * yx + tip[2, 3] * zx
        py = py + tip[0, 3] * xy + tip[1, 3] * yy + tip[2, 3] * zy
        pz = pz + tip[0, 3] * xz + tip[1, 3] * yz + tip[2, 3] * zz
        ex = load(goal, 0) - px
        ey = load(goal, 1) - py
        ez = load(goal, 2) - pz
        # columns of the goal's rotation
        ux = load(goal, 3)
        uy = load(goal, 6)
        uz = load(goal, 9)
        vx = load(goal, 4)
        vy = load(goal, 7)
        vz = load(goal, 10)
        wx = load(goal, 5)
        wy = load(goal, 8)
        wz = load(goal, 11)
        ax = xx - ux
        ay = xy - uy
        az = xz - uz
        bx = yx - vx
        by = yy - vy
        bz = yz - vz
        cx = zx - wx
        cy = zy - wy
        cz = zz - wz
        chord = ax * ax + ay * ay + az * az + bx * bx + by * by + bz * bz
        chord = chord + cx * cx + cy * cy + cz * cz
        e = ex * ex + ey * ey + ez * ez
        live = (e > how.enough2) | (chord > how.enough_chord2)
        if taken >= steps or not any_lane(live):
            store(error2, 0, e)
            store(error2, 1, chord)
            return taken
        taken += 1

        # sum of axis cross goal axis = 2 sin(theta) axis; chord = 4 (1 - cos(theta))
        scale = 1.0 / maximum(2.0 - 0.25 * chord, 0.1)
        rx = (xy * uz - xz * uy + yy * vz - yz * vy + zy * wz - zz * wy) * scale
        ry = (xz * ux - xx * uz + yz * vx - yx * vz + zz * wx - zx * wz) * scale
        rz = (xx * uy - xy * ux + yx * vy - yy * vx + zx * wy - zy * wx) * scale
        store(system, 21, ex)
        store(system, 22, ey)
        store(system, 23, ez)
        store(system, 24, rx)
        store(system, 25, ry)
        store(system, 26, rz)
        for r in range(21):
            store(system, r, zero)
        for i in range(n):
            k = ROWS * i
            zx = load(work, k + 2)
            zy = load(work, k + 3)
            zz = load(work, k + 4)
            c = load(work, k)
            if table[i, KIND] == 0.0:
                s = load(work, k + 1)
                dx = px - load(work, k + 5)
                dy = py - load(work, k + 6)
                dz = pz - load(work, k + 7)
                jx = zy * dz - zz * dy
                jy = zz * dx - zx * dz
                jz = zx * dy - zy * dx
                gradient = jx * ex + jy * ey + jz * ez + zx * rx + zy * ry + zz * rz
                side = s * table[i, MC] - c * table[i, MS]
                along = c * table[i, MC] + s * table[i, MS]
                blocked = (along <= table[i, CH] + 1e-9) & (gradient * side > 0.0)
            else:
                jx = zx
                jy = zy
                jz = zz
                zx = zero
                zy = zero
                zz = zero
                gradient = jx * ex + jy * ey + jz * ez
                blocked = ((c <= table[i, CH]) & (gradient < 0.0)) | (
                    (c >= table[i, SH]) & (gradient > 0.0)
                )
            store(work, k + 2, where(blocked, 0.0, jx))
            store(work, k + 3, where(blocked, 0.0, jy))
            store(work, k + 4, where(blocked, 0.0, jz))
            store(work, k + 5, where(blocked, 0.0, zx))
            store(work, k + 6, where(blocked, 0.0, zy))
            store(work, k + 7, where(blocked, 0.0, zz))
            for a in range(6):
                ja = load(work, k + 2 + a)
                for b in range(a + 1):
                    r = a * (a + 1) // 2 + b
                    store(system, r, load(system, r) + ja * load(work, k + 2 + b))
        damping = (e + 0.5 * chord) * DAMPING + how.damping
        for a in range(6):
            r = a * (a + 1) // 2 + a
            store(system, r, load(system, r) + damping)
        solve_six(system)
        for i in range(n):
            k = ROWS * i
            step = zero
            for a in range(6):
                step = step + load(work, k + 2 + a) * load(system, 21 + a)
            # lanes that are done get no step
            move(table, i, work, where(live, step, 0.0))


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def approach(area: Any, arm: Arm, rows: Rows, how: How, steps: int) -> int:
    """Take up to ``steps`` steps toward places or, where the arm's ``area`` is ``POSES``, poses."""
    # a number of steps that stands in a call would be compiled for on its own
    if area.ndim == 3:
        return approach_pose(arm, rows, how, np.int64(steps))
    return approach_place(arm, rows, how, np.int64(steps))
