"""Where people stand in a formation, behind or beside the one who leads it."""

from __future__ import annotations

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array, Float64

SPACING = 2.0
"""m from one person to the next unless somebody says otherwise."""

FORMATIONS = ("line", "column", "wedge", "vee", "echelon_left", "echelon_right")


def formation(name: str, count: int, spacing: float = SPACING) -> Float64[Array, "n 2"]:
    """Return how far ahead and to the left (m) of the leader ``count`` people stand, him first.

    >>> formation("wedge", 3, 1.0).tolist()
    [[0.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]
    """
    if name not in FORMATIONS:
        raise ArticulataError(f"--formation {name!r}: formations are {', '.join(FORMATIONS)}")
    if not (0.3 <= spacing <= 100.0):
        raise ArticulataError(f"people stand 0.3 to 100 m apart in a formation, not {spacing:g}")
    # the first to the left of the leader, the second to his right, and so on outward
    rank = (np.arange(count) + 1) // 2
    side = np.where(np.arange(count) % 2 == 1, 1.0, -1.0)
    behind = np.arange(count, dtype=float)
    ahead, left = {
        "line": (0.0 * behind, side * rank),
        "column": (-behind, 0.0 * behind),
        "wedge": (-1.0 * rank, side * rank),
        "vee": (1.0 * rank, side * rank),
        "echelon_left": (-behind, behind),
        "echelon_right": (-behind, -behind),
    }[name]
    return spacing * np.stack([ahead, left], axis=1) + 0.0
