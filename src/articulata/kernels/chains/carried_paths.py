"""Postures of an arm that carries a frame along a path of poses, each continued from the last."""

from __future__ import annotations

from typing import Any

import numpy as np

from articulata.kernels.chains.carried_frames import posture_near
from articulata.kernels.compile import kernel


@kernel
def carried_path(
    arm: Any, X: Any, start: Any, held: int, room: Any, q: Any, branch: Any, codes: Any
) -> int:
    """Write postures (m, n) that meet ``X`` (m, 3, 4), branches and codes (m,).

    The first is the nearest to ``start`` (n,) on the branch ``held`` (any where less than 0); where
    a pose is not met its code is not 0, its posture NaN, and the next one continues the last that
    was met, on any branch. Return how many are not met.
    """
    missed = 0
    near = start.copy()
    for i in range(X.shape[0]):
        found = posture_near(arm, X[i], near, held, room, q[i])
        if found < 0:
            codes[i], branch[i] = -found, -1
            q[i, :] = np.nan
            missed += 1
            held = -1
            continue
        codes[i], branch[i] = 0, found
        near[:] = q[i]
        held = found
    return missed
