"""All roots of a polynomial of low degree, such as one in exp(i t) whose roots are angles."""

from __future__ import annotations

import math
from typing import Any

from articulata.kernels.compile import kernel

ROUNDS = 60
"""Most steps of a root."""

STILL = 1e-30
"""A root that moves by no more than the root of this share of its size stays where it is."""

SLOW, NEAR = 0.01, 1e-13
"""Double roots close in by thirds: one that is ``NEAR`` and so ``SLOW`` stays too (squares)."""


@kernel(counted=False)
def circle_roots(e: Any, low: int, count: int, roots: Any) -> float:
    """Write the ``count`` complex roots; return by what share of its size the last one moved.

    ``e`` (2, k): real and imaginary parts of the coefficients, rising from place ``low`` on;
    ``roots`` (3, n): real and imaginary parts, and the last steps. Aberth's iteration (Math. Comp.
    27, 1973) from points beside the circle, where roots of a sum of cosines and sines are or have
    a partner on the other side.
    """
    for k in range(count):
        turn = 2.0 * math.pi * (k + 0.3) / count
        size = 0.75 + 0.35 * (k % 3)
        roots[0, k] = size * math.cos(turn)
        roots[1, k] = size * math.sin(turn)
        roots[2, k] = math.inf
    moved = 0.0
    for _ in range(ROUNDS):
        moved = 0.0
        for k in range(count):
            if roots[2, k] == 0.0:
                continue
            x, y = roots[0, k], roots[1, k]
            away = x * x + y * y
            rx, ry = _logarithmic_slope(e, low, count, x, y, away)
            if not rx * rx + ry * ry < math.inf:
                continue
            for j in range(count):
                dx, dy = x - roots[0, j], y - roots[1, j]
                gap = dx * dx + dy * dy
                if gap > 0.0:
                    rx -= dx / gap
                    ry += dy / gap
            size = rx * rx + ry * ry
            if size == 0.0:
                continue
            roots[0, k] = x - rx / size
            roots[1, k] = y + ry / size
            step = 1.0 / (size * away)
            if step < STILL or (step < NEAR and step > SLOW * roots[2, k]):
                roots[2, k] = 0.0
            else:
                roots[2, k] = step
                moved = max(moved, step)
        if moved < 1e-26:
            break
    return math.sqrt(moved)


@kernel(counted=False)
def _logarithmic_slope(e: Any, low: int, count: int, x: float, y: float, away: float) -> Any:
    """Return slope by value of the polynomial at x + i y, ``away`` squared from 0."""
    far = away > 1.0
    # far out the reversed polynomial in 1/z keeps its size
    ux = x / away if far else x
    uy = -y / away if far else y
    vx, vy, sx, sy = 0.0, 0.0, 0.0, 0.0
    for i in range(count + 1):
        j = low + i if far else low + count - i
        sx, sy = sx * ux - sy * uy + vx, sx * uy + sy * ux + vy
        vx, vy = vx * ux - vy * uy + e[0, j], vx * uy + vy * ux + e[1, j]
    size = vx * vx + vy * vy
    rx = (sx * vx + sy * vy) / size
    ry = (sy * vx - sx * vy) / size
    if far:
        # p(z) = z^n r(1/z): p'/p = (n - r'/(z r)) / z
        hx, hy = count - (ux * rx - uy * ry), -(ux * ry + uy * rx)
        rx, ry = hx * ux - hy * uy, hx * uy + hy * ux
    return rx, ry
