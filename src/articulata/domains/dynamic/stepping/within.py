"""Where bodies are within a step, between the states at its ends.

Places and orientations follow cubics through both ends with the rates there (Hermite), velocities
straight lines: what moves smoothly is met to the fourth order of the step. A step in which
something struck is not looked into.
"""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array

WHOLE = 1e-9
"""Share of a step by which its end may be missed and is the end all the same."""


def within(before: Array, after: Array, h: float, share: float) -> Array:
    """Return the state (n, 13) at a share of a step of length ``h`` (s)."""
    s = share
    now = before + s * (after - before)
    starts, ends = _rates(before), _rates(after)
    a, b = 2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s
    c, d = 3 * s**2 - 2 * s**3, s**3 - s**2
    # the two signs of a quaternion are one orientation
    same = np.where(np.sum(before[:, 3:7] * after[:, 3:7], axis=1) < 0.0, -1.0, 1.0)[:, None]
    places = after[:, :7].copy()
    places[:, 3:7] *= same
    ends[:, 3:7] *= same
    now[:, :7] = a * before[:, :7] + b * h * starts + c * places + d * h * ends
    now[:, 3:7] /= np.linalg.norm(now[:, 3:7], axis=1, keepdims=True)
    return now


def _rates(state: Array) -> Array:
    """Return the rates (n, 7) of places and orientations (w first)."""
    q, w = state[:, 3:7], state[:, 10:13]
    turning = np.empty((len(state), 4))
    turning[:, 0] = -0.5 * np.sum(w * q[:, 1:], axis=1)
    turning[:, 1:] = 0.5 * (q[:, :1] * w + np.cross(w, q[:, 1:]))
    return np.concatenate([state[:, 7:10], turning], axis=1)
