"""Problems of contact and impact with answers in closed form, written as texts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import articulata as art

G = 9.81
FINE = art.DOP853(1e-12, 1e-14)


def world(text: str) -> art.World:
    return art.parse(text).world("w")


def one(properties: str, geometry: str, placed: str, dynamics: str = "dynamics") -> art.World:
    """A body over the ground, gravity along -y."""
    return world(f"""
primitive thing {{ properties: ({properties}); geometry: {geometry}; {dynamics} }}
world w {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; b: thing }}
  structure {{ place b by {placed} }}
}}""")


def impacts(run: art.Recording) -> list[art.Event]:
    return [event for event in run.events if event.kind == "impact"]


def test_a_rocking_block_loses_what_housner_says() -> None:
    # G. W. Housner, Bull. Seismol. Soc. Am. 53 (1963) 403: at every impact the rate falls to
    # 1 - (3/2) sin^2 a of itself, a the angle of the diagonal; the half swings by quadrature
    half, height = 0.25, 1.0
    slope = math.atan(half / height)
    kept = 1 - 1.5 * math.sin(slope) ** 2
    arm = math.hypot(half, height)
    p2 = 3 * G / (4 * arm)

    def quarter(tilt: float) -> float:
        # from rest at ``tilt`` to flat: w^2 = 2 p^2 (cos(a - tilt) - cos(a - x))
        def rate(s: float) -> float:
            x = tilt * (1 - s * s)
            fast = 2 * p2 * (math.cos(slope - tilt) - math.cos(slope - x))
            return 2 * tilt * s / math.sqrt(fast)

        return float(quad(rate, 0, 1, epsabs=1e-13, epsrel=1e-13)[0])

    tilt = math.radians(5)
    run = art.simulate(
        one(
            "density: 1000, friction: 10, restitution: 0",
            "cuboid(0.5, 2, 0.5) where { corner: (0.25, -1, 0) }",
            "b.corner at (0, 0, 0) turned -5 deg about z",
        ),
        until=2.4,
        step=0.02,
    )
    at = quarter(tilt)
    met = impacts(run)
    assert len(met) >= 4
    for event in met[:4]:
        assert event.time == pytest.approx(at, abs=1e-8)
        before, after = (float(event.values[f"kinetic_{w}"]) for w in ("before", "after"))
        assert after / before == pytest.approx(kept**2, rel=1e-8)
        # how far it swings next: energy kept^2 of that before
        level = math.cos(slope - tilt) - math.cos(slope)
        tilt = slope - math.acos(math.cos(slope) + kept**2 * level)
        at += 2 * quarter(tilt)


@pytest.mark.parametrize("friction", [0.05, 0.9])
def test_a_spinning_ball_bounces_as_coulomb_and_newton_say(friction: float) -> None:
    e, v, w, radius = 0.8, 2.0, 5.0, 0.1
    run = art.simulate(
        one(
            f"density: 1000, friction: {friction}, restitution: {e}",
            "sphere(0.1)",
            "b.center at (0, 1.1, 0), velocity = ((2, 0, 0) (0, 0, 5))",
        ),
        until=0.6,
        step=0.1,
    )
    down = math.sqrt(2 * G)
    slip = v + w * radius
    change = min(friction * (1 + e) * down, 2 / 7 * slip)  # it grips where friction is enough
    assert run.series("b.v.x")[-1] == pytest.approx(v - change, abs=1e-10)
    turned = w - change * radius / (0.4 * radius**2)
    assert run.series("b.w.z")[-1] == pytest.approx(turned, abs=1e-9)
    (event,) = impacts(run)
    assert event.values["separation_speed"] == pytest.approx(e * down, abs=1e-10)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("degrees", [20.0, 50.0])
def test_a_dropped_rod_bounces_on_its_end(e: float, degrees: float) -> None:
    # without friction: (1 + e) v / (1/m + x^2/I) at the lower end, x its distance sideways
    m, inertia, tilt = 2.0, 2 / 3, math.radians(degrees)
    top = math.cos(tilt) + 0.01
    run = art.simulate(
        one(
            f"friction: 0, restitution: {e}",
            "capsule(1 cm, 2 m)",
            f"b.center at (0, {top + 0.5!r}, 0) turned 90 deg about x turned {degrees} deg about z",
            f"dynamics: (mass: {m}, inertia: ({inertia!r}, {inertia!r}, 1e-3))",
        ),
        until=0.33,
        step=0.03,
    )
    event = impacts(run)[0]
    assert event.time == pytest.approx(math.sqrt(1 / G), abs=1e-10)
    down, aside = math.sqrt(G), math.sin(tilt)
    impulse = (1 + e) * down / (1 / m + aside**2 / inertia)
    assert event.values["impulse"] == pytest.approx(impulse, rel=1e-9)
    if e > 0:
        assert abs(run.series("b.w.z")[-1]) == pytest.approx(impulse * aside / inertia, rel=1e-8)


@pytest.mark.parametrize("masses", [(3.0, 1.0), (20.0, 1.0)])
def test_a_small_ball_on_a_large_one_flies_high(masses: tuple[float, float]) -> None:
    # the large one turns round on the floor, then meets the small one, which still falls
    big, small = masses
    run = art.simulate(
        world(f"""
