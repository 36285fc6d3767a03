"""Trajectories as controllers replay them, against SciPy's polynomials."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from scipy.interpolate import BPoly, CubicHermiteSpline, CubicSpline, interp1d

import articulata as art
from articulata.analyses.film.controller_replay import replayed, replays
from articulata.analyses.film.pilot import Pilot
from articulata.analyses.film.takes import fly
from articulata.formats.joint_motions import write_trajectory
from articulata.geometry.camera_motion import moved
from articulata.records.carried_moves import CarriedMove, replayed_of
from articulata.records.samples import DeviceReports

Array = npt.NDArray[np.float64]


@cache
def robot() -> art.Carrier:
    mount = np.eye(4)
    mount[:3, 3] = 0.02, 0.10, 0.03
    return art.Carrier(art.figure("manutec_r3"), "flange", art.Camera(art.Lens(0.035), mount))


@cache
def move(phase: int = 0) -> art.CameraMove:
    t = np.linspace(0, 1, 51)[:, None]
    twists = np.hstack([np.sin(2 * np.pi * t + k + phase) for k in range(6)]) * 0.3
    start = robot().view(np.radians([-20, -40, 100, 20, -60, 10]))
    return art.CameraMove(moved(start, twists, 0.04), Fraction(75))


@cache
def carried(phase: int = 0) -> CarriedMove:
    """A move that asks too much of the arm at its own speed, and so goes along the limits."""
    return art.slowed(move(phase), robot())


def extremes(made: CarriedMove, scheme: str) -> tuple[Array, Array, Array]:
    """Return the greatest speeds and accelerations (dof,), and all positions, of SciPy's curve."""
    t, q, v, a = made.times, made.q, made.rates, made.accelerations
    fine = np.unique(np.concatenate([np.linspace(0, t[-1], 20 * len(t)), t]))
    if scheme == "cubic":
        curve = CubicHermiteSpline(t, q, v)
    elif scheme == "quintic":
        curve = BPoly.from_derivatives(t, np.stack([q, v, a], axis=1))
    else:
        places = interp1d(t, q, axis=0)(fine)
        speeds = np.abs(np.diff(places, axis=0) / np.diff(fine)[:, None])
        return speeds.max(axis=0), np.full(q.shape[1], np.inf), places
    speeds, pushes = (np.abs(curve(fine, k)).max(axis=0) for k in (1, 2))
    return speeds, pushes, np.asarray(curve(fine))


@pytest.mark.parametrize("phase", [0, 1])
def test_cubic_and_quintic_interpolation_keep_the_limits(phase: int) -> None:
    """Backward differences at 4 ms asked a quintic for four times the limit of 8 rad/s^2."""
    arm = robot().arm
    made = carried(phase)
    for scheme in ("cubic", "quintic"):
        speeds, pushes, places = extremes(made, scheme)
        assert (speeds <= arm.speeds * (1 + 1e-9)).all()
        assert (pushes <= arm.accelerations * (1 + 1e-9)).all()
        assert (pushes / arm.accelerations).max() > 0.9  # it is as fast as it may be
        assert ((places >= arm.lower - 1e-6) & (places <= arm.upper + 1e-6)).all()
    assert not made.rates[[0, -1]].any()


def test_rates_and_accelerations_are_those_of_the_path() -> None:
    """Between two points the cubic carries the camera along the path itself."""
    made = carried()
    middle = 0.5 * (made.times[1:] + made.times[:-1])
    q = CubicHermiteSpline(made.times, made.q, made.rates)(middle)
    along = CubicSpline(made.times, made.path_times, bc_type="clamped")(middle)
    path = art.CameraPath.through(move().times, move().X_WC).at(along)
    assert np.abs(robot().view(q) - path).max() < 1e-6


@pytest.mark.parametrize("scheme", ["linear", "cubic", "quintic"])
def test_what_is_said_is_what_a_controller_meets(scheme: str) -> None:
    made, arm = carried(), robot().arm
    speeds, pushes, _ = extremes(made, scheme)
    found = replayed(made, robot(), scheme)
    assert found.speed == pytest.approx((speeds / arm.speeds).max(), rel=1e-4)
    assert found.acceleration == pytest.approx((pushes / arm.accelerations).max(), rel=1e-3)
    assert found.keeps is (scheme != "linear")
    assert found.joints[0] == made.joints[int((speeds / arm.speeds).argmax())]


def test_a_trajectory_that_is_too_fast_says_which_joint_and_by_how_much() -> None:
    made = carried()
    fast = replace(made, times=0.5 * made.times)
    for found, slow in zip(replays(fast, robot()), replays(made, robot()), strict=True):
        assert not found.keeps
        assert found.speed == pytest.approx(2.0 * slow.speed)
        if found.scheme != "linear":
            assert found.acceleration == pytest.approx(4.0 * slow.acceleration)
            assert f"passes the acceleration of {found.joints[1]}: " in str(found)
        assert replayed_of(found.plain()) == found


