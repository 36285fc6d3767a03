"""Worlds in which one body flies at another: shapes, speeds, spins and steps drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import articulata as art

SHAPES = (
    "sphere({a} m)",
    "cuboid({a} m, {b} m, {c} m)",
    "cylinder({a} m, {b} m)",
    "capsule({a} m, {b} m)",
    "cuboid({t} m, {b} m, {b} m)",
    "cylinder({t} m, {b} m)",
)
"""The last two are plates and rods of 1 to 30 mm."""

RATTLING = """
  place near by near.center at (0, 5 m, 0)
  place far by far.center at (0.121 m, 5 m, 0)
  place rattling by rattling.center at (0.0605 m, 5 m, 0),
    velocity = ((10, 0, 0), (0, 0, 0))
"""
"""Two walls with 1 mm of play about a ball that strikes 10,000 times a second."""


@dataclass(frozen=True, slots=True)
class FastPair:
    """A pair; ``until`` s it has met or missed, in steps of ``step`` s."""

    text: str
    until: float
    step: float

    def world(self, *, beside: str = "") -> art.World:
        """Return the world, with a ball that rattles ``beside`` the pair where that is told."""
        parts = ("; near, far: wall; rattling: bead", beside) if beside else ("", "")
        return art.parse(self.text % parts).world("fast")


def fast_pair(seed: int) -> FastPair:
    """Return the pair drawn from a seed: up to 1000 m/s, 500 rad/s, steps of 0.1 to 10 ms."""
    rng = np.random.default_rng([seed, 42])

    def shape() -> str:
        sizes = {
            "a": rng.uniform(0.01, 0.1),
            "b": rng.uniform(0.05, 0.5),
            "c": rng.uniform(0.02, 0.3),
            "t": 10 ** rng.uniform(-3.0, -1.5),
        }
        return str(rng.choice(SHAPES)).format(**{k: f"{v:.5f}" for k, v in sizes.items()})

    v, w = 10 ** rng.uniform(0.0, 3.0), rng.uniform(0.0, 500.0) * (rng.random() < 0.6)
    step = 10 ** rng.uniform(-4.0, -2.0)
    axis = rng.normal(size=3)
    x, y, z = (w * axis / np.linalg.norm(axis)).tolist()
    fixed = rng.random() < 0.4
    beside, above = rng.uniform(-0.1, 0.1, 2).tolist()
    rng.normal(size=3)
    far = rng.uniform(0.7, 1.5)
    kept = "restitution: 0.5, friction: 0"
    text = f"""
primitive one {{ properties: (density: 1000, {kept}); geometry: {shape()}; dynamics }}
primitive two {{ properties: ({"fixed, " if fixed else ""}density: 1000, {kept})
  geometry: {shape()}{"" if fixed else "; dynamics"} }}
primitive wall {{ properties: (fixed, density: 1000, restitution: 1, friction: 0)
  geometry: cuboid(10 cm, 1 m, 1 m) }}
primitive bead {{ properties: (density: 1000, restitution: 1, friction: 0)
  geometry: sphere(1 cm); dynamics }}
world fast {{
  components {{ one: one; two: two%s }}
  structure {{
    place two by two.center at (0, 0, 0)
    place one by one.center at ({-far:.4f}, {beside:.4f}, {above:.4f}),
      velocity = (({v:.5f}, 0, 0), ({x:.4f}, {y:.4f}, {z:.4f}))
    %s
  }}
}}
"""
    return FastPair(text, 1.6 * far / v, step)


def struck(recording: art.Recording) -> list[float]:
    """Return when the two struck each other, s."""
    return [
        each.time
        for each in recording.events
        if each.kind in ("impact", "contact") and {"one", "two"} == set(each.who)
    ]
