"""A robot's controller that follows a flight while it is flown."""

from __future__ import annotations

import threading
import time

import numpy as np
import numpy.typing as npt
import pytest

import articulata as art
from articulata.errors import ArticulataError
from articulata.network.robot_server import CYCLE
from articulata.sessions.film.robot_loop import FollowedFlight, LiveRobot
from camera_arms import START_2011, arm_2011


def flown() -> tuple[art.Pilot, FollowedFlight]:
    """A flight that starts hard, turns about and brakes."""
    pilot = art.Pilot(arm_2011(), START_2011)
    ticks = iter(range(10**6))

    def tick() -> npt.NDArray[np.float64]:
        push = 0.6 * np.sign(np.sin(0.05 * next(ticks)))
        return pilot.go(np.array([push, 0.1, -0.2, 0.0, 0.3, 0.0])).q

    return pilot, FollowedFlight(tick, pilot.q, pilot.step)


def test_between_two_ticks_all_limits_hold_at_the_robot_s_own_cycle() -> None:
    pilot, followed = flown()
    arm = pilot.carrier.arm
    asked = [followed(k * CYCLE) for k in range(800)]
    q = np.array([each[0] for each in asked])
    rates = np.diff(q, axis=0, prepend=q[:1]) / CYCLE
    assert np.abs(rates).max() > 0.1
    assert (np.abs(rates) <= arm.speeds * (1 + 1e-9)).all()
    assert (np.abs(np.diff(rates, axis=0)) / CYCLE <= arm.accelerations * (1 + 1e-9)).all()
    # the rates that are said are those of the values
    middle = (q[2:] - q[:-2]) / (2.0 * CYCLE)
    np.testing.assert_allclose([each[1] for each in asked[1:-1]], middle, atol=0.006)
    # a question that is put again has the same answer
    assert followed(799 * CYCLE)[0] == asked[-1][0]
    assert pilot.time == pytest.approx(0.8, abs=2.1 * pilot.step)


def test_a_simulated_robot_follows_and_one_that_is_led_too_fast_stops() -> None:
    said: list[str] = []
    pilot, followed = flown()
    with LiveRobot(pilot.carrier, followed, "simulated", said.append) as robot:
        simulated = robot.simulated
        assert simulated is not None
        end = time.monotonic() + 30
        while simulated.cycles < 300 and not simulated.fault and time.monotonic() < end:
            time.sleep(0.01)
    assert simulated.fault == ""
    assert simulated.cycles >= 300
    assert pilot.time > 0.29
    leaps = FollowedFlight(lambda: pilot.q + 0.1, pilot.q, pilot.step)
    told = threading.Event()

    def hear(text: str) -> None:
        if "times its limit" in text:
            told.set()

    with LiveRobot(pilot.carrier, leaps, "simulated", hear):
        assert told.wait(30)
    with pytest.raises(ArticulataError, match="give a port"):
        LiveRobot(pilot.carrier, followed, "nowhere", said.append)
