"""Worlds of USD: where things stand, on what they move, and what is named or refused.

Stages are made with ``usd-core`` as Isaac Sim (z up, metres) and Blender (y up, centimetres) do.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdLux, UsdPhysics, UsdShade, UsdValidation, Vt

import articulata as art
from articulata.errors import FormatError, MissingExtra
from articulata.formats.scenes.scene_files import scene_of
from articulata.formats.scenes.scene_motion import rigid
from articulata.formats.usd import usd_scene
from articulata.geometry.shapes import Cuboid, Cylinder, HalfSpace, Mesh, Placed, Sphere
from articulata.records.observed import POSE
from articulata.sessions.converting import convert
from articulata.sessions.film.moves import read_move
from articulata.world.world_files import LIBRARY
from random_worlds import random_text


def place(prim: Any, position: tuple[float, ...], q: tuple[float, ...] = (1, 0, 0, 0)) -> Any:
    """Put a prim somewhere, q (w, x, y, z)."""
    form = UsdGeom.Xformable(prim)
    form.AddTranslateOp().Set(Gf.Vec3d(*position))
    form.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(*q).GetNormalized())
    return prim


def heavy(prim: Any, mass: float, moments: tuple[float, ...] = (0.25, 0.25, 0.125)) -> None:
    """Make a prim a rigid body; the numbers are no rounder than float32 has them."""
    UsdPhysics.RigidBodyAPI.Apply(prim)
    told = UsdPhysics.MassAPI.Apply(prim)
    told.CreateMassAttr(mass)
    told.CreateDiagonalInertiaAttr(Gf.Vec3f(*moments))
    told.CreateCenterOfMassAttr(Gf.Vec3f(0.0, 0.0, 0.0))


def joined(
    joint: Any, a: str | None, b: str, at_a: tuple[float, ...], at_b: tuple[float, ...]
) -> Any:
    """Join two prims at points of theirs."""
    for number, body, at in ((0, a, at_a), (1, b, at_b)):
        if body is not None:
            getattr(joint, f"CreateBody{number}Rel")().SetTargets([body])
        getattr(joint, f"CreateLocalPos{number}Attr")(Gf.Vec3f(*at))
        getattr(joint, f"CreateLocalRot{number}Attr")(Gf.Quatf(1.0))
    return joint


def isaac_robot(file: Path) -> Usd.Stage:
    """Write an arm as Isaac Sim does: links side by side, joints with frames and drives."""
    stage = Usd.Stage.CreateNew(str(file))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    robot = UsdGeom.Xform.Define(stage, "/World/robot")
    stage.SetDefaultPrim(stage.GetPrimAtPath("/World"))
    UsdPhysics.ArticulationRootAPI.Apply(robot.GetPrim())
    place(robot, (1.0, 2.0, 0.5), (1.0, 0.0, 0.0, 0.5))
    scene = UsdPhysics.Scene.Define(stage, "/World/physics")
    scene.CreateGravityDirectionAttr(Gf.Vec3f(0, 0, -1))
    scene.CreateGravityMagnitudeAttr(9.75)
    for name, at in (("base", (0, 0, 0)), ("upper", (0, 0, 1)), ("slide", (0.5, 0, 1.5))):
        link = place(UsdGeom.Xform.Define(stage, f"/World/robot/{name}"), at)
        heavy(link.GetPrim(), 2.0 if name != "slide" else 0.5)
        box = UsdGeom.Cube.Define(stage, f"/World/robot/{name}/visuals/box")
        box.CreateSizeAttr(1.0)
        UsdGeom.Xformable(box).AddScaleOp().Set(Gf.Vec3f(0.25, 0.125, 0.5))
        box.CreateDisplayColorAttr([Gf.Vec3f(1.0, 0.0, 0.0)])
    root = UsdPhysics.FixedJoint.Define(stage, "/World/robot/root_joint")
    root.CreateBody1Rel().SetTargets(["/World/robot/base"])
    M = UsdGeom.XformCache().GetLocalToWorldTransform(robot.GetPrim())
    root.CreateLocalPos0Attr(Gf.Vec3f(M.ExtractTranslation()))
    root.CreateLocalRot0Attr(Gf.Quatf(M.ExtractRotationQuat()))
    elbow = UsdPhysics.RevoluteJoint.Define(stage, "/World/robot/elbow")
    joined(elbow, "/World/robot/base", "/World/robot/upper", (0, 0, 0.5), (0, 0, -0.5))
    elbow.CreateAxisAttr("Y")
    elbow.CreateLowerLimitAttr(-90.0)
    elbow.CreateUpperLimitAttr(45.0)
    drive = UsdPhysics.DriveAPI.Apply(elbow.GetPrim(), "angular")
    drive.CreateStiffnessAttr(0.5)
    drive.CreateDampingAttr(0.25)
    drive.CreateTargetPositionAttr(30.0)
    drive.CreateMaxForceAttr(100.0)
    rail = UsdPhysics.PrismaticJoint.Define(stage, "/World/robot/rail")
    joined(rail, "/World/robot/upper", "/World/robot/slide", (0, 0, 0.5), (-0.25, 0, 0))
    rail.CreateAxisAttr("X")
    rail.CreateLowerLimitAttr(-0.5)
    rail.CreateUpperLimitAttr(1.0)
    stage.GetRootLayer().Save()
    return stage


def test_a_robot_of_isaac_stands_and_moves_as_told(tmp_path: Path) -> None:
    stage = isaac_robot(tmp_path / "arm.usda")
    scene = scene_of(tmp_path / "arm.usda")
    cache = UsdGeom.XformCache()
    parts = {each.name: each for each in scene.parts}
    assert list(parts) == ["base", "upper", "slide"]
    for name, part in parts.items():
        M = np.array(cache.GetLocalToWorldTransform(stage.GetPrimAtPath(f"/World/robot/{name}"))).T
        np.testing.assert_allclose(part.X_WP, M, rtol=0.0, atol=1e-12)
        assert part.mass == (0.5 if name == "slide" else 2.0)
        assert part.inertia[:3] == (0.25, 0.25, 0.125)
        assert part.color == (1.0, 0.0, 0.0)
    elbow, rail = parts["upper"].joint, parts["slide"].joint
    assert elbow is not None
    assert rail is not None
    assert (elbow.kind, rail.kind, elbow.parent, rail.parent) == ("pin", "slider", "base", "upper")
    np.testing.assert_allclose(elbow.limits or (), np.radians([-90.0, 45.0]), rtol=1e-12)
    np.testing.assert_allclose(elbow.X_WJ[:3, 2], parts["base"].X_WP[:3, 1], atol=1e-7)
    # it stands where the slide is a quarter of a metre along the rail
    np.testing.assert_allclose(rail.limits or (), [-0.75, 0.75], atol=1e-7)
    (law,) = elbow.laws
    np.testing.assert_allclose(
        [law.stiffness, law.damping, law.rest, *(law.bounds or ())],
        [np.degrees(0.5), np.degrees(0.25), np.radians(30.0), -100.0, 100.0], rtol=1e-7,
    )  # fmt: skip
    np.testing.assert_allclose(scene.gravity, [0.0, 0.0, -9.75])
    world = art.read(tmp_path / "arm.usda").world()
    assert world.hinges["root_joint"].kind.name == "weld"
    run = art.simulate(world, until=0.1, step=0.1)
    assert np.isfinite(run.series("slide.position")).all()


def test_the_process_that_reads_a_stage_loads_no_figures() -> None:
    """They took half of the time in which a stage is read."""
    asked = "import sys, articulata.formats.usd.stage_contents; print(*sys.modules)"
    command = [sys.executable, "-c", asked]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "articulata.formats.scenes.scene_motion" in loaded
    assert not [each for each in loaded if each.startswith("articulata.kinematics")]


def test_several_maps_are_parted_into_poses_and_stretches_as_each_is() -> None:
    M = np.tile(np.eye(4), (40, 1, 1))
    M[:, :3] = np.random.default_rng(4).normal(size=(40, 3, 4))
    X, S = rigid(M)
    assert (np.linalg.det(S) < 0.0).any()
    np.testing.assert_allclose(np.linalg.det(X[:, :3, :3]), 1.0, atol=1e-12)
    np.testing.assert_allclose(X[:, :3, :3] @ S, M[:, :3, :3], atol=1e-12)
    np.testing.assert_array_equal(X[:, :3, 3], M[:, :3, 3])
    for k in range(len(M)):
        np.testing.assert_allclose(rigid(M[k])[1], S[k], atol=1e-14)


ARM = """
primitive base {
  properties: (fixed, color: (0.2, 0.4, 0.6), friction: 0.7, restitution: 0.3)
  geometry: cuboid(1.1 m, 0.3 m, 0.7 m) where { top: (0.1, 0.15, 0) }
}
primitive rod {
  properties: (density: 1234.5, color: red)
  geometry: union(cylinder(3.3 cm, 1.1 m), sphere(7.7 cm) at (0.1, 0.2, 0.3)) where {
    a: (0, 0.03, 0.55)
    b: (0.1, 0, -0.5)
  }
  dynamics
}
world arm {
  gravity: (0.1, -9.7, 0.2)
  components { base: base; rod[1..3]: rod; loose: rod }
  structure {
    place base by base.center at (0.1, 1.2, 0.3) turned 0.7 rad about (1, 2, 3)
    join rod[1] to base with pin(axis: z) as one matching (a, top) limits (-1.1, 0.9)
    join rod[2] to rod[1] with universal(axis: x, second: y) as two matching (a, b)
    join rod[3] to rod[2] with ball as three matching (a, b)
    place loose by loose.center at (3, 3, 3)
    ignore rod[1] with rod[3]
  }
}
film f { world: arm; camera: lens(35 mm) at (0, 1, 9) turned 0.1 rad about (0, 1, 0) }
"""


def accelerations(world: Any) -> np.ndarray[Any, Any]:
    """Return what bodies do in a short time, after the start as it is."""
    run = art.simulate(world, until=0.25, step=0.25)
    return np.concatenate(
        [run.series(f"{id}.position")[-1] for id in sorted(world.bodies) if "rod" in id]
    )


@pytest.mark.parametrize("ending", ["usda", "usdc", "usdz", "usd"])
def test_a_written_world_is_what_usd_reads_and_what_comes_back(tmp_path: Path, ending: str) -> None:
    (tmp_path / "arm.art").write_text(ARM)
    file = tmp_path / f"arm.{ending}"
    said = convert(tmp_path / "arm.art", file)
    assert "hinge" not in said
    world = art.read(tmp_path / "arm.art").world()
    stage = Usd.Stage.Open(str(file))
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    cache = UsdGeom.XformCache()
    for id, body in world.bodies.items():
        prim = stage.GetPrimAtPath(f"/World/{id.replace('[', '_').replace(']', '')}")
        M = np.array(cache.GetLocalToWorldTransform(prim)).T
        np.testing.assert_allclose(M, body.pose.matrix(), rtol=0.0, atol=1e-9)
        if body.motion != "fixed":
            mass = UsdPhysics.MassAPI(prim).GetMassAttr().Get()
            assert mass == pytest.approx(
                1234.5 * (np.pi * 0.033**2 * 1.1 + 4 / 3 * np.pi * 0.077**3), rel=1e-3
            )
    one = UsdPhysics.RevoluteJoint.Get(stage, "/World/one")
    limits = one.GetLowerLimitAttr().Get(), one.GetUpperLimitAttr().Get()
    np.testing.assert_allclose(limits, np.degrees([-1.1, 0.9]), rtol=1e-6)
    again = art.read(file).world("arm_world")
    for id, body in world.bodies.items():
        other = again.bodies[id.replace("[", "_").replace("]", "")]
        np.testing.assert_allclose(other.pose.matrix(), body.pose.matrix(), rtol=0.0, atol=1e-9)
        for name in ("friction", "restitution"):
            assert other.properties.get(name) == body.properties.get(name)
    assert again.bodies["base"].color == pytest.approx((0.2, 0.4, 0.6), abs=1e-12)
    assert again.ignored == {
        frozenset(("rod_1", "rod_3")), frozenset(("rod_1", "base")),
        frozenset(("rod_2", "base")), frozenset(("rod_3", "base")),  # of one mechanism
    }  # fmt: skip
    assert (again.hinges["two"].kind.name, again.hinges["three"].kind.name) == (
        "universal", "ball.and.socket",
    )  # fmt: skip
    np.testing.assert_allclose(accelerations(again), accelerations(world), rtol=0.0, atol=1e-9)
    (view,) = scene_of(file).views
    assert view.upwards == pytest.approx(2.0 * np.arctan(0.5 * 24.0 / 35.0), rel=1e-12)


def complaints(file: Path) -> list[tuple[str, str]]:
    """Return what all validators of usd-core say about a stage."""
    every = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(every) > 20
    stage = Usd.Stage.Open(str(file))
    found = UsdValidation.ValidationContext(every).Validate(stage)
    return [(each.GetName(), each.GetMessage()) for each in found]


def test_what_is_written_passes_the_validators_of_usd(tmp_path: Path) -> None:
    (tmp_path / "arm.art").write_text(ARM)
    convert(tmp_path / "arm.art", tmp_path / "arm.usda")
    assert complaints(tmp_path / "arm.usda") == []


def test_joints_without_a_rigid_body_are_left_out_and_named(tmp_path: Path) -> None:
    """UsdPhysics wants a rigid body at an end of a joint; the camera's arm weighs nothing."""
    said = convert(LIBRARY / "rooms" / "museum.art", tmp_path / "museum.usda")
    assert "5 x hinge between things without mass" in said
    assert complaints(tmp_path / "museum.usda") == []


