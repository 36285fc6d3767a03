"""Rules about things that a room calls by name: toilets, basins, work surfaces, what is operated.

A thing is known by the last word of its name ("toilet", "left_basin[2]") and measured at a feature
of it, such as ``rim``, the middle of its front edge. Ahead of it is where the feature lies from its
middle, or away from the wall at its back. What is called a part of it, as a seat or a tank is,
counts as its own. What the room does not tell is asked for, never taken for granted. Metres.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.building_codes.clear_floor import FINE
from articulata.analyses.reach.building_codes.rule_tables import (
    AHEAD,
    ASIDE,
    CORNER,
    FORCE,
    HEIGHT,
    KNEES,
    ReachRule,
)
from articulata.analyses.reach.surroundings.room import (
    FOOT,
    HIGH_WALL,
    LEAST_WALL,
    ROOM_HIGH,
    THIN_WALL,
    WALLS,
    Room,
    Solid,
    called,
    outline_of,
)
from articulata.analyses.reach.ways.base_areas import slice_of
from articulata.analyses.reach.ways.device_parts import CLEAR
from articulata.geometry.arrays import Array
from articulata.records.reach_verdicts import RuleFinding, told_beside
from articulata.world.model import Body

FAR = 3.0
"""m. A wall farther off is not beside a thing."""

FACES = 0.05
"""m. A feature nearer than this to the middle of its thing does not tell where ahead is."""

BACK = 0.15
"""m. A thing whose side is nearer than this to a wall, and no other side is, has its back there."""

PASSED: Final = ("bar", "rail", "dispenser", "disposal", "paper", "hook", "shelf")
"""Last words of what may hang in the clear floor about a toilet (604.3.2)."""

PARTS: Final = ("seat", "lid", "tank", "bowl", "cistern")
"""Last words of parts of a thing, joined to it or called as it is: ``toilet_tank``."""

MOVED: Final = ("drawer", "door", "handle", "lever", "tap")
"""Last words of what belongs to a thing where it is joined to it."""

MEANT: Final = {
    "rim": "the middle of its front edge",
    "seat": "the middle of its seat",
    "outlet": "where paper comes out",
}
"""What features are, for who has to write them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Thing:
    """A thing of a room in G: its feature ``p`` (3,), and the level unit vector ``ahead`` (2,).

    ``ahead`` is zero where it is not told which way the thing faces. ``outline`` is its own,
    ``own`` are its body and its parts, ``walls`` the outlines of the room's walls.
    """

    room: Room
    walls: Any
    outline: Any
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

    def to_wall(self, way: Array) -> float:
        """Return how far the wall is along a level direction; infinite beyond ``FAR``."""
        ray = shapely.LineString([self.p[:2], self.p[:2] + FAR * way])
        met = ray.intersection(self.walls)
        return float("inf") if met.is_empty else float(met.distance(shapely.Point(self.p[:2])))


def fixture_findings(
    room: Room, name: str, rules: Sequence[ReachRule], forces: Mapping[str, float | None]
) -> Iterator[RuleFinding]:
    """Yield what rules of the set ``name`` say of a room's things, and of what is operated.

    ``forces`` (N) are told by handle, None where nothing is said.
    """
    for rule in rules:
        if rule.reach == FORCE:
            for handle, force in forces.items():
                yield _force(room, name, rule, handle, force)
    by_section: dict[tuple[str, str], list[ReachRule]] = {}
    for rule in rules:
        if rule.things:
            by_section.setdefault((rule.section, rule.reach), []).append(rule)
    if not by_section:
        return
    names = set(room.walls())
    walls = outline_of(s for s in room.solids if s.body in names)
    for several in by_section.values():
        toes = _toes(rules, several[0])
        for body in things_of(room, several[0]):
            yield _about(room, walls, name, several, body, toes)


def things_of(room: Room, rule: ReachRule) -> list[Body]:
    """Return the bodies of a room that a rule is about, none where it is about other rooms."""
    about = not rule.room_with or _named(room, rule.room_with)
    return _named(room, rule.things) if about else []


def things_missing(room: Room, rule: ReachRule) -> tuple[str, ...]:
    """Return what one thing more of the room must be called for a rule to be about it."""
    if rule.room_with and not _named(room, rule.room_with):
        return rule.room_with
    return () if _named(room, rule.things) else rule.things


