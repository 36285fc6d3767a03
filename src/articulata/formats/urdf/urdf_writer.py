"""A figure written as a description.

A description's joint turns about an axis through the origin of the link it carries. Where a
figure's link frame stands off that axis, as in tables of Denavit-Hartenberg parameters, a link
without mass stands on the axis (``NAME axis``) and a fixed joint (``JOINT end``) carries the link
itself: every link keeps its name, its frame and its mass, and reading folds the two again. Tips of
chains off their last link are links without mass, named like the chain.

What the format has no place for is left out: postures, landmarks, neutral values, gears, greatest
accelerations, limits under names other than the joints' own.

Shapes become boxes, cylinders, spheres and mesh files.
"""

from __future__ import annotations

import math
import os
import re
import struct
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from articulata.errors import FormatError, FormatWarning, GeometryError
from articulata.formats.urdf.urdf_figure import AXIS, END
from articulata.formats.xml import UNBOUNDED, lines_of, roll_pitch_yaw
from articulata.geometry.arrays import Array
from articulata.geometry.constructed import tessellate
from articulata.geometry.poses import make_pose
from articulata.geometry.shapes import Capsule, Cuboid, Cylinder, HalfSpace, Shape, Sphere
from articulata.kinematics.conventions import translation
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import FIXED, PRISMATIC, Joint
from articulata.kinematics.link import Color, Link, MeshFile, Part


class Meshes:
    """Mesh files of a description in ``folder``; ``made`` holds the new ones, bytes by name."""

    def __init__(self, folder: Path, stem: str) -> None:
        self.folder = folder
        self.made: dict[str, bytes] = {}
        self._stem = re.sub(r"[^\w.-]+", "_", stem)
        self._names: dict[Shape, str] = {}

    def add(self, shape: Shape, link: str) -> str:
        """Return the file name of ``shape``; equal shapes share a file."""
        known = self._names.get(shape)
        if known is None:
            clean = re.sub(r"[^\w.-]+", "_", link)
            known = f"{self._stem}_meshes/{clean}_{len(self.made) + 1}.stl"
            self._names[shape] = known
            self.made[known] = stl(shape)
        return known

    def name(self, mesh: MeshFile) -> str:
        """Return what to call a mesh file from ``folder``."""
        if not mesh.path or "://" in mesh.file:
            return mesh.file
        return Path(os.path.relpath(mesh.path, self.folder.resolve())).as_posix()


def drawn(part: Part, meshes: Meshes, link: str) -> list[tuple[str, Array]]:
    """Return the shapes (as elements) and their poses (4, 4) that make up ``part``."""
    X = part.X_LS
    match part.shape:
        case Cuboid(x, y, z):
            return [(f'<box size="{x!r} {y!r} {z!r}"/>', X)]
        case Sphere(radius):
            return [(f'<sphere radius="{radius!r}"/>', X)]
        case Cylinder(radius, length):
            return [(_cylinder(radius, length), X)]
        case Capsule(radius, length):
            # Few readers know capsules; all know what they are made of.
            ends = (translation(0, 0, end * length / 2) for end in (-1.0, 1.0))
            balls = [(f'<sphere radius="{radius!r}"/>', X @ end) for end in ends]
            return [(_cylinder(radius, length), X), *balls]
        case MeshFile(_, scale):
            name = quoteattr(meshes.name(part.shape))
            size = "" if scale == (1.0, 1.0, 1.0) else ' scale="{!r} {!r} {!r}"'.format(*scale)
            return [(f"<mesh filename={name}{size}/>", X)]
        case HalfSpace():
            raise FormatError(
                f"link '{link}' has an endless shape, which a description cannot hold; give it a "
                "large box instead"
            )
        case shape:
            return [(f"<mesh filename={quoteattr(meshes.add(shape, link))}/>", X)]


