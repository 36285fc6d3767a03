"""Mass properties of any bounded shape: by formula where one is known, else by its boundary."""

from __future__ import annotations

import functools

from articulata.errors import GeometryError
from articulata.geometry.constructed import solid_mesh
from articulata.geometry.constructed_mass import COARSE, constructed_mass
from articulata.geometry.mass import MassProperties, check_density
from articulata.geometry.parts import Part, parts_of
from articulata.geometry.primitive_mass import mesh_mass, primitive_mass
from articulata.geometry.shapes import PRIMITIVES, Mesh, Named, Placed, Shape


def primitive_part(shape: Shape) -> Part | None:
    """Return the one primitive or mesh that a shape is, or None for a constructed one."""
    inner = shape
    while isinstance(inner, Placed | Named):
        inner = inner.shape
    if not isinstance(inner, (*PRIMITIVES, Mesh)):
        return None
    return parts_of(shape)[0]


def closed_mass(shape: Shape, density: float) -> MassProperties:
    """Return mass, centre and inertia of a primitive or mesh by formula; ``density`` kg/m^3."""
    if isinstance(shape, PRIMITIVES):
        return primitive_mass(shape, density)
    part = primitive_part(shape)
    if part is None:
        raise GeometryError(
            f"a {type(shape).__name__.lower()} has no closed form; use ConstructedSolids"
        )
    if isinstance(part.shape, Mesh):
        solid_mesh(part.shape, COARSE)  # refuses what is not closed
        return mesh_mass(part.shape, density).transformed(part.X_BS)
    return primitive_mass(part.shape, density).transformed(part.X_BS)


@functools.lru_cache(maxsize=8192)
def mass_properties(shape: Shape, density: float) -> MassProperties:
    """Return the mass properties of any bounded shape; ``density`` kg/m^3.

    Equal shapes are computed once. The arrays are shared and cannot be written.

    >>> from articulata.geometry.shapes import Cuboid
    >>> mass_properties(Cuboid(1.0, 3.0, 1.0), 2.0).inertia.diagonal()
    array([5., 1., 5.])
    """
    rho = check_density(density)
    if primitive_part(shape) is None:
        return constructed_mass(shape, rho)
    return closed_mass(shape, rho)
