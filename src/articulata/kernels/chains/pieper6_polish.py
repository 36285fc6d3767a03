"""Postures of ``pieper6`` from roots of a quartic, polished and told apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.general6_kernels import MET
from articulata.kernels.chains.general6_postures import entered, polished
from articulata.kernels.compile import kernel


@kernel
def polish_branches(
    links: Any,
    targets: Any,
    unit: float,
    rough: Any,
    q: Any,
    pivots: Any,
    counts: Any,
    begin: int,
    end: int,
) -> None:
    """Write of postures ``rough`` (m, 8, 6) those that meet their pose, none twice, in order.

    ``links`` (7, 3, 4) with lengths in ``unit`` m; ``q`` (m, 16, 6), ``pivots`` (m, 16) and
    ``counts`` (m,) as in ``solve_general``.
    """
    scratch = np.empty((8, 3, 4))
    system = np.empty((6, 7))
    pose = np.empty((3, 4))
    posture = np.empty(6)
    for p in range(begin, end):
        q[p] = np.nan
        pivots[p] = np.nan
        counts[p] = 0
        for r in range(3):
            for k in range(4):
                pose[r, k] = targets[p, r, k] / unit if k == 3 else targets[p, r, k]
        for slot in range(rough.shape[1]):
            if not math.isfinite(rough[p, slot, 0]):
                continue
            posture[:] = rough[p, slot]
            off, least = polished(links, pose, posture, scratch, system)
            if off <= MET:
                counts[p] = entered(posture, least, q[p], pivots[p], counts[p])
