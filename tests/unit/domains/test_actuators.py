"""Actuators and servos: in Python as controllers, in the text as forces with limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art
from articulata.domains.protocols import Sensed
from articulata.world.writing.worlds import art_text

BAR = """
primitive bar {
  properties: (density: 1000)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
"""
J = 2.5 * (1.0**2 + 0.05**2) / 12 + 2.5 * 0.5**2
"""About the end, kg m^2."""


def arm(force: str, more: str = "") -> art.World:
    return art.parse(f"""{BAR}
world arm {{
  components {{ wall: fixed_point; arm: bar; post: fixed_point }}
  structure {{
    join arm to wall with pin(axis: z) as shoulder matching (near, center) {more}
    {force}
    place post by post.center at (2, 0, 0)
  }}
}}""").world("arm")


def test_an_actuator_of_the_text_follows_the_equation_of_1986() -> None:
    # J w' = K1 u - K2 w from rest: w = K1 u / K2 (1 - exp(-K2 t / J)); report, Example 3.3
    world = arm("force motor about shoulder = actuator(3, gain: 2 N*m, damping: 1.5 N*m*s)")
    recording = art.simulate(world, until=2.0, step=0.1)
    expected = 6.0 / 1.5 * (1.0 - np.exp(-1.5 * recording.times / J))
    assert recording.series("shoulder.rate") == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_saturated_servo_pushes_with_its_limit_and_says_so() -> None:
    world = arm("force motor about shoulder = servo(1000, 50 N*m, 0 N*m*s, limit: 4 N*m)")
    recording = art.simulate(world, until=1.0, step=0.1)
    assert recording.series("shoulder.angle") == pytest.approx(2.0 / J * recording.times**2)
    assert np.all(recording.series("motor.saturation") == 1.0)
    back = arm("force motor about shoulder = servo(-1000, 50 N*m, limit: 4 N*m)")
    assert np.all(art.simulate(back, until=0.2, step=0.1).series("motor.saturation") == -1.0)


def test_a_servo_below_its_limit_is_a_spring_and_a_damper() -> None:
    servo = arm("force motor about shoulder = servo(0.3, 5 N*m, 0.7 N*m*s, limit: 99 N*m)")
    plain = arm("force motor about shoulder = 5 N*m * (0.3 - angle) - 0.7 N*m*s * rate")
    one, other = (art.simulate(world, until=2.0, step=0.1) for world in (servo, plain))
    assert one.series("arm.angle") == pytest.approx(other.series("arm.angle"), abs=1e-10)
    assert one.series("motor.saturation") == pytest.approx(one.series("motor.moment") / 99.0)


def test_a_servo_of_speed_ends_at_that_speed() -> None:
    world = arm("force motor about shoulder = servo(0, 0 N*m, 3 N*m*s, speed: 2 rad/s)")
    rate = art.simulate(world, until=3.0, step=0.1).series("arm.rate")
    assert rate[-1] == pytest.approx(2.0 * (1.0 - math.exp(-9.0 / J)), rel=1e-9)


def test_a_ram_between_two_features_draws_them_to_a_distance() -> None:
    world = arm("force ram between arm.far and post.center = servo(80 cm, 900 N/m, 120 N*s/m)", "")
    recording = art.simulate(world, until=6.0, step=0.1)
    # the far end cannot come nearer than 1 m while the arm points at the post
    assert recording.series("arm.far to post.center")[-1] == pytest.approx(1.0, abs=1e-6)
    assert recording.series("ram.force")[-1] == pytest.approx(900.0 * 0.2, rel=1e-4)


def test_what_is_fed_forward_carries_the_load() -> None:
    # with the weight's moment fed a servo is the linear oscillator J q'' = k (1 - q) - d q'
    k, d, weight = 5.0, 0.7, 2.5 * 9.81 * 0.5
    said = f"servo(1, {k} N*m, {d} N*m*s, feed: {weight!r} N*m * cos(angle), limit: 99 N*m)"
    floating = arm(f"force motor about shoulder = {said}")
    world = floating.edit([art.SetProperty("gravity", (0.0, -9.81, 0.0))])
    run = art.simulate(world, until=2.0, step=0.1)
    a, t = d / (2.0 * J), run.times
    w = math.sqrt(k / J - a * a)
    known = 1.0 - np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t))
    assert run.series("shoulder.angle") == pytest.approx(known, abs=1e-9)
    # along a line a feed pushes apart, as a servo does that wants its length larger
    world = arm("force ram between arm.far and post.center = servo(1 m, 0 N/m, feed: 3 N)", "")
    assert art.simulate(world, until=0.1).series("ram.force") == pytest.approx(-3.0)


def test_the_text_of_a_servo_comes_back_the_same() -> None:
    world = arm(
        "force motor about shoulder = servo(60 deg * ramp(time, 0 s, 1 s), 5 N*m, limit: 2 N*m)"
    )
    assert art.parse(art_text(world)).world("arm") == world
    assert world.forces["motor"].bounds == (-2.0, 2.0)


@pytest.mark.parametrize(
    ("force", "said"),
    [
        ("servo(1)", "lacks"),
        ("servo(1, 2 N*m, stifness: 3)", "stifness"),
        ("servo(1, 2 N)", "is due|cannot be"),
        ("servo(1, 2 N*m, feed: 3 N)", "is due"),
        ("actuator(1)", "lacks"),
        ("clamp(1 N*m * angle, 2 N*m)", "lacks"),
    ],
)
def test_what_is_wrong_with_a_servo_is_said_in_its_line(force: str, said: str) -> None:
    with pytest.raises(art.WorldError, match=said) as caught:
        arm(f"force motor about shoulder = {force}")
    assert ":12:" in str(caught.value)


def test_a_servo_outside_a_force_is_refused() -> None:
    text = BAR.replace("5 cm, 5 cm", "servo(1, 2), 5 cm", 1)
    with pytest.raises(art.WorldError, match="where a force is due"):
        art.parse(f"{text} world w {{ components {{ a: bar }} }}").world("w")


def sensed(values: dict[str, float]) -> Sensed:
    return Sensed(0.0, lambda path: values[path])


def test_python_servos_and_actuators_saturate_at_their_limit() -> None:
    at = sensed({"h.angle": 0.2, "h.rate": -1.0})
    assert art.Servo("h.angle", 0.5, 10.0, 2.0)(0.0, at) == pytest.approx(5.0)
    assert art.Servo("h.angle", 0.5, 10.0, 2.0, limit=4.0)(0.0, at) == 4.0
    assert art.Servo("h.angle", lambda t: -t, 10.0, limit=4.0)(9.0, at) == -4.0
    assert art.Servo("h.angle", 0.0, 0.0, 2.0, speed=3.0)(0.0, at) == pytest.approx(8.0)
    assert art.Actuator(lambda t, s: 9.0, "h.rate", 2.0, 0.5, limit=7.0)(0.0, at) == 7.0
    assert math.isnan(art.Actuator(lambda t, s: math.nan, "h.rate", limit=7.0)(0.0, at))
    with pytest.raises(art.ControllerError, match="greater than 0"):
        art.Servo("h.angle", 0.5, 10.0, limit=0.0)


def test_a_python_servo_holds_an_arm() -> None:
    world = arm("", "driven by motor")
    servo = art.Servo("shoulder.angle", 0.5, 60.0, 12.0, limit=5.0)
    recording = art.simulate(world, until=4.0, step=2e-3, controllers={"motor": servo})
    assert recording.series("arm.angle")[-1] == pytest.approx(0.5, abs=1e-3)
    assert np.max(np.abs(recording.series("control.shoulder.drive"))) <= 5.0


def test_what_an_actuator_brings_in_is_work_and_what_it_takes_is_dissipated() -> None:
    """Half a turn of swinging: it drives at first, then brakes what gravity makes too fast."""
    limited = "actuator(1, gain: 2 N*m, damping: 1.5 N*m*s, limit: 50 N*m)"
    floating = arm(f"force motor about shoulder = {limited}")
    world = floating.edit([art.SetProperty("gravity", (0.0, -9.81, 0.0))])
    run = art.simulate(world, until=2.0, step=0.01)
    work, lost = run.series("energy.work"), run.series("energy.dissipated")
    left = run.series("energy.total") - work
    assert work[-1] > 0.2
    assert lost[-1] > 1.0
    assert np.all(np.diff(work) >= 0.0)
    assert np.all(np.diff(lost) >= 0.0)
    assert np.max(np.diff(left)) <= 1e-9 * work[-1]
    assert np.ptp(left + lost) <= 1e-9 * work[-1]
    # alone, what it has brought in less what it took is what its moment did
    moment = 2.0 - 1.5 * run.series("shoulder.rate")
    power = moment * run.series("shoulder.rate")
    assert work[-1] - lost[-1] == pytest.approx(np.trapezoid(power, run.times), rel=1e-4)
