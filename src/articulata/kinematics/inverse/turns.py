"""Whole turns of joints: of all values that give one posture, the one wanted."""

from __future__ import annotations

import math

import numpy as np

from articulata.geometry.arrays import Array, Float64

ROUNDING = 1e-9
"""A joint this little outside its limits, rad or m, stands at them."""


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


def settled(
    q: Float64[Array, "*batch dof"], lower: Float64[Array, "dof"], upper: Float64[Array, "dof"]
) -> Float64[Array, "*batch dof"]:
    """Return ``q`` with joints at their limits that are outside by rounding alone.

    As at the end of an interval of a family, where a joint stands at its limit.
    """
    off = np.maximum(lower - q, q - upper)
    return np.where((off > 0.0) & (off < ROUNDING), np.clip(q, lower, upper), q)


def middles(lower: Float64[Array, "dof"], upper: Float64[Array, "dof"]) -> Float64[Array, "dof"]:
    """Return the middle of each joint's range, 0 where there is none."""
    bounded = np.isfinite(lower) & np.isfinite(upper)
    middle = 0.5 * (np.where(bounded, lower, 0.0) + np.where(bounded, upper, 0.0))
    return np.asarray(np.where(upper - lower < 2.0 * math.tau, middle, 0.0))
