"""Rules about things that a room calls by name: toilets, basins, work surfaces, what is operated.

A thing is known by the last word of its name ("toilet", "left_basin[2]") and measured at a feature
of it, such as ``rim``, the middle of its front edge. Ahead of it is where the feature lies from its
middle, or away from the wall at its back. What is called a part of it, as a seat or a tank is,
counts as its own. What the room does not tell is asked for, never taken for granted. Metres.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.building_codes.clear_floor import FINE
from articulata.analyses.reach.building_codes.ramps import UNTOLD, slopes_of
from articulata.analyses.reach.building_codes.rule_tables import (
    AHEAD,
    BEFORE,
    BOTH_SIDES,
    CORNER,
    FACING,
    FORCE,
    KNEES,
    LANDING,
    LENGTHS,
    RAMP_WIDTH,
    ReachRule,
)
from articulata.analyses.reach.building_codes.thing_measures import (
    BACK,
    FAR,
    MEASURES,
    SAID,
    SEEN,
    Thing,
    thing_of,
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

PASSED: Final = ("bar", "rail", "dispenser", "disposal", "paper", "hook", "shelf")
"""Last words of what may hang in the clear floor about a toilet (604.3.2)."""

MEANT: Final = {
    "rim": "the middle of its front edge",
    "seat": "the middle of its seat",
    "outlet": "where paper comes out",
    "top": "the middle of the top of its grip",
    "grip": "where a hand holds it",
    "front": "where a hand touches it",
    "tip": "the middle of its front end",
}
"""What features are, for who has to write them."""


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
    by_section: dict[tuple[object, ...], list[ReachRule]] = {}
    for rule in rules:
        if rule.things:
            about = (rule.things, rule.room_with, rule.feature, rule.origin)
            by_section.setdefault((rule.section, rule.reach, *about), []).append(rule)
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
    return [] if things_missing(room, rule) else _named(room, rule.things)


def things_missing(room: Room, rule: ReachRule) -> tuple[str, ...]:
    """Return what one thing more of the room must be called for a rule to be about it."""
    for words in (rule.room_with, rule.things, tuple(rule.origin.split(".")[:1])):
        if any(words) and not _named(room, words):
            return words
    return ()


def _named(room: Room, words: Sequence[str]) -> list[Body]:
    """Return the things that are called so, or made of a piece that is."""
    solid = [body for body in room.world.bodies.values() if body.shape is not None]
    return [body for body in solid if called(body.id, words) or body.type in words]


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
    thing = other = None
    untold = _untold(body, rule.feature, "its")
    if rule.reach in (RAMP_WIDTH, LANDING) and not slopes_of(room, body.id):
        untold = UNTOLD
    if not untold:
        thing = thing_of(room, walls, body, rule.feature)
        if rule.reach in FACING or rule.reach not in LENGTHS:
            untold = _faceless(thing, rule.feature, "it")
    if thing is not None and rule.origin:
        near, feature = _nearest(room, thing, rule.origin)
        untold = _untold(near, feature, f"{near.id}'s")
        if not untold:
            other = thing_of(room, walls, near, feature)
            untold = _faceless(other, feature, near.id)
    if thing is None or untold:
        height = 0.0 if thing is None else thing.height
        words = f"{rule.section}: {untold}"
        return RuleFinding(body.id, name, False, rule.section, height, 0.0, words, told=False)
    missed = ""
    for each in rules:
        missed = _missed(thing, each, toes, other)
        if missed:
            rule = each
            break
    all_met = f"{rule.section}: {'; '.join(each.what for each in rules)}"
    words = f"{missed}; {rule.section}: {rule.what}" if missed else all_met
    return RuleFinding(body.id, name, not missed, rule.section, thing.height, 0.0, words)


def _nearest(room: Room, thing: Thing, origin: str) -> tuple[Body, str]:
    """Return the body nearest to a thing that ``origin`` names, and the feature it names there."""
    name, _, feature = origin.partition(".")
    bodies = _named(room, (name,))
    return min(bodies, key=lambda each: np.linalg.norm(room.point(each.id) - thing.p)), feature


def _untold(body: Body, feature: str, whose: str) -> str:
    """Ask for a feature that a body lacks, "" where it has it or none is needed."""
    if not feature or feature in body.features:
        return ""
    meant = MEANT.get(feature, "what the rule measures")
    return (
        f"where {whose} {feature} is; write {feature}: (x, y, z), {meant}, into where {{ }} of "
        f"'{body.type}'"
    )


def _faceless(thing: Thing, feature: str, what: str) -> str:
    """Say that a thing does not tell which way it faces, "" where it does."""
    if thing.ahead.any():
        return ""
    return (
        f"which way {what} faces; its {feature} is at its middle, and not one of its sides alone "
        f"is within {BACK:g} m of a wall; place it with its back to one"
    )


def _missed(thing: Thing, rule: ReachRule, toes: ReachRule | None, other: Thing | None) -> str:
    """Return in words what a thing misses of a rule, "" where it meets it.

    ``toes`` is the row about room for them, ``other`` the thing that it is seen from.
    """
    if rule.reach in LENGTHS:
        return _length(thing, rule, other)
    if rule.reach == CORNER:
        return _corner(thing, rule)
    if rule.reach == KNEES:
        return _knees(thing, rule)
    if rule.reach == BEFORE:
        return _before(thing, rule)
    if rule.reach != AHEAD:
        return _at_its_sides(thing, rule)
    below = 0.0 if toes is None else _deep(thing, rule, toes)
    half, ahead = 0.5 * rule.width, rule.length - below
    right, left = (-half, half) if half else thing.extent()
    words = _in_it(thing, thing.rectangle(0.0, ahead, right, left), CLEAR, rule.high)
    if words and below > 2.0 * FINE:
        return f"{words}, {ahead:.3g} m ahead and {below:.3g} m below it"
    return words


def _length(thing: Thing, rule: ReachRule, other: Thing | None) -> str:
    """Return in words a length of a thing that is beyond what a row allows."""
    found = MEASURES[rule.reach](thing) if other is None else SEEN[rule.reach](thing, other)
    for value in found:
        if rule.low - FINE <= value <= rule.high + FINE:
            continue
        if not np.isfinite(value):
            alone = f"no other one at the other side of '{other.body.id}'" if other else ""
            return alone or _no_wall("beside")
        return SAID[rule.reach].format(f"{float(told_beside(value, rule.low, rule.high)):g} m")
    return ""


def _before(thing: Thing, rule: ReachRule) -> str:
    """Say what leaves too little floor ahead of a thing, to one side of its feature or about it."""
    room, wide = thing.room, rule.width
    area = thing.rectangle(0.0, rule.length, -wide, wide).buffer(-FINE)
    low, high = room.level + CLEAR + FINE, room.level + rule.high - FINE
    clear = {*thing.own, *_passed(room)}
    blocks = [slice_of(each.outer, low, high) for each in room.solids if each.body not in clear]
    taken = shapely.intersection([*blocks, area.difference(room.floor)], area)
    right, left = -wide, wide
    for part in shapely.get_parts(taken):
        away = (shapely.get_coordinates(part) - thing.p[:2]) @ thing.left
        if len(away) and away.min() <= 0.0 <= away.max():
            return "what is right ahead takes that floor"
        if len(away):
            right = max(right, away.max()) if away.max() < 0.0 else right
            left = min(left, away.min()) if away.min() > 0.0 else left
    wide_enough = left - right >= wide - 3.0 * FINE
    return "" if wide_enough else f"{float(told_beside(left - right, wide)):g} m wide ahead of it"


def _at_its_sides(thing: Thing, rule: ReachRule) -> str:
    """Say what is in the clear floor beside a thing, at the sides that are asked for.

    It goes ahead of the feature as far as the wall behind the thing leaves it no other room.
    """
    right, left = thing.span(thing.left, thing.p[:2])
    passed = _passed(thing.room)
    ahead = min(max(rule.length - thing.to_wall(-thing.ahead), 0.0), rule.depth)
    found = [
        _in_it(thing, thing.rectangle(ahead - rule.length, ahead, *sides), CLEAR, rule.high, passed)
        for sides in ((right - rule.width, right), (left, left + rule.width))
    ]
    # what can be moved is told before a wall
    walls = [f"'{name}'" for name in thing.room.walls()]
    missed = sorted(
        (each for each in found if each), key=lambda said: said.startswith(tuple(walls))
    )
    return missed[0] if len(missed) > (0 if rule.reach == BOTH_SIDES else 1) else ""


def _deep(thing: Thing, rule: ReachRule, toes: ReachRule) -> float:
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


def _corner(thing: Thing, rule: ReachRule) -> str:
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


def _knees(thing: Thing, rule: ReachRule) -> str:
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


def _in_it(thing: Thing, area: Any, low: float, high: float, passed: Container[str] = ()) -> str:
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


def _in_the_way(thing: Thing, solid: Solid) -> str:
    return f"{'it' if solid.body in thing.own else repr(solid.body)} is in the way"
