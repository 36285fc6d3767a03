"""The elimination plan of a mechanism: a spanning forest of its hinges and the rows left over.

Runs once per change of the graph, or when a row on which the plan relies becomes dependent.
Immovable bodies (fixed, prescribed) and the world are one ground vertex. Hinges with many rows
are preferred for the forest, so that few rows are left to the Schur complement.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.kernels.array_types import Array, BoolArray, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.programs import STACK
from articulata.kernels.multibody.rows import Laws, evaluate_rows
from articulata.kernels.multibody.system import (
    BODY_A,
    BODY_B,
    BODY_SCRATCH,
    DIRECTION,
    FREE,
    HINGE,
    INERTIA,
    INVERSE_MASS,
    KIND,
    NEXT,
    POINT,
    POINT_Y,
    POINT_Z,
    ROW_P_A,
    ROW_P_B,
    TREE_POINT,
    TURN,
    WORLD,
    System,
)

INDEPENDENT = 1e-5
"""A row of a hinge is used in the tree when this share of it is new to the rows before it."""

SLENDER = 1e-3
"""Radii of gyration less than this share of the distance of a body's farthest hinge point count as
that share: rows of a point mass on a long arm are no less independent for its small inertia."""

VANISHED = 1e-8
"""Squared norm below which a row of the Jacobian (of order one) counts as vanished."""


@kernel(counted=False)
def independent_rows(
    system: System,
    laws: Laws,
    state: Array,
    inertia: Array,
    scratch: Array,
    row_work: Array,
    basis: Array,
    keep: IntArray,
) -> None:
    """Set ``keep`` (rows,) to 1 for rows independent of the earlier rows of their hinge.

    Gram-Schmidt, twice for safety, on the side of the first body that moves, in the metric of
    mass and mean inertia (``inertia`` (n, 2): square roots of the inverses, zero if immovable).
    ``scratch`` and ``row_work`` are those of a workspace, ``basis`` (7, 6) is scratch.
    """
    table, hinge_body, hinge_row = system.row, system.hinge_body, system.hinge_row
    evaluate_rows(table, system.row_data, laws, state, scratch, row_work)
    x = basis[6]
    for h in range(hinge_body.shape[0]):
        a, b = hinge_body[h, 0], hinge_body[h, 1]
        side, body = 0, a
        if a < 0 or inertia[a, 0] == 0.0:
            side, body = 1, b
        count = 0
        for row in range(hinge_row[h], hinge_row[h + 1]):
            keep[row] = 0
            if table[row, KIND] >= TURN or body < 0 or inertia[body, 0] == 0.0 or count == 6:
                continue
            norm, length = 0.0, 0.0
            for k in range(6):
                length += row_work[row, 6 * side + k] ** 2
                x[k] = row_work[row, 6 * side + k] * inertia[body, 0 if k < 3 else 1]
                norm += x[k] * x[k]
            if not length > VANISHED:
                continue
            for _ in range(2):
                for j in range(count):
                    dot = 0.0
                    for k in range(6):
                        dot += basis[j, k] * x[k]
                    for k in range(6):
                        x[k] -= dot * basis[j, k]
            rest = 0.0
            for k in range(6):
                rest += x[k] * x[k]
            if rest > INDEPENDENT * INDEPENDENT * norm:
                for k in range(6):
                    basis[count, k] = x[k] / math.sqrt(rest)
                count += 1
                keep[row] = 1


def plan(system: System, state: Array) -> System:
    """Return ``system`` with its elimination plan made anew at ``state`` (n, 13)."""
    tree, tree_row, closure_row, closure_start, path, path_start = elimination(system, state)
    return system._replace(
        tree=tree,
        tree_row=tree_row,
        closure_row=closure_row,
        closure_start=closure_start,
        path=path,
        path_start=path_start,
    )


@kernel
def elimination(
    system: System, state: Array
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Return ``tree``, ``tree_row`` and the closures of a plan: rows, starts, paths, starts."""
    n, rows, hinges = len(system.body), len(system.row), len(system.hinge_body)
    keep = np.zeros(rows, np.int64)
    free = system.body_kind == FREE
    independent_rows(
        system,
        Laws(system.code, system.constants, np.zeros(STACK)),
        state,
        weights(system, free),
        np.zeros((n, BODY_SCRATCH)),
        np.zeros((rows, 16)),
        np.zeros((7, 6)),
        keep,
    )
    count = np.zeros(hinges, np.int64)
    for h in range(hinges):
        for row in range(system.hinge_row[h], system.hinge_row[h + 1]):
            count[h] += keep[row]
    parent, order = np.full((n, 2), -1, np.int64), np.zeros(n, np.int64)
    reached = spanning(system.hinge_body, count, free, parent, order)
    tree, tree_row = np.zeros((reached, TREE_POINT + 1), np.int64), np.zeros(rows, np.int64)
    used = hang(system, keep, parent, order, tree, tree_row)
    closure_row, closure_start = closures(system, free, parent, order[:reached], tree_row[:used])
    path, path_start = paths(system, free, parent, order[:reached], closure_row, closure_start)
    return tree, tree_row[:used].copy(), closure_row, closure_start, path, path_start


