"""Where runs start: beyond half a turn, and from a recorded state with what controllers sense."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art

BAR = """
primitive bar {
  properties: (density: 500)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
"""
HUNG = """
world w {
  gravity: (0, %s, 0)
  components { hook: fixed_point; arm: bar }
  structure {
    join arm to hook with %s as h matching (near, center) %s
    place hook by hook.center at (0, 2, 0)
    place arm by h.angle = %s
    %s
  }
}
"""


@pytest.mark.parametrize("domains", [None, ("geometric", "control")])
@pytest.mark.parametrize(
    ("hinge", "limits", "angle"),
    [
        ("pin(axis: z)", "", 270.0),
        ("pin(axis: z)", "", -600.0),
        ("pin(axis: z)", "limits (0 deg, 900 deg)", 800.0),
        ("screw(axis: z, lead: 1 cm)", "", 720.0),
    ],
)
def test_a_start_angle_keeps_its_whole_turns(
    hinge: str, limits: str, angle: float, domains: tuple[str, ...] | None
) -> None:
    world = art.parse(BAR + HUNG % (0, hinge, limits, f"{angle} deg", "")).world("w")
    found = art.simulate(world, until=0.02, step=0.01, domains=domains)
    assert found.series("h.angle") == pytest.approx([math.radians(angle)] * 3, abs=1e-9)
    again = art.simulate(found.world, until=0.0, domains=domains)
    assert again.series("h.angle")[0] == pytest.approx(math.radians(angle), abs=1e-9)


def test_a_spring_about_a_start_angle_is_at_rest() -> None:
    """A moment about 270 degrees does nothing to an arm that is placed there."""
    spring = "force back about h = -10 N*m/rad * (angle - 270 deg)"
    world = art.parse(BAR + HUNG % (0, "pin(axis: z)", "", "270 deg", spring)).world("w")
    found = art.simulate(world, until=0.05)
    assert found.series("h.rate") == pytest.approx([0.0] * len(found.times), abs=1e-9)


def test_a_pose_overrules_a_start_angle() -> None:
    world = art.parse(BAR + HUNG % (0, "pin(axis: z)", "", "270 deg", "")).world("w")
    stood = art.simulate(world, until=0.0).world
    moved = stood.edit([art.Place("arm", pose=art.Pose((0.5, 2.0, 0.0)))])
    assert art.simulate(moved, until=0.0).series("h.angle")[0] == pytest.approx(0.0, abs=1e-12)


def test_a_run_that_goes_on_senses_what_was_recorded() -> None:
    """A controller that answers the force of a hinge goes on as though the run had not ended."""
    hung = HUNG % (-9.81, "pin(axis: z)", "driven by lift", "-20 deg", "")
    world = art.parse(BAR + hung).world("w")
    sensed: list[float] = []

    def lift(t: float, now: art.Sensed) -> float:
        sensed.append(float(np.linalg.norm(now.value("h.force"))))
        return 0.2 * sensed[-1]

    whole = art.simulate(world, until=0.2, step=0.02, controllers={"lift": lift})
    sensed.clear()
    on = art.simulate(
        whole.world, start=whole.state(0.1), until=0.2, step=0.02, controllers={"lift": lift}
    )
    assert min(sensed) > 1.0
    assert on.series("h.angle")[-1] == pytest.approx(whole.series("h.angle")[-1], abs=1e-12)


def test_events_of_a_start_from_a_recorded_state_are_told_then() -> None:
    """Velocities that a hinge forbids are changed at time zero, and not again later on."""
    world = art.parse(BAR + HUNG % (-9.81, "pin(axis: z)", "", "-20 deg", "")).world("w")
    thrown = world.edit([art.Place("arm", velocity=(0.0, 0.0, 1.0))])
    whole = art.simulate(thrown, until=0.04, step=0.02)
    assert [event.time for event in whole.events if event.kind == "start"] == [0.0]
    on = art.simulate(thrown, start=whole.state(0.02), until=0.04, step=0.02)
    assert all(event.time >= 0.02 for event in on.events)
    assert not [event for event in on.events if event.kind == "start"]


FOUR_BAR = """
units: metre, kilogram, second, degree
primitive bar(l: length) {
  properties: (density: 1000)
  geometry: cuboid(l, 2 cm, 2 cm) where { near: (-0.5*l, 0, 0); far: (0.5*l, 0, 0) }
  dynamics
}
primitive block { properties: (density: 1000); geometry: cuboid(5 cm, 5 cm, 5 cm); dynamics }
world driven {
  components {
    left, right, rail: fixed_point
    crank: bar(20 cm); coupler: bar(60 cm); rocker: bar(50 cm); rod: bar(70 cm); piston: block
  }
  structure {
    place left by left.center at (0, 0, 0)
    place right by right.center at (60 cm, 0, 0)
    place rail by rail.center at (0, 40 cm, 0)
    join crank to left with pin(axis: z) as crank_pin matching (near, center)
    join coupler to crank with pin(axis: z) as knee matching (near, far)
    join rocker to right with pin(axis: z) as rock_pin matching (near, center)
    join coupler to rocker with pin(axis: z) as elbow matching (far, far)
    join rod to rocker with pin(axis: z) as rod_pin matching (near, far)
    join piston to rod with pin(axis: z) as wrist matching (center, far)
    join piston to rail with slider(axis: x) as guide matching (center, center)
    place crank by crank_pin.angle = 60, crank_pin.rate = 360
    %s
  }
}
simulate driven { time: (1 ms, 2 ms) }
"""


def test_a_rate_that_is_named_is_kept_and_what_is_not_named_follows() -> None:
    run = art.simulate(art.parse(FOUR_BAR % "").requests[0])
    labels = run.channels["dynamic.coordinate_rate"].labels
    rate = dict(zip(labels, run.array("dynamic.coordinate_rate")[0], strict=True))
    angle = dict(zip(labels, run.array("dynamic.coordinate")[0], strict=True))
    assert rate["crank_pin.angle"] == pytest.approx(2.0 * np.pi, rel=1e-12)
    # velocity of a planar four-bar by its loop: crank 0.2 m, rocker 0.5 m
    crank, rocker = angle["crank_pin.angle"], angle["rock_pin.angle"]
    coupler = crank + angle["knee.angle"]
    due = 2.0 * np.pi * 0.2 * np.sin(crank - coupler) / (0.5 * np.sin(rocker - coupler))
    assert rate["rock_pin.angle"] == pytest.approx(due, rel=1e-9)
    (event,) = [each for each in run.events if each.kind == "start"]
    assert "crank_pin.angle" in event.story
    assert "nearest" not in event.story


def test_rates_that_contradict_each_other_are_named_with_their_values() -> None:
    text = FOUR_BAR % "place rocker by rock_pin.rate = 360"
    run = art.simulate(art.parse(text).requests[0])
    events = [each for each in run.events if "contradict" in each.story]
    (event,) = events
    assert event.who == ("crank_pin", "rock_pin")
    assert event.story.count("6.28319 asked") == 2
