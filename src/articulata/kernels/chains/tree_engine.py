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

from articulata.kernels.chains.poses import poses_one
from articulata.kernels.chains.positions import spread_shares
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import spread

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

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

    ``fixed`` (joints, 3, 4), ``kinds``, ``parents``, ``source`` (joints,) int64; ``ratio``,
    ``offset`` (joints,); ``lower``, ``upper`` (coordinates,), infinite where there is no limit.
    """

    fixed: Array
    kinds: IntArray
    parents: IntArray
    source: IntArray
    ratio: Array
    offset: Array
    lower: Array
    upper: Array


class Tips(NamedTuple):
    """What is to be brought to its goals: k tips of a tree.

    ``links`` (k,) the link of each tip (-1: the base) and ``poses`` (k, 3, 4) its pose there;
    ``turning`` (k,) whether its orientation counts. ``unit`` metres weigh as much as one radian;
    ``enough`` m and ``enough_angle`` rad are as near as a tip has to come.
    """

    links: IntArray
    poses: Array
    turning: npt.NDArray[np.bool_]
    unit: float
    enough: float
    enough_angle: float


class Posture(NamedTuple):
    """A posture and what follows from it; memory of a kernel.

    ``u`` (coordinates,); ``q`` (joints,) their values; ``frames`` (joints, 3, 4) of the links;
    ``points`` (k, 3) of the tips, m; ``residual`` (rows,); ``errors`` (k, 2) m and rad.
    """

    u: Array
    q: Array
    frames: Array
    points: Array
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
    for j in range(tree.kinds.shape[0]):
        q[j] = tree.offset[j]
        if tree.source[j] >= 0:
            q[j] += tree.ratio[j] * at.u[tree.source[j]]
    poses_one(tree.fixed, tree.kinds, tree.parents, q, frames)
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
        square = 0.0
        for a in range(3):
            r[row] = (goal[a, 3] - points[t, a]) / tips.unit
            square += r[row] * r[row]
            row += 1
        at.errors[t, 0] = math.sqrt(square) * tips.unit
        cost += 0.5 * square
        at.errors[t, 1] = 0.0
        if tips.turning[t]:
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
def _columns(tree: Tree, tips: Tips, at: Posture, jacobian: Any) -> None:
    """Write the Jacobian (rows, coordinates) of minus the residual."""
    unit, points = tips.unit, at.points
    jacobian[:, :] = 0.0
    row = 0
    for t in range(tips.links.shape[0]):
        j = tips.links[t]
        while j >= 0:
            f = tree.source[j]
            if f >= 0 and tree.kinds[j] < 2:
                x = at.frames[j]
                zx = x[0, 2] * tree.ratio[j]
                zy = x[1, 2] * tree.ratio[j]
                zz = x[2, 2] * tree.ratio[j]
                if tree.kinds[j] == 0:
                    dx = points[t, 0] - x[0, 3]
                    dy = points[t, 1] - x[1, 3]
                    dz = points[t, 2] - x[2, 3]
                    jacobian[row, f] += (zy * dz - zz * dy) / unit
                    jacobian[row + 1, f] += (zz * dx - zx * dz) / unit
                    jacobian[row + 2, f] += (zx * dy - zy * dx) / unit
                    if tips.turning[t]:
                        jacobian[row + 3, f] += zx
                        jacobian[row + 4, f] += zy
                        jacobian[row + 5, f] += zz
                else:
                    jacobian[row, f] += zx / unit
                    jacobian[row + 1, f] += zy / unit
                    jacobian[row + 2, f] += zz / unit
            j = tree.parents[j]
        row += 6 if tips.turning[t] else 3


@kernel
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


@kernel
def _met(tips: Tips, errors: Any) -> bool:
    for t in range(errors.shape[0]):
        far = not errors[t, 0] <= tips.enough
        if far or (tips.turning[t] and not errors[t, 1] <= tips.enough_angle):
            return False
    return True


@kernel
def _posture(tree: Tree, tips: Tips, rows: int) -> Posture:
    """Return memory for one posture."""
    joints, k = tree.kinds.shape[0], tips.links.shape[0]
    return Posture(
        np.empty(tree.lower.shape[0]),
        np.empty(joints),
        np.empty((joints, 3, 4)),
        np.empty((k, 3)),
        np.empty(rows),
        np.empty((k, 2)),
    )


@kernel
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


@kernel
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
    rows = 3 * tips.links.shape[0]
    for t in range(tips.links.shape[0]):
        rows += 3 if tips.turning[t] else 0
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
    turning: npt.NDArray[np.bool_],
    goals: Array,
    tolerance: float,
    angle_tolerance: float,
    *,
    unit: float = 1.0,
    start: Array | None = None,
    starts: int = STARTS,
    steps: int = STEPS,
    threads: int | None = None,
) -> TreeSolutions:
    """Bring k tips to k goals at once, for each of m sets.

    ``links`` (k,) the link of each tip (-1: the base) and ``tips`` (k, 3, 4) its pose there;
    ``turning`` (k,) whether its orientation counts; ``goals`` (m, k, 3, 4) poses in the base.
    ``unit`` metres weigh as much as one radian. ``start`` (n,) or (m, n) is tried first.
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

    aim = Tips(links, tips, turning, unit, tolerance, angle_tolerance)

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
