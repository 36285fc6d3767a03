"""A stage of USD as a scene: rigid bodies with all that is below them, on hinges of ours.

Shapes of no rigid body stand still. Where nothing on a stage collides, everything seen is solid.
Lengths are in m, masses in kg; the axis that is up stays up.
"""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.errors import FormatError, GeometryError, MissingExtra
from articulata.formats.child_reader import read_apart
from articulata.formats.rooms.scan_scene import room_in
from articulata.formats.scenes.foreign_scene import (
    Scene,
    ScenePart,
    SceneView,
    hang,
    placed,
    united,
)
from articulata.formats.scenes.scene_motion import SceneMotion, rigid
from articulata.formats.usd.measured_room import is_measured, measured_room
from articulata.formats.usd.usd_joints import Hinges, read_joint
from articulata.formats.usd.usd_shapes import screen_color, shape_of, upright
from articulata.geometry.arrays import Array
from articulata.geometry.mass import six_moments
from articulata.geometry.quaternion import q_to_matrix
from articulata.geometry.shapes import HalfSpace, Mesh, Shape
from articulata.geometry.solid_mass import mass_properties
from articulata.kinematics.described_figure import identifier
from articulata.world.figures.link_weights import THIN, Weight, together

CONTENTS: Final = "articulata.formats.usd.stage_contents"
LONGEST: Final = 180.0
"""s that a stage may take to be read."""
EARTH: Final = 9.81
"""m/s^2, where a stage says no gravity or less than none."""
DENSITY: Final = 1000.0
"""kg/m^3 of a collider that says none (UsdPhysics, MassAPI)."""
USUAL: Final = Weight(1.0, np.zeros(3), 0.004 * np.eye(3))
"""What a body weighs that says nothing and has no form: 1 kg, as a ball of 0.1 m."""
ROUNDED: Final = 1e-6
"""Share of a moment that float32 may have rounded off it."""
MOST_PAIRS: Final = 20_000


def needs_usd(path: Path) -> None:
    """Raise MissingExtra where ``usd-core`` is not installed."""
    if importlib.util.find_spec("pxr") is None:
        raise MissingExtra(
            f"{path} is a USD scene, which the package usd-core reads and writes; install it "
            "with: pip install 'articulata[usd]'"
        )


def read_scene(path: Path, up: str = "", unit: float | None = None) -> Scene:
    """Return the scene of a USD file. FormatError says why one cannot be read.

    A scan of a room is that room; it is taken for one where ``up`` or ``unit`` (m) are given.
    """
    needs_usd(path)
    told, arrays = read_apart(CONTENTS, path.resolve(), reader="USD", longest=LONGEST)
    if is_measured(told):
        return measured_room(path, told, arrays)
    reading = _Reading(path, told, arrays)
    scale = None if unit is None else unit / reading.unit
    return room_in(reading.scene(), path, up, scale, str(told["up"]).lower())


@dataclass(slots=True, eq=False)
class _Body:
    """A rigid body: what is told of it, its frame P in W, and the things that are part of it."""

    told: dict[str, Any]
    name: str
    X_WP: Array
    things: list[tuple[dict[str, Any], Shape, Array]] = field(default_factory=list)

    @property
    def still(self) -> bool:
        return bool(self.told.get("kinematicEnabled"))


