"""Walls of a drawn room with the doors and windows in them: read from a text, and written.

A wall with openings is a row of pieces along it, each a component: wall, door, wall, window, wall.
It goes from one corner to the next; left and right are seen from the room. Lengths in m.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import shapely

from articulata.errors import WorldError
from articulata.sessions.reach.plan_texts import at, entry_of, length, placed, sizes_of
from articulata.world.document import Document
from articulata.world.model import World
from articulata.world.writing.room_texts import Written

FLOOR: Final = "room_floor"
WALL, DOOR_WALL, DOORWAY = "wall", "wall_with_door", "doorway"
DOOR, WINDOW = "door", "window"
LEAVES: Final = {"left": "left_leaf", "right": "right_leaf"}
"""Leaves by the side of their hinge, seen from where they open to."""
BUILT: Final = (WALL, DOOR_WALL, DOORWAY, DOOR, WINDOW, *LEAVES.values())

CORNERS: Final = 100
FAR: Final = 100.0
"""m that a corner is from the origin at most."""
SHORTEST: Final = 0.1
"""m of the shortest wall."""
SMALLEST: Final = 0.5
"""m2 of the smallest room."""
WIDTHS: Final = {DOOR: (0.5, 2.0), WINDOW: (0.2, 6.0)}
"""m, how wide openings are."""
LOWEST: Final = 0.2
"""m of the lowest window."""
JAMB: Final = 0.02
"""m of wall at least on either side of an opening."""
HIGH: Final = 2.5
"""m, how high a wall is where nothing is said."""
MEET: Final = 0.01
"""m. Pieces of a wall meet whose ends are no farther apart."""
OTHER_SIDE: Final = {"left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class Opening:
    """A door or a window in the wall from corner ``edge`` on, ``at`` m from that corner.

    ``sill`` and ``high`` are of windows. A door has a leaf where ``hinge`` is "left" or "right",
    which opens "in" or "out".
    """

    name: str
    kind: str
    edge: int
    at: float
    wide: float
    sill: float = 0.9
    high: float = 1.2
    hinge: str = ""
    swing: str = "in"

    @property
    def leaf(self) -> str:
        """The name of a door's leaf."""
        return f"{self.name}_leaf"

    @property
    def handle(self) -> str:
        """The path of what a hand in the room takes hold of, "" where there is none."""
        if self.kind == WINDOW:
            return f"{self.name}.handle"
        if not self.hinge:
            return ""
        return f"{self.leaf}.{'handle' if self.swing == 'in' else 'far_handle'}"


def opening_of(said: Mapping[str, Any], name: str) -> Opening:
    """Return an opening that a page speaks of; WorldError where it is none."""
    kind = str(said["kind"])
    if kind not in WIDTHS:
        raise WorldError(f"in a wall are doors and windows, not '{kind}'")
    hinge, swing = str(said.get("hinge", "")), str(said.get("swing", "in"))
    if hinge not in ("", *LEAVES) or swing not in ("in", "out"):
        raise WorldError("a leaf is hinged left or right, and opens in or out")
    lengths = {each: float(said[each]) for each in ("at", "wide", "sill", "high") if each in said}
    if not all(abs(each) < FAR for each in lengths.values()):
        raise WorldError(f"lengths in a wall are below {FAR:g} m")
    return Opening(name, kind, int(said["edge"]), hinge=hinge, swing=swing, **lengths)


# ---- written


def floor_text(corners: Sequence[tuple[float, float]]) -> str:
    """Return the primitive of a floor."""
    told = " ".join(f"({length(x)} {length(z)})" for x, z in corners)
    return (
        f"primitive {FLOOR} {{\n  properties: (fixed, color: gray)\n"
        f"  geometry: extruded(({told}), 10 cm) turned 90 deg about x\n}}"
    )


