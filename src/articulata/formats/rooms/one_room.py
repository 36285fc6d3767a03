"""One room of a building or a plan: what stands in it and about it, on a floor of its own.

z is up. Walls stay whole where they go on into other rooms; the floor ends at the room.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

import shapely

from articulata.errors import FormatError
from articulata.formats.rooms.raised_outlines import SLAB, raise_outlines
from articulata.formats.scenes.foreign_scene import Scene, ScenePart, SceneRoom, triangles_of
from articulata.geometry.arrays import Array

ABOUT: Final = 0.5
"""m about a room within which its walls, doors and windows stand."""
ABOVE: Final = 2.5
"""m above the floor of a room from which on things belong to the next storey."""
BELOW: Final = 0.03
"""m. What rises no higher above a room's floor is floor, or below it."""
MOST_NAMES: Final = 30
"""So many rooms are named to who asks for another one."""


def one_room(scene: Scene, name: str) -> Scene:
    """Return one room of a scene, by its name or a part of it that no other room has.

    FormatError names the rooms there are.
    """
    room = scene.rooms[_called(scene, name)]
    outline, about = room.outline, room.outline.buffer(ABOUT)
    parts, wanted = [], []
    for part in scene.parts:
        low, high = box_of(part)
        if not (room.low + BELOW < high[2] and low[2] < room.low + ABOVE):
            continue
        if about.intersects(shapely.box(*low[:2], *high[:2])):
            parts.append(part)
            if part.name in room.things and outline.covers(shapely.Point(*0.5 * (low + high)[:2])):
                wanted.append(part.name)
    kept = {part.name for part in parts}
    found = replace(
        scene,
        parts=parts,
        wanted=wanted,
        surfaces={key: each for key, each in scene.surfaces.items() if key in kept},
        ignored=[pair for pair in scene.ignored if kept.issuperset(pair)],
        lost=scene.lost.copy(),
        names=dict(scene.names),
    )
    found.floor = raise_outlines(found, "floor", "floor", [outline], [(room.low - SLAB, room.low)])
    return found


def box_of(part: ScenePart) -> tuple[Array, Array]:
    """Return the lowest and the highest corner of a part, (3,) each, in W."""
    shape = part.shape or part.look
    assert shape is not None
    points = triangles_of(shape)[0] @ part.X_WP[:3, :3].T + part.X_WP[:3, 3]
    return points.min(axis=0), points.max(axis=0)


def take_rooms(
    scene: Scene, rooms: Iterable[tuple[str, Any, float]], things: Iterable[str]
) -> None:
    """Keep rooms of a scene: the name of each, its outline and where its floor is, m.

    ``things`` are the parts that are furniture, in whichever room. Of rooms that are called alike
    the second has a 2 after its name.
    """
    furniture = frozenset(things)
    for name, outline, low in rooms:
        label, count = name, 1
        while label in scene.rooms:
            count += 1
            label = f"{name} {count}"
        scene.rooms[label] = SceneRoom(outline, low, furniture)


def _called(scene: Scene, name: str) -> str:
    asked = name.strip().casefold()
    exact = [each for each in scene.rooms if each.casefold() == asked]
    partly = [each for each in scene.rooms if asked and asked in each.casefold()]
    for found in (exact, partly):
        if len(found) == 1:
            return found[0]
    if not scene.rooms:
        raise FormatError(
            f"{scene.file}: no rooms were found in it; leave --room away, and all of it is taken"
        )
    known = [f"'{each}'" for each in scene.rooms]
    more = f" and {len(known) - MOST_NAMES} more" if len(known) > MOST_NAMES else ""
    said = f"several rooms are called like '{name}'" if partly else f"there is no room '{name}'"
    rooms = f"{', '.join(known[:MOST_NAMES])}{more}"
    raise FormatError(f"{scene.file}: {said}; its rooms are {rooms}")
