"""How wide the door is, and what is too wide for it however it is turned. Lengths in m."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import shapely
from shapely.geometry.polygon import orient

from articulata.analyses.reach.surroundings.mechanisms import Mechanism, mechanism_of
from articulata.analyses.reach.surroundings.room import Room, Solid
from articulata.errors import WorldError
from articulata.geometry.arrays import Array

NEAR_DOOR: Final = 0.3
"""m. A gap no farther from the door is the doorway."""

BESIDE: Final = 0.001
"""m. So far beyond the floor's edge the way in is measured: walls may end at the edge."""

ALONG: Final = 2.0
"""m. So far beyond both ends of an edge of the floor walls are looked for."""

MARGIN: Final = 0.005
"""m. What needs so much more than there is does not come through."""

LEAF_HIGH: Final = 1.0
"""m. What is lower in a doorway is no leaf."""

BETWEEN: Final = 1.0
"""m. A leaf shuts the way between two areas for bases that are both so near: half a device away."""

ANGLES: Final = 720
"""Directions in which an outline is measured, besides those of its corners and sides."""


def leaves_open(room: Room, bodies: Iterable[str]) -> tuple[Room, tuple[str, ...]]:
    """Return the solids of a room with leaves open, and those of ``bodies`` that are leaves.

    A leaf moves on a hinge; it goes as far as it is free. The room's obstacles and its world stay
    as they are.
    """
    solids, names = room.solids, []
    for body in bodies:
        try:
            thing = mechanism_of(room, body)
        except WorldError:
            continue  # it has no limits, or is joined in another way: it stays where it is
        solids = tuple(_at_the_end(thing, each) for each in solids)
        names.append(body)
    return replace(room, solids=solids), tuple(names)


def leaves_at_the_door(room: Room) -> tuple[str, ...]:
    """Return the bodies on hinges that are high and stand in the door."""
    if room.door is None:
        return ()
    door = shapely.Point(*room.door)
    return _high(room, lambda outline: bool(shapely.dwithin(outline, door, NEAR_DOOR)))


def leaves_between(room: Room, free: Any, cut: Any) -> tuple[str, ...]:
    """Return the bodies on hinges that are high and near to two areas of G's plane."""
    areas = (free, cut)
    return _high(room, lambda o: all(shapely.dwithin(o, each, BETWEEN) for each in areas))


def _high(room: Room, there: Callable[[Any], bool]) -> tuple[str, ...]:
    """Return the bodies on hinges with a part that is high and lies ``there`` by its outline."""
    joined = dict.fromkeys(hinge.body_a for hinge in room.world.hinges.values())
    high = dict.fromkeys(
        solid.body
        for solid in room.solids
        if solid.body in joined
        and solid.outer[:, 2].max() > room.level + LEAF_HIGH
        and there(solid.outline)
    )
    return tuple(body for body in joined if body in high)


def _at_the_end(thing: Mechanism, solid: Solid) -> Solid:
    """Return a solid where it is when a thing has gone as far as it is free."""
    if solid.body not in thing.bodies:
        return solid
    X = thing.moves[thing.last]
    outer, inner = (p @ X[:3, :3].T + X[:3, 3] for p in (solid.outer, solid.inner))
    return replace(solid, outer=outer, inner=inner)


def clear_width(room: Room, walls: Any) -> float:
    """Return how wide the gap between ``walls`` at the door is; infinite where none is there."""
    if room.door is None:
        return np.inf
    door = shapely.Point(*room.door)
    near = [gap for gap in _gaps(room, walls, NEAR_DOOR) if gap.distance(door) < NEAR_DOOR]
    return float(min(near, key=door.distance).length) if near else np.inf


def gap_within(room: Room, walls: Any) -> float:
    """Return how wide the gap between ``walls`` at a door within the floor is; infinite without.

    It is the narrowest that lies across the shortest line between walls through the door, no
    farther from it than ``NEAR_DOOR``.
    """
    assert room.door is not None
    shapely.prepare(walls)
    turns = np.linspace(0.0, np.pi, ANGLES, endpoint=False)
    ways = np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    across = ways[int(np.argmin(_gap_lengths(walls, np.array([room.door]), ways)))]
    ahead = np.array([-across[1], across[0]])
    steps = np.arange(-NEAR_DOOR, NEAR_DOOR + BESIDE, 0.01)
    return float(_gap_lengths(walls, room.door + steps[:, None] * ahead, across[None]).min())


