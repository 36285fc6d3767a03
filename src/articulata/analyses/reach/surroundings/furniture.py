"""Where furniture that is in the way can go: the nearest free floor to one side of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.surroundings.moved_overlaps import ROUNDING, sinks
from articulata.analyses.reach.surroundings.room import ROOM_HIGH, Room, Solid, room_of
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.records.reach_verdicts import Remedy
from articulata.world.edits.value_edits import Place
from articulata.world.model import World
from articulata.world.text_changes import placing

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
    things = _things(room)
    fixed = {body, *things.built_in}
    if obstacle and obstacle not in fixed and body not in together(room, obstacle):
        return (obstacle,)
    near: dict[str, float] = {}
    place = shapely.Point(*p[:2])
    for number in sorted(things.tree.query(place, "dwithin", NEAR)):
        solid = room.solids[number]
        if solid.body in fixed:
            continue
        away = float(shapely.distance(solid.outline, place))
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
    things = _things(room)
    fixed = {body, *things.built_in}
    away: dict[str, float] = {}
    covers: dict[str, float] = {}
    for solid in room.solids:
        name, outline = solid.body, solid.outline
        if name in fixed or name not in things.on_floor:
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
    things = _things(room)
    if not (things.low(body) and body in things.standing):
        return None
    held = body not in things.on_floor
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
    if _things(room).held(mine):
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
    things, fixed = _things(room), {room.floor_body, *room.walls()} - {body}
    found, open_ = {body: None}, [body]
    for name in open_:
        for other in (*things.joined.get(name, ()), *things.carried.get(name, ())):
            if other not in fixed and other not in found:
                found[other] = None
                open_.append(other)
    return tuple(found)


def in_text(room: Room, remedy: Remedy, world: World) -> str:
    """Return the lines of text that make a change, "" where a line does not tell it.

    ``world`` is as its text places it; what stands elsewhere in the room is left out.
    """
    if remedy.kind == "carry":
        return f"load: {remedy.by:g} kg"
    if remedy.kind in ("remove", "ramp"):
        return f"take '{remedy.what}' out of components, and what places it out of structure"
    x, y, up = room.X_WG[:3, :3].T
    ways = {"lower": -up, "raise": up}
    level = {axis_name(way): way for way in (x, -x, y, -y)}
    way = ways.get(remedy.kind, level.get(remedy.axis))
    if way is None or remedy.kind == "open":
        return ""
    by = tuple((remedy.by * way).tolist())
    at, there = room.world.bodies, world.bodies
    same = (n for n in together(room, remedy.what) if n in there and there[n].pose == at[n].pose)
    lines = (placing(world, name, by) for name in same)
    return "\n".join(filter(None, lines))


class _Things:
    """What a room holds, found once: the solids of each body, and what stands on what.

    ``of_body`` are numbers of solids, ``tree`` holds their outlines. ``rests`` (2, n) are numbers
    of a solid and of one of another body that it lies on; ``standing`` are bodies that stand.
    """

    def __init__(self, room: Room) -> None:
        self.room, self.solids = room, room.solids
        self.of_body: dict[str, list[int]] = {}
        for number, each in enumerate(self.solids):
            self.of_body.setdefault(each.body, []).append(number)
        self.tree = shapely.STRtree([each.outline for each in self.solids])
        foot = np.array([each.inner[:, 2].min(initial=np.inf) for each in self.solids])
        self.top = np.array([each.outer[:, 2].max(initial=-np.inf) for each in self.solids])
        self.on_floor = {
            each.body
            for each, low in zip(self.solids, foot, strict=True)
            if low < room.level + STANDING
        }
        above, below = self.tree.query(self.tree.geometries)
        near = np.abs(foot[above] - self.top[below]) <= RESTING
        bodies = np.array([each.body for each in self.solids])
        near[near] = bodies[above[near]] != bodies[below[near]]
        above, below = above[near], below[near]
        lies = _covered(self.tree.geometries[above], self.tree.geometries[below])
        self.rests = np.stack([above[lies], below[lies]])
        self.standing = self.on_floor | {self.solids[k].body for k in above[lies]}
        self.carried: dict[str, dict[str, None]] = {}
        for upper, lower in sorted(self.rests.T.tolist()):
            if (name := self.solids[upper].body) not in self.on_floor:
                self.carried.setdefault(self.solids[lower].body, {})[name] = None
        self.joined: dict[str, dict[str, None]] = {}
        for hinge in room.world.hinges.values():
            for one, other in ((hinge.body_a, hinge.body_b), (hinge.body_b, hinge.body_a)):
                if other in room.world.bodies:
                    self.joined.setdefault(one, {})[other] = None

    def low(self, body: str) -> bool:
        """Return whether a body is lower than a room."""
        tops = self.top[self.of_body.get(body, [])]
        return len(tops) > 0 and bool(tops.max() < self.room.level + ROOM_HIGH)

    def held(self, bodies: Collection[str]) -> bool:
        """Return whether bodies are joined to any other."""
        return any(other not in bodies for name in bodies for other in self.joined.get(name, ()))

    @cached_property
    def built_in(self) -> frozenset[str]:
        """What stays: the floor, posts as high as a room, what is joined to a wall or to it."""
        fixed = {self.room.floor_body, *self.room.walls()}
        under: dict[str, list[str]] = {}
        for lower, uppers in self.carried.items():
            for upper in uppers:
                under.setdefault(upper, []).append(lower)
        # what holds one holds what it is joined to, and what it stands on
        held = [name for name, others in self.joined.items() if fixed & others.keys()]
        found = {name for name in held if name not in fixed}
        held = list(found)
        for name in held:
            for other in (*self.joined.get(name, ()), *under.get(name, ())):
                if other not in fixed and other not in found:
                    found.add(other)
                    held.append(other)
        posts = {name for name in self.on_floor if not self.low(name)}
        return frozenset({*fixed, *posts, *found})


_things = lru_cache(maxsize=4)(_Things)


def standing_on(room: Room, body: str) -> Iterable[str]:
    """Return the bodies that stand on one: most of a foot of theirs lies on a face of it."""
    return _things(room).carried.get(body, {})


def stands(room: Room, body: str) -> bool:
    """Return whether a body stands, on the floor or on another body."""
    return body in _things(room).standing


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
    things, move = _things(room), room.X_WG[:3, :3].T @ by
    found: set[str] = set()
    for mine in things.of_body.get(body, ()):
        own = _shifted(room.solids[mine], move)
        for number in things.tree.query(own.outline, "dwithin", RESTING):
            other = room.solids[number]
            if other.body in others and _touch(own, other):
                found.add(other.body)
    return found


def _touch(a: Solid, b: Solid) -> bool:
    """Return whether two solids are side by side, no farther apart than what rests."""
    high = min(a.outer[:, 2].max(), b.outer[:, 2].max())
    low = max(a.outer[:, 2].min(), b.outer[:, 2].min())
    return bool(high > low and shapely.distance(a.outline, b.outline) < RESTING)


def _shifted(solid: Solid, move: Array) -> Solid:
    """Return a solid moved by (3,) m of G."""
    return replace(solid, outer=solid.outer + move, inner=solid.inner + move)


def _covered(above: Any, below: Any) -> Any:
    """Return which outlines ``above`` (n,) lie with most of them over those ``below`` (n,)."""
    return shapely.area(shapely.intersection(above, below)) > 0.5 * shapely.area(above)


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
    level = abs(move[2]) < ROUNDING
    things = _things(room)
    for number in (number for name in mine for number in things.of_body.get(name, ())):
        here = room.solids[number].outline
        there = _shifted(room.solids[number], move).outline
        if ground.covers(here) and not ground.covers(there):
            return False
        below = [room.solids[k] for k in things.rests[1, things.rests[0] == number]]
        if level and not all(
            _covered(there, other.outline) for other in below if other.body not in passed
        ):
            return False
    others = {each.name for each in room.obstacles} - passed
    if all(solid.body != room.floor_body for solid in room.solids):
        others.discard(room.floor_body)
    return not sinks(room, mine, others, move)
