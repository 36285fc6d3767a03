"""Published and closed-form motions, and Pinocchio, against the multibody kernels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.unit.kernels.multibody import (
    GRAVITY,
    chain,
    four_bar,
    matrix,
    no_inputs,
    run_dop853,
    triple,
)

import hinge_rows as hinges
from articulata.kernels.array_types import Array
from articulata.kernels.multibody import motion
from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.build import Body, Hinge, build_system
from articulata.kernels.multibody.integrators import steps
from articulata.kernels.multibody.system import System

ORIGIN = (0.0, 0.0, 0.0)


def heavy_top() -> tuple[System, Array]:
    """m = 15, mass centre 1 m from the fixed point along body y, spinning about it."""
    w, arm = np.array([0.0, 150.0, -4.61538]), np.array([0.0, 1.0, 0.0])
    state = np.zeros((1, 13))
    state[0, :3], state[0, 3] = arm, 1.0
    state[0, 7:10], state[0, 10:] = np.cross(w, arm), w
    top = Body(15.0, np.diag([0.234375, 0.46875, 0.234375]), GRAVITY)
    joint = Hinge(0, s.WORLD, hinges.ball((0.0, -1.0, 0.0), ORIGIN))
    return build_system([top], [joint], [], state), state


def test_heavy_top() -> None:
    system, state = heavy_top()
    found = run_dop853(system, state, [0.2], tolerance=1e-13)[0, 0]
    # printed to four or five digits in the benchmark's literature
    np.testing.assert_allclose(found[3:7], [-0.70828, 0.43878, 0.54573, 0.0894], atol=6e-6)
    # the rigid body about its fixed point, J = J_C + m (|X|^2 1 - X X^T), as an ODE of its own
    J = np.diag([15.234375, 0.46875, 15.234375])

    def rates(_: float, y: Array) -> Array:
        q, w = y[:4], y[4:]
        weight = matrix(q / np.linalg.norm(q)).T @ np.array([0.0, 0.0, -15.0 * 9.81])
        torque = np.cross([0.0, 1.0, 0.0], weight)
        spin = np.linalg.solve(J, torque - np.cross(w, J @ w))
        a, v = q[0], q[1:]
        return np.concatenate([[-0.5 * v @ w], 0.5 * (a * w + np.cross(v, w)), spin])

    start = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 150.0, -4.61538])
    exact = solve_ivp(rates, (0, 0.2), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    np.testing.assert_allclose(found[3:7], exact[:4], atol=1e-9)
    np.testing.assert_allclose(matrix(found[3:7]).T @ found[10:], exact[4:], atol=1e-7)


def test_pendulum_period() -> None:
    """1 m from horizontal: 2.3678419475762374 s (complete elliptic integral)."""
    state = np.zeros((1, 13))
    state[0, 0] = state[0, 3] = 1.0
    body = Body(1.0, 1e-12 * np.eye(3), GRAVITY)
    joint = Hinge(0, s.WORLD, hinges.ball((-1.0, 0.0, 0.0), ORIGIN))
    system = build_system([body], [joint], [], state)
    period = 2.3678419475762374
    half, whole = run_dop853(system, state, [period / 2, period])[:, 0]
    np.testing.assert_allclose(half[:3], [-1.0, 0.0, 0.0], atol=1e-10)
    np.testing.assert_allclose(whole[:3], [1.0, 0.0, 0.0], atol=1e-10)
    # at rest at both ends: a time wrong by dt shows as g dt
    np.testing.assert_allclose(whole[7:10], 0.0, atol=1e-9)


def test_four_bar_period() -> None:
    """One revolution in 1.923711817339 s, through both flat positions, redundant rows and all."""
    system, state = four_bar(math.pi / 2, 1.0)
    period = 1.923711817339
    ends = [run_dop853(system, state, [period], tolerance=1e-10)[0], state.copy()]
    work, stages = s.make_workspace(system), steps.make_stages(system)
    driven = s.Integrated(system, work, stages, no_inputs(system))
    status = steps.rk4(driven, 0.0, period / 2000, 2000, ends[1])
    assert status == s.OK
    for end in ends:
        sign = np.sign(np.sum(end[:, 3:7] * state[:, 3:7], axis=1))
        end[:, 3:7] *= sign[:, None]  # a full turn returns to the opposite quaternion
        np.testing.assert_allclose(end, state, atol=2e-9)
    assert np.abs(work.gap).max() <= 1e-10


def test_figure_4_2_is_regenerated() -> None:
    """Hoffmann & Hopcroft 1986, Figure 4.2: 151 Euler steps of driver and three rods.

    The printed inertia leaves the density out: 2.5 instead of 5 kg m^2.
    """
    rod = Body(6.0, np.diag([2.5, 0.5, 2.5]), (0.0, -9.81, 0.0))
    bodies = [Body(0.0, np.zeros((3, 3)), kind=s.PRESCRIBED), rod, rod, rod]
    state = np.zeros((4, 13))
    state[:, 3], state[:, 7] = 1.0, math.pi
    state[1:, 1] = [-1.5, -4.5, -7.5]
    up, down = (0.0, 1.5, 0.0), (0.0, -1.5, 0.0)
    joints = [Hinge(i, i + 1, hinges.ball(ORIGIN if i == 0 else down, up)) for i in range(3)]
    system = build_system(bodies, joints, [], state)
    work, stages = s.make_workspace(system), steps.make_stages(system)
    prescribed = np.zeros((152, 4, 6))
    prescribed[:, 0, 0] = -(math.pi**2) * np.sin(math.pi * 0.01 * np.arange(152))
    inputs = no_inputs(system)._replace(prescribed=prescribed)
    driven = s.Integrated(system, work, stages, inputs)
    assert steps.euler1986(driven, 0.0, 0.01, 151, state) == s.OK
    theta = 2 * np.arctan2(state[1:, 6], state[1:, 3])
    np.testing.assert_allclose(theta, [0.3772273, 0.8301401, 1.3185591], atol=1e-5)
    np.testing.assert_allclose(state[1:, 12], [-1.339404, 0.817555, 1.680491], atol=1e-5)
    out = np.zeros((4, 6))
    assert motion.accelerations(system, work, inputs, 151, 1.51, state, out) == s.OK
    printed = [
        (9.8647375, 0.0, 0.0),
        (5.545115, 1.1830807, -2.3867476),
        (-1.1095759, 1.2980194, -1.5759716),
        (-9.412906, -5.9540305, -4.985152),
    ]
    np.testing.assert_allclose(out[:, [0, 1, 5]], printed, atol=2e-5)
    forces = [(29.864182, -155.74242), (63.13489, -89.783936), (56.477436, -23.135818)]
    np.testing.assert_allclose(work.multiplier.reshape(3, 3)[:, :2], forces, atol=2.5e-4)


def test_accelerations_of_open_trees_agree_with_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    for seed in range(10):
        rng = np.random.default_rng(seed)
        model, n = pin.Model(), 12
        model.gravity.linear = np.array(GRAVITY)
        parents, axes = [], []
        for i in range(n):
            parent = int(rng.integers(0, i + 1))
            if seed % 2 and i == 0:
                joint, axis = pin.JointModelFreeFlyer(), None
            elif rng.random() < 0.5:
                joint, axis = pin.JointModelSpherical(), None
            else:
                axis = rng.normal(size=3)
                axis /= np.linalg.norm(axis)
                joint = pin.JointModelRevoluteUnaligned(axis)
            if seed % 2 and i > 0:
                parent = max(parent, 1)
            added = model.addJoint(parent, joint, pin.SE3.Random(), f"j{i}")
            model.appendBodyToJoint(added, pin.Inertia.Random(), pin.SE3.Identity())
            parents.append(parent)
            axes.append(axis)
        data = model.createData()
        q = pin.integrate(model, pin.neutral(model), rng.normal(size=model.nv))
        v = rng.normal(size=model.nv)
        a = pin.aba(model, data, q, v, np.zeros(model.nv))
        pin.forwardKinematics(model, data, q, v, a)
        state, expected = np.zeros((n, 13)), np.zeros((n, 6))
        bodies, joints = [], []
        frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for i in range(n):
            inertia, X = model.inertias[i + 1], data.oMi[i + 1]
            bodies.append(Body(inertia.mass, inertia.inertia, GRAVITY))
            arm = X.rotation @ inertia.lever
            speed = pin.getVelocity(model, data, i + 1, frame)
            change = pin.getClassicalAcceleration(model, data, i + 1, frame)
            w = speed.angular
            state[i, :3] = X.translation + arm
            x, y, z, c = pin.Quaternion(X.rotation).coeffs()
            state[i, 3:7] = c, x, y, z
            state[i, 7:10], state[i, 10:] = speed.linear + np.cross(w, arm), w
            spin = np.cross(change.angular, arm) + np.cross(w, np.cross(w, arm))
            expected[i, :3], expected[i, 3:] = change.linear + spin, change.angular
            if seed % 2 and i == 0:
                continue
            above, fixed = parents[i] - 1, model.jointPlacements[i + 1]
            lever = model.inertias[above + 1].lever if above >= 0 else np.zeros(3)
            p_A, p_B = triple(-inertia.lever), triple(fixed.translation - lever)
            if axes[i] is None:
                rows = hinges.ball(p_A, p_B)
            else:
                axis_B = triple(fixed.rotation @ axes[i])
                rows = hinges.revolute(p_A, p_B, triple(axes[i]), axis_B)
            joints.append(Hinge(i, above, rows))
        system = build_system(bodies, joints, [], state)
        work, out = s.make_workspace(system), np.zeros((n, 6))
        assert motion.accelerations(system, work, no_inputs(system), 0, 0.0, state, out) == s.OK
        assert np.abs(work.gap).max() < 1e-12
        np.testing.assert_allclose(out, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_three_link_chain_agrees_with_minimal_coordinates() -> None:
    """Pinned three-link pendulum against its Lagrangian equations in three angles."""
    system, state = chain(3, pin=True)
    found = run_dop853(system, state, [2.0], tolerance=1e-13)[0]
    own = 1 / 12 + 0.05**2 / 4  # about the mass centre, kg m^2

    def rates(_: float, y: Array) -> Array:
        angle, rate = y[:3], y[3:]
        M, f = np.zeros((3, 3)), np.zeros(3)
        for i in range(3):  # body i: arms 1, 1, ... 1/2 along the links above it
            arms = np.array([1.0] * i + [0.5] + [0.0] * (2 - i))
            along = arms * np.array([np.cos(angle), np.sin(angle)])
            across = arms * np.array([-np.sin(angle), np.cos(angle)])
            M += across.T @ across
            M[i, i] += own
            f += across.T @ (along @ rate**2) - 9.81 * across[1]
        return np.concatenate([rate, np.linalg.solve(M, f)])

    exact = solve_ivp(rates, (0, 2), np.zeros(6), method="DOP853", rtol=1e-13, atol=1e-13)
    angle = exact.y[:3, -1]
    x = np.cumsum(np.cos(angle)) - 0.5 * np.cos(angle)
    z = np.cumsum(np.sin(angle)) - 0.5 * np.sin(angle)
    np.testing.assert_allclose(found[:, 0], x, atol=1e-8)
    np.testing.assert_allclose(found[:, 2], z, atol=1e-8)
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-12)
