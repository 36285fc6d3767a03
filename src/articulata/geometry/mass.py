"""Mass properties of bodies: mass, centre, inertia, and how well they are known.

SI units. ``center`` is ``p_BC_B``, the centre of mass C from the body's origin; ``inertia`` is
about C in the axes of B and includes the density: kg m^2, with minus the products of inertia
off the diagonal. Source of the laws: Goldstein, Classical Mechanics, 5.3 (parallel axes).

Those of the primitives are formulas, exact to rounding: every sum has terms of one sign, so nothing
cancels, however slender the shape. ``a`` and ``b`` are the radii of a cone at back and front, ``h``
lengths along z, ``m`` masses. Sources: Mirtich, Fast and accurate computation of polyhedral mass
properties, J. Graphics Tools 1 (1996) 31 (polygons and meshes); Beer & Johnston, Vector Mechanics,
appendix (the others).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.geometry.poses import check_pose
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    ExtrudedPolygon,
    HalfSpace,
    Mesh,
    Primitive,
    Prism,
    Sphere,
)

ROUNDING = 4e-15
"""Relative error of a closed form in double precision, stated as ``accuracy``. Unitless."""


@dataclass(frozen=True, slots=True, eq=False)
class MassProperties:
    """What dynamics needs to know of a body's material.

    ``mass`` kg, ``volume`` m^3, ``center`` ``(3,)`` m, ``inertia`` ``(3, 3)`` kg m^2 about the
    centre, ``accuracy`` the relative error reached (of volume, of inertia by its largest entry).
    """

    mass: float
    volume: float
    center: Float64[Array, "3"]
    inertia: Float64[Array, "3 3"]
    accuracy: float = ROUNDING

    def inertia_about(self, p_BP: npt.ArrayLike) -> Float64[Array, "3 3"]:
        """Return the inertia ``(3, 3)`` about a point P of the body, in its axes; kg m^2."""
        return self.inertia + self.mass * _point_inertia(np.asarray(p_BP) - self.center)

    def transformed(self, X_AB: npt.ArrayLike) -> MassProperties:
        """Return the same material described in frame A."""
        X = check_pose(X_AB)
        R = X[:3, :3]
        inertia = R @ self.inertia @ R.T
        return _frozen(
            self.mass,
            self.volume,
            R @ self.center + X[:3, 3],
            0.5 * (inertia + inertia.T),
            self.accuracy,
        )

    def scaled(self, factor: float) -> MassProperties:
        """Return the properties of the body enlarged about its origin, its density kept."""
        s = float(factor)
        if not (math.isfinite(s) and s > 0):
            raise GeometryError(f"a body cannot be scaled by {factor!r}; give a number > 0")
        return _frozen(
            self.mass * s**3,
            self.volume * s**3,
            self.center * s,
            self.inertia * s**5,
            self.accuracy,
        )

    def with_mass(self, mass: float) -> MassProperties:
        """Return the properties of the same solid with its density changed to give ``mass``."""
        if not (math.isfinite(mass) and mass > 0):
            raise GeometryError(f"a mass of {mass!r} kg is not allowed; give a number > 0")
        ratio = mass / self.mass
        return _frozen(mass, self.volume, self.center, self.inertia * ratio, self.accuracy)

    def principal(self) -> tuple[Float64[Array, "3"], Float64[Array, "3 3"]]:
        """Return the moments ``(3,)``, ascending, and right-handed axes as columns ``(3, 3)``."""
        moments, axes = np.linalg.eigh(self.inertia)
        if np.linalg.det(axes) < 0:
            axes[:, 2] = -axes[:, 2]
        return moments, axes


def combine(parts: Iterable[MassProperties]) -> MassProperties:
    """Return the properties of parts welded together, all described in one frame.

    Densities may differ. The parts must not overlap: what overlaps would be counted twice.
    """
    every = list(parts)
    if not every:
        raise GeometryError("nothing to combine: give at least one part with mass properties")
    mass = math.fsum(p.mass for p in every)
    center = np.array([math.fsum(p.mass * p.center[i] for p in every) / mass for i in range(3)])
    inertia = np.sum([p.inertia_about(center) for p in every], axis=0)
    return _frozen(
        mass,
        math.fsum(p.volume for p in every),
        center,
        inertia,
        max(p.accuracy for p in every),
    )


def from_moments(
    density: float, volume: float, first: Array, second: Array, origin: Array, accuracy: float
) -> MassProperties:
    """Return the properties of a solid from its volume moments about ``origin``.

    ``volume`` m^3; ``first`` ``(3,)`` m^4; ``second`` ``(3, 3)`` m^5, the integral of
    ``r r^T``.
    """
    offset = first / volume
    central = second - volume * np.outer(offset, offset)
    inertia = density * (np.trace(central) * np.eye(3) - central)
    return _frozen(density * volume, volume, origin + offset, 0.5 * (inertia + inertia.T), accuracy)


def six_moments(inertia: Array) -> tuple[float, ...]:
    """Return the moments of inertia in a matrix (3, 3) and its products, as they are written."""
    rows, columns = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
    return tuple(inertia[rows, columns].tolist())


def check_density(density: float) -> float:
    """Return the density as a float, or say what is allowed."""
    try:
        value = float(density)
    except (TypeError, ValueError):
        raise GeometryError(f"a density must be a number in kg/m^3, not {density!r}") from None
    if not (math.isfinite(value) and value > 0):
        raise GeometryError(
            f"a density of {value:g} kg/m^3 is not allowed; give a finite number greater than 0"
        )
    return value


def _point_inertia(p: Array) -> Array:
    """Return ``p.p 1 - p p^T``, the inertia of a unit mass at ``p``."""
    out: Array = float(p @ p) * np.eye(3) - np.outer(p, p)
    return out


def _frozen(
    mass: float, volume: float, center: Array, inertia: Array, accuracy: float
) -> MassProperties:
    """Return mass properties whose arrays cannot be written: they are shared through caches."""
    center.setflags(write=False)
    inertia.setflags(write=False)
    return MassProperties(mass, volume, center, inertia, accuracy)


def primitive_mass(shape: Primitive, density: float) -> MassProperties:
    """Return the mass properties of a primitive in its own frame; ``density`` kg/m^3."""
    match shape:
        case Cuboid(x, y, z):
            volume = x * y * z
            m = density * volume / 12
            xx, yy, zz = x * x, y * y, z * z
            return _aligned(density, volume, 0.0, m * (yy + zz), m * (xx + zz), m * (xx + yy))
        case Sphere(radius):
            volume = 4 / 3 * math.pi * radius**3
            j = 0.4 * density * volume * radius * radius
            return _aligned(density, volume, 0.0, j, j, j)
        case Cylinder(radius, h):
            rr = radius * radius
            volume = math.pi * rr * h
            m = density * volume
            j = m * (3 * rr + h * h) / 12
            return _aligned(density, volume, 0.0, j, j, 0.5 * m * rr)
        case Capsule(radius, h):
            rr = radius * radius
            tube, ball = math.pi * rr * h, 4 / 3 * math.pi * rr * radius
            j = density * (
                tube * (3 * rr + h * h) / 12
                # both half balls: 2/5 r^2 about their flat sides, 3/8 r from there to the centre
                + ball * (0.4 * rr + 0.25 * h * h + 0.375 * h * radius)
            )
            axial = density * rr * (0.5 * tube + 0.4 * ball)
            return _aligned(density, tube + ball, 0.0, j, j, axial)
        case Cone(a, h, b):
            return _cone(density, a, b, h)
        case Prism(sides, radius, h):
            turn = 2 * math.pi / sides
            rr = radius * radius
            volume = 0.5 * sides * rr * math.sin(turn) * h
            m = density * volume
            axial = m * rr * (1 + 2 * math.cos(0.5 * turn) ** 2) / 6
            j = 0.5 * axial + m * h * h / 12
            return _aligned(density, volume, 0.0, j, j, axial)
        case ExtrudedPolygon():
            return _extrusion(density, shape.corners(), shape.length)
        case HalfSpace():
            raise GeometryError(
                "a half space is endless and has no mass; use it for what does not move, "
                "or give a cuboid"
            )


def mesh_mass(mesh: Mesh, density: float) -> MassProperties:
    """Return the mass properties of a closed mesh, exact to rounding."""
    return polyhedron_mass(mesh.vertices, mesh.faces, density)


def polyhedron_mass(
    vertices: Float64[Array, "n 3"], triangles: Int64[IntArray, "m 3"], density: float
) -> MassProperties:
    """Return the mass properties inside closed triangles ``(m, 3)``, outward counterclockwise.

    Tetrahedra from the middle of the vertices to each triangle are added up; about their own
    corner the moments of a tetrahedron have closed forms.
    """
    origin = 0.5 * (np.min(vertices, axis=0) + np.max(vertices, axis=0))
    volume, first, second = tetrahedra_moments((vertices - origin)[triangles])
    return from_moments(density, volume, first, second, origin, ROUNDING)


def tetrahedra_moments(
    corners: Float64[Array, "m 3 3"],
) -> tuple[float, Float64[Array, "3"], Float64[Array, "3 3"]]:
    """Return volume, first ``(3,)`` and second ``(3, 3)`` moments under triangles ``(m, 3, 3)``."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    six = np.einsum("ij,ij->i", a, np.cross(b, c))
    total = a + b + c
    first = (six @ total) / 24
    # integral of r r^T over a tetrahedron with one corner at 0: (sum of squares + square of the
    # sum) / 20 of its volume
    second = np.einsum("i,ij,ik->jk", six, total, total)
    for corner in (a, b, c):
        second += np.einsum("i,ij,ik->jk", six, corner, corner)
    return math.fsum(six) / 6, first, second / 120


