"""Links: what the joints of a figure carry. Mass, and shapes to see and to touch.

L is the link's frame. A joint's link moves with the joint; a figure's root link stands still.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Mesh, Shape

Color: TypeAlias = str | tuple[float, ...]
"""A colour by its name, or three or four numbers from 0 to 1."""


@dataclass(frozen=True, slots=True)
class MeshFile:
    """A mesh that lies in a file: ``file`` as the source names it, ``scale`` along x, y, z.

    ``path`` is where the file was found, "" where it was not looked for or is missing. Who found it
    gives ``read``, which returns its surface in m or raises FormatError.
    """

    file: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    path: str = ""
    read: Callable[[], Mesh] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A shape on a link, at ``X_LS`` (4, 4)."""

    shape: Shape | MeshFile
    X_LS: Array = field(default_factory=lambda: np.eye(4))
    color: Color | None = None
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "X_LS", _pose(self.X_LS, f"X_LS of part '{self.name}'"))


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A rigid link: ``mass`` in kg, ``center`` of mass in L in m, ``inertia`` in kg m^2.

    ``inertia`` (3, 3) is about the centre of mass, in the axes of L. ``visuals`` are what is
    seen, ``collisions`` what touches. A link without a known mass has mass 0.
    """

    name: str = ""
    mass: float = 0.0
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    visuals: tuple[Part, ...] = ()
    collisions: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mass) and self.mass >= 0.0):
            raise KinematicsError(f"link '{self.name}' has mass {self.mass}; give kg, 0 or more")
        center = np.asarray(self.center, float)
        if center.shape != (3,) or not np.isfinite(center).all():
            raise KinematicsError(
                f"the centre of mass of link '{self.name}' must be three numbers, not {center}"
            )
        inertia = np.array(self.inertia, float)
        if inertia.shape != (3, 3) or not np.isfinite(inertia).all():
            raise KinematicsError(
                f"the inertia of link '{self.name}' must be a (3, 3) matrix of finite numbers, "
                f"not shape {inertia.shape}"
            )
        if not np.allclose(inertia, inertia.T, rtol=1e-9, atol=0.0):
            raise KinematicsError(f"the inertia of link '{self.name}' is not symmetric")
        inertia.flags.writeable = False
        object.__setattr__(self, "center", tuple(float(each) for each in center))
        object.__setattr__(self, "inertia", inertia)
        object.__setattr__(self, "visuals", tuple(self.visuals))
        object.__setattr__(self, "collisions", tuple(self.collisions))


def _pose(given: object, what: str) -> Array:
    X = np.array(given, float)
    if X.shape != (4, 4) or not np.isfinite(X).all():
        raise KinematicsError(f"{what} must be a (4, 4) pose of finite numbers, not {X.shape}")
    X.flags.writeable = False
    return X
