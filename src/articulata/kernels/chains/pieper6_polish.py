"""Postures of ``pieper6`` that are not exact, polished and told apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.general6_kernels import MET
from articulata.kernels.chains.general6_postures import entered, polished
from articulata.kernels.chains.rigid_motions import copied, scaled_pose
from articulata.kernels.chains.sixteen_postures import lane_room, polished_on_lanes
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import LANES_FLOAT64

_LOOKS = 4
"""How often a posture is looked at, and moved between: axes that all but meet leave 1e-5."""

_MOVED = 0.05
"""A posture that is moved by more, rad, may be another one's."""

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


@kernel
def polish_slots(links: Any, targets: Any, q: Any, doubts: Any, begin: int, end: int) -> None:
    """Polish postures ``q`` (m, 8, 6) of poses (m, 4, 4) where they stand, a slot in each lane.

    ``links`` (7, 3, 4). ``doubts`` (m,) is set where one does not meet its pose, moves far or all
    but falls together with another.
    """
    pose = np.empty((3, 4))
    room = lane_room()
    for p in range(begin, end):
        scaled_pose(targets[p], 1.0, pose)
        for first in range(0, q.shape[1], LANES_FLOAT64):
            some = False
            count = min(LANES_FLOAT64, q.shape[1] - first)
            for lane in range(LANES_FLOAT64):
                # spare lanes repeat the last slot
                slot = first + min(lane, count - 1)
                some |= math.isfinite(q[p, slot, 0])
                for i in range(6):
                    room.q[i, lane] = q[p, slot, i]
            if not some:
                continue
            polished_on_lanes(links, -1, pose, _LOOKS, room)
            for lane in range(count):
                posture = q[p, first + lane]
                if not math.isfinite(posture[0]):
                    continue
                moved = 0.0
                for i in range(6):
                    moved = max(moved, abs(room.q[i, lane] - posture[i]))
                    posture[i] = room.q[i, lane]
                if not (room.quality[0, lane] <= MET and moved <= _MOVED):
                    doubts[p] = True
        for slot in range(q.shape[1]):
            for other in range(slot):
                apart = 0.0
                for i in range(6):
                    away = q[p, slot, i] - q[p, other, i]
                    apart = max(apart, abs(away - 2.0 * math.pi * np.rint(away / (2.0 * math.pi))))
                if apart < _APART and math.isfinite(q[p, slot, 0] - q[p, other, 0]):
                    doubts[p] = True
