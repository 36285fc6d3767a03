"""Clear floor before an object: rectangles of floor that have it ahead of them or beside them.

A rectangle is known by its middle and by where it is turned. It is tried in even turns from the
longest edges of the room on, and along others: how the room is turned makes no difference. Metres.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import shapely

from articulata.analyses.reach.surroundings.room import Room
from articulata.analyses.reach.ways.base_areas import joined
from articulata.analyses.reach.ways.device_parts import TURNS, box
from articulata.analyses.reach.ways.footprints import BareRoom, bare_rectangle
from articulata.analyses.reach.ways.standing_places import free_of
from articulata.geometry.arrays import Array, BoolArray

Shapes: TypeAlias = npt.NDArray[np.object_]

FINE = 1e-6
"""m. Room that is smaller than asked for by no more than this is enough: numbers are rounded."""

BESIDE = 0.03
"""m. What is nearer to an object than this holds it, unless it is a wall."""

THIN = 1e-4
"""m. So deep in a wall a point is taken to be on its face."""

EDGE = 0.3
"""m. Shorter edges are not looked along."""

ALIGNED = 1e-4
"""rad. What is turned by less from an edge is along it."""

EDGES = 8
"""Directions of edges that are looked along, those first of which there is most."""

ROUNDED = 2.5e-16
"""Cosines and sines smaller than this are zero but for how they are rounded."""

BEYOND = 1e5
"""How many times farther away than what casts it a shadow ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Middles:
    """Where the middle of a rectangle may be, turn by turn.

    ``areas`` (n,), one for each of ``turns`` (n,) rad, lie in G's plane.
    """

    half_length: float
    half_width: float
    turns: Array
    areas: Shapes

    def ahead(self, p: Array, depth: float) -> Shapes:
        """Return from where a point (2,) is over a rectangle's front half, or ahead, by turn (n,).

        It is ``depth`` beyond the front at most.
        """
        return self._seen_in(p, 0.0, self.half_length + depth, self.half_width)

    def beside(self, p: Array, depth: float) -> Shapes:
        """Return from where a point (2,) is over a rectangle, or beside it, ``depth`` at most."""
        return self._seen_in(p, -self.half_length, self.half_length, self.half_width + depth)

    def _seen_in(
        self, p: Array, rear: float, front: float, side: float, right: float | None = None
    ) -> Shapes:
        """Return from where a point is in a zone of the rectangle's own frame, by turn (n,).

        It is as wide to the right as to the left where nothing is said.
        """
        rear, front, side = rear - FINE, front + FINE, side + FINE
        low = -side if right is None else right - FINE
        zone = np.array([(front, low), (front, side), (rear, side), (rear, low)])
        # mirrored about the point these are the middles of rectangles that see it so
        zones = shapely.polygons(p - _rotated(zone, self.turns[:, None]))
        return np.asarray(shapely.intersection(self.areas, zones))

    def to_the_left(self, p: Array, inside: float, depth: float) -> Shapes:
        """Return from where a point (2,) is to the left of a rectangle, ``depth`` at most.

        Or it is ``inside`` its left side, so far at most. At its corners a point is neither to the
        left nor before it.
        """
        half = self.half_length - 3.0 * FINE
        return self._seen_in(p, -half, half, self.half_width + depth, self.half_width - inside)

    def before(self, p: Array, inside: float, depth: float) -> Shapes:
        """Return from where a point (2,) is before a rectangle's front, ``depth`` at most.

        Or it is ``inside`` its front, so far at most.
        """
        half = self.half_length
        return self._seen_in(p, half - inside, half + depth, self.half_width)

    def gaps(self, p: Array) -> tuple[Array, Array]:
        """Return how far a point (2,) is from the nearest front, and side, for each turn (n,).

        It is 0 over a rectangle's front half, or over any of it, and infinite where none has the
        point ahead, or beside.
        """
        corners, of = shapely.get_coordinates(self.areas, return_index=True)
        # a copy, as shapes are moved where they are
        own = shapely.set_coordinates(self.areas.copy(), _rotated(corners - p, -self.turns[of]))
        half, side = self.half_length + FINE, self.half_width + FINE
        before = shapely.box(-BEYOND, -side, FINE, side)
        front = shapely.LineString([(0.0, -side), (0.0, side)])
        across = shapely.box(-half, -BEYOND, half, BEYOND)
        flank = shapely.LineString([(-half, 0.0), (half, 0.0)])
        return _gaps(own, before, front, self.half_length), _gaps(
            own, across, flank, self.half_width
        )


