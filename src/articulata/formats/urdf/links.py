"""Links of a description: masses, shapes, materials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from articulata.formats.attribute_values import number, numbers, pose
from articulata.formats.link_elements import inertia, locate, places, primitive
from articulata.formats.xml import Element
from articulata.geometry.shapes import Shape
from articulata.kinematics.link import Color, Link, MeshFile, Part


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
    X_LI = pose(inertial)
    moments = inertia(inertial, inertial.one("inertia"), name, mass, X_LI[:3, :3])
    x, y, z = X_LI[:3, 3].tolist()
    return Link(name, mass, (x, y, z), moments, visuals, collisions)


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
    form = primitive(element)
    if form is not None:
        return form
    name = element.text("filename")
    x, y, z = numbers(element, "scale", 3, "1 1 1")
    found = locate(element, name, around.folder, around.roots)
    if found is None and not around.allow_missing_meshes:
        raise not_found(element, name, around.folder, around.roots)
    return MeshFile(name, (x, y, z), "" if found is None else str(found))


_FOREIGN = ("plane", "cdf")
"""What Bullet adds to the format."""
_SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")
