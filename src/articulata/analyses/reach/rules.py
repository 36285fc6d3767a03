"""Rules beside bodies: a building code, laid on a room and on objects.

A row of reach says how high an object may be behind an obstruction of some depth. The obstruction
is what stands on the floor or lies lower than the object, with knee room (308.2.2 asks for that) or
not: its depth is how far the object is from floor that is clear of it. Other rows ask for room: a
circle to turn in, a way in from the door, clear floor before each object. Metres.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import shapely
from shapely import affinity

from articulata.analyses.reach.fixtures import fixture_findings
from articulata.analyses.reach.footprints import CLEAR, BareRoom, bare_disc, bare_rectangle, bare_ts
from articulata.analyses.reach.places import Places, places_of, slice_of
from articulata.analyses.reach.room import Room
from articulata.analyses.reach.rule_tables import CLEAR_FLOOR, DOOR, TURNING, ReachRule, rules_of
from articulata.geometry.arrays import Array
from articulata.records.rule_findings import RuleFinding

VIEWS = 0.1
"""m. Places this far apart are looked at from which an object may be seen."""

GRAIN = 0.005
"""m. So near to the widest circle that has room is the one that is told."""

BESIDE = 0.03
"""m. What is nearer to an object than this, or no higher above it, does not stand before it."""

HEAD = 2.03
"""m. What hangs higher than this is above everybody's head (307.4)."""

FEET = 0.25
"""m. What lies lower altogether is no obstruction to an arm."""


def findings_of(
    room: Room,
    name: str,
    paths: Sequence[str],
    door: str = "",
    forces: Mapping[str, float | None] = MappingProxyType({}),
) -> tuple[RuleFinding, ...]:
    """Return what the rules ``name`` say of a room, whose ``door`` it knows, and of objects.

    ``forces`` (N) are those of what is operated, by handle, None where nothing is said.
    """
    rules = rules_of(name)
    about = any(rule.ranges for rule in rules)
    found = [checked(room, name, path) for path in paths if about]
    inside = replace(room, door=None)  # where nothing that wide has to come in
    asked: dict[str, list[ReachRule]] = {}
    for rule in rules:
        asked.setdefault(rule.reach, []).append(rule)
    if TURNING in asked:
        found.append(_round(inside, name, asked[TURNING], room.floor_body, "that is clear"))
    if DOOR in asked and room.door is not None:
        found.append(_round(room, name, asked[DOOR], door, "that comes in by the door"))
    for rule in asked.get(CLEAR_FLOOR, ()) if paths else ():
        size = bare_rectangle(rule.high, rule.width, rule.length)
        where = _not_deep(inside, rule)
        places = None if where.floor.is_empty else places_of(where, size, 0.0)
        found += [_before(room, name, rule, places, path) for path in paths]
    return (*found, *fixture_findings(room, name, rules, forces))


def _round(room: Room, name: str, rules: Sequence[ReachRule], what: str, which: str) -> RuleFinding:
    """Return whether what one of the rules asks for has room, and a way where there is a door."""
    for rule in rules:
        if any(_fits(*each) for each in _shapes(room, rule)):
            words = f"{rule.section}: {rule.what}"
            return RuleFinding(what, name, True, rule.section, 0.0, 0.0, words)
    first = rules[0]
    low, high = 0.0, first.width
    where = _not_deep(room, first) if first.reach == TURNING else room
    while high - low > GRAIN:
        middle = 0.5 * (low + high)
        fits = _fits(where, bare_disc(first.high, 0.5 * middle))
        low, high = (middle, high) if fits else (low, middle)
    sections = " or ".join(rule.section for rule in rules)
    words = f"the widest circle {which} is {low:.2f} m wide; {sections} asks for {first.width:g} m"
    return RuleFinding(what, name, False, first.section, 0.0, 0.0, words)


def _shapes(room: Room, rule: ReachRule) -> Iterator[tuple[Room, BareRoom]]:
    """Give the shapes of which a rule asks for one, each with the floor that may lie in it."""
    if rule.length:
        for shape in bare_ts(rule.high, rule.width, rule.length, rule.depth, HEAD):
            yield room, shape
    else:
        where = _not_deep(room, rule) if rule.reach == TURNING else room
        yield where, bare_disc(rule.high, 0.5 * rule.width)


def _not_deep(room: Room, rule: ReachRule) -> Room:
    """Return a room without the floor that lies deeper below what hangs than a rule allows.

    How deep is told from the floor above which nothing is, up to ``HEAD``.
    """
    low, high = room.level + CLEAR, room.level + HEAD
    parts = [slice_of(solid.outer, low, high) for solid in room.solids]
    open_floor = room.floor.difference(shapely.union_all(parts))
    near = open_floor.buffer(rule.depth)
    hung = shapely.union_all(
        [slice_of(solid.outer, room.level + rule.high, high) for solid in room.solids]
    )
    return replace(room, floor=room.floor.difference(hung.difference(near)))


