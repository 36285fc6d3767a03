"""Targets of a tip on a CUDA device: the scalar twin ``solve_one``, a thread for each target.

Starts are tried in rounds; after each, only what is neither solved nor proved out of reach
goes on, so that the threads of a warp have about the same to do.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numba.cuda
import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.iterative_solvers.coordinate_descent import ROWS
from articulata.kernels.chains.iterative_solvers.graphics.device import launch, room_for
from articulata.kernels.chains.iterative_solvers.multi_start import (
    NEAREST_STARTS,
    chord_angle,
    solve_one,
)
from articulata.kernels.chains.iterative_solvers.pose_gauss_newton import SYSTEM_ROWS
from articulata.kernels.chains.iterative_solvers.position_gauss_newton import (
    ERROR_ROWS,
    Arm,
    How,
    Rows,
)
from articulata.kernels.chains.iterative_solvers.reach_bounds import POSSIBLE, prove_area

cuda: Any = numba.cuda  # its functions are made at run time


ROUNDS = (1, NEAREST_STARTS, 8)
"""After how many starts the unsolved targets are gathered anew."""


@cache
def _round(room: int, pose: bool) -> Any:
    """Return the kernel of one round, for chains of up to ``room`` joints."""
    work_rows, goal_rows = ROWS * room, 12 if pose else 3
    system_rows = SYSTEM_ROWS if pose else 1

    @cuda.jit  # type: ignore[untyped-decorator] # Numba publishes no types for it
    def solve_round(
        arm: Any, bounds: Any, goals: Any, points: Any, tried: Any, how: Any, found: Any
    ) -> None:
        k = cuda.grid(1)
        if k >= points.shape[0]:
            return
        own, starts, more = tried
        q, off, used, proof = found
        p = points[k]
        best = cuda.local.array((room, 2), np.float64)
        values = cuda.local.array(room, np.float64)
        work = cuda.local.array(work_rows, np.float64)
        goal = cuda.local.array(goal_rows, np.float64)
        error2 = cuda.local.array(ERROR_ROWS, np.float64)
        system = cuda.local.array(system_rows, np.float64)
        for r in range(goal_rows):
            goal[r] = goals[r, p]
        first = own.shape[0] > 0
        if first:
            free, limited, area, around, enough = bounds
            place = goal[0], goal[1], goal[2]
            proof[p] = prove_area(free, limited, area, around, *place, enough)
        distance, angle, count = solve_one(
            arm,
            own[p if own.shape[0] > 1 else 0] if first else starts,
            more,
            how,
            Rows(work, goal, error2, system),
            best,
            values,
        )
        used[p] += count
        if first or distance**2 + angle**2 < off[p, 0] ** 2 + off[p, 1] ** 2:
            off[p, 0], off[p, 1] = distance, angle
            for i in range(q.shape[1]):
                q[p, i] = values[i]

    return solve_round


def solve_goals(
    arm: Arm,
    bounds: tuple[Array, Array, Array, float, float],
    goals: Array,
    tried: tuple[Array, Array, Array],
    how: How,
) -> tuple[Array, Array, IntArray, IntArray]:
    """Solve goals (3 or 12, m) in the reduced chain's frame and unit.

    ``bounds``: without and with limits, the area around places, the radius of a ball around it, and
    the distance that is near enough; ``tried``: first starts (1 or m, n, 2), then those of all,
    then those of poses that come close. Returns q (m, n), distances in units and angles (m, 2),
    starts used and verdicts (m,).
    """
    m, n = goals.shape[1], len(arm.table)
    kernel = _round(room_for(n), len(goals) == 12)

    def put(array: Any) -> Any:
        return cuda.to_device(np.ascontiguousarray(array))

    own, starts, more = tried
    there = Arm(put(arm.table), put(arm.tip), put(arm.area), put(arm.limits), arm.unit)
    near = *(put(each) for each in bounds[:3]), *bounds[3:]
    wanted = put(goals)
    zeros = np.zeros(m, np.int64)
    found = cuda.device_array((m, n)), cuda.device_array((m, 2)), put(zeros), put(zeros)
    none = starts[:0]
    going = np.arange(m)
    # the caller's start (a batch of one start each), then slices of the spread ones
    begins = [0, *(r - 1 for r in ROUNDS if 0 < r - 1 < len(starts)), len(starts)]
    rounds = [(own[:, None], none), *((none[:, None], starts[a:b]) for a, b in pairwise(begins))]
    for mine, rest in rounds:
        last = rest is rounds[-1][1]
        if len(going) == 0 or len(mine) + len(rest) == 0:
            continue
        starting = put(mine), put(rest), put(more if last else none)
        launch(kernel, len(going), there, near, wanted, put(going), starting, how, found)
        q, off, used, proof = (each.copy_to_host() for each in found)
        far, turn = off[going].T
        missed = ~((far <= math.sqrt(how.enough2)) & (turn <= chord_angle(how.enough_chord2)))
        going = going[missed & ((proof[going] == POSSIBLE) | (used[going] < NEAREST_STARTS))]
    return q, off, used, proof
