"""Solids: mass, features, triangles and contact of any shape, behind one protocol.

Two backends answer: :class:`ClosedForm` for primitives, by formula, exact to rounding, and
:class:`ConstructedSolids` for everything bounded, through triangles and the exact faces under
them. :func:`mass_properties` picks the one that fits. SI units; a shape's frame is the body's
frame B.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry import convex
from articulata.geometry.arrays import Array
from articulata.geometry.constructed import tessellate
from articulata.geometry.mass import MassProperties, check_density, combine
from articulata.geometry.named_features import Feature, features
from articulata.geometry.shapes import Mesh, Placed, Shape
from articulata.geometry.solid_mass import (
    COARSE,
    closed_mass,
    constructed_mass,
    mass_properties,
    primitive_part,
)
from articulata.geometry.tessellation import Tessellation

__all__ = [
    "ClosedForm",
    "ConstructedSolids",
    "MassProperties",
    "SolidKernel",
    "combine",
    "kernel_for",
    "mass_properties",
]


class SolidKernel(Protocol):
    """What the rest of the house asks of a backend for solids."""

    def volume(self, shape: Shape) -> float:
        """Return the volume, m^3."""
        ...

    def centroid(self, shape: Shape) -> Array:
        """Return the centre of volume ``(3,)``, m."""
        ...

    def inertia(self, shape: Shape, density: float) -> Array:
        """Return the inertia ``(3, 3)`` about the centroid, kg m^2."""
        ...

    def mass_properties(self, shape: Shape, density: float) -> MassProperties:
        """Return mass, centre and inertia with the accuracy reached; ``density`` kg/m^3."""
        ...

    def features(self, shape: Shape) -> Mapping[str, Feature]:
        """Return the named features of the shape."""
        ...

    def transformed(self, shape: Shape, X_AB: npt.ArrayLike) -> Shape:
        """Return the shape placed in frame A."""
        ...

    def intersects(self, a: Shape, b: Shape) -> bool:
        """Return whether the solids share a point; both are given in one frame."""
        ...

    def contact_features(self, a: Shape, b: Shape) -> tuple[tuple[str, str], ...]:
        """Return the pairs of faces, of ``a`` and of ``b``, where the solids meet."""
        ...

    def tessellate(self, shape: Shape, segments: int = 48) -> Tessellation:
        """Return triangles that know their faces."""
        ...


class _FromMass(ABC):
    """What follows from mass, centre and inertia, or is the same for every backend."""

    __slots__ = ()

    @abstractmethod
    def mass_properties(self, shape: Shape, density: float) -> MassProperties:
        """Return mass, centre and inertia; ``density`` kg/m^3."""

    def volume(self, shape: Shape) -> float:
        """Return the volume, m^3."""
        return self.mass_properties(shape, 1.0).volume

    def centroid(self, shape: Shape) -> Array:
        """Return the centre of volume ``(3,)``, m."""
        return self.mass_properties(shape, 1.0).center

    def inertia(self, shape: Shape, density: float) -> Array:
        """Return the inertia ``(3, 3)`` about the centroid, kg m^2."""
        return self.mass_properties(shape, density).inertia

    def features(self, shape: Shape) -> Mapping[str, Feature]:
        """Return the named features of the shape."""
        return features(shape)

    def transformed(self, shape: Shape, X_AB: npt.ArrayLike) -> Shape:
        """Return the shape placed in frame A."""
        return Placed(shape, X_AB)


@dataclass(frozen=True, slots=True)
class ClosedForm(_FromMass):
    """Primitives and meshes, placed and named, by formula: exact to rounding."""

    def mass_properties(self, shape: Shape, density: float) -> MassProperties:
        """Return mass, centre and inertia; ``density`` kg/m^3."""
        return closed_mass(shape, check_density(density))

    def intersects(self, a: Shape, b: Shape) -> bool:
        """Return whether two primitives share a point, by convex distance."""
        for shape in (a, b):
            part = primitive_part(shape)
            if part is None or isinstance(part.shape, Mesh):
                raise GeometryError(
                    "only primitives have a convex distance; use ConstructedSolids for "
                    f"a {type(shape).__name__.lower()}"
                )
        return convex.primitives_intersect(a, b)

    def contact_features(self, a: Shape, b: Shape) -> tuple[tuple[str, str], ...]:
        """Return the pairs of faces, of ``a`` and of ``b``, that cross each other."""
        return convex.meeting_faces(a, b, COARSE)

    def tessellate(self, shape: Shape, segments: int = COARSE) -> Tessellation:
        """Return triangles that know their faces."""
        return tessellate(shape, segments)


@dataclass(frozen=True, slots=True)
class ConstructedSolids(_FromMass):
    """Any bounded shape, through triangles and the exact faces under them.

    ``segments`` is the number of sides of a circle where contact is looked for.
    """

    segments: int = 96

    def mass_properties(self, shape: Shape, density: float) -> MassProperties:
        """Return mass, centre and inertia with the accuracy reached; ``density`` kg/m^3."""
        return constructed_mass(shape, check_density(density))

    def intersects(self, a: Shape, b: Shape) -> bool:
        """Return whether the solids share some volume."""
        return convex.solids_intersect(a, b, self.segments)

    def contact_features(self, a: Shape, b: Shape) -> tuple[tuple[str, str], ...]:
        """Return the pairs of faces, of ``a`` and of ``b``, that cross each other."""
        return convex.meeting_faces(a, b, self.segments)

    def tessellate(self, shape: Shape, segments: int = COARSE) -> Tessellation:
        """Return triangles that know their faces."""
        return tessellate(shape, segments)


def kernel_for(shape: Shape) -> SolidKernel:
    """Return the backend that knows a shape best."""
    return ConstructedSolids() if primitive_part(shape) is None else ClosedForm()
