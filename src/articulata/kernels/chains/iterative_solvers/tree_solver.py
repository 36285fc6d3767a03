"""The engine for trees: several targets at once, positions or poses, mimic joints, limits.

Damped Gauss-Newton with active limits over the free coordinates u of a tree (canonical arrays
of ``poses``). Joint values follow from them, ``q[j] = ratio[j] u[source[j]] +
offset[j]``; a source of -1 holds the joint at its offset. A step solves
``(J J^T + lambda) y = r`` over the rows of all targets and is kept only if it lowers the error,
so that the posture returned for targets that cannot all be met is a true compromise: it
minimises the sum of squared distances (in units of ``unit``) and squared angles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.forward_kinematics import TreeArrays, poses_one
from articulata.kernels.chains.iterative_solvers.tip_targets import spread_shares
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import spread

PLACE, POSE, POINTING, GAZE = 0, 1, 2, 3
"""What can be asked of a tip."""

STARTS = 12
"""Starts for each set of targets: the middle of the ranges (or the caller's), then spread."""

STEPS = 120
"""Most steps from one start."""

GRAIN = 16
"""Sets of targets in one piece of a batch."""

LARGEST_STEP = 0.6
"""Most that one coordinate moves in one step: rad, or this share of ``unit``."""

STALLED = 1e-4
"""Share of the squared error below which ten steps' progress counts as none."""


class Tree(NamedTuple):
    """A tree and its coordinates: see ``poses`` and the module's docstring.

    ``source`` (joints,) int64; ``ratio``,
    ``offset`` (joints,); ``lower``, ``upper`` (coordinates,), infinite where there is no limit.
    """

    arrays: TreeArrays
    source: IntArray
    ratio: Array
    offset: Array
    lower: Array
    upper: Array


class Tips(NamedTuple):
    """What is to be brought to its goals: k tips of a tree.

    ``links`` (k,) the link of each tip (-1: the base) and ``poses`` (k, 3, 4) its pose there;
    ``asked`` (k,) what of it counts: ``PLACE``, ``POSE``, ``POINTING`` (its place, and its z along
    the goal's z) or ``GAZE`` (its z towards the goal's place). ``unit`` metres weigh as much as one
    radian; ``enough`` (k,) m and ``enough_angle`` (k,) rad are as near as each has to come.
    """

    links: IntArray
    poses: Array
    asked: IntArray
    unit: float
    enough: Array
    enough_angle: Array


class Posture(NamedTuple):
    """A posture and what follows from it; memory of a kernel.

    ``u`` (coordinates,); ``q`` (joints,) their values; ``frames`` (joints, 3, 4) of the links;
    ``points`` (k, 3) of the tips, m, ``axes`` (k, 3) their z, ``ranges`` (k,) how far what they
    gaze at is, m; ``residual`` (rows,); ``errors`` (k, 2) m and rad.
    """

    u: Array
    q: Array
    frames: Array
    points: Array
    axes: Array
    ranges: Array
    residual: Array
    errors: Array


@dataclass(frozen=True, slots=True)
class TreeSolutions:
    """Answers of m sets of k targets.

    ``u`` (m, coordinates); ``distance`` (m, k) m; ``angle`` (m, k) rad, 0 for position targets;
    ``starts`` (m,) starts used.
    """

    u: Array
    distance: Array
    angle: Array
    starts: IntArray


@kernel
def _residual(tree: Tree, tips: Tips, goals: Any, at: Posture) -> float:
    """Fill ``at`` for its ``u``; return half the square sum of the residual."""
    q, frames, points, r = at.q, at.frames, at.points, at.residual
    for j in range(tree.arrays.kinds.shape[0]):
        q[j] = tree.offset[j]
        if tree.source[j] >= 0:
            q[j] += tree.ratio[j] * at.u[tree.source[j]]
    poses_one(tree.arrays, q, frames)
    row = 0
    cost = 0.0
    turn = np.empty((3, 3))
    for t in range(tips.links.shape[0]):
        link, tip = tips.links[t], tips.poses[t]
        goal = goals[t]
        for a in range(3):
            if link < 0:
                points[t, a] = tip[a, 3]
                for b in range(3):
                    turn[a, b] = tip[a, b]
            else:
                x = frames[link]
                points[t, a] = x[a, 3]
                for b in range(3):
                    points[t, a] += x[a, b] * tip[b, 3]
                    turn[a, b] = 0.0
                    for c in range(3):
                        turn[a, b] += x[a, c] * tip[c, b]
        asked = tips.asked[t]
        square = 0.0
        for a in range(3):
            at.axes[t, a] = turn[a, 2]
            away = (goal[a, 3] - points[t, a]) / tips.unit
            square += away * away
            if asked != GAZE:
                r[row] = away
                row += 1
        at.ranges[t] = math.sqrt(square) * tips.unit
        at.errors[t, 0] = 0.0 if asked == GAZE else at.ranges[t]
        cost += 0.0 if asked == GAZE else 0.5 * square
        at.errors[t, 1] = 0.0
        if asked in (POINTING, GAZE):
            cost += _direction(at, goal, t, asked, row)
            row += 3
        if asked == POSE:
            chord = 0.0
            for a in range(3):
                for b in range(3):
                    chord += (turn[a, b] - goal[a, b]) ** 2
            at.errors[t, 1] = 2.0 * math.asin(min(math.sqrt(chord / 8.0), 1.0))
            # half the sum of axis cross goal axis is sin(angle) times the axis of the turn left
            scale = 1.0 / max(2.0 - 0.25 * chord, 0.1)
            for a in range(3):
                b = (a + 1) % 3
                c = (a + 2) % 3
                r[row] = 0.0
                for k in range(3):
                    r[row] += turn[b, k] * goal[c, k] - turn[c, k] * goal[b, k]
                r[row] *= scale
                row += 1
            cost += 0.5 * (0.5 * chord)
    return cost


@kernel
def _direction(at: Posture, goal: Any, t: int, asked: int, row: int) -> float:
    """Write the turn that brings a tip's z to the goal's direction; return its cost."""
    z, d = at.axes[t], np.empty(3)
    for a in range(3):
        d[a] = goal[a, 2]
        if asked == GAZE:
            # at the very point every direction looks at it
            d[a] = (goal[a, 3] - at.points[t, a]) / at.ranges[t] if at.ranges[t] > 0.0 else z[a]
    cosine = z[0] * d[0] + z[1] * d[1] + z[2] * d[2]
    sine = 0.0
    # as long as the angle is small it is the sine; it must not vanish for the opposite direction
    scale = 1.0 / max(0.5 * (1.0 + cosine), 0.1)
    for a in range(3):
        b = (a + 1) % 3
        c = (a + 2) % 3
        across = z[b] * d[c] - z[c] * d[b]
        sine += across * across
        at.residual[row + a] = across * scale
    at.errors[t, 1] = math.atan2(math.sqrt(sine), cosine)
    return 1.0 - cosine


@kernel
def _columns(tree: Tree, tips: Tips, at: Posture, jacobian: Any) -> None:
    """Write the Jacobian (rows, coordinates) of minus the residual."""
    unit, points = tips.unit, at.points
    jacobian[:, :] = 0.0
    row = 0
    v, w = np.empty(3), np.empty(3)
    for t in range(tips.links.shape[0]):
        asked = tips.asked[t]
        turn = row if asked == GAZE else row + 3
        z = at.axes[t]
        j = tips.links[t]
        while j >= 0:
            f = tree.source[j]
            if f >= 0 and tree.arrays.kinds[j] < 2:
                x = at.frames[j]
                for a in range(3):
                    b = (a + 1) % 3
                    c = (a + 2) % 3
                    w[a] = x[a, 2] * tree.ratio[j]
                    v[a] = w[a]
                    if tree.arrays.kinds[j] == 0:
                        v[a] = tree.ratio[j] * (
                            x[b, 2] * (points[t, c] - x[c, 3]) - x[c, 2] * (points[t, b] - x[b, 3])
                        )
                if tree.arrays.kinds[j] == 1:
                    w[0] = w[1] = w[2] = 0.0
                along = w[0] * z[0] + w[1] * z[1] + w[2] * z[2]
                for a in range(3):
                    b = (a + 1) % 3
                    c = (a + 2) % 3
                    if asked != GAZE:
                        jacobian[row + a, f] += v[a] / unit
                    if asked == POSE:
                        jacobian[turn + a, f] += w[a]
                    elif asked != PLACE:
                        jacobian[turn + a, f] += w[a] - along * z[a]
                    if asked == GAZE and at.ranges[t] > 0.0:
                        jacobian[turn + a, f] += (z[b] * v[c] - z[c] * v[b]) / at.ranges[t]
            j = tree.arrays.parents[j]
        row += _rows(asked)


@kernel
def _rows(asked: int) -> int:
    return 6 if asked in (POSE, POINTING) else 3


@kernel(counted=False)
def _solve_damped(jacobian: Any, r: Any, damping: float, system: Any, y: Any) -> None:
    """Solve ``(J J^T + damping) y = r`` by Cholesky; ``system`` (rows, rows) is scratch."""
    m = r.shape[0]
    for i in range(m):
        for j in range(i + 1):
            total = damping if i == j else 0.0
            for k in range(jacobian.shape[1]):
                total += jacobian[i, k] * jacobian[j, k]
            for k in range(j):
                total -= system[i, k] * system[j, k]
            system[i, j] = math.sqrt(max(total, 1e-300)) if i == j else total / system[j, j]
        y[i] = r[i]
        for k in range(i):
            y[i] -= system[i, k] * y[k]
        y[i] /= system[i, i]
    for back in range(m):
        i = m - 1 - back
        for k in range(i + 1, m):
            y[i] -= system[k, i] * y[k]
        y[i] /= system[i, i]


@kernel(counted=False)
def _met(tips: Tips, errors: Any) -> bool:
    for t in range(errors.shape[0]):
        if not (errors[t, 0] <= tips.enough[t] and errors[t, 1] <= tips.enough_angle[t]):
            return False
    return True


@kernel
def _posture(tree: Tree, tips: Tips, rows: int) -> Posture:
    """Return memory for one posture."""
    joints, k = tree.arrays.kinds.shape[0], tips.links.shape[0]
    return Posture(
        np.empty(tree.lower.shape[0]),
        np.empty(joints),
        np.empty((joints, 3, 4)),
        np.empty((k, 3)),
        np.empty((k, 3)),
        np.empty(k),
        np.empty(rows),
        np.empty((k, 2)),
    )


@kernel(counted=False)
def _free_columns(tree: Tree, here: Posture, jacobian: Any) -> None:
    """Blank the columns of coordinates that are at a limit and pushed outward."""
    for i in range(tree.lower.shape[0]):
        push = 0.0
        for a in range(jacobian.shape[0]):
            push += jacobian[a, i] * here.residual[a]
        low, high = here.u[i] <= tree.lower[i], here.u[i] >= tree.upper[i]
        if (low and push < 0.0) or (high and push > 0.0):
            for a in range(jacobian.shape[0]):
                jacobian[a, i] = 0.0


@kernel(counted=False)
def _move(tree: Tree, here: Posture, jacobian: Any, y: Any, u: Any) -> None:
    """Write the coordinates ``u`` a step from ``here``, short enough and within limits."""
    most = LARGEST_STEP
    for i in range(u.shape[0]):
        u[i] = 0.0
        for a in range(jacobian.shape[0]):
            u[i] += jacobian[a, i] * y[a]
        most = max(most, abs(u[i]))
    for i in range(u.shape[0]):
        move = u[i] * (LARGEST_STEP / most)
        u[i] = min(max(here.u[i] + move, tree.lower[i]), tree.upper[i])


@kernel
def solve_sets(
    tree: Tree,
    tips: Tips,
    goals: Any,
    steps: int,
    own: Any,
    starts: Any,
    u: Any,
    errors: Any,
    used: Any,
    begin: int,
    end: int,
) -> None:
    """Solve sets ``begin`` to ``end``: goals (m, k, 3, 4), u (m, n), errors (m, k, 2)."""
    n = tree.lower.shape[0]
    rows = 0
    for t in range(tips.links.shape[0]):
        rows += _rows(tips.asked[t])
    here, there = _posture(tree, tips, rows), _posture(tree, tips, rows)
    y = np.empty(rows)
    jacobian = np.empty((rows, n))
    system = np.empty((rows, rows))
    for p in range(begin, end):
        least = np.inf
        for start in range(starts.shape[0] + 1):
            used[p] += 1
            for i in range(n):
                value = starts[start - 1, i]
                if start == 0:
                    value = own[p if own.shape[0] > 1 else 0, i]
                here.u[i] = min(max(value, tree.lower[i]), tree.upper[i])
            cost = _residual(tree, tips, goals[p], here)
            share = 0.1
            before = cost
            for step in range(steps):
                if _met(tips, here.errors) or not cost < np.inf:
                    break
                if step % 10 == 9:
                    if cost > (1.0 - STALLED) * before:
                        break
                    before = cost
                _columns(tree, tips, here, jacobian)
                _free_columns(tree, here, jacobian)
                improved = False
                for _ in range(12):
                    _solve_damped(jacobian, here.residual, share * cost + 1e-14, system, y)
                    _move(tree, here, jacobian, y, there.u)
                    after = _residual(tree, tips, goals[p], there)
                    if after < cost:
                        improved = True
                        cost = after
                        here, there = there, here
                        share = max(0.3 * share, 1e-6)
                        break
                    share *= 8.0
                if not improved:
                    break
            met = _met(tips, here.errors)
            if start == 0 or met or cost < least:
                least = cost
                u[p] = here.u
                errors[p] = here.errors
            if met:
                break


def solve_tree(
    tree: Tree,
    links: IntArray,
    tips: Array,
    asked: IntArray | npt.NDArray[np.bool_],
    goals: Array,
    tolerance: float | Array,
    angle_tolerance: float | Array,
    *,
    unit: float = 1.0,
    start: Array | None = None,
    starts: int = STARTS,
    steps: int = STEPS,
    threads: int | None = None,
) -> TreeSolutions:
    """Bring k tips to k goals at once, for each of m sets.

    ``links`` (k,) the link of each tip (-1: the base) and ``tips`` (k, 3, 4) its pose there;
    ``asked`` (k,) what of it counts (see ``Tips``; True is a pose); ``goals`` (m, k, 3, 4) poses in
    the base; ``tolerance`` m and ``angle_tolerance`` rad, of all or (k,) of each. ``unit`` metres
    weigh as much as one radian. ``start`` (n,) or (m, n) is tried first.
    """
    m, k = goals.shape[:2]
    n = len(tree.lower)
    finite = np.isfinite(tree.lower) & np.isfinite(tree.upper)
    low = np.where(finite, tree.lower, np.where(np.isfinite(tree.lower), tree.lower, -math.pi))
    high = np.where(finite, tree.upper, np.where(np.isfinite(tree.upper), tree.upper, math.pi))
    middle = 0.5 * (low + high)
    own = np.atleast_2d(middle if start is None else np.asarray(start, np.float64))
    others = low + (high - low) * spread_shares(max(starts - 1, 0), n)
    if start is not None:
        others = np.vstack([middle, others])
    u = np.empty((m, n))
    errors = np.empty((m, k, 2))
    used = np.zeros(m, np.int64)
    ready = np.ascontiguousarray(goals, np.float64)

    near = [np.array(np.broadcast_to(each, (k,)), float) for each in (tolerance, angle_tolerance)]
    aim = Tips(links, tips, np.array(asked, np.int64), unit, *near)

    def work(begin: int, end: int) -> None:
        solve_sets(
            tree,
            aim,
            ready,
            steps,
            np.ascontiguousarray(own),
            np.ascontiguousarray(others),
            u,
            errors,
            used,
            begin,
            end,
        )

    spread(work, m, grain=GRAIN, threads=threads)
    return TreeSolutions(u, errors[:, :, 0], errors[:, :, 1], used)
