"""Where a base may stand: the floor less what stands on it, turn by turn, and the way there.

The base area is the floor's polygon less the Minkowski sums of obstacles and the device's mirrored
outline. ``free`` holds what is free for certain, ``possible`` at least all that is free at any turn
of an orientation's interval: what is not possible is proved to be out of the question. Who stands
on her feet comes by a wide way, and where she stands takes room in layers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import shapely

from articulata.analyses.reach.surroundings.room import Room
from articulata.analyses.reach.ways.base_areas import (
    GRID,
    Layers,
    about_the_way,
    base_area,
    blocks_of,
    eroded,
    joined,
    orientations,
    rings_of,
    shrunk,
    slice_of,
    solid,
    swept,
    touching,
)
from articulata.analyses.reach.ways.device_parts import CLEAR, TURNS, DevicePart
from articulata.analyses.reach.ways.doorways import (
    MARGIN,
    leaves_at_the_door,
    leaves_between,
    leaves_open,
    narrowest,
    too_wide,
)
from articulata.analyses.reach.ways.footprints import Footprint
from articulata.analyses.reach.ways.stances import STEP
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.lanes.host import spread

ByteArray: TypeAlias = npt.NDArray[np.int8]

CELL = 0.04
"""m. Edge of the cells in which a base is looked up."""

HALL = 1.5
"""m. Radius of the floor beyond the door, where the way in begins."""

ROOMY = 0.25
"""m2. For less floor to stand on no leaf within the room is opened."""

HALL_CORNERS = 6
"""Corners of a quarter of it."""

DEEP = 0.3
"""m. Farther within the floor a door is one between two rooms of it: a wall is thinner."""

PASSED = 1.9
"""m. What hangs higher parts no two sides of a door."""

OUTSIDE, EDGE, INSIDE = 0, 1, 2
"""What a cell of a raster is: beyond the area, on its edge, within it."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Base areas in G's plane.

    ``turns`` (n,) rad; ``free`` and ``possible`` are areas by turn (one for all of what is round).
    ``raster`` (n, rows, columns) says of each cell what it is, from ``corner`` on.
    ``sides`` (m, 4) are those of the free areas, once for each row of cells that they pass through:
    those of row j at turn k are ``rows[i] : rows[i + 1]``, i being k times the rows, and j.
    ``reached`` is whether there is a way from the door; True where no door is known. It begins
    beyond the floor, and at both sides of a door that is within the floor. ``cut`` is the
    floor on which the base could stand, but to which no way was found; ``anywhere`` and
    ``all_free`` are what is possible and free at some turn. Leaves that shut the door
    count as open: they are ``opened``. So are leaves within the room, which ``parted`` its floor;
    others are ``stuck``: they shut a way and do not open far enough.
    """

    turns: Array
    free: tuple[Any, ...]
    possible: tuple[Any, ...]
    corner: Array
    raster: ByteArray
    sides: Array
    rows: IntArray
    reached: bool
    cut: Any
    anywhere: Any
    all_free: Any
    opened: tuple[str, ...] = ()
    parted: tuple[str, ...] = ()
    stuck: tuple[str, ...] = ()

    @property
    def shut(self) -> bool:
        """Whether there is room to stand, but no way to any of it was found."""
        return self.cut.area > 0.0 and all(area.is_empty for area in self.free)

    @property
    def empty(self) -> bool:
        """Whether the base can stand nowhere, proved."""
        return bool(shapely.is_empty(self.anywhere))

    def of_turn(self, turn: float) -> Any:
        """Return the free area of the orientation nearest to ``turn`` rad."""
        away = np.abs(np.angle(np.exp(1j * (self.turns - turn))))
        return self.free[int(away.argmin()) % len(self.free)]


def places_of(room: Room, footprint: Footprint, hips: float) -> Places:
    """Return where the base of a person with a way to move may stand.

    Where a leaf on a hinge shuts the door people open it: it stands at the end of its way then.
    So do leaves within the room that shut the way to a good part of its floor.
    """
    leaves = leaves_at_the_door(room)
    found = None
    if not leaves or not _sealed(room, footprint, hips):
        found = _places(room, footprint, hips)
        if room.door is None:
            return found
        if not (found.shut or found.empty):
            return _through(room, footprint, hips, found)
    opened, names = leaves_open(room, leaves)
    if not names:
        return found or _places(room, footprint, hips)
    # it may stand anywhere on its way: what is proved is proved without it
    without = _places(_rid_of(room, names), footprint, hips)
    if without.shut or without.empty:  # something else shuts the way
        found = found or _places(room, footprint, hips)
        return replace(found, possible=without.possible, anywhere=without.anywhere)
    again = _places(opened, footprint, hips)
    again = replace(again, possible=without.possible, anywhere=without.anywhere, opened=names)
    return again if again.shut or again.empty else _through(opened, footprint, hips, again)


def _sealed(room: Room, footprint: Footprint, hips: float) -> bool:
    """Return whether what is as high as a device parts the floor from beyond the door, proved.

    The base keeps so far off it as the device reaches on its narrowest side. False where that is
    not so, or is not looked at; then places tell.
    """
    device = _device(room, footprint, hips)
    near = narrowest(device.corners) - MARGIN
    if room.door is None or within_floor(room) or near <= 0.0:
        return False
    hall = shapely.Point(*room.door).buffer(HALL, quad_segs=HALL_CORNERS)
    walls = walls_at(room, device.parts).buffer(near, quad_segs=HALL_CORNERS)
    beyond = hall.difference(room.floor)
    left = shapely.get_parts(room.floor.union(hall).difference(walls))
    return not any(each.intersects(room.floor) and each.intersects(beyond) for each in left)


def _through(room: Room, footprint: Footprint, hips: float, found: Places) -> Places:
    """Return places with those behind leaves that part them from floor which is ``cut`` off.

    A leaf is opened to come in and may be shut behind: both is free.
    """
    if found.cut.area < ROOMY:
        return found
    for name in leaves_between(room, found.all_free, found.cut):
        opened, names = leaves_open(room, (name,))
        if not names or name in (*found.opened, *found.parted):
            continue
        parted = (*found.parted, name)
        # nothing is proved by it, however far it goes
        without = _places(_rid_of(room, (*found.opened, *parted)), footprint, hips)
        if without.all_free.intersection(found.cut).area < ROOMY:
            continue
        found = replace(found, possible=without.possible, anywhere=without.anywhere)
        again = _places(opened, footprint, hips)
        if again.all_free.intersection(found.cut).area >= ROOMY:
            free = [shapely.union(*each) for each in zip(found.free, again.free, strict=True)]
            both = _made(room, free, found.possible, True, found.cut)
            both = replace(both, opened=found.opened, parted=parted)
            return _through(opened, footprint, hips, both)
        found = replace(found, stuck=(*found.stuck, name))
    return found


def _rid_of(room: Room, names: Sequence[str]) -> Room:
    return replace(room, solids=tuple(each for each in room.solids if each.body not in names))


@dataclass(frozen=True, slots=True, eq=False)
class _Device:
    """The parts of what a person moves with, and their outlines.

    ``corners`` are the outlines as they are; ``tight`` lie within them at every turn of an
    orientation's interval, ``wide`` about them.
    """

    parts: list[DevicePart]
    corners: list[Array]
    tight: list[Array]
    wide: list[Array]
    turns: Array


def _device(room: Room, footprint: Footprint, hips: float) -> _Device:
    parts = list(footprint.parts(hips))
    corners = [part.corners for part in parts]
    turns = orientations(room)
    if not footprint.turns:
        return _Device(parts, corners, [shrunk(each) for each in corners], corners, turns[:1])
    half = np.pi / TURNS
    tight = [eroded(each, half) for each in corners]
    return _Device(parts, corners, tight, [swept(each, half) for each in corners], turns)


def _places(room: Room, footprint: Footprint, hips: float) -> Places:
    """Return where the base may stand with everything where it is."""
    device = _device(room, footprint, hips)
    ground = room.floor
    if room.door is not None:
        ground = ground.union(shapely.Point(*room.door).buffer(HALL, quad_segs=HALL_CORNERS))
    free, possible, turning = _areas(room, ground, device)
    reached = True
    before = shapely.union_all(free).intersection(room.floor)
    if room.door is not None:
        free, possible, reached = _entered(
            room, ground, device, footprint.step, free, possible, turning
        )
    free, possible = _stood(room, ground, footprint, hips, free, possible)
    free = [solid(area.intersection(room.floor)) for area in free]
    possible = [solid(area.intersection(room.floor)) for area in possible]
    return _made(room, free, possible, reached, before)


def _stood(
    room: Room,
    ground: Any,
    footprint: Footprint,
    hips: float,
    free: list[Any],
    possible: list[Any],
) -> tuple[list[Any], list[Any]]:
    """Return the areas where somebody stands beside ways that are ``free`` and ``possible``."""
    limbs = footprint.limbs(hips)
    if not limbs:
        return free, possible
    if room.door is not None and possible[0].is_empty:
        return possible, possible
    stands = list(Layers(room, ground, outer=True).standing(limbs))
    maybe = Layers(room, ground, outer=False).all_of(footprint.core(hips))
    if room.door is None:
        return stands, list(maybe)
    low, over = footprint.step + GRID, STEP * hips
    near = about_the_way(room, free[0], low, hips, over, outer=True)
    stands = touching([area.intersection(near) for area in stands], free[0])
    near = about_the_way(room, possible[0], low, hips, over, outer=False)
    return stands, list(shapely.intersection(maybe, near))


def _made(
    room: Room, free: list[Any], possible: Sequence[Any], reached: bool, before: Any
) -> Places:
    """Return places from their areas by turn; ``before`` is what is free if there is a way."""
    everywhere = shapely.union_all(free)
    raster, corner = _raster(room, free)
    sides, rows = _sides(free, corner[1], raster.shape[1])
    return Places(
        orientations(room),
        tuple(free),
        tuple(possible),
        corner,
        raster,
        sides,
        rows,
        reached,
        before.difference(everywhere),
        shapely.union_all(possible),
        everywhere,
    )


def _areas(room: Room, ground: Any, device: _Device) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the areas of ``ground`` by turn: free, possible, and free for a turn to the next."""
    outer = [blocks_of(room, part.low, part.high, outer=True) for part in device.parts]
    inner = [blocks_of(room, part.low, part.high, outer=False) for part in device.parts]
    half = np.pi / TURNS
    jobs: list[tuple[list[list[Array]], list[Array], float]] = []
    for blocks, outlines, shift in (
        (outer, device.corners, 0.0),
        (inner, device.tight, 0.0),
        (outer, device.wide, half),
    ):
        jobs += [(blocks, outlines, turn + shift) for turn in device.turns]
    areas: list[Any] = [None] * len(jobs)

    def work(begin: int, end: int) -> None:
        for k in range(begin, end):
            areas[k] = base_area(ground, *jobs[k])

    spread(work, len(jobs), grain=1)
    count = len(device.turns)
    return areas[:count], areas[count : 2 * count], areas[2 * count :]


