"""What descriptions of links share, URDF's and SDF's: shapes, inertia, places of files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from articulata.errors import GeometryError
from articulata.formats.xml import Element, number, numbers
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Capsule, Cuboid, Cylinder, Shape, Sphere

PACKAGE = "package://"
FILE = "file://"


def locate(element: Element, name: str, folder: Path, roots: Sequence[Path]) -> Path | None:
    """Return where the mesh ``name`` lies, None where it is not found.

    ``package://arm/meshes/a.stl`` is looked for as ``arm/meshes/a.stl`` in each root and in the
    folders above ``folder``, and as ``meshes/a.stl`` in those that are called ``arm``; so with each
    folder of the address. Other names are relative to ``folder``, then to the roots.
    """
    return next((place for place in places(element, name, folder, roots) if place.is_file()), None)


def places(element: Element, name: str, folder: Path, roots: Sequence[Path]) -> Iterator[Path]:
    """Yield the places where ``locate`` looks, in order."""
    if name.startswith(PACKAGE):
        parts = name.removeprefix(PACKAGE).split("/")
        for root in (*roots, folder, *folder.parents):
            if root.name in parts[:-1]:
                yield root.joinpath(*parts[parts.index(root.name) + 1 :])
            yield root.joinpath(*parts)
    elif name.startswith(FILE):
        yield Path(name.removeprefix(FILE))
    elif "://" in name:
        raise element.error(
            f'{element}: filename="{name}" is an address; only files are read: give package://, '
            "a file address or a path relative to the description"
        )
    else:
        for root in (folder, *roots):
            yield root / name


ROUNDING = 1e-12
"""kg m^2. A moment of inertia that is less than 0 by no more is rounding."""


def primitive(element: Element) -> Shape | None:
    """Return the box, sphere, cylinder or capsule of an element; None for another one."""
    try:
        match element.tag:
            case "box":
                return Cuboid(*numbers(element, "size", 3))
            case "sphere":
                return Sphere(number(element, "radius"))
            case "cylinder":
                return Cylinder(number(element, "radius"), number(element, "length"))
            case "capsule":
                return Capsule(number(element, "radius"), number(element, "length"))
    except GeometryError as error:
        raise element.error(str(error)) from None
    return None


def inertia(
    inertial: Element, entries: Element | None, name: str, mass: float, R_LI: Array
) -> Array:
    """Return the inertia (3, 3) kg m^2 of link ``name`` in its axes L, from ``entries`` in I.

    0 where there are none. What no body has is refused, a negative ``mass`` (kg) too.
    """
    if mass < 0.0:
        raise inertial.error(f"link '{name}' has mass {mass:g} kg; give 0 or more")
    ixx, ixy, ixz, iyy, iyz, izz = (
        0.0 if entries is None else number(entries, each, 0.0)
        for each in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    for axis, moment in zip(("ixx", "iyy", "izz"), (ixx, iyy, izz), strict=True):
        if -ROUNDING <= moment < 0.0:
            inertial.warn(f"link '{name}' has {axis} = {moment:g} kg m^2, which is taken as 0")
        elif moment < 0.0:
            raise inertial.error(
                f"link '{name}' has {axis} = {moment:g} kg m^2; a moment of inertia is 0 or more"
            )
    ixx, iyy, izz = (max(0.0, moment) for moment in (ixx, iyy, izz))
    I = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])  # noqa: E741 -- its symbol
    turned: Array = R_LI @ I @ R_LI.T
    # Rounding makes the turned matrix unsymmetric in its last digits.
    return 0.5 * (turned + turned.T)
