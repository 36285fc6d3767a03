"""Postures of ``meeting_axes_6r`` that are not exact, polished and told apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.closed_forms.general_6r_elimination import MET
from articulata.kernels.chains.closed_forms.general_6r_postures import entered, polished
from articulata.kernels.chains.rigid_motions import copied, scaled_pose
from articulata.kernels.compile import kernel

_APART = 1e-3
"""Two postures that are not farther apart, rad, may be one."""


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
    frames = np.empty((7, 3, 4))
    system = np.empty((6, 7))
    pose = np.empty((3, 4))
    posture = np.empty(6)
    for p in range(begin, end):
        q[p] = np.nan
        pivots[p] = np.nan
        counts[p] = 0
        scaled_pose(targets[p], unit, pose)
        for slot in range(rough.shape[1]):
            if not math.isfinite(rough[p, slot, 0]):
                continue
            copied(rough[p, slot], posture)
            off, least = polished(links, -1, pose, posture, frames, system)
            if off <= MET:
                counts[p] = entered(posture, -1, least, q[p], pivots[p], counts[p])


@kernel(counted=False)
def mark_pairs(q: Any, doubts: Any) -> None:
    """Set ``doubts`` (m,) where two postures ``q`` (m, s, n) of a pose all but fall together."""
    turn = 2.0 * math.pi
    for p in range(len(q)):
        for slot in range(q.shape[1]):
            if not math.isfinite(q[p, slot, 0]):
                continue
            for other in range(slot):
                apart = not math.isfinite(q[p, other, 0])
                for i in range(q.shape[2]):
                    if apart:
                        break
                    away = q[p, slot, i] - q[p, other, i]
                    apart = abs(away - turn * np.rint(away / turn)) >= _APART
                if not apart:
                    doubts[p] = True
