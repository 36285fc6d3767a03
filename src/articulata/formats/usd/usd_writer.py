"""A scene as a stage of USD: a prim each part below ``/World``, with UsdPhysics.

Units are metres and kg. What UsdPhysics holds in float32 has its double beside it, as ``exact`` in
``customData``; points of surfaces are float32. Joints lie beside the parts, on the tree's parents.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from articulata.formats.scenes.foreign_scene import (
    GROUND,
    Scene,
    SceneJoint,
    SceneLaw,
    ScenePart,
    triangles_of,
)
from articulata.formats.scenes.scene_motion import SceneMotion
from articulata.formats.sdf.hinges import BEYOND
from articulata.formats.usd.usd_scene import needs_usd
from articulata.formats.usd.usd_shapes import ALONG, linear_color
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    HalfSpace,
    Named,
    Placed,
    Shape,
    Sphere,
    Union,
)
from articulata.world.figures.link_weights import moments_matrix
from articulata.world.values import Vector3

RATE: Final = 24.0
"""Time codes a second."""
SENSOR: Final = (0.36, 0.24)
"""Width and height of a camera's picture, in tenths of a metre."""
JOINTS: Final = {"weld": "FixedJoint", "pin": "RevoluteJoint", "slider": "PrismaticJoint",
                 "ball": "SphericalJoint"}  # fmt: skip
FREE: Final = {"cylindrical": ("transZ", "rotZ"), "universal": ("rotX", "rotY"),
               "planar": ("transX", "transY", "rotZ")}  # fmt: skip
"""What a joint of six freedoms leaves free; of a universal the child turns about x, on y."""
WAYS: Final = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")


def write_usd(scene: Scene, ending: str) -> bytes:
    """Return a scene as the bytes of a ``.usda``, ``.usdc``, ``.usd`` or ``.usdz``."""
    needs_usd(Path(f"{scene.name}{ending}"))
    from pxr import Sdf, UsdUtils

    stage = _Writer(scene).whole()
    scene.count_starts()
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{scene.name}{'.usdc' if ending == '.usdz' else ending}"
        stage.GetRootLayer().Export(str(file))
        if ending == ".usdz":
            whole = file.with_suffix(ending)
            UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(file)), str(whole))
            file = whole
        return file.read_bytes()


