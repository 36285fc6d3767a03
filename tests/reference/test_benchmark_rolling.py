"""Discs, tops and dimers on the ground, and a mechanism that strikes a stop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art
from articulata.geometry.arrays import Array

G = 9.81
UP = np.array([0.0, 1.0, 0.0])

DISC = """
primitive disc {{
  properties: (density: 1000, friction: 50, restitution: 0); geometry: cylinder(0.1, 0.01); dynamics
}}
world w {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; b: disc }}
  structure {{
    place b by b.center at (0, {height!r}, 0) turned {tilt} deg about x, velocity = ({v} {w})
  }}
}}
"""


def rolling(tilt: float, rate: Array, times: Array) -> tuple[Array, Array, float]:
    """Where the centre of a rolling disc is, its first velocity and height.

    The Newton-Euler equations with the lowest point r of the rim at rest: v = r x w,
    d(L)/dt = r x m (dv/dt + g).
    """
    h, R = 0.01, 0.1
    m = 1000.0 * math.pi * R * R * h
    about, axial = m * (3 * R * R + h * h) / 12, m * R * R / 2

    def arm(n: Array) -> Array:
        c = UP @ n
        return np.asarray(-np.sign(c) * h / 2 * n - R * (UP - c * n) / math.sqrt(1 - c * c))

    def rates(t: float, z: Array) -> Array:
        n, w = z[:3], z[3:6]
        dn = np.cross(w, n)
        c, dc = UP @ n, UP @ dn
        s = math.sqrt(1 - c * c)
        ds = -c * dc / s
        r = arm(n)
        dr = -np.sign(c) * h / 2 * dn + R * ((dc * n + c * dn) / s + (UP - c * n) * ds / s**2)
        H = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        M = about * np.eye(3) + (axial - about) * np.outer(n, n) - m * H @ H
        f = m * np.cross(r, np.cross(dr, w) + G * UP) - (axial - about) * (w @ n) * dn
        return np.concatenate([dn, np.linalg.solve(M, f), np.cross(r, w)])

    n = np.array([0.0, -math.sin(tilt), math.cos(tilt)])
    start = np.concatenate([n, rate, -arm(n)[1] * UP])
    found = solve_ivp(
        rates, (0, times[-1]), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times
    )
    return found.y[6:9].T, np.cross(arm(n), rate), float(-arm(n)[1])


@pytest.mark.parametrize(("tilt", "rate"), [(20.0, (0.3, 0.4, 8.0)), (50.0, (0.0, 3.0, 10.0))])
def test_a_tilted_disc_rolls_as_newton_and_euler_say(tilt: float, rate: tuple[float, ...]) -> None:
    times = np.linspace(0.0, 2.0, 41)
    known, v, height = rolling(math.radians(tilt), np.array(rate), times)
    text = DISC.format(height=height, tilt=tilt, v=tuple(v.tolist()), w=rate)
    run = art.simulate(art.parse(text).world("w"), until=2.0, step=0.05)
    assert [event.kind for event in run.events] == ["contact"]
    assert run.series("b.center") == pytest.approx(known, abs=1e-9)
    assert np.ptp(run.series("energy.total")) <= 1e-10


STOP = """
primitive bar {{
  geometry: cuboid(1, 2 cm, 2 cm) where {{ l: (-0.5, 0, 0); r: (0.5, 0, 0) }}
  dynamics: (mass: 1)
}}
primitive block {{
  properties: (restitution: {e}); geometry: cuboid(0.2, 0.2, 0.2); dynamics: (mass: 1)
}}
primitive wall {{ properties: (restitution: {e}, fixed); geometry: cuboid(0.1, 1, 1) }}
world w {{
  components {{ p, rail: fixed_point; crank, rod: bar; b: block; stop: wall }}
  structure {{
    place p by p.center at (0, 0, 0)
    place rail by rail.center at (0, 0, 0)
    join crank to p with pin(axis: z) as shaft matching (l, center)
    join rod to crank with pin(axis: z) matching (l, r)
    join b to rod with pin(axis: z) matching (center, r)
    join b to rail with slider(axis: x) as guide matching (center, center)
    place stop by stop.center at (1.8, 0, 0)
    place crank by crank.l at (0, 0, 0), crank.angle = 60 deg,
      velocity = ((0, 0, 0) (0, 0, -20))
  }}
}}
"""


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_slider_crank_strikes_its_stop(e: float) -> None:
    # one degree of freedom: all rates turn round to -e of themselves, whatever hinges carry
    run = art.simulate(art.parse(STOP.format(e=e)).world("w"), until=1.0, step=0.005)
    hit = next(event for event in run.events if event.kind == "impact")
    assert set(hit.who) == {"b", "stop"}
    before, after = (float(hit.values[f"energy_{when}"]) for when in ("before", "after"))
    assert after == pytest.approx(e * e * before, rel=1e-9, abs=1e-12)
    # the block's face meets the stop's where x = 1.75 - 0.1, with the crank at cos = x / 2
    angle, rate, x = (run.series(path) for path in ("shaft.angle", "shaft.rate", "b.center.x"))
    near = int(np.searchsorted(run.times, hit.time))
    left = angle[near - 1] - math.acos(1.65 / 2)
    assert left == pytest.approx(-rate[near - 1] * (hit.time - run.times[near - 1]), rel=1e-2)
    assert rate[near] == pytest.approx(-e * rate[near - 1], rel=2e-2, abs=1e-12)
    assert np.max(x) <= 1.65 + 1e-9


def test_a_bouncing_dimer_never_gains_energy() -> None:
    # two balls on a rod (S. Dorbolo et al., Physical Review Letters 95 (2005) 044101)
    text = """
