"""Friction and restitution of a pair against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from articulata.analyses.simulate.replaying import replay
from articulata.analyses.simulate.run import simulate
from articulata.errors import ModelError
from articulata.world.document import parse

G = 9.81
TEXT = """
let steel = material(density: 1000)
contact steel with ground: ({said})
primitive block {{
  properties: (material: steel)
  geometry: cuboid(20 cm, 10 cm, 20 cm)
  dynamics
}}
primitive ball {{ properties: (material: steel); geometry: sphere(10 cm); dynamics }}
world slide(v = 2) {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; b: block }}
  structure {{ place b by b.center at (0, 5 cm, 0), velocity = ((v, 0, 0) (0, 0, 0)) }}
}}
world bounce {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; b: ball }}
  structure {{ place b by b.center at (0, 1.1, 0) }}
}}
world slope(a = 0) {{
  gravity: (9.81 * sin(a), -9.81 * cos(a), 0)
  components {{ floor: ground; b: block }}
  structure {{ place b by b.center at (0, 5 cm, 0) }}
}}
world pushed {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; anchor: fixed_point; b: block }}
  structure {{
    place b by b.center at (0, 5 cm, 0)
    place anchor by anchor.center at (9, 5 cm, 0)
    force push between b.center and anchor.center = 30 N/s * min(time, 2 s - time)
  }}
}}
"""


def world(name, said, *arguments):
    return parse(TEXT.format(said=said)).world(name, *arguments)


def test_friction_that_grows_with_speed_slows_exponentially():
    """v' = -g (mu0 + c v): v = (v0 + mu0/c) exp(-g c t) - mu0/c until it is zero."""
    mu, c = 0.3, 0.1
    made = world("slide", "friction: 0.3 + 0.1 s/m * speed")
    recording = simulate(made, until=1.0, step=0.01)
    exact = (2 + mu / c) * np.exp(-G * c * np.asarray(recording.times)) - mu / c
    assert np.abs(recording.series("b.v.x") - np.maximum(exact, 0.0)).max() < 1e-12
    stick = recording.events[-1]
    assert stick.kind == "stick"
    assert stick.time == pytest.approx(math.log(1 + c * 2 / mu) / (G * c), abs=1e-10)


def test_static_friction_holds_and_kinetic_friction_brakes():
    said = "friction: 0.2, static_friction: 0.5"
    for degrees, holds in ((26.56, True), (26.57, False)):
        a = math.radians(degrees)
        recording = simulate(world("slope", said, a), until=1.0, step=0.1)
        (event,) = recording.events
        assert ("sticks" in event.story) == holds
        speed = 0.0 if holds else G * (math.sin(a) - 0.2 * math.cos(a))
        assert recording.series("b.v.x")[-1] == pytest.approx(speed, abs=1e-12)


def test_a_pushed_block_slips_once_and_sticks_once_without_chatter():
    """The push 30 t (N) beyond 1 s falls again: slip at mu_s m g, then friction mu_k m g."""
    recording = simulate(
        world("pushed", "friction: 0.4, static_friction: 0.6"), until=2.6, step=0.1
    )
    mass, slip = 4.0, 0.6 * 4.0 * G / 30.0
    assert [event.kind for event in recording.events] == ["contact", "slip", "stick"]
    assert recording.events[1].time == pytest.approx(slip, abs=3e-7)
    # momentum from slip to rest: the integral of the push less mu_k m g (t - slip)
    held = 0.4 * mass * G
    up = 15.0 * (1.0 - slip**2)

    def momentum(t: float) -> float:
        down = 15.0 - 15.0 * (2.0 - t) ** 2
        return up + down - held * (t - slip)

    low, high = 1.0, 3.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if momentum(middle) > 0 else (low, middle)
    assert recording.events[2].time == pytest.approx(low, abs=1e-6)
    assert abs(recording.series("b.v.x")[-1]) < 1e-20


def test_restitution_follows_the_speed_of_each_approach():
    made = world("bounce", "restitution: exp(-speed / (4 m/s))")
    recording = simulate(made, until=2.0, step=0.1)
    speed = math.sqrt(2 * G)
    time = speed / G
    found = [event for event in recording.events if event.kind == "impact"]
    assert len(found) > 10
    for event in found:
        assert event.time == pytest.approx(time, abs=1e-11)
        assert event.values["restitution"] == pytest.approx(math.exp(-speed / 4), abs=1e-11)
        speed *= math.exp(-speed / 4)
        time += 2 * speed / G


def test_bounces_that_die_out_by_a_law_are_summed():
    """e = min(0.5, v/2): the speeds are v e(v); their sum of 2 v / g is where it settles."""
    made = world("bounce", "restitution: min(0.5, speed / (2 m/s))")
    recording = simulate(made, until=3.0, step=0.1)
    speed = math.sqrt(2 * G)
    time = speed / G
    while speed > 1e-10:
        speed *= min(0.5, speed / 2)
        time += 2 * speed / G
    settled = (
        recording.events[-2] if recording.events[-1].kind == "contact" else recording.events[-1]
    )
    assert settled.kind == "settled"
    assert settled.time == pytest.approx(time, abs=1e-9)


@pytest.mark.parametrize(
    "said", ["friction: log(speed / (1 m/s))", "restitution: sqrt(0.5 - speed / (1 m/s))"]
)
def test_a_law_that_is_no_number_is_named_with_its_line(said):
    with pytest.raises(ModelError, match=r"<text>:3:1: .*steel with ground is .* at .* m/s"):
        simulate(world("slide", said), until=0.1)


OILED = """
simulate slide { time: (0.1 s, 0.4 s); on time 0.15 s: contact steel with ground: (friction: 0) }
"""


def test_a_clause_oils_the_floor_at_its_instant_and_a_replay_does_too():
    document = parse(TEXT.format(said="friction: 0.4") + OILED)
    recording = simulate(document.requests[0])
    left = 2.0 - 0.4 * G * 0.15
    assert recording.series("b.v.x")[-1] == pytest.approx(left, abs=1e-12)
    assert np.array_equal(replay(recording).series("b.v.x"), recording.series("b.v.x"))
