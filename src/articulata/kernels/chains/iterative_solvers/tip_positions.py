"""Inverse kinematics of a chain's tip position: arrays in, arrays out.

``prepare`` once for a chain, then ``solve`` any number of targets. A batch is spread over
threads in pieces that do not depend on how many there are; one target takes the scalar twins
and touches no pool.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.dh_table import ChainTable, reduce_chain
from articulata.kernels.chains.iterative_solvers.coordinate_descent import ROWS
from articulata.kernels.chains.iterative_solvers.graphics import device
from articulata.kernels.chains.iterative_solvers.position_solver import (
    FLOAT32_SHARE,
    NEAREST_STARTS,
    ROW_SPARE,
    finish,
    rescue,
    search,
    solve_one,
)
from articulata.kernels.chains.iterative_solvers.reach_bounds import (
    POSSIBLE,
    prove,
    prove_area,
    prove_areas,
    reach_bound,
)
from articulata.kernels.chains.iterative_solvers.target_areas import (
    CORNERS,
    DISC,
    EACH,
    HEADING,
    NO_AREA,
    POLYGON,
    RECTANGLE,
    STANDING,
)
from articulata.kernels.lanes.host import spread
from articulata.kernels.lanes.vectors import workspace

STARTS = 16
"""Starts for each target: the middle of the ranges (or the caller's), then spread ones."""

SWEEPS = 1
"""Sweeps of coordinate descent before Gauss-Newton."""

STEPS = 60
"""Most Gauss-Newton steps from one start."""

GRAIN = 4096
"""Targets in one piece of a batch."""


@dataclass(frozen=True, slots=True)
class Solver:
    """A chain made ready: its table in both precisions, spread starts, bounds of its reach."""

    table: ChainTable
    joint_count: int
    rows32: npt.NDArray[np.float32]
    tip32: npt.NDArray[np.float32]
    limits: Array
    into_base: Array
    starts: Array
    starts32: npt.NDArray[np.float32]
    free_bound: Array
    bound: Array
    movable: IntArray
    every_joint: bool


@dataclass(frozen=True, slots=True)
class Solutions:
    """Answers of a batch of m targets.

    ``q`` (m, joints) rad or m, the nearest posture found; ``error`` (m,) m, the distance from
    its tip to the target (or its area), by a forward pass over ``q``; ``starts`` (m,) starts
    used; ``proof`` (m,) verdicts of ``reach_bounds``, not 0 where a target is out of reach.
    """

    q: Array
    error: Array
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


def states_of(table: ChainTable, q: Array) -> Array:
    """Return the states (m, n, 2) of joint values ``q`` (m, n) of the table's rows."""
    angle = q + table.offset
    states = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    prismatic = table.rows[:, 8] == 1
    states[:, prismatic, 0] = q[:, prismatic] / table.unit
    states[:, prismatic, 1] = 0.0
    # a layout of its own would be compiled for on its own
    return np.ascontiguousarray(states)


def spread_postures(table: ChainTable, starts: int, seed: int = 0) -> Array:
    """Return the middle posture and spread ones, (starts, n) values of the table's rows."""
    n = len(table.rows)
    prismatic = table.rows[:, 8] == 1
    wide = ~(np.isfinite(table.lower) & np.isfinite(table.upper))
    low = np.where(wide, table.middle - np.pi, table.lower)
    high = np.where(wide, table.middle + np.pi, table.upper)
    shares = np.vstack([np.full((1, n), 0.5), spread_shares(starts - 1, n, seed)])
    postures: Array = low + (high - low) * shares
    postures[0] = np.where(prismatic, postures[0], table.middle)
    return postures


def prepare(
    fixed: Array, kinds: IntArray, tip: Array, lower: Array, upper: Array, starts: int = STARTS
) -> Solver:
    """Make a serial chain (see ``poses``) ready for position targets.

    ``tip`` (3, 4) pose of the tip in the last moved frame; ``lower`` and ``upper`` (joints,)
    rad or m, infinite where a revolute joint has no limit; ``starts`` >= 1 for each target.
    """
    table = reduce_chain(fixed, kinds, tip, lower, upper)
    states = states_of(table, spread_postures(table, starts))
    movable = np.flatnonzero(table.joints >= 0)
    into_base = np.linalg.inv(table.base)[:3].astype(np.float64)
    into_base[:, 3] /= table.unit
    into_base[:, :3] /= table.unit
    return Solver(
        table=table,
        joint_count=len(kinds),
        rows32=table.rows.astype(np.float32),
        tip32=table.tip.astype(np.float32),
        limits=np.ascontiguousarray(np.stack([table.middle, table.lower, table.upper], axis=1)),
        into_base=into_base,
        starts=states,
        starts32=states.astype(np.float32),
        free_bound=reach_bound(table.rows, table.tip, limited=False),
        bound=reach_bound(table.rows, table.tip),
        movable=movable,
        every_joint=len(movable) == len(table.rows) == len(kinds),
    )


def disc(radius: float, normal: Array) -> Array:
    """Return the area of a disc about the target; ``normal`` (3,) in the base frame."""
    return _stack([DISC, radius, 0.0], _plane(normal))


def rectangle(half_u: float, half_v: float, u: Array, v: Array) -> Array:
    """Return a rectangle about the target with half sides along unit vectors u and v (3,)."""
    return _stack([RECTANGLE, half_u, half_v], [u, v, np.cross(u, v)])


def polygon(corners: Array, u: Array, v: Array) -> Array:
    """Return a simple polygon; ``corners`` (k, 2) along unit vectors u and v, in order."""
    places = np.column_stack([corners, np.zeros(len(corners))])
    return _stack([POLYGON, 0.0, 0.0], [u, v, np.cross(u, v)], places)


def standing(corners: Array, half: tuple[float, float], u: Array, v: Array, sense: float) -> Array:
    """Return a convex floor less a footprint of ``half`` length and width that turns with the base.

    ``corners`` (k, 2) along unit vectors u and v, counterclockwise; the length points along u while
    the first joint is at 0, which turns about u x v (``sense`` 1) or against it (-1).
    """
    edges = np.roll(corners, -1, axis=0) - corners
    edges /= np.linalg.norm(edges, axis=1, keepdims=True)
    normals = np.column_stack([edges[:, 1], -edges[:, 0]])
    rows = np.zeros((len(corners), EACH, 3))
    rows[:, 0, :2] = corners
    rows[:, 1, :2] = normals
    plane, heading = [u, v, np.cross(u, v)], [1.0, 0.0, sense]
    return _stack([STANDING, *half], plane, heading, rows.reshape(-1, 3))


def _stack(*rows: npt.ArrayLike) -> Array:
    stacked: Array = np.concatenate([np.atleast_2d(np.asarray(row, np.float64)) for row in rows])
    return stacked


def _plane(normal: Array) -> Array:
    n = np.asarray(normal, float) / np.linalg.norm(normal)
    u = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    u /= np.linalg.norm(u)
    plane: Array = np.stack([u, np.cross(n, u), n])
    return plane


def _scaled_area(solver: Solver, area: Array | None) -> tuple[Array, float]:
    """Return the area in the table's frame and unit, and the radius of a ball around it."""
    if area is None:
        return NO_AREA, 0.0
    scaled = area.astype(np.float64)
    scaled[1:4] = scaled[1:4] @ (solver.into_base[:, :3] * solver.table.unit).T
    scaled[0, 1:] /= solver.table.unit
    if area[0, 0] == STANDING:
        # the state of the first joint counts from its table angle
        offset, sense = float(solver.table.offset[0]), scaled[HEADING, 2]
        u, v = scaled[HEADING, :2]
        c, s = math.cos(offset), -sense * math.sin(offset)
        scaled[HEADING, :2] = c * u - s * v, c * v + s * u
        corners = scaled[CORNERS::EACH]
        corners /= solver.table.unit
        return scaled, float(np.max(np.linalg.norm(corners, axis=1)))
    scaled[4:] /= solver.table.unit
    if area[0, 0] == POLYGON:
        return scaled, float(np.max(np.linalg.norm(scaled[4:], axis=1)))
    return scaled, float(np.hypot(scaled[0, 1], scaled[0, 2]))


def joint_values(solver: Solver, rows: Array) -> Array:
    """Spread the values of the table's rows over all joints of the chain; fixed ones get 0."""
    if solver.every_joint:
        return rows
    q = np.zeros((len(rows), solver.joint_count))
    q[:, solver.table.joints[solver.movable]] = rows[:, solver.movable]
    return q


def own_states(solver: Solver, start: Array) -> Array:
    """Return states (m, n, 2) of postures (m, joints) given by the caller, within limits."""
    return states_of(solver.table, _own_rows(solver, start))


def _own_rows(solver: Solver, start: Array) -> Array:
    """Return values (m, n) of the table's rows, within limits, of postures (m, joints)."""
    table = solver.table
    q = np.zeros((len(start), len(table.rows)))
    q[:, solver.movable] = start[:, table.joints[solver.movable]]
    return np.clip(q, table.lower, table.upper, out=q)


def _own_states32(solver: Solver, start: Array) -> npt.NDArray[np.float32]:
    """Return ``own_states`` as (n, 2, m) in single precision, joint by joint as lanes read them."""
    table = solver.table
    values = np.ascontiguousarray(_own_rows(solver, start).T)
    states = np.empty((len(values), 2, len(start)), np.float32)
    angle = values + table.offset[:, None]
    np.cos(angle, out=states[:, 0], casting="same_kind")
    np.sin(angle, out=states[:, 1], casting="same_kind")
    prismatic = table.rows[:, 8] == 1
    if prismatic.any():
        states[prismatic, 0] = values[prismatic] / table.unit
        states[prismatic, 1] = 0.0
    return states


def solve(
    solver: Solver,
    targets: Array,
    tolerance: float,
    *,
    start: Array | None = None,
    area: Array | None = None,
    sweeps: int = SWEEPS,
    steps: int = STEPS,
    threads: int | None = None,
) -> Solutions:
    """Bring the tip to each target (m, 3) in the base frame, to ``tolerance`` metres.

    ``start`` (joints,) or (m, joints) is tried first; ``area`` (see ``disc``, ``rectangle``,
    ``polygon``) lies around every target. A NaN target gives a NaN error. A large batch goes to
    a CUDA device where there is one (see ``graphics.device``), unless ``threads`` is given.
    """
    shape, around = _scaled_area(solver, area)
    enough = tolerance / solver.table.unit
    if area is not None:
        # sweeps go to the middle of the area, all starts to the same few places
        sweeps = 0
    if len(targets) == 1:
        return _solve_one(solver, targets[0], enough, start, shape, around, sweeps, steps)
    m = len(targets)
    n = len(solver.table.rows)
    places = np.ascontiguousarray(
        solver.into_base[:, :3] @ np.asarray(targets, np.float64).T + solver.into_base[:, 3:]
    )
    if threads is None and device.wanted(m, n):
        found = device.attempt(
            lambda: _solve_on_device(solver, places, start, shape, around, enough, sweeps, steps)
        )
        if found is not None:
            return found
    if start is None:
        own = solver.starts32[0][:, :, None]
        rest = solver.starts32[1:]
    else:
        own = _own_states32(solver, np.atleast_2d(np.asarray(start, np.float64)))
        rest = solver.starts32[:-1] if len(solver.starts32) > 1 else solver.starts32[1:]
    own = np.ascontiguousarray(own)
    rest = np.ascontiguousarray(rest)
    shape32 = shape.astype(np.float32)
    # the float32 stage aims a little inside, so that float64 agrees
    enough2 = np.float32(max(0.9 * enough, FLOAT32_SHARE) ** 2)
    q = np.empty((m, n))
    error = np.empty(m)
    used = np.zeros(m, np.int64)
    proof = np.zeros(m, np.int64)
    arm = _arm(solver, shape)

    def work(begin: int, end: int) -> None:
        count = end - begin
        here = np.ascontiguousarray(places[:, begin:end])
        if around == 0.0:
            prove(solver.free_bound, solver.bound, here, enough, proof[begin:end])
        else:
            bounds = solver.free_bound, solver.bound
            prove_areas(*bounds, shape, around, here, enough, proof[begin:end])
        best = np.empty((2 * n, count + ROW_SPARE), np.float32)
        best_error = np.empty(count, np.float32)
        mine = own[:, :, begin:end] if own.shape[2] == m else own
        search(
            solver.rows32,
            solver.tip32,
            shape32,
            here.astype(np.float32),
            np.ascontiguousarray(mine),
            rest,
            proof[begin:end],
            enough2,
            sweeps,
            steps,
            np.float32(1e-5),
            workspace(ROWS * n, np.float32),
            workspace(3, np.float32),
            workspace(4, np.float32),
            best,
            best_error,
            used[begin:end],
        )
        finish(
            *arm,
            here,
            enough,
            float(enough2),
            best,
            best_error,
            workspace(ROWS * n),
            workspace(3),
            workspace(4),
            q[begin:end],
            error[begin:end],
        )
        rescue(
            *arm,
            here,
            solver.starts,
            proof[begin:end],
            enough,
            sweeps,
            steps,
            best,
            used[begin:end],
            q[begin:end],
            error[begin:end],
        )

    spread(work, m, grain=GRAIN, threads=threads)
    return Solutions(joint_values(solver, q), error * solver.table.unit, used, proof)


def _arm(solver: Solver, shape: Array) -> tuple[Array, Array, Array, Array, float]:
    """Return what kernels take first: the table, the tip, the area, limits and the unit."""
    return solver.table.rows, solver.table.tip, shape, solver.limits, solver.table.unit


def _solve_on_device(
    solver: Solver,
    places: Array,
    start: Array | None,
    shape: Array,
    around: float,
    enough: float,
    sweeps: int,
    steps: int,
) -> Solutions:
    from articulata.kernels.chains.iterative_solvers.graphics.position_threads import solve_places

    table = solver.table
    own, rest = solver.starts[:1], solver.starts[1:]
    if start is not None:
        own = own_states(solver, np.atleast_2d(np.asarray(start, np.float64)))
        rest = solver.starts[:-1] if len(solver.starts) > 1 else rest
    q, error, used, proof = solve_places(
        *_arm(solver, shape),
        (solver.free_bound, solver.bound),
        places,
        own,
        rest,
        around,
        enough,
        sweeps,
        steps,
    )
    return Solutions(joint_values(solver, q), error * table.unit, used, proof)


def _solve_one(
    solver: Solver,
    target: Array,
    enough: float,
    start: Array | None,
    shape: Array,
    around: float,
    sweeps: int,
    steps: int,
) -> Solutions:
    table = solver.table
    n = len(table.rows)
    place = solver.into_base[:, :3] @ target + solver.into_base[:, 3]
    starts = solver.starts
    if start is not None:
        own = own_states(solver, np.asarray(start, np.float64).reshape(1, -1))
        starts = np.concatenate([own, starts[:-1] if len(starts) > 1 else starts[1:]])
    bounds = solver.free_bound, solver.bound
    verdict = prove_area(*bounds, shape, around, place[0], place[1], place[2], enough)
    q = np.empty((1, n))
    scratch = np.empty(ROWS * n + 2 * n + 4)
    error, used = solve_one(
        *_arm(solver, shape),
        place,
        starts if verdict == POSSIBLE else starts[:NEAREST_STARTS],
        enough,
        sweeps,
        steps,
        scratch[: ROWS * n],
        scratch[ROWS * n : ROWS * n + 2 * n].reshape(n, 2),
        scratch[ROWS * n + 2 * n :],
        q[0],
    )
    return Solutions(
        joint_values(solver, q),
        np.array([error * table.unit]),
        np.array([used]),
        np.array([verdict]),
    )
