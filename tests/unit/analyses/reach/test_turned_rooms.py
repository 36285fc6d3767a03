"""What rules say of a room does not depend on how it is turned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shapely import affinity

import articulata as art
from articulata.analyses.reach.building_codes.rules import findings_of
from articulata.analyses.reach.surroundings.room import Room, Solid, room_of


def turned(room: Room, turn: float) -> Room:
    """Return a room turned by so many radians about its origin."""
    c, s = np.cos(turn), np.sin(turn)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    X_WG = room.X_WG.copy()
    X_WG[:3, :3] = X_WG[:3, :3] @ R.T
    solids = tuple(Solid(each.body, each.outer @ R.T, each.inner @ R.T) for each in room.solids)
    floor = affinity.rotate(room.floor, turn, (0.0, 0.0), use_radians=True)
    return replace(room, X_WG=X_WG, floor=floor, solids=solids)


def furnished(seed: int, count: int) -> Room:
    """A room of 2.6 m by 2.4 m with boxes and tops placed by chance, and a switch on a wall."""
    rng = np.random.default_rng(seed)
    boxes, places = [], []
    for i in range(count):
        width, deep = rng.uniform(0.2, 1.5, 2)
        low, high = (0.0, rng.uniform(0.1, 1.2)) if rng.random() < 0.6 else (0.7, 0.04)
        x, z = rng.uniform(-1.2, 1.2), rng.choice([0.5 * deep, rng.uniform(0.1, 2.0)])
        boxes.append(f"box_{i}: block({width} m, {high} m, {deep} m)")
        places.append(f"place box_{i} by box_{i}.center at ({x} m, {low + 0.5 * high} m, {z} m)")
    x, y = rng.uniform(-1.0, 1.0), rng.uniform(0.4, 1.2)
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d)
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: block(2.6 m, 10 cm, 2.4 m); back: block(2.6 m, 2.4 m, 10 cm)
    left, right: block(10 cm, 2.4 m, 2.4 m); switch: block(5 cm, 5 cm, 1 cm)
    {"; ".join(boxes)} }}
  structure {{
    place floor by floor.center at (0, -5 cm, 1.2 m)
    place back by back.center at (0, 1.2 m, -5 cm)
    place left by left.center at (-1.35 m, 1.2 m, 1.2 m)
    place right by right.center at (1.35 m, 1.2 m, 1.2 m)
    place switch by switch.center at ({x} m, {y} m, 5 mm)
    {chr(10).join(places)}
  }}
}}"""
    return room_of(art.parse(text).world())


SEEDS = (1, 2, 3, 23, 126)
"""Edges of 23 all but coincide once it is turned; 126 is approached aslant."""


@pytest.mark.parametrize("seed", SEEDS)
def test_findings_do_not_depend_on_how_a_room_is_turned(seed: int) -> None:
    room = furnished(seed, 1 + seed % 4)
    rooms = [turned(room, np.radians(each)) for each in (0.0, 7.5, 33.3)]
    told = [
        [(f.section, f.met) for f in findings_of(each, "ada_2010", ["switch"])] for each in rooms
    ]
    assert told[1] == told[0]
    assert told[2] == told[0]
