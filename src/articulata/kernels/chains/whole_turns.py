"""Whole turns of joints, posture by posture: the nearest ones, and what stands within limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.compile import kernel


@kernel(counted=False)
def nearest_turns(q: Any, wanted: Any, lower: Any, upper: Any) -> None:
    """Give each value of postures ``q`` (k, n), rad, the whole turns nearest to ``wanted`` (k, n).

    Then back by as many as bring it below ``upper`` (n,) and on above ``lower`` (n,). NaN stays.
    """
    turn = 2.0 * math.pi
    for row in range(q.shape[0]):
        for i in range(q.shape[1]):
            value = q[row, i]
            value += turn * np.rint((wanted[row, i] - value) / turn)
            if upper[i] < np.inf:
                value -= turn * max(math.ceil((value - upper[i]) / turn - 1e-13), 0.0)
            if lower[i] > -np.inf:
                value += turn * max(math.ceil((lower[i] - value) / turn - 1e-13), 0.0)
            q[row, i] = value


@kernel(counted=False)
def stand_within(q: Any, lower: Any, upper: Any, slack: float, within: Any) -> None:
    """Write which postures ``q`` (k, n) keep ``lower`` and ``upper`` (n,) to ``slack``: (k,).

    Those stand at their limits afterwards, not beyond; where there is none (NaN), none keeps them.
    """
    for row in range(q.shape[0]):
        keeps = True
        for i in range(q.shape[1]):
            keeps &= lower[i] - slack <= q[row, i] <= upper[i] + slack
        within[row] = keeps
        if keeps:
            for i in range(q.shape[1]):
                q[row, i] = min(max(q[row, i], lower[i]), upper[i])
