"""Furnished rooms by chance that can be mirrored, turned and asked of people of any ability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import articulata as art
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study

Array = np.ndarray


@dataclass(frozen=True)
class Plan:
    """Boxes in a room that is ``width`` by ``deep`` m, and ``points`` (n, 3) beside them.

    ``boxes`` are edges, middle and degrees about y; ``door`` is how wide it is, m.
    """

    width: float
    deep: float
    door: float
    boxes: tuple[tuple[float, ...], ...]
    points: Array


@dataclass(frozen=True)
class Ability:
    """Who is asked: ``who`` with a way to move, ``words`` of what they are able to, a ``seed``."""

    who: str
    words: str = ""
    seed: int = 0


def furnished(seed: int) -> Plan:
    """Return a room with an L-shaped desk, a bookcase, a cupboard, a board, and things at each."""
    rng = np.random.default_rng(seed)
    width, deep = rng.uniform(2.6, 4.2), rng.uniform(2.4, 3.6)
    boxes: list[tuple[float, ...]] = []
    points: list[tuple[float, float, float]] = []
    left = -0.5 * width

    def board(x: float, z: float, w: float, d: float, high: float, thick: float) -> None:
        """Stand a board, ``high`` m up to its upper face, with its corner at (x, z)."""
        boxes.append((w, thick, d, x + 0.5 * w, high - 0.5 * thick, z + 0.5 * d, 0.0))

    def on(x: float, z: float, w: float, d: float, high: float, many: int) -> None:
        """Put things over a rectangle, 1 cm above a face ``high`` m up."""
        for _ in range(many):
            a, b = rng.random(2)
            points.append((x + a * w, high + 0.01, z + b * d))

    # a desk along the back wall, and a wing of it along the left one
    high, desk, wing = rng.uniform(0.68, 0.78), rng.uniform(0.6, 0.8), rng.uniform(0.5, 0.75)
    long, far = rng.uniform(1.2, 2.0), rng.uniform(1.1, 1.7)
    thick = rng.choice([0.03, high])  # as a table, or solid to the floor
    board(left, 0.0, long, desk, high, thick)
    board(left, desk, wing, far - desk, high, thick)
    on(left, 0.0, long, desk, high, 3)
    on(left, desk, wing, far - desk, high, 1)
    # a bookcase at the right wall
    case, low, top = rng.uniform(0.25, 0.4), rng.uniform(0.7, 1.2), rng.uniform(1.6, 2.1)
    z, x = rng.uniform(0.0, deep - 1.1 - low), 0.5 * width - case
    for side in (z, z + low - 0.02):
        board(x, side, case, 0.02, top, top)
    for number in range(count := int(rng.integers(4, 6))):
        level = 0.1 + number * (top - 0.1) / (count - 1)
        board(x, z + 0.02, case, low - 0.04, level, 0.02)
        on(x + 0.03, z + 0.05, case - 0.06, low - 0.1, level, 1)
    # a cupboard and a thing that stands about, at any angle
    for size in ((0.8, 0.9, 0.45), (0.5, 0.45, 0.5)):
        w, h, d = np.array(size) * rng.uniform(0.7, 1.2, 3)
        a = rng.uniform(left + wing + 0.5 * w, x - 0.5 * w)
        b = rng.uniform(desk + 0.4, deep - 0.4)
        boxes.append((w, h, d, a, 0.5 * h, b, float(rng.choice([0.0, rng.uniform(-60.0, 60.0)]))))
        points.append((a, h + 0.01, b))
    # a board on the back wall, above the desk
    hung = rng.uniform(1.15, 1.6)
    board(left + 0.2, 0.0, rng.uniform(0.6, 1.0), rng.uniform(0.2, 0.35), hung, 0.03)
    on(left + 0.2, 0.0, 0.6, 0.2, hung, 1)
    on(left + 0.2, 0.02, 0.6, 0.16, hung - 0.06, 1)  # below it
    return Plan(width, deep, rng.uniform(0.85, 1.0), tuple(boxes), np.array(points))


def study(plan: Plan, ability: Ability, mirrored: bool = False, turn: float = 0.0) -> Study:
    """Return a room ready to be asked about its points: "dot_0.center" and so on.

    ``turn`` in degrees, with a shift, about y.
    """
    w, d, side = plan.width, plan.deep, -1.0 if mirrored else 1.0
    shut = d - plan.door
    walls = (
        (w, 2.4, 0.1, 0.0, 1.2, -0.05, 0.0),
        (w, 2.4, 0.1, 0.0, 1.2, d + 0.05, 0.0),
        (0.1, 2.4, d, -0.5 * w - 0.05, 1.2, 0.5 * d, 0.0),
        (0.1, 2.4, shut, 0.5 * w + 0.05, 1.2, 0.5 * shut, 0.0),
    )
    floor = (w, 0.1, d, 0.0, -0.05, 0.5 * d, 0.0)
    names, places = [], []
    for name, (a, b, c, x, y, z, about) in {
        "floor": floor, **{f"thing_{i}": each for i, each in enumerate((*walls, *plan.boxes))}
    }.items():  # fmt: skip
        names.append(f"{name}: block({a} m, {b} m, {c} m)")
        p = _told(placed(np.array([[x, y, z]]), side, turn)[0])
        places.append(
            f"place {name} by {name}.center at {p} turned {side * about + turn} deg about y"
        )
    dots = np.concatenate([plan.points, [[0.5 * w, 0.0, shut + 0.5 * plan.door]]])
    for number, each in enumerate(placed(dots, side, turn)):
        name = "door" if number == len(plan.points) else f"dot_{number}"
        names.append(f"{name}: fixed_point")
        places.append(f"place {name} by {name}.center at {_told(each)}")
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d)
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ {"; ".join(names)} }}
  structure {{ {chr(10).join(places)} }}
}}
reach room {{
  person: {ability.who}
  approach: from door
  points: grid 1 m in floor
  {ability.words}
}}"""
    found = study_of(art.parse(text).requests[0])[0]
    if not ability.seed:
        return found
    return Study(found.world, found.people, floor="floor", door="door", seed=ability.seed)


def placed(points: Array, side: float, turn: float) -> Array:
    """Return where points (n, 3) of a plan are in the world."""
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    x, y, z = points.T * [[side], [1.0], [1.0]]
    moved = np.column_stack([c * x + s * z, y, c * z - s * x])
    return np.asarray(moved + ((100.0, 0.7, -40.0) if turn else (0.0, 0.0, 0.0)))


def _told(point: Array) -> str:
    return "(" + ", ".join(f"{v} m" for v in point) + ")"
