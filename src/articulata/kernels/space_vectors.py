"""Vectors of space as three plain numbers, for compiled loops."""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel

Vector = tuple[float, float, float]


@kernel(counted=False)
def flipped(n: Vector) -> Vector:
    """Return -n."""
    return -n[0], -n[1], -n[2]


@kernel(counted=False)
def dot(a: Vector, b: Vector) -> float:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(counted=False)
def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@kernel(counted=False)
def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel(counted=False)
def ahead(a: Vector, t: float, d: Vector) -> Vector:
    """Return a + t d."""
    return a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2]


@kernel(counted=False)
def unit(a: Vector) -> tuple[Vector, float]:
    """Return a / |a| and |a|; a itself where it is 0."""
    length = math.sqrt(dot(a, a))
    if length == 0.0:
        return a, 0.0
    return (a[0] / length, a[1] / length, a[2] / length), length


@kernel(counted=False)
def across_any(a: Vector) -> Vector:
    """Return a unit vector across a, always the same one; up where a is 0."""
    if dot(a, a) == 0.0:
        return 0.0, 1.0, 0.0
    return unit(cross(a, (0.0, 0.0, 1.0) if abs(a[2]) < 0.7 else (1.0, 0.0, 0.0)))[0]


@kernel(counted=False)
def across_from(w: Vector, e: Vector) -> Vector:
    """Return the unit vector of w across e; where it has none, one across e, always the same."""
    square = dot(e, e)
    if square > 0.0:
        for _ in range(2):  # the second time without the first's rounding
            w = ahead(w, -dot(w, e) / square, e)
    w, length = unit(w)
    # what rounding leaves of a vector along e is not across it
    along = dot(w, e)
    return across_any(e) if length == 0.0 or along * along > 1e-16 * square else w