def _entered(
    room: Room,
    ground: Any,
    device: _Device,
    step: float,
    free: list[Any],
    possible: list[Any],
    turning: list[Any],
) -> tuple[list[Any], list[Any], bool]:
    """Return what of the free and the possible areas there is a way to from the door.

    ``step`` (m) is how high a person steps. Return too whether there is a way to any of it.
    """
    assert room.door is not None
    door, corners = room.door, device.corners
    beyond = ground.difference(room.floor)
    near = far = beyond
    if within_floor(room):
        longest = max(np.linalg.norm(each, axis=1).max() for each in corners if len(each))
        near, far = _sides_of_door(room, min(longest + DEEP, HALL)), _sides_of_door(room, HALL)
    entered, reached = _connected(free, turning, near, beyond, door)
    maybe_entered, maybe = _connected(possible, None, far, beyond, door)
    if step > CLEAR:

        def over(outlines: list[Array], begin: Any, outer: bool) -> list[Any]:
            low = step + GRID
            blocks = [blocks_of(room, low, part.high, outer=outer) for part in device.parts]
            ways = [base_area(ground, blocks, outlines, turn) for turn in device.turns]
            return _connected(ways, None, begin, beyond, door)[0]

        entered = _stepped(free, entered, lambda: over(corners, near, True))
        maybe_entered = _stepped(possible, maybe_entered, lambda: over(device.tight, far, False))
        maybe = any(not area.difference(beyond).is_empty for area in maybe_entered)
    if too_wide(room, walls_at(room, device.parts), corners, HALL):
        maybe_entered, maybe = [shapely.Polygon()] * len(device.turns), False
    return entered, maybe_entered, reached or maybe


