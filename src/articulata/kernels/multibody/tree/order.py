"""The elimination plan of a mechanism: a spanning forest of its hinges and the rows left over.

Runs once per change of the graph, or when a row on which the plan relies becomes dependent.
Immovable bodies (fixed, prescribed) and the world are one ground vertex. Hinges with many rows
are preferred for the forest, so that few rows are left to the Schur complement.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from articulata.kernels.compile import kernel
from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.rows import evaluate_rows
from articulata.kernels.multibody.system import Array, IntArray, System

INDEPENDENT = 1e-5
"""A row of a hinge is used in the tree when this share of it is new to the rows before it."""

SLENDER = 1e-3
"""Radii of gyration less than this share of the distance of a body's farthest hinge point count as
that share: rows of a point mass on a long arm are no less independent for its small inertia."""

VANISHED = 1e-8
"""Squared norm below which a row of the Jacobian (of order one) counts as vanished."""


@kernel(counted=False)
def independent_rows(
    table: IntArray,
    data: Array,
    state: Array,
    hinge_body: IntArray,
    hinge_row: IntArray,
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
    evaluate_rows(table, data, state, scratch, row_work)
    x = basis[6]
    for h in range(hinge_body.shape[0]):
        a, b = hinge_body[h, 0], hinge_body[h, 1]
        side, body = 0, a
        if a < 0 or inertia[a, 0] == 0.0:
            side, body = 1, b
        count = 0
        for row in range(hinge_row[h], hinge_row[h + 1]):
            keep[row] = 0
            if body < 0 or inertia[body, 0] == 0.0 or count == 6:
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
    keep = _independent(system, state)
    parent, order = _forest(system, keep)
    tree, tree_row = _tree(system, keep, parent, order[::-1])
    used = np.zeros(len(system.row), bool)
    used[tree_row] = True
    groups = _components(system, parent, [int(r) for r in np.flatnonzero(~used)])
    closure_row: list[int] = []
    path: list[int] = []
    closure_start, path_start = [0], [0]
    position = {body: at for at, body in enumerate(order[::-1])}
    for rows_of_group in groups:
        closure_row += rows_of_group
        closure_start.append(len(closure_row))
        visited: set[int] = set()
        for row in rows_of_group:
            for end in system.row[row, s.BODY_A : s.BODY_B + 1]:
                body = int(end)
                while body in parent and body not in visited:
                    visited.add(body)
                    body = parent[body][0]
        path += sorted(position[body] for body in visited)
        path_start.append(len(path))
    return system._replace(
        tree=tree,
        tree_row=tree_row,
        closure_row=_integers(closure_row),
        closure_start=_integers(closure_start),
        path=_integers(path),
        path_start=_integers(path_start),
    )


def _tree(
    system: System, keep: IntArray, parent: dict[int, tuple[int, int]], bodies: list[int]
) -> tuple[IntArray, IntArray]:
    """Return ``System.tree`` and ``System.tree_row`` for ``bodies``, leaves first."""
    body = _integers(bodies)
    ends = _integers([parent[each] for each in bodies]).reshape(-1, 2)
    above, hinge = ends[:, 0], ends[:, 1]
    rows = np.flatnonzero(keep)
    # the rows of a hinge that are kept lie together in ``rows``
    total = np.concatenate([[0], np.cumsum(keep)])[system.hinge_row]
    if not len(rows):
        none = np.zeros(len(body), np.int64)
        return np.stack([body, above, hinge, none, none, none, none], axis=1), rows
    joined = hinge >= 0
    side = np.where(joined & (system.hinge_body[hinge, 0] != body), 1, 0)
    count = np.where(joined, total[hinge + 1] - total[hinge], 0)
    first = np.where(joined, total[hinge], 0)
    stop = np.cumsum(count)
    start = stop - count
    chosen = np.repeat(first - start, count) + np.arange(int(count.sum()))
    kind = np.concatenate([system.row[rows, s.KIND], [-1, -1, -1]])
    turned = np.concatenate([[0], np.cumsum(kind == s.DIRECTION)])
    common = (count >= 3) & (turned[first + count] - turned[first] == count - 3)
    for k, point in enumerate((s.POINT, s.POINT_Y, s.POINT_Z)):
        common &= kind[first + k] == point
    table = [body, above, hinge, side, start, stop, common.astype(np.int64)]
    return np.stack(table, axis=1).astype(np.int64), rows[chosen]


def _integers(values: object) -> IntArray:
    return np.array(values, np.int64)


def _independent(system: System, state: Array) -> IntArray:
    """Return 1 for every row that is independent of the earlier rows of its own hinge."""
    rows = len(system.row)
    scratch, work = np.zeros((len(state), s.BODY_SCRATCH)), np.zeros((rows, 16))
    free = system.body_kind == s.FREE
    inertia = np.zeros((len(state), 2))
    inertia[free, 0] = np.sqrt(system.body[free, s.INVERSE_MASS])
    trace = (
        system.body[:, s.INERTIA] + system.body[:, s.INERTIA + 4] + system.body[:, s.INERTIA + 8]
    )
    reach = np.maximum(_reach(system)[free], 1e-300)
    inertia[free, 1] = np.minimum(np.sqrt(3.0 / trace[free]), inertia[free, 0] / (SLENDER * reach))
    keep = np.zeros(rows, np.int64)
    independent_rows(
        system.row,
        system.row_data,
        state,
        system.hinge_body,
        system.hinge_row,
        inertia,
        scratch,
        work,
        np.zeros((7, 6)),
        keep,
    )
    return keep


def _reach(system: System) -> Array:
    """Return the distance of each body's farthest hinge point from its mass centre (n,), in m."""
    found = np.zeros(len(system.body_kind))
    point = system.row[:, s.KIND] != s.DIRECTION
    for column, place in ((s.BODY_A, s.ROW_P_A), (s.BODY_B, s.ROW_P_B)):
        held = point & (system.row[:, column] >= 0)
        arms = np.linalg.norm(system.row_data[held, place : place + 3], axis=1)
        np.maximum.at(found, system.row[held, column], arms)
    return found


