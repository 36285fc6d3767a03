"""Camera motion: exact steps, twists between poses, the thesis's commands, looking with a roll."""

from __future__ import annotations

import math

import numpy as np
import pytest

from articulata.errors import GeometryError
from articulata.geometry.camera import look_at
from articulata.geometry.camera_motion import Roll, aimed, moved, twist_between
from articulata.kernels.chains.screw_steps import walk
from camera_arms import twisted


def test_a_step_is_the_matrix_exponential_however_great_the_turn() -> None:
    rng = np.random.default_rng(1)
    for size in (1e-9, 1e-3, 0.5, 3.0, 20.0):
        X = moved(np.eye(4), rng.normal(size=(3, 6)), 1.0)[-1]
        twist = rng.normal(size=6) * size
        np.testing.assert_allclose(
            moved(X, twist[None], 0.7)[0], twisted(X, twist, 0.7), atol=1e-12 * max(1.0, size)
        )


def test_pure_rotation_leaves_the_nodal_point_where_it_is() -> None:
    X = look_at((0.3, 1.7, 2.0), (0, 1, 0))
    twists = np.zeros((1000, 6))
    twists[:, 3:] = np.random.default_rng(2).normal(size=(1000, 3))
    assert np.array_equal(moved(X, twists, 0.1)[-1][:3, 3], X[:3, 3])


def test_in_the_world_the_origin_goes_straight_while_the_axes_turn() -> None:
    twist = np.array([[1.0, 0.5, -2.0, 0.3, 2.0, -1.0]])
    X = moved(look_at((0, 1, 3), (0, 0, 0)), twist, 0.9, in_world=True)[0]
    np.testing.assert_allclose(X[:3, 3], np.array((0, 1, 3)) + 0.9 * twist[0, :3], atol=1e-15)


@pytest.mark.parametrize("in_world", [False, True])
def test_a_hundred_thousand_steps_leave_the_axes_orthonormal(in_world: bool) -> None:
    twists = np.random.default_rng(3).normal(size=(100_000, 6))
    R = moved(np.eye(4), twists, 0.05, in_world=in_world)[-1][:3, :3]
    assert np.abs(R.T @ R - np.eye(3)).max() < 1e-14


@pytest.mark.slow
def test_ten_million_steps_leave_the_axes_orthonormal() -> None:
    X, out = np.eye(4)[:3].copy(), np.empty((1, 3, 4))
    rng = np.random.default_rng(4)
    for _ in range(10):
        walk(X, rng.normal(size=(1_000_000, 6)), 0.01, False, 1_000_000, out)
    assert np.abs(X[:, :3].T @ X[:, :3] - np.eye(3)).max() < 1e-12


def test_a_closed_loop_returns() -> None:
    twists = np.random.default_rng(5).normal(size=(2000, 6))
    X = look_at((0.5, 1.0, 2.0), (0, 0.2, 0))
    there = moved(X, twists, 0.01)[-1]
    back = moved(there, -twists[::-1], 0.01)[-1]
    assert np.abs(back - X).max() < 1e-12


def test_small_steps_meet_the_differential_equations_of_2011() -> None:
    """(3.11) to (3.13): e_x' = gamma' e_y - beta' e_z and so on, about the moving axes."""
    rates = np.array([0.4, -0.7, 0.9])
    X = look_at((0, 0, 0), (1, 2, 3))
    step = 1e-7
    after = moved(X, np.concatenate([np.zeros(3), rates])[None], step)[0]
    change = (after[:3, :3] - X[:3, :3]) / step
    ex, ey, ez = X[:3, :3].T
    alpha, beta, gamma = rates
    due = np.stack([gamma * ey - beta * ez, alpha * ez - gamma * ex, beta * ex - alpha * ey], 1)
    np.testing.assert_allclose(change, due, atol=1e-6)


def test_twist_between_leads_there() -> None:
    rng = np.random.default_rng(6)
    for angle in (0.0, 1e-10, 1e-4, 1.0, 3.1, math.pi):
        axis = rng.normal(size=3)
        twist = np.concatenate([rng.normal(size=3), axis / np.linalg.norm(axis) * angle])
        X = moved(np.eye(4), rng.normal(size=(2, 6)), 1.0)[-1]
        Y = moved(X, twist[None], 1.0)[0]
        found = twist_between(X, Y, 0.1)
        np.testing.assert_allclose(moved(X, found[None], 0.1)[0], Y, atol=1e-7)
        assert np.linalg.norm(found[3:]) * 0.1 <= math.pi + 1e-9


@pytest.mark.parametrize("roll", ["level", "relative", "locked"])
def test_looking_keeps_the_target_in_the_middle_wherever_the_camera_is(roll: Roll) -> None:
    rng = np.random.default_rng(7)
    X = look_at((0, 1, 4), (0, 1, 0))
    X[:3, :3] = X[:3, :3] @ moved(np.eye(4), [[0, 0, 0, 0, 0, 0.4]], 1.0)[0][:3, :3]
    for place in (*rng.normal(size=(20, 3)), (0, 5, 0), (0, -5, 0), (0, 1, -4), (0, 1, 4)):
        X = aimed(X, place, (0, 1, 0), roll=roll)
        view = np.array((0, 1, 0)) - place
        np.testing.assert_allclose(-X[:3, 2], view / np.linalg.norm(view), atol=1e-12)
        np.testing.assert_allclose(X[:3, :3].T @ X[:3, :3], np.eye(3), atol=1e-12)
        assert np.linalg.det(X[:3, :3]) > 0.0
        if roll == "level" and abs(view[0]) + abs(view[2]) > 0.1:
            assert abs(X[1, 0]) < 1e-12
            assert X[1, 1] > 0.0


def test_a_locked_roll_stays_and_a_relative_one_turns_least() -> None:
    X = look_at((0, 1, 4), (0, 1, 0))
    roll = 0.3
    X[:3, :3] = X[:3, :3] @ moved(np.eye(4), [[0, 0, 0, 0, 0, roll]], 1.0)[0][:3, :3]
    locked = aimed(X, (3, 2, 1), (0, 1, 0), roll="locked")
    level = look_at((3, 2, 1), (0, 1, 0))
    assert math.isclose(float(level[:3, 0] @ locked[:3, 0]), math.cos(roll), abs_tol=1e-12)
    relative = aimed(X, (0.4, 1.2, 4), (0, 1, 0), roll="relative")
    turn = twist_between(X, relative, 1.0)[3:]
    assert abs(turn[2]) < 1e-2 * np.linalg.norm(turn)


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(GeometryError, match="nodal point"):
        aimed(np.eye(4), (1, 2, 3), (1, 2, 3))
    with pytest.raises(GeometryError, match="level, relative, locked"):
        aimed(np.eye(4), (1, 2, 3), (0, 0, 0), roll="up")  # type: ignore[arg-type]
    with pytest.raises(GeometryError, match="twists"):
        moved(np.eye(4), [[1.0, 2.0]], 0.1)