primitive big {{ properties: (restitution: 1); geometry: sphere(0.2); dynamics: (mass: {big}) }}
primitive small {{ properties: (restitution: 1); geometry: sphere(0.1); dynamics: (mass: {small}) }}
world w {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; a: big; b: small }}
  structure {{ place a by a.center at (0, 1.2, 0); place b by b.center at (0, 1.501, 0) }}
}}"""),
        until=0.455,
        step=0.005,
    )
    first, second = impacts(run)[:2]
    assert first.who == ("a", "floor")
    assert first.time == pytest.approx(math.sqrt(2 / G), abs=1e-12)
    down = math.sqrt(2 * G)
    # relative to the large one the small one comes at 2 v over 1 mm
    later = 1e-3 / (2 * down)
    assert second.time - first.time == pytest.approx(later, abs=1e-12)
    up, fall = down - G * later, -down - G * later
    center = (big * up + small * fall) / (big + small)
    gone = run.times[-1] - second.time
    assert run.series("b.v.y")[-1] == pytest.approx(2 * center - fall - G * gone, abs=1e-10)
    assert run.series("a.v.y")[-1] == pytest.approx(2 * center - up - G * gone, abs=1e-10)


def test_cars_on_a_line_pile_up_as_counted() -> None:
    # six cars of 1 m, 2 m apart, e = 0.5: every collision by hand, one after the other
    run = art.simulate(
        world("""
primitive car { properties: (restitution: 0.5); geometry: cuboid(1, 1, 1); dynamics: (mass: 1) }
world w {
  components { c[1..6]: car }
  structure {
    for i in 1..6 { place c[i] by c[i].center at (2 * i, 0, 0) }
    place c[1] by velocity = ((3, 0, 0) (0, 0, 0))
  }
}"""),
        until=8.0,
        step=0.1,
    )
    place, speed, now = [2.0 * i for i in range(6)], [3.0, 0, 0, 0, 0, 0], 0.0
    known: list[float] = []
    while True:
        waits = [
            (place[i + 1] - place[i] - 1) / (speed[i] - speed[i + 1])
            for i in range(5)
            if speed[i] > speed[i + 1] + 1e-12
        ]
        pairs = [i for i in range(5) if speed[i] > speed[i + 1] + 1e-12]
        if not waits or now + min(waits) > 8.0:
            break
        wait, i = min(zip(waits, pairs, strict=True))
        place = [x + v * wait for x, v in zip(place, speed, strict=True)]
        now += wait
        a, b = speed[i], speed[i + 1]
        speed[i], speed[i + 1] = 0.25 * a + 0.75 * b, 0.75 * a + 0.25 * b
        known.append(now)
    found = impacts(run)
    assert len(known) > 10
    assert [event.time for event in found] == pytest.approx(known, abs=1e-9)
    assert [run.series(f"c[{i}].v.x")[-1] for i in range(1, 7)] == pytest.approx(speed, abs=1e-10)


def test_a_billiard_break_keeps_energy_momentum_and_symmetry() -> None:
    rows = "\n".join(
        f"    place b[{n + k + 1}] by b[{n + k + 1}].center at"
        f" ({0.0285 * math.sqrt(3) * row!r}, {0.0285 * (2 * k - row)!r}, 0)"
        for row, n in enumerate((0, 1, 3, 6, 10))
        for k in range(row + 1)
    )
    run = art.simulate(
        world(f"""
primitive ball {{
  properties: (density: 1700, friction: 0, restitution: 1); geometry: sphere(0.0284); dynamics
}}
world w {{
  components {{ cue: ball; b[1..15]: ball }}
  structure {{
    place cue by cue.center at (-1, 0, 0), velocity = ((5, 0, 0) (0, 0, 0))
{rows}
  }}
}}"""),
        until=0.5,
        step=0.02,
    )
    assert len(impacts(run)) >= 8
    energy = run.series("energy.kinetic")
    assert np.ptp(energy) <= 1e-12 * energy[0]
    momentum = run.array("dynamic.momentum")
    assert np.ptp(momentum, axis=0) == pytest.approx(np.zeros(6), abs=1e-12)


def test_a_ball_circles_on_a_turntable() -> None:
    # rolling on a table of 2 rad/s the ball's centre turns at 2/7 of that about a point of its own
    rate, v = 2.0, np.array([0.0, 0.5])
    slip = (np.array([0.0, rate]) - v) / 0.1
    run = art.simulate(
        world(f"""
