"""Inverse kinematics of a chain's tip: places, areas around them and poses; arrays in, arrays out.

``prepare`` once for a chain, then ``solve`` any number of targets. A batch is spread over threads
in pieces that do not depend on how many there are; one target takes the scalar twins and touches no
pool. Poses that are missed closely are searched again from a second set of starts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.dh_table import ChainTable, reduce_chain
from articulata.kernels.chains.iterative_solvers.coordinate_descent import ROWS
from articulata.kernels.chains.iterative_solvers.graphics import device
from articulata.kernels.chains.iterative_solvers.multi_start import (
    CLOSE2,
    NEAREST_STARTS,
    NEARLY2,
    ROW_SPARE,
    finish,
    search,
    solve_one,
    write_goals,
)
from articulata.kernels.chains.iterative_solvers.pose_gauss_newton import SYSTEM_ROWS
from articulata.kernels.chains.iterative_solvers.position_gauss_newton import (
    ERROR_ROWS,
    POSES,
    Arm,
    How,
    Rows,
)
from articulata.kernels.chains.iterative_solvers.reach_bounds import (
    POSSIBLE,
    prove_area,
    prove_areas,
    reach_bound,
)
from articulata.kernels.chains.iterative_solvers.target_areas import NO_AREA, scaled_area
from articulata.kernels.lanes.host import spread
from articulata.kernels.lanes.vectors import workspace

STARTS, POSE_STARTS = (16, 0), (40, 80)
"""Starts for each place and pose: the middle of the ranges (or the caller's), then spread ones; and
further ones for what was missed closely."""

SWEEPS = 1
"""Sweeps of coordinate descent before Gauss-Newton, toward places."""

STEPS = 60
"""Most Gauss-Newton steps from one start."""

FLOAT32_SHARE = 1e-5
"""Smallest error, as a share of the reach, that the float32 stage is asked for."""

FLOAT32_DAMPING, PLACE_DAMPING, LEAST_DAMPING = 1e-5, 1e-10, 1e-12
"""Least damping of places in float32, of one place, and of poses and finishing steps."""

Floats = npt.NDArray[np.floating[Any]]
"""States in either precision."""

GRAINS = (4096, 2048)
"""Places and poses in one piece of a batch."""


@dataclass(frozen=True, slots=True)
class Solver:
    """A chain made ready: its table, two sets of starts (count, n, 2), bounds of its reach.

    ``into_base`` (3, 4) brings a point into the table's frame and unit, ``into_turn`` (9, 9) the
    entries of a tip's rotation to those of the last frame's.
    """

    table: ChainTable
    joint_count: int
    limits: Array
    into_base: Array
    into_turn: Array
    starts: Array
    more: Array
    bounds: tuple[Array, Array]
    movable: IntArray
    every_joint: bool


@dataclass(frozen=True, slots=True)
class Solutions:
    """Answers of a batch of m targets.

    ``q`` (m, joints) rad or m, the nearest posture found; ``distance`` (m,) m and ``angle`` (m,)
    rad, what its tip is off its target (or its area), by a forward pass over ``q``; ``starts`` (m,)
    starts used; ``proof`` (m,) verdicts of ``reach_bounds`` on the place, not 0 where it is out of
    reach.
    """

    q: Array
    distance: Array
    angle: Array
    starts: IntArray
    proof: IntArray


@cache
def spread_shares(count: int, dimensions: int, seed: int = 0) -> Array:
    """Return ``count`` points (count, dimensions) spread over the unit cube.

    The best of some Latin hypercubes by its smallest distance; the same for the same arguments.
    """
    rng = np.random.default_rng(seed)
    best, widest = np.zeros((count, dimensions)), -1.0
    for _ in range(64):
        order = rng.permuted(np.tile(np.arange(count), (dimensions, 1)), axis=1).T
        shares = (order + 0.5) / max(count, 1)
        gaps = np.linalg.norm(shares[:, None] - shares[None], axis=-1)
        gaps[np.diag_indices(count)] = np.inf
        gap = float(gaps.min()) if count > 1 else 0.0
        if gap > widest:
            best, widest = shares, gap
    best.flags.writeable = False
    return best


def _states(table: ChainTable, values: Array, kind: Any = np.float64) -> Floats:
    """Return the states (n, 2, m) of values (n, m) of the table's rows, as lanes read them."""
    states = np.empty((len(values), 2, values.shape[1]), kind)
    angle = values + table.offset[:, None]
    np.cos(angle, out=states[:, 0], casting="same_kind")
    np.sin(angle, out=states[:, 1], casting="same_kind")
    prismatic = table.rows[:, 8] == 1
    if prismatic.any():
        states[prismatic, 0] = values[prismatic] / table.unit
        states[prismatic, 1] = 0.0
    return states


def _spread_states(table: ChainTable, starts: int, seed: int) -> Array:
    """Return the states (starts, n, 2) of the middle posture and of spread ones."""
    n = len(table.rows)
    prismatic = table.rows[:, 8] == 1
    wide = ~(np.isfinite(table.lower) & np.isfinite(table.upper))
    low = np.where(wide, table.middle - np.pi, table.lower)
    high = np.where(wide, table.middle + np.pi, table.upper)
    shares = np.vstack([np.full((1, n), 0.5), spread_shares(starts - 1, n, seed)])
    postures: Array = low + (high - low) * shares
    postures[0] = np.where(prismatic, postures[0], table.middle)
    # a layout of its own would be compiled for on its own
    states = _states(table, postures.T).transpose(2, 0, 1)
    return np.ascontiguousarray(states, np.float64)


def prepare(
    fixed: Array,
    kinds: IntArray,
    tip: Array,
    lower: Array,
    upper: Array,
    starts: tuple[int, int] = STARTS,
    seed: int = 0,
) -> Solver:
    """Make a serial chain (see ``poses``) ready for targets.

    ``tip`` (3, 4) pose of the tip in the last moved frame; ``lower`` and ``upper`` (joints,) rad or
    m, infinite where a revolute joint has no limit; ``starts``: how many for each target, at least
    one, and how many for poses missed closely, spread by ``seed`` and by the one after it.
    """
    table = reduce_chain(fixed, kinds, tip, lower, upper)
    movable = np.flatnonzero(table.joints >= 0)
    into_base = np.linalg.inv(table.base)[:3].astype(np.float64)
    return Solver(
        table=table,
        joint_count=len(kinds),
        limits=np.ascontiguousarray(np.stack([table.middle, table.lower, table.upper], axis=1)),
        into_base=into_base / table.unit,
        into_turn=np.kron(into_base[:, :3], table.tip[:, :3]).astype(np.float64),
        starts=_spread_states(table, starts[0], seed),
        more=_spread_states(table, starts[1] + 1, seed + 1)[1:],
        bounds=(reach_bound(table.rows, table.tip, False), reach_bound(table.rows, table.tip)),
        movable=movable,
        every_joint=len(movable) == len(table.rows) == len(kinds),
    )


def _goals(solver: Solver, targets: Array) -> Array:
    """Return places (m, 3) or poses X_BT (m, 4, 4) as goals (3 or 12, m)."""
    m = len(targets)
    goals = np.empty((3 if targets.ndim == 2 else 12, m))
    flat = np.ascontiguousarray(targets, np.float64).reshape(m, -1)
    write_goals(solver.into_base, solver.into_turn, flat, goals)
    return goals


def proofs(solver: Solver, places: Array, slack: float) -> IntArray:
    """Return what the bounds of the reach prove about places (m, 3), ``slack`` m off or less."""
    verdicts = np.zeros(len(places), np.int64)
    around = (NO_AREA, 0.0)
    prove_areas(
        *solver.bounds, *around, _goals(solver, places), slack / solver.table.unit, verdicts
    )
    return verdicts


def _joint_values(solver: Solver, rows: Array) -> Array:
    """Spread the values of the table's rows over all joints of the chain; fixed ones get 0."""
    if solver.every_joint:
        return rows
    q = np.zeros((len(rows), solver.joint_count))
    q[:, solver.table.joints[solver.movable]] = rows[:, solver.movable]
    return q


def _own_states(solver: Solver, start: Array, kind: Any) -> Floats:
    """Return states (n, 2, m) of postures (m, joints) given by the caller, within limits."""
    table = solver.table
    q = np.zeros((len(start), len(table.rows)))
    q[:, solver.movable] = start[:, table.joints[solver.movable]]
    np.clip(q, table.lower, table.upper, out=q)
    return _states(table, np.ascontiguousarray(q.T), kind)


def solve(
    solver: Solver,
    targets: Array,
    tolerance: float,
    angle_tolerance: float = 0.0,
    *,
    start: Array | None = None,
    area: Array | None = None,
    sweeps: int = SWEEPS,
    steps: int = STEPS,
    threads: int | None = None,
) -> Solutions:
    """Bring the tip to each place (m, 3) or pose (m, 4, 4) in the base, to so many m and rad.

    ``start`` (joints,) or (m, joints) is tried first; ``area`` (see ``target_areas``) lies around
    every place. A NaN target gives a NaN error. A large batch goes to a CUDA device where there is
    one (see ``graphics.device``), unless ``threads`` is given.
    """
    goals = _goals(solver, targets)
    m, n, pose = len(targets), len(solver.table.rows), len(goals) == 12
    if start is not None:
        start = np.asarray(start, np.float64).reshape(-1, solver.joint_count)
    shape, around = scaled_area(solver.table, area)
    # aim a little inside, so that rounding cannot turn what is found into a miss
    enough = tolerance / solver.table.unit * (1.0 - 1e-6)
    chord2 = 8.0 * math.sin(0.5 * min(angle_tolerance * (1.0 - 1e-6), math.pi)) ** 2
    if pose:
        how = How(enough**2, chord2, LEAST_DAMPING, 0.5, 0, steps, 8, 6)
    else:
        # sweeps go to the middle of an area, all starts to the same few places
        sweeps = sweeps if area is None else 0
        how = How(enough**2, 0.0, PLACE_DAMPING, 0.98, sweeps, steps, 4, 8)
    arm = _arm(solver, POSES if pose else shape)
    bounds = *solver.bounds, shape, around
    found = None
    if m > 1 and threads is None and device.wanted(m, n):
        found = device.attempt(lambda: _on_device(solver, arm, bounds, how, goals, start))
    if m == 1:
        found = _solve_one(solver, arm, bounds, how, goals[:, 0].copy(), start)
    elif found is None:
        found = _solve_many(solver, arm, bounds, how, goals, start, threads)
    q, off, used, proof = found
    return Solutions(
        _joint_values(solver, q), off[:, 0] * solver.table.unit, off[:, 1], used, proof
    )


Bounds = tuple[Array, Array, Array, float]
"""Bounds of the reach without and with limits, the area and the radius of a ball around it."""

Found = tuple[Array, Array, IntArray, IntArray]
"""Values of the table's rows (m, n), how far off in units and rad (m, 2), starts and verdicts."""


def _arm(solver: Solver, shape: Array) -> Arm:
    return Arm(solver.table.rows, solver.table.tip, shape, solver.limits, solver.table.unit)


def _scratch(n: int, pose: bool, kind: Any = np.float64) -> Rows:
    rows = ROWS * n, 12 if pose else 3, ERROR_ROWS, SYSTEM_ROWS if pose else 1
    return Rows(*(workspace(count, kind) for count in rows))


def _solve_many(
    solver: Solver,
    arm: Arm,
    bounds: Bounds,
    how: How,
    goals: Array,
    start: Array | None,
    threads: int | None,
) -> Found:
    """Solve a batch: on lanes in float32 until places are met, in float64 from there on."""
    pose, m, n = arm.area is POSES, goals.shape[1], len(arm.table)
    rough, rough_how = arm, how
    kind: Any = np.float64
    enough = math.sqrt(how.enough2)
    if not pose:
        kind = np.float32
        rough = arm._replace(
            table=arm.table.astype(kind), tip=arm.tip.astype(kind), area=arm.area.astype(kind)
        )
        # the float32 stage aims a little inside, so that float64 agrees
        rough_how = how._replace(
            enough2=kind(max(0.9 * enough, FLOAT32_SHARE) ** 2),
            enough_chord2=kind(0.0),
            damping=kind(FLOAT32_DAMPING),
        )
    starts = solver.starts.astype(kind, copy=False)
    own, rest = np.ascontiguousarray(starts[0][:, :, None]), starts[1:]
    if start is not None:
        own = _own_states(solver, start, kind)
        rest = starts[:-1] if len(starts) > 1 else rest
    q, off = np.empty((m, n)), np.empty((m, 2))
    used, proof = np.zeros(m, np.int64), np.zeros(m, np.int64)

    def work(begin: int, end: int) -> None:
        here = np.ascontiguousarray(goals[:, begin:end])
        facts = proof[begin:end]
        prove_areas(*bounds, here, enough, facts)

        def searched(wanted: Array, first: Floats, more: Floats, facts: IntArray) -> Any:
            k = wanted.shape[1]
            state = np.empty((2 * n, k + ROW_SPARE), kind)
            found = state, np.empty((2, k), kind), np.zeros(k, np.int64)
            to = wanted.astype(kind, copy=False)
            search(rough, to, first, more, facts, rough_how, _scratch(n, pose, kind), found)
            return found

        mine = np.ascontiguousarray(own[:, :, begin:end]) if own.shape[2] == m else own
        found = searched(here, mine, rest, facts)
        best, error, count = found
        if len(solver.more):
            missed = (error[0] > how.enough2) | (error[1] > how.enough_chord2)
            near = missed & (error[0] + 0.5 * error[1] < CLOSE2) & (facts == POSSIBLE)
            if near.any():
                states = np.ascontiguousarray(best[:, : end - begin][:, near].reshape(n, 2, -1))
                wanted = np.ascontiguousarray(here[:, near])
                again, error_there, more = searched(wanted, states, solver.more, facts[near])
                best[:, : end - begin][:, near] = again[:, : len(more)]
                error[:, near], count[near] = error_there, count[near] + more
        finish(
            arm,
            here,
            how._replace(damping=LEAST_DAMPING),
            found,
            _scratch(n, pose),
            q[begin:end],
            off[begin:end],
        )
        used[begin:end] = count
        if pose:
            return
        # what float32 brought close to its target alone is searched again in float64
        far = off[begin:end, 0]
        for p in np.flatnonzero((facts == POSSIBLE) & (far > enough) & (far <= math.sqrt(NEARLY2))):
            states = np.concatenate([best[:, p].reshape(1, n, 2), solver.starts])
            other = np.empty(n)
            *there, more = _one(arm, how, here[:, p].copy(), states, solver.more, other)
            used[begin + p] += more
            if there[0] < off[begin + p, 0]:
                q[begin + p], off[begin + p] = other, there

    spread(work, m, grain=GRAINS[pose], threads=threads)
    return q, off, used, proof


def _one(
    arm: Arm, how: How, goal: Array, starts: Array, more: Array, q: Array
) -> tuple[float, float, int]:
    """Write the posture of one goal; return how far off it is, units and rad, and starts used."""
    n = len(arm.table)
    rows = np.empty(ROWS * n), goal, np.empty(ERROR_ROWS), np.empty(SYSTEM_ROWS)
    # named tuples would be taken apart more slowly
    found: tuple[float, float, int] = solve_one(
        tuple(arm), starts, more, tuple(how), rows, np.empty((n, 2)), q
    )
    return found


def _solve_one(
    solver: Solver, arm: Arm, bounds: Bounds, how: How, goal: Array, start: Array | None
) -> Found:
    starts, more = solver.starts, solver.more
    if start is not None:
        own = _own_states(solver, start, np.float64).transpose(2, 0, 1).astype(np.float64)
        starts = np.concatenate([own, starts[:-1] if len(starts) > 1 else starts[1:]])
    verdict = prove_area(*bounds, goal[0], goal[1], goal[2], math.sqrt(how.enough2))
    if verdict != POSSIBLE:
        starts, more = starts[:NEAREST_STARTS], more[:0]
    q = np.empty((1, len(arm.table)))
    distance, angle, used = _one(arm, how, goal, starts, more, q[0])
    return q, np.array([[distance, angle]]), np.array([used]), np.array([verdict])


def _on_device(
    solver: Solver, arm: Arm, bounds: Bounds, how: How, goals: Array, start: Array | None
) -> Found:
    from articulata.kernels.chains.iterative_solvers.graphics.tip_threads import solve_goals

    near = *bounds, math.sqrt(how.enough2)
    own, rest = solver.starts[:1], solver.starts[1:]
    if start is not None:
        own = _own_states(solver, start, np.float64).transpose(2, 0, 1).astype(np.float64)
        rest = solver.starts[:-1] if len(solver.starts) > 1 else rest
    return solve_goals(arm, near, goals, (own, rest, solver.more), how)
