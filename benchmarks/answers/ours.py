"""Our answers, in event mode."""

from __future__ import annotations

import numpy as np

import articulata as art
from benchmarks.answers.scene import (
    BALL,
    BAR,
    BAR_MASS,
    BLOCK,
    CRADLE,
    DROP,
    FRICTION,
    GRAVITY,
    STEP,
    THICKNESS,
    TURN_SECONDS,
    fifth_apex,
    tilted,
)

NAME = "articulata, event mode"


def _world(text: str) -> art.World:
    return art.parse(text).world("w")


def creep() -> tuple[float, str]:
    """Return the block's mean speed (m/s) in the third second."""
    x, y, z = tilted()
    world = _world(f"""
primitive block {{
  properties: (density: 125, friction: {FRICTION})
  geometry: cuboid({BLOCK}, {BLOCK}, {BLOCK})
  dynamics
}}
primitive plane {{ properties: (friction: {FRICTION}); geometry: half_space }}
world w {{
  gravity: ({x!r}, {z!r}, {y!r})
  components {{ b: block; floor: ground }}
  structure {{ place b by b.center at (0, {BLOCK / 2}, 0) }}
}}""")
    run = art.simulate(world, until=3.0, step=1.0)
    place = run.series("b.center")
    return float(np.linalg.norm(place[-1] - place[-2])), "true stick"


def apex() -> tuple[float, str]:
    """Return the fifth apex as a share of the first."""
    world = _world(f"""
primitive ball {{
  properties: (density: 239, restitution: 1)
  geometry: sphere({BALL})
  dynamics
}}
world w {{
  gravity: (0, -{GRAVITY}, 0)
  components {{ b: ball; floor: ground }}
  structure {{ place b by b.center at (0, {BALL + DROP}, 0) }}
}}""")
    run = art.simulate(world, until=5.2, step=STEP)
    return fifth_apex((run.series("b.center")[:, 1] - BALL).tolist()) / DROP, ""


def cradle(law: str) -> tuple[list[float], str]:
    """Return the five speeds (m/s) after the impact by one law."""
    balls = "; ".join(f"b{k}: ball" for k in range(CRADLE))
    places = "\n".join(
        f"place b{k} by b{k}.center at ({2 * BALL * k - (0.05 if k == 0 else 0.0)!r}, 0, 0)"
        for k in range(CRADLE)
    )
    world = _world(f"""
primitive ball {{
  properties: (density: 239, restitution: 1, friction: 0)
  geometry: sphere({BALL})
  dynamics
}}
world w {{
  gravity: (0, 0, 0)
  components {{ {balls} }}
  structure {{ {places} }}
}}""")
    world = world.edit([art.SetProperty("b0.velocity", (1.0, 0.0, 0.0))])
    laws = {"sequential": art.Sequential(), "Newton": art.Newton()}
    run = art.simulate(world, until=0.1, step=0.1, contact=art.Contact(impact=laws[law]))
    return [float(run.series(f"b{k}.v")[-1, 0]) for k in range(CRADLE)], law


def loop() -> tuple[float, str]:
    """Return the largest gap (m) of the four-bar's joints."""
    width = THICKNESS
    density = BAR_MASS / (BAR * width * width)
    world = _world(f"""
primitive bar {{
  properties: (density: {density!r})
  geometry: cuboid({BAR}, {width}, {width}) where {{
    start: (-{BAR / 2}, 0, 0)
    finish: ({BAR / 2}, 0, 0)
  }}
  dynamics
}}
world w {{
  gravity: (0, 0, -{GRAVITY})
  components {{ left: fixed_point; right: fixed_point; a: bar; b: bar; c: bar }}
  structure {{
    place left by left.center at (0, 0, 0)
    place right by right.center at ({BAR}, 0, 0)
    join a to left with pin(axis: y) matching (start, center)
    join b to a with pin(axis: y) matching (start, finish)
    join c to b with pin(axis: y) matching (start, finish)
    join c to right with pin(axis: y) matching (finish, center)
    place a by a.finish at (0, 0, {BAR})
    place b by b.finish at ({BAR}, 0, {BAR})
  }}
}}""")
    # The coupler moves at 1 m/s along x, both cranks turn with it.
    world = world.edit(
        [
            art.SetProperty("b.velocity", (1.0, 0.0, 0.0)),
            art.SetProperty("a.velocity", (0.5, 0.0, 0.0)),
            art.SetProperty("a.rate", (0.0, 1.0 / BAR, 0.0)),
            art.SetProperty("c.velocity", (0.5, 0.0, 0.0)),
            art.SetProperty("c.rate", (0.0, 1.0 / BAR, 0.0)),
        ]
    )
    run = art.simulate(
        world, until=TURN_SECONDS, step=0.01, method=art.RK4(step=STEP), contact=None
    )
    worst = 0.0
    pairs = (
        ("a.start", (0.0, 0.0, 0.0)),
        ("a.finish", "b.start"),
        ("b.finish", "c.start"),
        ("c.finish", (BAR, 0.0, 0.0)),
    )
    for one, other in pairs:
        there = run.series(other) if isinstance(other, str) else np.array(other)
        gap = np.linalg.norm(run.series(one) - there, axis=1)
        worst = max(worst, float(gap.max()))
    return worst, "RK4 with projection"
