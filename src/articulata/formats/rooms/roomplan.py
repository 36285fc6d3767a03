"""Rooms that phones measure (Apple RoomPlan): walls, doors, windows and furniture as bodies.

A ``CapturedRoom`` or ``CapturedStructure`` as Swift's JSONEncoder writes it (Apple's RoomPlan
documentation): ``dimensions`` are width, height and depth in m about the centre, ``transform`` is
4 x 4 by columns, y is up, ``polygonCorners`` are in the surface's own frame. Here z is up and the
lowest floor is at z = 0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from articulata.errors import FormatError
from articulata.formats.rooms.raised_outlines import (
    SLAB,
    THICK,
    box,
    empty_room,
    polygons,
    prisms,
    raise_outlines,
    simple_polygons,
    stand,
)
from articulata.formats.scenes.foreign_scene import Scene
from articulata.formats.scenes.scene_motion import rigid
from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose

LARGEST: Final = 32 << 20
"""Bytes of a file that are read; a measured flat has less than a tenth."""
MOST_THINGS: Final = 2_000
MOST_CORNERS: Final = 200
"""Surfaces and furniture of a file, corners of a surface, beyond which it is no measured room."""
LONGEST: Final = 100.0
"""m, the largest measure of a thing; what lies 100 times as far away is damage."""
RIGID: Final = 0.01
"""How far a transform may be off a turn: phones write single precision."""
SILL: Final = 0.15
"""m above its wall's lower edge from which a door is cut down to it."""
BESIDE: Final = 0.3
"""m from a wall within which a door without a ``parentIdentifier`` is cut out of it."""
STOREY: Final = 0.5
"""m above the lowest floor within which floors are one: steps within a storey are lower."""
GAP: Final = 0.1
"""m, half the gap between walls that is closed where the floor's outline is not told."""
THIN: Final = 0.01
"""m, the least measure of a body."""
KINDS: Final = ("walls", "floors", "doors", "windows", "openings", "objects")
UP: Final = make_pose(np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]), np.zeros(3))
"""Turns y up into z up."""


@dataclass(slots=True, eq=False)
class Thing:
    """A surface or a piece of furniture S: X_WS with z of W up, ``size`` (x, y, z of S) in m.

    ``corners`` (n, 3) in S go around a surface.
    """

    kind: str
    category: str
    X_WS: Array
    size: Array
    corners: Array
    key: str
    parent: str
    curved: bool

    def outline(self, X_OW: Array) -> Polygon:
        """Return the outline over x and y of another frame O."""
        X_OS = X_OW @ self.X_WS
        area = Polygon((self.corners @ X_OS[:3, :3].T + X_OS[:3, 3])[:, :2])
        return area if area.is_valid else area.convex_hull


def read_scene(path: Path) -> Scene:
    """Return the scene of a measured room; FormatError says why one cannot be read."""
    scene = empty_room(path)
    return stand_room(path, scene, _things(path, scene))


def stand_room(path: Path, scene: Scene, things: dict[str, list[Thing]]) -> Scene:
    """Stand measured things, by their kind (KINDS), in a scene as a room."""
    walls, floors, objects = (things[kind] for kind in ("walls", "floors", "objects"))
    if not walls and not floors:
        raise FormatError(f"{path}: neither a wall nor a floor is in it; measure the room anew")
    levels = [float(each.X_WS[2, 3]) for each in floors] or [
        float((each.X_WS @ _foot(each))[2]) for each in walls
    ]
    ground = min(levels)
    for each in chain(*things.values()):
        each.X_WS[2, 3] -= ground
    if abs(ground) > THIN:
        scene.lost[f"height of the phone (moved by {-ground:.2f} m: the floor is at z = 0)"] += 1
    areas = [
        (level - ground, each.outline(np.eye(4)))
        for level, each in zip(levels, floors, strict=False)
    ]
    if not floors:
        scene.lost["floor (taken as what the walls enclose)"] += 1
        areas = [(0.0, each) for each in _enclosed(walls)]
    low = [area for level, area in areas if level < STOREY]
    upper = [each for each in areas if each[0] >= STOREY]
    scene.floor = raise_outlines(scene, "floor", "floor", low, [(-SLAB, 0.0)])
    if not scene.floor:
        raise FormatError(f"{path}: its floor has no area; measure the room anew")
    for level, area in upper:
        raise_outlines(scene, "floor", "upper_floor", [area], [(level - SLAB, level)])
    cut = [*things["doors"], *things["windows"], *things["openings"]]
    hosts = _hosts(cut, walls)
    for each, host in zip(cut, hosts, strict=True):
        if host is None:
            scene.lost[f"{each.category} without a wall"] += 1
        elif each.kind == "doors":
            scene.lost[f"leaf of a door (it stands open, {each.size[0]:.2f} m clear)"] += 1
        elif each.kind == "windows":
            _box(scene, "window", each)
    inside = shapely.union_all(low)
    for wall in walls:
        mine = [each for each, host in zip(cut, hosts, strict=True) if host is wall]
        _wall(scene, wall, _cut(wall, mine), inside)
    above = min((level for level, _ in upper), default=np.inf)
    for each in objects:
        name = _box(scene, "furniture", each)
        scene.lost["form of furniture (a box of its sizes, filled below)"] += 1
        if _stood(each)[2, 3] < above - STOREY:
            scene.wanted.append(name)
    return scene


