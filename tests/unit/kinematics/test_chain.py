"""Chains against Pinocchio, written products and finite differences."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from articulata.errors import KinematicsError, NameNotFound
from articulata.geometry.arrays import Array
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import (
    DH,
    from_leading_one,
    rotation_x,
    rotation_z,
    to_leading_one,
    translation,
    x_axis_joints,
)
from articulata.kinematics.joint import Joint, Mimic, about
from articulata.kinematics.joint_tree import Tree


def random_rows(rng: np.random.Generator, count: int) -> list[DH]:
    return [
        DH(
            theta=rng.uniform(-3, 3),
            d=rng.uniform(-1, 1),
            a=rng.uniform(-1, 1),
            alpha=rng.uniform(-3, 3),
            kind="revolute" if rng.random() < 0.7 else "prismatic",
        )
        for _ in range(count)
    ]


def standard_product(rows: list[DH], q: Array) -> Array:
    X = np.eye(4)
    for row, value in zip(rows, q, strict=True):
        turn = value if row.kind == "revolute" else 0.0
        shift = value if row.kind == "prismatic" else 0.0
        X = X @ rotation_z(row.theta + turn) @ translation(0, 0, row.d + shift)
        X = X @ translation(row.a, 0, 0) @ rotation_x(row.alpha)
    return X


def modified_product(rows: list[DH], q: Array) -> Array:
    X = np.eye(4)
    for row, value in zip(rows, q, strict=True):
        turn = value if row.kind == "revolute" else 0.0
        shift = value if row.kind == "prismatic" else 0.0
        X = X @ rotation_x(row.alpha) @ translation(row.a, 0, 0)
        X = X @ rotation_z(row.theta + turn) @ translation(0, 0, row.d + shift)
    return X


def x_axis_product(rows: list[DH], q: Array) -> Array:
    """Li 2011, (4.8) and (4.9) as printed, for homogeneous vectors [1, x, y, z]."""
    X = np.eye(4)
    for row, value in zip(rows, q, strict=True):
        u = row.theta + (value if row.kind == "revolute" else 0.0)
        d = row.d + (value if row.kind == "prismatic" else 0.0)
        c, s = np.cos(u), np.sin(u)
        X = X @ np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, c, -s], [0, 0, s, c]])
        c, s = np.cos(row.alpha), np.sin(row.alpha)
        X = X @ np.array([[1, 0, 0, 0], [d, c, -s, 0], [0, s, c, 0], [row.a, 0, 0, 1]])
    return X


def twin(tree: Tree) -> tuple[pin.Model, list[int]]:
    """The same tree in Pinocchio; the list gives the frame of each link."""
    model, frames, placed = pin.Model(), [], []
    for i, (joint, parent) in enumerate(zip(tree.joints, tree.parents, strict=True)):
        X = tree.base if parent < 0 else tree.joints[parent].X_JL
        placement = pin.SE3(np.ascontiguousarray(X @ joint.X_PJ))
        kind = pin.JointModelRZ() if joint.kind == "revolute" else pin.JointModelPZ()
        placed.append(model.addJoint(0 if parent < 0 else placed[parent], kind, placement, str(i)))
        frame = pin.Frame(str(i), placed[i], 0, pin.SE3(joint.X_JL), pin.FrameType.OP_FRAME)
        frames.append(model.addFrame(frame))
    return model, frames


@pytest.mark.parametrize("seed", range(200))
def test_poses_and_jacobian_agree_with_pinocchio(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, int(rng.integers(1, 12)))
    build = Chain.standard_dh if seed % 2 else Chain.modified_dh
    chain = build(rows, base=standard_product(random_rows(rng, 1), np.zeros(1)))
    model, frames = twin(chain)
    data = model.createData()
    q = rng.uniform(-3, 3, chain.dof)
    pin.framesForwardKinematics(model, data, q)
    for link, X_WL in enumerate(chain.poses(q)):
        np.testing.assert_allclose(X_WL, data.oMf[frames[link]].homogeneous, atol=1e-12)
    J = pin.computeFrameJacobian(model, data, q, frames[-1], pin.LOCAL_WORLD_ALIGNED)
    np.testing.assert_allclose(chain.jacobian(q), J.reshape(6, -1), atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_tables_are_the_written_products(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, 6)
    q = rng.uniform(-2, 2, 6)
    np.testing.assert_allclose(
        Chain.standard_dh(rows).tip(q), standard_product(rows, q), atol=1e-13
    )
    np.testing.assert_allclose(
        Chain.modified_dh(rows).tip(q), modified_product(rows, q), atol=1e-13
    )


@pytest.mark.parametrize("seed", range(20))
def test_tables_about_x_are_the_printed_products(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, 6)
    q = rng.uniform(-2, 2, 6)
    X = Chain.x_axis_dh(rows).tip(q)
    np.testing.assert_allclose(X, from_leading_one(x_axis_product(rows, q)), atol=1e-13)
    np.testing.assert_allclose(to_leading_one(X), x_axis_product(rows, q), atol=1e-13)


def test_camera_robot_about_x_stands_at_its_printed_home() -> None:
    # Li 2011, chapter 4: C1 and C3 have the offsets 49.43 and 205.43 mm beside the table.
    quarter_y = np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
    quarter_z = rotation_z(np.pi / 2)
    after = [
        translation(1.012, 0.04943, 0.8048) @ quarter_z,
        translation(0, -1.781, 0),
        translation(-0.20543, 0, -0.3063) @ quarter_z,
        translation(-1.456, 0, 0) @ quarter_y.T,
        quarter_y,
        np.eye(4),
    ]
    chain = Chain(x_axis_joints((Joint(f"g{i}"), X) for i, X in enumerate(after, 1)))
    home = chain.tip(np.zeros(6))
    np.testing.assert_allclose(home[:3, 3], [4.249, -0.156, 0.4985], atol=1e-12)
    np.testing.assert_allclose(home[:3, :3], np.diag([-1.0, -1.0, 1.0]), atol=1e-15)


@pytest.mark.parametrize("change", [from_leading_one, to_leading_one])
def test_homogeneous_vectors_of_the_other_kind_are_refused(change: object) -> None:
    wrong = translation(1, 2, 3) if change is from_leading_one else translation(1, 2, 3).T
    with pytest.raises(KinematicsError, match="as row"):
        change(wrong)  # type: ignore[operator]  # one of two functions
    with pytest.raises(KinematicsError, match="shape"):
        change(np.eye(3))  # type: ignore[operator]  # one of two functions


def test_a_chain_without_freedom_takes_batches_of_empty_postures() -> None:
    still = Chain([Joint("weld", "fixed", translation(1, 0, 0))])
    assert still.tip(np.zeros((5, 2, 0))).shape == (5, 2, 4, 4)
    assert still.jacobian(np.zeros((3, 0))).shape == (3, 6, 0)


def test_any_batch_shape_is_carried_through() -> None:
    chain = Chain.standard_dh(random_rows(np.random.default_rng(1), 4))
    q = np.random.default_rng(2).uniform(-1, 1, (3, 5, 4))
    assert chain.poses(q).shape == (3, 5, 4, 4, 4)
    assert chain.jacobian(q).shape == (3, 5, 6, 4)
    assert chain.tip(np.zeros((0, 4))).shape == (0, 4, 4)
    np.testing.assert_array_equal(chain.tip(q)[2, 3], chain.tip(q[2, 3]))
    np.testing.assert_allclose(chain.poses(q)[..., -1, :, :], chain.tip(q), atol=1e-14)


def test_many_postures_on_threads_are_the_same_as_one_by_one() -> None:
    chain = Chain.standard_dh(random_rows(np.random.default_rng(3), 7))
    q = np.random.default_rng(4).uniform(-3, 3, (10_000, 7))
    np.testing.assert_array_equal(chain.tip(q)[::997], [chain.tip(row) for row in q[::997]])


def test_a_mimic_joint_moves_with_its_leader() -> None:
    rows = [DH(a=1.0, name="finger"), DH(a=1.0, name="tip", mimic=Mimic("finger", 2.0, 0.1))]
    chain, free = Chain.standard_dh(rows), Chain.standard_dh([DH(a=1.0), DH(a=1.0)])
    assert chain.names == ("finger",)
    np.testing.assert_allclose(chain.tip([0.3]), free.tip([0.3, 0.7]), atol=1e-15)
    step = 1e-6
    slope = (chain.tip([0.3 + step]) - chain.tip([0.3 - step]))[:3, 3] / (2 * step)
    np.testing.assert_allclose(chain.jacobian([0.3])[:3, 0], slope, atol=1e-9)


def test_a_fixed_joint_has_no_coordinate() -> None:
    chain = Chain([Joint("a"), Joint("weld", "fixed", translation(1, 0, 0)), Joint("b")])
    assert chain.names == ("a", "b")
    assert chain.jacobian([0.1, 0.2]).shape == (6, 2)
    np.testing.assert_allclose(chain.tip([np.pi / 2, 0.0])[:3, 3], [0, 1, 0], atol=1e-15)


def test_a_tree_shares_its_trunk() -> None:
    left, right = translation(1, 0, 0), translation(-1, 0, 0)
    joints = [Joint("trunk"), Joint("left", X_PJ=left), Joint("right", X_PJ=right)]
    tree = Tree(joints, (-1, 0, 0))
    poses = tree.poses([np.pi / 2, 0.0, 0.0])
    np.testing.assert_allclose(poses[1, :3, 3], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(poses[2, :3, 3], [0, -1, 0], atol=1e-15)
    assert not tree.link_jacobian([0.0, 0.0, 0.0], "left")[:, 2].any()


def test_manipulability_of_a_planar_arm_is_the_sine_of_its_elbow() -> None:
    arm = Chain.standard_dh([DH(a=2.0), DH(a=3.0)])
    measured = arm.manipulability([[0.3, 0.7], [0.0, 0.0]], rows=slice(0, 2))
    np.testing.assert_allclose(measured, [6.0 * np.sin(0.7), 0.0], atol=1e-14)


def test_an_axis_along_a_coordinate_is_exact() -> None:
    for axis in np.vstack([np.eye(3), -np.eye(3)]):
        np.testing.assert_array_equal(about(axis)[:3, 2], axis)
        assert np.linalg.det(about(axis)) == 1.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Joint("knee", limits=(1.0, -1.0)), "lower one first"),
        (lambda: Joint("knee", limits=(np.nan, 1.0)), "NaN"),
        (lambda: Joint("knee", "hinge"), "revolute"),  # type: ignore[arg-type]  # the error is the test
        (lambda: Joint("knee", X_PJ=np.full((4, 4), np.nan)), "finite"),
        (lambda: Chain([]), "at least one"),
        (lambda: Chain([Joint("a"), Joint("a")]), "two joints are called 'a'"),
        (lambda: Chain([Joint("a", mimic=Mimic("b")), Joint("b", mimic=Mimic("a"))]), "circle"),
        (lambda: Chain([Joint("a", mimic=Mimic("c"))]), "does not exist"),
        (lambda: Tree([Joint("a")], (0,)), "parents come before"),
        (lambda: about((0, 0, 0)), "not all zero"),
        (lambda: Chain([Joint("a"), Joint("b")]).tip([1.0]), "has 2 values"),
    ],
)
def test_what_cannot_be_a_chain_is_explained(make: object, words: str) -> None:
    with pytest.raises(KinematicsError, match=words):
        make()  # type: ignore[operator]  # a list of mistakes, each a call


def test_a_misspelt_joint_is_suggested() -> None:
    chain = Chain([Joint("shoulder"), Joint("elbow")], name="jack")
    with pytest.raises(NameNotFound, match="'jack' has no joint 'elbo'; did you mean 'elbow'"):
        chain.index("elbo")
