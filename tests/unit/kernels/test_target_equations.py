"""Targets as equations: their second derivatives, and bases that do not stand at the origin."""

import numpy as np

import articulata as art
from articulata.analyses.pose.constraints import (
    bend_of_targets,
    residuals,
    residuals_and_jacobian,
)
from articulata.analyses.pose.pose_scene import scene_of
from articulata.kinematics.figure_places import Places


def test_bends_along_the_targets_are_those_of_differences() -> None:
    figure = art.figure("human_upper_body")
    rng = np.random.default_rng(3)
    q = figure.neutral + rng.uniform(-0.2, 0.2, figure.dof)
    X = {name: figure.landmark(q, name) for name in ("right hand", "left hand", "skull_tip")}
    scene = scene_of(
        figure,
        {
            "right hand": X["right hand"],
            "left hand": art.Pointing(X["left hand"][:3, 3], X["left hand"][:3, 2]),
            "skull_tip": art.Gaze(X["skull_tip"][:3, 3] + 0.7 * X["skull_tip"][:3, 2]),
            "r_elbow": figure.landmark(q, "r_elbow")[:3, 3],
        },
        moving=figure.names,
    )
    c, J = residuals_and_jacobian(scene, q[None])
    assert np.abs(c).max() < 1e-12
    y = rng.normal(size=c.shape)
    H = bend_of_targets(scene, q[None], y)[0]
    np.testing.assert_allclose(H, H.T, atol=1e-15)
    free = np.linalg.svd(J[0])[2][np.linalg.matrix_rank(J[0]) :]
    step = 1e-4
    for t in free[:: max(1, len(free) // 6)]:
        after, before = residuals(scene, np.stack([q + step * t, q - step * t]))
        assert abs(t @ H @ t - y[0] @ (after + before) / step**2) < 1e-5


def test_places_are_landmarks_with_their_jacobians() -> None:
    figure = art.figure("person")
    names = ("r_heel", "l_toe", "skull_tip")
    q = figure.neutral + np.random.default_rng(1).uniform(-0.1, 0.1, (3, figure.dof))
    p, J = Places(figure, names).found(q)
    for k, name in enumerate(names):
        np.testing.assert_allclose(p[:, k], figure.landmark(q, name)[:, :3, 3], atol=1e-13)
        np.testing.assert_allclose(J[:, k], figure.landmark_jacobian(q, name)[:, :3], atol=1e-13)
