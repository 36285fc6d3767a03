"""Blocks that stand by contact and friction alone, just inside and just outside of their limits."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import linprog

import articulata as art

FRICTION = 0.9

ARCH = f"""
primitive stone(outer: length, inner: length, half: angle) {{
  properties: (density: 2400, friction: {FRICTION}, restitution: 0)
  geometry: extruded((
    (inner * sin(half), inner * cos(half)) (outer * sin(half), outer * cos(half))
    (-outer * sin(half), outer * cos(half)) (-inner * sin(half), inner * cos(half))
  ), 30 cm) where {{ middle: (0, 0, 0) }}
  dynamics
}}
world w(thick: length, n: count) {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; s[1..n]: stone(1 m + thick / 2, 1 m - thick / 2, 90 deg / n) }}
  structure {{
    for i in 1..n {{
      place s[i] by s[i].middle at (0, 0, 0) turned 180 deg / n * (i - 0.5) - 90 deg about z
    }}
  }}
}}
"""


def can_stand(thick: float, n: int) -> bool:
    """Tell by linear programming whether forces at the corners of all joints hold an arch.

    J. Heyman, Int. J. Solids Structures 2 (1966) 249: it stands where any forces in equilibrium
    press and keep to friction.
    """
    radii, joints = (1 - thick / 2, 1 + thick / 2), np.linspace(math.pi, 0, n + 1)
    balance, load = np.zeros((3 * n, 4 * (n + 1))), np.zeros(3 * n)
    for stone in range(n):
        corners = np.array(
            [
                (r * math.cos(a), r * math.sin(a))
                for a, r in zip(
                    np.repeat(joints[stone : stone + 2], 2), (*radii, *radii[::-1]), strict=True
                )
            ]
        )
        x, y = corners.T
        cross = x * np.roll(y, -1) - np.roll(x, -1) * y
        area = cross.sum() / 2
        middle = ((x + np.roll(x, -1)) * cross).sum() / (6 * area)
        load[3 * stone + 1 : 3 * stone + 3] = abs(area), abs(area) * middle
        for joint, side in ((stone, 1.0), (stone + 1, -1.0)):
            a = joints[joint]
            along = side * np.array([math.cos(a), math.sin(a)])
            press = side * np.array([math.sin(a), -math.cos(a)])
            for corner, r in enumerate(radii):
                at = r * np.array([math.cos(a), math.sin(a)])
                for k, f in enumerate((press, along)):
                    column = 4 * joint + 2 * corner + k
                    moment = at[0] * f[1] - at[1] * f[0]
                    balance[3 * stone : 3 * stone + 3, column] += (*f, moment)
    cones = np.zeros((4 * (n + 1), 4 * (n + 1)))
    for corner in range(2 * (n + 1)):
        for k, sign in enumerate((1.0, -1.0)):
            cones[2 * corner + k, 2 * corner : 2 * corner + 2] = -FRICTION, sign
    found = linprog(
        np.zeros(4 * (n + 1)),
        A_ub=cones,
        b_ub=np.zeros(len(cones)),
        A_eq=balance,
        b_eq=load,
        bounds=[(0, None), (None, None)] * (2 * (n + 1)),
    )
    return bool(found.status == 0)


def thinnest(n: int) -> float:
    low, high = 0.03, 0.2
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (low, middle) if can_stand(middle, n) else (middle, high)
    return high


@pytest.mark.parametrize("n", [5, pytest.param(9, marks=pytest.mark.slow)])
def test_an_arch_stands_down_to_its_thinnest_and_falls_below(n: int) -> None:
    # P. Couplet (1730), V. Milankovitch (Z. Math. Physik 55 (1907) 1): for many stones t/R = 0.1075
    limit = thinnest(n)
    document = art.parse(ARCH)
    stands = art.simulate(document.world("w", limit * 1.003, n), until=0.1, step=0.05)
    assert np.max(stands.series("energy.kinetic")) < 1e-20
    assert {event.kind for event in stands.events} == {"contact"}
    falls = art.simulate(document.world("w", limit * 0.997, n), until=0.3, step=0.05)
    assert falls.series("energy.kinetic")[-1] > 1e-3
    assert np.all(np.diff(falls.series("s[2].center.x")) != 0)


PILE = """
primitive plank {
  properties: (density: 500, friction: 0.5, restitution: 0); geometry: cuboid(1, 10 cm, 30 cm)
  dynamics
}
primitive table { properties: (fixed, friction: 0.5); geometry: cuboid(2, 20 cm, 1) }
world w(share: number) {
  gravity: (0, -9.81, 0)
  components { t: table; b[1..4]: plank }
  structure {
    place t by t.top at (-1, 0, 0)
    place b[1] by b[1].center at ((share * (1/8) - 0.5) * 1 m, 0.05, 0)
    place b[2] by b[2].center at ((share * (1/8 + 1/6) - 0.5) * 1 m, 0.15, 0)
    place b[3] by b[3].center at ((share * (1/8 + 1/6 + 1/4) - 0.5) * 1 m, 0.25, 0)
    place b[4] by b[4].center at ((share * (1/8 + 1/6 + 1/4 + 1/2) - 0.5) * 1 m, 0.35, 0)
  }
}
"""


@pytest.mark.parametrize(("share", "holds"), [(1 - 1e-6, True), (1 + 1e-6, False)])
def test_planks_reach_out_by_the_harmonic_series(share: float, holds: bool) -> None:
    # half a length, a quarter, a sixth, an eighth: (1 + 1/2 + 1/3 + 1/4) / 2 of a plank in all
    run = art.simulate(art.parse(PILE).world("w", share), until=0.3, step=0.05)
    kinetic = run.series("energy.kinetic")
    assert bool(kinetic[-1] < 1e-20) is holds
    assert holds or bool(np.all(np.diff(kinetic) > 0))


def test_a_falling_arch_hinges_at_some_joints_and_keeps_the_others_closed() -> None:
    """Its stones creep where it begins to fall; that must not open all of its joints at once."""
    corners = "(inner * {0}, inner * {1}) (outer * {0}, outer * {1})"
    plain, turned = (
        corners.format(*pair)
        for pair in (("sin(half)", "cos(half)"), ("cos(90 deg - half)", "sin(90 deg - half)"))
    )
    assert plain in ARCH
    # corners that are not alike to the bit, so that it does not fall like its mirror image
    world = art.parse(ARCH.replace(plain, turned)).world("w", 0.095, 9)
    run = art.simulate(world, until=0.4488, step=0.02)
    parted = Counter(event.time for event in run.events if event.kind == "separation")
    assert max(parted.values(), default=0) <= 3
    total, lost = run.series("energy.total"), run.series("energy.dissipated")
    assert np.ptp(total + lost) < 1e-9 * np.abs(total).max()
