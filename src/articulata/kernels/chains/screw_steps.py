"""Steps of a frame along screws: rates held for a time move it exactly, without drift.

A frame is (3, 4), [R | p]. A twist is (6,): velocity v of its origin and rate w, in the frame's own
axes or in those of the world. In its own axes the step is ``X exp(twist dt)``: origin and axes go
along one screw. In the world's the origin goes straight by ``v dt`` and the axes turn by ``w dt``.
After each step the axes are made orthonormal to first order, ``R (3 - R^T R) / 2``, which is all
that rounding needs. Murray, Li and Sastry, A Mathematical Introduction to Robotic Manipulation
(1994), section 2.3; no angle is small here.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import overwrite

_SERIES = 1e-4
"""Squared angle, rad^2, below which series stand for quotients that lose their figures."""


@kernel(counted=False)
def turn_by(w: Array, dt: float, R: Array) -> None:
    """Write the rotation (3, 3) by ``w dt``."""
    x, y, z = w[0] * dt, w[1] * dt, w[2] * dt
    square = x * x + y * y + z * z
    if square < _SERIES:
        s = 1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0))
        c = 0.5 - square / 24.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0))
    else:
        angle = math.sqrt(square)
        s = math.sin(angle) / angle
        half = math.sin(0.5 * angle)
        c = 2.0 * half * half / square
    R[0, 0] = 1.0 - c * (y * y + z * z)
    R[1, 1] = 1.0 - c * (x * x + z * z)
    R[2, 2] = 1.0 - c * (x * x + y * y)
    R[0, 1] = c * x * y - s * z
    R[1, 0] = c * x * y + s * z
    R[0, 2] = c * x * z + s * y
    R[2, 0] = c * x * z - s * y
    R[1, 2] = c * y * z - s * x
    R[2, 1] = c * y * z + s * x


@kernel(counted=False)
def straighten(X: Array) -> None:
    """Make the axes of a frame (3, 4) orthonormal, which they are but for rounding."""
    a00 = X[0, 0] * X[0, 0] + X[1, 0] * X[1, 0] + X[2, 0] * X[2, 0]
    a11 = X[0, 1] * X[0, 1] + X[1, 1] * X[1, 1] + X[2, 1] * X[2, 1]
    a22 = X[0, 2] * X[0, 2] + X[1, 2] * X[1, 2] + X[2, 2] * X[2, 2]
    a01 = X[0, 0] * X[0, 1] + X[1, 0] * X[1, 1] + X[2, 0] * X[2, 1]
    a02 = X[0, 0] * X[0, 2] + X[1, 0] * X[1, 2] + X[2, 0] * X[2, 2]
    a12 = X[0, 1] * X[0, 2] + X[1, 1] * X[1, 2] + X[2, 1] * X[2, 2]
    for r in range(3):
        x, y, z = X[r, 0], X[r, 1], X[r, 2]
        X[r, 0] = 0.5 * (x * (3.0 - a00) - y * a01 - z * a02)
        X[r, 1] = 0.5 * (y * (3.0 - a11) - x * a01 - z * a12)
        X[r, 2] = 0.5 * (z * (3.0 - a22) - x * a02 - y * a12)


@kernel(counted=False)
def step_own(X: Array, twist: Array, dt: float, R: Array, out: Array) -> None:
    """Write ``X exp(twist dt)`` (3, 4), the twist in the frame's own axes; ``R`` (3, 3) is room."""
    turn_by(twist[3:], dt, R)
    wx, wy, wz = twist[3] * dt, twist[4] * dt, twist[5] * dt
    vx, vy, vz = twist[0] * dt, twist[1] * dt, twist[2] * dt
    square = wx * wx + wy * wy + wz * wz
    if square < _SERIES:
        b = 0.5 - square / 24.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0))
        c = 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0))
    else:
        angle = math.sqrt(square)
        half = math.sin(0.5 * angle)
        b = 2.0 * half * half / square
        c = (angle - math.sin(angle)) / (square * angle)
    # the way of the origin: (1 + b [w] + c [w]^2) v
    ux, uy, uz = wy * vz - wz * vy, wz * vx - wx * vz, wx * vy - wy * vx
    px = vx + b * ux + c * (wy * uz - wz * uy)
    py = vy + b * uy + c * (wz * ux - wx * uz)
    pz = vz + b * uz + c * (wx * uy - wy * ux)
    for r in range(3):
        x, y, z = X[r, 0], X[r, 1], X[r, 2]
        out[r, 3] = X[r, 3] + x * px + y * py + z * pz
        for k in range(3):
            out[r, k] = x * R[0, k] + y * R[1, k] + z * R[2, k]
    straighten(out)


@kernel(counted=False)
def step_world(X: Array, twist: Array, dt: float, R: Array, out: Array) -> None:
    """Write the frame after ``dt`` with velocity and rate in the world's axes."""
    turn_by(twist[3:], dt, R)
    for k in range(3):
        x, y, z = X[0, k], X[1, k], X[2, k]
        for r in range(3):
            out[r, k] = R[r, 0] * x + R[r, 1] * y + R[r, 2] * z
    for r in range(3):
        out[r, 3] = X[r, 3] + twist[r] * dt
    straighten(out)


@kernel
def walk(X: Array, twists: Array, dt: float, in_world: bool, every: int, out: Array) -> None:
    """Move ``X`` (3, 4) along ``twists`` (n, 6), ``dt`` each; write each ``every``-th frame."""
    R, after = np.empty((3, 3)), np.empty((3, 4))
    for i in range(twists.shape[0]):
        if in_world:
            step_world(X, twists[i], dt, R, after)
        else:
            step_own(X, twists[i], dt, R, after)
        overwrite(X, after)
        if (i + 1) % every == 0:
            out[(i + 1) // every - 1] = X