@kernel
def weights(system: System, free: BoolArray) -> Array:
    """Return (n, 2) square roots of inverse mass and inverse mean inertia; zero if immovable."""
    n = len(free)
    found, reach = np.zeros((n, 2)), np.zeros(n)
    for row in range(len(system.row)):
        if system.row[row, KIND] == DIRECTION:
            continue
        for end in range(2):
            body = system.row[row, BODY_A if end == 0 else BODY_B]
            if body >= 0:
                at = ROW_P_A if end == 0 else ROW_P_B
                arm = 0.0
                for k in range(3):
                    arm += system.row_data[row, at + k] ** 2
                reach[body] = max(reach[body], math.sqrt(arm))
    for body in range(n):
        if free[body]:
            trace = 0.0
            for k in range(3):
                trace += system.body[body, INERTIA + 4 * k]
            found[body, 0] = math.sqrt(system.body[body, INVERSE_MASS])
            short = found[body, 0] / (SLENDER * max(reach[body], 1e-300))
            found[body, 1] = min(math.sqrt(3.0 / trace), short)
    return found


@kernel
def spanning(
    hinge_body: IntArray, count: IntArray, free: BoolArray, parent: IntArray, order: IntArray
) -> int:
    """Set each free body's (parent body or WORLD, hinge or -1), and bodies root first.

    Prim's algorithm from the ground, then from the lowest body not yet reached; the hinge with
    most rows goes first, ties by hinge number, so that the result depends on nothing else.
    Returns how many bodies there are in ``order``.
    """
    n, hinges = len(free), len(hinge_body)
    # ends of hinges among the bodies and the ground, which is number n
    ends, start = np.full((hinges, 2), n, np.int64), np.zeros(n + 2, np.int64)
    for h in range(hinges):
        for side in range(2):
            body = hinge_body[h, side]
            if body >= 0 and free[body]:
                ends[h, side] = body
    # hinges in the order in which they are preferred
    rank, preferred, ranked = np.full(hinges, -1, np.int64), np.zeros(hinges, np.int64), 0
    for many in range(6, 0, -1):
        for h in range(hinges):
            if count[h] == many and ends[h, 0] != ends[h, 1]:
                rank[h], preferred[ranked] = ranked, h
                ranked += 1
                start[ends[h, 0] + 1] += 1
                start[ends[h, 1] + 1] += 1
    start = np.cumsum(start)
    around, filled = np.zeros(start[n + 1], np.int64), start.copy()
    for k in range(ranked):
        for side in range(2):
            vertex = ends[preferred[k], side]
            around[filled[vertex]] = k
            filled[vertex] += 1
    waiting, reached = np.zeros(ranked, np.bool_), np.zeros(n + 1, np.bool_)
    made = 0
    for turn in range(-1, n):
        at = n if turn < 0 else turn
        if reached[at] or (at < n and not free[at]):
            continue
        reached[at] = True
        if at < n:
            parent[at, 0], parent[at, 1], order[made] = WORLD, -1, at
            made += 1
        first = ranked
        while True:
            for place in range(start[at], start[at + 1]):
                waiting[around[place]] = True
                first = min(first, around[place])
            at = -1
            while at < 0 and first < ranked:
                k, first = first, first + 1
                if not waiting[k]:
                    continue
                waiting[k] = False
                h = preferred[k]
                for side in range(2):
                    if not reached[ends[h, side]]:
                        at = ends[h, side]
                        above = ends[h, 1 - side]
                        parent[at, 0] = WORLD if above == n else above
                        parent[at, 1] = h
            if at < 0:
                break
            reached[at] = True
            order[made] = at
            made += 1
    return made


