"""A model of MuJoCo as a scene: its bodies where they stand at ``qpos0``, on hinges of ours.

MuJoCo itself reads and compiles the file, so that defaults, includes and inertias are its own. What
is welded to a body is part of it. A body's joints become one hinge; where no hinge has their
freedoms the model is refused with that body's name.

Before MuJoCo sees a model, its files have to lie within its folder and its counts within bounds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.errors import FormatError, MissingExtra
from articulata.formats.mjcf.joint_laws import drives, joint_laws, straight, through_gears
from articulata.formats.scenes.foreign_scene import (
    LARGEST,
    ROTOR,
    Scene,
    SceneJoint,
    ScenePart,
    SceneTie,
    SceneView,
    content_of,
    triangles_of,
)
from articulata.formats.xml import Element, parse
from articulata.geometry.arrays import Array
from articulata.geometry.joint_frames import axis_frame
from articulata.geometry.mass import six_moments
from articulata.geometry.poses import make_pose
from articulata.geometry.quaternion import q_to_matrix
from articulata.geometry.shapes import (
    Capsule,
    Cuboid,
    Cylinder,
    HalfSpace,
    Mesh,
    Named,
    Placed,
    Shape,
    Sphere,
    Union,
)
from articulata.kinematics.described_figure import identifier
from articulata.world.figures.link_weights import Weight, together
from articulata.world.values import Vector3

MOST_FILES: Final = 200
MOST: Final = 4_000_000
"""Copies, pixels or numbers that one attribute, or two multiplied, may ask for."""
COUNTS: Final = ("count", "width", "height", "nrow", "ncol", "nconmax", "njmax", "nstack")
MEMORY: Final = re.compile(r"^\s*(-1|\d{1,9}|\d{1,6}[Kk]|\d{1,3}[Mm])\s*$")
COUNTED: Final = re.compile(r"^\s*\d+(\s+\d+)*\s*$")


def check_files(path: Path) -> None:
    """Raise FormatError for a model that names files outside its folder, or asks for too much."""
    folder = path.resolve().parent
    waiting, seen = [path.resolve()], set()
    copies = 1
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        root = parse(content_of(file), str(file), most_bytes=LARGEST, most_depth=500)
        if len(seen) > MOST_FILES:
            raise root.error(f"a model may include {MOST_FILES} files, not more")
        for element in root.whole():
            _check_counts(element)
            if element.tag == "replicate":
                copies *= max(1, int(element.attributes.get("count", "1") or 1))
                if copies > 10_000:
                    raise element.error(f"{element}: {copies} copies are more than 10000")
            for name, value in element.attributes.items():
                if "nan" in value.lower().split():  # MuJoCo would only write a log about it
                    raise element.error(f"{element}: {name} holds NaN; give a number")
                if name in ("meshdir", "texturedir", "assetdir") or name.startswith("file"):
                    _check_place(element, value, folder, file.parent)
            if element.tag == "include":
                included = (folder / element.text("file")).resolve()
                if included.is_file():  # MuJoCo says what is missing
                    waiting.append(included)


def _check_place(element: Element, value: str, folder: Path, own: Path) -> None:
    """Check a path; MuJoCo looks in the folder of the model and in that of the included file."""
    try:
        places = [(each / value).resolve() for each in (folder, own)]
        inside = [each.is_relative_to(folder) for each in places]
        allowed = any(inside) and all(
            held or not place.exists() for held, place in zip(inside, places, strict=True)
        )
    except (OSError, ValueError):
        allowed = False
    if not allowed:
        raise element.error(
            f"{element}: '{value[:60]}' lies outside the model's folder; put the file there"
        )


def _check_counts(element: Element) -> None:
    product = 1
    for name in COUNTS:
        value = element.attributes.get(name, "1")
        if COUNTED.match(value):
            for each in value.split():
                product *= max(1, int(each[:12]))
    if product > MOST or not MEMORY.match(element.attributes.get("memory", "-1")):
        raise element.error(f"{element} asks for too much; give smaller counts")


FREE, BALL, SLIDE, HINGE = range(4)
CLOSE: Final = 1e-9
MET: Final = 1e-6
"""m and parts of one by which an equality may be open at the start."""
Y_TO_Z: Final = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
"""Turns y, across our ground, to z, across theirs."""


def load() -> Any:
    """Return the module ``mujoco``; MissingExtra where it is not installed."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtra(
            "models of MuJoCo need the package mujoco; install it with: "
            "pip install 'articulata[mujoco]'"
        ) from None
    return mujoco


