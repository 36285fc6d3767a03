"""Areas of a floor: outlines of what stands between two heights, and Minkowski sums with a device.

A base may be, turned by an angle, on the ground less the sums of all outlines and the device's
mirrored ones. Lengths in m.

Where somebody may stand who takes room in layers, by turn: limbs in any of their ways.

Areas are shapes of G's plane, one for each of the ``TURNS``. Lengths in m.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import shapely

from articulata.analyses.reach.surroundings.room import Room, Solid
from articulata.analyses.reach.ways.device_parts import TURNS, DevicePart, Limb, Member
from articulata.geometry.arrays import Array
from articulata.kernels.lanes.host import spread

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


Areas = npt.NDArray[np.object_]

ONWARD: Final = 0.5
"""m. So far from the way somebody goes on to stand, where it is narrower than a way."""

QUARTER: Final = 8
"""Sides of the polygon of a quarter of a circle."""


class Layers:
    """Base areas of members; those of the same parts are made once.

    With ``outer`` what is in the way is taken too large, else too small.
    """

    def __init__(self, room: Room, ground: Any, *, outer: bool) -> None:
        self._room, self._ground, self._outer = room, ground, outer
        self._turns = orientations(room)
        self._known: dict[tuple[tuple[DevicePart, ...], float], Areas] = {}

    def standing(self, limbs: Sequence[Limb]) -> Areas:
        """Return where all limbs have room, each in one of its ways."""
        ways: dict[tuple[Member, ...], Areas] = {}
        for way in dict.fromkeys(way for limb in limbs for way in limb):
            ways[way] = self.all_of(way)
        found = [shapely.union_all([ways[way] for way in limb], axis=0) for limb in limbs]
        return reduce(shapely.intersection, found)

    def all_of(self, members: Sequence[Member]) -> Areas:
        """Return where all members have room."""
        return reduce(shapely.intersection, [self._of(each) for each in members])

    def _of(self, member: Member) -> Areas:
        key = member.parts, member.sway
        if key not in self._known:
            self._known[key] = self._made(member)
        own = self._known[key]
        areas = np.repeat(own, TURNS) if member.round else np.roll(own, -member.turned)
        x, y = member.at
        c, s = np.cos(self._turns), np.sin(self._turns)
        away = np.column_stack([c * x - s * y, s * x + c * y])
        p, of = shapely.get_coordinates(areas, return_index=True)
        return np.asarray(shapely.set_coordinates(areas.copy(), p - away[of]))

    def _made(self, member: Member) -> Areas:
        """Return the areas of a member's own origin, by turn; one of a round one."""
        blocks = [
            blocks_of(self._room, part.low, part.high, outer=self._outer) for part in member.parts
        ]
        corners = [part.corners for part in member.parts]
        found = np.empty(1 if member.round else TURNS, object)

        def work(begin: int, end: int) -> None:
            for k in range(begin, end):
                found[k] = base_area(self._ground, blocks, corners, self._turns[k])

        spread(work, len(found), grain=1)
        # what is drawn about a circle holds it
        wide = member.sway / np.cos(0.25 * np.pi / QUARTER)
        return np.asarray(shapely.buffer(found, wide, quad_segs=QUARTER)) if wide > 0.0 else found


def about_the_way(
    room: Room, way: Any, low: float, high: float, over: float, *, outer: bool
) -> Any:
    """Return the floor no farther than ``ONWARD`` from a ``way``, on the same side of things.

    Between heights ``low`` and ``high`` things part it; no farther ``over`` them is it too.
    """
    outlines = blocks_of(room, low, high, outer=outer)
    things = joined([shapely.Polygon(each) for each in outlines])
    near = shapely.get_parts(way.buffer(ONWARD).difference(things))
    here = shapely.union_all(near[shapely.intersects(near, way)])
    return joined([here, here.buffer(over).intersection(things)])


def touching(areas: Sequence[Any], way: Any) -> list[Any]:
    """Return of each area the parts that a way leads to."""
    found = []
    for area in areas:
        parts = shapely.get_parts(area)
        found.append(shapely.union_all(parts[shapely.intersects(parts, way)]))
    return found
