"""Lengths of things that a room calls by name, as rows of a building code ask for them. Metres."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.building_codes import rule_tables as words
from articulata.analyses.reach.building_codes.ramps import slopes_of
from articulata.analyses.reach.surroundings.room import Room, called, outline_of
from articulata.geometry.arrays import Array
from articulata.world.model import Body

FAR = 3.0
"""m. A wall farther off is not beside a thing."""

FACES = 0.05
"""m. A feature nearer than this to the middle of its thing does not tell where ahead is."""

BACK = 0.15
"""m. A thing whose side is nearer than this to a wall, and no other side is, has its back there."""

LONG = 4.0
"""So many times as long as it is deep, a thing faces across its length: a bar, or a shelf."""

PARTS: Final = ("seat", "lid", "tank", "bowl", "cistern")
"""Last words of parts of a thing, joined to it or called as it is: ``toilet_tank``."""

MOVED: Final = ("drawer", "door", "handle", "lever", "tap")
"""Last words of what belongs to a thing where it is joined to it."""


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """A thing of a room in G: its feature ``p`` (3,), and the level unit vector ``ahead`` (2,).

    ``ahead`` is zero where it is not told which way the thing faces. ``outline`` is its own,
    ``own`` are its body and its parts, ``walls`` the outlines of the room's walls.
    """

    room: Room
    walls: Any
    outline: Any
    body: Body
    own: frozenset[str]
    p: Array
    ahead: Array

    @property
    def left(self) -> Array:
        """The direction to its left."""
        return np.array([-self.ahead[1], self.ahead[0]])

    @property
    def height(self) -> float:
        """How high the feature is above the floor."""
        return float(self.p[2]) - self.room.level

    def rectangle(self, rear: float, front: float, right: float, left: float) -> Any:
        """Return a rectangle of the floor, told from the feature: ahead and to the left."""
        corners = ((rear, right), (front, right), (front, left), (rear, left))
        return shapely.Polygon([self.p[:2] + x * self.ahead + y * self.left for x, y in corners])

    def extent(self) -> tuple[float, float]:
        """Return how far it extends to the right and to the left, the former below zero.

        What is within walls or beyond the floor is left out.
        """
        seen = self.outline.intersection(self.room.floor).difference(self.walls)
        away = (shapely.get_coordinates(seen) - self.p[:2]) @ self.left
        return float(away.min(initial=0.0)), float(away.max(initial=0.0))

    def span(self, way: Array, p: Array) -> tuple[float, float]:
        """Return from where to where it extends along a level direction, seen from p (2,)."""
        away = (shapely.get_coordinates(self.outline) - p[:2]) @ way
        return float(away.min()), float(away.max())

    def to_wall(self, way: Array) -> float:
        """Return how far the wall is along a level direction; infinite beyond ``FAR``."""
        ray = shapely.LineString([self.p[:2], self.p[:2] + FAR * way])
        met = ray.intersection(self.walls)
        return float("inf") if met.is_empty else float(met.distance(shapely.Point(self.p[:2])))

    def corners(self) -> Array:
        """Return the corners (n, 3) about all its pieces."""
        pieces = [each.outer for each in self.room.solids if each.body == self.body.id]
        return np.concatenate(pieces)

    def piece(self) -> Array:
        """Return the corners (n, 3) of the piece that has the feature, or is nearest to it."""
        pieces = [each.outer for each in self.room.solids if each.body == self.body.id]
        return min(pieces, key=self._off)

    def _off(self, corners: Array) -> float:
        nearest = np.clip(self.p, corners.min(axis=0), corners.max(axis=0))
        return float(np.linalg.norm(nearest - self.p))

    def ends(self) -> tuple[float, float]:
        """Return how far the wall at its nearer end is from that end, and from the other one."""
        low, high = self.span(self.left, self.p)
        return min(
            (self.to_wall(way) - over, self.to_wall(way) + under)
            for way, over, under in ((self.left, high, -low), (-self.left, -low, high))
        )


Measure = Callable[[Thing], tuple[float, ...]]
"""Lengths of a thing, each of which a row bounds."""


def _gap(thing: Thing) -> tuple[float, ...]:
    rear = ((thing.piece()[:, :2] - thing.p[:2]) @ thing.ahead).min()
    return (thing.to_wall(-thing.ahead) + float(rear),)


def _thick(thing: Thing) -> tuple[float, ...]:
    axes = thing.room.X_WG[:3, :3].T @ thing.body.pose.matrix()[:3, :3]
    return tuple(sorted(np.ptp(thing.piece() @ axes, axis=0).tolist())[:2])


MEASURES: Final[Mapping[str, Measure]] = {
    words.HEIGHT: lambda a: (a.height,),
    words.TOP: lambda a: (float(a.corners()[:, 2].max()) - a.room.level,),
    words.BOTTOM: lambda a: (float(a.corners()[:, 2].min()) - a.room.level,),
    words.THICK: _thick,
    words.ASIDE: lambda a: (min(a.to_wall(way) for way in (a.left, -a.left)),),
    words.BEHIND: lambda a: (a.to_wall(-a.ahead),),
    words.ACROSS: lambda a: (float(np.ptp(a.span(a.left, a.p))),),
    words.DEEP: lambda a: (float(np.ptp(a.span(a.ahead, a.p))),),
    words.GAP: _gap,
    words.END: lambda a: (a.ends()[0],),
    words.FAR_END: lambda a: (a.ends()[1],),
    words.RAMP_WIDTH: lambda a: tuple(each.wide for each in slopes_of(a.room, a.body.id)),
    words.LANDING: lambda a: tuple(
        length for each in slopes_of(a.room, a.body.id) for length in each.landings(a.room)
    ),
}
"""Lengths by the word of a row."""

Seen = Callable[[Thing, Thing], tuple[float, ...]]
"""Lengths of a thing seen from another one."""


def _sides(a: Thing, b: Thing) -> tuple[float, float]:
    """Return how far a thing goes to both sides of another one, the shorter way first."""
    low, high = a.span(b.left, b.p)
    return min(-low, high), max(-low, high)


def _apart(a: Thing, b: Thing) -> tuple[float, ...]:
    """Return how much room two things leave about another one, infinite where one side has none."""
    kind = a.body.type
    alike = {each.id for each in a.room.world.bodies.values() if each.type == kind}
    outlines = [outline_of(s for s in a.room.solids if s.body == name) for name in alike]
    spans = [(shapely.get_coordinates(each) - b.p[:2]) @ b.left for each in outlines]
    spans = [(float(each.min()), float(each.max())) for each in spans]
    left = min((low for low, _ in spans if low > 0.0), default=np.inf)
    right = min((-high for _, high in spans if high < 0.0), default=np.inf)
    return (float(left + right),)


SEEN: Final[Mapping[str, Seen]] = {
    words.ABOVE: lambda a, b: (a.height - b.height,),
    words.BEYOND: lambda a, b: (float((a.p - b.p)[:2] @ b.ahead),),
    words.OFF: lambda a, b: (abs(float((a.p - b.p)[:2] @ b.left)),),
    words.SHORTER: lambda a, b: _sides(a, b)[:1],
    words.LONGER: lambda a, b: _sides(a, b)[1:],
    words.APART: _apart,
}
"""Lengths of a thing seen from another one, by the word of a row."""

SAID: Final[Mapping[str, str]] = {
    words.HEIGHT: "at {}",
    words.TOP: "{} high",
    words.BOTTOM: "{} above the floor",
    words.THICK: "{} thick",
    words.ASIDE: "{} from the wall",
    words.BEHIND: "{} from the wall behind",
    words.ACROSS: "{} long",
    words.DEEP: "{} deep",
    words.GAP: "{} from the wall",
    words.END: "begins {} from the wall",
    words.FAR_END: "ends {} from the wall",
    words.RAMP_WIDTH: "{} wide",
    words.LANDING: "level and clear for {} at an end",
    words.ABOVE: "{} higher",
    words.BEYOND: "{} ahead",
    words.OFF: "{} off its middle",
    words.SHORTER: "{} to one side",
    words.LONGER: "{} to one side",
    words.APART: "{} apart",
}
"""How a length is told, by the word of a row."""


def thing_of(room: Room, walls: Any, body: Body, feature: str) -> Thing:
    """Return a thing of a room, measured at a feature, or at its centre where none is named."""
    p = room.point(f"{body.id}.{feature}" if feature else body.id)
    outline = outline_of(s for s in room.solids if s.body == body.id)
    ahead = _ahead(room, walls, outline, body, p)
    return Thing(room, walls, outline, body, _own(room, body), p, ahead)


def _own(room: Room, body: Body) -> frozenset[str]:
    """Return a body and what belongs to it by its name; a cabinet that is joined to it does not."""
    joined = {
        name
        for each in room.world.hinges.values()
        for name in (each.body_a, each.body_b)
        if body.id in (each.body_a, each.body_b) and called(name, (*PARTS, *MOVED))
    }
    parts = {
        name for name in room.world.bodies if name.startswith(f"{body.id}_") and called(name, PARTS)
    }
    return frozenset({body.id} | joined | parts)


def _ahead(room: Room, walls: Any, outline: Any, body: Body, p: Array) -> Array:
    """Return where a body faces, a level unit vector (2,); zeros where that is not told."""
    away = p[:2] - shapely.get_coordinates(shapely.envelope(outline).centroid)[0]
    # ahead is along an axis of the body: the feature may be a little to one side
    axes = (room.X_WG[:3, :3].T @ body.pose.matrix()[:3, :3])[:2].T
    level = [each / np.linalg.norm(each) for each in axes if np.linalg.norm(each) > 0.5]
    sizes = [float(np.ptp(shapely.get_coordinates(outline) @ way)) for way in level]
    if max(sizes) > LONG * min(sizes):
        level = [level[int(np.argmin(sizes))]]
    ways = [sign * each for each in level for sign in (1.0, -1.0)]
    ahead = max(ways, key=lambda way: float(way @ away))
    others = [way for way in ways if way @ ahead < 0.9]
    if ahead @ away - max((way @ away for way in others), default=0.0) >= FACES:
        return np.asarray(ahead)
    backs = [way for way in (ahead, *others) if _behind(outline, walls, way) < BACK]
    return np.asarray(backs[0]) if len(backs) == 1 else np.zeros(2)


def _behind(outline: Any, walls: Any, ahead: Array) -> float:
    """Return how far a wall is behind the side of an outline that faces away from ``ahead``."""
    corners = shapely.get_coordinates(outline)
    middle = shapely.get_coordinates(shapely.envelope(outline).centroid)[0]
    rear = float(((middle - corners) @ ahead).max())
    ray = shapely.LineString([middle, middle - FAR * ahead])
    met = ray.intersection(walls)
    if met.is_empty:
        return float("inf")
    return float(met.distance(shapely.Point(middle))) - rear
