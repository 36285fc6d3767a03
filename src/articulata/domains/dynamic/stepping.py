"""Steps through time in plain NumPy: RK4 and the 1986 Euler method, readable beside the kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from articulata.geometry.arrays import Array

Derivative = Callable[[float, Array], Array]


def advanced(state: Array, slope: Array, h: float) -> Array:
    """Return ``state`` (n, 13) moved along ``slope`` (n, 12: v, w, a, alpha) for ``h`` seconds."""
    after = state.copy()
    after[:, 0:3] += h * slope[:, 0:3]
    after[:, 3:7] += h * _quaternion_rate(state[:, 3:7], slope[:, 3:6])
    after[:, 3:7] /= np.linalg.norm(after[:, 3:7], axis=1, keepdims=True)
    after[:, 7:13] += h * slope[:, 6:12]
    return after


def _quaternion_rate(q: Array, w: Array) -> Array:
    scalar = -np.einsum("ni,ni->n", w, q[:, 1:])[:, None]
    vector = w * q[:, :1] + np.cross(w, q[:, 1:])
    return np.asarray(0.5 * np.concatenate([scalar, vector], axis=1))


def euler(f: Derivative, time: float, state: Array, h: float) -> Array:
    """Return the state one explicit Euler step later; orientations as the 1986 program turns."""
    return advanced(state, f(time, state), h)


def rk4(f: Derivative, time: float, state: Array, h: float) -> Array:
    """Return the state one classical Runge-Kutta step later."""

    def rate(at: float, y: Array) -> Array:
        s = f(at, y)
        return np.concatenate([s[:, :3], _quaternion_rate(y[:, 3:7], s[:, 3:6]), s[:, 6:]], axis=1)

    k1 = rate(time, state)
    k2 = rate(time + h / 2, state + h / 2 * k1)
    k3 = rate(time + h / 2, state + h / 2 * k2)
    k4 = rate(time + h, state + h * k3)
    after = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    after[:, 3:7] /= np.linalg.norm(after[:, 3:7], axis=1, keepdims=True)
    return np.asarray(after)
