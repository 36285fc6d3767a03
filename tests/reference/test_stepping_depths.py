"""How deep steps let bodies into each other: the figures that docs/stepping.md gives."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art

BALL = """
primitive ball {{
  properties: (density: 1000, restitution: 0.5)
  geometry: sphere(10 cm)
  dynamics
}}
world fall {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; ball: ball }}
  structure {{
    place ball by ball.center at (0, {height} m, 0), velocity = ((0, {speed} m/s, 0) (0, 0, 0))
  }}
}}
"""

SHOT = """
primitive link {
  properties: (density: 178, friction: 0.9)
  geometry: union(cuboid(45 mm, 15 mm, 15 mm), sphere(7.5 mm))
    where { l: (-25 mm, 0, 0); r: (25 mm, 0, 0) }
  dynamics
}
primitive shot { properties: (density: 7000, friction: 0.5); geometry: sphere(5 cm); dynamics }
world pressed {
  gravity: (0, -1.62, 0)
  components { floor: ground; a, b: link; shot: shot }
  structure {
    place a by a.origin at (0, 7.5 mm, 0)
    place b by b.origin at (50 mm, 7.5 mm, 0)
    join b to a with ball as j matching (l, r)
    place shot by shot.origin at (50 mm, 0.2, 0), velocity = ((0, -0.5, 0) (0, 0, 0))
  }
}
"""


def deepest(world: art.World, pairs: list[tuple[str, str]], until: float, step: float) -> float:
    run = art.simulate(world, until=until, step=1e-3, method=art.Stepping(step=step))
    return max(-float(np.min(art.clearance(run, *pair))) for pair in pairs)


@pytest.mark.parametrize("height", np.linspace(0.3, 0.309, 5))
def test_what_strikes_enters_by_half_a_step_at_most(height: float) -> None:
    world = art.parse(BALL.format(height=height, speed=-10)).world("fall")
    assert deepest(world, [("ball", "floor")], 0.05, 1e-3) < 0.5 * 10.1 * 1e-3


def test_what_rests_stays_out() -> None:
    world = art.parse(BALL.format(height=0.1, speed=0)).world("fall")
    assert deepest(world, [("ball", "floor")], 0.1, 1e-3) < 1e-9


@pytest.mark.parametrize(("step", "deep"), [(1e-3, 5e-4), (1e-4, 5e-6)])
def test_a_heavy_ball_presses_light_links_into_the_floor(step: float, deep: float) -> None:
    world = art.parse(SHOT).world("pressed")
    pairs = [("a", "floor"), ("b", "floor"), ("shot", "a"), ("shot", "b")]
    assert deepest(world, pairs, 0.3, step) < deep