def test_a_joint_that_leaves_its_ends_between_points_is_told() -> None:
    made, arm = carried(), robot().arm
    tight = arm._replace(upper=made.q.max(axis=0) - (0.0, 0.01, 0.0, 0.0, 0.0, 0.0))
    found = replayed(made, SimpleNamespace(arm=tight), "cubic")  # type: ignore[arg-type]
    assert found.beyond == pytest.approx(0.01, abs=1e-4)
    assert not found.keeps
    assert "leaves the ends of a joint by 0.01 " in str(found)


def test_linear_interpolation_is_said_to_jump() -> None:
    made, arm = carried(), robot().arm
    found = replayed(made, robot(), "linear")
    assert math.isinf(found.acceleration)
    steps = np.diff(np.vstack([made.q[:1], made.q, made.q[-1:]]), axis=0) / 0.004
    due = (np.abs(np.diff(steps, axis=0)).max(axis=0) / 0.004 / arm.accelerations).max()
    assert found.jump == pytest.approx(due, rel=1e-9)
    assert "keeps no limit of acceleration" in str(found)


def a_robot(number: int) -> tuple[art.Carrier, Array]:
    """Return an arm and a posture: two arms, and one of them with a limit of jerk."""
    if number % 3 == 0:
        return robot(), np.radians([-20, -40, 100, 20, -60, 10])
    jerks = 200.0 if number % 3 == 2 else math.inf
    arm = art.Carrier(
        art.figure("camera_robot"), "flange", speeds=1.5, accelerations=8.0, jerks=jerks
    )
    return arm, np.radians([10, -30, 60, 20, 40, 10])


def keeps_limits_as_a_controller_replays_it(number: int) -> None:
    """A random move of frames, or a flight by a random device, from its message on."""
    rng = np.random.default_rng(number)
    carrier, start = a_robot(number // 2)
    waves = rng.uniform(0.5, 2.0, 6), rng.uniform(0.0, 6.0, 6)
    path = q0 = None
    if number % 2:
        t = np.arange(0.0, 1.0, 0.02)[:, None]
        axes = rng.uniform(0.3, 1.0, 6) * np.sin(np.pi * waves[0] * t + waves[1])
        take = fly(Pilot(carrier, start), DeviceReports(t[:, 0], axes))
        given, path, q0 = take.move(25), take.path, take.q[0]
    else:
        t = np.linspace(0.0, 1.0, 31)[:, None]
        twists = rng.uniform(0.1, 0.4) * np.sin(2.0 * np.pi * waves[0] * t + waves[1])
        given = art.CameraMove(moved(carrier.view(start), twists, 0.04), rng.choice([24, 30, 60]))
    made = art.slowed(given, carrier, start=q0, path=path)
    message = json.loads(
        write_trajectory(made.joints, made.times, made.q, made.rates, made.accelerations)
    )
    stamps = [each["time_from_start"] for each in message["points"]]
    t = np.array([each["sec"] + 1e-9 * each["nanosec"] for each in stamps])
    columns = ("positions", "velocities", "accelerations")
    q, v, a = (np.array([each[name] for each in message["points"]]) for name in columns)
    assert not v[[0, -1]].any()
    fine, arm = np.unique(np.concatenate([np.arange(0.0, t[-1], 5e-4), t])), carrier.arm
    for curve in (
        CubicHermiteSpline(t, q, v),
        BPoly.from_derivatives(t, np.stack([q, v, a], axis=1)),
    ):
        place, speed, push = (curve(fine, order) for order in range(3))
        assert ((place >= arm.lower - 1e-6) & (place <= arm.upper + 1e-6)).all()
        assert (np.abs(speed) <= arm.speeds * (1 + 1e-8)).all()
        assert (np.abs(push) <= arm.accelerations * (1 + 1e-8)).all()
    said = {each.scheme: each.keeps for each in replays(made, carrier)}
    assert said == {"linear": False, "cubic": True, "quintic": True}


@pytest.mark.parametrize("number", range(6))
def test_moves_and_flights_keep_their_limits_as_controllers_replay_them(number: int) -> None:
    keeps_limits_as_a_controller_replays_it(number)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(6, 90))
def test_many_moves_and_flights_keep_their_limits(number: int) -> None:
    keeps_limits_as_a_controller_replays_it(number)


def test_a_flight_is_carried_about_as_fast_as_it_was_flown() -> None:
    carrier, start = a_robot(1)
    t = np.arange(0.0, 1.5, 0.02)
    axes = np.outer(np.sign(np.sin(3.0 * t)), [0.5, -0.4, 0.6, 0.3, -0.5, 0.4])
    take = fly(Pilot(carrier, start), DeviceReports(t, axes))
    made = art.slowed(take.move(25), carrier, start=take.q[0], path=take.path)
    assert made.times[-1] < 1.1 * take.duration
