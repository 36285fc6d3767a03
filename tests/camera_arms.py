"""Arms that carry cameras, and kinematics of the arm of 2011 that knows nothing of the product."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.linalg import expm

import articulata as art
from articulata.geometry.arrays import Array

MOUNT = (0.02, 0.1, 0.03)


def mount() -> Array:
    X = np.eye(4)
    X[:3, 3] = MOUNT
    return X


@cache
def r3() -> art.Carrier:
    camera = art.Camera(art.Lens(0.035), mount())
    return art.Carrier(art.figure("manutec_r3"), "flange", camera)


@cache
def arm_2011() -> art.Carrier:
    camera = art.Camera(art.Lens(0.035), mount())
    figure = art.figure("camera_robot")
    return art.Carrier(figure, "flange", camera, speeds=2.0, accelerations=10.0, proposed=True)


R3_START = np.radians([-20.0, -20.0, 70.0, 20.0, -60.0, 10.0])
START_2011 = np.radians([10.0, -30.0, 60.0, 20.0, 40.0, 10.0])


def _rx(u: float) -> Array:
    X = np.eye(4)
    X[1:3, 1:3] = [[math.cos(u), -math.sin(u)], [math.sin(u), math.cos(u)]]
    return X


def _fixed(t: tuple[float, float, float], R: list[list[float]]) -> Array:
    X = np.eye(4)
    X[:3, 3], X[:3, :3] = t, R
    return X


_RZ = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
_ONE = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
_C = (
    _fixed((1.012, 0.04943, 0.8048), _RZ),
    _fixed((0.0, -1.781, 0.0), _ONE),
    _fixed((-0.20543, 0.0, -0.3063), _RZ),
    _fixed((-1.456, 0.0, 0.0), [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    _fixed((0.0, 0.0, 0.0), [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]),
)
"""C1 to C5 of Li 2011, (4.18) to (4.22), in metres."""


def tip_2011(u: Array) -> Array:
    """The camera by the thesis's matrices, (4.24)."""
    X = np.eye(4)
    for k in range(6):
        X = X @ _rx(float(u[k]))
        if k < 5:
            X = X @ _C[k]
    return X @ mount()


def wrist_2011(u: Array) -> Array:
    """The wrist centre by the thesis's closed form, (4.27)."""
    P = 0.8048 - 1.781 * math.sin(u[1]) - 0.3063 * math.cos(u[1] + u[2])
    P -= 1.456 * math.sin(u[1] + u[2])
    x = 1.012 + 1.781 * math.cos(u[1]) - 0.3063 * math.sin(u[1] + u[2])
    x += 1.456 * math.cos(u[1] + u[2])
    c, s = math.cos(u[0]), math.sin(u[0])
    return np.array([x, -0.156 * c - P * s, -0.156 * s + P * c])


def twisted(X: Array, twist: Array, step: float) -> Array:
    """Where a frame is after a twist in its own axes, by the matrix exponential of scipy."""
    v, w = twist[:3], twist[3:]
    A = np.zeros((4, 4))
    A[:3, :3] = [[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]]
    A[:3, 3] = v
    return np.asarray(X @ expm(A * step))
