"""A description as a figure of a world, for ``import "arm.urdf" as arm``."""

from __future__ import annotations

import warnings
from pathlib import Path

from articulata.errors import FormatError, FormatWarning
from articulata.formats.scenes.scene_files import ENDINGS, readable
from articulata.formats.urdf.urdf_figure import read_urdf
from articulata.geometry.shapes import Mesh
from articulata.kinematics.described_figure import described
from articulata.kinematics.link import MeshFile
from articulata.world.figures.nodes import FigureNode
from articulata.world.named_meshes import mesh_at


def read_node(path: Path) -> FigureNode:
    """Return the robot of a URDF file as a world holds it; see ``read_urdf``.

    It looks like the meshes of the file that can be read; FormatWarning names links that none of
    theirs can.
    """
    left: list[str] = []

    def mesh(file: MeshFile) -> Mesh | None:
        if not (file.path and readable(file.path)):
            return None
        try:
            return mesh_at(Path(file.path), file.path, file.scale)
        except FormatError as error:
            left.append(str(error))
            return None

    figure = read_urdf(path)
    node = described(figure, mesh)
    made = {row.link.name: row.link for row in node.rows.values()}
    names = {joint.name: joint.link for joint in figure.joints}
    for joint, link in figure.links.items():
        parts = (*link.visuals, *link.collisions)
        seen = made.get(names[joint] or link.name)
        if parts and seen is not None and seen.look is None and seen.shape is None:
            left.append(link.name)
    if left:
        warnings.warn(
            f"{path}: no mesh of these can be read, so that they are drawn as bones: "
            f"{', '.join(left)}; give {', '.join(f'.{each}' for each in ENDINGS)}, or install "
            "pycollada for .dae",
            FormatWarning,
            stacklevel=2,
        )
    return node