@kernel(counted=False)
def hang(
    system: System,
    keep: IntArray,
    parent: IntArray,
    order: IntArray,
    tree: IntArray,
    tree_row: IntArray,
) -> int:
    """Fill ``System.tree`` and ``System.tree_row``, leaves first; return how many rows are used."""
    used = 0
    for t in range(len(tree)):
        body = order[len(tree) - 1 - t]
        above, hinge = parent[body]
        side, start = 0, used
        turned, block = 0, True
        if hinge >= 0:
            side = 0 if system.hinge_body[hinge, 0] == body else 1
            for row in range(system.hinge_row[hinge], system.hinge_row[hinge + 1]):
                if keep[row]:
                    kind, place = system.row[row, KIND], used - start
                    turned += kind == DIRECTION
                    if place < 3:
                        block &= kind == (POINT, POINT_Y, POINT_Z)[place]
                    tree_row[used] = row
                    used += 1
        count = used - start
        common = count >= 3 and block and turned == count - 3
        tree[t] = (body, above, hinge, side, start, used, int(common))
    return used


@kernel
def closures(
    system: System, free: BoolArray, parent: IntArray, order: IntArray, tree_row: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the rows that are not in the tree, in groups that share no moving body, and starts."""
    n, rows = len(free), len(system.row)
    left = system.row[:, HINGE] >= 0
    left[tree_row] = False
    # each body's root, then that of all trees that rows join
    root, joined = np.arange(n), np.arange(n)
    for body in order:
        if parent[body, 0] >= 0:
            root[body] = root[parent[body, 0]]
    for row in range(rows):
        part, first = row if left[row] else -1, -1
        while part >= 0:
            for end in (BODY_A, BODY_B):
                body = system.row[part, end]
                if body >= 0 and free[body]:
                    first = body if first < 0 else first
                    joined[find(joined, root[body])] = find(joined, root[first])
            part = system.row[part, NEXT]
    # groups by their tree, or by their hinge where nothing moves, in the order of their rows
    number, group = np.full(n + len(system.hinge_body), -1, np.int64), np.full(rows, -1, np.int64)
    groups = 0
    for row in range(rows):
        if left[row]:
            hinge = system.row[row, HINGE]
            key, part = n + hinge, row
            while part >= 0:
                for end in (BODY_B, BODY_A):
                    body = system.row[part, end]
                    if body >= 0 and free[body]:
                        key = find(joined, root[body])
                part = system.row[part, NEXT]
            if number[key] < 0:
                number[key] = groups
                groups += 1
            group[row] = number[key]
    start = np.zeros(groups + 1, np.int64)
    for row in range(rows):
        if left[row]:
            start[group[row] + 1] += 1
    start = np.cumsum(start)
    listed, filled = np.zeros(start[groups], np.int64), start.copy()
    for row in range(rows):
        if left[row]:
            listed[filled[group[row]]] = row
            filled[group[row]] += 1
    return listed, start


@kernel(counted=False)
def find(joined: IntArray, tree: int) -> int:
    """Return the tree that stands for all that are joined to ``tree``, and shorten the way."""
    top = tree
    while joined[top] != top:
        top = joined[top]
    while joined[tree] != top:
        joined[tree], tree = top, joined[tree]
    return top


@kernel
def paths(
    system: System,
    free: BoolArray,
    parent: IntArray,
    order: IntArray,
    closure_row: IntArray,
    closure_start: IntArray,
) -> tuple[IntArray, IntArray]:
    """Return the places in the tree between each group's bodies and the ground, and starts."""
    reached, groups = len(order), len(closure_start) - 1
    visited, start = np.full(len(free), -1, np.int64), np.zeros(groups + 1, np.int64)
    found = np.zeros(0, np.int64)
    for turn in range(2):
        # counted first, then listed
        total = 0
        visited[:] = -1
        for group in range(groups):
            for k in range(closure_start[group], closure_start[group + 1]):
                part = closure_row[k]
                while part >= 0:
                    for end in (BODY_A, BODY_B):
                        body = system.row[part, end]
                        while body >= 0 and free[body] and visited[body] != group:
                            visited[body] = group
                            total += 1
                            body = parent[body, 0]
                    part = system.row[part, NEXT]
            start[group + 1] = total
            if turn == 1:
                place = start[group]
                for t in range(reached):
                    if visited[order[reached - 1 - t]] == group:
                        found[place] = t
                        place += 1
        if turn == 0:
            found = np.zeros(total, np.int64)
    return found, start
