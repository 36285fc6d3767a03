"""Ramps: how long a building code asks them to be over what shuts the way, and what stands there.

Those that stand in a room are looked at too: how they slope, how wide they are, what is level at
their ends. Metres; slopes are rise by run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import shapely
from scipy.spatial import ConvexHull, QhullError

from articulata.analyses.reach.building_codes.rule_tables import RAMP, rules_of
from articulata.analyses.reach.surroundings.room import Room, called, outline_of
from articulata.analyses.reach.ways.base_areas import slice_of
from articulata.analyses.reach.ways.device_parts import CLEAR
from articulata.geometry.arrays import Array
from articulata.records.reach_verdicts import Remedy, RuleFinding

HIGH: Final = 1.8
"""m. What hangs higher than this is over the heads of who sits."""

FINE: Final = 1e-4
"""m. What reaches no deeper into a ramp only touches it."""


LEVEL: Final = 1.0 / 48.0
"""What slopes by no more is level (405.7.1)."""

STEEP: Final = 1.0
"""What slopes by more is the side of a thing."""

STEP: Final = 0.013
"""m. Floor that is no more higher or lower goes on (303.2)."""

HEAD: Final = 2.03
"""m above a landing that are clear (307.4)."""

LONG: Final = 3.0
"""m. So much of a landing is looked at."""

SHORT: Final = 1e-6
"""m. A ramp that is shorter by no more is long enough: numbers are rounded."""

UNTOLD: Final = "which face of it slopes; draw its slope, by 1 in 48 at least and 1 in 1 at most"
"""What is asked of a thing that is called a ramp and is none."""

NAMES: Final = ("ramp",)
"""Last words of what is looked at as a ramp."""


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """A sloping face of a body in G, with the corners ``p`` (n, 3); ``down`` (2,) leads down it."""

    p: Array
    down: Array

    def _along(self, way: Array) -> tuple[float, float]:
        away = self.p[:, :2] @ way
        return float(away.min()), float(away.max())

    @property
    def across(self) -> tuple[float, float]:
        """From where to where it goes, to the left of who goes down."""
        return self._along(np.array([-self.down[1], self.down[0]]))

    @property
    def wide(self) -> float:
        """How wide it is."""
        return float(np.ptp(self.across))

    @property
    def rise(self) -> float:
        """How much higher its upper end is."""
        return float(np.ptp(self.p[:, 2]))

    @property
    def run(self) -> float:
        """How long it is, seen from above."""
        return float(np.ptp(self._along(self.down)))

    def landings(self, room: Room) -> tuple[float, float]:
        """Return how far floor as wide is level and clear from its upper and its lower end on."""
        first, last = self._along(self.down)
        low, high = float(self.p[:, 2].min()), float(self.p[:, 2].max())
        return self._level(room, -1.0, -first, high), self._level(room, 1.0, last, low)

    def _level(self, room: Room, sign: float, begin: float, height: float) -> float:
        way = sign * self.down
        left = np.array([-self.down[1], self.down[0]])
        right, far_left = self.across
        ends = ((begin, right), (begin + LONG, right), (begin + LONG, far_left), (begin, far_left))
        area = shapely.Polygon([x * way + y * left for x, y in ends]).buffer(-FINE)
        level = [
            shapely.multipoints(face[:, :2]).convex_hull.buffer(SHORT)
            for solid in room.solids
            for normal, face in _faces(solid.outer)
            if _steepness(normal) <= LEVEL and abs(face[:, 2].mean() - height) <= STEP
        ]
        if abs(height - room.level) <= STEP:
            level.append(room.floor)
        above = [
            slice_of(each.outer, height + CLEAR, height + HEAD).intersection(area)
            for each in room.solids
        ]
        taken = [area.difference(shapely.union_all(level)), *above]
        reached = shapely.get_coordinates(taken) @ way - begin
        return float(max(reached.min(initial=LONG), 0.0))


def slopes_of(room: Room, body: str) -> list[Slope]:
    """Return the faces of a body that somebody may roll up; pieces of one plane are one face."""
    planes: dict[tuple[float, ...], list[Array]] = {}
    ways: dict[tuple[float, ...], Array] = {}
    for solid in room.solids:
        for normal, face in _faces(solid.outer) if solid.body == body else ():
            if LEVEL < _steepness(normal) <= STEEP:
                plane = (*normal.round(4), round(float(normal @ face[0]), 3))
                planes.setdefault(plane, []).append(face)
                ways.setdefault(plane, normal[:2] / np.hypot(*normal[:2]))
    return [Slope(np.concatenate(faces), ways[plane]) for plane, faces in planes.items()]


def _steepness(normal: Array) -> float:
    return float(np.hypot(*normal[:2]) / normal[2]) if normal[2] > 1e-9 else np.inf


def _faces(corners: Array) -> Iterator[tuple[Array, Array]]:
    """Yield normal (3,) and corners (n, 3) of the faces of the hull of points (k, 3)."""
    try:
        hull = ConvexHull(corners)
    except QhullError:  # flat: it has no top
        return
    sides: dict[tuple[float, ...], list[Any]] = {}
    for plane, corner in zip(hull.equations, hull.simplices, strict=True):
        sides.setdefault(tuple(plane.round(6)), []).append(corner)
    for found, simplices in sides.items():
        yield np.array(found[:3]), hull.points[np.unique(simplices)]


def ramps_in(room: Room) -> list[str]:
    """Return the bodies of a room that are called ramps."""
    bodies = room.world.bodies.values()
    return [each.id for each in bodies if each.shape is not None and called(each.id, NAMES)]


def ramp_findings(room: Room, name: str) -> Iterator[RuleFinding]:
    """Yield whether the ramps of a room are as steep and as high as a code allows."""
    rows = [each for each in rules_of(name) if each.reach == RAMP]
    section = rows[0].section if rows else ""
    for body in ramps_in(room) if rows else ():
        slopes = slopes_of(room, body)
        if not slopes:
            words = f"{section}: {UNTOLD}"
            yield RuleFinding(body, name, False, section, 0.0, 0.0, words, told=False)
            continue
        short, worst = max(((_lacks(name, each), each) for each in slopes), key=lambda one: one[0])
        met = short <= SHORT
        told = f"rises {worst.rise:.3g} m in {worst.run:.4g} m (1 in {worst.run / worst.rise:.3g})"
        asked = "; ".join(each.what for each in rows)
        words = f"{section}: {asked}" if met else f"it {told}; {section}: {asked}"
        yield RuleFinding(body, name, met, section, worst.rise, 0.0, words)


def _lacks(name: str, slope: Slope) -> float:
    """Return how much longer (m) a slope is to be, infinite where it rises more than one may."""
    ramp = ramp_of([name], slope.rise)
    return (np.inf if ramp is None else ramp.run) - slope.run


@dataclass(frozen=True, slots=True)
class Ramp:
    """The steepest ramp up to a rise that section ``section`` of a code allows, ``run`` m long."""

    section: str
    slope: float
    run: float


def ramp_of(rules: Sequence[str], rise: float) -> Ramp | None:
    """Return the shortest ramp over a rise that all codes allow; None where one allows none.

    Raise ValueError where none of the codes has a row about ramps.
    """
    asked = {name: [each for each in rules_of(name) if each.reach == RAMP] for name in rules}
    asked = {name: sorted(rows, key=lambda each: each.high) for name, rows in asked.items() if rows}
    if not asked:
        raise ValueError("no code about ramps")
    found = []
    for name, rows in asked.items():
        row = next((each for each in rows if rise <= each.high + FINE), None)
        if row is None:
            return None
        slope = row.high / row.length
        found.append(Ramp(f"{name} {row.section}", slope, rise / slope))
    return max(found, key=lambda each: each.run)


def sloped(room: Room, remedy: Remedy, rules: Sequence[str]) -> Remedy:
    """Return a remedy with the ramp that building codes ask for, where it is one and they do.

    Where the ramp has no room, or no code allows it, what shuts the way is to be taken away.
    """
    if remedy.kind != "ramp":
        return remedy
    try:
        ramp = ramp_of(rules, remedy.by)
    except ValueError:
        return remedy
    if ramp is None:
        note = f"{remedy.by * 100:.3g} cm are more than {' and '.join(rules)} let a ramp rise"
        return Remedy("remove", remedy.what, remedy.by, note=note)
    long = f"{ramp.run * 100:.0f} cm long on either side, {ramp.slope:.2%} steep ({ramp.section})"
    taken = next(_taken(room, remedy.what, ramp.run), "")
    if taken:
        note = f"a ramp over it is {long}, and {taken}"
        return replace(remedy, kind="remove", note=note, run=ramp.run, slope=ramp.slope)
    return replace(remedy, note=long, run=ramp.run, slope=ramp.slope)


def _taken(room: Room, body: str, run: float) -> Iterator[str]:
    """Say what is where a ramp over a body would lie, ``run`` m to both sides of its length.

    A side that lies beyond the floor, as out of the door, is not looked at.
    """
    for side in sides_of(room, body, run):
        if side.intersection(room.floor).area < 0.5 * side.area:
            continue
        inner = side.buffer(-FINE)
        low, high = room.level + CLEAR, room.level + HIGH
        for solid in room.solids:
            if solid.body != body and slice_of(solid.outer, low, high).intersects(inner):
                yield f"'{solid.body}' is in its way"
        if not inner.within(room.floor):
            yield "the floor ends before it does"


def sides_of(room: Room, body: str, run: float) -> tuple[Any, Any]:
    """Return the rectangles of floor ``run`` m to both sides of the length of a body, in G."""
    outline = outline_of(each for each in room.solids if each.body == body)
    corners = shapely.get_coordinates(shapely.oriented_envelope(outline))[:4]
    if np.linalg.norm(corners[1] - corners[0]) < np.linalg.norm(corners[2] - corners[1]):
        corners = np.roll(corners, -1, axis=0)
    # the edge from 0 to 1 is a long one, and that from 2 to 3 the other
    across = corners[2] - corners[1]
    way = run * across / np.linalg.norm(across)
    one = shapely.Polygon([corners[0], corners[1], corners[1] - way, corners[0] - way])
    other = shapely.Polygon([corners[2], corners[3], corners[3] + way, corners[2] + way])
    return one, other
