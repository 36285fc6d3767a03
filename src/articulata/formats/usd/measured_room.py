"""Rooms that phones measure (Apple RoomPlan) as USD stages: the things that its JSON tells.

Walls with their doors and windows are below ``Arch_grp``, furniture below ``Object_grp``; a mesh
is called after its category (``Wall0``, ``Storage2``). Of the exports (Apple,
``CapturedRoom.USDExportOptions``) a parametric one has unit cubes with scales, the others have the
sizes in their points, doors and windows cut out.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from articulata.errors import FormatError
from articulata.formats.rooms.raised_outlines import empty_room, polygons
from articulata.formats.rooms.roomplan import (
    KINDS,
    LONGEST,
    MOST_THINGS,
    UP,
    Thing,
    stand_room,
)
from articulata.formats.scenes.foreign_scene import Scene
from articulata.formats.usd.usd_shapes import surface_of
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.poses import make_pose

SURFACE: Final = re.compile(r"/(Wall|Floor|Door|Window|Opening)_?\d*$")
FURNITURE: Final = re.compile(r".*/Object_grp/([A-Za-z]+)(?:_\d+)?_grp\w*(?:/[^/]+)?")
UPRIGHT: Final = 0.9998
"""Cosine of the angle (1 deg) within which an axis is upright."""
BENT: Final = 0.6
"""m: no wall is thicker, what is deeper is bent."""
GRID: Final = 1e-5
"""m. Steps of the grid on which the triangles of an outline are joined."""
NONE: Final = np.zeros((0, 3), np.int64)
CUBE: Final = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def is_measured(told: dict[str, Any]) -> bool:
    """Return whether a stage, as ``stage_contents`` tells it, is a room that a phone measured."""
    paths = [each["path"] for each in told["things"]]
    return any("/Arch_grp/" in each and SURFACE.search(each) for each in paths)


def measured_room(path: Path, told: dict[str, Any], arrays: dict[str, Array]) -> Scene:
    """Return the scene of a measured room; FormatError says why one cannot be read."""
    scene = empty_room(path)
    scene.lost.update(told["lost"])
    if len(told["things"]) > MOST_THINGS:
        raise FormatError(
            f"{path}: more than {MOST_THINGS:,} things are on it; export a part of the building"
        )
    found: dict[str, list[Thing]] = {kind: [] for kind in KINDS}
    furniture: dict[str, list[tuple[Array, Array]]] = {}
    walls = Counter(_group(each) for each in told["things"] if _kind(each) == "walls")
    for each in told["things"]:
        kind, M = _kind(each), _map(path, told, each)
        corners, faces = _surface(path, each, arrays, M)
        if kind == "floors":
            found[kind] += _floors(corners, faces)
        elif kind:
            thing, gaps = _upright(kind, kind[:-1], M, corners, faces)
            group = _group(each) if walls[_group(each)] == 1 else ""
            found[kind].append(thing)
            thing.key, thing.parent = (group, "") if kind == "walls" else ("", group)
            if kind == "walls":
                found["openings"] += [_gap(thing, ring, group) for ring in gaps]
        elif (piece := FURNITURE.match(each["path"])) is not None:
            furniture.setdefault(piece[0], []).append((M, corners))
        else:
            scene.lost[f"{each['name']} (no wall, floor or furniture)"] += 1
    for name, pieces in sorted(furniture.items(), key=lambda each: _number(each[0])):
        category = FURNITURE.sub(r"\1", name)
        called = category[0].lower() + category[1:]
        whole = np.concatenate([corners for _, corners in pieces])
        found["objects"].append(_upright("objects", called, pieces[0][0], whole, NONE)[0])
    return stand_room(path, scene, found)


def _kind(told: dict[str, Any]) -> str:
    """Return the kind of a surface as RoomPlan's JSON calls it, "" of what is none."""
    name = SURFACE.search(told["path"]) if "/Object_grp/" not in told["path"] else None
    return f"{name[1].lower()}s" if name else ""


def _group(told: dict[str, Any]) -> str:
    return str(told["path"]).rpartition("/")[0]


def _number(name: str) -> int:
    """Return the number at the end of a name, 0 for none: references come in any order."""
    return int("0" + name[len(name.rstrip("0123456789")) :])