def stl(shape: Shape) -> bytes:
    """Return the surface of ``shape`` as a binary STL file, m."""
    surface = tessellate(shape)
    corners = np.asarray(surface.vertices)[np.asarray(surface.triangles)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    rows = np.zeros(len(corners), np.dtype([("data", "<f4", (4, 3)), ("rest", "<u2")]))
    rows["data"][:, 0] = normals / np.where(lengths > 0.0, lengths, 1.0)
    rows["data"][:, 1:] = corners
    return b"\0" * 80 + struct.pack("<I", len(rows)) + rows.tobytes()


def _cylinder(radius: float, length: float) -> str:
    return f'<cylinder radius="{radius!r}" length="{length!r}"/>'


AXIS_TOLERANCE = 1e-14
"""How far (m) a link frame may stand off its joint's axis and still count as on it."""


@dataclass(frozen=True, slots=True)
class Description:
    """The text of a description, and the mesh files it needs beside it: bytes by name."""

    text: str
    meshes: dict[str, bytes]


def write_urdf(
    figure: Figure, folder: str | os.PathLike[str] = ".", *, stem: str = ""
) -> Description:
    """Return ``figure`` as a description that will lie in ``folder``.

    Shapes that the format does not know become mesh files ``STEM_meshes/...``. Mesh files of the
    figure are named as they are, or relative to ``folder`` where they were found. FormatWarning
    names links that have mass, but nothing that says how they turn: no simulator takes them.
    """
    unknown = _turning_unknown(figure)
    if unknown:
        have = "has" if len(unknown) == 1 else "have"
        warnings.warn(
            f"{figure.name or 'the robot'}: {', '.join(unknown)} {have} mass, and neither inertia "
            "nor a solid shape; the description says inertia 0, with which no simulator moves "
            "them. Give inertia in the row of the joint",
            FormatWarning,
            stacklevel=2,
        )
    writer = _Writer(figure, Meshes(Path(folder), stem or figure.name or "robot"))
    lines = writer.lines()
    return Description("\n".join(lines) + "\n", writer.meshes.made)


class _Writer:
    def __init__(self, figure: Figure, meshes: Meshes) -> None:
        self.figure = figure
        self.meshes = meshes
        self._taken: set[str] = set()
        self._joints: set[str] = {joint.name for joint in figure.joints}
        self._carriers: list[str] = []

    def lines(self) -> list[str]:
        figure = self.figure
        name = figure.name or "robot"
        lines: list[str] = []
        root = self._own(figure.root.name or "base")
        # Names of the figure's own links come first, so that helpers give way to them.
        links = [self._own(figure.links[joint.name].name) for joint in figure.joints]
        if not np.array_equal(figure.base, np.eye(4)):
            world = self._own("world")
            lines += self._link(Link(), world)
            lines += self._joint(self._free("base"), world, root, figure.base)
        lines += self._link(figure.root, root)
        for number, joint in enumerate(figure.joints):
            parent = figure.parents[number]
            above = root if parent < 0 else links[parent]
            lines += self._moving(joint, above, links[number])
            lines += self._link(figure.links[joint.name], links[number])
        lines += self._tips(links)
        return ['<?xml version="1.0"?>', *lines_of("robot", {"name": name}, lines)]

    def _moving(self, joint: Joint, parent: str, link: str) -> list[str]:
        off = float(np.hypot(*joint.X_JL[:2, 3]))
        if joint.kind in (PRISMATIC, FIXED) or off <= AXIS_TOLERANCE:
            axis = joint.X_JL[:3, :3].T @ [0.0, 0.0, 1.0]
            return self._joint(joint.name, parent, link, joint.X_PJ @ joint.X_JL, joint, axis)
        between = self._own(f"{link}{AXIS}")
        return [
            *self._joint(joint.name, parent, between, joint.X_PJ, joint, np.array([0.0, 0.0, 1.0])),
            *self._link(Link(), between),
            *self._joint(self._free(f"{joint.name}{END}"), between, link, joint.X_JL),
        ]

    def _joint(
        self,
        name: str,
        parent: str,
        child: str,
        X: Array,
        joint: Joint | None = None,
        axis: Array | None = None,
    ) -> list[str]:
        moving = joint if joint is not None and joint.kind != FIXED else None
        kind = "fixed"
        if moving is not None:
            endless = moving.limits == (-math.inf, math.inf) and moving.kind != PRISMATIC
            kind = "continuous" if endless else moving.kind
        inside = [
            _origin(X), *lines_of("parent", {"link": parent}), *lines_of("child", {"link": child}),
        ]  # fmt: skip
        if moving is not None and axis is not None:
            inside += [f'<axis xyz="{_row(axis)}"/>', *_drive(moving, kind)]
        return lines_of("joint", {"name": name, "type": kind}, inside)

    def _link(self, link: Link, name: str) -> list[str]:
        lines: list[str] = []
        if link.mass > 0.0 or link.inertia.any():
            I = _inertia(link)  # noqa: E741 -- its symbol
            center = make_pose(p=link.center)
            entries = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2))
            inertia = " ".join(
                f'{each}="{_number(I[r, c])}"' for each, r, c in (*entries, ("izz", 2, 2))
            )
            mass = f'<mass value="{_number(link.mass)}"/>'
            lines += lines_of("inertial", {}, [_origin(center), mass, f"<inertia {inertia}/>"])
        for tag, parts in (("visual", link.visuals), ("collision", link.collisions)):
            for part in parts:
                lines += self._part(tag, part, name)
        return lines_of("link", {"name": name}, lines)

    def _part(self, tag: str, part: Part, link: str) -> Iterable[str]:
        named = {"name": part.name} if part.name else {}
        for shape, X in drawn(part, self.meshes, link):
            inside = [_origin(X), f"<geometry>{shape}</geometry>"]
            color = rgba(part.color)
            if tag == "visual" and color is not None:
                row = _row(color)
                inside.append(f'<material name="{row}"><color rgba="{row}"/></material>')
            yield from lines_of(tag, named, inside)

    def _tips(self, links: list[str]) -> list[str]:
        lines: list[str] = []
        for name, run in self.figure.chains.items():
            if np.array_equal(run.end, np.eye(4)):
                continue
            tip = self._own(name if name not in self._taken else f"{name} tip")
            last = links[self.figure.index(run.last)]
            lines += self._joint(self._free(f"{name}{END}"), last, tip, run.end)
            lines += self._link(Link(), tip)
        return lines

    def _own(self, name: str) -> str:
        """Return ``name``, or with a number where another link has it."""
        return _unique(name or "link", self._taken)

    def _free(self, name: str) -> str:
        return _unique(name, self._joints)


