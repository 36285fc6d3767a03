"""Where furniture that is in the way can go: the nearest free floor to one side of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.surroundings.room import ROOM_HIGH, Room, Solid, room_of
from articulata.analyses.reach.surroundings.sinking import ROUNDING, sinks
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.records.reach_verdicts import Remedy
from articulata.world.edits.values import Place
from articulata.world.model import World

STEP: Final = 0.10
"""m. Furniture is pushed by whole numbers of it."""

FARTHEST: Final = 1.5
"""m. Farther than this nothing is pushed."""

RESTING: Final = 0.005
"""m. What is no farther above a face rests on it."""

STANDING: Final = 0.02
"""m. What is not higher above the floor stands on it."""

NEAR: Final = 0.80
"""m. What stands so near an object may keep a device away from it."""

MOST: Final = 3
"""So many things are tried, the nearest first."""

Mends = Callable[[Room], bool]


def movable(room: Room, obstacle: str, body: str, p: Array) -> tuple[str, ...]:
    """Return what could be moved for an object on ``body`` at ``p`` (3,) of G to be reached.

    It is the ``obstacle`` that is known, where it does not stay and the object does not go along
    with it; else what stands on the floor about the object.
    """
    fixed = {body, *room.walls(), *_built_in(room)}
    if obstacle and obstacle not in fixed and body not in together(room, obstacle):
        return (obstacle,)
    near: dict[str, float] = {}
    for solid in room.solids:
        if solid.body in fixed:
            continue
        away = float(shapely.distance(solid.outline, shapely.Point(*p[:2])))
        corners = solid.inner if len(solid.inner) else solid.outer  # none about a hollow
        stands = corners[:, 2].min() < room.level + STANDING
        if stands and away < min(NEAR, near.get(solid.body, NEAR)):
            near[solid.body] = away
    apart = [name for name in near if body not in together(room, name)]
    return tuple(sorted(apart, key=lambda name: near[name])[:MOST])


def between(room: Room, body: str, begin: Any, end: Any) -> tuple[str, ...]:
    """Return what stands on the floor and could be moved, and is nearest to both of two areas.

    Of what is about as near the smaller comes first. What the object on ``body`` goes along with is
    left out.
    """
    fixed = {body, *room.walls(), *_built_in(room)}
    away: dict[str, float] = {}
    covers: dict[str, float] = {}
    for solid in room.solids:
        name, outline = solid.body, solid.outline
        if name in fixed or not _on_floor(room, name):
            continue
        both = float(shapely.distance(outline, begin) + shapely.distance(outline, end))
        away[name] = min(both, away.get(name, both))
        covers[name] = covers.get(name, 0.0) + float(outline.area)
    apart = [name for name in away if body not in together(room, name)]
    return tuple(sorted(apart, key=lambda name: (round(away[name] / NEAR), covers[name])))


def pushed_aside(room: Room, body: str, mends: Mends, door: str) -> Remedy | None:
    """Return the least push of a body along the floor that ``mends``; None where there is none.

    Only what stands, and is lower than a room, is pushed: what hangs would come off its wall. What
    stands on another body and touches a wall, as a mirror, is pushed along the wall alone. Pushes
    are tried along the two level axes, both ways, in steps of ``STEP``. The body then stands as
    before, and in nothing that it did not stand in before.
    """
    if not _pushable(room, body):
        return None
    held = not _on_floor(room, body)
    for by, axis, direction in _pushes(room):
        if not fits(room, body, by * direction):
            continue
        if held and not along_walls(room, body, by * direction):
            continue
        world = moved(room, body, by * direction)
        if world is None:
            return None
        if mends(room_of(world, floor=room.floor_body, door=door)):
            return Remedy("push", body, by, axis)
    return None


def moved(room: Room, body: str, by: Array) -> World | None:
    """Return the world with a body and what goes with it moved ``by`` (3,) of W, m.

    None where they cannot be there, as what is joined to a wall or to the floor.
    """
    edits = []
    mine = together(room, body)
    if _held(room, mine):
        return None
    for name in mine:
        pose = room.world.bodies[name].pose
        x, y, z = (np.array(pose.position) + by).tolist()
        edits.append(Place(name, replace(pose, position=(x, y, z))))
    try:
        return room.world.edit(edits)
    except ArticulataError:
        return None


def together(room: Room, body: str) -> tuple[str, ...]:
    """Return a body and what goes with it: what is joined to it, and what stands on all that."""
    fixed = {room.floor_body, *room.walls()} - {body}
    found = [body]
    for name in found:
        for other in (*_joined(room, name), *standing_on(room, name)):
            if other not in fixed and other not in found:
                found.append(other)
    return tuple(found)


@lru_cache(maxsize=4)
def _built_in(room: Room) -> tuple[str, ...]:
    """Return what stays: the floor, posts as high as a room, what is joined to a wall or to it."""
    return (
        room.floor_body,
        *(
            body
            for body in dict.fromkeys(solid.body for solid in room.solids)
            if (_on_floor(room, body) and not _low(room, body)) or _held(room, together(room, body))
        ),
    )


def _held(room: Room, bodies: Sequence[str]) -> bool:
    """Return whether bodies are joined to any other."""
    return any(held not in bodies for name in bodies for held in _joined(room, name))


def _joined(room: Room, body: str) -> Iterator[str]:
    """Give the bodies that a body is joined to."""
    for hinge in room.world.hinges.values():
        for one, other in ((hinge.body_a, hinge.body_b), (hinge.body_b, hinge.body_a)):
            if one == body and other in room.world.bodies:
                yield other


def standing_on(room: Room, body: str) -> Iterator[str]:
    """Give the bodies that stand on one: most of a foot of theirs lies on a face of it."""
    tops = [solid for solid in room.solids if solid.body == body]
    for solid in room.solids:
        if solid.body == body or _on_floor(room, solid.body):
            continue
        if any(_rests(solid, top) for top in tops):
            yield solid.body


def _on_floor(room: Room, body: str) -> bool:
    """Return whether a body stands on the floor."""
    return body in _all_on_floor(room)


@lru_cache(maxsize=4)
def _all_on_floor(room: Room) -> frozenset[str]:
    """Return the bodies that stand on the floor."""
    most = room.level + STANDING
    return frozenset(s.body for s in room.solids if len(s.inner) and s.inner[:, 2].min() < most)


def _pushable(room: Room, body: str) -> bool:
    """Return whether a body stands, and is lower than a room."""
    return _low(room, body) and stands(room, body)


def _low(room: Room, body: str) -> bool:
    """Return whether a body is lower than a room."""
    tops = [float(solid.outer[:, 2].max()) for solid in room.solids if solid.body == body]
    return bool(tops) and max(tops) < room.level + ROOM_HIGH


def stands(room: Room, body: str) -> bool:
    """Return whether a body stands, on the floor or on another body."""
    own = [solid for solid in room.solids if solid.body == body]
    return _on_floor(room, body) or any(
        _rests(solid, other) for other in room.solids if other.body != body for solid in own
    )


def stays_hung(room: Room, body: str, by: Array) -> bool:
    """Return whether a move ``by`` (3,) of W, m, takes a body off nothing that it hangs on.

    What stands on nothing hangs on the walls and the things beside it that it touches.
    """
    if stands(room, body):
        return True
    beside = {each.body for each in room.solids} - {*together(room, body)}
    return _touched(room, body, np.zeros(3), beside) <= _touched(room, body, by, beside)


def along_walls(room: Room, body: str, by: Array) -> bool:
    """Return whether a body still touches the walls that it touches, moved ``by`` (3,) of W, m."""
    walls = room.walls()
    return _touched(room, body, np.zeros(3), walls) <= _touched(room, body, by, walls)


def _touched(room: Room, body: str, by: Array, others: Collection[str]) -> set[str]:
    """Return which of others a body touches when it is moved ``by`` (3,) of W, m."""
    move = room.X_WG[:3, :3].T @ by
    own = [_shifted(solid, move) for solid in room.solids if solid.body == body]
    return {
        other.body
        for other in room.solids
        if other.body in others and any(_touch(solid, other) for solid in own)
    }


def _touch(a: Solid, b: Solid) -> bool:
    """Return whether two solids are side by side, no farther apart than what rests."""
    high = min(a.outer[:, 2].max(), b.outer[:, 2].max())
    low = max(a.outer[:, 2].min(), b.outer[:, 2].min())
    return bool(high > low and shapely.distance(a.outline, b.outline) < RESTING)


def _shifted(solid: Solid, move: Array) -> Solid:
    """Return a solid moved by (3,) m of G."""
    return replace(solid, outer=solid.outer + move, inner=solid.inner + move)


def _rests(above: Solid, below: Solid) -> bool:
    """Return whether most of a solid lies on the upper face of another."""
    if not len(above.inner) or abs(above.inner[:, 2].min() - below.outer[:, 2].max()) > RESTING:
        return False
    foot = above.outline
    return float(foot.intersection(below.outline).area) > 0.5 * float(foot.area)


def _pushes(room: Room) -> Iterator[tuple[float, str, Array]]:
    """Give pushes, the least first: how far (m), along which axis, and the direction in W."""
    x, y = room.X_WG[:3, 0], room.X_WG[:3, 1]
    for count in range(1, round(FARTHEST / STEP) + 1):
        for direction in (x, -x, y, -y):
            yield count * STEP, axis_name(direction), direction


def axis_name(direction: Array) -> str:
    """Return the axis of W that a direction (3,) goes along most, "x" or "-x"."""
    most = int(np.argmax(np.abs(direction)))
    return ("-" if direction[most] < 0.0 else "") + "xyz"[most]


def fits(room: Room, body: str, by: Array) -> bool:
    """Return whether a body has room where it comes by a move ``by`` (3,) of W, m.

    It must be on the floor, or on what it stands on, if it is now, and no deeper in anything than
    it is now; walls are no matter to what goes up or down.
    """
    move = room.X_WG[:3, :3].T @ by
    ground = room.floor.buffer(ROUNDING)
    mine = set(together(room, body))
    passed = {*mine, *(room.walls() if abs(move[2]) > ROUNDING else ())}
    rest = [solid for solid in room.solids if solid.body not in passed]
    for solid in room.solids:
        if solid.body not in mine:
            continue
        after = _shifted(solid, move)
        here, there = solid.outline, after.outline
        if ground.covers(here) and not ground.covers(there):
            return False
        level = abs(move[2]) < ROUNDING
        if level and any(_rests(solid, other) and not _rests(after, other) for other in rest):
            return False
    others = {each.name for each in room.obstacles} - passed
    if all(solid.body != room.floor_body for solid in room.solids):
        others.discard(room.floor_body)
    return not sinks(room, mine, others, move)
