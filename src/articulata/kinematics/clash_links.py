"""A figure's links as bodies that touch: the shape of each, and which joints move it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from articulata.errors import FormatError, GeometryError, KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex import convex_hull
from articulata.geometry.shapes import HalfSpace, Mesh, Placed, Shape, Union
from articulata.kinematics.figure import Figure
from articulata.kinematics.link import MeshFile, Part

ROOT: Final = -1
"""The number of the joint that moves the root link: none."""


def shape_of(parts: Sequence[Part], X_JL: Array, what: str) -> Shape | None:
    """Return the parts of a link as one shape in the moved frame of its joint."""
    placed: list[Shape] = []
    for part in parts:
        shape = part.shape
        if isinstance(shape, MeshFile):
            shape = _hull(shape, what)
        if isinstance(shape, HalfSpace):
            raise KinematicsError(f"{what} is a half-space; only what stands still can be one")
        X = X_JL @ part.X_LS
        placed.append(shape if np.array_equal(X, np.eye(4)) else Placed(shape, X))
    if not placed:
        return None
    return placed[0] if len(placed) == 1 else Union(tuple(placed))


def _hull(file: MeshFile, what: str) -> Mesh:
    """Return the convex hull of a mesh that lies in a file."""
    if file.read is None:
        raise KinematicsError(
            f"the shape of {what} lies in the mesh '{file.file}', which was not found; "
            "give shapes for its joint"
        )
    try:
        return convex_hull(file.read())
    except (FormatError, GeometryError) as error:
        raise KinematicsError(
            f"the mesh '{file.file}' of {what} bounds no room ({error}); give shapes for its joint"
        ) from None


def movers_of(figure: Figure) -> list[int]:
    """Return for each joint the free or following joint that moves its link, ``ROOT`` for none."""
    found: list[int] = []
    for number, joint in enumerate(figure.joints):
        parent = figure.parents[number]
        above = ROOT if parent < 0 else found[parent]
        found.append(above if joint.kind == "fixed" else number)
    return found


def carried_by(figure: Figure) -> IntArray:
    """Return (joints, joints): row link, 1 where the column's joint moves it."""
    count = len(figure.joints)
    found = np.zeros((count, count), np.int64)
    for number, parent in enumerate(figure.parents):
        if parent >= 0:
            found[number] = found[parent]
        found[number, number] = 1
    return found
