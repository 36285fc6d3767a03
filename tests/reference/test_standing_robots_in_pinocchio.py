"""Robots that stand in worlds move by their masses as Pinocchio says: joint accelerations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.protocols import Inputs
from articulata.formats.urdf.writing import write_urdf
from articulata.records.state import State

pinocchio = pytest.importorskip("pinocchio")

GRAVITY = "(0, -9.81, 0)"


def standing(figure: Any, name: str, q: np.ndarray, v: np.ndarray) -> Any:
    """Return the world in which a figure of the library has joint values and rates."""
    said = ", ".join(f"{j} = {x!r}" for j, x in zip(figure.names, q.tolist(), strict=True))
    rates = ", ".join(
        f"one.{j}.rate = {x!r}" for j, x in zip(figure.names, v.tolist(), strict=True)
    )
    return art.parse(
        f"world w {{\ngravity: {GRAVITY}\ncomponents {{ one: {name} }}\nstructure {{\n"
        f"place one by pose = ((0, 0, 0), quaternion(1, 0, 0, 0)), {said}, {rates}\n"
        "place one by properties: (fixed) }\n}"
    ).world()


def accelerations(world: Any, names: tuple[str, ...]) -> np.ndarray:
    """Return the second derivatives of joint values (rad/s^2) without any effort."""
    models = build(world, ("geometric", "dynamic"))
    dynamic: Any = models["dynamic"]
    n = len(world.bodies)
    none = Inputs(
        np.zeros((n, 6)), np.zeros((n, 3)), np.zeros((0, 3)),
        np.zeros(len(dynamic.parts.coordinates.labels)),
    )  # fmt: skip
    state = State(0.0, MappingProxyType(models.start()), 0)
    found: Mapping[str, np.ndarray] = dynamic.solve(state, lambda _: none)
    turning = dict(zip(world.bodies, found["dynamic.angular_acceleration"], strict=True))
    values = []
    for name in names:
        hinge = world.hinges[f"one.{name}"]
        X_WH = world.bodies[hinge.body_b].pose.matrix() @ hinge.frame_b.matrix()
        values.append(X_WH[:3, 2] @ (turning[hinge.body_a] - turning[hinge.body_b]))
    return np.array(values)


def deviation(states: int, folder: Path) -> float:
    """Return by how much accelerations of the Manutec r3 differ, relative to the greatest."""
    figure = art.figure("manutec_r3")
    model = pinocchio.buildModelFromXML(write_urdf(figure, folder).text)
    model.gravity.linear = np.array([0.0, -9.81, 0.0])
    data = model.createData()
    joints = [model.joints[model.getJointId(name)] for name in figure.names]
    rng = np.random.default_rng(13)
    worst = 0.0
    for _ in range(states):
        q, v = rng.uniform(-2, 2, figure.dof), rng.uniform(-3, 3, figure.dof)
        at, rate = pinocchio.neutral(model), np.zeros(model.nv)
        for joint, value, speed in zip(joints, q, v, strict=True):
            turn = (value,) if joint.nq == 1 else (np.cos(value), np.sin(value))
            at[joint.idx_q : joint.idx_q + joint.nq] = turn
            rate[joint.idx_v] = speed
        expected = pinocchio.aba(model, data, at, rate, np.zeros(model.nv))
        expected = np.array([expected[joint.idx_v] for joint in joints])
        found = accelerations(standing(figure, "manutec_r3", q, v), figure.names)
        worst = max(worst, np.abs(found - expected).max() / np.abs(expected).max())
    return worst


def test_the_r3_accelerates_as_in_pinocchio(tmp_path: Path) -> None:
    assert deviation(5, tmp_path) < 1e-12


@pytest.mark.slow
def test_the_r3_accelerates_as_in_pinocchio_in_many_states(tmp_path: Path) -> None:
    assert deviation(200, tmp_path) < 1e-11
