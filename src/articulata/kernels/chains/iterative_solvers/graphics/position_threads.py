"""Tip positions on a CUDA device: the scalar twin ``solve_one``, a thread for each target.

Starts are tried in rounds; after each, only what is neither solved nor proved out of reach
goes on, so that the threads of a warp have about the same to do.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numba.cuda
import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.iterative_solvers.coordinate_descent import ROWS
from articulata.kernels.chains.iterative_solvers.graphics.device import launch, room_for
from articulata.kernels.chains.iterative_solvers.position_solver import NEAREST_STARTS, solve_one
from articulata.kernels.chains.iterative_solvers.reach_bounds import POSSIBLE, prove_area

cuda: Any = numba.cuda  # its functions are made at run time


ROUNDS = (1, NEAREST_STARTS, 8)
"""After how many starts the unsolved targets are gathered anew."""


@cache
def _round(room: int) -> Any:
    """Return the kernel of one round, for chains of up to ``room`` joints."""
    work_rows = ROWS * room

    @cuda.jit  # type: ignore[untyped-decorator] # Numba publishes no types for it
    def solve_round(
        table: Any,
        tip: Any,
        area: Any,
        limits: Any,
        unit: float,
        places: Any,
        points: Any,
        own: Any,
        starts: Any,
        free_bound: Any,
        bound: Any,
        around: float,
        enough: float,
        sweeps: int,
        steps: int,
        q: Any,
        error: Any,
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
        error2 = cuda.local.array(4, np.float64)
        values = cuda.local.array(room, np.float64)
        place = cuda.local.array(3, np.float64)
        for r in range(3):
            place[r] = places[r, p]
        first = own.shape[0] > 0
        if first:
            proof[p] = prove_area(
                free_bound, bound, area, around, place[0], place[1], place[2], enough
            )
        tried = own[p if own.shape[0] > 1 else 0] if first else starts
        distance, count = solve_one(
            table,
            tip,
            area,
            limits,
            unit,
            place,
            tried,
            enough,
            sweeps,
            steps,
            work,
            best,
            error2,
            values,
        )
        used[p] += count
        if first or distance < error[p]:
            error[p] = distance
            for i in range(n):
                q[p, i] = values[i]

    return solve_round


def solve_places(
    table: Array,
    tip: Array,
    area: Array,
    limits: Array,
    unit: float,
    bounds: tuple[Array, Array],
    places: Array,
    own: Array,
    starts: Array,
    around: float,
    enough: float,
    sweeps: int,
    steps: int,
) -> tuple[Array, Array, IntArray, IntArray]:
    """Solve targets ``places`` (3, m) in the reduced chain's frame and unit.

    ``own`` (1 or m, n, 2) is the first start of each, ``starts`` (count, n, 2) follow; the
    others as for ``position_engine.solve_one``. Returns q (m, n), errors in units (m,), starts
    used (m,) and verdicts (m,).
    """
    m = places.shape[1]
    n = len(table)
    kernel = _round(room_for(n))
    put = cuda.to_device
    constants = [put(np.ascontiguousarray(a)) for a in (table, tip, area, limits)]
    on_device = [put(np.ascontiguousarray(bound)) for bound in bounds]
    goals = put(np.ascontiguousarray(places))
    q = cuda.device_array((m, n))
    error = cuda.device_array(m)
    used = put(np.zeros(m, np.int64))
    proof = put(np.zeros(m, np.int64))
    none = np.zeros((0, n, 2))
    going = np.arange(m)
    verdict = np.zeros(m, np.int64)
    # the caller's start (a batch of one start each), then slices of the spread ones
    begins = [0, *(r - 1 for r in ROUNDS if 0 < r - 1 < len(starts)), len(starts)]
    rounds = [(own[:, None], none), *((None, starts[a:b]) for a, b in pairwise(begins))]
    for mine, rest in rounds:
        if len(going) == 0 or (mine is None and len(rest) == 0):
            continue
        launch(
            kernel,
            len(going),
            *constants,
            unit,
            goals,
            put(going),
            put(np.ascontiguousarray(mine if mine is not None else none[:, None])),
            put(np.ascontiguousarray(rest)),
            *on_device,
            around,
            enough,
            sweeps,
            steps,
            q,
            error,
            used,
            proof,
        )
        missed = ~(error.copy_to_host()[going] <= enough)
        verdict = proof.copy_to_host()
        tried = used.copy_to_host()[going]
        more = (verdict[going] == POSSIBLE) | (tried < NEAREST_STARTS)
        going = going[missed & more]
    return q.copy_to_host(), error.copy_to_host(), used.copy_to_host(), verdict
