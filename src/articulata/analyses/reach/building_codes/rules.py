"""Rules beside bodies: a building code, laid on a room and on objects.

Rows ask where objects are, and for room: a circle or a T to turn in, a way in from the door, clear
floor before each object; others are about things that the room calls by name. What a room does not
tell, and rows that find nothing to look at, are told. Metres.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.building_codes.clear_floor import (
    FINE,
    Alcove,
    Middles,
    ahead_in,
    along_edges,
    beside_in,
    directions_of,
    hidden_from,
    middles_of,
)
from articulata.analyses.reach.building_codes.fixtures import fixture_findings, things_missing
from articulata.analyses.reach.building_codes.ramps import ramp_findings, ramps_in
from articulata.analyses.reach.building_codes.reach_ranges import checked
from articulata.analyses.reach.building_codes.rule_tables import (
    ALCOVE_AHEAD,
    ALCOVE_BESIDE,
    CLEAR_FLOOR,
    DOOR,
    FORCE,
    RAMP,
    SMALLEST,
    TURNING,
    ReachRule,
    rules_of,
)
from articulata.analyses.reach.surroundings.room import Room, called
from articulata.analyses.reach.ways.base_areas import blocks_of, joined, slice_of
from articulata.analyses.reach.ways.device_parts import CLEAR
from articulata.analyses.reach.ways.doorways import gap_within, leaves_at_the_door, leaves_open
from articulata.analyses.reach.ways.footprints import BareRoom, bare_disc, bare_ts
from articulata.analyses.reach.ways.standing_places import free_of, places_of, within_floor
from articulata.geometry.arrays import Array
from articulata.records.reach_verdicts import RuleFinding, told_beside

GRAIN = 0.005
"""m. So near to the widest circle that has room is the one that is told."""

DOORS: Final = ("door", "doorway", "entrance")
"""Last words of what may be the door of a room."""

LEAF = 1.8
"""m. What is lower than this is the door of an oven or a cupboard."""

APART = 0.1
"""m. Alcoves are looked into from floor so much farther and farther from an object."""

BEHIND = 0.25
"""m. What is no farther behind an object is the end of the alcove that the object is in."""

HEAD = 2.03
"""m. What hangs higher than this is above everybody's head (307.4)."""


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
    alcoves = [each for word in (ALCOVE_AHEAD, ALCOVE_BESIDE) for each in asked.get(word, ())]
    for rule in asked.get(CLEAR_FLOOR, ()) if paths else ():
        where = _not_deep(inside, rule)
        middles = None
        if not where.floor.is_empty:
            middles = middles_of(where, rule.high, rule.width, rule.length, directions_of(room))
        found += [_before(where, room, name, rule, middles, path, alcoves) for path in paths]
    found += fixture_findings(room, name, rules, forces)
    found += ramp_findings(room, name)
    if DOOR in asked and room.door is None:
        found += _untold_door(room, name, asked[DOOR])
    return tuple(found)


def _round(room: Room, name: str, rules: Sequence[ReachRule], what: str, which: str) -> RuleFinding:
    """Return whether what one of the rules asks for has room, and a way where there is a door."""
    for rule in rules:
        if any(_fits(*each) for each in _shapes(room, rule)):
            words = f"{rule.section}: {rule.what}"
            return RuleFinding(what, name, True, rule.section, 0.0, 0.0, words)
    first = rules[0]
    where = _not_deep(room, first) if first.reach == TURNING else room
    wide = _widest(where, first.high, first.width)
    sections = " or ".join(rule.section for rule in rules)
    words = (
        f"the widest circle {which} is {told_beside(wide, first.width)} m wide; {sections} asks "
        f"for {first.width:g} m"
    )
    if wide <= 0.0:
        words = _low(where, first, which, sections) or words
    return RuleFinding(what, name, False, first.section, 0.0, 0.0, words)


def _low(room: Room, rule: ReachRule, which: str, sections: str) -> str:
    """Say up to which height a rule's circle fits, or one that is less wide, "" where none does."""
    if (high := _clear_height(room, rule, rule.width - FINE)) > CLEAR:
        told = told_beside(high, rule.high)
        return (
            f"a circle of {rule.width:g} m {which} is {told} m high at most; {sections} asks "
            f"for {rule.high:g} m"
        )
    if (high := _clear_height(room, rule, GRAIN)) <= CLEAR:
        return ""
    wide = told_beside(_widest(room, high, rule.width), rule.width)
    return (
        f"the widest circle {which} is {wide} m wide and {told_beside(high, rule.high)} m high; "
        f"{sections} asks for {rule.width:g} m and {rule.high:g} m"
    )


