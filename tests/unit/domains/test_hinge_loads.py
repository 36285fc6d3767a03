"""Friction by the reaction of its hinge, against closed forms and equations of the tests' own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import articulata as art
from articulata.errors import ModelError, SimulationError, WorldError
from unit.domains.test_couplings import ENGINE, bar, crank_inertia
from unit.domains.test_couplings import made as engine
from unit.domains.test_hinge_friction import MASS, PENDULUM, PULL, SPIN, check_books, made

PULLED, ARM = 9.81, 0.2
"""Gravity, m/s^2, and how far the mass centre of a bar is from its pin, m."""

SLOPE = """
world w {
  gravity: (GX, GY, 0)
  components { base, wall: fixed_point; a, b: block }
  structure {
    join a to base with slider(axis: x) as s matching (center, center) friction(coefficient: 0.4)
    place base by base.center at (0, 0, 0)
    place wall by wall.center at (1 m, 0, 0)
    place a by s.travel = 0
    place b by center at (0, B, 0)
    MORE
  }
}
"""

BLOCK = 2000.0 * 0.1**3


def sloping(angle: float, more: str = "", above: str = "5 m") -> art.World:
    down = PULLED * np.array([np.sin(angle), -np.cos(angle)])
    gx, gy = (f"{each!r} m/s^2" for each in down.tolist())
    return made(SLOPE, GX=gx, GY=gy, MORE=more, B=above)


def swung(arm: float, until: float) -> tuple[list[float], float]:
    """Return when a pendulum from 60 deg rests by friction ``arm`` (m) times its load, and where.

    Its reaction follows from its own Newton and Euler: along the bar, and across it.
    """

    def speeds_up(q: float, rate: float, way: float) -> float:
        along = MASS * (PULLED * np.cos(q) + ARM * rate**2)

        def speeding(load: float) -> float:
            return (-PULL * np.sin(q) - way * arm * load) / SPIN

        def left(load: float) -> float:
            across = MASS * (ARM * speeding(load) + PULLED * np.sin(q))
            return float(np.hypot(along, across)) - load

        return speeding(brentq(left, 0.0, 1e3, xtol=1e-14, rtol=1e-14))

    time, q, way, stops = 0.0, np.pi / 3.0, -1.0, list[float]()
    while time < until:
        turns = lambda t, y, begun=time, way=way: y[1] if t > begun + 1e-6 else way  # noqa: E731
        turns.terminal = True
        found = solve_ivp(
            lambda _, y, way=way: [y[1], speeds_up(y[0], y[1], way)],
            (time, until), [q, 0.0], "DOP853", events=turns, rtol=1e-13, atol=1e-14,
        )  # fmt: skip
        time, q, way = float(found.t[-1]), float(found.y[0, -1]), -way
        if time < until:
            stops.append(time)
            # held, it bears its weight
            if PULL * abs(np.sin(q)) <= arm * MASS * PULLED:
                break
    return stops, q


@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(1e-3)])
def test_a_pendulum_rubs_by_what_its_pin_bears(method: object) -> None:
    said = "friction(coefficient: 0.3, radius: 4 cm)"
    world = made(PENDULUM, SAID=said, START="60 deg")
    run = art.simulate(world, until=5.0, step=0.05, method=method)
    stops, rest = swung(0.012, 5.0)
    exact = isinstance(method, art.DOP853)
    assert len(stops) > 3
    assert run.series("h.angle")[-1] == pytest.approx(rest, abs=1e-8 if exact else 1e-5)
    (stuck,) = [each for each in run.events if each.kind == "stick"]
    assert stuck.time == pytest.approx(stops[-1], abs=1e-8 if exact else 1e-5)
    assert f"of {0.012 * MASS * PULLED:.6g} hold" in stuck.story
    assert run.series("h.friction.torque")[-1] == pytest.approx(PULL * np.sin(rest), abs=1e-7)
    check_books(run, 1e-9 if exact else 1e-6)


def test_a_journal_holds_its_weight_up_to_coefficient_times_radius_times_load() -> None:
    said = "friction(dry: 0.05 N*m, coefficient: 0.2, radius: 3 cm)"
    more = "force push about h = 0.4 N*m/s * time"
    world = made(PENDULUM, SAID=said, START="0 rad", MORE=more)
    run = art.simulate(world, until=1.0, step=0.05)
    (slip,) = [each for each in run.events if each.kind == "slip"]
    most = 0.05 + 0.2 * 0.03 * MASS * PULLED
    assert slip.time == pytest.approx(most / 0.4, abs=1e-12)
    assert slip.values["torque"] == pytest.approx(most, abs=1e-12)
    check_books(run)


@pytest.mark.parametrize("angle", [0.99, 1.01])
def test_a_slider_holds_up_to_the_angle_of_friction(angle: float) -> None:
    lean = angle * float(np.arctan(0.4))
    run = art.simulate(sloping(lean), until=1.0, step=0.1)
    pull = PULLED * (np.sin(lean) - 0.4 * np.cos(lean))
    assert run.series("s.travel")[-1] == pytest.approx(max(0.0, 0.5 * pull), abs=1e-10)


def test_a_slider_bears_what_lies_on_it() -> None:
    world = sloping(
        0.0, "force pull between a.center and wall.center = 10 N/s * time", above="10 cm"
    )
    run = art.simulate(world, until=2.0, step=0.05, contact=art.Contact())
    (slip,) = [each for each in run.events if each.kind == "slip" and "s" in each.who]
    assert slip.time == pytest.approx(0.4 * 2.0 * BLOCK * PULLED / 10.0, abs=1e-8)


def test_the_piston_of_a_crank_rubs_by_its_side_thrust() -> None:
    """All out of the plane is redundant there; in it the guide bears what the rod's lean gives."""
    text = ENGINE.replace("BORE", "friction(coefficient: 0.3)")
    text = text.replace("main.angle = 0", "main.angle = 0.5 rad")
    text = text.replace("world w {", "world w { gravity: (0, -9.81 m/s^2, 0)")
    run = art.simulate(engine(text, MOTOR="driven by motor(torque: 2 N*m)"), until=0.12, step=0.02)
    (m1, _), (m2, J2), (m3, _) = bar(0.1), bar(0.3), bar(0.08)
    r, rod = 0.1, 0.3

    def speeds_up(q: float, rate: float) -> float:
        sine, cosine = -r / rod * np.sin(q), np.sqrt(1.0 - (r / rod * np.sin(q)) ** 2)
        lean = -r * np.cos(q) / (rod * cosine)
        slide = -r * np.sin(q) - rod * sine * lean
        slope = np.imag(crank_inertia(complex(q, 1e-30))) / 1e-30
        weight = -PULLED * np.cos(q) * (m1 + m2) * r / 2.0

        def speeding(load: float) -> float:
            drag = 0.3 * abs(load) * abs(slide)
            return (2.0 + weight - drag - 0.5 * slope * rate**2) / float(crank_inertia(q))

        def left(load: float) -> float:
            a = speeding(load)
            turn = (rod * sine * (lean * rate) ** 2 - r * (np.cos(q) * a - np.sin(q) * rate**2)) / (
                rod * cosine
            )
            big = r * np.array([-np.sin(q) * a - np.cos(q) * rate**2,
                                np.cos(q) * a - np.sin(q) * rate**2])  # fmt: skip
            half = (
                rod
                / 2.0
                * (turn * np.array([-sine, cosine]) - (lean * rate) ** 2 * np.array([cosine, sine]))
            )
            middle, end = big + half, big + 2.0 * half
            push = m3 * end[0] - 0.3 * abs(load)  # against its friction, which is along +x
            dx, dy = rod / 2.0 * cosine, rod / 2.0 * sine
            side = (2 * dy * push + dy * m2 * middle[0] - dx * m2 * (middle[1] + PULLED)
                    - J2 * turn) / (2.0 * dx)  # fmt: skip
            return float(m3 * PULLED - side - load)

        return speeding(brentq(left, -1e4, 1e4, xtol=1e-13, rtol=1e-14))

    known = solve_ivp(
        lambda _, y: [y[1], speeds_up(*y)], (0.0, 0.12), [0.5, 0.0], "DOP853",
        t_eval=run.times, rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    assert 1.0 < known.y[0, -1] < np.pi
    assert np.abs(run.series("e.main.angle") - known.y[0]).max() < 1e-8
    check_books(run)


def test_pins_of_a_double_pendulum_rub_by_each_others_loads() -> None:
    more = """join b to a with pin(axis: z) as k matching (top, center) SAID
    ignore a with b
    place b by k.angle = -0.9 rad"""
    text = PENDULUM.replace("a: bar", "a, b: bar").replace("MORE", more)
    arms, ways = np.array([0.005, 0.005]), np.array([-1.0, 1.0])
    world = made(text, SAID="friction(coefficient: 0.1, radius: 5 cm)", START="1 rad")
    run = art.simulate(world, until=0.2, step=0.05)
    J = SPIN - MASS * ARM**2

    def moves(_: float, y: np.ndarray) -> np.ndarray:
        """Bar b hangs at the middle of bar a; y are both angles and rates in the world."""
        q, v, loads = y[:2], y[2:], np.zeros((2, 2))
        e, n = np.array([np.sin(q), -np.cos(q)]), np.array([np.cos(q), np.sin(q)])
        for _ in range(60):
            t = -ways * arms * np.linalg.norm(loads, axis=1)
            # unknown: angular accelerations (2), reactions at the base and between (4)
            A, x = np.zeros((6, 6)), np.zeros(6)
            weight = np.array([0.0, -MASS * PULLED])
            A[0:2, 0], A[0:2, 2:4], A[0:2, 4:6] = MASS * ARM * n[:, 0], -np.eye(2), np.eye(2)
            x[0:2] = weight + MASS * ARM * v[0] ** 2 * e[:, 0]
            A[2:4, 0], A[2:4, 1], A[2:4, 4:6] = (
                MASS * ARM * n[:, 0],
                MASS * ARM * n[:, 1],
                -np.eye(2),
            )
            x[2:4] = weight + MASS * ARM * (v[0] ** 2 * e[:, 0] + v[1] ** 2 * e[:, 1])
            # about the mass centres: the pins are -ARM e from them; b's pin is at a's
            A[4, 0], A[4, 2:4] = J, ARM * np.array([-e[1, 0], e[0, 0]])
            x[4] = t[0] - t[1]
            A[5, 1], A[5, 4:6] = J, ARM * np.array([-e[1, 1], e[0, 1]])
            x[5] = t[1]
            solved = np.linalg.solve(A, x)
            loads = solved[2:].reshape(2, 2)
        return np.array([*v, *solved[:2]])

    known = solve_ivp(
        moves, (0.0, 0.2), [1.0, 0.1, 0.0, 0.0], "DOP853", t_eval=run.times,
        rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    assert np.abs(run.series("h.angle") - known.y[0]).max() < 1e-8
    assert np.abs(run.series("k.angle") - (known.y[1] - known.y[0])).max() < 1e-8
    check_books(run)


def test_friction_that_outgrows_what_drives_it_jams_by_name() -> None:
    text = ENGINE.replace("BORE", "friction(coefficient: 9)")
    text = text.replace("main.angle = 0", "main.angle = 0.5 rad")
    world = engine(text, MOTOR="driven by motor(speed: 60 rpm)")
    with pytest.raises(SimulationError, match=r"hinge 'e\.bore' jams"):
        art.simulate(world, until=0.1, step=0.02)


def test_words_of_loads_are_written_and_read_back() -> None:
    said = "friction(dry: 0.05 N*m, coefficient: 0.2, radius: 3 cm)"
    world = made(PENDULUM, SAID=said, START="0 rad")
    (law,) = [each.friction for each in world.couplings.values()]
    again = art.parse(art.art_text(world)).world("w")
    assert law is not None
    assert law.by_load == pytest.approx(0.006)
    assert [each.friction for each in again.couplings.values()] == [law]


@pytest.mark.parametrize(
    "said",
    [
        "friction(coefficient: 0.2)",
        "friction(radius: 3 cm, dry: 1 N*m)",
        "friction(coefficient: -0.2, radius: 3 cm)",
    ],
)
def test_a_pin_asks_for_coefficient_and_radius(said: str) -> None:
    with pytest.raises(WorldError):
        made(PENDULUM, SAID=said, START="0 rad")


@pytest.mark.parametrize("method", [art.Stepping(1e-3), art.RealTime(1e-3), art.Symplectic(1e-3)])
def test_steps_that_know_no_loads_refuse_them(method: object) -> None:
    said = "friction(coefficient: 0.3, radius: 4 cm)"
    with pytest.raises(ModelError, match="'h'"):
        art.simulate(made(PENDULUM, SAID=said, START="0 rad"), until=0.1, step=0.1, method=method)
