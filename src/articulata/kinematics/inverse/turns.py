"""Whole turns of joints: of all values that give one posture, the one wanted."""

from __future__ import annotations

import math

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
    turned = q + math.tau * np.round((wanted - q) / math.tau)
    # back by as many turns as bring it below the upper limit, then on above the lower
    over = np.maximum(np.ceil((turned - upper) / math.tau - 1e-13), 0.0)
    turned = turned - math.tau * np.where(np.isfinite(over), over, 0.0)
    under = np.maximum(np.ceil((lower - turned) / math.tau - 1e-13), 0.0)
    return np.asarray(turned + math.tau * np.where(np.isfinite(under), under, 0.0))
