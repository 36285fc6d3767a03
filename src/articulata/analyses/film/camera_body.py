"""The body of a camera that nothing carries, and what it may strike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from articulata.geometry.poses import inverse_pose
from articulata.geometry.shapes import Cuboid
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import PRISMATIC, REVOLUTE, Joint, JointKind, about
from articulata.kinematics.link import Link, Part

BODY: Final = "the camera"
"""What the camera's body is called in a clash."""


def body_clash(size: tuple[float, float, float], room: Sequence[Obstacle]) -> Clash:
    """Return what a camera's body of ``size`` m may strike.

    It slides along x, y and z of W, then turns about z, y and x.
    """
    axes = np.eye(3).tolist()
    joints = []
    for name, axis in zip("xyzcba", [*axes, *axes[::-1]], strict=True):
        turn = about(axis)
        kind: JointKind = PRISMATIC if name in "xyz" else REVOLUTE
        joints.append(Joint(name, kind, turn, inverse_pose(turn)))
    middle = np.eye(4)
    middle[2, 3] = 0.5 * size[2]
    link = Link(BODY, collisions=(Part(Cuboid(*size), middle),))
    figure = Figure(joints, range(-1, 5), name="camera", links={"a": link})
    return Clash(figure, room, own=False)
