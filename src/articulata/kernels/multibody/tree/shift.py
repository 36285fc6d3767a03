"""Inertia of a body as its parent feels it, and inertia of a body alone, at any of its points.

Twenty-one numbers: the symmetric block of forces by accelerations (00, 01, 02, 11, 12, 22), the
block of forces by angular accelerations row by row, the symmetric block of torques by angular
accelerations. World axes.
"""

from __future__ import annotations

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.system import ARM, ARTICULATED, INERTIA, MASS


@kernel(fastmath={"contract"}, counted=False, inline=True)
def own_inertia(body: Array, scratch: Array, i: int) -> None:
    """Set ARTICULATED to a body's own inertia, in the velocities of its point at ARM."""
    m, j = body[i, MASS], INERTIA
    x, y, z = scratch[i, ARM], scratch[i, ARM + 1], scratch[i, ARM + 2]
    s = ARTICULATED
    scratch[i, s] = scratch[i, s + 3] = scratch[i, s + 5] = m
    scratch[i, s + 1] = scratch[i, s + 2] = scratch[i, s + 4] = 0.0
    scratch[i, s + 6] = scratch[i, s + 10] = scratch[i, s + 14] = 0.0
    scratch[i, s + 7], scratch[i, s + 8], scratch[i, s + 9] = -m * z, m * y, m * z
    scratch[i, s + 11], scratch[i, s + 12], scratch[i, s + 13] = -m * x, -m * y, m * x
    # R J R^T, row by row, and the part of the mass at the arm's end
    at = s + 15
    for r in range(3):
        p, q, k = scratch[i, 3 * r], scratch[i, 3 * r + 1], scratch[i, 3 * r + 2]
        a = p * body[i, j] + q * body[i, j + 3] + k * body[i, j + 6]
        b = p * body[i, j + 1] + q * body[i, j + 4] + k * body[i, j + 7]
        c = p * body[i, j + 2] + q * body[i, j + 5] + k * body[i, j + 8]
        for n in range(r, 3):
            scratch[i, at] = (
                a * scratch[i, 3 * n] + b * scratch[i, 3 * n + 1] + c * scratch[i, 3 * n + 2]
            )
            at += 1
    scratch[i, s + 15] += m * (y * y + z * z)
    scratch[i, s + 16] -= m * x * y
    scratch[i, s + 17] -= m * x * z
    scratch[i, s + 18] += m * (x * x + z * z)
    scratch[i, s + 19] -= m * y * z
    scratch[i, s + 20] += m * (x * x + y * y)


@kernel(fastmath={"contract"}, counted=False, inline=True)
def hand_on(scratch: Array, i: int, source: int, p: int, x: float, y: float, z: float) -> None:
    """Add body i's inertia at ``source`` to its parent p's, (x, y, z) before p's point at ARM.

    Old velocities are v - (x, y, z) x w, w in terms of the new ones: vw gains A K, ww gains
    K^T (A K + B) + B^T K with K = -[(x, y, z)]x.
    """
    x, y, z = scratch[p, ARM] - x, scratch[p, ARM + 1] - y, scratch[p, ARM + 2] - z
    s = source
    a00, a01, a02 = scratch[i, s], scratch[i, s + 1], scratch[i, s + 2]
    a11, a12, a22 = scratch[i, s + 3], scratch[i, s + 4], scratch[i, s + 5]
    b00, b01, b02 = scratch[i, s + 6], scratch[i, s + 7], scratch[i, s + 8]
    b10, b11, b12 = scratch[i, s + 9], scratch[i, s + 10], scratch[i, s + 11]
    b20, b21, b22 = scratch[i, s + 12], scratch[i, s + 13], scratch[i, s + 14]
    c00, c01, c02 = scratch[i, s + 15], scratch[i, s + 16], scratch[i, s + 17]
    c11, c12, c22 = scratch[i, s + 18], scratch[i, s + 19], scratch[i, s + 20]
    # G = A K + B
    g00, g01, g02 = a01 * z - a02 * y + b00, a02 * x - a00 * z + b01, a00 * y - a01 * x + b02
    g10, g11, g12 = a11 * z - a12 * y + b10, a12 * x - a01 * z + b11, a01 * y - a11 * x + b12
    g20, g21, g22 = a12 * z - a22 * y + b20, a22 * x - a02 * z + b21, a02 * y - a12 * x + b22
    s = ARTICULATED
    scratch[p, s] += a00
    scratch[p, s + 1] += a01
    scratch[p, s + 2] += a02
    scratch[p, s + 3] += a11
    scratch[p, s + 4] += a12
    scratch[p, s + 5] += a22
    scratch[p, s + 6] += g00
    scratch[p, s + 7] += g01
    scratch[p, s + 8] += g02
    scratch[p, s + 9] += g10
    scratch[p, s + 10] += g11
    scratch[p, s + 11] += g12
    scratch[p, s + 12] += g20
    scratch[p, s + 13] += g21
    scratch[p, s + 14] += g22
    # C + K^T G + B^T K
    scratch[p, s + 15] += c00 + z * (g10 + b10) - y * (g20 + b20)
    scratch[p, s + 16] += c01 + x * g20 - z * g00 + b11 * z - b21 * y
    scratch[p, s + 17] += c02 + y * g00 - x * g10 + b12 * z - b22 * y
    scratch[p, s + 18] += c11 + x * (g21 + b21) - z * (g01 + b01)
    scratch[p, s + 19] += c12 + y * g01 - x * g11 + b22 * x - b02 * z
    scratch[p, s + 20] += c22 + y * (g02 + b02) - x * (g12 + b12)
