"""Dead reckoning: where an entity is between its packets, by the nine models of DIS.

A model is named by three letters: F or R (the orientation is fixed, or turns at the told rate), P
or V (constant velocity, or constant acceleration), W or B (both are told in the world E or in the
entity's own axes B). All entities are carried on together. Reference: IEEE 1278.1-2012, annex E.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.geometry.poses import cross_matrix

TURNS = (3, 4, 7, 8)
ACCELERATES = (4, 5, 8, 9)
OWN_AXES = (6, 7, 8, 9)

SMALL = 0.5
"""Turns (rad) below which series stand in for quotients, which lose digits there."""

_TERMS = 8
"""Terms of a series: the last is below 1e-17 of the first."""


def carried_on(
    algorithm: IntArray,
    p: Float64[Array, "n 3"],
    R: Float64[Array, "n 3 3"],
    velocity: Float64[Array, "n 3"],
    acceleration: Float64[Array, "n 3"],
    rate: Float64[Array, "n 3"],
    seconds: Float64[Array, "n"],
) -> tuple[Float64[Array, "n 3"], Float64[Array, "n 3 3"]]:
    """Return places (m) and orientations ``R_EB`` of n entities so many ``seconds`` later.

    Entities of an unknown model stay where they are.
    """
    turning = np.isin(algorithm, TURNS)[:, None]
    w = np.where(turning, rate, 0.0)
    a = np.where(np.isin(algorithm, ACCELERATES)[:, None], acceleration, 0.0)
    v = np.where(np.isin(algorithm, range(2, 10))[:, None], velocity, 0.0)
    own = np.isin(algorithm, OWN_AXES)[:, None]
    t = seconds[:, None]
    turn, first, second = _integrals(w, seconds)
    in_world = v * t + 0.5 * a * t * t
    in_axes = np.einsum("nij,njk,nk->ni", R, first, v) + np.einsum("nij,njk,nk->ni", R, second, a)
    return p + np.where(own, in_axes, in_world), R @ turn


def _integrals(w: Array, t: Array) -> tuple[Array, Array, Array]:
    """Return the turn exp([w]t), its integral over 0 to t, and that of time times it, (n, 3, 3)."""
    x = np.linalg.norm(w, axis=1) * t
    sine, cosine = np.sin(x), np.cos(x)
    small = np.abs(x) < SMALL
    y = np.where(small, 1.0, x)
    squares = np.where(small, x, 0.0)[:, None] ** (2 * np.arange(_TERMS))

    def quotient(exact: Array, series: list[float]) -> Array:
        return np.where(small, squares @ series, exact)

    terms = range(_TERMS)
    sign, factorial = [(-1.0) ** k for k in terms], [math.factorial(2 * k + 1) for k in terms]
    a = quotient(sine / y, [s / f for s, f in zip(sign, factorial, strict=True)])
    b = quotient((1.0 - cosine) / y**2, [sign[k] / (factorial[k] * (2 * k + 2)) for k in terms])
    later = [math.factorial(2 * k + 3) for k in terms]
    c = quotient((y - sine) / y**3, [sign[k] / later[k] for k in terms])
    d = quotient((sine - y * cosine) / y**3, [sign[k] * (2 * k + 2) / later[k] for k in terms])
    e = quotient(
        (y**2 / 2.0 + 1.0 - cosine - y * sine) / y**4,
        [sign[k] * (2 * k + 3) / (later[k] * (2 * k + 4)) for k in terms],
    )
    W = cross_matrix(w)
    W2 = W @ W

    def sum_of(c0: Array, c1: Array, c2: Array) -> Array:
        return c0[:, None, None] * np.eye(3) + c1[:, None, None] * W + c2[:, None, None] * W2

    return (
        sum_of(np.ones_like(t), a * t, b * t**2),
        sum_of(t, b * t**2, c * t**3),
        sum_of(t**2 / 2.0, d * t**3, e * t**4),
    )