@pytest.mark.slow
def test_worlds_of_the_library_and_by_chance_pass_the_validators_of_usd(tmp_path: Path) -> None:
    sources = sorted([*LIBRARY.glob("gallery/*.art"), *LIBRARY.glob("rooms/*.art")])
    for seed in range(30):
        sources.append(tmp_path / f"drawn_{seed}.art")
        sources[-1].write_text(random_text(seed, 12))
    for source in sources:
        file = tmp_path / f"{source.stem}.usdc"
        convert(source, file)
        assert complaints(file) == [], source.stem


def test_a_room_of_blender_stands_in_metres(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateNew(str(tmp_path / "room.usdc"))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/root").GetPrim())
    table = UsdGeom.Xform.Define(stage, "/root/Table")
    form = UsdGeom.Xformable(table)
    form.AddTranslateOp().Set(Gf.Vec3d(100, 40, 0))
    form.AddRotateXYZOp().Set(Gf.Vec3f(0, 90, 0))
    form.AddScaleOp().Set(Gf.Vec3f(2, 1, 1))
    mesh = UsdGeom.Mesh.Define(stage, "/root/Table/Plane_001")
    # an L of one face, which no fan fills
    points = [(0, 0, 0), (30, 0, 0), (30, 0, 10), (10, 0, 10), (10, 0, 30), (0, 0, 30)]
    mesh.CreatePointsAttr([Gf.Vec3f(*each) for each in points])
    mesh.CreateFaceVertexCountsAttr([6])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 3, 4, 5])
    material = UsdShade.Material.Define(stage, "/root/Looks/red")
    shader = UsdShade.Shader.Define(stage, "/root/Looks/red/surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(
        Gf.Vec3f(1.0, 0.21404114, 0.0)
    )
    material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(material)
    UsdLux.SphereLight.Define(stage, "/root/Lamp")
    can = UsdGeom.Cylinder.Define(stage, "/root/Can")
    can.CreateAxisAttr("X")
    can.CreateRadiusAttr(5.0)
    can.CreateHeightAttr(20.0)
    camera = UsdGeom.Camera.Define(stage, "/root/Eye")
    camera.CreateFocalLengthAttr(50.0)
    camera.CreateVerticalApertureAttr(24.0)
    stage.GetRootLayer().Save()
    scene = scene_of(tmp_path / "room.usdc")
    assert scene.gravity == (0.0, -9.81, 0.0)
    assert dict(scene.lost) == {"light": 1}
    parts = {each.name: each for each in scene.parts}
    shape = parts["Table"].shape
    assert isinstance(shape, Mesh)
    X = parts["Table"].X_WP
    there = shape.vertices @ X[:3, :3].T + X[:3, 3]
    M = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(mesh.GetPrim())).T
    np.testing.assert_allclose(there, 0.01 * (np.array(points) @ M[:3, :3].T + M[:3, 3]), atol=1e-9)
    a, b, c = (shape.vertices[shape.faces[:, k]] for k in range(3))
    assert 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() == pytest.approx(
        2 * 500e-4, rel=1e-6
    )
    np.testing.assert_allclose(parts["Table"].color or (), [1.0, 0.5, 0.0], atol=1e-6)
    can_shape = parts["Can"].shape
    assert isinstance(can_shape, Placed)
    assert isinstance(can_shape.shape, Cylinder)
    sizes = can_shape.shape.radius, can_shape.shape.length
    np.testing.assert_allclose(sizes, [0.05, 0.2], rtol=1e-12)
    assert abs(can_shape.X_PS[0, 2]) == 1.0
    assert scene.views[0].upwards == pytest.approx(2.0 * np.arctan(0.24), rel=1e-6)