class _Reading:
    """Goes through what is told of a stage."""

    def __init__(self, path: Path, told: dict[str, Any], arrays: dict[str, Array]) -> None:
        self.path, self.told, self.arrays = path, told, arrays
        self.found = Scene(identifier(path.stem), path.name)
        self.found.lost.update(told["lost"])
        self.unit, self.mass_unit = float(told["meters"]), float(told["kilograms"])
        if not (0.0 < self.unit < math.inf and 0.0 < self.mass_unit < math.inf):
            raise FormatError(f"{path}: metersPerUnit and kilogramsPerUnit are more than 0")
        self.bodies: dict[str, _Body] = {}
        self.names: dict[str, list[str]] = {}
        self.solid = any(each["collides"] for each in told["things"])

    def scene(self) -> Scene:
        """Return all that is in it."""
        scene, told = self.found, self.told
        scene.gravity = self._gravity()
        for each in told["bodies"]:
            name = scene.unique(identifier(each["name"]))
            self.bodies[each["path"]] = _Body(each, name, rigid(self._map(each))[0])
            if any(any(each.get(way, ())) for way in ("velocity", "angularVelocity")):
                scene.lost["motion of a body at the start"] += 1
        self._gather()
        for each in told["things"]:
            self._thing(each)
        self._joints()
        for camera in told["cameras"]:
            self._view(camera)
        for pair in told["pairs"]:
            self._ignore(pair)
        return scene

    def _map(self, told: dict[str, Any]) -> Array:
        """Return the map (4, 4) of a prim to the world, in m."""
        M = np.array(told["M"], float)
        M[:3] *= self.unit
        if not np.isfinite(M).all() or abs(np.linalg.det(M[:3, :3])) < 1e-300:
            raise FormatError(f"{self.path}: {told['path']} is placed by what are no numbers, or 0")
        return M

    def _gravity(self) -> tuple[float, float, float]:
        given = self.told["gravity"] or {}
        down = -np.eye(3)[1 if self.told["up"] == "Y" else 2]
        way = np.array(given.get("gravityDirection", (0.0, 0.0, 0.0)), float)
        size = float(np.linalg.norm(way))
        pull = float(given.get("gravityMagnitude", -math.inf))
        pull = pull * self.unit if pull >= 0.0 else EARTH
        x, y, z = (pull * (way / size if size > 0.0 else down) + 0.0).tolist()
        if not math.isfinite(x + y + z):
            raise FormatError(f"{self.path}: its gravity is no number")
        return (x, y, z)

    def _motion(self, told: dict[str, Any]) -> SceneMotion | None:
        """Return how a thing moves by itself; None where it does not."""
        if not told.get("moves"):
            return None
        poses = np.array(self.arrays[f"poses {told['path']}"], float)
        poses[:, :3, 3] *= self.unit
        if not np.isfinite(poses).all():
            raise FormatError(f"{self.path}: {told['path']} is moved by what are no numbers")
        return SceneMotion(self.arrays[f"times {told['path']}"], poses, again=False)

    # ---- things

    def _gather(self) -> None:
        """Let shapes that are numbered after what they stand in be one part that stands there."""
        inside: dict[str, list[dict[str, Any]]] = {}
        for told in self.told["things"]:
            if "inside" in told and not told.get("moves") and told["kind"] != "Plane":
                inside.setdefault(told["inside"]["path"], []).append(told)
        for path, those in inside.items():
            alike = all(e["color"] == those[0]["color"] or not e["seen"] for e in those)
            if alike and all(e["material"] == those[0]["material"] for e in those):
                whole = those[0]["inside"] | {"kinematicEnabled": True}
                name = self.found.unique(identifier(whole["name"]))
                self.bodies[path] = _Body(whole, name, rigid(self._map(whole))[0])
                for told in those:
                    told["body"] = path

    def _thing(self, told: dict[str, Any]) -> None:
        """Take a shape: into its rigid body, or as a part that stands still."""
        M, scene = self._map(told), self.found
        body = self.bodies.get(told["body"])
        name = body.name if body is not None else scene.unique(identifier(told["name"]))
        collides = told["collides"] or not self.solid
        X_WP = rigid(M)[0] if body is None else body.X_WP
        X, S = rigid(np.linalg.inv(X_WP) @ M)
        try:
            shape = shape_of(told, self.arrays, S, name, scene, ground=told["collides"])
        except (GeometryError, ValueError, IndexError, TypeError) as error:
            raise FormatError(f"{self.path}: {told['path']}: {error}") from error
        if shape is None:
            return
        if body is not None:
            body.things.append((told, shape, X))
            return
        self.names.setdefault(told["path"], []).append(name)
        rub, bounce = self._surface(told["material"])
        color = screen_color(told["color"])
        part = ScenePart(name, X_WP, color=color, friction=rub, restitution=bounce)
        form = placed(shape, X)
        if isinstance(shape, HalfSpace):
            part = replace(part, X_WP=X_WP @ X @ upright(told))
            form = shape
        part = replace(part, shape=form) if collides else replace(part, look=form)
        motion = None if isinstance(shape, HalfSpace) else self._motion(told)
        if motion is not None:
            part = replace(part, X_WP=motion.poses[0], motion=motion)
        scene.parts.append(part)

    def _part(self, body: _Body) -> ScenePart:
        """Return a rigid body with its shapes and its weight."""
        solid, seen, color = [], [], None
        for told, shape, X in body.things:
            if isinstance(shape, HalfSpace):
                self.found.lost["plane on what moves"] += 1
                continue
            collides = told["collides"] or not self.solid
            if collides and isinstance(shape, Mesh) and not body.still:
                solid += self.found.hull(shape, X)
            elif collides:
                solid.append(placed(shape, X))
            if told["seen"]:
                seen.append(placed(shape, X))
                own = screen_color(told["color"])
                if color is not None and own not in (None, color):
                    self.found.lost["further colour of a body (it has its first)"] += 1
                color = color or own
        look = None if seen == solid else united(seen)
        part = ScenePart(body.name, body.X_WP, united(solid), look, color)
        surfaces = [
            self._surface(told["material"]) for told, _, _ in body.things if told["collides"]
        ]
        if surfaces:
            part = replace(part, friction=surfaces[0][0], restitution=surfaces[0][1])
        if any(each != surfaces[0] for each in surfaces):
            self.found.lost["further surface of a body (it has its first)"] += 1
        motion = self._motion(body.told)
        if body.still:
            if motion is None or part.shape is part.look is None:
                return part
            return replace(part, X_WP=motion.poses[0], motion=motion)
        if motion is not None:
            self.found.lost["motion of a body that physics moves"] += 1
        weight = self._weight(body)
        moments = six_moments(weight.inertia)
        if not np.isfinite([weight.mass, *weight.center, *moments]).all():
            raise FormatError(f"{self.path}: {body.told['path']}: its mass or inertia is no number")
        x, y, z = weight.center.tolist()
        return replace(part, mass=weight.mass, center=(x, y, z), inertia=moments)

    def _surface(self, told: dict[str, Any]) -> tuple[float | None, float | None]:
        """Return the coefficients of friction and restitution of a material, None for none."""
        rub, bounce = told.get("dynamicFriction"), told.get("restitution")
        if rub is not None and told.get("staticFriction", rub) > rub:
            self.found.lost["static friction (it is as while sliding)"] += 1
        if not all(each is None or 0.0 <= each < math.inf for each in (rub, bounce)):
            raise FormatError(f"{self.path}: coefficients of a surface are 0 or more")
        return rub, None if bounce is None else min(bounce, 1.0)

    # ---- masses

    def _weight(self, body: _Body) -> Weight:
        """Return what a body weighs, in its frame: what it says, else by its colliders."""
        told, kg = body.told, self.mass_unit
        mass = kg * float(told.get("mass", 0.0))
        center = np.array(told.get("centerOfMass", (-math.inf,) * 3), float)
        moments = np.array(told.get("diagonalInertia", (0.0,) * 3), float)
        told_center, told_moments = bool(np.isfinite(center).all()), bool(moments.any())
        found = USUAL
        if not (mass > 0.0 and told_center and told_moments):
            found = self._found_weight(body) or USUAL
        if mass > 0.0:
            found = Weight(mass, found.center, found.inertia * (mass / found.mass))
        if told_center:
            there = np.linalg.inv(body.X_WP) @ self._map(told) @ [*center, 1.0]
            found = Weight(found.mass, there[:3], found.inertia)
        if told_moments:
            q = np.array(told.get("principalAxes", (0.0,) * 4), float)
            R = q_to_matrix(q / np.linalg.norm(q)) if q.any() else np.eye(3)
            moments = kg * self.unit**2 * self._possible(moments, told["path"])
            found = Weight(found.mass, found.center, R @ np.diag(moments) @ R.T)
        return found

    def _possible(self, moments: Array, path: str) -> Array:
        """Return principal moments of inertia (3,) that a solid can have."""
        largest = float(moments.max())
        if not 0.0 <= moments.min() <= largest < math.inf:
            raise FormatError(f"{self.path}: {path}: moments of inertia are 0 or more")
        found = np.maximum(moments, THIN * largest)
        found[np.argmax(found)] = min(largest, float(found.sum() - found.max()))
        if np.abs(found - moments).max() > ROUNDED * largest:
            self.found.lost["moment of inertia that no solid has (taken as the nearest)"] += 1
        return found

    def _found_weight(self, body: _Body) -> Weight | None:
        """Return what the colliders of a body weigh together, else what is seen of it."""
        found, kg, per = [], self.mass_unit, self.mass_unit / self.unit**3
        colliders = [each for each in body.things if each[0]["collides"]] or body.things
        for told, shape, X in colliders:
            given = (body.told.get("density"), told.get("density"),
                     told["material"].get("density"))  # fmt: skip
            said = [float(each) * per for each in given if each is not None and each > 0.0]
            try:
                made = mass_properties(shape, said[0] if said else DENSITY).transformed(X)
            except (GeometryError, ValueError):
                self.found.lost["weight of an open surface"] += 1
                continue
            weight = Weight(made.mass, made.center, made.inertia)
            own = kg * float(told.get("mass", 0.0))
            if own > 0.0:
                weight = Weight(own, weight.center, weight.inertia * (own / weight.mass))
            found.append(weight)
        return together(found) if found else None

    # ---- joints

    def _joints(self) -> None:
        """Take the joints, and hang the bodies on them."""
        scene, joints = self.found, []
        fixed = {"", *(path for path, each in self.bodies.items() if each.still)}
        for told in self.told["joints"]:
            try:
                joint = read_joint(told, self.unit, self.mass_unit, scene)
            except (ValueError, TypeError, np.linalg.LinAlgError) as error:
                raise FormatError(f"{self.path}: {told['path']}: {error}") from error
            if joint is None or {joint.first, joint.second} <= fixed:
                continue
            held = [self.bodies[each] for each in (joint.first, joint.second) if each]
            if any(each.still and each.told.get("moves") for each in held):
                scene.lost["joint to a body that moves by itself (it holds where that began)"] += 1
            if joint.first == joint.second:
                scene.lost["joint of a body with itself"] += 1
                continue
            joints.append(joint)
            paths = [each["path"] for each in told["ends"]]
            if not all(each["body"] for each in told["ends"]) and all(paths):
                a, b = (f"{each}/" for each in paths)
                if not (a.startswith(b) or b.startswith(a)):  # neighbours never touch
                    self.told["pairs"].append(paths)
        hung, loops = hang([(e, e.first, e.second) for e in joints], self.bodies, fixed)
        hinges = Hinges(scene)
        called = {path: "" if path in fixed else each.name for path, each in self.bodies.items()}
        for path, body in self.bodies.items():
            part = self._part(body)
            if path in hung:
                joint, parent, turned = hung[path]
                part = hinges.hung(joint, part, called.get(parent, ""), turned)
            if body.still and part.shape is None and part.look is None:
                continue
            scene.parts.append(part)
            self.names.setdefault(path, []).append(body.name)
        for joint in loops:
            hinges.tie(joint, called.get(joint.first, ""), called.get(joint.second, ""))

    def _ignore(self, pair: list[str]) -> None:
        """Keep from touching what is at or below two prims."""
        below = [
            [n for path, names in self.names.items() if f"{path}/".startswith(f"{top}/")
             for n in names] for top in pair
        ]  # fmt: skip
        if len(below[0]) * len(below[1]) + len(self.found.ignored) > MOST_PAIRS:
            self.found.lost["pairs that do not touch (too many)"] += 1
            return
        self.found.ignored += [(a, b) for a, b in product(*below) if a != b]

    # ---- cameras

    def _view(self, told: dict[str, Any]) -> None:
        body = self.bodies.get(told["body"])
        if told.get("projection") == "orthographic" or (body is not None and not body.still):
            self.found.lost["camera without perspective, or on what moves"] += 1
            return
        focal, height = float(told.get("focalLength", 50.0)), float(told["verticalAperture"])
        upwards = 2.0 * math.atan2(height, 2.0 * focal) if min(focal, height) > 0.0 else math.nan
        if not math.isfinite(upwards):
            raise FormatError(f"{self.path}: {told['path']}: lengths of a camera are more than 0")
        upwards = min(max(upwards, 0.02), 3.0)
        name = self.found.unique(identifier(told["name"]))
        # a film reads the move of a camera from the file, by its name there
        motion = self._motion(told) if name == told["name"] else None
        self.found.views.append(SceneView(name, rigid(self._map(told))[0], upwards, motion))
