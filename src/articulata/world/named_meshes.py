"""Meshes of files that texts name. What is read stays known as long as the file does not change."""

from __future__ import annotations

import importlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from articulata.geometry.shapes import Mesh

READER = "articulata.formats.scenes.scene_files", "read_mesh"
"""Who knows the formats: a room above this one."""


def mesh_at(path: Path, file: str, scale: tuple[float, float, float]) -> Mesh:
    """Return the mesh in a file, in metres times ``scale``; ``file`` is what a text calls it.

    Raises FormatError for what holds no mesh.
    """
    return _read(path, path.stat().st_mtime_ns, file, scale)


@lru_cache(maxsize=256)
def _read(path: Path, changed: int, file: str, scale: tuple[float, float, float]) -> Mesh:
    module, name = READER
    made: Mesh = getattr(importlib.import_module(module), name)(path, file=file, scale=scale)
    return made
