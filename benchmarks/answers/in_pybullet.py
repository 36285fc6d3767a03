"""PyBullet's answers: maximal step 1 ms, 50 solver iterations as it starts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import pybullet

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
    THICKNESS,
    TURN_SECONDS,
    fifth_apex,
    tilted,
)

NAME = "PyBullet"


@contextlib.contextmanager
def _engine(gravity: tuple[float, float, float]) -> Iterator[int]:
    client = pybullet.connect(pybullet.DIRECT)
    try:
        pybullet.setGravity(*gravity, physicsClientId=client)
        pybullet.setTimeStep(STEP, physicsClientId=client)
        yield client
    finally:
        pybullet.disconnect(client)


def _plane(client: int) -> int:
    shape = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=client)
    return int(pybullet.createMultiBody(0, shape, physicsClientId=client))


def _ball(client: int, x: float, z: float) -> int:
    shape = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=BALL, physicsClientId=client)
    return int(
        pybullet.createMultiBody(BALL_MASS, shape, basePosition=(x, 0, z), physicsClientId=client)
    )


def _steps(client: int, seconds: float) -> None:
    for _ in range(round(seconds / STEP)):
        pybullet.stepSimulation(physicsClientId=client)


def _place(client: int, body: int) -> np.ndarray:
    return np.array(pybullet.getBasePositionAndOrientation(body, physicsClientId=client)[0])


def creep() -> tuple[float, str]:
    """Return the block's mean speed (m/s) in the third second."""
    with _engine(tilted()) as client:
        shape = pybullet.createCollisionShape(
            pybullet.GEOM_BOX, halfExtents=(BLOCK / 2,) * 3, physicsClientId=client
        )
        block = pybullet.createMultiBody(
            BLOCK_MASS, shape, basePosition=(0, 0, BLOCK / 2), physicsClientId=client
        )
        # it multiplies the two coefficients
        for body, friction in ((_plane(client), 1.0), (block, FRICTION)):
            pybullet.changeDynamics(body, -1, lateralFriction=friction, physicsClientId=client)
        _steps(client, 2.0)
        before = _place(client, block)
        _steps(client, 1.0)
        return float(np.linalg.norm(_place(client, block) - before)), "default settings"


def apex() -> tuple[float, str]:
    """Return the fifth apex as a share of the first."""
    with _engine((0.0, 0.0, -GRAVITY)) as client:
        ball = _ball(client, 0.0, BALL + DROP)
        for body in (_plane(client), ball):
            pybullet.changeDynamics(
                body, -1, restitution=1, linearDamping=0, angularDamping=0, physicsClientId=client
            )
        heights = []
        for _ in range(round(5.2 / STEP)):
            pybullet.stepSimulation(physicsClientId=client)
            heights.append(float(_place(client, ball)[2]) - BALL)
        return fifth_apex(heights) / DROP, "restitution 1, no damping"


def cradle() -> tuple[list[float], str]:
    """Return the five speeds (m/s) after the impact."""
    with _engine((0.0, 0.0, 0.0)) as client:
        balls = [_ball(client, 2 * BALL * k - (0.05 if k == 0 else 0.0), 0) for k in range(CRADLE)]
        for ball in balls:
            pybullet.changeDynamics(
                ball,
                -1,
                restitution=1,
                lateralFriction=0,
                linearDamping=0,
                angularDamping=0,
                physicsClientId=client,
            )
        pybullet.resetBaseVelocity(balls[0], (1, 0, 0), physicsClientId=client)
        _steps(client, 0.2)
        speeds = [
            float(pybullet.getBaseVelocity(ball, physicsClientId=client)[0][0]) for ball in balls
        ]
        return speeds, "restitution 1, no damping"


def loop() -> tuple[float, str]:
    """Return the largest gap (m) of the four joints, all made by point-to-point constraints."""
    with _engine((0.0, 0.0, -GRAVITY)) as client:
        half = THICKNESS / 2
        shape = pybullet.createCollisionShape(
            pybullet.GEOM_BOX, halfExtents=(BAR / 2, half, half), physicsClientId=client
        )
        upright = pybullet.getQuaternionFromEuler((0, -np.pi / 2, 0))
        bars = [
            pybullet.createMultiBody(
                BAR_MASS, shape, basePosition=place, baseOrientation=turn, physicsClientId=client
            )
            for place, turn in (
                ((0, 0, BAR / 2), upright),
                ((BAR / 2, 0, BAR), (0, 0, 0, 1)),
                ((BAR, 0, BAR / 2), upright),
            )
        ]
        for k, bar in enumerate(bars):
            pybullet.setCollisionFilterGroupMask(bar, -1, 0, 0, physicsClientId=client)
            pybullet.changeDynamics(
                bar, -1, linearDamping=0, angularDamping=0, physicsClientId=client
            )
            speed, rate = ((1.0, 0, 0), (0, 0, 0)) if k == 1 else ((0.5, 0, 0), (0, 1 / BAR, 0))
            pybullet.resetBaseVelocity(bar, speed, rate, physicsClientId=client)
        start, end = (-BAR / 2, 0.0, 0.0), (BAR / 2, 0.0, 0.0)
        joins = (
            (bars[0], start, -1, (0.0, 0.0, 0.0)),
            (bars[1], start, bars[0], end),
            (bars[1], end, bars[2], end),
            (bars[2], start, -1, (BAR, 0.0, 0.0)),
        )
        for one, p, other, q in joins:
            # two points apart along the pin hold its axis
            for y in (-0.5, 0.5):
                pybullet.createConstraint(
                    one,
                    -1,
                    other,
                    -1,
                    pybullet.JOINT_POINT2POINT,
                    (0, 0, 0),
                    (p[0], y, p[2]),
                    (q[0], y, q[2]),
                    physicsClientId=client,
                )

        def at(body: int, p: tuple[float, float, float]) -> np.ndarray:
            if body < 0:
                return np.array(p)
            place, turn = pybullet.getBasePositionAndOrientation(body, physicsClientId=client)
            return np.array(pybullet.multiplyTransforms(place, turn, p, (0, 0, 0, 1))[0])

        worst = 0.0
        for _ in range(round(TURN_SECONDS / STEP)):
            pybullet.stepSimulation(physicsClientId=client)
            for one, p, other, q in joins:
                worst = max(worst, float(np.linalg.norm(at(one, p) - at(other, q))))
        return worst, "two point-to-point constraints a pin"
