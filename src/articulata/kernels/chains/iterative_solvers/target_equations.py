"""Targets of a tree as equations: what is left of them, how that changes, and the way back.

What is left of a place is the way from its goal; of a pose also half the sum of its axes cross
those of the goal, the turn that is too much; of a direction and of a gaze how far x and y are from
being at right angles to it. Rows in m and rad. Their changes with the coordinates are exact where
the targets are met.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, BoolArray
from articulata.kernels.chains.forward_kinematics import poses_one
from articulata.kernels.chains.iterative_solvers.tree_solver import Tips, Tree
from articulata.kernels.compile import kernel

LONGEST = 0.5
"""Most that a coordinate moves in one step on the way back, rad or m."""

DAMPING = 1e-12
"""Added to J J' as a share of its trace, so that rows that say the same can be solved."""

LANES = 8
"""Numbers that a processor takes side by side, or twice that: scratch is a multiple as wide."""


class Aim(NamedTuple):
    """Tips of a tree, and their ``goals`` (k, 3, 4)."""

    tree: Tree
    tips: Tips
    goals: Any


class Station(NamedTuple):
    """Memory of a kernel for one posture: joint values, frames, the tip's pose and arrows.

    ``along`` (joints, 3) are the velocities of a tip with each joint, ``turns`` those of its turn.
    """

    q: Array
    frames: Array
    tip: Array
    aim: Array
    along: Array
    turns: Array


@kernel
def station(joints: int) -> Station:
    """Return memory for a posture."""
    return Station(
        np.empty(joints),
        np.empty((joints, 3, 4)),
        np.empty((3, 4)),
        np.empty(3),
        np.empty((joints, 3)),
        np.empty((joints, 3)),
    )


@kernel(counted=False)
def rows_of(asked: int) -> int:
    """Return how many equations a kind of target is."""
    if asked == 0:
        return 3
    if asked == 1:
        return 6
    return 5 if asked == 2 else 2


@kernel(counted=False)
def place(tree: Tree, x: Array, at: Station) -> None:
    """Fill the frames of a posture."""
    for j in range(tree.arrays.kinds.shape[0]):
        at.q[j] = tree.offset[j]
        if tree.source[j] >= 0:
            at.q[j] += tree.ratio[j] * x[tree.source[j]]
    poses_one(tree.arrays, at.q, at.frames)


@kernel(counted=False)
def find_tip(tips: Tips, t: int, goal: Any, at: Station) -> float:
    """Fill the pose of tip ``t`` and where it is to point; return how far that is, or 1."""
    link, X = tips.links[t], tips.poses[t]
    tip = at.tip
    for a in range(3):
        for b in range(4):
            if link < 0:
                tip[a, b] = X[a, b]
            else:
                x = at.frames[link]
                tip[a, b] = x[a, 0] * X[0, b] + x[a, 1] * X[1, b] + x[a, 2] * X[2, b]
        if link >= 0:
            tip[a, 3] += at.frames[link, a, 3]
    size = 1.0
    for a in range(3):
        at.aim[a] = goal[a, 2]
    if tips.asked[t] == 3:
        for a in range(3):
            at.aim[a] = goal[a, 3] - tip[a, 3]
        size = math.sqrt(at.aim[0] ** 2 + at.aim[1] ** 2 + at.aim[2] ** 2)
        size = max(size, 1e-300)
    return size


@kernel(counted=False)
def carry(tree: Tree, link: int, at: Station) -> None:
    """Fill the velocities of the tip, and of its turn, with the joints that carry ``link``."""
    j = link
    tip = at.tip
    while j >= 0:
        f = at.frames[j]
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            at.along[j, a] = at.turns[j, a] = 0.0
            if tree.arrays.kinds[j] == 0:
                at.turns[j, a] = f[a, 2]
                at.along[j, a] = f[b, 2] * (tip[c, 3] - f[c, 3]) - f[c, 2] * (tip[b, 3] - f[b, 3])
            elif tree.arrays.kinds[j] == 1:
                at.along[j, a] = f[a, 2]
        j = tree.arrays.parents[j]


@kernel(counted=False)
def write_rows(aim: Aim, t: int, goal: Any, size: float, at: Station, row: int, c: Array) -> None:
    """Write what is left of target ``t`` from ``row`` on."""
    asked, tip = aim.tips.asked[t], at.tip
    if asked != 3:
        for a in range(3):
            c[row + a] = tip[a, 3] - goal[a, 3]
        row += 3
    if asked == 1:
        for a in range(3):
            i, j = (a + 1) % 3, (a + 2) % 3
            total = 0.0
            for b in range(3):
                total += tip[i, b] * goal[j, b] - tip[j, b] * goal[i, b]
            c[row + a] = -0.5 * total
    elif asked != 0:
        for b in range(2):
            total = 0.0
            for a in range(3):
                total += tip[a, b] * at.aim[a]
            c[row + b] = total / size


