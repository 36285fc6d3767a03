"""A world or robot of SDFormat as a scene: its links where they stand, on hinges of ours.

A link is a body, called MODEL_LINK, or MODEL where it is the only one; a file with one model alone
leaves MODEL away. Fixed joints weld, those to the world and static models hold still. Links of a
model touch each other only where it says so (``self_collide``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path
from typing import Final

import numpy as np

from articulata.formats.scenes.foreign_scene import (
    DISTORTION,
    LENS_TERMS,
    Scene,
    ScenePart,
    SceneView,
    hang,
    placed,
    united,
)
from articulata.formats.sdf.hinges import Hinges, SdfJoint, called, ends_of, read_joint
from articulata.formats.sdf.link_forms import FormReader
from articulata.formats.sdf.local_files import SdfFiles
from articulata.formats.sdf.pose_graph import (
    MOST_NESTED,
    Place,
    Scope,
    is_true,
    pose_in,
    said,
    simple,
    values,
)
from articulata.formats.xml import Element, number
from articulata.geometry.arrays import Array
from articulata.geometry.mass import six_moments
from articulata.geometry.shapes import HalfSpace, Mesh
from articulata.kinematics.described_figure import identifier

MOST_PAIRS: Final = 20_000
"""Pairs of links that a world may keep from touching."""
READ: Final = {
    "model": ("pose", "link", "joint", "frame", "model", "include", "static", "self_collide",
              "allow_auto_disable", "enable_wind"),
    "world": ("model", "include", "frame", "joint", "gravity", "gui", "physics", "scene", "pose",
              "magnetic_field", "spherical_coordinates"),
    "link": ("pose", "inertial", "collision", "visual", "gravity", "self_collide",
             "must_be_base_link", "enable_wind", "sensor"),
}  # fmt: skip
"""What is read of an element, or says nothing that is lost here."""
SEES: Final = np.array([[0.0, 0, -1, 0], [-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
"""From a camera that looks along its x, z up, to one that looks along its -z, y up."""


def read_scene(path: Path) -> Scene:
    """Return the scene of an SDF file. FormatError, with a place, for what it cannot be."""
    return _Reading(path).scene()


@dataclass(frozen=True, slots=True, eq=False)
class _Link:
    """A link and the part that it becomes; a ``bare`` one is an endless plane alone.

    ``meshes`` touch: they are bodies of their own where the link stands still.
    """

    element: Element
    scope: Scope
    part: ScenePart
    bare: bool
    meshes: list[tuple[Mesh, Array]]


class _Reading:
    """Goes through a file and those that it includes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = SdfFiles(path)
        self.found = Scene(identifier(path.stem), path.name, gravity=(0.0, 0.0, -9.8))
        self.forms = FormReader(self.found, self.files.find)
        self.labels: dict[tuple[int, str], str] = {}
        self.links: dict[str, _Link] = {}
        self.fixed: set[str] = {""}
        self.open: list[tuple[Scope, Array, str]] = []
        self.hung: dict[str, tuple[SdfJoint, str, bool]] = {}
        self.apart: list[list[str]] = []
        self.touching: dict[str, list[str]] = {}

    def scene(self) -> Scene:
        """Return all that is in it."""
        root, version = self.files.root(self.path)
        if root.tag != "sdf":
            raise root.error(f"a world of SDFormat begins with <sdf>, this with <{root.tag}>")
        worlds = list(root.all("world"))
        if len(worlds) > 1:
            self.found.lost["further world"] += len(worlds) - 1
        element = worlds[0] if worlds else root
        if not worlds and not any(each.tag in ("model", "include") for each in root.children):
            raise root.error(f"{root} has no <world> and no <model>")
        scope = self._scope(element, version, (self.path.resolve(),), world=True)
        if worlds:
            self._surroundings(worlds[0])
        alone = not worlds and len(scope.places) == 1
        for name, place in list(scope.places.items()):
            if place.inner is not None:
                prefix = "" if alone else identifier(name)
                self._model(place.inner, scope.pose(name, place.element), prefix, [])
        self.open.append((scope, np.eye(4), ""))
        self._joints()
        self._frames()
        for group in self.apart:
            self._ignore(group)
        return self.found

    def _surroundings(self, world: Element) -> None:
        gravity = world.one("gravity")
        if gravity is not None:
            x, y, z = values(gravity, 3)
            self.found.gravity = (x, y, z)
        gui = world.one("gui")
        for camera in gui.all("camera") if gui is not None else ():
            X, _ = pose_in(camera.one("pose"))
            self._view(camera.attributes.get("name", "view"), X, math.radians(60.0), 0.75)

    def _lose(self, element: Element, kind: str) -> None:
        for child in element.children:
            if child.tag not in READ[kind] and ":" not in child.tag:
                self.found.lost[child.tag[:30].replace("_", " ")] += 1

    # ---- names

    def _scope(
        self, element: Element, version: tuple[int, int], files: tuple[Path, ...],
        depth: int = 0, *, world: bool = False, static: bool = False,
    ) -> Scope:  # fmt: skip
        """Return the names of a world or a model; ``files`` are open."""
        if depth > MOST_NESTED:
            raise element.error(f"models are more than {MOST_NESTED} deep inside each other")
        if world and element.tag == "world":
            self._lose(element, "world")
        elif not world:
            self._lose(element, "model")
        scope = Scope(element, version, world, static or is_true(element, "static"))
        for child in element.children:
            if child.tag not in ("link", "frame", "joint", "model", "include"):
                continue
            if child.tag == "include":
                self._include(child, scope, files, depth)
                continue
            X, frame = pose_in(child.one("pose"))
            name = child.text("name")
            if child.tag == "model":
                inner = self._scope(child, version, files, depth + 1, static=scope.static)
                by = child.attributes.get("placement_frame", "").strip()
                scope.add(name, Place(child, X, frame, inner=inner, placed_by=by))
            else:
                on = child.attributes.get("attached_to", "").strip() if child.tag == "frame" else ""
                on = said(child, "child") if child.tag == "joint" else on
                scope.add(name, Place(child, X, frame, on))
        return scope

    def _include(
        self, element: Element, scope: Scope, files: tuple[Path, ...], depth: int
    ) -> None:  # fmt: skip
        """Take the model of a file of this machine; what is none is counted."""
        uri = said(element, "uri")
        if not uri:
            raise element.error(f"{element} has no <uri>")
        file = self.files.model(element, uri, files[-1].parent)
        if file is None:
            network = "://" in uri and not uri.startswith(("model://", "file://"))
            why = "an address of the network" if network else "which is not beside the file"
            self.found.lost[f"include of '{uri[:80]}', {why}"] += 1
            return
        if file.resolve() in files:
            raise element.error(f"'{uri[:80]}' includes itself, in a circle")
        root, version = self.files.root(file)
        model = next(root.all("model"), None)
        if model is None:
            self.found.lost[f"include of '{uri[:80]}', which holds no model"] += 1
            return
        self.files.count(model)
        static = scope.static or is_true(element, "static")
        inner = self._scope(model, version, (*files, file.resolve()), depth + 1, static=static)
        own = element.one("pose")
        X, frame = pose_in(model.one("pose") if own is None else own)
        by = said(element, "placement_frame", model.attributes.get("placement_frame", "").strip())
        name = said(element, "name") or model.text("name")
        place = Place(element, X, frame if own is not None else "", inner=inner, placed_by=by)
        scope.add(name, place)
        if element.attributes.get("merge", "") in ("true", "1"):
            scope.merged.append(name)

    # ---- links

    def _model(self, scope: Scope, X_WM: Array, prefix: str, group: list[str]) -> None:
        """Take the links of a model and of those in it; ``group`` are those of all around it."""
        top = not group
        links = [name for name, each in scope.places.items() if each.element.tag == "link"]
        inner = [name for name, each in scope.places.items() if each.inner is not None]
        for name in links:
            short = len(links) == 1 and not inner and prefix
            label = prefix if short else f"{prefix}_{name}" if prefix else name
            group.append(self._link(scope, name, X_WM, identifier(label)))
        for name in inner:
            place = scope.places[name]
            assert place.inner is not None
            label = f"{prefix}_{name}" if prefix else name
            X = X_WM @ scope.pose(name, place.element)
            self._model(place.inner, X, identifier(label), group)
        self.open.append((scope, X_WM, prefix))
        if top and not is_true(scope.element, "self_collide"):
            self.apart.append(group)

    def _link(self, scope: Scope, name: str, X_WM: Array, label: str) -> str:
        element = scope.places[name].element
        self._lose(element, "link")
        label = self.found.unique(label)
        self.labels[id(scope), name] = label
        X_WL = X_WM @ scope.pose(name, element)
        forms = self.forms.forms(element, scope, label)
        alike = forms.seen == forms.solid or (not forms.solid and len(forms.meshes) > 0)
        look = None if alike and scope.static else united(forms.seen)
        part = ScenePart(label, X_WL, united(forms.solid), look, forms.color)
        for X in forms.grounds:
            if forms.solid and not scope.static:
                self.found.lost["plane on what moves"] += 1
                continue
            ground = label if len(forms.grounds) == 1 and part.shape is None else ""
            ground = ground or self.found.unique(f"{label}_ground")
            self.found.parts.append(ScenePart(ground, X_WL @ X, HalfSpace(), color=forms.color))
        bare = bool(forms.grounds) and not forms.solid and not forms.meshes
        if scope.static or bare:
            self.fixed.add(label)
        self.links[label] = _Link(element, scope, part, bare, forms.meshes)
        return label

    def _finished(self, label: str, hinges: Hinges) -> None:
        """Put a link into the scene: one that is fixed without a mass, another on its hinge."""
        link, scene = self.links[label], self.found
        part = link.part
        moves = label not in self.fixed
        if moves:
            weight = self.forms.weight(link.element, link.scope, label)
            if weight.mass <= 0.0:
                raise link.element.error(f"link '{label}' moves and has no mass; give it one")
            moments = six_moments(weight.inertia)
            if not np.isfinite([weight.mass, *weight.center, *moments]).all():
                raise link.element.error(f"the mass or inertia of link '{label}' is too large")
            if link.meshes:
                meshes = united([placed(each, X) for each, X in link.meshes])
                own = [] if part.shape is None else [part.shape]
                hulls = [each for mesh, X in link.meshes for each in scene.hull(mesh, X)]
                part = replace(part, shape=united(own + hulls), look=part.look or meshes)
            x, y, z = weight.center.tolist()
            part = replace(part, mass=weight.mass, center=(x, y, z), inertia=moments)
            if said(link.element, "gravity", "true").lower() in ("false", "0"):
                part = replace(part, gravity=(0.0, 0.0, 0.0))
            if (held := self.hung.get(label)) is not None:
                part = hinges.hung(held[0], part, held[1], held[2])
        if moves or part.shape is not None or part.look is not None:
            scene.parts.append(part)
        touching = self.touching[label] = [] if part.shape is None else [label]
        for mesh, X in () if moves else link.meshes:
            called = scene.unique(f"{label}_mesh")
            touching.append(called)
            scene.parts.append(ScenePart(called, part.X_WP @ X, mesh, color=part.color))
        for sensor in link.element.all("sensor"):
            self._sensor(sensor, part)

    def _ignore(self, group: list[str]) -> None:
        """Keep the links of one model from touching each other."""
        moving = [each for each in group if self.touching[each] and not self.links[each].bare]
        if len(moving) ** 2 // 2 + len(self.found.ignored) > MOST_PAIRS:
            self.found.lost["rule that the links of a model do not touch (too many)"] += 1
            return
        held = {(a, h[1]) for a, h in self.hung.items()}
        for pair in combinations(moving, 2):
            if not (set(pair) <= self.fixed or pair in held or pair[::-1] in held):
                self.found.ignored += product(self.touching[pair[0]], self.touching[pair[1]])

    # ---- joints

    def _joints(self) -> None:
        """Take the joints of all models, and hang the links."""
        joints = []
        names: dict[tuple[int, str], str] = {}
        leaders: dict[str, tuple[int, str]] = {}
        for scope, X_WM, prefix in self.open:
            for name, place in scope.places.items():
                if place.element.tag != "joint":
                    continue
                a, b = (self._end(scope, each, place.element) for each in ends_of(place.element))
                made = read_joint(place.element, scope, X_WM, (a, b), self.found)
                if {a, b} <= self.fixed:
                    continue
                if a == b:
                    raise place.element.error(f"{place.element} joins '{a}' to itself")
                label = self.found.unique(called(place.element, prefix))
                names[id(scope), name] = label
                joints.append(replace(made, name=label))
                if made.follows is not None:
                    leaders[label] = (id(scope), made.follows[0])
        self._weld_to_world(joints)
        hinges = Hinges(self.found)
        known = [(e, e.parent, e.child) for e in joints if not {e.parent, e.child} <= self.fixed]
        self.hung, loops = hang(known, self.links, self.fixed)
        for label in self.links:
            self._finished(label, hinges)
        for joint in loops:
            a, b = ("" if each in self.fixed else each for each in (joint.parent, joint.child))
            hinges.tie(replace(joint, parent=a, child=b))
        for joint in joints:
            if joint.name in leaders:
                hinges.follow(joint, names.get(leaders[joint.name], ""))

    def _frames(self) -> None:
        """Take what is called <frame> as a frame of the link that it is fixed to."""
        known = {each.name for each in self.found.parts}
        for scope, X_WM, _ in self.open:
            for name, place in scope.places.items():
                if place.element.tag == "frame":
                    owner = self._end(scope, name, place.element)
                    X = X_WM @ scope.pose(name, place.element)
                    self.found.mark(owner if owner in known else "", identifier(name), X)

    def _end(self, scope: Scope, name: str, element: Element) -> str:
        found = scope.link(name, element)
        return "" if found is None else self.labels[id(found[0]), found[1]]

    def _weld_to_world(self, joints: list[SdfJoint]) -> None:
        """Hold what fixed joints hold to what is fixed."""
        beside: dict[str, list[str]] = {}
        for each in joints:
            if each.kind == "weld":
                beside.setdefault(each.parent, []).append(each.child)
                beside.setdefault(each.child, []).append(each.parent)
        waiting = list(self.fixed)
        while waiting:
            more = [each for each in beside.get(waiting.pop(), ()) if each not in self.fixed]
            self.fixed.update(more)
            waiting += more

    # ---- cameras

    def _sensor(self, sensor: Element, part: ScenePart) -> None:
        """Take the camera of a link that stands still as a view."""
        camera, (X, frame) = sensor.one("camera"), pose_in(sensor.one("pose"))
        if camera is None or frame or part.mass is not None:
            self.found.lost["sensor"] += 1
            return
        image = camera.one("image")
        width, height = (
            1.0 if image is None else number(simple(image), each, 1.0)
            for each in ("width", "height")
        )
        across = number(simple(camera), "horizontal_fov", 1.047)
        X_C, _ = pose_in(camera.one("pose"))
        ratio = height / width if min(height, width) > 0.0 else 1.0
        lens = camera.one("distortion")
        given = None if lens is None else simple(lens)
        bends = () if given is None else tuple(number(given, each, 0.0) for each in LENS_TERMS)
        called = sensor.attributes.get("name", "view")
        self._view(called, part.X_WP @ X @ X_C, across, ratio, bends if any(bends) else ())

    def _view(
        self, name: str, X_WC: Array, across: float, ratio: float, bends: tuple[float, ...] = ()
    ) -> None:
        upwards = 2.0 * math.atan(math.tan(min(max(across, 0.02), 3.0) / 2.0) * ratio)
        name = self.found.unique(identifier(name))
        X, upwards = X_WC @ SEES, min(max(upwards, 0.02), 3.0)
        self.found.views.append(SceneView(name, X, upwards, distortion=bends))
        if bends:
            self.found.lost[DISTORTION] += 1
