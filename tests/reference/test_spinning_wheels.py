"""Wheels that motors spin: a craft turns back by its reaction, a gyroscope goes round."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art

CRAFT = """
primitive craft { geometry: cuboid(40 cm, 40 cm, 40 cm) where { seat: (0, 0, 20 cm) }
  dynamics: (mass: 12 kg) }
primitive wheel { geometry: cylinder(10 cm, 2 cm); dynamics: (mass: 2 kg) }
world satellite {
  components { craft: craft; wheel: wheel }
  structure {
    join wheel to craft with pin(axis: z) as spin matching (center, seat)
      driven by motor(speed: 120 rpm, limit: 20 mN*m)
    ignore wheel with craft
    place craft by craft.center at (0, 0, 0)
    place wheel by spin.angle = 0 deg
  }
}
"""

GYROSCOPE = """
primitive axle { geometry: cuboid(20 cm, 1 cm, 1 cm) where {
    pivot: (-10 cm, 0, 0); hub: (10 cm, 0, 0) turned 90 deg about y }
  dynamics: (mass: 0.1 kg) }
primitive wheel { geometry: cylinder(8 cm, 2 cm); dynamics: (mass: 1 kg) }
world gyroscope(round: number = 0) {
  gravity: (0, 0, -9.81)
  components { post: fixed_point; axle: axle; wheel: wheel }
  structure {
    place post by post.center at (0, 0, 0)
    join axle to post with universal(axis: z, second: y) matching (pivot, center)
    join wheel to axle with pin(axis: z) as spin matching (center, hub)
      driven by motor(speed: 3000 rpm)
    ignore wheel with axle
    ignore wheel with post
    place axle by axle.pivot at (0, 0, 0),
      velocity = ((0, 0, 0) (0, 0, 1 rad/s * round))
    place wheel by spin.angle = 0 deg,
      velocity = ((0, 0.2 m/s * round, 0) (3000 rpm, 0, 1 rad/s * round))
  }
}
"""


def test_a_reaction_wheel_turns_a_free_craft_back() -> None:
    run = art.simulate(art.parse(CRAFT).world(), until=10.0, step=1.0)
    craft, wheel = 12 * 0.4**2 / 6, 2 * 0.1**2 / 2
    # at its speed both turn about the axis by what they share of the momentum, which stays 0
    assert run.series("craft.w")[-1, 2] == pytest.approx(-wheel * 4 * np.pi / (craft + wheel))
    momentum = craft * run.series("craft.w")[:, 2] + wheel * run.series("wheel.w")[:, 2]
    assert np.abs(momentum).max() < 1e-12
    assert np.abs(run.array("dynamic.momentum")).max() < 1e-12
    (reached,) = [each.time for each in run.events if each.kind == "regulation"]
    assert reached == pytest.approx(4 * np.pi / 0.02 * craft * wheel / (craft + wheel), abs=1e-8)


def test_a_gyroscope_with_a_level_axle_goes_round_steadily() -> None:
    """Weight times lever over the wheel's momentum about its axle (Euler)."""
    rate = (1.0 * 0.2 + 0.1 * 0.1) * 9.81 / (0.5 * 0.08**2 * 100 * np.pi)
    run = art.simulate(art.parse(GYROSCOPE).world("gyroscope", rate), until=1.0, step=0.1)
    hub = run.series("axle.hub")
    assert np.abs(hub[:, 2]).max() < 1e-9
    assert np.unwrap(np.arctan2(hub[:, 1], hub[:, 0])) == pytest.approx(rate * run.times, abs=1e-8)
