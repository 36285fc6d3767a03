"""Rules about things that a room calls by name: toilets, basins, work surfaces, what is operated.

A thing is known by a word of its name ("toilet", "left_basin") and measured at a feature of it,
such as ``rim``, the middle of its front edge. Ahead of it is where the feature lies from its
middle. What is joined to it counts as its own. What the room does not tell is asked for, never
taken for granted. Metres.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.footprints import CLEAR
from articulata.analyses.reach.room import Room, Solid
from articulata.analyses.reach.rule_tables import AHEAD, ASIDE, CORNER, HEIGHT, KNEES, ReachRule
from articulata.geometry.arrays import Array
from articulata.records.rule_findings import RuleFinding
from articulata.world.model import Body

FAR = 3.0
"""m. A wall farther off is not beside a thing."""

STANDS = 0.25
"""m. What begins lower than this stands on the floor."""

SLICES = 5
"""Knee room that narrows upward is looked at in slices, each as deep as at its lower end."""

NARROW = 1e-3
"""m. What touches less of the room asked for than this leaves it clear."""

MEANT: Final = {
    "rim": "the middle of its front edge",
    "seat": "the middle of its seat",
    "outlet": "where paper comes out",
}
"""What features are, for who has to write them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Thing:
    """A thing of a room in G: its feature ``p`` (3,), level unit vectors ``ahead`` and ``left``.

    ``own`` are its body and what is joined to it.
    """

    room: Room
    own: frozenset[str]
    p: Array
    ahead: Array
    left: Array

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
        walls = set(self.room.walls())
        outlines = [_outline(s) for s in self.room.solids if s.body in walls]
        ray = shapely.LineString([self.p[:2], self.p[:2] + FAR * way])
        met = ray.intersection(shapely.union_all(outlines))
        return float("inf") if met.is_empty else float(met.distance(shapely.Point(self.p[:2])))


def fixture_findings(
    room: Room, name: str, rules: Sequence[ReachRule], forces: Mapping[str, float | None]
) -> Iterator[RuleFinding]:
    """Yield what rules of the set ``name`` say of a room's things, and of what is operated.

    ``forces`` (N) are told by handle, None where nothing is said.
    """
    for rule in rules:
        if rule.force:
            for handle, force in forces.items():
                yield _force(room, name, rule, handle, force)
    by_section: dict[tuple[str, str], list[ReachRule]] = {}
    for rule in rules:
        if rule.things:
            by_section.setdefault((rule.section, rule.reach), []).append(rule)
    for several in by_section.values():
        for body in room.world.bodies.values():
            if _called(body.id, several[0].things) and body.shape is not None:
                yield _about(room, name, several, body)


def _called(name: str, words: Sequence[str]) -> bool:
    last = name.rpartition(".")[2].partition("[")[0]
    return any(each in words for each in last.split("_"))


def _force(room: Room, name: str, rule: ReachRule, handle: str, force: float | None) -> RuleFinding:
    height = float(room.point(handle)[2]) - room.level
    if force is None:
        words = f"{rule.section}: how hard it moves; write forces: 12 N at {handle}"
        return RuleFinding(handle, name, False, rule.section, height, 0.0, words, told=False)
    met = force <= rule.force + 1e-9
    words = f"{rule.section}: {rule.what}"
    words = words if met else f"it takes {force:g} N; {words}"
    return RuleFinding(handle, name, met, rule.section, height, 0.0, words)


def _about(room: Room, name: str, rules: Sequence[ReachRule], body: Body) -> RuleFinding:
    rule = rules[0]
    if rule.feature not in body.features:
        meant = MEANT.get(rule.feature, "what the rule measures")
        words = (
            f"{rule.section}: where its {rule.feature} is; write {rule.feature}: (x, y, z), "
            f"{meant}, into where {{ }} of '{body.type}'"
        )
        return RuleFinding(body.id, name, False, rule.section, 0.0, 0.0, words, told=False)
    thing = _thing(room, body, rule.feature)
    missed = next((words for each in rules if (words := _missed(thing, each))), "")
    words = f"{missed}; {rule.section}: {rule.what}" if missed else f"{rule.section}: {rule.what}"
    return RuleFinding(body.id, name, not missed, rule.section, thing.height, 0.0, words)


