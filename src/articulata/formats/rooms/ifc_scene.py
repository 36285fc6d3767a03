"""A building as a world: every product a fixed body, doors open, names and storeys kept."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely

from articulata.errors import FormatError, MissingExtra
from articulata.formats.child_reader import read_apart
from articulata.formats.rooms.door_leaves import open_door
from articulata.formats.rooms.raised_outlines import (
    away_from_origin,
    box_of,
    empty_room,
    named_like,
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
CELLAR: Final = -1.2
"""m. A storey that lies lower, by its elevation in IFC, is one below the ground."""
FLAT: Final = 1e-6
"""m2. A triangle that covers less, seen from above, stands upright."""


def read_scene(path: Path, storey: str = "") -> Scene:
    """Return the scene of a building; FormatError says why one cannot be read.

    ``storey`` is the one that people stand on, by its name or a part of it.
    """
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
            faces, told_of = open_door(
                vertices @ X[:3, :3], faces, each["sizes"], each["operation"]
            )
            scene.lost[told_of] += 1
        _take(scene, each, vertices, faces, storeys=counts["IfcBuildingStorey"] > 1)
    _furnish(scene, products, storey)
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


def _furnish(scene: Scene, products: list[dict[str, Any]], asked: str) -> None:
    """Tell the floor of a storey with walls, and the furniture in it; name the other storeys.

    It is the one that is ``asked`` for, else the lowest with doors that lies above the ground, else
    the lowest. Walls without doors are those of foundations.
    """
    known = {each["part"]: each for each in products if each.get("part")}
    boxes = {part.name: box_of(part) for part in scene.parts}
    bottoms = {
        name: boxes[name][0][2] for name, each in known.items() if each["kind"].startswith("Wall")
    }
    if not bottoms and not asked:
        return
    storeys = dict.fromkeys(known[name]["storey"] for name in bottoms)
    if asked:
        storey = named_like(scene.file, asked, storeys, "storey")
    else:
        entered = {each["storey"] for each in products if each["kind"] == "Door"}
        walls = [name for name in bottoms if known[name]["storey"] in entered] or list(bottoms)
        above = [name for name in walls if known[name]["elevation"] >= CELLAR] or walls
        storey = known[min(above, key=lambda name: bottoms[name])]["storey"]
    if others := [f"'{each}'" for each in storeys if each != storey]:
        told = f"(nobody is asked to reach it; reach --storey takes {', '.join(others)})"
        count = sum(each["storey"] != storey for each in known.values())
        scene.lost[f"thing of another storey than '{storey}' {told}"] += count
    here = [low for name, low in bottoms.items() if known[name]["storey"] == storey]
    ground = float(np.median(here))
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


def _products(path: Path) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    """Return what another process found in the file, in words and in numbers."""
    if importlib.util.find_spec("ifcopenshell") is None:
        raise MissingExtra(
            f"{path} is a building (IFC), which the package ifcopenshell reads; install it with: "
            "pip install 'articulata[ifc]'"
        )
    told, arrays = read_apart(PRODUCTS, path, reader="IfcOpenShell", longest=LONGEST)
    return list(told), arrays