def free_of(room: Room, footprint: Footprint, turns: Array) -> tuple[Any, ...]:
    """Return the areas of the floor where a base may stand turned by each of ``turns`` (n,) rad.

    No way from the door is asked for.
    """
    parts = footprint.parts(0.0)
    outer = [_kept_blocks(room, part.low, part.high) for part in parts]
    corners = [part.corners for part in parts]
    return tuple(base_area(room.floor, outer, corners, turn) for turn in turns)


@lru_cache(maxsize=64)
def _kept_blocks(room: Room, low: float, high: float) -> list[Array]:
    """Return the outlines about solids between two heights, kept for other turns."""
    return blocks_of(room, low, high, outer=True)


def walls_at(room: Room, parts: Sequence[DevicePart]) -> Any:
    """Return the floor's plane where something stands at every height of a device's parts."""
    low = room.level + min(part.low for part in parts)
    high = room.level + max(part.high for part in parts)
    return joined(
        [
            slice_of(each.inner, low, low).intersection(slice_of(each.inner, high, high))
            for each in room.solids
            if len(each.inner) and each.inner[:, 2].max() >= high
        ]
    )


# ---- the way from the door


def within_floor(room: Room) -> bool:
    """Return whether the door is one between two rooms of the same floor."""
    if room.door is None:
        return False
    door = shapely.Point(*room.door)
    return bool(room.floor.contains(door) and room.floor.boundary.distance(door) > DEEP)


