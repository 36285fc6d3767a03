"""Robots that stand in worlds move by their masses as Pinocchio says: joint accelerations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.dynamic.methods import DOP853
from articulata.domains.protocols import Inputs
from articulata.formats.urdf.urdf_writer import write_urdf
from articulata.records.state import State
from articulata.world.figures.nodes import TableNode
from unit.formats.urdf.test_public_robots import located

pinocchio = pytest.importorskip("pinocchio")

GRAVITY = "(0, -9.81, 0)"


ARMS = ("ur_description/urdf/ur5_robot.urdf", "xarm_description/urdf/xarm7.urdf")
"""Public arms, files of the package example-robot-data."""


def standing(figure: Any, name: str, q: np.ndarray, v: np.ndarray, file: Path | None = None) -> Any:
    """Return the world in which a figure of the library or a file has joint values and rates."""
    said = ", ".join(f"{j} = {x!r}" for j, x in zip(figure.names, q.tolist(), strict=True))
    rates = ", ".join(
        f"one.{j}.rate = {x!r}" for j, x in zip(figure.names, v.tolist(), strict=True)
    )
    gravity = GRAVITY if file is None else "(0, 0, -9.81)"
    text = "" if file is None else f'import "{file}" as {name}\n'
    return art.parse(
        f"{text}world w {{\ngravity: {gravity}\ncomponents {{ one: {name} }}\nstructure {{\n"
        f"place one by pose = ((0, 0, 0), quaternion(1, 0, 0, 0)), {said}, {rates}\n"
        "place one by properties: (fixed) }\n}",
        allow=[] if file is None else [file.parent],
    ).world()


def undamped(world: Any) -> Any:
    """Return the world without the damping that rows ask for: Pinocchio's motion knows none."""
    figures = {}
    for id, node in world.figures.items():
        chains = {
            name: replace(
                chain, rows=tuple(replace(row, motor=MappingProxyType({})) for row in chain.rows)
            )
            if isinstance(chain, TableNode)
            else chain
            for name, chain in node.chains.items()
        }
        figures[id] = replace(node, chains=MappingProxyType(chains))
    return replace(world, figures=MappingProxyType(figures))


def accelerations(world: Any, names: tuple[str, ...]) -> np.ndarray:
    """Return the second derivatives of joint values (rad/s^2) without any effort."""
    models = build(world, ("geometric", "dynamic"))
    dynamic: Any = models["dynamic"]
    motion = dynamic.moving(DOP853())
    n = len(world.bodies)
    none = Inputs(
        np.zeros((n, 6)), np.zeros((n, 3)), np.zeros((0, 3)),
        np.zeros(len(dynamic.parts.coordinates.labels)),
    )  # fmt: skip
    state = State(0.0, MappingProxyType(models.start()), 0)
    found: Mapping[str, np.ndarray] = motion.solve(state, lambda _: none)
    turning = dict(zip(world.bodies, found["dynamic.angular_acceleration"], strict=True))
    values = []
    for name in names:
        hinge = world.hinges[f"one.{name}"]
        X_WH = world.bodies[hinge.body_b].pose.matrix() @ hinge.frame_b.matrix()
        values.append(X_WH[:3, 2] @ (turning[hinge.body_a] - turning[hinge.body_b]))
    return np.array(values)


