"""Torques, their derivatives, energy and centres of mass beside Pinocchio, figure by figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from articulata.formats.urdf.urdf_writer import write_urdf
from articulata.kinematics.figure import Figure
from articulata.kinematics.library import figure, figures
from articulata.kinematics.statics import Load, Push, Statics

pinocchio = pytest.importorskip("pinocchio")

HEAVY = sorted(name for name in figures() if figure(name).mass > 0.0)
POSTURES = [30, pytest.param(1000, marks=pytest.mark.slow)]
GRAVITY = np.array([1.0, -8.0, 5.0])


class Peer:
    """A figure as Pinocchio reads it from URDF; joints that follow others are free there."""

    def __init__(self, one: Figure, folder: Path) -> None:
        self.one = one
        self.model = pinocchio.buildModelFromXML(write_urdf(one, folder).text)
        self.model.gravity.linear = GRAVITY
        self.data = self.model.createData()
        self.at = [
            self.model.joints[self.model.getJointId(joint.name)]
            for joint in one.joints
            if joint.kind != "fixed"
        ]
        self.moving = [i for i, joint in enumerate(one.joints) if joint.kind != "fixed"]
        self.M = one.mapping[0][self.moving]

    def q(self, q: np.ndarray) -> Any:
        p = pinocchio.neutral(self.model)
        for joint, value in zip(self.at, self.one.values(q)[0][0][self.moving], strict=True):
            p[joint.idx_q : joint.idx_q + joint.nq] = (
                (value,) if joint.nq == 1 else (np.cos(value), np.sin(value))
            )
        return p

    def v(self, rates: np.ndarray) -> Any:
        v = np.zeros(self.model.nv)
        v[self.order] = self.M @ rates
        return v

    @property
    def order(self) -> list[int]:
        return [joint.idx_v for joint in self.at]

    def free(self, tau: np.ndarray) -> Any:
        return self.M.T @ np.asarray(tau)[self.order]

    def pairs(self, matrix: np.ndarray) -> Any:
        return self.M.T @ np.asarray(matrix)[np.ix_(self.order, self.order)] @ self.M


def drawn(one: Figure, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    low = np.where(np.isfinite(one.lower), one.lower, -3.0)
    high = np.where(np.isfinite(one.upper), one.upper, 3.0)
    q = rng.uniform(low, high, (count, one.dof))
    return q, rng.normal(size=q.shape), rng.normal(size=q.shape)


def close(ours: np.ndarray, theirs: Any) -> None:
    theirs = np.asarray(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max(initial=1.0))


@pytest.mark.parametrize("count", POSTURES)
@pytest.mark.parametrize("name", HEAVY)
def test_pinocchio_needs_the_same_torques(name: str, count: int, tmp_path: Path) -> None:
    one = figure(name)
    peer, ours = Peer(one, tmp_path), Statics(one, gravity=GRAVITY)
    q, rates, accelerations = drawn(one, count)
    at_rest, moving = ours.torques(q), ours.inverse_dynamics(q, rates, accelerations)
    found = ours.derivatives(q, rates, accelerations)
    gradient, energy = ours.torque_gradient(q), ours.energy(q)
    model, data = peer.model, peer.data
    zero = pinocchio.computePotentialEnergy(model, data, peer.q(q[0])) - energy[0]
    for k in range(count):
        p, v, a = peer.q(q[k]), peer.v(rates[k]), peer.v(accelerations[k])
        close(at_rest[k], peer.free(pinocchio.computeGeneralizedGravity(model, data, p)))
        close(moving[k], peer.free(pinocchio.rnea(model, data, p, v, a)))
        # Pinocchio does not weigh what is fixed to the world.
        assert pinocchio.computePotentialEnergy(model, data, p) - energy[k] == pytest.approx(
            zero, abs=1e-9 * max(1.0, np.abs(energy).max())
        )
        by_q, by_rates, mass_matrix = pinocchio.computeRNEADerivatives(model, data, p, v, a)
        upper = np.triu(mass_matrix)
        close(found.by_q[k], peer.pairs(by_q))
        close(found.by_rates[k], peer.pairs(by_rates))
        close(found.mass_matrix[k], peer.pairs(upper + np.triu(upper, 1).T))
        still = pinocchio.computeGeneralizedGravityDerivatives(model, data, p)
        close(gradient[k], peer.pairs(still))


@pytest.mark.parametrize("name", sorted(figures()))
def test_loads_and_pushes_do_the_work_their_points_do(name: str) -> None:
    one = figure(name)
    place = next(iter(one.chains), one.joints[-1].name)
    gravity, force = np.array([0.3, -9.0, 1.0]), (20.0, -7.0, 3.0)
    ours = Statics(one, loads=[Load(place, 4.0)], pushes=[Push(place, force)], gravity=gravity)
    alone = Statics(one, loads=[Load(place, 0.0)], pushes=[Push(place, (0, 0, 0))], gravity=gravity)
    q, rates, accelerations = drawn(one, 100)
    J = one.landmark_jacobian(q, place)[:, :3]
    hung = -np.einsum("bij,i->bj", J, 4.0 * gravity + force)
    np.testing.assert_allclose(ours.torques(q) - alone.torques(q), hung, atol=1e-9)
    # the load resists the acceleration of its point, by differences of the point's place
    h = 1e-4
    p = [
        one.landmark(q + rates * t + 0.5 * accelerations * t * t, place)[:, :3, 3]
        for t in (-h, 0, h)
    ]
    acceleration = (p[0] - 2.0 * p[1] + p[2]) / (h * h)
    wanted = hung + 4.0 * np.einsum("bij,bi->bj", J, acceleration)
    moved = [each.inverse_dynamics(q, rates, accelerations) for each in (ours, alone)]
    np.testing.assert_allclose(moved[0] - moved[1], wanted, rtol=2e-6, atol=2e-5)


def slope(f: Callable[[np.ndarray], np.ndarray], q: np.ndarray, j: int) -> np.ndarray:
    """The change with coordinate j by differences of the sixth order, good to rounding."""
    h = 0.02
    found = np.zeros_like(f(q))
    for k, weight in ((1, 45.0), (2, -9.0), (3, 1.0)):
        step = np.zeros(q.shape[1])
        step[j] = k * h
        found += weight * (f(q + step) - f(q - step))
    return found / (60.0 * h)


@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", HEAVY)
def test_gradients_are_the_limits_of_differences(name: str, count: int) -> None:
    one = figure(name)
    place = next(iter(one.chains), one.joints[-1].name)
    ours = Statics(one, loads=[Load(place, 3.0)], pushes=[Push(place, (5.0, 1.0, -4.0))])
    q, rates, accelerations = drawn(one, count)
    derivatives, gradient = ours.derivatives(q, rates, accelerations), ours.torque_gradient(q)
    torques, jacobian = ours.torques(q), ours.center_jacobian(q)
    weights = torques - Statics(one, pushes=ours.pushes, gravity=(0, 0, 0)).torques(q)
    for j in range(one.dof):
        close(gradient[:, :, j], slope(ours.torques, q, j))
        close(jacobian[:, :, j], slope(ours.center, q, j))
        close(weights[:, j], slope(ours.energy, q, j))
        moved = slope(lambda x: ours.inverse_dynamics(x, rates, accelerations), q, j)
        close(derivatives.by_q[:, :, j], moved)
        push = np.eye(one.dof)[j]
        up, down = (ours.inverse_dynamics(q, rates, accelerations + s * push) for s in (1, -1))
        close(derivatives.mass_matrix[:, :, j], 0.5 * (up - down))
        up, down = (ours.inverse_dynamics(q, rates + s * push, accelerations) for s in (1, -1))
        close(derivatives.by_rates[:, :, j], 0.5 * (up - down))


def test_many_whole_turns_change_nothing() -> None:
    one = figure("manutec_r3")
    ours = Statics(one)
    q, rates, accelerations = drawn(one, 20)
    turned = q + 2.0 * np.pi * 1e5
    close(ours.torques(turned)[:3], ours.torques(q[:3]))
    close(
        ours.inverse_dynamics(turned, rates, accelerations),
        ours.inverse_dynamics(q, rates, accelerations),
    )
