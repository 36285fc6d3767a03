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
def test_beyond_the_limit_the_paradox_is_named(width: float) -> None:
    with pytest.raises(art.SimulationError, match="Painleve's paradox") as caught:
        art.simulate(rod(1.01 * LIMIT, width=width), until=0.3, step=0.01)
    assert "floor with b jams at t = 0 s" in str(caught.value)
    bound = float(str(caught.value).split("friction below ")[1].split(" ")[0].rstrip("."))
    assert bound == pytest.approx(LIMIT, rel=1e-3)


def test_the_other_way_round_any_friction_slides() -> None:
    run = art.simulate(rod(4.0, speed=5.0), until=0.2, step=0.01)
    assert np.all(np.diff(run.series("energy.total")) <= 1e-12)
