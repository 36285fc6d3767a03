"""Surfaces in files: STL, OBJ, PLY, OFF and glTF, and COLLADA where its reader is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from articulata.errors import FormatError, GeometryError
from articulata.geometry.shapes import Mesh
from articulata.world.foreign_files import format_of

ENDINGS = ("stl", "obj", "ply", "off", "glb", "gltf")
WORLDS = ("vrml", "x3d")
"""Formats of worlds whose surfaces are read as they are there."""
LARGEST = 64 * 2**20
"""Bytes of a file beyond which it is no thing of a room."""


def readable(path: str | Path) -> bool:
    """Return whether files with the ending of ``path`` are read here."""
    ending = Path(path).suffix.lstrip(".").lower()
    return ending in ENDINGS or (ending == "dae" and find_spec("collada") is not None)


def read_mesh(
    path: Path, *, file: str = "", scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
) -> Mesh:
    """Return the surface in a file, its numbers times ``scale`` in m; it may be open.

    ``file`` is what the mesh says it comes from; "museum.wrl#vase" is one body of a world. Raises
    FormatError for what holds no surface.
    """
    name = Path(path).name
    part = file.partition("#")[2]
    foreign = format_of(path)
    if part or (foreign is not None and foreign.key in WORLDS):
        from articulata.formats.scenes.reading import surface

        return surface(path, part, file, scale)
    if not readable(path):
        known = ", ".join(f".{each}" for each in ENDINGS)
        raise FormatError(f"'{name}' cannot be read as a mesh; give {known}")
    if path.stat().st_size > LARGEST:
        raise FormatError(f"'{name}' is larger than {LARGEST // 2**20} MiB; give fewer triangles")
    import trimesh

    try:
        loaded: Any = trimesh.load(path, force="mesh", skip_materials=True)
        vertices = np.array(loaded.vertices, float) * np.array(scale)
        faces = np.asarray(loaded.faces, np.int64)
    except Exception as error:  # whatever a reader of formats raises says the same here
        raise FormatError(f"'{name}' holds no mesh: {error}") from error
    if np.prod(scale) < 0.0:  # a mirrored surface has its inside out
        faces = faces[:, ::-1]
    try:
        return Mesh(vertices, faces, file, scale)
    except GeometryError as error:
        raise FormatError(f"'{name}' holds no mesh: {error}") from error
