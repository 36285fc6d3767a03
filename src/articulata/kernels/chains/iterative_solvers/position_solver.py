"""The engine for tip positions: descent, then Gauss-Newton, from several starts.

For each target and start: a few sweeps of coordinate descent (they cross the workspace without
getting caught at joint limits), then damped Gauss-Newton with active limits. Batches run in
float32 on lanes until the tolerance is met, restarting only what is not solved yet; postures
are then finished in float64, and the error reported is the distance of the posture returned.
One target alone runs the scalar twins in float64.

Everything here is in the reduced chain's base frame and unit (see ``dh_table``).
A *state* is what rows 0 and 1 of a joint hold: cos and sin of its table angle, or its travel.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.iterative_solvers.coordinate_descent import ROWS, sweep
from articulata.kernels.chains.iterative_solvers.position_ends import (
    measure,
    read_values,
    settle,
    tidy,
)
from articulata.kernels.chains.iterative_solvers.position_gauss_newton import approach
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.tiles import TILE, turn_tile
from articulata.kernels.lanes.vectors import (
    any_lane,
    load,
)

FLOAT32_SHARE = 1e-5
"""Smallest error, as a share of the reach, that the float32 stage is asked for."""

NEARLY2 = 1e-6
"""Squared error, in units of the reach, from which finishing steps are expected to converge."""

NEAREST_STARTS = 4
"""Starts for a target that is proved out of reach: enough for a good nearest posture."""

PATIENCE = 0.98
"""A start is given up when a round of steps leaves more than this share of the squared error."""


OPENING = 4
"""Steps before the points that are solved are told from the others."""

ROW_SPARE = 16
"""Numbers that a row of states is longer than its chunk: rows a power of two apart would share
the same few places of the first cache."""


@kernel(counted=False)
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


@kernel(counted=False)
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


@kernel(counted=False)
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


@kernel(counted=False)
def _open(targets: Any, own_start: Any, first: int, count: int, work: Any, goal: Any) -> None:
    """Load the own starts and targets of ``count`` neighbours; spare lanes repeat the last."""
    n = own_start.shape[0]
    width = work.shape[1]
    for r in range(3):
        for lane in range(count):
            goal[r, lane] = targets[r, first + lane]
        for lane in range(count, width):
            goal[r, lane] = targets[r, first + count - 1]
    for i in range(n):
        for part in range(2):
            if own_start.shape[2] == 1:
                work[ROWS * i + part, :] = own_start[i, part, 0]
            else:
                for lane in range(count):
                    work[ROWS * i + part, lane] = own_start[i, part, first + lane]
                for lane in range(count, width):
                    work[ROWS * i + part, lane] = own_start[i, part, first + count - 1]


@kernel(counted=False)
def _close(state: Any, error: Any, first: int, count: int, work: Any, error2: Any) -> None:
    """Store the states and errors of ``count`` neighbours."""
    for lane in range(count):
        error[first + lane] = error2[0, lane]
    for i in range(state.shape[0] // 2):
        for lane in range(count):
            state[2 * i, first + lane] = work[ROWS * i, lane]
        for lane in range(count):
            state[2 * i + 1, first + lane] = work[ROWS * i + 1, lane]


@kernel(counted=False)
def _rounds(
    arm: Any,
    targets: Any,
    found: Any,
    before: Any,
    going: Any,
    active: int,
    spent: int,
    how: Any,
    scratch: Any,
) -> None:
    """Go on from ``state`` with the ``active`` points listed first in ``going``.

    In rounds of a few steps, after each of which those that are solved or stuck leave the list;
    those that have not ``spent`` a step yet begin with the sweeps. ``arm`` is the table, the tip
    and the area, ``found`` states and errors; ``how`` and ``scratch`` are those of ``search``.
    """
    table, tip, area = arm
    state, error = found
    enough2, sweeps, steps, least_damping = how
    work, goal, error2 = scratch
    width = work.shape[1]
    while active > 0 and spent < steps:
        # the first rounds are short: most points are solved in them
        batch = min(OPENING if spent < 2 * OPENING else 8, steps - spent)
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
    state, ``best_error`` (m,) its squared error, ``used`` (m,) the number of starts used; its
    rows may be longer than m, see ``ROW_SPARE``. Rows of scratch:
    ``work`` 8 n, ``goal`` 3, ``error2`` 4.
    """
    n = table.shape[0]
    m = targets.shape[1]
    width = work.shape[1]
    # the first start: whole blocks of neighbours, for whom nothing has to be gathered
    for first in range(0, m, width):
        count = min(width, m - first)
        _open(targets, own_start, first, count, work, goal)
        if sweeps > 0:
            sweep(table, tip, work, goal, sweeps)
        approach(table, tip, area, work, goal, error2, enough2, min(OPENING, steps), least_damping)
        _close(best, best_error, first, count, work, error2)
    pending = np.empty(m, np.int64)
    going = np.empty(m, np.int64)
    before = np.empty(m, table.dtype)
    left = 0
    for p in range(m):
        used[p] += 1
        if best_error[p] > enough2:
            before[p] = best_error[p]
            pending[left] = p
            going[left] = p
            left += 1
    if left == 0:
        return
    arm, scratch = (table, tip, area), (work, goal, error2)
    how, spent = (enough2, sweeps, steps, least_damping), min(OPENING, steps)
    found = best, best_error
    _rounds(arm, targets, found, before, going, left, spent, how, scratch)
    state = np.empty(best.shape, table.dtype)
    error = np.empty(m, table.dtype)
    for start in range(starts.shape[0]):
        remaining = 0
        for j in range(left):
            p = pending[j]
            if best_error[p] > enough2 and (proof[p] == 0 or start < NEAREST_STARTS - 1):
                pending[remaining] = p
                remaining += 1
        left = remaining
        if left == 0:
            return
        for j in range(left):
            p = pending[j]
            for i in range(n):
                state[2 * i, p] = starts[start, i, 0]
                state[2 * i + 1, p] = starts[start, i, 1]
            used[p] += 1
            going[j] = p
            before[p] = np.inf
        _rounds(arm, targets, (state, error), before, going, left, 0, how, scratch)
        for j in range(left):
            p = pending[j]
            if error[p] < best_error[p]:
                best_error[p] = error[p]
                for i in range(2 * n):
                    best[i, p] = state[i, p]


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
            p = points[first]
            neighbours = count == width and points[first + width - 1] == p + width - 1
            if neighbours:
                for r in range(3):
                    for lane in range(width):
                        goal[r, lane] = targets[r, p + lane]
                for i in range(n):
                    for lane in range(width):
                        work[ROWS * i, lane] = best[2 * i, p + lane]
                    for lane in range(width):
                        work[ROWS * i + 1, lane] = best[2 * i + 1, p + lane]
            else:
                _gather(best, targets, points, first, count, work, goal)
            done = False
            if sort == 0:
                measure(table, tip, area, limits, unit, work, goal, error2)
                done = not any_lane(load(error2, 0) > enough * enough)
                if not done:
                    approach(table, tip, area, work, goal, error2, enough * enough, 12, 1e-12)
            else:
                settle(table, tip, area, work, goal, error2)
            if not done:
                # steps keep unit length to rounding and end inside limits: this is the posture
                read_values(table, limits, unit, work)
            squares = n // TILE * TILE if neighbours else 0
            for lane in range(0, width, TILE):
                for i in range(0, squares, TILE):
                    start = (ROWS * i + 2) * width + lane
                    turn_tile(work, start, ROWS * width, q, (p + lane) * n + i, n)
            for lane in range(count):
                p = points[first + lane]
                distance[p] = math.sqrt(error2[0, lane])
                for i in range(squares, n):
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
