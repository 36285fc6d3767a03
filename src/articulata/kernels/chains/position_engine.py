"""The engine for tip positions: descent, then Gauss-Newton, from several starts.

For each target and start: a few sweeps of coordinate descent (they cross the workspace without
getting caught at joint limits), then damped Gauss-Newton with active limits. Batches run in
float32 on lanes until the tolerance is met, restarting only what is not solved yet; postures
are then finished in float64, and the error reported is the distance of the posture returned.
One target alone runs the scalar twins in float64.

Everything here is in the reduced chain's base frame and unit (see ``table``).
A *state* is what rows 0 and 1 of a joint hold: cos and sin of its table angle, or its travel.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.descent import CH, KIND, MC, MS, ROWS, SH, clamp_turn, sweep
from articulata.kernels.chains.gauss_newton import approach
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import arc_tangent2
from articulata.kernels.lanes.vectors import FASTMATH, load, maximum, minimum, store

FLOAT32_SHARE = 1e-5
"""Smallest error, as a share of the reach, that the float32 stage is asked for."""

NEARLY2 = 1e-6
"""Squared error, in units of the reach, from which finishing steps are expected to converge."""

NEAREST_STARTS = 4
"""Starts for a target that is proved out of reach: enough for a good nearest posture."""

PATIENCE = 0.98
"""A start is given up when a round of steps leaves more than this share of the squared error."""


@kernel(fastmath=FASTMATH)
def tidy(table: Any, work: Any) -> None:
    """Bring every joint's state to unit length and into its limits."""
    for i in range(table.shape[0]):
        k = ROWS * i
        c = load(work, k)
        if table[i, KIND] == 0.0:
            s = load(work, k + 1)
            # two Newton steps toward 1 / sqrt(c^2 + s^2): rounding of float32 becomes 1e-28
            scale = 1.5 - 0.5 * (c * c + s * s)
            c = c * scale
            s = s * scale
            scale = 1.5 - 0.5 * (c * c + s * s)
            c, s = clamp_turn(
                c * scale, s * scale, table[i, MC], table[i, MS], table[i, CH], table[i, SH]
            )
            store(work, k, c)
            store(work, k + 1, s)
        else:
            store(work, k, minimum(maximum(c, table[i, CH]), table[i, SH]))


@kernel(fastmath=FASTMATH)
def read_values(table: Any, limits: Any, unit: float, work: Any) -> None:
    """Write each joint's value (rad or m) to its row 2; limits (n, 3): middle, lower, upper."""
    for i in range(table.shape[0]):
        k = ROWS * i
        c = load(work, k)
        if table[i, KIND] == 0.0:
            s = load(work, k + 1)
            value = limits[i, 0] + arc_tangent2(
                s * table[i, MC] - c * table[i, MS], c * table[i, MC] + s * table[i, MS]
            )
        else:
            value = c * unit
        store(work, k + 2, minimum(maximum(value, limits[i, 1]), limits[i, 2]))


@kernel
def settle(table: Any, tip: Any, area: Any, work: Any, target: Any, error2: Any) -> None:
    """Bring a posture that cannot meet its target nearer to it.

    Gauss-Newton overshoots where the rest of the error cannot be removed; descent never does.
    """
    tidy(table, work)
    for _ in range(4):
        approach(table, tip, area, work, target, error2, np.inf, 0, 1e-10)
        sweep(table, tip, work, error2[1:], 6)
    tidy(table, work)
    approach(table, tip, area, work, target, error2, np.inf, 0, 1e-10)


