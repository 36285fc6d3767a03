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
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Tree:
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
def _residual(
    fixed: Any,
    kinds: Any,
    parents: Any,
    source: Any,
    ratio: Any,
    offset: Any,
    links: Any,
    tips: Any,
    turning: Any,
    goals: Any,
    unit: float,
    u: Any,
    q: Any,
    frames: Any,
    points: Any,
    r: Any,
    errors: Any,
) -> float:
    """Write the residual ``r`` and true ``errors`` (k, 2) at ``u``; return half the square sum."""
    for j in range(kinds.shape[0]):
        q[j] = offset[j]
        if source[j] >= 0:
            q[j] += ratio[j] * u[source[j]]
    poses_one(fixed, kinds, parents, q, frames)
    row = 0
    cost = 0.0
    turn = np.empty((3, 3))
    for t in range(links.shape[0]):
        tip = tips[t]
        goal = goals[t]
        for a in range(3):
            if links[t] < 0:
                points[t, a] = tip[a, 3]
                for b in range(3):
                    turn[a, b] = tip[a, b]
            else:
                x = frames[links[t]]
                points[t, a] = x[a, 3]
                for b in range(3):
                    points[t, a] += x[a, b] * tip[b, 3]
                    turn[a, b] = 0.0
                    for c in range(3):
                        turn[a, b] += x[a, c] * tip[c, b]
        square = 0.0
        for a in range(3):
            r[row] = (goal[a, 3] - points[t, a]) / unit
            square += r[row] * r[row]
            row += 1
        errors[t, 0] = math.sqrt(square) * unit
        cost += 0.5 * square
        errors[t, 1] = 0.0
        if turning[t]:
            chord = 0.0
            for a in range(3):
                for b in range(3):
                    chord += (turn[a, b] - goal[a, b]) ** 2
            errors[t, 1] = 2.0 * math.asin(min(math.sqrt(chord / 8.0), 1.0))
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
def _columns(
    kinds: Any,
    parents: Any,
    source: Any,
    ratio: Any,
    links: Any,
    turning: Any,
    unit: float,
    frames: Any,
    points: Any,
    jacobian: Any,
) -> None:
    """Write the Jacobian (rows, coordinates) of minus the residual."""
    jacobian[:, :] = 0.0
    row = 0
    for t in range(links.shape[0]):
        j = links[t]
        while j >= 0:
            f = source[j]
            if f >= 0 and kinds[j] < 2:
                x = frames[j]
                zx = x[0, 2] * ratio[j]
                zy = x[1, 2] * ratio[j]
                zz = x[2, 2] * ratio[j]
                if kinds[j] == 0:
                    dx = points[t, 0] - x[0, 3]
                    dy = points[t, 1] - x[1, 3]
                    dz = points[t, 2] - x[2, 3]
                    jacobian[row, f] += (zy * dz - zz * dy) / unit
                    jacobian[row + 1, f] += (zz * dx - zx * dz) / unit
                    jacobian[row + 2, f] += (zx * dy - zy * dx) / unit
                    if turning[t]:
                        jacobian[row + 3, f] += zx
                        jacobian[row + 4, f] += zy
                        jacobian[row + 5, f] += zz
                else:
                    jacobian[row, f] += zx / unit
                    jacobian[row + 1, f] += zy / unit
                    jacobian[row + 2, f] += zz / unit
            j = parents[j]
        row += 6 if turning[t] else 3


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
def _met(errors: Any, turning: Any, enough: float, enough_angle: float) -> bool:
    for t in range(errors.shape[0]):
        if not errors[t, 0] <= enough or (turning[t] and not errors[t, 1] <= enough_angle):
            return False
    return True


@kernel
def solve_sets(
    fixed: Any,
    kinds: Any,
    parents: Any,
    source: Any,
    ratio: Any,
    offset: Any,
    lower: Any,
    upper: Any,
    links: Any,
    tips: Any,
    turning: Any,
    goals: Any,
    unit: float,
    enough: float,
    enough_angle: float,
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
    joints = kinds.shape[0]
    n = lower.shape[0]
    k = links.shape[0]
    rows = 3 * k
    for t in range(k):
        rows += 3 if turning[t] else 0
    q = np.empty(joints)
    frames = np.empty((joints, 3, 4))
    points = np.empty((k, 3))
    r = np.empty(rows)
    y = np.empty(rows)
    jacobian = np.empty((rows, n))
    system = np.empty((rows, rows))
    here = np.empty(n)
    trial = np.empty(n)
    now = np.empty((k, 2))
    for p in range(begin, end):
        least = np.inf
        for start in range(starts.shape[0] + 1):
            used[p] += 1
            for i in range(n):
                value = starts[start - 1, i]
                if start == 0:
                    value = own[p if own.shape[0] > 1 else 0, i]
                here[i] = min(max(value, lower[i]), upper[i])
            cost = _residual(
                fixed,
                kinds,
                parents,
                source,
                ratio,
                offset,
                links,
                tips,
                turning,
                goals[p],
                unit,
                here,
                q,
                frames,
                points,
                r,
                now,
            )
            share = 0.1
            before = cost
            for step in range(steps):
                if _met(now, turning, enough, enough_angle) or not cost < np.inf:
                    break
                if step % 10 == 9:
                    if cost > (1.0 - STALLED) * before:
                        break
                    before = cost
                _columns(
                    kinds, parents, source, ratio, links, turning, unit, frames, points, jacobian
                )
                # a coordinate at its limit and pushed outward takes no part
                for i in range(n):
                    push = 0.0
                    for a in range(rows):
                        push += jacobian[a, i] * r[a]
                    if (here[i] <= lower[i] and push < 0.0) or (here[i] >= upper[i] and push > 0.0):
                        for a in range(rows):
                            jacobian[a, i] = 0.0
                improved = False
                for _ in range(12):
                    _solve_damped(jacobian, r, share * cost + 1e-14, system, y)
                    most = LARGEST_STEP
                    for i in range(n):
                        trial[i] = 0.0
                        for a in range(rows):
                            trial[i] += jacobian[a, i] * y[a]
                        most = max(most, abs(trial[i]))
                    for i in range(n):
                        move = trial[i] * (LARGEST_STEP / most)
                        trial[i] = min(max(here[i] + move, lower[i]), upper[i])
                    after = _residual(
                        fixed,
                        kinds,
                        parents,
                        source,
                        ratio,
                        offset,
                        links,
                        tips,
                        turning,
                        goals[p],
                        unit,
                        trial,
                        q,
                        frames,
                        points,
                        r,
                        now,
                    )
                    if after < cost:
                        improved = True
                        cost = after
                        here[:] = trial
                        share = max(0.3 * share, 1e-6)
                        break
                    share *= 8.0
                    # the residual of the posture that is kept
                    _residual(
                        fixed,
                        kinds,
                        parents,
                        source,
                        ratio,
                        offset,
                        links,
                        tips,
                        turning,
                        goals[p],
                        unit,
                        here,
                        q,
                        frames,
                        points,
                        r,
                        now,
                    )
                if not improved:
                    break
            met = _met(now, turning, enough, enough_angle)
            if start == 0 or met or cost < least:
                least = cost
                u[p] = here
                errors[p] = now
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

    def work(begin: int, end: int) -> None:
        solve_sets(
            tree.fixed,
            tree.kinds,
            tree.parents,
            tree.source,
            tree.ratio,
            tree.offset,
            tree.lower,
            tree.upper,
            links,
            tips,
            turning,
            ready,
            unit,
            tolerance,
            angle_tolerance,
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
