"""Searching a step for the instant at which something changes, on its dense output."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kernels.multibody.integrators.dop853 import dense_state

HALVINGS = 52
"""Halvings of a step in search of the instant at which a contact changes."""


def between(
    state: Array, dense: Array, time: float, step: float, share: float
) -> tuple[Array, float]:
    """Return the state at a share of a step, by its dense output, and its time."""
    now = np.empty_like(state)
    dense_state(dense, state, share, now)
    now[:, 3:7] /= np.linalg.norm(now[:, 3:7], axis=1, keepdims=True)
    return now, time + share * step


def last_true(holds: Callable[[float], bool], end: float) -> float:
    """Return the share up to ``end`` at which ``holds`` first fails, within rounding."""
    low, high = 0.0, end
    if holds(end):
        return 2.0 if end < 1.0 else end
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if holds(middle):
            low = middle
        else:
            high = middle
    return high