def _things(path: Path, scene: Scene) -> dict[str, list[Thing]]:
    """Return all that is in a file by its kind, in the file's order."""
    if (size := path.stat().st_size) > LARGEST:
        raise FormatError(
            f"{path}: {size / 1e6:.0f} MB are too much for a measured room "
            f"(up to {LARGEST / 1e6:.0f} MB); export it without its coreModel"
        )
    try:
        tree = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        said = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise FormatError(f"{path}: this is no whole JSON: {said}; export it anew") from None
    found: dict[str, list[Thing]] = {kind: [] for kind in KINDS}
    for kind, made in found.items():
        listed = (tree.get(kind) or []) if isinstance(tree, dict) else []
        if not isinstance(listed, list):
            raise FormatError(f"{path}: {kind} is no list; export the room anew")
        if sum(map(len, found.values())) + len(listed) > MOST_THINGS:
            raise FormatError(
                f"{path}: more than {MOST_THINGS:,} things are in it; export a part of the building"
            )
        for number, each in enumerate(listed):
            where = f"{path}: {kind}[{number}]"
            if not isinstance(each, dict):
                raise FormatError(f"{where} is no object; export the room anew")
            made.append(thing := _thing(where, kind, each))
            if _word(each.get("confidence")) == "low":
                scene.lost[f"certainty of {thing.category} (the phone has low confidence)"] += 1
    return found


