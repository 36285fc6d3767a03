"""Floors, walls, furniture as bodies: outlines are raised, guesses told, a room is chosen.

z is up, the floor is at z = 0. Of one room of a building the walls stay whole where they go on into
other rooms; the floor ends at the room.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from articulata.errors import FormatError, GeometryError
from articulata.formats.scenes.foreign_scene import Scene, ScenePart, SceneRoom, triangles_of
from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose
from articulata.geometry.shapes import Cuboid, ExtrudedPolygon, Placed, Shape, Union
from articulata.kinematics.described_figure import identifier
from articulata.world.values import Vector3

RANGES: Final = {"height": (1.5, 20.0), "unit": (1e-6, 1e3)}
"""m between which lies what a file does not tell."""
SLAB: Final = 0.1
"""m, how thick floors are."""
THICK: Final = 0.1
"""m, how thick walls are taken whose faces alone are known."""
SMALLEST: Final = 0.02
"""m. Narrower pieces of outlines are remainders of what was drawn or measured."""
SLIT: Final = 5e-4
"""m, half the width below which a hole is filled: no cut goes through it."""
LOOKS: Final[dict[str, Vector3]] = {
    "wall": (0.93, 0.92, 0.89), "window": (0.62, 0.82, 0.93), "furniture": (0.76, 0.6, 0.42),
    "floor": (0.6, 0.6, 0.58),
}  # fmt: skip
"""Colours by what it is: plaster, glass, wood, stone."""


def empty_room(path: Path, **given: float | None) -> Scene:
    """Return the scene that a file's room goes into; FormatError for what is ``given`` (m) amiss.

    ``given`` are the "height" and the "unit" that the file does not tell.
    """
    for name, value in given.items():
        low, high = RANGES[name]
        if value is not None and not low <= value <= high:
            raise FormatError(f"{path}: {name} = {value:g} m; give {low:g} to {high:g} m")
    return Scene(identifier(path.stem), path.name, gravity=(0.0, 0.0, -9.81))


def away_from_origin(scene: Scene, lowest: Array, far: float, where: str) -> Array:
    """Return by how much (m) a room is moved whose ``lowest`` place is ``far`` away; tell it."""
    away = np.where(np.abs(lowest) > far, np.round(lowest), 0.0)
    if away.any():
        shown = ", ".join(f"{each:.0f}" for each in away)
        scene.lost[f"place {where} (moved by -({shown}) m)"] += 1
    return away


def stand(scene: Scene, kind: str, name: str, X_WP: Array, solids: list[Shape]) -> str:
    """Add a body of ``solids`` in its frame P; return its name, "" where there are none.

    ``kind`` is one of ``LOOKS``.
    """
    if not solids:
        return ""
    called = scene.unique(identifier(name))
    shape = solids[0] if len(solids) == 1 else Union(tuple(solids))
    scene.parts.append(ScenePart(called, X_WP, shape, color=LOOKS[kind]))
    return called


def box(size: Iterable[float], middle: Iterable[float]) -> Shape:
    """Return a box of ``size`` (3,) m about ``middle`` (3,) m."""
    return Placed(Cuboid(*map(float, size)), make_pose(p=[*middle]))


def prisms(
    scene: Scene, outlines: list[Polygon], height: float, X_PS: Array, origin: Array | float = 0.0
) -> list[Shape]:
    """Return prisms over outlines about z = 0 of S, from ``origin`` (2,); slivers are counted."""
    solids: list[Shape] = []
    for each in outlines:
        points = np.round(np.array(each.exterior.coords)[:-1] - origin, 6)
        try:
            solids.append(Placed(ExtrudedPolygon(points, height), X_PS))
        except GeometryError:
            scene.lost["sliver of a wall"] += 1
    return solids


def raise_outlines(
    scene: Scene,
    kind: str,
    name: str,
    outlines: Iterable[BaseGeometry],
    heights: Iterable[tuple[float, float]],
    away: Array | float = 0.0,
) -> str:
    """Add a body over ``outlines`` between each two ``heights`` (m); return its name, "": none.

    ``away`` (2,) m is taken from all of it.
    """
    pieces = [each for outline in outlines for each in simple_polygons(outline)]
    if not pieces:
        return ""
    low, high = np.array(shapely.total_bounds(np.array(pieces, object))).reshape(2, 2) - away
    middle = np.round(0.5 * (low + high), 3)
    solids = [
        solid
        for bottom, top in heights
        for solid in prisms(
            scene, pieces, top - bottom, make_pose(p=[0.0, 0.0, bottom + 0.5 * (top - bottom)]),
            away + middle,
        )
    ]  # fmt: skip
    return stand(scene, kind, name, make_pose(p=[*middle, 0.0]), solids)


def polygons(area: BaseGeometry) -> list[Polygon]:
    """Return the polygons that an area is made of."""
    return [each for each in shapely.get_parts(area) if isinstance(each, Polygon)]


def simple_polygons(area: BaseGeometry) -> list[Polygon]:
    """Return polygons without holes that make up an area: it is cut through its holes."""
    found, left = [], polygons(area)
    while left:
        each = left.pop()
        holes = [ring for ring in each.interiors if not Polygon(ring).buffer(-SLIT).is_empty]
        each = Polygon(each.exterior, holes)
        if not holes:
            if not each.buffer(-0.5 * SMALLEST).is_empty:
                found.append(each.simplify(1e-3))
            continue
        x0, y0, x1, y1 = each.bounds
        x = holes[0].centroid.x
        for half in (shapely.box(x0, y0, x, y1), shapely.box(x, y0, x1, y1)):
            left += polygons(shapely.make_valid(each).intersection(half))
    return found


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
    if not scene.rooms:
        raise FormatError(
            f"{scene.file}: no rooms were found in it; leave --room away, and all of it is taken"
        )
    return named_like(scene.file, name, scene.rooms, "room")


def named_like(file: str, name: str, known: Iterable[str], kind: str) -> str:
    """Return which of the ``known`` names, of rooms or another ``kind``, is or holds ``name``.

    FormatError names those there are in the ``file``.
    """
    asked, names = name.strip().casefold(), list(known)
    exact = [each for each in names if each.casefold() == asked]
    partly = [each for each in names if asked and asked in each.casefold()]
    for found in (exact, partly):
        if len(found) == 1:
            return found[0]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    said = f"several {kind}s are called like '{name}'" if partly else f"there is no {kind} '{name}'"
    told = f"{', '.join(repr(each) for each in names[:MOST_NAMES])}{more}" or "none"
    raise FormatError(f"{file}: {said}; its {kind}s are {told}")
