"""A posture that follows a hand: on its target, within limits and speeds, back to the best."""

import numpy as np
import pytest

import articulata as art
from articulata.analyses.pose.families import arm_of
from articulata.analyses.pose.pose_follower import SPEED
from articulata.errors import KinematicsError
from posing import person

AIMS = [art.Objective("discomfort"), art.Objective("torque")]


def test_a_moving_hand_is_followed_without_a_jump() -> None:
    figure, X = person()
    search = art.pose(figure, {"right hand": X[:3, 3]}, moving="trunk and right arm",
                      objectives=AIMS, points=12)  # fmt: skip
    follower = search.follower()
    q = [follower.q]
    for t in np.linspace(0.0, 3.0, 61)[1:]:
        p = X[:3, 3] + 0.08 * np.array([np.sin(t), np.sin(1.7 * t), 1.0 - np.cos(1.3 * t)])
        found = follower.to({"right hand": p}, 0.05)
        assert found.found
        hand = figure.landmark(found.q, "right hand")[:3, 3]
        assert np.abs(hand - p).max() < 1e-6
        q.append(found.q)
    assert np.abs(np.diff(q, axis=0)).max() <= SPEED * 0.05 + 1e-12
    assert (np.array(q) >= figure.lower - 1e-12).all()
    assert (np.array(q) <= figure.upper + 1e-12).all()


def test_an_elbow_that_is_let_go_returns_to_the_best_posture() -> None:
    figure, X = person()
    search = art.pose(figure, {"right hand": X}, moving="right arm", objectives=AIMS, points=40)
    follower = search.follower()
    best = follower.q
    scene = search.judging.scene
    # the elbow is dragged along the family, the hand held where it is
    arm = arm_of(scene)
    assert arm is not None
    family = arm.family(scene)
    assert family is not None
    curves = family.curves
    assert curves is not None
    shares = np.tile(np.linspace(0, 1, 41), len(curves))
    near = curves.postures(np.repeat(np.arange(len(curves)), 41), shares)
    moved = min(near, key=lambda x: abs(np.abs(x - best[scene.columns]).max() - 0.4))
    follower.hold(scene.whole(moved[None])[0])
    away = np.abs(follower.q - best).max()
    for _ in range(60):
        found = follower.to({}, 0.05)
        assert found.error < 1e-6
    assert np.abs(found.q - best).max() < 0.1 * away


def test_what_is_not_followed_is_said() -> None:
    figure, X = person()
    search = art.pose(figure, {"right hand": X[:3, 3]}, objectives=AIMS, points=5)
    follower = search.follower()
    with pytest.raises(KinematicsError, match="not followed"):
        follower.to({"left hand": X[:3, 3]}, 0.1)
    with pytest.raises(KinematicsError, match="seconds"):
        follower.to({"right hand": X[:3, 3]}, 0.0)
    gone = follower.to({"right hand": [0.0, 0.5, 5.0]}, 0.05)
    assert not gone.found


def test_every_posture_of_another_target_comes_by_the_closed_form() -> None:
    arm = art.figure("planar_4_2_1")
    X = np.eye(4)
    X[:3, 3] = 5.7, 3.6, 0.0
    search = art.pose(arm, {"hand": X}, objectives=[art.Objective("discomfort", form="sum")])
    every = search.every(X)
    np.testing.assert_allclose(sorted(every.values[:, 0]), [1.5371, 1.7701], atol=5e-5)
    with pytest.raises(KinematicsError, match="isolated"):
        search.every(X[:3, 3])


@pytest.mark.slow
def test_a_minute_of_random_motion_is_followed_without_a_jump() -> None:
    figure, X = person()
    search = art.pose(figure, {"right hand": X[:3, 3]}, moving="trunk and right arm",
                      objectives=AIMS, points=12)  # fmt: skip
    follower = search.follower()
    rng = np.random.default_rng(7)
    speeds, phases = rng.uniform(0.3, 2.0, (4, 3)), rng.uniform(0.0, 6.0, (4, 3))
    q, met = [follower.q], []
    for t in np.arange(0.02, 60.0, 0.02):
        away = (np.sin(speeds * t + phases) - np.sin(phases)).sum(axis=0)
        found = follower.to({"right hand": X[:3, 3] + 0.03 * away}, 0.02)
        met.append(found.error)
        q.append(found.q)
    assert np.abs(np.diff(q, axis=0)).max() <= SPEED * 0.02 + 1e-12
    assert (np.array(q) >= figure.lower - 1e-12).all()
    assert (np.array(q) <= figure.upper + 1e-12).all()
    assert np.mean(np.array(met) < 1e-6) > 0.99
