"""Shapes as a description has them: boxes, cylinders, spheres, mesh files."""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array
from articulata.geometry.constructed import tessellate
from articulata.geometry.shapes import (
    Capsule,
    Cuboid,
    Cylinder,
    HalfSpace,
    Shape,
    Sphere,
)
from articulata.kinematics.conventions import translation
from articulata.kinematics.link import MeshFile, Part


class Meshes:
    """Mesh files of a description in ``folder``; ``made`` holds the new ones, bytes by name."""

    def __init__(self, folder: Path, stem: str) -> None:
        self.folder = folder
        self.made: dict[str, bytes] = {}
        self._stem = re.sub(r"[^\w.-]+", "_", stem)
        self._names: dict[Shape, str] = {}

    def add(self, shape: Shape, link: str) -> str:
        """Return the file name of ``shape``; equal shapes share a file."""
        known = self._names.get(shape)
        if known is None:
            clean = re.sub(r"[^\w.-]+", "_", link)
            known = f"{self._stem}_meshes/{clean}_{len(self.made) + 1}.stl"
            self._names[shape] = known
            self.made[known] = stl(shape)
        return known

    def name(self, mesh: MeshFile) -> str:
        """Return what to call a mesh file from ``folder``."""
        if not mesh.path or "://" in mesh.file:
            return mesh.file
        return Path(os.path.relpath(mesh.path, self.folder.resolve())).as_posix()


def drawn(part: Part, meshes: Meshes, link: str) -> list[tuple[str, Array]]:
    """Return the shapes (as elements) and their poses (4, 4) that make up ``part``."""
    X = part.X_LS
    match part.shape:
        case Cuboid(x, y, z):
            return [(f'<box size="{x!r} {y!r} {z!r}"/>', X)]
        case Sphere(radius):
            return [(f'<sphere radius="{radius!r}"/>', X)]
        case Cylinder(radius, length):
            return [(_cylinder(radius, length), X)]
        case Capsule(radius, length):
            # Few readers know capsules; all know what they are made of.
            ends = (translation(0, 0, end * length / 2) for end in (-1.0, 1.0))
            balls = [(f'<sphere radius="{radius!r}"/>', X @ end) for end in ends]
            return [(_cylinder(radius, length), X), *balls]
        case MeshFile(_, scale):
            name = quoteattr(meshes.name(part.shape))
            size = "" if scale == (1.0, 1.0, 1.0) else ' scale="{!r} {!r} {!r}"'.format(*scale)
            return [(f"<mesh filename={name}{size}/>", X)]
        case HalfSpace():
            raise FormatError(
                f"link '{link}' has an endless shape, which a description cannot hold; give it a "
                "large box instead"
            )
        case shape:
            return [(f"<mesh filename={quoteattr(meshes.add(shape, link))}/>", X)]


def stl(shape: Shape) -> bytes:
    """Return the surface of ``shape`` as a binary STL file, m."""
    surface = tessellate(shape)
    corners = np.asarray(surface.vertices)[np.asarray(surface.triangles)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    rows = np.zeros(len(corners), np.dtype([("data", "<f4", (4, 3)), ("rest", "<u2")]))
    rows["data"][:, 0] = normals / np.where(lengths > 0.0, lengths, 1.0)
    rows["data"][:, 1:] = corners
    return b"\0" * 80 + struct.pack("<I", len(rows)) + rows.tobytes()


def _cylinder(radius: float, length: float) -> str:
    return f'<cylinder radius="{radius!r}" length="{length!r}"/>'
