"""The determinants of an elimination around the circle, and their sixteen roots, on lanes.

What ``general6_kernels`` and ``circle_roots`` do for one matrix and one root at a time, for all of
the same pose at once.
"""

from __future__ import annotations

import math
from typing import Any

from articulata.kernels.chains.circle_roots import NEAR, ROUNDS, SLOW, STILL
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    absolute,
    fill,
    load,
    max_lanes,
    sqrt,
    store,
    where,
)

ROOTS = 16
BLOCKS = ROOTS // LANES_FLOAT64
"""Lanes that all roots fill."""


@kernel(fastmath=FASTMATH)
def twelve_on_lanes(rest: Any, c: Any, s: Any, out: Any) -> None:
    """Write the matrix of ``general6_kernels.twelve`` for an angle 3 in each lane: 144 rows."""
    for e in range(6):
        for k in range(3):
            one = rest[e, 0, 0, k] + c * rest[e, 1, 0, k] + s * rest[e, 2, 0, k]
            cos4 = 0.5 * (rest[e, 0, 1, k] + c * rest[e, 1, 1, k] + s * rest[e, 2, 1, k])
            sin4 = 0.5 * (rest[e, 0, 2, k] + c * rest[e, 1, 2, k] + s * rest[e, 2, 2, k])
            row = 12 * e + k
            store(out, row, one + cos4)
            store(out, row + 3, sin4)
            store(out, row + 6, cos4)
            store(out, row + 9, sin4)
            row += 72
            store(out, row, sin4)
            store(out, row + 3, one - cos4)
            store(out, row + 6, -sin4)
            store(out, row + 9, cos4)


@kernel(fastmath=FASTMATH)
def reflected(m: Any, rows: int, columns: int, width: int) -> Any:
    """Make the first ``columns`` of a matrix (rows, width) in each lane upper triangular.

    Householder's reflections: what one lane needs is what all need, without a choice of pivots.
    Returned is the product of the pivots with the sign that it has in the determinant.
    """
    value = fill(m, 1.0)
    for k in range(columns):
        head = load(m, (width + 1) * k)
        square = head * head
        for r in range(k + 1, rows):
            below = load(m, width * r + k)
            square = square + below * below
        norm = sqrt(square)
        signed = where(head > 0.0, norm, -norm)
        value = value * signed
        size = norm * (norm + absolute(head))
        share = where(size > 0.0, 1.0 / where(size > 0.0, size, 1.0), 0.0)
        head = head + signed
        for j in range(k + 1, width):
            dot = head * load(m, width * k + j)
            for r in range(k + 1, rows):
                dot = dot + load(m, width * r + k) * load(m, width * r + j)
            dot = dot * share
            store(m, width * k + j, load(m, width * k + j) - dot * head)
            for r in range(k + 1, rows):
                store(m, width * r + j, load(m, width * r + j) - dot * load(m, width * r + k))
        store(m, (width + 1) * k, -signed)
    return value


@kernel(fastmath=FASTMATH)
def determinants(m: Any) -> Any:
    """Return the determinant in each lane of a matrix (12, 12), 144 rows, which is destroyed."""
    return reflected(m, 12, 11, 12) * load(m, 143)


@kernel(fastmath=FASTMATH)
def _moved(e: Any, low: int, count: int, points: Any, flat: Any, b: int) -> None:
    """Move the roots of block ``b`` by one step of Aberth's iteration."""
    x, y, last = load(points[0], b), load(points[1], b), load(points[2], b)
    away = x * x + y * y
    inverse = 1.0 / away
    far = away > 1.0
    # far out the polynomial is read at 1/conj(z), where it is conj(p(z)) / z^count
    wx, wy = where(far, x * inverse, x), where(far, y * inverse, y)
    zero = fill(points[0], 0.0)
    vx, vy, sx, sy = zero, zero, zero, zero
    for i in range(count + 1):
        j = low + count - i
        sx, sy = sx * wx - sy * wy + vx, sx * wy + sy * wx + vy
        vx, vy = vx * wx - vy * wy + e[0, j], vx * wy + vy * wx + e[1, j]
    size = 1.0 / (vx * vx + vy * vy)
    rx, ry = (sx * vx + sy * vy) * size, (sy * vx - sx * vy) * size
    hx, hy = count - (wx * rx - wy * ry), wx * ry + wy * rx
    rx = where(far, (hx * x + hy * y) * inverse, rx)
    ry = where(far, (hy * x - hx * y) * inverse, ry)
    for j in range(count):
        dx, dy = x - flat[j], y - flat[ROOTS + j]
        gap = dx * dx + dy * dy
        share = where(gap > 0.0, 1.0 / where(gap > 0.0, gap, 1.0), 0.0)
        rx, ry = rx - dx * share, ry + dy * share
    size = rx * rx + ry * ry
    going = (last > 0.0) & (size > 0.0) & (size < 1e300)
    size = 1.0 / where(going, size, 1.0)
    store(points[0], b, where(going, x - rx * size, x))
    store(points[1], b, where(going, y + ry * size, y))
    step = size * inverse
    slow = (step < STILL) | ((step < NEAR) & (step > SLOW * last))
    store(points[2], b, where(going, where(slow, 0.0, step), 0.0))


@kernel(fastmath=FASTMATH)
def sixteen_roots(e: Any, low: int, count: int, points: Any) -> float:
    """Write the ``count`` complex roots of a sum of cosines and sines; return the last step.

    As ``circle_roots``, all at once: ``points`` (3, blocks, lanes) are real and imaginary parts and
    squares of the last steps. ``e`` (2, k) with ``e[:, -1 - i]`` conjugate to ``e[:, i]``.
    """
    flat = points.reshape(3 * ROOTS)
    for k in range(ROOTS):
        turn = 2.0 * math.pi * (k + 0.3) / count
        size = 0.75 + 0.35 * (k % 3) if k < count else 3.0 + k
        flat[k] = size * math.cos(turn)
        flat[ROOTS + k] = size * math.sin(turn)
        flat[2 * ROOTS + k] = 1e300 if k < count else 0.0
    moved = 0.0
    for _ in range(ROUNDS):
        moved = 0.0
        for b in range(BLOCKS):
            _moved(e, low, count, points, flat, b)
            moved = max(moved, max_lanes(load(points[2], b)))
        if moved < 1e-26:
            break
    return math.sqrt(moved)
