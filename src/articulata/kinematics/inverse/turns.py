"""Whole turns of joints: of all values that give one posture, the one wanted."""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array, Float64


def nearest_turn(
    q: Float64[Array, "*batch dof"],
    wanted: Float64[Array, "*like dof"],
    lower: Float64[Array, "dof"],
    upper: Float64[Array, "dof"],
) -> Float64[Array, "*batch dof"]:
    """Return ``q`` plus whole turns, nearest to ``wanted`` within the limits.

    For joints that turn; ``q`` itself is within the limits, NaN stays.
    """
    from articulata.kernels.chains.whole_turns import nearest_turns

    turned = np.array(q, np.float64, order="C")
    dof = turned.shape[-1]
    # arrays that may not be written are of another type, for which kernels are compiled anew
    like = np.array(np.broadcast_to(wanted, turned.shape), np.float64, order="C")
    low, high = (np.require(end, np.float64, ["C", "W"]) for end in (lower, upper))
    nearest_turns(turned.reshape(-1, dof), like.reshape(-1, dof), low, high)
    return turned