def read_scene(path: Path) -> Scene:
    """Return the scene of an MJCF file. FormatError for what MuJoCo or our hinges cannot hold."""
    mujoco = load()
    check_files(path)
    try:
        model = mujoco.MjSpec.from_file(str(path)).compile()
    except ValueError as error:
        raise FormatError(f"{path}: MuJoCo cannot read it: {error}") from error
    return _Reading(mujoco, model, path).scene()


class _Reading:
    """Goes through a compiled model at ``qpos0``."""

    def __init__(self, mujoco: Any, model: Any, path: Path) -> None:
        self.model = model
        self.path = path
        self.mujoco = mujoco
        self.data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, self.data)
        mujoco.mj_comPos(model, self.data)
        mujoco.mj_camlight(model, self.data)
        self.types = mujoco.mjtGeom
        self.found = Scene(identifier(path.stem), path.name)
        self.names: dict[int, str] = {0: ""}
        self.joints: dict[int, str] = {}
        self.driven = drives(model)

    def scene(self) -> Scene:
        """Return all that is in it."""
        model, scene = self.model, self.found
        falls = not model.opt.disableflags & self.mujoco.mjtDisableBit.mjDSBL_GRAVITY
        x, y, z = (float(each) for each in falls * model.opt.gravity)
        scene.gravity = (x, y, z)
        groups: dict[int, list[int]] = defaultdict(list)
        for body in range(model.nbody):
            groups[int(model.body_weldid[body])].append(body)
        for group, bodies in groups.items():
            if group == 0:
                for body in bodies:
                    self._still(body)
            else:
                self._moving(group, bodies)
        for number in range(model.ncam):
            self._camera(number)
        for number in range(model.neq):
            self._tie(number)
        for signature in model.exclude_signature:
            pair = [int(model.body_weldid[int(signature) >> 16]),
                    int(model.body_weldid[int(signature) & 0xFFFF])]  # fmt: skip
            if pair[0] != pair[1] and all(pair):
                scene.ignored.append((self.names[pair[0]], self.names[pair[1]]))
        self._count_lost()
        return scene

    def _count_lost(self) -> None:
        model, lost = self.model, self.found.lost
        tendons = model.tendon_limited.astype(bool)
        for each in ("stiffness", "damping", "frictionloss", "armature"):
            tendons = tendons | (getattr(model, f"tendon_{each}") != 0.0)
        for words, count in (
            ("actuator", self.driven.count(None)), ("tendon", np.count_nonzero(tendons)),
            ("sensor", model.nsensor), ("key frame", model.nkey), ("light", model.nlight),
            ("texture", model.ntex), ("flexible body", model.nflex),
            ("air or water", model.opt.density or model.opt.viscosity),
        ):  # fmt: skip
            if count:
                lost[words] += int(count)

    # ---- bodies

    def _name(self, kind: str, number: int, otherwise: str) -> str:
        name = getattr(self.model, kind)(number).name
        return self.found.unique(identifier(name) if name else otherwise)

    def _pose(self, body: int) -> Array:
        return make_pose(self.data.xmat[body].reshape(3, 3), self.data.xpos[body])

    def _geoms(self, body: int) -> range:
        first = int(self.model.body_geomadr[body])
        return range(first, first + int(self.model.body_geomnum[body]))

    def _still(self, body: int) -> None:
        """Take the geoms of a body that nothing moves, each as a part."""
        called = self.model.body(body).name if body else "part"
        for geom in self._geoms(body):
            name = self._name("geom", geom, identifier(called or "part"))
            X = make_pose(self.data.geom_xmat[geom].reshape(3, 3), self.data.geom_xpos[geom])
            shape = self._shape(geom, name)
            if isinstance(shape, HalfSpace):
                X = X @ Y_TO_Z
            if shape is None:
                continue
            part = ScenePart(name, X, shape, color=self._color(geom))
            if not self._touches(geom):
                part = ScenePart(name, X, None, shape, self._color(geom))
            self.found.parts.append(part)

    def _moving(self, group: int, bodies: list[int]) -> None:
        name = self._name("body", group, "body")
        self.names[group] = name
        X_WP = self._pose(group)
        back = np.array(np.linalg.inv(X_WP), np.float64)
        solid: list[Shape] = []
        seen: list[Shape] = []
        color = None
        for geom in (each for body in bodies for each in self._geoms(body)):
            X = make_pose(self.data.geom_xmat[geom].reshape(3, 3), self.data.geom_xpos[geom])
            shape = self._shape(geom, f"{name}_{geom}")
            if shape is None or isinstance(shape, HalfSpace):
                continue
            placed = _placed(shape, back @ X)
            touches = self._touches(geom)
            if touches and isinstance(shape, Mesh):
                self.found.lost["mesh that touches (it is only seen)"] += 1
            if touches and not isinstance(shape, Mesh):
                solid.append(placed)
            if not touches or isinstance(shape, Mesh):
                seen.append(placed)
            color = color or self._color(geom)
        weight = self._weight(bodies, back)
        if weight.mass <= 0.0:
            raise FormatError(f"{self.path}: body '{name}' moves and has no mass")
        if len(bodies) > 1:
            self.found.lost["body without a joint (part of what carries it)"] += len(bodies) - 1
        borne, gravity = self.model.body_gravcomp[bodies], None
        if np.ptp(borne):
            self.found.lost["gravcomp of a part of a body"] += 1
        elif borne[0]:
            gx, gy, gz = ((1.0 - float(borne[0])) * each for each in self.found.gravity)
            gravity = (gx, gy, gz)
        x, y, z = weight.center.tolist()
        self.found.parts.append(
            ScenePart(
                name, X_WP, _united(solid), _united(seen), color,
                self._joint(group, name), weight.mass, (x, y, z), six_moments(weight.inertia),
                gravity=gravity,
            )
        )  # fmt: skip

    def _weight(self, bodies: list[int], X_PW: Array) -> Weight:
        """Return what several bodies weigh as one, in frame P."""
        model, data = self.model, self.data
        found = []
        for body in bodies:
            R = X_PW[:3, :3] @ data.ximat[body].reshape(3, 3)
            center = X_PW[:3, :3] @ data.xipos[body] + X_PW[:3, 3]
            J = R @ np.diag(model.body_inertia[body]) @ R.T
            found.append(Weight(float(model.body_mass[body]), center, J))
        heavy = [each for each in found if each.mass > 0.0]
        return together(heavy) if heavy else found[0]

    # ---- joints

    def _joint(self, body: int, name: str) -> SceneJoint | None:
        """Return the one hinge that a body's joints make up; None where it is free."""
        model, data = self.model, self.data
        first = int(model.body_jntadr[body])
        joints = list(range(first, first + int(model.body_jntnum[body])))
        kinds = [int(model.jnt_type[each]) for each in joints]
        if kinds == [FREE]:
            dof = int(model.jnt_dofadr[first])
            acting = (model.dof_damping, model.dof_armature, model.dof_frictionloss)
            if any(each[dof] for each in acting):
                self.found.lost["damping, rotor or dry friction of a free body"] += 1
            return None
        axes, places = data.xaxis[joints], data.xanchor[joints]
        kind, z, x = _hinge(kinds, axes, places)
        if not kind:
            told = ", ".join(model.joint(each).name or f"joint {each}" for each in joints)
            raise FormatError(
                f"{self.path}: body '{name}' moves by the joints {told}; no hinge here has these "
                "freedoms. Put bodies with a mass between them"
            )
        X = make_pose(axis_frame(z)[:3, :3], places[-1])
        if x is not None:
            X[:3, :3] = np.column_stack([x, np.cross(z, x), z])
        parent = self.names[int(model.body_weldid[model.body_parentid[body]])]
        called = self._name("jnt", joints[0], f"{name}_joint")
        at = [int(each) for each in model.jnt_dofadr[joints]]
        if kind not in ("pin", "slider"):
            several = "of a joint of several freedoms"
            for what, given in (
                ("limits", model.jnt_limited[joints]),
                ("spring", model.jnt_stiffness[joints]),
                ("damping", model.dof_damping[at]),
                ("rotor", model.dof_armature[at]),
                ("dry friction", model.dof_frictionloss[at]),
                ("actuator", [each.joint in joints for each in self.driven if each]),
            ):
                if np.any(given):
                    self.found.lost[f"{what} {several}"] += 1
            return SceneJoint(called, kind, X, parent)
        one = joints[0]
        zero = float(model.qpos0[model.jnt_qposadr[one]])
        rotor = float(model.dof_armature[at[0]])
        rotor += through_gears(model, "armature", one, self.driven)
        if rotor:
            called = self._with_rotor(called)
        limits = None
        if model.jnt_limited[one]:
            low, high = (float(each) - zero for each in model.jnt_range[one])
            limits = (low, high)
        laws = joint_laws(model, one, self.driven, self.found.lost)
        self.joints[one] = called
        named = tuple(replace(e, name=self.found.unique(f"{called}_{e.name}")) for e in laws)
        friction = float(model.dof_frictionloss[at[0]])
        return SceneJoint(called, kind, X, parent, limits, named, friction, rotor)

    def _with_rotor(self, called: str) -> str:
        """Return the name of a joint after which its rotor can be called, and keep those names."""
        names = self.found.names
        while names.keys() & (taken := {f"{called}_{word}" for word in ROTOR}):
            called = self.found.unique(f"{called}_2")
        names.update(dict.fromkeys(taken, 1))
        return called

    def _tie(self, number: int) -> None:
        """Take an equality that holds where the model stands."""
        model, data, types = self.model, self.data, self.mujoco.mjtEq
        kind, given = int(model.eq_type[number]), model.eq_data[number]
        a, b = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        name = self._name("equality", number, "tie")
        if not model.eq_active0[number]:
            pass
        elif kind == types.mjEQ_JOINT and {a, b} <= set(self.joints) and straight(model, number):
            # MuJoCo moves the first by the second
            tie = SceneTie(name, "gear", self.joints[b], self.joints[a], ratio=float(given[1]))
            self.found.ties.append(tie)
            return
        elif kind in (types.mjEQ_CONNECT, types.mjEQ_WELD):
            ends, weld = (a, b), kind == types.mjEQ_WELD
            if model.eq_objtype[number] == self.mujoco.mjtObj.mjOBJ_SITE:
                X, Y = (make_pose(data.site_xmat[each].reshape(3, 3), data.site_xpos[each])
                        for each in ends)  # fmt: skip
                a, b = (int(model.site_bodyid[each]) for each in ends)
            elif weld:
                X = self._pose(a) @ make_pose(q_to_matrix(given[6:10]), given[3:6])
                Y = self._pose(b)
            else:
                X, Y = (self._pose(each) @ make_pose(np.eye(3), p)
                        for each, p in zip(ends, (given[:3], given[3:6]), strict=True))  # fmt: skip
                Y = make_pose(X[:3, :3], Y[:3, 3])
            if np.allclose(X, Y, rtol=0.0, atol=MET):
                first, second = (self.names[int(model.body_weldid[each])] for each in (a, b))
                if first != second:
                    tie = SceneTie(name, "weld" if weld else "ball", first, second, X)
                    self.found.ties.append(tie)
                return
        self.found.lost["equality"] += 1

    # ---- shapes and cameras

    def _touches(self, geom: int) -> bool:
        return bool(self.model.geom_contype[geom] or self.model.geom_conaffinity[geom])

    def _color(self, geom: int) -> Vector3:
        material = int(self.model.geom_matid[geom])
        rgba = self.model.geom_rgba[geom]
        if material >= 0 and np.allclose(rgba, (0.5, 0.5, 0.5, 1.0)):
            rgba = self.model.mat_rgba[material]
        r, g, b = (round(min(max(float(each), 0.0), 1.0), 6) for each in rgba[:3])
        return (r, g, b)

    def _shape(self, geom: int, name: str) -> Shape | None:
        """Return a geom's shape in its own frame."""
        model, types = self.model, self.types
        kind = int(model.geom_type[geom])
        a, b, c = (float(each) for each in model.geom_size[geom])
        if kind == types.mjGEOM_PLANE:
            return HalfSpace()
        if kind == types.mjGEOM_SPHERE:
            return Sphere(a)
        if kind == types.mjGEOM_CAPSULE:
            return Capsule(a, 2.0 * b)
        if kind == types.mjGEOM_CYLINDER:
            return Cylinder(a, 2.0 * b)
        if kind == types.mjGEOM_BOX:
            return Cuboid(2.0 * a, 2.0 * b, 2.0 * c)
        if kind == types.mjGEOM_ELLIPSOID:
            vertices, triangles = triangles_of(Sphere(1.0))
            return self.found.surface(name, vertices * [a, b, c], triangles)
        if kind == types.mjGEOM_MESH:
            mesh = int(model.geom_dataid[geom])
            begin, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
            first, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
            vertices = np.array(model.mesh_vert[begin : begin + count], float)
            return self.found.surface(
                name, vertices, np.array(model.mesh_face[first : first + faces], np.int64)
            )
        self.found.lost[f"shape of the kind {types(kind).name[7:].lower()}"] += 1
        return None

    def _camera(self, number: int) -> None:
        model, data = self.model, self.data
        if int(model.body_weldid[model.cam_bodyid[number]]):
            self.found.lost["camera on what moves"] += 1
            return
        X = make_pose(data.cam_xmat[number].reshape(3, 3), data.cam_xpos[number])
        upwards = float(np.clip(np.radians(model.cam_fovy[number]), 0.02, 3.0))
        self.found.views.append(SceneView(self._name("camera", number, "view"), X, upwards))


