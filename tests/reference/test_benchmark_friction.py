"""Stick and slip on a belt, draw shots, a catapult, a slider with play, beside their theory."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art
from articulata.geometry.arrays import Array

G = 9.81

BELT = """
primitive belt { properties: (friction: 1); geometry: cuboid(20, 10 cm, 1); dynamics: (mass: 1e9) }
primitive block { geometry: cuboid(20 cm, 10 cm, 20 cm); dynamics: (mass: 2) }
contact block with belt: (friction: 0.2, static_friction: 0.4, restitution: 0)
world w {
  gravity: (0, -9.81, 0)
  components { wall, track: fixed_point; belt: belt; b: block }
  structure {
    place wall by wall.center at (-2, 5 cm, 0)
    place track by track.center at (0, -5 cm, 0)
    join belt to track with slider(axis: x) as drum matching (center, center)
    place belt by velocity = ((0.2, 0, 0) (0, 0, 0))
    place b by b.center at (0, 5 cm, 0)
    join b to wall with spring(50 N/m, 2 m) matching (center, center)
  }
}
"""


def test_a_block_on_a_belt_sticks_and_slips_in_its_period() -> None:
    # held by a spring on a belt of speed v: it is carried along until k x = mu_s m g, then swings
    # about mu m g / k until it is as fast as the belt again
    m, k, v, rate = 2.0, 50.0, 0.2, 5.0
    held, middle = 0.4 * m * G / k, 0.2 * m * G / k
    known = [math.asin(v / (middle * rate)) / rate]  # from rest it slides first
    at = middle * (1 - math.cos(rate * known[0]))
    phase = math.atan2(v / rate, held - middle)
    back = middle - math.hypot(held - middle, v / rate) * math.cos(phase)
    for _ in range(3):
        known.append(known[-1] + (held - at) / v)
        known.append(known[-1] + (math.pi + 2 * phase) / rate)
        at = back
    run = art.simulate(art.parse(BELT).world("w"), until=5.0, step=0.01)
    found = [event for event in run.events if event.kind in ("stick", "slip")]
    assert [event.kind for event in found] == ["stick", "slip"] * 3 + ["stick"]
    # a contact is held until its acceleration is 1e-7 of the largest at hand: 2e-7 s late a time
    assert [event.time for event in found] == pytest.approx(known, abs=3e-6)
    assert found[0].time == pytest.approx(known[0], abs=1e-9)
    assert np.max(run.series("b.center.x")) == pytest.approx(
        middle + math.hypot(held - middle, v / rate), abs=1e-5
    )


TABLE = """
primitive ball {
  properties: (density: 1700, friction: 0.2, restitution: 0); geometry: sphere(28.5 mm); dynamics
}
contact ball with ball: (friction: 0, restitution: 1)
world w(v: speed, spin: rate) {
  gravity: (0, -9.81, 0)
  components { cloth: ground; cue, red: ball }
  structure {
    place cue by cue.center at (0, 28.5 mm, 0), velocity = ((v, 0, 0) (0, 0, spin))
    place red by red.center at (60 cm, 28.5 mm, 0)
  }
}
"""


@pytest.mark.parametrize("spin", [150.0, -150.0, 0.0])
def test_a_cue_ball_comes_back_follows_or_stops_after_a_full_hit(spin: float) -> None:
    # sliding takes mu g from the speed and 5 mu g / 2 r from the spin until it rolls; the full hit
    # hands the speed over and leaves the spin, which then drives the cue ball: 2/7 r w
    v, r, mu = 3.0, 28.5e-3, 0.2
    run = art.simulate(art.parse(TABLE).world("w", v, spin), until=1.6, step=0.01)
    hit = next(event for event in run.events if event.kind == "impact")
    way = 0.6 - 2 * r
    a = mu * G if v + r * spin > 0 else -mu * G  # which way the lowest point of the ball slides
    when = (v - math.sqrt(v * v - 2 * a * way)) / a
    assert hit.time == pytest.approx(when, abs=1e-9)
    fast, turning = v - a * when, spin - 2.5 * a * when / r
    assert hit.values["approach_speed"] == pytest.approx(fast, abs=1e-9)
    # spin about z is negative where a ball rolls towards +x
    assert run.series("cue.v.x")[-1] == pytest.approx(-2 / 7 * r * turning, abs=1e-9)
    assert run.series("red.v.x")[-1] == pytest.approx(5 / 7 * fast, abs=1e-9)
    for ball in ("cue", "red"):
        speeds = run.series(f"{ball}.v.x"), -r * run.series(f"{ball}.w.z")
        assert speeds[0][-1] == pytest.approx(speeds[1][-1], abs=1e-9)
    total, lost = run.series("energy.total"), run.series("energy.dissipated")
    assert np.ptp(total + lost) < 1e-12


CATAPULT = """
primitive beam {
  geometry: cuboid(2 m, 8 cm, 8 cm) where {
    axle: (-50 cm, 0, 0); heavy: (-1 m, 0, 0); tip: (1 m, 0, 0)
  }
  dynamics: (mass: 8, inertia: (0.01, 3, 3))
}
primitive stone {
  geometry: sphere(10 cm); dynamics: (mass: 10, inertia: (0.04, 0.04, 0.04))
}
primitive weight {
  geometry: cuboid(20 cm, 20 cm, 20 cm); dynamics: (mass: 200, inertia: (2, 2, 2))
}
world w {
  gravity: (0, -9.81, 0)
  components { floor: ground; post: fixed_point; beam: beam; load: weight; stone: stone }
  structure {
    place post by post.center at (0, 1.5, 0)
    join beam to post with pin(axis: z) as axle matching (axle, center)
    join load to beam with weld as bolt matching (center, heavy)
    join stone to beam with weld as sling matching (center, tip)
    place beam by axle.angle = -35 deg
  }
}
simulate w {
  time: (10 ms, 4 s)
  on axle.angle > 40 deg: break sling
  on impact(stone, floor): stop
}
"""


def test_a_stone_leaves_its_catapult_at_the_angle_and_lands_where_a_parabola_does() -> None:
    run = art.simulate(art.parse(CATAPULT).requests[0])
    # one degree of freedom: the masses' moment about the axle turns into their energy
    about = 3 + 8 * 0.5**2 + 2 + 200 * 0.5**2 + 0.04 + 10 * 1.5**2
    moment = 8 * 0.5 - 200 * 0.5 + 10 * 1.5
    low, high = math.radians(-35), math.radians(40)
    rate = math.sqrt(-2 * G * moment * (math.sin(high) - math.sin(low)) / about)
    loose = next(event for event in run.events if event.kind == "edit")
    place = np.array([1.5 * math.cos(high), 1.5 + 1.5 * math.sin(high)])
    speed = 1.5 * rate * np.array([-math.sin(high), math.cos(high)])
    flight = (speed[1] + math.sqrt(speed[1] ** 2 + 2 * G * (place[1] - 0.1))) / G
    land = run.events[-1]
    assert land.kind == "stop"
    assert land.time - loose.time == pytest.approx(flight, abs=1e-8)
    assert run.series("stone.center.x")[-1] == pytest.approx(place[0] + speed[0] * flight, abs=1e-8)
    assert loose.values["energy_after"] == loose.values["energy_before"]


SLOT = """
primitive crank {
  geometry: cuboid(15.3 cm, 1 cm, 1 cm) where { l: (-76.5 mm, 0, 0); r: (76.5 mm, 0, 0) }
  interference: none
  dynamics: (mass: 0.038, inertia: (7.4e-5, 7.4e-5, 7.4e-5))
}
primitive rod {
  geometry: cuboid(30.6 cm, 1 cm, 1 cm) where { l: (-153 mm, 0, 0); r: (153 mm, 0, 0) }
  interference: none
  dynamics: (mass: 0.038, inertia: (5.9e-4, 5.9e-4, 5.9e-4))
}
primitive slider {
  properties: (friction: 0.01, restitution: 0.4); geometry: cuboid(10 cm, 5 cm, 4 cm)
  dynamics: (mass: 0.076, inertia: (2.7e-6, 2.7e-6, 2.7e-6))
}
primitive guide {
  properties: (fixed, friction: 0.01, restitution: 0.4); geometry: cuboid(60 cm, 1 cm, 6 cm)
}
world w {
  gravity: (0, -9.81, 0)
  components { o: fixed_point; c: crank; r: rod; s: slider; top, bottom: guide }
  structure {
    place o by o.center at (0, 0, 0)
    join c to o with pin(axis: z) as shaft matching (l, center)
    join r to c with pin(axis: z) as wrist matching (l, r)
    join s to r with pin(axis: z) as gudgeon matching (center, r)
    place top by top.bottom at (0.4, 26 mm, 0)
    place bottom by bottom.top at (0.4, -26 mm, 0)
    place c by shaft.rate = 150 rad/s
    place r by wrist.rate = -225 rad/s
    place s by gudgeon.angle = 0.005 rad, gudgeon.rate = 75 rad/s
  }
}
"""


def test_a_slider_strikes_its_guide_where_it_has_play() -> None:
    # P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165: a slider-crank whose
    # slider has 1 mm of play on either side; here by Lagrange's equations of crank, rod and slider
    # (angles from x), Newton's law and Coulomb's at the corner that strikes
    l1, l2, half, b, gap = 0.153, 0.306, 0.05, 0.025, 0.026
    m1, m2, m3, j1, j2, j3 = 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6
    e, mu = 0.4, 0.01
    lead, push = m1 / 4 + m2 + m3, m2 / 2 + m3

    def mass(q: Array) -> Array:
        side = push * l1 * l2 * math.cos(q[0] - q[1])
        return np.array([
            [j1 + lead * l1 * l1, side, 0],
            [side, j2 + (m2 / 4 + m3) * l2 * l2, 0],
            [0, 0, j3],
        ])  # fmt: skip

    def rates(_: float, z: Array) -> Array:
        q, w = z[:3], z[3:]
        turn = push * l1 * l2 * math.sin(q[0] - q[1])
        load = np.array([
            -turn * w[1] ** 2 - (m1 / 2 + m2 + m3) * G * l1 * math.cos(q[0]),
            turn * w[0] ** 2 - push * G * l2 * math.cos(q[1]),
            0.0,
        ])  # fmt: skip
        return np.concatenate([w, np.linalg.solve(mass(q), load)])

    corners = [(x, y) for x in (-half, half) for y in (-b, b)]

    def spare(corner: tuple[float, float]) -> Callable[[float, Array], float]:
        def of(_: float, z: Array) -> float:
            x, y = corner
            level = l1 * math.sin(z[0]) + l2 * math.sin(z[1])
            return gap - math.copysign(1, y) * (level + x * math.sin(z[2]) + y * math.cos(z[2]))

        of.terminal, of.direction = True, -1.0  # type: ignore[attr-defined] # as scipy asks
        return of

    state, now, known = np.array([0.0, 0, 0.005, 150.0, -75.0, 0.0]), 0.0, []
    for _ in range(3):
        found = solve_ivp(
            rates, (now, 1.0), state, "DOP853", events=[spare(c) for c in corners],
            rtol=1e-12, atol=1e-14,
        )  # fmt: skip
        (which,) = [k for k, times in enumerate(found.t_events) if len(times)]
        now, state = float(found.t_events[which][0]), found.y_events[which][0].copy()
        q, (x, y) = state[:3], corners[which]
        up = np.array([l1 * math.cos(q[0]), l2 * math.cos(q[1]), 0.0])
        along = np.array([-l1 * math.sin(q[0]), -l2 * math.sin(q[1]), 0.0])
        up[2] = x * math.cos(q[2]) - y * math.sin(q[2])
        along[2] = -x * math.sin(q[2]) - y * math.cos(q[2])
        up *= -math.copysign(1, y)
        force = up - mu * math.copysign(1, along @ state[3:]) * along  # it slides throughout
        answer = np.linalg.solve(mass(q), force)
        speed = up @ state[3:]
        impulse = -(1 + e) * speed / (up @ answer)
        state[3:] += answer * impulse
        known.append((now, -speed, impulse))
    run = art.simulate(art.parse(SLOT).world("w"), until=2.69e-3, step=1e-4)
    hits = [event for event in run.events if event.kind == "impact"]
    for event, (time, speed, impulse) in zip(hits[:3], known, strict=True):
        assert event.time == pytest.approx(time, abs=1e-9)
        assert event.values["approach_speed"] == pytest.approx(speed, abs=1e-7)
        vector = event.values["impulse_vector"]
        assert isinstance(vector, tuple)
        assert abs(float(vector[1])) == pytest.approx(impulse, rel=1e-7)


def test_a_spinning_puck_slides_as_its_rim_presses_and_rubs() -> None:
    # twelve points of the rim, pressed as by springs, N = a + b x + c y, whose three
    # unknowns balance weight and the moment of friction; each point is braked by mu N
    mu, r, h = 0.1, 0.05, 0.01
    rim = 2 * math.pi * np.arange(12) / 12

    def rates(_: float, z: Array) -> list[float]:
        at = r * np.stack([np.cos(rim + z[3]), np.sin(rim + z[3])], axis=1)
        way = z[:2] + z[2] * np.stack([-at[:, 1], at[:, 0]], axis=1)
        way /= np.linalg.norm(way, axis=1)[:, np.newaxis]
        shape = np.column_stack([np.ones(12), at])
        balance = np.stack([
            shape.sum(axis=0),
            ((at[:, 1:] - h * mu * way[:, 1:]) * shape).sum(axis=0),
            ((h * mu * way[:, :1] - at[:, :1]) * shape).sum(axis=0),
        ])  # fmt: skip
        drag = -mu * (shape @ np.linalg.solve(balance, [G, 0, 0]))[:, np.newaxis] * way
        turning = float(np.sum(at[:, 0] * drag[:, 1] - at[:, 1] * drag[:, 0])) / (r * r / 2)
        return [*drag.sum(axis=0).tolist(), turning, float(z[2])]

    times = np.linspace(0.0, 1.1, 12)
    known = solve_ivp(
        rates, (0, 1.1), [1.0, 0, 20.0, 0], rtol=1e-11, atol=1e-13, t_eval=times
    ).y  # fmt: skip
    text = """
primitive puck {
  properties: (density: 1000, friction: 0.1); geometry: cylinder(5 cm, 2 cm); dynamics
}
world w {
  gravity: (0, 0, -9.81)
  components { ice: ground; a: puck }
  structure {
    place ice by ice.center at (0, 0, 0) turned 90 deg about x
    place a by a.back at (0, 0, 0), velocity = ((1, 0, 0) (0, 0, 20))
  }
}"""
    run = art.simulate(art.parse(text).world("w"), until=1.1, step=0.1)
    for k, path in enumerate(("a.v.x", "a.v.y", "a.w.z")):
        assert run.series(path) == pytest.approx(known[k], abs=1e-7)