def _thing(where: str, kind: str, given: dict[str, Any]) -> Thing:
    size = _numbers(where, "dimensions", given.get("dimensions"), 3)
    if size.min() < 0.0 or size.max() > LONGEST:
        raise FormatError(f"{where}: dimensions = {size.tolist()}; give 0 to {LONGEST:g} m each")
    M = _numbers(where, "transform", given.get("transform"), 16).reshape(4, 4).T
    far = np.abs(M[:3, 3]).max() > 100.0 * LONGEST
    X, S = rigid(M) if not far and np.abs(M[:3, :3]).max() < 2.0 else (M, np.zeros((3, 3)))
    if np.abs(S - np.eye(3)).max() > RIGID or np.abs(M[3] - [0.0, 0, 0, 1]).max() > RIGID:
        raise FormatError(
            f"{where}: transform is no turn and shift; give 16 numbers, column after column, "
            f"whose shift is below {100 * LONGEST:g} m"
        )
    corners = given.get("polygonCorners") or []
    if not isinstance(corners, list) or len(corners) > MOST_CORNERS:
        raise FormatError(f"{where}: polygonCorners; give a list of up to {MOST_CORNERS} points")
    points = np.array([_numbers(where, "polygonCorners", each, 3) for each in corners])
    if np.abs(points).max(initial=0.0) > LONGEST:
        raise FormatError(f"{where}: polygonCorners lie farther than {LONGEST:g} m away")
    if len(points) < 3:
        points = 0.5 * size * [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
    category = _word(given.get("category")) if kind == "objects" else kind[:-1]
    key, parent = (str(given.get(each) or "") for each in ("identifier", "parentIdentifier"))
    called, curved = category or "thing", bool(given.get("curve"))
    return Thing(kind, called, UP @ X, size, points, key, parent, curved)


def _numbers(where: str, name: str, given: Any, count: int) -> Array:
    """Return ``count`` finite numbers; those of a matrix may be lists of its columns."""
    try:
        found = np.array(given, float).reshape(-1)
    except (ValueError, TypeError, OverflowError):
        found = np.zeros(0)
    if len(found) != count or not np.isfinite(found).all():
        raise FormatError(f"{where}: {name} = {str(given)[:60]}; give {count} numbers")
    return found


def _word(given: Any) -> str:
    """Return the case of an enumeration: ``{"storage": {}}`` or ``"storage"``."""
    return str(next(iter(given), "") if isinstance(given, dict) else given or "")[:40]


def _foot(thing: Thing) -> Array:
    """Return the middle of the lower edge, (4,) in S."""
    return np.array([0.0, -0.5 * thing.size[1], 0.0, 1.0])


def _stood(thing: Thing) -> Array:
    """Return the frame P at the middle of the lower edge, z up."""
    X_WP: Array = thing.X_WS @ UP.T
    X_WP[:, 3] = thing.X_WS @ _foot(thing)
    return X_WP


def _enclosed(walls: list[Thing]) -> list[Polygon]:
    """Return what the walls of the lowest storey enclose, else the hull around them."""
    lines = [
        LineString((X[:3, :2] @ [[-x, x], [0, 0]] + X[:3, 3:])[:2].T)
        for each in walls
        if (X := _stood(each))[2, 3] < STOREY and (x := 0.5 * each.size[0]) > THIN
    ]
    around = shapely.union_all([each.buffer(GAP, cap_style="square") for each in lines])
    found = [
        Polygon(ring).buffer(GAP, join_style="mitre")
        for each in shapely.get_parts(around)
        for ring in each.interiors
    ]
    return found or polygons(shapely.union_all(lines).convex_hull)


def _hosts(things: list[Thing], walls: list[Thing]) -> list[Thing | None]:
    """Return the wall that each door or window is in: the one it names, else the nearest."""
    named = {each.key: each for each in walls if each.key}
    X_SW = np.linalg.inv(np.array([each.X_WS for each in walls]).reshape(-1, 4, 4))
    half = np.array([0.5 * each.size[0] for each in walls])
    found = []
    for each in things:
        at = X_SW @ each.X_WS[:, 3]
        away = np.hypot(np.maximum(np.abs(at[:, 0]) - half, 0.0), at[:, 2])
        near = walls[int(away.argmin())] if away.min(initial=np.inf) < BESIDE else None
        found.append(named.get(each.parent, near))
    return found


def _cut(wall: Thing, things: list[Thing]) -> BaseGeometry:
    """Return the outline of a wall over x and y of its frame, less its doors and windows."""
    X_SW = np.array(np.linalg.inv(wall.X_WS), np.float64)
    area = wall.outline(X_SW)
    bottom = area.bounds[1]
    gaps = []
    for each in things:
        gap = each.outline(X_SW)
        left, low, right, _ = gap.bounds
        if each.kind != "windows" and low < bottom + SILL:
            gap = gap.union(shapely.box(left, bottom - THIN, right, max(low, bottom) + THIN))
        gaps.append(gap)
    return area.difference(shapely.union_all(gaps))


def _wall(scene: Scene, wall: Thing, area: BaseGeometry, inside: BaseGeometry) -> None:
    """Add a wall: its face looks into the room, and what it is thick lies outside."""
    X_WP, thick, shift = _stood(wall), float(wall.size[2]), 0.0
    if wall.curved:
        scene.lost["curve of a wall (it is taken as straight)"] += 1
    if thick < THIN:
        thick = THICK
        scene.lost[f"thickness of walls (taken as {THICK:g} m)"] += 1
        room = [
            inside.contains(shapely.Point((X_WP @ [0.0, side, 0.0, 1.0])[:2]))
            for side in (-THICK, THICK)
        ]
        shift = 0.5 * THICK * (int(room[0]) - int(room[1]))
    X_PS = make_pose(UP[:3, :3], [0.0, shift, 0.5 * wall.size[1]])
    stand(scene, "wall", "wall", X_WP, prisms(scene, simple_polygons(area), thick, X_PS))


def _box(scene: Scene, kind: str, thing: Thing) -> str:
    x, height, depth = np.maximum(thing.size, THIN)
    solid = box((x, depth, height), (0.0, 0.0, 0.5 * height))
    return stand(scene, kind, thing.category, _stood(thing), [solid])
