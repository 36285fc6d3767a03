"""Ramps over what shuts the way: how long a building code asks them to be, and what stands there.

Metres; slopes are rise by run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.building_codes.rule_tables import RAMP, rules_of
from articulata.analyses.reach.surroundings.room import Room, outline_of
from articulata.analyses.reach.ways.base_areas import slice_of
from articulata.analyses.reach.ways.device_parts import CLEAR
from articulata.records.reach_verdicts import Remedy

HIGH: Final = 1.8
"""m. What hangs higher than this is over the heads of who sits."""

FINE: Final = 1e-4
"""m. What reaches no deeper into a ramp only touches it."""


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
