"""Search from several starts, on lanes: damped Gauss-Newton toward places or poses.

For each target and start: sweeps of coordinate descent, where asked (they cross the workspace
without getting caught at joint limits), then Gauss-Newton with active limits, restarting only what
is not solved yet. Batches of places are searched in float32 until the tolerance is met and finished
in float64, poses in float64 all along; the errors reported are those of the posture returned. One
target alone runs the scalar twins in float64.

Everything here is in the reduced chain's base frame and unit (see ``dh_table``). A *state* is what
rows 0 and 1 of a joint hold: cos and sin of its table angle, or its travel.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.iterative_solvers.coordinate_descent import (
    CH,
    KIND,
    MC,
    MS,
    ROWS,
    SH,
    clamp_turn,
    sweep,
)
from articulata.kernels.chains.iterative_solvers.pose_gauss_newton import approach
from articulata.kernels.chains.iterative_solvers.position_gauss_newton import (
    AIM,
    Arm,
    How,
    Rows,
    frame_behind,
    start_frame,
)
from articulata.kernels.chains.iterative_solvers.target_areas import in_area
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import arc_tangent2
from articulata.kernels.lanes.tiles import TILE, turn_tile
from articulata.kernels.lanes.vectors import FASTMATH, any_lane, load, maximum, minimum, store

NEARLY2 = 1e-6
"""Squared error, in units of the reach, from which finishing steps are expected to converge."""

CLOSE2 = 0.01
"""Squared error (reach and rad) of a pose within which a miss counts as close."""

NEAREST_STARTS = 4
"""Starts for a target that is proved out of reach: enough for a good nearest posture."""

EARLY, LAST = 8, 12
"""Steps within which batches are those of the opening, and most steps when finishing."""

ROW_SPARE = 16
"""Numbers that a row of states is longer than its chunk: rows a power of two apart would share
the same few places of the first cache."""


@kernel(counted=False)
def write_goals(into_base: Any, into_turn: Any, targets: Any, goals: Any) -> None:
    """Write the goals (3 or 12, m) of places (m, 3) or of poses X_BT (m, 16), row by row.

    ``into_base`` (3, 4) brings a point into the table's frame and unit, ``into_turn`` (9, 9) the
    entries of a tip's rotation to those of the last frame's.
    """
    pose = targets.shape[1] > 3
    for p in range(targets.shape[0]):
        for r in range(3):
            goals[r, p] = into_base[r, 3]
            for c in range(3):
                goals[r, p] += into_base[r, c] * targets[p, 4 * c + 3 if pose else c]
        for e in range(9 if pose else 0):
            total = 0.0
            for k in range(9):
                total += into_turn[e, k] * targets[p, k + k // 3]
            goals[3 + e, p] = total


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def tidied(table: Any, i: int, c: Any, s: Any) -> Any:
    """Return joint i's state brought to unit length and into its limits."""
    if table[i, KIND] != 0.0:
        return minimum(maximum(c, table[i, CH]), table[i, SH]), s
    # two Newton steps toward 1 / sqrt(c^2 + s^2): rounding of float32 becomes 1e-28
    scale = 1.5 - 0.5 * (c * c + s * s)
    c = c * scale
    s = s * scale
    scale = 1.5 - 0.5 * (c * c + s * s)
    return clamp_turn(c * scale, s * scale, table[i, MC], table[i, MS], table[i, CH], table[i, SH])


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def value_of(arm: Arm, i: int, c: Any, s: Any) -> Any:
    """Return joint i's value, rad or m."""
    table, limits = arm.table, arm.limits
    if table[i, KIND] == 0.0:
        value = limits[i, 0] + arc_tangent2(
            s * table[i, MC] - c * table[i, MS], c * table[i, MC] + s * table[i, MS]
        )
    else:
        value = c * arm.unit
    return minimum(maximum(value, limits[i, 1]), limits[i, 2])


@kernel(fastmath=FASTMATH, counted=False)
def tidy(table: Any, work: Any) -> None:
    """Bring every joint's state to unit length and into its limits."""
    for i in range(table.shape[0]):
        k = ROWS * i
        c, s = tidied(table, i, load(work, k), load(work, k + 1))
        store(work, k, c)
        store(work, k + 1, s)