def _rotated(points: Array, turns: Array) -> Array:
    """Return points (..., 2) rotated about the origin by angles (...), rad."""
    # quarters of a turn are exact
    c, s = (np.where(np.abs(each) < ROUNDED, 0.0, each) for each in (np.cos(turns), np.sin(turns)))
    x, y = points[..., 0], points[..., 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=-1)


def _gaps(shapes: Shapes, strip: Any, line: Any, to_edge: float) -> Array:
    """Return how far what shapes (n,) have in a strip is from a line, less ``to_edge`` (n,)."""
    seen = shapely.intersection(shapes, strip)
    away = np.maximum(shapely.distance(seen, line) - to_edge - FINE, 0.0)
    return np.where(shapely.area(seen) > 0.0, away, np.inf)


def middles_of(room: Room, height: float, width: float, length: float, along: Array) -> Middles:
    """Return where the middle of a rectangle of floor may be, clear up to ``height``.

    It is turned along each of ``along`` (n,) rad and by quarters of a turn from there.
    """
    width, length = width - FINE, length - FINE
    turns = np.concatenate([along, along + 0.5 * np.pi])
    areas = free_of(room, bare_rectangle(height - FINE, width, length), turns)
    both = np.concatenate([turns, turns + np.pi])
    return Middles(0.5 * length, 0.5 * width, both, np.array(areas * 2))


@dataclass(frozen=True, slots=True)
class Alcove:
    """An alcove is ``wide`` m where it is deeper than ``deep`` m."""

    deep: float
    wide: float


def ahead_in(
    room: Room, height: float, width: float, length: float, turns: Array, alcove: Alcove
) -> list[Middles]:
    """Return where the middle of a rectangle may be that enters an alcove ahead.

    Farther than it may be deep the floor is as wide as the alcove is to be, to either side.
    """
    half, wide = 0.5 * (length - FINE), 0.5 * (width - FINE)
    more = max(0.5 * (alcove.wide - FINE), wide)
    cut = half - alcove.deep - FINE
    front = box(cut, half, wide)
    found = []
    for aside in (-1.0, 0.0, 1.0):
        rear = box(-half, cut, more, aside * (more - wide))
        found.append(_middles(room, height, (front, rear), half, wide, turns))
    return found


def beside_in(
    room: Room, height: float, width: float, length: float, turns: Array, alcove: Alcove
) -> list[Middles]:
    """Return the same of a rectangle that enters an alcove to its left."""
    half, wide = 0.5 * (length - FINE), 0.5 * (width - FINE)
    more = max(0.5 * (alcove.wide - FINE), half)
    deep = alcove.deep + FINE
    near = box(-half, half, 0.5 * deep, wide - 0.5 * deep)
    rest = 0.5 * (2.0 * wide - deep)
    found = []
    for ahead in (-1.0, 0.0, 1.0):
        middle = ahead * (more - half)
        far = box(middle - more, middle + more, rest, rest - wide)
        found.append(_middles(room, height, (near, far), half, wide, turns))
    return found


def _middles(
    room: Room,
    height: float,
    outlines: tuple[Array, ...],
    half_length: float,
    half_width: float,
    turns: Array,
) -> Middles:
    areas = free_of(room, BareRoom(height - FINE, outlines), turns)
    return Middles(half_length, half_width, turns, np.array(areas))


def without(middles: Middles, area: Any) -> Middles:
    """Return middles that are not in an area of the floor."""
    if area.is_empty:
        return middles
    return replace(middles, areas=shapely.difference(middles.areas, area))