@kernel(counted=False)
def write_columns(aim: Aim, t: int, size: float, at: Station, row: int, J: Array) -> None:
    """Add the changes of target ``t`` from ``row`` on."""
    tree, tips = aim.tree, aim.tips
    asked, tip, d = tips.asked[t], at.tip, at.aim
    turn = row if asked == 3 else row + 3
    j = tips.links[t]
    while j >= 0:
        k = tree.source[j]
        if k >= 0 and tree.arrays.kinds[j] < 2:
            ratio = tree.ratio[j]
            if asked != 3:
                for a in range(3):
                    J[row + a, k] += ratio * at.along[j, a]
            if asked == 1:
                for a in range(3):
                    J[turn + a, k] += ratio * at.turns[j, a]
            elif asked != 0:
                for b in range(2):
                    total = 0.0
                    for a in range(3):
                        i, m = (a + 1) % 3, (a + 2) % 3
                        total += at.turns[j, a] * (tip[i, b] * d[m] - tip[m, b] * d[i])
                        if asked == 3:
                            total -= tip[a, b] * at.along[j, a]
                    J[turn + b, k] += ratio * total / size
        j = tree.arrays.parents[j]


@kernel(counted=False)
def equations(aim: Aim, x: Array, at: Station, c: Array, J: Array) -> None:
    """Write what is left of the targets of ``x`` (n,): c (rows,) and J (rows, n)."""
    tree, tips, goals = aim.tree, aim.tips, aim.goals
    place(tree, x, at)
    for a in range(J.shape[0]):
        for i in range(J.shape[1]):
            J[a, i] = 0.0
    row = 0
    for t in range(tips.links.shape[0]):
        size = find_tip(tips, t, goals[t], at)
        carry(tree, tips.links[t], at)
        write_rows(aim, t, goals[t], size, at, row, c)
        write_columns(aim, t, size, at, row, J)
        row += rows_of(tips.asked[t])


@kernel
def all_equations(aim: Aim, x: Array, c: Array, J: Array, begin: int, end: int) -> None:
    """Write c (m, rows) and J (m, rows, n) of postures ``begin`` to ``end`` of x (m, n)."""
    at = station(aim.tree.arrays.kinds.shape[0])
    for b in range(begin, end):
        equations(aim, x[b], at, c[b], J[b])


@kernel(counted=False)
def bend(aim: Aim, x: Array, y: Array, at: Station, two: Array, out: Array) -> None:
    """Write the second derivatives (n, n) of the rows of ``x`` (n,), weighted by ``y`` (rows,).

    With q_i before q_j on the way to the tip its velocity v_j changes as w_i x v_j, its turn as
    w_i x w_j, an axis x of the tip as w_i x (w_j x x). ``two`` (2, 3) is scratch.
    """
    tree, tips, goals = aim.tree, aim.tips, aim.goals
    place(tree, x, at)
    u, total = two[0], two[1]
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = 0.0
    row = 0
    for t in range(tips.links.shape[0]):
        asked = tips.asked[t]
        size = find_tip(tips, t, goals[t], at)
        carry(tree, tips.links[t], at)
        turn = row if asked == 3 else row + 3
        tip, d, v, w = at.tip, at.aim, at.along, at.turns
        for a in range(3):
            u[a] = 0.0
            if asked > 1:
                u[a] = (y[turn] * tip[a, 0] + y[turn + 1] * tip[a, 1]) / size
        left = u[0] * d[0] + u[1] * d[1] + u[2] * d[2]
        j = tips.links[t]
        while j >= 0:
            col = tree.source[j]
            i = j if col >= 0 and tree.arrays.kinds[j] < 2 else -1
            # what w_i is multiplied with, for places: v_j x y; for turns: half w_j x y
            for a in range(3):
                e, f = (a + 1) % 3, (a + 2) % 3
                total[a] = 0.0
                if asked != 3 and i >= 0:
                    total[a] = v[j, e] * y[row + f] - v[j, f] * y[row + e]
            spin = w[j, 0] * d[0] + w[j, 1] * d[1] + w[j, 2] * d[2]
            while i >= 0:
                k = tree.source[i]
                if k >= 0 and tree.arrays.kinds[i] < 2:
                    found = 0.0
                    for a in range(3):
                        e, f = (a + 1) % 3, (a + 2) % 3
                        found += w[i, a] * total[a]
                        if asked == 1 and i != j:
                            cross = w[j, e] * y[turn + f] - w[j, f] * y[turn + e]
                            found += 0.5 * w[i, a] * cross
                        elif asked > 1:
                            found += w[i, a] * (u[a] * spin - w[j, a] * left)
                        if asked == 3:
                            by_i = w[j, e] * u[f] - w[j, f] * u[e]
                            by_j = w[i, e] * u[f] - w[i, f] * u[e]
                            moved = w[i, e] * v[j, f] - w[i, f] * v[j, e]
                            found -= by_i * v[i, a] + by_j * v[j, a] + u[a] * moved
                    found *= tree.ratio[j] * tree.ratio[i]
                    out[col, k] += found
                    if i != j:
                        out[k, col] += found
                i = tree.arrays.parents[i]
            j = tree.arrays.parents[j]
        row += rows_of(asked)


