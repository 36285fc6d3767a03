"""Exudyn's answers: generalised alpha (implicit, index 2) at 1 ms, contact by penalty."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import exudyn
import exudyn.utilities as parts
import numpy as np

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

NAME = "Exudyn"
STIFF = 1e5


class _Scene:
    """A system under construction, then its solution at every step."""

    def __init__(self) -> None:
        self._container = exudyn.SystemContainer()
        self.system = self._container.AddSystem()
        self.ground = self.system.CreateGround()

    def body(
        self,
        mass: float,
        inertia: np.ndarray,
        place: tuple[float, float, float],
        gravity: tuple[float, float, float],
        **more: object,
    ) -> int:
        about = parts.RigidBodyInertia(mass, inertia)
        return self.system.CreateRigidBody(
            referencePosition=list(place), inertia=about, gravity=list(gravity), **more
        )

    def run(self, seconds: float, look: Callable[[], None], *, redundant: bool = False) -> None:
        """Solve, calling ``look`` after every step."""

        def each(mbs: object, time: float) -> bool:
            look()
            return True

        self.system.SetPreStepUserFunction(each)
        self.system.Assemble()
        settings = exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = round(seconds / STEP)
        settings.timeIntegration.endTime = seconds
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        settings.parallel.numberOfThreads = 1
        if redundant:
            settings.linearSolverType = exudyn.LinearSolverType.EigenDense
            settings.linearSolverSettings.ignoreSingularJacobian = True
        self.system.SolveDynamic(settings)

    def at(self, body: int, point: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        kind = exudyn.OutputVariableType.Position
        return np.array(self.system.GetObjectOutputBody(body, kind, list(point)))

    def speed(self, body: int) -> np.ndarray:
        kind = exudyn.OutputVariableType.Velocity
        return np.array(self.system.GetObjectOutputBody(body, kind, [0.0, 0.0, 0.0]))


def _plane() -> list[list[float]]:
    return [[-99.0, -99.0, 0.0], [99.0, -99.0, 0.0], [99.0, 99.0, 0.0], [-99.0, 99.0, 0.0]]


def creep() -> tuple[float, str]:
    """Return the block's mean speed (m/s) in the third second; it stands on four small balls."""
    scene, foot = _Scene(), 0.01
    inertia = np.eye(3) * BLOCK_MASS * BLOCK**2 / 6
    block = scene.body(BLOCK_MASS, inertia, (0.0, 0.0, BLOCK / 2), tilted())
    inner = BLOCK / 2 - foot
    for x in (-inner, inner):
        for y in (-inner, inner):
            scene.system.CreateSphereQuadContact(
                itemNumbers=[block, scene.ground],
                localPosition0=[x, y, -inner],
                sphereRadius=foot,
                quadPoints=_plane(),
                dynamicFriction=FRICTION,
                contactStiffness=STIFF,
                contactDamping=1e3,
            )
    places: list[np.ndarray] = []
    scene.run(3.0, lambda: places.append(scene.at(block)))
    before, after = places[round(2.0 / STEP)], places[-1]
    note = "four balls as feet, stiffness 1e5, damping 1e3"
    return float(np.linalg.norm(after - before)), note


def apex() -> tuple[float, str]:
    """Return the fifth apex as a share of the first."""
    scene = _Scene()
    inertia = np.eye(3) * 0.4 * BALL_MASS * BALL**2
    ball = scene.body(BALL_MASS, inertia, (0.0, 0.0, BALL + DROP), (0.0, 0.0, -GRAVITY))
    scene.system.CreateSphereQuadContact(
        itemNumbers=[ball, scene.ground],
        sphereRadius=BALL,
        quadPoints=_plane(),
        contactStiffness=STIFF,
    )
    heights: list[float] = []
    scene.run(5.2, lambda: heights.append(float(scene.at(ball)[2]) - BALL))
    note = f"stiffness 1e5, no damping; goes {-1e3 * min(heights):.0f} mm into the ground"
    return fifth_apex(heights) / DROP, note


def cradle() -> tuple[list[float], str]:
    """Return the five speeds (m/s) after the impact."""
    scene = _Scene()
    inertia = np.eye(3) * 0.4 * BALL_MASS * BALL**2
    balls = [
        scene.body(
            BALL_MASS,
            inertia,
            (2 * BALL * k - (0.05 if k == 0 else 0.0), 0.0, 0.0),
            (0.0, 0.0, 0.0),
            initialVelocity=[1.0 if k == 0 else 0.0, 0.0, 0.0],
        )
        for k in range(CRADLE)
    ]
    for one, other in itertools.pairwise(balls):
        scene.system.CreateSphereSphereContact(
            itemNumbers=[one, other], spheresRadii=[BALL, BALL], contactStiffness=STIFF
        )
    scene.run(0.2, lambda: None)
    return [float(scene.speed(ball)[0]) for ball in balls], "stiffness 1e5, no damping"


def loop() -> tuple[float, str]:
    """Return the largest gap (m) of the four joints."""
    scene = _Scene()
    small = 1e-6
    lying = np.diag([small, BAR_MASS * BAR**2 / 12, BAR_MASS * BAR**2 / 12])
    standing = np.diag([BAR_MASS * BAR**2 / 12, BAR_MASS * BAR**2 / 12, small])
    down = (0.0, 0.0, -GRAVITY)
    turning = {"initialVelocity": [0.5, 0.0, 0.0], "initialAngularVelocity": [0.0, 1 / BAR, 0.0]}
    bars = [
        scene.body(BAR_MASS, standing, (0.0, 0.0, BAR / 2), down, **turning),
        scene.body(BAR_MASS, lying, (BAR / 2, 0.0, BAR), down, initialVelocity=[1.0, 0.0, 0.0]),
        scene.body(BAR_MASS, standing, (BAR, 0.0, BAR / 2), down, **turning),
    ]
    half = BAR / 2
    joins = (
        (scene.ground, (0.0, 0.0, 0.0), bars[0], (0.0, 0.0, -half)),
        (bars[0], (0.0, 0.0, half), bars[1], (-half, 0.0, 0.0)),
        (bars[1], (half, 0.0, 0.0), bars[2], (0.0, 0.0, half)),
        (scene.ground, (BAR, 0.0, 0.0), bars[2], (0.0, 0.0, -half)),
    )
    corners = ((0.0, 0.0, 0.0), (0.0, 0.0, BAR), (BAR, 0.0, BAR), (BAR, 0.0, 0.0))
    for (one, _, other, _), corner in zip(joins, corners, strict=True):
        scene.system.CreateRevoluteJoint(
            itemNumbers=[one, other], position=list(corner), axis=[0.0, 1.0, 0.0]
        )
    gaps: list[float] = []

    def look() -> None:
        for one, p, other, q in joins:
            gaps.append(float(np.linalg.norm(scene.at(one, p) - scene.at(other, q))))

    scene.run(TURN_SECONDS, look, redundant=True)
    return max(gaps), "redundant rows need EigenDense and ignoreSingularJacobian"
