"""Bushings: six springs and dampers between the frames of two features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.domains.dynamic.mechanism import Mechanism, Motion
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix, q_log, q_to_matrix
from articulata.kinematics.assembly.demands import feature_frame
from articulata.world.model import Force


@dataclass(frozen=True, slots=True)
class Bushing:
    """Springs and dampers along and about the axes of B's frame; turns are a rotation vector.

    ``p_A``, ``p_B`` from the mass centres in body axes (m), ``R_A``, ``R_B`` the frames' axes.
    """

    force: Force
    a: int
    p_A: Array
    R_A: Array
    b: int
    p_B: Array
    R_B: Array
    given: bool = False

    @property
    def constants(self) -> Array:
        """(4, 3): stiffness along and about axes, damping along and about them."""
        return np.array([value for _, value in self.force.program]).reshape(4, 3)

    @property
    def damped(self) -> bool:
        """Whether it takes energy."""
        return bool(np.any(self.constants[2:]))

    def _state(self, motion: Motion) -> tuple[Array, Array, Array, Array, Array]:
        """Return B's axes in W, and way, velocity, rotation vector and relative rate in them."""
        R_B = motion.R[self.b] @ self.R_B
        c_A, c_B = motion.R[self.a] @ self.p_A, motion.R[self.b] @ self.p_B
        arm = motion.positions[self.a] + c_A - motion.positions[self.b]
        parting = motion.v[self.a] + np.cross(motion.w[self.a], c_A)
        parting = parting - motion.v[self.b] - np.cross(motion.w[self.b], arm)
        turn = q_log(q_from_matrix(R_B.T @ motion.R[self.a] @ self.R_A))
        rate = R_B.T @ (motion.w[self.a] - motion.w[self.b])
        return R_B, R_B.T @ (arm - c_B), R_B.T @ parting, np.asarray(turn), rate

    def stretch(self, motion: Motion) -> tuple[float, float]:
        """Return the distance of the features (m) and its rate (m/s)."""
        _, way, velocity, _, _ = self._state(motion)
        length = float(np.linalg.norm(way))
        return length, float(way @ velocity) / length if length else 0.0

    def value(self, motion: Motion, time: float) -> float:
        """Return the size of its force (N)."""
        _, way, velocity, _, _ = self._state(motion)
        return float(np.linalg.norm(self.constants[0] * way + self.constants[2] * velocity))

    def add(self, motion: Motion, time: float, total: Array) -> None:
        """Add force and moment on A at its feature, the opposite on B there."""
        R_B, way, velocity, turn, rate = self._state(motion)
        K, K_turn, C, C_turn = self.constants
        force = R_B @ (-K * way - C * velocity)
        J = rate_matrix(turn)
        moment = R_B @ (J.T @ (-K_turn * turn - C_turn * (J @ rate)))
        c_A = motion.R[self.a] @ self.p_A
        arm = motion.positions[self.a] + c_A - motion.positions[self.b]
        total[self.a] += [*force, *(np.cross(c_A, force) + moment)]
        total[self.b] -= [*force, *(np.cross(arm, force) + moment)]

    def energy(self, motion: Motion) -> float:
        """Return the energy of its springs (J)."""
        _, way, _, turn, _ = self._state(motion)
        K, K_turn, _, _ = self.constants
        return 0.5 * float(K @ way**2 + K_turn @ turn**2)


def rate_matrix(r: Array) -> Array:
    """Return (3, 3) what turns a rate into that of the rotation vector ``r`` (rad)."""
    x, y, z = r
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    half = 0.5 * float(np.linalg.norm(r))
    by = (
        (1.0 - half / np.tan(half)) / (4.0 * half * half) if half > 5e-3 else 1 / 12 + half**2 / 180
    )
    return np.asarray(np.eye(3) - 0.5 * cross + by * cross @ cross)


def bushing_of(parts: Mechanism, force: Force) -> Bushing:
    """Return the bushing that a world's node is."""
    assert force.features is not None
    ends = []
    for ref in force.features:
        number = parts.index[ref.body]
        frame = feature_frame(parts.world.bodies[ref.body], ref.feature)
        R = q_to_matrix(np.array(frame.orientation))
        ends += [number, np.array(frame.position) - parts.center[number], R]
    return Bushing(force, *ends)