def test_instances_stand_where_their_points_are(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateNew(str(tmp_path / "wood.usda"))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    wood = place(UsdGeom.PointInstancer.Define(stage, "/wood"), (10, 0, 0))
    UsdGeom.Xform.Define(stage, "/wood/kinds/tree")
    top = place(UsdGeom.Cube.Define(stage, "/wood/kinds/tree/top"), (0, 0, 3))
    top.CreateSizeAttr(2.0)
    UsdGeom.Sphere.Define(stage, "/wood/kinds/stone").CreateRadiusAttr(0.5)
    wood.CreatePrototypesRel().SetTargets(["/wood/kinds/tree", "/wood/kinds/stone"])
    wood.CreateProtoIndicesAttr([0, 1, 0, 1])
    r = 0.5**0.5
    wood.CreatePositionsAttr([(0, 0, 0), (1, 2, 3), (0, 5, 0), (7, 7, 7)])
    wood.CreateOrientationsAttr([Gf.Quath(*q) for q in 2 * [(1, 0, 0, 0)] + 2 * [(r, r, 0, 0)]])
    wood.CreateScalesAttr([(1, 1, 1), (1, 1, 1), (2, 2, 2), (1, 1, 1)])
    wood.CreateInvisibleIdsAttr([3])
    stage.Save()
    scene = scene_of(tmp_path / "wood.usda")
    assert not scene.lost
    box, stone, large = (part.shape for part in scene.parts)
    assert (box, stone) == (Cuboid(2, 2, 2), Sphere(0.5))
    assert (large.x, large.y, large.z) == pytest.approx(
        (4, 4, 4), rel=1e-3
    )  # turns are half floats
    # a quarter turn about x takes (0, 0, 6) to (0, -6, 0)
    there = [[10, 0, 3], [11, 2, 3], [10, -1, 0]]
    assert [part.X_WP[:3, 3] for part in scene.parts] == [pytest.approx(p, abs=5e-3) for p in there]
    wood.CreateProtoIndicesAttr([0, 1, 2, 1])
    stage.Save()
    with pytest.raises(FormatError, match="/wood has no prototype 2"):
        scene_of(tmp_path / "wood.usda")


def test_what_moves_by_itself_and_a_camera_s_move(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateNew(str(tmp_path / "move.usda"))
    stage.SetTimeCodesPerSecond(24)
    stage.SetStartTimeCode(1)
    stage.SetEndTimeCode(49)
    door = UsdGeom.Cube.Define(stage, "/World/Door")
    spin = UsdGeom.Xformable(door).AddRotateYOp()
    spin.Set(0.0, 1)
    spin.Set(360.0, 49)
    eye = UsdGeom.Camera.Define(stage, "/World/Eye")
    shift = UsdGeom.Xformable(eye).AddTranslateOp()
    shift.Set(Gf.Vec3d(0, 0, 0), 1)
    shift.Set(Gf.Vec3d(200, 0, 0), 49)
    stage.GetRootLayer().Save()
    scene = scene_of(tmp_path / "move.usda")
    motion = scene.parts[0].motion
    assert motion is not None
    for t in (0.25, 0.77, 1.9):
        M = np.array(door.ComputeLocalToWorldTransform(1 + 24 * t)).T
        np.testing.assert_allclose(motion.at(t)[0, :3, :3], M[:3, :3], atol=1e-4)
    move = read_move(tmp_path / "move.usda", 25.0, camera="Eye")
    assert move.X_WC[-1][0, 3] == pytest.approx(2.0, abs=1e-9)
    assert art.read(tmp_path / "move.usda").worlds


def test_freedoms_of_a_joint_of_six(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateNew(str(tmp_path / "six.usda"))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    free = {
        "weld": (), "pin": ("rotY",), "slider": ("transX",), "ball": ("rotX", "rotY", "rotZ"),
        "cylindrical": ("transZ", "rotZ"), "universal": ("rotX", "rotZ"),
        "planar": ("transX", "transY", "rotZ"), "mixed": ("transX", "rotY"),
    }  # fmt: skip
    for number, (name, ways) in enumerate(free.items()):
        body = place(UsdGeom.Xform.Define(stage, f"/{name}"), (number, 0, 0))
        heavy(body.GetPrim(), 1.0)
        joint = UsdPhysics.Joint.Define(stage, f"/at_{name}")
        joined(joint, None, f"/{name}", (number, 0, 0), (0, 0, 0))
        for way in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ"):
            if way not in ways:
                limit = UsdPhysics.LimitAPI.Apply(joint.GetPrim(), way)
                limit.CreateLowAttr(1.0)
                limit.CreateHighAttr(-1.0)
    stage.GetRootLayer().Save()
    kinds = {
        each.name: each.joint.kind for each in scene_of(tmp_path / "six.usda").parts if each.joint
    }
    assert kinds.pop("mixed") == "pin"
    assert kinds.pop("at_mixed_link") == "slider"
    assert kinds == {name: name for name in free if name != "mixed"}


def layer(inside: str, head: str = "") -> str:
    return f"#usda 1.0\n(\n{head}\n)\n{inside}\n"


BOX = 'def Xform "box" (\n{}\n)\n{{\n}}\n'
CUBE = layer('def Cube "box"\n{\n}', '    defaultPrim = "box"')


def test_files_of_the_folder_are_composed_and_no_others(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (tmp_path / "secret.usda").write_text(CUBE.replace("Cube", "Sphere"))
    (room / "cube.usda").write_text(CUBE)
    (room / "under.usda").write_text(layer('def Cube "floor"\n{\n}'))
    with zipfile.ZipFile(room / "pack.usdz", "w") as package:
        package.writestr("cube.usda", CUBE)
    things = ["@./cube.usda@", "@cube.usda@", "@../secret.usda@", f"@{tmp_path}/secret.usda@",
              "@https://example.org/x.usda@", "@./none.usda@", "@./pack.usdz@"]  # fmt: skip
    inside = "".join(
        f'def "thing_{k}" (\n    prepend references = {each}\n)\n{{\n}}\n'
        for k, each in enumerate(things)
    )
    (room / "room.usda").write_text(
        layer(inside, "    subLayers = [@./under.usda@, @../secret.usda@]")
    )
    scene = scene_of(room / "room.usda")
    assert {each.name for each in scene.parts} == {"thing_0", "thing_1", "thing_6", "floor"}
    told = " ".join(scene.lost)
    for words in ("outside its folder", "an address", "not there"):
        assert words in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (layer('def Cube "a"'), ":5:1: "),
        ("#usda 1.0\n" + "(" * 5000, "USD cannot read it"),
        (layer('def Cube "a"\n{\n double size = -1\n}'), "/a"),
        (layer('def Cube "a"\n{\n double size = nan\n}'), "/a"),
        (layer('def Cube "a"\n{\n}', "    metersPerUnit = 0"), "metersPerUnit"),
        (layer('def Xform "a"\n{\n double3 xformOp:translate = (inf, 0, 0)\n uniform token[] '
               'xformOpOrder = ["xformOp:translate"]\n def Cube "c"\n {\n }\n}'), "no numbers"),
        (layer('def Mesh "a"\n{\n point3f[] points = [(0, 0, 0)]\n int[] faceVertexCounts = [3]\n'
               " int[] faceVertexIndices = [0, 1, 2]\n}"), "beyond the 1"),
        (layer('def PhysicsFixedJoint "a"\n{\n rel physics:body0 = </b>\n}'), "not on the stage"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.usda").write_text(text)
    with pytest.raises(FormatError, match=r"a\.usda: ") as caught:
        scene_of(tmp_path / "a.usda")
    assert words in str(caught.value)


def test_circles_end(tmp_path: Path) -> None:
    (tmp_path / "a.usda").write_text(
        layer(
            BOX.format("    prepend references = @./b.usda@"),
            '    defaultPrim = "box"\n    subLayers = [@./b.usda@]',
        )
    )
    (tmp_path / "b.usda").write_text(
        layer(
            BOX.format("    prepend payload = @./a.usda@"),
            '    defaultPrim = "box"\n    subLayers = [@./a.usda@]',
        )
    )
    assert scene_of(tmp_path / "a.usda").parts == []


def test_endless_ground_pulls_on_nothing_and_bears_a_box(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateNew(str(tmp_path / "fall.usda"))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    UsdPhysics.CollisionAPI.Apply(UsdGeom.Plane.Define(stage, "/ground").GetPrim())
    box = UsdGeom.Cube.Define(stage, "/box")
    place(box, (0, 0, 20))
    box.CreateSizeAttr(10.0)
    UsdPhysics.RigidBodyAPI.Apply(box.GetPrim())
    UsdPhysics.CollisionAPI.Apply(box.GetPrim())
    UsdPhysics.MassAPI.Apply(box.GetPrim()).CreateDensityAttr(0.0005)  # kg/cm^3
    stage.GetRootLayer().Save()
    scene = scene_of(tmp_path / "fall.usda")
    ground, part = scene.parts
    assert isinstance(ground.shape, HalfSpace)
    np.testing.assert_allclose(ground.X_WP[:3, 1], [0, 0, 1])
    assert part.shape == Cuboid(0.1, 0.1, 0.1)
    assert part.mass == pytest.approx(0.5, rel=1e-6)
    assert part.inertia[0] == pytest.approx(0.5 * 0.02 / 12, rel=1e-6)


def test_without_usd_core_it_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.usda").write_text(CUBE)
    monkeypatch.setattr(usd_scene.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'articulata\[usd\]'"):
        usd_scene.read_scene(tmp_path / "a.usda")


def test_a_recording_moves_as_recorded(tmp_path: Path) -> None:
    (tmp_path / "arm.art").write_text(ARM)
    run = art.simulate(art.read(tmp_path / "arm.art").world(), until=0.4, step=0.1)
    run.save(tmp_path / "run.artrun")
    convert(tmp_path / "run.artrun", tmp_path / "run.usda")
    stage = Usd.Stage.Open(str(tmp_path / "run.usda"))
    loose = UsdGeom.Xformable(stage.GetPrimAtPath("/World/loose"))
    parts = {each.name: each for each in scene_of(tmp_path / "run.usda").parts}
    motion = parts["loose"].motion
    assert motion is not None
    channel = run.segments[0]
    recorded = channel.array(POSE)[:, channel.channels[POSE].labels.index("loose"), :3]
    assert len(run.times) == len(recorded) == 5
    for number, t in enumerate(run.times):
        code = float(t) * stage.GetTimeCodesPerSecond()
        p = np.array(loose.ComputeLocalToWorldTransform(code).ExtractTranslation())
        np.testing.assert_allclose(p, recorded[number], rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(motion.at(float(t))[0, :3, 3], p, rtol=0.0, atol=1e-9)


@pytest.mark.slow
def test_stages_that_grow_beyond_bounds_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k in range(40):  # 2^40 prims
        twice = "".join(
            f'def "{c}" (\n    prepend references = @./b{k + 1}.usda@\n)\n{{\n}}\n' for c in "xy"
        )
        text = layer(f'def Xform "r"\n{{\n{twice}}}', '    defaultPrim = "r"')
        (tmp_path / f"b{k}.usda").write_text(text)
    (tmp_path / "b40.usda").write_text(CUBE.replace('"box"', '"r"'))
    monkeypatch.setattr(usd_scene, "LONGEST", 10.0)
    with pytest.raises(FormatError, match=r"took more than 10 s|memory|broke off"):
        scene_of(tmp_path / "b0.usda")
    monkeypatch.setattr(usd_scene, "LONGEST", 180.0)
    stage = Usd.Stage.CreateNew(str(tmp_path / "points.usdc"))
    mesh = UsdGeom.Mesh.Define(stage, "/m")
    mesh.CreatePointsAttr([Gf.Vec3f(0.0)])
    mesh.CreateFaceVertexCountsAttr([3])
    index = Vt.IntArray.FromNumpy(np.zeros(40_000_000, np.int32))
    mesh.CreateFaceVertexIndicesAttr(index)
    stage.GetRootLayer().Save()
    assert (tmp_path / "points.usdc").stat().st_size < 1 << 20
    with pytest.raises(FormatError, match="points and corners"):
        scene_of(tmp_path / "points.usdc")
