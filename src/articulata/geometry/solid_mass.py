"""Mass properties of any bounded shape: by formula where one is known, else by its boundary.

A constructed solid of flat faces is exact as it is. Where faces are curved, the moments come from
the exact faces (:mod:`articulata.geometry.exact_boundary`), which say how far their integrals
settled, over two meshes of different fineness: the mesh gives topology only, so the two agree to
rounding unless surfaces nearly touch. Where they do not agree, finer meshes are tried, and beside
them the moments of the facets themselves, extrapolated over n, 2n, 4n sides (Richardson); the
result is the one with the smaller error, which is stated.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array
from articulata.geometry.constructed import SolidMesh, emptiness, solid_mesh
from articulata.geometry.exact_boundary import exact_moments, moment_scale
from articulata.geometry.mass import (
    ROUNDING,
    MassProperties,
    check_density,
    from_moments,
    mesh_mass,
    primitive_mass,
    tetrahedra_moments,
)
from articulata.geometry.parts import Part, parts_of
from articulata.geometry.shapes import PRIMITIVES, Mesh, Named, Placed, Shape

COARSE = 48
"""Sides of a circle in the mesh whose result is given: the fewer, the less rounding."""

FINER = (128, 256, 512)
"""Sides in the meshes that confirm it, tried in turn. Where parts may touch, meshes have corners
(:mod:`articulata.geometry.constructed`); any other graze is seen if it reaches deeper than a
facet of 128 sides lies below its circle, 3e-4 of the radius."""

CAUTION = 10.0
"""What an integral's last change is taken times: at the tip of a section that grazes a face its
panels shrink towards the tip, and what is left is up to some five times the last change."""

EXTRAPOLATED = (128, 256, 512)
"""Sides in the three meshes of the extrapolation."""

AGREED = 1e-11
"""Relative difference of two results that are taken as equal but for rounding."""

SETTLED = 1e-13
"""Relative difference under which the coarser mesh's result is given: it has less rounding."""

EMPTY = 1e-13
"""Volume over cubed extent under which only rounding is left of a solid."""

LEAST_ERROR = 1e-12
"""The accuracy stated where results agree to the last digits: grazing faces too small for both
meshes may still be missing."""


@dataclass(frozen=True, slots=True, eq=False)
class Extrapolation:
    """Moments ``(10,)`` for n -> infinity, their error estimate, and the order of convergence.

    ``order`` is that of the volume's facet error in 1/n; 2 where all is smooth.
    """

    values: Array
    error: float
    order: float


def constructed_mass(shape: Shape, density: float) -> MassProperties:
    """Return the mass properties of any bounded shape through its triangles."""
    values, origin, accuracy = _moments(shape)
    second = _second(values)
    return from_moments(density, float(values[0]), values[1:4], second, origin, accuracy)


@functools.lru_cache(maxsize=1024)
def _moments(shape: Shape) -> tuple[Array, Array, float]:
    """Return the ten moments about an origin, the origin, and the relative error."""
    mesh, coarsest = _first_mesh(shape)
    origin = 0.5 * (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0))
    size = float(np.max(np.ptp(mesh.vertices, axis=0)))
    if facet_moments(mesh, origin)[0] <= EMPTY * size**3:
        raise GeometryError(emptiness(shape))
    if mesh.is_flat():
        return facet_moments(mesh, origin), origin, ROUNDING
    best, best_own = exact_moments(mesh, origin)
    error = np.inf
    bound = facet_bound(mesh, coarsest) * coarsest**2
    for segments in (n for n in FINER if n > coarsest):
        finer = solid_mesh(shape, segments, touching=True)
        values, own = exact_moments(finer, origin)
        # either result bounds the other's error: its own, and what they differ by
        gap = max(relative_difference(best, values), CAUTION * min(own, best_own))
        off = relative_difference(values, facet_moments(finer, origin))
        # exact faces and facets of one mesh may differ by the facets' depth, not by more
        error = gap if off <= bound / segments**2 else np.inf
        if error > SETTLED:
            best, best_own = values, own
        if error <= AGREED:
            return best, origin, max(error, LEAST_ERROR)
    if coarsest > COARSE:
        return best, origin, error
    smooth = extrapolate([facet_moments(solid_mesh(shape, n), origin) for n in EXTRAPOLATED])
    if smooth.error < error:
        return smooth.values, origin, smooth.error
    return best, origin, error


def _first_mesh(shape: Shape) -> tuple[SolidMesh, int]:
    """Return the coarsest mesh in which anything is left of a solid, and its sides."""
    try:
        return solid_mesh(shape, COARSE, touching=True), COARSE
    except GeometryError:
        # parts that only graze each other may meet in a finer mesh
        return solid_mesh(shape, FINER[0], touching=True), FINER[0]


def facet_moments(mesh: SolidMesh, origin: Array) -> Array:
    """Return the ten moments ``(10,)`` inside the facets themselves."""
    volume, first, second = tetrahedra_moments((mesh.vertices - origin)[mesh.triangles])
    xx, yy, zz = np.diag(second)
    return np.array(
        [volume, *first, xx, yy, zz, second[0, 1], second[1, 2], second[2, 0]], dtype=np.float64
    )


def facet_bound(mesh: SolidMesh, segments: int) -> float:
    """Return a bound on the relative error of the facets: their depth below the round surface."""
    V = mesh.vertices
    a, b, c = (V[mesh.triangles[:, i]] for i in range(3))
    area = 0.5 * float(np.sum(np.linalg.norm(np.cross(b - a, c - a), axis=1)))
    volume = abs(float(np.einsum("ij,ij->", a, np.cross(b, c)))) / 6
    radius = max((s.radius for s in mesh.surfaces if s is not None), default=0.0)
    return 5 * area * radius * (np.pi / segments) ** 2 / volume


def extrapolate(levels: list[Array]) -> Extrapolation:
    """Return the limit of moments at n, 2n, 4n sides, taking errors in even powers of 1/n."""
    coarse, middle, fine = levels
    first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    limit = (16 * second - first) / 15
    steps = abs(coarse[0] - middle[0]), abs(middle[0] - fine[0])
    order = float(np.log2(steps[0] / steps[1])) if min(steps) > 0 else np.inf
    error = relative_difference(second, limit)
    if abs(order - 2) > ORDER_SLACK:
        # kinks: the series in 1/n^2 does not hold, and only the finest facets are to be trusted
        error = relative_difference(fine, limit)
    return Extrapolation(limit, error, order)


ORDER_SLACK = 0.1
"""How far the observed order may lie from 2 for an extrapolation to be believed."""


def relative_difference(a: Array, b: Array) -> float:
    """Return the largest difference of two sets of moments, each degree by its own scale."""
    return float(np.max(np.abs(a - b) / moment_scale(b)))


def _second(values: Array) -> Array:
    xx, yy, zz, xy, yz, zx = values[4:]
    return np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])


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
