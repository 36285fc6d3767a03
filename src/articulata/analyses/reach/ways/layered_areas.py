"""Where somebody may stand who takes room in layers, by turn: limbs in any of their ways.

Areas are shapes of G's plane, one for each of the ``TURNS``. Lengths in m.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import shapely

from articulata.analyses.reach.surroundings.room import Room
from articulata.analyses.reach.ways.base_areas import base_area, blocks_of, joined, orientations
from articulata.analyses.reach.ways.device_parts import TURNS, DevicePart, Limb, Member
from articulata.kernels.lanes.host import spread

Areas = npt.NDArray[np.object_]

ONWARD: Final = 0.5
"""m. So far from the way somebody goes on to stand, where it is narrower than a way."""

QUARTER: Final = 8
"""Sides of the polygon of a quarter of a circle."""


class Layers:
    """Base areas of members; those of the same parts are made once.

    With ``outer`` what is in the way is taken too large, else too small.
    """

    def __init__(self, room: Room, ground: Any, *, outer: bool) -> None:
        self._room, self._ground, self._outer = room, ground, outer
        self._turns = orientations(room)
        self._known: dict[tuple[tuple[DevicePart, ...], float], Areas] = {}

    def standing(self, limbs: Sequence[Limb]) -> Areas:
        """Return where all limbs have room, each in one of its ways."""
        ways: dict[tuple[Member, ...], Areas] = {}
        for way in dict.fromkeys(way for limb in limbs for way in limb):
            ways[way] = self.all_of(way)
        found = [shapely.union_all([ways[way] for way in limb], axis=0) for limb in limbs]
        return reduce(shapely.intersection, found)

    def all_of(self, members: Sequence[Member]) -> Areas:
        """Return where all members have room."""
        return reduce(shapely.intersection, [self._of(each) for each in members])

    def _of(self, member: Member) -> Areas:
        key = member.parts, member.sway
        if key not in self._known:
            self._known[key] = self._made(member)
        own = self._known[key]
        areas = np.repeat(own, TURNS) if member.round else np.roll(own, -member.turned)
        x, y = member.at
        c, s = np.cos(self._turns), np.sin(self._turns)
        away = np.column_stack([c * x - s * y, s * x + c * y])
        p, of = shapely.get_coordinates(areas, return_index=True)
        return np.asarray(shapely.set_coordinates(areas.copy(), p - away[of]))

    def _made(self, member: Member) -> Areas:
        """Return the areas of a member's own origin, by turn; one of a round one."""
        blocks = [
            blocks_of(self._room, part.low, part.high, outer=self._outer) for part in member.parts
        ]
        corners = [part.corners for part in member.parts]
        found = np.empty(1 if member.round else TURNS, object)

        def work(begin: int, end: int) -> None:
            for k in range(begin, end):
                found[k] = base_area(self._ground, blocks, corners, self._turns[k])

        spread(work, len(found), grain=1)
        # what is drawn about a circle holds it
        wide = member.sway / np.cos(0.25 * np.pi / QUARTER)
        return np.asarray(shapely.buffer(found, wide, quad_segs=QUARTER)) if wide > 0.0 else found


def about_the_way(
    room: Room, way: Any, low: float, high: float, over: float, *, outer: bool
) -> Any:
    """Return the floor no farther than ``ONWARD`` from a ``way``, on the same side of things.

    Between heights ``low`` and ``high`` things part it; no farther ``over`` them is it too.
    """
    outlines = blocks_of(room, low, high, outer=outer)
    things = joined([shapely.Polygon(each) for each in outlines])
    near = shapely.get_parts(way.buffer(ONWARD).difference(things))
    here = shapely.union_all(near[shapely.intersects(near, way)])
    return joined([here, here.buffer(over).intersection(things)])


def touching(areas: Sequence[Any], way: Any) -> list[Any]:
    """Return of each area the parts that a way leads to."""
    found = []
    for area in areas:
        parts = shapely.get_parts(area)
        found.append(shapely.union_all(parts[shapely.intersects(parts, way)]))
    return found
