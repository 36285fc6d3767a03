"""Cyclic coordinate descent on lanes: each joint in turn goes to its best place, in O(1).

With the joint's axis z, the vectors v from the joint to the tip and w to the target, the part
of the squared distance that depends on a turn d is ``-2 (A cos d + B sin d)``,
``A = v.w - (v.z)(w.z)``, ``B = (z x v).w``. Joints are held as (cos, sin), so a step needs a
square root and no trigonometry; a limit is a dot product with the middle of the range.

A sweep from base to tip carries the target into each joint's frame, a sweep from tip to base
carries the tip; each pass visits every joint, and no separate forward pass is needed.

Rows of the workspace, eight for each joint: 0 cos or travel, 1 sin, 2-7 scratch. Lengths in the
table's unit. Runs on lanes or scalars (see ``lanes``).
"""

from __future__ import annotations

from typing import Any

from articulata.kernels.compile import kernel
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    fill,
    load,
    maximum,
    minimum,
    sqrt,
    store,
    where,
)

ROWS = 8
"""Workspace rows for each joint."""

A, CA, SA, D, MC, MS, CH, SH, KIND = range(9)
"""Columns of a chain table; for a prismatic joint CH and SH are its lower and upper travel."""


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def clamp_turn(c: Any, s: Any, mc: Any, ms: Any, ch: Any, sh: Any) -> Any:
    """Return (c, s) brought into the joint's range, the nearer limit where it is outside."""
    inside = c * mc + s * ms >= ch
    side = where(s * mc - c * ms >= 0.0, sh, -sh)
    return where(inside, c, mc * ch - ms * side), where(inside, s, ms * ch + mc * side)


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def best_turn(
    vx: Any, vy: Any, wx: Any, wy: Any, c: Any, s: Any, mc: Any, ms: Any, ch: Any, sh: Any
) -> Any:
    """Return the (cos, sin) that turns (wx, wy) toward (vx, vy), within limits.

    Where either has no length about the axis the joint stays at (c, s).
    """
    n = vx * wx + vy * wy
    m = vy * wx - vx * wy
    r = n * n + m * m
    inverse = 1.0 / sqrt(r + 1e-30)
    best_c, best_s = clamp_turn(n * inverse, m * inverse, mc, ms, ch, sh)
    usable = r > 1e-20
    return where(usable, best_c, c), where(usable, best_s, s)


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def through(table: Any, i: int, y: Any, z: Any) -> Any:
    """Return y and z of a vector in frame i + 1 seen from link i: turned by alpha.

    Most links of most chains are a quarter turn, for which nothing is computed.
    """
    if table[i, CA] == 0.0 and table[i, SA] == 1.0:
        return -z, y
    return table[i, CA] * y - table[i, SA] * z, table[i, SA] * y + table[i, CA] * z


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def back_through(table: Any, i: int, y: Any, z: Any) -> Any:
    """Return y and z of a vector in link i seen from frame i + 1."""
    if table[i, CA] == 0.0 and table[i, SA] == 1.0:
        return z, -y
    return table[i, CA] * y + table[i, SA] * z, table[i, CA] * z - table[i, SA] * y


@kernel(fastmath=FASTMATH, counted=False)
def sweep(table: Any, tip: Any, work: Any, target: Any, passes: Any) -> None:
    """Do ``passes`` sweeps toward ``target`` (three rows), alternating down and up.

    Starts from the posture in rows 0 and 1 of each joint and leaves the improved one there.
    """
    n = table.shape[0]
    tx = load(target, 0)
    ty = load(target, 1)
    tz = load(target, 2)
    x = fill(work, tip[0, 3])
    y = fill(work, tip[1, 3])
    z = fill(work, tip[2, 3])
    for sweep_number in range(-1, passes):
        if sweep_number % 2 == 0:
            # base to tip: (x, y, z) is the target in the joint's frame
            x = tx
            y = ty
            z = tz
            for i in range(n):
                k = ROWS * i
                c = load(work, k)
                s = load(work, k + 1)
                wx = load(work, k + 2)
                wy = load(work, k + 3)
                if table[i, KIND] == 0.0:
                    c, s = best_turn(
                        x,
                        y,
                        wx,
                        wy,
                        c,
                        s,
                        table[i, MC],
                        table[i, MS],
                        table[i, CH],
                        table[i, SH],
                    )
                    store(work, k, c)
                    store(work, k + 1, s)
                    store(work, k + 2, x)
                    store(work, k + 3, y)
                    ux = c * x + s * y - table[i, A]
                    uy = c * y - s * x
                    uz = z - table[i, D]
                else:
                    c = minimum(maximum(z - load(work, k + 4), table[i, CH]), table[i, SH])
                    store(work, k, c)
                    store(work, k + 4, z - table[i, D])
                    ux = table[i, MC] * x + table[i, MS] * y - table[i, A]
                    uy = table[i, MC] * y - table[i, MS] * x
                    uz = z - table[i, D] - c
                x = ux
                y, z = back_through(table, i, uy, uz)
        else:
            # tip to base: (x, y, z) is the tip in the joint's frame; pass -1 only measures
            x = fill(work, tip[0, 3])
            y = fill(work, tip[1, 3])
            z = fill(work, tip[2, 3])
            for j in range(n):
                i = n - 1 - j
                k = ROWS * i
                c = load(work, k)
                s = load(work, k + 1)
                wx = x + table[i, A]
                wy, wz = through(table, i, y, z)
                wz = wz + table[i, D]
                if table[i, KIND] == 0.0:
                    if sweep_number >= 0:
                        c, s = best_turn(
                            load(work, k + 2),
                            load(work, k + 3),
                            wx,
                            wy,
                            c,
                            s,
                            table[i, MC],
                            table[i, MS],
                            table[i, CH],
                            table[i, SH],
                        )
                        store(work, k, c)
                        store(work, k + 1, s)
                    store(work, k + 2, wx)
                    store(work, k + 3, wy)
                    x = c * wx - s * wy
                    y = s * wx + c * wy
                    z = wz
                else:
                    if sweep_number >= 0:
                        # row 4 holds the target's height less d; the tip's is wz less d
                        c = load(work, k + 4) - (wz - table[i, D])
                        c = minimum(maximum(c, table[i, CH]), table[i, SH])
                        store(work, k, c)
                    store(work, k + 4, wz)
                    x = table[i, MC] * wx - table[i, MS] * wy
                    y = table[i, MS] * wx + table[i, MC] * wy
                    z = wz + c