@lru_cache(maxsize=16)
def directions_of(room: Room) -> Array:
    """Return the directions (n,), rad, from 0 to a quarter of a turn, in which floor is looked for.

    Even ones, from that on of which the edges of the floor and of what stands on it have most, and
    others of these edges.
    """
    sides = _edges_of(room)[:, 1] - _edges_of(room)[:, 0]
    lengths = np.linalg.norm(sides, axis=1)
    told: dict[float, tuple[float, float]] = {}
    for (x, y), length in zip(sides, lengths, strict=True):
        turn = float(np.arctan2(y, x) % (0.5 * np.pi))
        key = round(turn, 5) % round(0.5 * np.pi, 5)
        told[key] = (told.get(key, (0.0, 0.0))[0] + float(length), turn)
    most, *others = [turn for _, turn in sorted(told.values(), reverse=True)] or [0.0]
    even = most + np.arange(TURNS // 4) * (2.0 * np.pi / TURNS)
    return np.concatenate([even, others[:EDGES]])


@lru_cache(maxsize=16)
def _edges_of(room: Room) -> Array:
    """Return the edges (n, 2, 2) of the floor and of what stands on it, both ends of each."""
    rings = [
        np.asarray(ring.coords)
        for part in shapely.get_parts(room.floor)
        for ring in (part.exterior, *part.interiors)
    ]
    hulls = [solid.outline for solid in room.solids]
    rings += [np.asarray(hull.exterior.coords) for hull in hulls if hull.geom_type == "Polygon"]
    edges = np.concatenate([np.stack([ring[:-1], ring[1:]], axis=1) for ring in rings])
    return np.asarray(edges[np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1) >= EDGE])


def along_edges(room: Room, p: Array, far: float, turns: Array) -> BoolArray:
    """Return which of ``turns`` (n,) are along or across an edge ``far`` m from p (2,) at most.

    It is all of them where there is none.
    """
    edges = _edges_of(room)
    near = edges[shapely.distance(shapely.linestrings(edges), shapely.Point(*p)) <= far]
    side = near[:, 1] - near[:, 0]
    off = turns[:, None] - np.arctan2(side[:, 1], side[:, 0])
    aligned = (np.abs(np.sin(2.0 * off)) < ALIGNED).any(axis=1)
    return aligned if aligned.any() else np.ones(len(turns), bool)


def shadow_of(outlines: Iterable[Any], p: Array) -> Any:
    """Return the floor to which no straight way leads from a point (2,) past convex outlines."""
    cast = []
    for outline in outlines:
        # what touches leaves no gap to look through
        corners = shapely.get_coordinates(outline.buffer(FINE, join_style="mitre"))
        behind = p + BEYOND * (corners - p)
        cast.append(shapely.MultiPoint(np.concatenate([corners, behind])).convex_hull)
    return joined(cast)


def hidden_from(room: Room, p: Array) -> Any:
    """Return the floor behind what rises past a point (3,) of G.

    What holds the point hides nothing, unless it is one of the room's walls.
    """
    eye = p[:2]
    in_the_way = []
    for solid in room.solids:
        low, high = solid.outer[:, 2].min(), solid.outer[:, 2].max()
        if not low < p[2] - BESIDE < p[2] + BESIDE < high:
            continue
        outline = solid.outline
        if outline.distance(shapely.Point(*p[:2])) <= BESIDE:
            if solid.body not in room.walls():
                continue
            eye = _before_face(outline, eye)
        in_the_way.append(outline)
    seen_from = shapely.Point(*eye)
    return shadow_of((each for each in in_the_way if each.distance(seen_from) > 2.0 * FINE), eye)


def _before_face(wall: Any, p: Array) -> Array:
    """Return a point (2,), or where it is before the face of a wall that it is on."""
    if wall.distance(shapely.Point(*p)) > THIN:
        return p
    inner = shapely.get_coordinates(
        shapely.shortest_line(wall.buffer(-THIN, join_style="mitre"), shapely.Point(*p))
    )
    if not len(inner) or not (away := float(np.linalg.norm(inner[1] - inner[0]))):
        return p
    return np.asarray(p + 2.0 * THIN / away * (inner[1] - inner[0]))
