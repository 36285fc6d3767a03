"""Motors with gears and limits against integrators with equations of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.world.writing.worlds import art_text
from driven_hinges import check_told, leg, told

ARM = """
primitive bar {
  properties: (density: 7850 kg/m^3)
  geometry: cuboid(2 cm, 40 cm, 2 cm) where { top: (0, 20 cm, 0) }
  dynamics
}
world w {
  gravity: (0, -9.81 m/s^2, 0)
  components { base: fixed_point; a: bar }
  structure {
    join a to base with pin(axis: z) as h matching (top, center) SAID
      driven by motor(MOTOR)
    place base by base.center at (0, 0, 0)
    place a by h.angle = 0
  }
}
"""

MASS = 7850.0 * 0.02 * 0.02 * 0.4
SPIN = MASS * (0.4**2 + 0.02**2) / 12.0 + MASS * 0.2**2
PULL = MASS * 9.81 * 0.2
RPM = 2.0 * np.pi / 60.0


def made(motor: str, said: str = "") -> art.World:
    return art.parse(ARM.replace("MOTOR", motor).replace("SAID", said)).world("w")


KINDS = ("saturation", "regulation")


def swung(
    push: Callable[[float], float], ends: Callable[[float, Array], float], start: Array,
    begin: float, until: float,
) -> Any:  # fmt: skip
    """Integrate the arm under a torque by its rate from ``begin`` to where ``ends`` crosses 0."""
    return leg(
        lambda _, y: [y[1], (push(y[1]) - PULL * np.sin(y[0])) / SPIN], begin, until, start, ends
    )


def regulated(pace: float, most: float, until: float) -> tuple[list[tuple[str, float]], Array]:
    """Return the events of an arm turned at ``pace`` by ``most`` N m at most, and its end."""
    y, t, found = np.zeros(2), 0.0, list[tuple[str, float]]()
    while True:
        way = 1.0 if y[1] < pace else -1.0
        there = swung(lambda _, w=way: w * most, lambda _, y: y[1] - pace, y, t, until)
        t, y = there.t[-1], there.y[:, -1]
        if there.status == 0:
            return found, y
        if most < PULL * abs(np.sin(y[0])):
            y[1] += 1e-15 * way * pace  # the weight drives it through its speed
            continue
        found.append(("regulation", t))
        rest = np.inf
        if most < PULL:
            # next angle at which the weight asks for more than all
            asked = np.array([np.arcsin(most / PULL), np.pi + np.arcsin(most / PULL)])
            rest = min(((asked - y[0]) % (2.0 * np.pi)).tolist())
        if t + rest / pace > until:
            return found, np.array([y[0] + pace * (until - t), pace])
        t += rest / pace
        y = np.array([y[0] + rest, pace])
        found.append(("saturation", t))
        # weight that asks for more than all slows the arm down, or hurries it
        y[1] -= 1e-15 * np.sign(np.sin(y[0])) * pace


@pytest.mark.parametrize(("rpm", "most"), [(60, 5.0), (150, 2.2), (200, 1.5)])
def test_a_motor_of_a_speed_gives_way_beyond_its_limit(rpm: float, most: float) -> None:
    run = art.simulate(made(f"speed: {rpm} rpm, limit: {most} N*m"), until=2.0, step=0.05)
    events, end = regulated(rpm * RPM, most, 2.0)
    check_told(run, events, *KINDS)
    assert run.series("h.angle")[-1] == pytest.approx(end[0], abs=1e-8)
    assert run.series("h.rate")[-1] == pytest.approx(end[1], abs=1e-8)
    torque = run.series("h.motor.torque")
    assert np.abs(torque).max() <= most + 1e-9
    total, work = run.series("energy.total"), run.series("energy.work")
    assert np.abs(total - total[0] - work).max() < 1e-8
    assert not run.series("energy.dissipated").any()


def test_a_torque_speed_line_is_cut_at_its_limit() -> None:
    """A motor of 0.4 N m and 1200 rpm, a gear of 20 and 0.115 N m at most, that lifts an arm."""
    motor = "torque: 0.4 N*m, no_load: 1200 rpm, limit: 0.115 N*m, gear: 20"
    run = art.simulate(made(motor), until=2.0, step=0.05)
    stall, idle, most = 8.0, 60 * RPM, 2.3

    def push(rate: float) -> float:
        return float(np.clip(stall * (1.0 - rate / idle), -most, most))

    t, y, events = 0.0, np.zeros(2), list[tuple[str, float]]()
    bend = idle * (1.0 - most / stall)
    while t < 2.0:
        part = swung(push, lambda _, y: y[1] - bend, y, t, 2.0)
        if part.status == 1:
            rising = push(bend) > PULL * np.sin(part.y[0, -1])
            events.append((KINDS[int(rising)], part.t[-1]))
        t, y = part.t[-1], part.y[:, -1].copy()
        y[1] += (1e-15 if events and events[-1][0] == "regulation" else -1e-15) * idle
    assert len(events) > 2
    check_told(run, events, *KINDS)
    assert run.series("h.angle")[-1] == pytest.approx(y[0], abs=1e-8)
    assert run.series("h.motor.torque")[-1] == pytest.approx(push(y[1]), abs=1e-8)


def test_a_motor_at_its_limit_stalls_at_a_stop_and_goes_on_by_steps() -> None:
    for method in (art.DOP853(), art.Stepping(step=1e-3)):
        world = made("speed: 60 rpm, limit: 5 N*m", "limits (-1 rad, 1 rad)")
        run = art.simulate(world, until=1.0, step=0.05, method=method)
        assert run.series("h.angle")[-1] == pytest.approx(1.0, abs=1e-9)
        assert run.series("h.motor.torque")[-1] == pytest.approx(5.0, abs=1e-9)
        assert run.series("h.moment.z")[-1] == pytest.approx(PULL * np.sin(1.0) - 5.0, abs=2e-5)


def test_a_hinge_may_rub_and_be_driven() -> None:
    run = art.simulate(
        made("speed: 60 rpm, limit: 5 N*m", "friction 0.4 N*m"), until=1.0, step=0.05
    )
    angle, late = run.series("h.angle"), np.array(run.times) > 0.3
    known = PULL * np.sin(angle) + 0.4
    assert np.abs(run.series("h.motor.torque") - known)[late].max() < 1e-8
    assert np.abs(run.series("h.friction.torque") + 0.4)[1:].max() < 1e-12


def test_what_is_written_is_the_same_motor() -> None:
    for motor in ("speed: -60 rpm, limit: 5 N*m, gear: 3",
                  "torque: 3 N*m, speed: 9 rad/s, limit: 2 N*m"):  # fmt: skip
        world = made(motor)
        assert dict(art.parse(art_text(world)).world().couplings) == dict(world.couplings)


def test_a_clause_waits_until_a_motor_saturates() -> None:
    text = ARM.replace("MOTOR", "speed: 60 rpm, limit: 2.3 N*m").replace("SAID", "")
    for event, number in (("regulation", 1), ("saturation", 2)):
        asked = f"simulate w {{\n  time: (10 ms, 2 s)\n  on {event} h: stop\n}}\n"
        run = art.simulate(art.parse(text + asked).requests[0])
        events = told(run, *KINDS)
        assert len(events) == number
        assert events[-1][0] == event
        assert run.times[-1] == pytest.approx(events[-1][1], abs=1e-12)
    idle = ARM.replace("MOTOR", "speed: 60 rpm").replace("SAID", "")
    document = art.parse(idle + "simulate w {\n  time: (10 ms, 2 s)\n  on saturation h: stop\n}\n")
    document.world("w")
    assert any("no motor with a limit" in each.message for each in document.check())


WRONG = {
    "torque: 5 N*m, limit: 2 N*m": "needs no limit",
    "speed: 60 rpm, limit: -2 N*m": "greater than 0",
    "speed: 60 rpm, gear: 0": "must not be 0",
    "no_load: 60 rpm": "needs a speed, a torque or a voltage",
    "torque: 5 N*m, speed: 60 rpm, no_load: 60 rpm": "give torque and no_load",
}


@pytest.mark.parametrize("motor", WRONG)
def test_motors_that_cannot_be_are_refused(motor: str) -> None:
    with pytest.raises(art.WorldError, match=WRONG[motor]):
        made(motor)


def test_methods_that_know_no_limit_are_refused_with_advice() -> None:
    world = made("speed: 60 rpm, limit: 5 N*m")
    with pytest.raises(ModelError, match="gives all that it may"):
        art.simulate(world, until=0.1, method=art.RealTime(1e-3))
    with pytest.raises(ModelError, match="keeps a hinge turning"):
        art.rest(world)
    pytest.importorskip("mujoco")
    with pytest.raises(ModelError, match="MuJoCo cannot hold the speed"):
        art.simulate(world, until=0.1, method=art.MuJoCo())


@pytest.mark.parametrize(
    ("volts", "ohms", "constant", "gear", "amperes"),
    [(24.0, 1.6, 0.05, 20.0, None), (-12.0, 0.9, 0.03, 40.0, None), (24.0, 0.8, 0.05, 12.0, 4.0)],
)
def test_a_motor_at_a_voltage_draws_what_its_circuit_lets_through(
    volts: float, ohms: float, constant: float, gear: float, amperes: float | None
) -> None:
    said = f"voltage: {volts} V, resistance: {1e3 * ohms} mohm, constant: {constant} V*s/rad"
    cut = "" if amperes is None else f", limit: {amperes} A * {constant} N*m/A"
    run = art.simulate(made(f"{said}, gear: {gear}{cut}"), until=2.0, step=0.05)

    def current(rate: float) -> float:  # Kirchhoff: V = R i + k w
        i = (volts - constant * gear * rate) / ohms
        return i if amperes is None else min(max(i, -amperes), amperes)

    known = solve_ivp(
        lambda _, y: [y[1], (gear * constant * current(y[1]) - PULL * np.sin(y[0])) / SPIN],
        (0.0, 2.0), [0.0, 0.0], "DOP853", rtol=1e-13, atol=1e-13, max_step=1e-3,
    )  # fmt: skip
    assert run.series("h.angle")[-1] == pytest.approx(known.y[0, -1], abs=1e-8)
    assert run.series("h.rate")[-1] == pytest.approx(known.y[1, -1], abs=1e-8)
    torque = gear * constant * current(known.y[1, -1])
    assert run.series("h.motor.torque")[-1] == pytest.approx(torque, abs=1e-8)


@pytest.mark.parametrize(
    ("motor", "told"),
    [
        ("voltage: 12 V, resistance: 1 ohm", "needs constant as well"),
        ("resistance: 1 ohm", "needs constant and voltage as well"),
        ("voltage: 12 V, resistance: 1 ohm, constant: 1 V*s, speed: 1 rpm", "has its speed from"),
        ("voltage: 12 V, resistance: 0 ohm, constant: 1 V*s", "resistance of a motor must be gr"),
        ("voltage: 12 V, resistance: 1 ohm, constant: -1 V*s", "constant of a motor must be gr"),
        ("voltage: 0 V, resistance: 2 ohm, constant: 1 V*s", r"viscous: 0\.5 N\*m\*s"),
        ("voltage: 12 A, resistance: 1 ohm, constant: 1 V*s", r"a voltage is due .* current"),
        ("voltage: 12 V, resistance: 1 ohm, constant: 1 N/A", "a torque constant is due"),
        ("voltage: 12 V, resistance: 1 ohm, constant: 1 V*s, gear: 0", "ratio of a gear"),
    ],
)
def test_a_voltage_without_its_data_sheet_says_what_is_missing(motor: str, told: str) -> None:
    with pytest.raises(art.ArticulataError, match=told):
        made(motor)
