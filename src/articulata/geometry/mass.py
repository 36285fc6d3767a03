"""Mass properties of bodies: mass, centre, inertia, and how well they are known.

SI units. ``center`` is ``p_BC_B``, the centre of mass C from the body's origin; ``inertia`` is
about C in the axes of B and includes the density: kg m^2, with minus the products of inertia
off the diagonal. Source of the laws: Goldstein, Classical Mechanics, 5.3 (parallel axes).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.poses import check_pose

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
