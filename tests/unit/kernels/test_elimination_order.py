"""The plan of elimination beside a plain twin, for the graphs of random worlds and for others."""

from __future__ import annotations

import heapq
import itertools

import numpy as np
import pytest

from articulata.domains.assemble import build
from articulata.kernels.multibody import build as b
from articulata.kernels.multibody import system as s
from random_worlds import random_world


def spanned(system: s.System, count: list[int]) -> tuple[dict[int, tuple[int, int]], list[int]]:
    """Return each free body's (body above or WORLD, hinge or -1), and bodies root first."""
    free = (system.body_kind == s.FREE).tolist()
    edges: dict[int, list[tuple[int, int, int]]] = {}
    for hinge, ends in enumerate(system.hinge_body.tolist()):
        u, v = (k if k >= 0 and free[k] else s.WORLD for k in ends)
        if u != v and count[hinge]:
            edges.setdefault(u, []).append((-count[hinge], hinge, v))
            edges.setdefault(v, []).append((-count[hinge], hinge, u))
    parent: dict[int, tuple[int, int]] = {}
    order: list[int] = []
    for root in (s.WORLD, *np.flatnonzero(free).tolist()):
        if root in parent:
            continue
        if root != s.WORLD:
            parent[root] = (s.WORLD, -1)
            order.append(root)
        queue = [(*edge, root) for edge in edges.get(root, [])]
        heapq.heapify(queue)
        while queue:
            _, hinge, body, above = heapq.heappop(queue)
            if body != s.WORLD and body not in parent:
                parent[body] = (above, hinge)
                order.append(body)
                for edge in edges.get(body, []):
                    heapq.heappush(queue, (*edge, body))
    return parent, order


def check_plan(system: s.System) -> None:
    """Compare a plan with the twin's forest, and its closures with what they are for."""
    used, above, position = set(system.tree_row.tolist()), dict[int, int](), dict[int, int]()
    count = [0] * len(system.hinge_body)
    for t, (body, up, hinge, side, start, end, common) in enumerate(system.tree.tolist()):
        above[body], position[body] = up, t
        rows = system.tree_row[start:end].tolist()
        kinds = system.row[rows, s.KIND].tolist()
        whole = kinds[:3] == [s.POINT, s.POINT_Y, s.POINT_Z]
        assert common == (whole and set(kinds[3:]) <= {s.DIRECTION})
        if hinge >= 0:
            count[hinge] = end - start
            assert system.hinge_body[hinge, side] == body
            assert rows == sorted(rows)
            assert set(system.row[rows, s.HINGE]) == {hinge}
    assert len(used) == len(system.tree_row)
    # bodies hang on what follows them in the tree
    assert all(up < 0 or position[up] > position[body] for body, up in above.items())
    assert sorted(above) == np.flatnonzero(system.body_kind == s.FREE).tolist()
    left = sorted(set(range(len(system.row))) - used)
    assert sorted(system.closure_row.tolist()) == left
    groups = [
        (system.closure_row[a:z].tolist(), set(system.path[i:j].tolist()))
        for (a, z), (i, j) in zip(
            itertools.pairwise(system.closure_start.tolist()),
            itertools.pairwise(system.path_start.tolist()),
            strict=True,
        )
    ]
    for rows, path in groups:
        reached = set()
        for body in system.row[rows, s.BODY_A : s.BODY_B + 1].ravel().tolist():
            while body in above:
                reached.add(position[body])
                body = above[body]
        assert path == reached
    for (_, one), (_, other) in itertools.combinations(groups, 2):
        assert not one & other


@pytest.mark.parametrize(
    "seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 40))]
)
def test_the_plans_of_random_worlds_reach_every_body_and_row_once(seed: int):
    model = build(random_world(seed))["dynamic"]
    check_plan(model.engine.arrays)


ROWS = {
    "ball": (s.POINT,),
    "pin": (s.POINT, s.DIRECTION, s.DIRECTION),
    "plane": (s.PLANE,),
    "rod": (s.SPHERE,),
}
"""Hinges between bodies in general places, all of whose rows count."""


@pytest.mark.parametrize("seed", range(60))
def test_any_graph_hangs_as_a_plain_search_says(seed: int):
    """Many loops, hinges side by side, islands, bodies at rest: the one order there is."""
    random = np.random.default_rng(seed)
    n, hinges = int(random.integers(1, 25)), int(random.integers(0, 40))
    bodies = [
        b.Body(1.0, np.eye(3), kind=s.FREE if random.random() < 0.8 else s.FIXED) for _ in range(n)
    ]
    joints = []
    for _ in range(hinges if n > 1 else 0):
        one, other = (int(k) for k in random.choice(np.arange(-1, n), 2, replace=False))
        kinds = ROWS[str(random.choice(list(ROWS)))]
        rows = []
        for kind in kinds:
            p, q, axis, d = random.normal(size=(4, 3))
            axis, d = axis / np.linalg.norm(axis), d / np.linalg.norm(d)
            size = 1.0 if kind == s.SPHERE else 0.0
            rows.append(b.Row(kind, tuple(p), tuple(q), tuple(axis), tuple(d), size))
        joints.append(b.Hinge(one, other, tuple(rows)))
    state = np.zeros((n, 13))
    state[:, :3] = random.normal(size=(n, 3))
    state[:, 3] = 1.0
    system = b.build_system(bodies, joints, [], state)
    check_plan(system)
    count = np.diff(system.hinge_row).tolist()
    kept = np.bincount(system.row[system.tree_row, s.HINGE], minlength=len(count))
    for hinge in filter(lambda number: number >= 0, system.tree[:, 2].tolist()):
        assert kept[hinge] == count[hinge]
    parent, order = spanned(system, count)
    assert system.tree[:, 0].tolist() == order[::-1]
    assert system.tree[:, 1:3].tolist() == [list(parent[body]) for body in order[::-1]]