@kernel
def solve_one(
    table: Any,
    tip: Any,
    area: Any,
    limits: Any,
    unit: float,
    target: Any,
    starts: Any,
    enough: float,
    sweeps: int,
    steps: int,
    work: Any,
    best: Any,
    error2: Any,
    q: Any,
) -> Any:
    """Solve one target with the scalar twins; return (error in units, starts used).

    ``starts`` (count, n, 2) states tried in order; ``work`` (8 n,), ``best`` (n, 2) and
    ``error2`` (4,) are scratch; ``q`` (n,) receives the joint values.
    """
    n = table.shape[0]
    least = np.inf
    used = 0
    for start in range(starts.shape[0]):
        used += 1
        for i in range(n):
            work[ROWS * i] = starts[start, i, 0]
            work[ROWS * i + 1] = starts[start, i, 1]
        if sweeps > 0:
            sweep(table, tip, work, target, sweeps)
            tidy(table, work)
        before = np.inf
        left = steps
        while True:
            left -= approach(
                table, tip, area, work, target, error2, enough * enough, min(left, 8), 1e-10
            )
            e = error2[0]
            if not e > enough * enough or left <= 0 or e > PATIENCE * before:
                break
            before = e
        if start == 0 or e < least:
            least = e
            for i in range(n):
                best[i, 0] = work[ROWS * i]
                best[i, 1] = work[ROWS * i + 1]
        if not least > enough * enough:
            break
    for i in range(n):
        work[ROWS * i] = best[i, 0]
        work[ROWS * i + 1] = best[i, 1]
    if least > enough * enough:
        settle(table, tip, area, work, target, error2)
    else:
        # the clamped, normalised posture is the one measured and returned
        tidy(table, work)
        approach(table, tip, area, work, target, error2, np.inf, 0, 1e-10)
    read_values(table, limits, unit, work)
    for i in range(n):
        q[i] = work[ROWS * i + 2]
    return math.sqrt(error2[0]), used


@kernel
def _gather(
    state: Any, targets: Any, points: Any, first: int, count: int, work: Any, goal: Any
) -> None:
    """Load the states and targets of ``count`` listed points; spare lanes repeat the last."""
    n = state.shape[0] // 2
    for lane in range(work.shape[1]):
        p = points[first + min(lane, count - 1)]
        for r in range(3):
            goal[r, lane] = targets[r, p]
        for i in range(n):
            work[ROWS * i, lane] = state[2 * i, p]
            work[ROWS * i + 1, lane] = state[2 * i + 1, p]


@kernel
def _scatter(
    state: Any, error: Any, points: Any, first: int, count: int, work: Any, error2: Any
) -> None:
    n = state.shape[0] // 2
    for lane in range(count):
        p = points[first + lane]
        error[p] = error2[0, lane]
        for i in range(n):
            state[2 * i, p] = work[ROWS * i, lane]
            state[2 * i + 1, p] = work[ROWS * i + 1, lane]


@kernel
def search(
    table: Any,
    tip: Any,
    area: Any,
    targets: Any,
    own_start: Any,
    starts: Any,
    proof: Any,
    enough2: Any,
    sweeps: int,
    steps: int,
    least_damping: Any,
    work: Any,
    goal: Any,
    error2: Any,
    best: Any,
    best_error: Any,
    used: Any,
) -> None:
    """Search a chunk of ``m`` targets (3, m) on lanes, from several starts until it is solved.

    The first start of target p is ``own_start[:, :, p]`` (n, 2, m) (the same for all where
    m = 1); then those of ``starts`` (count, n, 2) follow in order, but only a few where
    ``proof`` (m,) is not 0: such a target is out of reach. ``best`` (2 n, m) receives the best
    state, ``best_error`` (m,) its squared error, ``used`` (m,) the number of starts used. Rows of
    scratch: ``work`` 8 n, ``goal`` 3, ``error2`` 4.
    """
    n = table.shape[0]
    m = targets.shape[1]
    width = work.shape[1]
    state = np.empty((2 * n, m), table.dtype)
    error = np.empty(m, table.dtype)
    before = np.empty(m, table.dtype)
    pending = np.arange(m)
    going = np.empty(m, np.int64)
    left = m
    for start in range(-1, starts.shape[0]):
        for j in range(left):
            p = pending[j]
            own = p if own_start.shape[2] > 1 else 0
            for i in range(n):
                if start < 0:
                    state[2 * i, p] = own_start[i, 0, own]
                    state[2 * i + 1, p] = own_start[i, 1, own]
                else:
                    state[2 * i, p] = starts[start, i, 0]
                    state[2 * i + 1, p] = starts[start, i, 1]
            used[p] += 1
            going[j] = p
            before[p] = np.inf
        active = left
        spent = 0
        while active > 0 and spent < steps:
            # the first rounds are short: most points are solved in them
            batch = 4 if spent == 0 else 8
            for first in range(0, active, width):
                count = min(width, active - first)
                _gather(state, targets, going, first, count, work, goal)
                if spent == 0 and sweeps > 0:
                    sweep(table, tip, work, goal, sweeps)
                approach(table, tip, area, work, goal, error2, enough2, batch, least_damping)
                _scatter(state, error, going, first, count, work, error2)
            spent += batch
            kept = 0
            for j in range(active):
                p = going[j]
                if error[p] > enough2 and error[p] < PATIENCE * before[p]:
                    going[kept] = p
                    kept += 1
                before[p] = error[p]
            active = kept
        remaining = 0
        for j in range(left):
            p = pending[j]
            if start < 0 or error[p] < best_error[p]:
                best_error[p] = error[p]
                for i in range(2 * n):
                    best[i, p] = state[i, p]
            if best_error[p] > enough2 and (proof[p] == 0 or start < NEAREST_STARTS - 2):
                pending[remaining] = p
                remaining += 1
        left = remaining
        if left == 0:
            break