@kernel(fastmath=FASTMATH, counted=False)
def read_values(arm: Arm, work: Any) -> None:
    """Write each joint's value, rad or m, to its row 2."""
    for i in range(arm.table.shape[0]):
        k = ROWS * i
        store(work, k + 2, value_of(arm, i, load(work, k), load(work, k + 1)))


@kernel(fastmath=FASTMATH, counted=False)
def measure(area: Any, arm: Arm, rows: Rows, how: How) -> None:
    """Tidy the posture in ``rows.work``, read its values and measure its squared errors.

    For places in one pass: the frames, which wait for each other, and the angles, which do not, are
    computed side by side.
    """
    table, tip, work, target = arm.table, arm.tip, rows.work, rows.goal
    if area.ndim == 3:
        settle(area, arm, rows, how, 0)
        read_values(arm, work)
    else:
        xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = start_frame(work)
        for i in range(table.shape[0]):
            k = ROWS * i
            c, s = tidied(table, i, load(work, k), load(work, k + 1))
            store(work, k, c)
            store(work, k + 1, s)
            store(work, k + 2, value_of(arm, i, c, s))
            xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz = frame_behind(
                table, i, work, c, s, xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz
            )
        dx = px + tip[0, 3] * xx + tip[1, 3] * yx + tip[2, 3] * zx - load(target, 0)
        dy = py + tip[0, 3] * xy + tip[1, 3] * yy + tip[2, 3] * zy - load(target, 1)
        dz = pz + tip[0, 3] * xz + tip[1, 3] * yz + tip[2, 3] * zz - load(target, 2)
        ax, ay, az, _, _, _, _, _ = in_area(area, load(work, 0), load(work, 1), dx, dy, dz)
        e = (ax - dx) * (ax - dx) + (ay - dy) * (ay - dy) + (az - dz) * (az - dz)
        store(rows.error2, 0, e)
        store(rows.error2, 1, e - e)


@kernel(counted=False)
def settle(area: Any, arm: Arm, rows: Rows, how: How, rounds: int) -> None:
    """Tidy a posture and measure it; bring one that cannot meet its place nearer to it.

    Gauss-Newton overshoots where the rest of the error cannot be removed; descent never does.
    """
    tidy(arm.table, rows.work)
    if area.ndim < 3:
        for _ in range(rounds):
            approach(area, arm, rows, how, 0)
            sweep(arm.table, arm.tip, rows.work, rows.error2[AIM:], np.int64(6))
        tidy(arm.table, rows.work)
    approach(area, arm, rows, how, 0)


@kernel(inline=True, counted=False)
def _missed(how: How, square: float, chord: float) -> bool:
    """Return whether squared errors are too large; what is no number is not searched on."""
    return square > how.enough2 or chord > how.enough_chord2


@kernel(counted=False)
def solve_one(arm: Any, starts: Any, more: Any, how: Any, rows: Any, best: Any, q: Any) -> Any:
    """Solve one target with the scalar twins; return (distance in units, angle, starts used).

    States tried in order: ``starts`` (count, n, 2) and, where the best comes close, ``more``. Rows
    are flat; ``best`` (n, 2) is scratch; ``q`` (n,) receives the joint values.
    """
    arm, how, rows = Arm(*arm), How(*how), Rows(*rows)
    n = arm.table.shape[0]
    work, error2 = rows.work, rows.error2
    least = np.inf
    used = 0
    missed = True
    first = starts.shape[0]
    for start in range(first + more.shape[0]):
        if start >= first and least > CLOSE2:
            break
        used += 1
        for i in range(n):
            for r in range(2):
                state = starts[start, i, r] if start < first else more[start - first, i, r]
                work[ROWS * i + r] = state
        if how.sweeps > 0:
            sweep(arm.table, arm.tip, work, rows.goal, how.sweeps)
            tidy(arm.table, work)
        before = np.inf
        left = how.steps
        while True:
            left -= approach(
                arm.area, arm, rows, how, min(left, EARLY if left == how.steps else how.batch)
            )
            e = error2[0] + 0.5 * error2[1]
            missed = _missed(how, error2[0], error2[1])
            if not missed or left <= 0 or not e < how.patience * before:
                break
            before = e
        if start == 0 or not missed or e < least:
            least = e
            for i in range(n):
                best[i, 0] = work[ROWS * i]
                best[i, 1] = work[ROWS * i + 1]
        if not missed:
            break
    for i in range(n):
        work[ROWS * i] = best[i, 0]
        work[ROWS * i + 1] = best[i, 1]
    # the clamped, normalised posture is the one measured and returned
    settle(arm.area, arm, rows, how, 4 if missed else 0)
    read_values(arm, work)
    for i in range(n):
        q[i] = work[ROWS * i + 2]
    return math.sqrt(error2[0]), chord_angle(error2[1]), used


