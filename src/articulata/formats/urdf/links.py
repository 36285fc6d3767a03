"""Links of a description: masses, shapes, materials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from articulata.errors import GeometryError
from articulata.formats.urdf.attribute_values import number, numbers, pose
from articulata.formats.xml import Element
from articulata.geometry.shapes import Capsule, Cuboid, Cylinder, Shape, Sphere
from articulata.kinematics.link import Color, Link, MeshFile, Part

# ---- where the mesh files of a description lie


PACKAGE = "package://"
FILE = "file://"


def locate(element: Element, name: str, folder: Path, roots: Sequence[Path]) -> Path | None:
    """Return where the mesh ``name`` lies, None where it is not found.

    ``package://arm/meshes/a.stl`` is looked for as ``arm/meshes/a.stl`` in each root and in the
    folders above ``folder``, and as ``meshes/a.stl`` in those that are called ``arm``. Other names
    are relative to ``folder``, then to the roots.
    """
    return next((place for place in places(element, name, folder, roots) if place.is_file()), None)


def places(element: Element, name: str, folder: Path, roots: Sequence[Path]) -> Iterator[Path]:
    """Yield the places where ``locate`` looks, in order."""
    if name.startswith(PACKAGE):
        package, _, rest = name.removeprefix(PACKAGE).partition("/")
        for root in (*roots, folder, *folder.parents):
            if root.name == package:
                yield root / rest
            yield root / package / rest
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


def not_found(element: Element, name: str, folder: Path, roots: Sequence[Path]) -> Exception:
    """Return the error that names a missing mesh and the places where it was looked for."""
    looked = list(places(element, name, folder, roots))
    shown = "".join(f"\n  {place}" for place in looked[:8])
    more = f"\n  and {len(looked) - 8} folders above" if len(looked) > 8 else ""
    return element.error(
        f"mesh '{name}' is not there; it was looked for at{shown}{more}\n"
        "Put it there. In Python, roots=(...) names more folders, and allow_missing_meshes=True "
        "goes on without it."
    )


ROUNDING = 1e-12
"""kg m^2. A moment of inertia that is less than 0 by no more is rounding."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where meshes are looked for, and the colours of materials by name."""

    folder: Path
    roots: Sequence[Path]
    allow_missing_meshes: bool
    colors: dict[str, Color]


def materials(robot: Element) -> dict[str, Color]:
    """Return the colours of all materials: those of the robot, and those that visuals define."""
    found: dict[str, Color] = {}
    visuals = [visual for link in robot.all("link") for visual in link.all("visual")]
    for parent in (robot, *visuals):
        for material in parent.all("material"):
            color = material.one("color")
            if color is not None:
                rgba = numbers(color, "rgba", 4)
                if not all(0.0 <= part <= 1.0 for part in rgba):
                    raise color.error(
                        f"{material}: rgba takes four numbers from 0 to 1, not {rgba}"
                    )
                found.setdefault(material.attributes.get("name", ""), rgba)
    return found


def read_link(element: Element, around: Surroundings) -> Link:
    """Return the link that ``element`` describes."""
    name = element.text("name")
    visuals, collisions = (
        tuple(part for each in element.all(tag) if (part := _part(each, around)) is not None)
        for tag in ("visual", "collision")
    )
    inertial = element.one("inertial")
    if inertial is None:
        return Link(name, visuals=visuals, collisions=collisions)
    mass = number(inertial.need("mass"), "value")
    if mass < 0.0:
        raise inertial.error(f"link '{name}' has mass {mass:g} kg; give 0 or more")
    X_LI = pose(inertial)
    entries = inertial.one("inertia")
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
    R = X_LI[:3, :3]
    turned = R @ I @ R.T
    x, y, z = X_LI[:3, 3].tolist()
    # Rounding makes the turned matrix unsymmetric in its last digits.
    return Link(name, mass, (x, y, z), (turned + turned.T) / 2, visuals, collisions)


def _part(element: Element, around: Surroundings) -> Part | None:
    """Return a part of a link, None for one that is passed over with a warning."""
    name = element.attributes.get("name", "")
    geometry = element.need("geometry")
    known = [child for child in geometry.children if child.tag in _SHAPES]
    others = [child for child in geometry.children if child.tag in _FOREIGN]
    if not known and others:
        others[0].warn(f"a shape <{others[0].tag}> is of one simulator alone and is passed over")
        return None
    if known and known[0].tag == "sphere" and number(known[0], "radius") == 0.0:
        known[0].warn("a sphere of radius 0 is nothing and is passed over")
        return None
    if len(known) != 1:
        given = ", ".join(f"<{child.tag}>" for child in geometry.children) or "nothing"
        raise geometry.error(
            f"<geometry> holds one of {', '.join(f'<{tag}>' for tag in _SHAPES)}; this has {given}"
        )
    shape = _shape(known[0], around)
    color = None
    material = element.one("material")
    if material is not None:
        own = material.one("color")
        # A material without a colour, or with a texture alone, leaves the choice to who draws it.
        named = around.colors.get(material.attributes.get("name", ""))
        color = numbers(own, "rgba", 4) if own is not None else named
    return Part(shape, pose(element), color, name)


def _shape(element: Element, around: Surroundings) -> Shape | MeshFile:
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
    name = element.text("filename")
    x, y, z = numbers(element, "scale", 3, "1 1 1")
    found = locate(element, name, around.folder, around.roots)
    if found is None and not around.allow_missing_meshes:
        raise not_found(element, name, around.folder, around.roots)
    return MeshFile(name, (x, y, z), "" if found is None else str(found))


_FOREIGN = ("plane", "cdf")
"""What Bullet adds to the format."""
_SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")
