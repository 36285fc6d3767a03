"""Links and joints of a description: masses, shapes, materials; joints made canonical.

A joint is about or along z and has one coordinate.
``planar`` and ``floating`` joints have two or six freedoms more than the format's other joints;
they become a row of simple joints: ``NAME.x``, ``NAME.y`` and ``NAME.turn`` in the plane across the
axis; ``NAME.x``, ``NAME.y``, ``NAME.z``, ``NAME.yaw``, ``NAME.pitch``, ``NAME.roll``.
``spherical``, which Bullet adds, is the last three of these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from articulata.formats.link_elements import inertia, locate, places, primitive
from articulata.formats.xml import UNBOUNDED, Element, number, numbers, pose
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Shape
from articulata.kinematics.joint import (
    FIXED,
    PRISMATIC,
    REVOLUTE,
    UNKNOWN_MOTOR,
    UNLIMITED,
    Joint,
    Mimic,
    Motor,
    about,
)
from articulata.kinematics.link import Color, Link, MeshFile, Part
from articulata.world.named_meshes import mesh_at


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
    if found is None:
        return MeshFile(name, (x, y, z))
    path, scale = str(found), (x, y, z)
    return MeshFile(name, scale, path, partial(mesh_at, found, path, scale))


_FOREIGN = ("plane", "cdf")
"""What Bullet adds to the format."""
_SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")


KINDS = ("revolute", "continuous", "prismatic", "fixed", "planar", "floating", "spherical")
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Connection:
    """A joint of the description: the links it joins and the simple joints that it becomes.

    The last of ``joints`` carries the child. ``soft`` are the limits of a safety controller.
    """

    element: Element
    name: str
    parent: str
    child: str
    joints: tuple[Joint, ...]
    soft: tuple[float, float] | None


def read_joint(element: Element) -> Connection:
    """Return the connection that ``element`` describes."""
    name = element.text("name")
    kind = element.text("type")
    if kind not in KINDS:
        raise element.error(f"joint '{name}' has type '{kind}'; a joint is {', '.join(KINDS)}")
    parent = element.need("parent").text("link")
    child = element.need("child").text("link")
    origin = pose(element)
    axis = element.one("axis")
    direction = X if axis is None else numbers(axis, "xyz", 3, "1 0 0")
    if kind not in ("fixed", "floating", "spherical") and math.hypot(*direction) == 0.0:
        raise (axis or element).error(f"the axis of joint '{name}' is 0 0 0; give a direction")
    if kind in ("planar", "floating", "spherical"):
        if element.one("mimic") is not None:
            raise element.error(f"joint '{name}' is {kind} and cannot mimic one value")
        if kind == "planar":
            rows = _planar(name, origin, direction)
        else:
            rows = _floating(name, origin, _TURNS if kind == "spherical" else _FREE)
        joints = (*rows[:-1], replace(rows[-1], link=child))
        return Connection(element, name, parent, child, joints, None)
    if kind == "fixed":
        fixed = Joint(name, FIXED, origin, link=child)
        return Connection(element, name, parent, child, (fixed,), None)
    C = about(direction)
    limits, motor, soft = _limits(element, name, kind)
    joint = Joint(
        name,
        PRISMATIC if kind == "prismatic" else REVOLUTE,
        origin @ C,
        C.T,
        limits,
        min(max(0.0, limits[0]), limits[1]),  # the value nearest to 0
        _mimic(element),
        child,
        motor,
    )
    return Connection(element, name, parent, child, (joint,), soft)


def check_mimics(connections: list[Connection]) -> None:
    """Refuse joints that mimic what is not there, what cannot move, or each other."""
    leaders: dict[str, str] = {}
    moving: Mapping[str, Connection] = {
        each.name: each for each in connections if each.joints[-1].kind != FIXED
    }
    for each in connections:
        mimic = each.joints[-1].mimic
        if mimic is None:
            continue
        leaders[each.name] = mimic.joint
        leader = moving.get(mimic.joint)
        if leader is None or len(leader.joints) > 1:
            raise each.element.error(
                f"joint '{each.name}' mimics '{mimic.joint}', which is no joint with one value"
            )
    for each in connections:
        path = [each.name]
        while path[-1] in leaders:
            path.append(leaders[path[-1]])
            if path[-1] in path[:-1]:
                raise each.element.error(
                    f"joints mimic each other in a circle: {' -> '.join(path)}"
                )


def _limits(
    element: Element, name: str, kind: str
) -> tuple[tuple[float, float], Motor, tuple[float, float] | None]:
    limit, safety = element.one("limit"), element.one("safety_controller")
    limits = UNLIMITED
    if limit is None:
        if kind != "continuous":
            raise element.error(
                f"{kind} joint '{name}' has no <limit>; give lower and upper"
                + (', or make it type="continuous"' if kind == "revolute" else "")
            )
    elif kind != "continuous":
        lower, upper = number(limit, "lower", 0.0), number(limit, "upper", 0.0)
        if lower > upper:
            raise limit.error(
                f"joint '{name}' has lower limit {lower:g} above upper limit {upper:g}; give the "
                "smaller one as lower"
            )
        limits = _unbounded(lower), _unbounded(upper)
    soft = None
    if safety is not None and kind != "continuous":
        low = number(safety, "soft_lower_limit", limits[0])
        high = number(safety, "soft_upper_limit", limits[1])
        # Both are 0 where a file leaves them out: that is no limit.
        soft = (low, high) if low < high else None
    return limits, _motor(element, limit), soft


def _motor(element: Element, limit: Element | None) -> Motor:
    dynamics, calibration = element.one("dynamics"), element.one("calibration")
    if limit is None and dynamics is None and calibration is None:
        return UNKNOWN_MOTOR
    found: dict[str, float] = {}
    for source, name, field in (
        (limit, "velocity", "speed"),
        (limit, "effort", "effort"),
        (dynamics, "damping", "damping"),
        (dynamics, "friction", "friction"),
        (calibration, "rising", "rising"),
        (calibration, "falling", "falling"),
    ):
        if source is not None and name in source.attributes:
            value = number(source, name)
            if value < 0.0 and source is not calibration:
                raise source.error(f"{source}: {name}={value:g} is not allowed; give 0 or more")
            found[field] = _unbounded(value)
    return Motor(**found)


def _mimic(element: Element) -> Mimic | None:
    mimic = element.one("mimic")
    if mimic is None:
        return None
    factor, offset = number(mimic, "multiplier", 1.0), number(mimic, "offset", 0.0)
    return Mimic(mimic.text("joint"), factor, offset)


def _unbounded(value: float) -> float:
    return math.copysign(math.inf, value) if abs(value) >= UNBOUNDED else value


def _simple(name: str, kind: str, axis: tuple[float, ...], before: Array, after: Array) -> Joint:
    C = about(axis)
    return Joint(
        name,
        PRISMATIC if kind == "slide" else REVOLUTE,
        before @ C,
        C.T @ after,
        link=f"{name} link",
    )


def _planar(name: str, origin: Array, normal: tuple[float, ...]) -> list[Joint]:
    C, one = about(normal), np.eye(4)
    return [
        _simple(f"{name}.x", "slide", X, origin @ C, one),
        _simple(f"{name}.y", "slide", Y, one, one),
        _simple(f"{name}.turn", "turn", Z, one, C.T),
    ]


_TURNS = (("yaw", Z), ("pitch", Y), ("roll", X))
_FREE = (("x", X), ("y", Y), ("z", Z), *_TURNS)


def _floating(
    name: str, origin: Array, parts: tuple[tuple[str, tuple[float, ...]], ...]
) -> list[Joint]:
    one = np.eye(4)
    return [
        _simple(
            f"{name}.{part}",
            "slide" if part in "xyz" else "turn",
            axis,
            one if number else origin,
            one,
        )
        for number, (part, axis) in enumerate(parts)
    ]


def joints_by_name(connections: list[Connection]) -> None:
    """Refuse two joints of one name."""
    lines: dict[str, int] = {}
    for each in connections:
        for joint in each.joints:
            if joint.name in lines:
                raise each.element.error(
                    f"a second joint '{joint.name}'; the first is on line {lines[joint.name]}, "
                    "give each its own name"
                )
        lines |= {joint.name: each.element.line for joint in each.joints}