@kernel
def all_bends(aim: Aim, x: Array, y: Array, out: Array, begin: int, end: int) -> None:
    """Write ``bend`` (m, n, n) of postures ``begin`` to ``end`` of x (m, n), y (m, rows)."""
    at, two = station(aim.tree.arrays.kinds.shape[0]), np.empty((2, 3))
    for b in range(begin, end):
        bend(aim, x[b], y[b], at, two, out[b])


@kernel(counted=False)
def least_step(J: Array, c: Array, M: Array, column: Array, y: Array, step: Array) -> None:
    """Write the shortest step (n,) with J step = -c; rows that say the same are allowed for.

    ``M`` (r, >= r) and ``column`` (>= r,) are scratch, in whole lanes.
    """
    r, n = J.shape
    lanes = M.shape[1]
    scale = 0.0
    for a in range(r):
        for b in range(lanes):
            M[a, b] = 0.0
    for b in range(lanes):
        column[b] = 0.0
    # column by column: sums side by side run on the lanes of the processor
    for i in range(n):
        for a in range(r):
            column[a] = J[a, i]
        for a in range(r):
            part = column[a]
            if part != 0.0:
                for b in range(lanes):
                    M[a, b] += part * column[b]
    for a in range(r):
        scale += M[a, a]
    for a in range(r):
        M[a, a] += DAMPING * scale + 1e-300
        for b in range(a + 1):
            total = M[a, b]
            for k in range(b):
                total -= M[a, k] * M[b, k]
            M[a, b] = math.sqrt(max(total, 1e-300)) if a == b else total / M[b, b]
        y[a] = -c[a]
        for k in range(a):
            y[a] -= M[a, k] * y[k]
        y[a] /= M[a, a]
    for a in range(r - 1, -1, -1):
        for k in range(a + 1, r):
            y[a] -= M[k, a] * y[k]
        y[a] /= M[a, a]
    for i in range(n):
        step[i] = 0.0
    for a in range(r):
        part = y[a]
        for i in range(n):
            step[i] += part * J[a, i]


@kernel(counted=False)
def come_back(
    aim: Aim, x: Array, rounds: int, enough: float, at: Station, J: Array, M: Array, four: Any
) -> bool:
    """Bring a posture x (n,) to its targets; return whether it is there.

    By Newton's method over the coordinates that are not at a limit they would pass. ``four`` are
    rows, a column, what presses and a step.
    """
    c, column, y, step = four
    for number in range(rounds + 1):
        equations(aim, x, at, c, J)
        worst = 0.0
        for a in range(c.shape[0]):
            worst = max(worst, abs(c[a]))
        if worst <= 0.01 * enough or number == rounds or not worst < np.inf:
            break
        least_step(J, c, M, column, y, step)
        stuck = False
        for i in range(x.shape[0]):
            low, high = x[i] <= aim.tree.lower[i], x[i] >= aim.tree.upper[i]
            if (low and step[i] < 0.0) or (high and step[i] > 0.0):
                stuck = True
                for a in range(c.shape[0]):
                    J[a, i] = 0.0
        if stuck:
            least_step(J, c, M, column, y, step)
        for i in range(x.shape[0]):
            move = min(max(step[i], -LONGEST), LONGEST)
            x[i] = min(max(x[i] + move, aim.tree.lower[i]), aim.tree.upper[i])
    return worst <= enough


@kernel
def bring_back(
    aim: Aim, x: Array, rounds: int, enough: float, there: BoolArray, begin: int, end: int
) -> None:
    """Bring postures ``begin`` to ``end`` of x (m, n) to their targets; say which are ``there``."""
    rows = 0
    for t in range(aim.tips.links.shape[0]):
        rows += rows_of(aim.tips.asked[t])
    lanes = (rows // LANES + 1) * LANES
    at, J, M = (
        station(aim.tree.arrays.kinds.shape[0]),
        np.empty((rows, x.shape[1])),
        np.empty((rows, lanes)),
    )
    four = np.empty(rows), np.empty(lanes), np.empty(rows), np.empty(x.shape[1])
    for b in range(begin, end):
        there[b] = come_back(aim, x[b], rounds, enough, at, J, M, four)
