"""Poses and Jacobians of random trees against plain matrix products and finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from articulata.kernels.chains.forward_kinematics import (
    FIXED,
    PRISMATIC,
    TreeArrays,
    jacobians,
    poses,
    tips,
)

pin = pytest.importorskip("pinocchio")


def _random_pose(rng: np.random.Generator) -> Any:
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    rotation *= np.sign(np.linalg.det(rotation))
    return np.hstack([rotation, rng.normal(size=(3, 1))])


def _random_tree(rng: np.random.Generator, joints: int, serial: bool = False) -> Any:
    fixed = np.stack([_random_pose(rng) for _ in range(joints)])
    kinds = rng.integers(0, 3, joints)
    parents = np.arange(-1, joints - 1)
    if not serial:
        parents = np.array([rng.integers(-1, j) if j else -1 for j in range(joints)])
    return TreeArrays(fixed, kinds.astype(np.int64), parents.astype(np.int64))


def _square(pose: Any) -> Any:
    return np.vstack([pose, [0, 0, 0, 1]])


def _motion(kind: int, value: float) -> Any:
    motion = np.eye(4)
    if kind == PRISMATIC:
        motion[2, 3] = value
    elif kind != FIXED:
        motion[:2, :2] = [[np.cos(value), -np.sin(value)], [np.sin(value), np.cos(value)]]
    return motion


@pytest.mark.parametrize("seed", range(20))
def test_poses_are_the_products_of_the_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = _random_tree(rng, int(rng.integers(1, 15)))
    fixed, kinds, parents = tree
    q = rng.uniform(-3, 3, (4, len(kinds)))
    out = np.full((4, len(kinds), 4, 4), np.nan)
    poses(tree, q, out, 0, 4)
    for b in range(4):
        for j, parent in enumerate(parents):
            above = np.eye(4) if parent < 0 else out[b, parent]
            expected = above @ _square(fixed[j]) @ _motion(kinds[j], q[b, j])
            np.testing.assert_allclose(out[b, j], expected, rtol=0, atol=1e-13)


def _pinocchio_tree(fixed: Any, kinds: Any, parents: Any) -> Any:
    model = pin.Model()
    ids = []
    for j, parent in enumerate(parents):
        place = pin.SE3(fixed[j, :, :3], fixed[j, :, 3])
        joint = pin.JointModelPZ() if kinds[j] == PRISMATIC else pin.JointModelRZ()
        ids.append(model.addJoint(ids[parent] if parent >= 0 else 0, joint, place, f"j{j}"))
    return model, ids


@pytest.mark.parametrize("seed", range(200))
def test_poses_and_jacobians_agree_with_pinocchio(seed: int) -> None:
    rng = np.random.default_rng(seed)
    joints = int(rng.integers(1, 25))
    tree = _random_tree(rng, joints, serial=seed % 2 == 0)
    fixed, kinds, parents = tree
    kinds %= 2
    fixed[:, :, 3] *= 0.3
    model, ids = _pinocchio_tree(fixed, kinds, parents)
    data = model.createData()
    link = int(rng.integers(0, joints))
    tip = _random_pose(rng)
    model.addFrame(
        pin.Frame("tip", ids[link], pin.SE3(tip[:, :3], tip[:, 3]), pin.FrameType.OP_FRAME)
    )
    data = model.createData()
    q = rng.uniform(-3, 3, (1, joints))
    # Pinocchio numbers velocities by depth-first order of its own; map each joint's column
    place = np.array([model.joints[i].idx_q for i in ids])
    ordered = np.empty(joints)
    ordered[place] = q[0]
    pin.forwardKinematics(model, data, ordered)
    frame = model.getFrameId("tip")
    pin.updateFramePlacements(model, data)
    pose = np.empty((1, 4, 4))
    tips(tree, q, link, tip, pose, 0, 1)
    np.testing.assert_allclose(pose[0], data.oMf[frame].homogeneous, rtol=0, atol=1e-12)
    columns = np.empty((1, 6, joints))
    jacobians(tree, q, link, tip, columns, 0, 1)
    expected = pin.computeFrameJacobian(
        model, data, ordered, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    ).reshape(6, joints)[:, place]
    np.testing.assert_allclose(columns[0], expected, rtol=0, atol=1e-12)


def test_jacobian_is_the_derivative_of_the_tip_pose() -> None:
    rng = np.random.default_rng(5)
    tree = _random_tree(rng, 12)
    tip = _random_pose(rng)
    q = rng.uniform(-2, 2, (1, 12))
    columns = np.empty((1, 6, 12))
    jacobians(tree, q, 11, tip, columns, 0, 1)
    step = 1e-6
    both = np.concatenate([q + step * np.eye(12), q - step * np.eye(12)])
    pose = np.empty((24, 4, 4))
    tips(tree, both, 11, tip, pose, 0, 24)
    difference = (pose[:12] - pose[12:]) / (2 * step)
    np.testing.assert_allclose(columns[0, :3].T, difference[:, :3, 3], rtol=0, atol=1e-8)
    middle = np.empty((1, 4, 4))
    tips(tree, q, 11, tip, middle, 0, 1)
    spin = difference[:, :3, :3] @ middle[0, :3, :3].T
    rates = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    np.testing.assert_allclose(columns[0, 3:].T, rates, rtol=0, atol=1e-8)


def test_a_tip_on_the_base_does_not_move() -> None:
    rng = np.random.default_rng(6)
    tree = _random_tree(rng, 3)
    tip = _random_pose(rng)
    pose = np.empty((1, 4, 4))
    tips(tree, rng.uniform(-1, 1, (1, 3)), -1, tip, pose, 0, 1)
    np.testing.assert_array_equal(pose[0], _square(tip))
