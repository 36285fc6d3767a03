"""A building as a world: every product a fixed body, doors open, names and storeys kept.

Leaves of doors are left out, so that people can pass. A leaf is what fills most of its door's
width and height; frame, threshold and lining stay.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely

from articulata.errors import FormatError, MissingExtra
from articulata.formats.child_reader import read_apart
from articulata.formats.rooms.raised_outlines import (
    away_from_origin,
    box_of,
    empty_room,
    take_rooms,
)
from articulata.formats.scenes.foreign_scene import Scene, ScenePart
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.described_figure import identifier

PRODUCTS: Final = "articulata.formats.rooms.ifc_products"
LONGEST: Final = 600
"""s that a building may take to be read."""
FAR: Final = 10_000.0
"""m from the origin beyond which a building is moved there: national grids lie far away."""
NEAR: Final = 0.4
"""m between the bottom of walls and the top of the floor they stand on, at most."""
FLOORS: Final = ("Slab", "Covering", "Footing")
FURNITURE: Final = (
    "Furniture", "FurnishingElement", "SystemFurnitureElement", "SanitaryTerminal", "FlowTerminal",
    "ElectricAppliance", "CommunicationsAppliance",
)  # fmt: skip
GRID: Final = 1e-3
"""m to which outlines of rooms are rounded, so that their triangles meet."""
FLAT: Final = 1e-6
"""m2. A triangle that covers less, seen from above, stands upright."""
FILLS: Final = 0.5
"""Share of a door's width and height, and of the area between, that its leaf fills at least."""


def read_scene(path: Path) -> Scene:
    """Return the scene of a building; FormatError says why one cannot be read."""
    told, arrays = _products(path)
    counts, products = told[0], [each for each in told[1:] if each["kind"] != "Space"]
    if not products:
        raise FormatError(f"{path}: no product of this building has a form; is the file whole?")
    scene = empty_room(path)
    corners = [arrays[f"vertices {each['id']}"] for each in products]
    points = np.concatenate([each for each in corners if len(each)] or [np.zeros((1, 3))])
    away = away_from_origin(scene, points.min(axis=0), FAR, "on earth")
    if counts["IfcSpace"]:
        scene.lost["space (its air and its name)"] += counts["IfcSpace"]
    for each in products:
        vertices = arrays[f"vertices {each['id']}"] - away
        faces = arrays[f"faces {each['id']}"].astype(np.int64)
        if each["kind"] == "Door":
            X = arrays[f"placed {each['id']}"]
            faces, clear = _open(vertices @ X[:3, :3], faces, *each["sizes"])
            if clear:
                scene.lost[f"leaf of a door (it stands open, {clear:.2f} m clear)"] += 1
            else:
                scene.lost["way through a door (no single leaf was found: it stays closed)"] += 1
        _take(scene, each, vertices, faces, storeys=counts["IfcBuildingStorey"] > 1)
    _furnish(scene, products)
    furniture = [each["part"] for each in products if each["kind"] in FURNITURE and "part" in each]
    spaces = [each for each in told[1:] if each["kind"] == "Space"]
    take_rooms(scene, _rooms(spaces, arrays, away), furniture)
    return scene


def _rooms(
    spaces: list[dict[str, Any]], arrays: dict[str, Array], away: Array
) -> Iterator[tuple[str, Any, float]]:
    """Yield what rooms are called, what they cover, seen from above, and where their floors are."""
    for each in spaces:
        vertices = arrays[f"vertices {each['id']}"] - away
        corners = vertices[arrays[f"faces {each['id']}"].astype(np.int64)]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        level = np.abs(normals[:, 2]) > FLAT
        outline = shapely.union_all(shapely.polygons(corners[level][:, :, :2]), grid_size=GRID)
        if not outline.is_empty:
            name = " ".join(dict.fromkeys(filter(None, (each["name"], each["long"]))))
            yield name or "room", outline, float(vertices[:, 2].min())


