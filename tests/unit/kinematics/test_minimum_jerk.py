"""Motions of least jerk and blends: ends, peaks, derivatives, and that nothing jerks less."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from articulata.errors import GeometryError, KinematicsError
from articulata.geometry.rotation import Rotation
from articulata.kinematics.minimum_jerk import (
    PEAK_JERK,
    Motion,
    blended,
    minimum_jerk,
    minimum_jerk_pose,
)
from articulata.kinematics.trajectory import trajectory


def check_derivatives(made: Motion, atol: float) -> None:
    t = np.linspace(0.0, made.duration, 400)[1:-1]
    h = 1e-5
    before, here, after = (made.at(t + k * h) for k in (-1, 0, 1))
    np.testing.assert_allclose(here[1], (after[0] - before[0]) / (2 * h), atol=atol)
    np.testing.assert_allclose(here[2], (after[1] - before[1]) / (2 * h), atol=atol)


def test_ends_are_met_with_their_rates() -> None:
    rng = np.random.default_rng(2)
    q, v, a = rng.normal(size=(3, 2, 4))
    made = minimum_jerk(*q, 1.7, end_rates=(v[0], v[1]), end_accelerations=(a[0], a[1]))
    for k, t in enumerate((0.0, 1.7)):
        for found, wanted in zip(made.at(t), (q[k], v[k], a[k]), strict=True):
            np.testing.assert_allclose(found, wanted, atol=1e-12)
    check_derivatives(made, 1e-7)
    np.testing.assert_array_equal(made.at([-1.0, 9.0])[1], np.zeros((2, 4)))
    assert made.sampled(0.5)[0].tolist() == [0.0, 0.5, 1.0, 1.5, 1.7]


def test_nothing_between_the_same_ends_jerks_less() -> None:
    made = minimum_jerk([0.0, 1.0], [2.0, -1.0], 2.0, end_rates=([0.5, 0.0], [0.0, 1.0]))
    for powers in made.powers.T:
        jerk = Polynomial(powers).deriv(3)
        least = (jerk**2).integ()(1.0)
        for k in range(4):
            # what leaves place, rate and acceleration at both ends as they are
            other = Polynomial([0.0, 1.0]) ** (3 + k) * Polynomial([1.0, -1.0]) ** 3
            for size in (-0.3, 0.3):
                assert ((jerk + size * other.deriv(3)) ** 2).integ()(1.0) > least + 1e-6


def test_limits_give_the_shortest_time_and_hold() -> None:
    way, v, a = np.array([1.0, -0.2, 0.0]), np.array([2.0, 0.1, 1.0]), np.array([4.0, 9.0, 1.0])
    made = minimum_jerk(np.zeros(3), way, speeds=v, accelerations=a)
    _, rates, pushes = made.at(np.linspace(0.0, made.duration, 100_001))
    shares = [np.abs(rates).max(0) / v, np.abs(pushes).max(0) / a]
    assert np.max(shares) == pytest.approx(1.0, abs=1e-9)
    jerk = np.diff(made.at([0.0, 1e-6])[2], axis=0)[0] / 1e-6
    np.testing.assert_allclose(jerk, PEAK_JERK * way / made.duration**3, rtol=1e-4)


def test_a_pose_goes_straight_about_one_axis() -> None:
    X, Y = np.eye(4), np.eye(4)
    X[:3, :3] = Rotation.from_euler("xyz", [0.3, -1.0, 2.0]).to_matrix()
    Y[:3, :3] = Rotation.from_euler("xyz", [1.3, 0.4, -1.0]).to_matrix()
    Y[:3, 3] = 1.0, -2.0, 0.5
    made = minimum_jerk_pose(X, Y, 3.0)
    np.testing.assert_allclose(made.at([0.0, 3.0])[0], [X, Y], atol=1e-12)
    t, h = np.linspace(0.1, 2.9, 50), 1e-6
    before, after = made.at(t - h)[0], made.at(t + h)[0]
    here, velocity, turning = made.at(t)
    np.testing.assert_allclose(velocity, (after - before)[:, :3, 3] / (2 * h), atol=1e-8)
    spin = (after - before)[:, :3, :3] @ np.swapaxes(here[:, :3, :3], 1, 2) / (2 * h)
    seen = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], 1)
    np.testing.assert_allclose(turning, seen, atol=1e-8)
    assert np.linalg.matrix_rank(turning, tol=1e-9) == 1
    timed = minimum_jerk_pose(X, Y, speed=0.5, turning=0.8)
    _, velocity, turning = timed.at(np.linspace(0.0, timed.duration, 9999))
    shares = [np.linalg.norm(velocity, axis=1) / 0.5, np.linalg.norm(turning, axis=1) / 0.8]
    assert np.max(shares) == pytest.approx(1.0, abs=1e-6)


def test_a_blend_goes_over_without_a_step() -> None:
    first = minimum_jerk([0.0, 0.0], [1.0, 2.0], 2.0)
    second = minimum_jerk([0.5, 0.5], [-1.0, 0.0], 1.5, end_rates=(1.0, 0.0))
    made = blended(first, second, 0.8, 0.6)
    assert made.duration == pytest.approx(2.3)
    np.testing.assert_array_equal(made.at(0.7)[0], first.at(0.7)[0])
    for found, wanted in zip(made.at(1.6), second.at(0.8), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    t = np.linspace(0.8, 2.2, 300)[1:-1]
    h = 1e-5
    before, here, after = (made.at(t + k * h) for k in (-1, 0, 1))
    np.testing.assert_allclose(here[1], (after[0] - before[0]) / (2 * h), atol=1e-7)
    np.testing.assert_allclose(here[2], (after[1] - before[1]) / (2 * h), atol=1e-6)
    # motions of other kinds blend too
    timed = trajectory([[0.0, 0.0], [1.0, -1.0]], speeds=1.0, accelerations=2.0)
    assert len(blended(timed, first, 0.5, 0.3).sampled(0.1)[1]) > 10


def test_bad_motions_are_refused() -> None:
    with pytest.raises(KinematicsError, match="two postures"):
        minimum_jerk([0.0], [0.0, 1.0], 1.0)
    with pytest.raises(KinematicsError, match="two postures"):
        minimum_jerk([np.nan], [1.0], 1.0)
    for wrong in (None, 0.0, np.inf, np.nan):
        with pytest.raises(KinematicsError, match="a motion takes a duration in s"):
            minimum_jerk([0.0], [1.0], wrong)
    with pytest.raises(KinematicsError, match="a motion takes a duration in s"):
        minimum_jerk([1.0], [1.0], speeds=1.0)
    with pytest.raises(KinematicsError, match="leave them out"):
        minimum_jerk([0.0], [1.0], 1.0, speeds=1.0)
    with pytest.raises(KinematicsError, match="rates at an end are 1 finite numbers"):
        minimum_jerk([0.0], [1.0], 1.0, end_rates=([1.0, 2.0], 0.0))
    with pytest.raises(KinematicsError, match="speeds are 1 numbers above 0"):
        minimum_jerk([0.0], [1.0], speeds=-1.0)
    with pytest.raises(GeometryError):
        minimum_jerk_pose(np.zeros((4, 4)), np.eye(4), 1.0)
    with pytest.raises(KinematicsError, match="duration or its greatest speeds"):
        minimum_jerk_pose(np.eye(4), np.eye(4), 1.0, speed=1.0)
    one = minimum_jerk([0.0], [1.0], 1.0)
    with pytest.raises(KinematicsError, match="NaN or inf"):
        one.at(np.nan)
    with pytest.raises(KinematicsError, match="these have 1 and 2"):
        blended(one, minimum_jerk([0.0, 0.0], [1.0, 1.0], 1.0), 0.5, 0.5)
    for begin, length in ((-1.0, 1.0), (0.0, 0.0)):
        with pytest.raises(KinematicsError, match="a blend"):
            blended(one, one, begin, length)