def _widest(room: Room, height: float, most: float) -> float:
    """Return how wide a circle of a height may be, m, up to ``most``; 0 where none fits."""
    low, high = 0.0, most
    while high - low > GRAIN:
        middle = 0.5 * (low + high)
        fits = _fits(room, bare_disc(height, 0.5 * middle))
        low, high = (middle, high) if fits else (low, middle)
    return low


def _clear_height(room: Room, rule: ReachRule, width: float) -> float:
    """Return up to which height a circle of a width fits, m; 0 where it fits nowhere at any."""
    low, high = 0.0, rule.high
    while high - low > GRAIN:
        middle = 0.5 * (low + high)
        fits = _fits(room, bare_disc(middle, 0.5 * width))
        low, high = (middle, high) if fits else (low, middle)
    return low


def _shapes(room: Room, rule: ReachRule) -> Iterator[tuple[Room, BareRoom]]:
    """Give the shapes of which a rule asks for one, each with the floor that may lie in it."""
    if rule.length:
        for shape in bare_ts(
            rule.high - FINE, rule.width - FINE, rule.length - FINE, rule.depth, HEAD
        ):
            yield room, shape
    else:
        where = _not_deep(room, rule) if rule.reach == TURNING else room
        yield where, bare_disc(rule.high - FINE, 0.5 * (rule.width - FINE))


def _not_deep(room: Room, rule: ReachRule) -> Room:
    """Return a room without the floor that lies deeper below what hangs than a rule allows.

    How deep is told from the floor above which nothing is, up to ``HEAD``. A rule without a depth
    does not ask what hangs higher than its room.
    """
    if not rule.depth:
        return room
    low, high = room.level + CLEAR, room.level + HEAD
    parts = [slice_of(solid.outer, low, high) for solid in room.solids]
    open_floor = room.floor.difference(joined(parts))
    near = open_floor.buffer(rule.depth)
    hung = joined(
        [slice_of(solid.outer, room.level + rule.high - FINE, high) for solid in room.solids]
    )
    return replace(room, floor=room.floor.difference(hung.difference(near)))


def _fits(room: Room, shape: BareRoom) -> bool:
    """Return whether a shape has room, and a way in where there is a door."""
    if room.floor.is_empty:
        return False
    if room.door is not None:
        comes_in = not within_floor(room) or _passes_between(room, shape)
        return comes_in and bool(places_of(room, shape, 0.0).all_free.area > 0.0)
    turns = np.zeros(1)
    if shape.turns:
        turns = np.concatenate([directions_of(room) + 0.5 * np.pi * k for k in range(4)])
    return any(area.area > 0.0 for area in free_of(room, shape, turns))


def _passes_between(room: Room, shape: BareRoom) -> bool:
    """Return whether a round shape is no wider than a door between two rooms of one floor."""
    opened, _ = leaves_open(room, leaves_at_the_door(room))
    blocks = [shapely.Polygon(each) for each in blocks_of(opened, CLEAR, shape.height, outer=True)]
    wide = 2.0 * max(float(np.linalg.norm(each, axis=1).max()) for each in shape.outlines)
    return gap_within(room, joined(blocks)) >= wide


def _before(
    where: Room,
    room: Room,
    name: str,
    rule: ReachRule,
    middles: Middles | None,
    path: str,
    alcoves: Sequence[ReachRule],
) -> RuleFinding:
    """Return whether clear floor lies before an object: ahead of it, or beside it.

    ``middles`` are those of rectangles that have room in ``where``, None for nowhere. Rows about
    ``alcoves`` tell how wide one is into which the floor goes.
    """
    p = room.point(path)
    met = False
    if middles is not None:
        hidden = hidden_from(room, p)
        areas = (*middles.ahead(p[:2], rule.depth), *middles.beside(p[:2], rule.depth))
        met = any(area.difference(hidden).area > 0.0 for area in areas if not area.is_empty)
        if met and alcoves and not _wide_enough(where, rule, alcoves, middles, p, hidden):
            words = "; ".join(f"{each.section}: {each.what}" for each in alcoves)
            words = f"clear floor lies before it in a narrower alcove alone; {words}"
            high = float(p[2]) - room.level
            return RuleFinding(path, name, False, alcoves[0].section, high, 0.0, words)
    size = f"{rule.width:g} m by {rule.length:g} m"
    words = f"{rule.section}: {rule.what}" if met else f"no clear floor of {size} before it"
    return RuleFinding(path, name, met, rule.section, float(p[2]) - room.level, 0.0, words)