def _named(room: Room, words: Sequence[str]) -> list[Body]:
    bodies = room.world.bodies.values()
    return [body for body in bodies if body.shape is not None and called(body.id, words)]


def _toes(rules: Sequence[ReachRule], rule: ReachRule) -> ReachRule | None:
    """Return the row about the lowest room below the things of a rule, in its section."""
    rows = [
        each
        for each in rules
        if each.reach == KNEES and (each.section, each.things) == (rule.section, rule.things)
    ]
    return min(rows, key=lambda each: each.low, default=None)


def _force(room: Room, name: str, rule: ReachRule, handle: str, force: float | None) -> RuleFinding:
    height = float(room.point(handle)[2]) - room.level
    if force is None:
        words = f"{rule.section}: how hard it moves; write forces: 12 N at {handle}"
        return RuleFinding(handle, name, False, rule.section, height, 0.0, words, told=False)
    met = force <= rule.force + 1e-9
    words = f"{rule.section}: {rule.what}"
    words = words if met else f"it takes {force:g} N; {words}"
    return RuleFinding(handle, name, met, rule.section, height, 0.0, words)


def _about(
    room: Room,
    walls: Any,
    name: str,
    rules: Sequence[ReachRule],
    body: Body,
    toes: ReachRule | None,
) -> RuleFinding:
    """Return whether a thing meets all rows of a section, or the row that it misses."""
    rule = rules[0]
    if rule.feature not in body.features:
        meant = MEANT.get(rule.feature, "what the rule measures")
        words = (
            f"{rule.section}: where its {rule.feature} is; write {rule.feature}: (x, y, z), "
            f"{meant}, into where {{ }} of '{body.type}'"
        )
        return RuleFinding(body.id, name, False, rule.section, 0.0, 0.0, words, told=False)
    thing = _thing(room, walls, body, rule.feature)
    if rule.reach != HEIGHT and not thing.ahead.any():
        words = (
            f"{rule.section}: which way it faces; its {rule.feature} is at its middle, and not "
            f"one of its sides alone is within {BACK:g} m of a wall"
        )
        return RuleFinding(body.id, name, False, rule.section, thing.height, 0.0, words, told=False)
    missed = ""
    for each in rules:
        missed = _missed(thing, each, toes)
        if missed:
            rule = each
            break
    all_met = f"{rule.section}: {'; '.join(each.what for each in rules)}"
    words = f"{missed}; {rule.section}: {rule.what}" if missed else all_met
    return RuleFinding(body.id, name, not missed, rule.section, thing.height, 0.0, words)


def _thing(room: Room, walls: Any, body: Body, feature: str) -> _Thing:
    p = room.point(f"{body.id}.{feature}")
    outline = outline_of(s for s in room.solids if s.body == body.id)
    ahead = _ahead(room, walls, outline, body, p)
    return _Thing(room, walls, outline, _own(room, body), p, ahead)


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
    ways = [sign * each for each in level for sign in (1.0, -1.0)]
    ahead = max(ways, key=lambda way: float(way @ away))
    others = [way for way in ways if way @ ahead < 0.9]
    if ahead @ away - max(way @ away for way in others) >= FACES:
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


def _missed(thing: _Thing, rule: ReachRule, toes: ReachRule | None) -> str:
    """Return in words what a thing misses of a rule, "" where it meets it."""
    if rule.reach == HEIGHT:
        fits = rule.low - FINE <= thing.height <= rule.high + FINE
        return "" if fits else f"at {float(told_beside(thing.height, rule.low, rule.high)):g} m"
    if rule.reach == ASIDE:
        away = min(thing.to_wall(way) for way in (thing.left, -thing.left))
        if away == np.inf:
            return _no_wall("beside")
        fits = rule.low - FINE <= away <= rule.high + FINE
        return "" if fits else f"{float(told_beside(away, rule.low, rule.high)):g} m from the wall"
    if rule.reach == CORNER:
        return _corner(thing, rule)
    if rule.reach == KNEES:
        return _knees(thing, rule)
    assert rule.reach == AHEAD
    below = 0.0 if toes is None else _deep(thing, rule, toes)
    half, ahead = 0.5 * rule.width, rule.length - below
    right, left = (-half, half) if half else thing.extent()
    words = _in_it(thing, thing.rectangle(0.0, ahead, right, left), CLEAR, rule.high)
    if words and below > 2.0 * FINE:
        return f"{words}, {ahead:.3g} m ahead and {below:.3g} m below it"
    return words


