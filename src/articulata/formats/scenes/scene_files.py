"""Foreign worlds as texts, and surfaces, whichever format they are in.

Each file is read once while it stays. What is in the file and not in the text is told in a
``FormatWarning``.

Surfaces are STL, OBJ, PLY, OFF and glTF, and COLLADA where its reader is installed.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.errors import FormatError, FormatWarning, GeometryError
from articulata.formats.scenes.foreign_scene import (
    HULL,
    MOST_CORNERS,
    Scene,
    joined,
    threes,
    triangles_of,
)
from articulata.formats.scenes.scene_text import component_text, world_text
from articulata.geometry.convex import convex_hull
from articulata.geometry.shapes import Mesh
from articulata.world.foreign_files import SURFACES, ForeignFormat, format_of

READERS: Final = {
    "dxf": "articulata.formats.rooms.plan_scene",
    "gltf": "articulata.formats.gltf.gltf_scene",
    "ifc": "articulata.formats.rooms.ifc_scene",
    "mjcf": "articulata.formats.mjcf.mjcf_scene",
    **dict.fromkeys(SURFACES, "articulata.formats.rooms.scan_scene"),
    "roomplan": "articulata.formats.rooms.roomplan",
    "sdf": "articulata.formats.sdf.sdf_scene",
    "usd": "articulata.formats.usd.usd_scene",
    "vrml": "articulata.formats.vrml.graph_scene",
    "x3d": "articulata.formats.vrml.graph_scene",
}
"""Modules with ``read_scene`` by the format they read."""
UNTOLD: Final = {
    "dxf": ("height", "unit", "walls"),
    "ifc": ("storey",),
    "mjcf": ("key",),
    **dict.fromkeys((*SURFACES, "gltf", "usd"), ("up", "unit")),
}
"""What files of a format do not tell, and who converts them may."""
ROOMS: Final = ("dxf", "ifc")
"""Formats of buildings of several rooms."""


def scene_of(path: Path, **given: float | str) -> Scene:
    """Return the scene of a foreign world; FormatError where nobody reads it.

    ``given`` is what the file does not tell: the height, the unit (m) and the layer of ``walls`` of
    a drawing, the axis that is up and the unit (m) of a scan; of a building, the ``storey`` that
    people stand on or the one ``room`` that is wanted; of a model of MuJoCo, the ``key`` frame.
    """
    whole = Path(path).resolve()
    return _scene(whole, whole.stat().st_mtime_ns, tuple(given.items()))


@lru_cache(maxsize=8)
def _scene(path: Path, changed: int, given: tuple[tuple[str, float | str], ...]) -> Scene:
    known = format_of(path)
    module = READERS.get(known.key) if known is not None else None
    if module is None:
        raise FormatError(f"{path}: this is no world that can be read")
    assert known is not None
    room = str(dict(given).get("room", ""))
    if room:
        if known.key not in ROOMS:
            raise FormatError(f"{path}: --room is for buildings (IFC) and drawings (DXF)")
        from articulata.formats.rooms.raised_outlines import one_room

        rest = tuple(each for each in given if each[0] != "room")
        return one_room(_scene(path, changed, rest), room)
    names = [name for name, _ in given if name not in UNTOLD.get(known.key, ())]
    if names:
        told = " and ".join(names)
        raise FormatError(f"{path}: {known.name} tells its {told} itself; leave this away")
    read: Callable[..., Scene] = importlib.import_module(module).read_scene
    # What overflows is no finite number: readers refuse it where they take it in.
    with np.errstate(over="ignore", invalid="ignore"), _computed(path):
        return read(path, **dict(given))


@contextmanager
def _computed(path: Path) -> Iterator[None]:
    """Raise FormatError for what cannot be computed of the numbers of a file."""
    try:
        yield
    except ArithmeticError as error:
        raise FormatError(f"{path}: its numbers are beyond what is computed ({error})") from error


def component(path: Path) -> str:
    """Return a text whose only composite is the world of a file."""
    with _computed(path):
        return component_text(_told(path))


def world(path: Path) -> str:
    """Return the text of the world of a file, with what can be asked of it."""
    with _computed(path):
        return world_text(_told(path))


def _told(path: Path) -> Scene:
    scene = scene_of(path)
    if scene.lost:
        warnings.warn(f"{path}: {lost_words(scene)}", FormatWarning, stacklevel=3)
    return scene


def lost_words(scene: Scene) -> str:
    """Return what a scene lacks of its file, in words."""
    named = [f"{count} x {what}" if count > 1 else what for what, count in scene.lost.most_common()]
    more = f" and {len(named) - 12} kinds more" if len(named) > 12 else ""
    return f"not taken over: {', '.join(named[:12])}{more}"


def surface(path: Path, part: str, file: str, scale: tuple[float, float, float]) -> Mesh:
    """Return the surface of one body of a world, of all of it where ``part`` is "".

    ``file`` is what a text calls it; its numbers are in m, times ``scale``.
    """
    scene = scene_of(path)
    if part and part not in scene.surfaces:
        raise FormatError(f"{path.name} has no surface '{part}'")
    if part:
        known = scene.surfaces[part]
        if (known.file, known.scale) == (file, scale):
            return known
        vertices, faces = triangles_of(known)
    else:
        pieces = []
        for each in scene.parts:
            if (shape := each.look or each.shape) is not None:
                points, triangles = triangles_of(shape)
                X = each.X_WP
                pieces.append((points @ X[:3, :3].T + X[:3, 3], triangles))
        if not pieces:
            raise FormatError(f"{path.name} holds no surface")
        vertices, faces = joined(pieces)
    mirrored = np.prod(scale) < 0.0
    return Mesh(vertices * np.array(scale), faces[:, ::-1] if mirrored else faces, file, scale)


ENDINGS = ("stl", "obj", "ply", "off", "glb", "gltf")
WORLDS = ("vrml", "x3d")
"""Formats of worlds whose surfaces are read as they are there."""
LARGEST = 64 * 2**20
"""Bytes of a file beyond which it is no thing of a room."""


def readable(path: str | Path) -> bool:
    """Return whether files with the ending of ``path`` are read here."""
    ending = Path(path).suffix.lstrip(".").lower()
    return ending in ENDINGS or (ending == "dae" and find_spec("collada") is not None)


def _has_part(path: Path, foreign: ForeignFormat | None, part: str) -> bool:
    """Return whether a file is a world with a body that is called ``part``."""
    world = foreign is not None and foreign.key in READERS and foreign.key not in SURFACES
    return world and part in scene_of(path).surfaces


def read_mesh(
    path: Path, *, file: str = "", scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
) -> Mesh:
    """Return the surface in a file, its numbers times ``scale`` in m; it may be open.

    ``file`` is what the mesh says it comes from; "museum.wrl#vase" is one body of a world, and
    "arm.stl#hull" the convex hull. Raises FormatError for what holds no surface.
    """
    name = Path(path).name
    part = file.partition("#")[2]
    foreign = format_of(path)
    if file.endswith(HULL) and not _has_part(path, foreign, part):
        try:
            whole = read_mesh(path, file=file.removesuffix(HULL), scale=scale)
            return convex_hull(whole, file, MOST_CORNERS)
        except GeometryError as error:
            raise FormatError(f"'{name}' has no convex hull: {error}") from None
    if part or (foreign is not None and foreign.key in WORLDS):
        return surface(path, part, file, scale)
    if not readable(path):
        known = ", ".join(f".{each}" for each in ENDINGS)
        raise FormatError(f"'{name}' cannot be read as a mesh; give {known}")
    if path.stat().st_size > LARGEST:
        raise FormatError(f"'{name}' is larger than {LARGEST // 2**20} MiB; give fewer triangles")
    import trimesh

    try:
        loaded: Any = trimesh.load(path, force="mesh", skip_materials=True)
        vertices = threes(loaded.vertices, float) * np.array(scale)
        faces = threes(loaded.faces, np.int64)
    except Exception as error:  # whatever a reader of formats raises says the same here
        raise FormatError(f"'{name}' holds no mesh: {error}") from error
    if np.prod(scale) < 0.0:  # a mirrored surface has its inside out
        faces = faces[:, ::-1]
    try:
        return Mesh(vertices, faces, file, scale)
    except GeometryError as error:
        raise FormatError(f"'{name}' holds no mesh: {error}") from error
