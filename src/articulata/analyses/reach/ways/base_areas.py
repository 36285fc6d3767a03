"""Areas of a floor: outlines of what stands between two heights, and Minkowski sums with a device.

A base may be, turned by an angle, on the ground less the sums of all outlines and the device's
mirrored ones. Lengths in m.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely

from articulata.analyses.reach.surroundings.room import Room, Solid
from articulata.analyses.reach.ways.device_parts import TURNS
from articulata.geometry.arrays import Array

GRID = 1e-9
"""m. Steps of the grid on which shapes are joined where they cannot be joined as they are."""

STRAIGHT = 1e-6
"""rad. Edges that are off an orientation by less are along it."""


def blocks_of(room: Room, low: float, high: float, *, outer: bool) -> list[Array]:
    """Return the outlines (k, 2) of what solids take between two heights above the floor."""
    found = []
    for solid in room.solids:
        outline = outline_between(solid, room.level + low, room.level + high, outer=outer)
        if outline is not None:
            found.append(outline)
    if not found:
        return found
    shapes = shapely.polygons([shapely.linearrings(each) for each in found])
    about, within = shapely.STRtree(shapes).query(shapes, "covers")
    # of two alike the first stays
    alike = set(zip(about.tolist(), within.tolist(), strict=True))
    gone = {j for i, j in alike if i != j and (i < j or (j, i) not in alike)}
    return [each for k, each in enumerate(found) if k not in gone]


def outline_between(solid: Solid, low: float, high: float, *, outer: bool) -> Array | None:
    """Return the outline (k, 2) of a solid between two heights of G; None where it is not there."""
    hull = slice_of(solid.outer if outer else solid.inner, low, high)
    if hull.geom_type != "Polygon":
        return None
    return np.asarray(hull.exterior.coords)[:-1]


def slice_of(p: Array, low: float, high: float) -> Any:
    """Return what the hull of points (k, 3) covers between two heights, seen from above.

    It may be empty, or a line where the points lie in an upright plane.
    """
    if not len(p) or p[:, 2].max() <= low or p[:, 2].min() >= high:
        return shapely.MultiPoint()
    kept = [p[(p[:, 2] >= low) & (p[:, 2] <= high), :2]]
    for z in (low, high):
        below, above = p[p[:, 2] < z], p[p[:, 2] > z]
        if len(below) and len(above):
            share = (z - below[:, None, 2]) / (above[None, :, 2] - below[:, None, 2])
            cut = below[:, None, :2] + share[..., None] * (above[None, :, :2] - below[:, None, :2])
            kept.append(cut.reshape(-1, 2))
    return shapely.multipoints(np.concatenate(kept)).convex_hull


def joined(shapes: Sequence[Any]) -> Any:
    """Return the union of shapes.

    Edges that all but coincide, as those of a room that is turned, may leave it invalid: it is made
    on a grid then.
    """
    whole = shapely.union_all(shapes)
    return whole if whole.is_valid else shapely.union_all(shapes, grid_size=GRID)


def solid(shape: Any) -> Any:
    """Return the polygons of a shape: where two only touch, lines and points are left out."""
    if shape.geom_type in ("Polygon", "MultiPolygon"):
        return shape
    parts = shapely.get_parts(shape)
    return shapely.union_all(parts[shapely.area(parts) > 0.0])


def base_area(
    ground: Any, outlines: Sequence[list[Array]], parts: Sequence[Array], turn: float
) -> Any:
    """Return where the base may be, turned by ``turn``: ground less all Minkowski sums."""
    c, s = np.cos(turn), np.sin(turn)
    R = np.array([[c, -s], [s, c]])
    solid = [each for each in parts if len(each)]
    if not solid:
        return ground
    whole = shapely.MultiPoint(np.concatenate(solid)).convex_hull
    sums = []
    for corners, blocks in (
        *zip(parts, outlines, strict=True),
        (np.asarray(whole.exterior.coords)[:-1], _rim(ground)),
    ):
        if len(corners):
            mirrored = -corners @ R.T
            sums += [(block[:, None] + mirrored).reshape(-1, 2) for block in blocks]
    sizes = [len(each) for each in sums]
    numbers = np.repeat(np.arange(len(sums)), sizes)
    # lines have the hulls of their points, and are made without an object for each of these
    hulls = shapely.convex_hull(shapely.linestrings(np.concatenate(sums), indices=numbers))
    return ground.difference(joined(hulls))


def _rim(ground: Any) -> list[Array]:
    """Return the sides of the ground's outline, each as two points."""
    found = []
    for ring in rings_of(ground):
        found += list(np.stack([ring[:-1], ring[1:]], axis=1))
    return found


def orientations(room: Room) -> Array:
    """Return the orientations (n,) rad of bases, of which some are along the edges of the floor.

    So a room that is turned gives the same places.
    """
    ring = rings_of(shapely.minimum_rotated_rectangle(room.floor))[0]
    edge = np.diff(ring, axis=0)
    long = edge[int(np.linalg.norm(edge, axis=1).argmax())]
    step = 2.0 * np.pi / TURNS
    aside = math.remainder(math.atan2(long[1], long[0]), step)
    begin = aside if abs(aside) > STRAIGHT else 0.0
    return np.asarray(begin + np.linspace(0.0, 2.0 * np.pi, TURNS, endpoint=False))


def rings_of(area: Any) -> list[Array]:
    """Return the closed outlines (k, 2) of an area, those of its holes too."""
    found = []
    for part in shapely.get_parts(area):
        if part.geom_type == "Polygon" and not part.is_empty:
            found += [np.asarray(ring.coords) for ring in (part.exterior, *part.interiors)]
    return found


def shrunk(corners: Array) -> Array:
    """Return the polygon within the disc that ``corners`` is about."""
    return np.asarray(corners * np.cos(np.pi / len(corners)))


def eroded(corners: Array, half: float) -> Array:
    """Return what a part covers at every turn within ``half`` rad of its own."""
    far = float(np.linalg.norm(corners, axis=1).max())
    shape = shapely.Polygon(corners).buffer(-2.0 * far * np.sin(0.5 * half), join_style="mitre")
    if shape.is_empty:
        return np.empty((0, 2))
    return np.asarray(shape.exterior.coords)[:-1]


def swept(corners: Array, half: float) -> Array:
    """Return a convex outline about what a part covers while it turns by ``half`` either way."""
    found = [corners / np.cos(half)]
    for turn in (-half, half):
        c, s = np.cos(turn), np.sin(turn)
        found.append(corners @ np.array([[c, s], [-s, c]]))
    hull = shapely.MultiPoint(np.concatenate(found)).convex_hull
    return np.asarray(hull.exterior.coords)[:-1]
