"""What else is to be known of people and a room before their reach is read: sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import shapely

from articulata.analyses.reach.body import Body
from articulata.analyses.reach.room import Room

BESIDE = 0.5
"""m. What lies farther beyond the floor is outside the room."""

STEP = 1.0
"""m. What hangs lower over the door than this is a threshold, and no lintel."""

CROWNS = ("skull_tip", "vertex")
"""Landmarks at the top of the head."""


def notes_of(room: Room, name: str, body: Body) -> Iterator[str]:
    """Yield what is to be known of one of the people in the room."""
    lintel = _lintel(room)
    figure = body.figure
    crown = next((each for each in CROWNS if each in figure.landmarks), None)
    if crown is not None:
        tall = float(figure.landmark(body.resting, crown)[2, 3])
        if tall > lintel:
            yield (
                f"{name}: the head is at {tall:.2f} m and the door is {lintel:.2f} m high; that "
                "they stoop is taken for granted"
            )
    neutral = figure.neutral
    beyond = np.flatnonzero((neutral < figure.lower - 1e-9) | (neutral > figure.upper + 1e-9))
    if len(beyond):
        listed = ", ".join(f"'{figure.names[k]}'" for k in beyond)
        yield (
            f"{name}: the limits of {listed} leave out the neutral posture; the nearest that they "
            "allow is taken in its place"
        )


def outside(room: Room, objects: Sequence[str]) -> Iterator[str]:
    """Yield which objects lie outside the room."""
    for path in objects:
        p = room.point(path)
        away = float(room.floor.distance(shapely.Point(*p[:2])))
        if away > BESIDE:
            yield f"'{path}' lies outside the room, {away:.2f} m beyond its floor"


def _lintel(room: Room) -> float:
    """Return how high the door is, m: up to what hangs over it; infinite where nothing does."""
    if room.door is None:
        return float("inf")
    door = shapely.Point(*room.door)
    over = [
        float(solid.outer[:, 2].min()) - room.level
        for solid in room.solids
        if shapely.MultiPoint(solid.outer[:, :2]).convex_hull.distance(door) < 0.05
    ]
    return min((each for each in over if each > STEP), default=float("inf"))
