"""The fastest way along a path within limits of speed and acceleration.

The path is q(s) on a grid of s. With x the square of ds/dt and u its second derivative in time, the
joints move at q' sqrt(x) and accelerate by q' u + q'' x; along an interval of the grid u is held,
so that x grows by 2 u ds. A backward pass finds the greatest x at each place from which the end can
still be met, a forward pass then goes as fast as that allows: Pham and Pham, A New Approach to
Time-Optimal Path Parameterization Based on Reachability Analysis (2018). Limits hold at both ends
of each interval.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel

_HALVINGS = 60
"""Of an interval of x: to the last bit that counts."""


@kernel(counted=False)
def _steepest(
    first: Array,
    second: Array,
    after: Array,
    bend: Array,
    limits: Array,
    x: float,
    width: float,
    most: float,
    out: Array,
) -> bool:
    """Write the least and the greatest u (2,) at ``x``; return whether there is one.

    ``first`` and ``second`` (n,) are q' and q'' at the interval's beginning, ``after`` and ``bend``
    at its end, ``limits`` (n,) those of acceleration; x may reach ``most`` at the end.
    """
    low = -x / (2.0 * width)
    high = (most - x) / (2.0 * width)
    for i in range(limits.shape[0]):
        for end in range(2):
            slope = first[i] if end == 0 else after[i] + 2.0 * width * bend[i]
            level = second[i] * x if end == 0 else bend[i] * x
            limit = limits[i]
            if slope > 0.0:
                low = max(low, (-limit - level) / slope)
                high = min(high, (limit - level) / slope)
            elif slope < 0.0:
                low = max(low, (limit - level) / slope)
                high = min(high, (-limit - level) / slope)
            elif abs(level) > limit:
                return False
    out[0] = low
    out[1] = high
    return low <= high


@kernel
def fastest(
    s: Array, first: Array, second: Array, speeds: Array, accelerations: Array, x: Array
) -> int:
    """Write x (n,) over the grid ``s`` (n,); return -1, or where no speed at all is possible.

    ``first`` and ``second`` (n, joints) are q' and q''; speed is 0 at both ends.
    """
    count = s.shape[0]
    reachable = np.empty(count)
    span = np.empty(2)
    for k in range(count):
        most = math.inf
        for i in range(speeds.shape[0]):
            slope = abs(first[k, i])
            if slope > 0.0:
                most = min(most, (speeds[i] / slope) ** 2)
            bend = abs(second[k, i])
            if bend > 0.0 and slope == 0.0:
                most = min(most, accelerations[i] / bend)
        reachable[k] = most
    reachable[count - 1] = 0.0
    for k in range(count - 2, -1, -1):
        width = s[k + 1] - s[k]
        bound = reachable[k]
        low = 0.0
        if math.isinf(bound):
            bound = 1.0
            while bound < 1e300 and _steepest(
                first[k], second[k], first[k + 1], second[k + 1], accelerations, bound, width,
                reachable[k + 1], span,
            ):  # fmt: skip
                low = bound
                bound *= 4.0
        elif _steepest(
            first[k], second[k], first[k + 1], second[k + 1], accelerations, bound, width,
            reachable[k + 1], span,
        ):  # fmt: skip
            low = bound
        if low < bound:
            if not _steepest(
                first[k], second[k], first[k + 1], second[k + 1], accelerations, low, width,
                reachable[k + 1], span,
            ):  # fmt: skip
                return k
            for _ in range(_HALVINGS):
                middle = 0.5 * (low + bound)
                if _steepest(
                    first[k], second[k], first[k + 1], second[k + 1], accelerations, middle, width,
                    reachable[k + 1], span,
                ):  # fmt: skip
                    low = middle
                else:
                    bound = middle
        reachable[k] = low
    x[0] = 0.0
    for k in range(count - 1):
        width = s[k + 1] - s[k]
        if not _steepest(
            first[k], second[k], first[k + 1], second[k + 1], accelerations, x[k], width,
            reachable[k + 1], span,
        ):  # fmt: skip
            return k
        x[k + 1] = min(max(x[k] + 2.0 * width * span[1], 0.0), reachable[k + 1])
    return -1
