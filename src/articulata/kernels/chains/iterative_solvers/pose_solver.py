"""The engine for tip poses: damped Gauss-Newton from several starts, in float64 on lanes.

Restarts only what is not solved yet. States, tables and units as in ``position_solver``; the
errors reported are those of the posture returned. One target alone runs the scalar twins.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.iterative_solvers.coordinate_descent import ROWS
from articulata.kernels.chains.iterative_solvers.pose_gauss_newton import approach_pose
from articulata.kernels.chains.iterative_solvers.position_ends import read_values, tidy
from articulata.kernels.compile import kernel

PATIENCE = 0.5
"""A start is given up when a round of steps leaves more than this share of the squared error."""

FIRST_STEPS = 8
ROUND_STEPS = 6
"""Steps of the first round from a start and of each further one."""

LEAST_DAMPING = 1e-12


@kernel
def write_goals(into_base: Any, unit: float, tip: Any, targets: Any, goals: Any) -> None:
    """Write the goals (m, 12) of target poses X_BT (m, 4, 4).

    ``into_base`` (3, 4) brings a point into the table's frame and unit.
    """
    turn = np.empty((3, 3))
    for p in range(goals.shape[0]):
        x = targets[p]
        for r in range(3):
            goals[p, r] = into_base[r, 3]
            for c in range(3):
                goals[p, r] += into_base[r, c] * x[c, 3]
                turn[r, c] = 0.0
                for k in range(3):
                    turn[r, c] += unit * into_base[r, k] * x[k, c]
        for r in range(3):
            for c in range(3):
                value = 0.0
                for k in range(3):
                    value += turn[r, k] * tip[c, k]
                goals[p, 3 + 3 * r + c] = value


@kernel
def _gather(
    state: Any, goals: Any, points: Any, first: int, count: int, work: Any, goal: Any
) -> None:
    """Load the states and goals of ``count`` listed points; spare lanes repeat the last."""
    for lane in range(work.shape[1]):
        p = points[first + min(lane, count - 1)]
        for r in range(12):
            goal[r, lane] = goals[p, r]
        for i in range(state.shape[1]):
            work[ROWS * i, lane] = state[p, i, 0]
            work[ROWS * i + 1, lane] = state[p, i, 1]


@kernel
def search_poses(
    table: Any,
    tip: Any,
    goals: Any,
    own_start: Any,
    starts: Any,
    proof: Any,
    enough: float,
    enough_angle: float,
    steps: int,
    work: Any,
    goal: Any,
    system: Any,
    error2: Any,
    best: Any,
    distance2: Any,
    chord2: Any,
    used: Any,
) -> None:
    """Search a chunk of ``m`` goals (m, 12) from every start until it is solved.

    ``own_start`` (m or 1, n, 2) states come first, then ``starts`` (count, n, 2), fewer where
    ``proof`` (m,) is not 0. ``best`` (m, n, 2), ``distance2`` and ``chord2`` (m,) receive the
    best state and its squared errors, ``used`` (m,) the number of starts. Rows of scratch:
    ``work`` 8 n, ``goal`` 12, ``system`` 27, ``error2`` 2.
    """
    n = table.shape[0]
    m = goals.shape[0]
    width = work.shape[1]
    enough2 = enough * enough
    enough_chord2 = 8.0 * math.sin(0.5 * min(enough_angle, math.pi)) ** 2
    state = np.empty((m, n, 2))
    errors = np.empty((m, 2))
    before = np.empty(m)
    pending = np.arange(m)
    going = np.empty(m, np.int64)
    left = m
    for start in range(-1, starts.shape[0]):
        for j in range(left):
            p = pending[j]
            state[p] = own_start[p if own_start.shape[0] > 1 else 0] if start < 0 else starts[start]
            used[p] += 1
            before[p] = np.inf
            going[j] = p
        active = left
        spent = 0
        while active > 0 and spent < steps:
            batch = FIRST_STEPS if spent == 0 else ROUND_STEPS
            for first in range(0, active, width):
                count = min(width, active - first)
                _gather(state, goals, going, first, count, work, goal)
                approach_pose(
                    table,
                    tip,
                    work,
                    goal,
                    system,
                    error2,
                    enough2,
                    enough_chord2,
                    batch,
                    LEAST_DAMPING,
                )
                for lane in range(count):
                    p = going[first + lane]
                    errors[p, 0] = error2[0, lane]
                    errors[p, 1] = error2[1, lane]
                    for i in range(n):
                        state[p, i, 0] = work[ROWS * i, lane]
                        state[p, i, 1] = work[ROWS * i + 1, lane]
            spent += batch
            kept = 0
            for j in range(active):
                p = going[j]
                e = errors[p, 0] + 0.5 * errors[p, 1]
                far = errors[p, 0] > enough2 or errors[p, 1] > enough_chord2
                if far and e < PATIENCE * before[p]:
                    going[kept] = p
                    kept += 1
                before[p] = e
            active = kept
        remaining = 0
        for j in range(left):
            p = pending[j]
            e = errors[p, 0] + 0.5 * errors[p, 1]
            solved = errors[p, 0] <= enough2 and errors[p, 1] <= enough_chord2
            if start < 0 or solved or e < distance2[p] + 0.5 * chord2[p]:
                distance2[p] = errors[p, 0]
                chord2[p] = errors[p, 1]
                best[p] = state[p]
            if not solved and (proof[p] == 0 or start < 2):
                pending[remaining] = p
                remaining += 1
        left = remaining
        if left == 0:
            break


@kernel
def finish_poses(
    table: Any,
    tip: Any,
    limits: Any,
    unit: float,
    goals: Any,
    best: Any,
    work: Any,
    goal: Any,
    system: Any,
    error2: Any,
    q: Any,
    distance: Any,
    angle: Any,
) -> None:
    """Write joint values ``q`` (m, n) and true errors: ``distance`` (units), ``angle`` (rad)."""
    n = table.shape[0]
    m = goals.shape[0]
    width = work.shape[1]
    points = np.arange(m)
    for first in range(0, m, width):
        count = min(width, m - first)
        _gather(best, goals, points, first, count, work, goal)
        tidy(table, work)
        approach_pose(table, tip, work, goal, system, error2, 0.0, 0.0, 0, LEAST_DAMPING)
        read_values(table, limits, unit, work)
        for lane in range(count):
            p = first + lane
            distance[p] = math.sqrt(error2[0, lane])
            angle[p] = 2.0 * math.asin(min(math.sqrt(error2[1, lane] / 8.0), 1.0))
            for i in range(n):
                q[p, i] = work[ROWS * i + 2, lane]


@kernel(counted=False)
def solve_pose_one(
    table: Any,
    tip: Any,
    limits: Any,
    unit: float,
    goal: Any,
    own: Any,
    starts: Any,
    more: Any,
    close2: float,
    enough: float,
    enough_angle: float,
    steps: int,
    work: Any,
    best: Any,
    q: Any,
) -> Any:
    """Solve one goal (12,) with the scalar twins; return (distance, angle, starts used).

    States tried in order: ``own`` (1, n, 2), ``starts`` (count, n, 2) and, once the best has a
    squared error below ``close2``, ``more``; ``work`` (8 n + 29,) and ``best`` (n, 2) are
    scratch; ``q`` (n,) receives the joint values.
    """
    n = table.shape[0]
    rows = work[: ROWS * n]
    system = work[ROWS * n : ROWS * n + 27]
    error2 = work[ROWS * n + 27 :]
    enough2 = enough * enough
    enough_chord2 = 8.0 * math.sin(0.5 * min(enough_angle, math.pi)) ** 2
    least = np.inf
    used = 0
    solved = False
    first = 1 + starts.shape[0]
    for start in range(first + more.shape[0]):
        if start >= first and least > close2:
            break
        used += 1
        for i in range(n):
            for r in range(2):
                if start == 0:
                    rows[ROWS * i + r] = own[0, i, r]
                elif start < first:
                    rows[ROWS * i + r] = starts[start - 1, i, r]
                else:
                    rows[ROWS * i + r] = more[start - first, i, r]
        before = np.inf
        spent = 0
        while True:
            batch = FIRST_STEPS if spent == 0 else ROUND_STEPS
            approach_pose(
                table,
                tip,
                rows,
                goal,
                system,
                error2,
                enough2,
                enough_chord2,
                batch,
                LEAST_DAMPING,
            )
            spent += batch
            e = error2[0] + 0.5 * error2[1]
            solved = error2[0] <= enough2 and error2[1] <= enough_chord2
            if solved or spent >= steps or not e < PATIENCE * before:
                break
            before = e
        if start == 0 or solved or e < least:
            least = e
            for i in range(n):
                best[i, 0] = rows[ROWS * i]
                best[i, 1] = rows[ROWS * i + 1]
        if solved:
            break
    for i in range(n):
        rows[ROWS * i] = best[i, 0]
        rows[ROWS * i + 1] = best[i, 1]
    tidy(table, rows)
    approach_pose(table, tip, rows, goal, system, error2, 0.0, 0.0, 0, LEAST_DAMPING)
    read_values(table, limits, unit, rows)
    for i in range(n):
        q[i] = rows[ROWS * i + 2]
    angle = 2.0 * math.asin(min(math.sqrt(error2[1] / 8.0), 1.0))
    return math.sqrt(error2[0]), angle, used
