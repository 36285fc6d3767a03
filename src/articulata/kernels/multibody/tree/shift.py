"""Where the tree solve over a common point keeps its numbers, and inertia at another point.

The layout continues a hinge's scratch row after ``system.HINGE_SCRATCH``; see ``point``.
"""

from __future__ import annotations

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.system import HINGE_SCRATCH

ARM = HINGE_SCRATCH
"""(3) c, then (3) c_p."""
INERTIA_P = ARM + 6
"""(27) articulated inertia in the velocities of P: blocks vv, vw, ww."""
BASIS = INERTIA_P + 27
"""(9) columns W, one vector after the other."""
DUAL = BASIS + 9
"""(9) rows of E, then columns of E^+, one vector after the other."""
UPPER = DUAL + 9
"""(18) columns of U = M W, six numbers each; for a ball H = B C^-1 row by row."""
SPREAD = UPPER + 18
"""(9) D^-1 = (W^T M_ww W)^-1."""
FREE_RATE = SPREAD + 9
"""(3) D^-1 W^T p of the solve."""
BIAS = FREE_RATE + 3
"""(6) what the right-hand sides add to (v_P, w)."""
REST = BIAS + 6
"""(27) inertia that the parent feels at P."""


@kernel(fastmath={"contract"}, counted=False)
def shift(
    scratch: Array, i: int, source: int, p: int, target: int, c: tuple[float, float, float]
) -> None:
    """Add body i's inertia block at ``source``, in velocities shifted by c, to p's ``target``.

    Old velocities are v + c x w, w in terms of the new ones: vw gains A K, ww gains K^T (A K + B)
    + B^T K with K = [c]x.
    """
    x, y, z = c
    s = source
    a00, a01, a02 = scratch[i, s], scratch[i, s + 1], scratch[i, s + 2]
    a11, a12, a22 = scratch[i, s + 4], scratch[i, s + 5], scratch[i, s + 8]
    b00, b01, b02 = scratch[i, s + 9], scratch[i, s + 10], scratch[i, s + 11]
    b10, b11, b12 = scratch[i, s + 12], scratch[i, s + 13], scratch[i, s + 14]
    b20, b21, b22 = scratch[i, s + 15], scratch[i, s + 16], scratch[i, s + 17]
    c00, c10, c11 = scratch[i, s + 18], scratch[i, s + 21], scratch[i, s + 22]
    c20, c21, c22 = scratch[i, s + 24], scratch[i, s + 25], scratch[i, s + 26]
    # G = A K + B
    g00, g01, g02 = a01 * z - a02 * y + b00, a02 * x - a00 * z + b01, a00 * y - a01 * x + b02
    g10, g11, g12 = a11 * z - a12 * y + b10, a12 * x - a01 * z + b11, a01 * y - a11 * x + b12
    g20, g21, g22 = a12 * z - a22 * y + b20, a22 * x - a02 * z + b21, a02 * y - a12 * x + b22
    # C + K^T G + B^T K
    c00 += z * (g10 + b10) - y * (g20 + b20)
    c10 += x * g20 - z * g00 + b11 * z - b21 * y
    c11 += x * (g21 + b21) - z * (g01 + b01)
    c20 += y * g00 - x * g10 + b12 * z - b22 * y
    c21 += y * g01 - x * g11 + b22 * x - b02 * z
    c22 += y * (g02 + b02) - x * (g12 + b12)
    s = target
    scratch[p, s] += a00
    scratch[p, s + 1] += a01
    scratch[p, s + 2] += a02
    scratch[p, s + 3] += a01
    scratch[p, s + 4] += a11
    scratch[p, s + 5] += a12
    scratch[p, s + 6] += a02
    scratch[p, s + 7] += a12
    scratch[p, s + 8] += a22
    scratch[p, s + 9] += g00
    scratch[p, s + 10] += g01
    scratch[p, s + 11] += g02
    scratch[p, s + 12] += g10
    scratch[p, s + 13] += g11
    scratch[p, s + 14] += g12
    scratch[p, s + 15] += g20
    scratch[p, s + 16] += g21
    scratch[p, s + 17] += g22
    scratch[p, s + 18] += c00
    scratch[p, s + 19] += c10
    scratch[p, s + 20] += c20
    scratch[p, s + 21] += c10
    scratch[p, s + 22] += c11
    scratch[p, s + 23] += c21
    scratch[p, s + 24] += c20
    scratch[p, s + 25] += c21
    scratch[p, s + 26] += c22