def _deep(thing: _Thing, rule: ReachRule, toes: ReachRule) -> float:
    """Return how much of the floor ahead of a thing lies below it, clear to toes, m."""
    room, half = thing.room, 0.5 * rule.width
    area = thing.rectangle(-rule.depth, 0.0, -half, half).buffer(-FINE)
    low, high = room.level + CLEAR, room.level + toes.high - FINE
    taken = [slice_of(solid.outer, low, high).intersection(area) for solid in room.solids]
    ends = shapely.get_coordinates([*taken, area.difference(room.floor)])
    return float(((thing.p[:2] - ends) @ thing.ahead).min(initial=rule.depth))


def _no_wall(where: str) -> str:
    return (
        f"no wall {where} it within {FAR:g} m (a wall lies beside the floor, or stands on it, "
        f"{THIN_WALL:g} m thick at most and {ROOM_HIGH:g} m high at least, or is called "
        f"{' or '.join(WALLS)}, {HIGH_WALL:g} m high and {LEAST_WALL:g} m long at least)"
    )


def _corner(thing: _Thing, rule: ReachRule) -> str:
    """Say what is in the clear floor between the walls beside and behind a thing."""
    behind = thing.to_wall(-thing.ahead)
    sides = {way: thing.to_wall(way * thing.left) for way in (1.0, -1.0)}
    side = min(sides, key=lambda way: sides[way])
    if behind == np.inf or sides[side] == np.inf:
        return _no_wall("behind" if behind == np.inf else "beside")
    near, far = side * sides[side], side * (sides[side] - rule.width)
    area = thing.rectangle(-behind, rule.length - behind, min(near, far), max(near, far))
    return _in_it(thing, area, CLEAR, rule.high, _passed(thing.room))


def _passed(room: Room) -> set[str]:
    """Return what may be in the clear floor of a toilet: called so, and hung above the floor."""
    bodies = room.world.bodies.values()
    named = {b.id for b in bodies if called(b.id, PASSED) or called(b.type, PASSED)}
    foot = room.level + FOOT
    return named - {each.body for each in room.solids if each.outer[:, 2].min() < foot}


def _knees(thing: _Thing, rule: ReachRule) -> str:
    """Say what is in the room below a thing, whose depth changes with the height."""
    half, low, high = 0.5 * rule.width, max(rule.low, CLEAR), rule.high
    lean = (rule.depth - rule.length) / (rule.high - rule.low)
    within = thing.rectangle(-max(rule.depth, rule.length), 0.0, -half, half).buffer(-FINE)
    upright = thing.rectangle(-rule.depth, 0.0, -half, half).buffer(-FINE)
    for solid in thing.room.solids:
        if not _between(thing.room, solid.outer, low, high, within):
            continue
        # sheared so that the slanting rear of the room stands upright
        back = lean * (solid.outer[:, 2] - thing.room.level - rule.low)
        outer = solid.outer.copy()
        outer[:, :2] -= back[:, None] * thing.ahead
        if _between(thing.room, outer, low, high, upright):
            return _in_the_way(thing, solid)
    return ""


def _in_it(thing: _Thing, area: Any, low: float, high: float, passed: Container[str] = ()) -> str:
    """Say what is in an area of floor between two heights above it, or that there is no floor.

    The thing itself, its parts and bodies ``passed`` leave it clear.
    """
    room = thing.room
    inner = area.buffer(-FINE)
    for solid in room.solids:
        if solid.body in thing.own or solid.body in passed:
            continue
        if _between(room, solid.outer, low, high, inner):
            return _in_the_way(thing, solid)
    return "" if inner.within(room.floor) else "there is no floor for it"


def _between(room: Room, points: Array, low: float, high: float, area: Any) -> bool:
    """Return whether the hull of points (k, 3) is over an area, between heights above the floor."""
    part = slice_of(points, room.level + low + FINE, room.level + high - FINE)
    return bool(part.intersects(area))


def _in_the_way(thing: _Thing, solid: Solid) -> str:
    return f"{'it' if solid.body in thing.own else repr(solid.body)} is in the way"
