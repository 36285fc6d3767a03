"""Small hashable values that a world is written in: vectors, poses, spans, materials.

World nodes are compared, hashed and shared between versions of a world, so they hold tuples,
not arrays. ``Pose.matrix()`` and ``np.asarray`` lead into the array world.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PureWindowsPath
from typing import TypeAlias

import numpy as np

from articulata.geometry.arrays import Array

Vector3: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]
"""w, x, y, z; unit length."""

ZERO: Vector3 = (0.0, 0.0, 0.0)
NO_TURN: Quaternion = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Span:
    """Where a node stands in its text: ``file``, and ``line`` and ``column`` counted from 1.

    A node built in Python has ``file`` "<python>" and line 0.
    """

    file: str = "<python>"
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def without_folder(self) -> Span:
        """Return the place with the file's name alone, as recordings on all machines have it."""
        return replace(self, file=PureWindowsPath(self.file).name)


NOWHERE = Span()


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose ``X_AB`` of a frame B in a frame A: ``position`` in m, ``orientation`` w first."""

    position: Vector3 = ZERO
    orientation: Quaternion = NO_TURN

    def matrix(self) -> Array:
        """Return the pose as a (4, 4) matrix."""
        X = np.eye(4)
        X[:3, :3] = self.rows()
        X[:3, 3] = self.position
        return X

    def rows(self) -> tuple[tuple[float, ...], ...]:
        """Return the rows of the orientation's (3, 3) matrix."""
        w, x, y, z = self.orientation
        return (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )


@dataclass(frozen=True, slots=True)
class Material:
    """What a body is made of.

    ``density`` in kg/m^3; ``friction`` is Coulomb's coefficient, ``restitution`` Newton's.
    """

    name: str = ""
    density: float | None = None
    friction: float | None = None
    restitution: float | None = None
    color: str | tuple[float, ...] | None = None


def vector_of(values: Array) -> Vector3:
    """Return an array of three numbers as a vector of plain ones."""
    x, y, z = np.asarray(values, float).tolist()
    return (x, y, z)