def _hinge(kinds: list[int], axes: Array, places: Array) -> tuple[str, Array, Array | None]:
    """Return the hinge with the freedoms of some joints, its z and x in W; "" for none."""
    here = bool(np.all(np.abs(places - places[-1]) < 1e-6))
    if len(kinds) == 1:
        return {BALL: "ball", SLIDE: "slider", HINGE: "pin"}.get(kinds[0], ""), axes[0], None
    turns = [each == HINGE for each in kinds]
    if len(kinds) == 2 and all(turns) and here and abs(axes[0] @ axes[1]) < CLOSE:
        # the first joint is the one at the parent
        return "universal", axes[1], axes[0]
    if len(kinds) == 2 and sorted(kinds) == [SLIDE, HINGE] and abs(axes[0] @ axes[1]) > 1 - CLOSE:
        return "cylindrical", axes[0], None
    if len(kinds) == 3 and all(turns) and here and abs(np.linalg.det(axes)) > 0.1:
        return "ball", axes[0], None
    if sorted(kinds) == [SLIDE, SLIDE, HINGE]:
        normal = axes[kinds.index(HINGE)]
        slides = axes[[each == SLIDE for each in kinds]]
        if np.all(np.abs(slides @ normal) < CLOSE) and abs(slides[0] @ slides[1]) < 0.9:
            return "planar", normal, None
    return "", axes[0], None


def _placed(shape: Shape, X: Array) -> Shape:
    still = np.allclose(X, np.eye(4), rtol=0.0, atol=1e-12)
    return shape if still else Placed(shape, X)


def _united(shapes: list[Shape]) -> Shape | None:
    if len(shapes) < 2:
        return shapes[0] if shapes else None
    return Union(Named(f"part{number}", each) for number, each in enumerate(shapes, 1))
