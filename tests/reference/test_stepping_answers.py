"""Stepping mode on questions with known answers, with the errors that docs/stepping.md states."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art

G = 9.81
STEP = 1e-3

BALLS = """
primitive ball(e: number = 0.8, mu: number = 0) {
  properties: (density: 1000, restitution: e, friction: mu)
  geometry: sphere(10 cm)
  dynamics
}
primitive block(mu: number = 0.5) {
  properties: (density: 1000, friction: mu)
  geometry: cuboid(20 cm, 10 cm, 20 cm)
  dynamics
}
world bounce(e: number = 0.8) {
  gravity: (0, -9.81, 0)
  components { floor: ground; ball: ball(e) }
  structure { place ball by ball.center at (0, 1.1, 0) }
}
world roll(tilt: angle = 0, mu: number = 0, v: speed = 0 m/s) {
  gravity: (9.81 * sin(tilt), -9.81 * cos(tilt), 0)
  components { floor: ground; ball: ball(0, mu) }
  structure { place ball by ball.center at (0, 10 cm, 0) velocity = ((v, 0, 0) (0, 0, 0)) }
}
world slope(tilt: angle = 0, mu: number = 0.5) {
  gravity: (9.81 * sin(tilt), -9.81 * cos(tilt), 0)
  components { floor: ground; block: block(mu) }
  structure { place block by block.center at (0, 5 cm, 0) }
}
world cradle {
  components { ball[1..5]: ball(1) }
  structure {
    place ball[1] by ball[1].center at (-50 cm, 0, 0) velocity = ((1 m/s, 0, 0) (0, 0, 0))
    for i in 2..5 { place ball[i] by ball[i].center at ((i - 1) * 20 cm, 0, 0) }
  }
}
"""


def stepped(name: str, *arguments: float, until: float, contact: art.Contact | None = None):
    world = art.parse(BALLS).world(name, *arguments)
    return art.simulate(world, until=until, step=0.05, method=art.Stepping(STEP), contact=contact)


def kinds(recording) -> list[str]:
    return [event.kind for event in recording.events]


def test_bounces_are_found_within_a_few_steps():
    recording = stepped("bounce", until=4.5)
    impacts = [event.time for event in recording.events if event.kind == "impact"]
    # design notes: "Checks with known answers"
    exact = [0.4515236409857309, 1.1739614665629, 1.751911727024636, 2.214271935394024]
    assert np.all(np.abs(np.subtract(impacts[:4], exact)) < 3 * STEP)
    (settled,) = (event for event in recording.events if event.kind == "settled")
    assert settled.time == pytest.approx(4.063712768871578, abs=10 * STEP)
    assert recording.series("ball.center.y")[-1] == pytest.approx(0.1, abs=1e-9)


def test_elastic_ball_keeps_its_energy_for_a_hundred_bounces():
    recording = stepped("bounce", 1.0, until=95.0)
    assert kinds(recording).count("impact") >= 100
    energy = recording.series("energy.total")
    assert np.max(np.abs(energy / energy[0] - 1.0)) < 1e-12


@pytest.mark.parametrize("degrees", [10.0, 20.0, 26.0, 26.56])
def test_block_below_the_angle_of_friction_does_not_creep(degrees: float):
    recording = stepped("slope", math.radians(degrees), until=5.0)
    assert kinds(recording) == ["contact"]
    assert "sticks" in recording.events[0].story
    assert abs(recording.series("block.center.x")[-1]) / 5.0 < 1e-16  # m/s


def test_block_above_the_angle_of_friction_slides():
    recording = stepped("slope", math.radians(26.57), until=1.0)
    a = G * (math.sin(math.radians(26.57)) - 0.5 * math.cos(math.radians(26.57)))
    # so near the angle of friction sweeps do not end: what the first step leaves stays, 7e-6 m/s
    assert recording.series("block.center.x")[-1] == pytest.approx(a / 2, abs=1e-5)
    recording = stepped("slope", math.radians(30.0), 0.3, until=1.0)
    assert 2 * recording.series("block.center.x")[-1] == pytest.approx(2.356287236662397, rel=1e-12)


def test_ball_rolls_down_a_slope():
    recording = stepped("roll", math.radians(30.0), 0.17, until=1.0)
    assert "sticks" in recording.events[0].story
    assert 2 * recording.series("ball.center.x")[-1] == pytest.approx(3.503571428571429, rel=1e-12)
    recording = stepped("roll", math.radians(30.0), 0.16, until=1.0)
    assert "slides" in recording.events[0].story


def test_sliding_ball_begins_to_roll():
    recording = stepped("roll", 0.0, 0.2, 5.0, until=1.5)
    (stick,) = (event for event in recording.events if event.kind == "stick")
    assert stick.time == pytest.approx(0.72811999417504, abs=3 * STEP)
    assert recording.array("dynamic.velocity")[-1, :, 0].max() == pytest.approx(25 / 7, abs=1e-10)


def test_cradle_by_two_laws():
    in_sequence = stepped("cradle", until=1.0, contact=art.Contact(impact=art.Sequential()))
    v = in_sequence.array("dynamic.velocity")[-1, :, 0]
    assert np.max(np.abs(v - [0, 0, 0, 0, 1])) < 1e-12
    at_once = stepped("cradle", until=1.0)
    v = at_once.array("dynamic.velocity")[-1, :, 0]
    assert np.max(np.abs(v - [-0.6, 0.4, 0.4, 0.4, 0.4])) < 1e-9


STACK = """
primitive box {
  properties: (density: 1000, friction: 0.5)
  geometry: cuboid(20 cm, 20 cm, 20 cm)
  dynamics
}
world stack(n: count = 10) {
  gravity: (0, -9.81, 0)
  components { floor: ground; box[1..n]: box }
  structure { for i in 1..n { place box[i] by box[i].center at (0, (i - 0.5) * 0.2, 0) } }
}
world pyramid {
  gravity: (0, -9.81, 0)
  components { floor: ground; a[1..3], b[1..2], c: box }
  structure {
    for i in 1..3 { place a[i] by a[i].center at (i * 21 cm, 10 cm, 0) }
    for i in 1..2 { place b[i] by b[i].center at (i * 21 cm + 10.5 cm, 30 cm, 0) }
    place c by c.center at (42 cm, 50 cm, 0)
  }
}
"""


@pytest.mark.parametrize("name", ["stack", "pyramid"])
def test_pile_stands_where_it_stood(name: str):
    world = art.parse(STACK).world(name)
    recording = art.simulate(world, until=3.0, step=0.5, method=art.Stepping(STEP))
    position = recording.array("dynamic.position")
    assert np.max(np.abs(position[-1] - position[0])) < 1e-7
    assert set(kinds(recording)) == {"contact"}
    force = recording.array("dynamic.contact_force")[-1]
    boxes = [number for number, body in enumerate(recording.world.bodies) if body != "floor"]
    weight = 8.0 * G
    assert np.max(np.abs(force[boxes, :3] - [0.0, weight, 0.0])) < 1e-6 * weight
    energy = recording.series("energy.total")
    assert np.max(energy) - energy[0] < 1e-9 * abs(energy[0])


FOUR_BAR = """
primitive bar {
  properties: (density: 7850, restitution: 0.3, friction: 0.2)
  geometry: cuboid(1 m, 2 cm, 2 cm) where { left: (-0.5, 0, 0); right: (0.5, 0, 0) }
  dynamics
}
primitive stop { properties: (density: 1000); geometry: cuboid(10 cm, 10 cm, 30 cm) }
world four_bar {
  gravity: (0, -9.81, 0)
  components { a, d: fixed_point; stop: stop; left, top, right: bar }
  structure {
    place a by a.center at (0, 0, 0)
    place d by d.center at (1 m, 0, 0)
    place stop by stop.center at (-0.8 m, 0.3 m, 0)
    place left by left.left at (0, 0, 0), left.right at (0.6 m, 0.8 m, 0)
    join left to a with pin(axis: z) matching (left, center) as h1
    join top to left with pin(axis: z) matching (left, right) as h2
    join right to top with pin(axis: z) matching (right, right) as h3
    join right to d with pin(axis: z) matching (left, center) as h4
  }
}
"""


def test_linkage_strikes_a_stop_and_stays_closed():
    world = art.parse(FOUR_BAR).world("four_bar")
    recording = art.simulate(world, until=2.0, step=0.01, method=art.Stepping(STEP))
    finer = art.simulate(world, until=1.2, step=0.01, method=art.Stepping(STEP / 4))
    hit, again = (
        next(event for event in run.events if event.kind == "impact") for run in (recording, finer)
    )
    assert hit.who == again.who == ("top", "stop")
    assert hit.time == pytest.approx(again.time, abs=2 * STEP)
    gap = recording.series("left.right") - recording.series("top.left")
    assert np.max(np.abs(gap)) < 1e-10
    energy = recording.series("energy.total")
    assert np.max(energy) - energy[0] < 1e-6 * abs(energy[0])


def test_same_run_has_the_same_bytes_and_replays():
    world = art.parse(STACK).world("pyramid")
    first, second = (
        art.simulate(world, until=0.2, step=0.01, method=art.Stepping(STEP)) for _ in range(2)
    )
    assert first.to_bytes() == second.to_bytes()
    assert art.replay(first).to_bytes() == first.to_bytes()


def test_bodies_that_overlap_at_the_start_are_named():
    text = BALLS.replace("at (0, 1.1, 0)", "at (0, 0.05, 0)")
    with pytest.raises(art.SimulationError, match=r"'ball' and 'floor'.*overlap by 0.05 m"):
        art.simulate(art.parse(text).world("bounce"), until=0.1, method=art.Stepping())


def test_event_mode_hands_over_to_steps_and_takes_over_again():
    text = BALLS.replace("at (0, 1.1, 0)", "at (0, 0.15, 0)")
    world = art.parse(text).world("bounce")
    crowded = art.simulate(world, until=1.2, step=0.1, contact=art.Contact(crowd=40.0))
    modes = [event.values["mode"] for event in crowded.events if event.kind == "mode"]
    assert modes == ["stepping", "events"]
    alone = art.simulate(world, until=1.2, step=0.1, contact=art.Contact(crowd=0.0))
    assert "mode" not in kinds(alone)
    ends = [run.series("ball.center.y")[-1] for run in (crowded, alone)]
    assert ends[0] == pytest.approx(ends[1], abs=2e-9)
    assert art.replay(crowded).to_bytes() == crowded.to_bytes()


DOOR = """
primitive bar {
  properties: (density: 1000)
  geometry: cuboid(4 cm, 1 m, 4 cm) where { top: (0, 0.5, 0) }
  dynamics
}
world door {
  gravity: (0, -9.81, 0)
  components { wall: fixed_point; bar: bar }
  structure {
    place wall by wall at (0, 0, 0)
    place bar by bar.top at (0, 0, 0) turned 80 deg about z
    join bar to wall with pin(axis: z) matching (top, center) as h limits (-20 deg, 90 deg)
  }
}
"""


def test_hinge_stops_at_its_limit():
    world = art.parse(DOOR).world("door")
    recording = art.simulate(world, until=1.0, step=0.01, method=art.Stepping(STEP))
    unlimited = world.edit([art.SetProperty("h.limits", ())])
    free = art.simulate(unlimited, until=1.0, step=0.01)
    angle = recording.series("h.angle")
    assert np.min(angle) > math.radians(-20.0) - 1e-6
    (hit,) = (event for event in recording.events if event.kind == "limit")
    assert hit.who == ("h",)
    assert hit.values["limit"] == math.radians(-20.0)
    before = recording.times < hit.time - STEP
    assert np.max(np.abs(angle[before] - free.series("h.angle")[before])) < 1e-9


DOME = """
primitive ball(mu: number = 0) {
  properties: (density: 1000, friction: mu)
  geometry: sphere(10 cm)
  dynamics
}
primitive dome(mu: number = 0) { properties: (fixed, friction: mu); geometry: sphere(1 m) }
world top(lean: angle = 0, mu: number = 0) {
  gravity: (0, -9.81, 0)
  components { dome: dome(mu); ball: ball(mu) }
  structure {
    place dome by dome.center at (0, 0, 0)
    place ball by ball.center at (1.1 * sin(lean), 1.1 * cos(lean), 0)
  }
}
"""


@pytest.mark.parametrize(("mu", "share"), [(0.0, 1.0), (1.0, 5.0 / 7.0)])
def test_ball_on_a_dome_goes_its_way_the_nearer_the_shorter_the_steps(mu: float, share: float):
    """By (7/5) 1.1 m phi'' = g sin phi where it rolls; without friction without the 7/5."""

    def rate(t: float, y: np.ndarray) -> list[float]:
        return [y[1], share * G / 1.1 * math.sin(y[0])]

    known = solve_ivp(rate, (0, 0.9), [0.1, 0.0], method="DOP853", rtol=1e-12, atol=1e-14)
    world = art.parse(DOME).world("top", 0.1, mu)
    errors = []
    for step in (1e-3, 5e-4, 1e-4):
        recording = art.simulate(world, until=0.9, step=0.3, method=art.Stepping(step))
        x, y, _ = recording.series("ball.center")[-1]
        errors.append(abs(math.atan2(x, y) - known.y[0, -1]))
    assert errors[0] < 1e-5
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.6 * errors[1]
