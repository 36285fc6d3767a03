"""Buildings by chance: furnished rooms along a corridor, each with some hundred pieces."""

from __future__ import annotations

import numpy as np

WIDE, DEEP, HALL, DOOR, HIGH = 3.0, 4.0, 2.0, 0.95, 2.5
"""m. A room is so wide and deep, the corridor so wide, doors and walls so wide and high."""


def building(rooms: int, things: int, *, seed: int = 0, objects: int = 4) -> str:
    """Return the text of a world with ``rooms``, each with a desk, a bookcase and ``things``.

    It asks whether a woman in a wheelchair reaches ``objects`` of the things.
    """
    rng = np.random.default_rng(seed)
    blocks: list[tuple[str, tuple[float, ...], tuple[float, ...]]] = []

    def stand(name: str, w: float, h: float, d: float, x: float, low: float, z: float) -> None:
        w, h, d = (round(float(each), 3) for each in (w, h, d))
        place = tuple(round(float(each), 4) for each in (x, low + 0.5 * h, z))
        blocks.append((name, (w, h, d), place))

    sides = (rooms + 1) // 2
    long, half = sides * WIDE, DEEP + 0.5 * HALL
    stand("floor", long, 0.1, 2.0 * half, 0.5 * long, -0.1, 0.0)
    for end, side in enumerate((-1.0, 1.0)):
        stand(f"wall_{end}", long, HIGH, 0.1, 0.5 * long, 0.0, side * (half + 0.05))
    stand("wall_end", 0.1, HIGH, 2.0 * half, long + 0.05, 0.0, 0.0)
    asked = []
    for number in range(rooms):
        column, side = number // 2, -1.0 if number % 2 else 1.0
        x, z = column * WIDE, side * 0.5 * HALL  # where the room's first corner is

        def put(
            name: str, w: float, h: float, d: float, a: float, low: float, b: float,
            corner: tuple[float, float, float] = (x, z, side), number: int = number,
        ) -> None:  # fmt: skip
            along, across, way = corner
            stand(f"{name}_{number}", w, h, d, along + a, low, across + way * b)

        put("partition", 0.08, HIGH, DEEP, 0.0, 0.0, 0.5 * DEEP)
        put("front", WIDE - DOOR, HIGH, 0.08, 0.5 * (WIDE - DOOR), 0.0, 0.0)
        for leg, (a, b) in enumerate(((0.1, 3.2), (1.5, 3.2), (0.1, 3.9), (1.5, 3.9))):
            put(f"leg{leg}", 0.05, 0.7, 0.05, a + 0.05, 0.0, b)
        put("top", 1.6, 0.03, 0.8, 0.85, 0.7, 3.55)
        put("chest", 0.5, 0.6, 0.5, rng.uniform(1.0, 1.4), 0.0, rng.uniform(1.4, 2.2))
        for end, b in enumerate((1.2, 2.6)):
            put(f"side{end}", 0.3, 1.82, 0.02, WIDE - 0.25, 0.0, b)
        for board in range(5):
            put(f"board{board}", 0.3, 0.02, 1.38, WIDE - 0.25, 0.1 + 0.4 * board, 1.9)
        put("tin", 0.1, 0.15, 0.1, WIDE - 0.25, 1.72, 1.9)
        for thing in range(things):
            w, h, d = rng.uniform(0.02, 0.06), rng.uniform(0.1, 0.3), rng.uniform(0.05, 0.2)
            if thing % 3:
                board = int(rng.integers(5))
                put(f"book{thing}", d, h, w, WIDE - 0.25, 0.12 + 0.4 * board, rng.uniform(1.3, 2.5))
            else:
                put(f"tool{thing}", w, h, d, rng.uniform(0.2, 1.5), 0.73, rng.uniform(3.3, 3.8))
        asked.append(f"{('tin', 'book1', 'tool0')[number % 3]}_{number}.above")
    stand("door", 0.02, 0.02, 0.02, 0.02, 0.0, 0.0)
    components = "\n".join(f"{n}: block({w}, {h}, {d})" for n, (w, h, d), _ in blocks)
    places = "\n".join(f"place {n} by {n}.center at {p}" for n, _, p in blocks)
    return f"""
units: metre
primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{ above: (0, 0.5*h + 0.01, 0) }}
}}
world building {{
  gravity: (0, -9.81, 0)
  components {{
{components}
  }}
  structure {{
{places}
  }}
}}
reach building {{
  person: person(1.62 m, woman) on wheelchair
  objects: {", ".join(asked[:objects])}
}}
"""