def _cone(density: float, a: float, b: float, h: float) -> MassProperties:
    """Return the mass properties of a cone or frustum, z from -h/2 (radius a) to h/2 (b)."""
    aa, ab, bb = a * a, a * b, b * b
    sum2 = aa + ab + bb
    sum4 = aa * aa + aa * ab + aa * bb + ab * bb + bb * bb
    volume = math.pi * h * sum2 / 3
    m = density * volume
    axial = 0.3 * m * sum4 / sum2
    # variance of z: 3 h^2 / 80 for a cone, h^2 / 12 for a cylinder
    spread = 3 / 80 * h * h * (aa * aa + 4 * aa * ab + 10 * aa * bb + 4 * ab * bb + bb * bb)
    j = 0.5 * axial + m * spread / (sum2 * sum2)
    center_z = 0.25 * h * (b - a) * (b + a) / sum2
    return _aligned(density, volume, center_z, j, j, axial)


def _extrusion(density: float, P: Array, h: float) -> MassProperties:
    """Return the mass properties of a polygon ``(n, 2)``, counterclockwise, extruded along z."""
    corners = P.tolist()
    ox, oy = corners[0]
    area, sx, sy, *_ = _area_moments(corners, ox, oy)
    # a second pass about the centroid, where no parallel-axis term cancels
    ox, oy = ox + sx / area, oy + sy / area
    area, sx, sy, sxx, syy, sxy = _area_moments(corners, ox, oy)
    center = np.array([ox + sx / area, oy + sy / area, 0.0])
    dh, szz = density * h, area * h * h / 12
    inertia = dh * np.array([[syy + szz, -sxy, 0.0], [-sxy, sxx + szz, 0.0], [0.0, 0.0, sxx + syy]])
    center.setflags(write=False)
    inertia.setflags(write=False)
    return MassProperties(dh * area, area * h, center, inertia)


