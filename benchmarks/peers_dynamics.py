"""Chains of rods in the peers: the same masses, the same start, explicit Runge-Kutta 4.

A rod is a steel box of 0.05 x 0.5 x 0.05 m, hung by its top end; all start level, along x, at
rest, and fall under 9.81 m/s^2. Each builder returns a function that advances the chain by
``count`` steps from wherever it is, and one that gives its energy in J.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

LENGTH, WIDTH, DENSITY, GRAVITY = 0.5, 0.05, 7850.0, 9.81
MASS = LENGTH * WIDTH * WIDTH * DENSITY
INERTIA = (
    MASS / 12 * (LENGTH**2 + WIDTH**2),
    MASS / 12 * (2 * WIDTH**2),
    MASS / 12 * (LENGTH**2 + WIDTH**2),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Peer:
    """A chain in a peer: ``advance(count)`` steps on, ``energy()`` gives joules, ``reset()``.

    ``place()`` gives the last rod's mass centre (3,) in m, NaN where the peer does not say.
    """

    advance: Callable[[int], object]
    energy: Callable[[], float]
    reset: Callable[[], object]
    place: Callable[[], np.ndarray] = lambda: np.full(3, np.nan)


def mujoco_chain(links: int, joint: str, step: float) -> Peer:
    """Return a chain of ``hinge`` (about z) or ``ball`` joints in MuJoCo, RK4, no contacts."""
    import mujoco

    axis = ' axis="0 0 1"' if joint == "hinge" else ""
    inside = (
        f'<joint type="{joint}"{axis} pos="0 {LENGTH / 2} 0"/>'
        f'<geom type="box" size="{WIDTH / 2} {LENGTH / 2} {WIDTH / 2}" density="{DENSITY}"/>'
    )
    # The first rod is turned a quarter about z, so that the chain lies along +x.
    first = f'<body pos="{LENGTH / 2} 0 0" euler="0 0 90">{inside}'
    later = f'<body pos="0 {-LENGTH} 0">{inside}' * (links - 1)
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="degree"/>'
        f'<option gravity="0 {-GRAVITY} 0" integrator="RK4" timestep="{step}">'
        '<flag contact="disable" constraint="disable" energy="enable"/></option>'
        f"<worldbody>{first}{later}{'</body>' * links}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)

    def energy() -> float:
        mujoco.mj_forward(model, data)
        return float(data.energy.sum())

    def place() -> np.ndarray:
        mujoco.mj_forward(model, data)
        return np.array(data.xipos[-1])

    return Peer(
        lambda count: mujoco.mj_step(model, data, count),
        energy,
        lambda: mujoco.mj_resetData(model, data),
        place,
    )


def pinocchio_chain(links: int, joint: str, step: float) -> Peer:
    """Return the chain in Pinocchio: its articulated-body algorithm, RK4 written in Python."""
    import pinocchio

    model = pinocchio.Model()
    model.gravity.linear = np.array([0.0, -GRAVITY, 0.0])
    place = pinocchio.SE3(pinocchio.utils.rotate("z", np.pi / 2), np.zeros(3))
    body = pinocchio.Inertia(MASS, np.array([0.0, -LENGTH / 2, 0.0]), np.diag(INERTIA))
    parent = 0
    for k in range(links):
        kind = pinocchio.JointModelRZ() if joint == "hinge" else pinocchio.JointModelSpherical()
        parent = model.addJoint(parent, kind, place, f"j{k}")
        model.appendBodyToJoint(parent, body, pinocchio.SE3.Identity())
        place = pinocchio.SE3(np.eye(3), np.array([0.0, -LENGTH, 0.0]))
    arm = pinocchio_tree(model, step)
    data, state = model.createData(), arm.state

    def place() -> np.ndarray:
        pinocchio.forwardKinematics(model, data, state[0])
        return data.oMi[links].act(np.array([0.0, -LENGTH / 2, 0.0]))

    return dataclasses.replace(arm.peer, place=place)


@dataclasses.dataclass(frozen=True, slots=True)
class Tree:
    """A peer and its ``state``, joint values and rates."""

    peer: Peer
    state: list[np.ndarray]


def pinocchio_tree(model: Any, step: float) -> Tree:
    """Return any model in Pinocchio: its articulated-body algorithm, RK4 written in Python."""
    import pinocchio

    data = model.createData()
    start = pinocchio.neutral(model)
    state = [start, np.zeros(model.nv)]
    no_torque = np.zeros(model.nv)

    def advance(count: int) -> None:
        q, v = state
        for _ in range(count):
            a1 = pinocchio.aba(model, data, q, v, no_torque).copy()
            v2 = v + 0.5 * step * a1
            q2 = pinocchio.integrate(model, q, 0.5 * step * v)
            a2 = pinocchio.aba(model, data, q2, v2, no_torque).copy()
            v3 = v + 0.5 * step * a2
            q3 = pinocchio.integrate(model, q, 0.5 * step * v2)
            a3 = pinocchio.aba(model, data, q3, v3, no_torque).copy()
            v4 = v + step * a3
            q4 = pinocchio.integrate(model, q, step * v3)
            a4 = pinocchio.aba(model, data, q4, v4, no_torque).copy()
            q = pinocchio.integrate(model, q, step / 6 * (v + 2 * v2 + 2 * v3 + v4))
            v = v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        state[:] = [q, v]

    def energy() -> float:
        kinetic = pinocchio.computeKineticEnergy(model, data, *state)
        return float(kinetic + pinocchio.computePotentialEnergy(model, data, state[0]))

    def reset() -> None:
        state[:] = [start, np.zeros(model.nv)]

    return Tree(Peer(advance, energy, reset), state)


def exudyn_chain(links: int, step: float) -> Peer:
    """Return the chain of pins in Exudyn: a kinematic tree, explicit RK44."""
    import exudyn
    import exudyn.utilities as parts

    system = exudyn.SystemContainer().AddSystem()
    ground = system.AddNode(
        parts.NodeGenericODE2(
            referenceCoordinates=[0.0] * links,
            initialCoordinates=[0.0] * links,
            initialCoordinates_t=[0.0] * links,
            numberOfODE2Coordinates=links,
        )
    )
    turned = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    straight = np.eye(3).tolist()
    system.AddObject(
        parts.ObjectKinematicTree(
            nodeNumber=ground,
            jointTypes=[exudyn.JointType.RevoluteZ] * links,
            linkParents=np.arange(links) - 1,
            jointTransformations=exudyn.Matrix3DList([turned] + [straight] * (links - 1)),
            jointOffsets=exudyn.Vector3DList([[0, 0, 0]] + [[0, -LENGTH, 0]] * (links - 1)),
            linkInertiasCOM=exudyn.Matrix3DList([np.diag(INERTIA).tolist()] * links),
            linkCOMs=exudyn.Vector3DList([[0, -LENGTH / 2, 0]] * links),
            linkMasses=[MASS] * links,
            gravity=[0, -GRAVITY, 0],
        )
    )
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    settings.timeIntegration.verboseMode = 0
    settings.parallel.numberOfThreads = 1

    def advance(count: int) -> None:
        settings.timeIntegration.numberOfSteps = count
        settings.timeIntegration.endTime = count * step
        system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.RK44)

    return Peer(advance, lambda: float("nan"), lambda: None)
