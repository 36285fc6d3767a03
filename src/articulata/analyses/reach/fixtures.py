"""Rules about things that a room calls by name: toilets, basins, work surfaces, what is operated.

A thing is known by the last word of its name ("toilet", "left_basin[2]") and measured at a feature
of it, such as ``rim``, the middle of its front edge. Ahead of it is where the feature lies from its
middle, or away from the wall at its back. What is joined to it counts as its own. What the room
does not tell is asked for, never taken for granted. Metres.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.footprints import CLEAR
from articulata.analyses.reach.places import slice_of
from articulata.analyses.reach.room import HIGH_WALL, LEAST_WALL, ROOM_HIGH, THIN_WALL, Room, Solid
from articulata.analyses.reach.rule_tables import (
    AHEAD,
    ASIDE,
    CORNER,
    FORCE,
    HEIGHT,
    KNEES,
    ReachRule,
)
from articulata.geometry.arrays import Array
from articulata.records.rule_findings import RuleFinding
from articulata.world.model import Body

FAR = 3.0
"""m. A wall farther off is not beside a thing."""

FACES = 0.05
"""m. A feature nearer than this to the middle of its thing does not tell where ahead is."""

BACK = 0.15
"""m. A thing whose side is nearer than this to a wall, and no other side is, has its back there."""

NARROW = 1e-3
"""m. What touches less of the room asked for than this leaves it clear."""

PASSED: Final = ("bar", "rail", "dispenser", "disposal", "paper", "hook", "shelf")
"""Last words of what may be in the clear floor about a toilet (604.3.2)."""

MEANT: Final = {
    "rim": "the middle of its front edge",
    "seat": "the middle of its seat",
    "outlet": "where paper comes out",
}
"""What features are, for who has to write them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Thing:
    """A thing of a room in G: its feature ``p`` (3,), and the level unit vector ``ahead`` (2,).

    ``ahead`` is zero where it is not told which way the thing faces. ``own`` are its body and what
    is joined to it, ``walls`` the outlines of the room's walls.
    """

    room: Room
    walls: Any
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
    walls = shapely.union_all([_outline(s) for s in room.solids if s.body in names])
    for several in by_section.values():
        for body in room.world.bodies.values():
            if _called(body.id, several[0].things) and body.shape is not None:
                toes = _toes(rules, several[0])
                yield _about(room, walls, name, several, body, toes)


def _toes(rules: Sequence[ReachRule], rule: ReachRule) -> ReachRule | None:
    """Return the row about the lowest room below the things of a rule, in its section."""
    rows = [
        each
        for each in rules
        if each.reach == KNEES and (each.section, each.things) == (rule.section, rule.things)
    ]
    return min(rows, key=lambda each: each.low, default=None)


def _called(name: str, words: Sequence[str]) -> bool:
    """Return whether a name ends in one of the words, its number left out."""
    last = name.rpartition(".")[2].partition("[")[0].rstrip("0123456789_")
    return any(f"_{last}".endswith(f"_{each}") for each in words)


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
    words = f"{missed}; {rule.section}: {rule.what}" if missed else f"{rule.section}: {rule.what}"
    return RuleFinding(body.id, name, not missed, rule.section, thing.height, 0.0, words)


def _thing(room: Room, walls: Any, body: Body, feature: str) -> _Thing:
    p = room.point(f"{body.id}.{feature}")
    ends = [{each.body_a, each.body_b} for each in room.world.hinges.values()]
    joined = frozenset({body.id}.union(*(each for each in ends if body.id in each)))
    return _Thing(room, walls, joined, p, _ahead(room, walls, body, p))


