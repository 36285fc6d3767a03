"""Random worlds: bodies of all shapes, free or joined by hinges, that fall on a ground."""

from __future__ import annotations

import numpy as np

import articulata as art
from articulata.world.model import World

SHAPES = (
    "cuboid({a}, {b}, {c})",
    "sphere({r})",
    "cylinder({r}, {c})",
    "capsule({r}, {c})",
    "cone({r}, {c})",
    "prism(5, {r}, {c})",
    "extruded(((0, 0), ({b}, 0), (0, {a})), {c})",
    "difference(cuboid({b}, {b}, {b}), cuboid({half}, {half}, 1))",
)
"""Every kind of body that may touch, some {a} to {c} metres large."""

HINGES = ("pin(axis: {axis})", "ball", "universal", "cylindrical(axis: {axis})", "weld")

SPACING = 1.2


def falling(seed: int, most: int = 30) -> World:
    """Return a world of 3 to ``most`` bodies above a ground."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, most + 1))
    kinds, parts, lines = [], ["floor: ground"], []
    hinged = 0
    for k in range(count):
        a, b, c = rng.uniform(0.1, 0.4, 3).round(4).tolist()
        numbers = {"a": a, "b": b, "c": c, "r": round(0.5 * b, 4), "half": round(0.5 * b, 4)}
        shape = SHAPES[int(rng.integers(len(SHAPES)))].format(**numbers)
        e, mu = rng.choice([0.0, 0.3, 0.6]), rng.choice([0.0, 0.2, 0.6])
        kinds.append(
            f"primitive kind{k} {{ properties: (density: 1000, restitution: {e}, friction: {mu}); "
            f"geometry: {shape} where {{ low: (0, -0.3, 0); high: (0, 0.3, 0) }}; dynamics }}"
        )
        parts.append(f"b{k}: kind{k}")
        x, z = SPACING * (k % 5), SPACING * (k // 5)
        if k > 0 and k % 5 and rng.random() < 0.3:
            hinge = HINGES[int(rng.integers(len(HINGES)))].format(axis="xyz"[int(rng.integers(3))])
            lines.append(f"join b{k} to b{k - 1} with {hinge} matching (low, high)")
            hinged += 1
            continue
        y = rng.uniform(0.5, 1.5)
        v, w = rng.uniform(-1, 1, 3).round(3), rng.uniform(-3, 3, 3).round(3)
        lines.append(
            f"place b{k} by b{k}.low at ({x}, {y:.4f}, {z}) velocity = "
            f"(({v[0]} {v[1]} {v[2]}) ({w[0]} {w[1]} {w[2]}))"
        )
    text = "\n".join(
        [
            *kinds,
            "world falling {",
            "  gravity: (0, -9.81, 0)",
            f"  components {{ {'; '.join(parts)} }}",
            "  structure {",
            *(f"    {line}" for line in lines),
            "  }",
            "}",
        ]
    )
    return art.parse(text).world("falling")