@kernel
def finish(
    table: Any,
    tip: Any,
    area: Any,
    limits: Any,
    unit: float,
    targets: Any,
    enough: float,
    solved2: float,
    best: Any,
    best_error: Any,
    work: Any,
    goal: Any,
    error2: Any,
    q: Any,
    distance: Any,
) -> None:
    """Finish a chunk in float64: ``q`` (m, n) joint values, ``distance`` (m,) true errors.

    ``best_error`` tells the points that the search (nearly) solved from the others, so that a
    block of lanes holds one sort.
    """
    n = table.shape[0]
    m = targets.shape[1]
    width = work.shape[1]
    points = np.empty(m, np.int64)
    for sort in range(2):
        some = 0
        for p in range(m):
            if (best_error[p] <= max(solved2, NEARLY2)) == (sort == 0):
                points[some] = p
                some += 1
        for first in range(0, some, width):
            count = min(width, some - first)
            _gather(best, targets, points, first, count, work, goal)
            if sort == 0:
                tidy(table, work)
                approach(table, tip, area, work, goal, error2, enough * enough, 12, 1e-12)
            else:
                settle(table, tip, area, work, goal, error2)
            # steps keep unit length to rounding and end inside the limits: this is the posture
            read_values(table, limits, unit, work)
            for lane in range(count):
                p = points[first + lane]
                distance[p] = math.sqrt(error2[0, lane])
                for i in range(n):
                    q[p, i] = work[ROWS * i + 2, lane]


@kernel
def rescue(
    table: Any,
    tip: Any,
    area: Any,
    limits: Any,
    unit: float,
    targets: Any,
    starts: Any,
    proof: Any,
    enough: float,
    sweeps: int,
    steps: int,
    best: Any,
    used: Any,
    q: Any,
    distance: Any,
) -> None:
    """Search again in float64, by the scalar twins, what ended close to its target.

    Arguments as for ``search`` and ``finish``; ``starts`` (count, n, 2) in float64.
    """
    n = table.shape[0]
    work = np.empty(ROWS * n)
    kept = np.empty((n, 2))
    error2 = np.empty(4)
    target = np.empty(3)
    values = np.empty(n)
    states = np.empty((starts.shape[0] + 1, n, 2))
    states[1:] = starts
    for p in range(targets.shape[1]):
        near = distance[p] <= math.sqrt(NEARLY2)
        if proof[p] == 0 and near and not distance[p] <= enough:
            for r in range(3):
                target[r] = targets[r, p]
            for i in range(n):
                states[0, i, 0] = best[2 * i, p]
                states[0, i, 1] = best[2 * i + 1, p]
            error, more = solve_one(
                table,
                tip,
                area,
                limits,
                unit,
                target,
                states,
                enough,
                sweeps,
                steps,
                work,
                kept,
                error2,
                values,
            )
            used[p] += more
            if error < distance[p]:
                distance[p] = error
                q[p] = values
