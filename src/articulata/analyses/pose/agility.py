"""The measures of how a place can move and press: Jacobians, ellipsoids, singular positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from articulata.analyses.pose.objective_measures import Measure
from articulata.analyses.pose.objectives import Objective
from articulata.analyses.pose.pose_scene import Scene
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array


class _Motion(NamedTuple):
    """Velocity Jacobians (m, 3, n) of a place by what moves, and their changes (m, 3, n, n)."""

    J: Array
    change: Callable[[], Array]


def _place(objective: Objective, scene: Scene) -> str:
    name = scene.place if objective.place is None else objective.place
    scene.figure.place(name)
    return name


def _motion(scene: Scene, place: str, q: Array) -> _Motion:
    both = scene.figure.landmark_jacobian(q, place)
    if not scene.moves_all:
        both = both[:, :, scene.columns]
    v, w = both[:, :3], both[:, 3:]

    def change() -> Array:
        # v_i changes with q_j as w_j x v_i where j carries i, else as w_i x v_j
        first = np.minimum(*np.indices((v.shape[2], v.shape[2])))
        last = np.maximum(*np.indices((v.shape[2], v.shape[2])))
        return np.asarray(np.cross(w[:, :, first], v[:, :, last], axis=1))

    return _Motion(v, change)


def _by_columns(scene: Scene, found: Array) -> Array:
    out = np.zeros((len(found), scene.figure.dof))
    out[:, scene.columns] = found
    return out


def _exact(scene: Scene) -> bool:
    """Return whether the changes of Jacobians can be written down: no joint follows another."""
    return all(joint.mimic is None for joint in scene.figure.joints)


def _direction(objective: Objective) -> Array:
    d = np.asarray(objective.toward, float)
    return np.asarray(d / np.linalg.norm(d))


_FLAT = 1e-12
"""m^2: added to the velocity ellipsoid, so that a singular posture has a number."""


def dexterity(objective: Objective, scene: Scene) -> Measure:
    """Return how fast the place can move along a direction; without one, in all on average.

    Along u it is 1 / sqrt(u' (J J')^-1 u), the radius of the velocity ellipsoid; without a
    direction the geometric mean of its radii, the sixth root of det(J J').
    """
    if objective.toward is None:
        return _volume(objective, scene)
    place, u = _place(objective, scene), _direction(objective)

    def solved(J: Array) -> tuple[Array, Array]:
        M = J @ J.transpose(0, 2, 1) + _FLAT * np.eye(3)
        x = np.linalg.solve(M, np.broadcast_to(u[:, None], (len(J), 3, 1)))[:, :, 0]
        return np.asarray(x), np.asarray(1.0 / np.sqrt(np.maximum(x @ u, 1e-300)))

    def values(q: Array) -> Array:
        return solved(_motion(scene, place, q).J)[1]

    def slopes(q: Array) -> Array:
        motion = _motion(scene, place, q)
        x, found = solved(motion.J)
        back = np.einsum("ma,man->mn", x, motion.J)
        moved = np.einsum("ma,manj,mn->mj", x, motion.change(), back)
        return _by_columns(scene, found[:, None] ** 3 * moved)

    name = f"dexterity toward {_said(u)}"
    return Measure(name, "m/rad", values, slopes if _exact(scene) else None)


def force(objective: Objective, scene: Scene) -> Measure:
    """Return how much force along a direction torques of size 1 give: 1 / sqrt(u' J J' u)."""
    if objective.toward is None:
        raise KinematicsError("force is exerted along a direction; give 'toward'")
    place, u = _place(objective, scene), _direction(objective)

    def values(q: Array) -> Array:
        along = np.einsum("a,man->mn", u, _motion(scene, place, q).J)
        return np.asarray(1.0 / np.sqrt((along * along).sum(axis=1) + _FLAT))

    def slopes(q: Array) -> Array:
        motion = _motion(scene, place, q)
        along = np.einsum("a,man->mn", u, motion.J)
        found = 1.0 / np.sqrt((along * along).sum(axis=1) + _FLAT)
        moved = np.einsum("a,manj,mn->mj", u, motion.change(), along)
        return _by_columns(scene, -(found[:, None] ** 3) * moved)

    return Measure(f"force toward {_said(u)}", "rad/m", values, slopes if _exact(scene) else None)


def _plane(scene: Scene, J: Array) -> Array:
    """Return the directions (3, r) that the place can move in: two for an arm in a plane."""
    spread = np.linalg.eigh(np.einsum("man,mbn->ab", J, J))
    good = spread.eigenvalues > 1e-9 * spread.eigenvalues[-1]
    return np.asarray(spread.eigenvectors[:, good])


def _ellipsoid(scene: Scene, place: str) -> Array:
    figure = scene.figure
    share = (np.arange(1, 6)[:, None] * np.sqrt(np.arange(2, 2 + figure.dof))) % 1.0
    low = np.where(np.isfinite(figure.lower), figure.lower, -np.pi)
    high = np.where(np.isfinite(figure.upper), figure.upper, np.pi)
    q = np.broadcast_to(scene.start, (5, figure.dof)).copy()
    q[:, scene.columns] = (low + share * (high - low))[:, scene.columns]
    return _plane(scene, _motion(scene, place, q).J)


def _volume(objective: Objective, scene: Scene) -> Measure:
    place = _place(objective, scene)
    basis = _ellipsoid(scene, place)
    r = basis.shape[1]

    def flat(J: Array) -> Array:
        return np.asarray(basis.T @ J)

    def values(q: Array) -> Array:
        E = flat(_motion(scene, place, q).J)
        M = E @ E.transpose(0, 2, 1)
        flat_one = M[:, 0, 0] * M[:, -1, -1] - M[:, 0, -1] * M[:, -1, 0]
        size = flat_one if r == 2 else np.linalg.det(M)
        return np.asarray(np.maximum(size, 0.0) ** (0.5 / r))

    def slopes(q: Array) -> Array:
        motion = _motion(scene, place, q)
        E = flat(motion.J)
        M = E @ E.transpose(0, 2, 1) + _FLAT * np.eye(r)
        inverse = np.linalg.inv(M)
        change = np.einsum("ar,manj->mrnj", basis, motion.change())
        moved = np.einsum("mrs,msnj,mrn->mj", inverse, change, E)
        return _by_columns(scene, (np.linalg.det(M) ** (0.5 / r) / r)[:, None] * moved)

    return Measure("dexterity", "m/rad", values, slopes if _exact(scene) else None)


def isotropy(objective: Objective, scene: Scene) -> Measure:
    """Return the geometric over the arithmetic mean of the ellipsoid's squared radii: 0 to 1."""
    place = _place(objective, scene)
    basis = _ellipsoid(scene, place)
    r = basis.shape[1]

    def values(q: Array) -> Array:
        E = np.einsum("ar,man->mrn", basis, _motion(scene, place, q).J)
        M = E @ E.transpose(0, 2, 1)
        mean = np.trace(M, axis1=1, axis2=2) / r
        return np.asarray(np.maximum(np.linalg.det(M), 0.0) ** (1.0 / r) / np.maximum(mean, _FLAT))

    def slopes(q: Array) -> Array:
        motion = _motion(scene, place, q)
        E = np.einsum("ar,man->mrn", basis, motion.J)
        M = E @ E.transpose(0, 2, 1) + _FLAT * np.eye(r)
        mean = np.trace(M, axis1=1, axis2=2) / r
        found = np.linalg.det(M) ** (1.0 / r) / mean
        change = np.einsum("ar,manj->mrnj", basis, motion.change())
        by_det = np.einsum("mrs,msnj,mrn->mj", np.linalg.inv(M), change, E) * 2.0 / r
        by_mean = np.einsum("mrnj,mrn->mj", change, E) * 2.0 / r / mean[:, None]
        return _by_columns(scene, found[:, None] * (by_det - by_mean))

    return Measure("isotropy", "1", values, slopes if _exact(scene) else None)


def singularity(objective: Objective, scene: Scene) -> Measure:
    """Return how far the place's Jacobian is from losing a direction: its least singular value."""
    place = _place(objective, scene)
    basis = _ellipsoid(scene, place)

    def values(q: Array) -> Array:
        E = np.einsum("ar,man->mrn", basis, _motion(scene, place, q).J)
        return np.asarray(np.linalg.svd(E, compute_uv=False)[:, -1])

    def slopes(q: Array) -> Array:
        motion = _motion(scene, place, q)
        U, _, V = np.linalg.svd(np.einsum("ar,man->mrn", basis, motion.J), full_matrices=False)
        change = np.einsum("ar,manj->mrnj", basis, motion.change())
        return _by_columns(scene, np.einsum("mr,mrnj,mn->mj", U[:, :, -1], change, V[:, -1]))

    return Measure("singularity", "m/rad", values, slopes if _exact(scene) else None)


def _said(u: Array) -> str:
    for axis, letter in enumerate("xyz"):
        for sign, before in ((1.0, ""), (-1.0, "-")):
            if abs(u[axis] - sign) < 1e-9:
                return f"{before}{letter}"
    return f"({u[0]:.3g}, {u[1]:.3g}, {u[2]:.3g})"
