"""Rows of a building code about where an object may be: how high, and how deep behind what stands.

An object is approached from clear floor: ahead of a rectangle of it, or beside one. Its depth is
how far it is from there. A reach ahead over an obstruction asks for clear floor below that, as deep
as the reach (308.2.2); a reach to the side goes over what is solid down to the floor. Metres.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import shapely

from articulata.analyses.reach.building_codes.clear_floor import (
    BESIDE,
    FINE,
    Middles,
    Shapes,
    directions_of,
    hidden_from,
    middles_of,
    shadow_of,
    without,
)
from articulata.analyses.reach.building_codes.rule_tables import (
    CLEAR_FLOOR,
    FORWARD,
    SIDE,
    SMALLEST,
    ReachRule,
    rules_of,
)
from articulata.analyses.reach.surroundings.room import Room, Solid
from articulata.analyses.reach.ways.base_areas import slice_of
from articulata.analyses.reach.ways.device_parts import CLEAR
from articulata.analyses.reach.ways.footprints import bare_steps
from articulata.analyses.reach.ways.standing_places import free_of
from articulata.geometry.arrays import Array
from articulata.records.reach_verdicts import RuleFinding, told_beside

WIDTH, LENGTH, KNEE = 0.760, 1.220, 0.685
"""m. A rectangle of floor, how high knees are, where a set has no row of clear floor."""

TOES = 0.230
"""m. Lower than this is room for toes, higher room for knees (306.2.1, 306.3.1)."""

BEFORE_KNEES = 0.150
"""m. So much deeper than knees have room is what counts as room for toes (306.2.4)."""

LEAN = 0.075
"""m. So much deeper is room for knees at its lower end than at its upper end (306.3.4)."""

LOW_KNEES, HIGH_KNEES = 0.280, 0.205
"""m. No less deep is room for knees at its lower and upper end, below what is deeper (306.3.3)."""

INSIDE = 1e-4
"""m. What is deeper within an outline than this is in it, however numbers are rounded."""

STEPS = 4
"""In so many steps the room for knees narrows upwards, never less than asked for."""

FEET = 0.25
"""m. What begins lower than this stands on the floor, and holds nothing up in the air."""


def checked(room: Room, name: str, path: str) -> RuleFinding:
    """Return whether any row of reach of the rules ``name`` lets an object be where it is."""
    every = rules_of(name)
    rules = [rule for rule in every if rule.ranges]
    spot = _spot(room, room.point(path), next((r for r in every if r.reach == CLEAR_FLOOR), None))
    height, depth = spot.height, spot.depth
    for rule in rules:
        if rule.low - FINE <= height <= rule.high + FINE and spot.approached(rule):
            words = f"{rule.section}: {rule.what}, {rule.low:g} to {rule.high:g} m"
            deep = min(depth, rule.depth)
            return RuleFinding(path, name, True, rule.section, height, deep, words)
    near = [rule for rule in rules if spot.approached(rule)]
    section = (near or rules)[0].section
    words = _too_high_or_low(spot, near, rules) or _why_not(spot, rules)
    return RuleFinding(path, name, False, section, height, depth, words)


def _too_high_or_low(spot: _Spot, near: Sequence[ReachRule], rules: Sequence[ReachRule]) -> str:
    """Say what heights are allowed where that of an object is none of them, "" where it is.

    They are those of the rows ``near`` that allow an approach, of all where none does.
    """
    asked = near or rules
    if any(rule.low - FINE <= spot.height <= rule.high + FINE for rule in asked):
        return ""
    low, high = min(rule.low for rule in asked), max(rule.high for rule in asked)
    depths = {rule.depth for rule in rules}
    deep = f", {told_beside(spot.depth, *depths)} m deep" if np.isfinite(spot.depth) else ""
    allowed = "allowed there is" if near else "allowed anywhere is"
    return f"at {told_beside(spot.height, low, high)} m{deep}; {allowed} {low:g} to {high:g} m"


def _why_not(spot: _Spot, rules: Sequence[ReachRule]) -> str:
    """Say why no row allows an approach to an object."""
    if not np.isfinite(spot.depth):
        size = f"{spot.width:g} m by {spot.length:g} m"
        return f"no clear floor of {size} has it ahead or beside"
    deep = told_beside(spot.depth, *{rule.depth for rule in rules})
    words = f"{deep} m from clear floor"
    most = max(rule.depth for rule in rules)
    if spot.depth > most + FINE:
        return f"{words}; the most allowed is {most:g} m"
    reasons = dict.fromkeys(
        f"{rule.section} asks for knee room below it"
        if rule.reach == FORWARD
        else f"{rule.section} for an obstruction {rule.obstruction:g} m high at most"
        for rule in rules
        if spot.depth <= rule.depth + FINE
        and (rule.reach == FORWARD or np.isfinite(rule.obstruction))
    )
    return f"{words}; {', '.join(reasons) or 'no row allows an approach there'}"


@dataclass(frozen=True, slots=True, eq=False)
class _Spot:
    """An object at ``p`` (3,) of G in a room that holds no more than what may be in its way.

    ``clear`` are the middles of rectangles above which nothing is, up to the object, ``gaps`` how
    far ahead of them it is by turn, and ``depth`` how far ahead or aside of the nearest, infinite
    without any. ``hidden`` is the floor behind walls; ``tops`` are outlines of what is below the
    object, and how high above the floor each is.
    """

    room: Room
    p: Array
    width: float
    length: float
    knee: float
    hidden: Any
    clear: Middles
    gaps: Array
    depth: float
    tops: tuple[tuple[Any, float], ...]

    @property
    def height(self) -> float:
        """How high it is above the floor."""
        return float(self.p[2]) - self.room.level

    def approached(self, rule: ReachRule) -> bool:
        """Return whether there is clear floor from which a row lets it be reached."""
        p = self.p[:2]
        if rule.reach == FORWARD and rule.depth > FINE and self._over_solid():
            return False
        areas: Iterable[Any]
        if rule.reach == FORWARD:
            areas = self._over_knees(rule.depth) if rule.depth > FINE else self._ahead(0.0)
        elif rule.reach == SIDE:
            areas = self.clear.beside(p, rule.depth)
        else:
            areas = [*self.clear.beside(p, rule.depth), *self._ahead(rule.depth)]
        high = [outline for outline, top in self.tops if top > rule.obstruction + FINE]
        if any(outline.distance(shapely.Point(*p)) < FINE for outline in high):
            return False
        shadow = shadow_of(high, p)
        return any(area.difference(shadow).area > 0.0 for area in areas if not area.is_empty)

    def _over_solid(self) -> bool:
        """Return whether it is over what leaves no room for toes: no turn mends that."""
        low, high = self.room.level + CLEAR, self.room.level + TOES
        point = shapely.Point(*self.p[:2])
        over = (solid for solid in self.room.solids if solid.outline.contains(point))
        lower = (slice_of(solid.outer, low, high) for solid in over)
        return any(each.buffer(-INSIDE).contains(point) for each in lower)

    def _ahead(self, depth: float) -> Shapes:
        return self.clear.ahead(self.p[:2], depth)

    def _over_knees(self, depth: float) -> Iterator[Any]:
        """Yield from where it is reached ahead over what knees and toes have room below."""
        for k in np.argsort(self.gaps):
            if depth + FINE < self.gaps[k] < np.inf:
                continue
            # without a whole rectangle before it how deep it is is not known, nor what toes gain
            yield from _over_top(self, int(k), 0.0 if self.gaps[k] < np.inf else depth)


@lru_cache(maxsize=64)
def _over_top(spot: _Spot, k: int, depth: float) -> Shapes:
    """Return from where a spot is reached ahead in one turn, ``depth`` over a top or what it is."""
    clear = spot.clear
    length, width = 2.0 * clear.half_length, 2.0 * clear.half_width
    turn, gap = clear.turns[k : k + 1], float(spot.gaps[k])
    deep = min(depth or gap + FINE, length - SMALLEST)
    steps = [(0.0, spot.knee)] if depth else _below(deep, spot.knee)
    shape = bare_steps(width, length, [(deep, max(spot.knee, spot.height)), *steps])
    areas = np.array(free_of(spot.room, shape, turn))
    return without(replace(clear, turns=turn, areas=areas), spot.hidden).ahead(spot.p[:2], 0.0)


def _below(deep: float, knee: float) -> list[tuple[float, float]]:
    """Return what is clear below something ``deep`` m: from its rear on, up to which height."""
    low = float(np.clip(deep - LOW_KNEES, 0.0, BEFORE_KNEES))
    high = float(np.clip(deep - HIGH_KNEES, 0.0, low + LEAN))
    lean = np.linspace(low, high, STEPS + 1)[:-1]
    tops = np.linspace(TOES, knee, STEPS + 1)[1:]
    return [(0.0, TOES), *((float(a), float(top)) for a, top in zip(lean, tops, strict=True))]


def _spot(room: Room, p: Array, asked: ReachRule | None) -> _Spot:
    """Return an object and the floor about it, of which a row of clear floor tells the size."""
    width, length, knee = (
        (asked.width, asked.length, asked.high) if asked else (WIDTH, LENGTH, KNEE)
    )
    solids = tuple(_in_the_way(room, p, knee))
    far = 2.0 * (width + length)
    about = shapely.Point(*p[:2]).buffer(far, cap_style="square")
    there = replace(
        room,
        floor=room.floor.intersection(about),
        solids=tuple(s for s in solids if s.outline.intersects(about)),
        door=None,
    )
    along = directions_of(room)
    hidden = hidden_from(room, p)
    top = max(knee, float(p[2]) - room.level)
    clear = without(middles_of(there, top, width, length, along), hidden)
    gaps, aside = clear.gaps(p[:2])
    depth = float(min(gaps.min(), aside.min()))
    below = tuple(
        (s.outline, float(s.outer[:, 2].max()) - room.level)
        for s in there.solids
        if s.outer[:, 2].max() <= p[2] + FINE
    )
    return _Spot(there, p, width, length, knee, hidden, clear, gaps, depth, below)


def _in_the_way(room: Room, p: Array, knee: float) -> Iterator[Solid]:
    """Yield what takes floor away: what stands on it or hangs over it lower than a point (3,).

    What holds the point up in the air does not.
    """
    point = shapely.Point(*p[:2])
    for solid in room.solids:
        low, high = solid.outer[:, 2].min(), solid.outer[:, 2].max()
        below = high <= p[2] + FINE
        holds = low - room.level >= FEET and solid.outline.distance(point) <= BESIDE
        if below or (low - room.level < knee and not holds):
            yield solid
