"""Tip poses on a CUDA device: the scalar twin ``solve_pose_one``, a thread for each target."""

from __future__ import annotations

from functools import cache
from typing import Any

import numba.cuda
import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.iterative_solvers.coordinate_descent import ROWS
from articulata.kernels.chains.iterative_solvers.graphics.device import launch, room_for
from articulata.kernels.chains.iterative_solvers.pose_gauss_newton import SYSTEM_ROWS
from articulata.kernels.chains.iterative_solvers.pose_solver import solve_pose_one
from articulata.kernels.chains.iterative_solvers.position_solver import NEAREST_STARTS
from articulata.kernels.chains.iterative_solvers.reach_bounds import prove_one

cuda: Any = numba.cuda  # its functions are made at run time


@cache
def _round(room: int) -> Any:
    """Return the kernel of one round, for chains of up to ``room`` joints."""
    work_rows = ROWS * room + SYSTEM_ROWS + 2

    @cuda.jit  # type: ignore[untyped-decorator] # Numba publishes no types for it
    def solve_round(
        table: Any,
        tip: Any,
        limits: Any,
        unit: float,
        goals: Any,
        points: Any,
        own: Any,
        starts: Any,
        more: Any,
        free_bound: Any,
        bound: Any,
        close2: float,
        enough: float,
        enough_angle: float,
        steps: int,
        q: Any,
        distance: Any,
        angle: Any,
        used: Any,
        proof: Any,
    ) -> None:
        k = cuda.grid(1)
        if k >= points.shape[0]:
            return
        n = table.shape[0]
        p = points[k]
        work = cuda.local.array(work_rows, np.float64)
        best = cuda.local.array((room, 2), np.float64)
        values = cuda.local.array(room, np.float64)
        goal = cuda.local.array(12, np.float64)
        for r in range(12):
            goal[r] = goals[p, r]
        verdict = prove_one(free_bound, bound, goal[0], goal[1], goal[2], enough)
        proof[p] = verdict
        mine = p if own.shape[0] > 1 else 0
        few = starts.shape[0] if verdict == 0 else min(NEAREST_STARTS - 1, starts.shape[0])
        further = more.shape[0] if verdict == 0 else 0
        far, turn, count = solve_pose_one(
            table,
            tip,
            limits,
            unit,
            goal,
            own[mine : mine + 1],
            starts[:few],
            more[:further],
            close2,
            enough,
            enough_angle,
            steps,
            work[: ROWS * n + SYSTEM_ROWS + 2],
            best,
            values,
        )
        used[p] += count
        distance[p] = far
        angle[p] = turn
        for i in range(n):
            q[p, i] = values[i]

    return solve_round


def solve_goals(
    table: Array,
    tip: Array,
    limits: Array,
    unit: float,
    bounds: tuple[Array, Array],
    goals: Array,
    own: Array,
    starts: Array,
    more: Array,
    close2: float,
    enough: float,
    enough_angle: float,
    steps: int,
) -> tuple[Array, Array, Array, IntArray, IntArray]:
    """Solve ``goals`` (m, 12) as ``pose_engine.write_goals`` makes them.

    The first start alone for all, then all starts for what it did not solve. Returns q (m, n),
    distances in units (m,), angles (m,), starts used (m,) and verdicts (m,).
    """
    m = len(goals)
    n = len(table)
    kernel = _round(room_for(n))
    put = cuda.to_device
    constants = [put(np.ascontiguousarray(a)) for a in (table, tip, limits)]
    on_device = [put(np.ascontiguousarray(bound)) for bound in bounds]
    wanted = put(np.ascontiguousarray(goals))
    first = put(np.ascontiguousarray(own))
    q = cuda.device_array((m, n))
    distance = cuda.device_array(m)
    angle = cuda.device_array(m)
    used = put(np.zeros(m, np.int64))
    proof = put(np.zeros(m, np.int64))
    none = starts[:0]
    going = np.arange(m)
    for rest, further in ((none, none), (starts, more)):
        if len(going) == 0:
            break
        launch(
            kernel,
            len(going),
            *constants,
            unit,
            wanted,
            put(going),
            first,
            put(np.ascontiguousarray(rest)),
            put(np.ascontiguousarray(further)),
            *on_device,
            close2,
            enough,
            enough_angle,
            steps,
            q,
            distance,
            angle,
            used,
            proof,
        )
        met = (distance.copy_to_host() <= enough) & (angle.copy_to_host() <= enough_angle)
        going = np.flatnonzero(~met)
    results = (q, distance, angle, used, proof)
    out = tuple(result.copy_to_host() for result in results)
    return out[0], out[1], out[2], out[3], out[4]
