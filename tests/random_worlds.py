"""Worlds drawn from a seed: 3 to 30 bodies of all shapes, free or in chains of all hinges.

Nothing overlaps at the start: every chain stands in a column of its own, wide enough for it.
"""

from __future__ import annotations

import numpy as np

import articulata as art

SHAPES = (
    "cuboid({a}, {b}, {c})",
    "sphere({a})",
    "cylinder({a}, {b})",
    "capsule({a}, {b})",
    "cone({a}, {b})",
    "cone({a}, {b}, {c})",
    "prism({n}, {a}, {b})",
    "union(cuboid({a}, {b}, {c}), cuboid({c}, {a}, {b}) at ({c}, 0, 0))",
)
"""Shapes that reach at most 0.4 m from their middle."""

HINGES = (
    "ball",
    "pin(axis: {axis})",
    "slider(axis: {axis})",
    "cylindrical(axis: {axis})",
    "universal(axis: x, second: z)",
    "planar(normal: {axis})",
    "screw(lead: 0.1, axis: {axis})",
    "weld",
    "spring(stiffness: 200, length: 1)",
)


def random_text(seed: int) -> str:
    """The text of world ``drawn``."""
    draw = np.random.default_rng(seed)
    count = int(draw.integers(3, 31))
    primitives, components, structure = [], ["floor: ground"], []
    column, number = 0, 0
    while number < count:
        length = min(int(draw.choice([1, 1, 1, 2, 3, 5])), count - number)
        x, z = 5.0 * (column % 3), 5.0 * (column // 3 % 3)
        y = 6.0 + 12.0 * (column // 9)
        anchored = length > 1 and draw.random() < 0.4
        if anchored:
            components.append(f"post{column}: fixed_point")
            structure.append(f"place post{column} by post{column} at ({x}, {y + 1.0}, {z})")
        for link in range(length):
            name = f"b{number}"
            shape = str(draw.choice(SHAPES)).format(
                a=_size(draw), b=_size(draw), c=_size(draw), n=int(draw.integers(3, 9))
            )
            rho = round(float(draw.uniform(200, 4000)))
            mu, e = (round(float(draw.choice([0.0, draw.uniform(0, 1)])), 3) for _ in range(2))
            primitives.append(
                f"primitive {name}_type {{ properties: (density: {rho}, friction: {mu}, "
                f"restitution: {e}); geometry: {shape} where {{ up: (0, 0.5, 0); "
                f"down: (0, -0.5, 0) }}; dynamics }}"
            )
            components.append(f"{name}: {name}_type")
            at = f"({x}, {y + 0.5 - link if length > 1 else y}, {z})"
            if link == 0:
                v, w = draw.uniform(-2, 2, 3).round(2), draw.uniform(-3, 3, 3).round(2)
                speed = f"(({v[0]}, {v[1]}, {v[2]}) ({w[0]}, {w[1]}, {w[2]}))"
                if anchored:
                    structure += _join(draw, name, f"post{column}", "(up, center)", at)
                else:
                    structure.append(f"place {name} by {name} at {at} velocity = {speed}")
            else:
                structure += _join(draw, name, f"b{number - 1}", "(up, down)", at)
            number += 1
        column += 1
    return "\n".join(
        [
            *primitives,
            "world drawn {",
            "  gravity: (0, -9.81, 0)",
            "  components { " + "; ".join(components) + " }",
            "  structure {",
            *(f"    {line}" for line in structure),
            "  }",
            "}",
        ]
    )


def _size(draw: np.random.Generator) -> float:
    return round(float(draw.uniform(0.08, 0.24)), 3)


def _join(draw: np.random.Generator, one: str, other: str, matching: str, at: str) -> list[str]:
    """The join of two bodies; only a spring does not say where the body is."""
    kind = str(draw.choice(HINGES)).format(axis=str(draw.choice(["x", "y", "z"])))
    join = f"join {one} to {other} with {kind} matching {matching}"
    return [f"place {one} by {one} at {at}", join] if kind.startswith("spring") else [join]


def random_world(seed: int) -> art.World:
    """The world drawn from ``seed``."""
    return art.parse(random_text(seed)).world("drawn")