def checked_corners(corners: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of a room in the order of its walls; WorldError where it is none."""
    if not 3 <= len(corners) <= CORNERS:
        raise WorldError(f"a room has 3 to {CORNERS} corners, not {len(corners)}")
    if not all(abs(each) < FAR for corner in corners for each in corner):
        raise WorldError(f"corners lie within {FAR:g} m of the origin")
    sides = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    for number, (a, b) in enumerate(sides):
        if math.dist(a, b) < SHORTEST:
            raise WorldError(
                f"wall {number + 1} would be {100 * math.dist(a, b):.0f} cm long; a wall is "
                f"{100 * SHORTEST:g} cm long at least"
            )
    outline = shapely.Polygon(corners)
    if not outline.is_valid:
        raise WorldError("walls would cross each other; move the corner elsewhere")
    if outline.area < SMALLEST:
        raise WorldError(f"a room of {outline.area:.2f} m² is too small; {SMALLEST} m² at least")
    turns = sum(a[0] * b[1] - a[1] * b[0] for a, b in sides)
    return list(corners) if turns > 0.0 else [corners[0], *reversed(corners[1:])]


def walls(
    corners: Sequence[tuple[float, float]],
    openings: Sequence[Opening],
    before: Sequence[str],
    high: float = HIGH,
) -> dict[str, Written | None]:
    """Return how walls and openings are written; those of ``before`` that are no more are None."""
    said: dict[str, Written | None] = dict.fromkeys(before)
    for number, (a, b) in enumerate(zip(corners, [*corners[1:], corners[0]], strict=True)):
        long = math.dist(a, b)
        way = ((b[0] - a[0]) / long, (b[1] - a[1]) / long)
        turn = math.degrees(math.atan2(-way[1], way[0]))

        def spot(
            along: float,
            out: float = 0.0,
            a: tuple[float, float] = a,
            way: tuple[float, float] = way,
        ) -> tuple[float, float]:
            return a[0] + along * way[0] + out * way[1], a[1] + along * way[1] - out * way[0]

        done = 0.0
        mine = _in_order([each for each in openings if each.edge == number], long)
        for piece, each in enumerate([*mine, None]):
            name = f"wall_{number + 1}" + (f"_{piece + 1}" if piece else "")
            made = f"{WALL}({length((each.at if each else long) - done)}{_high(high, 'high')})"
            said[name] = Written(made, f"place {name} by {name}.foot {at(*spot(done), turn)}")
            if each is not None:
                said |= _opening(each, spot, turn, high)
                done = each.at + each.wide
    return said


def _high(high: float, name: str) -> str:
    return "" if abs(high - HIGH) < 1e-9 else f", {name}: {length(high)}"


def _opening(
    each: Opening, spot: Callable[..., tuple[float, float]], turn: float, high: float
) -> Iterator[tuple[str, Written]]:
    """Yield how a door with its leaf, or a window, is written."""
    name, middle = each.name, each.at + 0.5 * each.wide
    place = f"place {name} by {name}.foot {at(*spot(middle), turn)}"
    more = _high(high, "wall_high")
    if each.kind == WINDOW:
        if each.sill < 0.0 or each.high < LOWEST or each.sill + each.high > high - JAMB + 1e-9:
            raise WorldError(
                f"a window is {100 * LOWEST:g} cm high at least, and sill and window together "
                f"lower than the wall of {length(high)}, not {length(each.sill + each.high)}"
            )
        sizes = f"{length(each.wide)}, sill: {length(each.sill)}, high: {length(each.high)}"
        yield name, Written(f"{WINDOW}({sizes}{more})", place)
        return
    yield name, Written(f"{DOOR}({length(each.wide)}{more})", place)
    if not each.hinge:
        return
    out = each.swing == "out"
    side = OTHER_SIDE[each.hinge] if out else each.hinge
    end = each.at if each.hinge == "left" else each.at + each.wide
    corner = spot(end, THICK if out else 0.0)
    meets = f"outer_{each.hinge}" if out else each.hinge
    limits = "(-90 deg, 0)" if side == "left" else "(0, 90 deg)"
    yield (
        each.leaf,
        Written(
            f"{LEAVES[side]}({length(each.wide)})",
            f"place {each.leaf} by {each.leaf}.hinge {at(*corner, turn + 180.0 * out)}",
            f"join {each.leaf} to {name} with pin(axis: y) as {name}_hinge "
            f"matching (hinge, {meets}) limits {limits}",
        ),
    )


def _in_order(openings: Sequence[Opening], long: float) -> list[Opening]:
    """Return the openings of a wall from its left end on, moved apart where they would meet."""
    for each in openings:
        least, most = WIDTHS[each.kind]
        if not least - 1e-9 <= each.wide <= most + 1e-9:
            raise WorldError(
                f"a {each.kind} is {100 * least:g} to {100 * most:g} cm wide, not "
                f"{100 * each.wide:.0f} cm"
            )
    if openings and sum(each.wide for each in openings) + JAMB * (len(openings) + 1) > long + 1e-9:
        what = " and ".join(f"a {each.kind} of {100 * each.wide:.0f} cm" for each in openings)
        go = "does not go" if len(openings) == 1 else "do not go together"
        raise WorldError(f"{what} {go} into a wall of {length(long)}")
    ordered, free = [], JAMB
    for each in sorted(openings, key=lambda each: each.at + 0.5 * each.wide):
        ordered.append(replace(each, at=max(each.at, free)))
        free = ordered[-1].at + each.wide + JAMB
    free = long - JAMB
    for number in reversed(range(len(ordered))):
        each = ordered[number]
        ordered[number] = replace(each, at=round(min(each.at, free - each.wide), 4))
        free = ordered[number].at - JAMB
    return ordered


# ---- read


@dataclass(frozen=True, slots=True)
class _Piece:
    name: str
    kind: str
    start: tuple[float, float]
    end: tuple[float, float]
    turn: float
    sizes: Mapping[str, float]

    @property
    def solid(self) -> bool:
        return self.kind in (WALL, DOOR_WALL)


@dataclass(frozen=True, slots=True)
class DrawnWalls:
    """The corners of a room that was drawn, none where it was not; openings; height of walls."""

    corners: tuple[tuple[float, float], ...] = ()
    openings: tuple[Opening, ...] = ()
    high: float = HIGH


def built_of(document: Document, world: World) -> list[str]:
    """Return the walls, doors and windows that were drawn, by their names."""
    item = document.module.worlds[world.name]
    return [
        each.name
        for entry in item.components
        for each in entry.names
        if entry.type.text in BUILT and each.range is None
    ]


def drawn_walls(document: Document, world: World) -> DrawnWalls:
    """Return the walls of a room that was drawn; none where they do not close a room."""
    built = built_of(document, world)
    pieces = [_piece(document, world, n) for n in built if world.bodies[n].type in _LONG]
    first = next(
        (
            p
            for p in pieces
            if p.solid and not any(not q.solid and _meet(q.end, p.start) for q in pieces)
        ),
        None,
    )
    if first is None:
        return DrawnWalls()
    corners, openings, piece, left = [first.start], [], first, list(pieces)
    legacy = iter([name for name in built if world.bodies[name].type == DOORWAY])
    while piece in left:
        left.remove(piece)
        edge = len(corners) - 1
        if piece.kind == DOOR_WALL:
            start = math.dist(corners[-1], piece.start) + piece.sizes["door_at"]
            name = next(legacy, DOOR)
            openings.append(Opening(name, DOOR, edge, start, piece.sizes["door_wide"]))
        elif not piece.solid:
            openings.append(_read(world, piece, edge, math.dist(corners[-1], piece.start)))
        follows = next((each for each in pieces if _meet(piece.end, each.start)), None)
        if follows is None:
            return DrawnWalls()
        if piece.solid and follows.solid and follows is not first:
            corners.append(follows.start)
        piece = follows
    if left or len(corners) < 3:
        return DrawnWalls()
    return DrawnWalls(tuple(corners), tuple(openings), first.sizes.get("high", HIGH))


_LONG: Final = {WALL: "long", DOOR_WALL: "long", DOOR: "wide", WINDOW: "wide"}
"""What says how long a piece of a wall is."""
THICK: Final = 0.1
"""m, how thick a wall is."""


def _piece(document: Document, world: World, name: str) -> _Piece:
    kind = world.bodies[name].type
    sizes = {
        each["name"]: each["value"]
        for each in sizes_of(document, entry_of(document, world.name, name), kind)
    }
    x, _, z, turn = placed(world.bodies[name], "foot")
    way = (math.cos(math.radians(turn)), -math.sin(math.radians(turn)))
    long = sizes[_LONG[kind]]
    low = 0.0 if kind in (WALL, DOOR_WALL) else -0.5 * long
    start, end = ((x + s * way[0], z + s * way[1]) for s in (low, low + long))
    start = (round(start[0], 4), round(start[1], 4))
    return _Piece(name, kind, start, end, turn, sizes)


def _meet(p: tuple[float, float], q: tuple[float, float]) -> bool:
    return math.dist(p, q) < MEET


def _read(world: World, piece: _Piece, edge: int, start: float) -> Opening:
    """Return a door, with its leaf, or a window as an opening."""
    sizes = piece.sizes
    start = round(start, 4)
    if piece.kind == WINDOW:
        return Opening(piece.name, WINDOW, edge, start, sizes["wide"], sizes["sill"], sizes["high"])
    door = Opening(piece.name, DOOR, edge, start, sizes["wide"])
    leaf = world.bodies.get(door.leaf)
    side = next((s for s, kind in LEAVES.items() if leaf is not None and leaf.type == kind), "")
    if leaf is None or not side:
        return door
    turn = placed(leaf, "hinge")[3] - piece.turn
    out = math.cos(math.radians(turn)) < 0.0
    return replace(door, hinge=OTHER_SIDE[side] if out else side, swing="out" if out else "in")