class _Writer:
    """Defines the prims of a stage."""

    def __init__(self, scene: Scene) -> None:
        from pxr import Sdf, Usd, UsdGeom, UsdPhysics, Vt

        self.scene = scene
        self.sdf, self.geom, self.physics, self.vt = Sdf, UsdGeom, UsdPhysics, Vt
        self.stage = stage = Usd.Stage.CreateInMemory()
        up = int(np.argmax(np.abs(scene.gravity)))
        UsdGeom.SetStageUpAxis(stage, "Y" if up == 1 else "Z")
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
        stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/World").GetPrim())
        self.poses: dict[str, Array] = {"": np.eye(4)}
        self.paths: dict[str, str] = {}
        self.used: set[str] = set()
        self.rigid: set[str] = set()
        self.materials: dict[tuple[float, float], Any] = {}
        self.end = 0.0

    def whole(self) -> Any:
        """Return the stage with all of the scene."""
        scene, stage = self.scene, self.stage
        gravity = np.array(scene.gravity)
        size = float(np.linalg.norm(gravity))
        space = self.physics.Scene.Define(stage, self.path("physics"))
        down = gravity / size if size else -np.eye(3)[2]
        self.set(space.CreateGravityDirectionAttr(), down)
        self.set(space.CreateGravityMagnitudeAttr(), size)
        for part in scene.parts:
            self._part(part)
        for part in scene.parts:
            joint = part.joint
            if joint is not None and joint.kind != "free" and self._moves(part.name, joint.parent):
                self._joint(joint, joint.parent, part.name)
        for tie in scene.ties:
            if tie.kind == "gear":
                scene.lost["gear between joints"] += 1
                continue
            if not self._moves(tie.first, tie.second):
                continue
            held = SceneJoint(tie.name, tie.kind, tie.X_WJ)
            self._joint(held, tie.second, tie.first).CreateExcludeFromArticulationAttr(True)
        if scene.springs:
            scene.lost["spring between two points"] += len(scene.springs)
        for a, b in scene.ignored:
            if {a, b} <= self.paths.keys():
                pairs = self.physics.FilteredPairsAPI.Apply(stage.GetPrimAtPath(self.paths[a]))
                pairs.CreateFilteredPairsRel().AddTarget(self.paths[b])
        for view in scene.views:
            camera = self.geom.Camera.Define(stage, self.path(view.name))
            self._place(camera, view.X_WC, view.motion)
            if view.zoom is not None:
                self.scene.lost["zoom of a camera"] += 1
            self.set(camera.CreateHorizontalApertureAttr(), SENSOR[0])
            self.set(camera.CreateVerticalApertureAttr(), SENSOR[1])
            self.set(camera.CreateFocalLengthAttr(), SENSOR[1] / 2.0 / math.tan(view.upwards / 2.0))
        if self.end:
            stage.SetTimeCodesPerSecond(RATE)
            stage.SetStartTimeCode(0.0)
            stage.SetEndTimeCode(self.end)
        return stage

    def _moves(self, *parts: str) -> bool:
        """Tell whether one of two parts is a rigid body, as joints need it; count where none is."""
        found = not self.rigid.isdisjoint(parts)
        if not found:
            self.scene.lost["hinge between things without mass"] += 1
        return found

    def path(self, name: str) -> str:
        """Return the path of a thing that is called ``name``."""
        from pxr import Tf

        made = Tf.MakeValidIdentifier(name)
        while made in self.used:
            made += "_"
        if made != name:
            self.scene.lost["name that is another one's, or holds no letters alone"] += 1
        self.used.add(made)
        return f"/World/{made}"

    def set(self, attribute: Any, value: float | Iterable[float]) -> None:
        """Set an attribute of floats, with the doubles that they are rounded from."""
        from pxr import Gf

        numbers = [float(each) for each in np.atleast_1d(np.array(value, float))]
        kinds = {1: (float, float), 3: (Gf.Vec3f, Gf.Vec3d), 4: (Gf.Quatf, Gf.Quatd)}
        rounded, exact = kinds[len(numbers)]
        attribute.Set(rounded(*numbers))
        if (np.array(numbers) != np.array(numbers, np.float32)).any():
            attribute.SetCustomDataByKey("exact", exact(*numbers))

    # ---- parts

    def _place(self, prim: Any, X: Array, motion: SceneMotion | None = None) -> None:
        from pxr import Gf

        form = self.geom.Xformable(prim)
        shift = form.AddTranslateOp(self.geom.XformOp.PrecisionDouble)
        turn = form.AddOrientOp(self.geom.XformOp.PrecisionDouble)

        def put(X: Array, *when: float) -> None:
            shift.Set(Gf.Vec3d(*X[:3, 3].tolist()), *when)
            turn.Set(Gf.Quatd(*q_from_matrix(X[:3, :3]).tolist()), *when)

        put(X)
        if motion is not None:
            for time, pose in zip(motion.times.tolist(), motion.poses, strict=True):
                put(pose, RATE * time)
            self.end = max(self.end, RATE * float(motion.times[-1]))

    def _part(self, part: ScenePart) -> None:
        path = self.paths[part.name] = self.path(part.name)
        self.poses[part.name] = part.X_WP
        ground = isinstance(part.shape, HalfSpace) and part.mass is None
        prim = self.geom.Xform.Define(self.stage, path).GetPrim()
        self._place(prim, part.X_WP, part.motion)
        if part.mass is not None or part.motion is not None:
            body = self.physics.RigidBodyAPI.Apply(prim)
            self.rigid.add(part.name)
            if part.motion is not None:
                body.CreateKinematicEnabledAttr(True)
        if part.mass is not None:
            self._weight(prim, part)
        if part.gravity is not None:
            self.scene.lost["gravity of a single body"] += 1
        both = part.look is not None and not ground
        for shape, touches in ((part.shape, True), (part.look, False)):
            if shape is not None:
                self._shape(path, shape, np.eye(4), part, touches, seen=not (touches and both))

    def _weight(self, prim: Any, part: ScenePart) -> None:
        told = self.physics.MassAPI.Apply(prim)
        self.set(told.CreateMassAttr(), part.mass or 0.0)
        self.set(told.CreateCenterOfMassAttr(), part.center)
        J = moments_matrix(part.inertia)
        moments, R = np.diag(J), np.eye(3)
        if np.abs(J - np.diag(moments)).max() > 0.0:
            moments, R = np.linalg.eigh(J)
            R[:, 2] *= np.sign(np.linalg.det(R))
        self.set(told.CreateDiagonalInertiaAttr(), moments)
        self.set(told.CreatePrincipalAxesAttr(), q_from_matrix(R))

    def _shape(
        self, path: str, shape: Shape, X: Array, part: ScenePart, touches: bool, *, seen: bool
    ) -> None:
        """Define the prims of a shape below ``path``, at X in its frame."""
        if isinstance(shape, Named | Placed):
            X = X @ shape.X_PS if isinstance(shape, Placed) else X
            self._shape(path, shape.shape, X, part, touches, seen=seen)
            return
        if isinstance(shape, Union):
            for each in shape.parts:
                self._shape(path, each, X, part, touches, seen=seen)
            return
        number = len(self.stage.GetPrimAtPath(path).GetChildren()) + 1
        below = f"{path}/{path.rpartition('/')[2]}_{number}"
        made, scale = self._form(below, shape)
        self._place(made, X)
        if scale is not None:
            op = self.geom.Xformable(made).AddScaleOp(self.geom.XformOp.PrecisionDouble)
            op.Set(scale)
        boundable = self.geom.Boundable
        extent = boundable.ComputeExtentFromPlugins(boundable(made), 0.0)
        if extent:
            made.CreateExtentAttr(extent)
        if not seen:
            made.CreatePurposeAttr("guide")
        elif part.color is not None:
            color = linear_color(part.color)
            attribute = made.CreateDisplayColorAttr(
                self.vt.Vec3fArray.FromNumpy(np.array([color], np.float32))
            )
            attribute.SetCustomDataByKey("exact", self._vector(color))
        if touches:
            self.physics.CollisionAPI.Apply(made.GetPrim())
            if made.GetPrim().GetTypeName() == "Mesh":
                fit = self.physics.MeshCollisionAPI.Apply(made.GetPrim())
                fit.CreateApproximationAttr("none" if part.mass is None else "convexDecomposition")
            self._rub(made.GetPrim(), part)

    def _form(self, path: str, shape: Shape) -> tuple[Any, Vector3 | None]:
        """Define the prim of one shape; return it and what stretches it."""
        stage, geom = self.stage, self.geom
        match shape:
            case Cuboid(x, y, z):
                made = geom.Cube.Define(stage, path)
                made.CreateSizeAttr(1.0)
                return made, (x, y, z)
            case Sphere(radius):
                made = geom.Sphere.Define(stage, path)
                made.CreateRadiusAttr(radius)
            case Cylinder(radius, length) | Capsule(radius, length) | Cone(radius, length, 0.0):
                made = getattr(geom, type(shape).__name__).Define(stage, path)
                made.CreateRadiusAttr(radius)
                made.CreateHeightAttr(length)
                made.CreateAxisAttr("Z")
            case HalfSpace():
                made = geom.Plane.Define(stage, path)
                made.CreateAxisAttr("Y")
                made.CreateWidthAttr(2.0 * GROUND)
                made.CreateLengthAttr(2.0 * GROUND)
            case _:
                made = self._mesh(path, shape)
        return made, None

    def _vector(self, values: Vector3) -> Any:
        from pxr import Gf

        return Gf.Vec3d(*values)

    def _mesh(self, path: str, shape: Shape) -> Any:
        vertices, faces = triangles_of(shape)
        made = self.geom.Mesh.Define(self.stage, path)
        made.CreatePointsAttr(self.vt.Vec3fArray.FromNumpy(vertices.astype(np.float32)))
        sizes = np.full(len(faces), 3, np.int32)
        made.CreateFaceVertexCountsAttr(self.vt.IntArray.FromNumpy(sizes))
        index = np.ascontiguousarray(faces.reshape(-1), np.int32)
        made.CreateFaceVertexIndicesAttr(self.vt.IntArray.FromNumpy(index))
        made.CreateSubdivisionSchemeAttr("none")
        return made

    def _rub(self, prim: Any, part: ScenePart) -> None:
        """Bind what a surface does where it touches."""
        from pxr import UsdShade

        if part.friction is None and part.restitution is None:
            return
        key = part.friction or 0.0, part.restitution or 0.0
        if key not in self.materials:
            path = self.path(f"surface_{len(self.materials) + 1}")
            made = self.materials[key] = UsdShade.Material.Define(self.stage, path)
            told = self.physics.MaterialAPI.Apply(made.GetPrim())
            self.set(told.CreateStaticFrictionAttr(), key[0])
            self.set(told.CreateDynamicFrictionAttr(), key[0])
            self.set(told.CreateRestitutionAttr(), key[1])
        binding = UsdShade.MaterialBindingAPI.Apply(prim)
        binding.Bind(self.materials[key], UsdShade.Tokens.weakerThanDescendants, "physics")

    # ---- joints

    def _joint(self, joint: SceneJoint, parent: str, child: str) -> Any:
        """Define the joint on which ``child`` moves; body 0 is the parent, body 1 the child."""
        kind = JOINTS.get(joint.kind, "Joint")
        made = getattr(self.physics, kind).Define(self.stage, self.path(joint.name))
        X = joint.X_WJ @ ALONG["Y"] if joint.kind == "universal" else joint.X_WJ
        for number, body in ((0, parent), (1, child)):
            if body in self.paths:
                getattr(made, f"CreateBody{number}Rel")().SetTargets([self.paths[body]])
            local = np.linalg.inv(self.poses[body]) @ X
            self.set(getattr(made, f"CreateLocalPos{number}Attr")(), local[:3, 3])
            q = q_from_matrix(local[:3, :3])
            self.set(getattr(made, f"CreateLocalRot{number}Attr")(), q)
        for way in WAYS if kind == "Joint" else ():
            if way not in FREE[joint.kind]:
                limit = self.physics.LimitAPI.Apply(made.GetPrim(), way)
                limit.CreateLowAttr(1.0)  # a low above the high locks it
                limit.CreateHighAttr(-1.0)
        if joint.kind in ("pin", "slider"):
            self._single(made, joint)
        elif joint.laws:
            self.scene.lost["spring of a ball"] += 1
        return made

    def _single(self, made: Any, joint: SceneJoint) -> None:
        """Say what ends and what drives the motion of a joint with one coordinate."""
        turns = joint.kind == "pin"
        size = 180.0 / math.pi if turns else 1.0
        made.CreateAxisAttr("Z")
        low, high = joint.limits or (-math.inf, math.inf)
        if low > -BEYOND:
            self.set(made.CreateLowerLimitAttr(), size * low)
        if high < BEYOND:
            self.set(made.CreateUpperLimitAttr(), size * high)
        if joint.friction:
            self.scene.lost["dry friction of a joint"] += 1
        if joint.rotor:
            told = made.GetPrim().CreateAttribute(
                "physxJoint:armature", self.sdf.ValueTypeNames.Float
            )
            self.set(told, joint.rotor)
        if len(joint.acting) > 1:
            self.scene.lost["further law along a joint"] += len(joint.acting) - 1
        for law in joint.acting[:1]:
            self._drive(made, law, turns, size)

    def _drive(self, made: Any, law: SceneLaw, turns: bool, size: float) -> None:
        way = "angular" if turns else "linear"
        drive = self.physics.DriveAPI.Apply(made.GetPrim(), way)
        rest, speed = law.rest, 0.0
        if law.damping:
            speed = law.constant / law.damping
        elif law.stiffness:
            rest += law.constant / law.stiffness
        elif law.constant:
            self.scene.lost["constant force along a joint"] += 1
        drive.CreateTypeAttr("force")
        self.set(drive.CreateStiffnessAttr(), law.stiffness / size)
        self.set(drive.CreateDampingAttr(), law.damping / size)
        self.set(drive.CreateTargetPositionAttr(), size * rest)
        self.set(drive.CreateTargetVelocityAttr(), size * speed)
        low, high = law.bounds or (-math.inf, math.inf)
        if low != -high:
            self.scene.lost["bounds of a drive that are not alike both ways"] += 1
        elif math.isfinite(high):
            self.set(drive.CreateMaxForceAttr(), high)