def _furnish(scene: Scene, products: list[dict[str, Any]]) -> None:
    """Tell the floor of the lowest storey with walls, and the furniture that stands in it."""
    known = {each["part"]: each for each in products if each.get("part")}
    boxes = {part.name: box_of(part) for part in scene.parts}
    walls = [name for name, each in known.items() if each["kind"].startswith("Wall")]
    if not walls:
        return
    lowest = min(walls, key=lambda name: boxes[name][0][2])
    ground, storey = boxes[lowest][0][2], known[lowest]["storey"]
    floors = {
        name: float(np.prod((high - low)[:2]))
        for name, (low, high) in boxes.items()
        if known[name]["kind"] in FLOORS and abs(high[2] - ground) < NEAR
    }
    if floors:
        scene.floor = max(floors, key=lambda name: floors[name])
        scene.wanted = [
            name
            for name, each in known.items()
            if each["storey"] == storey and each["kind"] in FURNITURE
        ]


def _take(
    scene: Scene, product: dict[str, Any], vertices: Array, faces: IntArray, *, storeys: bool
) -> None:
    """Add a product as a body whose frame is at the middle of its bottom."""
    used = np.unique(faces)
    if not len(used):
        if product["kind"] != "Door":
            scene.lost["product without a triangle"] += 1
        return
    low, high = vertices[used].min(axis=0), vertices[used].max(axis=0)
    X = np.eye(4)
    X[:3, 3] = *(0.5 * (low + high))[:2], low[2]
    words = [product["storey"]] if storeys else []
    name = scene.unique(identifier("_".join([*words, product["name"] or product["kind"]])))
    shape = scene.surface(
        name, vertices[used] - X[:3, 3], np.searchsorted(used, faces).reshape(-1, 3)
    )
    if shape is not None:
        color, product["part"] = product["color"], name
        scene.parts.append(ScenePart(name, X, shape, color=tuple(color) if color else None))


def _open(local: Array, faces: IntArray, width: float, height: float) -> tuple[IntArray, float]:
    """Return the triangles of a door without its leaf, and how wide it is then (m, 0: not told).

    ``local`` (n, 3) are its vertices along its own axes: x over its width, z up.
    """
    if not len(faces):
        return faces, 0.0
    whole = local[np.unique(faces)]
    low, high = whole.min(axis=0), whole.max(axis=0)
    width, height = width or high[0] - low[0], height or high[2] - low[2]
    group = _connected(faces, len(local))[faces[:, 0]]
    leaves = np.zeros(len(faces), bool)
    clear = 0.0
    for number in np.unique(group):
        mine = group == number
        corners = local[np.unique(faces[mine])]
        size = corners.max(axis=0) - corners.min(axis=0)
        a, b, c = (local[faces[mine][:, k]] for k in range(3))
        facing = 0.5 * np.abs(np.cross(b - a, c - a)[:, 1]).sum()
        filled = facing > 2.0 * FILLS * size[0] * size[2]
        if size[0] > FILLS * width and size[2] > FILLS * height and filled:
            leaves |= mine
            clear = max(clear, float(size[0]))
    if not leaves.any():
        return faces, 0.0
    # handles and hinges lie within the leaf's outline
    leaf = local[np.unique(faces[leaves])]
    inner = leaf.min(axis=0)[[0, 2]] - 1e-3, leaf.max(axis=0)[[0, 2]] + 1e-3
    for number in np.unique(group[~leaves]):
        mine = group == number
        corners = local[np.unique(faces[mine])][:, [0, 2]]
        if np.all(corners >= inner[0]) and np.all(corners <= inner[1]):
            leaves |= mine
    return faces[~leaves], clear


def _connected(faces: IntArray, count: int) -> IntArray:
    """Return for each of ``count`` vertices the number of the surface it belongs to."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    graph = coo_array((np.ones(len(ends), bool), ends.T), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def _products(path: Path) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    """Return what another process found in the file, in words and in numbers."""
    if importlib.util.find_spec("ifcopenshell") is None:
        raise MissingExtra(
            f"{path} is a building (IFC), which the package ifcopenshell reads; install it with: "
            "pip install 'articulata[ifc]'"
        )
    told, arrays = read_apart(PRODUCTS, path, reader="IfcOpenShell", longest=LONGEST)
    return list(told), arrays