def _ahead(room: Room, walls: Any, body: Body, p: Array) -> Array:
    """Return where a body faces, a level unit vector (2,); zeros where that is not told."""
    outline = shapely.union_all([_outline(s) for s in room.solids if s.body == body.id])
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
        fits = rule.low - 1e-6 <= thing.height <= rule.high + 1e-6
        return "" if fits else f"at {thing.height:.3g} m"
    if rule.reach == ASIDE:
        away = min(thing.to_wall(way) for way in (thing.left, -thing.left))
        if away == np.inf:
            return _no_wall("beside")
        fits = rule.low - 1e-6 <= away <= rule.high + 1e-6
        return "" if fits else f"{away:.3g} m from the wall"
    if rule.reach == CORNER:
        return _corner(thing, rule)
    if rule.reach == KNEES:
        return _knees(thing, rule)
    assert rule.reach == AHEAD
    below = 0.0 if toes is None else _deep(thing, rule, toes)
    half, ahead = 0.5 * rule.width, rule.length - below
    words = _in_it(thing, thing.rectangle(0.0, ahead, -half, half), CLEAR, rule.high)
    return f"{words}, {ahead:.3g} m ahead and {below:.3g} m below it" if words and below else words


def _deep(thing: _Thing, rule: ReachRule, toes: ReachRule) -> float:
    """Return how much of the floor ahead of a thing lies below it, clear to toes, m."""
    room, half = thing.room, 0.5 * rule.width
    area = thing.rectangle(-rule.depth, 0.0, -half, half).buffer(-NARROW)
    low, high = room.level + CLEAR, room.level + toes.high - NARROW
    taken = [slice_of(solid.outer, low, high).intersection(area) for solid in room.solids]
    ends = shapely.get_coordinates([*taken, area.difference(room.floor)])
    return float(((thing.p[:2] - ends) @ thing.ahead).min(initial=rule.depth))


def _no_wall(where: str) -> str:
    return (
        f"no wall {where} it within {FAR:g} m (a wall lies beside the floor, or stands on it, "
        f"{THIN_WALL:g} m thick at most, {HIGH_WALL:g} m high and {LEAST_WALL:g} m long at least, "
        f"or {ROOM_HIGH:g} m high)"
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
    bodies = thing.room.world.bodies
    passed = [
        body.id
        for body in bodies.values()
        if _called(body.id, PASSED) or _called(body.type, PASSED)
    ]
    return _in_it(thing, area, CLEAR, rule.high, passed)


def _knees(thing: _Thing, rule: ReachRule) -> str:
    """Say what is in the room below a thing, whose depth changes with the height."""
    half, low, high = 0.5 * rule.width, max(rule.low, CLEAR), rule.high
    lean = (rule.depth - rule.length) / (rule.high - rule.low)
    within = thing.rectangle(-max(rule.depth, rule.length), 0.0, -half, half).buffer(-NARROW)
    upright = thing.rectangle(-rule.depth, 0.0, -half, half).buffer(-NARROW)
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


def _in_it(thing: _Thing, area: Any, low: float, high: float, passed: Sequence[str] = ()) -> str:
    """Say what is in an area of floor between two heights above it, or that there is no floor.

    The thing itself, what is joined to it and bodies ``passed`` leave it clear.
    """
    room = thing.room
    inner = area.buffer(-NARROW)
    for solid in room.solids:
        if solid.body in thing.own or solid.body in passed:
            continue
        if _between(room, solid.outer, low, high, inner):
            return _in_the_way(thing, solid)
    return "" if inner.within(room.floor) else "there is no floor for it"


def _between(room: Room, points: Array, low: float, high: float, area: Any) -> bool:
    """Return whether the hull of points (k, 3) is over an area, between heights above the floor."""
    part = slice_of(points, room.level + low + NARROW, room.level + high - NARROW)
    return bool(part.intersects(area))


def _in_the_way(thing: _Thing, solid: Solid) -> str:
    return f"{'it' if solid.body in thing.own else repr(solid.body)} is in the way"


def _outline(solid: Solid) -> Any:
    return shapely.MultiPoint(solid.outer[:, :2]).convex_hull