def _gap_lengths(walls: Any, p: Array, ways: Array) -> Array:
    """Return how long lines through points (n, 2) along directions (n, 2) are between walls, (n,).

    One of both may be a single row. It is 0 within them, infinite where none is ``ALONG`` m from
    the point at most.
    """
    lines = shapely.linestrings(np.stack([p - ALONG * ways, p + ALONG * ways], axis=1))
    parts, number = shapely.get_parts(shapely.difference(lines, walls), return_index=True)
    points = np.broadcast_to(shapely.points(p), len(lines))
    held = np.flatnonzero(shapely.distance(parts, points[number]) < 1e-9)[::-1]
    lengths = np.zeros(len(lines))
    lengths[number[held]] = shapely.length(parts[held])  # of two that meet there the first's
    return np.where(lengths < 2.0 * ALONG - 1e-9, lengths, np.inf)


def too_wide(room: Room, walls: Any, corners: Sequence[Array], about: float) -> bool:
    """Return whether a device comes in nowhere within ``about`` m of the door, proved.

    ``corners`` (k, 2) are its parts, ``walls`` what is there at all their heights. Where its base
    crosses an edge of the floor, what it covers of that edge's line lies in one gap of the walls.
    """
    if room.door is None:
        return False
    door = shapely.Point(*room.door)
    if room.floor.boundary.distance(door) > NEAR_DOOR:
        return False  # it is between two rooms of the floor
    widest = max((gap.length for gap in _gaps(room, walls, about)), default=0.0)
    return bool(widest < least_width(corners) - MARGIN)


def least_width(corners: Sequence[Array]) -> float:
    """Return the least length that a line through the base has within any of convex outlines."""
    both = _across(corners)
    return float((both[0] + both[1]).min()) if len(both) else 0.0


def narrowest(corners: Sequence[Array]) -> float:
    """Return how far the rim of any of convex outlines is from the base at least, m."""
    both = _across(corners)
    return float(min(both[0].min(), both[1].min())) * np.cos(np.pi / ANGLES) if len(both) else 0.0


def _across(corners: Sequence[Array]) -> list[Array]:
    """Return how far it is from the base to the farthest rim, by turn, and the other way."""
    own = [each for each in corners if len(each) and _holds_base(each)]
    if not own:
        return []
    sides = np.concatenate([np.roll(each, -1, axis=0) - each for each in own])
    turns = np.concatenate(
        [
            np.linspace(0.0, np.pi, ANGLES, endpoint=False),
            np.arctan2(sides[:, 0], -sides[:, 1]),
            *(np.arctan2(each[:, 1], each[:, 0]) for each in own),
        ]
    )
    return [np.max([_ray(each, turns + half) for each in own], axis=0) for half in (0.0, np.pi)]


def _holds_base(corners: Array) -> bool:
    """Return whether the base, the origin, is within a convex outline or on its rim."""
    return bool(shapely.Polygon(corners).intersects(shapely.Point(0.0, 0.0)))


def _ray(corners: Array, turns: Array) -> Array:
    """Return how far it is from the base to the rim of a convex outline (k, 2), by turn (n,)."""
    start, side = corners, np.roll(corners, -1, axis=0) - corners
    normal = np.column_stack([side[:, 1], -side[:, 0]])
    away = (normal * start).sum(axis=1)
    if away.sum() < 0.0:  # the outline runs clockwise
        normal, away = -normal, -away
    along = normal @ np.stack([np.cos(turns), np.sin(turns)])
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(along > 1e-12, np.maximum(away, 0.0)[:, None] / along, np.inf)
    return np.asarray(far.min(axis=0))


def _gaps(room: Room, walls: Any, about: float) -> Iterator[Any]:
    """Give the gaps between walls along those edges of the floor that are ``about`` the door."""
    assert room.door is not None
    near = shapely.Point(*room.door).buffer(about)
    for part in shapely.get_parts(room.floor):
        whole = orient(part)  # what is beyond an edge is to its right
        for ring in (whole.exterior, *whole.interiors):
            corners = np.asarray(ring.coords)
            for a, b in pairwise(corners):
                size = float(np.linalg.norm(b - a))
                along = (b - a) / max(size, 1e-12)
                shift = BESIDE * np.array([along[1], -along[0]])
                round_corner = 10.0 * BESIDE * along
                edge = shapely.LineString([a + shift - round_corner, b + shift + round_corner])
                edge = edge.intersection(near)
                if edge.is_empty or size == 0.0:
                    continue
                ends = [a + shift - ALONG * along, b + shift + ALONG * along]
                for gap in shapely.get_parts(shapely.LineString(ends).difference(walls)):
                    if shapely.dwithin(gap, edge, 1e-9):
                        yield gap