def _wide_enough(
    where: Room,
    rule: ReachRule,
    alcoves: Sequence[ReachRule],
    middles: Middles,
    p: Array,
    hidden: Any,
) -> bool:
    """Return whether clear floor before a point (3,) is in no alcove, or in one wide enough.

    Alcoves are looked for along the edges about it: a rectangle that is turned in an alcove makes
    it no wider.
    """
    far = rule.length + max(each.width for each in alcoves)
    gaps = middles.gaps(p[:2])
    blocks = [shapely.Polygon(each) for each in blocks_of(where, CLEAR, rule.high, outer=True)]
    free = where.floor.difference(joined(blocks))
    most = min((each.depth for each in alcoves if each.reach == ALCOVE_AHEAD), default=rule.depth)
    for k in np.flatnonzero(along_edges(where, p[:2], far, middles.turns)):
        turn = middles.turns[k : k + 1]
        shapes = (rule.high, rule.width, rule.length, turn)
        for word, gap in zip((ALCOVE_AHEAD, ALCOVE_BESIDE), gaps, strict=True):
            rows = [Alcove(each.depth, each.width) for each in alcoves if each.reach == word]
            ahead = word == ALCOVE_AHEAD
            size = (rule.length, rule.width) if ahead else (rule.width, rule.length)
            to = float(turn[0]) + (0.0 if ahead else 0.5 * np.pi)
            behind = min(_taken(free, p, to, BEHIND), default=0.0)
            # an object farther beyond free floor is not before it
            last = max([most - behind, *_taken(free, p, to + np.pi, rule.depth)])
            away = {-behind, 0.0, min(float(gap[k]), last), last, *np.arange(APART, last, APART)}
            for row in rows or [Alcove(0.5 * size[0], size[1])]:
                for beyond in sorted(away):
                    # from the end of the alcove to the floor counts as its depth
                    deep = max(row.deep - behind - beyond, FINE)
                    there = replace(row, deep=min(deep, size[0] - SMALLEST))
                    for found in (ahead_in if ahead else beside_in)(where, *shapes, there):
                        seen = found.before if ahead else found.to_the_left
                        if any(_not_all(each, hidden) for each in seen(p[:2], behind, beyond)):
                            return True
    return False


def _taken(free: Any, p: Array, turn: float, far: float) -> list[float]:
    """Return how far from a point (3,) along ``turn`` rad the floor begins and ceases to be free.

    It is empty where all is free up to ``far`` m.
    """
    way = np.array([np.cos(turn), np.sin(turn)])
    ray = shapely.LineString([p[:2] + FINE * way, p[:2] + far * way])
    return list((shapely.get_coordinates(ray.difference(free)) - p[:2]) @ way)


def _not_all(area: Any, hidden: Any) -> bool:
    return not area.is_empty and bool(area.difference(hidden).area > 0.0)


def _untold_door(room: Room, name: str, rules: Sequence[ReachRule]) -> Iterator[RuleFinding]:
    """Yield that rules ask about the door of a room that tells none; name what may be one."""
    where = next(_doors(room), "NAME, a body or feature there")
    for section in dict.fromkeys(rule.section for rule in rules):
        words = f"{section}: where the door is; write approach: from {where}"
        yield RuleFinding(room.floor_body, name, False, section, 0.0, 0.0, words, told=False)


def _doors(room: Room) -> Iterator[str]:
    """Yield the bodies of a room that are called doors, without those of furniture."""
    tops: dict[str, float] = {}
    for solid in room.solids:
        high = float(solid.outer[:, 2].max()) - room.level
        tops[solid.body] = max(tops.get(solid.body, high), high)
    for body in room.world.bodies:
        if called(body, DOORS) and tops.get(body, LEAF) >= LEAF:
            yield body


def nothing_to_look_at(
    room: Room, name: str, objects: Collection[str], operated: Collection[str]
) -> Iterator[str]:
    """Yield a line with the sections of the set ``name`` that are about nothing in a room."""
    found: dict[str, dict[str, None]] = {}
    for rule in rules_of(name):
        why = _missing(room, rule, objects, operated)
        if why:
            found.setdefault(why, {})[rule.section] = None
    if found:
        lines = (f"{', '.join(sections)} ({why})" for why, sections in found.items())
        line = f"{name}: nothing to look at for {'; '.join(lines)}"
        first = next((why[3:].partition(",")[0] for why in found if ":" not in why), "")
        yield line + (f"; where the room has such a thing, call it so: {first}: TYPE" * bool(first))


def _missing(
    room: Room, rule: ReachRule, objects: Collection[str], operated: Collection[str]
) -> str:
    """Return what a room lacks for a rule to say anything, "" where it lacks nothing."""
    if rule.things:
        missing = things_missing(room, rule)
        return f"no {', '.join(missing)}" if missing else ""
    if rule.reach == FORCE:
        return "" if operated else "nothing operated: write operate: HANDLE"
    if rule.reach == RAMP:
        return "" if ramps_in(room) else "no ramp"
    if rule.ranges or rule.reach in (CLEAR_FLOOR, ALCOVE_AHEAD, ALCOVE_BESIDE):
        return "" if objects else "no objects: write objects: NAME.POINT"
    return ""
