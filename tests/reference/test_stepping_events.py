"""What stepping mode tells as a blow: bodies that stay in touch do not strike."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art

G = 9.81

SLOPE = math.radians(40)
LONG = 3.0
HIGH = LONG * math.tan(SLOPE)

WEDGE = f"""
primitive wedge {{
  geometry: extruded(((0, 0), ({LONG}, 0), (0, {HIGH})), 1) where {{ o: (0, 0, 0) }}
  dynamics: (mass: 4 kg, center: ({LONG / 3}, {HIGH / 3}, 0), inertia: (1, 1, 1))
}}
primitive block {{
  geometry: cuboid(0.2, 0.2, 0.2)
  dynamics: (mass: 1 kg, inertia: (0.01, 0.01, 0.01))
}}
world slide {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; wedge: wedge; block: block }}
  structure {{
    place wedge by wedge.o at (0, 0, 0)
    place block by block.center at ({0.5 * math.cos(SLOPE) + 0.1 * math.sin(SLOPE)!r},
      {HIGH - 0.5 * math.sin(SLOPE) + 0.1 * math.cos(SLOPE)!r}, 0) turned {-SLOPE!r} rad about z
  }}
}}
simulate slide {{
  time: (10 ms, 0.3 s)
  method: stepping(step: 1 ms)
  on impact(block, wedge): stop
}}
"""

DOMINOES = """
primitive domino {
  properties: (density: 600, friction: 0.4)
  geometry: cuboid(0.01, 0.05, 0.025)
  dynamics
}
world row(n: count = 5) {
  gravity: (0, -9.81, 0)
  components { floor: ground; d[1..n]: domino }
  structure {
    place d[1] by d[1].bottom_right_front at (0.005, 0, 0.0125) turned -5 deg about z
      velocity = ((0, 0, 0) (0, 0, -2))
    for i in 2..n { place d[i] by d[i].center at ((i - 1) * 0.03, 0.025, 0) }
  }
}
"""

TURNING = """
primitive coin(e: number = 0) {
  properties: (friction: 0.5, restitution: e)
  geometry: cylinder(0.1, 0.02)
  dynamics: (mass: 1 kg, inertia: (0.0025333, 0.0025333, 0.005))
}
world rolling {
  gravity: (0, -9.81, 0)
  components { floor: ground; coin: coin }
  structure {
    place coin by coin.center at (0, 0.11, 0) turned 20 deg about x
      velocity = ((0, 0, 0) (0, 15, 0))
  }
}
primitive puck { properties: (density: 1000); geometry: sphere(0.05); dynamics }
primitive arm { properties: (density: 3000); geometry: cuboid(2, 0.1, 0.1); dynamics }
world paddle {
  gravity: (0, 0, -9.81)
  components { pole: fixed_point; arm: arm; puck: puck }
  structure {
    place pole by pole at (0, 0, 0)
    place arm by arm.center at (0, 0, 0) velocity = ((0, 0, 0) (0, 0, 5))
    join arm to pole with pin(axis: z) as pin matching (center, center)
    place puck by puck.center at (0.3, 0.1, 0) velocity = ((0, 1.5, 0) (0, 0, 0))
  }
}
"""

BESIDE = """
primitive box {
  properties: (density: 1000, friction: 0.5)
  geometry: cuboid(0.2, 0.2, 0.2)
  dynamics
}
primitive ball(e: number = 0) {
  properties: (density: 1000, restitution: e)
  geometry: sphere(0.1)
  dynamics
}
world beside(e: number = 0) {
  gravity: (0, -9.81, 0)
  components { floor: ground; box: box; ball: ball(e) }
  structure {
    place box by box.center at (0, 0.1, 0)
    place ball by ball.center at (1, 0.11, 0)
  }
}
"""


def impacts(recording) -> list[art.Event]:
    return [event for event in recording.events if event.kind == "impact"]


def test_block_that_slides_down_a_wedge_strikes_nothing():
    recording = art.simulate(art.parse(WEDGE).requests[0])
    assert recording.times[-1] == pytest.approx(0.3)
    assert [event.kind for event in recording.events] == ["contact", "contact"]


@pytest.mark.parametrize("step", [1e-3, 2.5e-4])
def test_dominoes_strike_their_neighbours_once(step: float):
    world = art.parse(DOMINOES).world("row")
    recording = art.simulate(world, until=0.55, step=0.05, method=art.Stepping(step))
    told = impacts(recording)
    assert [event.who for event in told] == [(f"d[{i}]", f"d[{i + 1}]") for i in range(1, 5)]
    # from event to event: the blows are those of one body at a time
    exact = impacts(art.simulate(world, until=0.55, step=0.05))
    assert [event.time for event in told] == pytest.approx([each.time for each in exact], abs=2e-3)
    speeds = [event.values["approach_speed"] for event in told]
    assert speeds == pytest.approx([each.values["approach_speed"] for each in exact], rel=0.02)


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_slow_blow_beside_a_box_that_sticks_is_told(e: float):
    step = 1e-3
    world = art.parse(BESIDE).world("beside", e)
    recording = art.simulate(world, until=0.1, step=0.05, method=art.Stepping(step))
    told = impacts(recording)
    assert {event.who for event in told} == {("ball", "floor")}
    assert len(told) == (1 if e == 0.0 else 2)
    speed = math.sqrt(2.0 * G * 0.01)
    assert told[0].values["approach_speed"] == pytest.approx(speed, abs=2.0 * G * step)
    assert told[0].values["restitution"] == e
    assert told[0].time == pytest.approx(speed / G, abs=2.0 * step)


@pytest.mark.parametrize("step", [1e-3, 2e-4])
def test_coin_that_rolls_on_its_rim_strikes_once(step: float):
    world = art.parse(TURNING).world("rolling")
    recording = art.simulate(world, until=0.5, step=0.05, method=art.Stepping(step))
    assert len(impacts(recording)) == 1
    assert impacts(recording)[0].values["approach_speed"] > 0.4


def test_arm_that_pushes_a_puck_does_not_strike_it():
    world = art.parse(TURNING).world("paddle")
    recording = art.simulate(world, until=0.1, step=0.05, method=art.Stepping(1e-3))
    assert not impacts(recording)
    # it pushes all the while
    assert np.linalg.norm(recording.series("puck.v")[-1]) > 1.6


@pytest.mark.parametrize("law", [art.Newton(), art.Poisson(), art.Sequential()])
def test_each_bounce_is_told_as_it_was(law: art.Newton | art.Poisson | art.Sequential):
    world = art.parse(BESIDE).world("beside", 0.8)
    contact = art.Contact(impact=law)
    recording = art.simulate(
        world, until=0.3, step=0.05, method=art.Stepping(1e-3), contact=contact
    )
    told = impacts(recording)
    first = math.sqrt(0.02 / G)
    times = [first * (1.0 + 2.0 * sum(0.8**k for k in range(1, n + 1))) for n in range(3)]
    assert [event.time for event in told[:3]] == pytest.approx(times, abs=6e-3)
    for event in told[:3]:
        left = event.values["separation_speed"] / event.values["approach_speed"]
        assert left == pytest.approx(0.8, abs=0.1)
