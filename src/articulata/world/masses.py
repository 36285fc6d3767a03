"""What a body of a world weighs, by its shape and by what its text says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from articulata.errors import ArticulataError, ModelError
from articulata.geometry.arrays import Array
from articulata.world.model import Body
from articulata.world.values import Material

if TYPE_CHECKING:
    from articulata.geometry.mass import MassProperties


def lacks_dynamics(body: Body) -> bool:
    """Return whether a body has a density and no ``dynamics``, so that it stays where it is."""
    return body.motion == "fixed" and not body.dynamic and body.density is not None


LIGHTEST, HEAVIEST = 1e-60, 1e60
"""Masses (kg) beyond which their products leave the range of numbers."""


def body_mass(body: Body) -> MassProperties | None:
    """Return a body's mass properties from its shape and properties; None without a mass.

    ``density`` or a material's density times the volume, or ``mass`` as given; ``inertia`` (three
    principal moments, six or nine numbers about the mass centre in the body's axes, kg m^2) and
    ``mass_center`` (m) override what the shape says.
    """
    from articulata.geometry.mass import MassProperties

    density = _number(body, "density")
    if density is None:
        density = _material_density(body)
    mass, inertia = _number(body, "mass"), _inertia(body)
    if mass is not None:
        _check_range(body, mass)
    center = _triple(body, "mass_center")
    found: MassProperties | None = None
    if mass is not None and inertia is not None and (body.shape is None or center is not None):
        # all is given: what a limb's shape would say takes a second and is not asked
        found = MassProperties(mass, 0.0, np.zeros(3), inertia)
    elif body.shape is not None and (density is not None or mass is not None):
        found = _solid(body, 1.0 if density is None else density)
        if mass is not None:
            found = found.with_mass(mass)
    if found is None:
        return None
    _check_range(body, found.mass)
    if inertia is not None:
        found = replace(found, inertia=inertia)
    return found if center is None else replace(found, center=center)


def _check_range(body: Body, mass: float) -> None:
    if not LIGHTEST <= mass <= HEAVIEST:
        raise ModelError(
            f"{body.span}: body '{body.id}' has a mass of {mass:g} kg, which cannot be "
            f"computed with; give one from {LIGHTEST:g} to {HEAVIEST:g} kg"
        )


def _solid(body: Body, density: float) -> MassProperties:
    from articulata.geometry.solids import mass_properties

    assert body.shape is not None
    try:
        return mass_properties(body.shape, density)
    except ArticulataError as error:
        raise ModelError(f"{body.span}: body '{body.id}': {error}") from error


def _number(body: Body, name: str) -> float | None:
    value = body.properties.get(name)
    if value is None:
        return None
    if isinstance(value, bool | str | tuple | Material) or not (math.isfinite(value) and value > 0):
        raise ModelError(
            f"{body.span}: body '{body.id}' has {name} {value!r}; "
            "give a finite number greater than 0"
        )
    return float(value)


def _material_density(body: Body) -> float | None:
    material = body.material
    if material is None:
        given = body.properties.get("material")
        material = given if isinstance(given, Material) else None
    if material is None or material.density is None:
        return None
    if not (math.isfinite(material.density) and material.density > 0):
        raise ModelError(
            f"{body.span}: body '{body.id}' is made of a material with density "
            f"{material.density!r} ({material.name}); give a finite number of kg/m^3 greater than 0"
        )
    return material.density


def _triple(body: Body, name: str) -> Array | None:
    value = body.properties.get(name)
    if value is None:
        return None
    if not isinstance(value, tuple) or len(value) != 3 or not np.all(np.isfinite(value)):
        raise ModelError(
            f"{body.span}: body '{body.id}' has {name} {value!r}; give three finite numbers"
        )
    return np.array(value, dtype=float)


def _inertia(body: Body) -> Array | None:
    value = body.properties.get("inertia")
    if value is None:
        return None
    numbers = value if isinstance(value, tuple) else (value,)
    matrix: Array | None = None
    try:
        J = np.array(numbers, dtype=float)
    except (TypeError, ValueError):
        J = np.array([np.nan])
    if J.size == 3:
        matrix = np.diag(J)
    elif J.size == 6:
        xx, yy, zz, xy, xz, yz = J.ravel()
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    elif J.size == 9 and np.allclose(J.reshape(3, 3), J.reshape(3, 3).T):
        matrix = J.reshape(3, 3)
    if matrix is None or not np.all(np.isfinite(matrix)) or np.linalg.eigvalsh(matrix)[0] <= 0:
        raise ModelError(
            f"{body.span}: body '{body.id}' has inertia {value!r}; give three principal moments, "
            "six numbers (xx, yy, zz, xy, xz, yz) or a symmetric 3 x 3 matrix, positive, in kg m^2"
        )
    return matrix
