"""Dead reckoning: where an entity is between its packets, by the nine models of DIS.

A model is named by three letters: F or R (the orientation is fixed, or turns at the told rate), P
or V (constant velocity, or constant acceleration), W or B (both are told in the world E or in the
entity's own axes B). Reference: IEEE 1278.1-2012, annex E.
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.rotations import Quaternion, exp, times
from articulata.kernels.space_vectors import Vector, ahead, cross, dot

STILL = 1
"""The model by which places stay where they are; unknown models do as much."""

SMALL = 0.5
"""Turns (rad) below which series stand in for quotients, which lose digits there."""

_TERMS = 8
"""Terms of a series: the last is below 1e-17 of the first."""


@kernel(counted=False)
def _quotients(x: float) -> tuple[float, float, float, float]:
    """Return how much of w x and w x (w x) the integrals of a turn by ``x`` rad hold.

    The first two are of its integral over the time, the others of that of time times it.
    """
    if x >= SMALL:
        sine, cosine = math.sin(x), math.cos(x)
        return (
            (1.0 - cosine) / x**2,
            (x - sine) / x**3,
            (sine - x * cosine) / x**3,
            (x**2 / 2.0 + 1.0 - cosine - x * sine) / x**4,
        )
    b, c, d, e = 0.0, 0.0, 0.0, 0.0
    power, factorial = 1.0, 1.0  # (-x^2)^k and (2k + 1)!
    for k in range(_TERMS):
        even, odd = 2.0 * k + 2.0, 2.0 * k + 3.0
        term = power / factorial
        b += term / even
        c += term / (even * odd)
        d += term / odd
        e += term / (even * (even + 2.0))
        power, factorial = -power * x * x, factorial * even * odd
    return b, c, d, e


@kernel(counted=False)
def turned(q: Quaternion, v: Vector) -> Vector:
    """Return ``v`` turned by ``q``."""
    axis = (q[1], q[2], q[3])
    u = cross(axis, v)
    return ahead(ahead(v, 2.0 * q[0], u), 2.0, cross(axis, u))


@kernel(counted=False)
def carried_on(
    algorithm: int, p: Vector, q: Quaternion, v: Vector, a: Vector, w: Vector, t: float
) -> tuple[Vector, Quaternion]:
    """Return place (m) and orientation ``q_EB`` of an entity ``t`` s later.

    ``v`` (m/s) and ``a`` (m/s^2) are its velocity and acceleration, ``w`` (rad/s) its turning rate
    in its own axes.
    """
    if not 2 <= algorithm <= 9:
        return p, q
    turning = algorithm in (3, 4, 7, 8)
    if algorithm not in (4, 5, 8, 9):
        a = (0.0, 0.0, 0.0)
    then = times(q, exp((w[0] * t, w[1] * t, w[2] * t))) if turning else q
    if algorithm < 6:
        return ahead(ahead(p, t, v), 0.5 * t * t, a), then
    moved = ahead((t * v[0], t * v[1], t * v[2]), 0.5 * t * t, a)
    if turning:
        b, c, d, e = _quotients(math.sqrt(dot(w, w)) * t)
        first, second = cross(w, v), cross(w, a)
        moved = ahead(ahead(moved, b * t**2, first), c * t**3, cross(w, first))
        moved = ahead(ahead(moved, d * t**3, second), e * t**4, cross(w, second))
    return ahead(p, 1.0, turned(q, moved)), then
