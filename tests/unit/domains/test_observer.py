"""What frames tell by the compiled kernels against the same quantities in plain linear algebra."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.dynamic import readings
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.integrated_motion import IntegratedMotion
from articulata.domains.dynamic.mechanism import COORDINATE, motion_of, poses_of
from articulata.domains.dynamic.methods import RK4
from articulata.domains.protocols import POSE, Inputs
from articulata.kinematics.assembly.hinge_rows import evaluate
from articulata.records.state import State
from articulata.world.hinges import (
    BALL,
    CYLINDRICAL,
    PLANAR,
    POINT_ON_SURFACE,
    PRISMATIC,
    REVOLUTE,
    UNIVERSAL,
    WELD,
    CylinderSurface,
    HingeKind,
    PointOnSurface,
    SphereSurface,
    screw,
)
from articulata.world.model import FeatureRef, Force, World
from mechanisms import DOWN, Mechanism, chain, four_bar, turn

KINDS = (
    BALL,
    REVOLUTE,
    PRISMATIC,
    CYLINDRICAL,
    UNIVERSAL,
    PLANAR,
    WELD,
    screw(0.3),
    POINT_ON_SURFACE,
    HingeKind("rod", (PointOnSurface((0, 0, 0), SphereSurface(0.7)),)),
    HingeKind("tube", (PointOnSurface((0, 0, 0), CylinderSurface(0.4)),)),
)


def pair(kind: HingeKind) -> World:
    """Two turning bodies on the ground through two hinges of one kind, oblique throughout."""
    made = Mechanism("pair", DOWN)
    before = made.ground()
    for k in (1, 2):
        made.body(
            f"b{k}",
            (0.3 * k, 0.9 * k, -0.2),
            turn((1, k, 0), 0.2),
            inertia=(0.1, 0.2, 0.15),
            rate=(0.5, -1.0, 0.7 * k),
            velocity=(0.3, 0.2, -0.1),
        )
        at_a, at_b = (0.1, -0.4, 0.2), (0.2, 0.3, 0.1)
        turned = turn((0, 1, 1), 0.3), turn((1, 0, 1), -0.4)
        made.join(f"h{k}", f"b{k}", before, at_a, at_b, kind, *turned)
        before = f"b{k}"
    return art.assemble(made.world())


def sprung() -> World:
    """A chain with a spring, and one that turns a pin."""
    made = chain(2, REVOLUTE)
    ends = FeatureRef("ground", "mid"), FeatureRef("link2", "mid")
    stretched = (("distance", 0.0), ("push", 1.0), ("sub", 0.0), ("push", -40.0), ("mul", 0.0))
    turned = (("angle", 0.0), ("push", -3.0), ("mul", 0.0))
    made.forces["s"] = Force("s", "between", ends, None, stretched)
    made.forces["t"] = Force("t", "twist", None, "h2", turned)
    return made.world()


def redundant() -> World:
    """A planar four-bar of pins, with three rows more than it needs."""
    world = four_bar(1.1).world()
    moving = {
        name: replace(body, rate=(0.0, 0.0, 2.0)) if name in ("bar1", "bar3") else body
        for name, body in world.bodies.items()
    }
    return replace(world, bodies=moving)


WORLDS = {kind.name: pair(kind) for kind in KINDS} | {
    "springs": sprung(),
    "redundant": redundant(),
    "long": art.assemble(chain(30, BALL).world()),
}


def model_of(world: World) -> DynamicModel:
    model = build(world)["dynamic"]
    assert isinstance(model, DynamicModel)
    return model


def still(model: DynamicModel) -> Inputs:
    n = len(model.parts.kind)
    return Inputs(
        np.zeros((n, 6)), np.zeros((n, 3)), np.zeros((0, 3)), np.zeros(len(model.parts.coordinates))
    )


@pytest.mark.parametrize("name", WORLDS)
def test_frames_tell_what_plain_algebra_tells(name: str) -> None:
    model = model_of(WORLDS[name])
    parts, nothing = model.parts, still(model)
    start = State(0.0, dict(model.start()))
    way = IntegratedMotion(model, RK4(step=1e-3))
    state = way.advance(start, 0.02, lambda time: nothing)
    motion = motion_of(state.arrays)

    angles = parts.coordinates.values(motion.positions, motion.R, state.arrays[COORDINATE])
    assert state.arrays[COORDINATE] == pytest.approx(angles, abs=1e-12)

    told = way.solve(state, lambda time: nothing)
    values = evaluate(parts.rows, motion.positions, motion.R)
    forces = readings.hinge_forces(parts, motion, values, told["dynamic.multipliers"])
    scale = max(1.0, float(np.max(np.abs(forces), initial=0.0)))
    assert told["dynamic.hinge_force"] == pytest.approx(forces, abs=1e-12 * scale)
    energies = readings.energies(parts, motion, model.elements)
    assert told["dynamic.energy"][:4] == pytest.approx(energies, rel=1e-13, abs=1e-13)
    momentum = readings.momentum(parts, motion)
    size = max(1.0, float(np.max(np.abs(momentum))))
    assert told["dynamic.momentum"] == pytest.approx(momentum, abs=1e-13 * size)
    turning = parts.coordinates.rates(motion.positions, motion.R, motion.v, motion.w)
    assert told["dynamic.coordinate_rate"] == pytest.approx(turning, abs=1e-12)
    assert told[POSE] == pytest.approx(poses_of(parts, state.arrays), abs=1e-14)
    tension = [element.value(motion, state.time) for element in model.elements]
    assert told["dynamic.force"] == pytest.approx(tension, rel=1e-12)
    assert (
        model.observer.observe(state)["dynamic.energy"].tolist() == told["dynamic.energy"].tolist()
    )


def test_forces_of_dependent_rows_have_the_least_norm() -> None:
    model = model_of(redundant())
    nothing = still(model)
    way = IntegratedMotion(model, RK4(step=1e-3))
    state = way.advance(State(0.0, dict(model.start())), 0.1, lambda time: nothing)
    multipliers = way.solve(state, lambda time: nothing)["dynamic.multipliers"]
    motion = motion_of(state.arrays)
    J_A, J_B = evaluate(model.parts.rows, motion.positions, motion.R).jacobians()
    n = len(model.parts.kind)
    J = np.zeros((len(model.parts.rows), n + 1, 6))
    for number in range(len(J)):
        J[number, model.parts.rows.body_a[number]] += J_A[number]
        J[number, model.parts.rows.body_b[number]] += J_B[number]
    free = J[:, :n][:, model.parts.kind == 0].reshape(len(J), -1)
    # Whatever combination of rows moves nothing is not in the answer.
    _, size, directions = np.linalg.svd(free.T)
    idle = directions[int(np.sum(size > 1e-9 * size[0])) :]
    assert len(idle) == 3
    assert np.max(np.abs(idle @ multipliers)) <= 1e-12 * np.max(np.abs(multipliers))


def test_an_angle_is_followed_through_whole_turns() -> None:
    made = Mechanism("wheel")
    ground = made.ground()
    made.body("wheel", rate=(0.0, 0.0, 40.0))
    made.join("h", "wheel", ground, kind=REVOLUTE)
    model = model_of(made.world())
    nothing = still(model)
    state = State(0.0, dict(model.start()))
    way = IntegratedMotion(model, RK4(step=1e-3))
    for _ in range(10):  # 0.8 turns each
        state = way.advance(state, 0.04 * np.pi, lambda time: nothing)
    assert state.arrays[COORDINATE] == pytest.approx([16.0 * np.pi], abs=1e-6)  # RK4's own error