primitive ball {
  properties: (density: 1000, restitution: 0.9, friction: 0.1); geometry: sphere(0.1); dynamics
}
primitive rod {
  geometry: cuboid(0.8, 1 cm, 1 cm) where { l: (-0.4, 0, 0); r: (0.4, 0, 0) }
  dynamics: (mass: 0.1)
}
world w {
  gravity: (0, -9.81, 0)
  components { floor: ground; a, b: ball; r: rod }
  structure {
    join a to r with weld matching (center, l)
    join b to r with weld matching (center, r)
    place r by r.center at (0, 1, 0) turned 20 deg about z
  }
}"""
    run = art.simulate(art.parse(text).world("w"), until=2.0, step=0.02)
    hits = [event for event in run.events if event.kind == "impact"]
    assert {event.who[0] for event in hits} == {"a", "b"}
    assert np.max(np.diff(run.series("energy.total"))) <= 1e-9
    for event in hits:
        assert event.values["energy_after"] <= float(event.values["energy_before"]) * (1 + 1e-12)
    # the ends fall freely until the lower one meets the ground
    assert hits[0].time == pytest.approx(
        math.sqrt(2 * (1 - 0.4 * math.sin(math.radians(20)) - 0.1) / G), abs=1e-10
    )


@pytest.mark.slow
def test_a_tippe_top_turns_over() -> None:
    # a ball whose mass centre lies low, spinning fast on a rough floor, rises onto its stem
    text = """
primitive tippe {
  properties: (friction: 0.3)
  geometry: union(sphere(0.02), cylinder(4 mm, 2.6 cm) at (0, 0, 0.016)) where { o: (0, 0, 0) }
  dynamics: (mass: 0.02, center: (0, 0, -0.003), inertia: (3.2e-6, 3.2e-6, 3e-6))
}
world w {
  gravity: (0, 0, -9.81)
  components { floor: ground; t: tippe }
  structure {
    place floor by floor.center at (0, 0, 0) turned 90 deg about x
    place t by t.o at (0, 0, 0.02) turned 6 deg about x, velocity = ((0, 0, 0) (0, 0, 150))
  }
}"""
    run = art.simulate(art.parse(text).world("w"), until=0.95, step=0.05)
    q = run.array("geometric.pose")[:, list(run.world.bodies).index("t"), 3:]
    upright = 1 - 2 * (q[:, 1] ** 2 + q[:, 2] ** 2)
    assert upright[0] > 0.99
    assert upright[-1] < -0.5
    assert np.max(np.diff(run.series("energy.total"))) <= 1e-9


def test_dominoes_fall_one_after_the_other() -> None:
    text = """
primitive tile {
  properties: (density: 600, friction: 0.3, restitution: 0)
  geometry: cuboid(8 mm, 48 mm, 24 mm)
  dynamics
}
world w {
  gravity: (0, -9.81, 0)
  components { floor: ground; d[1..6]: tile }
  structure {
    for i in 1..6 { place d[i] by d[i].center at (0.02 * i, 0.024, 0) }
    place d[1] by velocity = ((0.48, 0, 0) (0, 0, -20))
  }
}"""
    world = art.parse(text).world("w")
    run = art.simulate(world, until=0.6, step=0.005, method=art.Stepping(1e-3))
    struck = [float(run.times[np.argmax(run.series(f"d[{i}].w.z") < -1.0)]) for i in range(1, 7)]
    assert struck == sorted(struck)
    assert len(set(struck)) == 6
    # all lie: the last flat on the floor, the others on each other
    heights = [float(run.series(f"d[{i}].center.y")[-1]) for i in range(1, 7)]
    assert max(heights) < 0.02
    assert heights[-1] == pytest.approx(0.004, abs=1e-5)
    assert np.max(np.diff(run.series("energy.total"))) <= 1e-12


def test_the_points_under_a_puck_travel_with_it() -> None:
    text = """
primitive puck {
  properties: (density: 1000, friction: 0.1); geometry: cylinder(5 cm, 2 cm); dynamics
}
world w {
  gravity: (0, 0, -9.81)
  components { ice: ground; a: puck }
  structure {
    place ice by ice.center at (0, 0, 0) turned 90 deg about x
    place a by a.back at (0, 0, 0), velocity = ((1, 0, 0) (0, 0, 0))
  }
}"""
    run = art.simulate(art.parse(text).world("w"), until=1.2, step=0.01)
    assert [event.kind for event in run.events] == ["contact", "stick"]
    assert run.events[1].time == pytest.approx(1 / (0.1 * G), abs=1e-9)
    points = run.array("dynamic.contact_point") - run.series("a.center")[:, np.newaxis]
    some = np.isfinite(points[0, :, 0])
    assert some.sum() >= 3
    moved = points[:100, some] - points[0, some]
    assert np.max(np.abs(moved)) < 1e-9
