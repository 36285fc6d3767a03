"""Batches of postures: torques beside Pinocchio, distances from a room beside coal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import coal
import numpy as np
import pinocchio

from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Capsule, Cuboid
from articulata.kernels.lanes.host import THREADS_VARIABLE
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import Joint
from articulata.kinematics.link import Link, Part
from articulata.kinematics.statics import Statics
from benchmarks.harness import Report

JOINTS = 27
LIMBS = 25
BOXES = 60
POSTURES = 20_000


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep batches on the caller's thread."""
    before = os.environ.get(THREADS_VARIABLE)
    os.environ[THREADS_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS_VARIABLE]
        else:
            os.environ[THREADS_VARIABLE] = before


def pose(rng: np.random.Generator, spread: float) -> Array:
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    X = np.eye(4)
    X[:3, :3] = R * np.sign(np.linalg.det(R))
    X[:3, 3] = rng.uniform(-spread, spread, 3)
    return X


def body(rng: np.random.Generator, joints: int, limbs: int) -> Figure:
    """Return a tree of turning joints with masses; ``limbs`` of its links are capsules."""
    parents = [-1 if k == 0 else k - 1 if k % 6 else int(rng.integers(0, k)) for k in range(joints)]
    links = {}
    for k in range(joints):
        A = rng.normal(size=(3, 3))
        shape = (Part(Capsule(0.05, 0.2), pose(rng, 0.05)),) if k < limbs else ()
        links[f"j{k}"] = Link(
            f"l{k}", float(rng.uniform(0.5, 3.0)), tuple(rng.normal(size=3) * 0.1), A @ A.T,
            collisions=shape,
        )  # fmt: skip
    made = [Joint(f"j{k}", X_PJ=pose(rng, 0.3), limits=(-2.0, 2.0)) for k in range(joints)]
    return Figure(made, parents, name="body", links=links)


def peer_of(one: Figure) -> pinocchio.Model:
    model = pinocchio.Model()
    for k, joint in enumerate(one.joints):
        X, link = joint.X_PJ, one.links[joint.name]
        at = pinocchio.SE3(X[:3, :3], X[:3, 3])
        number = model.addJoint(one.parents[k] + 1, pinocchio.JointModelRZ(), at, joint.name)
        inertia = pinocchio.Inertia(link.mass, np.array(link.center), link.inertia)
        model.appendBodyToJoint(number, inertia, pinocchio.SE3.Identity())
    return model


def torques(report: Report) -> None:
    rng = np.random.default_rng(1)
    one = body(rng, JOINTS, 0)
    ours, model = Statics(one), peer_of(one)
    data = model.createData()
    q, v, a = rng.uniform(-2.0, 2.0, (3, POSTURES, JOINTS))
    few = 500

    def gravity() -> None:
        for each in q[:few]:
            pinocchio.computeGeneralizedGravity(model, data, each)

    def newton_euler() -> None:
        for k in range(few):
            pinocchio.rnea(model, data, q[k], v[k], a[k])

    questions = {
        "gravity torques": (lambda: ours.torques(q), gravity),
        "inverse dynamics": (lambda: ours.inverse_dynamics(q, v, a), newton_euler),
    }
    for name, (mine, theirs) in questions.items():
        with (
            one_thread(),
            report.case(
                f"{name} of {JOINTS} joints, one thread",
                unit="s a posture",
                better="lower",
                target=2e-6,
                note="ours in batches, Pinocchio called from Python, posture by posture",
            ) as case,
        ):
            case.time("articulata", mine, count=POSTURES, ours=True)
            case.time("Pinocchio", theirs, count=few)


def distances(report: Report) -> None:
    rng = np.random.default_rng(2)
    one = body(rng, LIMBS, LIMBS)
    room = [
        Obstacle(f"box {k}", Cuboid(*rng.uniform(0.05, 0.7, 3)), pose(rng, 2.5))
        for k in range(BOXES)
    ]
    clash = Clash(one, room, own=False)
    q = rng.uniform(-2.0, 2.0, (4096, LIMBS))
    boxes = [
        (coal.Box(each.shape.x, each.shape.y, each.shape.z),  # type: ignore[union-attr] # boxes
         coal.Transform3s(np.ascontiguousarray(each.X_WS[:3, :3]), each.X_WS[:3, 3]))
        for each in room
    ]  # fmt: skip
    limbs = [(k, one.links[f"j{k}"].collisions[0]) for k in range(LIMBS)]
    capsule = coal.Capsule(0.05, 0.2)

    def by_coal() -> None:
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        X = one.poses(q[0])
        for k, part in limbs:
            at = X[k] @ part.X_LS
            here = coal.Transform3s(np.ascontiguousarray(at[:3, :3]), at[:3, 3])
            for box, there in boxes:
                result.clear()
                coal.distance(capsule, here, box, there, request, result)

    with (
        one_thread(),
        report.case(
            f"distances of {LIMBS} capsules from {BOXES} boxes, one thread",
            unit="postures/s",
            better="higher",
            target=50_000,
            note="coal: every pair, called from Python",
        ) as case,
    ):
        case.time("articulata", lambda: clash.distance(q), count=len(q), ours=True)
        case.time("articulata, free or not", lambda: clash.free(q), count=len(q))
        case.time("coal", by_coal)


def run(report: Report) -> None:
    torques(report)
    distances(report)
