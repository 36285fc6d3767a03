"""What becomes of a posture in the end: tidied, measured, its joint values read.

States, rows and units as in ``position_solver``.
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
    clamp_turn,
    sweep,
)
from articulata.kernels.chains.iterative_solvers.position_gauss_newton import (
    approach,
    frame_behind,
    start_frame,
)
from articulata.kernels.chains.iterative_solvers.target_areas import in_area
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import arc_tangent2
from articulata.kernels.lanes.vectors import FASTMATH, load, maximum, minimum, store


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def tidied(table: Any, i: int, c: Any, s: Any) -> Any:
    """Return joint i's state brought to unit length and into its limits."""
    if table[i, KIND] != 0.0:
        return minimum(maximum(c, table[i, CH]), table[i, SH]), s
    # two Newton steps toward 1 / sqrt(c^2 + s^2): rounding of float32 becomes 1e-28
    scale = 1.5 - 0.5 * (c * c + s * s)
    c = c * scale
    s = s * scale
    scale = 1.5 - 0.5 * (c * c + s * s)
    return clamp_turn(c * scale, s * scale, table[i, MC], table[i, MS], table[i, CH], table[i, SH])


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def value_of(table: Any, limits: Any, unit: float, i: int, c: Any, s: Any) -> Any:
    """Return joint i's value (rad or m); limits (n, 3): middle, lower, upper."""
    if table[i, KIND] == 0.0:
        value = limits[i, 0] + arc_tangent2(
            s * table[i, MC] - c * table[i, MS], c * table[i, MC] + s * table[i, MS]
        )
    else:
        value = c * unit
    return minimum(maximum(value, limits[i, 1]), limits[i, 2])


@kernel(fastmath=FASTMATH, counted=False)
def tidy(table: Any, work: Any) -> None:
    """Bring every joint's state to unit length and into its limits."""
    for i in range(table.shape[0]):
        k = ROWS * i
        c, s = tidied(table, i, load(work, k), load(work, k + 1))
        store(work, k, c)
        store(work, k + 1, s)


@kernel(fastmath=FASTMATH, counted=False)
def read_values(table: Any, limits: Any, unit: float, work: Any) -> None:
    """Write each joint's value (rad or m) to its row 2; limits (n, 3): middle, lower, upper."""
    for i in range(table.shape[0]):
        k = ROWS * i
        store(work, k + 2, value_of(table, limits, unit, i, load(work, k), load(work, k + 1)))


@kernel(fastmath=FASTMATH, counted=False)
def measure(
    table: Any, tip: Any, area: Any, limits: Any, unit: float, work: Any, target: Any, error2: Any
) -> None:
    """Tidy the posture in ``work``, read its values and measure its squared error: in one pass.

    What ``tidy``, ``approach`` without a step and ``read_values`` do one after another; here the
    frames, which wait for each other, and the angles, which do not, are computed side by side.
    """
    xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = start_frame(work)
    for i in range(table.shape[0]):
        k = ROWS * i
        c, s = tidied(table, i, load(work, k), load(work, k + 1))
        store(work, k, c)
        store(work, k + 1, s)
        store(work, k + 2, value_of(table, limits, unit, i, c, s))
        xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = frame_behind(
            table, i, work, c, s, xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz
        )
    dx = px + tip[0, 3] * xx + tip[1, 3] * yx + tip[2, 3] * zx - load(target, 0)
    dy = py + tip[0, 3] * xy + tip[1, 3] * yy + tip[2, 3] * zy - load(target, 1)
    dz = pz + tip[0, 3] * xz + tip[1, 3] * yz + tip[2, 3] * zz - load(target, 2)
    ax, ay, az, _, _, _, _, _ = in_area(area, load(work, 0), load(work, 1), dx, dy, dz)
    store(error2, 0, (ax - dx) * (ax - dx) + (ay - dy) * (ay - dy) + (az - dz) * (az - dz))


@kernel
def settle(table: Any, tip: Any, area: Any, work: Any, target: Any, error2: Any) -> None:
    """Bring a posture that cannot meet its target nearer to it.

    Gauss-Newton overshoots where the rest of the error cannot be removed; descent never does.
    """
    tidy(table, work)
    for _ in range(4):
        approach(table, tip, area, work, target, error2, np.inf, 0, 1e-10)
        sweep(table, tip, work, error2[1:], 6)
    tidy(table, work)
    approach(table, tip, area, work, target, error2, np.inf, 0, 1e-10)