def _map(path: Path, told: dict[str, Any], thing: dict[str, Any]) -> Array:
    """Return the map (4, 4) of a thing to the world in m, z up."""
    M = np.array(thing["M"], float)
    M[:3] *= float(told["meters"])
    if not np.isfinite(M).all() or np.abs(M).max() > 100.0 * LONGEST:
        raise FormatError(f"{path}: {thing['path']} is placed by what are no numbers, or too far")
    return np.asarray(UP @ M if told["up"] == "Y" else M)


def _surface(
    path: Path, thing: dict[str, Any], arrays: dict[str, Array], M: Array
) -> tuple[Array, IntArray]:
    """Return the corners (n, 3) of a thing in the world and its triangles (m, 3)."""
    if thing["kind"] == "Cube":
        size = float(thing["sizes"].get("size", 2.0))
        return size * CUBE @ M[:3, :3].T + M[:3, 3], NONE
    try:
        points, faces = surface_of(thing, arrays)
    except ValueError as error:
        raise FormatError(f"{path}: {thing['path']}: {error}") from error
    corners = points @ M[:3, :3].T + M[:3, 3]
    if len(corners) < 3 or np.ptp(corners, axis=0).max() > LONGEST:
        raise FormatError(f"{path}: {thing['path']} is no surface within {LONGEST:g} m")
    return corners, faces


def _outline(flat: Array, faces: IntArray) -> BaseGeometry:
    """Return what triangles cover of a plane, their hull where there are none."""
    hull = shapely.multipoints(flat).convex_hull
    if not len(faces):
        return hull
    pieces = shapely.polygons(flat[faces])
    whole = shapely.union_all(pieces[shapely.area(pieces) > GRID**2], grid_size=GRID)
    return hull if whole.is_empty else whole


def _floors(corners: Array, faces: IntArray) -> list[Thing]:
    """Return the areas of a floor at its upper side."""
    found = []
    level = float(corners[:, 2].max())
    for area in polygons(_outline(corners[:, :2], faces)):
        ring = np.array(area.exterior.coords)[:-1]
        flat = np.column_stack([ring, np.zeros(len(ring))])
        size = np.append(np.ptp(ring, axis=0), 0.0)
        X = make_pose(np.eye(3), np.array([0.0, 0.0, level]))
        found.append(Thing("floors", "floor", X, size, flat, "", "", False))
    return found


def _upright(
    kind: str, category: str, M: Array, corners: Array, faces: IntArray
) -> tuple[Thing, list[Array]]:
    """Return a thing that stands upright, and the gaps (k, 2) in its outline over x and y.

    Its x is that of its own frame, else along its longest side seen from above.
    """
    along = M[:2, 0]
    upright = abs(M[2, 1]) > UPRIGHT * np.linalg.norm(M[:3, 1])
    if not upright or np.linalg.norm(along) < GRID * np.linalg.norm(M[:3, 0]):
        box = shapely.minimum_rotated_rectangle(shapely.multipoints(corners[:, :2]))
        sides = np.diff(shapely.get_coordinates(box), axis=0)
        along = max(sides, key=np.linalg.norm)
    x, y = along / np.linalg.norm(along)
    R = np.array([[x, 0.0, y], [y, 0.0, -x], [0.0, 1.0, 0.0]])
    own = corners @ R
    low, high = own.min(axis=0), own.max(axis=0)
    middle, size = 0.5 * (low + high), high - low
    bent = kind == "walls" and size[2] > BENT
    if bent:  # its chord, from end to end
        ends = [own[np.abs(own[:, 0] - at) < 0.01, 2].mean() for at in (low[0], high[0])]
        middle[2], size[2] = float(np.mean(ends)), 0.0
    area = _outline(own[:, :2] - middle[:2], faces)
    parts = polygons(area) or polygons(shapely.box(*(-0.5 * size[:2]), *(0.5 * size[:2])))
    ring = np.array(max(parts, key=lambda each: each.area).exterior.coords)[:-1]
    flat = np.column_stack([ring, np.zeros(len(ring))])
    gaps = [np.array(each.coords)[:-1] for part in parts for each in part.interiors]
    return Thing(kind, category, make_pose(R, R @ middle), size, flat, "", "", bent), gaps


def _gap(wall: Thing, ring: Array, group: str) -> Thing:
    """Return a gap of a wall's outline as an opening."""
    flat = np.column_stack([ring, np.zeros(len(ring))])
    size = np.append(np.ptp(ring, axis=0), 0.0)
    return Thing("openings", "opening", wall.X_WS.copy(), size, flat, "", group, False)