def _thing(room: Room, body: Body, feature: str) -> _Thing:
    p = room.point(f"{body.id}.{feature}")
    own = [_outline(s) for s in room.solids if s.body == body.id]
    middle = shapely.get_coordinates(shapely.envelope(shapely.union_all(own)).centroid)[0]
    away = p[:2] - middle
    # ahead is along an axis of the body: the feature may be a little to one side
    axes = (room.X_WG[:3, :3].T @ body.pose.matrix()[:3, :3])[:2].T
    level = [each / np.linalg.norm(each) for each in axes if np.linalg.norm(each) > 0.5]
    ways = [sign * each for each in level for sign in (1.0, -1.0)] or [np.array([1.0, 0.0])]
    ahead = max(ways, key=lambda way: float(way @ away))
    ends = [{each.body_a, each.body_b} for each in room.world.hinges.values()]
    joined = frozenset({body.id}.union(*(each for each in ends if body.id in each)))
    return _Thing(room, joined, p, ahead, np.array([-ahead[1], ahead[0]]))


def _missed(thing: _Thing, rule: ReachRule) -> str:
    """Return in words what a thing misses of a rule, "" where it meets it."""
    if rule.reach == HEIGHT:
        fits = rule.low - 1e-6 <= thing.height <= rule.high + 1e-6
        return "" if fits else f"at {thing.height:.3g} m"
    if rule.reach == ASIDE:
        away = min(thing.to_wall(way) for way in (thing.left, -thing.left))
        if away == np.inf:
            return f"no wall beside it within {FAR:g} m"
        fits = rule.low - 1e-6 <= away <= rule.high + 1e-6
        return "" if fits else f"{away:.3g} m from the wall"
    half = 0.5 * rule.width
    if rule.reach == CORNER:
        return _corner(thing, rule)
    if rule.reach == AHEAD:
        area = thing.rectangle(0.0, rule.length, -half, half)
        return _in_it(thing, area, CLEAR, rule.high, ahead=True)
    assert rule.reach == KNEES
    edges = np.linspace(rule.low, rule.high, SLICES + 1)
    for low, high in itertools.pairwise(edges):
        share = (low - rule.low) / (rule.high - rule.low)
        deep = rule.depth + share * (rule.length - rule.depth)
        area = thing.rectangle(-deep, 0.0, -half, half)
        words = _in_it(thing, area, max(float(low), CLEAR), float(high))
        if words:
            return words
    return ""


def _corner(thing: _Thing, rule: ReachRule) -> str:
    """Say what is in the clear floor between the walls beside and behind a thing."""
    behind = thing.to_wall(-thing.ahead)
    sides = {way: thing.to_wall(way * thing.left) for way in (1.0, -1.0)}
    side = min(sides, key=lambda way: sides[way])
    if behind == np.inf or sides[side] == np.inf:
        return f"no wall {'behind' if behind == np.inf else 'beside'} it within {FAR:g} m"
    near, far = side * sides[side], side * (sides[side] - rule.width)
    area = thing.rectangle(-behind, rule.length - behind, min(near, far), max(near, far))
    return _in_it(thing, area, CLEAR, STANDS, ahead=True)


def _in_it(thing: _Thing, area: Any, low: float, high: float, *, ahead: bool = False) -> str:
    """Say what is in an area between two heights above the floor.

    ``ahead``: it is floor before the thing, which itself and what is joined to it leave clear.
    """
    room = thing.room
    inner = area.buffer(-NARROW)
    for solid in room.solids:
        z = solid.outer[:, 2] - room.level
        mine = solid.body in thing.own
        if z.max() <= low + NARROW or z.min() >= high - NARROW or (mine and ahead):
            continue
        if _outline(solid).intersects(inner):
            return f"{'it' if mine else repr(solid.body)} is in the way"
    return "" if not ahead or inner.within(room.floor) else "there is no floor for it"


def _outline(solid: Solid) -> Any:
    return shapely.MultiPoint(solid.outer[:, :2]).convex_hull
