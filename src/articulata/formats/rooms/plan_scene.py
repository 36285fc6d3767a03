"""A floor plan as a world: walls, windows and furniture are raised, doors stand open.

z is up, the floor is at z = 0. Heights are no part of a plan: they are the usual ones, and told.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import shapely
from shapely import Polygon
from shapely.affinity import translate

from articulata.errors import FormatError
from articulata.formats.rooms.dxf_drawing import read_drawing
from articulata.formats.rooms.floor_plan import floor_plan
from articulata.formats.rooms.raised_outlines import (
    SLAB,
    away_from_origin,
    empty_room,
    named_like,
    raise_outlines,
    take_rooms,
)
from articulata.formats.scenes.foreign_scene import Scene

WALL: Final = 2.5
"""m from the floor to the ceiling where the drawing does not tell."""
SILL: Final = 0.9
HEAD: Final = 2.1
"""m, the lower and the upper edge of a window's pane."""
FAR: Final = 1000.0
"""m from the origin beyond which a plan is moved there."""


def read_scene(
    path: Path, height: float | None = None, unit: float | None = None, walls: str = ""
) -> Scene:
    """Return the rooms of a plan; FormatError says why none can be made.

    ``height`` (m) goes from the floor to the ceiling, ``unit`` (m) is what 1 of the drawing is,
    ``walls`` are the layers of its walls, one or several with commas between, each by its name or a
    part of it.
    """
    scene = empty_room(path, height=height, unit=unit)
    try:
        drawing = read_drawing(path)
        layers = dict.fromkeys(each.layer for each in drawing.strokes)
        asked = [each for each in walls.split(",") if each.strip()]
        named = {named_like(str(path), each, layers, "layer") for each in asked}
        plan = floor_plan(drawing, unit, named)
    except (FormatError, shapely.errors.ShapelyError) as error:
        said = str(error)
        raise FormatError(said if said.startswith(str(path)) else f"{path}: {said}") from error
    scene.lost = plan.told
    lowest = np.array(shapely.total_bounds(np.array(plan.floor, object))[:2])
    away = away_from_origin(scene, lowest, FAR, "in the drawing")

    def raised(
        kind: str, name: str, outline: list[Polygon], *heights: tuple[float, float]
    ) -> str:  # fmt: skip
        return raise_outlines(scene, kind, name, outline, heights, away)

    if height is None and plan.height is None:
        scene.lost[f"height of rooms (taken as {WALL:g} m; convert takes --height)"] += 1
    height = height or plan.height or WALL
    scene.floor = raised("floor", "floor", plan.floor, (-SLAB, 0.0))
    for each in plan.walls:
        raised("wall", "wall", [each], (0.0, height))
    if plan.windows:
        said = f"height of windows (their panes are taken from {SILL:g} to {HEAD:g} m)"
        scene.lost[said] += len(plan.windows)
    head = min(HEAD, height - 0.1)
    for each in plan.windows:
        raised("wall", "window_wall", [each], (0.0, SILL), (head, height))
        raised("window", "window", [each.buffer(-0.02) or each], (SILL, head))
    for door in sorted(plan.doors, key=lambda each: tuple(each.hinge)):
        scene.lost[f"leaf of a door (it stands open; the leaf is {door.width:.2f} m wide)"] += 1
    for thing in plan.furniture:
        made = raised("furniture", thing.name, [thing.outline], (0.0, thing.height))
        if made:
            scene.wanted.append(made)
            why = "whose name does not tell it" if thing.guessed else "(usual for its name)"
            scene.lost[f"height of furniture {why} (taken as {thing.height:g} m)"] += 1
    rooms = ((name, translate(each, *-away), 0.0) for name, each in plan.rooms)
    take_rooms(scene, rooms, scene.wanted)
    return scene
