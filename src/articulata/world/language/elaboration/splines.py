"""Cubic splines through the points of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def spline_pieces(
    x: Sequence[float], y: Sequence[float], *, periodic: bool
) -> list[tuple[float, float, float]]:
    """Return factors of u, u^2 and u^3 of each part, u counted from its start.

    The second derivative is continuous. A spline that is not ``periodic`` is level at both ends.
    Source: C. de Boor, *A Practical Guide to Splines* (1978), chapter IV.
    """
    h, n = np.diff(x), len(x)
    chord = np.diff(y) / h
    A, b = np.eye(n), np.zeros(n)
    for k in range(1, n - 1):
        A[k, k - 1 : k + 2] = h[k], 2.0 * (h[k - 1] + h[k]), h[k - 1]
        b[k] = 3.0 * (h[k] * chord[k - 1] + h[k - 1] * chord[k])
    if periodic:
        A[0, -1] = -1.0
        A[-1, [0, 1, -2]] = 2.0 * (h[0] + h[-1]), h[-1], h[0]
        A[-1, -1] = 0.0
        b[-1] = 3.0 * (h[0] * chord[-1] + h[-1] * chord[0])
    slope = np.linalg.solve(A, b)
    two = (3.0 * chord - 2.0 * slope[:-1] - slope[1:]) / h
    three = (slope[:-1] + slope[1:] - 2.0 * chord) / h**2
    return [(float(a), float(b), float(c)) for a, b, c in zip(slope, two, three, strict=False)]
