"""The state as the kernels hold it, one row a body, and back; and the scale of multipliers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from articulata.domains.dynamic.mechanism import ORIENTATION, POSITION, RATE, VELOCITY, Mechanism
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly import scalar_rows as rows


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


def helicoid_scale(parts: Mechanism) -> Array:
    """Return what turns the kernels' multipliers into those of the rows here (rows,).

    The kernels measure a helicoid's gap across the radius, the rows here along the axis.
    """
    scale = np.ones(len(parts.rows))
    for row in np.flatnonzero(parts.rows.kind == rows.HELICOID).tolist():
        first = int(np.searchsorted(parts.rows.owner, parts.rows.owner[row]))
        point = rows.scalar_rows(parts.row_hinge(row).kind.rows)[row - first].point
        scale[row] = float(np.hypot(point[0], point[1])) / parts.rows.size[row]
    return scale
