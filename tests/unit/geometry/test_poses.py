"""Poses and twists against the matrix exponential, and their limits."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy.linalg import expm

from articulata.errors import GeometryError
from articulata.geometry.poses import (
    adjoint,
    check_pose,
    cross_matrix,
    exp_twist,
    interpolate_poses,
    interpolate_screw,
    inverse_pose,
    log_pose,
    make_pose,
    pose_distance,
    transform_points,
    transform_vectors,
)
from articulata.geometry.rotation import Rotation


def random_poses(count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return make_pose(Rotation(rng.normal(size=(count, 4))), rng.normal(size=(count, 3)))


def twist_matrix(V: np.ndarray) -> np.ndarray:
    M = np.zeros((4, 4))
    M[:3, :3] = cross_matrix(V[3:])
    M[:3, 3] = V[:3]
    return M


def test_exponential_of_twists_is_the_matrix_exponential() -> None:
    V = np.random.default_rng(0).uniform(-1.5, 1.5, size=(50, 6))  # turns shorter than pi
    expected = np.array([expm(twist_matrix(v)) for v in V])
    np.testing.assert_allclose(exp_twist(V), expected, atol=1e-13)
    np.testing.assert_allclose(log_pose(exp_twist(V)), V, atol=1e-13)


@pytest.mark.parametrize(
    "angle", [0.0, 1e-200, 1e-12, 1e-6, 1e-3, 0.1, 0.499, 0.5, 0.501, 2.0, 3.0, np.pi - 1e-9]
)
def test_twists_keep_their_digits_at_any_angle(angle: float) -> None:
    axis, v = np.array([2.0, -3.0, 6.0]) / 7, np.array([0.3, 0.5, -0.2])
    w = axis * angle
    with mp.workdps(60):
        W = mp.matrix(cross_matrix(w).tolist())
        theta = mp.sqrt(sum(mp.mpf(float(x)) ** 2 for x in w))
        if theta:
            a, b = (1 - mp.cos(theta)) / theta**2, (theta - mp.sin(theta)) / theta**3
        else:
            a, b = mp.mpf(1) / 2, mp.mpf(1) / 6
        p = (mp.eye(3) + a * W + b * W * W) * mp.matrix(v.tolist())
        expected = np.array([float(x) for x in p])
    X = exp_twist(np.concatenate([v, w]))
    np.testing.assert_allclose(X[:3, 3], expected, rtol=0, atol=2e-16)
    np.testing.assert_allclose(log_pose(X)[:3], v, rtol=0, atol=1e-15)


def test_adjoint_carries_twists_between_frames() -> None:
    X = random_poses(20)
    V = np.random.default_rng(1).normal(size=(20, 6))
    moved = (adjoint(X) @ V[..., None])[..., 0]
    for i in range(20):
        expected = X[i] @ twist_matrix(V[i]) @ inverse_pose(X[i])
        np.testing.assert_allclose(twist_matrix(moved[i]), expected, atol=1e-13)


def test_points_move_and_vectors_turn() -> None:
    X = random_poses(5)
    p = np.random.default_rng(2).normal(size=(5, 3))
    homogeneous = (X @ np.concatenate([p, np.ones((5, 1))], axis=1)[..., None])[:, :3, 0]
    np.testing.assert_allclose(transform_points(X, p), homogeneous, atol=1e-15)
    np.testing.assert_allclose(transform_vectors(X, p), homogeneous - X[:, :3, 3], atol=1e-14)
    np.testing.assert_allclose(inverse_pose(X) @ X, np.broadcast_to(np.eye(4), X.shape), atol=1e-14)


def test_interpolation_is_straight_and_the_screw_is_one_motion() -> None:
    X0, X1 = random_poses(2)
    t = np.linspace(0, 1, 5)
    straight = interpolate_poses(X0, X1, t)
    np.testing.assert_allclose(
        straight[:, :3, 3], X0[:3, 3] + t[:, None] * (X1 - X0)[:3, 3], atol=1e-15
    )
    for path in (straight, interpolate_screw(X0, X1, t)):
        np.testing.assert_allclose(path[0], X0, atol=1e-14)
        np.testing.assert_allclose(path[-1], X1, atol=1e-14)
        steps = pose_distance(path[:-1], path[1:]).rotation
        np.testing.assert_allclose(steps, steps[0], atol=1e-14)
    screw = log_pose(inverse_pose(X0) @ interpolate_screw(X0, X1, 0.25))
    np.testing.assert_allclose(screw, 0.25 * log_pose(inverse_pose(X0) @ X1), atol=1e-14)


def test_making_poses_broadcasts() -> None:
    assert make_pose().shape == (4, 4)
    assert make_pose(Rotation.identity((3, 1)), np.zeros((2, 3))).shape == (3, 2, 4, 4)
    R = Rotation.from_axis_angle((1, 2, 3), 0.3)
    assert Rotation.from_matrix(make_pose(R, (1, 2, 3))[:3, :3]).distance(R) < 1e-15


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.eye(3), "4 x 4"),
        (np.full((4, 4), np.nan), "NaN"),
        (np.diag([1.0, 1, 1, 2]), "last row"),
        (np.diag([1.0, 1, -1, 1]), "reflection"),
        (np.diag([1.0, 1, 2, 1]), "not orthogonal"),
        ("pose", "must be numbers"),
    ],
)
def test_what_is_no_pose_is_refused(bad: object, message: str) -> None:
    with pytest.raises(GeometryError, match=message):
        check_pose(bad)  # type: ignore[arg-type] # the wrong type is the point


def test_making_a_pose_of_wrong_shapes_is_refused() -> None:
    with pytest.raises(GeometryError, match="3-vectors"):
        make_pose(None, (1.0, 2.0))
    with pytest.raises(GeometryError, match="do not broadcast"):
        make_pose(Rotation.identity((2,)), np.zeros((3, 3)))
