"""A small room to reach in, and checks of what was found that share no code with the search."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import shapely

import articulata as art
from articulata.analyses.reach.surroundings.room import Room, room_of

TEXT = """
units: metre

primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{ front: (0, 0.5*h + 0.01, 0.5*d - 0.02) }}
}}

world room {{
  gravity: (0, -9.81, 0)
  components {{
    floor: block(2.4, 0.1, 2.6); back, near: block(2.6, 2.4, 0.1); left: block(0.1, 2.4, 2.6)
    right: block(0.1, 2.4, 1.5); counter: block(1.2, 0.9, 0.6); shelf: block(1.2, 0.02, 0.3)
    door: fixed_point
  }}
  structure {{
    place floor by floor.center at (0, -0.05, 1.3)
    place back by back.center at (0, 1.2, -0.05)
    place near by near.center at (0, 1.2, 2.65)
    place left by left.center at (-1.25, 1.2, 1.3)
    place right by right.center at (1.25, 1.2, 0.75)
    place counter by counter.center at (-0.6, 0.45, 0.3)
    place shelf by shelf.center at (-0.6, {shelf}, 0.15)
    place door by door.center at (1.2, 0, 2.05)
  }}
}}

reach room {{
  person: human_upper_body on foot, human_upper_body on wheelchair
  points: grid 30 cm in floor
  objects: counter.front, shelf.front
  approach: from door
}}
"""
SCAN = """
v -0.5 -0.5 0\nv 0.5 -0.5 0\nv 0.5 0.5 0\nv -0.5 0.5 0\nv 0 0 0
f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5
"""
"""A square without features, as an OBJ file: what ``PANEL`` calls panel.obj."""

PANEL = """
primitive ground { properties: (fixed); geometry: cuboid(3 m, 10 cm, 3 m) }
primitive panel { properties: (fixed); geometry: mesh("panel.obj") }
world room {
  gravity: (0, -9.81, 0)
  components { floor: ground; panel: panel }
  structure {
    place floor by floor.center at (0, -5 cm, 0)
    place panel by panel.center at (0, 1.1 m, -1.3 m)
  }
}
reach room { person: human_upper_body on foot }
"""
# y is up in the text: the ground frame's x is the world's, its y the opposite of the world's z
BOXES = {
    "back": (0, 1.2, -0.05, 2.6, 2.4, 0.1),
    "near": (0, 1.2, 2.65, 2.6, 2.4, 0.1),
    "left": (-1.25, 1.2, 1.3, 0.1, 2.4, 2.6),
    "right": (1.25, 1.2, 0.75, 0.1, 2.4, 1.5),
    "counter": (-0.6, 0.45, 0.3, 1.2, 0.9, 0.6),
}


def document(shelf: float = 1.4) -> art.Document:
    """Return the room with its shelf at a height."""
    return art.parse(TEXT.format(shelf=shelf))


def boxes(shelf: float = 1.4) -> dict[str, tuple[float, ...]]:
    """Return what stands in the room: middle and edges of each box, in W."""
    return {**BOXES, "shelf": (-0.6, shelf, 0.15, 1.2, 0.02, 0.3)}


def forward(figure: art.Figure, q: np.ndarray) -> list[np.ndarray]:
    """Return the poses of all links, joint by joint: the definition and nothing else."""
    M, offset = figure.mapping
    values = M @ q + offset
    poses: list[np.ndarray] = []
    for number, joint in enumerate(figure.joints):
        before = figure.base if figure.parents[number] < 0 else poses[figure.parents[number]]
        motion = np.eye(4)
        if joint.kind == "prismatic":
            motion[2, 3] = values[number]
        elif joint.kind == "revolute":
            c, s = np.cos(values[number]), np.sin(values[number])
            motion[:2, :2] = (c, -s), (s, c)
        poses.append(before @ joint.X_PJ @ motion @ joint.X_JL)
    return poses


def stands(base: np.ndarray, rectangles: list[tuple[float, ...]], shelf: float = 1.4) -> bool:
    """Return whether a device at (x, y, turn) of the ground frame stands free on the floor.

    ``rectangles`` are (rear, front, width, low, high) in the base frame.
    """
    floor = shapely.box(-1.2, -2.6, 1.2, 0.0)
    for rear, front, width, low, high in rectangles:
        own = shapely.box(rear, -width / 2, front, width / 2)
        own = shapely.affinity.rotate(own, base[2], origin=(0, 0), use_radians=True)
        own = shapely.affinity.translate(own, base[0], base[1])
        hall = shapely.Point(1.2, -2.05).buffer(1.6)
        if not own.buffer(-1e-6).within(floor.union(hall)):
            return False
        for x, y, z, w, h, d in boxes(shelf).values():
            if y + h / 2 <= low + 1e-9 or y - h / 2 >= high - 1e-9:
                continue
            other = shapely.box(x - w / 2, -z - d / 2, x + w / 2, -z + d / 2)
            if own.buffer(-1e-6).intersects(other):
                return False
    return True


Box = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
Point = tuple[float, float, float]
Part = tuple[list[Box], dict[str, Point]]
"""Boxes of one size, and features in the first one."""

WALLS: dict[str, Part] = {
    "floor": ([((0.0, 4.0), (-0.1, 0.0), (0.0, 4.0))], {}),
    "back_wall": ([((0.0, 4.0), (0.0, 2.4), (-0.1, 0.0))], {}),
    "left_wall": ([((-0.1, 0.0), (0.0, 2.4), (0.0, 4.0))], {}),
}


def boxed_room(parts: Mapping[str, Part], door: Point | None = None) -> Room:
    """A room of boxes, told by where they begin and end along x, y (up) and z."""
    kinds, components, places = [], [], []
    for name, (boxes, features) in parts.items():
        size = ", ".join(f"{b - a!r} m" for a, b in boxes[0])
        middle = [0.5 * (a + b) for a, b in boxes[0]]
        own = "; ".join(
            f"{feature}: ("
            + ", ".join(f"{p - m!r} m" for p, m in zip(point, middle, strict=True))
            + ")"
            for feature, point in features.items()
        )
        where = f" where {{ {own} }}" if own else ""
        kinds.append(
            f"primitive kind_of_{name} {{ properties: (fixed); geometry: cuboid({size}){where} }}"
        )
        for number, box in enumerate(boxes):
            each = name if len(boxes) == 1 else f"{name}_{number + 1}"
            components.append(f"{each}: kind_of_{name}")
            at = ", ".join(f"{0.5 * (a + b)!r} m" for a, b in box)
            places.append(f"place {each} by {each}.center at ({at})")
    if door is not None:
        components.append("door: fixed_point")
        places.append(f"place door by door.center at ({door[0]} m, {door[1]} m, {door[2]} m)")
    newline = "\n"
    text = (
        f"{newline.join(kinds)}\nworld room {{ gravity: (0, -9.81, 0)\n"
        f"components {{ {newline.join(components)} }}\nstructure {{ {newline.join(places)} }} }}"
    )
    return room_of(art.parse(text).world(), door="" if door is None else "door")
