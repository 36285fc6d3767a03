"""Worlds of USD: where things stand, on what they move, and what is named or refused.

Stages are made with ``usd-core`` as Isaac Sim (z up, metres) and Blender (y up, centimetres) do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

import articulata as art
from articulata.formats.scenes.scene_files import scene_of


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
