"""Inverse kinematics of a chain's tip pose (position and orientation): arrays in, arrays out.

``prepare_poses`` once for a chain, then ``solve_poses`` any number of targets. Close misses are
searched again from a second set of starts. Batches and threads as in ``tip_positions``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.iterative_solvers.coordinate_descent import ROWS
from articulata.kernels.chains.iterative_solvers.graphics import device
from articulata.kernels.chains.iterative_solvers.pose_gauss_newton import SYSTEM_ROWS
from articulata.kernels.chains.iterative_solvers.pose_solver import (
    finish_poses,
    search_poses,
    solve_pose_one,
    write_goals,
)
from articulata.kernels.chains.iterative_solvers.position_solver import NEAREST_STARTS
from articulata.kernels.chains.iterative_solvers.reach_bounds import POSSIBLE, prove, prove_one
from articulata.kernels.chains.iterative_solvers.tip_positions import (
    Solver,
    joint_values,
    own_states,
    prepare,
    spread_postures,
    states_of,
)
from articulata.kernels.lanes.host import spread
from articulata.kernels.lanes.vectors import workspace

STARTS = 40
"""Starts for each target: the middle of the ranges (or the caller's), then spread ones."""

MORE_STARTS = 80
"""Further starts for targets that were missed closely."""

STEPS = 60
"""Most steps from one start."""

CLOSE2 = 0.01
"""Squared error (reach and rad) within which a miss counts as close."""

GRAIN = 2048
"""Targets in one piece of a batch."""


_Found: TypeAlias = tuple[Array, Array, Array, IntArray]
"""Best states, squared distances, squared chords and starts used."""


@dataclass(frozen=True, slots=True)
class PoseSolver:
    """A chain made ready for pose targets: its solver and two sets of starts (count, n, 2)."""

    chain: Solver
    starts: Array
    more_starts: Array


@dataclass(frozen=True, slots=True)
class PoseSolutions:
    """Answers of a batch of m targets.

    ``q`` (m, joints) rad or m, the nearest posture found; ``distance`` (m,) m and ``angle``
    (m,) rad, what its tip is off; ``starts`` (m,) starts used; ``proof`` (m,) verdicts of
    ``reach_bounds`` on the position alone.
    """

    q: Array
    distance: Array
    angle: Array
    starts: IntArray
    proof: IntArray


def prepare_poses(
    fixed: Array,
    kinds: IntArray,
    tip: Array,
    lower: Array,
    upper: Array,
    starts: int = STARTS,
    more_starts: int = MORE_STARTS,
) -> PoseSolver:
    """Make a serial chain ready for pose targets; arguments as for ``positions.prepare``."""
    chain = prepare(fixed, kinds, tip, lower, upper, starts=1)
    first = spread_postures(chain.table, starts)
    more = spread_postures(chain.table, more_starts + 1, seed=1)[1:]
    return PoseSolver(chain, states_of(chain.table, first), states_of(chain.table, more))


def solve_poses(
    solver: PoseSolver,
    targets: Array,
    tolerance: float,
    angle_tolerance: float,
    *,
    start: Array | None = None,
    steps: int = STEPS,
    threads: int | None = None,
) -> PoseSolutions:
    """Bring the tip to each pose X_BT (m, 4, 4), within metres and radians.

    ``start`` (joints,) or (m, joints) is tried first. A NaN target gives NaN errors. A large
    batch goes to a CUDA device where there is one, unless ``threads`` is given.
    """
    chain = solver.chain
    table = chain.table
    arm = table.rows, table.tip, chain.limits, table.unit
    # aim a little inside, so that rounding cannot turn a found pose into a missed one
    enough = tolerance / table.unit * (1.0 - 1e-6)
    enough_angle = angle_tolerance * (1.0 - 1e-6)
    goals = np.empty((len(targets), 12))
    poses = np.ascontiguousarray(targets, np.float64)
    write_goals(chain.into_base, table.unit, table.tip, poses, goals)
    starts = solver.starts
    if start is not None:
        own = own_states(chain, np.atleast_2d(np.asarray(start, np.float64)))
    else:
        own, starts = starts[:1], starts[1:]
    if len(goals) == 1:
        return _solve_one(solver, goals[0], enough, enough_angle, own, starts, steps)
    m = len(goals)
    n = len(table.rows)
    if threads is None and device.wanted(m, n):
        answer = device.attempt(
            lambda: _solve_on_device(solver, goals, enough, enough_angle, own, starts, steps)
        )
        if answer is not None:
            return answer
    q = np.empty((m, n))
    distance = np.empty(m)
    angle = np.empty(m)
    used = np.zeros(m, np.int64)
    proof = np.zeros(m, np.int64)

    def work(begin: int, end: int) -> None:
        here = goals[begin:end]
        places = np.ascontiguousarray(here[:, :3].T)
        prove(chain.free_bound, chain.bound, places, enough, proof[begin:end])
        scratch = workspace(ROWS * n), workspace(12), workspace(SYSTEM_ROWS), workspace(2)

        def search(wanted: Array, first: Array, rest: Array, facts: IntArray) -> _Found:
            k = len(wanted)
            found = np.empty((k, n, 2)), np.empty(k), np.empty(k)
            count = np.zeros(k, np.int64)
            search_poses(
                table.rows,
                table.tip,
                wanted,
                first,
                rest,
                facts,
                enough,
                enough_angle,
                steps,
                *scratch,
                *found,
                count,
            )
            return *found, count

        mine = own[begin:end] if len(own) == m else own
        best, distance2, chord2, count = search(here, mine, starts, proof[begin:end])
        missed = (distance2 > enough**2) | (chord2 > 8.0 * np.sin(0.5 * enough_angle) ** 2)
        close = missed & (distance2 + 0.5 * chord2 < CLOSE2) & (proof[begin:end] == POSSIBLE)
        if np.any(close) and len(solver.more_starts):
            again = search(here[close], best[close], solver.more_starts, proof[begin:end][close])
            best[close] = again[0]
            count[close] += again[3]
        used[begin:end] = count
        finish_poses(
            *arm,
            here,
            best,
            *scratch,
            q[begin:end],
            distance[begin:end],
            angle[begin:end],
        )

    spread(work, m, grain=GRAIN, threads=threads)
    return PoseSolutions(joint_values(chain, q), distance * table.unit, angle, used, proof)


def _solve_on_device(
    solver: PoseSolver,
    goals: Array,
    enough: float,
    enough_angle: float,
    own: Array,
    starts: Array,
    steps: int,
) -> PoseSolutions:
    from articulata.kernels.chains.iterative_solvers.graphics.pose_threads import solve_goals

    chain = solver.chain
    table = chain.table
    arm = table.rows, table.tip, chain.limits, table.unit
    q, distance, angle, used, proof = solve_goals(
        *arm,
        (chain.free_bound, chain.bound),
        goals,
        own,
        starts,
        solver.more_starts,
        CLOSE2,
        enough,
        enough_angle,
        steps,
    )
    return PoseSolutions(joint_values(chain, q), distance * table.unit, angle, used, proof)


def _solve_one(
    solver: PoseSolver,
    goal: Array,
    enough: float,
    enough_angle: float,
    own: Array,
    starts: Array,
    steps: int,
) -> PoseSolutions:
    chain = solver.chain
    table = chain.table
    arm = table.rows, table.tip, chain.limits, table.unit
    n = len(table.rows)
    verdict = prove_one(chain.free_bound, chain.bound, goal[0], goal[1], goal[2], enough)
    if verdict != POSSIBLE:
        starts = starts[: NEAREST_STARTS - 1]
    q = np.empty((1, n))
    distance, angle, used = solve_pose_one(
        *arm,
        goal,
        own,
        starts,
        solver.more_starts if verdict == POSSIBLE else starts[:0],
        CLOSE2,
        enough,
        enough_angle,
        steps,
        np.empty(ROWS * n + SYSTEM_ROWS + 2),
        np.empty((n, 2)),
        q[0],
    )
    return PoseSolutions(
        joint_values(chain, q),
        np.array([distance * table.unit]),
        np.array([angle]),
        np.array([used]),
        np.array([verdict]),
    )
