"""Low things that shut the way from the door by themselves: sills, thresholds, kerbs of showers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.surroundings.room import FOOT, Room, outline_of
from articulata.analyses.reach.ways.footprints import Footprint
from articulata.analyses.reach.ways.standing_places import Places, places_of
from articulata.geometry.arrays import Array

LOW: Final = 0.25
"""m. What is higher is no sill; furniture is."""

FLAT: Final = 0.25
"""Nor is what is higher than this share of its length, as a box that may be pushed aside."""

OPENED: Final = 0.01
"""m2. Less floor that is free without a thing is no more than an edge of what is free with it."""

ROUNDING: Final = 1e-6
"""m. What is higher by less is as high."""


@dataclass(frozen=True, slots=True)
class Sill:
    """A low body, ``high`` m above the floor, without which a way leads to floor that it cuts off.

    ``opened`` is that floor: a shape in G's plane.
    """

    body: str
    high: float
    opened: Any


def sills_of(room: Room, footprint: Footprint, hips: float, places: Places) -> tuple[Sill, ...]:
    """Return the low bodies that shut a way by themselves; those that cut off most floor first."""
    low = dict(_low(room, footprint.step))
    if room.door is None or places.cut.area < OPENED or not low:
        return ()

    def opened(*gone: str) -> Any:
        rest = tuple(solid for solid in room.solids if solid.body not in gone)
        free = places_of(replace(room, solids=rest), footprint, hips).all_free
        return free.intersection(places.cut)

    if len(low) > 1 and opened(*low).area < OPENED:
        return ()
    found = [Sill(body, high, opened(body)) for body, high in low.items()]
    some = [sill for sill in found if sill.opened.area >= OPENED]
    return tuple(sorted(some, key=lambda sill: -float(sill.opened.area)))


def sill_before(sills: tuple[Sill, ...], p: Array, reach: float) -> Sill | None:
    """Return the first sill behind which is floor within ``reach`` m of a point (3,) of G."""
    point = shapely.Point(*p[:2])
    return next((sill for sill in sills if shapely.dwithin(sill.opened, point, reach)), None)


def _low(room: Room, step: float) -> Iterator[tuple[str, float]]:
    """Give bodies that stand on the floor, higher than a step but low, and how high they are, m."""
    for body in dict.fromkeys(solid.body for solid in room.solids):
        mine = [solid for solid in room.solids if solid.body == body]
        z = np.concatenate([solid.outer[:, 2] for solid in mine]) - room.level
        high = float(z.max())
        if high <= step or float(z.min()) > FOOT:
            continue
        length = 2.0 * float(shapely.minimum_bounding_radius(outline_of(mine)))
        if high <= min(LOW, FLAT * length) + ROUNDING:
            yield body, high