def _turning_unknown(figure: Figure) -> list[str]:
    """Return the joints that move something with mass of which nothing says how it turns.

    What fixed joints carry belongs to what moves them: masses apart from each other turn.
    """
    X = figure.poses(figure.neutral)
    groups: dict[int, list[int]] = {}
    for number, joint in enumerate(figure.joints):
        mover = number
        while mover >= 0 and figure.joints[mover].kind == FIXED:
            mover = figure.parents[mover]
        if mover >= 0 and figure.links[joint.name].mass > 0.0:
            groups.setdefault(mover, []).append(number)
    found = []
    for mover, numbers in groups.items():
        links = [figure.links[figure.joints[k].name] for k in numbers]
        centers = [
            X[k, :3, :3] @ each.center + X[k, :3, 3] for k, each in zip(numbers, links, strict=True)
        ]
        apart = np.ptp(centers, axis=0).max() > AXIS_TOLERANCE
        if not apart and not any(_inertia(each).any() for each in links):
            found.append(figure.joints[mover].name)
    return found


def _inertia(link: Link) -> Array:
    """Return a link's inertia (3, 3) kg m^2, that of its shape where none is given, as simulated.

    Zero where there is no solid either.
    """
    if link.inertia.any():
        return link.inertia
    # Imported here: most figures give what they weigh.
    from articulata.geometry.solid_mass import mass_properties
    from articulata.kinematics.described_figure import link_form

    form = link_form(link)
    if form is None:
        return link.inertia
    try:
        return mass_properties(form, 1.0).with_mass(link.mass).inertia
    except GeometryError:
        return link.inertia


def rgba(color: Color | None) -> tuple[float, float, float, float] | None:
    """Return a colour as four numbers from 0 to 1, None where it is only a name."""
    if isinstance(color, str):
        digits = color.removeprefix("#")
        if color.startswith("#") and len(digits) == 6:
            red, green, blue = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
            return red, green, blue, 1.0
        return PLAIN.get(color)
    if color is None or len(color) not in (3, 4):
        return None
    red, green, blue, alpha = (*color, 1.0)[:4]
    return red, green, blue, alpha


PLAIN = {
    "black": (0.1, 0.1, 0.1, 1.0),
    "white": (1.0, 1.0, 1.0, 1.0),
    "gray": (0.5, 0.5, 0.5, 1.0),
    "grey": (0.5, 0.5, 0.5, 1.0),
    "red": (0.8, 0.1, 0.1, 1.0),
    "green": (0.1, 0.6, 0.2, 1.0),
    "blue": (0.1, 0.3, 0.8, 1.0),
    "yellow": (0.9, 0.8, 0.1, 1.0),
    "orange": (0.9, 0.5, 0.1, 1.0),
}


def _drive(joint: Joint, kind: str) -> list[str]:
    lines: list[str] = []
    motor = joint.motor
    drive = f'effort="{_number(motor.effort)}" velocity="{_number(motor.speed)}"'
    if kind != "continuous":
        low, high = (_number(limit) for limit in joint.limits)
        lines.append(f'<limit lower="{low}" upper="{high}" {drive}/>')
    elif math.isfinite(motor.effort) or math.isfinite(motor.speed):
        lines.append(f"<limit {drive}/>")
    if motor.damping or motor.friction:
        values = f'damping="{_number(motor.damping)}" friction="{_number(motor.friction)}"'
        lines.append(f"<dynamics {values}/>")
    marks = (("rising", motor.rising), ("falling", motor.falling))
    known = [f'{name}="{_number(value)}"' for name, value in marks if value is not None]
    if known:
        lines.append(f"<calibration {' '.join(known)}/>")
    if joint.mimic is not None:
        factor, offset = _number(joint.mimic.factor), _number(joint.mimic.offset)
        name = quoteattr(joint.mimic.joint)
        lines.append(f'<mimic joint={name} multiplier="{factor}" offset="{offset}"/>')
    return lines


def _origin(X: Array) -> str:
    return f'<origin xyz="{_row(X[:3, 3])}" rpy="{_row(roll_pitch_yaw(X))}"/>'


def _row(values: Iterable[float]) -> str:
    return " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    """Return the fewest digits that give the same double back; without a limit, a huge number."""
    whole = min(max(float(value), -UNBOUNDED), UNBOUNDED)
    if math.isnan(whole):
        raise FormatError("a number of the figure is NaN and cannot be written")
    return repr(int(whole)) if whole.is_integer() and abs(whole) < 1e15 else repr(whole)


def _unique(name: str, taken: set[str]) -> str:
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name} {count}"
    taken.add(found)
    return found
