"""Servos with integral action against integrators with equations of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.world.writing.worlds import art_text
from driven_hinges import check_told, leg

ARM = """
primitive bar {
  properties: (density: 1000 kg/m^3)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
world arm {
  gravity: (0, -9.81 m/s^2, 0)
  components { wall: fixed_point; arm: bar }
  structure {
    join arm to wall with HINGE matching (near, center) MORE
    force hold SAID
    place wall by wall.center at (0, 0, 0)
  }
}
"""
MASS = 2.5
SPIN = MASS * (1.0**2 + 0.05**2) / 12 + MASS * 0.5**2
WEIGHT = MASS * 9.81 * 0.5


def text_of(said: str, hinge: str = "pin(axis: z) as h", more: str = "") -> str:
    return ARM.replace("SAID", said).replace("HINGE", hinge).replace("MORE", more)


def made(said: str, hinge: str = "pin(axis: z) as h", more: str = "") -> art.World:
    return art.parse(text_of(said, hinge, more)).world()


def held(gains: tuple[float, ...], until: float) -> tuple[list[tuple[str, float]], Array]:
    """Return when a PID at its limit began and ceased to be there, and the arm's end.

    State: angle, rate, integral. Astrom and Hagglund's back-calculation with T = sqrt(Ti Td).
    """
    target, k, d, ki, most = gains
    follow = np.sqrt(k / ki * d / k)

    def asked(y: Array) -> float:
        return float(k * (target - y[0]) - d * y[1] + y[2])

    y, t, side, found = np.zeros(3), 0.0, 0, list[tuple[str, float]]()
    side = int(asked(y) > most) - int(asked(y) < -most)
    while True:

        def rates(_: float, y: Array, side: int = side) -> list[float]:
            given = side * most if side else asked(y)
            wound = ki * (target - y[0]) + (given - asked(y)) / follow
            return [y[1], (given - WEIGHT * np.cos(y[0])) / SPIN, wound]

        ends: list[Any] = [lambda _, y: most - asked(y), lambda _, y: most + asked(y)]
        if side:
            ends = [lambda _, y, side=side: side * asked(y) - most]
        part = leg(rates, t, until, y, *ends, direction=-1.0)
        t, y = part.t[-1], part.y[:, -1]
        if part.status == 0:
            return found, y
        found.append(("regulation" if side else "saturation", t))
        side = 0 if side else 1 if len(part.t_events[0]) else -1


GAINS = [
    (1.6, 42.0, 2.0, 55.0, 15.0),
    (0.8, 25.0, 6.0, 20.0, 15.0),
    (2.3, 58.0, 1.2, 40.0, 18.0),
]


def words(gains: tuple[float, ...]) -> str:
    target, k, d, ki, most = gains
    return (
        f"about h = servo({target}, {k} N*m/rad, {d} N*m*s, limit: {most} N*m, "
        f"integral: {ki} N*m/s)"
    )


@pytest.mark.parametrize("gains", GAINS)
def test_a_servo_with_an_integral_is_a_pid_with_back_calculation(gains: tuple[float, ...]) -> None:
    run = art.simulate(made(words(gains)), until=2.0, step=0.1)
    events, end = held(gains, 2.0)
    assert events
    check_told(run, events, "saturation", "regulation")
    found = [run.series(f"h.{each}")[-1] for each in ("angle", "rate")]
    assert [*found, run.series("hold.integral")[-1]] == pytest.approx(end, abs=2e-8)
    total = run.series("energy.total") - run.series("energy.work")
    assert np.ptp(total + run.series("energy.dissipated")) < 1e-8


def test_an_integral_holds_a_weight_that_a_spring_lets_sag() -> None:
    world = made("about h = servo(0.5, 40 N*m, 12 N*m*s, integral: 60 N*m/s)")
    run = art.simulate(world, until=10.0, step=0.5)
    assert run.series("h.angle")[-1] == pytest.approx(0.5, abs=1e-5)
    assert run.series("hold.integral")[-1] == pytest.approx(WEIGHT * np.cos(0.5), abs=1e-3)


def test_a_tension_is_integrated_too_and_all_methods_agree() -> None:
    said = "between arm.center and wall.center = servo(80 cm, 90 N/m, 12 N*s/m, limit: 60 N, "
    world = made(f"{said} integral: 150 N/m/s)", "slider(axis: x) as h")
    run = art.simulate(world, until=0.2, step=0.1)

    def rates(_: float, y: Array) -> list[float]:  # distance, speed, integral of the tension
        pull = -90.0 * (0.8 - y[0]) + 12.0 * y[1] + y[2]
        return [y[1], -pull / MASS, -150.0 * (0.8 - y[0])]

    known = leg(rates, 0.0, 0.2, np.array([0.5, 0.0, 0.0])).y[:, -1]
    for method, close in ((None, 1e-9), (art.RK4(2e-3), 1e-8), (art.RealTime(1e-3), 2e-3)):
        found = run if method is None else art.simulate(world, until=0.2, step=0.1, method=method)
        end = [found.series(f"hold.{each}")[-1] for each in ("distance", "speed", "integral")]
        assert end == pytest.approx(known, abs=close, rel=close)


@pytest.mark.slow
def test_at_a_stop_the_integral_does_not_wind_up_and_steps_say_the_same() -> None:
    gains = (2.0, 20.0, 5.0, 20.0, 30.0)
    world = made(words(gains), more="limits (-1 rad, 1 rad)")
    # at rest on the stop: 0 = ki e + (limit - asked) / T
    at = 30.0 - 20.0 * 1.0 + np.sqrt(5.0 / 20.0) * 20.0 * 1.0
    ends = []
    for method in (art.DOP853(), art.Stepping(step=1e-3), art.Stepping(step=5e-4)):
        run = art.simulate(world, until=6.0, step=0.5, method=method)
        assert run.series("h.angle")[-1] == pytest.approx(1.0, abs=1e-6)
        ends.append(run.series("hold.integral")[-1] - at)
    assert abs(ends[0]) < 1e-3
    # in steps the damper knows how fast the load would go without the stop: of first order
    assert 0.0 < ends[2] < ends[1] < 0.1
    assert ends[1] / ends[2] == pytest.approx(2.0, rel=0.01)


def test_a_run_goes_on_with_what_was_integrated() -> None:
    world = made(words(GAINS[0]))
    whole = art.simulate(world, until=1.0, step=0.1)
    on = art.simulate(world, start=whole.state(0.5), until=1.0, step=0.1)
    for path in ("h.angle", "h.rate", "hold.integral"):
        assert on.series(path)[-1] == whole.series(path)[-1]
    asked = "simulate arm {\n  time: (100 ms, 1 s)\n  on time 0.5 s: break other\n}\n"
    more = "join b to wall with pin(axis: z) as other matching (near, center)\n    "
    more += "place b by other.angle = 0"
    text = text_of(words(GAINS[0]))
    text = text.replace("arm: bar", "arm: bar; b: bar").replace(
        "place wall", f"{more}\n    place wall"
    )
    text = text.replace("place b", "ignore b with arm\n    place b")
    edited = art.simulate(art.parse(text + asked).requests[0])
    assert any(each.kind == "break" or each.kind == "edit" for each in edited.events)
    assert edited.series("h.angle")[-1] == pytest.approx(whole.series("h.angle")[-1], abs=1e-8)


def test_a_law_of_ones_own_integrates() -> None:
    said = "about h = clamp(9 N*m + integral, 0 N*m, 30 N*m) integrating 2 N*m/s - 3 N*m * rate"
    run = art.simulate(made(said), until=1.0, step=0.1)

    def rates(_: float, y: Array) -> list[float]:
        given = min(max(9.0 + y[2], 0.0), 30.0)
        return [y[1], (given - WEIGHT * np.cos(y[0])) / SPIN, 2.0 - 3.0 * y[1]]

    end = leg(rates, 0.0, 1.0, np.zeros(3)).y[:, -1]
    assert run.series("hold.integral")[-1] == pytest.approx(end[2], abs=1e-8)


@pytest.mark.parametrize(
    "said",
    [words(GAINS[1]), "about h = 2*integral - 3 N*m*s*rate integrating 5 W * (1 rad - angle)"],
)
def test_what_is_written_integrates_the_same(said: str) -> None:
    world = made(said)
    assert dict(art.parse(art_text(world)).world().forces) == dict(world.forces)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("servo(1, 2 N*m, integral: 3 N*m)", "is due"),
        ("servo(1, 2 N*m, integral: -3 N*m/s)", "numbers above 0"),
        ("servo(1, 0 N*m, integral: 3 N*m/s)", "numbers above 0"),
        ("2 * servo(1, 2 N*m, integral: 3 N*m/s)", "servo alone"),
        ("servo(1, 2 N*m, integral: 3 N*m/s) integrating 2 W", "says itself"),
        ("integral", "integral"),
        ("integral integrating 3 N*m", "is due"),
    ],
)
def test_what_is_wrong_with_an_integral_is_said(said: str, told: str) -> None:
    with pytest.raises(art.ArticulataError, match=told):
        made(f"about h = {said}")


def test_who_does_not_know_integrals_says_so() -> None:
    world = made(words(GAINS[0]))
    with pytest.raises(ModelError, match="does not know the integral of 'hold'"):
        art.simulate(world, until=0.1, method=art.Symplectic(1e-3))
    with pytest.raises(ModelError, match="goes on at rest"):
        art.rest(world)
