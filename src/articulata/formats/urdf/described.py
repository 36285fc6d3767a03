"""A description as a figure of a world, for ``import "arm.urdf" as arm``."""

from __future__ import annotations

from pathlib import Path

from articulata.formats.urdf.reading import read_urdf
from articulata.kinematics.described import described
from articulata.world.figures.nodes import FigureNode


def read_node(path: Path) -> FigureNode:
    """Return the robot of a URDF file as a world holds it; see ``read_urdf``."""
    return described(read_urdf(path))
