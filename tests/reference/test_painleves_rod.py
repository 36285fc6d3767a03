"""Painleve's rod: sliding with friction where Coulomb's law and rigid bodies contradict each other.

A slender rod leaning by ``a`` against its sliding has the mobility 1 + 3 sin a (sin a - mu cos a)
at its tip (times 1/m): below 0 no force keeps the tip out of the ground (P. Painleve, Comptes
Rendus 121 (1895) 112). At 30 degrees from the upright this is friction 7 / (3 sqrt 3).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art

LEAN = math.radians(30)
ASIDE = math.sin(LEAN) - 0.0005 * math.cos(LEAN)
BELOW = math.cos(LEAN) + 0.0005 * math.sin(LEAN)
"""Of the tip from the mass centre, half the rod's thickness counted."""

LIMIT = (1 + 3 * ASIDE**2) / (3 * ASIDE * BELOW)

ROD = """
primitive rod {{
  properties: (friction: {friction!r}, restitution: 0)
  geometry: cuboid(0.001, 2, {width}) where {{ tip: (0.0005, -1, 0) }}
  dynamics: (mass: 1, inertia: (1/3, 1e-4, 1/3))
}}
world w {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; b: rod }}
  structure {{
    place b by b.tip at (0, 0, 0) turned -30 deg about z, velocity = (({speed}, 0, 0) (0, 0, 0))
  }}
}}
"""


PUSHED = """
primitive rod {{
  properties: (restitution: 0)
  geometry: cuboid(0.001, 2, {width}) where {{ tip: (0.0005, -1, 0) }}
  dynamics: (mass: 1, inertia: (1/3, 1e-4, 1/3))
}}
contact rod with ground: (
  friction: 0.8 + 2 * (1 - exp(-speed * speed / (50 m^2/s^2))),
  static_friction: 3
)
world w {{
  gravity: (-100, -9.81, 0)
  components {{ floor: ground; b: rod }}
  structure {{
    place b by b.tip at (0, 0, 0) turned -30 deg about z, velocity = ((-3, 0, 0) (0, 0, 0))
  }}
}}
"""


def rod(friction: float, speed: float = -5.0, width: float = 0.1) -> art.World:
    return art.parse(ROD.format(friction=friction, speed=speed, width=width)).world("w")


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_below_the_limit_the_rod_slides_as_coulomb_says(share: float) -> None:
    friction = share * LIMIT
    run = art.simulate(rod(friction), until=0.01, step=0.001)
    # pressure keeps the tip on the ground
    pressure = 9.81 / (1 + 3 * ASIDE * (ASIDE - friction * BELOW))
    force = run.array("dynamic.contact_force")[0, 1]
    assert force[1] == pytest.approx(pressure, rel=1e-9)
    assert force[0] == pytest.approx(friction * pressure, rel=1e-9)
    assert np.all(np.diff(run.series("energy.total")) <= 0.0)


@pytest.mark.parametrize("width", [0.1, 1.0])
@pytest.mark.parametrize("share", [1.01, 1.5])
def test_beyond_the_limit_an_impulse_stops_the_tip(width: float, share: float) -> None:
    """Coulomb's impulse at u_n = 0: it sticks if |p_t| <= mu p_n, which is just the limit."""
    run = art.simulate(rod(share * LIMIT, width=width), until=0.05, step=0.01)
    jam = run.events[0]
    assert (jam.kind, jam.time, set(jam.who)) == ("jam", 0.0, {"b", "floor"})
    # the moment of momentum about the tip stays, the tip becomes a pivot
    turning = 5.0 * BELOW / (1 / 3 + ASIDE**2 + BELOW**2)
    pressed, across = turning * ASIDE, 5.0 - turning * BELOW
    assert jam.values["impulse"] == pytest.approx(pressed, rel=1e-9)
    assert jam.values["impulse_vector"] == pytest.approx((across, pressed, 0.0), abs=1e-9)
    assert across / pressed == pytest.approx(LIMIT, rel=1e-9)
    kinetic = 0.5 * turning**2 * (1 / 3 + ASIDE**2 + BELOW**2)
    assert jam.values["kinetic_before"] == pytest.approx(12.5, rel=1e-12)
    assert jam.values["kinetic_after"] == pytest.approx(kinetic, rel=1e-9)
    energy = run.series("energy.total")
    assert np.all(np.diff(energy) <= 1e-12)
    assert np.ptp(energy + run.series("energy.dissipated")) <= 1e-9


def test_a_rod_that_slides_into_the_limit_jams_there() -> None:
    """Friction grows with the speed: below the limit at first, beyond it after a push."""
    text = PUSHED.format(width=0.1)
    run = art.simulate(art.parse(text).world("w"), until=0.2, step=0.005)
    kinds = [event.kind for event in run.events]
    assert kinds[0] == "contact"
    assert "jam" in kinds
    jam = run.events[kinds.index("jam")]
    assert 0.0 < jam.time < 0.2
    assert jam.values["kinetic_after"] < jam.values["kinetic_before"]


def test_the_other_way_round_any_friction_slides() -> None:
    run = art.simulate(rod(4.0, speed=5.0), until=0.2, step=0.01)
    assert np.all(np.diff(run.series("energy.total")) <= 1e-12)
