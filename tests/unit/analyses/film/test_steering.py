"""Ways of steering a camera."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import articulata as art
from articulata.analyses.film.steering import MODES, Mode, Steering, led_to
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.camera import look_at
from articulata.geometry.camera_motion import ROLLS, Roll, aiming_twist, moved

STEP = 0.01
RATES = (0.1, 0.2, 0.3, 0.5, 0.7, 0.2)


def flown(steering: Steering, X: Array, count: int, **more: object) -> Array:
    for _ in range(count):
        X = moved(X, steering.twist(RATES, X, STEP, **more)[None], STEP)[0]  # type: ignore[arg-type]
    return X


def test_fly_and_world_take_the_axes_they_say() -> None:
    X = look_at((1, 2, 5), (0, 0, 0))
    np.testing.assert_allclose(Steering().twist(RATES, X, STEP), RATES)
    twist = Steering("global").twist(RATES, X, STEP)
    np.testing.assert_allclose(X[:3, :3] @ twist[:3], RATES[:3])
    np.testing.assert_allclose(X[:3, :3] @ twist[3:], RATES[3:])


def test_target_goes_round_the_pivot_and_object_against_it() -> None:
    X = look_at((0, 1, 4), (0, 1, 0))
    turn = (0.0, 0.0, 0.0, 0.0, 0.5, 0.0)
    for mode, sign in (("target", 1.0), ("object", -1.0)):
        twist = Steering(mode, pivot=(0, 1, 0)).twist(turn, X, STEP)  # type: ignore[arg-type]
        np.testing.assert_allclose(twist[4], sign * 0.5)
        # the pivot rests in the picture: v + w x p = 0
        p_C = X[:3, :3].T @ (np.array((0, 1, 0)) - X[:3, 3])
        np.testing.assert_allclose(twist[:3] + np.cross(twist[3:], p_C), 0.0, atol=1e-15)


def test_a_view_that_is_smoothed_comes_to_what_it_looks_at_and_stays_there() -> None:
    steering = Steering(look=True, smoothing=0.2, roll="relative")
    X = look_at((0, 0, 5), (0.5, 0, 0))

    def off() -> float:
        to = -X[:3, 3] / np.linalg.norm(X[:3, 3])
        return float(np.arccos(min(1.0, -X[:3, 2] @ to)))

    begun = off()
    for _ in range(20):
        X = moved(X, steering.twist((0.3, 0.1, 0, 0, 0, 0), X, STEP, target=(0, 0, 0))[None], STEP)[
            0
        ]
    assert off() == pytest.approx(begun / np.e, rel=0.01)  # though it moves meanwhile
    for _ in range(200):
        X = moved(X, steering.twist((0.3, 0.1, 0, 0, 0, 0), X, STEP, target=(0, 0, 0))[None], STEP)[
            0
        ]
    assert off() < 1e-4


def test_a_camera_is_led_to_a_pose_within_speed_and_turn() -> None:
    X, goal = look_at((0, 1, 5), (0, 0, 0)), look_at((2, 1, 3), (0, 1, 0))
    for k in range(600):
        twist = led_to(X, goal, speed=0.8, turn=0.7)
        assert np.linalg.norm(twist[:3]) <= 0.8 + 1e-12
        assert np.linalg.norm(twist[3:]) <= 0.7 + 1e-12
        assert k or twist.any()
        X = moved(X, twist[None], STEP)[0]
    np.testing.assert_allclose(X, goal, atol=1e-4)
    assert not led_to(goal, goal, speed=1.0, turn=1.0).any()


def test_a_helicopter_stays_level_and_does_not_turn_over() -> None:
    X = flown(Steering("helicopter"), look_at((0, 2, 5), (0, 0, 0)), 2000)
    assert abs(X[1, 0]) < 2e-3
    assert X[1, 1] > 0.0
    assert -X[1, 2] > 0.999  # it has looked up as far as it may
    assert abs(X[1, 3] - (2 + 0.2 * 20)) < 1e-3


def test_a_locked_horizon_comes_back_from_any_roll() -> None:
    X = look_at((0, 2, 5), (0, 1, 0))
    X[:3, :3] = X[:3, :3] @ moved(np.eye(4), [[0, 0, 0, 0, 0, 1.2]], 1.0)[0][:3, :3]
    assert abs(flown(Steering(horizon=True), X, 150)[1, 0]) < 0.02


@pytest.mark.parametrize("mode", MODES)
def test_looking_keeps_the_target_in_the_middle(mode: Mode) -> None:
    steering = Steering(mode, look=True, turn=20.0)
    X = look_at((0, 2, 5), (0, 1, 0))
    for _ in range(200):
        X = moved(X, steering.twist(RATES, X, STEP, target=(0, 1, 0))[None], STEP)[0]
        view = np.array((0, 1, 0)) - X[:3, 3]
        assert np.linalg.norm(np.cross(view / np.linalg.norm(view), X[:3, 2])) < 1e-9
        assert abs(X[1, 0]) < 1e-9


def test_looking_leads_a_target_that_moves() -> None:
    X = look_at((0, 1, 4), (0, 1, 0))
    twist = Steering(look=True, lead=0.5, turn=50.0).twist(
        (0.0,) * 6, X, STEP, target=(0, 1, 0), velocity=(1.0, 0, 0)
    )
    after = moved(X, twist[None], STEP)[0]
    view = np.array((0.51, 1, 0)) - after[:3, 3]
    assert np.linalg.norm(np.cross(view / np.linalg.norm(view), after[:3, 2])) < 1e-12


def test_turning_to_a_target_takes_its_time() -> None:
    X = look_at((0, 1, 4), (5, 1, 4))
    steering = Steering(look=True, turn=1.0)
    twist = steering.twist((0.0,) * 6, X, STEP, target=(0, 1, 0))
    assert np.linalg.norm(twist[3:]) <= 1.0 + 1e-9
    np.testing.assert_allclose(moved(X, twist[None], STEP)[0][:3, 3], X[:3, 3], atol=1e-15)


def test_holding_the_view_leaves_out_turns() -> None:
    twist = Steering(hold=True).twist(RATES, look_at((0, 1, 4), (0, 0, 0)), STEP)
    assert not twist[3:].any()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"mode": "walk"}, "fly, object"),
        ({"roll": "up"}, "level, relative"),
        ({"up": (0.0, 0.0, 0.0)}, "up"),
        ({"turn": 0.0}, "turn"),
    ],
)
def test_wrong_values_are_refused(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(KinematicsError, match=says):
        Steering(**wrong)  # type: ignore[arg-type]


def test_a_camera_in_what_it_looks_at_keeps_its_view_and_flies_on() -> None:
    X = np.eye(4)
    steering = art.Steering(look=True)
    for target in ((0.0, 0.0, 0.0), (0.0, 0.0, -5e-4)):
        twist = steering.twist([0.0, 0.0, -0.1, 0.3, 0.0, 0.0], X, 0.004, target=target)
        np.testing.assert_allclose(twist, [0.0, 0.0, -0.1, 0.0, 0.0, 0.0])
    # and turns again once it is out of it
    assert abs(steering.twist([0.0] * 6, X, 0.004, target=(0.1, 0.0, 0.0))[4]) > 0.1


def test_a_camera_that_looks_where_it_should_rests() -> None:
    X = art.look_at((0.3, 1.0, 2.0), (0.0, 1.0, -1.0))
    twist = art.Steering(look=True).twist([0.0] * 6, X, 0.004, target=(0.0, 1.0, -1.0))
    assert not twist.any()


@pytest.mark.parametrize("roll", ROLLS)
def test_a_tick_s_twist_to_what_is_looked_at_is_that_of_the_formula(roll: Roll) -> None:
    rng = np.random.default_rng(3)
    steering = Steering(look=True, roll=roll, turn=1e6)
    for _ in range(50):
        X = moved(np.eye(4), rng.normal(size=(1, 6)), 1.0)[0]
        v, to = rng.normal(size=3).tolist(), (X[:3, 3] + rng.normal(size=3)).tolist()
        wanted = np.array(aiming_twist(X, v, STEP, to, roll=roll))
        found = steering.twist((*v, 0, 0, 0), X, STEP, target=to)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
        # where it may turn half as fast: about the same axis, the nodal point straight all the same
        slow = replace(steering, turn=0.5 * float(np.linalg.norm(wanted[3:])))
        found = slow.twist((*v, 0, 0, 0), X, STEP, target=to)
        np.testing.assert_allclose(found[3:], 0.5 * wanted[3:], rtol=1e-9, atol=1e-9)
        after = moved(X, found[None], STEP)[0]
        np.testing.assert_allclose(after[:3, 3], X[:3, 3] + STEP * X[:3, :3] @ v, atol=1e-12)
