"""Drake's answers: a discrete plant at 1 ms with its default contact solver."""

from __future__ import annotations

import numpy as np
from pydrake.geometry import AddContactMaterial, Box, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction, MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    LinearBushingRollPitchYaw,
    PrismaticJoint,
    RevoluteJoint,
    SpatialInertia,
    UnitInertia,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from benchmarks.answers.scene import (
    BALL,
    BALL_MASS,
    BAR,
    BAR_MASS,
    BLOCK,
    BLOCK_MASS,
    CRADLE,
    DROP,
    FRICTION,
    GRAVITY,
    STEP,
    TURN_SECONDS,
    fifth_apex,
    tilted,
)

NAME = "Drake"


class _Scene:
    """A plant under construction, then its simulator."""

    def __init__(self, gravity: tuple[float, float, float], step: float = STEP) -> None:
        self._builder = DiagramBuilder()
        self.plant: MultibodyPlant
        self.plant, _ = AddMultibodyPlantSceneGraph(self._builder, step)
        self.plant.mutable_gravity_field().set_gravity_vector(gravity)

    def ready(self) -> None:
        self.plant.Finalize()
        diagram = self._builder.Build()
        self.simulator = Simulator(diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())

    def to(self, time: float) -> None:
        self.simulator.AdvanceTo(time)


def _surface(stiffness: float | None, dissipation: float) -> ProximityProperties:
    properties = ProximityProperties()
    AddContactMaterial(dissipation, stiffness, CoulombFriction(FRICTION, FRICTION), properties)
    return properties


def creep() -> tuple[float, str]:
    """Return the block's mean speed (m/s) in the third second."""
    scene = _Scene(tilted())
    plant = scene.plant
    inertia = SpatialInertia(BLOCK_MASS, np.zeros(3), UnitInertia.SolidCube(BLOCK))
    block = plant.AddRigidBody("block", inertia)
    friction = CoulombFriction(FRICTION, FRICTION)
    here = RigidTransform()
    plant.RegisterCollisionGeometry(block, here, Box(BLOCK, BLOCK, BLOCK), "block", friction)
    plant.RegisterCollisionGeometry(plant.world_body(), here, HalfSpace(), "floor", friction)
    scene.ready()
    plant.SetFreeBodyPose(scene.context, block, RigidTransform([0, 0, BLOCK / 2]))
    scene.to(2.0)
    before = plant.EvalBodyPoseInWorld(scene.context, block).translation()
    scene.to(3.0)
    after = plant.EvalBodyPoseInWorld(scene.context, block).translation()
    return float(np.linalg.norm(after - before)), "default settings"


def apex() -> tuple[float, str]:
    """Return the fifth apex as a share of the first."""
    scene = _Scene((0.0, 0.0, -GRAVITY))
    plant = scene.plant
    ball = plant.AddRigidBody(
        "ball", SpatialInertia(BALL_MASS, np.zeros(3), UnitInertia.SolidSphere(BALL))
    )
    for body, shape in ((ball, Sphere(BALL)), (plant.world_body(), HalfSpace())):
        surface = _surface(1e5, 0.0)
        plant.RegisterCollisionGeometry(body, RigidTransform(), shape, "surface", surface)
    scene.ready()
    plant.SetFreeBodyPose(scene.context, ball, RigidTransform([0, 0, BALL + DROP]))
    heights = []
    for k in range(round(5.2 / STEP)):
        scene.to((k + 1) * STEP)
        place = plant.EvalBodyPoseInWorld(scene.context, ball).translation()
        heights.append(float(place[2]) - BALL)
    note = f"stiffness 1e5, no dissipation; {sum(h < 0 for h in heights)} steps in the ground"
    return fifth_apex(heights) / DROP, note


def cradle() -> tuple[list[float], str]:
    """Return the five speeds (m/s) after the impact."""
    scene = _Scene((0.0, 0.0, 0.0))
    plant = scene.plant
    joints = []
    for k in range(CRADLE):
        inertia = SpatialInertia(BALL_MASS, np.zeros(3), UnitInertia.SolidSphere(BALL))
        ball = plant.AddRigidBody(f"ball{k}", inertia)
        frames = (plant.world_frame(), ball.body_frame())
        joints.append(plant.AddJoint(PrismaticJoint(f"slide{k}", *frames, [1, 0, 0])))
        surface = _surface(1e5, 0.0)
        plant.RegisterCollisionGeometry(ball, RigidTransform(), Sphere(BALL), "surface", surface)
    scene.ready()
    for k, joint in enumerate(joints):
        joint.set_translation(scene.context, 2 * BALL * k - (0.05 if k == 0 else 0.0))
    joints[0].set_translation_rate(scene.context, 1.0)
    scene.to(0.2)
    speeds = [float(joint.get_translation_rate(scene.context)) for joint in joints]
    return speeds, "stiffness 1e5, no dissipation"


def loop() -> tuple[float, str]:
    """Return the largest gap (m) of the loop's closing joint, a bushing as in its own example.

    Continuous, with its default integrator. Its ball constraint would do better; in 1.51 on
    Python 3.11 it ends the process.
    """
    scene = _Scene((0.0, 0.0, -GRAVITY), step=0.0)
    plant = scene.plant
    # a thin bar along its x axis, from its start
    about = UnitInertia(0.0, BAR**2 / 12, BAR**2 / 12)
    middle = np.array([BAR / 2, 0.0, 0.0])
    inertia = SpatialInertia.MakeFromCentralInertia(BAR_MASS, middle, BAR_MASS * about)
    bars = [plant.AddRigidBody(f"bar{k}", inertia) for k in range(3)]
    end = RigidTransform([BAR, 0, 0])
    parent = plant.world_frame()
    joints = []
    for k, bar in enumerate(bars):
        joints.append(plant.AddJoint(RevoluteJoint(f"j{k}", parent, bar.body_frame(), [0, 1, 0])))
        parent = plant.AddFrame(FixedOffsetFrame(f"end{k}", bar.body_frame(), end))
    # the bushing's axis of free turn is z of its frames; the pins turn about y
    onto_y = RotationMatrix.MakeXRotation(-np.pi / 2)
    here = plant.AddFrame(FixedOffsetFrame("close", parent, RigidTransform(onto_y, [0, 0, 0])))
    there = plant.AddFrame(
        FixedOffsetFrame("ground", plant.world_frame(), RigidTransform(onto_y, [BAR, 0, 0]))
    )
    stiff, damp = np.full(3, 3e4), np.full(3, 1.5e3)
    turn_stiff, turn_damp = np.array([3e4, 3e4, 0.0]), np.array([1.5e3, 1.5e3, 0.0])
    plant.AddForceElement(
        LinearBushingRollPitchYaw(here, there, turn_stiff, turn_damp, stiff, damp)
    )
    scene.ready()
    quarter = np.pi / 2
    for joint, angle, rate in zip(
        joints, (-quarter, quarter, quarter), (1 / BAR, -1 / BAR, 1 / BAR), strict=True
    ):
        joint.set_angle(scene.context, angle)
        joint.set_angular_rate(scene.context, rate)
    worst = 0.0
    for k in range(round(TURN_SECONDS / STEP)):
        scene.to((k + 1) * STEP)
        X = plant.EvalBodyPoseInWorld(scene.context, bars[2])
        worst = max(worst, float(np.linalg.norm(X.multiply([BAR, 0, 0]) - [BAR, 0, 0])))
    return worst, "bushing of 3e4 N/m and 1.5e3 N s/m, continuous, as in its four-bar example"
