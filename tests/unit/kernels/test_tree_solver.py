"""Several targets on a tree: all met where they can be, a compromise where they cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.kernels.chains import random_pose, torso_to_hand

from articulata.kernels.chains.forward_kinematics import TreeArrays, poses
from articulata.kernels.chains.iterative_solvers.tree_solver import Tree, solve_tree

TOLERANCE = 1e-7


def _two_armed() -> Any:
    """A torso of 12 joints with two arms of 9, mirrored, after the chain of 2009."""
    fixed, _, tip, low, high = torso_to_hand()
    arm = fixed[12:].copy()
    mirror = np.diag([-1.0, 1, 1])
    other = arm.copy()
    other[0, :, 3] = mirror @ arm[0, :, 3]
    parents = np.concatenate([np.arange(-1, 20), [11], np.arange(21, 29)]).astype(np.int64)
    joints = len(parents)
    tree = Tree(
        arrays=TreeArrays(np.concatenate([fixed, other]), np.zeros(joints, np.int64), parents),
        source=np.arange(joints),
        ratio=np.ones(joints),
        offset=np.zeros(joints),
        lower=np.concatenate([low, low[12:]]),
        upper=np.concatenate([high, high[12:]]),
    )
    return tree, np.array([20, 29]), np.stack([tip, tip])


def _tips(tree: Tree, links: Any, tips: Any, u: Any) -> Any:
    """Return the tip poses (m, k, 3, 4) of coordinates u (m, n)."""
    q = np.tile(tree.offset, (len(u), 1))
    driven = tree.source >= 0
    q[:, driven] += tree.ratio[driven] * u[:, tree.source[driven]]
    out = np.empty((len(u), len(tree.arrays.kinds), 4, 4))
    poses(tree.arrays, q, out, 0, len(u))
    square = np.concatenate([tips, np.tile([[[0, 0, 0, 1.0]]], (len(tips), 1, 1))], axis=1)
    return np.stack(
        [
            (out[:, link] if link >= 0 else np.eye(4)) @ tip
            for link, tip in zip(links, square, strict=True)
        ],
        axis=1,
    )[:, :, :3]


@pytest.mark.parametrize("turning", [(False, False), (True, False), (True, True)])
def test_two_hands_reach_their_targets_at_once(turning: Any) -> None:
    tree, links, tips = _two_armed()
    rng = np.random.default_rng(0)
    u = rng.uniform(tree.lower, tree.upper, (150, 30))
    goals = _tips(tree, links, tips, u)
    answer = solve_tree(tree, links, tips, np.array(turning), goals, TOLERANCE, TOLERANCE)
    assert np.mean((answer.distance <= TOLERANCE).all(axis=1)) >= 0.99
    assert np.mean((answer.angle <= TOLERANCE).all(axis=1)) >= 0.99
    assert np.all((answer.u >= tree.lower) & (answer.u <= tree.upper))
    reached = _tips(tree, links, tips, answer.u)
    off = np.linalg.norm(reached[..., 3] - goals[..., 3], axis=2)
    np.testing.assert_allclose(answer.distance, off, rtol=0, atol=1e-12)
    chord = np.linalg.norm(reached[..., :3] - goals[..., :3], axis=(2, 3))
    angle = 2 * np.arcsin(np.minimum(chord / np.sqrt(8), 1)) * np.array(turning)
    np.testing.assert_allclose(answer.angle, angle, rtol=0, atol=1e-7)


def test_mimic_joints_and_slides_move_by_their_coordinate() -> None:
    rng = np.random.default_rng(1)
    tree = Tree(
        arrays=TreeArrays(
            np.stack([random_pose(rng, 0.3) for _ in range(9)]),
            np.array([0, 0, 1, 0, 2, 0, 0, 0, 0]),
            np.array([-1, 0, 1, 2, 3, 4, 5, 6, 7]),
        ),
        source=np.array([0, 1, 2, 1, -1, 3, 4, -1, 5]),
        ratio=np.array([1, 1, 1, -0.5, 0, 1, 2.0, 0, 1]),
        offset=np.array([0, 0, 0.1, 0.3, 0, 0, 0, 0.7, 0]),
        lower=np.full(6, -1.5),
        upper=np.full(6, 1.5),
    )
    links, tips = np.array([8]), random_pose(rng, 0.2)[None]
    u = rng.uniform(-1.4, 1.4, (200, 6))
    goals = _tips(tree, links, tips, u)
    answer = solve_tree(tree, links, tips, np.array([True]), goals, TOLERANCE, TOLERANCE, starts=40)
    found = (answer.distance[:, 0] <= TOLERANCE) & (answer.angle[:, 0] <= TOLERANCE)
    assert np.mean(found) >= 0.98
    near = solve_tree(
        tree, links, tips, np.array([True]), goals, TOLERANCE, TOLERANCE, start=u + 1e-3
    )
    np.testing.assert_allclose(near.u, u, atol=1e-4)
    np.testing.assert_array_equal(near.starts, 1)


def test_targets_that_conflict_end_in_a_minimum_of_the_error() -> None:
    tree, links, tips = _two_armed()
    goals = np.tile(np.eye(3, 4), (1, 2, 1, 1))
    goals[0, :, :, 3] = [[-1.2, 0.3, 0.4], [1.2, 0.3, 0.4]]
    turning = np.array([False, False])
    answer = solve_tree(tree, links, tips, turning, goals, TOLERANCE, TOLERANCE)

    def cost(u: Any) -> float:
        off = _tips(tree, links, tips, u[None])[0, :, :, 3] - goals[0, :, :, 3]
        return float(np.sum(off**2))

    best = cost(answer.u[0])
    assert best == pytest.approx(float(np.sum(answer.distance**2)), abs=1e-12)
    assert best > 0.01
    rng = np.random.default_rng(2)
    for _ in range(300):
        nearby = np.clip(answer.u[0] + 1e-3 * rng.normal(size=30), tree.lower, tree.upper)
        assert cost(nearby) >= best - 1e-7


def test_a_nan_goal_is_not_met_and_harms_no_other() -> None:
    tree, links, tips = _two_armed()
    u = np.random.default_rng(3).uniform(tree.lower, tree.upper, (6, 30))
    goals = _tips(tree, links, tips, u)
    goals[2, 0, 1, 3] = np.nan
    answer = solve_tree(tree, links, tips, np.array([False, False]), goals, 1e-4, 1e-4)
    met = (answer.distance <= 1e-4).all(axis=1)
    np.testing.assert_array_equal(met, np.arange(6) != 2)
