"""The motion between two postures whose torques change the least (Uno, Kawato and Suzuki 1989).

What is least is the integral of the squared rates of the joints' torques. The path is the straight
one, timed by least jerk, and a sum of polynomials that leave both ends at rest; their parts are
found by Gauss and Newton's method, with the exact derivatives of inverse dynamics.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.polynomial import Legendre, Polynomial

from articulata.analyses.pose.pose_scene import Scene
from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.figure_places import Places
from articulata.kinematics.floating_base import BASE

PARTS: Final = 5
"""Polynomials for each joint."""

ROUNDS: Final = 15
"""Most steps of the search."""


class Path(NamedTuple):
    """Postures with their rates and accelerations, (n, dof) each."""

    q: Array
    rates: Array
    accelerations: Array


class Parts(NamedTuple):
    """Values over the path of the straight way (n, 3) and of the parts (n, 3, parts).

    Of each the value, and its first and second derivatives by time.
    """

    straight: Array
    parts: Array


def least_torque_change(
    scene: Scene, goal: Float64[Array, "dof"], duration: float, steps: int
) -> Float64[Array, "n dof"]:
    """Return ``steps`` + 1 postures from the scene's start to ``goal``, in ``duration`` s."""
    parts = _parts(duration, steps)
    columns = scene.columns
    dt = duration / steps
    weights = np.zeros((PARTS, len(columns)))
    path = _path(scene, goal, parts, weights)
    rates = _rates(scene, path, dt)
    cost, damping = float((rates**2).sum()), 1e-6
    for _ in range(ROUNDS):
        A = _change(scene, path, parts, dt)
        slope = A.T @ rates.reshape(-1)
        square = A.T @ A
        before = cost
        for _ in range(8):
            held = square + damping * np.diag(np.diag(square) + 1e-12)
            tried = weights - np.linalg.solve(held, slope).reshape(weights.shape)
            tried *= _inside(scene, goal, parts, tried)
            there = _path(scene, goal, parts, tried)
            found = _rates(scene, there, dt)
            if (found**2).sum() < cost:
                weights, path, rates, cost = tried, there, found, float((found**2).sum())
                damping *= 0.1
                break
            damping *= 10.0
        if cost > (1.0 - 1e-6) * before:
            break
    return path.q


def torque_change(scene: Scene, q: Float64[Array, "n dof"], duration: float) -> float:
    """Return the root of the mean squared rate of torques along a motion, N m/s."""
    dt = duration / (len(q) - 1)
    rates = np.gradient(q, dt, axis=0)
    path = Path(q, rates, np.gradient(rates, dt, axis=0))
    return float(np.sqrt((_rates(scene, path, dt) ** 2).sum() / duration))


def _parts(duration: float, steps: int) -> Parts:
    s = np.linspace(0.0, 1.0, steps + 1)
    ends = Polynomial([0.0, 0.0, 0.0, 1.0]) * Polynomial([1.0, -1.0]) ** 3
    made = [Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])]
    made += [
        64.0 * ends * Legendre.basis(k, domain=[0.0, 1.0]).convert(kind=Polynomial)
        for k in range(PARTS)
    ]
    values = np.stack(
        [
            np.stack([(each.deriv(order) if order else each)(s) / duration**order
                      for order in range(3)], axis=1)
            for each in made
        ],
        axis=2,
    )  # fmt: skip
    return Parts(values[:, :, 0], values[:, :, 1:])


def _path(scene: Scene, goal: Array, parts: Parts, weights: Array) -> Path:
    way = goal - scene.start
    made = parts.straight[:, :, None] * way
    made[:, 0] += scene.start
    made[:, :, scene.columns] += parts.parts @ weights
    q, rates, accelerations = (np.ascontiguousarray(made[:, order]) for order in range(3))
    return Path(q, rates, accelerations)


def _inside(scene: Scene, goal: Array, parts: Parts, weights: Array) -> Array:
    """Return by how much of ``weights`` each joint may leave the straight way within limits."""
    columns = scene.columns
    straight = scene.start[columns] + parts.straight[:, :1] * (goal - scene.start)[columns]
    away = parts.parts[:, 0] @ weights
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(away > 0.0, (scene.upper - straight) / away,
                        (scene.lower - straight) / away)  # fmt: skip
    room = np.where(np.abs(away) > 1e-12, np.maximum(room, 0.0), np.inf)
    return np.asarray(np.minimum(room.min(axis=0), 1.0))


def _rates(scene: Scene, path: Path, dt: float) -> Array:
    """Return the rates of torques between postures, times the root of ``dt``: (n - 1, dof)."""
    tau = scene.statics.inverse_dynamics(path.q, path.rates, path.accelerations)
    return np.asarray(np.diff(_borne(scene, path.q, tau[:, :, None])[:, :, 0], axis=0) / dt**0.5)


def _change(scene: Scene, path: Path, parts: Parts, dt: float) -> Array:
    """Return the change of ``_rates`` with the weights: ((n - 1) dof, parts moving)."""
    columns = scene.columns
    by = scene.statics.derivatives(path.q, path.rates, path.accelerations)
    found = sum(
        each[:, :, None, columns] * parts.parts[:, None, order, :, None]
        for order, each in enumerate((by.by_q, by.by_rates, by.mass_matrix))
    )
    n, dof = path.q.shape
    made = _borne(scene, path.q, np.asarray(found).reshape(n, dof, -1))
    return np.asarray((np.diff(made, axis=0) / dt**0.5).reshape((n - 1) * dof, -1))


def _borne(scene: Scene, q: Array, tau: Array) -> Array:
    """Return torques (n, dof, k) of a figure whose supports take what its base cannot.

    The forces at the supports are the least that hold the base.
    """
    if not scene.floating:
        return tau
    _, J = Places(scene.figure, scene.supports).found(q)
    J = J.reshape(len(q), -1, J.shape[-1])
    base = len(BASE)
    E = J[:, :, :base].transpose(0, 2, 1)
    M = E @ E.transpose(0, 2, 1) + 1e-9 * np.eye(base)
    forces = E.transpose(0, 2, 1) @ np.linalg.solve(M, tau[:, :base])
    return np.asarray(tau - J.transpose(0, 2, 1) @ forces)


DURATION: Final = 1.0
"""s: how long a reach takes whose change of torque is an objective. A proposal."""

SAMPLES: Final = 16
"""Stretches of the way at which torques are taken."""


def on_the_way(scene: Scene, q: Float64[Array, "m dof"]) -> Float64[Array, "m"]:
    """Return the root of the mean squared rate of torques on the straight way to postures, N m/s.

    From the scene's start, timed by least jerk, in ``DURATION``.
    """
    straight = _parts(DURATION, SAMPLES).straight
    way = straight[:, :, None] * (q - scene.start)[:, None, None]
    way[:, :, 0] += scene.start
    m, dof = q.shape
    flat = way.transpose(2, 0, 1, 3).reshape(3, -1, dof)
    path = Path(*(np.ascontiguousarray(each) for each in flat))
    tau = scene.statics.inverse_dynamics(path.q, path.rates, path.accelerations)
    borne = _borne(scene, path.q, tau[:, :, None]).reshape(m, SAMPLES + 1, dof)
    rates = np.diff(borne, axis=1) * SAMPLES / DURATION
    return np.asarray(np.sqrt((rates**2).sum(axis=2).mean(axis=1)))