def _fits(room: Room, shape: BareRoom) -> bool:
    return not room.floor.is_empty and places_of(room, shape, 0.0).all_free.area > 0.0


def _before(
    room: Room, name: str, rule: ReachRule, places: Places | None, path: str
) -> RuleFinding:
    """Return whether clear floor lies before an object: ahead of it, or beside it.

    ``places`` are where its middle may be, None for nowhere.
    """
    p = room.point(path)
    half, side = 0.5 * rule.length, 0.5 * rule.width
    # where the object may be as the rectangle sees it: over its front half, ahead, to either side
    zones = [
        shapely.box(0.0, -side, half + rule.depth, side),
        shapely.box(-half, -side - rule.depth, half, side + rule.depth),
    ]
    walls = _walls(room, p)
    met = False
    for turn, free in () if places is None else zip(places.turns, places.free, strict=True):
        for zone in zones:
            # mirrored about the object these are the middles of rectangles that see it so
            mirrored = affinity.rotate(zone, turn + np.pi, (0.0, 0.0), use_radians=True)
            middles = affinity.translate(mirrored, *p[:2])
            met = met or _seen(free.intersection(middles), p, walls)
    size = f"{rule.width:g} m by {rule.length:g} m"
    words = f"{rule.section}: {rule.what}" if met else f"no clear floor of {size} before it"
    return RuleFinding(path, name, met, rule.section, float(p[2]) - room.level, 0.0, words)


def _walls(room: Room, p: Array) -> Any:
    """Return the outlines of what rises from below a point to above it, and does not hold it."""
    high = [s for s in room.solids if s.outer[:, 2].min() < p[2] - BESIDE < p[2] + BESIDE
            < s.outer[:, 2].max()]  # fmt: skip
    outlines = [s.outline for s in high]
    point = shapely.Point(*p[:2])
    return shapely.union_all([each for each in outlines if each.distance(point) > BESIDE])


def _seen(area: Any, p: Array, walls: Any) -> bool:
    """Return whether a straight way leads to a point from somewhere in an area of the floor."""
    if area.is_empty or walls.is_empty:
        return not area.is_empty
    x0, y0, x1, y1 = area.bounds
    grid = np.stack(np.meshgrid(np.arange(x0, x1, VIEWS), np.arange(y0, y1, VIEWS)), -1)
    inside = grid[shapely.contains_xy(area, grid[..., 0], grid[..., 1])]
    places = np.concatenate([shapely.get_coordinates(area), inside])
    ways = np.stack([places, np.broadcast_to(p[:2], places.shape)], axis=1)
    return not bool(shapely.intersects(shapely.linestrings(ways), walls).all())


def checked(room: Room, name: str, path: str) -> RuleFinding:
    """Return whether any row of reach of the rules ``name`` lets an object be where it is."""
    rules = [rule for rule in rules_of(name) if rule.ranges]
    p = room.point(path)
    height = float(p[2]) - room.level
    below = [
        (s.outline, float(s.outer[:, 2].max()) - room.level)
        for s in room.solids
        for low, high in [(float(s.outer[:, 2].min()), float(s.outer[:, 2].max()))]
        if (low - room.level < FEET or high <= p[2] + 1e-6) and high - room.level > FEET
    ]
    clear = room.floor.difference(shapely.union_all([outline for outline, _ in below]))
    point = shapely.Point(*p[:2])
    depth = float(clear.distance(point)) if not clear.is_empty else np.inf
    over = max((high for outline, high in below if outline.distance(point) < 1e-6), default=0.0)
    fitting = [
        rule
        for rule in rules
        if depth <= rule.depth + 1e-6
        and rule.low - 1e-6 <= height <= rule.high + 1e-6
        and over <= rule.obstruction + 1e-6
    ]
    if fitting:
        rule = fitting[0]
        words = f"{rule.section}: {rule.what}, {rule.low:g} to {rule.high:g} m"
        return RuleFinding(path, name, True, rule.section, height, depth, words)
    near = [rule for rule in rules if depth <= rule.depth + 1e-6]
    if not near:
        most = max(rule.depth for rule in rules)
        words = f"{depth:.2f} m behind what stands on the floor; the most allowed is {most:g} m"
    else:
        low, high = min(r.low for r in near), max(r.high for r in near)
        words = f"at {height:.2f} m, {depth:.2f} m deep; allowed there is {low:g} to {high:g} m"
    return RuleFinding(path, name, False, near[0].section if near else "", height, depth, words)