def deviation(states: int, folder: Path, file: Path | None = None) -> float:
    """Return by how much accelerations differ, relative to the greatest.

    Of the Manutec r3, or of the arm of a ``file``.
    """
    figure = art.figure("manutec_r3") if file is None else art.read_urdf(file)
    if file is None:
        model = pinocchio.buildModelFromXML(write_urdf(figure, folder).text)
        model.gravity.linear = np.array([0.0, -9.81, 0.0])
    else:
        model = pinocchio.buildModelFromUrdf(str(file))
    data = model.createData()
    joints = [model.joints[model.getJointId(name)] for name in figure.names]
    rng = np.random.default_rng(13)
    worst = 0.0
    for _ in range(states):
        q, v = rng.uniform(-2, 2, figure.dof), rng.uniform(-3, 3, figure.dof)
        if file is not None:  # what stands at its limit is held there
            inside = 0.5 * (np.clip(figure.upper, -2, 2) - np.clip(figure.lower, -2, 2))
            q = 0.5 * (np.clip(figure.upper, -2, 2) + np.clip(figure.lower, -2, 2))
            q = q + 0.9 * inside * rng.uniform(-1, 1, figure.dof)
        at, rate = pinocchio.neutral(model), np.zeros(model.nv)
        for joint, value, speed in zip(joints, q, v, strict=True):
            turn = (value,) if joint.nq == 1 else (np.cos(value), np.sin(value))
            at[joint.idx_q : joint.idx_q + joint.nq] = turn
            rate[joint.idx_v] = speed
        expected = pinocchio.aba(model, data, at, rate, np.zeros(model.nv))
        expected = np.array([expected[joint.idx_v] for joint in joints])
        world = undamped(standing(figure, "manutec_r3", q, v, file))
        found = accelerations(world, figure.names)
        worst = max(worst, np.abs(found - expected).max() / np.abs(expected).max())
    return worst


def test_the_r3_accelerates_as_in_pinocchio(tmp_path: Path) -> None:
    assert deviation(5, tmp_path) < 1e-12


@pytest.mark.slow
def test_the_r3_accelerates_as_in_pinocchio_in_many_states(tmp_path: Path) -> None:
    assert deviation(200, tmp_path) < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_public_arms_accelerate_as_in_pinocchio(name: str, tmp_path: Path) -> None:
    assert deviation(200, tmp_path, located(name)) < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_public_arms_move_as_in_mujoco(name: str) -> None:
    file = located(name)
    figure = art.read_urdf(file)
    q = np.clip(0.3 * np.ones(figure.dof), figure.lower, figure.upper)
    world = undamped(standing(figure, "arm", q, 0.5 * np.ones(figure.dof), file))
    free = {id: replace(hinge, limits=()) for id, hinge in world.hinges.items()}
    world = replace(world, hinges=MappingProxyType(free))
    domains, step = ("geometric", "dynamic"), 0.05
    ours = art.simulate(world, until=1.0, step=step, domains=domains)
    twin = art.simulate(
        world, until=1.0, step=step, domains=domains, method=art.MuJoCo(2e-4, integrator="RK4")
    )
    apart = ours.array("geometric.pose")[..., :3] - twin.array("geometric.pose")[..., :3]
    assert np.abs(apart).max() < 1e-6


def test_a_servo_holds_a_posture_under_gravity() -> None:
    """Strong springs and dampers about the joints keep it within what gravity bends them by."""
    held = ", ".join(f"r{k} = {x} rad" for k, x in zip(range(1, 7), HELD, strict=True))
    servos = "\n".join(
        f"force hold{k} about one.r{k} = servo({x} rad, {s} N*m/rad, {s / 10} N*m*s/rad)"
        for k, x, s in zip(range(1, 7), HELD, (2e5, 2e5, 2e5, 2e4, 2e4, 2e4), strict=True)
    )
    world = art.parse(
        f"world w {{\ngravity: {GRAVITY}\ncomponents {{ one: manutec_r3 }}\nstructure {{\n"
        f"place one by {held}\nplace one by properties: (fixed)\n{servos} }}\n}}"
    ).world()
    run = art.simulate(world, until=1.0, step=0.1)
    labels = run.channels["kinematic.coordinate"].labels
    values = run.array("kinematic.coordinate")[-1]
    found = np.array([values[labels.index(f"one.r{k}")] for k in range(1, 7)])
    assert np.abs(found - HELD).max() < 0.01
    assert np.abs(found - HELD).max() > 1e-6


HELD = np.array([0.1, 0.3, -0.5, 0.2, 0.4, 0.1])
"""rad"""
