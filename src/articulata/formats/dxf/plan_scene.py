"""A floor plan as a world: walls, windows and furniture are raised, doors stand open.

z is up, the floor is at z = 0. Heights are no part of a plan: they are the usual ones, and told.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from articulata.errors import FormatError, GeometryError
from articulata.formats.dxf.drawing import read_drawing
from articulata.formats.dxf.floor_plan import FloorPlan, floor_plan
from articulata.formats.scenes.foreign_scene import Scene, ScenePart
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import ExtrudedPolygon, Placed, Shape, Union
from articulata.kinematics.described_figure import identifier
from articulata.world.values import Vector3

WALL: Final = 2.5
"""m from the floor to the ceiling where the drawing does not tell."""
SILL: Final = 0.9
HEAD: Final = 2.1
"""m, the lower and the upper edge of a window's pane."""
SLAB: Final = 0.1
"""m, how thick the floor is."""
FAR: Final = 1000.0
"""m from the origin beyond which a plan is moved there."""
SMALLEST: Final = 0.02
"""m. Narrower pieces of walls are remainders of the drawing."""
SLIT: Final = 5e-4
"""m, half the width below which a hole is filled: no cut goes through it."""
PLASTER: Final = (0.93, 0.92, 0.89)
GLASS: Final = (0.62, 0.82, 0.93)
WOOD: Final = (0.76, 0.6, 0.42)
GROUND: Final = (0.6, 0.6, 0.58)


def read_scene(path: Path, height: float | None = None, unit: float | None = None) -> Scene:
    """Return the rooms of a plan; FormatError says why none can be made.

    ``height`` (m) goes from the floor to the ceiling, ``unit`` (m) is what 1 of the drawing is.
    """
    for name, given, low, high in (("height", height, 1.5, 20.0), ("unit", unit, 1e-6, 1e3)):
        if given is not None and not low <= given <= high:
            raise FormatError(f"{path}: {name} = {given:g} m; give {low:g} to {high:g} m")
    try:
        plan = floor_plan(read_drawing(path), unit)
    except (FormatError, shapely.errors.ShapelyError) as error:
        said = str(error)
        raise FormatError(said if said.startswith(str(path)) else f"{path}: {said}") from error
    scene = Scene(identifier(path.stem), path.name, gravity=(0.0, 0.0, -9.81), lost=plan.told)
    away = _away(plan)
    if away.any():
        scene.lost[f"place in the drawing (moved by -({away[0]:.0f}, {away[1]:.0f}) m)"] += 1
    if height is None and plan.height is None:
        scene.lost[f"height of rooms (taken as {WALL:g} m; convert takes --height)"] += 1
    height = height or plan.height or WALL
    raise_outlines(scene, "floor", plan.floor, away, [(-SLAB, 0.0)], GROUND)
    scene.floor = "floor"
    for each in plan.walls:
        raise_outlines(scene, "wall", [each], away, [(0.0, height)], PLASTER)
    if plan.windows:
        said = f"height of windows (their panes are taken from {SILL:g} to {HEAD:g} m)"
        scene.lost[said] += len(plan.windows)
    head = min(HEAD, height - 0.1)
    for each in plan.windows:
        raise_outlines(scene, "window_wall", [each], away, [(0.0, SILL), (head, height)], PLASTER)
        raise_outlines(scene, "window", [each.buffer(-0.02) or each], away, [(SILL, head)], GLASS)
    for door in sorted(plan.doors, key=lambda each: tuple(each.hinge)):
        scene.lost[f"leaf of a door (it stands open; the leaf is {door.width:.2f} m wide)"] += 1
    for thing in plan.furniture:
        made = raise_outlines(scene, thing.name, [thing.outline], away, [(0.0, thing.height)], WOOD)
        if made:
            scene.wanted.append(made)
            kind = (
                "height of furniture whose name does not tell it"
                if thing.guessed
                else ("height of furniture (usual for its name)")
            )
            scene.lost[f"{kind} (taken as {thing.height:g} m)"] += 1
    return scene


def _away(plan: FloorPlan) -> Array:
    low = np.array(shapely.total_bounds(np.array(plan.floor, object))[:2])
    return np.where(np.abs(low) > FAR, np.round(low), 0.0)


def raise_outlines(
    scene: Scene,
    name: str,
    outlines: list[Polygon],
    away: Array,
    heights: list[tuple[float, float]],
    color: Vector3,
) -> str:
    """Add a body over ``outlines`` between each two ``heights`` (m); return its name, "": none."""
    pieces = [each for outline in outlines for each in simple_polygons(outline)]
    if not pieces:
        return ""
    low, high = np.array(shapely.total_bounds(np.array(pieces, object))).reshape(2, 2) - away
    middle = np.round(0.5 * (low + high), 3)
    shapes: list[Shape] = []
    for each in pieces:
        points = np.round(np.array(each.exterior.coords)[:-1] - away - middle, 6)
        for bottom, top in heights:
            try:
                raised = ExtrudedPolygon(points, top - bottom)
            except GeometryError:
                scene.lost["sliver of a wall"] += 1
                continue
            X = np.eye(4)
            X[2, 3] = bottom + 0.5 * (top - bottom)
            shapes.append(Placed(raised, X))
    if not shapes:
        return ""
    X_WP = np.eye(4)
    X_WP[:2, 3] = middle
    called = scene.unique(identifier(name))
    shape = shapes[0] if len(shapes) == 1 else Union(tuple(shapes))
    scene.parts.append(ScenePart(called, X_WP, shape, color=color))
    return called


def simple_polygons(area: BaseGeometry) -> list[Polygon]:
    """Return polygons without holes that make up an area: it is cut through its holes."""
    found, left = [], [each for each in shapely.get_parts(area) if isinstance(each, Polygon)]
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
        halves = shapely.box(x0, y0, x, y1), shapely.box(x, y0, x1, y1)
        for half in halves:
            left += [
                one
                for one in shapely.get_parts(each.intersection(half))
                if isinstance(one, Polygon)
            ]
    return found