@kernel(inline=True, counted=False)
def chord_angle(square: float) -> float:
    """Return the angle of a rotation, rad, from the squared chord ``8 sin^2(angle / 2)``."""
    return 2.0 * math.asin(min(math.sqrt(square / 8.0), 1.0))


@kernel(inline=True, counted=False)
def _neighbours(points: Any, first: int, count: int, width: int) -> bool:
    """Return whether listed points, which rise, fill all lanes and are neighbours."""
    return count == width and points[first + width - 1] == points[first] + width - 1


@kernel(counted=False)
def _gather(state: Any, goals: Any, points: Any, first: int, count: int, rows: Rows) -> None:
    """Load the states and goals of ``count`` listed points; spare lanes repeat the last."""
    work, goal = rows.work, rows.goal
    width = work.shape[1]
    if _neighbours(points, first, count, width):
        # numbers that lie side by side are copied side by side
        p = points[first]
        for r in range(goal.shape[0]):
            for lane in range(width):
                goal[r, lane] = goals[r, p + lane]
        for i in range(state.shape[0] // 2):
            for lane in range(width):
                work[ROWS * i, lane] = state[2 * i, p + lane]
            for lane in range(width):
                work[ROWS * i + 1, lane] = state[2 * i + 1, p + lane]
        return
    for lane in range(width):
        p = points[first + min(lane, count - 1)]
        for r in range(goal.shape[0]):
            goal[r, lane] = goals[r, p]
        for i in range(state.shape[0] // 2):
            work[ROWS * i, lane] = state[2 * i, p]
            work[ROWS * i + 1, lane] = state[2 * i + 1, p]


@kernel(counted=False)
def _scatter(found: Any, points: Any, first: int, count: int, rows: Rows) -> None:
    """Store the states and errors of ``count`` listed points."""
    state, error = found
    work, error2 = rows.work, rows.error2
    width = work.shape[1]
    if _neighbours(points, first, count, width):
        p = points[first]
        for r in range(2):
            for lane in range(width):
                error[r, p + lane] = error2[r, lane]
        for i in range(state.shape[0] // 2):
            for lane in range(width):
                state[2 * i, p + lane] = work[ROWS * i, lane]
            for lane in range(width):
                state[2 * i + 1, p + lane] = work[ROWS * i + 1, lane]
        return
    for lane in range(count):
        p = points[first + lane]
        for r in range(2):
            error[r, p] = error2[r, lane]
        for i in range(state.shape[0] // 2):
            state[2 * i, p] = work[ROWS * i, lane]
            state[2 * i + 1, p] = work[ROWS * i + 1, lane]


@kernel(counted=False)
def _rounds(
    arm: Arm, goals: Any, found: Any, before: Any, going: Any, active: int, how: How, rows: Rows
) -> None:
    """Go on from the states with the ``active`` points listed first in ``going``.

    In rounds of a few steps, after each of which those that are solved or stuck leave the list.
    ``found``: states (2 n, m) and squared errors (2, m); ``before`` (m,) those of the last round.
    """
    state, error = found
    width = rows.work.shape[1]
    spent = 0
    while active > 0:
        # the first rounds are short: most points are solved in them
        batch = min(how.opening if spent < EARLY else how.batch, how.steps - spent)
        for first in range(0, active, width):
            count = min(width, active - first)
            _gather(state, goals, going, first, count, rows)
            if spent == 0 and how.sweeps > 0:
                sweep(arm.table, arm.tip, rows.work, rows.goal, how.sweeps)
            approach(arm.area, arm, rows, how, batch)
            _scatter(found, going, first, count, rows)
        spent += batch
        kept = 0
        for j in range(active):
            p = going[j]
            e = error[0, p] + 0.5 * error[1, p]
            if _missed(how, error[0, p], error[1, p]) and e < how.patience * before[p]:
                going[kept] = p
                kept += 1
            before[p] = e
        active = kept if spent < how.steps else 0


@kernel
def search(
    arm: Arm, goals: Any, own: Any, starts: Any, proof: Any, how: How, rows: Rows, found: Any
) -> None:
    """Search a chunk of ``m`` goals (3 or 12, m) on lanes, from several starts until it is solved.

    The first start of target p is ``own[:, :, p]`` (n, 2, m) (the same for all where m = 1); then
    those of ``starts`` (count, n, 2) follow in order, but only a few where ``proof`` (m,) is not 0:
    such a target is out of reach. ``found``: the best states (2 n, m), whose rows may be longer,
    see ``ROW_SPARE``, their squared errors (2, m) and the number of starts used (m,).
    """
    best, best_error, used = found
    n, m = own.shape[0], goals.shape[1]
    for i in range(n):
        for part in range(2):
            for p in range(m):
                best[2 * i + part, p] = own[i, part, p if own.shape[2] > 1 else 0]
    pending, going = np.empty(m, np.int64), np.empty(m, np.int64)
    before = np.empty(m, best.dtype)
    for p in range(m):
        pending[p] = going[p] = p
        before[p] = np.inf
        used[p] += 1
    _rounds(arm, goals, (best, best_error), before, going, m, how, rows)
    left = m
    state = np.empty(best.shape if starts.shape[0] else (0, 0), best.dtype)
    error = np.empty((2, m), best.dtype)
    for start in range(starts.shape[0]):
        remaining = 0
        for j in range(left):
            p = pending[j]
            missed = _missed(how, best_error[0, p], best_error[1, p])
            if missed and (proof[p] == 0 or start < NEAREST_STARTS - 1):
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
        _rounds(arm, goals, (state, error), before, going, left, how, rows)
        for j in range(left):
            p = pending[j]
            e = error[0, p] + 0.5 * error[1, p]
            least = best_error[0, p] + 0.5 * best_error[1, p]
            if e < least or not _missed(how, error[0, p], error[1, p]):
                for r in range(2):
                    best_error[r, p] = error[r, p]
                for r in range(2 * n):
                    best[r, p] = state[r, p]


@kernel
def finish(arm: Arm, goals: Any, how: How, found: Any, rows: Rows, q: Any, off: Any) -> None:
    """Finish a chunk in float64: joint values ``q`` (m, n), ``off`` (m, 2) true distance and angle.

    The errors of the search tell the points that it (nearly) solved from the others, so that a
    block of lanes holds one sort.
    """
    best, best_error, _ = found
    m, n = q.shape
    width = rows.work.shape[1]
    poses = arm.area.ndim == 3
    points = np.empty(m, np.int64)
    for sort in range(2):
        some = 0
        for p in range(m):
            nearly = best_error[0, p] + 0.5 * best_error[1, p] <= max(how.enough2, NEARLY2)
            if nearly == (sort == 0):
                points[some] = p
                some += 1
        for first in range(0, some, width):
            count = min(width, some - first)
            _gather(best, goals, points, first, count, rows)
            if sort == 0 or poses:
                measure(arm.area, arm, rows, how)
                if not poses and any_lane(load(rows.error2, 0) > how.enough2):
                    # steps keep unit length to rounding and end inside limits
                    approach(arm.area, arm, rows, how, LAST)
                    read_values(arm, rows.work)
            else:
                settle(arm.area, arm, rows, how, 4)
                read_values(arm, rows.work)
            squares = n // TILE * TILE if _neighbours(points, first, count, width) else 0
            for lane in range(0, width, TILE):
                for i in range(0, squares, TILE):
                    at = (points[first] + lane) * n + i
                    turn_tile(rows.work, (ROWS * i + 2) * width + lane, ROWS * width, q, at, n)
            for lane in range(count):
                p = points[first + lane]
                off[p, 0] = math.sqrt(rows.error2[0, lane])
                off[p, 1] = chord_angle(rows.error2[1, lane])
                for i in range(squares, n):
                    q[p, i] = rows.work[ROWS * i + 2, lane]