def _forest(system: System, keep: IntArray) -> tuple[dict[int, tuple[int, int]], list[int]]:
    """Return each free body's (parent body or WORLD, hinge or -1), and bodies root first.

    Prim's algorithm from the ground, then from the lowest body not yet reached; the hinge with
    most rows goes first, ties by hinge number, so that the result depends on nothing else.
    """
    ground = s.WORLD
    vertex = [i if kind == s.FREE else ground for i, kind in enumerate(system.body_kind.tolist())]
    total = np.concatenate([[0], np.cumsum(keep)])
    count = (total[system.hinge_row[1:]] - total[system.hinge_row[:-1]]).tolist()
    edges: dict[int, list[tuple[int, int, int]]] = {}
    for hinge, (a, b) in enumerate(system.hinge_body.tolist()):
        u = vertex[a] if a >= 0 else ground
        v = vertex[b] if b >= 0 else ground
        if u != v and count[hinge] > 0:
            edges.setdefault(u, []).append((-count[hinge], hinge, v))
            edges.setdefault(v, []).append((-count[hinge], hinge, u))
    parent: dict[int, tuple[int, int]] = {}
    order: list[int] = []
    for root in [ground, *(i for i in range(len(vertex)) if vertex[i] >= 0)]:
        if root in parent:
            continue
        if root != ground:
            parent[root] = (ground, -1)
            order.append(root)
        queue = [(weight, hinge, v, root) for weight, hinge, v in edges.get(root, [])]
        heapq.heapify(queue)
        while queue:
            _, hinge, body, above = heapq.heappop(queue)
            if body == ground or body in parent:
                continue
            parent[body] = (above, hinge)
            order.append(body)
            for weight, onward, v in edges.get(body, []):
                if v != ground and v not in parent:
                    heapq.heappush(queue, (weight, onward, v, body))
    return parent, order


def _components(
    system: System, parent: dict[int, tuple[int, int]], rows: list[int]
) -> list[list[int]]:
    """Return the closure rows in groups that share no moving body."""
    above: dict[int, int] = {}

    def find(body: int) -> int:
        """Return the representative of the component that a body or hinge key belongs to."""
        trail = []
        while True:
            up = above.get(body)
            if up is None:
                up = parent[body][0] if body in parent else s.WORLD
                if up == s.WORLD:
                    break
            trail.append(body)
            body = up
        for key in trail:
            above[key] = body
        return body

    for row in rows:
        a, b = (int(x) for x in system.row[row, s.BODY_A : s.BODY_B + 1])
        if a in parent and b in parent:
            first, second = find(a), find(b)
            if first != second:
                above[second] = first
    groups: dict[tuple[int, int], list[int]] = {}
    for row in rows:
        hinge = int(system.row[row, s.HINGE])
        moving = [int(x) for x in system.hinge_body[hinge] if int(x) in parent]
        key = (0, find(moving[0])) if moving else (1, hinge)
        groups.setdefault(key, []).append(row)
    return list(groups.values())
