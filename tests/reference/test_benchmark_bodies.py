"""Motions of free bodies, tops, masses on springs and in orbit whose course is a closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import articulata as art
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_to_matrix

G = 9.81
FINE = art.DOP853(1e-13, 1e-15)


def body_rates(run: art.Recording, name: str) -> Array:
    """Angular velocity of a body in its own axes (n, 3)."""
    labels = list(run.world.bodies)
    R = q_to_matrix(run.array("geometric.pose")[:, labels.index(name), 3:])
    return np.einsum("nji,nj->ni", R.reshape(-1, 3, 3), run.series(f"{name}.w"))


FREE = """
primitive body {{ geometry: cuboid(0.1, 0.2, 0.3); dynamics: (mass: 1, inertia: {inertia}) }}
world free {{
  components {{ b: body }}
  structure {{ place b by b.center at (0, 0, 0), velocity = ((0, 0, 0) {rate}) }}
}}
"""


def free(inertia: tuple[float, ...], rate: tuple[float, ...]) -> art.World:
    return art.parse(FREE.format(inertia=inertia, rate=rate)).world("free")


def test_a_free_body_turns_over_as_jacobis_functions_say() -> None:
    # Landau & Lifshitz, Mechanics, section 37: I1 < I2 < I3, M^2 > 2 E I2; near the separatrix the
    # body flips about its middle axis again and again
    inertia, a, c = (1.0, 2.0, 3.0), 1.0, 0.58
    run = art.simulate(free(inertia, (a, 0.0, c)), until=60.0, step=0.25, method=FINE)
    twice, square = a * a + 3 * c * c, a * a + 9 * c * c
    fast = np.sqrt((square - twice) / 6)
    k2 = (3 * twice - square) / (square - twice)
    assert 0.98 < k2 < 1
    sn, cn, dn, _ = ellipj(fast * run.times, k2)
    known = np.array([a * cn, np.sqrt((3 * twice - square) / 2) * sn, c * dn]).T
    assert body_rates(run, "b") == pytest.approx(known, abs=1e-7)
    assert run.times[-1] > 4 * ellipk(k2) / fast  # more than one whole period
    assert np.ptp(run.array("dynamic.momentum"), axis=0) == pytest.approx(np.zeros(6), abs=1e-11)
    assert np.ptp(run.series("energy.kinetic")) <= 1e-12


def test_a_free_body_flips_about_its_middle_axis() -> None:
    run = art.simulate(free((1.0, 2.0, 3.0), (1e-3, 5.0, 1e-3)), until=20.0, step=0.02)
    middle = body_rates(run, "b")[:, 1]
    assert np.max(middle) == pytest.approx(5.0, abs=1e-5)
    assert np.min(middle) == pytest.approx(-5.0, abs=1e-4)
    for axis in (0, 2):  # about the two others it stays
        rate = [1e-3, 1e-3, 1e-3]
        rate[axis] = 5.0
        run = art.simulate(free((1.0, 2.0, 3.0), tuple(rate)), until=20.0, step=0.1)
        assert np.min(body_rates(run, "b")[:, axis]) >= 5.0 - 1e-5


def test_a_free_symmetric_body_cones_at_eulers_rate() -> None:
    run = art.simulate(free((2.0, 2.0, 3.0), (0.3, 0.0, 4.0)), until=10.0, step=0.1, method=FINE)
    turn = (3.0 - 2.0) / 2.0 * 4.0 * run.times
    known = np.array([0.3 * np.cos(turn), 0.3 * np.sin(turn), np.full_like(turn, 4.0)]).T
    assert body_rates(run, "b") == pytest.approx(known, abs=1e-10)


TOP = """
primitive top {{
  geometry: cone(0.1 m, 0.2 m) where {{ tip: (0, 0, -0.1) }}
  dynamics: (mass: 2, center: (0, 0, 0.05), inertia: (0.02, 0.02, 0.01))
}}
world lagrange {{
  gravity: (0, 0, -9.81)
  components {{ floor: fixed_point; t: top }}
  structure {{
    place floor by floor.center at (0, 0, 0)
    join t to floor with ball matching (tip, center)
    place t by t.tip at (0, 0, 0) turned {tilt!r} rad about x, velocity = ((0, 0, 0) {rate})
  }}
}}
"""


@pytest.mark.parametrize("tilt", [0.4, 1.2, 2.3])
@pytest.mark.parametrize("slow", [True, False])
def test_a_top_precesses_steadily(tilt: float, slow: bool) -> None:
    # steady precession p with spin rate s about the axis: A cos(t) p^2 - C n p + m g l = 0, with
    # n the whole rate about the axis and A about the tip (any text on tops)
    m, arm, about, axial, n = 2.0, 0.15, 0.02 + 2.0 * 0.15**2, 0.01, 260.0
    p = np.roots([about * np.cos(tilt), -axial * n, m * G * arm])
    rate = float(sorted(p.real, key=abs)[0 if slow else 1])
    axis = np.array([0.0, -np.sin(tilt), np.cos(tilt)])
    across = np.array([0.0, 0.0, rate]) - rate * np.cos(tilt) * axis
    w = tuple((across + n * axis).tolist())
    world = art.parse(TOP.format(tilt=tilt, rate=w)).world("lagrange")
    run = art.simulate(world, until=2.0, step=0.02, method=FINE)
    tip = run.series("t.mass_center")
    turned = rate * run.times
    known = arm * np.array(
        [
            np.sin(tilt) * np.sin(turned),
            -np.sin(tilt) * np.cos(turned),
            np.cos(tilt) * np.ones_like(turned),
        ]
    )
    assert tip == pytest.approx(known.T, abs=1e-8)


ORBIT = """
primitive planet {{ geometry: sphere(1 cm); dynamics: (mass: 1) }}
world kepler {{
  components {{ sun: fixed_point; p: planet }}
  structure {{
    place sun by sun.center at (0, 0, 0)
    place p by p.center at (1, 0, 0), velocity = ((0, {speed!r}, 0) (0, 0, 0))
    force pull between p.center and sun.center = 1 N*m^2 / (distance * distance)
  }}
}}
"""


@pytest.mark.parametrize("eccentricity", [0.0, 0.3, 0.9])
def test_a_planet_follows_keplers_equation(eccentricity: float) -> None:
    # starts at the perihelion, 1 m from the sun: a = 1 / (1 - e), mean motion a^-3/2
    speed, a = np.sqrt(1 + eccentricity), 1 / (1 - eccentricity)
    world = art.parse(ORBIT.format(speed=float(speed))).world("kepler")
    until = 2 * np.pi * a**1.5
    run = art.simulate(world, until=until, step=until / 40, method=FINE)
    mean = run.times / a**1.5
    E = [
        brentq(lambda x, mean=mean: x - eccentricity * np.sin(x) - mean, -1, 7, xtol=1e-15)
        for mean in mean.tolist()
    ]
    known = np.array([a * (np.cos(E) - eccentricity), a * np.sqrt(1 - eccentricity**2) * np.sin(E)])
    assert run.series("p.center")[:, :2] == pytest.approx(known.T, abs=1e-9 * a)
    assert np.linalg.norm(run.series("p.center")[-1] - [1, 0, 0]) <= 1e-9 * a


SPRING = """
primitive block {{ geometry: sphere(1 cm); dynamics: (mass: 2) }}
world spring {{
  components {{ wall: fixed_point; b: block }}
  structure {{
    place wall by wall.center at (0, 0, 0)
    join b to wall with slider(axis: x) matching (center, center)
    join b to wall with spring(stiffness: 50 N/m, length: 1 m, damping: {damping!r} N*s/m)
      matching (center, center)
    place b by b.travel = 1.4
  }}
}}
"""


@pytest.mark.parametrize("damping", [0.0, 1.0, 20.0, 60.0])
def test_a_damped_spring_swings_as_its_closed_form(damping: float) -> None:
    # under, critically (20) and over damped
    run = art.simulate(
        art.parse(SPRING.format(damping=damping)).world("spring"), until=3.0, step=0.05, method=FINE
    )
    t, z = run.times, damping / 4
    root = np.sqrt(complex(z * z - 25))
    if abs(root) < 1e-9:
        known = 0.4 * (1 + z * t) * np.exp(-z * t)
    else:
        known = (0.4 * np.exp(-z * t) * (np.cosh(root * t) + z / root * np.sinh(root * t))).real
    assert run.series("b.travel") - 1 == pytest.approx(known, abs=1e-11)
    total = run.series("energy.total") + run.series("energy.dissipated")
    assert np.ptp(total) <= 1e-11


CONE = """
primitive bob {{
  geometry: sphere(1 cm) where {{ hook: (0, 0, 2 m) }}
  dynamics: (mass: 1)
}}
world conical {{
  gravity: (0, 0, -9.81)
  components {{ hook: fixed_point; b: bob }}
  structure {{
    place hook by hook.center at (0, 0, 0)
    join b to hook with ball matching (hook, center)
    place b by b.hook at (0, 0, 0) turned {tilt!r} rad about x,
      velocity = ((0, 0, 0) (0, 0, {rate!r}))
  }}
}}
"""


@pytest.mark.parametrize("tilt", [0.1, 1.0, 1.5])
def test_a_conical_pendulum_circles_at_huygens_rate(tilt: float) -> None:
    rate = float(np.sqrt(G / (2 * np.cos(tilt))))
    world = art.parse(CONE.format(tilt=tilt, rate=rate)).world("conical")
    run = art.simulate(world, until=2 * np.pi / rate, step=0.05, method=FINE)
    center, t = run.series("b.center"), run.times
    across = 2 * np.sin(tilt)
    known = np.array(
        [-across * np.sin(rate * t), across * np.cos(rate * t), -2 * np.cos(tilt) + 0 * t]
    )
    assert center == pytest.approx(known.T, abs=1e-9)


PENDULUM = """
primitive bob {{
  geometry: sphere(1 cm) where {{ hook: (0, 1 m, 0) }}
  dynamics: (mass: 1, inertia: (1e-12, 1e-12, 1e-12))
}}
world pendulum {{
  gravity: (0, -9.81, 0)
  components {{ hook: fixed_point; b: bob }}
  structure {{
    place hook by hook.center at (0, 0, 0)
    join b to hook with pin(axis: z) matching (hook, center)
    place b by b.angle = {angle!r} rad
  }}
}}
"""


@pytest.mark.parametrize("degrees", [-90.0, 30.0, 120.0, 179.0, 179.9])
def test_a_simple_pendulum_swings_as_jacobis_functions_say(degrees: float) -> None:
    # problem A01 of the benchmark library starts from the horizontal
    start = float(np.radians(degrees))
    world = art.parse(PENDULUM.format(angle=start)).world("pendulum")
    run = art.simulate(world, until=10.0, step=0.05, method=FINE)
    k = np.sin(abs(start) / 2)
    # from rest: sin(angle / 2) = k cd, cd = cn / dn
    _, cn, dn, _ = ellipj(np.sqrt(G) * run.times, k * k)
    known = 2 * np.arcsin(k * cn / dn)
    assert run.series("b.angle") == pytest.approx(np.sign(start) * known, abs=1e-7)
