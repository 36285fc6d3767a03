"""A description as a figure of a world, for ``import "arm.urdf" as arm``."""

from __future__ import annotations

import warnings
from pathlib import Path

from articulata.errors import FormatError, FormatWarning
from articulata.formats.meshes import readable
from articulata.formats.urdf.reading import read_urdf
from articulata.geometry.shapes import Mesh
from articulata.kinematics.described import described
from articulata.kinematics.link import MeshFile
from articulata.world.figures.nodes import FigureNode
from articulata.world.meshes import mesh_at


def read_node(path: Path) -> FigureNode:
    """Return the robot of a URDF file as a world holds it; see ``read_urdf``.

    It looks like the meshes of the file that can be read; FormatWarning names the others.
    """
    left: list[str] = []

    def mesh(file: MeshFile) -> Mesh | None:
        try:
            if file.path and readable(file.path):
                return mesh_at(Path(file.path), file.path, file.scale)
            left.append(Path(file.file).name)
        except FormatError as error:
            left.append(str(error))
        return None

    node = described(read_urdf(path), mesh)
    if left:
        some = ", ".join(dict.fromkeys(left))
        warnings.warn(
            f"{path}: meshes that are not read are not seen: {some}", FormatWarning, stacklevel=2
        )
    return node
