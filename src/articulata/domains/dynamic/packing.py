"""The state as the kernels hold it: one row a body, and back to named arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from articulata.domains.dynamic.mechanism import ORIENTATION, POSITION, RATE, VELOCITY
from articulata.geometry.arrays import Array


def pack(arrays: Mapping[str, Array]) -> Array:
    """Return the state of the kernels (n, 13): position, orientation, velocity, rate."""
    parts = [arrays[name] for name in (POSITION, ORIENTATION, VELOCITY, RATE)]
    return np.concatenate(parts, axis=1)


def unpack(packed: Array) -> dict[str, Array]:
    """Return the named arrays of a packed state."""
    return {
        POSITION: packed[:, 0:3].copy(),
        ORIENTATION: packed[:, 3:7].copy(),
        VELOCITY: packed[:, 7:10].copy(),
        RATE: packed[:, 10:13].copy(),
    }
