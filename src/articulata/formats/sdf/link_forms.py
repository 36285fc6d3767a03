"""What a link of SDFormat looks like, touches with and weighs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from articulata.errors import FormatError, GeometryError
from articulata.formats.link_elements import inertia, primitive
from articulata.formats.scenes.foreign_scene import Scene, placed
from articulata.formats.scenes.scene_files import read_mesh
from articulata.formats.sdf.pose_graph import Scope, pose_in, said, simple, values
from articulata.formats.urdf.urdf_writer import PLAIN
from articulata.formats.xml import Element, number, numbers
from articulata.geometry.arrays import Array
from articulata.geometry.joint_frames import axis_frame
from articulata.geometry.poses import make_pose
from articulata.geometry.shapes import HalfSpace, Mesh, Shape
from articulata.geometry.solid_mass import mass_properties
from articulata.world.figures.link_weights import Weight, together
from articulata.world.values import Vector3

DENSITY: Final = 1000.0
"""kg/m^3 of a collision that says none, where masses are to be found from shapes."""
USUAL: Final = Weight(1.0, np.zeros(3), np.eye(3))
"""What a link weighs that says nothing of it (SDFormat, inertial)."""


@dataclass(slots=True, eq=False)
class Forms:
    """Shapes of a link in its frame L; ``grounds`` are the poses of endless planes, y up.

    ``meshes`` are what touches and is no primitive, each with its pose.
    """

    solid: list[Shape] = field(default_factory=list)
    seen: list[Shape] = field(default_factory=list)
    meshes: list[tuple[Mesh, Array]] = field(default_factory=list)
    grounds: list[Array] = field(default_factory=list)
    color: Vector3 | None = None


class FormReader:
    """Reads the shapes of links; ``find`` gives the file that a name means in a file's folder."""

    def __init__(self, scene: Scene, find: Callable[[Element, str, Path], Path | None]) -> None:
        self.scene = scene
        self.find = find

    def forms(self, link: Element, scope: Scope, name: str) -> Forms:
        """Return the shapes of a link that is called ``name`` in the scene."""
        found = Forms()
        for tag, into in (("collision", found.solid), ("visual", found.seen)):
            for part in link.all(tag):
                X = self._place(part, link, scope)
                shape = self._shape(part, name)
                if isinstance(shape, HalfSpace):
                    if tag == "collision":
                        normal = part.need("geometry").need("plane")
                        found.grounds.append(X @ _upright(normal))
                elif isinstance(shape, Mesh) and tag == "collision":
                    found.meshes.append((shape, X))
                elif shape is not None:
                    into.append(placed(shape, X))
                if tag == "visual":
                    self._color(part, found)
                elif part.one("surface") is not None:
                    self.scene.lost["surface of contact (friction, bounce)"] += 1
        return found

    def weight(self, link: Element, scope: Scope, name: str) -> Weight:
        """Return what a link weighs, in its frame."""
        inertial = link.one("inertial")
        if inertial is None:
            return USUAL
        if inertial.attributes.get("auto", "") in ("true", "1"):
            return self._found_weight(link, inertial, scope, name)
        if inertial.one("fluid_added_mass") is not None:
            self.scene.lost["mass that water adds"] += 1
        mass = number(simple(inertial), "mass", 1.0)
        entries = inertial.one("inertia")
        given = {"ixx": "1", "iyy": "1", "izz": "1"}
        if entries is not None:
            entries = simple(entries)
            entries.attributes = given | entries.attributes
        X, _ = pose_in(inertial.one("pose"))
        I = inertia(inertial, entries, name, mass, X[:3, :3])  # noqa: E741 -- its symbol
        return Weight(mass, X[:3, 3], np.eye(3) if entries is None else I)

    def _found_weight(
        self, link: Element, inertial: Element, scope: Scope, name: str
    ) -> Weight:  # fmt: skip
        usual = number(simple(inertial), "density", DENSITY)
        found = []
        for part in link.all("collision"):
            shape, X = self._shape(part, name), self._place(part, link, scope)
            if shape is None or isinstance(shape, HalfSpace):
                continue
            try:
                made = mass_properties(shape, number(simple(part), "density", usual))
            except (GeometryError, ValueError) as error:
                raise part.error(f"{part}: {error}") from None
            made = made.transformed(X)
            found.append(Weight(made.mass, made.center, made.inertia))
        if not found:
            raise inertial.error(f"link '{name}' has no collision to find its inertia from")
        return together(found)

    def _place(self, part: Element, link: Element, scope: Scope) -> Array:
        """Return where a part of a link stands, in that."""
        X, frame = pose_in(part.one("pose"))
        own = link.attributes.get("name", "")
        if not frame or frame == own:
            return X
        return np.linalg.inv(scope.pose(own, link)) @ scope.pose(frame, part) @ X

    def _shape(self, part: Element, name: str) -> Shape | None:
        """Return the shape of a visual or collision, a half space for a plane."""
        geometry = part.need("geometry")
        if not geometry.children:
            return None
        element = simple(geometry.children[0])
        tag, lost = element.tag, self.scene.lost
        if tag == "plane":
            return HalfSpace()
        if tag == "ellipsoid":
            a, b, c = numbers(element, "radii", 3)
            if min(a, b, c) <= 0.0:
                raise element.error(f"{element}: radii are more than 0")
            return self.scene.ellipsoid(f"{name}_{part.tag}", (a, b, c))
        if tag == "mesh":
            return self._mesh(element, name)
        shape = primitive(element)
        if shape is None and tag != "empty":
            lost[f"shape <{tag[:30]}>"] += 1
        return shape

    def _mesh(self, element: Element, name: str) -> Mesh | None:
        uri = element.text("uri")
        x, y, z = numbers(element, "scale", 3, "1 1 1")
        file = self.find(element, uri, Path(element.file).resolve().parent)
        if file is None or not file.is_file():
            why = "is an address" if uri.startswith(("http", "fuel")) else "is not there"
            self.scene.lost[f"mesh '{uri[:80]}', which {why}"] += 1
            return None
        if element.one("submesh") is not None:
            self.scene.lost["choice of one part of a mesh (all of it is taken)"] += 1
        try:
            read = read_mesh(file, file=str(file), scale=(x, y, z))
        except FormatError as error:
            self.scene.lost[f"mesh: {error}"] += 1
            return None
        return self.scene.surface(name, np.array(read.vertices), np.array(read.faces))

    def _color(self, visual: Element, found: Forms) -> None:
        """Take the colour of a link's first visual that has one."""
        if visual.one("transparency") is not None and said(visual, "transparency") != "0":
            self.scene.lost["transparency"] += 1
        material = visual.one("material")
        if material is None:
            return
        color = _rgb(material)
        if material.one("pbr") is not None:
            self.scene.lost["pictures and gloss of a material"] += 1
        if color is not None and found.color not in (None, color):
            self.scene.lost["further colour of a link (it has its first)"] += 1
        found.color = found.color or color


def _rgb(material: Element) -> Vector3 | None:
    for tag in ("diffuse", "ambient"):
        told = material.one(tag)
        if told is not None and told.words:
            count = min(max(len(told.words.split()), 3), 4)
            r, g, b, *_ = (min(max(each, 0.0), 1.0) for each in values(told, count))
            return (r, g, b)
    script = material.one("script")
    name = "" if script is None else said(script, "name") or script.words
    plain = PLAIN.get(name.rpartition("/")[2].lower())
    return None if plain is None else plain[:3]


def _upright(plane: Element) -> Array:
    """Return the pose that turns y to the normal of a plane."""
    normal = np.array(numbers(simple(plane), "normal", 3, "0 0 1"))
    if not normal.any():
        raise plane.error(f"{plane} has the normal 0 0 0; give a direction")
    X = axis_frame(normal)
    return make_pose(np.column_stack([X[:3, 1], X[:3, 2], X[:3, 0]]))