def _sides_of_door(room: Room, radius: float) -> Any:
    """Return the floor at both sides of a door within it, as far as ``radius``, m.

    What lies about the door but behind a wall, as a closet, is left out.
    """
    assert room.door is not None
    door = shapely.Point(*room.door)
    blocks = [shapely.Polygon(each) for each in blocks_of(room, CLEAR, PASSED, outer=True)]
    about = room.floor.intersection(door.buffer(radius, quad_segs=HALL_CORNERS)).difference(
        joined(blocks)
    )
    parts = shapely.get_parts(about)
    near = [part for part in parts if part.distance(door) < DEEP]
    return shapely.union_all(near or parts)


def _connected(
    areas: list[Any], turning: list[Any] | None, begin: Any, beyond: Any, door: Array
) -> tuple[list[Any], bool]:
    """Return the parts of the areas to which there is a way from ``begin``, where people come in.

    Return too whether any of it is not ``beyond`` the floor. A step is a turn to the next
    orientation where the device may stand while it turns: in ``turning``, or anywhere (None) where
    a way is only not to be ruled out.
    """
    parts = [[p for p in shapely.get_parts(a) if p.area > 0.0] for a in areas]
    if not len(areas):
        return areas, False
    mark = shapely.Point(*door)
    open_now = [
        (k, i)
        for k, each in enumerate(parts)
        for i, part in enumerate(each)
        if part.intersects(begin) and part.intersection(begin).distance(mark) < HALL
    ]
    seen = set(open_now)
    count = len(parts)
    while open_now:
        k, i = open_now.pop()
        if count == 1:
            continue
        for other, between in (((k + 1) % count, k), ((k - 1) % count, (k - 1) % count)):
            for j, part in enumerate(parts[other]):
                if (other, j) in seen:
                    continue
                shared = parts[k][i].intersection(part)
                if turning is not None:
                    shared = shared.intersection(turning[between])
                if not shared.is_empty:
                    seen.add((other, j))
                    open_now.append((other, j))
    kept = [
        shapely.union_all([part for i, part in enumerate(each) if (k, i) in seen])
        for k, each in enumerate(parts)
    ]
    inside = any(not area.difference(beyond).is_empty for area in kept)
    return kept, inside


def _stepped(areas: list[Any], kept: list[Any], over: Callable[[], list[Any]]) -> list[Any]:
    """Return the parts of the areas that lie on the ways ``over`` what is lower than a step.

    ``kept`` are those to which there is a way around it: where these are all, no other is sought.
    """
    if all(here.area > area.area - GRID for area, here in zip(areas, kept, strict=True)):
        return kept
    found = []
    for area, way in zip(areas, over(), strict=True):
        parts = [part for part in shapely.get_parts(area) if part.area > 0.0]
        found.append(shapely.union_all([p for p in parts if way.covers(p.representative_point())]))
    return found


# ---- cells


def _raster(room: Room, areas: list[Any]) -> tuple[ByteArray, Array]:
    low_x, low_y, high_x, high_y = room.floor.bounds
    x = np.arange(low_x, high_x + CELL, CELL) + 0.5 * CELL
    y = np.arange(low_y, high_y + CELL, CELL) + 0.5 * CELL
    X, Y = np.meshgrid(x, y)
    raster = np.zeros((len(areas), *X.shape), np.int8)
    reach = 0.5 * np.sqrt(2.0) * CELL + 1e-9
    for k, area in enumerate(areas):
        if area.is_empty:
            continue
        near, deep = area.buffer(reach), area.buffer(-reach)
        for shape in (near, deep):
            shapely.prepare(shape)
        raster[k] += shapely.contains_xy(near, X, Y)
        raster[k] += shapely.contains_xy(deep, X, Y)
    return raster, np.array([low_x, low_y])


def _sides(areas: list[Any], low: float, count: int) -> tuple[Array, IntArray]:
    """Return the sides of areas by row of cells, of which there are ``count`` from ``low`` on."""
    found, keys = [np.empty((0, 4))], [np.empty(0, np.int64)]
    for k, area in enumerate(areas):
        for ring in rings_of(area):
            side = np.concatenate([ring[:-1], ring[1:]], axis=1)
            at = (np.sort(side[:, 1::2], axis=1) - low) / CELL + (-1e-6, 1e-6)
            first, last = np.clip(np.floor(at).astype(np.int64), 0, count - 1).T
            times = last - first + 1
            row = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times - first, times)
            found.append(np.repeat(side, times, axis=0))
            keys.append(k * count + row)
    key = np.concatenate(keys)
    order = np.argsort(key, kind="stable")
    rows = np.searchsorted(key[order], np.arange(len(areas) * count + 1))
    return np.ascontiguousarray(np.concatenate(found)[order]), rows
