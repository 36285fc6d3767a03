"""What may be opened for an object to be reached: a leaf, a lid, the front of a drawer."""

from __future__ import annotations

from typing import Final

import numpy as np

from articulata.analyses.reach.surroundings.furniture import standing_on
from articulata.analyses.reach.surroundings.mechanisms import Mechanism, mechanism_of
from articulata.analyses.reach.surroundings.room import Room
from articulata.errors import ArticulataError, WorldError
from articulata.geometry.arrays import Array
from articulata.world.edits.values import Place
from articulata.world.figures.derivation import pose_of_matrix
from articulata.world.model import Hinge, World

NEAR: Final = 0.80
"""m. What is so near an object may hide it."""

MOST: Final = 3
"""So many things are tried, the nearest first."""


def openable(room: Room, obstacle: str, body: str, p: Array) -> tuple[Mechanism, ...]:
    """Return what could be opened for an object on ``body`` at ``p`` (3,) of G to be reached.

    It moves on a hinge with limits, is the ``obstacle`` or near the object, and the object does not
    go along with it. What something stands on is left shut, and so is what its hinge would bring
    nearer to zero.
    """
    away = {
        hinge.id: -1.0 if hinge.body_a == obstacle else _away(room, hinge.body_a, p)
        for hinge in room.world.hinges.values()
        if hinge.kind.name in ("revolute", "prismatic")
    }
    near = sorted((each for each in away if away[each] < NEAR), key=lambda each: away[each])
    found: list[Mechanism] = []
    for name in near[:MOST]:
        hinge = room.world.hinges[name]
        try:
            thing = mechanism_of(room, hinge.body_a)
        except WorldError:
            continue  # it has no limits, or is joined in another way: it stays where it is
        shuts = abs(thing.values[-1]) < abs(thing.values[0])
        if thing.hinge != name or body in thing.bodies or shuts or not thing.last:
            continue
        if not _carries(room, thing, hinge):
            found.append(thing)
    return tuple(found)


def opened(room: Room, thing: Mechanism, station: int) -> World | None:
    """Return the world with a thing moved on its hinge to a station; None where it is refused."""
    X_WG = room.X_WG
    move = X_WG @ thing.moves[station] @ np.linalg.inv(X_WG)
    edits = [
        Place(name, pose_of_matrix(move @ room.world.bodies[name].pose.matrix()))
        for name in thing.bodies
    ]
    try:
        return room.world.edit(edits)
    except ArticulataError:
        return None


def _carries(room: Room, thing: Mechanism, hinge: Hinge) -> bool:
    """Return whether anything but what it is joined to stands on a thing."""
    own = {*thing.bodies, hinge.body_b}
    return any(other not in own for name in thing.bodies for other in standing_on(room, name))


def _away(room: Room, body: str, p: Array) -> float:
    """Return how far ``p`` (3,) of G is from the boxes about a body's solids, m."""
    corners = [each.outer for each in room.solids if each.body == body]
    gaps = (np.maximum(np.maximum(c.min(axis=0) - p, p - c.max(axis=0)), 0.0) for c in corners)
    return min((float(np.linalg.norm(gap)) for gap in gaps), default=np.inf)