def _area_moments(corners: list[list[float]], ox: float, oy: float) -> tuple[float, ...]:
    """Return area, x and y moments, xx, yy and xy moments of a polygon about (ox, oy)."""
    terms: tuple[list[float], ...] = ([], [], [], [], [], [])
    x, y = corners[-1][0] - ox, corners[-1][1] - oy
    for corner in corners:
        u, v = corner[0] - ox, corner[1] - oy
        twice = x * v - u * y
        terms[0].append(twice / 2)
        terms[1].append(twice * (x + u) / 6)
        terms[2].append(twice * (y + v) / 6)
        terms[3].append(twice * (x * x + x * u + u * u) / 12)
        terms[4].append(twice * (y * y + y * v + v * v) / 12)
        terms[5].append(twice * (2 * (x * y + u * v) + x * v + u * y) / 24)
        x, y = u, v
    return tuple(math.fsum(term) for term in terms)


def _aligned(
    density: float, volume: float, center_z: float, ixx: float, iyy: float, izz: float
) -> MassProperties:
    """Return mass properties whose principal axes are the axes of the frame."""
    center = np.array([0.0, 0.0, center_z])
    inertia = np.array([[ixx, 0.0, 0.0], [0.0, iyy, 0.0], [0.0, 0.0, izz]])
    center.setflags(write=False)
    inertia.setflags(write=False)
    return MassProperties(density * volume, volume, center, inertia)
