"""Dry friction of hinges against closed forms and an integrator with equations of its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import articulata as art
from articulata.errors import ModelError, WorldError

PARTS = """
primitive bar {
  properties: (density: 7850 kg/m^3)
  geometry: cuboid(2 cm, 40 cm, 2 cm) where { top: (0, 20 cm, 0) }
  dynamics
}
primitive block {
  properties: (density: 2000 kg/m^3)
  geometry: cuboid(10 cm, 10 cm, 10 cm)
  dynamics
}
"""

PENDULUM = """
world w {
  gravity: (0, -9.81 m/s^2, 0)
  components { base: fixed_point; a: bar }
  structure {
    join a to base with pin(axis: z) as h matching (top, center) SAID
    place base by base.center at (0, 0, 0)
    place a by h.angle = START
    MORE
  }
}
"""

SPRUNG = """
world w {
  components { base, wall: fixed_point; a: block; b: block }
  structure {
    join a to base with slider(axis: x) as s matching (center, center) SAID
    join b to wall with slider(axis: x) as d matching (center, center) DRIVEN
    join b to a with spring(stiffness: 200 N/m, length: 1 m) matching (center, center)
    place base by base.center at (0, 0, 0)
    place wall by wall.center at (1 m, 0, 0)
    place a by s.travel = START
    place b by d.travel = 0
    ignore a with b
  }
}
"""

MASS = 7850.0 * 0.02 * 0.02 * 0.4
SPIN = MASS * (0.4**2 + 0.02**2) / 12.0 + MASS * 0.2**2
PULL = MASS * 9.81 * 0.2


def made(text: str, **words: str) -> art.World:
    for name, value in {"MORE": "", "DRIVEN": "driven by motor(speed: 0 m/s)", **words}.items():
        text = text.replace(name, value)
    return art.parse(PARTS + text).world("w")


def events(run: art.Recording, *kinds: str) -> list[art.Event]:
    return [each for each in run.events if each.kind in kinds]


def check_books(run: art.Recording, near: float = 1e-9) -> None:
    total, lost, work = (run.series(f"energy.{k}") for k in ("total", "dissipated", "work"))
    assert np.abs(total - total[0] + lost - work).max() < near


def rests(dry: float, static: float, angle: float) -> list[float]:
    """Return the angles at which the pendulum comes to rest, by its energy, until it stays."""
    found = [angle]
    while abs(PULL * np.sin(found[-1])) > static:
        here = found[-1]
        sign = -np.sign(here)

        def left(there: float, here: float = here) -> float:
            return float(PULL * (np.cos(there) - np.cos(here)) - dry * abs(there - here))

        # the end of a half swing lies beyond where the kinetic energy is largest
        top = -sign * np.arcsin(dry / PULL)
        found.append(brentq(left, top, sign * abs(here), xtol=1e-15))
    return found


@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(2e-3)])
def test_a_pendulum_loses_what_friction_takes_and_stops_where_it_holds(method: object) -> None:
    run = art.simulate(
        made(PENDULUM, SAID="friction 0.3 N*m", START="60 deg"), until=3.0, step=0.05, method=method
    )
    known = rests(0.3, 0.3, np.pi / 3.0)
    assert len(known) > 2
    near = 1e-9 if isinstance(method, art.DOP853) else 1e-5
    assert run.series("h.angle")[-1] == pytest.approx(known[-1], abs=near)
    (stuck,) = events(run, "stick")
    assert stuck.who == ("h",)
    late = np.array(run.times) > stuck.time
    assert np.abs(run.series("h.rate")[late]).max() < 1e-12
    torque = run.series("h.friction.torque")
    assert torque[-1] == pytest.approx(PULL * np.sin(known[-1]), abs=1e-8)
    assert np.abs(torque).max() <= 0.3 + 1e-12
    check_books(run)


def test_a_small_swing_loses_the_same_angle_every_half() -> None:
    """Of a pendulum that swings little, 2 tau / (m g l) a half swing."""
    known = np.abs(rests(2e-3, 2e-3, 0.01))
    assert np.abs(np.diff(known) + 2.0 * 2e-3 / PULL).max() < 1e-6
    run = art.simulate(
        made(PENDULUM, SAID="friction 0.002 N*m", START="0.01 rad"), until=5.0, step=0.05
    )
    (stuck,) = events(run, "stick")
    assert abs(run.series("h.angle")[-1]) == pytest.approx(known[-1], abs=1e-10)
    assert stuck.time > 2.0


def test_a_mass_on_a_spring_rests_after_whole_half_periods() -> None:
    # lengths lost by half: 2 F / k = 2 cm; 25.5 cm become 23.5, ... and 1.5 cm do not hold
    run = art.simulate(made(SPRUNG, SAID="friction 2 N", START="25.5 cm"), until=5.0, step=0.05)
    half = np.pi / np.sqrt(100.0)
    (stuck,) = events(run, "stick")
    assert stuck.time == pytest.approx(13 * half, abs=1e-9)
    assert run.series("s.travel")[-1] == pytest.approx(-(0.255 - 13 * 0.02), abs=1e-10)
    assert run.series("s.friction.force")[-1] == pytest.approx(
        200.0 * run.series("s.travel")[-1], abs=1e-7
    )
    check_books(run)


def test_what_holds_breaks_away_when_its_static_friction_is_passed() -> None:
    words = {"SAID": "friction(dry: 0.2 N*m, static: 0.5 N*m)", "START": "0 rad"}
    world = made(PENDULUM, **words, MORE="force push about h = 0.4 N*m/s * time")
    run = art.simulate(world, until=1.6, step=0.05)
    (slip,) = events(run, "slip")
    assert slip.time == pytest.approx(0.5 / 0.4, abs=1e-12)
    before = np.array(run.times) < 1.25
    assert np.abs(run.series("h.angle")[before]).max() < 1e-15
    assert np.allclose(run.series("h.friction.torque")[before], -0.4 * np.array(run.times)[before])

    def moves(t: float, y: np.ndarray) -> list[float]:
        return [y[1], (0.4 * t - 0.2 - PULL * np.sin(y[0])) / SPIN]

    known = solve_ivp(moves, (1.25, 1.6), [0.0, 0.0], "DOP853", rtol=1e-13, atol=1e-14)
    assert run.series("h.angle")[-1] == pytest.approx(known.y[0, -1], abs=1e-9)
    check_books(run)


def independent(
    law: Callable[[float], float], static: float, speed: float, until: float
) -> tuple[list[float], float]:
    """Return when a block on a spring whose end moves at a speed slips and sticks, and its place.

    Block of 2 kg, spring of 200 N/m; it starts at rest with the spring slack.
    """
    t, x, times = 0.0, 0.0, []
    while True:
        t = max(t, (static / 200.0 + x) / speed)  # the spring's pull grows until it breaks away
        if t >= until:
            return times, x
        times.append(t)

        def moves(t: float, y: np.ndarray) -> list[float]:
            return [y[1], (200.0 * (speed * t - y[0]) - law(y[1])) / 2.0]

        def stops(t: float, y: np.ndarray, begun: float = t) -> float:
            return float(y[1]) if t > begun + 1e-3 else 1.0

        stops.terminal, stops.direction = True, -1  # type: ignore[attr-defined]
        found = solve_ivp(
            moves, (t, until), [x, 0.0], "DOP853", events=stops, rtol=1e-12, atol=1e-14,
            max_step=0.01,
        )  # fmt: skip
        t, x = float(found.t[-1]), float(found.y[0, -1])
        if t >= until:
            return times, x
        times.append(t)


@pytest.mark.parametrize(
    ("said", "law", "static"),
    [
        ("dry: 4 N, static: 7 N", lambda v: 4.0, 7.0),
        ("dry: 4 N, static: 6 N, viscous: 0.5 N*s/m", lambda v: 4.0 + 0.5 * v, 6.0),
        (
            "dry: 4 N, static: 7 N, speed: 5 cm/s",
            lambda v: 4.0 + 3.0 * np.exp(-((v / 0.05) ** 2)),
            7.0,
        ),
        (
            "dry: 2 N, static: 5 N, speed: 10 cm/s, viscous: 2 N*s/m",
            lambda v: 2.0 + 3.0 * np.exp(-((v / 0.1) ** 2)) + 2.0 * v,
            5.0,
        ),
        ("dry: 1 N, static: 3 N", lambda v: 1.0, 3.0),
    ],
)  # fmt: skip
def test_stick_and_slip_of_a_block_pulled_by_a_spring(
    said: str, law: Callable[[float], float], static: float
) -> None:
    world = made(
        SPRUNG, SAID=f"friction({said})", START="0 m", DRIVEN="driven by motor(speed: 10 cm/s)"
    )
    run = art.simulate(world, until=2.5, step=0.05)
    times, x = independent(law, static, 0.1, 2.5)
    told = [each.time for each in events(run, "slip", "stick")]
    assert len(times) >= 4
    assert len(told) == len(times)
    assert np.abs(np.array(told) - times).max() < 1e-6
    assert run.series("s.travel")[-1] == pytest.approx(x, abs=1e-7)
    check_books(run, 1e-8)


STRUCK = """
primitive ball {
  properties: (density: 7850 kg/m^3)
  geometry: sphere(3 cm)
  dynamics
}
world w {
  components { base: fixed_point; a: bar; b: ball }
  structure {
    join a to base with pin(axis: z) as h matching (top, center) SAID
    place base by base.center at (0, 0, 0)
    place a by h.angle = 0 rad
    place b by b.center at (-10 cm, -30 cm, 0), velocity = ((1 m/s, 0, 0) (0, 0, 0))
  }
}
"""


def test_a_blow_is_stronger_than_any_friction() -> None:
    """Friction that holds bears no impulse: the bar leaves as fast as without, then is slowed."""
    runs = [
        art.simulate(made(STRUCK, SAID=said), until=0.3, step=0.01)
        for said in ("", "friction(dry: 3 N*m, static: 9 N*m)")
    ]
    struck = [events(run, "impact")[0] for run in runs]
    for key in ("kinetic_after", "impulse"):
        assert struck[0].values[key] == pytest.approx(struck[1].values[key], rel=1e-9)
    rates = runs[0].series("h.rate")[-1], runs[1].series("h.rate")[-1]
    assert abs(rates[0]) > 0.5
    assert rates[1] == pytest.approx(0.0, abs=1e-12)
    assert [each.kind for each in events(runs[1], "slip", "stick")] == ["slip", "stick"]
    check_books(runs[1])


def test_runs_go_on_bit_for_bit_while_a_hinge_holds_or_slides() -> None:
    world = made(
        SPRUNG,
        SAID="friction(dry: 4 N, static: 7 N)",
        START="0 m",
        DRIVEN="driven by motor(speed: 10 cm/s)",
    )
    whole = art.simulate(world, until=0.8, step=0.05)
    for frame in (2, 8, 11):
        state = whole.state_of(frame)
        more = art.simulate(whole.worlds[state.version], until=0.8, step=0.05, start=state)
        assert more.series("s.travel")[-1] == whole.series("s.travel")[-1]
        assert more.series("s.rate")[-1] == whole.series("s.rate")[-1]


def test_steps_stick_exactly_and_stop_nearly_there() -> None:
    world = made(PENDULUM, SAID="friction 0.3 N*m", START="60 deg")
    run = art.simulate(world, until=3.0, step=0.05, method=art.Stepping(2e-3))
    assert run.series("h.angle")[-1] == pytest.approx(rests(0.3, 0.3, np.pi / 3.0)[-1], abs=4e-3)
    assert np.abs(run.series("h.rate")[-10:]).max() < 1e-12
    assert len(events(run, "stick")) == 1
    torque = run.series("h.friction.torque")
    assert torque[-1] == pytest.approx(PULL * np.sin(run.series("h.angle")[-1]), abs=1e-8)
    pulled = made(
        PENDULUM,
        SAID="friction(dry: 0.2 N*m, static: 0.5 N*m)",
        START="0 rad",
        MORE="force push about h = 0.4 N*m/s * time",
    )
    run = art.simulate(pulled, until=1.6, step=0.01, method=art.Stepping(2e-3))
    (slip,) = events(run, "slip")
    assert slip.time == pytest.approx(1.25, abs=4e-3)


def test_methods_that_cannot_stick_are_refused_with_advice() -> None:
    world = made(PENDULUM, SAID="friction 0.3 N*m", START="60 deg")
    for method in (art.RealTime(1e-3), art.Symplectic(1e-3)):
        with pytest.raises(ModelError, match="take DOP853, RK4 or Stepping"):
            art.simulate(world, until=0.1, step=0.01, method=method)
    viscous = made(PENDULUM, SAID="friction(viscous: 0.1 N*m*s)", START="60 deg")
    run = art.simulate(viscous, until=0.1, step=0.01, method=art.RealTime(1e-3))
    assert run.series("h.friction.torque")[-1] == pytest.approx(-0.1 * run.series("h.rate")[-1])


@pytest.mark.parametrize("said", ["dry: 0 N*m", "viscous: 0 N*m*s", "dry: 0 N*m, static: 0 N*m"])
def test_a_friction_given_as_zero_takes_no_energy(said: str) -> None:
    run = art.simulate(
        made(PENDULUM, SAID=f"friction({said})", START="60 deg"), until=0.5, step=0.01
    )
    fallen = MASS * 9.81 * 0.2 * (np.cos(run.series("h.angle")) - 0.5)
    assert SPIN * run.series("h.rate") ** 2 / 2.0 == pytest.approx(fallen, abs=1e-8)


def test_a_friction_without_a_torque_is_refused() -> None:
    with pytest.raises(WorldError, match="needs a dry or a viscous torque"):
        made(PENDULUM, SAID="friction(speed: 1 rad/s)", START="60 deg")


def test_mujoco_takes_dry_friction_as_its_loss() -> None:
    pytest.importorskip("mujoco")
    world = made(PENDULUM, SAID="friction(dry: 0.2 N*m, viscous: 0.01 N*m*s)", START="60 deg")
    exact = art.simulate(world, until=0.3, step=0.1)
    run = art.simulate(world, until=0.3, step=0.1, method=art.MuJoCo(step=1e-3))
    assert run.series("h.angle")[-1] == pytest.approx(exact.series("h.angle")[-1], abs=2e-3)
