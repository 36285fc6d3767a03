"""A woodpecker on its pole: jams, slips and pecks its way down in one and the same cycle."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art

# lengths, masses and the spring are those of R. Leine, D. van Campen, C. Glocker, Journal of
# Vibration and Control 9 (2003) 25; pole, sleeve and beak are solids here, the sleeve a thin one:
# a deep one is thrown out of its plane by rounding where its corners hammer by turns
TOY = """
primitive pole { properties: (fixed); geometry: cuboid(5 mm, 2 m, 5 mm) }
primitive sleeve {
  geometry: union(
    left: cuboid(1 mm, 11.6 mm, 1 mm) at (-3.6 mm, 0, 0),
    right: cuboid(1 mm, 11.6 mm, 1 mm) at (3.6 mm, 0, 0)
  ) where { spring_end: (10 mm, 0, 0); o: (0, 0, 0) }
  dynamics: (mass: 0.3 g, inertia: (5e-9, 5e-9, 5e-9), center: (0, 0, 0))
}
primitive bird {
  geometry: union(body: sphere(7 mm), beak: sphere(0.1 mm) at (-20 mm, 20 mm, 0)) where {
    tail: (-15 mm, 0, 0)
  }
  dynamics: (mass: 4.5 g, inertia: (7e-7, 7e-7, 7e-7), center: (0, 0, 0))
}
contact bird with pole: (friction: 0, restitution: 0.5)
contact sleeve with pole: (friction: 0.3, restitution: 0)
world toy {
  gravity: (0, -9.81, 0)
  components { pole: pole; sleeve: sleeve; bird: bird }
  structure {
    place pole by pole.center at (0, -0.9, 0)
    join bird to sleeve with pin(axis: z) as spring matching (tail, spring_end)
    force coil about spring = -0.0056 N*m/rad * angle
    place sleeve by sleeve.o at (0, 0, 0), velocity = ((0, -0.3, 0) (0, 0, 0))
    place bird by spring.angle = -10 deg
    ignore bird with sleeve
  }
}
"""


@pytest.mark.slow
def test_a_woodpecker_finds_its_cycle() -> None:
    run = art.simulate(art.parse(TOY).world("toy"), until=1.6, step=2e-3)
    pecks = [event.time for event in run.events if event.kind == "impact" and "bird" in event.who]
    waits = np.diff([time for time in pecks if time > 0.8])
    assert len(waits) >= 4
    # whatever it began with, it pecks at the same intervals and comes down by the same way
    assert np.ptp(waits) < 5e-3 * np.mean(waits)
    height = np.interp(pecks, run.times, run.series("sleeve.o.y"))
    ways = np.diff(height[np.array(pecks) > 0.8])
    assert np.all(ways < 0)
    assert np.ptp(ways) < 0.02 * abs(np.mean(ways))
    total, lost = run.series("energy.total"), run.series("energy.dissipated")
    assert np.ptp(total + lost) < 1e-6 * lost[-1]