primitive table {{ properties: (friction: 1); geometry: cylinder(6, 0.1); dynamics: (mass: 1e9) }}
primitive ball {{ properties: (density: 1000, friction: 1); geometry: sphere(0.1); dynamics }}
world w {{
  gravity: (0, 0, -9.81)
  components {{ p: fixed_point; t: table; b: ball }}
  structure {{
    place p by p.center at (0, 0, 0)
    join t to p with pin(axis: z) matching (center, center)
    place t by velocity = ((0, 0, 0) (0, 0, {rate}))
    place b by b.center at (1, 0, 0.15),
      velocity = (({v[0]}, {v[1]}, 0) ({slip[1]}, {-slip[0]}, 0))
  }}
}}"""),
        until=6.0,
        step=0.1,
    )
    slow = 2 / 7 * rate
    middle = np.array([1 - v[1] / slow, v[0] / slow])
    turned = slow * run.times
    known = middle + (1 - middle[0]) * np.array([np.cos(turned), np.sin(turned)]).T
    assert run.series("b.center")[:, :2] == pytest.approx(known, abs=1e-8)


def test_a_ladder_leaves_the_wall_at_two_thirds_of_its_height() -> None:
    start = math.radians(70)
    leave = math.asin(2 / 3 * math.sin(start))
    run = art.simulate(
        world(f"""
primitive ladder {{
  properties: (friction: 0); geometry: capsule(1 mm, 2 m)
  dynamics: (mass: 1, inertia: (1/3, 1/3, 1e-4))
}}
world w {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; wall: ground; l: ladder }}
  structure {{
    place wall by wall.center at (0, 0, 0) turned -90 deg about z
    place l by l.center at ({math.cos(start) + 1e-3!r}, {math.sin(start) + 1e-3!r}, 0)
      turned 90 deg about y turned -70 deg about z
  }}
}}"""),
        until=1.2,
        step=0.02,
        method=FINE,
    )

    def slowness(s: float) -> float:
        fallen = (start - leave) * s * s
        # sin a - sin (a - x), without loss of digits for small x
        lower = 2 * math.cos(start - fallen / 2) * math.sin(fallen / 2)
        fast = math.sqrt(1.5 * G * lower)
        return 2 * (start - leave) * s / fast

    at = quad(slowness, 0, 1, epsabs=1e-13, epsrel=1e-13)[0]
    (event,) = (event for event in run.events if event.kind == "separation")
    assert set(event.who) == {"l", "wall"}
    assert event.time == pytest.approx(at, abs=1e-9)
    energy = run.series("energy.total")[run.times < impacts(run)[0].time]
    assert np.ptp(energy) <= 1e-9


def test_a_stick_falls_on_ice() -> None:
    tilt = math.radians(5)
    run = art.simulate(
        one(
            "friction: 0",
            "capsule(1 cm, 2 m)",
            f"b.center at (0, {math.cos(tilt) + 0.01!r}, 0)"
            " turned 90 deg about x turned 5 deg about z",
            "dynamics: (mass: 1, inertia: (1/3, 1/3, 1e-3))",
        ),
        until=1.0,
        step=0.02,
    )
    event = impacts(run)[0]
    rate = math.sqrt(1.5 * G * math.cos(tilt))
    assert event.values["approach_speed"] == pytest.approx(2 * rate, abs=1e-8)
    before = run.times < event.time
    assert run.series("b.center.x")[before] == pytest.approx(np.zeros(before.sum()), abs=1e-12)
    assert np.ptp(run.series("energy.total")[before]) <= 1e-8


@pytest.mark.parametrize(("degrees", "falls"), [(26.5, False), (26.6, True)])
def test_a_tall_block_topples_beyond_its_diagonal(degrees: float, falls: bool) -> None:
    # 0.5 by 1 m with friction enough: arctan(1/2) is 26.565 degrees
    a = math.radians(degrees)
    run = art.simulate(
        world(f"""
primitive thing {{
  properties: (density: 1000, friction: 2); geometry: cuboid(0.5, 1, 0.5); dynamics
}}
world w {{
  gravity: ({G * math.sin(a)!r}, {-G * math.cos(a)!r}, 0)
  components {{ floor: ground; b: thing }}
  structure {{ place b by b.center at (0, 0.5, 0) }}
}}"""),
        until=1.0,
        step=0.1,
    )
    turned = run.series("b.w.z")[-1]
    if not falls:
        assert turned == pytest.approx(0.0, abs=1e-12)
        return
    # about its lower edge: I = m (0.5^2 + 1) / 3, moment m g (0.5 sin a - 0.25 cos a), growing
    about, arm = 1.25 / 3, math.hypot(0.25, 0.5)
    lean = a - math.atan(0.5)
    fast = math.sqrt(G * arm / about)
    # small angles: lean cosh(fast t), to a share of its square
    assert turned == pytest.approx(-lean * fast * math.sinh(fast), rel=1e-3)


def test_a_hoop_rolls_straight_without_loss() -> None:
    run = art.simulate(
        one(
            "density: 1000, friction: 1, restitution: 0",
            "cylinder(0.1, 0.01)",
            "b.center at (0, 0.1, 0), velocity = ((1, 0, 0) (0, 0, -10))",
        ),
        until=2.0,
        step=0.05,
    )
    assert run.series("b.center")[-1] == pytest.approx([2.0, 0.1, 0.0], abs=1e-10)
    assert np.ptp(run.series("energy.total")) <= 1e-11
